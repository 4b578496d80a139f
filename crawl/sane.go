package crawl

import (
	"errors"
	"fmt"
	"time"

	"dowse/internal/frontier"
)

// errImpossible is returned for a snapshot of a state that no crawl can have. Whoever
// loads it falls back to an older one, or to the journal alone. A checksum does not show
// that a crawl wrote it.
var errImpossible = errors.New("a state that no crawl can have")

// sane checks counters against what follows from how crawls work. So many URLs are known.
func (s *stats) sane(known int) error {
	switch {
	case s.Fetched < 0 || s.Fetched > known, s.OnTopic < 0 || s.OnTopic > s.Fetched:
		return fmt.Errorf("%w: %d pages fetched, %d on topic, of %d URLs", errImpossible, s.Fetched, s.OnTopic, known)
	case s.Requests < 0, s.Picks < 0, s.Bytes < 0, s.Elapsed < 0, len(s.recent) > recentPages:
		return fmt.Errorf("%w: counts below zero", errImpossible)
	}
	return nil
}

// sane checks what is known of hosts against what follows from how crawls work.
func (b *hosts) sane(latest time.Time, known int) (err error) {
	b.each(func(id frontier.HostID, h *host) {
		switch {
		case h.robotsUntil.After(latest.Add(robotsLife)), h.last.After(latest):
			err = fmt.Errorf("%w: host %d was visited in the future", errImpossible, id)
		case int(h.fetched) > known, h.onTopic > h.fetched, h.bytes < 0, h.maxDelay < 0:
			err = fmt.Errorf("%w: host %d gave %d pages of %d URLs", errImpossible, id, h.fetched, known)
		}
	})
	return err
}
