package archive

import (
	"bytes"
	"dowse/internal/durable"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"dowse"
)

// A Part is a section of a WARC file: either one record that is sound to its
// last byte, or a stretch between two sound records that cannot be read. The
// parts of a file cover it without gaps.
type Part struct {
	Offset int64
	Length int64
	Header Fields // of the record; nil for what cannot be read
	Err    error  // why it cannot be read; nil for a record
}

// Type returns the type of the record, "" for what cannot be read.
func (p *Part) Type() string { return (&Record{Header: p.Header}).Type() }

// ID returns the identifier of the record, without angle brackets.
func (p *Part) ID() string { return (&Record{Header: p.Header}).ID() }

// Parts reads a WARC file to its end, whatever is in it: after something that
// cannot be read it continues at the next sound record. A sound record has a
// header, a block as long as the header declares, the line breaks that end a
// record, the right checksum of its gzip member and the digests that its header
// names. An error means that the file could not be opened; it comes first and
// alone. A section that the disk does not return is a part that cannot be read.
//
// A page can contain bytes that look like a record. They are mistaken for one
// only if the record around them is damaged, so records found after damage
// deserve no more trust than the pages in the file.
func Parts(path string) iter.Seq2[*Part, error] {
	return PartsFrom(path, 0)
}

// PartsFrom is Parts from an offset on, which must be that of a record.
func PartsFrom(path string, from int64) iter.Seq2[*Part, error] {
	return func(yield func(*Part, error) bool) {
		d, name := durable.Split(path)
		f, err := d.Open(name)
		if err != nil {
			yield(nil, fmt.Errorf("archive: %w", err))
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(nil, fmt.Errorf("archive: %w", err))
			return
		}
		s := &partScanner{f: f, size: info.Size(), reader: NewReader(nil)}
		for at := from; at < s.size; {
			p := s.part(at)
			if !yield(p, nil) {
				return
			}
			at += p.Length
		}
	}
}

// A partScanner finds the sound records of a file.
type partScanner struct {
	f      io.ReaderAt
	size   int64
	reader *Reader

	// bounded limits the search to left bytes of the file and to records of at most most bytes,
	// for files that may have been made to be slow to read.
	bounded    bool
	left, most int64
}

// errLarge reports a record that is longer than a file may make a reader read.
var errLarge = errors.New("the record is too long")

// part returns the part that begins at an offset. If there is no sound record,
// every later offset where one could begin is tried; each try reads the record
// to its end, so a damaged file may be read several times.
func (s *partScanner) part(at int64) *Part {
	p := s.record(at)
	if p.Err == nil {
		return p
	}
	next := at
	for next < s.size {
		if next = s.candidate(next + 1); next < s.size && s.isStart(next) {
			break
		}
		if s.bounded && s.left < 0 {
			next = s.size
		}
	}
	p.Length = next - at
	return p
}

// isStart reports whether reading can go on at an offset. In a file of another program that can be a
// gzip member with several records, which has a sound one at its beginning.
func (s *partScanner) isStart(at int64) bool {
	err := s.record(at).Err
	return err == nil || s.bounded && err == errNoPlace
}

// record reads the record at an offset to its end and checks it.
func (s *partScanner) record(at int64) *Part {
	p := &Part{Offset: at}
	s.reader.reset(io.NewSectionReader(s.f, at, s.size-at), at)
	defer func() { s.left -= s.reader.input.n }()
	rec, err := s.reader.Next()
	if err == nil && s.bounded && rec.Length > s.most {
		err = errLarge
	}
	if err != nil {
		p.Err = cause(noEOF(err))
		return p
	}
	r := &Report{}
	r.digests(rec)
	size, err := rec.Size()
	switch {
	case err != nil:
		p.Err = cause(err)
	case size == 0:
		p.Err = errNoPlace
	case rec.ended < 4:
		p.Err = errUnended
	case len(r.Problems) > 0:
		p.Err = r.Problems[0].Err
	default:
		p.Length, p.Header = size, rec.Header
	}
	return p
}

var errUnended = errors.New("the record does not end in two line breaks")

// cause returns err without the offset of a DamageError, for errors that are
// reported together with their offset.
func cause(err error) error {
	var d *DamageError
	if errors.As(err, &d) {
		return d.Err
	}
	return err
}

// The bytes that a record begins with, compressed or not.
var (
	zippedStart = []byte{0x1f, 0x8b, 8}
	plainStart  = []byte("WARC/1.")
)

// searchStep is how many bytes are searched with one read.
const searchStep = 64 << 10

