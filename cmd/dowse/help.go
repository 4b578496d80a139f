package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dowse"
	"dowse/crawler"
	"dowse/site"
	"dowse/strategy"
	"dowse/topic/predicate"
)

type helpCmd struct {
	What []string `arg:"" optional:"" name:"command|topic" help:"A command, or a topic: see dowse help topics."`
}

func (helpCmd) Help() string {
	return `Examples:
  dowse help                 the commands
  dowse help crawl           one command
  dowse help topics          what else there is help on
  dowse help strategies      the orders in which a crawl can go`
}

// A helpTopic is something there is help on beside the commands.
type helpTopic struct {
	name  string
	about string
	print func(w *world) error
}

func helpTopics() []helpTopic {
	return []helpTopic{
		{"topics", "this list", printTopics},
		{"reasons", "why URLs are left out, and why crawls stop", printReasons},
		{"exit-codes", "what the exit codes mean", printExitCodes},
		{"strategies", "the orders in which a crawl can go", printStrategies},
		{"measures", "what the lab measures", printMeasures},
		{"claims", "what the lab can check: --assert and checks of experiments", printClaims},
		{"site-stops", "why the reading of a site ends, and what homepages are like", printSiteHelp},
		{"env", "variables of the environment", printEnv},
		{"expr", "conditions on pages: facts, how they are matched, expressions", printExpr},
		{"judge", "how pages are rated (dowse judge --help: the command)", printJudge},
	}
}

// Run prints help on a command or a topic.
func (c *helpCmd) Run(w *world) error {
	if len(c.What) == 0 {
		return printCommands(w)
	}
	for _, t := range helpTopics() {
		if len(c.What) == 1 && t.name == c.What[0] {
			return t.print(w)
		}
	}
	return helpOn(w, c.What)
}

// helpOn prints the help of a command, as --help does.
func helpOn(w *world, command []string) error {
	node := find(w.parser.Model.Node, command)
	if node == nil {
		return usage("unknown command or topic %q; run dowse help for the commands, or dowse help topics for the topics", strings.Join(command, " "))
	}
	var c cli
	parser, err := newParser(&c, w, func(int) {})
	if err != nil {
		return err
	}
	_, _ = parser.Parse(append(slices.Clone(command), "--help")) // arguments are missing, and not needed
	return nil
}

// find returns the node of a command, nil if there is none.
func find(n *kong.Node, command []string) *kong.Node {
	for _, name := range command {
		i := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
		if i < 0 {
			return nil
		}
		n = n.Children[i]
	}
	return n
}

func printCommands(w *world) error {
	fmt.Fprintln(w.out, "dowse finds pages on a topic: it crawls the best links first.")
	fmt.Fprintln(w.out, "\nCommands:")
	for _, n := range w.parser.Model.Children {
		if n.Hidden {
			continue
		}
		row(w.out, n.Name, n.Help)
	}
	fmt.Fprintln(w.out, "\nTopics (dowse help TOPIC):")
	return printTopics(w)
}

func printTopics(w *world) error {
	for _, t := range helpTopics() {
		row(w.out, t.name, t.about)
	}
	return nil
}

// row prints a name and what it means, in 80 columns.
func row(out io.Writer, name, text string) {
	const indent, gap = 2, 18
	below := strings.Repeat(" ", indent+gap+1)
	lead := fmt.Sprintf("%*s%-*s ", indent, "", gap, name)
	if len(lead) > len(below) { // a long name has a line of its own
		fmt.Fprintln(out, strings.TrimRight(lead, " "))
		lead = below
	}
	for _, l := range wrap(text, 80-len(below)) {
		fmt.Fprintf(out, "%s%s\n", lead, l)
		lead = below
	}
}

// wrap cuts a text into lines of at most n columns, between words.
func wrap(text string, n int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

func printReasons(w *world) error {
	fmt.Fprintln(w.out, "Why a URL was not fetched, or not taken in. The list is closed and stable.")
	fmt.Fprintln(w.out)
	for _, r := range dowse.ReasonHelp() {
		row(w.out, string(r.Reason), r.Means)
	}
	fmt.Fprintln(w.out, "\nWhy a crawl stopped (stop_reason):")
	fmt.Fprintln(w.out)
	for _, r := range slices.Sorted(maps.Keys(stopMeans)) {
		row(w.out, string(r), stopMeans[r])
	}
	return nil
}

// exitCodes tells what the exit codes mean.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "did what was asked; a limit you set counts"},
	{exitInternal, "internal error"},
	{exitUsage, "bad usage, config or topic"},
	{exitInterrupted, "interrupted, out of disk or memory, or the output could not be written; the same command resumes"},
	{exitNetwork, "network: no seed could be reached, or hosts are left that do not answer; the same command asks again"},
	{exitForbidden, "not allowed: nobody says who is crawling, robots.txt forbids it, or --trust is missing"},
	{exitNothing, "finished with nothing on topic"},
	{exitCollection, "the collection is locked, damaged or from another version"},
	{exitAssertion, "an assertion failed: status --check, collection verify, lab --assert"},
	{exitAborted, "stopped at once by a second Ctrl-C; what was committed is safe"},
}

