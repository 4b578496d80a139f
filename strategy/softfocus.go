package strategy

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// softFocus is the soft-focus crawler with distiller of Chakrabarti, van den Berg and
// Dom 1999. Links inherit the relevance of their page. After every Every pages a
// relevance-weighted HITS runs over the links between hosts seen so far, and the links
// of the best hubs (pages that point to many relevant ones) are visited next.
//
// It is the only strategy here that stores links. Their number is bounded: about 10 MB
// by default, and about 10 ms per distillation.
type softFocus struct {
	Every int `param:"every" default:"500" help:"pages between two distillations; ours, Chakrabarti et al. 1999 say now and then"`
	Hubs  int `param:"hubs" default:"10" help:"hubs whose links are visited next; ours"`
	Links int `param:"links" default:"100000" help:"links between hosts that are remembered, the newest; bounds memory; ours"`

	state softFocusState
}

// softFocusState is a window over the visited pages.
type softFocusState struct {
	Pages []citing // visited, the oldest first
	Links int      // size of Pages: number of pages plus number of their links
	Seen  int      // pages since the last distillation
}

// A citing is a visited page with what HITS needs of it.
type citing struct {
	URL       dowse.URL
	Relevance float64
	Links     []dowse.URL // to other hosts
}

// A ratedHub holds the hub and authority scores of a visited page. Each of the two
// sums to 1 over all pages.
type ratedHub struct {
	URL            dowse.URL
	Hub, Authority float64
}

// Start queues the seeds with the highest priority.
func (s *softFocus) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow gives the page's relevance to its links and, when a distillation is due, adds
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

// remember stores the page's links to other hosts, and drops the oldest pages beyond
// the limit. Links within a host are navigation and would make every site its own hub.
func (s *softFocus) remember(p *dowse.Page) {
	c := citing{URL: clone(p.URL), Relevance: p.Verdict.Relevance}
	home := linktext.Host(p.URL)
	most := cmp.Or(s.Links, 100_000)
	for i := range p.Links {
		if u := p.Links[i].URL; linktext.Host(u) != home && len(c.Links) < most/2 {
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

// clone copies a URL, so that storing it does not keep the whole page in memory.
func clone(u dowse.URL) dowse.URL { return dowse.URL(strings.Clone(string(u))) }

// raised returns leads with the highest priority to the links of the best hubs.
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
	distilled     = 1e-12 // the iteration ends when no score changes by more
)

// Distill returns hub and authority scores of the stored pages, the oldest first. With
// relevance ρ the iteration is
//
//	authority(v) = Σ over links u→v of ρ(u)·hub(u)
//	hub(u)       = Σ over links u→v of ρ(v)·authority(v)
//
// each normalised to sum 1. It ends after 500 rounds, or earlier when nothing changes.
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

// graphOf returns the links between stored pages.
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

// normalise scales x to sum 1. A sum of 0 is left as it is.
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

// Save returns the stored pages and links.
func (s *softFocus) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load restores what Save returned.
func (s *softFocus) Load(b []byte) error { return state.LoadJSON(b, &s.state) }
