package demo

import (
	"slices"
	"strings"
	"testing"

	"dowse"
)

func TestTruthFollowsTheSites(t *testing.T) {
	w := small()
	for i := range w.sites {
		s := &w.sites[i]
		on, other := 0, 0
		for local := range s.count {
			u := w.URL(s.first + local)
			relevant := 0
			for _, topic := range w.Topics() {
				r, ok := w.Truth(u, topic.Name)
				if !ok {
					t.Fatalf("%s: no truth", u)
				}
				if byPath, _ := w.Truth(u, topic.Path); byPath != r {
					t.Errorf("%s: %s by name %v, by path %v", u, topic.Name, r, byPath)
				}
				if !r {
					continue
				}
				relevant++
				if topic.Name == w.describe(s).Topic {
					on++
				}
			}
			if relevant > 1 {
				t.Errorf("%s is on %d topics", u, relevant)
			}
			other += relevant
		}
		share := float64(on) / float64(max(s.count, 1))
		switch s.kind {
		case Farm, French, German, Passage:
			if other != 0 {
				t.Errorf("%s (%v): %d pages on a topic", s.host, s.kind, other)
			}
		case Moved:
		case General, News, Portal, Forum, Calendar:
			if on != 0 {
				t.Errorf("%s (%v) has a topic", s.host, s.kind)
			}
		default:
			if share < 0.35 || share > 0.9 {
				t.Errorf("%s (%v): %.2f on its topic", s.host, s.kind, share)
			}
		}
	}
}

func TestTruthOfWhatIsNoPage(t *testing.T) {
	w := small()
	tests := []struct {
		url      dowse.URL
		topic    string
		relevant bool
		ok       bool
	}{
		{"http://shorewalks.demo/", tidePools, true, true},
		{"http://shorewalks.demo/", "Tide_Pools", true, true},
		{"http://shorewalks.demo/", "Top/Nature/Coast", true, true},
		{"http://shorewalks.demo/", "Top/Nature/", true, true},
		{"http://shorewalks.demo/", "Top/Science", false, true},
		{"http://shorewalks.demo/#top", tidePools, true, true},
		{"http://shorewalks.demo/?utm_source=x", tidePools, true, true},
		{"http://shorewalks.demo", tidePools, true, true},
		{"http://shorewalks.demo/", "submarines", false, false},
		{"http://signpost.demo/directory/tide-pools", tidePools, true, true},
		{"http://besttidepools.demo/", tidePools, false, true},
		{"http://calendar.demo/2031/05", tidePools, false, true},
		{"http://calendar.demo/2031/13", tidePools, false, false},
		{"http://weeklypost.demo/archive/archive/", tidePools, false, true},
		{"http://shorewalks.demo/go/0", tidePools, false, false},
		{"http://shorewalks.demo/old/3", tidePools, false, false},
		{"http://nowhere.demo/", tidePools, false, false},
		{"https://shorewalks.demo/", tidePools, false, false},
		{"ftp:shorewalks", tidePools, false, false},
	}
	for _, tt := range tests {
		if r, ok := w.Truth(tt.url, tt.topic); r != tt.relevant || ok != tt.ok {
			t.Errorf("Truth(%s, %s) = %v, %v", tt.url, tt.topic, r, ok)
		}
	}
}

func TestSiteTruth(t *testing.T) {
	w := small()
	for host, want := range map[string]bool{
		"shorewalks.demo": true, "undertow.demo": true, "mirror.demo": true,
		"gannetry.demo": false, "besttidepools.demo": false, "signpost.demo": false, "lemarche.demo": false,
	} {
		if r, ok := w.SiteTruth(host, tidePools); r != want || !ok {
			t.Errorf("SiteTruth(%s) = %v, %v", host, r, ok)
		}
	}
	if _, ok := w.SiteTruth("nowhere.demo", tidePools); ok {
		t.Error("truth of a host that is not there")
	}
	if r, _ := w.SiteTruth("gannetry.demo", "Top/Nature/Coast"); !r {
		t.Error("a category has the sites of its topics")
	}
	if s, ok := w.Site("kelp.demo"); !ok || s.Topic != tidePools || s.Kind != Ordinary || s.Kind.String() != "ordinary" {
		t.Errorf("kelp.demo: %+v", s)
	}
}

