package experiment

import (
	"slices"
	"strings"
)

// Setting returns, in a few words for titles, the webs of a run and how it
// differs from the experiment of the same name that comes with dowse:
// "wikispeedia", "with hubs, generic seeds".
func (x *Experiment) Setting(webs []WebFacts) (web, how string) {
	own, _, err := ByName(x.Name)
	if err != nil {
		own = &Experiment{Seeds: Seeds{From: "training"}}
	}
	var hows []string
	for _, w := range x.Web {
		if w.Hubs != "" {
			hows = append(hows, "with hubs")
			break
		}
	}
	if x.Seeds.From != own.Seeds.From {
		hows = append(hows, x.Seeds.From+" seeds")
	}
	return x.place(webs), strings.Join(hows, ", ")
}

// place names the webs in a few words: recorded ones by name, synthetic ones
// together.
func (x *Experiment) place(webs []WebFacts) string {
	if x.Sites() {
		if slices.ContainsFunc(x.Web, func(w Web) bool { return w.Town != nil && len(w.Town.Recorded) > 0 }) {
			return "recorded towns"
		}
		return "synthetic towns"
	}
	var names []string
	made := 0
	for i, s := range sourcesOf(x) {
		if s.Demo != nil {
			made++
		} else if i < len(webs) {
			names = append(names, webs[i].Name)
		}
	}
	switch {
	case made == 1:
		names = append(names, "the synthetic web")
	case made > 1:
		names = append(names, "synthetic webs")
	}
	return strings.Join(names, ", ")
}
