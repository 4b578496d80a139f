package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/internal/durable"
)

// Bounds on what a file of another program may cost.
const (
	maxExpansion = 100     // bytes of content per byte of a file
	freeContent  = 1 << 30 // bytes of content that every file may have
	maxSearch    = 16      // times that a damaged file is read, at most, in search of sound records
)

// A Foreign reads the answers to GET requests that other programs recorded in WARC and
// WACZ files, in the order of their dates. It reads each file once to find the answers,
// and holds about 150 bytes of memory per answer. What it can't read is passed to Lost,
// with its place.
type Foreign struct {
	Lost    func(Loss) // must be set
	MaxBody int64      // bytes of a payload that are read; the rest is cut
	Temp    string     // empty folder for content that can't be read in place
	// IsPage reports whether an answer is a page. If it is set, answers know whether they are
	// redirects to what is no page.
	IsPage func(u dowse.URL, resp *http.Response) bool
	// Passed counts the records that are no answers to keep, by a name for people.
	Passed map[string]int

	opened   []io.Closer
	temp     *durable.File // content that was unpacked
	stored   int64         // bytes of it
	x        indexer
	refused  map[uint64]bool // hashes of the IDs of records that belong to other methods than GET
	embedded map[uint64]bool // hashes of the IDs of answers that pages embed: whether this program asked for them
	files    map[uint64]bool // hashes of the URLs of answers that are no pages
	leads    map[uint64]uint64
	found    []foundAnswer
	agents   map[string]bool // names of the programs that asked
	free     int64           // bytes of content that every file may have; default freeContent
}

// A foundAnswer is the place of an answer.
type foundAnswer struct {
	capture
	id, request uint64     // hashes of its ID and of the request that it names
	refer       *[3]uint64 // of a revisit, see indexer.references; nil for others
	undated     bool       // its date is that of a record before it
}

// A ForeignAnswer is an answer of a Foreign, with the file and the offset of its record.
type ForeignAnswer struct {
	Exchange
	File      string
	Offset    int64
	Requisite bool // it was asked for because a page embeds it, or leads to such a thing
	Undated   bool // its record has no valid date, so At is that of the record before it
}

// ErrNotArchive is returned for a file that is neither WARC nor WACZ.
var ErrNotArchive = errors.New("not a WARC or WACZ file")

var (
	errBroken = fmt.Errorf("%w that can be read: it begins as WARC, and no record is whole; compress each record by itself", ErrNotArchive)
	errARC    = fmt.Errorf("%w but ARC, the format before; convert it, for example with warcio recompress", ErrNotArchive)
)

