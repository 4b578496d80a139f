package crawl

import (
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/refresh"
	"dowse/internal/wire"
)

// Pages that were visited can be asked again, to see whether they have changed (Config.Refresh).
// Such a visit is called a check. Which page is asked depends on the clock and on estimates, so
// the choice is an input: the journal has an entry for it (entryCheck), and one for what came of
// it, as for any visit. All that follows is a fold of these two.
//
// A check that finds a new version is a page like any other: it gets an entry with its
// links, it becomes what is known of the URL, and the strategy follows it. One that finds
// the same page, none, or no answer is only counted.

// maxMissing is how often in a row a page may be missing before it is gone.
const maxMissing = 3

// checks is what the journal shows of pages that were asked again.
type checks struct {
	pages map[frontier.ID]check
	out   set // that are being asked
	tally checkTally
}

// A checkTally counts what came of asking for pages again, over all runs.
type checkTally struct {
	Changed   int `json:"changed" doc:"new versions that were found"`
	Unchanged int `json:"unchanged" doc:"pages found unchanged"`
	Missing   int `json:"missing" doc:"answers that there is no such page (404, 410)"`
	Other     int `json:"other" doc:"pages that moved, could not be asked or may not be"`
	Gone      int `json:"gone" doc:"pages that were missing three times in a row"`
}

// add counts one page.
func (t *checkTally) add(p *dowse.Page) {
	switch {
	case isUnchanged(p): // also if it was fetched for its links
		t.Unchanged++
	case p.Outcome == dowse.Listed && !hasNewItems(p):
		t.Unchanged++
	case p.Outcome == dowse.Fetched, p.Outcome == dowse.Listed:
		t.Changed++
	case isMissing(p):
		t.Missing++
	default:
		t.Other++
	}
}

// made returns how many answers are counted.
func (t *checkTally) made() int { return t.Changed + t.Unchanged + t.Missing + t.Other }

// A check is what came of asking for one page, each time that it was.
type check struct {
	at      time.Time // when its content was last known
	seen    refresh.History
	missing uint8 // answers in a row that there is no such page
}

func newChecks() checks { return checks{pages: map[frontier.ID]check{}, out: set{}} }

// isOut reports whether a page is being asked again.
func (k *checks) isOut(id frontier.ID) bool { return k.out[id] }

// begin records that a page is asked again whose content was last known at a time.
func (k *checks) begin(id frontier.ID, since time.Time) {
	k.out[id] = true
	if _, ok := k.pages[id]; !ok {
		k.pages[id] = check{at: since}
	}
}

// end records what came of asking for a page. That a page is missing shows nothing of how often it changes, and neither
// does a visit without an answer.
func (k *checks) end(id frontier.ID, now time.Time, p *dowse.Page) {
	delete(k.out, id)
	k.tally.add(p)
	x := k.pages[id]
	switch {
	case p.Outcome == dowse.Redirected:
		delete(k.pages, id)
		return
	case p.Outcome == dowse.Fetched, isUnchanged(p):
		x.missing = 0
		x.seen.NoteVersion(x.at, now, !isUnchanged(p), dateOf(p))
	case p.Outcome == dowse.Listed:
		x.missing = 0
		x.seen.NoteVersion(x.at, now, hasNewItems(p), time.Time{})
	case isMissing(p):
		x.missing++
	default:
		return
	}
	x.at = now
	k.pages[id] = x
}

// found records that a page that was asked again before was fetched by an ordinary visit, for example because a person
// asked for one that was gone.
func (k *checks) found(id frontier.ID, now time.Time, p *dowse.Page) {
	if x, ok := k.pages[id]; ok && p.Outcome == dowse.Fetched {
		x.missing, x.at = 0, now
		k.pages[id] = x
	}
}

// dateOf returns when a page was changed last, by its own date, in whole seconds, as the journal has it; the zero time if it
// has none.
func dateOf(p *dowse.Page) time.Time {
	if p.Modified.IsZero() {
		return time.Time{}
	}
	return time.Unix(p.Modified.Unix(), 0)
}

// isUnchanged reports whether a page is the same as before.
func isUnchanged(p *dowse.Page) bool { return p.Reason == dowse.SkipUnchanged }

