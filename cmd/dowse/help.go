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
	"dowse/internal/mistake"
	"dowse/internal/predicate"
	"dowse/internal/site"
	"dowse/strategy"
)

// helpCmd prints help on commands, as --help does, and on topics that belong to no single
// command. Without arguments it lists commands by what people do with them, and the
// topics.
type helpCmd struct {
	What []string `arg:"" optional:"" name:"command|topic" help:"Command, or topic; see dowse help topics."`
}

func (helpCmd) Help() string {
	return `Examples:
  dowse help                 the commands
  dowse help crawl           one command
  dowse help topics          the other topics
  dowse help strategies      the strategies; add a NAME for its parameters`
}

// A helpTopic is a subject of help besides the commands. Most are printed from tables of
// the packages concerned, so that they cannot become outdated: reasons, exit codes,
// strategies, measures, variables, facts.
type helpTopic struct {
	name  string
	about string
	print func(w *world) error
}

// helpTopics lists the topics in the order in which dowse help shows them.
func helpTopics() []helpTopic {
	return []helpTopic{
		{"topics", "this list", printTopics},
		{"reasons", "why URLs are skipped or fail, and why crawls stop", printReasons},
		{"exit-codes", "what the exit codes mean", printExitCodes},
		{"strategies", "the strategies, which rank links", printStrategies},
		{"measures", "what the lab measures", printMeasures},
		{"claims", "what the lab can check: --assert and checks of experiments", printClaims},
		{"site-stops", "why a site is not read further, and kinds of homepages", printSiteHelp},
		{"env", "environment variables", printEnv},
		{"expr", "conditions on pages: facts, matching, expressions", printExpr},
		{"sinks", "where pages are sent while they are crawled (--sink)", printSinks},
		{"judge", "how pages are rated (dowse judge --help: the command)", printJudge},
	}
}

// Run prints the list of commands, the help of one command, or a topic. A topic wins over
// a command of the same name, such as judge: the command has --help.
func (c *helpCmd) Run(w *world) error {
	if len(c.What) == 0 {
		return listCommands(w.out, w.parser.Model.Node)
	}
	if len(c.What) == 2 && c.What[0] == "strategies" {
		return printStrategy(w, c.What[1])
	}
	for _, t := range helpTopics() {
		if len(c.What) == 1 && t.name == c.What[0] {
			return t.print(w)
		}
	}
	return helpOn(w, c.What)
}

// helpOn prints the help of a command by parsing it with --help. It uses a new parser,
// since the present one has parsed the help command already.
func helpOn(w *world, command []string) error {
	node := find(w.parser.Model.Node, command)
	if node == nil {
		return usage("unknown command or topic %q; see dowse help topics, or dowse help for the commands", strings.Join(command, " "))
	}
	var c cli
	parser, err := newParser(&c, w, func(int) {})
	if err != nil {
		return err
	}
	_, _ = parser.Parse(append(slices.Clone(command), "--help")) // arguments are missing, and not needed
	return nil
}

// find returns the node of a command given by its names or aliases, nil if there is
// none.
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

// printTopics prints dowse help topics.
func printTopics(w *world) error {
	listTopics(w.out)
	return nil
}

// row prints a name and its meaning in two columns, wrapped at 80 columns. All lists of
// help use it, so that they line up alike.
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

// printReasons prints the reasons for skipped and failed URLs and for the end of crawls.
func printReasons(w *world) error {
	fmt.Fprintln(w.out, "Why a URL was not fetched, or not kept. The list is closed and stable.")
	fmt.Fprintln(w.out)
	for _, r := range dowse.ReasonHelp() {
		row(w.out, string(r.Reason), withFlags(r.Reason, r.Means))
	}
	fmt.Fprintln(w.out, "\nWhy a crawl stopped (stop_reason):")
	fmt.Fprintln(w.out)
	for _, r := range slices.Sorted(maps.Keys(stopMeans)) {
		row(w.out, string(r), stopMeans[r])
	}
	return nil
}

// An exitCode describes one exit code.
type exitCode struct {
	code  int
	name  string // in JSON errors
	means string
}

// exitCodes lists all exit codes, for dowse help exit-codes and for errors in JSON. 0 to
// 9 are few enough to remember, and a script needs three cases: done (0), try again (3
// and 4), look at it (all others).
var exitCodes = []exitCode{
	{exitOK, "ok", "did what was asked; a limit you set counts"},
	{exitInternal, "internal", "internal error"},
	{exitUsage, "usage", "bad usage, config or topic"},
	{exitInterrupted, "interrupted", "interrupted, out of disk or memory, or the output could not be written; the same command resumes"},
	{exitNetwork, "network", "network: no seed could be reached, or hosts or pages gave no answer; the same command, or --retry failed, tries again"},
	{exitForbidden, "forbidden", "not allowed: no contact given, robots.txt forbids it, a private address, or --trust is missing"},
	{exitNothing, "nothing", "finished with nothing on topic"},
	{exitCollection, "collection", "the collection is locked, damaged or from another version"},
	{exitAssertion, "assertion", "an assertion failed: status --check, collection verify, lab --assert"},
	{exitFenced, "fenced", "another process coordinates the crawl of this cluster by now; this copy is no longer written"},
	{exitAborted, "aborted", "stopped immediately by a second Ctrl-C (SIGINT; SIGTERM and dowse stop never abort); what was committed is safe"},
}

// exitCodeOf returns the description of an exit code; an unknown one counts as internal.
func exitCodeOf(code int) exitCode {
	i := slices.IndexFunc(exitCodes, func(e exitCode) bool { return e.code == code })
	if i < 0 {
		return exitCodes[exitInternal]
	}
	return exitCodes[i]
}

