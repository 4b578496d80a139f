package crawler

import (
	"errors"
	"fmt"

	"dowse/crawl"
	"dowse/topic"
)

// A model that a crawl trains by itself, against pages that it fetched, is
// put into use only if it passes two tests. Their limits were chosen on the
// tuning topics of Wikispeedia and the synthetic web; docs/decisions/0026
// has the figures.
const (
	// leastSeparation is the share of pairs, of an example on topic and a page of
	// the crawl, that a cross-validated judge must order correctly: better
	// than chance. A higher limit rejected good models, since with few
	// examples the share varies by chance.
	leastSeparation = 0.5
	// leastKept is the share of the pages on topic that must remain on
	// topic. A good model may reject many of them, since everyday texts make
	// a judge too lenient, but hardly nearly all.
	leastKept = 0.2
	// fewestKept is how many pages on topic the second test needs to be
	// meaningful.
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

// checkSeparation refuses a model if the examples can't be distinguished from the pages
// that serve as negative examples: these pages are then probably on topic as
// well.
func checkSeparation(t *topic.Topic, m *topic.Material) error {
	share, ok, err := t.Separation(m)
	if err != nil || !ok || share > leastSeparation {
		return err
	}
	return &refusal{fmt.Sprintf("examples can't be distinguished from these pages better than by chance (%.2f)", share)}
}

// checkKept refuses a model that would reject nearly all pages on topic. It looks
// only at the first pages that were fetched, those that the negative
// examples were drawn from, so that a crawl that was killed decides the same
// when it is resumed.
func (r *rejudge) checkKept(rulings []crawl.Ruling, first []fetchedPage) error {
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
