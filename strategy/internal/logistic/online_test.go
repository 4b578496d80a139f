package logistic_test

import (
	"fmt"
	"math"
	"testing"

	"dowse"
	"dowse/strategy/internal/logistic"
)

// onlinePage is a visited page, led to by what was last said of it, with one link
// in some words to each URL.
func onlinePage(u dowse.URL, relevance float64, said map[dowse.URL]dowse.Lead, links map[dowse.URL]string) *dowse.Page {
	p := &dowse.Page{URL: u, Outcome: dowse.Fetched, Lead: said[u], Verdict: dowse.Verdict{Relevance: relevance}}
	for _, to := range sortedURLs(links) {
		start := int32(len(p.Words))
		p.Text += links[to] + " "
		p.Words = dowse.Words(p.Text)
		l := dowse.Link{URL: to, Target: dowse.Target{Note: said[to].Note}}
		l.Anchor, l.At, l.Window = links[to], dowse.Span{Start: start, End: start + 1}, dowse.Span{Start: start, End: int32(len(p.Words))}
		l.Context = 0.3
		p.Links = append(p.Links, l)
	}
	return p
}

func sortedURLs(m map[dowse.URL]string) (list []dowse.URL) {
	for i := range len(m) {
		list = append(list, dowse.URL(fmt.Sprint("http://h.test/", i)))
	}
	return list
}

func heard(said map[dowse.URL]dowse.Lead, leads []dowse.Lead) {
	for _, l := range leads {
		if l.Note == "" {
			l.Note = said[l.URL].Note
		}
		said[l.URL] = l
	}
}

// TestOnlineLearns lets links about kelp lead to the topic and links about shops away
// from it, with the same ratings: the next ones are told apart by their words, and
// what waits already is raised.
func TestOnlineLearns(t *testing.T) {
	s := &logistic.Online{}
	said := map[dowse.URL]dowse.Lead{}
	links := map[dowse.URL]string{}
	for i := range 20 {
		links[dowse.URL(fmt.Sprint("http://h.test/", i))] = []string{"kelp forest", "shop prices"}[i%2]
	}
	heard(said, s.Follow(onlinePage("http://h.test/hub", 0.5, said, links)))
	kelp, shop := said["http://h.test/18"], said["http://h.test/19"]
	if d := math.Abs(kelp.Priority - shop.Priority); d > 1e-12 {
		t.Errorf("nothing is known, but kelp and shop differ by %v", d)
	}
	for i := range 18 {
		heard(said, s.Follow(onlinePage(dowse.URL(fmt.Sprint("http://h.test/", i)), 1-float64(i%2), said, nil)))
	}
	kelp, shop = said["http://h.test/18"], said["http://h.test/19"]
	if kelp.Priority < shop.Priority+1 {
		t.Errorf("kelp %.3f, shop %.3f: want kelp far ahead", kelp.Priority, shop.Priority)
	}
	if got := s.Rescore(kelp); math.Abs(got-kelp.Priority) > 1 {
		t.Errorf("rated again %.3f, waits at %.3f", got, kelp.Priority)
	}
}

// TestOnlineReasons checks that the reasons of a lead add up to its priority, and that
// rating it again by its note alone gives the same.
func TestOnlineReasons(t *testing.T) {
	s := &logistic.Online{}
	said := map[dowse.URL]dowse.Lead{}
	heard(said, s.Follow(onlinePage("http://h.test/hub", 0.9, said, map[dowse.URL]string{"http://h.test/0": "tide pools", "http://h.test/1": "news"})))
	for u, l := range said {
		sum := 0.0
		for _, b := range l.Because {
			sum += b.Weight
		}
		if math.Abs(sum-l.Priority) > 1e-9 {
			t.Errorf("%s: reasons add up to %v, priority %v", u, sum, l.Priority)
		}
		if again := s.Rescore(l); again != l.Priority {
			t.Errorf("%s: rated again %v, first %v", u, again, l.Priority)
		}
	}
}

// TestOnlineLoadsItsOwn refuses what was learnt with other parameters, or never.
func TestOnlineLoadsItsOwn(t *testing.T) {
	b, err := (&logistic.Online{Features: 100}).Save()
	if err != nil {
		t.Fatal(err)
	}
	if err := (&logistic.Online{}).Load(b); err == nil {
		t.Error("another number of features was taken")
	}
	if err := (&logistic.Online{}).Load([]byte("x")); err == nil {
		t.Error("nonsense was taken")
	}
}
