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

// An Audit is the harvest rate as a person judges it: the share of the fetched
// pages that are on topic, estimated from a random sample that the person
// labelled.
//
// The sample is drawn from the first Of pages that were fetched, where Of is the
// number of fetched pages when the most recent audit began. These pages are put
// into a random order that depends only on the key of the collection and their
// URLs. The person therefore can't choose the sample, and every process draws
// the same one. The sample is the longest prefix of this order in which every
// page was labelled, in whatever queue, or skipped. Skipped pages do not count.
type Audit struct {
	// Of is the number of fetched pages that the sample is drawn from.
	Of int `json:"of"`
	// N is the number of labelled pages in the sample, and On the number of
	// those that were labelled on topic.
	N  int `json:"n"`
	On int `json:"on"` // of them on topic, as labelled
	// Skipped counts the pages of the prefix that the person skipped because no
	// verdict was possible.
	Skipped int `json:"skipped"`
	// Rate is On / N. Low and High bound the Wilson interval for it at 95 %
	// confidence.
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"` // Wilson 95 % interval
	High float64 `json:"high"`
	// Judged is the share of the same Of pages that the crawl counts as on
	// topic. Outside reports that it lies outside the interval, so that the
	// harvest rate of the crawl should not be trusted.
	Judged  float64 `json:"judged"`
	Outside bool    `json:"outside"` // Judged is outside of the interval: do not trust it
}

// A draw is a fetched page with its position in the random order. The ID breaks
// ties, so that the order is total.
type draw struct {
	at  uint64
	id  frontier.ID
	url dowse.URL
	on  bool
}

// fetchedPages returns the first n pages that were fetched, in order of
// fetching; n < 0 means all of them. Repeated visits do not count. Pages that
// were taken down count towards n, so that a takedown does not shift the sample,
// but they are not returned.
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

// Lot returns the position of a URL in a random order of all URLs. The position
// depends on the key of the collection, the purpose and the URL alone, so it is
// the same after a resume and in every process. Different purposes have
// independent orders.
func (c *Collection) Lot(purpose string, u dowse.URL) uint64 {
	var b bytes.Buffer
	b.WriteString("dowse " + purpose + " ")
	binary.Write(&b, binary.BigEndian, c.Settings.Key)
	b.WriteString(string(u))
	sum := sha256.Sum256(b.Bytes())
	return binary.BigEndian.Uint64(sum[:])
}

// drawn returns the first n fetched pages in their random order; n < 0 means all
// of them.
func (c *Collection) drawn(n int) ([]draw, error) {
	list, err := c.fetchedPages(n)
	slices.SortFunc(list, func(a, b draw) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	return list, err
}

// Audit estimates the harvest rate from the labels. It returns nil and no error
// if no audit was ever begun, that is, if no label came from [QueueAudit].
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

// count adds up the sample: the pages at the beginning of list, up to the first
// one that has neither a label nor a skip. Counting beyond that page would let
// the order of labelling bias the estimate.
func (a *Audit) count(list []draw, l *Labels) {
	asked, valid := l.asked(), l.Standing()
	for _, d := range list {
		x, ok := valid[d.url]
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

// wilson returns the score interval of Wilson (1927) for a share at 95 %
// confidence, given that on of n samples were positive. For n = 0 nothing is
// known, and the interval is 0 to 1.
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
