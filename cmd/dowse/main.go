// Command dowse finds pages on a topic: it crawls the best links first, politely, and
// can explain every URL that it ever saw.
//
// The package is the command line and nothing else: it turns arguments into a
// configuration, calls package crawler, collection, topic or lab/experiment, and prints
// what they return. Flags and commands are named in the texts of this package only.
//
// The command line is the struct [cli], which kong parses. Each command is one field of
// it and one file: a struct whose fields are the arguments and flags, a method Help that
// returns examples and details, and a method Run that gets the [world]. To add a
// command, write such a struct in a file of its own, add a field to cli with a help text
// and a job, and add a script to testdata/script. Help, shell completion and the list of
// commands are derived from the structs; tests check that each command has an example
// and that each command named in a text exists.
//
// Flags get their values from the command line, then from environment variables
// (env.go), then from config files (config.go). Flags that are settings of a crawl come
// from the table in package settings.
//
// Output follows four rules. Data go to stdout, everything else to stderr. With --json a
// command prints JSON on stdout and, if it fails, one JSON object on stderr. Only a
// terminal gets colours, a live screen or lines that are cut to its width. Text from the
// web is escaped (oneLine, printable) before it is printed.
//
// A command returns an error instead of exiting. [report] prints it and chooses the exit
// code: that of an [exitError], or the one that verdictOn assigns to errors of other
// packages. The codes are listed by dowse help exit-codes and do not change between
// versions.
//
// # The way of a command
//
//  1. main builds the [world]: streams, terminal, signals, memory limit.
//  2. [newParser] reads the config files, and names the environment variables.
//  3. The parser fills the struct of the command: arguments, flags, environment, config.
//     Its errors become messages of dowse in [usageError].
//  4. The method Run checks what the parser cannot know, before anything is opened,
//     sent or written. A mistake of the user costs nothing but a message.
//  5. If a collection or topic file of another person asks for more than reading, the
//     user has to agree ([consent]).
//  6. Run calls crawler, collection, topic or lab/experiment, and prints.
//  7. [report] turns an error into a message, a hint and an exit code.
//
// # Where to find what
//
//	main, gather, parser, env, config  from arguments to a command
//	errors, hints                      from an error to message, hint and exit code
//	help, helpprint, helplab           help, and its topics
//	signals, memory, output, terminal  the process and its streams
//	crawl, screen, unreached, print    crawls: flags, live screen, summary, output
//	demo, demotable, town              the synthetic webs
//	status, problems, compare          states
//	pages, hosts, sites                lists
//	changes, diff                      what has changed
//	serve                              the dashboard
//	cluster, worker, standby           more machines
//	why, account, turning, spelling    explanations
//	label, labelscreen, labelfile      labels
//	judge, cases                       rating pages without a crawl
//	topic*, new, wordnet, savemodel    topics and their judges
//	tgraph, backlinks                  T-Graphs
//	export, format, jsonline, schema, sink  what other programs read
//	collection, salvage, forget        upkeep of a collection
//	trust, salt, private               consent, secrets, private networks
//	lab*                               the lab
//	debug, completion, version         single parts, shells
//
// # What the tests check
//
// Scripts in testdata/script run the program as a user would and check stdout, stderr
// and exit code. Other tests check that every command has help of 80 columns with an
// example, that every command, flag, variable and file named in a text exists, that no
// other package names flags, that every command copes with the directory of a stranger,
// and that crawls survive being killed, frozen and starved.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/linkrating"
	"dowse/internal/mistake"
	"dowse/internal/plain"
	"dowse/strategy/input"
	"dowse/topic"
)

