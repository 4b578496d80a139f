package ledger

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"time"

	"dowse"
	"dowse/internal/facts"
)

// The table of facts (package facts) decides which fields of a page an entry
// holds, and in which order. This file decides how a field of each Go type is
// written. Facts that were added after the format was fixed have codes: they
// follow the links of a page, and a program that does not know them reads the
// entry without them.

// facts writes the fields of a page that belong to groups. A group of one fact is
// its value; a group of several is a byte with one bit per fact, and then the
// values of those that are set and are no bits themselves. A time in a group is in whole seconds.
func (w *enc) facts(groups []facts.Group, p *dowse.Page) {
	for _, g := range groups {
		if len(g) == 1 {
			w.field(g[0].Field(p))
			continue
		}
		w.byte(groupBits(g, p))
		for _, f := range g {
			switch v := f.Field(p).(type) {
			case **int:
				if *v != nil {
					w.u(uint64(**v))
				}
			case *facts.Runs:
				w.runs(*v)
			case *[]uint32:
				w.hashes(*v)
			case *time.Time:
				if !v.IsZero() {
					w.i(v.Unix())
				}
			}
		}
	}
}

// runs writes parts of a text, if there are any: their number, the gap before each,
// and its length.
func (w *enc) runs(list facts.Runs) {
	if len(list) == 0 {
		return
	}
	w.u(uint64(len(list)))
	at := int32(0)
	for _, r := range list {
		w.u(uint64(r.Start - at))
		w.u(uint64(r.Len()))
		at = r.End
	}
}

// runs reads what enc.runs wrote. Runs that no text can have are damage.
func (r *dec) runs() (list facts.Runs) {
	at := uint64(0)
	for range r.items(2) {
		start := at + r.u()
		end := start + r.u()
		if start < at || end < start || end > math.MaxInt32 {
			r.fail()
			return nil
		}
		list = append(list, dowse.Span{Start: int32(start), End: int32(end)})
		at = end
	}
	return list
}

// hashes writes hashes of blocks, if there are any.
func (w *enc) hashes(list []uint32) {
	if len(list) == 0 {
		return
	}
	w.u(uint64(len(list)))
	for _, h := range list {
		w.Uint32(h)
	}
}

// hashes reads what enc.hashes wrote.
func (r *dec) hashes() (list []uint32) {
	for range r.items(4) {
		list = append(list, r.Uint32())
	}
	return list
}

// groupBits returns the byte of a group: one bit per fact, set if the fact is
// true or if it has a value that follows.
func groupBits(g facts.Group, p *dowse.Page) (b byte) {
	for i, f := range g {
		switch v := f.Field(p).(type) {
		case *bool:
			b |= flagBits(*v) << i
		case **int:
			b |= flagBits(*v != nil) << i
		case *facts.Runs:
			b |= flagBits(len(*v) > 0) << i
		case *[]uint32:
			b |= flagBits(len(*v) > 0) << i
		case *time.Time:
			b |= flagBits(!v.IsZero()) << i
		}
	}
	return b
}

// field writes the value of a field of a page, by its type. A type that is not
// listed here is a mistake in the table of facts and panics, which every test
// that writes an entry notices.
func (w *enc) field(field any) {
	switch v := field.(type) {
	case *string:
		w.s(*v)
	case *dowse.URL:
		w.s(string(*v))
	case *dowse.Outcome:
		w.byte(byte(*v))
	case *dowse.Reason:
		w.byte(ReasonCode(*v))
	case *bool:
		w.bool(*v)
	case *int8:
		w.byte(byte(*v))
	case *int:
		w.u(uint64(*v))
	case *facts.Signed:
		w.i(int64(*v))
	case *int64:
		w.i(*v)
	case *float64:
		w.f(*v)
	case *time.Time:
		w.t(*v)
	case *time.Duration:
		w.i(int64(*v))
	case *netip.Addr:
		w.bytes(v.AsSlice())
	case *dowse.Place:
		w.s(v.File)
		w.i(v.Offset)
		w.i(v.Length)
	case **dowse.HostReport:
		w.report(*v)
	case *[]dowse.Span:
		w.u(uint64(len(*v))) // the text itself is in the archive
	case *dowse.Sketch:
		w.sketch(v)
	case *[]string:
		w.u(uint64(len(*v)))
		for _, s := range *v {
			w.s(s)
		}
	case *[]dowse.URL:
		w.urls(*v)
	case *[]dowse.Because:
		w.because(*v)
	default:
		panic(fmt.Sprintf("crawl: the journal can't hold a field of type %T", field))
	}
}