func TestRelevantPagesAreAMinority(t *testing.T) {
	w := small()
	n := 0
	for u := range w.Relevant(tidePools) {
		if r, ok := w.Truth(u, tidePools); !r || !ok {
			t.Errorf("%s: %v, %v", u, r, ok)
		}
		n++
	}
	if n != w.RelevantCount(tidePools) {
		t.Errorf("%d pages, %d counted", n, w.RelevantCount(tidePools))
	}
	if share := float64(n) / float64(w.Len()); share < 0.2 || share > 0.3 {
		t.Errorf("%.3f of all pages", share)
	}
	for _, topic := range w.Topics()[1:] {
		if w.RelevantCount(topic.Name) < 10 {
			t.Errorf("%s: %d pages", topic.Name, w.RelevantCount(topic.Name))
		}
	}
	sum := 0
	for _, name := range []string{"Tide_Pools", "Seabirds", "Sand_Dunes"} {
		sum += w.RelevantCount("Top/Nature/Coast/" + name)
	}
	if got := w.RelevantCount("Top/Nature/Coast"); got != sum {
		t.Errorf("category has %d pages, its topics %d", got, sum)
	}
}

func TestSeeds(t *testing.T) {
	w := small()
	for _, topic := range w.Topics() {
		for set := range uint64(5) {
			seeds := w.SeedSet(topic.Name, 5, set)
			if len(seeds) == 0 {
				t.Errorf("%s: no seeds", topic.Name)
			}
			for _, u := range seeds {
				if r, ok := w.Truth(u, topic.Name); !r || !ok || !w.Allowed(u) {
					t.Errorf("%s: seed %s is %v, %v", topic.Name, u, r, ok)
				}
			}
		}
	}
	a := w.Seeds(tidePools, 2)
	if want := []dowse.URL{"http://shorewalks.demo/", "http://kelp.demo/"}; !slices.Equal(a, want) {
		t.Errorf("seeds %v", a)
	}
	if b := w.SeedSet(tidePools, 2, 1); slices.Equal(a, b) {
		t.Error("two sets are the same")
	}
	for _, u := range w.GeneralSeeds(3) {
		if r, ok := w.Truth(u, "Top"); r || !ok {
			t.Errorf("general seed %s is on a topic", u)
		}
	}
}

// A judge must have a chance: what is on topic speaks of it, what is not hardly does.
func TestTextShowsTheTopic(t *testing.T) {
	sequential(t)
	w := small()
	topic, _ := w.Topic(tidePools)
	signs := slices.Concat(topic.Words, topic.Also)
	on, onPages, off, offPages, passing := 0, 0, 0, 0, 0
	for i := 0; i < w.Len(); i += 3 {
		p := w.page(i)
		if p.site.kind == Farm {
			continue
		}
		text := body(t, w, w.URL(i))
		text = strings.ToLower(text[strings.Index(text, "<article>"):strings.Index(text, "</article>")])
		n := 0
		for _, sign := range signs {
			n += strings.Count(text, sign)
		}
		if p.lex == 0 {
			on += n
			onPages++
			continue
		}
		off += n
		offPages++
		if strings.Contains(text, tidePools) {
			passing++
		}
	}
	perOn, perOff := float64(on)/float64(onPages), float64(off)/float64(offPages)
	t.Logf("signs of the topic: %.1f on pages on it, %.1f on others; %d of %d others mention it", perOn, perOff, passing, offPages)
	if perOn < 10*perOff {
		t.Error("the text does not distinguish pages on topic from others")
	}
	if passing == 0 {
		t.Error("no page mentions the topic in passing")
	}
}
