package predicate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dowse/internal/mistake"
)

// FromTree makes a predicate from a tree as in a topic file: v consists of
// map[string]any, []any, string, float64, bool and nil. where returns the line
// and column, from 1, of the value at a path of keys and indices; it may be
// nil. If there are problems, all that were found are returned, in the order of
// the file, and the predicate is nil.
//
// A clause is a mapping: all and any have a list of clauses, not has a clause,
// the name of a fact has how it is matched, expr has an expression in CEL, op
// is an atom or operator in the JSON form of [ParseExpr]. Several of them in
// one mapping must all hold; unknown: pass or fail next to them states what
// becomes of missing facts. A string is an expression of ParseExpr.
func FromTree(v any, where func(path ...any) (line, col int)) (*Predicate, []Problem) {
	b := newBuilder(where)
	root := b.clause(v, nil, 0)
	if len(b.problems) > 0 {
		slices.SortStableFunc(b.problems, func(p, q Problem) int {
			return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
		})
		return nil, b.problems
	}
	return b.predicate(root, v), nil
}

// maxProblems bounds the problems that are reported. A person mends a few at a
// time, and a hostile file could have one per byte.
const maxProblems = 20

// A builder turns a tree into nodes and collects problems and what the
// predicate reads. The counters enforce the bounds of the package.
type builder struct {
	where    func(path ...any) (line, col int)
	problems []Problem

	clauses    int
	strings    int
	program    int // instructions of regular expressions
	reads      map[string]bool
	categories map[string]bool
	keywords   keywords
	cel        celEnv
}

// newBuilder returns a builder. Without where, problems have a path and no line,
// as for an expression on the command line.
func newBuilder(where func(path ...any) (line, col int)) *builder {
	if where == nil {
		where = func(...any) (int, int) { return 0, 0 }
	}
	return &builder{where: where, reads: map[string]bool{}, categories: map[string]bool{}}
}

// predicate returns the finished predicate. At the top, unknown fails.
func (b *builder) predicate(root node, tree any) *Predicate {
	return &Predicate{
		root: settled{root, false}, tree: clone(tree), keywords: b.keywords,
		needs: Needs{
			Facts:      slices.Sorted(maps.Keys(b.reads)),
			Categories: slices.Sorted(maps.Keys(b.categories)),
			Clauses:    b.clauses,
		},
	}
}

// clone copies a tree, so that the predicate does not change with the caller's
// values.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = clone(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = clone(e)
		}
		return l
	}
	return v
}

// A place is a path to a value in the tree.
type place []any

// to returns the place of a value one step further down. It never shares memory
// with p, since p is extended once per entry of a list.
func (p place) to(step any) place { return append(p[:len(p):len(p)], step) }

// String returns the path as a person would write it: all[2].text.has. Names come
// from the file, so they are cut.
func (p place) String() string {
	var b strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(cutName(step))
		}
	}
	return b.String()
}

// fail records a problem at a place.
func (b *builder) fail(at place, fix, format string, args ...any) {
	if len(b.problems) >= maxProblems {
		return
	}
	line, col := b.where(at...)
	b.problems = append(b.problems, Problem{Path: at.String(), Line: line, Column: col, Problem: fmt.Sprintf(format, args...), Fix: fix})
}

// nothing replaces a clause that has a problem, so that the rest of the tree is
// still read and all problems are reported together. A tree with a problem never
// becomes a predicate, so nothing is never tested.
var nothing = all{}

// clause makes a node from a clause.
func (b *builder) clause(v any, at place, depth int) node {
	if !b.admit(at, depth) {
		return nothing
	}
	switch v := v.(type) {
	case map[string]any:
		return b.mapping(v, at, depth)
	case string:
		return b.expression(v, at, depth)
	}
	b.fail(at, `write "all:", "any:", "not:" or the name of a fact, such as "title: reef"`, "%s is not a clause", kindOf(v))
	return nothing
}

// admit counts a clause and reports whether the bounds allow it. The problem is
// reported for the first clause beyond the bound only; what follows would repeat
// it.
func (b *builder) admit(at place, depth int) bool {
	b.clauses++
	if b.clauses == MaxClauses+1 {
		b.fail(at, "use lists: title: [a, b] is one clause", "more than %d clauses", MaxClauses)
	}
	if depth > MaxDepth {
		b.fail(at, "all in all and any in any can be one list", "groups in groups, more than %d deep", MaxDepth)
	}
	return b.clauses <= MaxClauses && depth <= MaxDepth
}

