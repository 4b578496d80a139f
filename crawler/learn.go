package crawler

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"dowse"
	"dowse/judge"
	"dowse/strategy/input"
	"dowse/topic"
)

// predicateOf identifies what makes a page be on topic: the words of the
// topic, and a hash of everything that its judge depends on and of the
// threshold. Two crawls with the same predicate judge alike, whatever their
// names, seeds, scopes and limits. A judge of a Go program is identified by
// its saved form, or by its type alone.
func predicateOf(t *topic.Topic, threshold float64, own dowse.Judge) string {
	judged := *t
	judged.Name, judged.Seeds, judged.SeedsFrom, judged.Scope, judged.PerHost, judged.Until = "x", nil, "", "", 0, ""
	judged.Strategy, judged.Tunnel, judged.Explore, judged.Threshold = "", nil, nil, 0
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%s\n%T", judged.YAML(), strconv.FormatFloat(threshold, 'g', -1, 64), own)
	if m, ok := own.(judge.Model); ok {
		if data, err := judge.Save(m); err == nil {
			h.Write(data)
		}
	}
	return fmt.Sprintf("%s #%016x", strings.Join(t.Words, ", "), h.Sum64())
}

// learntIn returns what the strategy of a collection has learnt for a
// predicate. Another predicate is an error unless anyway is set.
func learntIn(dir, predicate string, anyway bool) (*input.Learnt, error) {
	old, err := View(dir)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	learner, ok := old.strategy.(input.Learner)
	if !ok {
		return nil, fmt.Errorf("crawler: %s: %w by its strategy, %s; crawl with auto, online, intelligent, collaborative, combined or an nb strategy first", dir, input.ErrNotLearnt, old.Collection.Settings.Strategy)
	}
	was := old.Collection.Settings.Predicate
	if was != predicate && !anyway {
		return nil, fmt.Errorf("crawler: %s: %w: it is about %q, this crawl is about %q; crawl for the same words at the same threshold", dir, input.ErrPredicate, was, predicate)
	}
	return learner.Learnt(predicate), nil
}
