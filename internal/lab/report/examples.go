package report

import (
	"dowse"
	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

// An example lists pages that one strategy fetched and no other did, to show what
// kind of choice distinguishes it.
type example struct {
	Name, Class string
	Relevant    int // number of relevant pages that this strategy alone found
	Pages       []examplePage
}

// An examplePage is one of these pages, with the link that led to it.
type examplePage struct {
	URL, Topic   string
	At           string // place in the crawl, from 1
	Relevant     bool
	From, Anchor string // the page and the link that led there; "" for none
}

// examplePages is the number of pages that are listed per strategy.
const examplePages = 5

// Found returns how many relevant pages the strategy alone found, in words.
func (e example) Found() string { return plain.Some(e.Relevant, "page") }

// crawlOf identifies comparable crawls: those with the same topic and seeds.
type crawlOf struct {
	topic string
	set   int
}

// examples finds, for each strategy, pages that it alone fetched: what a table
// of numbers cannot show. It costs one pass over all steps and a count per
// page.
func (r *Report) examples() (list []example) {
	// taken counts, per topic and seed set, how many strategies fetched each
	// page; the oracle does not count.
	taken := map[crawlOf]map[dowse.URL]int{}
	for _, name := range r.rivals {
		for _, t := range r.in.Runs.Of(name) {
			at := crawlOf{t.Topic, t.SeedSet}
			if taken[at] == nil {
				taken[at] = map[dowse.URL]int{}
			}
			for _, s := range t.Steps.All() {
				taken[at][s.URL]++
			}
		}
	}
	for _, name := range r.rivals {
		list = append(list, r.example(name, taken))
	}
	return list
}

// example chooses the pages of one strategy: relevant pages first, from as many
// topics as possible, then the first irrelevant one of each crawl.
func (r *Report) example(name string, taken map[crawlOf]map[dowse.URL]int) example {
	e := example{Name: clean(name, 60), Class: class(r.style(name))}
	alone := func(t *measure.Trail, s *measure.Step) bool {
		return !s.Seed && taken[crawlOf{t.Topic, t.SeedSet}][s.URL] == 1
	}
	topics := map[string]bool{}
	var more, off []examplePage
	for _, t := range r.in.Runs.Of(name) {
		missed := false
		for i, s := range t.Steps.All() {
			if !alone(t, &s) {
				continue
			}
			p := examplePage{clean(string(s.URL), 90), clean(t.Topic, 60), grouped(float64(i + 1)), s.Relevant, clean(string(s.From), 90), clean(s.Anchor, 60)}
			switch {
			case s.Relevant:
				e.Relevant++
				if !topics[t.Topic] && len(e.Pages) < examplePages {
					e.Pages = append(e.Pages, p)
				} else if len(more) < examplePages {
					more = append(more, p)
				}
				topics[t.Topic] = true
			case !missed && len(off) < examplePages:
				missed = true
				off = append(off, p)
			}
		}
	}
	for _, p := range append(more, off...) {
		if len(e.Pages) < examplePages {
			e.Pages = append(e.Pages, p)
		}
	}
	return e
}
