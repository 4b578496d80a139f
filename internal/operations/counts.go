package operations

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// A pageCount is how many pages a collection has at one moment, or why that can't be read.
type pageCount struct {
	gen              string // of the files that were counted
	fetched, onTopic int
	err              error
}

// A counting is the last count of a collection, and the one that is being made.
type counting struct {
	last   *pageCount
	making chan struct{} // closed when it is made; nil if none is
	at     time.Time     // when the last one was made
	cost   viewCost
}

// count returns how many pages the collection has. A count is made again when the files have changed; while a
// crawl runs, for at most a part of the time, as views are. A collection that is open is counted by its view, so that
// whoever watches a crawl does not have it read twice. The result is waited for until soon ends.
// If that takes longer, the last count is returned, unless it was made before a time: nil then.
func (s *shelf) count(soon context.Context, running bool, since time.Time) *pageCount {
	gen := generation(s.dir)
	s.mu.Lock()
	if v := s.cur; v != nil && s.failed == nil && v.gen == gen {
		n := v.count()
		s.mu.Unlock()
		return n
	}
	if running && s.cur != nil && s.failed == nil && !s.closed {
		return s.countOpen(soon, since)
	}
	c := &s.counted
	age := s.now().Sub(c.at)
	recent := age >= 0 && age < c.cost.pause(behind(s.dir)) && !c.at.Before(since)
	if fresh := c.last != nil && (c.last.gen == gen || running && recent); fresh || s.closed {
		defer s.mu.Unlock()
		return c.last
	}
	if c.making == nil {
		c.making = make(chan struct{})
		go s.recount(gen)
	}
	wait := c.making
	s.mu.Unlock()
	select {
	case <-wait:
	case <-soon.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counted.at.Before(since) {
		return nil
	}
	return s.counted.last
}

// countOpen returns the counts of the view of a collection that is open and runs, nil if it was made before a time. A view
// that is due is made again first, and waited for until soon ends. It is called with the lock held, and unlocks it.
func (s *shelf) countOpen(soon context.Context, since time.Time) *pageCount {
	age := s.now().Sub(s.made)
	if s.made.Before(since) || age < 0 || age >= s.cost.pause(behind(s.dir)) {
		if s.making == nil {
			s.making = make(chan struct{})
			go s.remake()
		}
		wait := s.making
		s.mu.Unlock()
		select {
		case <-wait:
		case <-soon.Done():
		}
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if s.cur == nil || s.failed != nil || s.made.Before(since) {
		return nil
	}
	return s.cur.count()
}

// maxCounts is how many collections are counted at the same time. A list of hundreds that were all copied, or killed, would otherwise
// load them all into memory.
const maxCounts = 2

// recount counts the pages with a view of its own, which it closes: a list must not hold all
// collections in memory.
func (s *shelf) recount(gen string) {
	s.counters <- struct{}{}
	defer func() { <-s.counters }()
	began, tail := time.Now(), behind(s.dir)
	n := &pageCount{}
	v, err := viewOf(s.dir, s.now())
	if err == nil {
		n = v.count()
		err = v.cr.Close()
	}
	n.gen, n.err = gen, err
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.counted
	c.last, c.at = n, s.now()
	c.cost.add(time.Since(began), tail)
	close(c.making)
	c.making = nil
}

// count returns the counts of a view.
func (v *openView) count() *pageCount {
	n := &pageCount{gen: v.gen, fetched: len(v.pages.ids)}
	if n.fetched > 0 {
		n.onTopic = int(v.pages.on[n.fetched-1])
	}
	return n
}

// modified returns when the files that a view is made from last changed.
func modified(dir string) (last time.Time) {
	for _, name := range viewFiles(dir) {
		if st, err := os.Lstat(name); err == nil && st.ModTime().After(last) {
			last = st.ModTime()
		}
	}
	return last
}

// viewFiles lists the files that a view is made from.
func viewFiles(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "state", "journal-*.log"))
	return append(names, filepath.Join(dir, "crawl.yaml"), filepath.Join(dir, "topic.yaml"))
}
