package crawl

import (
	"maps"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/weburl"
)

// An intake decides which URLs enter the queue. It numbers the targets of links, asks
// the admission gate and robots.txt whether a URL may be queued, and merges the leads
// of the strategy with what is known of a URL.
type intake struct {
	cfg    *Config
	f      *urls
	gate   *admission.Gate
	hosts  *hosts
	rec    *recorder
	rounds *rounds

	sitemaps map[frontier.ID]bool // lists of URLs among the known URLs: sitemaps and feeds
	met      []frontier.HostID    // new hosts since the last turn began
	ids      []frontier.ID        // scratch of filterLinks
	prints   []frontier.Print     // scratch of filterLinks and applyLeads
	changes  uint64               // of the queue, counted: see picker.beforeRound
	reopened int                  // searches for URLs that isReopened selects, in this run
}

// newIntake returns the intake of a new crawl, with a gate that has seen nothing.
func newIntake(cfg *Config, f *urls, h *hosts, rec *recorder, r *rounds) *intake {
	in := &intake{
		cfg: cfg, f: f, hosts: h, rec: rec, rounds: r, sitemaps: map[frontier.ID]bool{},
		gate: admission.New(cfg.Scope, cfg.Traps, cfg.Key),
	}
	in.gate.SetLate(cfg.Late)
	return in
}

// see returns the number of a URL.
func (in *intake) see(u dowse.URL) frontier.ID {
	id, _ := in.sight(u)
	return id
}

// sight returns the number of a URL, and whether this is its first sighting. Whether it
// is, the mode decides: when all is decided again, all URLs have their numbers before.
func (in *intake) sight(u dowse.URL) (id frontier.ID, fresh bool) {
	return in.sightOf(u, in.f.Print(u))
}

// sightOf is sight for a URL whose print is known.
func (in *intake) sightOf(u dowse.URL, print frontier.Print) (id frontier.ID, fresh bool) {
	id, fresh = in.f.SeePrint(print, u, weburl.Host(u))
	in.hosts.grow(in.f.Hosts())
	if fresh = in.rec.mode.sight(id, fresh); fresh {
		in.meet(u, id)
	}
	return id, fresh
}

// meet counts the host of a URL seen for the first time, if the host is new.
func (in *intake) meet(u dowse.URL, id frontier.ID) {
	if h := in.f.Host(id); in.gate.CountsHosts() && in.hosts.meet(h) {
		in.met = append(in.met, h)
		in.gate.Meet(u)
	}
}

// seeds numbers the seeds and returns those that can be queued, without duplicates.
func (in *intake) seeds(list []dowse.URL) (fresh []dowse.URL) {
	twice := map[frontier.ID]bool{}
	for _, u := range list {
		met := len(in.met)
		id := in.see(u)
		if len(in.met) > met {
			in.gate.Grant(u)
		}
		if !twice[id] && in.seed(id, u) {
			fresh = append(fresh, u)
		}
		twice[id] = true
	}
	return fresh
}

// seed reports whether a seed can be queued. Reasons that kept the URL out as a link
// need not hold for a seed.
func (in *intake) seed(id frontier.ID, u dowse.URL) bool {
	_, visited := in.f.visited(id)
	state := in.f.State(id)
	if visited || in.f.forgotten(id) || state != dowse.Unseen && state != dowse.Held && state != dowse.Excluded {
		return false
	}
	in.f.SetDepth(id, 0, 0)
	if why := in.refuses(u, id, 0, 0); why != "" {
		in.f.exclude(id, why)
		return false
	}
	in.f.readmit(id)
	return true
}

// seedLeads returns the leads to seeds as the strategy ranks them.
func (in *intake) seedLeads(seeds []dowse.URL) []dowse.Lead {
	if s, ok := in.cfg.Strategy.(dowse.Starter); ok {
		return s.Start(seeds)
	}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1, Because: []dowse.Because{{What: "seed", Weight: 1}}}
	}
	return leads
}

