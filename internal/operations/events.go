package operations

import (
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/plain"
)

// The kinds of events.
const (
	EventPage      = "page"      // a page was fetched and judged
	EventFailed    = "failed"    // a URL failed for good
	EventSkipped   = "skipped"   // a URL was taken and not used
	EventRedirect  = "redirect"  // a URL leads to another one
	EventRetry     = "retry"     // a visit failed and is tried again
	EventRobots    = "robots"    // the robots.txt of a host was read
	EventSitemap   = "sitemap"   // a list of URLs was read
	EventSeeds     = "seeds"     // seeds were given
	EventRun       = "run"       // a run of the crawl began
	EventModel     = "model"     // a newer model, or labels, ruled on all pages
	EventForgotten = "forgotten" // a URL was taken down
	EventRequeued  = "requeued"  // URLs that failed or were skipped wait again
	EventRerated   = "rerated"   // a strategy changed the queue before a round
	EventMissed    = "missed"    // events were left out because the reader was too slow; read the state again
)

// An Event is something that happened in a crawl. Its ID is the offset in the journal behind its
// entry: IDs grow, and a reader continues behind the last one that it has seen.
type Event struct {
	ID    string    `json:"id" doc:"continue behind it with this ID"`
	Event string    `json:"event" doc:"what happened"`
	At    time.Time `json:"at"`
	URL   dowse.URL `json:"url,omitempty"`
	Title string    `json:"title,omitempty"`
	Host  string    `json:"host,omitempty"`
	// Relevance and Verdict are those of a page when it was visited.
	Relevance *float64      `json:"relevance,omitempty"`
	Verdict   string        `json:"verdict,omitempty"`
	Priority  *float64      `json:"priority,omitempty" doc:"the priority that it was visited at"`
	Because   []facts.Cause `json:"because,omitempty" doc:"the strongest reasons for the verdict"`
	Reason    dowse.Reason  `json:"reason,omitempty"`
	Detail    string        `json:"detail,omitempty"`
	Status    int           `json:"status,omitempty" doc:"HTTP status of the answer"`
	Target    dowse.URL     `json:"target,omitempty" doc:"where a redirect leads"`
	Links     int           `json:"links,omitempty" doc:"links that were found on it"`
	New       int           `json:"new_links,omitempty" doc:"those of them that were not known"`
	Queue     int           `json:"queue,omitempty" doc:"links that waited when it was taken"`
	Took      facts.Seconds `json:"took,omitempty" doc:"how long the download took (s)"`
	Bytes     int64         `json:"bytes,omitempty" doc:"of the answer as it came"`
	Count     int           `json:"count,omitempty" doc:"how many URLs, of seeds, models and requeued"`
	Model     string        `json:"model,omitempty"`
}

// eventID returns the ID of the event whose entry ends at a place.
func eventID(place uint64) string { return strconv.FormatUint(place, 10) }

// Bounds of events.
const (
	keptEvents  = 4096                   // that are in memory for readers that come back
	eventsEvery = 500 * time.Millisecond // between two looks at a journal
	eventsBatch = 2000                   // entries that are read in one go
	topReasons  = 5
)

// A follower reads the journal of a collection as it grows, for all readers of its events
// together. It works while there is a reader.
type follower struct {
	shelf *shelf
	tail  *ledger.Tail

	mu      sync.Mutex
	ring    []Event  // the last events, oldest first
	places  []uint64 // where their entries begin
	from    uint64   // entries before it are not in the ring
	upto    uint64   // where the next entry begins
	changed chan struct{}
	readers int
	ended   bool
	quit    chan struct{}
}

// Follow calls do with the events after the one with an ID, oldest first, and waits for more
// until ctx ends or do returns an error, which it returns. For "" it begins with what happens from
// now on, for "0" with the first event. do is also called with no event at all about every
// fifteen seconds, so that a connection can be kept open. An ID that is none of the
// collection's events is an error.
func (o *Operations) Follow(ctx context.Context, id, after string, do func([]Event) error) error {
	s, err := o.shelf(id)
	if err != nil {
		return err
	}
	at, err := s.placeAfter(ctx, after)
	if err != nil {
		return err
	}
	f, err := s.follower(ctx)
	if err != nil {
		return err
	}
	defer f.leave()
	if at == fromNow {
		at = f.end()
	}
	return f.deliver(ctx, at, do)
}

