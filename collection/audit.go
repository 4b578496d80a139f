package collection

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// An Audit is the harvest rate as a person sees it: the share of the fetched pages
// that are on topic, estimated from a random sample that the person labelled.
//
// The sample is drawn from the first Of pages that were fetched, as many as there
// were when the last audit was begun. They are put into an order by chance, which the
// key of the collection and their URLs fix: nobody can choose, and everybody draws
// the same. The sample is what this order begins with, as far as all of it is labelled
// (in whatever queue) or skipped; those that were skipped do not count.
type Audit struct {
	Of      int     `json:"of"`
	N       int     `json:"n"`       // pages in the sample
	On      int     `json:"on"`      // of them on topic, as labelled
	Skipped int     `json:"skipped"` // passed over, as nobody could tell
	Rate    float64 `json:"rate"`    // On / N
	Low     float64 `json:"low"`     // Wilson 95 % interval
	High    float64 `json:"high"`
	Judged  float64 `json:"judged"`  // share of the same Of pages that the crawl takes for on topic
	Outside bool    `json:"outside"` // Judged is outside of the interval: do not trust it
}

// draw is a page and its place in the order by chance.
type draw struct {
	at  uint64
	id  frontier.ID
	url dowse.URL
	on  bool
}

// fetchedPages lists the first n pages that were fetched; n < 0 means all. What was
// taken down is left out.
func (c *Collection) fetchedPages(n int) (list []draw, err error) {
	seen := 0
	for e, err := range c.Journal.Visits(0) {
		if err != nil {
			return nil, fmt.Errorf("collection: audit: %w", err)
		}
		if e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched || e.Page.Again || e.Idle {
			continue
		}
		if seen++; n >= 0 && seen > n {
			break
		}
		if v, ok := c.Crawl.Frontier().Visit(e.ID); ok && !c.forgotten(e.ID) {
			u := c.URL(e.ID)
			list = append(list, draw{c.Lot("audit", u), e.ID, u, v.OnTopic})
		}
	}
	return list, nil
}

// Lot returns the place of a URL in an order by chance, which hangs on the key of the
// collection. Each purpose has an order of its own.
func (c *Collection) Lot(purpose string, u dowse.URL) uint64 {
	var b bytes.Buffer
	b.WriteString("dowse " + purpose + " ")
	binary.Write(&b, binary.BigEndian, c.Settings.Key)
	b.WriteString(string(u))
	sum := sha256.Sum256(b.Bytes())
	return binary.BigEndian.Uint64(sum[:])
}

// drawn lists the first n fetched pages in the order by chance.
func (c *Collection) drawn(n int) ([]draw, error) {
	list, err := c.fetchedPages(n)
	slices.SortFunc(list, func(a, b draw) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	return list, err
}

// Audit estimates the harvest rate from the labels; nil if nobody has audited.
func (c *Collection) Audit(l *Labels) (*Audit, error) {
	a := &Audit{}
	for i := range l.Lines {
		if x := &l.Lines[i]; x.Queue == QueueAudit {
			a.Of = max(a.Of, x.Of)
		}
	}
	if a.Of == 0 {
		return nil, nil
	}
	list, err := c.drawn(a.Of)
	if err != nil {
		return nil, err
	}
	judged := 0
	for _, d := range list {
		if d.on {
			judged++
		}
	}
	a.count(list, l)
	if len(list) > 0 {
		a.Judged = float64(judged) / float64(len(list))
	}
	a.Low, a.High = wilson(a.On, a.N)
	a.Outside = a.N > 0 && (a.Judged < a.Low || a.Judged > a.High)
	return a, nil
}

// count counts the sample: what the list begins with, as far as it was asked about.
func (a *Audit) count(list []draw, l *Labels) {
	asked, stands := l.asked(), l.Standing()
	for _, d := range list {
		x, ok := stands[d.url]
		switch {
		case ok && x.Label == LabelOn:
			a.N, a.On = a.N+1, a.On+1
		case ok:
			a.N++
		case asked[d.url].Label == LabelSkip:
			a.Skipped++
		default:
			list = nil // the sample ends here
		}
		if list == nil {
			break
		}
	}
	if a.N > 0 {
		a.Rate = float64(a.On) / float64(a.N)
	}
}

// wilson returns the interval of Wilson 1927 in which a share lies with 95 %
// confidence, of which on of n were seen. Of nothing it is all from 0 to 1.
func wilson(on, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, m := float64(on)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}
