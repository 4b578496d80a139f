package crawl

import (
	"errors"
	"fmt"

	"dowse/internal/frontier"
)

// errImpossible is returned for a snapshot of a state that no crawl can have. Whoever
// loads it falls back to an older one, or to the journal alone.
var errImpossible = errors.New("a state that no crawl can have")

// sane checks what a snapshot says against what follows from how crawls work. A checksum
// does not show that a crawl wrote it.
func (c *Crawl) sane() error {
	s, known := &c.stats, c.f.Len()
	switch {
	case c.f.LastReady().After(c.latest.Add(maxPark)):
		return fmt.Errorf("%w: a host rests until %v", errImpossible, c.f.LastReady())
	case s.Fetched < 0 || s.Fetched > known, s.OnTopic < 0 || s.OnTopic > s.Fetched:
		return fmt.Errorf("%w: %d pages fetched, %d on topic, of %d URLs", errImpossible, s.Fetched, s.OnTopic, known)
	case s.Requests < 0, s.Picks < 0, s.Bytes < 0, s.Elapsed < 0, len(s.recent) > recentPages:
		return fmt.Errorf("%w: counts below zero", errImpossible)
	}
	return c.saneHosts()
}

func (c *Crawl) saneHosts() (err error) {
	known := c.f.Len()
	c.hosts.each(func(id frontier.HostID, h *host) {
		switch {
		case h.robotsUntil.After(c.latest.Add(robotsLife)), h.last.After(c.latest):
			err = fmt.Errorf("%w: host %d was visited in the future", errImpossible, id)
		case int(h.fetched) > known, h.onTopic > h.fetched, h.bytes < 0, h.maxDelay < 0:
			err = fmt.Errorf("%w: host %d gave %d pages of %d URLs", errImpossible, id, h.fetched, known)
		}
	})
	return err
}