// Events returns at most n events after the one with an ID, and does not wait for more.
func (o *Operations) Events(ctx context.Context, id, after string, n int) ([]Event, error) {
	if err := limit(&n, defaultRows, maxRows); err != nil {
		return nil, err
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	at, err := s.placeAfter(ctx, after)
	if err != nil || at == fromNow {
		return []Event{}, err
	}
	list, _, err := s.past(ctx, at, n)
	return list, err
}

// fromNow is the place of a reader that wants what happens from now on.
const fromNow = ^uint64(0)

// placeAfter returns where to read on after the event with an ID. The ID of an event is where the
// next entry of the journal begins, so that is the place itself, if an entry begins there.
func (s *shelf) placeAfter(ctx context.Context, after string) (uint64, error) {
	if after == "" {
		return fromNow, nil
	}
	place, err := strconv.ParseUint(after, 10, 63)
	if err != nil {
		return 0, failf(Invalid, "after", "after: got %q, want the ID of an event", clip(after))
	}
	ahead := false
	check := func(v *openView) error {
		if ahead = place > v.end; ahead || place == v.end || place == 0 {
			return nil
		}
		if _, err := v.col.Journal.Entry(place, noURL); err != nil {
			return failf(Invalid, "after", "after: there is no event %q", clip(after))
		}
		return nil
	}
	if err := s.locked(ctx, check); err != nil {
		return 0, err
	}
	if ahead { // the view may be behind the reader
		s.renew()
		if err := s.locked(ctx, check); err != nil {
			return 0, err
		}
	}
	if ahead {
		return 0, failf(Invalid, "after", "after: there is no event %q yet", clip(after))
	}
	return place, nil
}

// noURL is for readers that need no strings of URLs.
func noURL(frontier.ID) dowse.URL { return "" }

// past returns at most n events from the entry at a place on, from the journal of the view, and
// where to read on.
func (s *shelf) past(ctx context.Context, at uint64, n int) (list []Event, next uint64, err error) {
	list = []Event{}
	err = s.locked(ctx, func(v *openView) error {
		if next = at; at >= v.end {
			return nil
		}
		for e, err := range v.col.Journal.Scan(at, v.col.URL) {
			if err != nil {
				continue // damage is no event
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			next = e.After()
			if x, ok := eventOf(e, v.col.Threshold()); ok {
				if list = append(list, x); len(list) == n {
					return nil
				}
			}
		}
		next = v.end
		return nil
	})
	return list, next, err
}

// follower returns the follower of a collection, and counts the caller as its reader.
func (s *shelf) follower(ctx context.Context) (*follower, error) {
	v, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer s.release(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.follow == nil || !s.follow.join() {
		f := &follower{shelf: s, from: v.end, upto: v.end, changed: make(chan struct{}), quit: make(chan struct{})}
		f.tail = ledger.NewTail(filepath.Join(s.dir, "state"), v.end, v.col.Crawl.Frontier().Len())
		s.follow = f
		f.readers = 1
		go f.run()
	}
	return s.follow, nil
}

// run reads the journal until there was no reader for a while.
func (f *follower) run() {
	tick := time.NewTicker(eventsEvery)
	defer tick.Stop()
	defer f.tail.Close()
	for idle := 0; idle < followerIdle; {
		select {
		case <-f.quit:
			f.markEnded()
			return
		case <-tick.C:
		}
		f.read()
		f.mu.Lock()
		if idle++; f.readers > 0 {
			idle = 0
		}
		f.ended = idle == followerIdle // with the lock held: no reader can join in between
		f.mu.Unlock()
	}
}

// followerIdle is after how many looks without a reader a follower ends.
const followerIdle = 600

// markEnded marks the follower as ended and wakes its readers.
func (f *follower) markEnded() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	close(f.changed)
	f.changed = make(chan struct{})
}

// join counts a reader, unless the follower has ended.
func (f *follower) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.readers++
	}
	return !f.ended
}

// stop ends the follower.
func (f *follower) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.quit:
	default:
		close(f.quit)
	}
}

// read adds what was appended to the journal.
func (f *follower) read() {
	for {
		v, err := f.shelf.peek()
		if err != nil {
			return
		}
		f.tail.Forget(v.known)
		entries, err := f.tail.Next(eventsBatch, v.urlOf)
		v.done()
		if len(entries) > 0 {
			f.add(entries, v.threshold)
		}
		if err != nil || len(entries) < eventsBatch {
			return
		}
	}
}

// A glance is what a follower needs of the present view.
type glance struct {
	known     int
	threshold float64
	urlOf     func(frontier.ID) dowse.URL
	done      func()
}

// peek returns what a follower needs of the present view, without making a new one.
func (s *shelf) peek() (*glance, error) {
	s.mu.Lock()
	v := s.cur
	if v == nil || s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	v.users++
	s.mu.Unlock()
	return &glance{
		known: v.col.Crawl.Frontier().Len(), threshold: v.col.Threshold(), done: func() { s.release(v) },
		urlOf: func(id frontier.ID) dowse.URL {
			v.mu.Lock()
			defer v.mu.Unlock()
			return v.col.URL(id)
		},
	}, nil
}