// hasNewItems reports whether a feed has items that were not known. Its other bytes change all the time.
func hasNewItems(p *dowse.Page) bool {
	return slices.ContainsFunc(p.Links, func(l dowse.Link) bool { return l.Target.State == dowse.Unseen })
}

// isWatched reports whether a list of URLs is asked again: a feed of a page on topic, or of a seed. Sitemaps and the feeds
// of other pages are not.
func isWatched(p *dowse.Page) bool {
	return p.Outcome == dowse.Listed && p.Lead.Band < sitemapBand
}

// isMissing reports whether the host answered that there is no such page.
func isMissing(p *dowse.Page) bool {
	return p.Outcome == dowse.Failed && (p.Fetch.Status == 404 || p.Fetch.Status == 410)
}

// bringsNews reports whether a check found a new version of its page, a feed, or that the page has moved for good.
func bringsNews(p *dowse.Page) bool {
	return p.Outcome == dowse.Fetched || p.Outcome == dowse.Redirected || p.Outcome == dowse.Listed
}

// asNew returns a new version of a page as one that was not visited before, which is how the
// strategy sees it: to most strategies a revisit is one of their own, whose links they know.
func asNew(p *dowse.Page) *dowse.Page {
	q := *p
	q.Again = false
	return &q
}

// endsCheck reports whether a temporary failure ends a check, and makes the failure a final one:
// a page that is kept need not be asked for until it answers. It is due again in a later run,
// or after a rest.
func (fl *flight) endsCheck(p *dowse.Page) bool {
	if fl.check {
		p.Outcome = dowse.Failed
	}
	return fl.check
}

// WasChecked reports whether a page of a crawl was ever asked again to see whether it has changed.
func WasChecked(c *Crawl, id frontier.ID) bool {
	_, ok := c.f.checks.pages[id]
	return ok || c.f.State(id) == dowse.Aliased
}

// beginCheck records that a page is asked again whose content was last known at a time.
func (f *urls) beginCheck(id frontier.ID, since time.Time) {
	f.checks.begin(id, since)
	f.left.begin(id)
}

// endCheck records what came of asking for a page.
func (f *urls) endCheck(id frontier.ID, now time.Time, p *dowse.Page) {
	f.checks.end(id, now, p)
	f.left.end(id, bringsNews(p))
}

// endOrphan ends a check that was not made, and reports whether there was one. The page is the
// visited one that it was.
func (f *urls) endOrphan(id frontier.ID) bool {
	if !f.checks.isOut(id) {
		return false
	}
	delete(f.checks.out, id)
	f.left.end(id, false)
	f.Settle(id, dowse.Visited)
	return true
}

// recount corrects the number of pages on topic for a new version that is on the other side than
// the version before it.
func (s *stats) recount(f *urls, id frontier.ID, p *dowse.Page) {
	was, _ := f.Visit(id)
	if p.Outcome == dowse.Fetched && was.OnTopic != p.OnTopic {
		s.OnTopic += count(p.OnTopic) - count(was.OnTopic)
	}
}

// endCheck ends a check that brought no new version. A page that was missing for the third time in a
// row is gone; any other page stays visited, with the version that is known.
func (p *picker) endCheck(now time.Time, fl *flight, page *dowse.Page) {
	p.in.changes++
	p.hosts.tries.forget(fl.id)
	page.OnTopic, page.Links = false, nil
	p.f.endCheck(fl.id, now, page)
	if isMissing(page) && p.f.checks.pages[fl.id].missing >= maxMissing {
		page.Reason = dowse.FailGone
		p.f.checks.tally.Gone++
		p.f.SetReason(fl.id, ledger.ReasonCode(dowse.FailGone))
		p.f.Settle(fl.id, dowse.Dead)
		p.hosts.count(fl.host, page)
	} else {
		p.f.Settle(fl.id, dowse.Visited)
	}
	p.rec.record(fl.entryOf(&Entry{Kind: EntryPage, At: now, ID: fl.id, Page: page, Queue: fl.queue, Regret: fl.regret, Rested: fl.rest, Idle: fl.idle}))
	p.again.ended(p.f, now, fl, page)
}