// printExitCodes prints dowse help exit-codes.
func printExitCodes(w *world) error {
	fmt.Fprintln(w.out, "With --json an error is one line on stderr, with the name as its code:")
	fmt.Fprintln(w.out, `{"error":{"code":"usage","message":"...","hint":"..."}}`)
	fmt.Fprintln(w.out)
	for _, e := range exitCodes {
		row(w.out, fmt.Sprintf("%3d %s", e.code, e.name), e.means)
	}
	return nil
}

// printStrategies prints the strategies, one line each. Its first line answers the
// question that most readers have, which one to take. Details are left to dowse help
// strategies NAME.
func printStrategies(w *world) error {
	fmt.Fprintf(w.out, "Not sure? Leave it out. The default is %s.\n\n", strategy.Default)
	fmt.Fprintln(w.out, "What each strategy ranks links by:")
	for _, d := range crawler.Strategies() {
		fmt.Fprintf(w.out, "  %-16s  %s\n", d.Name, gistWithin(d.About, helpColumns-20))
	}
	fmt.Fprint(w.out, `
dowse help strategies NAME shows the source and the parameters of one. Set them
with --strategy NAME:key=value,key=value.
`)
	return nil
}

// gistWithin shortens a text to n columns by dropping its last clauses.
func gistWithin(text string, n int) string {
	for len([]rune(text)) > n {
		i := strings.LastIndexAny(text, ",;:")
		if i < 0 {
			return fit(text, n)
		}
		text = text[:i]
	}
	return text
}

// printStrategy prints one strategy with its source, its inputs and its parameters. All
// of it comes from the registry of strategies, which reads the parameters from the tags
// of their structs.
func printStrategy(w *world, name string) error {
	list := crawler.Strategies()
	i := slices.IndexFunc(list, func(d strategy.Description) bool { return d.Name == name })
	if i < 0 {
		return usage("%s; see dowse help strategies", unknown("strategy", name, strategyNames(list)))
	}
	d := list[i]
	fmt.Fprintf(w.out, "--strategy %s\n\n", d.Name)
	row(w.out, "ranks links by", d.About)
	row(w.out, "source", d.Paper)
	for _, n := range d.Needs {
		row(w.out, "needs", n)
	}
	if len(d.Params) == 0 {
		fmt.Fprintln(w.out, "\nIt has no parameters.")
		return nil
	}
	fmt.Fprintf(w.out, "\nParameters (--strategy %s:key=value,...):\n", d.Name)
	for _, p := range d.Params {
		row(w.out, p.Name, fmt.Sprintf("%s (default %s)", p.Help, p.Default))
	}
	return nil
}

// strategyNames returns the names of strategies in the order of the list.
func strategyNames(list []strategy.Description) (names []string) {
	for _, d := range list {
		names = append(names, d.Name)
	}
	return names
}

// unknown returns the problem with an unknown name, and the known name that was probably
// meant: unknown strategy "otei"; did you mean "otie"?
func unknown(thing, name string, known []string) string {
	return fmt.Sprintf("unknown %s %q; %s", thing, name, mistake.Suggestion(name, known))
}

// printSiteHelp prints the stop reasons and kinds of homepages of crawls for sites.
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

// printExpr prints the language of where: with the facts, matchers and conditions of
// package predicate. The tables come from the package; only the introduction is written
// here.
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

// factHelp returns the kind and meaning of a fact, and how a string is matched with it.
func factHelp(f predicate.Fact) string {
	s := f.Kind + ": " + f.Means
	if f.Match != "" {
		s += " (matched: " + f.Match + ")"
	}
	return s
}

// exprHelp introduces the tree of clauses of where:.
const exprHelp = `where: in a topic file says what must hold of a page. It is a tree of clauses;
dowse why reports each clause separately:

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
unknown: pass or fail decides a clause whose fact is not known; without it the
clause fails. A clause may also be an expression in words:

  where: category(SPORTS) and keyword(hockey) and not host_suffix(.uk)
`

// celHelp describes the part of CEL that expr: offers.
const celHelp = `
expr: is an expression in CEL (cel.dev): page.FACT with < <= == != && || ! in,
size(), contains(), startsWith(), endsWith(), matches('RE2'), has(page.FACT),
exists(x, …), all(x, …), timestamp('2026-01-01T00:00:00Z'). Lists are lists of
strings; meta and og are maps. An expression that costs too much is stopped.
`

// printJudge prints how the words of a topic rate a page.
func printJudge(w *world) error {
	_, err := fmt.Fprint(w.out, judgeHelp)
	return err
}

// judgeHelp states the formula of the judge of words. It must agree with package judge.
const judgeHelp = `A page is rated from 0 to 1 by the words of the topic:

  relevance = 1 / (1 + exp(-z))       z = -3 + the sum over all signs of
                                          weight * n / (n + half)

n counts the sign in the text, double in title and meta. half is the count that
gives half the weight: 2.2 * cbrt(length / 200) for a text of that many words,
at least 2.2. So counts saturate: a second word of the topic is worth more than
the tenth mention of the first, and a passing mention is not yet on topic.

  words   with n words in the topic, 4 + 2/n each; a phrase 0.7 of that where
          it occurs as written, 0.3 for each of its single words
  also    1.2
  about   0.25 a word; also and about together at most 2.5
  not     -5

A page is on topic from the threshold on: 0.5, or what the topic file or
--threshold says. The same formula rates the words around a link. dowse why DIR
URL lists the reasons with their weights, and dowse judge does so for any page.
`