// bounds returns the limits of the run that concern single URLs.
func (in *intake) bounds() admission.Bounds {
	l := &in.cfg.Limits
	return admission.Bounds{Depth: l.Depth, Tunnel: l.Tunnel, PerHost: l.PerHost}
}

// refuses returns why a URL may not be queued, or "".
func (in *intake) refuses(u dowse.URL, id frontier.ID, depth, hops int) dowse.Reason {
	h := in.f.Host(id)
	c := admission.Candidate{URL: u, Depth: depth, Hops: hops, Pages: in.hosts.pages(h)}
	if why := in.gate.Refuses(in.bounds(), c); why != "" {
		return why
	}
	_, why, _ := in.hosts.barred(h, u)
	return why
}

// forbids returns why a waiting lead may not be visited now that its turn has come:
// rules may have become known since it was queued.
func (in *intake) forbids(id frontier.ID, h frontier.HostID) (dowse.Outcome, dowse.Reason, string) {
	u := in.f.URL(id)
	if in.f.forgotten(id) {
		return dowse.Skipped, dowse.SkipForgotten, ""
	}
	if why := in.gate.Late(u); why != "" {
		return dowse.Skipped, why, ""
	}
	if outcome, why, detail := in.hosts.barred(h, u); why != "" {
		return outcome, why, detail
	}
	c := admission.Candidate{URL: u, Pages: in.hosts.pages(h)}
	if _, again := in.f.visited(id); !again && in.bounds().Full(c.Pages) {
		return dowse.Skipped, dowse.SkipBudgetHost, ""
	}
	if why := in.gate.Excludes(c); why != "" && !(isTrap(why) && in.f.granted(id)) {
		return dowse.Skipped, why, in.gate.Detail(c)
	}
	return dowse.Fetched, "", ""
}

// leadsToFarm reports whether a lead goes to a farm of generated hosts, where not even
// robots.txt is fetched.
func (in *intake) leadsToFarm(id frontier.ID) bool {
	return in.gate.HasHostFarms() && !in.f.granted(id) && in.gate.IsHostFarm(admission.Candidate{URL: in.f.URL(id), Pages: in.hosts.pages(in.f.Host(id))})
}

// isOver reports whether a URL is on an unknown host that exceeds the host budget of
// its owner.
func (in *intake) isOver(u dowse.URL) bool {
	if _, known := in.f.HostOf(weburl.Host(u)); known {
		return false
	}
	return in.gate.IsFull(u)
}

// thin removes from a page the links to hosts beyond their owners' budgets, and
// returns how many. They get no number, no name and no place in the queue, so that a
// server cannot fill memory with host names.
func (in *intake) thin(p *dowse.Page) (dropped int) {
	if !in.gate.CountsHosts() {
		return 0
	}
	own := weburl.Host(p.URL)
	over := func(u dowse.URL) bool { return weburl.Host(u) != own && in.isOver(u) }
	first := 0
	for first < len(p.Links) && !over(p.Links[first].URL) {
		first++
	}
	if first == len(p.Links) {
		return 0
	}
	before := len(p.Links)
	p.Links = slices.DeleteFunc(slices.Clone(p.Links), func(l dowse.Link) bool { return over(l.URL) })
	if p.Outcome == dowse.Redirected {
		p.Outcome, p.Reason, p.Detail = dowse.Skipped, dowse.SkipTrapFarm, "a redirect to one more host of a domain with very many"
	}
	return before - len(p.Links)
}

// applyAll applies leads, and reports to the strategy which of them were refused.
func (in *intake) applyAll(leads []dowse.Lead) {
	for i := range leads {
		in.apply(&leads[i])
	}
	in.reportRefused(leads)
	in.changes++
}

// reportRefused calls a strategy that implements Refusable with the leads that do not
// wait, and applies its answer, until it returns none. A strategy that spends cash gets
// it back in this way.
func (in *intake) reportRefused(leads []dowse.Lead) {
	s, ok := in.cfg.Strategy.(dowse.Refusable)
	for ok && len(leads) > 0 {
		var more []dowse.Lead
		for i := range leads {
			if why, refused := in.refused(&leads[i]); refused {
				more = append(more, s.Refused(leads[i], why)...)
			}
		}
		for i := range more {
			in.apply(&more[i])
		}
		leads = more
	}
}

