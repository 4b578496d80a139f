package collection

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"dowse/crawl"
)

// keptSnapshots is how many snapshots are kept. The older one is used if the
// newer one is damaged.
const keptSnapshots = 2

// snapshots returns the names of the snapshots, the newest first.
func (c *Collection) snapshots() []string {
	names, _ := c.files().Sub("state").Names("snapshot-*.snap")
	slices.Reverse(names)
	return names
}

// loadSnapshot restores the newest sound snapshot and returns the journal
// offset from which to fold. Without one it returns a new crawl and 0, so
// that the whole journal is folded.
func (c *Collection) loadSnapshot(cfg crawl.Config) (from uint64, err error) {
	for _, name := range c.snapshots() {
		c.Journal.KeepBefore(offsetOf(name))
		if c.Journal.RuledAfter(offsetOf(name)) {
			break // a newer model ruled on what was visited before: all is decided again
		}
		c.Crawl, from, err = c.readSnapshot(name, cfg) // which leaves the strategy as it is if there is an error
		if err == nil {
			return from, nil
		}
		if c.readOnly && (errors.Is(err, fs.ErrNotExist) || offsetOf(name) > c.opened) {
			continue // another process has removed it, or made it, since the collection was opened
		}
		c.notice("%s can't be used and was passed over: %v", name, err)
	}
	c.Crawl, err = crawl.New(cfg)
	return 0, err
}

// offsetOf returns the journal offset in the name of a snapshot.
func offsetOf(name string) (end uint64) {
	fmt.Sscanf(name, "snapshot-%016x.snap", &end)
	return end
}

// readSnapshot restores one snapshot. A snapshot that is ahead of the
// journal is an error, since its entries are lost.
func (c *Collection) readSnapshot(name string, cfg crawl.Config) (*crawl.Crawl, uint64, error) {
	if end := offsetOf(name); end > c.Journal.End() {
		return nil, 0, fmt.Errorf("it is ahead of the journal (%d, %d)", end, c.Journal.End())
	}
	f, err := c.files().Sub("state").Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	cr, from, err := crawl.Restore(cfg, bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return nil, 0, err
	}
	if from > c.Journal.End() {
		return nil, 0, fmt.Errorf("it is ahead of the journal (%d, %d)", from, c.Journal.End())
	}
	return cr, from, nil
}

// Checkpoint saves the state, so that the next opening need not fold the
// whole journal. All entries must be synced before the call. Older snapshots
// are removed after the new one is durable.
func (c *Collection) Checkpoint() error {
	end := c.Journal.End()
	name := fmt.Sprintf("snapshot-%016x.snap", end)
	err := c.files().Sub("state").Replace(name, func(w io.Writer) error { return c.Crawl.Snapshot(w, end) })
	if err != nil {
		return fmt.Errorf("collection: save: %w", err)
	}
	for i, name := range c.snapshots() {
		if i >= keptSnapshots {
			c.files().Sub("state").Remove(name)
		}
	}
	return nil
}
