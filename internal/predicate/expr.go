package predicate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse/internal/mistake"
)

// ParseExpr reads an expression:
//
//	expr := and ("or" and)*
//	and  := not ("and" not)*
//	not  := "not" not | "(" expr ")" | atom
//	atom := NAME "(" argument ")"
//
// The atoms are those of [Atoms]. An argument extends to its closing
// parenthesis, or is in quotes, in which a backslash escapes a quote or a
// backslash. Case matters in arguments only where an atom states it. The error
// is a [*Problem] with the column.
func ParseExpr(s string) (*Predicate, error) {
	tree, problem := parse(s, MaxDepth)
	if problem != nil {
		return nil, problem
	}
	p, problems := FromTree(tree, nil)
	if len(problems) > 0 {
		problems[0].Path = "" // the path is in a tree that the user has not seen
		return nil, &problems[0]
	}
	return p, nil
}

// Error returns the problem and what to do, after the place if it is known.
func (p *Problem) Error() string {
	s := p.Problem + "; " + p.Fix
	if p.Path != "" {
		s = p.Path + ": " + s
	}
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, s)
	case p.Column > 0:
		return fmt.Sprintf("column %d: %s", p.Column, s)
	}
	return s
}

// expression makes a node from a string in the place of a clause.
func (b *builder) expression(s string, at place, depth int) node {
	tree, problem := parse(s, MaxDepth-depth)
	if problem != nil {
		b.fail(at, problem.Fix, "column %d of the expression: %s", problem.Column, problem.Problem)
		return nothing
	}
	b.clauses--
	return b.clause(tree, at, depth)
}

// parse returns the JSON form of an expression with at most depth nested
// groups.
func parse(s string, depth int) (tree map[string]any, problem *Problem) {
	p := &parser{text: s, depth: depth}
	if len(s) > MaxExpr {
		return nil, &Problem{Column: 1, Problem: fmt.Sprintf("the expression is longer than %d bytes", MaxExpr), Fix: "cut it into clauses of a tree"}
	}
	if !utf8.ValidString(s) {
		return nil, &Problem{Column: 1, Problem: "the expression is not UTF-8", Fix: "save it as UTF-8"}
	}
	tree = p.or()
	p.space()
	if p.problem == nil && p.at < len(p.text) {
		p.fail("join conditions with and or or", "%q is left over", cutName(p.text[p.at:]))
	}
	return tree, p.problem
}

// A parser reads an expression from left to right by recursive descent. It stops
// at the first problem: what follows a mistake in a line is rarely meant as it is
// read. It makes the JSON form and not nodes, so that an expression is checked by
// the same code as a tree and can be stored as one.
type parser struct {
	text    string
	at      int
	depth   int
	problem *Problem
}

// fail records the first problem, at the current column, in characters.
func (p *parser) fail(fix, format string, args ...any) {
	if p.problem == nil {
		column := 1 + utf8.RuneCountInString(p.text[:p.at])
		p.problem = &Problem{Column: column, Problem: fmt.Sprintf(format, args...), Fix: fix}
	}
}

// space skips white space.
func (p *parser) space() {
	rest := strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace)
	p.at = len(p.text) - len(rest)
}

// word consumes the next word if it is w, whatever its case.
func (p *parser) word(w string) bool {
	if !strings.EqualFold(p.peek(), w) {
		return false
	}
	p.at += len(w)
	return true
}

// peek returns the next word without consuming it.
func (p *parser) peek() string {
	p.space()
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		return rest
	}
	return rest[:end]
}

// or reads an expression. It binds weaker than and, and both are left to right,
// as in the languages that people know.
func (p *parser) or() map[string]any { return p.joined("or", p.and) }

// and reads the operands of or.
func (p *parser) and() map[string]any { return p.joined("and", p.not) }