// Add finds the answers of a file. It returns an error if the file can't be opened or
// contains no WARC record.
func (f *Foreign) Add(path string) error {
	if f.x.Web == nil {
		f.x = indexer{Web: &Web{}, seed: maphash.MakeSeed(), originals: map[uint64]capture{}}
		f.refused, f.Passed, f.agents = map[uint64]bool{}, map[string]int{}, map[string]bool{}
		f.embedded, f.files, f.leads = map[uint64]bool{}, map[uint64]bool{}, map[uint64]uint64{}
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	f.opened = append(f.opened, file)
	parts, err := f.parts(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	records := 0
	for _, part := range parts {
		n, err := f.survey(part)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		records += n
	}
	if records == 0 {
		return fmt.Errorf("%s: %w", path, whatElse(file))
	}
	return nil
}

// whatElse returns why a file has no record that can be read, by how it begins.
func whatElse(file io.ReaderAt) error {
	var start io.Reader = io.NewSectionReader(file, 0, 1<<20)
	if z, err := gzip.NewReader(io.NewSectionReader(file, 0, 1<<20)); err == nil {
		start = z
	}
	b := make([]byte, len("filedesc:"))
	n, _ := io.ReadFull(start, b)
	switch begins := string(b[:n]); {
	case strings.HasPrefix(begins, "WARC/"):
		return errBroken
	case begins == "filedesc:":
		return errARC
	}
	return ErrNotArchive
}

// Agents returns the names of the programs that asked for the answers, sorted: their product tokens, as far as the
// files have them.
func (f *Foreign) Agents() []string { return slices.Sorted(maps.Keys(f.agents)) }

// Close closes the files. The caller removes the folder Temp.
func (f *Foreign) Close() error {
	var errs []error
	for _, file := range f.opened {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// Len returns the number of answers that were found, those with unknown originals
// included.
func (f *Foreign) Len() int { return len(f.found) }

// parts returns the WARC files in a WACZ, or the file itself. What it is, its first bytes
// decide.
func (f *Foreign) parts(file *os.File) ([]recording, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotArchive
	}
	name := filepath.Base(file.Name())
	magic := make([]byte, 2)
	if _, err := file.ReadAt(magic, 0); err != nil || string(magic) != "PK" {
		return []recording{{name, io.NewSectionReader(file, 0, info.Size())}}, nil
	}
	z, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, err
	}
	var parts []recording
	for _, entry := range z.File {
		if !strings.HasPrefix(entry.Name, "archive/") || !strings.Contains(entry.Name, ".warc") {
			continue
		}
		r, err := f.entry(file, entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(entry.Name), err)
		}
		parts = append(parts, recording{name + "/" + printable(entry.Name), r})
	}
	return parts, nil
}

// entry returns the content of an entry of a zip: in place, or unpacked if it is compressed.
func (f *Foreign) entry(file *os.File, entry *zip.File) (*io.SectionReader, error) {
	if entry.Method == zip.Store {
		offset, err := entry.DataOffset()
		return io.NewSectionReader(file, offset, int64(entry.CompressedSize64)), err
	}
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	n, damage, err := f.store(r, f.most(int64(entry.CompressedSize64)))
	switch {
	case err == nil && (damage == errExpands || n == 0):
		err = damage
	case damage != nil:
		f.lose(filepath.Base(file.Name())+"/"+printable(entry.Name)+", unpacked", n, 0, damage)
	}
	return io.NewSectionReader(f.temp, f.stored-n, n), err
}

// errExpands is returned for content that is much larger than the file that holds it.
var errExpands = errors.New("expands to more than a hundred times its size")

// most returns how many bytes of content a file of a size may have.
func (f *Foreign) most(size int64) int64 {
	return min(size, 1<<50)*maxExpansion + cmp.Or(f.free, freeContent)
}

// A readUntil ends where its reader fails, and keeps the error.
type readUntil struct {
	r   io.Reader
	err error
}

func (u *readUntil) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		u.err, err = err, io.EOF
	}
	return n, err
}

// lose passes on what can't be read.
func (f *Foreign) lose(name string, offset, length int64, err error) {
	f.Lost(Loss{name, offset, length, err})
}

// The records that are passed over, in words for people.
const (
	passedMethod = "answers to other requests than GET"
	passedOther  = "records of other kinds"
)

// isAnswer reports whether a record can be the answer to a request for a page.
func isAnswer(rec *Record) bool {
	target := strings.ToLower(rec.Target())
	if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") {
		return false
	}
	kind := rec.Type()
	return kind == "resource" || kind == "revisit" || kind == "response" && rec.isHTTP()
}

// Answers yields the answers in the order of their dates, those of one time in the order of the
// files.
func (f *Foreign) Answers() iter.Seq[*ForeignAnswer] {
	return func(yield func(*ForeignAnswer) bool) {
		slices.SortStableFunc(f.found, func(a, b foundAnswer) int { return cmp.Compare(a.at, b.at) })
		r := NewReader(nil)
		for _, a := range f.found {
			if f.refused[a.id] || f.refused[a.request] {
				f.Passed[passedMethod]++
				continue
			}
			name := f.x.files[a.file].name
			x, err := f.read(r, a)
			if err != nil {
				f.lose(name, a.offset, 0, cause(err))
				continue
			}
			if x == nil {
				f.Passed[passedUnchanged]++
				continue
			}
			x.File, x.Offset, x.Requisite, x.Undated = name, a.offset, f.isRequisite(a, x), a.undated
			if !yield(x) {
				return
			}
		}
	}
}

// passedUnchanged names answers that a page has not changed, which have no content.
const passedUnchanged = "answers that a page is not modified"

var (
	errNoDate     = errors.New("no record up to this one has a date")
	errNoOriginal = errors.New("the record that it refers to is not in these files")
)

