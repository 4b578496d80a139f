package ledger

import (
	"iter"
	"slices"
	"time"

	"dowse/internal/wire"
)

// An enc writes entries of the journal and snapshots. Its short names keep the order of
// fields in the codecs readable.
type enc struct {
	wire.Writer
	names []string // strings that recur within one entry
	only  []string // if not nil, no others are remembered: see record.redact
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

const maxNames = 64 // recurring strings remembered to an entry

// How a string that recurs is written: as itself, to be remembered or not, or as its
// number among those that are remembered.
const (
	nameKept = iota
	nameOnce
	nameKnown // and its number
)

// name writes a string that recurs.
func (e *enc) name(v string) {
	for i, n := range e.names {
		if n == v {
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

// errShort is the fault of bytes that no enc can have written.
var errShort = wire.ErrDamaged

// A dec reads what an enc wrote. After the first fault all reads return zero values and Err
// is set.
type dec struct {
	wire.Reader[[]byte]
	names []string

	linkless bool // links of pages are not wanted
}

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