// revisits choose which visited pages are asked again. They follow from the journal and from the
// clock, and belong to one run; a replay does without them.
type revisits struct {
	plan         refresh.Plan
	planner      *refresh.Planner // nil until the first choice
	made, others int              // visits of this run: checks, and new pages
	owed         []frontier.ID    // pages that a person wants to have asked again, see picker.owe
}

// failedRest is how long a page rests that could not be asked.
const failedRest = 6 * time.Hour

// ended informs the planner of what came of a visit. Only pages on topic are asked again, and their feeds.
func (r *revisits) ended(f *urls, now time.Time, fl *flight, p *dowse.Page) {
	if r.planner == nil {
		return
	}
	id := uint32(fl.id)
	if fl.check && isMissing(p) {
		r.planner.NoteMissing(id, now)
	}
	switch {
	case p.Outcome == dowse.Redirected, f.State(fl.id) != dowse.Visited, p.Outcome == dowse.Fetched && !p.OnTopic:
		r.planner.Drop(id)
	case p.Outcome == dowse.Listed && fl.check:
		r.planner.Note(id, now, hasNewItems(p), time.Time{})
	case isWatched(p) && !p.Again:
		r.add(f, fl.id, now, firstDate{at: now})
	case p.Outcome == dowse.Listed, fl.check && isMissing(p):
	case fl.check && (p.Outcome == dowse.Fetched || isUnchanged(p)):
		r.planner.Note(id, now, !isUnchanged(p), dateOf(p))
	case fl.check:
		r.planner.Rest(id, now.Add(failedRest))
	case p.Outcome == dowse.Fetched && !p.Again:
		r.add(f, fl.id, now, firstDate{modified: dateOf(p), at: now})
	}
}

// A firstDate is the date that came with the first version of a page.
type firstDate struct{ modified, at time.Time }

// quiet returns how long the page had stayed the same when it was fetched first, 0 if that is not known.
func (d firstDate) quiet() time.Duration {
	if d.modified.IsZero() {
		return 0
	}
	return d.at.Sub(d.modified)
}

// then returns what is known of the date after a later version: if that has no later date, dates of this page mean nothing.
func (d firstDate) then(p *dowse.Page) firstDate {
	if dateOf(p).After(d.modified) {
		return d
	}
	return firstDate{}
}

// add adds a page that was last fetched at a time.
func (r *revisits) add(f *urls, id frontier.ID, at time.Time, first firstDate) {
	x, asked := f.checks.pages[id]
	if !asked || x.at.Before(at) {
		x.at = at
	}
	r.planner.Add(uint32(id), uint32(f.Host(id)), refresh.KindOf(f.URL(id)), x.at, x.seen)
	r.planner.Date(uint32(id), first.quiet())
	if x.missing > 0 {
		r.planner.NoteMissing(uint32(id), x.at)
	}
}

// absences are when pages that were missing were asked last. From them the planner learns how often pages come back.
type absences map[frontier.ID]time.Time

// note records a check that was made.
func (a absences) note(e *Entry, planner *refresh.Planner) {
	isBack := e.Page.Outcome == dowse.Fetched || e.Page.Outcome == dowse.Listed || isUnchanged(e.Page)
	if !isBack && !isMissing(e.Page) {
		return
	}
	if at, ok := a[e.ID]; ok {
		planner.NoteReturn(e.At.Sub(at), isBack)
	}
	if delete(a, e.ID); !isBack {
		a[e.ID] = e.At
	}
}

