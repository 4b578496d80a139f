package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"dowse"
)

// PageSchema names the schema of the JSON object of a page.
const PageSchema = "page/v1"

// Seconds is a duration that JSON holds as a number of seconds. Go would write nanoseconds, which
// other programs would have to know.
type Seconds time.Duration

// MarshalJSON returns the number of seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

// UnmarshalJSON reads a number of seconds.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	*s = Seconds(math.Round(f * float64(time.Second))) // 0.57 s is a little less than 570 ms as a binary fraction
	return err
}

// Encode returns the JSON of a value, without the escapes that only HTML needs: URLs keep their &, and
// titles their <, so that people can read and search what is printed.
func Encode(v any) ([]byte, error) { return appendEncoded(nil, v) }

// appendEncoded appends what [Encode] returns.
func appendEncoded(b []byte, v any) ([]byte, error) {
	out := appender(b)
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out, []byte("\n")), nil
}

// An appender is bytes to which everything is appended that is written.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// JSON returns the value of the fact for a page in JSON; nil if it is not known, or is a text or
// list without anything in it.
func (f *Fact) JSON(r *Row) ([]byte, error) {
	if v := f.encodable(r); v != nil {
		return Encode(v)
	}
	return nil, nil
}

// encodable returns the value of the fact for a page as a value whose encoding is its JSON; nil if it is not known,
// or is a text or list without anything in it.
func (f *Fact) encodable(r *Row) any {
	value := f.Value(r)
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []string:
		if len(v) == 0 {
			return nil
		}
	case []Cause:
		if len(v) == 0 {
			return nil
		}
	case []dowse.Meta:
		if len(v) == 0 {
			return nil
		}
		return byName(v)
	case time.Duration:
		return Seconds(v)
	case float64:
		return Finite(v)
	}
	return value
}

// byName returns a table by names. Of several entries with one name the first counts, as in browsers.
func byName(list []dowse.Meta) map[string]string {
	m := map[string]string{}
	for _, e := range list {
		if _, ok := m[e.Name]; !ok {
			m[e.Name] = e.Content
		}
	}
	return m
}

// MarshalJSON returns the object of schema [PageSchema]: all facts of a page that are printed and known.
func (r *Row) MarshalJSON() ([]byte, error) { return r.object(nil) }

// With returns the JSON object of a page with some facts in addition to those that are always printed. A
// name that is not that of a fact which can be printed adds nothing.
func (r *Row) With(names ...string) ([]byte, error) { return r.object(names) }

// object returns the printed facts in the order of the table, and then those named
// in more. What is not known is left out, so a reader sees the difference between
// unknown and empty.
func (r *Row) object(more []string) ([]byte, error) {
	b := append(make([]byte, 0, r.objectSize(more)), `{"schema":"`+PageSchema+`"`...)
	for _, f := range All() {
		if !f.Printed {
			continue
		}
		var err error
		if b, err = f.appendMember(b, r); err != nil {
			return nil, err
		}
	}
	for _, name := range more {
		if f := Named(name); f != nil && !f.Printed && f.printable() {
			var err error
			if b, err = f.appendMember(b, r); err != nil {
				return nil, err
			}
		}
	}
	return append(b, '}'), nil
}

// objectSize returns about how large the object is. The text of a page is most of it, if it is one of the members.
func (r *Row) objectSize(more []string) int {
	size := 2 << 10
	if r.Page != nil && slices.Contains(more, "text") {
		size += len(r.Text) + len(r.Text)/16
	}
	return size
}

// appendMember appends the fact to a JSON object that has a member before it, unless it is not known.
func (f *Fact) appendMember(b []byte, r *Row) ([]byte, error) {
	v := f.encodable(r)
	if v == nil {
		return b, nil
	}
	b = append(append(b, `,"`...), f.Name...)
	return appendEncoded(append(b, `":`...), v)
}

// Select returns a JSON object with only the named facts, in their order; what is not known is null. A name
// that is not that of a fact which can be printed is an error.
func (r *Row) Select(names []string) ([]byte, error) {
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		f := Named(name)
		if f == nil || !f.printable() {
			return nil, fmt.Errorf("facts: unknown fact %q", name)
		}
		v, err := f.JSON(r)
		if err != nil {
			return nil, err
		}
		if v == nil {
			v = []byte("null")
		}
		b = append(append(strconv.AppendQuote(b, name), ':'), v...)
	}
	return append(b, '}'), nil
}

// printable reports whether the fact can be printed at all.
func (f *Fact) printable() bool { return f.Type != Internal && !f.Judging }

// Names lists the facts that can be printed. Without document, those are left out that are part
// of the content of the page.
func Names(document bool) (names []string) {
	for _, f := range All() {
		if f.printable() && (document || !f.Document) {
			names = append(names, f.Name)
		}
	}
	return names
}
