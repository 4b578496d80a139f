package logistic

import (
	"math"

	"dowse/internal/text"
)

// A cell counts pages (N) and sums their relevance (C).
type cell struct{ N, C float64 }

func (c *cell) add(d cell) {
	c.N += d.N
	c.C += d.C
}

// take adds a page of relevance r.
func (c *cell) take(r float64) {
	c.N++
	c.C += r
}

// mean returns the mean relevance, smoothed by two imaginary pages of relevance base.
func (c cell) mean(base float64) float64 { return (c.C + float64(2*base)) / (c.N + 2) }

const lastPages = 1 << 14 // pages whose links are counted

// A ring holds the tallies of the links of the last pages, by the number of the page.
type ring struct {
	pages []cell
	next  uint32 // number of the next page
}

func newRing() ring { return ring{make([]cell, lastPages), 1} }

// number returns a new page number and clears its tally.
func (k *ring) number() uint32 {
	n := k.next
	k.next++
	k.pages[n%lastPages] = cell{}
	return n
}

// page returns the tally of a page's links. For a page that has left the ring it
// returns an empty one, so updates are lost without harm.
func (k *ring) page(n uint32) *cell {
	if n+lastPages <= k.next {
		return &cell{}
	}
	return &k.pages[n%lastPages]
}

// tallies hold outcomes by the hash of their key. There are no chains: a new key replaces the
// one that has its slot. Those of length 0 count nothing.
type tallies []hostCell

// hostCell is a tally with its key. The name is that of the saved form.
type hostCell struct {
	Hash uint64
	Cell cell
}

const tableSize = 1 << 14 // slots of a table

// take adds a page of relevance r to the tally of a key.
func (t tallies) take(key uint64, r float64) {
	if len(t) == 0 {
		return
	}
	c := &t[key%tableSize]
	if c.Hash != key {
		*c = hostCell{Hash: key}
	}
	c.Cell.take(r)
}

// of returns the tally of a key, an empty one if the table does not have it.
func (t tallies) of(key uint64) cell {
	if c := &t[key%tableSize]; c.Hash == key {
		return c.Cell
	}
	return cell{}
}

// rating limits a judge's rating to 0 .. 1; NaN, which means none, becomes 0.
func rating(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// logit is the log-odds of x, smoothed by 0.01 and scaled so that 0 maps to -1 and 1
// to 1.
func logit(x float64) float64 {
	const ends, most = 0.01, 4.61512051684126 // ln 101
	return math.Log((x+ends)/(1-x+ends)) / most
}

// keyOf returns the key of a host or folder in a table.
func keyOf(name string) uint64 { return text.Hash(name) }

// sectionKey returns the key of a section of a page.
func sectionKey(page uint32, section uint8) uint64 {
	return (uint64(page)<<8 | uint64(section)) * 0x9E3779B97F4A7C15 >> 7
}

// headingKey returns the key of a heading by the code of its text; 0 for none.
func headingKey(code uint16) uint64 { return uint64(code) * 0x9E3779B97F4A7C15 }