// mapping makes a node from a mapping of clauses.
func (b *builder) mapping(m map[string]any, at place, depth int) node {
	if _, ok := m["op"]; ok {
		return b.operation(m, at, depth)
	}
	var nodes []node
	for _, key := range b.keys(m, at) {
		if key == "unknown" || len(nodes) > 0 && !b.admit(at.to(key), depth) {
			continue
		}
		nodes = append(nodes, b.entry(key, m[key], at.to(key), depth))
	}
	n := b.together(nodes, at)
	if policy, ok := m["unknown"]; ok {
		return settled{n, b.policy(policy, at.to("unknown"))}
	}
	return n
}

// keys returns the keys of a mapping in the order of the file, or by name if
// that is unknown. Go maps have no order, and the clauses of a result must be in
// the same order at every run.
func (b *builder) keys(m map[string]any, at place) []string {
	return slices.SortedFunc(maps.Keys(m), func(p, q string) int {
		pl, pc := b.where(at.to(p)...)
		ql, qc := b.where(at.to(q)...)
		return cmp.Or(cmp.Compare(pl, ql), cmp.Compare(pc, qc), strings.Compare(p, q))
	})
}

// together combines the nodes of a mapping into one. Several keys in one mapping
// must all hold, as if they were entries of all:, and are shown that way.
func (b *builder) together(nodes []node, at place) node {
	switch len(nodes) {
	case 0:
		b.fail(at, `write "all:", "any:", "not:" or the name of a fact, such as "title: reef"`, "there is no clause")
		return nothing
	case 1:
		return nodes[0]
	}
	b.clauses++
	return all{"all", nodes}
}

// policy reads what becomes of missing facts.
func (b *builder) policy(v any, at place) (pass bool) {
	if v != "pass" && v != "fail" {
		b.fail(at, "write unknown: pass or unknown: fail", "unknown: is %s", kindOf(v))
	}
	return v == "pass"
}

// entry makes a node from a key with its value.
func (b *builder) entry(key string, v any, at place, depth int) node {
	switch key {
	case "all":
		return all{key, b.list(v, at, depth)}
	case "any":
		return anyOf{key, b.list(v, at, depth)}
	case "not":
		if l, ok := v.([]any); ok { // none of them
			b.clauses++
			return not{anyOf{"any", b.list(l, at, depth+1)}}
		}
		return not{b.clause(v, at, depth+1)}
	case "expr":
		return b.celClause(v, at)
	}
	f := factNamed(key)
	if f == nil {
		b.fail(at, mistake.Suggestion(key, append([]string{"all", "any", "not", "expr", "unknown"}, factNames()...)), "unknown fact %q", cutName(key))
		return nothing
	}
	b.read(f.name)
	return leaf{oneLine(key, v), &factClause{f, b.tests(f, v, at)}}
}

// read records that a fact is used. An entry of a table counts as the table.
func (b *builder) read(name string) {
	if head, _, ok := strings.Cut(name, "."); ok && factNamedTable(head) != nil {
		name = head
	}
	b.reads[name] = true
}

// list makes nodes from a list of clauses.
func (b *builder) list(v any, at place, depth int) []node {
	l, ok := v.([]any)
	if !ok {
		b.fail(at, "write one clause per line, each after a dash", "%s is not a list of clauses", kindOf(v))
		return nil
	}
	nodes := make([]node, 0, min(len(l), MaxClauses))
	for i, e := range l {
		if b.clauses > MaxClauses || len(b.problems) >= maxProblems {
			break
		}
		nodes = append(nodes, b.clause(e, at.to(i), depth+1))
	}
	return nodes
}

// kindOf describes a value in the terms of the file.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(cutName(v))
	case float64:
		return formatNumber(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return fmt.Sprintf("a %T", v)
}

// isWhole reports whether n can be a count.
func isWhole(n float64) bool { return n == math.Trunc(n) && n >= 0 && n <= 1e15 }
