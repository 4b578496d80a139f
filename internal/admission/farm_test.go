package admission_test

import (
	"slices"
	"testing"

	"dowse"
)

// TestStrays surveys pages that are all linked alike, and asks whether their host is a farm.
func TestStrays(t *testing.T) {
	const new, old, away = "http://a.test/n%d", "http://a.test/k%d", "http://b.test/%d"
	near := func(p *dowse.Page) { p.Near = "http://a.test/first" }
	same := func(*dowse.Page) {}
	for _, c := range []struct {
		name   string
		links  links
		own    int
		change func(*dowse.Page)
		farm   bool
	}{
		{"no links", nil, 64, same, false},
		{"new pages only", fresh(new, 3), 64, same, true},
		{"one new page and the way back", append(fresh(new, 1), known(old, 1)...), 64, same, true},
		{"one new page and two known", append(fresh(new, 1), known(old, 2)...), 64, same, false},
		{"one known page in five", append(fresh(new, 8), known(old, 2)...), 64, same, true},
		{"more than one known page in five", append(fresh(new, 8), known(old, 3)...), 64, same, false},
		{"known pages only", known(old, 5), 64, same, false},
		{"eight new pages and one across", append(fresh(new, 8), link{url: "http://a.test/cousin", across: true}), 64, same, false},
		{"an echo with a link across", append(fresh(new, 8), link{url: "http://a.test/cousin", across: true}), 64, near, true},
		{"across, on another host", append(fresh(new, 8), link{url: "http://b.test/cousin", across: true}), 64, same, true},
		{"new pages of other hosts", append(fresh(away, 5), known(old, 1)...), 64, same, false},
		{"known pages of other hosts", append(fresh(new, 1), known(away, 9)...), 64, same, true},
		{"links to themselves", append(fresh(new, 1), link{url: "http://a.test/", self: true}, link{url: "http://a.test/#x", self: true}), 64, same, true},
		{"an echo with a menu", append(fresh(new, 1), known(old, 9)...), 64, near, true},
		{"hardly a word, with a menu", append(fresh(new, 1), known(old, 9)...), 3, same, true},
		{"an echo of known pages", known(old, 9), 64, near, false},
		{"failed", fresh(new, 3), 64, func(p *dowse.Page) { p.Outcome = dowse.Failed }, false},
		{"fetched again", fresh(new, 3), 64, func(p *dowse.Page) { p.Again = true }, false},
	} {
		g := newGate(small)
		for i := range small.Strays {
			if got := g.Excludes(at("http://a.test/next")); got != "" {
				t.Fatalf("%s: refused for %q after %d pages of %d", c.name, got, i, small.Strays)
			}
			p := page(urlf("http://a.test/p%d", i))
			c.change(p)
			g.Survey(p, c.own, 0, c.links)
		}
		want := dowse.Reason("")
		if c.farm {
			want = dowse.SkipTrapFarm
		}
		if got := g.Excludes(at("http://a.test/next")); got != want {
			t.Errorf("%s: refused for %q, want %q", c.name, got, want)
		}
	}
}

func TestFarmIsAHost(t *testing.T) {
	g := newGate(small)
	for i := range small.Strays {
		g.Survey(page(urlf("http://a.test/p%d", i)), 64, 0, fresh("http://a.test/n%d", 3))
	}
	for u, want := range map[dowse.URL]dowse.Reason{
		"http://a.test/":          dowse.SkipTrapFarm,
		"http://a.test/x/y?z":     dowse.SkipTrapFarm,
		"http://www.a.test/":      "",
		"http://a.test.b.test/x/": "",
		"s1":                      "", // opaque URLs have no host
	} {
		if got := g.Excludes(at(u)); got != want {
			t.Errorf("%s is refused for %q, want %q", u, got, want)
		}
	}
	if got, want := g.Detail(at("http://a.test/")), "every page there leads to ever new ones, and hardly to one that is known"; got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
}

// A farm may have only the first folder of a host. The rest of the host goes on.
func TestFarmInAFolder(t *testing.T) {
	g := newGate(small)
	menu := known("http://a.test/k%d", 4)
	for i := range small.Strays {
		g.Survey(page(urlf("http://a.test/maze/%d/x", i)), 64, 0, fresh("http://a.test/maze/n%d/x", 3))
		g.Survey(page(urlf("http://a.test/find?u=/%d", i)), 64, 0, fresh("http://a.test/find?u=/n%d", 3))
		g.Survey(page(urlf("http://a.test/p%d", i)), 64, 0, append(fresh("http://a.test/n%d", 1), menu...))
	}
	for u, want := range map[dowse.URL]dowse.Reason{
		"http://a.test/maze/7/x":   dowse.SkipTrapFarm,
		"http://a.test/maze/":      dowse.SkipTrapFarm,
		"http://a.test/maze":       "",
		"http://a.test/?q=/maze/":  "",
		"http://a.test/find?u=/9":  "", // a slash in a query ends no folder
		"http://a.test/about":      "",
		"http://a.test/help/maze/": "",
	} {
		if got := g.Excludes(at(u)); got != want {
			t.Errorf("%s is refused for %q, want %q", u, got, want)
		}
	}
}

// Three strays in four pages make a farm. A host that links to known pages later is none any
// more.
func TestFarmIsMostlyStrays(t *testing.T) {
	g := newGate(small)
	survey := func(stray bool) dowse.Reason {
		l := fresh("http://a.test/n%d", 3)
		if !stray {
			l = append(l, known("http://a.test/k%d", 5)...)
		}
		g.Survey(page("http://a.test/p"), 64, 0, l)
		return g.Excludes(at("http://a.test/x"))
	}
	var got []dowse.Reason
	for _, stray := range []bool{false, true, true, true, true, false, true, true} {
		got = append(got, survey(stray))
	}
	const farm = dowse.SkipTrapFarm
	if want := []dowse.Reason{"", "", "", "", farm, "", "", farm}; !slices.Equal(got, want) {
		t.Errorf("refused for %q, want %q", got, want)
	}
}

func TestNumberOfFarmsIsBounded(t *testing.T) {
	few := small
	few.Shapes = 1
	g := newGate(few)
	for _, host := range []string{"a.test", "b.test"} {
		for i := range small.Strays {
			g.Survey(page(urlf("http://%s/p%d", host, i)), 64, 0, fresh("http://"+host+"/n%d", 3))
		}
	}
	if got := g.Excludes(at("http://a.test/x")); got != dowse.SkipTrapFarm {
		t.Errorf("the first host is refused for %q, want %q", got, dowse.SkipTrapFarm)
	}
	if got := g.Excludes(at("http://b.test/x")); got != "" {
		t.Errorf("a host beyond the bound is refused for %q, want it allowed", got)
	}
}