// cli is the whole command line: one field and one file per command. The tag job names
// the group in which dowse help lists a command. The order of the fields is the order in
// the help.
type cli struct {
	// Start a crawl. demo comes first: it needs nothing, and shows what a crawl is.
	Demo  demoCmd  `cmd:"" job:"start" help:"Try it now on the built-in demo web; no network needed."`
	New   newCmd   `cmd:"" job:"start" help:"Write a topic file: what a crawl looks for."`
	Crawl crawlCmd `cmd:"" job:"start" help:"Start or resume a crawl."`
	Set   setCmd   `cmd:"" job:"start" help:"Change limits, scope or politeness of a crawl, also while it runs."`
	Stop  stopCmd  `cmd:"" job:"start" help:"Stop a running crawl gently."`

	// More machines.
	Worker  workerCmd  `cmd:"" job:"cluster" help:"Make visits for a crawl that another machine coordinates."`
	Standby standbyCmd `cmd:"" job:"cluster" help:"Keep a copy of a clustered crawl, and take over if it fails."`
	Cluster clusterCmd `cmd:"" job:"cluster" help:"Show the state of a cluster, leave it, or remove it."`

	// Look at it. These commands only read, and may run while a crawl runs.
	Status  statusCmd  `cmd:"" job:"look" help:"Show the state of a crawl."`
	Why     whyCmd     `cmd:"" job:"look" help:"Explain why a URL was fetched, judged, queued or skipped."`
	Pages   pagesCmd   `cmd:"" job:"look" help:"List pages."`
	Search  searchCmd  `cmd:"" job:"look" help:"Find pages by their words, in one or several collections."`
	Sites   sitesCmd   `cmd:"" job:"look" help:"List sites, also of a crawl for pages."`
	Hosts   hostsCmd   `cmd:"" job:"look" help:"List hosts."`
	Compare compareCmd `cmd:"" job:"look" help:"Compare two to four crawls of one topic."`
	Changes changesCmd `cmd:"" job:"look" help:"List what changed: pages new, changed, gone or moved."`
	Diff    diffCmd    `cmd:"" job:"look" help:"Show the words added to a page and removed from it."`
	Fetch   fetchCmd   `cmd:"" job:"look" help:"Fetch one page exactly as the crawler would."`
	Serve   serveCmd   `cmd:"" job:"look" help:"Show collections in a browser: the dashboard."`

	// Teach it: labels of people, and topics that are checked and measured before a
	// crawl spends requests on them.
	Label  labelCmd  `cmd:"" job:"teach" help:"Mark pages as on or off topic; the judge learns."`
	Judge  judgeCmd  `cmd:"" job:"teach" help:"Rate pages without crawling."`
	Topic  topicCmd  `cmd:"" job:"teach" help:"Check, show, test and compare topics."`
	Tgraph tgraphCmd `cmd:"" job:"teach" help:"Build and show T-Graphs: the link paths to known pages."`

	// Take pages out, for other programs. Nothing of the collection changes.
	Export exportCmd `cmd:"" job:"take out" help:"Export pages; the file suffix selects the format."`
	Sink   sinkCmd   `cmd:"" job:"take out" help:"Send pages to sinks that have not received them."`
	Schema schemaCmd `cmd:"" job:"take out" help:"Print the JSON Schema of what commands print, or of topics."`
	Mcp    mcpCmd    `cmd:"" name:"mcp" job:"take out" help:"Offer crawls and collections to agents, as tools (MCP)."`

	// The lab crawls recorded and synthetic webs in virtual time; it has no collection
	// and sends no request.
	Lab labCmd `cmd:"" job:"lab" help:"Compare strategies on a recorded or synthetic web."`

	// Upkeep: repair, takedowns, settings of the user, and the program itself.
	Collection collectionCmd `cmd:"" job:"upkeep" aliases:"col" help:"Inspect, verify and salvage a collection."`
	Forget     forgetCmd     `cmd:"" job:"upkeep" help:"Take a page down: archive, index and state."`
	Config     configCmd     `cmd:"" job:"upkeep" help:"Show and keep settings for every crawl: who you are."`
	Debug      debugCmd      `cmd:"" job:"upkeep" help:"Debug one part: robots.txt, URLs, HTML, charsets, stems."`
	Completion completionCmd `cmd:"" job:"upkeep" help:"Print a completion script for a shell."`
	Help       helpCmd       `cmd:"" job:"upkeep" help:"Show help on a command or topic."`
	Version    versionCmd    `cmd:"" job:"upkeep" help:"Print the version."`
}

