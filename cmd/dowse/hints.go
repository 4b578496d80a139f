package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/trace"
	"dowse/strategy"
	"dowse/strategy/input"
)

// Errors of the other packages do not name commands or flags, since Go programs that
// embed a crawl have neither. This file adds them: hintFor for errors, remedy for
// problems of a collection, withFlags for reasons, and missingInput for strategies. A
// test checks that no string outside of this package names a command or a flag.

// hintFor returns what a user of the command line can do about an error of another
// package: one or more lines, each ending in a line break, or "" if there is nothing to
// add. [report] prints it below the error, and with --json as the field hint.
func hintFor(err error) string {
	var damage *collection.DamageError
	var format *collection.FormatError
	var place *fs.PathError
	switch {
	case errors.As(err, &damage):
		return fmt.Sprintf(salvageHelp, shellWord(damage.Dir))
	case errors.As(err, &format):
		return fmt.Sprintf(salvageHelp, shellWord(format.Dir))
	case errors.Is(err, collection.ErrCopy):
		return "Make the change in the collection of the coordinator; the standby follows it.\n"
	case errors.Is(err, collection.ErrLocked) && errors.As(err, &place):
		return fmt.Sprintf("Stop it first: dowse stop %s\n", shellWord(printable(place.Path)))
	}
	if isForbidden(err) {
		return "Run it as the user who may write there, or choose another place (dowse collection copy DIR TO makes a copy of your own).\n"
	}
	if crawler.DiskFull(err) {
		return "To go on, free some space or choose another place, and repeat the command.\n"
	}
	for _, h := range hints {
		if errors.Is(err, h.of) {
			return h.text
		}
	}
	return ""
}

// isForbidden reports whether this user may not write to, or read, a file.
func isForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// hints are what to do about errors that need no further detail. The first that matches
// is used.
var hints = []struct {
	of   error
	text string
}{
	{crawler.ErrIdentity, identityHelp},
	{crawler.ErrSeeds, "Give one or more with --seed URL, or list them under seeds: in a topic file.\n"},
	{crawler.ErrOwnTopic, "Give it with --topic FILE.\n"},
	{crawl.ErrRequeue, "Give failed, unreached, a reason (dowse help reasons) or a host (dowse hosts DIR).\n"},
	{collection.ErrExists, "Use --force to overwrite it.\n"},
	{collection.ErrNoSites, "To look for sites, start another crawl with dowse crawl --unit site.\n"},
	{input.ErrPredicate, "To use what was learnt nevertheless, add --learn-anyway.\n"},
	{trace.ErrNoSite, "Name the site with --trace-site URL.\n"},
}

// salvageHelp is the hint for a collection that cannot be opened; its verb is the
// directory.
const salvageHelp = `Restore it from a backup, or rebuild it from what can be read:
  dowse collection salvage %s -o NEW
`

// identityHelp is the hint for a crawl of the public web without a contact.
const identityHelp = `Set once:
  dowse config set agent reefbot
  dowse config set contact https://example.org/bot     (or mailto:you@...)
or for this crawl: --agent NAME --contact URL. Nothing was sent.
`

// repairs are the commands that carry out the repair of a [collection.Problem]; the verb
// is the directory of the collection.
var repairs = map[string]string{
	"salvage": "dowse collection salvage %s -o NEW",
	"forget":  "dowse forget %s URL",
	"run":     "dowse crawl %s",
}

// remedy returns what to do about a problem of the collection in dir, with the command
// that does it.
func remedy(dir string, p collection.Problem) string {
	if command, ok := repairs[p.Repair]; ok {
		return p.Do + ": " + fmt.Sprintf(command, shellWord(dir))
	}
	return p.Do
}

// reasonFlags are the flags and commands that cause URLs to be skipped for a reason.
var reasonFlags = map[dowse.Reason]string{
	dowse.SkipScopeHost:    "--scope",
	dowse.SkipScopeExclude: "--exclude, --include",
	dowse.SkipScopeDepth:   "--max-depth",
	dowse.SkipScopeTunnel:  "--tunnel",
	dowse.SkipBudgetHost:   "--per-host",
	dowse.SkipPrivateIP:    "--allow-net",
	dowse.SkipForgotten:    "dowse forget",
}

// withFlags returns what a reason means, and in parentheses the flags that caused it and
// that a user may change.
func withFlags(r dowse.Reason, meaning string) string {
	if flags, ok := reasonFlags[r]; ok && meaning != "" {
		return meaning + " (" + flags + ")"
	}
	return meaning
}

// missingInput returns how to give a strategy the input that it needs and was not given,
// "" if it has what it needs. It continues the error of the strategy, which names the
// input.
func missingInput(known []strategy.Description, name string, cfg crawler.Config) string {
	i := slices.IndexFunc(known, func(d strategy.Description) bool { return d.Name == name })
	if i < 0 {
		return ""
	}
	needs := known[i].Needs
	switch {
	case slices.Contains(needs, "a T-Graph") && cfg.TGraph == "":
		return "; make one with dowse tgraph build, and give it with --tgraph FILE"
	case slices.Contains(needs, "a trace") && cfg.Trace == "":
		return "; give one with --trace FILE"
	}
	return ""
}
