package strategy

import (
	"cmp"
	"strconv"

	"dowse"
	"dowse/strategy/internal/state"
)

// fish searches as a school of fish feeds (De Bra and Post 1994): a page on topic
// is food, and the links from it are followed at once, the newest find first. Links
// from other pages wait behind them, and a school that finds nothing on Depth pages
// in a row dies.
type fish struct {
	Depth int `param:"depth" default:"3" help:"pages off topic in a row before a direction is given up; De Bra and Post 1994"`

	state fishState
}

type fishState struct{ Finds int } // pages on topic so far

const hungry = 1 // the band of links from pages off topic, behind the fed

// Start puts the seeds behind each other, with all their strength.
func (s *fish) Start(seeds []dowse.URL) []dowse.Lead {
	return s.school(seeds, nil, hungry, cmp.Or(s.Depth, 3), []dowse.Because{{What: "seed"}})
}

// Follow gives the links of a page on topic full strength and the front of the
// queue, those of another page what strength is left.
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
		weight = float64(s.state.Finds) // where the school stands
	}
	return s.school(urls, known, band, left, []dowse.Because{{What: why, Weight: weight}})
}

// school queues URLs with a strength; one that had more keeps it.
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

// strength reads a note; a page that nothing led to has none.
func strength(note string) int {
	n, _ := strconv.Atoi(note)
	return n
}

// Save writes down how many pages were food.
func (s *fish) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load takes up what Save wrote.
func (s *fish) Load(b []byte) error { return state.LoadJSON(b, &s.state) }