// A world is what a command touches besides its arguments: streams, environment, signals
// and the terminal. Tests run commands in a world of their own, so a command must not
// use os.Stdout, os.Stderr or os.Stdin directly.
//
// The two contexts are the two ways to end: ctx asks a command to finish what is under
// way, abort asks it to stop now. A command that has nothing to finish watches ctx only.
type world struct {
	out    io.Writer // data
	err    io.Writer // talk
	in     io.Reader
	env    func(string) string
	ctx    context.Context // ends at the first signal: finish what is under way
	abort  context.Context // ends at the second: stop now
	ends   *interrupts     // what ends ctx and abort; nil in tests
	isTTY  bool            // err is a terminal
	outTTY bool            // out is a terminal
	colour bool
	parser *kong.Kong
	args   []string // as they were typed
	behind []string // those behind a --, of a search
	spare  []byte   // see limitMemory
}

// The exit codes. Scripts rely on them: exitCodes describes each, and a number never
// changes its meaning.
//
// A command returns the most specific one: usage before network, network before
// nothing found. Of the codes above 2 only interrupted and network mean that the same
// command, run again, continues.
const (
	exitOK          = 0
	exitInternal    = 1   // an error that no package has a name for: a fault of dowse
	exitUsage       = 2   // what the user typed or wrote; nothing was begun
	exitInterrupted = 3   // by a signal, a full disk or lost output; state is saved
	exitNetwork     = 4   // hosts or the network did not answer
	exitForbidden   = 5   // by robots.txt, by the user's own rules, or without consent
	exitNothing     = 6   // all went well, and there is nothing on topic
	exitCollection  = 7   // the collection can't be used: locked, damaged, other version
	exitAssertion   = 8   // a check that the user asked for failed
	exitFenced      = 9   // another process coordinates the crawl of this cluster by now
	exitAborted     = 130 // by a Ctrl-C after the first signal, as shells report it
)

// An exitError is an error with an exit code. Its err may be nil if the command has
// already printed what is wrong; then nothing more is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }

// usage returns an error of what the user typed or wrote, with exit code 2. The text
// names the flag or file, the problem and what to do.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// crawlClock returns the time for crawls; nil means the wall clock. Tests set it.
var crawlClock func() time.Time

// main builds the world from the process, runs the command and exits. Output that could
// not be written changes an exit code of 0. The log of the standard library is discarded:
// net/http writes there what hosts do wrong, which crawls record themselves.
func main() { os.Exit(program()) }

// program runs the command line of this process and returns its exit code.
func program() int {
	log.SetOutput(io.Discard) // net/http writes there what hosts do wrong
	ends := signals()
	out := &checkedOutput{out: os.Stdout}
	w := &world{
		out: out, err: os.Stderr, in: os.Stdin, env: os.Getenv, ctx: ends.ctx, abort: ends.abort, ends: ends,
		isTTY: isTerminal(os.Stderr), outTTY: isTerminal(os.Stdout), spare: limitMemory("/"),
	}
	w.colour = useColours(w.isTTY, os.Getenv)
	if w.outTTY {
		out.width = func() int { return widthOf(os.Stdout) }
		out.colour = useColours(true, os.Getenv)
	}
	code := out.code(w, run(w, os.Args[1:]))
	ends.done()
	runtime.KeepAlive(w.spare)
	return code
}

// cutQuery cuts what is behind a -- off the arguments of a search, where it is the end of the query: none of it is a
// collection.
func (w *world) cutQuery(args []string) []string {
	i := slices.Index(args, "--")
	if i < 0 || args[0] != "search" {
		return args
	}
	w.behind = args[i+1:]
	return args[:i]
}

