package experiment

import "slices"

// On puts another web in the place of an experiment's own, with what the experiment says
// is different on a recorded web. It returns why the experiment makes no sense there, ""
// if it does.
func (x *Experiment) On(w Web) (skip string) {
	if x.Sites() {
		return "whole sites are looked for in made towns alone"
	}
	if x.Recorded != nil && w.Demo == nil {
		if x.Recorded.Skip != "" {
			return x.Recorded.Skip
		}
		if x.Recorded.Pages > 0 {
			x.Budget.Pages = x.Recorded.Pages
		}
		x.Topics = x.Recorded.Topics
	}
	if w.Demo == nil && x.Judge == "words" {
		x.Judge = "logistic" // a recorded web has no words for its topics
	}
	x.Web, x.Topics.List = Webs{w}, slices.Clone(x.Topics.List)
	return ""
}
