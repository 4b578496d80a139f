package admission_test

import (
	"testing"

	"dowse"
	"dowse/internal/admission"
)

// hostsUntilFull meets new hosts of a domain, and returns how many there may be.
func hostsUntilFull(g *admission.Gate, domain string) int {
	for n := range never {
		u := urlf("http://new%d.%s/", n, domain)
		if g.IsFull(u) {
			return n
		}
		g.Meet(u)
	}
	return never
}

// meetAll uses up the budget of the owner of a URL's host.
func meetAll(g *admission.Gate, u dowse.URL) {
	for range small.Hosts {
		g.Meet(u)
	}
}

func TestOwnersOfHosts(t *testing.T) {
	for _, c := range []struct {
		a, b   dowse.URL
		shared bool // one budget
	}{
		{"http://a.d.test/", "http://b.d.test/", true},
		{"http://a.d.test/", "https://x.y.d.test:8080/z", true},
		{"http://d.test/", "http://a.d.test/", true},
		{"http://a.d.test/", "http://a.e.test/", false},
		{"http://a.d.co.uk/", "http://a.e.co.uk/", false},
		{"http://a.github.io/", "http://b.github.io/", false},
		{"http://localhost/", "http://localhost:81/", true},
		{"http://10.1.2.3/", "http://10.200.0.1:8080/", true},
		{"http://10.1.2.3/", "http://11.1.2.3/", false},
		{"http://[2001:db8::1]/", "http://[200f::1]:81/", true},
		{"http://[2001:db8::1]/", "http://[2a00::1]/", false},
		{"http://10.1.2.3/", "http://[::ffff:10.9.9.9]/", true},
		{"http://10.1.2.3/", "http://10.d.test/", false},
	} {
		g := newGate(small)
		meetAll(g, c.a)
		if !g.IsFull(c.a) {
			t.Errorf("%s: not full after %d hosts", c.a, small.Hosts)
		}
		if got := g.IsFull(c.b); got != c.shared {
			t.Errorf("%s and %s share a budget: %v, want %v", c.a, c.b, got, c.shared)
		}
	}
}

// Opaque URLs, as in experiments, have no host, so that none is counted.
func TestOpaqueURLsHaveNoOwner(t *testing.T) {
	g := newGate(small)
	meetAll(g, "s1")
	g.Survey(page("s1"), 64, 9, none)
	if g.IsFull("s2") || g.HasHostFarms() {
		t.Error("hosts of opaque URLs are counted")
	}
}

// The budget of hosts grows by one for eight pages with a new text, and by one for two pages on
// topic. It shrinks with pages that lead to new hosts only.
func TestBudgetOfHosts(t *testing.T) {
	many := small
	many.Strays = 100
	plain := func(*dowse.Page) {}
	onTopic := func(p *dowse.Page) { p.OnTopic = true }
	for _, c := range []struct {
		name    string
		pages   int
		change  func(p *dowse.Page)
		dropped int
		want    int
	}{
		{"no page", 0, plain, 0, 5},
		{"seven pages", 7, plain, 0, 5},
		{"eight pages", 8, plain, 0, 6},
		{"one page on topic", 1, onTopic, 0, 5},
		{"two pages on topic", 2, onTopic, 0, 6},
		{"eight pages on topic", 8, onTopic, 0, 5 + 1 + 4},
		{"pages without a text", 16, func(p *dowse.Page) { p.Sketch, p.OnTopic = dowse.Sketch{}, true }, 0, 5},
		{"pages that repeat another host of the owner", 16, func(p *dowse.Page) { p.Near, p.OnTopic = "http://other.d.test/", true }, 0, 5},
		{"pages that repeat another owner", 16, func(p *dowse.Page) { p.Near = "http://other.test/" }, 0, 7},
		{"pages that were fetched before", 16, func(p *dowse.Page) { p.Again = true }, 0, 5},
		{"pages that failed", 16, func(p *dowse.Page) { p.Outcome = dowse.Failed }, 0, 5},
		{"three pages that lead to new hosts", 3, plain, 1, 5},
		{"four pages that lead to new hosts", 4, plain, 1, 5 / 2},
		{"sixteen pages that lead to new hosts", 16, plain, 1, 1 + 2},
	} {
		g := newGate(many)
		for i := range c.pages {
			p := page(urlf("http://www.d.test/p%d", i))
			c.change(p)
			g.Survey(p, 64, c.dropped, none)
		}
		if got := hostsUntilFull(g, "d.test"); got != c.want {
			t.Errorf("%s: %d hosts, want %d", c.name, got, c.want)
		}
		if got := hostsUntilFull(g, "e.test"); got != small.Hosts {
			t.Errorf("%s: %d hosts of another domain, want %d", c.name, got, small.Hosts)
		}
	}
}

