package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dowse/crawler"
	"dowse/internal/text"
	"dowse/lab/experiment"
)

// labCmd groups the commands of the lab, which runs crawls in virtual time on webs that
// do not change, and compares strategies.
//
// An experiment says which web, topics, seeds, budget, judge and strategies; a run is a
// folder with one trail per crawl and the report; a web is the built-in one, an archive
// or a collection. The commands follow the work:
//
//	lab webs, lab record    choose or make a web
//	lab run                 crawl: strategies × topics × seed sets
//	lab report, lab compare read the results, test differences
//	lab verify              run it again and compare every byte
//	lab bundle              one file with which others can verify it
//	lab results             one document on many runs
//	lab replay              the same question about one's own collection
//
// The package lab/experiment does all of it; the commands read flags and print.
type labCmd struct {
	Run     labRunCmd     `cmd:"" help:"Run an experiment: strategies × topics × seed sets."`
	List    labListCmd    `cmd:"" help:"List the built-in experiments."`
	Report  labReportCmd  `cmd:"" help:"Report on a run: HTML page, tables, files for papers."`
	Compare labCompareCmd `cmd:"" help:"Compare runs or strategies: differences, tests, effects."`
	Verify  labVerifyCmd  `cmd:"" help:"Run an experiment again and compare every byte."`
	Bundle  labBundleCmd  `cmd:"" help:"Put a run and all that it was made of into one file."`
	Results labResultsCmd `cmd:"" help:"Summarise runs in one document, with the figures of papers."`
	Replay  labReplayCmd  `cmd:"" help:"Replay another strategy on your own collection."`
	Webs    labWebsCmd    `cmd:"" help:"Inspect a web: pages, links, topics."`
	Refresh labRefreshCmd `cmd:"" help:"Measure policies of revisits on a web that changes."`
	Record  labRecordCmd  `cmd:"" help:"Make a recorded web from a collection, WARC or WACZ file."`
}

func (labCmd) Help() string {
	return `Examples:
  dowse lab run demo -o runs/demo         strategies on the synthetic web
  dowse lab report runs/demo              its table, and a page with figures
  dowse lab compare runs/demo otie opic   test the difference
  dowse lab verify runs/demo              the same again, byte by byte
  dowse lab bundle runs/demo              one file, to verify elsewhere
  dowse lab list                          figures and tables of papers
  dowse lab webs demo                     describe the synthetic web
  dowse lab record reefs.dowse reefs.web  a crawl of yours as a web

The lab crawls webs that do not change: the same strategies, judges and frontier as
in a live crawl, in virtual time. What pages are about is known to the lab alone.`
}

// labFlags are the flags that several commands of the lab share.
type labFlags struct {
	Cache string `placeholder:"DIR" help:"Keep parsed pages here (default: your cache folder)."`
}

// cache returns the folder for parsed webs. Parsing a recorded web takes long, so the
// result is kept and used by later runs.
func (f labFlags) cache() (string, error) {
	if f.Cache != "" {
		return f.Cache, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", usage("there is no folder for caches (%w); name one with --cache", err)
	}
	return filepath.Join(dir, "dowse", "lab"), nil
}

// named returns an experiment: from a file, or one that is built in. A name with a dot or
// a slash is a file, so that a file in the current folder cannot hide a built-in
// experiment of the same name. file is its text, and base the folder that its relative
// paths refer to.
func named(arg string) (x *experiment.Experiment, file []byte, base string, err error) {
	if isFile(arg) || strings.ContainsAny(arg, `./\`) {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			return nil, nil, "", usage("%s is a folder; name the file of an experiment, or one of dowse lab list", arg)
		}
		x, file, err = experiment.Load(arg)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, "", usage("%s: no such file", arg)
		}
		base, absErr := filepath.Abs(filepath.Dir(arg))
		return x, file, base, errors.Join(err, absErr)
	}
	if x, file, err = experiment.ByName(arg); err != nil {
		return nil, nil, "", usage("%q is neither a built-in experiment nor a file; %s", arg, experimentMeant(arg))
	}
	base, err = os.Getwd()
	return x, file, base, err
}

// isFile reports whether a path is a file. A folder may have the name of an experiment
// and is not one.
func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir()
}

// experimentMeant suggests an experiment for an unknown name.
func experimentMeant(name string) string {
	known := []string{"all"}
	for _, x := range experiment.Shipped() {
		known = append(append(known, x.Name), x.Rows...)
	}
	if near := text.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "dowse lab list shows the built-in ones"
}

// labVersion returns the version and commit of the program, which a run records. A program
// that was built from files that differ from the commit has a plus sign after it.
func labVersion() string {
	text := strings.TrimSpace("dowse " + crawler.Version + " " + commit())
	if commit() != "" && changed() {
		text += "+"
	}
	return text
}

// labSize returns how many crawls an experiment has, as a product.
func labSize(s experiment.Size) string {
	return fmt.Sprintf("%s × %s × %s = %s", some(s.Topics, "topic"), some(s.Sets, "seed set"), some(s.Strategies, "strategy"), some(s.Crawls, "crawl"))
}
