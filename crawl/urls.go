package crawl

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/repeats"
)

// urls is what a crawl knows of every URL it has seen: the frontier, and what follows from
// the states that the frontier keeps. Every URL has exactly one state, so changes of state
// go through the methods here where more than the state depends on them.
type urls struct {
	*frontier.Frontier
	key     uint64
	reborn  map[frontier.ID]bool // visited in vain, and waiting again: see Requeue
	inlinks inlinks              // empty unless links are counted
	checks  checks               // pages that are, or were, asked again
	left    leftOut              // links that there was no memory for
	repeats repeats.Hosts        // what the pages of hosts repeat; empty unless the crawl learns it
	gone    int                  // URLs that were taken down
	last    *namedURL            // the URL that was read last in the present pick; nil between picks
	aliases set                  // pages that were fetched and have moved, or had once; nil until moved looks for them
}

// newURLs returns the URLs of a crawl over a frontier, which may be set later.
func newURLs(f *frontier.Frontier, key uint64) *urls {
	return &urls{Frontier: f, key: key, reborn: map[frontier.ID]bool{}, checks: newChecks(), left: newLeftOut()}
}

// A namedURL is a number and the URL that has it; "" for none.
type namedURL struct {
	id  frontier.ID
	url dowse.URL
}

// URL returns the URL with a number. It is read from the journal, up to five times while a lead is
// picked, so the last one is remembered until the pick ends.
func (f *urls) URL(id frontier.ID) dowse.URL {
	if f.last == nil {
		return f.Frontier.URL(id)
	}
	if f.last.id != id || f.last.url == "" {
		*f.last = namedURL{id, f.Frontier.URL(id)}
	}
	return f.last.url
}

// has reports whether a URL has this number.
func (f *urls) has(id frontier.ID) bool { return int(id) < f.Len() }

// lead returns the lead to a URL, as it ranks now.
func (f *urls) lead(id frontier.ID) dowse.Lead {
	return dowse.Lead{URL: f.URL(id), Priority: f.Priority(id), Band: f.Band(id), Group: f.Group(id), Note: f.Note(id)}
}

// visited returns what is known of the visit to a URL; false if it was never visited,
// or waits again after a visit that failed.
func (f *urls) visited(id frontier.ID) (frontier.Visit, bool) {
	if f.reborn[id] {
		return frontier.Visit{}, false
	}
	return f.Visit(id)
}

// target returns what is known of a link's target. A page that is to be visited
// again, or is being visited again, counts as visited.
func (f *urls) target(id frontier.ID) dowse.Target {
	t := dowse.Target{State: f.State(id), Seq: uint32(id), Priority: f.Priority(id), Note: f.Note(id)}
	if t.State == dowse.Visited || t.State == dowse.Waiting || t.State == dowse.Flying {
		if v, ok := f.visited(id); ok {
			t.State, t.Relevance, t.OnTopic = dowse.Visited, v.Relevance, v.OnTopic
		}
	}
	return t
}

// reason returns why a URL was left out or failed, "" if it was not.
func (f *urls) reason(id frontier.ID) dowse.Reason { return ledger.ReasonOf(f.Reason(id)) }

// exclude leaves a URL out for a reason. It stays known, so that links to it are not checked
// again.
func (f *urls) exclude(id frontier.ID, why dowse.Reason) {
	f.Settle(id, dowse.Excluded)
	f.SetReason(id, ledger.ReasonCode(why))
}

// readmit takes back that a URL was left out.
func (f *urls) readmit(id frontier.ID) {
	if f.State(id) == dowse.Excluded {
		f.Settle(id, dowse.Held)
	}
	f.SetReason(id, 0)
}

// shorten keeps the shorter of two ways to a URL.
func (f *urls) shorten(id frontier.ID, depth, hops int) {
	d, h := f.Depth(id)
	f.SetDepth(id, min(d, clamp8(depth)), min(h, clamp8(hops)))
}

// clamp8 returns n within the range of a byte, in which depths are stored.
func clamp8(n int) uint8 { return uint8(min(max(n, 0), 255)) }

