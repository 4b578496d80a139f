package admission_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// small are budgets that a test can use up in a few visits.
var small = admission.Traps{Budget: 3, Gain: 2, Sets: 2, Strays: 4, Hosts: 5, Shapes: 100}

func newGate(t admission.Traps) *admission.Gate { return admission.New(admission.Scope{}, t, 42) }

// A link is a link of a page, and what came up with the page.
type link struct {
	url              dowse.URL
	self, across     bool
	fresh, freshHost bool
}

// links implements admission.Links.
type links []link

func (l links) Len() int                           { return len(l) }
func (l links) At(i int) (dowse.URL, bool, bool)   { return l[i].url, l[i].self, l[i].fresh }
func (l links) Across(i int) bool                  { return l[i].across }
func (l links) Host(i int) (name string, new bool) { return weburl.Host(l[i].url), l[i].freshHost }

func (l links) NewHosts() (names []string) {
	for _, x := range l {
		if h := weburl.Host(x.url); x.freshHost && !slices.Contains(names, h) {
			names = append(names, h)
		}
	}
	return names
}

// none is a page without links.
var none links

// fresh returns links to n URLs that came up with the page; format gets the number of each.
func fresh(format string, n int) (l links) {
	for i := range n {
		l = append(l, link{url: dowse.URL(fmt.Sprintf(format, i)), fresh: true})
	}
	return l
}

// known returns links to n URLs that were known before.
func known(format string, n int) links {
	l := fresh(format, n)
	for i := range l {
		l[i].fresh = false
	}
	return l
}

// text returns the sketch of a long text. Sketches of different seeds have nothing in common.
func text(seed uint64) (s dowse.Sketch) {
	dice := rand.New(rand.NewPCG(seed, 7))
	s.Text = dice.Uint64() | 1
	for i := range s.Bins {
		s.Bins[i] = uint16(1 + dice.IntN(1<<16-1))
	}
	return s
}

// page returns a fetched page with a text of its own.
func page(u dowse.URL) *dowse.Page {
	p := &dowse.Page{URL: u, Outcome: dowse.Fetched}
	p.Sketch = text(weburl.ShapeHash(u) ^ uint64(len(u))<<32)
	return p
}

func at(u dowse.URL) admission.Candidate { return admission.Candidate{URL: u} }

func urlf(format string, args ...any) dowse.URL { return dowse.URL(fmt.Sprintf(format, args...)) }

func TestScopeByReach(t *testing.T) {
	const seed dowse.URL = "http://www.birds.co.uk/owls/index.html?from=/home/"
	for _, c := range []struct {
		u    dowse.URL
		want map[admission.Reach]bool // the reaches within which the URL lies
	}{
		{seed, within(admission.ReachDomain, admission.ReachHost, admission.ReachPrefix)},
		{"http://www.birds.co.uk/owls/", within(admission.ReachDomain, admission.ReachHost, admission.ReachPrefix)},
		{"http://www.birds.co.uk/owls/barn/1?q=a/b", within(admission.ReachDomain, admission.ReachHost, admission.ReachPrefix)},
		{"http://www.birds.co.uk/owls", within(admission.ReachDomain, admission.ReachHost)},
		{"http://www.birds.co.uk/owlsandmore/", within(admission.ReachDomain, admission.ReachHost)},
		{"https://www.birds.co.uk/owls/barn", within(admission.ReachDomain, admission.ReachHost)},
		{"http://www.birds.co.uk:8080/owls/", within(admission.ReachDomain)},
		{"http://birds.co.uk/owls/", within(admission.ReachDomain)},
		{"http://shop.birds.co.uk/", within(admission.ReachDomain)},
		{"http://fish.co.uk/owls/", within()},
		{"http://www.birds.co.uk.fish.com/owls/", within()},
		{"http://fish.com/?u=http://www.birds.co.uk/owls/", within()},
	} {
		for _, reach := range []admission.Reach{"", admission.ReachWeb, admission.ReachDomain, admission.ReachHost, admission.ReachPrefix} {
			g := admission.New(admission.Scope{Reach: reach}, admission.Traps{}, 1)
			g.Learn([]dowse.URL{seed})
			want := dowse.SkipScopeHost
			if reach == "" || reach == admission.ReachWeb || c.want[reach] {
				want = ""
			}
			if got := g.Excludes(at(c.u)); got != want {
				t.Errorf("reach %q: %s is refused for %q, want %q", reach, c.u, got, want)
			}
		}
	}
}

