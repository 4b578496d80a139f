package web

import (
	"errors"
	"fmt"
	"math"
	"time"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/wire"
)

// errRecord is returned for bytes that are no record of this version.
var errRecord = errors.New("a damaged record")

// An encoder writes the fields of a record one after the other, without names:
// the table of facts (package facts) fixes their order, and a change of it
// changes the version of the file. Numbers are variable-length integers, texts
// have their length before them.
type encoder struct {
	wire.Writer
	url func(dowse.URL) int // numbers URLs
}

// num and the next four write the primitive types. A span is its start and its
// length, which are smaller than start and end.
func (e *encoder) num(n int)         { e.Uint(uint64(n)) }
func (e *encoder) text(s string)     { e.Text(s) }
func (e *encoder) fixed(n uint64)    { e.Uint64(n) }
func (e *encoder) bit(b bool)        { e.Bool(b) }
func (e *encoder) span(s dowse.Span) { e.num(int(s.Start)); e.num(int(s.End - s.Start)) }

// time writes seconds and nanoseconds, so that a date of any year can be
// stored; the zero time is one byte.
func (e *encoder) time(t time.Time) {
	e.bit(!t.IsZero())
	if !t.IsZero() {
		e.fixed(uint64(t.Unix()))
		e.num(t.Nanosecond())
	}
}

// page writes the outcome of a visit: the URL, and the fields that the table of
// facts lists as features, in its order. What depends on the crawl that made
// the visit (lead, depth, verdict) is left out, since other crawls will make
// the same visit.
func (e *encoder) page(p *dowse.Page) {
	e.num(e.url(p.URL))
	for _, f := range facts.Features() {
		e.field(f.Field(p))
	}
}

// field writes a field of a page, given by a pointer to it. A type that is not
// listed here is a programmer's mistake, which shows immediately: opening any
// web writes every field, see fingerprint.
func (e *encoder) field(field any) {
	switch v := field.(type) {
	case *string:
		e.text(*v)
	case *dowse.URL:
		e.text(string(*v))
	case *dowse.Reason:
		e.text(string(*v))
	case *dowse.Outcome:
		e.num(int(*v))
	case *facts.Signed:
		e.num(int(*v))
	case *int64:
		e.num(int(*v))
	case *bool:
		e.bit(*v)
	case *time.Time:
		e.time(*v)
	case *[]string:
		e.num(len(*v))
		for _, s := range *v {
			e.text(s)
		}
	case *[]dowse.URL:
		e.urls(*v)
	case *[]dowse.Meta:
		e.num(len(*v))
		for _, m := range *v {
			e.text(m.Name)
			e.text(m.Content)
		}
	case *[]dowse.Span:
		e.words(*v)
	case *[]dowse.Heading:
		e.headings(*v)
	case *[]dowse.Link:
		e.links(*v)
	case *dowse.Sketch:
		e.sketch(v)
	default:
		panic(fmt.Sprintf("web: features can't hold a field of type %T", field))
	}
}

// headings writes level, text and position in the words of each heading.
func (e *encoder) headings(list []dowse.Heading) {
	e.num(len(list))
	for _, h := range list {
		e.num(h.Level)
		e.text(h.Text)
		e.num(int(h.At))
	}
}

// sketch writes a sketch, four bins of 16 bits at a time; a page without one
// takes eight bytes.
func (e *encoder) sketch(s *dowse.Sketch) {
	e.fixed(s.Text)
	for i := 0; i < len(s.Bins) && s.Text != 0; i += 4 {
		e.fixed(uint64(s.Bins[i]) | uint64(s.Bins[i+1])<<16 | uint64(s.Bins[i+2])<<32 | uint64(s.Bins[i+3])<<48)
	}
}

// words writes each word as the gap before it and its length: mostly two bytes
// instead of eight, for the largest part of a record.
func (e *encoder) words(list []dowse.Span) {
	e.num(len(list))
	end := int32(0)
	for _, w := range list {
		e.num(int(w.Start - end))
		e.num(w.Len())
		end = w.End
	}
}

