// Command dowse finds pages on a topic: it crawls the best links first, politely,
// and can say why for every URL it ever saw.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/mistake"
	"dowse/topic"
)

// cli is the whole command line: one field to a command, one file to a command.
type cli struct {
	Demo       demoCmd       `cmd:"" help:"Try it now: a made web, a topic, a crawl. No network needed."`
	New        newCmd        `cmd:"" help:"Write a topic file: what a crawl looks for."`
	Crawl      crawlCmd      `cmd:"" help:"Start or resume a crawl."`
	Status     statusCmd     `cmd:"" help:"How does a crawl stand?"`
	Stop       stopCmd       `cmd:"" help:"Let a running crawl finish its visits and stop."`
	Why        whyCmd        `cmd:"" help:"Why was a URL fetched, judged, queued or skipped?"`
	Pages      pagesCmd      `cmd:"" help:"List pages."`
	Sites      sitesCmd      `cmd:"" help:"List sites, of a crawl for sites."`
	Hosts      hostsCmd      `cmd:"" help:"List hosts."`
	Label      labelCmd      `cmd:"" help:"Say of pages whether they are on topic; the judge learns from it."`
	Judge      judgeCmd      `cmd:"" help:"Rate pages without crawling."`
	Fetch      fetchCmd      `cmd:"" help:"Fetch one page exactly as the crawler would."`
	Export     exportCmd     `cmd:"" help:"Write pages to a file; the format goes by the suffix."`
	Topic      topicCmd      `cmd:"" help:"Check and show topic files."`
	Tgraph     tgraphCmd     `cmd:"" help:"Make and show T-Graphs: the ways to pages you know."`
	Lab        labCmd        `cmd:"" help:"Compare strategies on a web that holds still."`
	Collection collectionCmd `cmd:"" aliases:"col" help:"Inspect and verify a collection."`
	Forget     forgetCmd     `cmd:"" help:"Take a page down: archive, index and state."`
	Config     configCmd     `cmd:"" help:"Settings that hold for every crawl: who you are."`
	Debug      debugCmd      `cmd:"" help:"Ask the parts: robots.txt, URLs, HTML, charsets, stems, addresses."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Help       helpCmd       `cmd:"" help:"Help on a command or topic."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// world is what a command touches besides its arguments.
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
}

// Exit codes: see dowse help exit-codes.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitInterrupted = 3
	exitNetwork     = 4
	exitForbidden   = 5
	exitNothing     = 6
	exitCollection  = 7
	exitAssertion   = 8
	exitAborted     = 130
)

// exitError carries an exit code. Its text may be empty: everything was said.
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

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// crawlClock returns the time for crawls; nil means the wall clock. Tests set it.
var crawlClock func() time.Time

func main() {
	unused := limitMemory("/")
	log.SetOutput(io.Discard) // net/http writes there what hosts do wrong
	ends := signals()
	out := &sink{out: os.Stdout}
	w := &world{
		out: out, err: os.Stderr, in: os.Stdin, env: os.Getenv, ctx: ends.ctx, abort: ends.abort, ends: ends,
		isTTY: isTerminal(os.Stderr), outTTY: isTerminal(os.Stdout),
	}
	w.colour = w.isTTY && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	code := out.code(w, run(w, os.Args[1:]))
	ends.done()
	runtime.KeepAlive(unused)
	os.Exit(code)
}

// run parses the arguments, runs the command and returns the exit code.
func run(w *world, args []string) (code int) {
	if len(args) == 0 {
		fmt.Fprint(w.out, welcome)
		return exitOK
	}
	var c cli
	exited := -1
	parser, err := newParser(&c, w, func(code int) { exited = code })
	if err != nil {
		return report(w, err)
	}
	w.parser, w.args = parser, args
	ctx, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	noteUnknownEnv(w.err, parser.Model.Node, os.Environ())
	if err != nil {
		return report(w, usageError(err))
	}
	return report(w, ctx.Run(w))
}

func usageError(err error) error {
	var pe *kong.ParseError
	if errors.As(err, &pe) {
		cmd := ""
		if pe.Context != nil && pe.Context.Selected() != nil {
			cmd = " " + pe.Context.Selected().Path()
		}
		return usage("%w; see dowse%s --help", err, strings.TrimPrefix(cmd, " dowse"))
	}
	return usage("%w", err)
}

// report prints an error for a person and returns the exit code for it.
func report(w *world, err error) int {
	if err == nil {
		return exitOK
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(w.err, "dowse:", printable(text))
	}
	if dir, ok := salvageable(err); ok {
		fmt.Fprintf(w.err, salvageHelp, dir)
	}
	var ee *exitError
	var wrong *mistake.Error
	var source *topic.SourceError
	switch {
	case errors.As(err, &ee):
		return ee.code
	case errors.Is(err, crawler.ErrIdentity):
		fmt.Fprint(w.err, identityHelp)
		return exitForbidden
	case errors.Is(err, crawler.ErrTrust):
		return exitForbidden
	case errors.As(err, &wrong), errors.As(err, &source) && !errors.Is(err, context.Canceled), errors.Is(err, crawler.ErrSeeds), errors.Is(err, crawler.ErrWindows):
		return exitUsage
	case errors.Is(err, crawl.ErrRequeue):
		fmt.Fprintln(w.err, "Give failed, unreached, a reason (dowse help reasons) or a host (dowse hosts DIR).")
		return exitUsage
	case errors.Is(err, collection.ErrLocked), errors.Is(err, collection.ErrFormat), errors.Is(err, collection.ErrSettings), errors.Is(err, crawl.ErrVersion), errors.Is(err, crawl.ErrDamaged):
		return exitCollection
	case crawler.DiskFull(err):
		return exitInterrupted
	}
	return exitInternal
}

// inCollection marks an error of opening a collection that nothing better is known
// of: it can't be used as it is.
func inCollection(err error) error {
	var ee *exitError
	var frozen *crawler.FrozenError
	if err == nil || errors.As(err, &ee) || errors.As(err, &frozen) || errors.Is(err, crawler.ErrIdentity) || errors.Is(err, crawler.ErrTrust) || errors.Is(err, crawler.ErrSeeds) || errors.Is(err, crawl.ErrRequeue) {
		return err
	}
	return &exitError{exitCollection, err}
}

// salvageable returns the directory of a collection that can't be used as it is and that
// can be rebuilt.
func salvageable(err error) (dir string, ok bool) {
	var damage *collection.DamageError
	var format *collection.FormatError
	switch {
	case errors.As(err, &damage):
		return damage.Dir, true
	case errors.As(err, &format):
		return format.Dir, true
	}
	return "", false
}

const salvageHelp = `Restore it from a backup, or rebuild it from what can be read:
  dowse collection salvage %s -o NEW
`

const identityHelp = `Set once:
  dowse config set agent reefbot
  dowse config set contact https://example.org/bot     (or mailto:you@...)
or for this crawl: --agent NAME --contact URL. Nothing was sent.
`

const welcome = `dowse finds pages on a topic. Give it a topic; it crawls the best links first.

  dowse demo                          try it now, no network needed
  dowse crawl "coral bleaching" --seed https://example.org/reefs
  dowse crawl reefs.topic.yaml        crawl a topic file
  dowse crawl reefs.dowse             resume a crawl
  dowse why reefs.dowse URL           why was it fetched, judged or skipped?
  dowse export reefs.dowse reefs.wacz take the pages with you

More: dowse help, dowse help topics
`
