package measure

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dowse/internal/text"
)

// A Claim is a statement about strategies that an experiment can confirm or
// refute:
//
//	otie.recall@end > opic.recall@end, p < .05
//	otie.recall@end > others.recall@end, p(t) < .05      every strategy but the oracle
//	lsfc-optimised.harvest@end >= lsfc.harvest@end, within .01   not worse by more than that
//	opic.harvest@end ~ breadth-first.harvest@end          no significant difference
//	otie:d=1.recall@end ~ otie:d=5.recall@end, within .02
//	otie:a=1.5.harvest > otie:a=1.harvest > otie:a=.85.harvest
//	link-context.list_time > 2 * otie.list_time
//	treasure.recall > context-graph.recall, throughout
//	otie.recall crosses link-context.recall, at 5%..20%
//	otie.harvest@end > 0.4
//
// A strategy has the name that it has in tables, in quotes if the name contains
// an operator or a space. [Claim.Check] defines when each form holds.
type Claim struct {
	text  string
	terms []term
	ops   []string // ops[i] is between terms[i] and terms[i+1]
	cond  condition
}

// A term is one side of a comparison: a strategy's measure, possibly times a
// factor, or a number.
type term struct {
	strategy string // "" for a number
	measure  Measure
	factor   float64 // of the measure, 1 if none is written; or the number itself

	at, measureAt int // offsets of the term and of its measure in the claim, in bytes
}

// A condition is what follows the comparisons of a claim, after commas.
type condition struct {
	alpha      float64 // level of p; 0 if the claim has none
	test       string  // "", wilcoxon or t
	within     float64 // margin of ~, >= and <=; 0 if the claim has none
	throughout bool
	lo, hi     rankPlace // of crosses
}

// A rankPlace is a number of pages, or a share of the budget.
type rankPlace struct {
	pages int
	share float64
}

// maxClaim bounds the text of a claim, in bytes; parsing may take quadratic time.
const maxClaim = 2000

var (
	conditionP          = regexp.MustCompile(`^p(?:\((t|wilcoxon)\))?\s*<\s*([0-9.]+)$`)
	conditionWithin     = regexp.MustCompile(`^within\s+([0-9.]+)$`)
	conditionAt         = regexp.MustCompile(`^at\s+([0-9.]+%?)\s*\.\.\s*([0-9.]+%?)$`)
	conditionThroughout = regexp.MustCompile(`^throughout$`)
	operator            = regexp.MustCompile(`>=|<=|>|<|~|\bcrosses\b`)
	factorTerm          = regexp.MustCompile(`^([0-9.]+)\s*\*\s*(.+)$`)
)

// others, on the right side, means every strategy except the left one and the
// oracle.
const others = "others"

// ParseClaim reads a claim. The error is a [*Mistake] with the column. Whether
// the strategies exist is checked later, by [Claim.CheckScope].
func ParseClaim(text string) (*Claim, error) {
	c := &Claim{text: strings.TrimSpace(text)}
	if len(text) > maxClaim {
		return nil, &Mistake{Text: c.text[:min(len(c.text), 40)] + "…", Column: 1, Problem: fmt.Sprintf("the claim is longer than %d bytes", maxClaim), Fix: "split it into several"}
	}
	body, wrong := c.cond.cutFrom(c.text)
	if wrong == nil {
		wrong = c.parse(body)
	}
	if wrong != nil {
		return nil, wrong.placed(c.text)
	}
	return c, nil
}

// cutFrom removes the conditions from the end of a claim and returns the rest.
// The name of a strategy may contain commas, so a part that is not a condition
// stays.
func (c *condition) cutFrom(text string) (body string, wrong *flaw) {
	for {
		i := strings.LastIndexByte(text, ',')
		if i < 0 {
			return text, nil
		}
		ok, err := c.read(strings.TrimSpace(text[i+1:]))
		if err != nil {
			return text, &flaw{at: i + 1, problem: err.Error(), fix: conditions}
		}
		if !ok {
			return text, nil
		}
		text = strings.TrimSpace(text[:i])
	}
}