// prepare fills the planner with the pages on topic that the journal has, once in a run. When a
// page was fetched first, the date that came with it, and whether pages that were missing came back, are in their entries alone.
func (p *picker) prepare(now time.Time) {
	r := &p.again
	if r.planner != nil {
		return
	}
	r.planner = refresh.New(r.plan, refresh.Floor)
	log, ok := p.cfg.Log.(*Journal)
	if !ok {
		return
	}
	dates, missed, days := map[frontier.ID]firstDate{}, absences{}, 0.0
	for e, err := range log.Visits(0) {
		if err != nil || e.Kind != EntryPage || !p.f.has(e.ID) {
			continue
		}
		if _, asked := p.f.checks.pages[e.ID]; asked {
			missed.note(e, r.planner)
		}
		if p.f.State(e.ID) != dowse.Visited {
			continue
		}
		if p.in.sitemaps[e.ID] {
			if isWatched(e.Page) && !e.Page.Again {
				days += daysBetween(e.At, now)
				r.add(p.f, e.ID, e.At, firstDate{at: e.At})
			}
			continue
		}
		v, ok := p.f.visited(e.ID)
		if !ok || !v.OnTopic || e.Page.Outcome != dowse.Fetched {
			continue
		}
		first, later := dates[e.ID]
		if first = first.then(e.Page); !later {
			first = firstDate{modified: dateOf(e.Page), at: e.At}
			days += daysBetween(e.At, now)
		}
		if dates[e.ID] = first; v.Place == e.Place() {
			r.add(p.f, e.ID, e.At, first)
		}
	}
	r.planner.Before(p.f.checks.tally.made(), days)
}

// daysBetween returns the days from one time to a later one, 0 if it is earlier.
func daysBetween(from, to time.Time) float64 { return max(to.Sub(from).Hours()/24, 0) }

// isDue reports whether any page is worth asking for.
func (p *picker) isDue(now time.Time) bool {
	if len(p.again.owed) > 0 {
		return true
	}
	if !p.again.plan.IsOn() {
		return false
	}
	p.prepare(now)
	return p.again.planner.Any(now)
}

// reached returns which limit has been reached, "" for none. Limits on the number of new pages do
// not end a crawl while pages are to be asked again.
func (p *picker) reached(now time.Time) dowse.StopReason {
	why := p.stats.reached(&p.cfg.Limits)
	switch why {
	case dowse.StopPages, dowse.StopOnTopic, dowse.StopDriedUp, dowse.StopRecall:
		if p.isDue(now) {
			return ""
		}
	}
	return why
}

// isClosed reports whether no new page may be visited.
func (p *picker) isClosed(now time.Time) bool {
	return (p.again.plan.IsOn() || len(p.again.owed) > 0) && (p.stats.reached(&p.cfg.Limits) != "" || !p.leavesRoom(now))
}

// awaitsChecks reports whether a round may not open yet because pages are being asked again. The journal
// has the pages of a round when all have come back: a check in between would be replayed at another
// place among them.
func (p *picker) awaitsChecks() bool {
	return p.cfg.Round > 0 && !p.rounds.isOpen() && len(p.f.checks.out) > 0
}

// check takes a visited page whose host is rested: one that a person asked for, or else the one that
// is worth most. Unless it is forced, the latter keeps to the share of visits that checks may
// have. If there is none, when is the time at which there may be one.
func (k *pick) check(forced bool) (c choice, when time.Time, ok bool) {
	if k.rounds.isOpen() {
		return choice{}, time.Time{}, false
	}
	id, chance, ok := k.nextCheck(forced, &when)
	if !ok {
		return choice{}, when, false
	}
	c = choice{id: id, host: k.f.Host(id)}
	if k.asksRobots(c.id, c.host) {
		k.f.Begin(c.host)
		c.robots = true
		return c, time.Time{}, true
	}
	k.again.made++
	k.again.pay(id)
	k.beginCheck(k.now, c.id, k.askedLast(id), chance)
	if c.page = k.forbidsCheck(c.id, c.host); c.page == nil {
		k.f.Begin(c.host)
	}
	return c, time.Time{}, true
}

// askedLast returns when a page was last asked. The planner knows it without reading the journal.
func (k *pick) askedLast(id frontier.ID) time.Time {
	if k.again.planner != nil {
		if at := k.again.planner.Asked(uint32(id)); !at.IsZero() {
			return at
		}
	}
	return k.knownSince(id)
}

// nextCheck chooses the page of a check, with the estimated probability that it has changed.
func (k *pick) nextCheck(forced bool, when *time.Time) (frontier.ID, float64, bool) {
	if id, ok := k.nextOwed(when); ok {
		return id, 1, true
	}
	r := &k.again
	if !r.plan.IsOn() {
		return frontier.None, 0, false
	}
	k.prepare(k.now)
	if !forced && float64(r.made+1) > r.plan.Share*float64(r.made+r.others+1) {
		return frontier.None, 0, false
	}
	id, chance, ok := r.planner.Next(k.now, func(id uint32) bool { return k.mayCheck(frontier.ID(id), when) })
	return frontier.ID(id), chance, ok
}

