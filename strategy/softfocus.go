package strategy

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// softFocus expects of a link what its page is, and now and then looks for hubs:
// pages that point to many relevant ones (Chakrabarti, van den Berg and Dom 1999).
// Every so many pages a relevance-weighted HITS runs over the links between hosts
// that it has seen, and what the best hubs link to is visited next.
//
// It is the one strategy here that remembers links, a bounded number of them: with
// the default about 10 MB, and a distillation of some 10 ms.
type softFocus struct {
	Every int `param:"every" default:"500" help:"pages between two distillations; ours, Chakrabarti et al. 1999 say now and then"`
	Hubs  int `param:"hubs" default:"10" help:"hubs whose links are visited next; ours"`
	Links int `param:"links" default:"100000" help:"links between hosts that are remembered, the newest; bounds memory; ours"`

	state softFocusState
}

type softFocusState struct {
	Pages []citing // visited, the oldest first
	Links int      // of all pages together, pages included
	Seen  int      // pages since the last distillation
}

// A citing page is what HITS needs to know of a visited one.
type citing struct {
	URL       dowse.URL
	Relevance float64
	Links     []dowse.URL // to other hosts
}

// A ratedHub is the place of a visited page in the graph of links. Each of the two
// sums up to 1 over all pages.
type ratedHub struct {
	URL            dowse.URL
	Hub, Authority float64
}

// Start queues the seeds at the highest priority there is.
func (s *softFocus) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow gives the page's relevance to its links, and when it is time for it adds
// the links of the best hubs.
func (s *softFocus) Follow(p *dowse.Page) []dowse.Lead {
	leads := inherit(p)
	if p.Outcome != dowse.Fetched {
		return leads
	}
	s.remember(p)
	if s.state.Seen++; s.state.Seen < cmp.Or(s.Every, 500) {
		return leads
	}
	s.state.Seen = 0
	return append(leads, s.raised()...)
}

// remember keeps the page's links to other hosts, and forgets the oldest pages.
func (s *softFocus) remember(p *dowse.Page) {
	c := citing{URL: clone(p.URL), Relevance: p.Verdict.Relevance}
	home := hostOf(p.URL)
	most := cmp.Or(s.Links, 100_000)
	for i := range p.Links {
		if u := p.Links[i].URL; hostOf(u) != home && len(c.Links) < most/2 {
			c.Links = append(c.Links, clone(u))
		}
	}
	st := &s.state
	st.Pages = append(st.Pages, c)
	st.Links += 1 + len(c.Links)
	for st.Links > most && len(st.Pages) > 1 {
		st.Links -= 1 + len(st.Pages[0].Links)
		st.Pages[0] = citing{}
		st.Pages = st.Pages[1:]
	}
}

// clone lets go of the page that a string is a part of.
func clone(u dowse.URL) dowse.URL { return dowse.URL(strings.Clone(string(u))) }

// hostOf is what stands between the scheme and the path.
func hostOf(u dowse.URL) string {
	_, rest, _ := strings.Cut(string(u), "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// raised brings the links of the best hubs to the front.
func (s *softFocus) raised() (leads []dowse.Lead) {
	standings := s.Distill()
	order := make([]int, len(standings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(standings[b].Hub, standings[a].Hub) })
	for _, i := range order[:min(cmp.Or(s.Hubs, 10), len(order))] {
		if standings[i].Hub == 0 {
			break
		}
		because := []dowse.Because{{What: "linked from a hub", Weight: standings[i].Hub}}
		for _, u := range s.state.Pages[i].Links {
			leads = append(leads, dowse.Lead{URL: u, Priority: 1, Merge: dowse.Max, Because: because})
		}
	}
	return leads
}

const (
	distillRounds = 500
	distilled     = 1e-12 // no standing changes by more
)

// Distill tells how the visited pages that are remembered stand as hubs and as
// authorities, the oldest first: a page is as good a hub as the pages that it links
// to are authorities, each weighted by its relevance, and the other way round.
func (s *softFocus) Distill() []ratedHub {
	pages := s.state.Pages
	g := graphOf(pages)
	list := make([]ratedHub, len(pages))
	hub, next := make([]float64, len(pages)), make([]float64, len(pages))
	authority := make([]float64, len(pages))
	for i := range hub {
		hub[i] = 1
	}
	for range distillRounds {
		clear(authority)
		clear(next)
		for _, e := range g {
			authority[e.to] += pages[e.from].Relevance * hub[e.from]
		}
		normalise(authority)
		for _, e := range g {
			next[e.from] += pages[e.to].Relevance * authority[e.to]
		}
		normalise(next)
		change := 0.0
		for i := range hub {
			change = max(change, math.Abs(next[i]-hub[i]))
		}
		if hub, next = next, hub; change < distilled {
			break
		}
	}
	for i := range list {
		list[i] = ratedHub{pages[i].URL, hub[i], authority[i]}
	}
	return list
}

type citation struct{ from, to int32 }

// graphOf finds the links between pages that are both remembered.
func graphOf(pages []citing) (g []citation) {
	index := make(map[dowse.URL]int32, len(pages))
	for i := range pages {
		index[pages[i].URL] = int32(i)
	}
	for i := range pages {
		for _, u := range pages[i].Links {
			if to, ok := index[u]; ok {
				g = append(g, citation{int32(i), to})
			}
		}
	}
	return g
}

// normalise makes the sum 1, unless it is 0.
func normalise(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	if sum == 0 {
		return
	}
	for i := range x {
		x[i] /= sum
	}
}

// Save writes down the links that are remembered.
func (s *softFocus) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load takes up what Save wrote.
func (s *softFocus) Load(b []byte) error { return state.LoadJSON(b, &s.state) }