func within(list ...admission.Reach) map[admission.Reach]bool {
	m := map[admission.Reach]bool{}
	for _, r := range list {
		m[r] = true
	}
	return m
}

// Seeds that are added later widen the scope and keep what earlier ones allowed.
func TestScopeLearnsFurtherSeeds(t *testing.T) {
	g := admission.New(admission.Scope{Reach: admission.ReachHost}, admission.Traps{}, 1)
	if got := g.Excludes(at("http://a.test/")); got != dowse.SkipScopeHost {
		t.Errorf("without seeds: %q, want %q", got, dowse.SkipScopeHost)
	}
	g.Learn([]dowse.URL{"http://a.test/"})
	g.Learn([]dowse.URL{"http://b.test/"})
	for _, u := range []dowse.URL{"http://a.test/x", "http://b.test/x"} {
		if got := g.Excludes(at(u)); got != "" {
			t.Errorf("%s is refused for %q, want it allowed", u, got)
		}
	}
}

func TestScopePatterns(t *testing.T) {
	birds, pdf, www := regexp.MustCompile(`birds`), regexp.MustCompile(`\.pdf$`), regexp.MustCompile(`^http://www\.`)
	for _, c := range []struct {
		name  string
		scope admission.Scope
		u     dowse.URL
		want  dowse.Reason
	}{
		{"no pattern", admission.Scope{}, "http://a.test/", ""},
		{"an include matches", admission.Scope{Include: []*regexp.Regexp{pdf, birds}}, "http://a.test/birds", ""},
		{"no include matches", admission.Scope{Include: []*regexp.Regexp{pdf, birds}}, "http://a.test/fish", dowse.SkipScopeExclude},
		{"an exclude matches", admission.Scope{Exclude: []*regexp.Regexp{birds, pdf}}, "http://a.test/x.pdf", dowse.SkipScopeExclude},
		{"no exclude matches", admission.Scope{Exclude: []*regexp.Regexp{birds, pdf}}, "http://a.test/x.pdf?", ""},
		{"exclude beats include", admission.Scope{Include: []*regexp.Regexp{birds}, Exclude: []*regexp.Regexp{pdf}}, "http://a.test/birds.pdf", dowse.SkipScopeExclude},
		{"patterns match the whole URL", admission.Scope{Include: []*regexp.Regexp{www}}, "http://www.a.test/", ""},
		{"blocked host", admission.Scope{Block: map[string]bool{"a.test": true}}, "https://a.test/x", dowse.SkipHostBlocked},
		{"another host than the blocked", admission.Scope{Block: map[string]bool{"a.test": true}}, "https://www.a.test/x", ""},
		{"blocked host at another port", admission.Scope{Block: map[string]bool{"a.test": true}}, "http://a.test:8400/x", dowse.SkipHostBlocked},
		{"blocked address at a port", admission.Scope{Block: map[string]bool{"[2001:db8::1]": true}}, "http://[2001:db8::1]:8400/x", dowse.SkipHostBlocked},
		{"blocked at one port alone", admission.Scope{Block: map[string]bool{"a.test:8400": true}}, "http://a.test:8401/x", ""},
		{"the port that is blocked", admission.Scope{Block: map[string]bool{"a.test:8400": true}}, "http://a.test:8400/x", dowse.SkipHostBlocked},
		{"block before exclude", admission.Scope{Block: map[string]bool{"a.test": true}, Exclude: []*regexp.Regexp{pdf}}, "http://a.test/x.pdf", dowse.SkipHostBlocked},
		{"reach before exclude", admission.Scope{Reach: admission.ReachHost, Exclude: []*regexp.Regexp{pdf}}, "http://a.test/x.pdf", dowse.SkipScopeHost},
	} {
		g := admission.New(c.scope, admission.Traps{}, 1)
		if got := g.Excludes(at(c.u)); got != c.want {
			t.Errorf("%s: %s is refused for %q, want %q", c.name, c.u, got, c.want)
		}
		if got := g.Detail(at(c.u)); c.want != "" && got != "" {
			t.Errorf("%s: detail %q, want none: the scope needs no more words than its reason", c.name, got)
		}
	}
}

