package report

import (
	"dowse"
	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

// An example lists pages that one strategy fetched and no other did.
type example struct {
	Name, Class string
	Relevant    int // pages on topic that this strategy alone found
	Pages       []examplePage
}

type examplePage struct {
	URL, Topic   string
	At           string // its place in the crawl
	Relevant     bool
	From, Anchor string // the page and the link that led there; "" for none
}

const examplePages = 5

// Found tells how many pages the strategy alone found.
func (e example) Found() string { return plain.Some(e.Relevant, "page") }

// crawlOf is what strategies meet on: a topic and a set of seeds.
type crawlOf struct {
	topic string
	set   int
}

// examples finds, for each strategy, pages that it alone chose. Pages on topic come
// first, from as many topics as there are, then the first that were off topic.
func (r *Report) examples() (list []example) {
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
