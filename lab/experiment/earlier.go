package experiment

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/tgraph"
	"dowse/internal/trace"
	"dowse/strategy"
)

// The earlier crawl of a synthetic web from which a T-Graph is built: its budget
// in pages, and the number of its best pages that become the targets.
const (
	earlierPages = 400
	bestPages    = 10
)

// TGraph builds a T-Graph whose targets are the best pages of an earlier crawl,
// which is breadth-first and makes one visit after the other, without delays.
func (m *SyntheticWeb) TGraph(ctx context.Context) (*tgraph.Graph, error) {
	before := *m
	// One visit at a time and no delays: the order of visits, and so the graph,
	// depends on nothing else.
	before.Limits, before.Polite = crawl.Limits{Pages: earlierPages}, crawl.Politeness{Delay: crawl.None, InFlight: 1}
	seen := &earlier{pages: map[dowse.URL]*dowse.Page{}, alias: map[dowse.URL]dowse.URL{}, linking: map[dowse.URL][]dowse.URL{}}
	if _, err := before.simulate(ctx, &strategy.BreadthFirst{}, seen.note); err != nil {
		return nil, err
	}
	seen.settle()
	return tgraph.Builder{}.Build(seen.best(bestPages), seen)
}

// Trace returns the access log of a number of synthetic people who read the web.
func (m *SyntheticWeb) Trace(people int) (*trace.Log, error) {
	return buildLog(trace.Options{Salt: traceSalt}, func(build *trace.Builder) error {
		var log bytes.Buffer
		if err := m.Web.WriteAccessLog(&log, people); err != nil {
			return err
		}
		return readLog(build, "the synthetic web", &log)
	})
}

// An earlier is the outcome of a crawl as a source of pages and back-links for
// tgraph.Builder. It is complete after settle.
type earlier struct {
	order   []*dowse.Page // the fetched ones
	pages   map[dowse.URL]*dowse.Page
	alias   map[dowse.URL]dowse.URL // where redirects lead
	linking map[dowse.URL][]dowse.URL
}

// note records a fetched page or a redirect; everything else is ignored.
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

// settle replaces the targets of links by the URLs at which redirects end, and
// records which pages link to which.
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

// final follows redirects. Chains of a synthetic web are short; 20 steps bound a
// loop.
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

// best returns the n most relevant of the pages on topic, as the crawl's judge
// rated them; ties go to the page that was visited first.
func (e *earlier) best(n int) (list []dowse.URL) {
	on := slices.DeleteFunc(slices.Clone(e.order), func(p *dowse.Page) bool { return !p.OnTopic })
	slices.SortStableFunc(on, func(a, b *dowse.Page) int { return cmp.Compare(b.Verdict.Relevance, a.Verdict.Relevance) })
	for _, p := range on[:min(n, len(on))] {
		list = append(list, p.URL)
	}
	return list
}

// Linking returns the pages that link to a page, in the order in which they
// were visited.
func (e *earlier) Linking(to dowse.URL) ([]dowse.URL, error) { return e.linking[to], nil }

// Document returns the text of a page, and nil if the crawl did not fetch it.
func (e *earlier) Document(u dowse.URL) (*dowse.Document, error) {
	if p := e.pages[u]; p != nil {
		return &p.Document, nil
	}
	return nil, nil
}
