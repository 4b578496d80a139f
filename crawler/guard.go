package crawler

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"dowse/crawl"
	"dowse/topic"
)

// A model that a crawl trains by itself, against pages that it fetched, is
// put into use only if it passes two tests. Their limits were chosen on the
// tuning topics of Wikispeedia and the synthetic web; docs/decisions/0026
// has the figures. A model that fails the second test usually orders pages better than the
// judge in use and places its threshold too high. Its threshold is then moved, so that as
// many pages are on topic as before (docs/decisions/0070).
const (
	// leastSeparation is the share of pairs, of an example on topic and a page of
	// the crawl, that a cross-validated judge must order correctly: better
	// than chance. A higher limit rejected good models, since with few
	// examples the share varies by chance.
	leastSeparation = 0.5
	// leastKept is the share of the pages on topic that must remain on
	// topic. A good model may reject many of them, since everyday texts make
	// a judge too lenient, but hardly two thirds.
	leastKept = 0.35
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

// A keeping is what becomes of the first pages under a new model.
type keeping struct {
	on    int       // pages that are on topic by the judge in use
	stay  int       // those of them that are on topic by the new model
	pages int       // all of the first pages
	rated []float64 // relevance by the new model, of all without a label
}

// keeping compares a new model with the judge in use. It looks only at the first pages that
// were fetched, those that the negative examples were drawn from, so that a crawl that was
// killed decides the same when it is resumed.
func (r *rejudge) keeping(rulings []crawl.Ruling, first []fetchedPage) keeping {
	line := r.col.Settings.Threshold
	now := map[uint64]float64{}
	for _, x := range rulings {
		now[x.Place] = x.Verdict.Relevance
	}
	k := keeping{pages: len(first)}
	for _, s := range first {
		if r.labels[s.id] != crawl.Unlabelled {
			continue
		}
		was := s.page.Verdict.Relevance
		is, ruled := now[s.place]
		if !ruled {
			is = was
		}
		k.rated = append(k.rated, is)
		if was >= line {
			k.on++
			if is >= line {
				k.stay++
			}
		}
	}
	return k
}

// check refuses a model that would reject most pages on topic.
func (k keeping) check() error {
	if k.on < fewestKept || float64(k.stay) >= leastKept*float64(k.on) {
		return nil
	}
	return &refusal{fmt.Sprintf("it would turn down %d of the %d pages on topic among the first %d", k.on-k.stay, k.on, k.pages)}
}

// missing returns by how much log-odds must rise so that as many pages are on topic by the
// new model, with threshold line, as by the judge in use. It reports false if no finite
// amount does that: the model gives too many pages a relevance of 0.
func (k keeping) missing(line float64) (by float64, ok bool) {
	rated := slices.Sorted(slices.Values(k.rated))
	last := rated[len(rated)-k.on]
	by = logOdds(line) - logOdds(last) + raiseMargin
	return by, !math.IsInf(by, 0)
}

// raiseMargin is added to log-odds, so that rounding does not leave the last page below the
// threshold.
const raiseMargin = 1e-6

// logOdds returns the log-odds of a probability.
func logOdds(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
