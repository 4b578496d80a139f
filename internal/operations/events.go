package operations

import (
	"context"
	"path/filepath"
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
	EventState     = "state"     // a run of the crawl began or ended
	EventSetting   = "setting"   // settings were changed, or a change was refused
	EventModel     = "model"     // a newer model, or labels, ruled on all pages
	EventForgotten = "forgotten" // a URL was taken down
	EventRequeued  = "requeued"  // URLs that failed or were skipped wait again
	EventRerated   = "rerated"   // a strategy changed the queue before a round
	EventMissed    = "missed"    // events were left out because the reader was too slow; read the state again
)

// An Event is something that happened in a crawl. Its ID is how far the journal and the logs were read with it: a
// reader continues behind the last event that it has seen, and misses none and gets none twice.
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
	State     string        `json:"state,omitempty" doc:"running or stopped, of a state"`
	By        string        `json:"by,omitempty" doc:"who changed a setting"`
}

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
	ring    []step   // the last events, oldest first
	from    position // what is before it is not in the ring
	upto    position // how far everything was read
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

// fromNow is the position of a reader that wants what happens from now on.
var fromNow = position{journal: ^uint64(0)}

// placeAfter returns where to read on after the event with an ID. Its place in the journal must be one where an entry
// begins.
func (s *shelf) placeAfter(ctx context.Context, after string) (position, error) {
	if after == "" {
		return fromNow, nil
	}
	at, err := s.parsePosition(after)
	if err != nil {
		return at, failf(Invalid, "after", "after: got %q, want the ID of an event", clip(after))
	}
	ahead := false
	check := func(v *openView) error {
		place := at.journal
		if ahead = place > v.end; ahead || place == v.end || place == 0 {
			return nil
		}
		if _, err := v.col.Journal.Entry(place, noURL); err != nil {
			return failf(Invalid, "after", "after: there is no event %q", clip(after))
		}
		return nil
	}
	if err := s.locked(ctx, check); err != nil {
		return at, err
	}
	if ahead { // the view may be behind the reader
		s.renew()
		if err := s.locked(ctx, check); err != nil {
			return at, err
		}
	}
	if ahead {
		return at, failf(Invalid, "after", "after: there is no event %q yet", clip(after))
	}
	return at, nil
}

// noURL is for readers that need no strings of URLs.
func noURL(frontier.ID) dowse.URL { return "" }

// past returns at most n events behind a position, from the journal and the logs of the view, and where to read on.
func (s *shelf) past(ctx context.Context, at position, n int) (list []Event, next position, err error) {
	list = []Event{}
	err = s.locked(ctx, func(v *openView) error {
		lines, read := linesOf(s.dir, at, v.seen())
		next = at
		take := func(x step) bool {
			x.advance(&next)
			list = append(list, x.Event)
			return len(list) < n
		}
		if at.journal < v.end {
			for e, err := range v.col.Journal.Scan(at.journal, v.col.URL) {
				if err != nil {
					continue // damage is no event
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				x, ok := stepOf(e, v.col.Threshold())
				for ; ok && len(lines) > 0 && !lines[0].At.After(x.At); lines = lines[1:] {
					if !take(lines[0]) {
						return nil
					}
				}
				if ok && !take(x) {
					return nil
				}
			}
			next.journal = v.end
		}
		for _, x := range lines {
			if !take(x) {
				return nil
			}
		}
		next = next.latest(read)
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
		f := &follower{shelf: s, from: v.seen(), upto: v.seen(), changed: make(chan struct{}), quit: make(chan struct{})}
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

// read adds what was appended to the journal and to the logs. The logs are read first: what the journal had when a
// line was written is then found in the journal.
func (f *follower) read() {
	lines, read := linesOf(f.shelf.dir, f.end(), unbounded)
	for {
		v, err := f.shelf.peek()
		if err != nil {
			return
		}
		f.tail.Forget(v.known)
		entries, err := f.tail.Next(eventsBatch, v.urlOf)
		v.done()
		if err != nil || len(entries) < eventsBatch {
			f.add(entries, lines, read, v.threshold)
			return
		}
		f.add(entries, nil, position{}, v.threshold)
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

// add appends the events of entries and of lines of the logs to the ring and wakes the readers. read is how far the logs were
// read.
func (f *follower) add(entries []*crawl.Entry, lines []step, read position, threshold float64) {
	if len(entries)+len(lines) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range entries {
		f.shelf.traffic.add(e)
		x, ok := stepOf(e, threshold)
		for ; ok && len(lines) > 0 && !lines[0].At.After(x.At); lines = lines[1:] {
			f.keep(lines[0])
		}
		if ok {
			f.keep(x)
		}
		f.upto.journal = e.After()
	}
	for _, x := range lines {
		f.keep(x)
	}
	f.upto = f.upto.latest(read)
	close(f.changed)
	f.changed = make(chan struct{})
}

// keep appends an event to the ring, and drops the older half of a full one.
func (f *follower) keep(x step) {
	if len(f.ring) == keptEvents {
		half := keptEvents / 2
		f.from = f.ring[half-1].done
		f.ring = append([]step(nil), f.ring[half:]...)
	}
	x.advance(&f.upto)
	f.ring = append(f.ring, x)
}

// end returns how far everything was read.
func (f *follower) end() position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.upto
}

// oldest returns where the ring begins.
func (f *follower) oldest() position {
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

// after returns the events of the ring behind a position, a channel that is closed when there are
// more, and whether the ring has all of them.
func (f *follower) after(at position) (list []Event, next position, changed <-chan struct{}, ok, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.ring {
		if f.ring[i].isBehind(at) {
			list = append(list, f.ring[i].Event)
		}
	}
	return list, at.latest(f.upto), f.changed, at == at.latest(f.from), f.ended
}

// keepAlive is how often a reader without events is called.
const keepAlive = 15 * time.Second

// deliver calls do with the events behind a position until ctx ends.
func (f *follower) deliver(ctx context.Context, at position, do func([]Event) error) error {
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		list, next, changed, ok, ended := f.after(at)
		if !ok { // older than the ring: from the journal
			var err error
			if list, next, err = f.shelf.past(ctx, at, maxRows); err != nil {
				return err
			}
			if len(list) == 0 && next == at { // the view is behind the ring
				next = at.latest(f.oldest())
				list = []Event{{ID: next.String(), Event: EventMissed, At: f.shelf.now().UTC()}}
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

// stepOf returns the event of an entry with its place in the journal; false for entries that are no event.
func stepOf(e *crawl.Entry, threshold float64) (step, bool) {
	x, ok := eventOf(e, threshold)
	return step{Event: x, source: fromJournal, begin: e.Place(), after: e.After()}, ok
}

// eventOf returns the event of an entry, without its ID; false for entries that concern only the machinery.
func eventOf(e *crawl.Entry, threshold float64) (x Event, ok bool) {
	x = Event{At: e.At.UTC()}
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
		if x.Event, x.Detail, x.Count = EventRequeued, e.Text, len(e.Round); x.Count == 0 {
			return x, false // a change of settings, which their log has
		}
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