// refused reports whether a lead should have been queued but was not, and why.
func (in *intake) refused(l *dowse.Lead) (dowse.Reason, bool) {
	if l.Kind != dowse.Queue {
		return "", false
	}
	id := in.f.end(in.see(l.URL))
	switch in.f.State(id) {
	case dowse.Waiting, dowse.Flying:
		return "", false
	case dowse.Visited, dowse.Aliased:
		return dowse.SkipDupURL, true
	}
	return in.f.reason(id), true
}

// apply carries out a lead and returns the URL that it concerns.
func (in *intake) apply(l *dowse.Lead) frontier.ID {
	switch l.Kind {
	case dowse.Raise:
		in.f.Raise(l.Priority, l.Cap, l.Visited)
		return frontier.None
	case dowse.Drop:
		in.f.drop(in.groupOf(l))
		return frontier.None
	}
	return in.applyTo(in.see(l.URL), l)
}

// applyTo carries out a lead to the URL with a number, and returns the URL that it concerns.
func (in *intake) applyTo(id frontier.ID, l *dowse.Lead) frontier.ID {
	id = in.f.end(id)
	in.admit(id, l, in.open(id, l.URL))
	return id
}

// applyLeads carries out the leads from the entry's page. Most of them go to links of the
// page, which are numbered and checked already; they need no second look-up. Where the others
// begin, all that follow are looked up together.
func (in *intake) applyLeads(e *Entry, p *dowse.Page, leads []dowse.Lead) {
	ahead := len(leads)            // the first lead whose print is known
	lowers := !in.cfg.isRecorded() // what is recorded was lowered before
	for i := range leads {
		l := &leads[i]
		if lowers {
			lower(p, l)
		}
		at, ok := e.LinkTo(l.URL)
		if ok {
			id := in.f.end(e.Links[at].Target)
			in.admit(id, l, in.f.State(id) == dowse.Unseen || in.open(id, l.URL))
			e.NoteAt(at, l)
			continue
		}
		if l.Kind == dowse.Raise || l.Kind == dowse.Drop {
			e.Note(in.apply(l), l)
			continue
		}
		if i < ahead {
			ahead = i
			in.prints = in.f.Prints(in.prints[:0], len(leads)-i, func(k int) dowse.URL { return leads[ahead+k].URL })
		}
		id, _ := in.sightOf(l.URL, in.prints[i-ahead])
		e.Note(in.applyTo(id, l), l)
	}
}

// groupOf returns the group that a lead drops.
func (in *intake) groupOf(l *dowse.Lead) string {
	if l.Group != "" || l.URL == "" {
		return l.Group
	}
	if id, ok := in.f.Find(l.URL); ok {
		return in.f.Group(id)
	}
	return weburl.Host(l.URL)
}

// open reports whether leads for a URL still matter. A URL that no link led to is
// checked here as links are.
func (in *intake) open(id frontier.ID, u dowse.URL) bool {
	switch in.f.State(id) {
	case dowse.Excluded:
		return false
	case dowse.Unseen:
		d, h := in.f.Depth(id)
		if why := in.refuses(u, id, int(d), int(h)); why != "" {
			in.f.exclude(id, why)
			return false
		}
	}
	return true
}

// admit merges a lead with a URL that is open. If the URL was left out, what the lead adds
// to its priority is still recorded: a cash strategy must not spend the same twice.
func (in *intake) admit(id frontier.ID, l *dowse.Lead, open bool) {
	switch {
	case open:
		in.merge(id, l)
	case l.Merge == dowse.Add:
		in.f.SetPriority(id, l.Priority, dowse.Add)
	}
}

