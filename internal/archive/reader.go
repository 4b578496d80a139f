package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/klauspost/compress/gzip"

	"dowse/internal/durable"
)

// maxHeader bounds the header of a record, in bytes. Some writers put JSON into
// it.
const maxHeader = 1 << 20

// A Reader reads the records of a WARC file one after another: version 1.1, 1.0
// and older, each record a gzip member, the whole file one member, or not
// compressed at all. It takes a fixed amount of memory for any file. It must
// not be used concurrently.
//
// Bytes pass through input, which counts them, and raw; in a compressed file
// from there through gz, inside, which counts again, and member. text is the
// last of these buffers. The counters give the offset of a record in the file
// and in its gzip member.
type Reader struct {
	base    int64 // offset of the first byte read
	input   counter
	raw     *bufio.Reader // the bytes of the file
	gz      *gzip.Reader
	inside  counter
	member  *bufio.Reader // the content of the current gzip member
	text    *bufio.Reader // member, or raw if the file is not compressed
	zipped  bool          // a gzip member is open
	start   int64         // offset of that member, or of an uncompressed record
	alone   bool          // the current record is the first one in its member
	current *Record       // the record that is being read; nil for none
	err     error         // what ended reading; every later Next returns it
}

// counter counts the bytes that are read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// NewReader returns a reader of the WARC file r.
func NewReader(r io.Reader) *Reader {
	z := &Reader{raw: bufio.NewReaderSize(nil, 32<<10), member: bufio.NewReaderSize(nil, 16<<10)}
	z.reset(r, 0)
	return z
}

// reset starts reading another file, whose first byte has the offset base.
// Buffers are reused.
func (r *Reader) reset(file io.Reader, base int64) {
	*r = Reader{base: base, raw: r.raw, member: r.member, gz: r.gz}
	r.input = counter{r: file}
	r.raw.Reset(&r.input)
}

// offset returns the offset of the next byte in the file.
func (r *Reader) offset() int64 { return r.base + r.input.n - int64(r.raw.Buffered()) }

// Next returns the next record, or io.EOF after the last. The record before is
// no longer valid. Any other error is a [*DamageError], and every later call
// returns it: there is no safe way to find the next record behind a broken one,
// because a page may contain bytes that look like records. [ReadableRecords]
// takes that risk.
func (r *Reader) Next() (*Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	rec, err := r.next()
	if err != nil {
		r.err = err
		return nil, err
	}
	r.current = rec
	return rec, nil
}

// next ends the current record and reads the header of the next one.
func (r *Reader) next() (*Record, error) {
	if err := r.finish(); err != nil {
		return nil, err
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	return r.header()
}

// begin moves to the start of the next record: further on in the same gzip
// member, or in the next member that is not empty.
func (r *Reader) begin() error {
	for !r.zipped {
		start := r.offset()
		magic, err := r.raw.Peek(2)
		switch {
		case len(magic) == 0 && err == io.EOF:
			return io.EOF
		case !bytes.Equal(magic, []byte{0x1f, 0x8b}):
			r.text, r.start = r.raw, start
			return nil
		}
		if err := r.open(start); err != nil {
			return damageAt(start, err)
		}
	}
	return nil
}

// open begins a gzip member. If it is empty it is left immediately.
func (r *Reader) open(start int64) (err error) {
	if r.gz == nil {
		r.gz, err = gzip.NewReader(r.raw)
	} else {
		err = r.gz.Reset(r.raw)
	}
	if err != nil {
		return noEOF(err)
	}
	// Each member is read by itself, so that its end, and with it the offset of
	// the next record, is known.
	r.gz.Multistream(false)
	r.inside = counter{r: r.gz}
	r.member.Reset(&r.inside)
	r.text, r.start, r.zipped, r.alone = r.member, start, true, true
	return r.leave()
}

// leave closes the member if nothing more is in it. Reading to its end verifies
// its checksum.
func (r *Reader) leave() error {
	_, err := r.member.Peek(1)
	if err == io.EOF {
		r.zipped = false
		return nil
	}
	return err
}

// header reads the header of the record that begins here.
func (r *Reader) header() (*Record, error) {
	offset, inner := r.start, int64(0)
	if r.zipped {
		inner = r.inside.n - int64(r.member.Buffered())
	}
	text, err := readHead(r.text, maxHeader, isVersionLine)
	if err != nil {
		return nil, damageAt(offset, err)
	}
	rec, err := parseHeader(text)
	if err != nil {
		return nil, damageAt(offset, err)
	}
	rec.Offset, rec.inner, rec.reader = offset, inner, r
	return rec, nil
}

func isVersionLine(line []byte) error {
	if !bytes.HasPrefix(line, []byte("WARC/")) {
		return errNotWARC
	}
	return nil
}

// readHead reads up to the first empty line and returns what precedes it. The
// first line is passed to check, so that files of another kind are refused
// immediately. A head longer than limit is an error.
func readHead(br *bufio.Reader, limit int, check func(line []byte) error) ([]byte, error) {
	var head []byte
	whole := true // the last piece ended in a line break
	for {
		piece, err := br.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return head, noEOF(err)
		}
		if head == nil {
			if err := check(piece); err != nil {
				return nil, err
			}
			head = make([]byte, 0, 1024)
		} else if whole && len(bytes.TrimRight(piece, "\r\n")) == 0 {
			return head, nil
		}
		head = append(head, piece...)
		whole = err == nil
		if len(head) > limit {
			return head, errHeader
		}
	}
}

