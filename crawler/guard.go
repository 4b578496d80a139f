package crawler

import (
	"errors"
	"fmt"

	"dowse/crawl"
	"dowse/topic"
)

// A model that a crawl makes by itself, against pages that it saw, is taken into use only
// if it stands two tests of what the crawl knows. Both were chosen on the tuning topics of
// Wikispeedia and the made web: docs/decisions/0026 has the figures.
const (
	// leastTold is the share of pairs of an example on topic and a page that stands in
	// for others in which a judge that knew neither must do better: chance. More than that
	// turned good models down, as a few examples are told from a few pages by chance, too.
	leastTold = 0.5
	// leastKept is the share of the pages on topic so far which must stay so. A good model
	// may turn many of them down, since everyday texts make a judge too eager, but hardly
	// nearly all.
	leastKept = 0.2
	// fewestKept is how many pages on topic there must be for that to tell anything.
	fewestKept = 10
)

// A refusal is the reason why a trained model is not put into use.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// isRefusal reports whether an error is a refusal and not a failure.
func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r)
}

// told refuses a model if the examples can't be distinguished from the pages
// that serve as negative examples: these pages are then probably on topic as
// well.
func told(t *topic.Topic, m *topic.Material) error {
	share, ok, err := t.Separation(m)
	if err != nil || !ok || share > leastTold {
		return err
	}
	return &refusal{fmt.Sprintf("examples are told from these pages no better than by chance (%.2f)", share)}
}

// kept refuses a model that would reject nearly all pages on topic. It looks
// only at the first pages that were fetched, those that the negative
// examples were drawn from, so that a crawl that was killed decides the same
// when it is resumed.
func (r *rejudge) kept(rulings []crawl.Ruling, first []sighting) error {
	line := r.col.Settings.Threshold
	now := map[uint64]float64{}
	for _, x := range rulings {
		now[x.Place] = x.Verdict.Relevance
	}
	on, stay := 0, 0
	for _, s := range first {
		if s.page.Verdict.Relevance < line || r.labels[s.id] != crawl.Unlabelled {
			continue
		}
		on++
		if is, ruled := now[s.place]; !ruled || is >= line {
			stay++
		}
	}
	if on < fewestKept || float64(stay) >= leastKept*float64(on) {
		return nil
	}
	return &refusal{fmt.Sprintf("it would turn down %d of the %d pages on topic among the first %d", on-stay, on, len(first))}
}