// read reads one condition and reports whether s is one.
func (c *condition) read(s string) (ok bool, err error) {
	if m := conditionP.FindStringSubmatch(s); m != nil {
		c.test = m[1]
		c.alpha, err = number(m[2])
		if err == nil && !(c.alpha > 0 && c.alpha < 1) {
			err = fmt.Errorf("p < %s: want a number between 0 and 1", m[2])
		}
		return true, err
	}
	if m := conditionWithin.FindStringSubmatch(s); m != nil {
		c.within, err = number(m[1])
		return true, err
	}
	if m := conditionAt.FindStringSubmatch(s); m != nil {
		if c.lo, err = readPlace(m[1]); err == nil {
			c.hi, err = readPlace(m[2])
		}
		return true, err
	}
	c.throughout = c.throughout || conditionThroughout.MatchString(s)
	return conditionThroughout.MatchString(s), nil
}

func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// readPlace reads a number of pages or a percentage of the budget.
func readPlace(s string) (p rankPlace, err error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := number(digits)
	switch {
	case err != nil:
		return p, err
	case percent && v <= 100:
		return rankPlace{share: v / 100}, nil
	case !percent && v <= maxSteps:
		return rankPlace{pages: int(v)}, nil
	}
	return p, fmt.Errorf("%q is not a place in a crawl", s)
}

// in returns the place as a number of pages.
func (p rankPlace) in(budget int) int {
	if p.share > 0 {
		return int(math.Round(p.share * float64(budget)))
	}
	return p.pages
}

// parse reads the terms and operators of a claim without its conditions.
func (c *Claim) parse(body string) *flaw {
	rest := body
	for {
		name, op, after := cutOperator(rest)
		t, wrong := parseTerm(name, len(body)-len(rest))
		if wrong != nil {
			return wrong
		}
		c.terms = append(c.terms, t)
		if op == "" {
			return c.check(len(body))
		}
		c.ops = append(c.ops, op)
		rest = after
	}
}

// cutOperator splits s at the first operator that is not in quotes. The word
// "crosses" is one only after a space, since a strategy's name could contain it.
func cutOperator(s string) (before, op, after string) {
	quoted := false
	for i := range len(s) {
		if s[i] == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if at := operator.FindStringIndex(s[i:]); at != nil && at[0] == 0 && (s[i] != 'c' || i > 0 && s[i-1] == ' ') {
			return s[:i], s[i : i+at[1]], s[i+at[1]:]
		}
	}
	return s, "", ""
}

// check checks the parts together; end is the offset at which the conditions
// begin.
func (c *Claim) check(end int) *flaw {
	if len(c.ops) == 0 {
		return &flaw{end, "nothing is compared", "write A.MEASURE > B.MEASURE, or with < >= <= ~ crosses"}
	}
	for i, op := range c.ops {
		if wrong := c.checkPair(c.terms[i], op, c.terms[i+1]); wrong != nil {
			return wrong
		}
	}
	if c.cond.within > 0 && !slices.ContainsFunc(c.ops, takesMargin) {
		return &flaw{end, "within needs ~, >= or <=", "write A.MEASURE ~ B.MEASURE, within .02"}
	}
	if c.cond.hi != (rankPlace{}) && !slices.Contains(c.ops, "crosses") {
		return &flaw{end, "at belongs to crosses", "write A.MEASURE crosses B.MEASURE, at 5%..20%"}
	}
	return nil
}

// takesMargin reports whether within applies to an operator.
func takesMargin(op string) bool { return op == "~" || op == ">=" || op == "<=" }