// run parses the arguments, runs the command and returns the exit code. It prints all
// errors itself, so that tests can call it in place of main. Notes on unknown environment
// variables come before an error: the misspelt variable may be its cause.
func run(w *world, args []string) (code int) {
	if len(args) == 0 {
		fmt.Fprint(w.out, welcome)
		return exitOK
	}
	if slices.Equal(args, []string{"--version"}) { // as other programs have it
		args = []string{"version"}
	}
	w.args = args
	var c cli
	exited := -1
	parser, err := newParser(&c, w, func(code int) { exited = code })
	if err != nil {
		return report(w, err)
	}
	w.parser = parser
	ctx, err := parser.Parse(gathered(parser.Model.Node, w.cutQuery(args)))
	// --help and --help-all print and exit while the arguments are parsed.
	if exited >= 0 {
		return exited
	}
	noteUnknownEnv(w.err, parser.Model.Node, os.Environ())
	if err != nil {
		return report(w, usageError(err))
	}
	return report(w, ctx.Run(w))
}

// report prints an error with its hint, if there is one, and returns the exit code for
// it. With --json the error is printed even if its text is empty, so that a script
// always finds an object.
func report(w *world, err error) int {
	if err == nil {
		return exitOK
	}
	code, hint := verdictOn(err)
	message := plain.Error(err)
	if message == "" && !wantsJSON(w.args) {
		return code
	}
	w.printError(code, message, hint)
	return code
}

// verdictOn returns the exit code for an error, and the hint of hintFor. Errors of other
// packages are recognised by their sentinel values and types; an error that is not
// recognised is an internal one.
func verdictOn(err error) (code int, hint string) {
	hint = hintFor(err)
	var ee *exitError
	var wrong *mistake.Error
	var source *topic.SourceError
	switch {
	case errors.As(err, &ee):
		return ee.code, hint
	case errors.Is(err, crawler.ErrIdentity):
		return exitForbidden, hint
	case errors.Is(err, crawler.ErrTrust):
		return exitForbidden, hint
	case errors.As(err, &wrong), errors.As(err, &source) && !errors.Is(err, context.Canceled), errors.Is(err, crawler.ErrSeeds), errors.Is(err, crawler.ErrMidRound), errors.Is(err, linkrating.ErrWindows):
		return exitUsage, hint
	case errors.Is(err, crawl.ErrRequeue), errors.Is(err, input.ErrNotLearnt), errors.Is(err, input.ErrPredicate):
		return exitUsage, hint
	case errors.Is(err, collection.ErrLocked), errors.Is(err, collection.ErrFormat), errors.Is(err, collection.ErrSettings), errors.Is(err, crawl.ErrVersion), errors.Is(err, crawl.ErrDamaged):
		return exitCollection, hint
	case crawler.DiskFull(err):
		return exitInterrupted, hint
	case errors.Is(err, durable.ErrNotPlain), isForbidden(err):
		return exitCollection, hint
	case errors.Is(err, collection.ErrMake), errors.Is(err, collection.ErrForgotten):
		return exitUsage, hint
	}
	return exitInternal, hint
}

// inCollection gives an error of opening a collection the exit code 7, unless the error
// has a better one: then the collection cannot be used as it is. Errors that the user can
// correct on the command line (identity, consent, seeds, frozen settings) keep theirs, and
// so does a full disk, after which the same command continues.
func inCollection(err error) error {
	var ee *exitError
	var frozen *crawler.FrozenError
	if err == nil || errors.As(err, &ee) || errors.As(err, &frozen) || errors.Is(err, crawler.ErrIdentity) || errors.Is(err, crawler.ErrTrust) || errors.Is(err, crawler.ErrSeeds) || errors.Is(err, crawl.ErrRequeue) || crawler.DiskFull(err) {
		return err
	}
	return &exitError{exitCollection, err}
}

// welcome is printed by dowse without arguments.
const welcome = `dowse finds pages on a topic. Give it a topic; it crawls the best links first.

  dowse demo                          try it now, no network needed
  dowse crawl "coral bleaching" --seed https://example.org/reefs
  dowse crawl reefs.topic.yaml        crawl a topic file
  dowse crawl reefs.dowse             resume a crawl
  dowse why reefs.dowse URL           explain why it was fetched or skipped
  dowse export reefs.dowse reefs.wacz take the pages out

More: dowse help, dowse help topics
`
