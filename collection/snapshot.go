package collection

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dowse/crawl"
)

const keptSnapshots = 2

func (c *Collection) snapshots() []string {
	names, _ := filepath.Glob(filepath.Join(c.state(), "snapshot-*.snap"))
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

// loadSnapshot restores the newest sound snapshot. Without one the whole journal
// is folded.
func (c *Collection) loadSnapshot(cfg crawl.Config) (from uint64, err error) {
	for _, name := range c.snapshots() {
		c.Journal.Keep(offsetOf(name))
		if c.Journal.RuledAfter(offsetOf(name)) {
			break // a newer model ruled on what was visited before: all is decided again
		}
		c.Crawl, from, err = c.readSnapshot(name, cfg) // which leaves the strategy as it is if there is an error
		if err == nil {
			return from, nil
		}
		c.notice("%s can't be used and was passed over: %v", filepath.Base(name), err)
	}
	c.Crawl, err = crawl.New(cfg)
	return 0, err
}

// offsetOf returns the journal offset in the name of a snapshot.
func offsetOf(name string) (end uint64) {
	fmt.Sscanf(filepath.Base(name), "snapshot-%016x.snap", &end)
	return end
}

func (c *Collection) readSnapshot(name string, cfg crawl.Config) (*crawl.Crawl, uint64, error) {
	if end := offsetOf(name); end > c.Journal.End() {
		return nil, 0, fmt.Errorf("it is ahead of the journal (%d, %d)", end, c.Journal.End())
	}
	f, err := os.Open(name)
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

// Checkpoint saves the state, so that the next opening need not fold the whole
// journal. All that was recorded must have been synced.
func (c *Collection) Checkpoint() error {
	end := c.Journal.End()
	path := filepath.Join(c.state(), fmt.Sprintf("snapshot-%016x.snap", end))
	if err := c.writeSnapshot(path, end); err != nil {
		os.Remove(path + ".tmp")
		return fmt.Errorf("collection: save: %w", err)
	}
	for i, name := range c.snapshots() {
		if i >= keptSnapshots {
			os.Remove(name)
		}
	}
	return nil
}

func (c *Collection) writeSnapshot(path string, end uint64) error {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = c.Crawl.Snapshot(w, end)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}
