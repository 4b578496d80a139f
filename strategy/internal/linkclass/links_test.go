package linkclass_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/linkclass"
	"dowse/strategy/strategytest"
)

// TestLinkEdgeCases is the matrix of edge cases for strategies by link scores.
func TestLinkEdgeCases(t *testing.T) {
	type has = map[dowse.URL]float64
	for _, name := range []string{"lsfc", "lsfc-optimised", "nb:train=-1", "nb-threshold:train=-1", "nb-updateable:train=-1,mode=verified"} {
		for _, row := range []struct {
			what    string
			web     toy
			visits  int
			visited string
			has     has
		}{
			{"no links", deadEnd, 9, "s", nil},
			{"twice", twice, 1, "s", has{"a": 0.5, "b": 0.5}},
			{"zero", zero, 9, "s a b", nil},
			{"fetched", fetched, 9, "s a b", has{"b": 0.5}},
			{"redirect", moved, 2, "s a", has{"b": 1, "c": 0.5}},
			{"redirect known", moved, 9, "s a b c d", has{"b": 1, "c": 1}},
			{"failure", failing, 9, "s a b c", nil},
		} {
			t.Run(name+", "+row.what, func(t *testing.T) {
				c, order := stroll(t, made(t, name), row.web, row.visits, "s")
				if got := joined(order); got != row.visited {
					t.Errorf("visited %s, want %s", got, row.visited)
				}
				for u, want := range row.has {
					equal(t, string(u), known(c, u).Priority, want)
				}
			})
		}
	}
}