// merge merges a lead with what is known of a URL that may be queued. What happens
// depends on the state: a URL that was not seen, held or left out is queued, a visited
// one only by a lead of kind Revisit, and one that waits changes its rank alone. A lead of
// kind Hold takes the URL out of the queue instead, or keeps it from entering.
func (in *intake) merge(id frontier.ID, l *dowse.Lead) {
	in.rank(id, l)
	if l.Note != "" {
		in.f.SetNote(id, l.Note)
	}
	if l.Group != "" {
		in.f.SetGroup(id, l.Group)
	}
	switch state := in.f.State(id); {
	case l.Kind == dowse.Hold:
		if state == dowse.Unseen || state == dowse.Waiting {
			in.f.takeOut(id, dowse.Held)
		}
	case l.Kind == dowse.Revisit && state == dowse.Visited:
		in.revisit(id)
	case state == dowse.Unseen || state == dowse.Held || state == dowse.Excluded:
		in.f.SetReason(id, 0)
		in.f.queueAgain(id)
	}
}

// fileBand is the band of URLs that are named like files, see Config.FilesLast. It comes
// before that of sitemaps and after those that strategies use.
const fileBand = sitemapBand - 1

// bandOf returns the band that a lead belongs to.
func (in *intake) bandOf(l *dowse.Lead) int8 {
	if in.cfg.FilesLast && l.Band < fileBand && admission.IsFile(l.URL) {
		return fileBand
	}
	return l.Band
}

// rank merges priority and band. The maximum of two is the one in the earlier band;
// priorities only compare within a band.
func (in *intake) rank(id frontier.ID, l *dowse.Lead) {
	merge, band := l.Merge, in.bandOf(l)
	if state := in.f.State(id); merge == dowse.Max && in.f.Known(id) && (state == dowse.Waiting || state == dowse.Held) {
		switch old := in.f.Band(id); {
		case old < band:
			return
		case band < old:
			merge = dowse.Replace
		}
	}
	in.f.SetPriority(id, l.Priority, merge)
	in.f.SetBand(id, band)
}

// revisit queues a visited page for another visit. In a crawl by rounds it joins the
// next round.
func (in *intake) revisit(id frontier.ID) {
	if in.cfg.Round > 0 {
		in.rounds.again = append(in.rounds.again, id)
		return
	}
	in.f.Queue(id)
}

// closeDecisions records the present state of each link's target in the entry. A target
// that the strategy gave no lead to is held: it is known, and a later lead can queue it.
func (in *intake) closeDecisions(e *Entry) {
	for i := range e.Links {
		d := &e.Links[i]
		d.State, d.Priority = in.f.State(d.Target), in.f.Priority(d.Target)
		if d.State == dowse.Unseen { // the strategy gave no lead to it
			in.f.Settle(d.Target, dowse.Held)
			d.State = dowse.Held
		}
	}
}

// Bounds and rank of sitemaps and feeds.
const (
	maxSitemaps = 100 // per host
	sitemapBand = 127 // sitemaps come after everything that links led to
	maxFeeds    = 10  // per host
	feedBand    = -1  // feeds of pages on topic, and of seeds, come before everything; others are ranked as sitemaps
)

// queueSitemaps queues the sitemaps of a host.
func (in *intake) queueSitemaps(h frontier.HostID, maps []dowse.URL) {
	for _, u := range maps {
		if in.hosts.at(h).maps >= maxSitemaps {
			return
		}
		if !in.isOver(u) && in.queueList(in.see(u), u, sitemapBand, 0, 0) {
			in.hosts.of(h).maps++
		}
	}
}

// queueFeeds queues the feeds of a page that was fetched. Their items count as links of the page: a feed is no step on
// the way. It has no priority, since strategies that share out cash did not give it any. A feed that waits comes
// earlier when a page on topic has it, too.
func (in *intake) queueFeeds(p *dowse.Page) {
	if p.NoFollow && !in.cfg.NoFollow {
		return
	}
	band := int8(sitemapBand)
	if p.OnTopic || p.Depth == 0 {
		band = feedBand
	}
	depth, hops := below(p)
	for _, u := range p.Maps {
		if in.isOver(u) {
			continue
		}
		id := in.see(u)
		h := in.f.Host(id)
		switch {
		case in.sitemaps[id] && in.f.State(id) == dowse.Waiting:
			in.f.SetBand(id, min(band, in.f.Band(id)))
		case in.hosts.at(h).feeds < maxFeeds && in.queueList(id, u, band, depth, hops):
			in.hosts.of(h).feeds++
		case in.f.State(id) == dowse.Unseen:
			in.f.Settle(id, dowse.Held)
		}
	}
}

