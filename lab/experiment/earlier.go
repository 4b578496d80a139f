package experiment

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/trace"
	"dowse/strategy"
	"dowse/strategy/treasure/tgraph"
)

// The earlier crawl of a made web that a T-Graph is made from, and the number of its
// best pages to which the ways lead.
const (
	earlierPages = 400
	bestPages    = 10
)

// TGraph makes a T-Graph of the best pages of an earlier crawl, breadth-first and one
// visit after the other.
func (m *MadeWeb) TGraph(ctx context.Context) (*tgraph.Graph, error) {
	before := *m
	before.Limits, before.Polite = crawl.Limits{Pages: earlierPages}, crawl.Politeness{Delay: crawl.None, InFlight: 1}
	seen := &earlier{pages: map[dowse.URL]*dowse.Page{}, alias: map[dowse.URL]dowse.URL{}, linking: map[dowse.URL][]dowse.URL{}}
	if _, err := before.simulate(ctx, &strategy.BreadthFirst{}, seen.note); err != nil {
		return nil, err
	}
	seen.settle()
	return tgraph.Builder{}.Build(seen.best(bestPages), seen)
}

// Trace reads the access log of people who read the web.
func (m *MadeWeb) Trace(people int) (*trace.Log, error) {
	return built(trace.Options{Salt: traceSalt}, func(build *trace.Builder) error {
		var log bytes.Buffer
		if err := m.Web.WriteAccessLog(&log, people); err != nil {
			return err
		}
		return readLog(build, "the made web", &log)
	})
}

// An earlier crawl knows which of its pages link to which.
type earlier struct {
	order   []*dowse.Page // the fetched ones
	pages   map[dowse.URL]*dowse.Page
	alias   map[dowse.URL]dowse.URL // where redirects lead
	linking map[dowse.URL][]dowse.URL
}

func (e *earlier) note(_ time.Time, p *dowse.Page) {
	switch {
	case p.Again:
	case p.Outcome == dowse.Fetched:
		e.order = append(e.order, p)
		e.pages[p.URL] = p
	case p.Outcome == dowse.Redirected && len(p.Links) > 0:
		e.alias[p.URL] = p.Links[0].URL
	}
}

// settle leads links to where redirects end, and notes what links to what.
func (e *earlier) settle() {
	for _, p := range e.order {
		for i := range p.Links {
			to := e.final(p.Links[i].URL)
			p.Links[i].URL = to
			if list := e.linking[to]; to != p.URL && (len(list) == 0 || list[len(list)-1] != p.URL) {
				e.linking[to] = append(list, p.URL)
			}
		}
	}
}

// final follows redirects, of which a made web has short chains and no endless ones.
func (e *earlier) final(u dowse.URL) dowse.URL {
	for range 20 {
		to, ok := e.alias[u]
		if !ok {
			break
		}
		u = to
	}
	return u
}

// best returns the most relevant of the pages on topic.
func (e *earlier) best(n int) (list []dowse.URL) {
	on := slices.DeleteFunc(slices.Clone(e.order), func(p *dowse.Page) bool { return !p.OnTopic })
	slices.SortStableFunc(on, func(a, b *dowse.Page) int { return cmp.Compare(b.Verdict.Relevance, a.Verdict.Relevance) })
	for _, p := range on[:min(n, len(on))] {
		list = append(list, p.URL)
	}
	return list
}

// Linking returns the pages that link to a page, in the order in which they were visited.
func (e *earlier) Linking(to dowse.URL) ([]dowse.URL, error) { return e.linking[to], nil }

// Document returns what a page says.
func (e *earlier) Document(u dowse.URL) (*dowse.Document, error) {
	if p := e.pages[u]; p != nil {
		return &p.Document, nil
	}
	return nil, nil
}