func printExitCodes(w *world) error {
	for _, e := range exitCodes {
		row(w.out, fmt.Sprint(e.code), e.means)
	}
	return nil
}

func printStrategies(w *world) error {
	fmt.Fprintln(w.out, "--strategy NAME or NAME:key=value,key=value")
	for _, d := range crawler.Strategies() {
		fmt.Fprintln(w.out)
		name := d.Name
		if name == strategy.Default {
			name += " (default)"
		}
		fmt.Fprintln(w.out, name)
		for _, l := range append(wrap(d.About, 76), wrap(d.Paper, 76)...) {
			fmt.Fprintf(w.out, "  %s\n", l)
		}
		for _, p := range d.Params {
			row(w.out, fmt.Sprintf("%s=%s", p.Name, p.Default), p.Help)
		}
	}
	return nil
}

func printSiteHelp(w *world) error {
	fmt.Fprintln(w.out, "Why the reading of a site ended (stop):")
	fmt.Fprintln(w.out)
	for _, s := range site.Stops() {
		row(w.out, string(s), s.Means())
	}
	fmt.Fprintln(w.out, "\nWhat its homepage is like (home):")
	fmt.Fprintln(w.out)
	for _, h := range site.Homepages() {
		row(w.out, string(h), h.Means())
	}
	return nil
}

func printExpr(w *world) error {
	fmt.Fprint(w.out, exprHelp)
	fmt.Fprintln(w.out, "\nFacts:")
	for _, f := range predicate.AllFacts() {
		row(w.out, f.Name, factHelp(f))
	}
	fmt.Fprintln(w.out, "\nHow a fact is matched:")
	for _, m := range predicate.Matchers() {
		row(w.out, m.Form, m.Means)
	}
	fmt.Fprintln(w.out, "\nConditions in an expression, joined by and, or, not and parentheses:")
	for _, a := range predicate.Atoms() {
		row(w.out, a.Form, a.Means)
	}
	fmt.Fprint(w.out, celHelp)
	return nil
}

// factHelp tells what a fact is and how a string is looked for in it.
func factHelp(f predicate.Fact) string {
	s := f.Kind + ": " + f.Means
	if f.Match != "" {
		s += " (matched: " + f.Match + ")"
	}
	return s
}

const exprHelp = `where: in a topic file says what must hold of a page. It is a tree of clauses;
dowse why reports each for itself:

  where:
    all:
      - lang: [de, fr]
      - any:
          - schema_org: Recipe
          - title: /rezept|recette/i
      - not: {path: /\/forum\//}
      - expr: 'page.links_out < 400 && size(page.images) > 0'
    unknown: pass

all, any and not hold clauses; several facts in one clause must all hold.
unknown: pass or fail says what becomes of a clause whose fact is not known;
without it the clause fails. A clause may also be an expression in words:

  where: category(SPORTS) and keyword(hockey) and not host_suffix(.uk)
`

const celHelp = `
expr: is an expression in CEL (cel.dev): page.FACT with < <= == != && || ! in,
size(), contains(), startsWith(), endsWith(), matches('RE2'), has(page.FACT),
exists(x, …), all(x, …), timestamp('2026-01-01T00:00:00Z'). Lists are lists of
strings; meta and og are maps. It ends when it costs too much.
`

func printJudge(w *world) error {
	_, err := fmt.Fprint(w.out, judgeHelp)
	return err
}

const judgeHelp = `A page is rated from 0 to 1 by the words of the topic:

  relevance = 1 / (1 + exp(-z))       z = -3 + the sum over all signs of
                                          weight * n / (n + half)

n counts the sign in the text, double in title and meta. half is the count that
gives half the weight: 2.2 * cbrt(length / 200) for a text of that many words,
at least 2.2. So counts saturate: a second word of the topic is worth more than
the tenth mention of the first, and a passing mention is not yet on topic.

  words   with n words in the topic, 4 + 2/n each; a phrase 0.7 of that where
          it stands as written, 0.3 for each of its single words
  also    1.2
  about   0.25 a word; also and about together at most 2.5
  not     -5

A page is on topic from the threshold on: 0.5, or what the topic file or
--threshold says. The same formula rates the words around a link. dowse why DIR
URL lists the reasons with their weights, and dowse judge does so for any page.
`
