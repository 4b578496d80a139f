package ledger

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// A Journal is the log of a crawl on disk: every entry, in order, and the strings
// of all URLs. It is append-only, in segments named by the offset at which they
// begin. A record is
//
//	u32 length of the payload, u32 CRC-32C of it, u32 where the entry begins in it,
//	payload: the strings of the URLs that the entry saw first, then the entry
//
// The strings come with the entry, so that both are on disk or neither is. Each
// begins with its distance from the start of the record, so that from the place
// of a string its record is found (see NamedBy).
//
// Appending is cheap and done in memory; Sync writes and syncs what was appended.
// One goroutine may append while another syncs. An offset, or place, counts the
// bytes of records from the beginning of the journal, without the first bytes of
// segments, so that it does not depend on where segments begin.
type Journal struct {
	dir      durable.Dir
	parse    RobotsParser
	readOnly bool
	segments []segment
	floor    uint64 // everything before it was synced, see KeepBefore

	mu      sync.Mutex // guards the fields up to failed, and segments while a writer changes them
	cur     []byte     // the record under construction, room for its header included
	end     uint64     // offset at which cur begins
	pending recordRun  // appended, not yet written
	writing recordRun  // being written

	failed error // the first error of the disk: once set, nothing is written any more

	torn   bool   // the files continue after the last sound record, until the next Sync
	tornAt uint64 // where that record ends

	rereads int    // pauses that awaitSound has made
	pause   func() // of awaitSound

	checkFirst uint64         // bytes that Check reads before it returns, at least
	checks     sync.WaitGroup // of what Check reads later
	closing    atomic.Bool

	replaying *expectedNames // strings that a replay has yet to see; nil if there is no replay
	rulings   RulingBook     // the rulings in effect
}

// A segment is one file of the journal.
// A segment is one file of the journal.
type segment struct {
	base     uint64 // offset of its first record
	name     string
	f        *durable.File
	headless bool // its first bytes are missing: a crash came right after it was created
}

// A recordRun is a run of records in memory.
type recordRun struct {
	at uint64
	b  []byte
}

func (p recordRun) has(place uint64) bool {
	return place >= p.at && place < p.at+uint64(len(p.b))
}

