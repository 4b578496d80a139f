package crawl

import (
	"dowse"
	"dowse/internal/estimate"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// A yield is what the visits of a crawl brought, in order, and what follows from it: the
// estimate of how much is left, and how many of the last pages were new and on topic.
// Both are a fold of the journal, like the rest of a crawl's state.
type yield struct {
	curve     estimate.Curve
	left      estimate.Left
	estimated bool // left is known
	gains     ring // of the last pages: on topic, and no near-duplicate of an earlier one
}

// noteYield takes note of a lead that came to its end. A visit to a seed shows nothing of
// what the strategy finds; a page that is fetched again, a sitemap, and a lead that was
// settled without a visit are none at all.
func (s *stats) noteYield(t *turn, f *urls) {
	if countsAsPage(t.p) {
		s.gains.add(t.p.OnTopic && t.p.Near == "")
	}
	if t.fl.idle || t.p.Again || t.listed || t.p.Depth == 0 {
		return
	}
	s.curve.Note(countsAsPage(t.p) && t.p.OnTopic)
	if s.curve.IsDue() {
		s.left, s.estimated = s.curve.Left(f.Count(dowse.Waiting) + f.Count(dowse.Flying))
	}
}

// recall returns the estimate of what was found; zero if there is none yet.
func (s *stats) recall() estimate.Recall {
	if !s.estimated {
		return estimate.Recall{}
	}
	return s.left.Recall(s.OnTopic)
}

// isFound reports whether more than a share of the pages on topic is found, by the
// estimate. An estimate that can be wrong by more than twice does not count: early in a
// crawl many are high by chance.
func (s *stats) isFound(share float64) bool {
	r := s.recall()
	return r.Recall > share && r.Low > share/2
}

// A ring is the last outcomes of a list, at most recentPages of them.
type ring struct {
	list []bool
	at   int // of the oldest, if the ring is full
}

func (r *ring) add(x bool) {
	if len(r.list) < recentPages {
		r.list = append(r.list, x)
		return
	}
	r.list[r.at] = x
	r.at = (r.at + 1) % recentPages
}

// window returns the share of the last n outcomes that are true.
func (r *ring) window(n int) float64 {
	n = min(n, len(r.list))
	if n == 0 {
		return 0
	}
	on := 0
	for i := range n {
		if r.list[(r.at+len(r.list)-1-i)%len(r.list)] {
			on++
		}
	}
	return float64(on) / float64(n)
}

func (r *ring) write(w *wire.Writer) {
	w.Uint(uint64(r.at))
	w.Uint(uint64(len(r.list)))
	for _, x := range r.list {
		w.Bool(x)
	}
}

func (r *ring) read(in *partReader) {
	r.at = int(in.Uint())
	r.list = nil
	for range in.Items(1) {
		r.list = append(r.list, in.Bool())
	}
	if r.at >= max(1, len(r.list)) || len(r.list) > recentPages {
		in.Fail()
	}
}

// missYield lets the yield begin with the visits to come: a snapshot of an earlier version
// has none.
func (s *stats) missYield() {
	s.yield = yield{curve: estimate.Curve{Missed: s.Requests}, gains: ring{append([]bool(nil), s.recent.list...), s.recent.at}}
}

func (y *yield) write(w *wire.Writer) {
	c := &y.curve
	w.Uint(uint64(c.Missed))
	w.Uint(uint64(c.Size))
	w.Uint(uint64(len(c.Blocks)))
	for _, n := range c.Blocks {
		w.Uint(uint64(n))
	}
	w.Uint(uint64(c.Part))
	w.Uint(uint64(c.Found))
	w.Bool(y.estimated)
	w.Float(y.left.Median)
	w.Float(y.left.Low)
	w.Float(y.left.High)
	y.gains.write(w)
}

func (y *yield) read(r *partReader) {
	c := estimate.Curve{Missed: int(r.Uint()), Size: int(r.Uint())}
	for range r.Items(1) {
		c.Blocks = append(c.Blocks, int(r.Uint()))
	}
	c.Part, c.Found = int(r.Uint()), int(r.Uint())
	y.curve, y.estimated = c, r.Bool()
	y.left = estimate.Left{Median: r.Float(), Low: r.Float(), High: r.Float()}
	y.gains.read(r)
}

func (y *yield) check(frontier.ID, frontier.HostID) error {
	l := y.left
	if !y.curve.IsSound() || !(l.Low >= 0 && l.Low <= l.Median && l.Median <= l.High && l.High <= 1<<50) {
		return wire.ErrDamaged
	}
	return nil
}
