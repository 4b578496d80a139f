package report

import (
	"slices"
	"strings"

	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

// How many strategies a figure can show before it becomes unreadable.
const (
	fewRivals  = 8 // strategies that a figure can name
	bestOfMany = 5 // number of the best that are named if there are more
	banded     = 4 // overlapping bands that can still be distinguished
)

// baselines are strategies that every figure names: a strategy that is not above
// them has learnt nothing.
var baselines = []string{"breadth-first", "random"}

// focus returns the strategies that figures name and colour: all, or, if there
// are too many, the best and the baselines. They are in the order of rivals.
// Eight colours can be distinguished on a screen; twenty cannot.
func (r *Report) focus() []string {
	if len(r.rivals) <= fewRivals {
		return r.rivals
	}
	var list []string
	for i, name := range r.rivals {
		if i < bestOfMany || r.baseline(name) {
			list = append(list, name)
		}
	}
	return list
}

// baseline reports whether a strategy is a baseline with default parameters.
func (r *Report) baseline(name string) bool {
	i := slices.IndexFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return t.Name() == name })
	return i >= 0 && slices.Contains(baselines, r.in.Runs.Trails[i].Strategy)
}

// style returns the style of a strategy, the same in all figures: the best is
// teal, then orange. Strategies that figures do not name are grey.
func (r *Report) style(name string) int {
	if i := slices.Index(r.named, name); i >= 0 {
		return i
	}
	if r.in.Runs.IsOracle(name) {
		return boundStyle
	}
	return restStyle
}

// drawsBand reports whether wide figures draw the band of a strategy. With more
// than a few, only those of the best two and the last can be seen.
func (r *Report) drawsBand(name string) bool {
	n := len(r.named)
	i := slices.Index(r.named, name)
	return i >= 0 && (n <= banded || i < 2 || i == n-1)
}

// shownLines explains which lines a figure names and which have bands.
func (r *Report) shownLines() string {
	var text string
	// The sentence must match what focus and drawsBand do.
	if rest := len(r.rivals) - len(r.named); rest > 0 {
		text = "Named are the best " + words(bestOfMany) + r.namedBaselines() + "; " + plain.Some(rest, "other strategy") + " in grey. "
	}
	text += "Bands are 95 % confidence intervals of the mean, over topics"
	if len(r.named) > banded {
		text += ", drawn for the best two and the last of those named"
	}
	return text + "."
}

// namedBaselines lists what is named in addition to the best, with a leading
// comma.
func (r *Report) namedBaselines() string {
	var list []string
	for _, name := range r.named[min(bestOfMany, len(r.named)):] {
		list = append(list, clean(name, 40))
	}
	if len(r.bounds) > 0 {
		list = append(list, "the oracle")
	}
	if len(list) == 0 {
		return ""
	}
	return ", " + strings.Join(list, ", ")
}

// words returns a number from 0 to 10 as a word; it is called with a constant.
func words(n int) string {
	return []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}[n]
}