const (
	journalMagic  = "dowsej2\n" // begins every segment; its digit is the version
	recordHeader  = 12
	segmentSize   = 1 << 30   // bytes after which a new segment is begun
	maxRecord     = 256 << 20 // bytes; a longer one is damage, and is not allocated
	maxNameRead   = 4096      // longest URL, with its own header
	usualNameRead = 192       // a URL as most are
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrVersion is returned for files of another version of the format.
var ErrVersion = errors.New("written by another version of dowse")

// Open opens the journal in dir, or begins one. With readOnly nothing is
// written, and another process may be appending. Such a journal ends where the
// files ended when it was opened; what is appended later is not seen.
//
// Open does not read the records, so it is fast for any size. Whether the end is
// torn is found by the first caller that reads up to it, usually a fold.
func Open(dir string, parse RobotsParser, readOnly bool) (*Journal, error) {
	j := &Journal{dir: durable.Inner(dir), parse: parse, readOnly: readOnly, cur: make([]byte, recordHeader), pause: pauseForWriter, checkFirst: checkedFirst}
	names, err := j.dir.Names("journal-*.log")
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	for _, name := range names {
		if err := j.openSegment(name); err != nil {
			j.Close()
			return nil, err
		}
	}
	slices.SortFunc(j.segments, func(a, b segment) int { return cmp.Compare(a.base, b.base) })
	if len(j.segments) == 0 && !readOnly {
		return j, j.addSegment(0)
	}
	if err := j.contiguous(); err != nil {
		j.Close()
		return nil, err
	}
	j.end, err = j.size()
	return j, err
}

// openSegment opens a file of the journal and checks its first bytes. A file
// that is too short for them is accepted, since a crash may leave one.
func (j *Journal) openSegment(name string) error {
	var base uint64
	if _, err := fmt.Sscanf(strings.TrimSuffix(name, ".log"), "journal-%016x", &base); err != nil {
		return fmt.Errorf("journal: %s: not a segment's name", name)
	}
	open := j.dir.Edit
	if j.readOnly {
		open = j.dir.Open
	}
	f, err := open(name)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	magic := make([]byte, len(journalMagic))
	_, err = io.ReadFull(f, magic)
	if err == nil && string(magic) != journalMagic {
		f.Close()
		return fmt.Errorf("journal: %s: %w", name, wrongMagic(magic))
	}
	j.segments = append(j.segments, segment{base: base, name: name, f: f, headless: err != nil})
	return nil
}

// addSegment creates the segment that begins at an offset.
func (j *Journal) addSegment(base uint64) error {
	name := fmt.Sprintf("journal-%016x.log", base)
	f, err := j.dir.Create(name)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err = f.WriteString(journalMagic); err != nil {
		f.Close()
		return fmt.Errorf("journal: %w", err)
	}
	j.segments = append(j.segments, segment{base: base, name: name, f: f})
	return nil
}

// Add stores the string of a URL with the record under construction and returns
// its place. During a replay it returns the place that the string has already;
// only strings beyond those of an open replay are new.
func (j *Journal) Add(u dowse.URL) uint64 {
	if n := j.replaying; n != nil && !(n.open && len(n.queue) == 0) {
		return n.next(u)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	place := j.end + uint64(len(j.cur))
	j.cur = binary.AppendUvarint(j.cur, uint64(len(j.cur)))
	j.cur = binary.AppendUvarint(j.cur, uint64(len(u)))
	j.cur = append(j.cur, u...)
	return place
}

// DropNames drops the strings that were added since the last record, if the
// entry that saw them is not recorded after all.
func (j *Journal) DropNames() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cur = j.cur[:recordHeader]
}

// Record appends an entry and returns its place. It is in memory until the next
// Sync.
func (j *Journal) Record(e *Entry) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	place := j.end
	body := len(j.cur) - recordHeader
	j.cur = appendEntry(j.cur, e)
	payload := j.cur[recordHeader:]
	binary.LittleEndian.PutUint32(j.cur[0:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(j.cur[4:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(j.cur[8:], uint32(body))
	if len(j.pending.b) == 0 {
		j.pending.at = j.end
	}
	j.pending.b = append(j.pending.b, j.cur...)
	j.end += uint64(len(j.cur))
	j.cur = j.cur[:recordHeader]
	return place
}

// At returns the URL whose string was added at place, "" if it was taken down.
func (j *Journal) At(place uint64) dowse.URL {
	u, _, err := j.name(place)
	if err != nil || isBlank(u) {
		return ""
	}
	return u
}

// name returns the string at a place and the place of the record that contains
// it.
func (j *Journal) name(place uint64) (u dowse.URL, record uint64, err error) {
	var buf [usualNameRead]byte
	b, err := j.read(place, buf[:])
	if err != nil {
		return "", 0, err
	}
	u, record, err = nameIn(b, place)
	if err != nil && len(b) == len(buf) {
		if b, err = j.read(place, make([]byte, maxNameRead)); err != nil {
			return "", 0, err
		}
		return nameIn(b, place)
	}
	return u, record, err
}

// nameIn returns the string with which b begins, which is at a place, and the place of the record
// that contains it.
func nameIn(b []byte, place uint64) (u dowse.URL, record uint64, err error) {
	back, n := binary.Uvarint(b)
	if n <= 0 || back > place {
		return "", 0, errShort
	}
	size, m := binary.Uvarint(b[n:])
	if m <= 0 || size > uint64(len(b)-n-m) {
		return "", 0, errShort
	}
	return dowse.URL(b[n+m : n+m+int(size)]), place - back, nil
}

// read returns up to len(buf) bytes from place on. What is not yet written comes
// from memory, the rest from disk, and no read spans both or two segments, so a
// caller may get fewer bytes than it asked for. The lock is not held during a
// read from disk.
func (j *Journal) read(place uint64, buf []byte) ([]byte, error) {
	j.mu.Lock()
	for _, p := range []recordRun{{j.end, j.cur}, j.pending, j.writing} {
		if p.has(place) {
			n := copy(buf, p.b[place-p.at:])
			j.mu.Unlock()
			return buf[:n], nil
		}
	}
	s, ok := j.segmentOf(place)
	j.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("journal: no segment for offset %d", place)
	}
	n, err := s.f.ReadAt(buf, int64(place-s.base)+int64(len(journalMagic)))
	if err != nil && err != io.EOF {
		return nil, j.fail(fmt.Errorf("journal: read at %d: %w", place, err))
	}
	if n == 0 && err != nil {
		return nil, fmt.Errorf("journal: read at %d: %w", place, err)
	}
	return buf[:n], nil
}

// fail records an error of the disk, unless there was one before, and returns
// it.
func (j *Journal) fail(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		j.failed = err
	}
	return err
}

// Err returns the first error of the disk. After one the journal is not written
// to any more: what was read since then may be wrong (At returns no error), and a
// sync that failed can't be repeated, since the system may have dropped the
// bytes that it could not write.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failed
}

// segmentOf returns the segment that contains a place.
func (j *Journal) segmentOf(place uint64) (segment, bool) {
	i, found := slices.BinarySearchFunc(j.segments, place, func(s segment, p uint64) int { return cmp.Compare(s.base, p) })
	if found {
		return j.segments[i], true
	}
	if i == 0 {
		return segment{}, false
	}
	return j.segments[i-1], true
}

// IsReadOnly reports whether the journal was opened to read.
func (j *Journal) IsReadOnly() bool { return j.readOnly }

// End returns the offset after the last entry.
func (j *Journal) End() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.end
}

