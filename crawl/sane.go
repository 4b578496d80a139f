package crawl

import (
	"errors"
	"fmt"
	"time"

	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// errImpossible is returned for a snapshot of a state that no crawl can have. The caller of
// Restore falls back to an older one, or to the journal alone. A checksum does not show
// that a crawl wrote it.
var errImpossible = errors.New("a state that no crawl can have")

// check checks counters against what follows from how crawls work.
func (s *stats) check(urls frontier.ID, _ frontier.HostID) error {
	known := int(urls)
	switch {
	case s.Fetched < 0 || s.Fetched > known, s.OnTopic < 0 || s.OnTopic > s.Fetched:
		return fmt.Errorf("%w: %d pages fetched, %d on topic, of %d URLs", errImpossible, s.Fetched, s.OnTopic, known)
	case s.Requests < 0, s.Picks < 0, s.Bytes < 0, s.Elapsed < 0, len(s.recent.list) > recentPages:
		return fmt.Errorf("%w: counts below zero", errImpossible)
	}
	return nil
}

// check checks what is known of hosts against what follows from how crawls work.
func (b *hosts) check(urls frontier.ID, n frontier.HostID) (err error) {
	if b.len() != int(n) {
		return fmt.Errorf("%w: %d hosts of %d", wire.ErrDamaged, b.len(), n)
	}
	b.each(func(id frontier.HostID, h *host) {
		if h.fetched > uint32(urls) || h.onTopic > h.fetched || h.bytes < 0 || h.maxDelay < 0 {
			err = fmt.Errorf("%w: host %d gave %d pages of %d URLs", errImpossible, id, h.fetched, urls)
		}
	})
	return err
}

// checkTimes checks that no host was visited after the latest time that the crawl has seen,
// or rests for longer than any may.
func (b *hosts) checkTimes(latest time.Time) (err error) {
	if last := b.f.LastReady(); last.After(latest.Add(maxPark)) {
		return fmt.Errorf("%w: a host rests until %v", errImpossible, last)
	}
	b.each(func(id frontier.HostID, h *host) {
		if h.robotsUntil.After(latest.Add(robotsLife)) || h.last.After(latest) {
			err = fmt.Errorf("%w: host %d was visited in the future", errImpossible, id)
		}
	})
	return err
}
