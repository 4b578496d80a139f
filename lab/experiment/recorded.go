package experiment

import "slices"

// On replaces the webs of an experiment by another one, and applies what the
// experiment defines for recorded webs. It returns why the experiment does not
// apply there; "" if it does.
func (x *Experiment) On(w Web) (skip string) {
	if x.Sites() {
		return "experiments on whole sites run in towns; a file of your own can make a recorded web one, by web: {town: {recorded: FILES, topic: NAME}}"
	}
	if x.Recorded != nil && w.Demo == nil && w.Campus == nil {
		if x.Recorded.Skip != "" {
			return x.Recorded.Skip
		}
		if x.Recorded.Pages > 0 {
			x.Budget.Pages = x.Recorded.Pages
		}
		x.Topics = x.Recorded.Topics
		if x.Recorded.Training != nil {
			x.Training = *x.Recorded.Training
		}
	}
	x.Web, x.Topics.List = Webs{w}, slices.Clone(x.Topics.List)
	return ""
}
