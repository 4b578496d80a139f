package predicate

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// String returns the predicate in a form that can be read again: an expression
// for [ParseExpr], a tree as JSON, which is also YAML. Reading it gives the same
// predicate, so the text identifies the conditions of a crawl.
func (p *Predicate) String() string {
	if m, ok := p.tree.(map[string]any); ok {
		if s, ok := printExpr(m, false); ok {
			return s
		}
	}
	if s, ok := p.tree.(string); ok {
		return s
	}
	data, _ := json.Marshal(p.tree) // of a tree that FromTree accepted, which JSON can hold
	return string(data)
}

// printExpr formats the JSON form of an expression as an expression. It reports
// false for other clauses and empty groups.
func printExpr(m map[string]any, nested bool) (string, bool) {
	switch op, _ := m["op"].(string); op {
	case "":
		return "", false
	case "not":
		s, ok := printArgument(m["arg"])
		return "not " + s, ok
	case "and", "or":
		s, ok := printJoined(m["args"], op)
		if nested {
			s = "(" + s + ")"
		}
		return s, ok
	}
	return printAtom(m), true
}

// printArgument formats an operand, in parentheses if it is a group. It reports
// false for a clause that is no expression.
func printArgument(v any) (string, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return "", false
	}
	return printExpr(m, true)
}

// printJoined formats the operands of and or or; false if there are fewer than
// two.
func printJoined(v any, op string) (string, bool) {
	args, _ := v.([]any)
	parts := make([]string, len(args))
	for i, a := range args {
		s, ok := printArgument(a)
		if !ok {
			return "", false
		}
		parts[i] = s
	}
	return strings.Join(parts, " "+op+" "), len(args) > 1
}

// printAtom formats an atom with its argument, in quotes if needed.
func printAtom(m map[string]any) string {
	op, _ := m["op"].(string)
	a := atomNamed(op)
	if a == nil {
		return op
	}
	arg, _ := m[a.arg].(string)
	s := op + "(" + quoteArgument(arg)
	if n, ok := m["min"].(float64); ok {
		s += ", " + strconv.FormatFloat(n, 'g', -1, 64)
	}
	return s + ")"
}

// quoteArgument returns an argument, in quotes if it contains anything that
// ends or changes it.
func quoteArgument(s string) string {
	if !strings.ContainsAny(s, "\\\"'(),") && s == strings.TrimSpace(s) && s != "" && !strings.Contains(s, " ") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// oneLine formats a clause as in a topic file, on one line. It is for people: long
// lists are cut, and the result is not read again.
func oneLine(key string, v any) string { return key + ": " + short(flow(v, 0)) }

// flow formats a value in the flow style of YAML, without what is deeper than
// three levels or beyond 20 items.
func flow(v any, depth int) string {
	if depth > 3 {
		return "…"
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, 0, min(len(v), 20))
		for _, e := range v[:min(len(v), 20)] {
			parts = append(parts, flow(e, depth+1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		keys := slices.SortedFunc(maps.Keys(v), byMatcher)
		parts := make([]string, 0, min(len(keys), 20))
		for _, k := range keys[:min(len(keys), 20)] {
			parts = append(parts, k+": "+flow(v[k], depth+1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return kindOf(v)
}

// byMatcher orders the keys of a matcher as people write them.
func byMatcher(a, b string) int {
	order := []string{"has", "at_least", "words"}
	rank := func(k string) int {
		if i := slices.Index(order, k); i >= 0 {
			return i
		}
		return len(order)
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}
