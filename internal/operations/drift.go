package operations

import (
	"context"

	"dowse/internal/frontier"
)

// A Drift is a fall of the harvest over the last pages of a crawl, and the host to blame, if there is one.
type Drift struct {
	Window  int     `json:"window" doc:"pages of each of the two windows that are compared"`
	Before  float64 `json:"before" doc:"harvest of the window before the last one"`
	Now     float64 `json:"now" doc:"harvest of the last window"`
	Host    string  `json:"host,omitempty" doc:"the host to blame, which has a quarter or more of the pages off topic in the last window, and most of its own are; empty if there is none"`
	Off     int     `json:"off,omitempty" doc:"its pages off topic there"`
	OffRate float64 `json:"off_rate,omitempty" doc:"its share of the pages off topic of the last window"`
}

// The windows of Drift, and the least fall that is worth a notice.
const (
	driftWindow = 200
	driftFall   = 0.1
	driftBlame  = 0.25 // least share of the pages off topic of a host that is to blame
)

// Drift returns how far the harvest fell over the last pages, nil if it fell little or there are too few pages to
// see that.
func (o *Operations) Drift(ctx context.Context, id string) (*Drift, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var x *Drift
	err = s.use(ctx, func(v *openView) error {
		c := &v.pages
		n := len(c.ids)
		if n < 2*driftWindow {
			return nil
		}
		on := func(i int) int { // pages on topic among the first i
			if i == 0 {
				return 0
			}
			return int(c.on[i-1])
		}
		rate := func(from, to int) float64 { return float64(on(to)-on(from)) / float64(to-from) }
		d := &Drift{Window: driftWindow, Before: rate(n-2*driftWindow, n-driftWindow), Now: rate(n-driftWindow, n)}
		if d.Before-d.Now < driftFall {
			return nil
		}
		x = d
		worst, off, all, ok := c.blame(n-driftWindow, n)
		if !ok {
			return nil
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		d.Host, d.Off, d.OffRate = v.col.Crawl.Frontier().HostName(worst), off, float64(off)/float64(all)
		return nil
	})
	return x, err
}

// blame returns the host with the most pages off topic among some pages, how many these are, and how many all hosts have; false if no
// host is to blame: one that has few of them, or more pages on topic than off, is no reason to block it.
func (c *columns) blame(from, to int) (worst frontier.HostID, off, all int, ok bool) {
	offs, pages := map[frontier.HostID]int{}, map[frontier.HostID]int{}
	for i := from; i < to; i++ {
		pages[c.hosts[i]]++
		if c.verdicts[i]&isOn == 0 {
			all++
			offs[c.hosts[i]]++
		}
	}
	for h, k := range offs {
		if k > off || k == off && h < worst {
			worst, off = h, k
		}
	}
	return worst, off, all, float64(off) >= driftBlame*float64(all) && 2*off > pages[worst]
}
