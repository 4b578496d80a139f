package crawl

import (
	"net/netip"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// Names of hosts cost whoever owns a domain nothing: with a wildcard in its zone every name
// exists, and a page can link to fifty new ones. So the hosts of one owner share a budget
// (Traps.Hosts), which grows with useful pages: by one for every eight pages with a new
// text, and by one more for every two on topic. Links to further hosts are not kept: they
// get no number, no name and no place in the queue; they are only counted. And where
// nearly every page leads to new hosts only, no further host is visited: see isFarm.

// A domain counts what is known of the hosts of one owner.
type domain struct {
	hosts   uint32 // that are known
	granted uint32 // of these: seeds, which a person asked for
	novel   uint32 // pages with a text that was not seen before
	onTopic uint32
	farm    farm // pages, and those of them that lead to new hosts only
}

// budget returns how many hosts may be known. What there is at first shrinks with pages
// that lead to new hosts only, so that a trap does not use it up: a list of all hosts is
// one such page or two.
func (d *domain) budget(t Traps) uint32 {
	return uint32(t.Hosts)/(1+d.farm.strays/4) + d.granted + d.novel/8 + d.onTopic/2
}

// owner returns what one owner holds: the registrable domain of a URL's host; an IPv4
// address, whatever the port; the network of an IPv6 address that one customer is given;
// "" for an opaque URL.
func owner(u dowse.URL) string {
	name := weburl.Hostname(u)
	if strings.IndexByte(name, ':') < 0 {
		return weburl.Site(u)
	}
	a, err := netip.ParseAddr(name)
	if err != nil {
		return name
	}
	network, _ := a.Prefix(64)
	return network.String()
}

// domainKey is the number under which an owner's hosts are counted: 64-bit FNV-1a, from a
// start that only this crawl knows.
func (c *Crawl) domainKey(owner string) uint64 {
	k := 14695981039346656037 ^ c.cfg.Key
	for i := range len(owner) {
		k = (k ^ uint64(owner[i])) * 1099511628211
	}
	return k
}

// meet counts the host of a URL that is seen for the first time, if it is a new one.
func (c *Crawl) meet(u dowse.URL, id frontier.ID) {
	h := c.f.Host(id)
	if c.cfg.Traps.Budget < 0 || !c.hosts.meet(h) {
		return
	}
	c.met = append(c.met, h)
	if o := owner(u); o != "" {
		c.changeDomain(o, func(d *domain) { d.hosts++ })
	}
}

// changeDomain changes the counts of an owner's hosts. When too many owners are known new
// ones are not counted.
func (c *Crawl) changeDomain(owner string, change func(d *domain)) {
	k := c.domainKey(owner)
	d, known := c.domains[k]
	if !known && len(c.domains) >= c.cfg.Traps.Shapes {
		return
	}
	before := d.farm.isFarm(c.cfg.Traps)
	change(&d)
	c.domains[k] = d
	c.hostFarms += count(d.farm.isFarm(c.cfg.Traps)) - count(before)
}

// grantHost takes the host of a seed out of its owner's budget.
func (c *Crawl) grantHost(u dowse.URL) {
	if o := owner(u); o != "" && c.cfg.Traps.Budget >= 0 {
		c.changeDomain(o, func(d *domain) { d.granted++ })
	}
}

// overBudget reports whether a URL is on a host that is not known, and one too many for
// its owner.
func (c *Crawl) overBudget(u dowse.URL) bool {
	host := weburl.Host(u)
	if c.cfg.Traps.Budget < 0 || host == "" {
		return false
	}
	if _, known := c.f.HostOf(host); known {
		return false
	}
	d := c.domains[c.domainKey(owner(u))]
	return d.hosts >= d.budget(c.cfg.Traps) || d.farm.isFarm(c.cfg.Traps)
}

// thin takes out of a page the links to hosts that are over the budget of their owners,
// and returns how many there were. What is taken out is not in the journal, so a replay
// finds nothing to take out.
func (c *Crawl) thin(p *dowse.Page) (dropped int) {
	if c.replay || c.cfg.Traps.Budget < 0 {
		return 0
	}
	own := weburl.Host(p.URL)
	over := func(l dowse.Link) bool { return weburl.Host(l.URL) != own && c.overBudget(l.URL) }
	first := slices.IndexFunc(p.Links, over)
	if first < 0 {
		return 0
	}
	before := len(p.Links)
	p.Links = slices.DeleteFunc(slices.Clone(p.Links), over)
	if p.Outcome == dowse.Redirected {
		p.Outcome, p.Reason, p.Detail = dowse.Skipped, dowse.SkipTrapFarm, "a redirect to one more host of a domain with very many"
	}
	return before - len(p.Links)
}

// surveyHosts books whether a page leads to other hosts of its owner as the pages of a
// site do.
func (c *Crawl) surveyHosts(t *turn) {
	o := owner(t.p.URL)
	if o == "" {
		return
	}
	stray := t.leadsToNewHosts(c, o)
	c.changeDomain(o, func(d *domain) {
		d.farm.visited++
		d.farm.strays += uint32(count(stray))
		if repeats := t.p.Near != "" && owner(t.p.Near) == o; !repeats && !t.p.Sketch.IsZero() {
			d.novel++
			d.onTopic += uint32(count(t.p.OnTopic))
		}
	})
}

// leadsToNewHosts reports whether the page's links lead to new hosts of its owner and hardly
// to those that are known, its own included: at most by one link, or by one in five.
func (t *turn) leadsToNewHosts(c *Crawl, owner string) bool {
	fresh := t.entry.Dropped
	for _, h := range t.met {
		fresh += count(belongs(c.f.HostName(h), owner))
	}
	if fresh == 0 {
		return false
	}
	known := 0
	for i := range t.entry.Links {
		d := &t.entry.Links[i]
		if h := c.f.Host(d.ID); belongs(c.f.HostName(h), owner) && !slices.Contains(t.met, h) {
			known++
		}
	}
	return known <= max(1, (fresh+known)/5)
}

// belongs reports whether a host, with or without a port, is one of an owner. For
// networks of IPv6 it is always false: their hosts are bounded by their budget.
func belongs(host, owner string) bool {
	name, _, _ := strings.Cut(host, ":")
	return strings.HasSuffix(name, owner) && (len(name) == len(owner) || name[len(name)-len(owner)-1] == '.')
}

// onHostFarm reports whether a URL is on a host that was not visited, of an owner whose
// pages lead to new hosts only. Hosts that gave a page go on: among them may be the one
// that is not a trap.
func (c *Crawl) onHostFarm(u dowse.URL) bool {
	if c.hostFarms == 0 {
		return false
	}
	d := c.domains[c.domainKey(owner(u))]
	if !d.farm.isFarm(c.cfg.Traps) {
		return false
	}
	h, known := c.f.HostOf(weburl.Host(u))
	return !known || c.hosts.at(h).fetched+c.hosts.at(h).landed == 0
}

// leadsToFarm is onHostFarm for a lead: not even robots.txt is asked for there.
func (c *Crawl) leadsToFarm(id frontier.ID) bool {
	return c.hostFarms > 0 && c.onHostFarm(c.f.URL(id))
}