// checkPair checks one comparison: curves can only be compared with curves, and
// others is allowed on the right side only.
func (c *Claim) checkPair(a term, op string, b term) *flaw {
	level := func(t term) bool { return t.strategy != "" && t.measure.Kind().level }
	switch {
	case a.strategy == "" && b.strategy == "":
		return &flaw{a.at, "two numbers are compared", "write a strategy's measure on one side, as otie.recall@end"}
	case a.strategy == others:
		return &flaw{a.at, "others is allowed on the right side only", "swap the sides: A.MEASURE > others.MEASURE"}
	case op == "crosses" && (a.strategy == "" || b.strategy == ""):
		return &flaw{a.at, "only curves can cross", "write a strategy's measure on both sides"}
	case op == "crosses" && (level(a) || level(b)):
		return &flaw{a.at, "only curves can cross", "use a measure that has a value at every page, as recall"}
	case c.cond.throughout && (level(a) || level(b)):
		return &flaw{a.at, "throughout needs curves", "use a measure that has a value at every page, as recall"}
	}
	return nil
}

// parseTerm reads [NUMBER *] STRATEGY.MEASURE, or a number; at is its offset in
// the claim.
func parseTerm(s string, at int) (term, *flaw) {
	at += len(s) - len(strings.TrimLeft(s, " \t\n"))
	s = strings.TrimSpace(s)
	t := term{factor: 1, at: at}
	if v, err := number(s); err == nil {
		t.factor = v
		return t, nil
	}
	if m := factorTerm.FindStringSubmatch(s); m != nil {
		v, err := number(m[1])
		if err != nil {
			return t, &flaw{at, err.Error(), "write NUMBER * STRATEGY.MEASURE"}
		}
		at += len(s) - len(m[2])
		t.factor, s, t.at = v, m[2], at
	}
	name, m, err := cutMeasure(s)
	if err != nil {
		return t, termFlaw(s, at)
	}
	t.strategy, t.measure, t.measureAt = name, m, at+len(s)-len(m.String())
	return t, nil
}

// cutMeasure separates a strategy's name from the measure after it. Both may
// contain dots, so the first dot counts after which a measure can be parsed.
func cutMeasure(s string) (strategy string, m Measure, err error) {
	if rest, ok := strings.CutPrefix(s, `"`); ok {
		name, after, ok := strings.Cut(rest, `".`)
		if !ok || name == "" {
			return "", m, errNoTerm
		}
		m, err = Parse(after)
		return name, m, err
	}
	for i := range len(s) {
		if s[i] != '.' || i == 0 {
			continue
		}
		if m, err := Parse(s[i+1:]); err == nil {
			return s[:i], m, nil
		}
	}
	return "", m, errNoTerm
}

var errNoTerm = errors.New("measure: no STRATEGY.MEASURE")

// String returns the claim as it was written.
func (c *Claim) String() string { return c.text }

// Unknown returns the strategies that the claim names and the runs do not have.
func (c *Claim) Unknown(r *Runs) (names []string) {
	for _, t := range c.unknown(r.Strategies()) {
		names = append(names, t.strategy)
	}
	return names
}

func (c *Claim) unknown(known []string) (terms []term) {
	for _, t := range c.terms {
		if t.strategy != "" && t.strategy != others && !slices.Contains(known, t.strategy) {
			terms = append(terms, t)
		}
	}
	return terms
}

// CheckStrategies returns a [*Mistake] if the claim names a strategy that is not
// among the given ones.
func (c *Claim) CheckStrategies(strategies []string) error {
	for _, t := range c.unknown(strategies) {
		wrong := flaw{t.at, fmt.Sprintf("unknown strategy %q", t.strategy), suggestion(t.strategy, strategies)}
		return wrong.placed(c.text)
	}
	return nil
}

// suggestion returns the advice for an unknown strategy: the nearest name, and
// all names, since labels in an experiment are arbitrary.
func suggestion(name string, known []string) string {
	all := "there are " + strings.Join(known, ", ")
	if near := text.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q? (%s)", near, all)
	}
	return all
}