func made(t *testing.T, spec string) dowse.Strategy {
	t.Helper()
	s, err := strategy.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func joined(urls []dowse.URL) string {
	var list []string
	for _, u := range urls {
		list = append(list, string(u))
	}
	return strings.Join(list, " ")
}

// TestLevels goes through pages off topic until there are too many in a row, and
// begins anew at a relevant one.
func TestLevels(t *testing.T) {
	chain := toy{
		"s": {Relevance: 0.9, Links: strategytest.To("a")},
		"a": {Links: strategytest.To("b")}, "b": {Links: strategytest.To("c")}, "c": {Links: strategytest.To("d")},
		"d": {}, "e": {},
	}
	for spec, want := range map[string]string{"lsfc": "s a b c", "lsfc:max-level=-1": "s a", "lsfc:max-level=9": "s a b c d", "lsfc:page=0.95": "s a b"} {
		if _, order := stroll(t, made(t, spec), chain, 9, "s"); joined(order) != want {
			t.Errorf("%s visited %s, want %s", spec, joined(order), want)
		}
	}
	chain["c"] = tpage{Relevance: 0.9, Links: strategytest.To("d")}
	chain["d"] = tpage{Links: strategytest.To("e")}
	if _, order := stroll(t, made(t, "lsfc"), chain, 9, "s"); joined(order) != "s a b c d e" {
		t.Errorf("after a relevant page: %s", joined(order))
	}
}

// TestHeldLinks lets a link in when a second page vouches for it.
func TestHeldLinks(t *testing.T) {
	web := toy{
		"s":    {Relevance: 0.9, Links: []tlink{{To: "held"}, {To: "good", AnchorScore: 0.3}}},
		"good": {Relevance: 0.85, Links: strategytest.To("held")},
		"held": {},
	}
	c, order := stroll(t, made(t, "lsfc-optimised"), web, 1, "s")
	id, _ := c.Frontier().Find("held")
	if c.Frontier().State(id) != dowse.Held {
		t.Errorf("a link with a score of 1.9 is %v after %v", c.Frontier().State(id), order)
	}
	if _, order = stroll(t, made(t, "lsfc-optimised"), web, 9, "s"); joined(order) != "s good held" {
		t.Errorf("visited %s", joined(order))
	}
}

func TestParentTerms(t *testing.T) {
	p := page("p", 0, 0.9, "u")
	for spec, want := range map[string]float64{
		"lsfc":                                       5*1 + 5*0.9,
		"lsfc:parent-term=log1p":                     math.Log(6) + math.Log(5.5),
		"lsfc:parent-term=capped":                    3 + 3,
		"lsfc:parent-term=capped,parent-cap=4":       4 + 4,
		"nb:train=-1,parent-term=capped,max-level=1": 3 + 3,
	} {
		s := made(t, spec)
		p.Links[0].Target = dowse.Target{}
		var lead dowse.Lead
		for range 5 {
			lead = s.Follow(p)[0]
			p.Links[0].Target = dowse.Target{State: dowse.Waiting, Note: lead.Note}
		}
		equal(t, spec, lead.Priority, want)
		sum := 0.0
		for _, b := range lead.Because {
			sum += b.Weight
		}
		equal(t, spec+", its reasons", sum, want)
	}
}

func TestSitemaps(t *testing.T) {
	p := page("http://s.test/sitemap.xml", 0, 0, "http://s.test/ski-lift.html", "http://s.test/x")
	p.Outcome = dowse.Listed
	s := &linkclass.LSFC{}
	s.Table = []judge.TopicWord{{Term: "ski", Weight: 1}, {Term: "lift", Weight: 1}}
	if leads := s.Follow(p); len(leads) != 0 {
		t.Errorf("a sitemap is followed: %+v", leads)
	}
	s = &linkclass.LSFC{LinkScoring: linkclass.LinkScoring{Sitemaps: true, LinkWords: s.LinkWords}}
	leads := s.Follow(p)
	if len(leads) != 2 || !near(leads[0].Priority, 1) || leads[1].Priority != 0 {
		t.Fatalf("leads of a sitemap: %+v", leads)
	}
	if _, level := linkclass.LinkScore(s.LinkScoring, leads[0].URL, leads[0].Note); level != 1 || leads[0].Kind != dowse.Queue {
		t.Errorf("a link of a sitemap is at level %d: %+v", level, leads[0])
	}
}

func TestURLTerms(t *testing.T) {
	tr := linkclass.LinkWords{Language: "tr"}
	for _, c := range []struct {
		words linkclass.LinkWords
		url   dowse.URL
		want  string
	}{
		{linkclass.LinkWords{}, "https://www.resorts.example/ski-lifts/2024/index.html", "resort exampl ski lift"},
		{linkclass.LinkWords{Stem: "whole"}, "http://WWW.Ski.org/a/Lifts.PHP?page=7", "ski lifts page"},
		{tr, "http://www.kariyer.net/m%C3%BChendislik-ilanlar%C4%B1", "kariy muhen ilanl"},
		{tr, "http://kariyer.net/IŞIK", "kariy isik"},
		{linkclass.LinkWords{Language: "tr-TR", Stem: "whole"}, "http://kariyer.net/ilanlar", "kariyer ilanlar"},
		{linkclass.LinkWords{}, "http://x.test/%zz", "test zz"},
		{linkclass.LinkWords{Drop: []string{"ski"}}, "http://ski.com/", "com"},
		{linkclass.LinkWords{}, dowse.URL("http://ski.com/" + strings.Repeat("é", 5000)), "ski"},
	} {
		if got := strings.Join(linkclass.URLTerms(c.words, c.url), " "); got != c.want {
			t.Errorf("%.60s: %q, want %q", c.url, got, c.want)
		}
	}
}

// TestLinkParameters refuses what can't be.
func TestLinkParameters(t *testing.T) {
	for spec, want := range map[string]string{
		"lsfc:parent-term=most":      "want raw, log1p or capped",
		"lsfc-optimised:stem=blue":   "want porter, whole, prefix or a language",
		"nb-updateable:mode=daily":   "want self or verified",
		"nb-updateable:every=-1":     "want 1 or more",
		"nb-threshold:parent-cap=-1": "want 0 or more",
		"nb:train=0":                 "0 means the default, 64",
	} {
		if _, err := strategy.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", spec, err, want)
		}
	}
}