// links writes the number of links and that of further mentions first, so that
// the decoder can allocate both arrays at their size.
func (e *encoder) links(list []dowse.Link) {
	e.num(len(list))
	more := 0
	for i := range list {
		more += len(list[i].More)
	}
	e.num(more)
	for i := range list {
		l := &list[i]
		e.num(e.url(l.URL))
		e.bit(l.NoFollow)
		e.num(len(l.More))
		e.mention(&l.Mention)
		for k := range l.More {
			e.mention(&l.More[k])
		}
	}
}

// mention writes a mention of a link. Headings above it are stored with one
// added, because -1 means none. The window and the ratings belong to a
// crawl and are not stored.
func (e *encoder) mention(m *dowse.Mention) {
	e.text(m.Anchor)
	e.span(m.At)
	e.span(m.Block)
	for _, h := range m.Above {
		e.num(int(h + 1))
	}
}

// urls writes URLs as texts. Only targets of links are numbered, since they
// repeat.
func (e *encoder) urls(list []dowse.URL) {
	e.num(len(list))
	for _, u := range list {
		e.text(string(u))
	}
}

// A decoder reads what an encoder wrote. The bytes may be anything, since
// feature files can be copied from elsewhere: after the first fault it reads
// zeros, and Err is set. Texts are substrings of the record, so that a page
// costs a few allocations.
type decoder struct {
	wire.Reader[string]
	url func(int) (dowse.URL, bool)
}

// newDecoder returns a decoder for a record. It copies the bytes once; url
// returns the URL with a number.
func newDecoder(record []byte, url func(int) (dowse.URL, bool)) *decoder {
	return &decoder{wire.Reader[string]{Rest: string(record)}, url}
}

// maxNum bounds every number to 55 bits, so that sums of a few of them cannot
// overflow.
const maxNum = math.MaxInt64 >> 8

// num reads a number of at most maxNum.
func (d *decoder) num() int {
	n := d.Uint()
	if n > maxNum {
		d.Fail()
		return 0
	}
	return int(n)
}

// small reads a number that fits into 31 bits.
func (d *decoder) small() int32 {
	n := d.num()
	if n > math.MaxInt32 {
		d.Fail()
		return 0
	}
	return int32(n)
}

// count reads the length of a list whose elements take at least size bytes
// each. A length that the rest of the record cannot hold is a fault, so that no
// allocation exceeds a multiple of the record.
func (d *decoder) count(size int) int { return d.Count(size) }
func (d *decoder) text() string       { return d.Text() }
func (d *decoder) fixed() uint64      { return d.Uint64() }
func (d *decoder) bit() bool          { return d.Byte() == 1 }

// sketch reads what encoder.sketch wrote; a page without a sketch has the text
// hash 0 and nothing else.
func (d *decoder) sketch(s *dowse.Sketch) {
	s.Text = d.fixed()
	for i := 0; i < len(s.Bins) && s.Text != 0; i += 4 {
		for k, v := i, d.fixed(); k < i+4; k, v = k+1, v>>16 {
			s.Bins[k] = uint16(v)
		}
	}
}

// time reads what encoder.time wrote.
func (d *decoder) time() time.Time {
	if !d.bit() {
		return time.Time{}
	}
	seconds := int64(d.fixed())
	return time.Unix(seconds, int64(d.small())).UTC()
}

// span reads a span of words that ends at limit at most, so that no reader of
// the page is out of range.
func (d *decoder) span(limit int) dowse.Span {
	start, n := d.small(), d.small()
	if int(start)+int(n) > limit {
		d.Fail()
		return dowse.Span{}
	}
	return dowse.Span{Start: start, End: start + n}
}

// page reads a page. Bytes left over are a fault, like missing ones.
func (d *decoder) page() (*dowse.Page, error) {
	p := &dowse.Page{URL: d.link()}
	for _, f := range facts.Features() {
		d.field(f.Field(p), p)
	}
	if d.Err != nil || d.Rest != "" {
		return nil, errRecord
	}
	return p, nil
}

