package strategy

import (
	"cmp"
	"dowse"
)

// Cash strategies (opic, otie) keep the cash of a page as its priority in the frontier:
// every link adds to it, and a visit subtracts what was there when it began. So they
// need neither a graph of links nor a table of URLs, and memory is the frontier's.

const (
	paperRound   = 50    // leads per round (Wang et al. 2009)
	paperRecrawl = 10    // rounds between revisits of the richest page; the paper has only "periodically"
	dust         = 1e-12 // cash up to here is a rounding error
)

// shareOut divides a total of cash equally among the seeds.
func shareOut(seeds []dowse.URL, total float64) []dowse.Lead {
	share := total / float64(len(seeds))
	because := []dowse.Because{{What: "seed", Weight: share}}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: share, Merge: dowse.Add, Because: because}
	}
	return leads
}

// spend subtracts the cash that a page had when its visit began. Cash that arrived
// during the visit stays: subtracting is safe where setting to 0 would lose it.
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

// laps counts towards the next revisit of the richest page.
type laps struct {
	Rounds int // rounds begun
	Pages  int // pages fetched since the last revisit, for crawls without rounds
}

// page counts a page that was fetched for the first time.
func (l *laps) page(p *dowse.Page) {
	if !p.Again && p.Outcome == dowse.Fetched {
		l.Pages++
	}
}

// richest returns a lead to the visited page with the most cash if a revisit is due:
// after a number of rounds. A crawl without rounds counts paperRound pages as one
// round. Nothing is due while no lead waits, since a crawl would otherwise end only
// with its limits.
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
