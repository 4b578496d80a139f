package archive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/weburl"
)

// A Capture is one line of a CDXJ index: which URL was recorded, when, and
// where the record is. A line is the key, a time stamp of 14 digits and a JSON
// object, separated by spaces; lines are sorted by their bytes, so that all
// captures of a URL, host or domain are neighbours.
type Capture struct {
	Key    string // the URL in SURT form, see [weburl.SURT]
	At     time.Time
	URL    string
	Digest string // of the payload, as in the record: sha1:BASE32
	MIME   string // media type; "unk" if unknown, "warc/revisit" for a revisit
	Status int    // HTTP status; 0 for none
	Place  dowse.Place
}

// captureJSON is the object of a line. All values are strings, as pywb writes
// them.
type captureJSON struct {
	URL      string `json:"url"`
	Digest   text   `json:"digest,omitempty"`
	MIME     text   `json:"mime,omitempty"`
	Filename string `json:"filename"`
	Offset   text   `json:"offset"`
	Length   text   `json:"length,omitempty"`
	Status   text   `json:"status,omitempty"`
}

// text is a string that other writers may have written as a JSON number.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var n json.Number
	err := json.Unmarshal(b, &n)
	*t = text(n)
	return err
}

// int returns the number in t, 0 if it is missing or "-", as in the older CDX
// format.
func (t text) int() (int64, error) {
	if t == "" || t == "-" {
		return 0, nil
	}
	return strconv.ParseInt(string(t), 10, 64)
}

// stamp is the layout of the time in a line, in UTC.
const stamp = "20060102150405"

// String returns the line without its line end. It is built by hand, because a
// crawl writes one line per page.
func (c Capture) String() string {
	b := make([]byte, 0, 320)
	b = append(append(b, c.Key...), ' ')
	b = c.At.UTC().AppendFormat(b, stamp)
	b = appendJSON(append(b, ` {"url":`...), c.URL)
	if c.Digest != "" {
		b = appendJSON(append(b, `,"digest":`...), c.Digest)
	}
	if c.MIME != "" {
		b = appendJSON(append(b, `,"mime":`...), c.MIME)
	}
	b = appendJSON(append(b, `,"filename":`...), c.Place.File)
	b = appendNumber(append(b, `,"offset":`...), c.Place.Offset)
	if c.Place.Length > 0 {
		b = appendNumber(append(b, `,"length":`...), c.Place.Length)
	}
	if c.Status > 0 {
		b = appendNumber(append(b, `,"status":`...), int64(c.Status))
	}
	return string(append(b, '}'))
}

// appendNumber appends a number as a string.
func appendNumber(b []byte, n int64) []byte {
	return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
}

