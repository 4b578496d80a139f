// Package admission decides which URLs a crawl may queue.
//
// A [Gate] combines the rules that depend on the URL, on where it was found and on what
// earlier visits have shown: the scope, limits on depth, on off-topic pages in a row and on
// the pages of a host, budgets against traps, farms and domains with endless hosts, and
// chains of redirects. It also finds near-duplicate pages, since they do not add to a
// budget. The package is pure: whatever a rule needs is an argument or was counted before,
// so the same visits in the same order always lead to the same answers.
package admission

import (
	"dowse"
	"dowse/weburl"
)

// A Gate decides which URLs may be queued. It learns from the visits that [Gate.Tally],
// [Gate.Survey] and [Gate.Near] are called for. Its methods must not be called concurrently.
type Gate struct {
	scope   Scope
	late    Scope
	traps   Traps
	shapes  shapes
	farms   farms
	domains domains
	near    near
	chains  chains
}

// New returns a gate that has seen nothing. The secret keys the counts of domains and the
// sample of trapped URLs, so that no page can name a domain that shares the count of another,
// or URLs that are all in the sample.
func New(scope Scope, traps Traps, secret uint64) *Gate {
	scope.homes = map[string]bool{}
	scope.learn(scope.Homes)
	return &Gate{
		late:  Scope{homes: map[string]bool{}},
		scope: scope, traps: traps.WithDefaults(), shapes: shapes{}, farms: farms{lands: map[uint64]*farm{}},
		domains: domains{owners: map[uint64]domain{}, secret: secret}, near: newNear(), chains: chains{},
	}
}

// Learn adds the domains, hosts or directories of seeds to the scope.
func (g *Gate) Learn(seeds []dowse.URL) {
	g.scope.learn(seeds)
	g.late.learn(seeds)
}

// SetLate sets what [Gate.Late] refuses: what a scope leaves out. Its reach is measured from its Homes, and from
// seeds that are learnt afterwards. SetLate reports whether the scope is another one than before, and returns a
// function that reports whether a URL was refused before and is not any more; nil if there can be none.
func (g *Gate) SetLate(s Scope) (changed bool, freed func(u dowse.URL) bool) {
	old := g.late
	s.homes = map[string]bool{}
	s.learn(s.Homes)
	g.late = s
	lost := old.exceeds(&g.late)
	if lost {
		freed = func(u dowse.URL) bool { return old.skips(u) != "" && g.late.skips(u) == "" }
	}
	return lost || g.late.exceeds(&old), freed
}

// HasLate reports whether [Gate.Late] refuses any URL.
func (g *Gate) HasLate() bool { return !g.late.isEmpty() }

// Late returns why a URL that may wait must not be fetched: it was excluded, or its host blocked,
// after the crawl began to decide under its scope. Links to it are decided as before, so that
// earlier decisions stay as they are.
func (g *Gate) Late(u dowse.URL) dowse.Reason { return g.late.skips(u) }

// A Candidate is a URL that could be queued.
type Candidate struct {
	URL   dowse.URL
	Depth int // links from a seed
	Hops  int // off-topic pages in a row on the way to it
	Pages int // that its host has given so far
}

// Bounds are the limits of a run that decide about single URLs. Zero means no limit.
type Bounds struct {
	Depth   int // links from a seed
	Tunnel  int // off-topic pages in a row; negative for none at all
	PerHost int // pages of one host
}

// Full reports whether a host that gave a number of pages may give no further one.
func (b Bounds) Full(pages int) bool { return b.PerHost > 0 && pages >= b.PerHost }

// Refuses returns why a URL may not be queued, or "".
func (g *Gate) Refuses(b Bounds, c Candidate) dowse.Reason {
	switch {
	case b.Depth > 0 && c.Depth > b.Depth:
		return dowse.SkipScopeDepth
	case b.Tunnel != 0 && c.Hops > max(b.Tunnel, 0):
		return dowse.SkipScopeTunnel
	case b.Full(c.Pages):
		return dowse.SkipBudgetHost
	}
	return g.Excludes(c)
}

// Excludes returns why a URL is outside the scope or looks like one of endlessly many, or
// "". Visits to other URLs can have brought that about since the URL was queued.
func (g *Gate) Excludes(c Candidate) dowse.Reason {
	if why := g.scope.skips(c.URL); why != "" {
		return why
	}
	return g.trapped(c)
}