// add appends the events of entries to the ring and wakes the readers.
func (f *follower) add(entries []*crawl.Entry, threshold float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range entries {
		f.shelf.traffic.add(e)
		x, ok := eventOf(e, threshold)
		if !ok {
			continue
		}
		if len(f.ring) == keptEvents {
			half := keptEvents / 2
			f.from = f.places[half]
			f.ring, f.places = append([]Event(nil), f.ring[half:]...), append([]uint64(nil), f.places[half:]...)
		}
		f.ring, f.places = append(f.ring, x), append(f.places, e.Place())
	}
	f.upto = entries[len(entries)-1].After()
	close(f.changed)
	f.changed = make(chan struct{})
}

// end returns where the next entry begins.
func (f *follower) end() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.upto
}

// oldest returns where the first event of the ring begins.
func (f *follower) oldest() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.from
}

// leave ends the use of a follower.
func (f *follower) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers--
}

// after returns the events of the ring from a place on, a channel that is closed when there are
// more, and whether the ring has all of them.
func (f *follower) after(at uint64) (list []Event, next uint64, changed <-chan struct{}, ok, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, p := range f.places {
		if p >= at {
			list = append(list, f.ring[i])
		}
	}
	return list, max(at, f.upto), f.changed, at >= f.from, f.ended
}

// keepAlive is how often a reader without events is called.
const keepAlive = 15 * time.Second

// deliver calls do with the events from a place on until ctx ends.
func (f *follower) deliver(ctx context.Context, at uint64, do func([]Event) error) error {
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		list, next, changed, ok, ended := f.after(at)
		if !ok { // older than the ring: from the journal
			var err error
			if list, next, err = f.shelf.past(ctx, at, maxRows); err != nil {
				return err
			}
			if len(list) == 0 && next <= at { // the view is behind the ring
				next = f.oldest()
				list = []Event{{ID: eventID(next), Event: EventMissed, At: f.shelf.now().UTC()}}
			}
		}
		if len(list) > 0 {
			if err := do(list); err != nil {
				return err
			}
		}
		at = next
		if !ok {
			continue
		}
		if ended {
			return errClosed
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-alive.C:
			if err := do(nil); err != nil {
				return err
			}
		}
	}
}

// eventOf returns the event of an entry; false for entries that concern only the machinery.
func eventOf(e *crawl.Entry, threshold float64) (x Event, ok bool) {
	x = Event{ID: eventID(e.After()), At: e.At.UTC()}
	switch e.Kind {
	case crawl.EntryStart:
		x.Event, x.Count = EventSeeds, len(e.Seeds)
	case crawl.EntryPage:
		x.visit(e, threshold)
	case crawl.EntryRetry:
		x.Event, x.URL, x.Reason, x.Detail, x.Status = EventRetry, e.Page.URL, e.Page.Reason, e.Page.Detail, e.Page.Fetch.Status
	case crawl.EntryRobots:
		x.Event, x.Host = EventRobots, e.Host
		if e.Robots != nil {
			x.Status = e.Robots.Status
		}
	case crawl.EntryForget:
		x.Event, x.Detail = EventForgotten, e.Text
	case ledger.EntryModel:
		if x.Event, x.Model, x.Count = EventModel, e.Model, len(e.Rulings); e.Parts == 0 {
			return x, false
		}
	case ledger.EntryRequeue:
		x.Event, x.Detail, x.Count = EventRequeued, e.Text, len(e.Round)
	case ledger.EntryBefore:
		x.Event = EventRerated
	default:
		return x, false
	}
	x.Title, x.Detail = plain.Cut(x.Title, 500), plain.Cut(x.Detail, 500)
	return x, true
}

// visit sets how a visit ended.
func (x *Event) visit(e *crawl.Entry, threshold float64) {
	p := e.Page
	x.URL, x.Reason, x.Detail, x.Status = p.URL, p.Reason, p.Detail, p.Fetch.Status
	x.Queue, x.Took, x.Bytes = e.Queue, facts.Seconds(p.Fetch.Took), p.Fetch.Wire
	priority := facts.Finite(p.Lead.Priority)
	x.Priority = &priority
	switch p.Outcome {
	case dowse.Fetched:
		relevance := facts.Finite(p.Verdict.Relevance)
		x.Event, x.Title, x.Relevance, x.Verdict = EventPage, p.Title, &relevance, facts.VerdictOf(relevance, threshold)
		because := facts.Causes(p.Verdict.Because)
		x.Because = because[:min(len(because), topReasons)]
		x.Links = len(e.Links)
		for i := range e.Links {
			x.New += order(e.Links[i].Fresh)
		}
	case dowse.Redirected:
		x.Event = EventRedirect
		if len(e.Found) > 0 {
			x.Target = e.Found[0].URL
		}
	case dowse.Listed:
		x.Event, x.Links = EventSitemap, len(e.Links)
	case dowse.Failed:
		x.Event = EventFailed
	default:
		x.Event = EventSkipped
	}
}
