package operations

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Bounds of the events that are looked for.
const (
	recentPages  = 60      // pages back from the end of the journal
	recentLog    = 8 << 10 // bytes back from the end of each log
	recentEvents = 2000    // events that are read in one go, and kept
	recentReads  = 5       // how often, if a crawl without pages has more
)

// Recent returns at most n of the last events that a caller wants, the newest first. It looks at the end of the journal
// and of the logs only, so events of long ago are missing.
func (o *Operations) Recent(ctx context.Context, id string, n int, want func(*Event) bool) ([]Event, error) {
	if err := limit(&n, defaultRows, maxRows); err != nil {
		return nil, err
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	events, err := s.lastEvents(ctx)
	list := []Event{}
	for i := len(events) - 1; i >= 0 && len(list) < n; i-- {
		if want(&events[i]) {
			list = append(list, events[i])
		}
	}
	return list, err
}

// lastEvents returns the events behind the last pages of the journal and the last lines of the logs, oldest first. They are
// kept until there are more, and for a moment only.
func (s *shelf) lastEvents(ctx context.Context) (list []Event, err error) {
	var at, end position
	err = s.use(ctx, func(v *openView) error {
		end = v.seen()
		at.runs, at.settings = end.runs-min(end.runs, recentLog), end.settings-min(end.settings, recentLog)
		if n := len(v.pages.places); n > recentPages {
			at.journal = v.pages.places[n-recentPages]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if kept, ok := s.last.get(end, s.now()); ok {
		return kept, nil
	}
	for range recentReads {
		more, next, err := s.past(ctx, at, recentEvents)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		list = slices.Delete(list, 0, max(0, len(list)-recentEvents))
		if len(more) < recentEvents {
			break
		}
		at = next
	}
	s.last.put(end, list, s.now())
	return list, nil
}

// Revision returns a text that changes whenever the files of a collection do. Asking for it costs a look at the names
// and sizes of a few files, whatever was written, so it is for those who only need to know that something has
// changed.
func (o *Operations) Revision(id string) (string, error) {
	s, err := o.shelf(id)
	if err != nil {
		return "", err
	}
	return generation(s.dir), nil
}

// A keptLast is the result of the last search for events.
type keptLast struct {
	mu     sync.Mutex
	end    position
	till   time.Time
	events []Event
}

// keepLast is how long events are kept. It is short, since another process may take a page down.
const keepLast = 10 * time.Second

// get returns the events before a position, if they were looked for a moment ago.
func (k *keptLast) get(end position, now time.Time) ([]Event, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.events, k.end == end && now.Before(k.till)
}

// put keeps the events before a position.
func (k *keptLast) put(end position, list []Event, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.end, k.till, k.events = end, now.Add(keepLast), list
}

// clear forgets the events: pages may have been taken down.
func (k *keptLast) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.till, k.events = time.Time{}, nil
}
