package archive

import (
	"bytes"
	"dowse/internal/durable"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"dowse"
)

// A Kept is an exchange in a WARC file: a response, or a revisit that refers to
// an earlier response with the same payload, and the records that were written
// with it.
type Kept struct {
	Path string // of the file
	Part        // the response or revisit record
	With []Part // the readable request and metadata records of the same exchange
}

// A Loss is a part of a WARC file that could not be read or used, and why.
type Loss struct {
	Path   string
	Offset int64
	Length int64
	Err    error
}

// The reasons of losses that are not damage.
var (
	ErrErased    = errors.New("record was erased")                 // by [Erase]
	ErrCompanion = errors.New("response of the record is missing") // for requests and metadata
)

// Exchanges yields the exchanges of a WARC file that can be read, and passes
// the rest to lost. An error means that the file could not be opened; it comes
// alone. Requests and metadata precede their response in files of this package,
// which is relied on.
func Exchanges(path string, lost func(Loss)) iter.Seq2[*Kept, error] {
	return func(yield func(*Kept, error) bool) {
		var with []Part
		drop := func(p Part) { lost(Loss{path, p.Offset, p.Length, ErrCompanion}) }
		for p, err := range Parts(path) {
			if err != nil {
				yield(nil, err)
				return
			}
			switch kind := p.Type(); {
			case p.Err != nil:
				lost(Loss{path, p.Offset, p.Length, p.Err})
			// A blank of Erase is a metadata record without a target.
			case kind == "metadata" && p.Header.Value("WARC-Target-URI") == "":
				lost(Loss{path, p.Offset, p.Length, ErrErased})
			case kind == "request" || kind == "metadata":
				with = append(with, *p)
			case kind == "response" || kind == "revisit":
				k := &Kept{Path: path, Part: *p}
				for _, w := range with {
					if bare(w.Header.Value("WARC-Concurrent-To")) == p.ID() {
						k.With = append(k.With, w)
					} else {
						drop(w)
					}
				}
				with = with[:0]
				if !yield(k, nil) {
					return
				}
			}
		}
		for _, w := range with {
			drop(w)
		}
	}
}

// record returns the header as a record, for the accessors of Record.
func (k *Kept) record() *Record { return &Record{Header: k.Header} }

// Target returns the URL as written.
func (k *Kept) Target() string { return k.record().Target() }

// Date returns when the request was sent, the zero time if the record does not
// say.
func (k *Kept) Date() time.Time { return k.record().Date() }

// IsRevisit reports whether the payload is in another record.
func (k *Kept) IsRevisit() bool { return k.Type() == "revisit" }

// RefersTo returns the ID of the record that contains the payload of a revisit.
func (k *Kept) RefersTo() string { return bare(k.Header.Value("WARC-Refers-To")) }

// Truncated reports whether the payload ends early.
func (k *Kept) Truncated() bool { return k.Header.Value("WARC-Truncated") != "" }

// Address returns the address of the server, the zero Addr if unknown.
func (k *Kept) Address() netip.Addr {
	a, _ := netip.ParseAddr(k.Header.Value("WARC-IP-Address"))
	return a
}

// Metadata returns a field of the exchange's metadata record, "" if there is
// none. It reads the file each time.
func (k *Kept) Metadata(name string) string {
	for _, w := range k.With {
		if w.Type() != "metadata" {
			continue
		}
		rec, err := At(k.Path, w.Offset)
		if err != nil {
			return ""
		}
		block, err := io.ReadAll(io.LimitReader(rec, maxFields))
		rec.Close()
		if err != nil {
			return ""
		}
		for line := range strings.Lines(string(block)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(key, name) {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// Response returns the stored response. The payload of a revisit is that of the
// record at the given place of the files in dir; an answer 304 (not modified) has none. The caller
// closes the body.
func (k *Kept) Response(dir string, original dowse.Place) (*http.Response, error) {
	rec, err := At(k.Path, k.Offset)
	if err != nil {
		return nil, err
	}
	resp, err := rec.Response()
	if err == nil && k.IsRevisit() && resp.StatusCode != http.StatusNotModified {
		err = k.borrow(resp, dir, original)
		rec.Close()
		return resp, err
	}
	if err != nil {
		rec.Close()
		return nil, err
	}
	resp.Body = readCloser{resp.Body, rec}
	return resp, nil
}

// readCloser is a body that closes the record that it reads from.
type readCloser struct {
	io.Reader
	io.Closer
}

// borrow replaces the empty body of a revisit by the payload of its original.
func (k *Kept) borrow(resp *http.Response, dir string, original dowse.Place) error {
	rec, err := At(filepath.Join(dir, original.File), original.Offset)
	if err != nil {
		return err
	}
	first, err := rec.Response()
	if err != nil {
		rec.Close()
		return err
	}
	resp.Body, resp.ContentLength = readCloser{first.Body, rec}, first.ContentLength
	return nil
}

// Encoded returns the records of the exchange, unchanged, to be appended to
// another file. A revisit gets the place of its original there. Records of the
// exchange that cannot be read are omitted.
func (k *Kept) Encoded(original dowse.Place) (Encoded, error) {
	d, name := durable.Split(k.Path)
	f, err := d.Open(name)
	if err != nil {
		return Encoded{}, fmt.Errorf("archive: %w", err)
	}
	defer f.Close()
	var b bytes.Buffer
	for _, w := range k.With {
		if err := copySpanTo(&b, f, w); err != nil {
			return Encoded{}, err
		}
	}
	start := b.Len()
	if k.IsRevisit() {
		err = k.writeRevisit(&b, original)
	} else {
		err = copySpanTo(&b, f, k.Part)
	}
	return Encoded{Bytes: b.Bytes(), Offset: start, Length: b.Len() - start}, err
}

// copySpanTo copies a record of f to w, compressed.
func copySpanTo(w io.Writer, f *durable.File, p Part) error {
	if err := copySpan(w, f, byteSpan{p.Offset, p.Length}); err != nil {
		return fmt.Errorf("archive: read %s: %w", f.Name(), err)
	}
	return nil
}

// writeRevisit writes the revisit record with another place of its original and
// everything else unchanged.
func (k *Kept) writeRevisit(w io.Writer, original dowse.Place) error {
	rec, err := At(k.Path, k.Offset)
	if err != nil {
		return err
	}
	defer rec.Close()
	gz := gzip.NewWriter(w)
	fmt.Fprintf(gz, "WARC/%s\r\n", rec.Version)
	for _, f := range rec.Header {
		if !strings.EqualFold(f.Name, referenceFile) && !strings.EqualFold(f.Name, referenceOffset) {
			fmt.Fprintf(gz, "%s: %s\r\n", f.Name, f.Value)
		}
	}
	fmt.Fprintf(gz, "%s: %s\r\n%s: %s\r\n\r\n", referenceFile, original.File, referenceOffset, strconv.FormatInt(original.Offset, 10))
	if _, err := io.Copy(gz, rec); err != nil {
		return err
	}
	if _, err := io.WriteString(gz, "\r\n\r\n"); err != nil {
		return err
	}
	return gz.Close()
}