// Hosts of seeds are not taken out of the budget: a person asked for them.
func TestGrantedHosts(t *testing.T) {
	g := newGate(small)
	for i := range 20 {
		seed := urlf("http://seed%d.d.test/", i)
		g.Meet(seed)
		g.Grant(seed)
	}
	if got := hostsUntilFull(g, "d.test"); got != small.Hosts {
		t.Errorf("%d hosts beyond 20 seeds, want %d", got, small.Hosts)
	}
}

// host returns a link to a host; new ones came up with the page.
func host(u dowse.URL, new bool) link { return link{url: u, fresh: new, freshHost: new} }

// TestPagesThatLeadToNewHosts surveys pages that are linked alike, and asks whether their domain
// is a farm of hosts.
func TestPagesThatLeadToNewHosts(t *testing.T) {
	new1, new2 := host("http://n1.d.test/", true), host("http://n2.d.test:81/", true)
	old1, old2 := host("http://k1.d.test/", false), host("http://d.test/", false)
	for _, c := range []struct {
		name    string
		from    string
		dropped int
		links   links
		farm    bool
	}{
		{"no links", "a%d.d.test", 0, nil, false},
		{"a new host", "a%d.d.test", 0, links{new1}, true},
		{"new hosts and one that is known", "a%d.d.test", 0, links{new1, new2, old1}, true},
		{"new hosts and two that are known", "a%d.d.test", 0, links{new1, new2, old1, old2}, false},
		{"dropped links", "a%d.d.test", 2, nil, true},
		{"dropped links, and one known host in five", "a%d.d.test", 8, links{old1, old2}, true},
		{"dropped links, and more known hosts", "a%d.d.test", 2, links{old1, old2}, false},
		{"known hosts only", "a%d.d.test", 0, links{old1}, false},
		{"new hosts of other domains", "a%d.d.test", 0, links{host("http://n.xd.test/", true), host("http://n.e.test/", true)}, false},
		{"known hosts of other domains", "a%d.d.test", 0, links{new1, host("http://xd.test/", false), host("http://e.test/", false)}, true},
		{"addresses of one block", "10.0.0.%d", 0, links{host("http://10.9.9.9:81/", true), host("http://11.1.1.1/", false), host("http://12.1.1.1/", false)}, true},
		{"addresses of other blocks", "10.0.0.%d", 0, links{host("http://11.9.9.9/", true)}, false},
	} {
		g := newGate(small)
		for i := range small.Strays {
			if g.HasHostFarms() {
				t.Fatalf("%s: a farm after %d pages of %d", c.name, i, small.Strays)
			}
			g.Survey(page(urlf("http://"+c.from+"/", i)), 64, c.dropped, c.links)
		}
		next := at(urlf("http://"+c.from+"/", 99))
		if g.HasHostFarms() != c.farm || g.IsHostFarm(next) != c.farm {
			t.Errorf("%s: farms %v, of %s %v, want %v", c.name, g.HasHostFarms(), next.URL, g.IsHostFarm(next), c.farm)
		}
	}
}

// In a farm of hosts nothing is visited on hosts that gave no page, and no further host is kept.
// Hosts that gave a page go on, and so do other domains.
func TestFarmOfHosts(t *testing.T) {
	g := newGate(small)
	for i := range small.Strays {
		u := urlf("http://a%d.d.test/", i)
		g.Survey(page(u), 64, 3, none)
	}
	for _, c := range []struct {
		u     dowse.URL
		pages int
		want  dowse.Reason
	}{
		{"http://new.d.test/", 0, dowse.SkipTrapFarm},
		{"http://a0.d.test/next", 1, ""},
		{"http://new.e.test/", 0, ""},
	} {
		next := admission.Candidate{URL: c.u, Pages: c.pages}
		if got := g.Excludes(next); got != c.want {
			t.Errorf("%s, with %d pages, is refused for %q, want %q", c.u, c.pages, got, c.want)
		}
	}
	const want = "every page of the domain leads to ever new hosts, and hardly to one that is known"
	if got := g.Detail(at("http://new.d.test/")); got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
	if !g.IsFull("http://new.d.test/") || g.IsFull("http://new.e.test/") {
		t.Error("want no further host of this domain, and of others still some")
	}
	for range 2 { // two pages of six that link to each other: no farm any more
		g.Survey(page("http://a0.d.test/"), 64, 0, links{host("http://a1.d.test/", false)})
	}
	if g.HasHostFarms() || g.Excludes(at("http://new.d.test/")) != "" {
		t.Error("the domain is still a farm after pages that link to each other")
	}
}

func TestNumberOfOwnersIsBounded(t *testing.T) {
	few := small
	few.Shapes = 1
	g := newGate(few)
	meetAll(g, "http://a.d.test/")
	meetAll(g, "http://a.e.test/")
	if !g.IsFull("http://b.d.test/") || g.IsFull("http://b.e.test/") {
		t.Error("want the first owner to be counted, and the second not")
	}
}