func TestBounds(t *testing.T) {
	const u = dowse.URL("http://a.test/")
	for _, c := range []struct {
		bounds admission.Bounds
		at     admission.Candidate
		want   dowse.Reason
	}{
		{admission.Bounds{}, admission.Candidate{Depth: 1000, Hops: 1000, Pages: 1000}, ""},
		{admission.Bounds{Depth: 2}, admission.Candidate{Depth: 2}, ""},
		{admission.Bounds{Depth: 2}, admission.Candidate{Depth: 3}, dowse.SkipScopeDepth},
		{admission.Bounds{Tunnel: 1}, admission.Candidate{Hops: 1}, ""},
		{admission.Bounds{Tunnel: 1}, admission.Candidate{Hops: 2}, dowse.SkipScopeTunnel},
		{admission.Bounds{Tunnel: -1}, admission.Candidate{Hops: 0}, ""},
		{admission.Bounds{Tunnel: -1}, admission.Candidate{Hops: 1}, dowse.SkipScopeTunnel},
		{admission.Bounds{PerHost: 3}, admission.Candidate{Pages: 2}, ""},
		{admission.Bounds{PerHost: 3}, admission.Candidate{Pages: 3}, dowse.SkipBudgetHost},
	} {
		g := newGate(small)
		if c.at.URL = u; g.Refuses(c.bounds, c.at) != c.want {
			t.Errorf("%+v under %+v: refused for %q, want %q", c.at, c.bounds, g.Refuses(c.bounds, c.at), c.want)
		}
		if got := g.Excludes(c.at); got != "" {
			t.Errorf("%+v: excluded for %q; a limit of the run does not exclude", c.at, got)
		}
	}
}

// A URL that several rules refuse gets the reason of the first rule: limits of the way to it, the
// limit of its host, the scope, traps.
func TestFirstReasonCounts(t *testing.T) {
	bounds := admission.Bounds{Depth: 1, Tunnel: 1, PerHost: 1}
	c := admission.Candidate{URL: "http://a.test/x/y/x/y/x/y", Depth: 2, Hops: 2, Pages: 1}
	g := admission.New(admission.Scope{Reach: admission.ReachHost}, small, 1)
	for _, step := range []struct {
		want dowse.Reason
		fix  func()
	}{
		{dowse.SkipScopeDepth, func() { c.Depth = 1 }},
		{dowse.SkipScopeTunnel, func() { c.Hops = 1 }},
		{dowse.SkipBudgetHost, func() { c.Pages = 0 }},
		{dowse.SkipScopeHost, func() { g.Learn([]dowse.URL{"http://a.test/"}) }},
		{dowse.SkipTrapPattern, func() { c.URL = "http://a.test/x/y" }},
		{"", func() {}},
	} {
		if got := g.Refuses(bounds, c); got != step.want {
			t.Fatalf("%+v: refused for %q, want %q", c, got, step.want)
		}
		step.fix()
	}
}

func TestShortTexts(t *testing.T) {
	g := newGate(small)
	for i, c := range []struct {
		host frontier.HostID
		text uint64
		own  int
	}{
		{0, 0, 0}, // no text at all
		{0, 5, 1}, // a short text, never seen before
		{0, 5, 0}, // the same again
		{0, 6, 1},
		{1, 5, 1}, // on another host it is new
		{1, 5, 0},
	} {
		twin, found, own := g.Near(frontier.ID(i), c.host, &dowse.Sketch{Text: c.text})
		if found || own != c.own {
			t.Errorf("page %d: near-duplicate of %d: %v, %d bins of its own, want none and %d", i, twin, found, own, c.own)
		}
	}
}

// A page is a twin of the earliest page with its text, on whatever host, but never of itself: a
// page that is fetched again is not its own near-duplicate.
func TestTwins(t *testing.T) {
	g := newGate(small)
	first, other := text(1), text(2)
	for _, c := range []struct {
		id    frontier.ID
		host  frontier.HostID
		s     *dowse.Sketch
		twin  frontier.ID
		found bool
	}{
		{10, 0, &first, 0, false},
		{10, 0, &first, 0, false},
		{11, 1, &first, 10, true},
		{12, 1, &other, 0, false},
		{13, 0, &first, 10, true},
		{14, 0, &other, 12, true},
	} {
		twin, found, _ := g.Near(c.id, c.host, c.s)
		if found != c.found || found && twin != c.twin {
			t.Errorf("page %d: near-duplicate of %d: %v, want of %d: %v", c.id, twin, found, c.twin, c.found)
		}
	}
}