// takeOut takes a URL out of the queue. One that waited for another visit is a
// visited one again.
func (f *urls) takeOut(id frontier.ID, s dowse.State) {
	if _, again := f.visited(id); again {
		s = dowse.Visited
	}
	f.Settle(id, s)
}

// queueAgain lets a URL wait, unless its group was dropped.
func (f *urls) queueAgain(id frontier.ID) {
	if f.Dropped(f.Group(id)) {
		f.takeOut(id, dowse.Excluded)
		f.SetReason(id, ledger.ReasonCode(dowse.SkipSiteDone))
		return
	}
	f.Queue(id)
}

// drop takes all waiting URLs of a group out of the queue.
func (f *urls) drop(group string) {
	for _, id := range f.Drop(group) {
		f.takeOut(id, dowse.Excluded)
		f.SetReason(id, ledger.ReasonCode(dowse.SkipSiteDone))
	}
}

// settle puts the URL of a page into the state that the page's outcome calls for. A page
// that could not be fetched again remains the visited page that it was, unless it is gone.
func (f *urls) settle(id frontier.ID, p *dowse.Page) {
	f.SetReason(id, ledger.ReasonCode(p.Reason))
	switch p.Outcome {
	case dowse.Fetched, dowse.Listed:
		f.Settle(id, dowse.Visited)
	case dowse.Redirected:
		f.Settle(id, dowse.Aliased)
		if f.aliases != nil && f.hasMoved(id) {
			f.aliases[id] = true
		}
	case dowse.Refused, dowse.Skipped:
		if p.Again {
			f.Settle(id, dowse.Visited)
			return
		}
		f.Settle(id, dowse.Excluded)
	default:
		f.Settle(id, dowse.Dead)
	}
}

// moved returns how many pages that were fetched answer with a redirect by now, and how many of them were on topic. What
// they redirect to is a page of its own, so they no longer count.
func (f *urls) moved() (pages, onTopic int) {
	if f.aliases == nil {
		f.aliases = set{}
		for i := range f.Len() {
			id := frontier.ID(i)
			if f.hasMoved(id) {
				f.aliases[id] = true
			}
		}
	}
	for id := range f.aliases {
		if f.hasMoved(id) {
			v, _ := f.Visit(id)
			pages++
			onTopic += count(v.OnTopic)
		}
	}
	return pages, onTopic
}

// hasMoved reports whether a URL redirects that was a page before. A URL that always redirected was never rated; nor
// can one be recognised that was rated 0, but only pages on topic are asked again.
func (f *urls) hasMoved(id frontier.ID) bool {
	if f.State(id) != dowse.Aliased {
		return false
	}
	v, visited := f.Visit(id)
	return visited && (v.OnTopic || v.Relevance > 0)
}

// keepVisit keeps the place of the entry of a visit, and whether the page was on topic.
func (f *urls) keepVisit(id frontier.ID, p *dowse.Page, place uint64) {
	delete(f.reborn, id)
	switch {
	case p.Outcome == dowse.Fetched:
		f.SetVisit(id, frontier.Visit{Relevance: p.Verdict.Relevance, OnTopic: p.OnTopic, Place: place})
	case !p.Again:
		f.SetVisit(id, frontier.Visit{Place: place})
	}
}

// unvisited returns the page of a lead that was not visited.
func (f *urls) unvisited(id frontier.ID, outcome dowse.Outcome, why dowse.Reason, detail string) *dowse.Page {
	depth, hops := f.Depth(id)
	_, again := f.visited(id)
	return &dowse.Page{
		URL: f.URL(id), Lead: f.lead(id), Depth: int(depth), Hops: int(hops), Again: again,
		Outcome: outcome, Reason: why, Detail: detail,
	}
}

// endsAt reports whether u is, or is known to redirect to, a URL.
func (f *urls) endsAt(u dowse.URL, id frontier.ID) bool {
	to, ok := f.Find(u)
	if !ok {
		return false
	}
	return f.end(to) == id
}

