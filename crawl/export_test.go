package crawl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/refresh"
	"dowse/internal/wire"
)

// Reseal gives the core of a snapshot the right size, magic and checksum, so that a
// fuzz test gets past them.
func Reseal(b []byte) []byte {
	b = bytes.Clone(b)
	least := len(ledger.SnapshotMagic) + 4
	n := int(binary.LittleEndian.Uint64(b)) // of the core
	if n < least || n > len(b)-8 {
		n = max(least, (len(b)-8)/2)
	}
	if n > len(b)-8 {
		return b
	}
	binary.LittleEndian.PutUint64(b, uint64(n))
	core := b[8 : 8+n]
	copy(core, ledger.SnapshotMagic)
	sum := crc32.Checksum(core[:n-4], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(core[n-4:], sum)
	return b
}

// Repeats returns what is known of the blocks that the pages of hosts repeat, as a snapshot has it.
func Repeats(c *Crawl) []byte {
	var w wire.Writer
	c.f.repeats.Write(&w)
	return w.B
}

// LinksIn returns how many pages link to a URL.
func LinksIn(c *Crawl, id frontier.ID) int { return c.f.inlinks.of(id) }

// Checks returns what a crawl knows of pages that were asked again, one line for each.
func Checks(c *Crawl) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.f.checks.pages)) {
		x := c.f.checks.pages[id]
		fmt.Fprintln(&b, id, x.at.UnixNano(), x.seen, x.missing, c.f.checks.out[id])
	}
	return b.String()
}

// MaxShadows bounds the shadows of a crawl.
const MaxShadows = maxShadows

// CountPages sets the number of pages that a crawl counts as fetched.
func CountPages(c *Crawl, n int) { c.stats.Fetched = n }

// NeedsWhole reports whether a Fold failed because it must begin at the beginning of
// the journal, with a new crawl: rulings came after the snapshot.
func NeedsWhole(err error) bool { return errors.Is(err, errNewerModel) }

// Limits of the package, for the tests outside it.
const (
	AnyPart      = anyPart
	MaxUnreached = maxUnreached
)

// Unbegun returns the page of a visit that was not begun.
func Unbegun(v Visit) *dowse.Page {
	p := v.Page()
	setUnbegun(p)
	return p
}

// Restarted has the hosts rest as at the beginning of a run.
func (c *Crawl) Restarted(now time.Time) { c.restarted(now) }

// Threshold returns the relevance from which pages are on topic at the moment.
func (c *Crawl) Threshold() float64 { return c.stats.line.threshold }

// Settable returns the config of the crawl as Set takes it.
func (c *Crawl) Settable() Config {
	cfg := *c.cfg
	if cfg.Polite.Delay == 0 { // there is none; as given, 0 would mean the default
		cfg.Polite.Delay = None
	}
	return cfg
}

// NoteReturns informs a planner of what entries of checks show of missing pages that come back.
func NoteReturns(planner *refresh.Planner, entries []*Entry) {
	a := absences{}
	for _, e := range entries {
		a.note(e, planner)
	}
}
