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

type labCmd struct {
	Run     labRunCmd     `cmd:"" help:"Run an experiment: strategies × topics × seed sets."`
	List    labListCmd    `cmd:"" help:"List the built-in experiments."`
	Report  labReportCmd  `cmd:"" help:"Report on a run: HTML page, tables, files for papers."`
	Compare labCompareCmd `cmd:"" help:"Compare runs or strategies: differences, tests, effect sizes."`
	Verify  labVerifyCmd  `cmd:"" help:"Run an experiment again and compare every byte."`
	Results labResultsCmd `cmd:"" help:"Summarise runs in one document, beside what papers report."`
	Replay  labReplayCmd  `cmd:"" help:"Replay another strategy on your own collection."`
	Webs    labWebsCmd    `cmd:"" help:"Inspect a web: pages, links, topics."`
	Record  labRecordCmd  `cmd:"" help:"Make a recorded web from a collection, WARC or WACZ file."`
}

func (labCmd) Help() string {
	return `Examples:
  dowse lab run demo -o runs/demo         strategies on the made web
  dowse lab report runs/demo              its table, and a page with figures
  dowse lab compare runs/demo otie opic   how sure is the difference?
  dowse lab verify runs/demo              the same again, byte by byte
  dowse lab list                          figures and tables of papers
  dowse lab webs demo                     what the made web is like
  dowse lab record reefs.dowse reefs.web  a crawl of yours as a web

The lab crawls webs that hold still: the same strategies, judges and frontier as
in a live crawl, in virtual time. What pages are about is known to the lab alone.`
}

// labFlags are what the commands of the lab have in common.
type labFlags struct {
	Cache string `placeholder:"DIR" help:"Keep parsed pages here (default: your cache folder)."`
}

// cache returns the folder for what is made of webs once.
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

// named returns an experiment: a file, or one that comes with dowse. base is the folder
// that its paths are relative to.
func named(arg string) (x *experiment.Experiment, file []byte, base string, err error) {
	if isFile(arg) || strings.ContainsAny(arg, `./\`) {
		x, file, err = experiment.Load(arg)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, "", usage("there is no file %s", arg)
		}
		base, absErr := filepath.Abs(filepath.Dir(arg))
		return x, file, base, errors.Join(err, absErr)
	}
	if x, file, err = experiment.ByName(arg); err != nil {
		return nil, nil, "", usage("no experiment is called %q, and there is no such file; %s", arg, experimentMeant(arg))
	}
	base, err = os.Getwd()
	return x, file, base, err
}

// isFile tells whether a path is of a file: a folder is no experiment, though it may be
// called as one is.
func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir()
}

// experimentMeant tells what to do about a name that is no experiment's.
func experimentMeant(name string) string {
	known := []string{"all"}
	for _, x := range experiment.Shipped() {
		known = append(append(known, x.Name), x.Rows...)
	}
	if near := text.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "dowse lab list tells which come with dowse"
}

// labVersion names the program that made a run.
func labVersion() string { return strings.TrimSpace("dowse " + crawler.Version + " " + commit()) }

// labSize tells how much there is to do.
func labSize(s experiment.Size) string {
	return fmt.Sprintf("%s × %s × %s = %s", some(s.Topics, "topic"), some(s.Sets, "seed set"), some(s.Strategies, "strategy"), some(s.Crawls, "crawl"))
}
