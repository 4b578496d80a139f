package predicate

import (
	"slices"
	"time"

	"dowse"
)

// The bounds of a predicate and of a test. They are far above what people write
// and keep the dearest predicate over the largest page in the order of a second.
const (
	MaxClauses = 256     // groups and leaves
	MaxDepth   = 16      // of groups in groups
	MaxStrings = 1000    // words, phrases, names and patterns in all
	MaxPattern = 1000    // bytes of a regular expression
	MaxProgram = 4000    // instructions of all regular expressions together
	MaxExpr    = 4096    // bytes of an expression
	MaxText    = 1 << 16 // bytes of a fact that a regular expression or CEL sees
	MaxSteps   = 1 << 23 // words compared in a test, to find phrases
	MaxCost    = 200_000 // of one CEL expression, in CEL's units
)

// A Predicate is a condition on pages. It does not change and may be used from many
// goroutines.
type Predicate struct {
	root     node
	tree     any
	needs    Needs
	keywords keywords
}

// Facts are those that a page does not carry itself. The zero value of each means
// that it is not known.
type Facts struct {
	Anchors    []string           // of the links that led to the page
	Parent     *Parent            // the page that it was found on
	Categories map[string]float64 // probability by name; nil where nobody classifies, absent names count as 0
	Score      *float64           // of the evidence: what the judge says without the predicate
	Modified   time.Time          // where the page itself does not say: Last-Modified
	Languages  []string           // to tell apart where the page does not declare its own; nil means all
}

// Parent is what is known of the page that a page was found on.
type Parent struct {
	Score float64
	Host  string
}

// A Result tells whether a page meets a predicate, and what each clause said.
type Result struct {
	Holds   bool
	Clauses []Clause // groups before what is in them, in the order of the tree
}

// A Clause is what one clause of the tree says of a page.
type Clause struct {
	Name    string // as it was written, on one line
	Holds   bool   // of an unknown one: what unknown: makes of it
	Unknown bool   // a fact is missing
	Detail  string // what was found, or what is missing
	Group   bool   // all, any or not
	Depth   int    // of the groups around it
}

// Test tests a page. Its time is bounded by the constants of this package.
func (p *Predicate) Test(page *dowse.Page, f Facts) Result {
	r := newReading(p, page, &f)
	t := &trace{clauses: make([]Clause, 0, p.needs.Clauses)}
	v := p.root.test(r, t, scope{})
	return Result{Holds: v == yes, Clauses: t.clauses}
}

// Tree returns the predicate as a tree that [FromTree] makes the same predicate of.
// It must not be changed.
func (p *Predicate) Tree() any { return p.tree }

// Needs returns what the predicate reads.
func (p *Predicate) Needs() Needs { return p.needs }

// Needs tells what a predicate reads of a page, so that nobody finds out what is
// not asked for.
type Needs struct {
	Facts      []string // names, sorted
	Categories []string // names of categories, sorted
	Clauses    int      // groups and leaves
}

// Reads reports whether a fact is read.
func (n Needs) Reads(fact string) bool {
	_, found := slices.BinarySearch(n.Facts, fact)
	return found
}

// A Problem is something wrong in a tree: where, what, and what to do about it.
type Problem struct {
	Path         string // all[2].text.has
	Line, Column int    // 0 where nobody knows
	Problem      string
	Fix          string
}
