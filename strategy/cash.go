package strategy

import (
	"cmp"
	"dowse"
)

// The cash strategies keep the cash of a page as its priority in the frontier:
// every link adds to it, a visit takes away what was there when it began. So they
// need neither a graph of links nor a table of URLs.

const (
	paperRound   = 50    // leads to a round, Wang et al. 2009
	paperRecrawl = 10    // rounds between visits to the richest page; the paper says "periodically"
	dust         = 1e-12 // so little is a rounding error, not cash
)

// shareOut gives the seeds equal shares of a total of cash.
func shareOut(seeds []dowse.URL, total float64) []dowse.Lead {
	share := total / float64(len(seeds))
	because := []dowse.Because{{What: "seed", Weight: share}}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: share, Merge: dowse.Add, Because: because}
	}
	return leads
}

// spend takes away what a page had when its visit began. What it was given since
// then stays.
func spend(p *dowse.Page) dowse.Lead {
	c := p.Lead.Priority
	return dowse.Lead{URL: p.URL, Priority: -c, Merge: dowse.Add, Because: []dowse.Because{{What: "cash spent", Weight: -c}}}
}

// handOver moves all cash of a redirect to its target.
func handOver(p *dowse.Page) []dowse.Lead {
	c := p.Lead.Priority
	to := dowse.Lead{URL: p.Links[0].URL, Priority: c, Merge: dowse.Add, Because: []dowse.Because{{What: "cash of a redirect", Weight: c}}}
	return []dowse.Lead{spend(p), to}
}

// laps counts towards the next visit to the richest page.
type laps struct {
	Rounds int // begun, in rounds
	Pages  int // since the last time, in a stream
}

func (l *laps) page(p *dowse.Page) {
	if !p.Again && p.Outcome == dowse.Fetched {
		l.Pages++
	}
}

// richest asks for the visited page with the most cash, if its time has come: every
// so many rounds. In a stream so many pages count as a round as the paper takes.
func (l *laps) richest(v dowse.View, every, round int) []dowse.Lead {
	if l.Rounds++; !l.due(every, round) || v.Waiting() == 0 {
		return nil
	}
	best, ok := v.BestVisited()
	if !ok || best.Priority <= dust {
		return nil
	}
	return []dowse.Lead{{
		Kind: dowse.Revisit, URL: best.URL, Merge: dowse.Add,
		Because: []dowse.Because{{What: "richest visited page", Weight: best.Priority}},
	}}
}

func (l *laps) due(every, round int) bool {
	switch every = cmp.Or(every, paperRecrawl); {
	case every < 0:
		return false
	case round > 0:
		return l.Rounds%every == 0
	case l.Pages < every*paperRound:
		return false
	}
	l.Pages = 0
	return true
}
