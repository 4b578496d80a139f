package crawler

import (
	"context"
	"fmt"
	"math"

	"dowse/crawl"
)

// A model that labels lead to is put into use only if it passes two checks. A
// person who looked at what it changes can have it put into use all the same.
const (
	// fewestTested is how many labels are needed to compare two models. With
	// fewer, it is enough that the models agree on most pages.
	fewestTested = TrainEvery
	// surely is by how many standard errors a model must be better. Labels
	// given by chance reach it about once in six times.
	surely = 1
	// mostFlips is the share of the pages that may change sides before a person
	// has looked at them, and fewestFlips the number that may do so in any case.
	mostFlips   = 0.1
	fewestFlips = 10
	// leastLikely bounds the probability in a log-loss, so that one label that
	// is wrong does not decide a comparison by itself.
	leastLikely = 0.01
	// contradicted are the log-odds from which on a judge contradicts a label.
	contradicted = 2
)

// checkLabelled refuses a model that is not shown to be better than the judge that the
// labels correct, or that changes many verdicts. Labels are kept either way.
func (r *retraining) checkLabelled(ctx context.Context, again *rejudge) error {
	if len(r.labelled) == 0 {
		return nil
	}
	if err := r.checkBetter(); err != nil {
		return err
	}
	pages, err := again.firstPages(ctx, -1)
	if err != nil {
		return err
	}
	return r.checkFlips(again, pages)
}

// checkBetter compares the new model with the judge without labels on labelled pages.
// Neither has seen the label by which it is tested. The mean gain in log-loss must be at
// least its standard error: labels that say nothing, and labels that contradict each other,
// seldom lead to such a gain.
func (r *retraining) checkBetter() error {
	if r.trial == nil || len(r.labelled) < fewestTested {
		return nil
	}
	var before, after, squares float64
	against, n := 0, float64(len(r.labelled))
	for i, e := range r.labelled {
		was, is := logLoss(r.trial.Before[i], e.Relevant), logLoss(r.trial.Unseen[i], e.Relevant)
		before, after, squares = before+was, after+is, squares+(was-is)*(was-is)
		if agrees(r.trial.Before[i], e.Relevant) < -contradicted && agrees(r.trial.Unseen[i], e.Relevant) < -contradicted {
			against++
		}
	}
	gain := (before - after) / n
	if gain > 0 && gain >= surely*math.Sqrt(max(squares/n-gain*gain, 0)/n) {
		return nil
	}
	why := fmt.Sprintf("%d labels do not show that it is better than the judge without them (log-loss %.2f, was %.2f)", len(r.labelled), after/n, before/n)
	if against > 0 {
		why += fmt.Sprintf("; %d of them contradict both", against)
	}
	return &refusal{why}
}

// agrees returns by how much log-odds are on the side of a label.
func agrees(odds float64, relevant bool) float64 {
	if relevant {
		return odds
	}
	return -odds
}

// logLoss returns -ln of the probability that log-odds give to a label.
func logLoss(odds float64, relevant bool) float64 {
	return -math.Log(max(1/(1+math.Exp(-agrees(odds, relevant))), leastLikely))
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
