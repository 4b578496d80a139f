package measure

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Claim is a statement on strategies that an experiment can bear out or not:
//
//	otie.recall@end > opic.recall@end, p < .05
//	otie.recall@end > others.recall@end, p(t) < .05      every strategy but the oracle
//	lsfc-optimised.harvest@end >= lsfc.harvest@end        not worse
//	opic.harvest@end ~ breadth-first.harvest@end          no significant difference
//	otie:d=1.recall@end ~ otie:d=5.recall@end, within .02
//	otie:a=1.5.harvest > otie:a=1.harvest > otie:a=.85.harvest
//	link-context.list_time > 2 * otie.list_time
//	treasure.recall > context-graph.recall, throughout
//	otie.recall crosses link-context.recall, at 5%..20%
//	otie.harvest@end > 0.4
//
// A strategy is named as in tables; in quotes if its name has an operator or a space.
type Claim struct {
	text  string
	terms []term
	ops   []string // one less than terms
	cond  condition
}

// A term is a strategy's measure, or a number.
type term struct {
	strategy string // "" for a number
	measure  Measure
	factor   float64 // 1, or what it is multiplied with; the number itself
}

type condition struct {
	alpha      float64 // 0: none asked for
	test       string  // "", wilcoxon or t
	within     float64 // of ~; 0: by test
	throughout bool
	lo, hi     place // of crosses
}

// A place is a number of pages, or a share of the budget.
type place struct {
	pages int
	share float64
}

const maxClaim = 2000 // bytes

var (
	conditionP          = regexp.MustCompile(`^p(?:\((t|wilcoxon)\))?\s*<\s*([0-9.]+)$`)
	conditionWithin     = regexp.MustCompile(`^within\s+([0-9.]+)$`)
	conditionAt         = regexp.MustCompile(`^at\s+([0-9.]+%?)\s*\.\.\s*([0-9.]+%?)$`)
	conditionThroughout = regexp.MustCompile(`^throughout$`)
	operator            = regexp.MustCompile(`>=|<=|>|<|~|\bcrosses\b`)
	factorTerm          = regexp.MustCompile(`^([0-9.]+)\s*\*\s*(.+)$`)
)

// others is the name that stands for every other strategy but the oracle.
const others = "others"

// ParseClaim reads a claim. The error says which part can't be read.
func ParseClaim(text string) (*Claim, error) {
	c := &Claim{text: strings.TrimSpace(text)}
	if len(text) > maxClaim {
		return nil, fmt.Errorf("measure: claim: longer than %d bytes", maxClaim)
	}
	body, err := c.cond.cutFrom(c.text)
	if err != nil {
		return nil, fmt.Errorf("measure: claim %q: %w", c.text, err)
	}
	if err := c.parse(body); err != nil {
		return nil, fmt.Errorf("measure: claim %q: %w", c.text, err)
	}
	return c, nil
}

// cutFrom takes the conditions off the end of a claim. A comma can also stand in
// the name of a strategy, so what is no condition stays.
func (c *condition) cutFrom(text string) (body string, err error) {
	for {
		i := strings.LastIndexByte(text, ',')
		if i < 0 {
			return text, nil
		}
		ok, err := c.read(strings.TrimSpace(text[i+1:]))
		if err != nil || !ok {
			return text, err
		}
		text = strings.TrimSpace(text[:i])
	}
}

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
		return 0, fmt.Errorf("%q is no number", s)
	}
	return v, nil
}

func readPlace(s string) (p place, err error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := number(digits)
	switch {
	case err != nil:
		return p, err
	case percent && v <= 100:
		return place{share: v / 100}, nil
	case !percent && v <= maxSteps:
		return place{pages: int(v)}, nil
	}
	return p, fmt.Errorf("%q is no place in a crawl", s)
}

func (p place) in(budget int) int {
	if p.share > 0 {
		return int(math.Round(p.share * float64(budget)))
	}
	return p.pages
}

func (c *Claim) parse(body string) error {
	rest := body
	for {
		name, op, after := cutOperator(rest)
		t, err := parseTerm(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		c.terms = append(c.terms, t)
		if op == "" {
			return c.check()
		}
		c.ops = append(c.ops, op)
		rest = after
	}
}

// cutOperator cuts before and after the first operator that stands in no quotes.
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

func (c *Claim) check() error {
	if len(c.ops) == 0 {
		return fmt.Errorf("nothing is compared; write A.MEASURE > B.MEASURE, or ~ >= crosses")
	}
	for i, op := range c.ops {
		a, b := c.terms[i], c.terms[i+1]
		switch {
		case a.strategy == "" && b.strategy == "":
			return fmt.Errorf("two numbers are compared")
		case a.strategy == others:
			return fmt.Errorf("others stands on the right side alone")
		case op == "crosses" && (a.strategy == "" || b.strategy == "" || a.measure.Kind().level || b.measure.Kind().level):
			return fmt.Errorf("only curves can cross")
		case c.cond.throughout && (a.strategy != "" && a.measure.Kind().level || b.strategy != "" && b.measure.Kind().level):
			return fmt.Errorf("throughout is said of curves alone")
		}
	}
	if c.cond.within > 0 && !slices.Contains(c.ops, "~") {
		return fmt.Errorf("within belongs to ~")
	}
	if c.cond.hi != (place{}) && !slices.Contains(c.ops, "crosses") {
		return fmt.Errorf("at belongs to crosses")
	}
	return nil
}

// parseTerm reads [NUMBER *] STRATEGY.MEASURE, or a number.
func parseTerm(s string) (term, error) {
	t := term{factor: 1}
	if v, err := number(s); err == nil {
		t.factor = v
		return t, nil
	}
	if m := factorTerm.FindStringSubmatch(s); m != nil {
		v, err := number(m[1])
		if err != nil {
			return t, err
		}
		t.factor, s = v, m[2]
	}
	name, m, err := cutMeasure(s)
	if err != nil {
		return t, err
	}
	t.strategy, t.measure = name, m
	return t, nil
}

// cutMeasure splits a strategy's name from the measure behind it: both may hold
// dots, so the first dot counts behind which a measure stands.
func cutMeasure(s string) (strategy string, m Measure, err error) {
	if rest, ok := strings.CutPrefix(s, `"`); ok {
		name, after, ok := strings.Cut(rest, `".`)
		if !ok || name == "" {
			return "", m, fmt.Errorf(`%q: want "STRATEGY".MEASURE`, s)
		}
		m, err = Parse(after)
		return name, m, err
	}
	for i := range len(s) {
		if s[i] != '.' || i == 0 {
			continue
		}
		m, failed := Parse(s[i+1:])
		if failed == nil {
			return s[:i], m, nil
		}
		err = failed
	}
	if err == nil {
		err = fmt.Errorf("%q: want STRATEGY.MEASURE or a number", s)
	}
	return "", m, err
}

// String returns the claim as it was written.
func (c *Claim) String() string { return c.text }

// Unknown returns the strategies that the claim names and the runs have not.
func (c *Claim) Unknown(r *Runs) (names []string) {
	known := r.Strategies()
	for _, t := range c.terms {
		if t.strategy != "" && t.strategy != others && !slices.Contains(known, t.strategy) {
			names = append(names, t.strategy)
		}
	}
	return names
}
