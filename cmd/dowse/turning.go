package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/judge"
)

// turning returns what would change a verdict: the relevance without the strongest sign,
// the signs without which the verdict would be the opposite, and the effect of where:. It
// answers the question that follows every verdict, which is how sure it is:
//
//	without "intertidal" it would be 0.71: still on topic
//	off topic only without "intertidal", "tide pools" and "rocky shore"
func turning(v *collection.Ruling) []string {
	if v.Judge == mergedJudge {
		return mergedFrom(v)
	}
	if !isExplained(v) {
		return nil
	}
	v = gatedTogether(v)
	signs, gated := signsFor(v), slices.ContainsFunc(v.Because, func(p collection.Part) bool { return strings.HasPrefix(p.What, "where ") })
	switch {
	case len(signs) > 0 && v.OnTopic && gated:
		return append(bySigns(v, signs), "off topic if where did not hold")
	case len(signs) > 0:
		return bySigns(v, signs)
	case v.OnTopic && gated:
		return []string{"off topic if where did not hold"}
	case v.OnTopic:
		return []string{"no sign of the page made it so"}
	}
	return []string{"no sign counts against it: the page has too few signs of the topic"}
}

// isExplained reports whether the reasons give the verdict on its scale. Those of the judge of a Go program need not, and then
// it is not known what a page without one of them would have.
func isExplained(v *collection.Ruling) bool {
	if v.Scale != "" {
		return true
	}
	whole := dowse.Verdict{}
	for _, p := range v.Because {
		whole.Because = append(whole.Because, dowse.Because{Weight: p.Weight})
	}
	return math.Abs(judge.Without(whole, -1)-v.Relevance) < 0.005
}

// mergedJudge is the judge of a page that was merged from other collections.
const mergedJudge = "merged"

// mergedFrom returns where a verdict comes from that several crawls gave: its reasons are their
// verdicts, so there are no signs to be without.
func mergedFrom(v *collection.Ruling) []string {
	if len(v.Because) < 2 {
		return []string{"the verdict of the crawl that it comes from; its signs are in that collection"}
	}
	return []string{"the best verdict of these crawls, each moved so that its threshold is 0.50"}
}

// bySigns returns what the verdict would be without its strongest signs.
func bySigns(v *collection.Ruling, signs []collection.Part) []string {
	p := signs[0]
	without := fmt.Sprintf("without %s it would be %s: ", signName(p, 30), score(p.Without))
	if p.What == shutGate {
		without = fmt.Sprintf("if where held it would be %s: ", score(p.Without))
	}
	if p.Flips {
		return []string{without + sideWord(!v.OnTopic)}
	}
	lines := []string{without + "still " + sideWord(v.OnTopic)}
	if n := enough(v, signs); n > 0 {
		lines = append(lines, sideWord(!v.OnTopic)+" only without "+listed(signs[:n]))
	}
	return lines
}

// shutGate names all clauses of where: that do not hold, merged into one reason.
const shutGate = "where"

// gatedTogether returns a copy of a ruling in which the clauses of where: that do not
// hold are one reason. Each alone would change nothing while the others fail.
func gatedTogether(v *collection.Ruling) *collection.Ruling {
	gate := collection.Part{Cause: collection.Cause{What: shutGate}}
	merged := *v
	merged.Because = nil
	for _, p := range v.Because {
		if strings.HasPrefix(p.What, "where ") && p.Weight < 0 {
			gate.Weight += p.Weight
		} else {
			merged.Because = append(merged.Because, p)
		}
	}
	if gate.Weight == 0 {
		return v
	}
	whole := dowse.Verdict{Relevance: v.Relevance, Scale: v.Scale, Because: []dowse.Because{{Weight: gate.Weight}}}
	for _, p := range merged.Because {
		whole.Because = append(whole.Because, dowse.Because{Weight: p.Weight})
	}
	gate.Without = judge.Without(whole, 0)
	gate.Flips = (gate.Without >= v.Threshold) != v.OnTopic
	merged.Because = append([]collection.Part{gate}, merged.Because...)
	return &merged
}

// signsFor returns the signs for the verdict, the strongest first. It leaves out the
// bias, which is not part of the page, summed-up reasons, which name nothing, and the
// gate, which has a line of its own.
func signsFor(v *collection.Ruling) []collection.Part {
	return slices.DeleteFunc(slices.Clone(v.Because), func(p collection.Part) bool {
		return p.What == "bias" || p.What == "where holds" || p.Weight == 0 || (p.Weight > 0) != v.OnTopic || judge.SummedUp(dowse.Because{What: p.What})
	})
}

// enough returns how many of the signs, the strongest first, must be absent for the
// opposite verdict; 0 if not even all of them are enough. It removes one sign after the
// other and asks the judge's scale for the relevance of the rest. On a scale where
// weights do not add up it returns 0: what two signs change together is not known there.
func enough(v *collection.Ruling, signs []collection.Part) int {
	if v.Scale == judge.Change { // what two signs change together is not known
		return 0
	}
	rest := dowse.Verdict{Scale: v.Scale}
	for _, p := range v.Because {
		rest.Because = append(rest.Because, dowse.Because{What: p.What, Weight: p.Weight})
	}
	for n, p := range signs {
		i := slices.IndexFunc(rest.Because, func(b dowse.Because) bool { return b.What == p.What && b.Weight == p.Weight })
		relevance := judge.Without(rest, i)
		rest.Because = slices.Delete(rest.Because, i, i+1)
		if (relevance >= v.Threshold) != v.OnTopic {
			return n + 1
		}
	}
	return 0
}

// signName returns a short name for a sign in a sentence, in about n characters: an
// outside judge's answer in its words, a sign against by itself, a stuffed page by what
// it is.
func signName(p collection.Part, n int) string {
	if said, ok := strings.CutPrefix(p.What, "asked: "); ok {
		return `the answer "` + fit(oneLine(said), n) + `"`
	}
	if judge.Stuffed(dowse.Because{What: p.What}) {
		return "so many of the topic's words"
	}
	if sign, ok := strings.CutPrefix(p.What, `not "`); ok {
		return fit(`"`+oneLine(sign), n)
	}
	return fit(oneLine(p.What), n)
}

// maxListed is the number of signs that are listed by name.
const maxListed = 4

// listed returns the names of signs as "a, b and c", or their number if there are many.
func listed(signs []collection.Part) string {
	if len(signs) > maxListed {
		return fmt.Sprintf("the %d strongest of its signs", len(signs))
	}
	var names []string
	for _, p := range signs {
		names = append(names, signName(p, 14))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// side returns the verdict in capitals.
func side(on bool) string { return strings.ToUpper(sideWord(on)) }

// sideWord returns the verdict in words.
func sideWord(on bool) string {
	if on {
		return "on topic"
	}
	return "off topic"
}

// score formats a relevance with two digits; values near 0 and 1 are not rounded to
// certainty.
func score(r float64) string {
	switch {
	case r > 0.995 && r < 1:
		return ">0.99"
	case r < 0.005 && r > 0:
		return "<0.01"
	}
	return fmt.Sprintf("%.2f", r)
}