// slopes is a web in which words show where links lead: a few seeds link to pages
// about skiing and to others, and so do these.
func slopes() (web toy, seeds []dowse.URL) {
	web = toy{}
	links := func(from string) (list []tlink) {
		for i := range 12 {
			list = append(list, tlink{To: dowse.URL(fmt.Sprintf("http://s.test/%s/ski/%d", from, i)), Anchor: "ski slopes"})
			list = append(list, tlink{To: dowse.URL(fmt.Sprintf("http://s.test/%s/about/%d", from, i)), Anchor: "about us"})
		}
		return list
	}
	for _, s := range []string{"north", "south"} {
		u := dowse.URL("http://s.test/" + s)
		seeds = append(seeds, u)
		web[u] = tpage{Relevance: 0.9, Links: links(s)}
		for i, l := range web[u].Links {
			p := tpage{Relevance: 0.1}
			if l.Anchor == "ski slopes" {
				p = tpage{Relevance: 0.9, Links: links(fmt.Sprint(s, i))}
			}
			web[l.To] = p
			for _, l := range p.Links {
				web[l.To] = tpage{Relevance: map[string]float64{"ski slopes": 0.9}[l.Anchor]}
			}
		}
	}
	return web, seeds
}

// TestTraining visits links of the seeds first, learns from them, and then visits
// what is like those that were worth it.
func TestTraining(t *testing.T) {
	for _, spec := range []string{"nb:train=16", "nb-threshold:train=16", "nb-updateable:train=16,every=10", "nb-updateable:train=16,every=10,mode=verified"} {
		t.Run(spec, func(t *testing.T) {
			web, seeds := slopes()
			s := made(t, spec)
			c := newCrawl(t, s, 0, seeds)
			var bands []int8
			steps(c, web, func(v crawl.Visit) {
				n := len(bands)
				bands = append(bands, v.Lead.Band)
				if trains := s.(interface{ InTraining() bool }).InTraining(); trains != (n < 18) {
					t.Errorf("visit %d: in training %v", n, trains)
				}
				if n >= 18 && n < 60 && !strings.Contains(string(v.URL), "ski") {
					t.Errorf("visit %d: %s", n, v.URL)
				}
			}, func(crawl.Visit) {})
			want := append(slices.Repeat([]int8{linkclass.SeedBand}, 2), slices.Repeat([]int8{linkclass.LessonBand}, 16)...)
			if !slices.Equal(bands[:18], want) || slices.Contains(bands[18:], linkclass.LessonBand) {
				t.Errorf("bands of the visits: %v", bands)
			}
			if n := len(bands); n < 300 || n > 330 {
				t.Errorf("%d visits; there are 12 + 12·12 good links to a seed, and 16 lessons", n)
			}
			if b := c.Books(); !b.Balanced() {
				t.Errorf("books: %+v", b)
			}
		})
	}
}

// TestTrainingEnds when nothing is left to learn from, and without any contrast goes
// by scores.
func TestTrainingEnds(t *testing.T) {
	web := toy{
		"s": {Relevance: 0.9, Links: strategytest.To("a", "moved", "gone")},
		"a": {Relevance: 0.9, Links: strategytest.To("b")}, "b": {Relevance: 0.9},
		"moved": {Redirect: "c"}, "c": {Relevance: 0.9, Links: strategytest.To("d")}, "d": {},
	}
	s := &linkclass.NB{}
	_, order := stroll(t, s, web, 20, "s")
	if joined(order) != "s a moved c gone b d" || s.InTraining() {
		t.Errorf("visited %s, in training: %v", joined(order), s.InTraining())
	}
}

func TestBalanced(t *testing.T) {
	rare, common := linkclass.Bag{Relevant: true, Terms: []string{"ski"}}, linkclass.Bag{Terms: []string{"us"}}
	if got := linkclass.Balanced([]linkclass.Bag{common, rare, common, common}); len(got) != 6 {
		t.Errorf("balanced: %v", got)
	}
	if got := linkclass.Balanced([]linkclass.Bag{common, common}); len(got) != 2 {
		t.Errorf("of one kind: %v", got)
	}
}

// relay hands a strategy's knowledge on to a new one before every page, and compares
// what the two return.
type relay struct {
	t    *testing.T
	make func() dowse.Strategy
	dowse.Strategy
	compared int
}

func (r *relay) Start(seeds []dowse.URL) []dowse.Lead { return r.Strategy.(dowse.Starter).Start(seeds) }

func (r *relay) Idle() []dowse.Lead {
	return r.both(func(s dowse.Strategy) []dowse.Lead { return s.(dowse.Idler).Idle() })
}

func (r *relay) Follow(p *dowse.Page) []dowse.Lead {
	return r.both(func(s dowse.Strategy) []dowse.Lead { return s.Follow(p) })
}

