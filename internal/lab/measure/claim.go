package measure

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dowse/text"
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

	at, measureAt int // where it and its measure begin in the claim, in bytes
}

type condition struct {
	alpha      float64 // 0: none asked for
	test       string  // "", wilcoxon or t
	within     float64 // of ~; 0: by test
	throughout bool
	lo, hi     rankPlace // of crosses
}

// A rankPlace is a number of pages, or a share of the budget.
type rankPlace struct {
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

// ParseClaim reads a claim. The error is a [*Mistake].
func ParseClaim(text string) (*Claim, error) {
	c := &Claim{text: strings.TrimSpace(text)}
	if len(text) > maxClaim {
		return nil, &Mistake{Text: c.text[:min(len(c.text), 40)] + "…", Column: 1, Problem: fmt.Sprintf("the claim is longer than %d bytes", maxClaim), Fix: "say it in several"}
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

// cutFrom takes the conditions off the end of a claim. A comma can also stand in
// the name of a strategy, so what is no condition stays.
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
	return p, fmt.Errorf("%q is no place in a crawl", s)
}

func (p rankPlace) in(budget int) int {
	if p.share > 0 {
		return int(math.Round(p.share * float64(budget)))
	}
	return p.pages
}

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

// check looks at the parts together; end is where the conditions begin.
func (c *Claim) check(end int) *flaw {
	if len(c.ops) == 0 {
		return &flaw{end, "nothing is compared", "write A.MEASURE > B.MEASURE, or with < >= <= ~ crosses"}
	}
	for i, op := range c.ops {
		if wrong := c.checkPair(c.terms[i], op, c.terms[i+1]); wrong != nil {
			return wrong
		}
	}
	if c.cond.within > 0 && !slices.Contains(c.ops, "~") {
		return &flaw{end, "within belongs to ~", "write A.MEASURE ~ B.MEASURE, within .02"}
	}
	if c.cond.hi != (rankPlace{}) && !slices.Contains(c.ops, "crosses") {
		return &flaw{end, "at belongs to crosses", "write A.MEASURE crosses B.MEASURE, at 5%..20%"}
	}
	return nil
}

func (c *Claim) checkPair(a term, op string, b term) *flaw {
	level := func(t term) bool { return t.strategy != "" && t.measure.Kind().level }
	switch {
	case a.strategy == "" && b.strategy == "":
		return &flaw{a.at, "two numbers are compared", "write a strategy's measure on one side, as otie.recall@end"}
	case a.strategy == others:
		return &flaw{a.at, "others stands on the right side alone", "turn it round: A.MEASURE > others.MEASURE"}
	case op == "crosses" && (a.strategy == "" || b.strategy == ""):
		return &flaw{a.at, "only curves can cross", "write a strategy's measure on both sides"}
	case op == "crosses" && (level(a) || level(b)):
		return &flaw{a.at, "only curves can cross", "take a measure that goes on with the crawl, as recall"}
	case c.cond.throughout && (level(a) || level(b)):
		return &flaw{a.at, "throughout is said of curves alone", "take a measure that goes on with the crawl, as recall"}
	}
	return nil
}

// parseTerm reads [NUMBER *] STRATEGY.MEASURE, or a number, with what space there is
// around it; at is where it begins.
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

// cutMeasure splits a strategy's name from the measure behind it: both may hold
// dots, so the first dot counts behind which a measure stands.
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

// Unknown returns the strategies that the claim names and the runs have not.
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

// Named tells whether the claim speaks of these strategies alone, by a [*Mistake] if
// it does not.
func (c *Claim) Named(strategies []string) error {
	for _, t := range c.unknown(strategies) {
		wrong := flaw{t.at, fmt.Sprintf("no strategy is called %q", t.strategy), suggestion(t.strategy, strategies)}
		return wrong.placed(c.text)
	}
	return nil
}

// suggestion is what to do about a strategy that is not there: what is probably meant, and all there
// are, since names in experiments are people's own.
func suggestion(name string, known []string) string {
	all := "there are " + strings.Join(known, ", ")
	if near := text.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q? (%s)", near, all)
	}
	return all
}