// Sync writes what was appended and waits until it is on the disk. When it
// returns nil, everything recorded before the call survives a loss of power.
// The first Sync after CutTail removes the torn end from the files.
//
// The lock is released while it writes: what is appended meanwhile gathers in
// pending, and what is being written can still be read from writing. The two
// buffers change places, so that a busy crawl allocates nothing here.
func (j *Journal) Sync() error {
	if err := j.dropTail(); err != nil {
		return j.fail(err)
	}
	j.mu.Lock()
	if err := j.failed; err != nil || len(j.pending.b) == 0 {
		j.mu.Unlock()
		return err
	}
	spare := j.writing.b
	j.writing = j.pending
	j.pending = recordRun{b: spare[:0]}
	j.mu.Unlock()
	if err := j.write(j.writing); err != nil {
		return j.fail(err)
	}
	j.mu.Lock()
	j.writing.b = j.writing.b[:0]
	if cap(j.writing.b) > 16<<20 {
		j.writing.b = nil
	}
	j.mu.Unlock()
	return nil
}

// write appends records to the last segment, or to a new one if that is full,
// and syncs it. Records are not split: a segment ends with a whole record.
func (j *Journal) write(p recordRun) error {
	s := j.segments[len(j.segments)-1]
	if p.at-s.base >= segmentSize {
		j.mu.Lock()
		err := j.addSegment(p.at)
		s = j.segments[len(j.segments)-1]
		j.mu.Unlock()
		if err != nil {
			return err
		}
	}
	if s.headless {
		if _, err := s.f.WriteAt([]byte(journalMagic), 0); err != nil {
			return fmt.Errorf("journal: write: %w", err)
		}
		j.mu.Lock()
		j.segments[len(j.segments)-1].headless = false
		j.mu.Unlock()
	}
	if _, err := s.f.WriteAt(p.b, int64(p.at-s.base)+int64(len(journalMagic))); err != nil {
		return fmt.Errorf("journal: write: %w", err)
	}
	if err := s.f.Sync(); err != nil {
		return fmt.Errorf("journal: sync: %w", err)
	}
	return nil
}

// Close closes the files. What was not synced is lost.
func (j *Journal) Close() error {
	j.closing.Store(true)
	j.checks.Wait()
	var errs []error
	for _, s := range j.segments {
		errs = append(errs, s.f.Close())
	}
	return errors.Join(errs...)
}

// A record is one record of the journal, checked.
type record struct {
	place   uint64
	payload []byte
	body    int // where the entry begins in the payload
}

// recordAt reads the record at a place and checks it. A record that ends after
// the end of the journal is not sound, and neither is an empty one: zeros, which
// a power loss can leave at the end of a file, would pass for it. At the end the
// error is io.EOF.
func (j *Journal) recordAt(place uint64) (record, error) {
	end := j.End()
	if place >= end {
		return record{}, io.EOF
	}
	var head [recordHeader]byte
	b, err := j.readFull(place, head[:])
	if err != nil {
		return record{}, err
	}
	size := binary.LittleEndian.Uint32(b)
	if size == 0 || size > maxRecord || place+recordHeader+uint64(size) > end {
		return record{}, fmt.Errorf("journal: record at %d: %w: %w", place, ErrDamaged, errShort)
	}
	payload, err := j.readFull(place+recordHeader, make([]byte, size))
	if err != nil {
		return record{}, err
	}
	return recordOf(place, b, payload)
}

// recordOf returns the record with a header and a payload, or what is wrong with it.
func recordOf(place uint64, head, payload []byte) (record, error) {
	sum, body := binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])
	if int64(body) > int64(len(payload)) {
		return record{}, fmt.Errorf("journal: record at %d: %w: %w", place, ErrDamaged, errShort)
	}
	if crc32.Checksum(payload, castagnoli) != sum {
		return record{}, fmt.Errorf("journal: record at %d: %w: the checksum does not match", place, ErrDamaged)
	}
	return record{place, payload, int(body)}, nil
}

