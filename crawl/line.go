package crawl

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// A line is the relevance from which pages are on topic at the moment. Shadows share that of their crawl.
type line struct{ threshold float64 }

// setThreshold makes pages be on topic from another relevance on, and records it. Pages that were
// visited before change sides, so that all counts, lists and the window of the last pages agree, and links of pages that are on topic now wait
// if they were left out as too far from one. What the strategy has learnt from these pages, and the
// budgets of patterns, stay as they are until all is decided again ([Crawl.Rerank]). It returns how many
// pages changed sides. Its cost grows with their number, and slowly with the number of URLs.
func (in *intake) setThreshold(now time.Time, threshold float64) (pages int, err error) {
	if threshold == 0 || threshold == in.rec.stats.line.threshold {
		return 0, nil
	}
	place := in.rec.record(&Entry{Kind: entryLine, At: now, Score: threshold})
	if in.cfg.ThresholdFrom == 0 {
		in.cfg.ThresholdFrom = place
	}
	return in.moveLine(threshold)
}

// moveLine lets pages be on topic from another relevance on. It repeats in a replay what setThreshold did.
func (in *intake) moveLine(threshold float64) (pages int, err error) {
	stats := in.rec.stats
	stats.line.threshold = threshold
	var last latest
	for id := range frontier.ID(in.f.Len()) {
		v, ok := in.f.visited(id)
		on := v.Relevance >= threshold
		if !ok || in.f.forgotten(id) || in.sitemaps[id] {
			continue
		}
		if in.f.State(id) == dowse.Visited {
			last.add(v.Place, on)
		}
		if on == v.OnTopic {
			continue
		}
		v.OnTopic = on
		in.f.SetVisit(id, v)
		stats.OnTopic = min(max(stats.OnTopic+2*count(on)-1, 0), stats.Fetched) // a page that was visited again is counted as at first
		pages++
		in.hosts.changeSide(in.f.Host(id), on)
		if on {
			if err := in.nearer(id, v.Place); err != nil {
				return pages, err
			}
		}
	}
	stats.recent = last.ring()
	in.changes++
	return pages, nil
}

// A latest finds the pages that were visited last, of pages in any order.
type latest []side

type side struct {
	place   uint64 // of the visit in the journal
	onTopic bool
}

func (l *latest) add(place uint64, onTopic bool) {
	*l = append(*l, side{place, onTopic})
	if len(*l) == 2*recentPages { // so that its size does not grow with the crawl
		l.cut()
	}
}

// cut leaves the last pages, in the order of their visits.
func (l *latest) cut() {
	slices.SortStableFunc(*l, func(x, y side) int { return cmp.Compare(x.place, y.place) })
	*l = (*l)[max(0, len(*l)-recentPages):]
}

// ring returns on which sides the last pages are.
func (l latest) ring() (r ring) {
	l.cut()
	for _, p := range l {
		r.add(p.onTopic)
	}
	return r
}

// nearer notes that the links of a page, which is on topic now, lead to URLs next to a page on topic. Those
// that were left out as too far from one wait again. It reads the entry of the page only if the crawl has such a limit.
func (in *intake) nearer(id frontier.ID, place uint64) error {
	j, ok := in.cfg.Log.(*Journal)
	if !ok || in.cfg.Limits.Tunnel == 0 {
		return nil
	}
	e, err := j.Entry(place, func(frontier.ID) dowse.URL { return "" })
	if err != nil {
		return fmt.Errorf("crawl: threshold: the visit of page %d: %w", id, err)
	}
	depth, _ := in.f.Depth(id)
	for _, d := range e.Links {
		if !in.f.has(d.Target) || in.f.forgotten(d.Target) {
			continue
		}
		in.f.shorten(d.Target, int(depth)+1, 0)
		if in.f.reason(d.Target) == dowse.SkipScopeTunnel {
			in.requeue([]frontier.ID{d.Target}, false)
		}
	}
	return nil
}

// changeSide counts a page of a host that is on topic now, or no longer is. The last pages of the host stay as they were counted.
func (b *hosts) changeSide(id frontier.HostID, on bool) {
	switch h := b.of(id); {
	case on && h.onTopic < h.fetched:
		h.onTopic++
	case !on && h.onTopic > 0:
		h.onTopic--
	}
}

func (l *line) write(w *wire.Writer) { w.Float(l.threshold) }
func (l *line) read(r *partReader)   { l.threshold = r.Float() }

func (l *line) check(frontier.ID, frontier.HostID) error {
	if l.threshold != l.threshold {
		return wire.ErrDamaged
	}
	return nil
}