// read reads an answer. It returns nil for one without content, that a page is not modified.
func (f *Foreign) read(r *Reader, a foundAnswer) (*ForeignAnswer, error) {
	if a.at == 0 {
		return nil, errNoDate
	}
	rec, err := f.open(r, a.capture)
	if err != nil {
		return nil, err
	}
	x := &ForeignAnswer{Exchange: Exchange{URL: dowse.URL(rec.Target()), At: time.Unix(0, a.at).UTC(), Truncated: rec.Header.Value("WARC-Truncated")}}
	x.Address, _ = netip.ParseAddr(rec.Header.Value("WARC-IP-Address"))
	if a.refer == nil {
		return x, x.read(rec, f.MaxBody)
	}
	if rec.Length > 0 {
		if err := x.read(rec, f.MaxBody); err != nil {
			return nil, err
		}
	}
	if code, _ := statusCode(firstLine(x.ResponseHead)); code == http.StatusNotModified {
		return nil, nil
	}
	return x, f.borrow(r, a, x)
}

// borrow adds the payload of the record that a revisit refers to, and its head if the revisit
// has none.
func (f *Foreign) borrow(r *Reader, a foundAnswer, x *ForeignAnswer) error {
	for _, h := range a.refer {
		c, ok := f.x.originals[h]
		if !ok || h == 0 {
			continue
		}
		rec, err := f.open(r, c)
		if err != nil {
			return err
		}
		var first ForeignAnswer
		if err := first.read(rec, f.MaxBody); err != nil {
			return err
		}
		x.Payload, x.Decoded, x.Truncated = first.Payload, first.Decoded, first.Truncated
		if len(x.ResponseHead) == 0 {
			x.ResponseHead = first.ResponseHead
		}
		return nil
	}
	return errNoOriginal
}

// open reads the header of the record at a place.
func (f *Foreign) open(r *Reader, c capture) (*Record, error) {
	part := f.x.files[c.file]
	r.reset(io.NewSectionReader(part, c.offset, part.Size()-c.offset), c.offset)
	return r.Next()
}

// read sets head and payload to those of a record. A payload that is longer than most, or whose
// transfer coding is broken, is cut.
func (x *ForeignAnswer) read(rec *Record, most int64) error {
	var head bytes.Buffer
	resp, err := rec.responseWith(&head)
	if err != nil {
		return err
	}
	x.ResponseHead = head.Bytes()
	coded := parseHead(x.ResponseHead).Header.Get("Content-Encoding") != ""
	x.Decoded = coded && resp.Header.Get("Content-Encoding") == ""
	x.Payload, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	var damage *DamageError
	if errors.As(err, &damage) {
		return err
	}
	if err != nil {
		x.Truncated = cmp.Or(x.Truncated, "unspecified")
	}
	if int64(len(x.Payload)) > most {
		x.Payload, x.Truncated = x.Payload[:most], cmp.Or(x.Truncated, "length")
	}
	return nil
}

// ReadExchange reads the answer at a place of the files in dir, which this package wrote. The payload of
// a revisit is that of the record that it refers to.
func ReadExchange(dir string, place dowse.Place, most int64) (*Exchange, error) {
	rec, err := At(filepath.Join(dir, place.File), place.Offset)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	x := &ForeignAnswer{Exchange: Exchange{URL: dowse.URL(rec.Target()), At: rec.Date(), Truncated: rec.Header.Value("WARC-Truncated")}}
	x.Address, _ = netip.ParseAddr(rec.Header.Value("WARC-IP-Address"))
	if err := x.read(rec, most); err != nil || rec.Type() != "revisit" {
		return &x.Exchange, err
	}
	file := rec.Header.Value(referenceFile)
	offset, err := strconv.ParseInt(rec.Header.Value(referenceOffset), 10, 64)
	if err != nil || file == "" || filepath.Base(file) != file {
		return nil, errNoOriginal
	}
	first, err := At(filepath.Join(dir, file), offset)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	head := x.ResponseHead
	if first.Type() == "revisit" || first.ID() != bare(rec.Header.Value("WARC-Refers-To")) {
		return nil, errNoOriginal
	}
	err = x.read(first, most)
	x.ResponseHead = head
	return &x.Exchange, err
}

// Response returns the answer as the response to a request. Its body is without transfer coding.
func (x *Exchange) Response() *http.Response {
	resp := parseHead(x.ResponseHead)
	resp.Header.Del("Transfer-Encoding")
	resp.Header.Del("Content-Length")
	if x.Decoded {
		resp.Header.Del("Content-Encoding")
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(x.Payload)), int64(len(x.Payload))
	return resp
}

// firstLine returns the first line of a head.
func firstLine(head []byte) []byte {
	line, _ := nextLine(head)
	return line
}