// A readAhead is a part of the journal that was read in one piece, for readers of many
// records. Pieces grow, so that a reader of one record does not read much more. The next piece takes
// the memory of the last one.
type readAhead struct {
	recordRun
	size int // of the last piece that was asked for
}

const (
	firstAhead = 16 << 10 // most entries of a page are shorter
	mostAhead  = 128 << 10
)

// readAheads pools the memory of readers, which is most of what reading single entries allocates.
var readAheads = sync.Pool{New: func() any { return &readAhead{} }}

// recordAt is [Journal.recordAt] for a reader of one record after another. What the piece
// does not have whole and sound, and before the end of the journal, is read by itself, because
// another goroutine may be just writing it.
func (a *readAhead) recordAt(j *Journal, place uint64) (record, error) {
	end := j.End()
	if r, ok := a.find(place, end); ok {
		return r, nil
	}
	if place < end {
		a.size = min(max(2*a.size, firstAhead), mostAhead)
		a.at = place
		n := int(min(uint64(a.size), end-place))
		if cap(a.b) < n {
			a.b = make([]byte, a.size)
		}
		b, err := j.read(place, a.b[:n])
		if err != nil {
			a.b = a.b[:0]
			return record{}, err
		}
		a.b = b
		if r, ok := a.find(place, end); ok {
			return r, nil
		}
	}
	return j.recordAt(place)
}

// find returns the record at a place, if the piece has it whole and sound.
func (a *readAhead) find(place, end uint64) (record, bool) {
	if !a.has(place) {
		return record{}, false
	}
	b := a.b[place-a.at:]
	if len(b) < recordHeader {
		return record{}, false
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if size == 0 || size > uint64(len(b)-recordHeader) || place+recordHeader+size > end {
		return record{}, false
	}
	r, err := recordOf(place, b, b[recordHeader:recordHeader+size:recordHeader+size])
	return r, err == nil
}

// A reader pauses while a record is not sound, because a writer may be at work
// on it. The number of pauses is limited per journal, so that one with damage in
// many places is still read quickly.
const (
	maxSoundPauses = 10
	soundPause     = 20 * time.Millisecond
)

func pauseForWriter() { time.Sleep(soundPause) }

// awaitSound reads a record again that was not sound. It reports whether the
// record is sound now, and where it ends: then another process was just writing
// it. Only a journal that was opened to read waits for that; a journal that is
// written to has no other writer.
func (j *Journal) awaitSound(place uint64) (next uint64, ok bool) {
	for j.readOnly && j.Err() == nil {
		if next, ok = j.soundNow(place); ok {
			return next, true
		}
		if j.rereads >= maxSoundPauses {
			break
		}
		j.rereads++
		j.pause()
	}
	return 0, false
}

// soundNow reports whether the record at a place is sound in the files as they
// are now, and where it ends. It opens them again, because j does not see what
// was appended since it was opened.
func (j *Journal) soundNow(place uint64) (next uint64, ok bool) {
	now, err := j.Reader()
	if err != nil {
		return 0, false
	}
	defer now.Close()
	r, err := now.recordAt(place)
	return r.next(), err == nil
}

// readFull reads len(buf) bytes; fewer are damage, since no record spans two
// segments.
func (j *Journal) readFull(place uint64, buf []byte) ([]byte, error) {
	b, err := j.read(place, buf)
	if err != nil {
		return nil, err
	}
	if len(b) < len(buf) {
		return nil, fmt.Errorf("journal: record at %d: %w: %w", place, ErrDamaged, errShort)
	}
	return b, nil
}

// next returns the place of the record after r. If r is the last one of its
// segment, the next segment begins there.
func (r record) next() uint64 { return r.place + recordHeader + uint64(len(r.payload)) }

// unsound returns why the record at a place could not be read.
func (j *Journal) unsound(place uint64) error {
	err := j.Err()
	if err == nil {
		_, err = j.recordAt(place)
	}
	if err == nil {
		err = fmt.Errorf("journal: record at %d could not be read before", place)
	}
	return err
}

// records yields the sound records from a place on. It stops at the end of the
// journal or at the first record that is not sound, and sets end to that place.
// end is set before each record is yielded, to where the record ends. The payload of a record is
// valid until the next one is asked for.
func (j *Journal) records(from uint64, end *uint64) iter.Seq[record] {
	return func(yield func(record) bool) {
		ahead := readAheads.Get().(*readAhead)
		defer readAheads.Put(ahead)
		ahead.at, ahead.b, ahead.size = 0, ahead.b[:0], 0
		for *end = from; ; {
			r, err := ahead.recordAt(j, *end)
			if err != nil {
				return
			}
			*end = r.next()
			if !yield(r) {
				return
			}
		}
	}
}

// size returns the offset after the last byte on disk.
func (j *Journal) size() (uint64, error) {
	if len(j.segments) == 0 {
		return 0, nil
	}
	s := j.segments[len(j.segments)-1]
	st, err := s.f.Stat()
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	return s.base + uint64(max(0, st.Size()-int64(len(journalMagic)))), nil
}

// ErrDamaged is returned for a journal with a broken record before its end. No
// crash leaves that: cutting the journal there would lose sound entries.
var ErrDamaged = errors.New("the journal is damaged")

// CutTail ends the journal after the last sound record, and returns how many
// bytes follow it. They stay in the files until the next Sync, so that a caller
// can still refuse the collection and leave it as it was. A journal that was
// opened to read ends there, too, but loses nothing in the files.
//
// The error is ErrDamaged if the tail begins before what KeepBefore recorded:
// that part was synced once, so a crash can't have torn it.
func (j *Journal) CutTail(end uint64) (cut uint64, err error) {
	if err := j.Err(); err != nil { // what could not be read is not torn
		return 0, err
	}
	size, err := j.size()
	if err != nil {
		return 0, err
	}
	j.end = end
	if size <= end || j.readOnly {
		return 0, nil
	}
	if end < j.floor {
		return 0, fmt.Errorf("journal: %w at offset %d, before %d, up to which it was saved", ErrDamaged, end, j.floor)
	}
	if !j.torn || end < j.tornAt {
		j.torn, j.tornAt = true, end
	}
	return size - end, nil
}

// dropTail removes from the files what CutTail found after the last sound
// record. Whole segments are removed from the last one on, so that a crash in
// between leaves no gap.
func (j *Journal) dropTail() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.torn || j.failed != nil {
		return j.failed
	}
	for len(j.segments) > 1 && j.segments[len(j.segments)-1].base > j.tornAt {
		last := j.segments[len(j.segments)-1]
		if err := errors.Join(last.f.Close(), j.dir.Remove(last.name)); err != nil {
			return fmt.Errorf("journal: cut the tail: %w", err)
		}
		j.segments = j.segments[:len(j.segments)-1]
	}
	s := j.segments[len(j.segments)-1]
	if err := errors.Join(s.f.Truncate(int64(j.tornAt-s.base)+int64(len(journalMagic))), s.f.Sync()); err != nil {
		return fmt.Errorf("journal: cut the tail: %w", err)
	}
	j.torn = false
	return nil
}