// queueList queues a list of URLs in a band. It returns false if
// the URL is a known list or may not be visited.
func (in *intake) queueList(id frontier.ID, u dowse.URL, band int8, depth, hops int) bool {
	state := in.f.State(id)
	if state != dowse.Unseen && state != dowse.Held && state != dowse.Waiting || in.sitemaps[id] {
		return false
	}
	if why := in.refuses(u, id, depth, hops); why != "" {
		if state == dowse.Unseen {
			in.f.exclude(id, why)
		}
		return false
	}
	if state == dowse.Unseen {
		in.f.SetDepth(id, clamp8(depth), clamp8(hops))
	}
	in.sitemaps[id] = true
	in.f.SetBand(id, band)
	in.f.SetPriority(id, 0, dowse.Max)
	in.f.queueAgain(id)
	return true
}

// moveList makes the target of a redirect a list of URLs, if a list was asked for and the target came up with it or
// is the same URL but for the scheme, the host or a slash. Others may be pages, such as the home page.
func (in *intake) moveList(from, target frontier.ID, fresh bool) {
	bare := func(id frontier.ID) string { return strings.TrimSuffix(weburl.Path(in.f.URL(id)), "/") }
	switch in.f.State(target) {
	case dowse.Unseen, dowse.Held, dowse.Waiting:
		if in.sitemaps[from] && (fresh || bare(from) == bare(target)) {
			in.sitemaps[target] = true
		}
	}
}

// IsList reports whether a URL of a crawl is a list of URLs, a sitemap or a feed, which is visited and no page.
func IsList(c *Crawl, id frontier.ID) bool { return c.in.sitemaps[id] }

// bareList leaves of a list of URLs what the journal keeps of it: links with their words and ratings, and no text.
func bareList(d *dowse.Document) {
	*d = dowse.Document{Links: d.Links, NoFollow: d.NoFollow}
	for i := range d.Links {
		l := &d.Links[i]
		bareMention(&l.Mention)
		for k := range l.More {
			bareMention(&l.More[k])
		}
	}
}

// bareMention removes the place of a mention in the text.
func bareMention(m *dowse.Mention) {
	m.At, m.Block, m.Window, m.Above = dowse.Span{}, dowse.Span{}, dowse.Span{}, [3]int32{-1, -1, -1}
}

// sitemapsRead returns the number of visited sitemaps.
func (in *intake) sitemapsRead() (n int) {
	for id := range in.sitemaps {
		if in.f.State(id) == dowse.Visited {
			n++
		}
	}
	return n
}

// requeue queues URLs again that failed or were left out, and clears the failures of
// these URLs and their hosts. The URLs no longer count as failed with their hosts. If grant
// is set, the trap rules do not apply to those that failed or were left out by these rules.
func (in *intake) requeue(list []frontier.ID, grant bool) {
	hosts := map[frontier.HostID]bool{}
	for _, id := range list {
		if !in.f.mayRequeue(id) {
			continue
		}
		if v, ok := in.f.Visit(id); ok && v.Relevance == 0 { // it was never fetched
			in.f.reborn[id] = true
		}
		in.hosts.tries.forget(id)
		granted := grant && in.f.isGrantable(id)
		if in.f.State(id) == dowse.Dead {
			in.hosts.uncountFailed(in.f.Host(id))
		}
		switch {
		case !granted:
			in.f.SetReason(id, 0)
		case !isTrap(in.f.reason(id)):
			in.f.SetReason(id, ledger.ReasonCode(dowse.SkipTrapPattern))
		}
		in.f.queueAgain(id)
		hosts[in.f.Host(id)] = true
	}
	for _, h := range slices.Sorted(maps.Keys(hosts)) {
		in.hosts.askAnew(h)
	}
	in.changes++
}

