package operations

import (
	"context"

	"dowse/internal/frontier"
)

// A Drift is a fall of the harvest over the last pages of a crawl, and the host that had most of the pages off
// topic.
type Drift struct {
	Window  int     `json:"window" doc:"pages of each of the two windows that are compared"`
	Before  float64 `json:"before" doc:"harvest of the window before the last one"`
	Now     float64 `json:"now" doc:"harvest of the last window"`
	Host    string  `json:"host,omitempty" doc:"the host with the most pages off topic in the last window"`
	Off     int     `json:"off,omitempty" doc:"its pages off topic there"`
	OffRate float64 `json:"off_rate,omitempty" doc:"its share of the pages off topic of the last window"`
}

// The windows of Drift, and the least fall that is worth a notice.
const (
	driftWindow = 200
	driftFall   = 0.1
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
		off := map[frontier.HostID]int{}
		all := 0
		for i := n - driftWindow; i < n; i++ {
			if c.verdicts[i]&isOn == 0 {
				all++
				off[c.hosts[i]]++
			}
		}
		worst := frontier.HostID(0)
		for h, k := range off {
			if k > d.Off || k == d.Off && h < worst {
				worst, d.Off = h, k
			}
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		d.Host, d.OffRate = v.col.Crawl.Frontier().HostName(worst), float64(d.Off)/float64(all)
		x = d
		return nil
	})
	return x, err
}
