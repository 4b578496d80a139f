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

// A Part is a stretch of a WARC file: one record that is sound to its last byte, or what
// stands between two of them and can't be read.
type Part struct {
	Offset int64
	Length int64
	Header Fields // of the record; nil for what can't be read
	Err    error  // why it can't be read; nil for a record
}

// Type returns the type of the record, "" for what can't be read.
func (p *Part) Type() string { return (&Record{Header: p.Header}).Type() }

// ID returns the record's identifier, without angle brackets.
func (p *Part) ID() string { return (&Record{Header: p.Header}).ID() }

// Parts reads a WARC file to its end, whatever is in it: after something that can't be
// read it goes on at the next sound record. A sound record has a header, a block as long
// as the header says, the end of a record, the checksum of its gzip member and the digests
// that its header names. The error is that of opening the file, and comes first and alone;
// a part of the file that the disk does not give is one that can't be read.
//
// A page can hold bytes that look like a record. They are taken for one only where the
// record around them is damaged, so what a file holds after damage can be trusted no more
// than the pages in it.
func Parts(path string) iter.Seq2[*Part, error] {
	return PartsFrom(path, 0)
}

// PartsFrom is Parts from an offset on.
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
}

// part returns what begins at an offset.
func (s *partScanner) part(at int64) *Part {
	p := s.record(at)
	if p.Err == nil {
		return p
	}
	next := at
	for next < s.size {
		if next = s.candidate(next + 1); next < s.size && s.record(next).Err == nil {
			break
		}
	}
	p.Length = next - at
	return p
}

// record reads the record at an offset to its end and checks it.
func (s *partScanner) record(at int64) *Part {
	p := &Part{Offset: at}
	s.reader.reset(io.NewSectionReader(s.f, at, s.size-at), at)
	rec, err := s.reader.Next()
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

// cause takes the place off an error that is told with its place.
func cause(err error) error {
	var d *DamageError
	if errors.As(err, &d) {
		return d.Err
	}
	return err
}

// The bytes that a record begins with.
var (
	zippedStart = []byte{0x1f, 0x8b, 8}
	plainStart  = []byte("WARC/1.")
)

const searchStep = 64 << 10

// candidate returns the first offset, from at on, where a record could begin; the end of
// the file if there is none. What the disk does not give is passed over.
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
			at += int64(n - len(plainStart)) // one may begin before the end of what was read
		}
	}
	return s.size
}

// past yields the records of a file as [Records] does, and continues after what can't be
// read, which it passes to broken. A record that turns out to be broken after it was yielded
// is passed to broken, too.
func past(f io.ReaderAt, size int64, broken func(p *Part)) iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		s := &partScanner{f: f, size: size, reader: NewReader(nil)}
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
			p := s.part(max(at, damageOffset(err)))
			if p.Err == nil {
				p.Err = cause(err)
			}
			broken(p)
			at = p.Offset + p.Length
		}
	}
}

func damageOffset(err error) int64 {
	var d *DamageError
	if errors.As(err, &d) {
		return d.Offset
	}
	return 0
}

// Past yields the records of a WARC file that can be read; see [Records]. The rest is passed
// to lost, also a record that turns out to be broken after it was yielded. The error is that
// of opening the file.
func Past(path string, lost func(Loss)) iter.Seq2[*Record, error] {
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

// A Tail is what follows a place in the files of a folder.
type Tail struct {
	Bytes     int64
	Exchanges int // answers that can be read
	Pages     int // what was said of pages that were fetched: metadata records
	Files     []TailFile
}

// A TailFile is the part of a Tail that stands in one file.
type TailFile struct {
	Name    string
	From    int64 // where it begins
	Records int   // that are whole; the one that describes the file does not count
}

// TailAfter reads what follows a place; what follows the zero Place is all. It stops
// reading when it has found more than so many exchanges.
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

// MissingFile returns the serial number of a file that a Writer made in dir and that is
// not there any more, although later ones are.
func MissingFile(dir string) (serial int, missing bool) {
	names, err := ownFiles(dir)
	if err != nil {
		return 0, false
	}
	for i, name := range names {
		if n, _ := serialOf(name); n != i {
			return i, true
		}
	}
	return 0, false
}