// candidate returns the first offset, from at on, where a record could begin;
// the size of the file if there is none. Sections that the disk does not return
// are skipped.
func (s *partScanner) candidate(at int64) int64 {
	buf := make([]byte, searchStep)
	for at < s.size {
		n, err := s.f.ReadAt(buf[:min(searchStep, s.size-at)], at)
		b := buf[:n]
		i := bytes.Index(b, zippedStart)
		if j := bytes.Index(b, plainStart); j >= 0 && (i < 0 || j < i) {
			i = j
		}
		switch {
		case i >= 0:
			return at + int64(i)
		case err != nil && err != io.EOF:
			at += max(int64(n), 4096)
		case at+int64(n) >= s.size || n < searchStep:
			return s.size
		default:
			at += int64(n - len(plainStart)) // a start may straddle the end of the buffer
		}
	}
	return s.size
}

// past yields the records of a file as [Records] does and continues after what
// cannot be read, which it passes to broken. A record whose damage shows only
// after it was yielded is passed to broken, too.
func past(f io.ReaderAt, size int64, broken func(p *Part)) iter.Seq[*Record] {
	return (&partScanner{f: f, size: size, reader: NewReader(nil)}).past(broken)
}

// past yields the records that can be read, see the function past.
func (s *partScanner) past(broken func(p *Part)) iter.Seq[*Record] {
	f, size := s.f, s.size
	return func(yield func(*Record) bool) {
		z := NewReader(nil)
		for at := int64(0); at < size; {
			z.reset(io.NewSectionReader(f, at, size-at), at)
			rec, err := z.Next()
			for ; err == nil; rec, err = z.Next() {
				if !yield(rec) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			// The reader stops at the damaged record; the scanner finds where
			// the next sound one begins. If the record is sound after all, the
			// reader failed for another reason, and the record is skipped.
			p := s.part(max(at, damageOffset(err)))
			if p.Err == nil {
				p.Err = cause(err)
			}
			broken(p)
			at = p.Offset + p.Length
		}
	}
}

// damageOffset returns the offset of a DamageError, 0 for other errors.
func damageOffset(err error) int64 {
	var d *DamageError
	if errors.As(err, &d) {
		return d.Offset
	}
	return 0
}

// ReadableRecords yields the records of a WARC file that can be read; see
// [Records]. The rest is passed to lost, also a record whose damage shows only
// after it was yielded. An error means that the file could not be opened.
func ReadableRecords(path string, lost func(Loss)) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		d, name := durable.Split(path)
		f, err := d.Open(name)
		if err != nil {
			yield(nil, fmt.Errorf("archive: %w", err))
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(nil, fmt.Errorf("archive: %w", err))
			return
		}
		for rec := range past(f, info.Size(), func(p *Part) { lost(Loss{path, p.Offset, p.Length, p.Err}) }) {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// A Tail describes what follows a place in the files of a folder.
type Tail struct {
	Bytes     int64
	Exchanges int // responses and revisits that can be read
	Pages     int // metadata records: one per page that was fetched
	Files     []TailFile
}

// A TailFile is the part of a Tail in one file.
type TailFile struct {
	Name    string
	From    int64 // offset of its first byte
	Records int   // whole records, without the one that describes the file
}

// TailAfter describes what follows a place; the zero Place means from the
// beginning. It stops reading when it has found more than most exchanges, so
// that its cost is bounded. A missing folder has an empty tail.
func TailAfter(dir string, last dowse.Place, most int) (t Tail, err error) {
	names, err := ownFiles(dir)
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("archive: %w", err)
	}
	from, found := int64(0), last.File == ""
	for _, name := range names {
		if name == last.File {
			from, found = last.Offset+last.Length, true
		}
		if !found {
			continue
		}
		if err := t.add(dir, name, from, most); err != nil {
			return t, err
		}
		from = 0
	}
	return t, nil
}

// add adds the part of a file from an offset on.
func (t *Tail) add(dir, name string, from int64, most int) error {
	path := filepath.Join(dir, name)
	info, err := durable.Inner(dir).Stat(name)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	t.Bytes += max(0, info.Size()-from)
	t.Files = append(t.Files, TailFile{Name: name, From: from})
	file := &t.Files[len(t.Files)-1]
	for p, err := range PartsFrom(path, from) {
		if err != nil {
			return err
		}
		if p.Err == nil && p.Type() != "warcinfo" {
			file.Records++
		}
		switch p.Type() {
		case "response", "revisit":
			t.Exchanges++
		case "metadata":
			t.Pages++
		}
		if t.Exchanges > most {
			return nil
		}
	}
	return nil
}

// MissingFile returns the serial number of the first file that a Writer created
// in dir and that is missing although later ones are there.
func MissingFile(dir string) (serial int, missing bool) {
	names, err := ownFiles(dir)
	if err != nil {
		return 0, false
	}
	for i, name := range names {
		// Serial numbers begin with 0 and have no gaps.
		if n, _ := serialOf(name); n != i {
			return i, true
		}
	}
	return 0, false
}
