package crawl

import (
	"dowse"
	"dowse/internal/frontier"
)

// How much of the queue one call of sweep looks at, so that a call takes milliseconds however
// many URLs there are, and how many leads it takes out.
const (
	sweepSlice = 4096
	sweepMost  = 256
)

// isLate reports whether a URL was excluded after links to it were found.
func (in *intake) isLate(id frontier.ID) bool {
	return in.gate.HasLate() && in.gate.Late(in.f.URL(id)) != ""
}

// sweep looks at a number of known URLs, from where it stopped before, and takes out those that wait
// and were excluded since. Each is a choice that ends without a visit. Leads that come up before
// they are swept end in the same way when they are picked.
func (p *picker) sweep(slice int) (list []choice) {
	if !p.in.gate.HasLate() || p.rounds.isOpen() {
		return nil
	}
	for end := min(p.swept+slice, p.f.Len()); p.swept < end && len(list) < sweepMost; p.swept++ {
		id := frontier.ID(p.swept)
		if p.f.State(id) != dowse.Waiting {
			continue
		}
		if why := p.in.gate.Late(p.f.URL(id)); why != "" {
			p.f.Take(id)
			p.rec.taken(id)
			list = append(list, choice{id: id, host: p.f.Host(id), page: p.f.unvisited(id, dowse.Skipped, why, "")})
		}
	}
	return list
}
