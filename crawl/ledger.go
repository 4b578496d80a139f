package crawl

import "dowse/internal/ledger"

// What a user of a crawl needs of its ledger.
type (
	// A Journal is the log of a crawl on disk: every entry, in order, and the strings of all
	// URLs.
	Journal = ledger.Journal
	// An Entry is one thing that happened in a crawl.
	Entry = ledger.Entry
	// EntryKind is what happened.
	EntryKind = ledger.EntryKind
	// A Decision is what became of a link.
	Decision = ledger.Decision
	// A Ruling is a later verdict on a page that was visited already.
	Ruling = ledger.Ruling
	// Label is a person's verdict on a page. It overrules the judge.
	Label = ledger.Label
	// A Redaction selects what is to go from a journal, for a takedown.
	Redaction = ledger.Redaction
	// A Gap is a part of the journal that can't be read.
	Gap = ledger.Gap
	// Leftovers is what can be read of a journal that may be damaged.
	Leftovers = ledger.Leftovers
	// A RobotsParser makes the rules of a robots.txt from its text and status.
	RobotsParser = ledger.RobotsParser
)

// The kinds of entries.
const (
	EntryStart   = ledger.EntryStart
	EntryPage    = ledger.EntryPage
	EntryRetry   = ledger.EntryRetry
	EntryRobots  = ledger.EntryRobots
	entryRound   = ledger.EntryRound
	entryIdle    = ledger.EntryIdle
	entryBefore  = ledger.EntryBefore
	EntryForget  = ledger.EntryForget
	entryRescore = ledger.EntryRescore
	EntryModel   = ledger.EntryModel
	EntryReasons = ledger.EntryReasons
	entryClock   = ledger.EntryClock
	entryAgain   = ledger.EntryAgain
	entryForgive = ledger.EntryForgive
	EntryRequeue = ledger.EntryRequeue
	entryCheck   = ledger.EntryCheck
	entryLeft    = ledger.EntryLeft
	entryLine    = ledger.EntryThreshold
)

// The labels.
const (
	Unlabelled  = ledger.Unlabelled
	LabelledOn  = ledger.LabelledOn
	LabelledOff = ledger.LabelledOff
)

// What is wrong with a journal or a snapshot.
var (
	ErrDamaged = ledger.ErrDamaged // a broken record that no crash leaves behind
	ErrVersion = ledger.ErrVersion // written by another version of the format
)

// OpenJournal opens the journal in dir, or begins one. With readOnly nothing is written:
// another process may be at it.
func OpenJournal(dir string, parse RobotsParser, readOnly bool) (*Journal, error) {
	return ledger.Open(dir, parse, readOnly)
}

// ReadLeftovers reads all segments of the journal in dir and calls show with every entry that
// is sound. It changes nothing.
func ReadLeftovers(dir string, parse RobotsParser, show func(e *Entry)) (*Leftovers, error) {
	return ledger.ReadLeftovers(dir, parse, show)
}