// report writes what a visit showed of its host.
func (w *enc) report(h *dowse.HostReport) {
	w.bool(h != nil)
	if h != nil {
		w.i(int64(h.RetryAfter))
		w.bool(h.BackOff)
		w.bool(h.Down)
		w.bool(h.Local)
	}
}

// tagged writes the facts that have codes, if any is set: their number, and for
// each its code, its length and its value. The length lets a reader skip a fact
// that it does not know.
func (w *enc) tagged(p *dowse.Page) {
	set := 0
	for _, f := range facts.JournalTaggedFacts() {
		if isSet(f.Field(p)) {
			set++
		}
	}
	if set == 0 {
		return
	}
	w.u(uint64(set))
	for _, f := range facts.JournalTaggedFacts() {
		if isSet(f.Field(p)) {
			value := &enc{}
			value.field(f.Field(p))
			w.u(uint64(f.Journal))
			w.bytes(value.B)
		}
	}
}

// isSet reports whether a field is other than the zero value of its type.
func isSet(field any) bool { return !reflect.ValueOf(field).Elem().IsZero() }

// facts reads what enc.facts wrote.
func (r *dec) facts(groups []facts.Group, p *dowse.Page) {
	for _, g := range groups {
		if len(g) == 1 {
			r.field(g[0].Field(p))
			continue
		}
		bits := r.byte()
		for i, f := range g {
			set := bits&(1<<i) != 0
			switch v := f.Field(p).(type) {
			case *bool:
				*v = set
			case **int:
				if set {
					n := int(min(r.u(), math.MaxUint16))
					*v = &n
				}
			case *facts.Runs:
				if set {
					*v = r.runs()
				}
			case *[]uint32:
				if set {
					*v = r.hashes()
				}
			case *time.Time:
				if set {
					*v = time.Unix(r.i(), 0).UTC()
				}
			}
		}
	}
}

// field reads what enc.field wrote.
func (r *dec) field(field any) {
	switch v := field.(type) {
	case *string:
		*v = r.s()
	case *dowse.URL:
		*v = dowse.URL(r.s())
	case *dowse.Outcome:
		*v = dowse.Outcome(r.byte())
	case *dowse.Reason:
		*v = ReasonOf(r.byte())
	case *bool:
		*v = r.bool()
	case *int8:
		*v = int8(r.byte())
	case *int:
		*v = int(r.u())
	case *facts.Signed:
		*v = facts.Signed(r.i())
	case *int64:
		*v = r.i()
	case *float64:
		*v = r.f()
	case *time.Time:
		*v = r.t()
	case *time.Duration:
		*v = time.Duration(r.i())
	case *netip.Addr:
		*v, _ = netip.AddrFromSlice(r.raw())
	case *dowse.Place:
		*v = dowse.Place{File: r.s(), Offset: r.i(), Length: r.i()}
	case **dowse.HostReport:
		if r.bool() {
			*v = &dowse.HostReport{RetryAfter: time.Duration(r.i()), BackOff: r.bool(), Down: r.bool(), Local: r.bool()}
		}
	case *[]dowse.Span:
		r.u() // their number; the text itself is in the archive
	case *dowse.Sketch:
		r.sketch(v)
	case *[]string:
		for range r.items(1) {
			*v = append(*v, r.s())
		}
	case *[]dowse.URL:
		*v = r.urls()
	case *[]dowse.Because:
		*v = r.because()
	default:
		panic(fmt.Sprintf("crawl: the journal can't hold a field of type %T", field))
	}
}

// tagged reads the facts that have codes, if there are any, and skips those whose
// code is unknown. An entry that was shortened by a takedown ends with zeros,
// which are read as a list of no facts.
func (r *dec) tagged(p *dowse.Page) {
	if r.Err != nil || len(r.Rest) == 0 {
		return
	}
	for range r.items(2) {
		code, value := r.u(), r.raw()
		for _, f := range facts.JournalTaggedFacts() {
			if uint64(f.Journal) == code {
				d := newDec(value)
				d.field(f.Field(p))
				if d.Err != nil {
					r.fail()
				}
			}
		}
	}
}