// retry returns a lead with a temporary failure to the queue. It reports false if the
// failure is final: the URL itself is to blame and its tries are used up, or its group
// was dropped meanwhile. failures is the number of failures in a row that the host had
// before. For a replayed visit the journal decides.
func (in *intake) retry(now time.Time, fl *flight, p *dowse.Page, failures uint16) bool {
	spent := (in.hosts.blame(fl, failures) || in.hosts.isPortSpent(fl, p)) && fl.entry == nil
	if spent || in.f.Dropped(in.f.Group(fl.id)) {
		in.hosts.tries.forget(fl.id)
		p.Outcome = dowse.Failed
		return false
	}
	in.hosts.tries.noteCut(fl.id, p)
	in.hosts.tries.noteBreak(fl.id)
	in.requeueVisit(now, fl, p, in.rec.mode.putBack)
	return true
}

// requeueVisit returns the lead of a visit to the queue.
func (in *intake) requeueVisit(now time.Time, fl *flight, p *dowse.Page, back func(*urls, frontier.ID)) {
	delete(in.hosts.flights.pages, fl.id)
	if !in.f.endOrphan(fl.id) {
		back(in.f, fl.id)
	}
	in.rounds.back(fl.id)
	in.rec.record(&Entry{Kind: EntryRetry, At: now, ID: fl.id, Page: p, Regret: fl.regret})
}

// requeueOrphans returns URLs to the queue whose visits were in flight when an earlier
// run ended. Methods that begin visits, start or requeue call it first, so that it happens
// once, before the first entry of the run, which records it.
func (in *intake) requeueOrphans() {
	if !in.hosts.flights.orphaned {
		return
	}
	in.hosts.flights.orphaned = false
	in.rec.beginRun().Requeued = true
	in.releaseAll()
}

// releaseAll returns all URLs in flight to the queue.
func (in *intake) releaseAll() {
	for id := frontier.ID(0); int(id) < in.f.Len() && in.f.Count(dowse.Flying) > 0; id++ {
		if in.f.State(id) == dowse.Flying && !in.f.endOrphan(id) {
			in.rec.mode.release(in.f, id)
		}
	}
	in.hosts.vacateAll()
	in.rounds.requeueOrphans()
}

// checkNear looks for an earlier page with nearly the same text. A declared canonical
// URL is not used as evidence: many sites declare their home page on every page.
func (in *intake) checkNear(fl *flight, p *dowse.Page) {
	if p.Outcome != dowse.Fetched || p.Again || p.Sketch.Text == 0 {
		return
	}
	twin, found, own := in.gate.Near(fl.id, fl.host, &p.Sketch)
	if fl.own = own; found {
		p.Near = in.f.URL(twin)
	}
}

// endRedirects turns a redirect into a failure if it leads in a circle, or comes after
// too many others.
func (in *intake) endRedirects(id frontier.ID, p *dowse.Page) {
	if p.Outcome != dowse.Redirected {
		return
	}
	why := ""
	switch {
	case len(p.Links) == 0:
		why = "a redirect to no URL"
	case !in.gate.MayRedirect(id):
		why = "too many redirects in a row"
	case in.f.endsAt(p.Links[0].URL, id):
		why = "redirects in a circle"
	default:
		return
	}
	p.Outcome, p.Reason, p.Detail, p.Links = dowse.Failed, dowse.FailRedirect, why, nil
}

// endChain ends the redirects that led to a URL, or passes them on to the target of
// one more. Only from now on do leads for the URL count for the target: leads of this
// turn, such as spent cash, concerned the URL itself.
func (in *intake) endChain(id, target frontier.ID) {
	if target == frontier.None {
		in.gate.EndChain(id)
		return
	}
	in.f.SetAlias(id, target)
	in.f.inlinks.atLeast(target, in.f.inlinks.of(id))
	s := in.f.State(target)
	in.gate.Redirect(id, target, s == dowse.Waiting || s == dowse.Held || s == dowse.Unseen)
}
