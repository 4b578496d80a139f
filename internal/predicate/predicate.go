package predicate

import (
	"slices"
	"time"

	"dowse"
)

// The bounds of a predicate and of a test. They are far above what people
// write, and keep the most expensive predicate on the largest page in the order
// of a second.
const (
	MaxClauses = 256     // groups and leaves
	MaxDepth   = 16      // nesting of groups
	MaxStrings = 1000    // words, phrases, names and patterns together
	MaxPattern = 1000    // bytes of a regular expression
	MaxProgram = 4000    // instructions of all regular expressions together
	MaxExpr    = 4096    // bytes of an expression
	MaxText    = 1 << 16 // bytes of a fact that a regular expression or CEL sees
	MaxSteps   = 1 << 23 // words compared in a test, to find phrases
	MaxCost    = 200_000 // of one CEL expression, in CEL's units
)

// A Predicate is a condition on pages. It does not change and may be used by
// many goroutines.
type Predicate struct {
	root     node
	tree     any
	needs    Needs
	keywords keywords
}

// Facts are those that a page does not carry itself. The zero value of each
// means that it is unknown.
type Facts struct {
	Anchors []string // texts of the links that led to the page
	Parent  *Parent  // the page that it was found on
	// Probability by name; nil without a classifier, absent names count as 0.
	Categories map[string]float64
	Score      *float64  // the judge's relevance without the predicate
	Modified   time.Time // from Last-Modified, if the page itself has no date
	// Candidates for detection if the page declares no language; nil means all.
	Languages []string
}

// Parent is what is known of the page on which a page was found.
type Parent struct {
	Score float64
	Host  string
}

// A Result is whether a page meets a predicate, and the outcome of each clause.
type Result struct {
	Holds   bool
	Clauses []Clause // in the order of the tree, groups before their members
}

// A Clause is the outcome of one clause of the tree.
type Clause struct {
	Name    string // as it was written, on one line
	Holds   bool   // of an unknown one: as unknown: states
	Unknown bool   // a fact is missing
	Detail  string // what was found or is missing
	Group   bool   // all, any or not
	Depth   int    // number of groups around it
}

// Test tests a page. Its time is bounded by the constants of this package. It does
// not change the page, and the same page and facts always give the same result.
func (p *Predicate) Test(page *dowse.Page, f Facts) Result {
	r := newReading(p, page, &f)
	t := &trace{clauses: make([]Clause, 0, p.needs.Clauses)}
	v := p.root.test(r, t, scope{})
	return Result{Holds: v == yes, Clauses: t.clauses}
}

// Tree returns the tree from which [FromTree] makes the same predicate. It must
// not be modified.
func (p *Predicate) Tree() any { return p.tree }

// Needs returns what the predicate reads.
func (p *Predicate) Needs() Needs { return p.needs }

// Needs lists what a predicate reads of a page, so that a crawl need not find
// out what no clause uses.
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

// A Problem is an error in a tree: its place, what is wrong, and what to do. It
// is a value and not only a text, so that a topic file can show it with the line
// that it is about.
type Problem struct {
	Path         string // all[2].text.has
	Line, Column int    // 0 if unknown
	Problem      string
	Fix          string
}