// noEOF returns io.ErrUnexpectedEOF for io.EOF, where the end of the file is an
// error.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// finish reads the rest of the current record: block, line breaks, and the end
// of its gzip member. It sets the size of the record if the record has a member
// of its own or is not compressed.
func (r *Reader) finish() error {
	rec := r.current
	if rec == nil {
		return nil
	}
	r.current = nil
	if err := r.drain(rec); err != nil {
		r.err = damageAt(rec.Offset, err)
		return r.err
	}
	if !r.zipped && (r.alone || r.text == r.raw) {
		rec.size = r.offset() - rec.Offset
	}
	r.alone = false
	rec.reader = nil
	return nil
}

// drain reads the current record to its end.
func (r *Reader) drain(rec *Record) error {
	if _, err := io.Copy(io.Discard, rec); err != nil {
		return err
	}
	if err := r.lineBreaks(rec); err != nil {
		return err
	}
	if r.zipped {
		return r.leave()
	}
	return nil
}

// lineBreaks skips the two line breaks that end a record, or as many as there
// are, and counts their bytes in rec.ended.
func (r *Reader) lineBreaks(rec *Record) error {
	for {
		b, err := r.text.Peek(1)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if b[0] != '\r' && b[0] != '\n' {
			return r.boundary(rec)
		}
		rec.ended++
		r.text.Discard(1)
	}
}

// boundary returns an error if what comes next cannot be a record, which shows
// a wrong Content-Length.
func (r *Reader) boundary(rec *Record) error {
	next, _ := r.text.Peek(5)
	if rec.ended > 0 && bytes.Equal(next, []byte("WARC/")) {
		return nil
	}
	if !r.zipped && rec.ended > 0 && bytes.HasPrefix(next, []byte{0x1f, 0x8b}) {
		return nil
	}
	return errTerminal
}

// Records yields the records of a WARC file; see [Reader]. A record is valid
// until the next one is asked for. An error is the last thing that is yielded.
func Records(r io.Reader) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		z := NewReader(r)
		for {
			rec, err := z.Next()
			if err == io.EOF {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// atReaders pools the readers of [At], whose buffers are much larger than most records.
var atReaders = sync.Pool{New: func() any { return NewReader(nil) }}

// At opens the record at an offset of a WARC file. The caller closes it, and does not
// read from it or from its response afterwards.
func At(path string, offset int64) (*Record, error) {
	d, name := durable.Split(path)
	f, err := d.Open(name)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	r := atReaders.Get().(*Reader)
	rec, err := r.at(f, offset)
	if err != nil {
		f.Close()
		r.release()
		return nil, fmt.Errorf("archive: read %s: %w", path, err)
	}
	rec.closer = &openedRecord{f, r, rec}
	return rec, nil
}

// An openedRecord is what closing a record of [At] releases.
type openedRecord struct {
	file   io.Closer
	reader *Reader
	rec    *Record
}

// Close closes the file and returns the reader to the pool. The record is at its end
// then, since the next one has the reader.
func (o *openedRecord) Close() error {
	o.rec.closer, o.rec.reader, o.rec.left = nil, nil, 0
	o.reader.release()
	return o.file.Close()
}

// release returns a reader to the pool of [At].
func (r *Reader) release() {
	r.reset(nil, 0)
	atReaders.Put(r)
}

// at reads the record at an offset of f.
func (r *Reader) at(f io.ReadSeeker, offset int64) (*Record, error) {
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	r.reset(f, offset)
	rec, err := r.Next()
	if errors.Is(err, io.EOF) {
		return nil, damageAt(offset, io.ErrUnexpectedEOF)
	}
	return rec, err
}