// mayCheck reports whether a page can be asked now. Otherwise it lowers when to the time at which
// its host is rested.
func (k *pick) mayCheck(id frontier.ID, when *time.Time) bool {
	h := k.f.Host(id)
	switch {
	case k.f.State(id) != dowse.Visited || k.rounds.has(id):
		return false
	case k.f.Rested(h, k.now) && (!k.f.Late(h) || k.hosts.lateRoom(true)) && !k.hosts.isPromised(id, h):
		return true
	}
	*when = earlier(*when, later(k.f.Ready(h), k.now.Add(time.Second)))
	return false
}

// beginCheck takes a page out of the visited ones and records that it is asked again. Its content
// was last known at since.
func (p *picker) beginCheck(now time.Time, id frontier.ID, since time.Time, chance float64) {
	p.f.Take(id)
	p.f.beginCheck(id, since)
	p.rec.record(&Entry{Kind: entryCheck, At: now, ID: id, Since: since, Score: chance})
}

// knownSince returns when the content of a visited page was last known, the zero time if the log
// does not have it.
func (p *picker) knownSince(id frontier.ID) time.Time {
	if x, ok := p.f.checks.pages[id]; ok {
		return x.at
	}
	if v := p.lastVersion(id); v != nil {
		return v.Fetch.At
	}
	return time.Time{}
}

// forbidsCheck returns the page with which a check ends that may not be made: robots.txt or a
// person forbids it now. That a page looks like one of a trap is no reason: it was fetched.
func (k *pick) forbidsCheck(id frontier.ID, h frontier.HostID) *dowse.Page {
	outcome, why, detail := k.in.forbids(id, h)
	if why == "" || isTrap(why) {
		return nil
	}
	return k.f.unvisited(id, outcome, why, detail)
}

// lastVersion returns a page as it was last fetched, without its text; nil if the log does not
// have it.
func (p *picker) lastVersion(id frontier.ID) *dowse.Page {
	log, keeps := p.cfg.Log.(entryLog)
	v, visited := p.f.Visit(id)
	if !keeps || !visited {
		return nil
	}
	e, err := log.Entry(v.Place, p.f.URL)
	if err != nil || e.Kind != EntryPage || e.ID != id || e.Page.Outcome != dowse.Fetched {
		return nil
	}
	e.Page.Links = e.Found
	return e.Page
}

// counters returns the counters in the order in which a snapshot has them.
func (k *checks) counters() []*int {
	t := &k.tally
	return []*int{&t.Changed, &t.Unchanged, &t.Missing, &t.Other, &t.Gone}
}

// write appends the pages in the order of their numbers, and those that are being asked.
func (k *checks) write(w *wire.Writer) {
	for _, n := range k.counters() {
		w.Uint(uint64(*n))
	}
	w.Uint(uint64(len(k.pages)))
	for _, id := range slices.Sorted(maps.Keys(k.pages)) {
		x := k.pages[id]
		w.Uint(uint64(id))
		w.Time(x.at)
		w.Uint(uint64(x.seen.Changed))
		w.Float(x.seen.Moved)
		w.Float(x.seen.Same)
		w.Byte(x.missing)
	}
	k.out.write(w)
}

func (k *checks) read(r *partReader) {
	for _, n := range k.counters() {
		*n = int(r.Uint())
	}
	for range r.Items(21) {
		id := frontier.ID(r.Uint())
		x := check{at: r.Time()}
		x.seen = refresh.History{Changed: int(r.Uint()), Moved: r.Float(), Same: r.Float()}
		x.missing = r.Byte()
		k.pages[id] = x
	}
	k.out.read(r)
}

func (k *checks) check(urls frontier.ID, hosts frontier.HostID) error {
	for _, x := range k.pages {
		if !(x.seen.Moved >= 0 && x.seen.Same >= 0) || x.seen.Changed < 0 {
			return wire.ErrDamaged
		}
	}
	if err := k.out.check(urls, hosts); err != nil {
		return err
	}
	return checkIDs(maps.Keys(k.pages), urls)
}
