package web

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"dowse"
	"dowse/internal/facts"
)

// errRecord is returned for bytes that are no record of this version.
var errRecord = errors.New("a damaged record")

// An encoder writes the fields of a record one after the other: numbers as varints,
// texts with their length before them.
type encoder struct {
	b   []byte
	url func(dowse.URL) int // numbers URLs
}

func (e *encoder) num(n int)         { e.b = binary.AppendUvarint(e.b, uint64(n)) }
func (e *encoder) text(s string)     { e.num(len(s)); e.b = append(e.b, s...) }
func (e *encoder) fixed(n uint64)    { e.b = binary.LittleEndian.AppendUint64(e.b, n) }
func (e *encoder) bit(b bool)        { e.num(asNumber(b)) }
func (e *encoder) span(s dowse.Span) { e.num(int(s.Start)); e.num(int(s.End - s.Start)) }

func (e *encoder) time(t time.Time) {
	e.bit(!t.IsZero())
	if !t.IsZero() {
		e.fixed(uint64(t.Unix()))
		e.num(t.Nanosecond())
	}
}

func asNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

// page writes what a visit brought, without what depends on when it was made: the URL, and the fields that
// the table of facts lists, in its order.
func (e *encoder) page(p *dowse.Page) {
	e.num(e.url(p.URL))
	for _, f := range facts.Features() {
		e.field(f.Field(p))
	}
}

// field writes what a field of a page holds.
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

func (e *encoder) headings(list []dowse.Heading) {
	e.num(len(list))
	for _, h := range list {
		e.num(h.Level)
		e.text(h.Text)
		e.num(int(h.At))
	}
}

// sketch writes a sketch, four bins at a time.
func (e *encoder) sketch(s *dowse.Sketch) {
	e.fixed(s.Text)
	for i := 0; i < len(s.Bins) && !s.IsZero(); i += 4 {
		e.fixed(uint64(s.Bins[i]) | uint64(s.Bins[i+1])<<16 | uint64(s.Bins[i+2])<<32 | uint64(s.Bins[i+3])<<48)
	}
}

// words writes each word as the gap before it and its length.
func (e *encoder) words(list []dowse.Span) {
	e.num(len(list))
	end := int32(0)
	for _, w := range list {
		e.num(int(w.Start - end))
		e.num(w.Len())
		end = w.End
	}
}

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

func (e *encoder) mention(m *dowse.Mention) {
	e.text(m.Anchor)
	e.span(m.At)
	e.span(m.Block)
	for _, h := range m.Above {
		e.num(int(h + 1))
	}
}

func (e *encoder) urls(list []dowse.URL) {
	e.num(len(list))
	for _, u := range list {
		e.text(string(u))
	}
}

// A decoder reads what an encoder wrote. The bytes may be anything: after the first
// mistake it reads zeros, and bad tells.
type decoder struct {
	s   string
	at  int
	bad bool
	url func(int) (dowse.URL, bool)
}

func (d *decoder) num() int {
	var n uint64
	for shift := 0; ; shift += 7 {
		if d.at >= len(d.s) || shift > 56 {
			d.bad = true
			return 0
		}
		c := d.s[d.at]
		d.at++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			break
		}
	}
	if n > math.MaxInt64>>8 {
		d.bad = true
		return 0
	}
	return int(n)
}

// small reads a number that fits into 31 bits.
func (d *decoder) small() int32 {
	n := d.num()
	if n > math.MaxInt32 {
		d.bad = true
		return 0
	}
	return int32(n)
}

// count reads how many items follow, each of at least size bytes.
func (d *decoder) count(size int) int {
	n := d.num()
	if n > (len(d.s)-d.at)/size {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.count(1)
	if d.bad {
		return ""
	}
	d.at += n
	return d.s[d.at-n : d.at]
}

func (d *decoder) sketch(s *dowse.Sketch) {
	s.Text = d.fixed()
	for i := 0; i < len(s.Bins) && !s.IsZero(); i += 4 {
		for k, v := i, d.fixed(); k < i+4; k, v = k+1, v>>16 {
			s.Bins[k] = uint16(v)
		}
	}
}

func (d *decoder) fixed() uint64 {
	if len(d.s)-d.at < 8 {
		d.bad = true
		return 0
	}
	d.at += 8
	return binary.LittleEndian.Uint64([]byte(d.s[d.at-8 : d.at]))
}

func (d *decoder) time() time.Time {
	if !d.bit() {
		return time.Time{}
	}
	seconds := int64(d.fixed())
	return time.Unix(seconds, int64(d.small())).UTC()
}

func (d *decoder) bit() bool { return d.num() == 1 }

// span reads a span that ends at limit at most.
func (d *decoder) span(limit int) dowse.Span {
	start, n := d.small(), d.small()
	if int(start)+int(n) > limit {
		d.bad = true
		return dowse.Span{}
	}
	return dowse.Span{Start: start, End: start + n}
}

// page reads a page. Its texts are parts of the record, which must not change.
func (d *decoder) page() (*dowse.Page, error) {
	p := &dowse.Page{URL: d.link()}
	for _, f := range facts.Features() {
		d.field(f.Field(p), p)
	}
	if d.bad || d.at != len(d.s) {
		return nil, errRecord
	}
	return p, nil
}

// field reads a field of a page. Words are checked against its text, and links against its words and headings, which
// come before them.
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
		*v = dowse.Outcome(n)
		d.bad = d.bad || n > int(dowse.Listed)
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

func (d *decoder) words(limit int) []dowse.Span {
	n := d.count(2)
	if n == 0 {
		return nil
	}
	list := make([]dowse.Span, n)
	end := int32(0)
	for i := range list {
		gap, length := d.small(), d.small()
		if int(end)+int(gap)+int(length) > limit {
			d.bad = true
			return nil
		}
		list[i] = dowse.Span{Start: end + gap, End: end + gap + length}
		end = list[i].End
	}
	return list
}

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

// links reads links whose mentions beside the first lie in one array, in order.
func (d *decoder) links(words, headings int) []dowse.Link {
	n := d.count(8)
	more := make([]dowse.Mention, 0, d.count(8))
	if n == 0 || d.bad {
		return nil
	}
	list := make([]dowse.Link, n)
	for i := range list {
		l := &list[i]
		l.URL = d.link()
		l.NoFollow = d.bit()
		extra := d.num()
		if extra > cap(more)-len(more) {
			d.bad = true
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

func (d *decoder) mention(words, headings int) dowse.Mention {
	m := dowse.Mention{Anchor: d.text(), At: d.span(words), Block: d.span(words), Context: math.NaN()}
	for i := range m.Above {
		m.Above[i] = d.small() - 1
		if int(m.Above[i]) >= headings {
			d.bad = true
		}
	}
	return m
}

func (d *decoder) link() dowse.URL {
	u, ok := d.url(d.num())
	if !ok {
		d.bad = true
	}
	return u
}

func (d *decoder) urls() (list []dowse.URL) {
	for range d.count(1) {
		list = append(list, dowse.URL(d.text()))
	}
	return list
}
