package collection

import (
	"fmt"
	"math"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
)

// The queues of pages to label.
const (
	QueueUnsure       = "unsure"        // nearest to the threshold first
	QueueAudit        = "audit"         // a random sample of the fetched pages
	queueDisagreement = "disagreements" // where a label and the judge, or two models, differ
)

// Queue returns at most n pages to label. For an audit n is the size of the
// whole sample, and pages of it that already have a label are left out.
func (c *Collection) Queue(name string, l *Labels, n int) ([]*Row, error) {
	switch name {
	case QueueUnsure:
		return c.unsure(l, n)
	case QueueAudit:
		return c.toAudit(l, n)
	case queueDisagreement:
		return c.disagreements(l, n)
	}
	return nil, fmt.Errorf("collection: no queue is called %q; there are %s, %s and %s", name, QueueUnsure, QueueAudit, queueDisagreement)
}

// unsure returns the pages nearest to the threshold that no person was asked
// about.
func (c *Collection) unsure(l *Labels, n int) (list []*Row, err error) {
	asked := l.asked()
	for row, err := range c.Pages(Filter{Sort: byUncertainty}) {
		if err != nil {
			return nil, err
		}
		if _, ok := asked[row.URL]; ok {
			continue
		}
		if list = append(list, row); len(list) >= n {
			break
		}
	}
	return list, nil
}

// toAudit returns the pages of the sample without a label. Each skipped page
// is replaced by the next one of the random order.
func (c *Collection) toAudit(l *Labels, n int) (list []*Row, err error) {
	drawn, err := c.drawn(-1)
	if err != nil {
		return nil, err
	}
	asked := l.asked()
	skipped := 0
	for i := 0; i < len(drawn) && i < n+skipped; i++ {
		if x, ok := asked[drawn[i].url]; ok {
			if x.Label == LabelSkip {
				skipped++
			}
			continue
		}
		row, err := c.Row(drawn[i].url)
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// disagreements returns labelled pages on which the judge alone disagrees
// with the label, then pages on which the two latest models disagree.
func (c *Collection) disagreements(l *Labels, n int) (list []*Row, err error) {
	valid := l.Standing()
	var flipped []dowse.URL
	for e, err := range c.Journal.AsWritten(0) {
		if err != nil {
			return nil, fmt.Errorf("collection: %w", err)
		}
		if !c.isPage(e) {
			continue
		}
		u := c.URL(e.ID)
		verdicts, err := c.verdictsOn(e)
		if err != nil {
			return nil, err
		}
		last := verdicts[len(verdicts)-1].Relevance >= c.Threshold()
		if x, ok := valid[u]; ok {
			if (x.Label == LabelOn) != last {
				if list, err = c.addRow(list, u); err != nil {
					return nil, err
				}
			}
			continue
		}
		if len(verdicts) > 1 && (verdicts[len(verdicts)-2].Relevance >= c.Threshold()) != last {
			flipped = append(flipped, u)
		}
	}
	for i := 0; i < len(flipped) && len(list) < n; i++ {
		if list, err = c.addRow(list, flipped[i]); err != nil {
			return nil, err
		}
	}
	return list[:min(n, len(list))], nil
}

// addRow appends the row of a URL to a list.
func (c *Collection) addRow(list []*Row, u dowse.URL) ([]*Row, error) {
	row, err := c.Row(u)
	if err != nil {
		return nil, err
	}
	return append(list, row), nil
}

// A modelVerdict is the verdict of one model on a page.
type modelVerdict struct {
	Model     string  `json:"model"`
	Relevance float64 `json:"relevance"`
	OnTopic   bool    `json:"on_topic"`
	// Contrast is how many pages of the crawl were negative examples of the
	// model.
	Contrast int `json:"contrast,omitempty"`
}

// verdictsOn returns the verdict of the judge at the visit, then that of each
// later model. A verdict that repeats the one before is left out, so the
// list is never empty.
func (c *Collection) verdictsOn(e *crawl.Entry) ([]modelVerdict, error) {
	first := e.Page.Verdict
	list := []modelVerdict{{Model: first.Judge, Relevance: facts.Finite(first.Relevance), OnTopic: first.Relevance >= c.Threshold()}}
	rulings, err := c.Journal.RulingsOn(e.Place())
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	for _, r := range rulings {
		rel := facts.Finite(r.Verdict.Relevance)
		if last := list[len(list)-1]; last.Model == r.Model && math.Abs(last.Relevance-rel) < 1e-12 {
			continue
		}
		list = append(list, modelVerdict{Model: r.Model, Relevance: rel, OnTopic: rel >= c.Threshold()})
	}
	return list, nil
}