// end returns where a URL leads: to the end of its redirects if it has any, else to itself.
func (f *urls) end(id frontier.ID) frontier.ID {
	if to, redirects := f.Alias(id); redirects {
		return to
	}
	return id
}

// holdUnseen puts URLs that nothing leads to any more into a state that the books know.
func (f *urls) holdUnseen() {
	for id := frontier.ID(0); int(id) < f.Len() && f.Count(dowse.Unseen) > 0; id++ {
		if f.State(id) == dowse.Unseen {
			f.Settle(id, dowse.Held)
		}
	}
}

// seeGone gives a URL that was taken down its number, and reports whether it got one.
func (f *urls) seeGone(e *Entry, name dowse.URL) bool {
	p := e.Print
	if p == (frontier.Fingerprint{}) { // it can't be found; it may come up again as another one
		p = frontier.FingerprintOf(dowse.URL(fmt.Sprintf("\x00%d", e.ID)), f.key)
	}
	id, fresh := f.SeeAs(p, name, e.Host)
	if fresh {
		f.exclude(id, dowse.SkipForgotten)
		f.gone++
	}
	return fresh
}

// countGone counts the URLs that were taken down, of a crawl that was restored.
func (f *urls) countGone() {
	f.gone = 0
	for id := range frontier.ID(f.Len()) {
		if f.forgotten(id) {
			f.gone++
		}
	}
}

// forgotten reports whether a URL was taken down.
func (f *urls) forgotten(id frontier.ID) bool {
	return f.Reason(id) == ledger.ReasonCode(dowse.SkipForgotten)
}

// withoutGone returns the links that do not lead to URLs that were taken down.
func (f *urls) withoutGone(links []dowse.Link) []dowse.Link {
	if f.gone == 0 {
		return links
	}
	kept := make([]dowse.Link, 0, len(links))
	for i := range links {
		u := links[i].URL
		if id, ok := f.Find(u); u == "" || ok && f.forgotten(id) {
			continue
		}
		kept = append(kept, links[i])
	}
	return kept
}

// mayRequeue reports whether a URL failed or was left out, so that a person can ask for it
// again. What was taken down stays so.
func (f *urls) mayRequeue(id frontier.ID) bool {
	state := f.State(id)
	return (state == dowse.Dead || state == dowse.Excluded) && !f.forgotten(id)
}

// isGrantable reports whether a URL is let past the trap rules if a person asks for it: it
// failed, or these rules left it out.
func (f *urls) isGrantable(id frontier.ID) bool {
	return f.State(id) == dowse.Dead || isTrap(f.reason(id))
}

// granted reports whether a person asked for a URL that failed or was left out as one of a
// trap. It then waits with the reason of a trap until its visit is settled, and the trap rules
// do not apply. The reason is part of snapshots, so a crawl that is resumed keeps the grant.
func (f *urls) granted(id frontier.ID) bool {
	state := f.State(id)
	return (state == dowse.Waiting || state == dowse.Flying) && isTrap(f.reason(id))
}

// view is the [dowse.View] of a crawl: it shows a strategy the ends of the queue.
type view struct{ f *urls }

func (v view) Best() (dowse.Lead, bool) {
	id, ok := v.f.Peek()
	if !ok {
		return dowse.Lead{}, false
	}
	return v.f.lead(id), true
}

func (v view) BestVisited() (dowse.Lead, bool) {
	id, ok := v.f.BestVisited()
	if !ok {
		return dowse.Lead{}, false
	}
	return v.f.lead(id), true
}

func (v view) Waiting() int { return v.f.Count(dowse.Waiting) }
func (v view) Visited() int { return v.f.Count(dowse.Visited) }

// hostNamed returns the host of a name, or the only host that has this name and a port.
func (f *urls) hostNamed(name string) (found frontier.HostID, ok bool) {
	if h, ok := f.HostOf(name); ok {
		return h, true
	}
	n := 0
	for h := range frontier.HostID(f.Hosts()) {
		if port, ok := strings.CutPrefix(f.HostName(h), name+":"); ok && !strings.Contains(port, ":") {
			found, n = h, n+1
		}
	}
	return found, n == 1
}
