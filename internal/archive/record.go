package archive

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Record is one record of a WARC file. Its block is read from the file on
// demand, and only until the next record is asked for.
type Record struct {
	Version string // "1.0", "1.1"
	Header  Fields
	Offset  int64 // of its first byte in the file, for [At]
	Length  int64 // bytes of its block

	inner  int64     // bytes before it in its gzip member, for files that are one member
	reader *Reader   // nil once the record was read to its end
	left   int64     // bytes of the block not read yet
	ended  int       // bytes of line breaks behind the block
	size   int64     // bytes in the file; 0 until known, or if it shares a gzip member
	closer io.Closer // the file, if At opened it
}

// Type returns the record's type in lower case: response, request, warcinfo, ….
func (r *Record) Type() string { return strings.ToLower(r.Header.Value("WARC-Type")) }

// ID returns the record's identifier as written, without angle brackets.
func (r *Record) ID() string { return bare(r.Header.Value("WARC-Record-ID")) }

// Target returns the URL as written. It is not canonical, and may not be a URL.
func (r *Record) Target() string { return bare(r.Header.Value("WARC-Target-URI")) }

// Date returns when the record was made, the zero time if it has no date or
// the date is malformed.
func (r *Record) Date() time.Time {
	at, err := time.Parse(time.RFC3339Nano, r.Header.Value("WARC-Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// bare removes the angle brackets that belong around IDs, and that some
// versions of wget put around URLs.
func bare(s string) string {
	if len(s) >= 2 && s[0] == '<' && s[len(s)-1] == '>' {
		return s[1 : len(s)-1]
	}
	return s
}

// Read reads the block. A block that ends early is a [*DamageError].
func (r *Record) Read(p []byte) (int, error) {
	if r.left == 0 || r.reader == nil {
		return 0, io.EOF
	}
	n, err := r.reader.text.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	switch {
	case r.left == 0:
		return n, nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = r.damage(err)
	}
	return n, err
}

// Size reads the rest of the record and returns how many bytes of the file it
// occupies: the length of its [dowse.Place]. It is 0 for a record that shares a
// gzip member with others and so has no place of its own.
func (r *Record) Size() (int64, error) {
	if r.reader == nil || r.reader.current != r {
		return r.size, nil
	}
	err := r.reader.finish()
	return r.size, err
}

// Close closes the file of a record that [At] opened. For other
// records it does nothing.
func (r *Record) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

func (r *Record) damage(err error) error { return damageAt(r.Offset, err) }

// A DamageError reports where and why a WARC file cannot be read any further.
type DamageError struct {
	Offset int64 // of the record, or of what should be one
	Err    error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("archive: record at offset %d: %v", e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// damageAt returns err as a DamageError, unless it is one already.
func damageAt(offset int64, err error) error {
	var known *DamageError
	if errors.As(err, &known) {
		return err
	}
	return &DamageError{Offset: offset, Err: err}
}

var (
	errNotWARC  = errors.New("not the beginning of a WARC record")
	errHeader   = errors.New("header is too long")
	errLength   = errors.New("no valid Content-Length")
	errTerminal = errors.New("block is not followed by the end of a record: its Content-Length is wrong")
)

// maxHeaderFields bounds the time for looking up a field.
const maxHeaderFields = 1000

// parseHeader parses the version line and the fields of a record. Lines may end
// in LF alone and may be folded; lines without a colon are ignored.
func parseHeader(head []byte) (*Record, error) {
	unfold(head)
	line, rest, _ := strings.Cut(string(head), "\n")
	version, ok := strings.CutPrefix(strings.TrimSpace(line), "WARC/")
	if !ok {
		return nil, errNotWARC
	}
	r := &Record{Version: version, Header: make(Fields, 0, 16)}
	for rest != "" && len(r.Header) <= maxHeaderFields {
		line, rest, _ = strings.Cut(rest, "\n")
		if name, value, ok := strings.Cut(line, ":"); ok {
			r.Header = append(r.Header, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	if len(r.Header) > maxHeaderFields {
		return nil, errHeader
	}
	var err error
	r.Length, err = r.contentLength()
	r.left = r.Length
	return r, err
}

// unfold joins lines that begin with white space to those before them, in
// place.
func unfold(head []byte) {
	for i := 1; i+1 < len(head); i++ {
		if head[i] != '\n' || head[i+1] != ' ' && head[i+1] != '\t' {
			continue
		}
		head[i] = ' '
		if head[i-1] == '\r' {
			head[i-1] = ' '
		}
	}
}

// contentLength returns the length of the block. It refuses a header with two
// different lengths, since readers would disagree about where the record ends.
func (r *Record) contentLength() (int64, error) {
	length := int64(-1)
	for _, f := range r.Header {
		if !strings.EqualFold(f.Name, "Content-Length") {
			continue
		}
		n, err := strconv.ParseUint(f.Value, 10, 62)
		if err != nil || length >= 0 && length != int64(n) {
			return 0, errLength
		}
		length = int64(n)
	}
	if length < 0 {
		return 0, errLength
	}
	return length, nil
}