func (r *relay) both(invoke func(s dowse.Strategy) []dowse.Lead) []dowse.Lead {
	saved, err := r.Strategy.(dowse.Saver).Save()
	if err != nil {
		r.t.Fatal(err)
	}
	next := r.make()
	if err := next.(dowse.Saver).Load(saved); err != nil {
		r.t.Fatal(err)
	}
	again, _ := next.(dowse.Saver).Save()
	if !bytes.Equal(saved, again) {
		r.t.Errorf("saved, loaded and saved: %d bytes, then %d", len(saved), len(again))
	}
	old, leads := invoke(r.Strategy), invoke(next)
	if len(old) != len(leads) || len(old) > 0 && !reflect.DeepEqual(old, leads) {
		r.t.Errorf("leads differ after loading: %d and %d", len(old), len(leads))
	}
	r.Strategy = next
	r.compared += len(leads)
	return leads
}

// TestSavedAtAnyTime saves and loads before every page, in the training and after.
func TestSavedAtAnyTime(t *testing.T) {
	for _, spec := range []string{"nb:train=20", "nb-threshold", "nb-updateable:train=16,every=3,rate=0.6", "nb-updateable:train=16,every=4,mode=verified"} {
		make := func() dowse.Strategy { return made(t, spec) }
		web, seeds := strategytest.Random(300, 5)
		r := &relay{t: t, make: make, Strategy: make()}
		if _, order := stroll(t, r, web, 500, seeds...); len(order) < 40 || r.compared < 100 {
			t.Errorf("%s: %d visits, %d leads", spec, len(order), r.compared)
		}
	}
}

// TestVocabularyOfLinks ignores words for which there is no room, also when loaded.
func TestVocabularyOfLinks(t *testing.T) {
	s := &linkclass.NB{}
	s.Vocabulary = 3
	s.Links = []input.LabelledLink{{Anchor: "ski lift", Relevant: true}, {Anchor: "about contact terms"}}
	s.Start(nil)
	data, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	again := &linkclass.NB{}
	again.Vocabulary = 3
	if err := again.Load(data); err != nil {
		t.Fatal(err)
	}
	for _, anchor := range []string{"ski", "about", "contact", "terms"} {
		l := &dowse.Link{Mention: dowse.Mention{Anchor: anchor}}
		if a, b := s.Chance(l), again.Chance(l); a != b {
			t.Errorf("%s: %v, after loading %v", anchor, a, b)
		}
	}
	if s.Chance(&dowse.Link{Mention: dowse.Mention{Anchor: "terms"}}) != 0.5 {
		t.Error("there was room for a fourth word")
	}
	if err := again.Load([]byte("no state")); err == nil {
		t.Error("it loads what is no state")
	}
}

// FuzzLinkNote reads any note, and writes what it has read.
func FuzzLinkNote(f *testing.F) {
	s := &linkclass.NBUpdateable{Mode: linkclass.UpdateVerified}
	s.Train = -1
	p := page("p", 0, 0.9, "u")
	p.Links[0].Anchor, p.Links[0].AnchorScore = "ski lift", 0.4
	f.Add(s.Follow(p)[0].Note)
	f.Add("")
	f.Add("\x00\x00\x00")
	f.Add("\x18\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80")
	f.Fuzz(func(t *testing.T, note string) {
		once := linkclass.Renoted(note)
		if twice := linkclass.Renoted(once); once != twice {
			t.Errorf("%q becomes %q becomes %q", note, once, twice)
		}
		score, _ := linkclass.LinkScore(linkclass.LinkScoring{}, "u", note)
		if !(score >= 0) {
			t.Errorf("%q: score %v", note, score)
		}
	})
}

// TestConformanceOfLinkVariants runs the suite where parameters change what is kept.
func TestConformanceOfLinkVariants(t *testing.T) {
	for _, spec := range []string{"nb-updateable:mode=verified,train=8,every=5", "nb-threshold:train=-1,sitemaps=true,parent-term=log1p"} {
		t.Run(spec, func(t *testing.T) {
			strategytest.Run(t, func() dowse.Strategy { return made(t, spec) })
		})
	}
}
