package treasure

import (
	"math"
	"strconv"

	"dowse"
	"dowse/strategy/input"
)

// Two further grounds for a priority, which Seyfi and Patel 2015 name as future work: how
// important the target of a link is by the links to it (they suggest PageRank or a
// modification of it), and how often people accessed it (clickstream).
//
// Importance is computed as OPIC does it, on-line and without a graph: the seeds share a
// cash of 1, a visited page gives what it received to its links in equal parts, and what a
// URL has received is kept in the note of its lead. It is compared with the mean over all
// known URLs.

// weigh changes the priority of a link by the importance of its target and by the accesses
// to it, and appends the reasons. The result is between 0 and 1, as aging requires: what
// the two add is divided by the most that they could make of it. Share is what the page
// gives to each of its links.
func (s *treasure) weigh(because []dowse.Because, priority float64, l *dowse.Link, share float64) (float64, []dowse.Because) {
	if s.Important > 0 {
		cash := cashOf(l.Target.Note)
		if l.Target.State == dowse.Unseen {
			s.state.Known++
		}
		x := (cash + share) * float64(max(s.state.Known, 1))
		x = float64(s.Important * (x / (1 + x)))
		priority = priority * (1 + x) / (1 + s.Important)
		because = append(because, dowse.Because{What: "importance by links, times", Weight: 1 + x})
	}
	if s.Clicks > 0 {
		x := float64(s.Clicks * s.accesses(l.URL))
		priority = (priority + x) / (1 + s.Clicks)
		because = append(because, dowse.Because{What: "how often people went there", Weight: x})
	}
	return priority, because
}

// received returns the note of a lead: what a URL has received, with a further share. It is
// "" if importance does not count.
func (s *treasure) received(had, share float64) string {
	if s.Important == 0 {
		return ""
	}
	return strconv.FormatFloat(had+share, 'g', -1, 64)
}

// cashOf reads the note of a lead; 0 if there is none.
func cashOf(note string) float64 {
	if note == "" {
		return 0
	}
	x, err := strconv.ParseFloat(note, 64)
	if err != nil {
		return 0
	}
	return x
}

// accesses returns how often people accessed a URL, as a share of the logarithm of the most
// accesses that a page of the trace has: 0 to 1.
func (s *treasure) accesses(u dowse.URL) float64 {
	page, ok := s.Trace.Page(u)
	if !ok || s.visits == 0 {
		return 0
	}
	return math.Log1p(float64(s.Trace.Visits(page))) / s.visits
}

// mostVisits returns the logarithm of one more than the accesses to the page of a trace
// that was accessed most.
func mostVisits(t input.Trace) float64 {
	most := 0
	for page := range uint32(t.Pages()) {
		most = max(most, int(t.Visits(page)))
	}
	return math.Log1p(float64(most))
}
