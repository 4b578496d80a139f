package crawl

import (
	"math/rand/v2"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A picker chooses which lead is visited next: the best among the hosts that are rested, by
// chance for the share of picks that explore, or the members of a round. It takes the lead
// out of the queue; what is done with it is left to the crawl.
type picker struct {
	cfg     *Config
	f       *urls
	in      *intake
	hosts   *hosts
	flights *flights
	rounds  *rounds
	stats   *stats
	rec     *recorder

	again    revisits // of visited pages, to see whether they have changed
	wait     wait     // for better leads than those at hand
	prepared uint64   // changes of the queue, plus 1, when BeforeRound was last called
	swept    int      // URLs that sweep has looked at

	// slow is how long a visit is under way until nothing waits for it: another one may be made in its place although both
	// together may pass a limit of pages, and better leads on its host are no reason to hold others back; 0 for never. Only a
	// driver that drops pages beyond the limit may set it, see [Live].
	slow time.Duration
}

// A choice is a lead that was taken out of the queue, and what is to be done with it.
type choice struct {
	id     frontier.ID
	host   frontier.HostID
	regret float64     // by how much the best lead was better
	robots bool        // the host's robots.txt is to be read first; the lead waits again
	page   *dowse.Page // the lead ends with this page, without a visit
	closes bool        // there is no lead: the round is to end with what came back
}

// A pick is the search for one lead. It goes on after choices that are no visits.
type pick struct {
	*picker
	now      time.Time
	dice     *rand.Rand
	rescored int // leads that were rated again and put back
}

// Bounds of one pick.
const (
	maxRescores = 10 // leads put back per pick, since priorities of Aggarwal drift

	// exploreTries bounds the search for a lead by chance: where few of the known URLs
	// wait on hosts that are rested, the best lead is taken instead.
	exploreTries = 64
)

// isFull reports whether no further visit may begin before one comes back: all
// connections are in use, or those that are out may yet use up a limit on pages. Such a limit
// does not concern pages that are asked again.
func (p *picker) isFull(now time.Time) bool {
	return p.flights.out() >= p.hosts.room() || !p.leavesRoom(now) && !p.isDue(now)
}

// leavesRoom reports whether a visit to a new page may begin, whatever comes of the visits that
// are out. Those that last for too long are taken to bring nothing, if the driver allows that: otherwise the last few
// places below a limit would be held by servers that do not answer.
func (p *picker) leavesRoom(now time.Time) bool {
	l, out := &p.cfg.Limits, len(p.flights.pages)-len(p.f.checks.out)
	if p.stats.leavesRoom(l, out) {
		return true
	}
	return p.replaces() && p.stats.leavesRoom(l, out-p.flights.slow(now.Add(-p.slow)))
}

// replaces reports whether other visits may be made in place of slow ones. Of a round all visits are waited for.
func (p *picker) replaces() bool {
	return p.slow > 0 && p.cfg.Round == 0 && p.stats.reached(&p.cfg.Limits) == ""
}

// roomAt returns when there may be room for a visit although none comes back before; the zero time means never.
func (p *picker) roomAt(now time.Time) time.Time {
	at := p.flights.nextDeadline()
	if !p.replaces() {
		return at
	}
	for _, fl := range p.flights.pages {
		if slow := fl.began.Add(p.slow); slow.After(now) {
			at = earlier(at, slow)
		}
	}
	return at
}

// begin begins a pick at now.
func (p *picker) begin(now time.Time) pick {
	k := pick{picker: p, now: now}
	if p.cfg.Round == 0 {
		p.beforeRound(now)
		k.dice = p.chance()
	}
	return k
}

// next returns what to do next. If there is nothing to do, when is the time at which there
// may be something; the zero time means not before a visit comes back. Pages are asked again for
// their share of the visits, and whenever no new page may be visited.
func (k *pick) next() (c choice, when time.Time, ok bool) {
	if c, _, ok = k.check(false); ok {
		return c, time.Time{}, true
	}
	closed := k.isClosed(k.now)
	if !closed && !k.awaitsChecks() {
		if c, when, ok = k.nextPage(); ok {
			return c, when, ok
		}
	}
	if closed || k.f.Count(dowse.Waiting) == 0 {
		c, at, ok := k.check(true)
		return c, earlier(when, at), ok
	}
	return choice{}, when, false
}

// nextPage is next for leads, without visited pages that are asked again.
func (k *pick) nextPage() (c choice, when time.Time, ok bool) {
	if k.cfg.Round > 0 {
		c, when, ok = k.member()
	} else {
		c, when, ok = k.stream()
	}
	if ok && c.page == nil && !c.robots && !c.closes {
		k.again.others++
	}
	return c, when, ok
}

// stream takes the best lead among the hosts that are rested.
func (k *pick) stream() (choice, time.Time, bool) {
	for {
		id, stray, when, ok := k.nextLead()
		if !ok {
			k.wait.note(k.now, false)
			return choice{}, when, false
		}
		k.rec.taken(id)
		c := choice{id: id, host: k.f.Host(id)}
		if !stray {
			c.regret = k.f.LastRegret() // chance has none
		}
		if !stray && k.rescored < maxRescores && k.fellBehind(k.now, id) {
			k.rescored++
			k.putBack(id, c.host, k.now)
			continue
		}
		until, hold := k.holds(id)
		k.wait.note(k.now, hold && !stray)
		if hold && !stray {
			k.putBack(id, c.host, k.now)
			return choice{}, until, false
		}
		c.id = k.instead(id, c.host)
		if k.asksRobots(c.id, c.host) {
			k.f.Begin(c.host)
			k.putBack(c.id, c.host, k.now)
			c.robots = true
			return c, time.Time{}, true
		}
		if k.hosts.isPromised(c.id, c.host) {
			k.f.Begin(c.host)
			k.putBack(c.id, c.host, k.now)
			k.hosts.hold(c.host)
			continue
		}
		if c.page = k.settles(c.id, c.host); c.page != nil {
			k.f.Release(c.host, k.f.Ready(c.host), time.Time{})
		} else if !stray {
			k.explain(c.id)
		}
		return c, time.Time{}, true
	}
}

// asksRobots reports whether a host's robots.txt is to be read before a lead is visited.
func (k *pick) asksRobots(id frontier.ID, h frontier.HostID) bool {
	return (k.hosts.wantsRobots(h, k.now) || k.hosts.witness(id, h)) && !k.in.leadsToFarm(id) && !k.in.isLate(id)
}

// settles returns the page with which a lead ends that needs no visit, or may not be visited
// after all; nil for a lead that is to be visited.
func (k *pick) settles(id frontier.ID, h frontier.HostID) *dowse.Page {
	if p := k.recall(id); p != nil {
		return p
	}
	if outcome, why, detail := k.in.forbids(id, h); why != "" {
		return k.f.unvisited(id, outcome, why, detail)
	}
	return nil
}

// An entryLog is a Log that gives back what it recorded.
type entryLog interface {
	Entry(place uint64, urlOf func(frontier.ID) dowse.URL) (*Entry, error)
}

// recall returns the page of a lead to a visited page as it was visited last, if the traits of
// the strategy ask for that and the log has it. The host gets no request.
func (p *picker) recall(id frontier.ID) *dowse.Page {
	log, keeps := p.cfg.Log.(entryLog)
	v, visited := p.f.Visit(id)
	if !keeps || !visited || !dowse.TraitsOf(p.cfg.Strategy).Recalls {
		return nil
	}
	e, err := log.Entry(v.Place, p.f.URL)
	if err != nil || e.Kind != EntryPage || e.ID != id || e.Page.Outcome != dowse.Fetched {
		return nil
	}
	page := p.f.unvisited(id, dowse.Fetched, "", "")
	page.Fetch, page.Document, page.Verdict = e.Page.Fetch, e.Page.Document, e.Page.Verdict
	page.Links = e.Found
	return page
}

// beforeRound calls a strategy that implements BeforeRounder before a round, or before a lead
// is taken. It is called once for each state of the queue, however often the driver has to try
// until a host is rested: the number of calls must not depend on timing.
func (p *picker) beforeRound(now time.Time) {
	b, ok := p.cfg.Strategy.(dowse.BeforeRounder)
	if !ok || p.prepared == p.in.changes+1 {
		return
	}
	p.in.applyAll(b.BeforeRound(view{p.f}))
	p.prepared = p.in.changes + 1
	p.rec.record(&Entry{Kind: entryBefore, At: now})
}

// idle asks the strategy for leads when nothing waits, and reports whether it had any.
func (p *picker) idle(now time.Time) bool {
	s, ok := p.cfg.Strategy.(dowse.Idler)
	if !ok {
		return false
	}
	leads := s.Idle()
	p.in.applyAll(leads)
	p.rec.record(&Entry{Kind: entryIdle, At: now})
	return len(leads) > 0
}

// fellBehind rates a lead again and reports whether another is better now.
func (p *picker) fellBehind(now time.Time, id frontier.ID) bool {
	if !p.rescore(now, id) {
		return false
	}
	best, ok := p.f.Peek()
	return ok && p.f.Band(best) <= p.f.Band(id) && p.f.Priority(best) > p.f.Priority(id)
}

// rescore rates a lead again and reports whether its priority has changed.
func (p *picker) rescore(now time.Time, id frontier.ID) bool {
	r, ok := p.cfg.Strategy.(dowse.Rescorer)
	if !ok {
		return false
	}
	old := p.f.Priority(id)
	p.f.SetPriority(id, r.Rescore(p.f.lead(id)), dowse.Replace)
	score := p.f.Priority(id)
	if score == old {
		return false
	}
	p.rec.record(&Entry{Kind: entryRescore, At: now, ID: id, Score: score})
	return true
}

// explain records why a lead is taken that was rated again just now. A lead that was rated
// again too often is rated once more: it is taken whatever comes of it.
func (k *pick) explain(id frontier.ID) {
	if k.rescored == maxRescores {
		k.rescore(k.now, id)
	}
	x, ok := k.cfg.Strategy.(dowse.Explainer)
	if !ok {
		return
	}
	if why := x.Explain(k.f.lead(id)); len(why) > 0 {
		k.rec.record(&Entry{Kind: EntryReasons, At: k.now, ID: id, Score: k.f.Priority(id), Because: why})
	}
}

// putBack returns a lead that was taken; its host may be visited at ready.
func (p *picker) putBack(id frontier.ID, h frontier.HostID, ready time.Time) {
	p.f.Queue(id)
	p.rec.returned(id)
	p.f.Release(h, ready, time.Time{})
}

// instead returns the lead to ask for in place of one that was taken and is suspect.
func (p *picker) instead(id frontier.ID, h frontier.HostID) frontier.ID {
	other, ok := p.hosts.instead(id, h)
	if !ok {
		return id
	}
	p.f.Queue(id)
	p.rec.returned(id)
	p.f.Take(other)
	p.rec.taken(other)
	return other
}

// chance returns the dice for the next pick. They depend on the key of the crawl and
// on how many visits were made, so that a crawl that is resumed throws the same.
func (p *picker) chance() *rand.Rand {
	return rand.New(rand.NewPCG(p.cfg.Key, uint64(p.stats.Picks+len(p.flights.pages))))
}

// explores reports whether the pick to come is made by chance.
func (p *picker) explores(dice *rand.Rand) bool {
	return p.cfg.Explore > 0 && dice.Float64() < p.cfg.Explore
}

// stray returns a waiting lead that fits, chosen by chance, each with the same probability. It
// tries numbers of URLs, which costs nothing per waiting lead.
func (p *picker) stray(dice *rand.Rand, fits func(frontier.ID) bool) (frontier.ID, bool) {
	for range exploreTries {
		if p.f.Len() == 0 {
			break
		}
		id := frontier.ID(dice.IntN(p.f.Len()))
		if p.f.State(id) == dowse.Waiting && fits(id) {
			return id, true
		}
	}
	return frontier.None, false
}

// nextLead takes out the best lead among the hosts that are rested or, for the share
// of picks that explore, any of their leads.
func (k *pick) nextLead() (id frontier.ID, stray bool, when time.Time, ok bool) {
	if k.explores(k.dice) {
		fits := func(id frontier.ID) bool {
			h := k.f.Host(id)
			return k.f.Rested(h, k.now) && (!k.f.Late(h) || k.hosts.lateRoom(true))
		}
		if id, ok = k.stray(k.dice, fits); ok {
			k.f.Take(id)
			k.f.Begin(k.f.Host(id))
			return id, true, time.Time{}, true
		}
	}
	id, when, ok = k.nextRested()
	return id, false, when, ok
}

// nextRested takes out the best lead among the hosts that are rested.
func (k *pick) nextRested() (id frontier.ID, when time.Time, ok bool) {
	if k.isLateTurn() {
		if id, when, ok = k.f.NextLate(k.now); ok {
			return id, when, ok
		}
	}
	id, when, ok = k.f.Next(k.now)
	if !ok && k.hosts.lateRoom(!k.f.OnlyLate()) {
		return k.f.NextLate(k.now)
	}
	return id, when, ok
}

// isLateTurn reports whether the visit to come is one that goes to a late host first.
func (p *picker) isLateTurn() bool {
	return p.hosts.quiet < allQuiet && (p.stats.Requests+p.flights.out())%lateTurns == lateTurns-1 && p.hosts.lateRoom(true)
}

// member takes a lead of the current round whose host is rested, and makes a new round when
// the last one is done.
func (k *pick) member() (choice, time.Time, bool) {
	if !k.rounds.isOpen() && !k.newRound() {
		return choice{}, time.Time{}, false
	}
	if givenUp := func(id frontier.ID) bool { return k.hosts.isGivenUp(k.f.Host(id), k.now) }; k.rounds.isGivenUp(givenUp) {
		if k.flights.out() > 0 {
			return choice{}, k.flights.nextDeadline(), false
		}
		return choice{closes: true}, time.Time{}, true // the next round is made of others
	}
	id, when := k.memberAt()
	if id == frontier.None {
		return choice{}, when, false
	}
	c := choice{id: id, host: k.f.Host(id)}
	if k.asksRobots(id, c.host) {
		k.f.Begin(c.host)
		c.robots = true
		return c, time.Time{}, true
	}
	k.rounds.leave(id)
	k.f.Take(id)
	k.rec.taken(id)
	if c.page = k.settles(id, c.host); c.page == nil {
		k.f.Begin(c.host)
	}
	return c, time.Time{}, true
}

// memberAt returns the first lead of the round that may be visited now, one of a late
// host only if there is no other. If there is none, when is the time at which there may be
// one.
func (k *pick) memberAt() (id frontier.ID, when time.Time) {
	late, others := frontier.None, false
	for _, id := range k.rounds.cur.wait {
		h := k.f.Host(id)
		others = others || !k.f.Late(h)
		switch ready := k.f.Ready(h); {
		case ready.After(k.now):
			when = earlier(when, ready)
		case k.f.Busy(h) >= k.cfg.Polite.Conns || k.hosts.isPromised(id, h):
		case !k.f.Late(h):
			return id, time.Time{}
		case late == frontier.None:
			late = id
		}
	}
	if late != frontier.None && k.hosts.lateRoom(others) {
		return late, time.Time{}
	}
	return frontier.None, when
}

// newRound opens a round with the best leads and the pages to be visited again, and records
// the list. It reports false if there are none.
func (k *pick) newRound() bool {
	k.beforeRound(k.now)
	list := append(k.strays(k.best(k.now, k.roundSize())), k.rounds.takeAgain(k.f)...)
	if len(list) == 0 {
		return false
	}
	k.rounds.open(list)
	k.rec.record(&Entry{Kind: entryRound, At: k.now, Round: list})
	return true
}

// roundSize is the number of leads that a round may have without passing a limit.
func (p *picker) roundSize() int {
	n, l := p.cfg.Round, &p.cfg.Limits
	if l.Pages > 0 {
		n = min(n, l.Pages-p.stats.Fetched)
	}
	if l.OnTopic > 0 {
		n = min(n, l.OnTopic-p.stats.OnTopic)
	}
	return n
}

// top returns the n best leads for hosts that are not given up, or the n best of all if
// there are no others.
func (p *picker) top(now time.Time, n int) []frontier.ID {
	for many := n; ; many *= 2 {
		all := p.f.Top(many)
		list := slices.DeleteFunc(slices.Clone(all), func(id frontier.ID) bool { return p.hosts.isGivenUp(p.f.Host(id), now) })
		switch {
		case len(list) >= n:
			return list[:n]
		case len(all) < many && len(list) > 0:
			return list
		case len(all) < many:
			return all[:min(n, len(all))]
		}
	}
}

// best returns the n best leads, rated again as often as that brings up others.
func (p *picker) best(now time.Time, n int) []frontier.ID {
	for range maxRescores {
		changed := false
		for _, id := range p.top(now, n) {
			changed = p.rescore(now, id) || changed
		}
		if !changed {
			break
		}
	}
	return p.top(now, n)
}

// strays puts leads by chance into the places of a list, for the share that explores.
func (p *picker) strays(list []frontier.ID) []frontier.ID {
	if p.cfg.Explore <= 0 {
		return list
	}
	dice := p.chance()
	for i := range list {
		if !p.explores(dice) {
			continue
		}
		if id, ok := p.stray(dice, func(id frontier.ID) bool { return !slices.Contains(list, id) }); ok {
			list[i] = id
		}
	}
	return list
}
