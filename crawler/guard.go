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
// has the figures. A model that keeps few of the pages on topic often orders pages better
// than the judge in use and places its threshold too high, so that is moved
// (docs/decisions/0070).
const (
	// leastSeparation is the share of pairs, of an example on topic and a page of
	// the crawl, that a cross-validated judge must order correctly: better
	// than chance. A higher limit rejected good models, since with few
	// examples the share varies by chance.
	leastSeparation = 0.5
	// leastKept is the share of the pages on topic that must remain on
	// topic. A good model may reject many of them, since everyday texts make
	// a judge too lenient, but hardly nearly all.
	leastKept = 0.1
	// enoughKept is the share of them below which the threshold of the model is
	// moved.
	enoughKept = 0.5
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
	line  float64   // threshold of relevance
	pages int       // the first pages
	rated []float64 // their log-odds by the new model; pages with a label are left out
	on    []float64 // of these, the ones that are on topic by the judge in use
}

// keeping compares a new model with the judge in use. It looks only at the first pages that
// were fetched, those that the negative examples were drawn from, so that a crawl that was
// killed decides the same when it is resumed.
func (r *rejudge) keeping(rulings []crawl.Ruling, first []fetchedPage) keeping {
	now := map[uint64]float64{}
	for _, x := range rulings {
		now[x.Place] = x.Verdict.Relevance
	}
	k := keeping{line: r.col.Settings.Threshold, pages: len(first)}
	for _, s := range first {
		if r.labels[s.id] != crawl.Unlabelled {
			continue
		}
		was := s.page.Verdict.Relevance
		is, ruled := now[s.place]
		if !ruled {
			is = was
		}
		k.rated = append(k.rated, logOdds(is))
		if was >= k.line {
			k.on = append(k.on, logOdds(is))
		}
	}
	return k
}

// check refuses a model that would reject nearly all pages on topic. Otherwise it returns by
// how much its log-odds should rise: 0 for a model that keeps half of them.
// A page about which the model knows nothing has log-odds unknown.
func (k keeping) check(unknown float64) (by float64, err error) {
	stay := 0
	for _, z := range k.on {
		if z >= logOdds(k.line) {
			stay++
		}
	}
	share := float64(stay) / float64(max(1, len(k.on)))
	switch {
	case len(k.on) < fewestKept || share >= enoughKept:
		return 0, nil
	case share < leastKept:
		return 0, &refusal{fmt.Sprintf("it would turn down %d of the %d pages on topic among the first %d", len(k.on)-stay, len(k.on), k.pages)}
	}
	return k.missing(unknown), nil
}

// missing returns by how much log-odds must rise so that as many pages are on topic by the
// new model as by the judge in use. A page about which the model knows nothing, with log-odds
// unknown, stays off topic: the amount is smaller where that requires it. It is at least 0.
func (k keeping) missing(unknown float64) float64 {
	if math.IsInf(unknown, 0) {
		return 0 // a condition decides about that page, so it is no measure
	}
	rated := slices.Sorted(slices.Values(k.rated))
	last := rated[len(rated)-len(k.on)]
	return max(0, logOdds(k.line)-max(last-rounding, unknown+unknownBelow))
}

const (
	// unknownBelow is how far below the threshold a page must stay about which a model knows
	// nothing, in log-odds.
	unknownBelow = 0.2
	// rounding is more than the error of log-odds, so that the last page that is to stay on
	// topic does.
	rounding = 1e-6
)

// logOdds returns the log-odds of a probability.
func logOdds(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
