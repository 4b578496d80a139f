package main

import (
	"errors"
	"fmt"
	"strings"

	"dowse/internal/lab/measure"
	reports "dowse/internal/lab/report"
	"dowse/lab/experiment"
)

// assertFlags make a command fail with exit code 8 unless claims hold, for builds that
// must not get worse: lab run exp.yaml --assert 'otie.recall > opic.recall'. The language
// of claims is described by dowse help claims.
type assertFlags struct {
	Assert []string `sep:"none" placeholder:"CLAIM" help:"Exit with 8 unless this holds; see dowse help claims."`
}

// claims parses the claims and checks that the experiment can answer them, before
// anything is run or written.
func (a assertFlags) claims(f measure.Scope) (list []*measure.Claim, err error) {
	for _, text := range a.Assert {
		claim, err := measure.ParseClaim(text)
		if err == nil {
			err = claim.CheckScope(f)
		}
		if err != nil {
			return nil, assertMistake(err)
		}
		list = append(list, claim)
	}
	return list, nil
}

// ask applies --measures to a report and parses the claims about its runs.
func (a assertFlags) ask(in *reports.Input, measures []string) (list []*measure.Claim, err error) {
	if in.Measures, err = orMeasures(measures, in.Measures); err != nil {
		return nil, err
	}
	in.Asked = len(measures) > 0
	return a.claims(in.Runs.Scope())
}

// assertMistake returns the error for a wrong claim, with the claim and a mark below the
// wrong place.
func assertMistake(err error) error {
	var m *measure.Mistake
	if !errors.As(err, &m) {
		return usage("--assert: %w", err)
	}
	return usage("--assert, %w\n  %s", m, strings.ReplaceAll(m.Marked(), "\n", "\n  "))
}

// fieldOf returns what claims about an experiment can refer to: its strategies and
// measures. With it a claim about a strategy that is not in the experiment is refused
// before anything is run. Crawls for sites have no fixed budget of pages.
func fieldOf(x *experiment.Experiment) measure.Scope {
	f := measure.Scope{Pages: x.Budget.Pages, Sites: x.Sites()}
	if f.Sites { // such crawls end when they have found enough
		f.Pages = 0
	}
	for _, v := range x.Variants() {
		f.Strategies = append(f.Strategies, v.Label)
		f.Oracle = f.Oracle || v.Spec == experiment.Oracle
	}
	return f
}

// hold checks claims against the runs and prints the result of each; if quiet, only of
// those that fail. A claim that is undecided counts as failed: a gate must not pass
// because there were too few topics to decide.
func hold(w *world, in reports.Input, claims []*measure.Claim, quiet bool) error {
	failed := 0
	for _, claim := range claims {
		v, err := claim.Check(&in.Runs, in.Tests)
		if err != nil {
			return usage("--assert: %w", err)
		}
		if v.Outcome != measure.Holds {
			failed++
		}
		if v.Outcome != measure.Holds || !quiet {
			fmt.Fprintln(w.err, printable(v.String()))
		}
	}
	if failed > 0 {
		return &exitError{exitAssertion, errors.New(some(failed, "assertion") + " failed: what is undecided does not hold")}
	}
	return nil
}