// RobotsAt returns the robots.txt of the entry at a place, nil if there is none
// or it can't be read.
func (j *Journal) RobotsAt(place uint64) *dowse.Robots {
	r, err := j.recordAt(place)
	if err != nil {
		return nil
	}
	e, err := readEntry(r.payload[r.body:], func(frontier.ID) dowse.URL { return "" }, j.parse)
	if err != nil {
		return nil
	}
	return e.Robots
}

// Entry returns the entry at a place, with the latest ruling if it is the visit
// of a page. urlOf returns the strings of URLs.
func (j *Journal) Entry(place uint64, urlOf func(frontier.ID) dowse.URL) (*Entry, error) {
	r, err := j.recordAt(place)
	if err != nil {
		return nil, err
	}
	e, err := readEntry(r.payload[r.body:], urlOf, j.parse)
	if err != nil {
		return nil, err
	}
	e.place = place
	return e, j.applyRuling(e)
}

// Entries yields all entries with their places. It ends with an error if the
// journal is damaged before its end.
func (j *Journal) Entries(urlOf func(frontier.ID) dowse.URL) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		var end uint64
		for r := range j.records(0, &end) {
			e, err := readEntry(r.payload[r.body:], urlOf, j.parse)
			if err == nil {
				e.place = r.place
				err = j.applyRuling(e)
			}
			if !yield(e, err) {
				return
			}
		}
		if j.End() > end {
			yield(nil, j.unsound(end))
		}
	}
}

// SetParser sets how robots.txt files are parsed, for a journal that was opened
// before that was known. It affects entries that are read from now on.
func (j *Journal) SetParser(parse RobotsParser) { j.parse = parse }

// SegmentBytes returns how many bytes of a file of a journal belong to what comes before an
// offset; 0 if the file begins after it, or is no file of a journal.
func (*Journal) SegmentBytes(name string, end uint64) int64 {
	var base uint64
	if _, err := fmt.Sscanf(name, "journal-%016x.log", &base); err != nil || base > end {
		return 0
	}
	return int64(end-base) + int64(len(journalMagic))
}
