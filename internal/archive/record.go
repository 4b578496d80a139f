package archive

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Record is one record of a WARC file. It is read as it comes: its block is
// there until the next record is asked for.
type Record struct {
	Version string // "1.0", "1.1"
	Header  Fields
	Offset  int64 // where it begins in the file: what [At] takes
	Length  int64 // of its block

	inner  int64 // bytes before it in its gzip member, for files that are one member
	reader *Reader
	left   int64 // of the block
	ended  int   // bytes of line breaks behind the block
	size   int64 // in the file; 0 until known
	closer io.Closer
}

// Type returns the record's type, lower case: response, request, warcinfo, ….
func (r *Record) Type() string { return strings.ToLower(r.Header.Value("WARC-Type")) }

// ID returns the record's identifier as written, without angle brackets.
func (r *Record) ID() string { return bare(r.Header.Value("WARC-Record-ID")) }

// Target returns the URL as written. It is not canonical, and may not be a URL.
func (r *Record) Target() string { return bare(r.Header.Value("WARC-Target-URI")) }

// Date returns when the record was made; the zero time if it does not say.
func (r *Record) Date() time.Time {
	at, err := time.Parse(time.RFC3339Nano, r.Header.Value("WARC-Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// bare takes off the angle brackets that belong around IDs, and that some
// versions of wget put around URLs.
func bare(s string) string {
	if len(s) >= 2 && s[0] == '<' && s[len(s)-1] == '>' {
		return s[1 : len(s)-1]
	}
	return s
}

// Read reads the block.
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

// Size reads what is left of the record and returns how many bytes of the file
// it takes: the length of its [dowse.Place]. It is 0 for a record that shares a
// gzip member with others, and so has no place of its own.
func (r *Record) Size() (int64, error) {
	if r.reader == nil || r.reader.current != r {
		return r.size, nil
	}
	err := r.reader.finish()
	return r.size, err
}

// Close ends the use of a record that came from [At].
func (r *Record) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

func (r *Record) damage(err error) error { return damageAt(r.Offset, err) }

// A DamageError tells where a WARC file can't be read on.
type DamageError struct {
	Offset int64 // of the record, or of what should have been one
	Err    error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("archive: record at offset %d: %v", e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

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

// maxHeaderFields bounds the work of looking for a field.
const maxHeaderFields = 1000

// parseHeader reads the version line and the fields of a record. Lines may end
// in LF alone and may be folded; what has no colon is passed over.
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

// unfold joins lines that begin with a space to those before them, in place.
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

// contentLength refuses a header with two lengths: readers would disagree where
// the record ends.
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
