package experiment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dowse/internal/lab/measure"
	"dowse/strategy"
)

// A Verification is the outcome of repeating a run.
type Verification struct {
	Crawls      int
	Differences []string // one line per difference; empty if the run is reproducible
}

// checkStrategies returns an error with its place for a strategy of a run that is neither built in nor one of own.
func (x *Experiment) checkStrategies(dir string, own []strategy.Description) error {
	y := *x
	y.own = slices.Concat(x.own, own)
	known := y.available()
	c := &checker{file: filepath.Join(dir, experimentFile)}
	data, err := readFile(c.file)
	if err != nil {
		return err
	}
	root, e := form.Parse(data, c.file)
	if e != nil {
		return e
	}
	c.root = root
	for i, s := range x.Strategies {
		if _, ok := known[s.Name]; !ok {
			c.fail(fmt.Sprintf("$.strategies[%d]", i), fmt.Sprintf("%q is a strategy of another program", s.Name), "only the program that made the run can repeat it")
		}
	}
	return c.err
}

// Verify repeats every crawl of a run in memory, writes nothing, and compares
// each trail with the stored one, byte by byte. It takes as long as the run
// did. Equal bytes need the same processor architecture, since floating point
// differs between them in the last digit. path is the folder of a run, or a file that
// [Bundle] wrote.
func Verify(ctx context.Context, path string, o Options) (*Verification, error) {
	var inputs map[string]string
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		dir, places, remove, err := unbundle(path)
		if err != nil {
			return nil, err
		}
		defer remove()
		path, inputs = dir, places
	}
	old, m, err := openFacts(path)
	if err != nil {
		return nil, err
	}
	if err := old.Experiment.checkStrategies(path, o.Strategies); err != nil {
		return nil, err
	}
	old.Experiment.Relocate(m.Base)
	old.Experiment.eachPath(func(p *string) { *p = cmp.Or(inputs[*p], *p) })
	// The version enters the names of crawls, not what they do; with that of
	// the run the files can be compared by name.
	o.Dir, o.Base, o.Version = "", m.Base, m.Version
	fresh, err := Run(ctx, old.Experiment, o)
	if err != nil {
		return nil, err
	}
	v := &Verification{Crawls: len(fresh.Trails)}
	for i, web := range fresh.Webs {
		if i >= len(old.Webs) || old.Webs[i].SHA256 != web.SHA256 {
			v.Differences = append(v.Differences, fmt.Sprintf("web %s: its pages differ from those of the run", web.Name))
		}
	}
	if len(fresh.Trails) != len(m.Crawls) {
		v.Differences = append(v.Differences, fmt.Sprintf("%d crawls, the run has %d", len(fresh.Trails), len(m.Crawls)))
		return v, nil
	}
	for i := range fresh.Trails {
		kept, err := os.ReadFile(filepath.Join(path, trailsDir, filepath.Base(m.Crawls[i])))
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		made, err := packed(&fresh.Trails[i])
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(kept, made) {
			t := &fresh.Trails[i]
			what := "made other visits"
			if _, err := readTrail(bytes.NewReader(kept), measure.NewNames()); err != nil {
				what = "can't be compared, since its file is damaged"
			}
			v.Differences = append(v.Differences, fmt.Sprintf("%s: %s on %s, set %d, %s", m.Crawls[i], t.Label, t.Topic, t.SeedSet, what))
		}
	}
	return v, nil
}