// trapped returns why a URL looks like one of endlessly many, or "".
func (g *Gate) trapped(c Candidate) dowse.Reason {
	switch t := &g.traps; {
	case t.off():
		return ""
	case weburl.Trap(c.URL) != "", g.shapes.spent(t, g.domains.secret, c.URL):
		return dowse.SkipTrapPattern
	case g.farms.has(t, c.URL), g.domains.isFarm(t, c.URL, c.Pages):
		return dowse.SkipTrapFarm
	}
	return ""
}

// Reopened reports whether the budget for URLs like u is not used up, although it may have been
// before: pages that were visited since have added to it.
func (g *Gate) Reopened(u dowse.URL) bool { return !g.traps.off() && g.shapes.reopened(&g.traps, u) }

// Detail describes in words why [Gate.Excludes] refuses a URL, "" if its scope does.
func (g *Gate) Detail(c Candidate) string {
	why := weburl.Trap(c.URL)
	switch t := &g.traps; {
	case g.scope.skips(c.URL) != "":
		return ""
	case why != "":
		return why
	case g.domains.isFarm(t, c.URL, c.Pages):
		return "every page of the domain leads to ever new hosts, and hardly to one that is known"
	case g.farms.has(t, c.URL):
		return "every page there leads to ever new ones, and hardly to one that is known"
	default:
		return g.shapes.detail(t, c.URL)
	}
}

// IsHostFarm reports whether a URL is on a host that gave no page, of a domain whose pages
// link to ever new hosts.
func (g *Gate) IsHostFarm(c Candidate) bool { return g.domains.isFarm(&g.traps, c.URL, c.Pages) }

// HasHostFarms reports whether [Gate.IsHostFarm] is true for any URL.
func (g *Gate) HasHostFarms() bool { return g.domains.farms > 0 }

// CountsHosts reports whether the hosts of domains have a budget, so that every new host is
// to be passed to [Gate.Meet].
func (g *Gate) CountsHosts() bool { return !g.traps.off() }

// Meet counts the host of a URL, which is a new one.
func (g *Gate) Meet(u dowse.URL) {
	g.domains.change(&g.traps, owner(u), func(d *domain) { d.hosts++ })
}

// Grant takes the host of a seed out of its owner's budget.
func (g *Gate) Grant(u dowse.URL) {
	if !g.traps.off() {
		g.domains.change(&g.traps, owner(u), func(d *domain) { d.granted++ })
	}
}

// IsFull reports whether the owner of a URL's host may not have one more host. It is for URLs
// on hosts that are not known yet.
func (g *Gate) IsFull(u dowse.URL) bool {
	if g.traps.off() || weburl.Host(u) == "" {
		return false
	}
	d := g.domains.of(u)
	return d.hosts >= d.budget(&g.traps) || d.farm.isFarm(&g.traps)
}

// Tally counts a visit against the budget of the URL's shape. own is how many bins of the
// page's sketch are not boilerplate, see [Gate.Near]; links are those of the page.
func (g *Gate) Tally(p *dowse.Page, own int, links Links) { g.shapes.tally(&g.traps, p, own, links) }

// Links are the links of a page, with what is known of their targets.
type Links interface {
	Len() int
	// At returns the URL of a link, whether it leads to the page itself, and whether the
	// URL came up with this page.
	At(i int) (u dowse.URL, self, fresh bool)
	// Across reports whether a link leads to a page that was known before and is no nearer to the seeds
	// than this one. Links back and menus lead to nearer ones.
	Across(i int) bool
	// Host returns the host of a link, and whether the host came up with this page.
	Host(i int) (name string, fresh bool)
	// NewHosts returns the hosts that came up with this page.
	NewHosts() []string
}

// Survey counts how a fetched page is linked with the others of its host, its folder and its
// owner. own is as for [Gate.Tally]; dropped is the number of links that were not kept
// because of [Gate.IsFull].
func (g *Gate) Survey(p *dowse.Page, own, dropped int, links Links) {
	if g.traps.off() || p.Outcome != dowse.Fetched || p.Again {
		return
	}
	g.domains.survey(&g.traps, p, dropped, links)
	g.farms.survey(&g.traps, p, links, isEcho(p, own))
}

// Pattern returns how many URLs of u's shape were visited, and how many of these pages were
// on topic: what the budget of the shape was spent on.
func (g *Gate) Pattern(u dowse.URL) (visited, onTopic int) {
	s := g.shapes[weburl.ShapeHash(u)]
	if s == nil {
		return 0, 0
	}
	return int(s.visited), int(s.onTopic)
}
