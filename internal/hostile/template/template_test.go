package template_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dowse/internal/hostile/template"
)

// sites are generated sites with the number of their originals and of their copies.
var sites = []struct {
	name              string
	make              func(host string) []template.Page
	originals, copies int
}{
	{"shop", func(h string) []template.Page { return template.Shop(h, 3, 10) }, 1 + 8 + 3 + 30, 2 * 3},
	{"forum", func(h string) []template.Page { return template.Forum(h, 3, 10) }, 1 + 6 + 3 + 30, 3},
	{"listings", func(h string) []template.Page { return template.Listings(h, 30) }, 1 + 16 + 30, 3},
	{"franchise", func(h string) []template.Page { return template.Franchise(h, 4) }, 4 * 10, 0},
	{"calendar", func(h string) []template.Page { return template.Calendar(h, 24) }, 1 + 10 + 24, 2},
	{"news", func(h string) []template.Page { return template.News(h, 30) }, 1 + 12 + 30, 4 * 3},
	{"parts", func(h string) []template.Page { return template.Parts(h, 120, 2) }, 1 + 6 + 3 + 120, 0},
}

// Tests compare a crawler's opinion with Same, so it must be right: every copy names an original
// that is there, and no two pages share a URL.
func TestCopiesNameTheirOriginals(t *testing.T) {
	for _, s := range sites {
		pages := s.make("site.test")
		byKey := map[string]template.Page{}
		copies := 0
		for _, p := range pages {
			if _, twice := byKey[p.Key()]; twice {
				t.Errorf("%s: two pages are %s", s.name, p.Key())
			}
			byKey[p.Key()] = p
		}
		for _, p := range pages {
			of, ok := byKey[p.Original()]
			if !ok || of.Same != "" {
				t.Errorf("%s: %s is a copy of %s, which is no original of the site", s.name, p.Key(), p.Original())
			}
			if p.Same != "" {
				copies++
			}
		}
		if originals := len(pages) - copies; originals != s.originals || copies != s.copies {
			t.Errorf("%s: %d originals and %d copies, want %d and %d", s.name, originals, copies, s.originals, s.copies)
		}
	}
}

func TestSitesDependOnTheirArgumentsAlone(t *testing.T) {
	for _, s := range sites {
		if !slices.Equal(s.make("a.test"), s.make("a.test")) {
			t.Errorf("%s: the same arguments made different sites", s.name)
		}
		if a, b := s.make("a.test")[0], s.make("b.test")[0]; strings.ReplaceAll(a.HTML, "a.test", "b.test") == b.HTML {
			t.Errorf("%s: two hosts have the same homepage", s.name)
		}
	}
}

var href = regexp.MustCompile(`href="([^"]*)"`)

// A crawl that begins at the first page of a site can reach every original by links; copies have
// no links to them, since links would show which page is a copy.
func TestOriginalsAreLinked(t *testing.T) {
	for _, s := range sites {
		if s.name == "franchise" { // its hosts do not link to each other
			continue
		}
		pages := s.make("site.test")
		byKey := map[string]template.Page{}
		for _, p := range pages {
			byKey[p.Key()] = p
		}
		seen := map[string]bool{pages[0].Key(): true}
		for queue := []string{pages[0].Key()}; len(queue) > 0; queue = queue[1:] {
			p := byKey[queue[0]]
			for _, m := range href.FindAllStringSubmatch(p.HTML, -1) {
				if key := p.Host + m[1]; byKey[key].HTML != "" && !seen[key] {
					seen[key] = true
					queue = append(queue, key)
				}
			}
		}
		for _, p := range pages {
			if reached := seen[p.Key()]; reached != (p.Same == "") {
				t.Errorf("%s: %s, a copy of %q, is reached: %v", s.name, p.Key(), p.Same, reached)
			}
		}
	}
}

// The pages of a site share their theme; a print version has the text without it.
func TestThemes(t *testing.T) {
	const menu = "Log in Register"
	bare := 0
	for _, p := range template.News("site.test", 30) {
		isPrint := strings.HasSuffix(p.Path, "?print=1")
		if strings.Contains(p.HTML, menu) == isPrint {
			t.Errorf("%s: has the menu: %v", p.Path, !isPrint)
		}
		if isPrint {
			bare++
		}
	}
	if bare != 3 {
		t.Errorf("%d print versions, want 3", bare)
	}
}

func TestProse(t *testing.T) {
	a, b := template.Prose("a", 50), template.Prose("b", 50)
	if a == b || a != template.Prose("a", 50) {
		t.Error("want a text per seed, and the same one each time")
	}
	if n := len(strings.Fields(a)); n != 50 {
		t.Errorf("%d words, want 50", n)
	}
	if got := template.Prose("a", 0); got != "" {
		t.Errorf("no words are %q", got)
	}
}
