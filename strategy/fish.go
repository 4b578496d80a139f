package strategy

import (
	"cmp"
	"strconv"

	"dowse"
	"dowse/strategy/internal/state"
)

// fish is fish-search (De Bra and Post 1994). The links of a page on topic are
// followed before all others, those of the newest find first; this is depth-first
// search where it succeeds. Every link carries a strength: Depth below a page on
// topic, one less below any other page. A direction whose strength reaches 0 is
// abandoned, so a crawl leaves the topic by at most Depth pages.
//
// The strength of a URL is kept in the note of its lead, so that the strategy itself
// remembers one number.
type fish struct {
	Depth int `param:"depth" default:"3" help:"pages off topic in a row before a direction is given up; De Bra and Post 1994"`

	state fishState
}

type fishState struct{ Finds int } // number of pages on topic; priority of the newest find's links

const hungry = 1 // band of the links from pages off topic, after those from pages on topic

// Start queues the seeds in order with full strength.
func (s *fish) Start(seeds []dowse.URL) []dowse.Lead {
	return s.school(seeds, nil, hungry, cmp.Or(s.Depth, 3), []dowse.Because{{What: "seed"}})
}

// Follow queues the links of a page on topic with full strength in the first band.
// Links of another page get the page's strength less one, and none are queued at 0.
func (s *fish) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	left := strength(p.Lead.Note)
	band, why := int8(hungry), "pages until this direction is given up"
	switch {
	case p.OnTopic:
		s.state.Finds++
		left, band, why = cmp.Or(s.Depth, 3), 0, "from a page on topic, the newest find first"
	case p.Outcome == dowse.Listed: // as good as seeds
		left = cmp.Or(s.Depth, 3)
	default:
		left--
	}
	if left <= 0 {
		return nil
	}
	urls := make([]dowse.URL, 0, len(p.Links))
	known := make([]int, 0, len(p.Links))
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State != dowse.Visited {
			urls, known = append(urls, l.URL), append(known, strength(l.Target.Note))
		}
	}
	weight := float64(left)
	if p.OnTopic {
		weight = float64(s.state.Finds) // pages on topic so far
	}
	return s.school(urls, known, band, left, []dowse.Because{{What: why, Weight: weight}})
}

// school returns leads with a strength. A URL that already has a greater strength
// (known) keeps it.
func (s *fish) school(urls []dowse.URL, known []int, band int8, strength int, why []dowse.Because) []dowse.Lead {
	leads := make([]dowse.Lead, len(urls))
	front := 0.0
	if band != hungry {
		front = float64(s.state.Finds)
	}
	note := strconv.Itoa(strength)
	for i, u := range urls {
		leads[i] = dowse.Lead{URL: u, Priority: front, Band: band, Merge: dowse.Max, Note: note, Because: why}
		if known != nil && known[i] > strength {
			leads[i].Note = ""
		}
	}
	return leads
}

// strength parses a note. A page without a note, which no link led to, has strength 0.
func strength(note string) int {
	n, _ := strconv.Atoi(note)
	return n
}

// Save returns the number of pages on topic.
func (s *fish) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load restores the state that Save returned.
func (s *fish) Load(b []byte) error { return state.LoadJSON(b, &s.state) }