// appendJSON appends s as a JSON string. Most strings contain nothing to escape
// and are copied.
func appendJSON(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			enc.Encode(s) // strings always encode
			return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// errCDXJ is wrapped by every error of ParseCapture.
var errCDXJ = errors.New("archive: not a CDXJ line")

// ParseCapture parses a line of a CDXJ index, also of another writer's. Header
// lines, which begin with "!", are errors like other lines that are not
// captures.
func ParseCapture(line string) (Capture, error) {
	key, rest, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	when, object, more := strings.Cut(rest, " ")
	if !ok || !more || key == "" || strings.HasPrefix(key, "!") {
		return Capture{}, errCDXJ
	}
	at, err := parseStamp(when)
	if err != nil {
		return Capture{}, fmt.Errorf("%w: %w", errCDXJ, err)
	}
	var j captureJSON
	if err := json.Unmarshal([]byte(object), &j); err != nil {
		return Capture{}, fmt.Errorf("%w: %w", errCDXJ, err)
	}
	offset, err1 := j.Offset.int()
	length, err2 := j.Length.int()
	status, err3 := j.Status.int()
	if err := errors.Join(err1, err2, err3); err != nil || offset < 0 || length < 0 || status < 0 || status > 999 {
		return Capture{}, fmt.Errorf("%w: offset, length or status is not a valid number", errCDXJ)
	}
	c := Capture{Key: key, At: at, URL: j.URL, Digest: string(j.Digest), MIME: string(j.MIME), Status: int(status)}
	c.Place = dowse.Place{File: j.Filename, Offset: offset, Length: length}
	return c, nil
}

// parseStamp parses 14 digits, or 17 with milliseconds.
func parseStamp(s string) (time.Time, error) {
	if len(s) == 17 {
		return time.Parse(stamp+".000", s[:14]+"."+s[14:])
	}
	return time.Parse(stamp, s)
}

// Index writes the CDXJ index of WARC files: one line per response, revisit and
// resource, sorted by bytes. File names in it are base names. The lines are in
// memory until they are sorted, about 300 bytes per capture. Damage in a file
// is an error.
func Index(w io.Writer, paths ...string) error { return IndexReadable(w, nil, paths...) }

// IndexReadable is Index for files that may be damaged: what cannot be read is
// passed to lost, and indexing continues. If lost is nil, damage is an error.
func IndexReadable(w io.Writer, lost func(Loss), paths ...string) error {
	var lines []string
	for _, path := range paths {
		for c, err := range captures(path, lost) {
			if err != nil {
				return fmt.Errorf("archive: index %s: %w", path, err)
			}
			lines = append(lines, c.String())
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return fmt.Errorf("archive: write index: %w", err)
		}
	}
	return nil
}

// captures yields the captures of a file in its order. What cannot be read is
// passed to lost, or is an error if lost is nil. An error is the last thing
// that is yielded.
func captures(path string, lost func(Loss)) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		var damage error
		strict := lost == nil
		if strict {
			// ReadableRecords reports damage to a record after it was yielded,
			// so the damage is checked when the next one comes, and at the end.
			lost = func(l Loss) { damage = cmp.Or(damage, damageAt(l.Offset, l.Err)) }
		}
		for rec, err := range ReadableRecords(path, lost) {
			if err = cmp.Or(err, damage); err != nil {
				yield(Capture{}, err)
				return
			}
			c, ok, err := rec.capture(filepath.Base(path))
			switch {
			// Without strict, a damaged record was already passed to lost. A
			// file whose records have no place of their own is an error in any
			// case, because an index of it would be useless.
			case err != nil && !strict && !errors.Is(err, errNoPlace):
			case (ok || err != nil) && (!yield(c, err) || err != nil):
				return
			}
		}
		if damage != nil {
			yield(Capture{}, damage)
		}
	}
}

// errNoPlace reports a file that is one gzip member, which other tools produce.
// Its records have no place of their own.
var errNoPlace = errors.New("records share one gzip member, so that none can be read alone")

// capture returns the index line for a record; ok is false for records that an
// index does not list. It reads the record to its end.
func (r *Record) capture(file string) (c Capture, ok bool, err error) {
	kind := r.Type()
	if kind != "response" && kind != "revisit" && kind != "resource" || r.Target() == "" {
		return c, false, nil
	}
	c = Capture{URL: r.Target(), At: r.Date(), Digest: r.Header.Value("WARC-Payload-Digest"), MIME: "unk"}
	c.Key = string(appendURL(nil, weburl.SURT(key(c.URL))))
	if resp, err := r.Response(); err == nil {
		c.Status, c.MIME = resp.StatusCode, mediaType(resp.Header.Get("Content-Type"))
	}
	if kind == "revisit" {
		c.MIME = revisitType
	}
	c.Place = dowse.Place{File: file, Offset: r.Offset}
	c.Place.Length, err = r.Size()
	if err == nil && c.Place.Length == 0 {
		err = damageAt(r.Offset, errNoPlace)
	}
	return c, true, err
}

// mediaType returns the media type of a Content-Type in the form that indexes
// use: lower case, bounded, "unk" for none.
func mediaType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.ToLower(string(appendText(nil, t, 100)))
	if t == "" {
		return "unk"
	}
	return t
}