// field reads a field of a page, given by a pointer to it. Words are checked
// against the page's text, and links against its words and headings, which the
// table of facts lists before them.
func (d *decoder) field(field any, p *dowse.Page) {
	switch v := field.(type) {
	case *string:
		*v = d.text()
	case *dowse.URL:
		*v = dowse.URL(d.text())
	case *dowse.Reason:
		*v = dowse.Reason(d.text())
	case *dowse.Outcome:
		n := d.num()
		if n > int(dowse.Listed) {
			d.Fail()
		}
		*v = dowse.Outcome(n)
	case *facts.Signed:
		*v = facts.Signed(d.small())
	case *int64:
		*v = int64(d.num())
	case *bool:
		*v = d.bit()
	case *time.Time:
		*v = d.time()
	case *[]string:
		for range d.count(1) {
			*v = append(*v, d.text())
		}
	case *[]dowse.URL:
		*v = d.urls()
	case *[]dowse.Meta:
		for range d.count(2) {
			*v = append(*v, dowse.Meta{Name: d.text(), Content: d.text()})
		}
	case *[]dowse.Span:
		*v = d.words(len(p.Text))
	case *[]dowse.Heading:
		*v = d.headings()
	case *[]dowse.Link:
		*v = d.links(len(p.Words), len(p.Headings))
	case *dowse.Sketch:
		d.sketch(v)
	default:
		panic(fmt.Sprintf("web: features can't hold a field of type %T", field))
	}
}

// words reads words, the last of which ends at limit at most.
func (d *decoder) words(limit int) []dowse.Span {
	n := d.count(2)
	if n == 0 {
		return nil
	}
	list := make([]dowse.Span, n)
	end := int32(0)
	for i := 0; i < n; {
		// Most words take two bytes. A run of them is read without advancing d.Rest,
		// which would be a write of a pointer for each byte.
		run := d.Rest
		at := 0
		for ; i < n && at+1 < len(run) && run[at] < 0x80 && run[at+1] < 0x80; i, at = i+1, at+2 {
			gap, length := int32(run[at]), int32(run[at+1])
			if int(end)+int(gap)+int(length) > limit {
				d.Fail()
				return nil
			}
			list[i] = dowse.Span{Start: end + gap, End: end + gap + length}
			end = list[i].End
		}
		d.Rest = run[at:]
		if i == n {
			break
		}
		gap, length := d.small(), d.small()
		if int(end)+int(gap)+int(length) > limit {
			d.Fail()
			return nil
		}
		list[i] = dowse.Span{Start: end + gap, End: end + gap + length}
		end = list[i].End
		i++
	}
	return list
}

// headings reads what encoder.headings wrote. Positions are not checked against
// the words: nothing uses them as an index.
func (d *decoder) headings() []dowse.Heading {
	n := d.count(3)
	if n == 0 {
		return nil
	}
	list := make([]dowse.Heading, n)
	for i := range list {
		list[i] = dowse.Heading{Level: int(d.small()), Text: d.text(), At: d.small()}
	}
	return list
}

// links reads links. Their mentions other than the first are in one array, in
// order.
func (d *decoder) links(words, headings int) []dowse.Link {
	n := d.count(8)
	more := make([]dowse.Mention, 0, d.count(8))
	if n == 0 || d.Err != nil {
		return nil
	}
	list := make([]dowse.Link, n)
	for i := range list {
		l := &list[i]
		l.URL = d.link()
		l.NoFollow = d.bit()
		extra := d.num()
		if extra > cap(more)-len(more) {
			d.Fail()
			return nil
		}
		l.Mention = d.mention(words, headings)
		first := len(more)
		for range extra {
			more = append(more, d.mention(words, headings))
		}
		if extra > 0 {
			l.More = more[first:len(more):len(more)]
		}
	}
	return list
}

// mention reads a mention of a link. Its window is not rated yet, which NaN
// stands for.
func (d *decoder) mention(words, headings int) dowse.Mention {
	m := dowse.Mention{Anchor: d.text(), At: d.span(words), Block: d.span(words), Context: math.NaN()}
	for i := range m.Above {
		m.Above[i] = d.small() - 1
		if int(m.Above[i]) >= headings {
			d.Fail()
		}
	}
	return m
}

// link reads the number of a URL and returns the URL.
func (d *decoder) link() dowse.URL {
	u, ok := d.url(d.num())
	if !ok {
		d.Fail()
	}
	return u
}

// urls reads what encoder.urls wrote.
func (d *decoder) urls() (list []dowse.URL) {
	for range d.count(1) {
		list = append(list, dowse.URL(d.text()))
	}
	return list
}
