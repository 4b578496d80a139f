package collection

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"dowse/crawl"
	"dowse/internal/frontier"
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
// that the whole journal is folded. A sound snapshot with another key is a
// DamageError: the key in the settings is not that of the crawl, and with a wrong
// one the URLs that were taken down are not recognised.
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
		if errors.Is(err, frontier.ErrKey) {
			return 0, &DamageError{c.Dir, fmt.Errorf("the key in %s is not that of the crawl, and with another key URLs that were taken down are not recognised; bring the file back from a copy", settingsName)}
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

// Checkpoint returns a function that saves the state of now, so that the next opening need not
// fold the whole journal. The function may run while the crawl goes on and must be called once: the
// next Checkpoint waits for its end. All entries must be synced before Checkpoint is called. Older
// snapshots are removed after the new one is durable.
func (c *Collection) Checkpoint() (save func() error, err error) {
	c.saving.Wait()
	end := c.Journal.End()
	write, err := c.Crawl.Snapshot(end)
	if err != nil {
		return nil, fmt.Errorf("collection: save: %w", err)
	}
	c.saving.Add(1)
	return func() error {
		defer c.saving.Done()
		return c.saveSnapshot(fmt.Sprintf("snapshot-%016x.snap", end), write)
	}, nil
}

// saveSnapshot makes a snapshot durable and removes the older ones. It may run concurrently with
// the crawl.
func (c *Collection) saveSnapshot(name string, write func(io.Writer) error) error {
	if err := c.files().Sub("state").Replace(name, write); err != nil {
		return fmt.Errorf("collection: save: %w", err)
	}
	for i, name := range c.snapshots() {
		if i >= keptSnapshots {
			c.files().Sub("state").Remove(name)
		}
	}
	return nil
}