// joined reads operands with an operator between them; one alone is itself. A chain
// such as a and b and c becomes one group, which is as deep as one operator.
func (p *parser) joined(op string, operand func() map[string]any) map[string]any {
	first := operand()
	args := []any{first}
	for p.problem == nil && p.word(op) {
		args = append(args, operand())
	}
	if len(args) == 1 {
		return first
	}
	return map[string]any{"op": op, "args": args}
}

// not reads a negation, a group or an atom, and counts the depth: the parser is
// recursive, and its input hostile.
func (p *parser) not() map[string]any {
	if p.problem != nil {
		return nil
	}
	if p.space(); p.depth <= 0 {
		p.fail("leave out parentheses that change nothing", "groups in groups, more than %d deep", MaxDepth)
		return nil
	}
	p.depth--
	defer func() { p.depth++ }()
	if p.word("not") {
		return map[string]any{"op": "not", "arg": p.not()}
	}
	p.space()
	if !p.take('(') {
		return p.atom()
	}
	inner := p.or()
	p.space()
	if p.problem == nil && !p.take(')') {
		p.fail(`add ")"`, "a parenthesis is not closed")
	}
	return inner
}

// take consumes the next byte if it is c.
func (p *parser) take(c byte) bool {
	if p.at >= len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

// atom reads a condition by name.
func (p *parser) atom() map[string]any {
	name := p.peek()
	a := atomNamed(strings.ToLower(name))
	switch {
	case name == "":
		p.fail("write a condition such as keyword(reef)", "a condition is missing")
		return nil
	case a == nil:
		p.fail(p.suggestion(name), "unknown condition %q", cutName(name))
		return nil
	}
	p.at += len(name)
	p.space()
	if !p.take('(') {
		p.fail(fmt.Sprintf("write %s(%s)", a.op, a.form), "%s has no argument", a.op)
		return nil
	}
	return p.arguments(a)
}

// suggestion returns what to write in place of a name that is no condition. The name of a fact is one of an
// expression about the page.
func (p *parser) suggestion(name string) string {
	if slices.Contains(factNames(), name) {
		return fmt.Sprintf("write page.%s and compare it, as in 'page.words > 200'", name)
	}
	return mistake.Suggestion(name, opNames())
}

// arguments reads the part in the parentheses of an atom. Only category has a
// second argument.
func (p *parser) arguments(a *atom) map[string]any {
	m := map[string]any{"op": a.op}
	two := a.op == "category"
	start := p.at
	m[a.arg] = p.argument(two)
	if two && p.take(',') {
		n, err := strconv.ParseFloat(p.argument(false), 64)
		if err != nil && p.problem == nil {
			p.fail("write a number from 0 to 1 after the comma", "the second argument of %s is not a number", a.op)
		}
		m["min"] = n
	}
	switch {
	case p.problem != nil:
	case m[a.arg] == "":
		p.at = start
		p.fail(fmt.Sprintf("write %s(%s)", a.op, a.form), "%s has no argument", a.op)
	case !p.take(')'):
		p.fail(`add ")"`, "the parenthesis of %s is not closed", a.op)
	}
	return m
}

// argument reads an argument, in quotes or literally up to the closing
// parenthesis (or, if there may be a second one, the comma). Parentheses within
// it must match.
func (p *parser) argument(comma bool) string {
	p.space()
	if p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\'') {
		s := p.quoted(p.text[p.at])
		p.space()
		return s
	}
	start, open := p.at, 0
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
		case c == '(':
			open++
		case c == ')' && open > 0:
			open--
		case c == ')' || c == ',' && comma:
			return strings.TrimSpace(p.text[start:p.at])
		}
	}
	return strings.TrimSpace(p.text[start:])
}

// quoted reads a string in quotes.
func (p *parser) quoted(quote byte) string {
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		c := p.text[i]
		if c == quote {
			p.at = i + 1
			return strings.TrimSpace(b.String())
		}
		if c == '\\' && i+1 < len(p.text) && (p.text[i+1] == quote || p.text[i+1] == '\\') {
			i++
			c = p.text[i]
		}
		b.WriteByte(c)
	}
	p.fail("add the closing quote", "a quote is not closed")
	return ""
}
