package operations

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
)

// A LabRequest is a run of a built-in experiment. Experiments of a caller's own are refused: they name files and
// programs, which can only be agreed to in a terminal.
type LabRequest struct {
	Experiment string `json:"experiment" doc:"the name of a built-in experiment"`
	Demo       bool   `json:"demo,omitempty" doc:"run it on the built-in demo web"`
	Pages      int    `json:"pages,omitempty" doc:"pages of each crawl; default those of the experiment"`
	Again      bool   `json:"again,omitempty" doc:"continue a run of this experiment that is there already, or replace it if it was made with other settings"`
}

// mayRun returns an error of kind Conflict if a run exists in a folder, and it is not to be continued or
// replaced, or if one is under way there.
func (o *Operations) mayRun(dir string, r *LabRequest) error {
	o.children.mu.Lock()
	under := slices.ContainsFunc(o.children.jobs, func(c *child) bool { return c.lab && c.job.Dir == dir && !c.ended() })
	o.children.mu.Unlock()
	if under {
		return failf(Conflict, "experiment", "a run of %s is under way; wait for its end, or stop it", r.Experiment)
	}
	if !r.Again && exists(filepath.Join(dir, "manifest.yaml")) {
		return failf(Conflict, "again", "there is a run runs/%s already; set again to continue or replace it, or move it away", r.Experiment)
	}
	return nil
}

// experimentOK matches names of built-in experiments. The command line takes a name with a dot or a slash for a file.
var experimentOK = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$`)

// StartLab runs an experiment of the lab as a child process, into the folder runs/NAME of the folder for new
// collections, one crawl at a time. A run that was interrupted is continued. It returns when the run has begun,
// or with an error of kind Invalid and the output of the process if that has ended before.
func (o *Operations) StartLab(ctx context.Context, r LabRequest) (*Job, error) {
	if err := o.mayChange(); err != nil {
		return nil, err
	}
	switch {
	case o.cfg.Into == "":
		return nil, failf(Refused, "", "no run can be started: this program was given no folder for new collections")
	case !experimentOK.MatchString(r.Experiment) || r.Experiment == allExperiments || exists(filepath.Join(o.cfg.Into, r.Experiment)):
		return nil, failf(Invalid, "experiment", "experiment: got %q, want the name of one built-in experiment", clip(r.Experiment))
	case r.Pages < 0:
		return nil, failf(Invalid, "pages", "pages: got %d, want 0 or more", r.Pages)
	}
	dir := filepath.Join(o.cfg.Into, "runs", r.Experiment)
	if err := o.mayRun(dir, &r); err != nil {
		return nil, err
	}
	args := labArguments(dir, &r)
	c, err := o.spawn(dir, o.cfg.Into, args, args, true)
	if err != nil {
		return nil, err
	}
	if !c.starts(ctx, func() bool { return exists(filepath.Join(dir, "manifest.yaml")) }) {
		return nil, failf(Invalid, "experiment", "the run did not begin: %s", c.complaint())
	}
	return o.jobOf(c), nil
}
