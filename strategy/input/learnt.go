package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Learnt is what a crawl has learnt of a predicate, apart from the state that the
// crawl itself goes on with: counts from which a later crawl for the same thing can
// start, on another part of the web or with another trace (Aggarwal 2004, sec. 4.1).
// It names words, parts of URLs and keys of users, never a user or a page.
type Learnt struct {
	Format    string         `json:"format"`
	Predicate string         `json:"predicate"` // what was looked for: a name and a hash
	Linkage   *LinkageLearnt `json:"linkage,omitempty"`
	Usage     *UsageLearnt   `json:"usage,omitempty"`
	Bags      *BagsLearnt    `json:"bags,omitempty"`

	// Weights are the models of strategies that learn by gradient steps, by the name of the strategy, as it
	// saves them. Words and hosts in them are hashes.
	Weights map[string][]byte `json:"weights,omitempty"`
}

// LinkageLearnt is what was learnt from links: K of Aggarwal 2004, sec. 3.
type LinkageLearnt struct {
	Pages  Tally            `json:"pages"`
	Links  [4]float64       `json:"links"` // between visited pages: on topic to on, on to off, off to on, off to off
	Words  map[string]Tally `json:"words"`
	Tokens map[string]Tally `json:"tokens"`
}

// UsageLearnt is what was learnt from a trace: K of Aggarwal 2004, sec. 3.1.
type UsageLearnt struct {
	Pages      Tally            `json:"pages"`
	Users      map[string]Tally `json:"users"` // by key, see [Trace]
	Signatures map[string]Tally `json:"signatures"`
	Near       Tally            `json:"near"` // pages accessed shortly before or after one on topic
	Far        Tally            `json:"far"`  // other accessed pages
}

// BagsLearnt is what was learnt from the words of links, by naive Bayes.
type BagsLearnt struct {
	Links Tally            `json:"links"`
	Terms map[string]Tally `json:"terms"` // occurrences, and those in links to relevant pages
}

// A Tally counts pages with a feature, and those of them on topic.
type Tally [2]float64

// Sides returns the counts off and on topic.
func (t Tally) Sides() [2]float64 { return [2]float64{t[0] - t[1], t[1]} }

// sound reports whether a tally can be a count: no negative or infinite number, and not
// more on topic than in all. NaN fails both comparisons.
func (t Tally) sound() bool { return t[0] >= t[1] && t[1] >= 0 && !math.IsInf(t[0], 0) }

// A Learner is a strategy whose knowledge can be reused.
type Learner interface {
	// Learnt returns what was learnt about a predicate.
	Learnt(predicate string) *Learnt
	// LearnFrom starts with what an earlier crawl learnt. It is called before Start
	// or Load, and refuses what was learnt about another predicate.
	LearnFrom(l *Learnt, predicate string) error
}

const learntFormat = "dowse-learnt/1"

// ErrPredicate is the error for knowledge that is about another predicate.
var ErrPredicate = errors.New("learnt about another predicate")

// ErrNotLearnt is the error for a crawl that learnt nothing that a strategy could start with.
var ErrNotLearnt = errors.New("nothing was learnt")

// Write writes what was learnt as JSON, in the format dowse-learnt/1.
func (l *Learnt) Write(w io.Writer) error {
	out := *l
	out.Format = learntFormat
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(&out); err != nil {
		return fmt.Errorf("strategy: write what was learnt: %w", err)
	}
	return nil
}

// maxLearnt bounds what is read: several times what the largest vocabulary takes.
const maxLearnt = 1 << 28

// ReadLearnt reads what Write wrote. It refuses other formats, and counts that are
// impossible, from which ratios could not be computed.
func ReadLearnt(r io.Reader) (*Learnt, error) {
	l := &Learnt{}
	if err := json.NewDecoder(io.LimitReader(r, maxLearnt)).Decode(l); err != nil {
		return nil, fmt.Errorf("strategy: read what was learnt: %w", err)
	}
	if l.Format != learntFormat {
		return nil, fmt.Errorf("strategy: read what was learnt: the format is %q, not %q", l.Format, learntFormat)
	}
	if !l.sound() {
		return nil, errors.New("strategy: read what was learnt: counts that can't be")
	}
	return l, nil
}

// sound reports whether all counts are possible.
func (l *Learnt) sound() bool {
	tables := []map[string]Tally{}
	if k := l.Linkage; k != nil {
		tables = append(tables, k.Words, k.Tokens, map[string]Tally{"": k.Pages})
		for _, n := range k.Links {
			tables = append(tables, map[string]Tally{"": {n, 0}})
		}
	}
	if k := l.Usage; k != nil {
		tables = append(tables, k.Users, k.Signatures, map[string]Tally{"": k.Pages, "near": k.Near, "far": k.Far})
	}
	if k := l.Bags; k != nil {
		tables = append(tables, k.Terms, map[string]Tally{"": k.Links})
	}
	for _, t := range tables {
		for _, c := range t {
			if !c.sound() {
				return false
			}
		}
	}
	return true
}

// Fits returns an error if l is about another predicate, or if has is false: it has no
// knowledge of the kind that the strategy needs, which what names.
func (l *Learnt) Fits(predicate string, has bool, what string) error {
	if l.Predicate != predicate {
		return fmt.Errorf("%w: it is about %q, this crawl is about %q; start without it, or crawl for the same", ErrPredicate, l.Predicate, predicate)
	}
	if !has {
		return fmt.Errorf("%w there from %s; start from a crawl with the same strategy", ErrNotLearnt, what)
	}
	return nil
}
