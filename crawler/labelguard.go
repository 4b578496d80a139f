package crawler

import (
	"context"
	"fmt"
	"math"

	"dowse"
	"dowse/crawl"
)

// A model that labels lead to is put into use only if it passes two checks. A
// person who looked at what it changes can have it put into use all the same.
const (
	// fewestTested is how many labelled pages, on which neither model was
	// trained, are needed to compare two models. With fewer, chance decides; then it
	// is enough that the models agree on most pages.
	fewestTested = 10
	// mostFlips is the share of the pages that may change sides before a person
	// has looked at them, and fewestFlips the number that may do so in any case.
	mostFlips   = 0.1
	fewestFlips = 10
	// strata is the number of intervals of relevance by which labelled pages
	// are weighted.
	strata = 10
	// leastLikely bounds the probability in a log-loss, so that one label that
	// is wrong does not decide a comparison by itself.
	leastLikely = 0.01
)

// checkLabelled refuses a model that is worse than the one in use on labelled
// pages that neither was trained on, or that changes many verdicts. Labels are
// kept either way.
func (r *retraining) checkLabelled(ctx context.Context, inUse dowse.Judge, again *rejudge) error {
	if len(r.labelled) == 0 {
		return nil
	}
	pages, err := again.firstPages(ctx, -1)
	if err != nil {
		return err
	}
	if err := r.checkBetter(inUse, pages); err != nil {
		return err
	}
	return r.checkFlips(again, pages)
}

// checkBetter compares the new model with the one in use by the mean log-loss
// over labelled pages. A label counts for as many pages of the crawl as it
// stands for, since pages that were chosen to be labelled are no random sample:
// pages and labels are divided by the relevance that the model in use gives.
func (r *retraining) checkBetter(inUse dowse.Judge, pages []fetchedPage) error {
	var tested []int
	for i, e := range r.labelled {
		if _, known := r.known[e.Page.URL]; !known {
			tested = append(tested, i)
		}
	}
	if r.unseen == nil || len(tested) < fewestTested {
		return nil
	}
	was := make([]float64, len(tested))
	for k, i := range tested {
		was[k] = inUse.Judge(r.labelled[i].Page).Relevance
	}
	weights := represented(was, pages)
	var before, after, all float64
	for k, i := range tested {
		before += weights[k] * logLoss(was[k], r.labelled[i].Relevant)
		after += weights[k] * logLoss(1/(1+math.Exp(-r.unseen[i])), r.labelled[i].Relevant)
		all += weights[k]
	}
	if after <= before {
		return nil
	}
	return &refusal{fmt.Sprintf("it judges %d labelled pages that it was not trained on worse than %s (log-loss %.2f, was %.2f)", len(tested), r.made.Before, after/all, before/all)}
}

// represented returns how many pages each labelled page stands for, given the
// relevance of the labelled pages and of all pages.
func represented(labelled []float64, pages []fetchedPage) []float64 {
	var of, in [strata]float64
	for _, p := range pages {
		of[stratum(p.page.Verdict.Relevance)]++
	}
	for _, r := range labelled {
		in[stratum(r)]++
	}
	weights := make([]float64, len(labelled))
	for i, r := range labelled {
		weights[i] = max(of[stratum(r)], 1) / in[stratum(r)]
	}
	return weights
}

// stratum returns the number of the interval that a relevance is in.
func stratum(r float64) int { return min(max(int(r*strata), 0), strata-1) }

// logLoss returns -ln of the probability that a relevance gives to a label.
func logLoss(relevance float64, relevant bool) float64 {
	if !relevant {
		relevance = 1 - relevance
	}
	return -math.Log(max(relevance, leastLikely))
}

// checkFlips refuses a model under which more than a tenth of the pages change
// sides. Pages with a label do not count: the label is their verdict.
func (r *retraining) checkFlips(again *rejudge, pages []fetchedPage) error {
	n := again.flips(r.rulings, pages)
	if n <= fewestFlips || float64(n) <= mostFlips*float64(len(pages)) {
		return nil
	}
	r.made.Flips = n
	return &refusal{fmt.Sprintf("it would change %d of %d verdicts", n, len(pages))}
}

// flips counts the unlabelled pages that rulings put on the other side of the
// threshold.
func (r *rejudge) flips(rulings []crawl.Ruling, pages []fetchedPage) (n int) {
	now := map[uint64]float64{}
	for _, x := range rulings {
		now[x.Place] = x.Verdict.Relevance
	}
	line := r.col.Settings.Threshold
	for _, p := range pages {
		is, ruled := now[p.place]
		if ruled && r.labels[p.id] == crawl.Unlabelled && (p.page.Verdict.Relevance >= line) != (is >= line) {
			n++
		}
	}
	return n
}
