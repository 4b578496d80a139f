package report

import (
	"slices"
	"strings"

	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

const (
	fewRivals  = 8 // so many strategies a figure can name
	bestOfMany = 5 // of more, those at the top are named
	banded     = 4 // so many bands lie over each other and can still be told apart
)

// baselines are strategies that every figure names: whoever is not above them has
// learnt nothing.
var baselines = []string{"breadth-first", "random"}

// focus chooses the strategies that figures name and give a colour: all, or where
// they are too many the best and the baselines. They are in the order of rivals.
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

// baseline tells whether a strategy is one of the baselines, as they come.
func (r *Report) baseline(name string) bool {
	i := slices.IndexFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return t.Name() == name })
	return i >= 0 && slices.Contains(baselines, r.in.Runs.Trails[i].Strategy)
}

// style is how a strategy is drawn, in all figures: the best is teal, then orange. Those
// that figures do not name are grey.
func (r *Report) style(name string) int {
	if i := slices.Index(r.named, name); i >= 0 {
		return i
	}
	if r.in.Runs.Bound(name) {
		return boundStyle
	}
	return restStyle
}

// drawsBand tells whether the wide figures draw the band of a strategy: with more than
// a few, those of the best two and of the last are what can be seen.
func (r *Report) drawsBand(name string) bool {
	n := len(r.named)
	i := slices.Index(r.named, name)
	return i >= 0 && (n <= banded || i < 2 || i == n-1)
}

// shownLines tells in words which lines a figure names and which have bands.
func (r *Report) shownLines() string {
	var text string
	if rest := len(r.rivals) - len(r.named); rest > 0 {
		text = "Named are the best " + words(bestOfMany) + r.namedBaselines() + "; " + plain.Some(rest, "other strategy") + " in grey. "
	}
	text += "Bands are 95 % bootstrap intervals of the mean, over topics"
	if len(r.named) > banded {
		text += ", drawn for the best two and the last of those named"
	}
	return text + "."
}

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

func words(n int) string {
	return []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}[n]
}
