package ledger

import (
	"iter"
	"slices"
	"time"

	"dowse/internal/wire"
)

// An enc writes entries. Its methods have short names, so that the order of
// fields, which is the format, can be read in the codecs at a glance.
type enc struct {
	wire.Writer
	names []string // strings of this entry that are remembered
	next  int      // index of the one that is likely to come next
	only  []string // if not nil, no others are remembered: see redactor.entry
}

func (e *enc) u(v uint64)     { e.Uint(v) }
func (e *enc) i(v int64)      { e.Int(v) }
func (e *enc) f(v float64)    { e.Float(v) }
func (e *enc) u64(v uint64)   { e.Uint64(v) }
func (e *enc) byte(v byte)    { e.Byte(v) }
func (e *enc) bool(v bool)    { e.Bool(v) }
func (e *enc) s(v string)     { e.Text(v) }
func (e *enc) t(v time.Time)  { e.Time(v) }
func (e *enc) bytes(v []byte) { e.Bytes(v) }

// maxNames is how many recurring strings are remembered per entry. The limit
// bounds the linear search in enc.name.
const maxNames = 64

// How a string that may recur is written: as itself, to be remembered or not, or
// as its number among those that are remembered. Reasons name the same few words
// for every link of a page, so this makes the entry of a page much shorter.
const (
	nameKept = iota
	nameOnce
	nameKnown // and its number
)

// name writes a string that may recur in the same entry. The reasons of links are the same ones in the same order, so
// the string after the last one is compared first.
func (e *enc) name(v string) {
	if i := e.next; i < len(e.names) && e.names[i] == v {
		e.next++
		e.u(uint64(i + nameKnown))
		return
	}
	for i, n := range e.names {
		if n == v {
			e.next = i + 1
			e.u(uint64(i + nameKnown))
			return
		}
	}
	if len(e.names) >= maxNames || e.only != nil && !slices.Contains(e.only, v) {
		e.u(nameOnce)
		e.s(v)
		return
	}
	e.u(nameKept)
	e.s(v)
	e.names = append(e.names, v)
}

// errShort is the error of bytes that no enc can have written.
var errShort = wire.ErrDamaged

// A dec reads what an enc wrote. After the first fault all reads return zero
// values and Err is set, so a codec checks for errors once, at its end.
type dec struct {
	wire.Reader[[]byte]
	names []string

	links linkForm // what the caller wants of the links of pages
}

// A linkForm is how much of the links of pages is read.
type linkForm uint8

const (
	wholeLinks linkForm = iota
	linkIDs             // the numbers of their URLs
	noLinks
)

func newDec(b []byte) *dec { return &dec{Reader: wire.Reader[[]byte]{Rest: b}} }

func (d *dec) u() uint64                    { return d.Uint() }
func (d *dec) i() int64                     { return d.Int() }
func (d *dec) u64() uint64                  { return d.Uint64() }
func (d *dec) f() float64                   { return d.Float() }
func (d *dec) byte() byte                   { return d.Byte() }
func (d *dec) bool() bool                   { return d.Bool() }
func (d *dec) t() time.Time                 { return d.Time() }
func (d *dec) s() string                    { return d.Text() }
func (d *dec) bytes() []byte                { return append([]byte(nil), d.Raw()...) }
func (d *dec) raw() []byte                  { return d.Raw() }
func (d *dec) count(size int) int           { return d.Count(size) }
func (d *dec) items(size int) iter.Seq[int] { return d.Items(size) }
func (d *dec) fail()                        { d.Fail() }

// skipName passes over what enc.name wrote.
func (d *dec) skipName() {
	if d.u() < nameKnown {
		d.raw()
	}
}

// name reads what enc.name wrote. It must be called in the same order, since
// the numbers depend on it.
func (d *dec) name() string {
	how := d.u()
	if how >= nameKnown {
		i := how - nameKnown
		if i >= uint64(len(d.names)) {
			d.fail()
			return ""
		}
		return d.names[i]
	}
	v := d.s()
	if how == nameKept && len(d.names) < maxNames {
		d.names = append(d.names, v)
	}
	return v
}
