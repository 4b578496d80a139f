package predicate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse"
	"dowse/internal/predicate"
)

// The three outcomes of a clause, as clauses about a page that has a title, no word "zebra" and
// no date.
const (
	isTrue    = `{"title": "page"}`
	isFalse   = `{"title": "zebra"}`
	isUnknown = `{"published": 2024}`
)

func bare() *dowse.Page {
	return &dowse.Page{URL: "http://a.test/", Document: dowse.Document{Title: "page"}}
}

// outcome returns how a clause comes out: true, false or unknown.
func outcome(t *testing.T, clause string) string {
	t.Helper()
	r := fromTree(t, clause).Test(bare(), predicate.Facts{})
	c := r.Clauses[0]
	switch {
	case c.Unknown && !c.Holds && !r.Holds:
		return "unknown"
	case c.Holds && r.Holds:
		return "true"
	case !c.Holds && !r.Holds && !c.Unknown:
		return "false"
	}
	t.Errorf("%s: the clause is %+v, and the page passes: %v", clause, c, r.Holds)
	return ""
}

// all, any and not follow Kleene's three-valued logic, in a tree as in an expression.
func TestThreeValuedLogic(t *testing.T) {
	clauses := map[string]string{"true": isTrue, "false": isFalse, "unknown": isUnknown}
	for value, clause := range clauses {
		if got := outcome(t, clause); got != value {
			t.Fatalf("%s is %s", clause, got)
		}
	}
	for _, c := range []struct{ a, b, all, any string }{
		{"true", "true", "true", "true"}, {"true", "false", "false", "true"}, {"true", "unknown", "unknown", "true"},
		{"false", "false", "false", "false"}, {"false", "unknown", "false", "unknown"}, {"unknown", "unknown", "unknown", "unknown"},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			members := clauses[pair[0]] + "," + clauses[pair[1]]
			for form, want := range map[string]string{
				`{"all": [` + members + `]}`: c.all, `{"any": [` + members + `]}`: c.any,
				`{"op": "and", "args": [` + members + `]}`: c.all, `{"op": "or", "args": [` + members + `]}`: c.any,
			} {
				if got := outcome(t, form); got != want {
					t.Errorf("%s: %s, want %s", form, got, want)
				}
			}
		}
	}
	for value, want := range map[string]string{"true": "false", "false": "true", "unknown": "unknown"} {
		for _, form := range []string{`{"not": ` + clauses[value] + `}`, `{"op": "not", "arg": ` + clauses[value] + `}`, `{"not": [` + clauses[value] + `]}`} {
			if got := outcome(t, form); got != want {
				t.Errorf("%s: %s, want %s", form, got, want)
			}
		}
	}
}

// unknown: settles the group that it is in, whatever the groups around it state, and each clause
// below it shows what became of it.
func TestUnknownPolicies(t *testing.T) {
	for _, c := range []struct {
		tree string
		want bool
	}{
		{`{"all": [` + isUnknown + `], "unknown": "pass"}`, true},
		{`{"all": [` + isUnknown + `], "unknown": "fail"}`, false},
		{`{"any": [{"all": [` + isUnknown + `], "unknown": "pass"}, ` + isFalse + `], "unknown": "fail"}`, true},
		{`{"any": [{"all": [` + isUnknown + `], "unknown": "fail"}, ` + isFalse + `], "unknown": "pass"}`, false},
		{`{"not": {"all": [` + isUnknown + `], "unknown": "pass"}}`, false},
		{`{"not": {"all": [` + isUnknown + `], "unknown": "fail"}}`, true},
		{`{"all": [` + isUnknown + `, ` + isFalse + `], "unknown": "pass"}`, false},
	} {
		if got := fromTree(t, c.tree).Test(bare(), predicate.Facts{}); got.Holds != c.want {
			t.Errorf("%s: %v, want %v", c.tree, got.Holds, c.want)
		}
	}
	r := fromTree(t, `{"all": [`+isUnknown+`, `+isTrue+`], "unknown": "pass"}`).Test(bare(), predicate.Facts{})
	if c := r.Clauses[1]; !c.Unknown || !c.Holds || c.Detail != "published is not known" || c.Depth != 1 {
		t.Errorf("%+v, want a clause that is unknown and passes", c)
	}
}

// Which ways of matching a fact has follows from its kind alone. Every other one is refused,
// with those that there are.
func TestMatchersOfEveryFact(t *testing.T) {
	values := map[string]string{"has": `"x"`, "at_least": "1", "words": `"1.."`, "range": `"1.."`, "after": "2024", "before": "2024", "tld": `"ch"`}
	for _, f := range predicate.AllFacts() {
		var can []string
		switch {
		case f.Kind == "number":
			can = []string{"at_least", "range"}
		case f.Kind == "date":
			can = []string{"after", "before", "range"}
			values["range"] = `"2024.."`
		case f.Name == "host":
			can = []string{"has", "tld"}
		case f.Kind == "text" && f.Match != "whole words":
			can = []string{"has"}
		case f.Kind == "text":
			can = []string{"has", "words"} // at_least counts what has: lists
		default:
			can = []string{"has", "at_least", "words", "range"}
		}
		for key, value := range values {
			tree := fmt.Sprintf(`{%q: {%q: %s}}`, f.Name, key, value)
			_, problems := predicate.FromTree(treeOf(t, tree), nil)
			if allowed := slices.Contains(can, key); allowed != (len(problems) == 0) {
				t.Errorf("%s (%s): %v, want allowed: %v", tree, f.Kind, problems, allowed)
			}
			for _, p := range problems {
				if !strings.HasPrefix(p.Path, f.Name+"."+key) || p.Fix == "" {
					t.Errorf("%s: the problem is at %q, to be mended by %q", tree, p.Path, p.Fix)
				}
			}
		}
		values["range"] = `"1.."`
	}
}

func treeOf(t *testing.T, s string) any { return tree(t, s) }

// Ranges of numbers and periods, both ends included, with either end left out.
func TestRanges(t *testing.T) {
	page := bare()
	page.Depth = 5
	page.Published = time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC)
	for _, c := range []struct {
		fact string
		in   []string
		out  []string
		bad  []string
	}{
		{"depth",
			[]string{`5`, `"5"`, `"5..5"`, `"..5"`, `"5.."`, `" 4 .. 6 "`, `[1, 5]`, `["..1", "5.."]`, `"4.5..5.5"`, `{"at_least": 5}`, `{"range": "5..9"}`, `"-1.."`},
			[]string{`4`, `"6.."`, `"..4.9"`, `[1, 2]`, `{"at_least": 6}`, `{"range": ["1", "7.."]}`},
			[]string{`"5..4"`, `".."`, `""`, `"a..5"`, `"5..b"`, `"1..2..3"`, `"Inf"`, `"..NaN"`, `"0x"`}},
		{"published",
			[]string{`2024`, `"2024-02"`, `"2024-02-29"`, `"2024-02-29T23:59:59Z"`, `"..2024"`, `"2024-02-29.."`, `"2023..2024-02"`, `["2020", "2024"]`, `{"after": "2024-02-29"}`, `{"before": "2024-03"}`, `{"after": 2024, "before": 2025}`},
			[]string{`2023`, `"2024-03"`, `"2024-02-28"`, `"2024-02-29T23:59:58Z"`, `"..2024-02-28"`, `"2024-03-01.."`, `{"after": "2024-03"}`, `{"before": "2024-02-29"}`},
			[]string{`"2024-02-30"`, `"2023-02-29"`, `"2024-13"`, `"today"`, `".."`, `"2025..2024"`, `"24"`, `"0000"`, `"..x"`, `"x.."`, `{"after": "..2024"}`}},
	} {
		for _, v := range c.in {
			if got := fromTree(t, fmt.Sprintf(`{%q: %s}`, c.fact, v)).Test(page, predicate.Facts{}); !got.Holds {
				t.Errorf("%s: %s does not hold: %+v", c.fact, v, got.Clauses)
			}
		}
		for _, v := range c.out {
			if got := fromTree(t, fmt.Sprintf(`{%q: %s}`, c.fact, v)).Test(page, predicate.Facts{}); got.Holds {
				t.Errorf("%s: %s holds: %+v", c.fact, v, got.Clauses)
			}
		}
		for _, v := range c.bad {
			if _, problems := predicate.FromTree(treeOf(t, fmt.Sprintf(`{%q: %s}`, c.fact, v)), nil); len(problems) == 0 || problems[0].Fix == "" {
				t.Errorf("%s: %s is accepted: %v", c.fact, v, problems)
			}
		}
	}
}

// The column of every mistake in an expression, for every atom: a missing argument, a
// parenthesis that is not closed, something left over.
func TestColumnsOfEveryAtom(t *testing.T) {
	for _, a := range predicate.Atoms() {
		op, _, _ := strings.Cut(a.Form, "(")
		arg := map[string]string{"host_suffix": ".ch", "lang": "de"}[op]
		if arg == "" {
			arg = "abc"
		}
		good := op + "(" + arg + ")"
		for _, c := range []struct {
			text   string
			column int
		}{
			{"not " + op, 5 + len(op)},
			{op + "( )", 2 + len(op)},
			{op + "(" + arg, 1 + len(op) + 1 + len(arg)},
			{op + `("` + arg, 2 + len(op)},
			{good + " " + good, 2 + len(good)},
			{good + " and", 5 + len(good)},
			{"(" + good, 2 + len(good)},
			{good + ")", 1 + len(good)},
			{"é" + good, 1},
			{`phrase("é") ` + good, 13},
		} {
			_, err := predicate.ParseExpr(c.text)
			var p *predicate.Problem
			if !errors.As(err, &p) || p.Column != c.column || p.Fix == "" {
				t.Errorf("%s: %v, want column %d", c.text, err, c.column)
			}
			if p != nil && !strings.HasPrefix(p.Error(), fmt.Sprintf("column %d: ", c.column)) {
				t.Errorf("%s: %s, want the column first", c.text, p)
			}
		}
		p, err := predicate.ParseExpr(strings.ToUpper(op) + " ( '" + arg + "' )")
		if err != nil || p.String() != good {
			t.Errorf("%s in capitals: %v, %v", op, p, err)
		}
	}
}

// A generator draws expressions and trees from a seed.
type generator struct{ *rand.Rand }

func (g generator) expr(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		args := []string{"reef", "Rösti", `"a b"`, `"it's"`, `"say \"x\""`, `"back\\slash"`, ".ch", "a(b)c", "/x|y/i", "'q'"}
		op := []string{"keyword", "phrase", "category", "host_suffix", "url_suffix", "url_contains", "lang"}[g.IntN(7)]
		s := op + "(" + args[g.IntN(len(args))]
		if op == "category" && g.IntN(2) == 0 {
			s += fmt.Sprintf(", %g", float64(g.IntN(11))/10)
		}
		return s + ")"
	}
	switch g.IntN(4) {
	case 0:
		return "not " + g.expr(depth-1)
	case 1:
		return "(" + g.expr(depth-1) + ")"
	case 2:
		return g.expr(depth-1) + " AND " + g.expr(depth-1)
	}
	return g.expr(depth-1) + " or " + g.expr(depth-1)
}

// What is printed is read again as the same predicate: the same text, the same outcome of every
// clause on a page of which much is known and on one of which nothing is.
func TestPrintedIsReadAgain(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(7, 11))}
	full, empty := recipe(), &dowse.Page{}
	for range 400 {
		s := g.expr(4)
		p, err := predicate.ParseExpr(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		again, err := predicate.ParseExpr(p.String())
		if err != nil || again.String() != p.String() {
			t.Fatalf("%s is printed as %s: %v", s, p, err)
		}
		raw, err := json.Marshal(p.Tree())
		if err != nil {
			t.Fatal(err)
		}
		fromJSON := fromTree(t, string(raw))
		for _, other := range []*predicate.Predicate{again, fromJSON} {
			if a, b := p.Test(full, known()), other.Test(full, known()); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%s: %+v, and read again %+v", s, a, b)
			}
			if a, b := p.Test(empty, predicate.Facts{}), other.Test(empty, predicate.Facts{}); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%s on an empty page: %+v, and read again %+v", s, a, b)
			}
			if fmt.Sprint(other.Needs()) != fmt.Sprint(p.Needs()) {
				t.Fatalf("%s needs %+v, and read again %+v", s, p.Needs(), other.Needs())
			}
		}
	}
}

// A predicate of any form is printed in a form that is read again.
func TestPrintedForms(t *testing.T) {
	for s, want := range map[string]string{
		`"keyword(reef)"`:                          `keyword(reef)`,
		`{"op": "and", "args": []}`:                `{"args":[],"op":"and"}`,
		`{"op": "and", "args": ["keyword(x)"]}`:    `{"args":["keyword(x)"],"op":"and"}`,
		`{"op": "not", "arg": {"title": "x"}}`:     `{"arg":{"title":"x"},"op":"not"}`,
		`{"op": "keyword", "word": "a b"}`:         `keyword("a b")`,
		`{"op": "category", "name": "A", "min":1}`: `category(A, 1)`,
		`{"title": ["a", 5], "unknown": "pass"}`:   `{"title":["a",5],"unknown":"pass"}`,
	} {
		p := fromTree(t, s)
		if p.String() != want {
			t.Errorf("%s is printed as %s, want %s", s, p, want)
		}
		var v any = p.String()
		if strings.HasPrefix(p.String(), "{") {
			v = treeOf(t, p.String())
		}
		again, problems := predicate.FromTree(v, nil)
		if len(problems) > 0 || again.String() != p.String() {
			t.Errorf("%s is read again as %v, %v", p, again, problems)
		}
	}
}

// Clauses are shown on one line, in the order of people, cut where they are long.
func TestNamesOfClauses(t *testing.T) {
	for s, want := range map[string]string{
		`{"text": {"words": "1..", "at_least": 1, "has": ["b", "a"]}}`: "text: {has: [b, a], at_least: 1, words: 1..}",
		`{"title": "a\nb\u0007c"}`:                                     "title: a b c",
		`{"title": ["` + strings.Repeat(`x","`, 30) + `y"]}`:           "title: [" + strings.Repeat("x, ", 19) + "x]",
		`{"title": "` + strings.Repeat("é", 100) + `"}`:                "title: " + strings.Repeat("é", 80) + "…",
		`{"images": true}`:                                             "images: true",
		`{"depth": 2.5}`:                                               "depth: 2.5",
	} {
		if got := fromTree(t, s).Test(bare(), predicate.Facts{}).Clauses[0].Name; got != want {
			t.Errorf("%.60s is shown as %q, want %q", s, got, want)
		}
	}
}

// Every bound is allowed exactly, and one more is refused with the bound in the message.
func TestExactBounds(t *testing.T) {
	list := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	nested := func(n int) string {
		return strings.Repeat(`{"all": [`, n) + isTrue + strings.Repeat("]}", n)
	}
	for _, c := range []struct{ name, most, more, problem string }{
		{"clauses", `{"all": [` + list(predicate.MaxClauses-1, isTrue) + `]}`, `{"all": [` + list(predicate.MaxClauses, isTrue) + `]}`, "more than 256 clauses"},
		{"depth", nested(predicate.MaxDepth), nested(predicate.MaxDepth + 1), "more than 16 deep"},
		{"strings", `{"title": [` + list(predicate.MaxStrings, `"x"`) + `]}`, `{"title": [` + list(predicate.MaxStrings+1, `"x"`) + `]}`, "more than 1000 strings"},
		{"ranges", `{"depth": [` + list(predicate.MaxStrings, `1`) + `]}`, `{"depth": [` + list(predicate.MaxStrings+1, `1`) + `]}`, "more than 1000 strings"},
		{"string", `{"title": "` + strings.Repeat("x", predicate.MaxPattern) + `"}`, `{"title": "` + strings.Repeat("x", predicate.MaxPattern+1) + `"}`, "longer than 1000 bytes"},
		{"pattern", `{"title": "/` + strings.Repeat("x", predicate.MaxPattern) + `/"}`, `{"title": "/` + strings.Repeat("x", predicate.MaxPattern+1) + `/"}`, "longer than 1000 bytes"},
		{"atom", `{"op": "keyword", "word": "` + strings.Repeat("x", predicate.MaxPattern) + `"}`, `{"op": "keyword", "word": "` + strings.Repeat("x", predicate.MaxPattern+1) + `"}`, "at most 1000 bytes"},
		{"expression", `"` + strings.Repeat(" ", predicate.MaxExpr-10) + `lang(de)"`, `"` + strings.Repeat(" ", predicate.MaxExpr) + `lang(de)"`, "longer than 4096 bytes"},
		{"program", `{"title": [` + list(4, `"/x{900}/"`) + `]}`, `{"title": [` + list(5, `"/x{900}/"`) + `]}`, "too large together"},
	} {
		if _, problems := predicate.FromTree(treeOf(t, c.most), nil); len(problems) > 0 {
			t.Errorf("%s: the bound itself is refused: %v", c.name, problems[0].Error())
		}
		_, problems := predicate.FromTree(treeOf(t, c.more), nil)
		if len(problems) == 0 || !strings.Contains(problems[0].Problem, c.problem) || problems[0].Fix == "" {
			t.Errorf("%s: one more than the bound: %v, want %q", c.name, problems, c.problem)
		}
	}
	deep := strings.Repeat("(", predicate.MaxDepth-1) + "lang(de)" + strings.Repeat(")", predicate.MaxDepth-1)
	if _, err := predicate.ParseExpr(deep); err != nil {
		t.Error(err)
	}
	if _, err := predicate.ParseExpr("(" + deep + ")"); err == nil {
		t.Error("an expression that is too deep is accepted")
	}
}

// A pattern and CEL see the first MaxText bytes of a text; words are looked for in all of it.
func TestOnlyTheBeginningIsMatched(t *testing.T) {
	filler := strings.Repeat("word ", predicate.MaxText/5)
	p := page("http://a.test/", filler+" needle")
	for tree, want := range map[string]bool{
		`{"text": "/needle/"}`: false, `{"expr": "page.text.contains('needle')"}`: false, `{"text": "needle"}`: true, `"keyword(needle)"`: true, `"phrase(\"word needle\")"`: true,
	} {
		if got := fromTree(t, tree).Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %v, want %v", tree, got.Holds, want)
		}
	}
	p.Images = []string{strings.Repeat("x", predicate.MaxText), "needle.png"}
	if fromTree(t, `{"images": "/needle/"}`).Test(p, predicate.Facts{}).Holds {
		t.Error("a pattern sees more than MaxText bytes of a list")
	}
}

// Patterns that blow up elsewhere are refused or matched in a time that is linear in the text;
// none may hang or panic.
func TestHostilePatterns(t *testing.T) {
	p := page("http://a.test/"+strings.Repeat("a", 2000), strings.Repeat("a", 1<<17))
	p.Title = strings.Repeat("a", 1<<17)
	for pattern, accepted := range map[string]bool{
		`(a+)+$`: true, `(a|a)*b`: true, `(a*)*b`: true, `(.*)*x(.*)*y`: true, `a{1000}`: true, `^(([a-z])+.)+[A-Z]([a-z])+$`: true, `(?i)(é|É)+x`: true,
		`a{1001}`: false, `(a{100}){100}`: false, `(x{30}y){40}`: false, `((((a{9}){9}){9}){9}){9}`: false,
		`(?=a)b`: false, `(?<!a)b`: false, `(a)\1`: false, `[a`: false, `a**`: false, `(?P<n>a)(?P<n>b)`: true, `\8`: false, `\pQ`: false, `[z-a]`: false, `(?z)a`: false,
		strings.Repeat("(", 600) + strings.Repeat(")", 399): false, strings.Repeat("(?:", 150) + "a" + strings.Repeat(")", 150): true,
	} {
		raw, _ := json.Marshal(map[string]any{"any": []any{map[string]any{"title": "/" + pattern + "/"}, map[string]any{"url": "/" + pattern + "/"}}})
		got, problems := predicate.FromTree(treeOf(t, string(raw)), nil)
		if (got != nil) != accepted {
			t.Errorf("/%.60s/: %v, want accepted: %v", pattern, problems, accepted)
		}
		if got != nil {
			got.Test(p, predicate.Facts{})
			continue
		}
		if problems[0].Path != "any[0].title" || problems[0].Fix == "" {
			t.Errorf("/%.60s/: %s", pattern, problems[0].Error())
		}
		if _, err := predicate.ParseExpr(fmt.Sprintf("url_regex(%q)", pattern)); err == nil {
			t.Errorf("url_regex(%.60s) is accepted", pattern)
		}
	}
}

// Only a text between slashes is a pattern; what follows the second slash must be flags.
func TestWhatIsAPattern(t *testing.T) {
	p := bare()
	p.Title = "a/b Title\nsecond line"
	for tree, want := range map[string]bool{
		`{"title": "/title/"}`: false, `{"title": "/title/i"}`: true, `{"title": "/^second/"}`: false, `{"title": "/^second/m"}`: true,
		`{"title": "/b.*second/"}`: false, `{"title": "/b.*second/s"}`: true, `{"title": "/TITLE.SECOND/ims"}`: true,
		`{"title": "a/b"}`: true, `{"title": "/"}`: true, `{"title": "//"}`: true, `{"title": "/x"}`: false, `{"title": "/a/b"}`: false,
	} {
		if got := fromTree(t, tree).Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %v, want %v: %+v", tree, got.Holds, want, got.Clauses)
		}
	}
}

// Every fact is a field of page in CEL with the type of its kind, has() knows whether it is
// there, and reading one that is not makes the expression unknown.
func TestEveryFactInCEL(t *testing.T) {
	for _, f := range predicate.AllFacts() {
		field := "page." + f.Name
		typed := map[string]string{
			"text": field + ".size() >= 0", "list": field + ".all(x, x.size() >= 0)", "table": field + ".all(k, " + field + "[k].size() >= 0)",
			"number": field + " >= 0", "date": field + " > timestamp('1990-01-01T00:00:00Z')",
		}[f.Kind]
		if f.Name == "score" || f.Name == "parent.score" {
			typed = field + " >= 0.0"
		}
		p := fromTree(t, fmt.Sprintf(`{"expr": %q}`, typed))
		name, _, isTable := strings.Cut(f.Name, ".")
		if !p.Needs().Reads(f.Name) && !(isTable && p.Needs().Reads(name)) {
			t.Errorf("%s does not need %s: %v", typed, f.Name, p.Needs().Facts)
		}
		if got := p.Test(recipe(), known()); !got.Holds {
			t.Errorf("%s: %+v", typed, got.Clauses)
		}
		has := fromTree(t, fmt.Sprintf(`{"expr": "has(%s)"}`, field))
		if got := has.Test(recipe(), known()); !got.Holds {
			t.Errorf("has(%s) of a page of which all is known: %+v", field, got.Clauses)
		}
		there := has.Test(bare(), predicate.Facts{}).Holds
		got := p.Test(bare(), predicate.Facts{})
		if unknown := got.Clauses[0].Unknown; unknown == there {
			t.Errorf("%s: has is %v, and the expression is unknown: %v", field, there, unknown)
		}
		if c := got.Clauses[0]; c.Unknown && !strings.HasPrefix(c.Detail, f.Name+" is not known") {
			t.Errorf("%s: %q, want the name of the fact", field, c.Detail)
		}
		wrong := map[string]string{"text": field + " > 1", "list": field + " == 'x'", "table": field + " > 1", "number": field + " == 'x'", "date": field + " > 5"}[f.Kind]
		if _, problems := predicate.FromTree(map[string]any{"expr": wrong}, nil); len(problems) == 0 || !strings.Contains(problems[0].Problem, "no matching overload") {
			t.Errorf("%s compiles: %v", wrong, problems)
		}
	}
}

// What CEL can't do here: return anything but true or false, make lists, use patterns of the
// page, nest loops, and name what does not exist. Problems have a column, and a line if the
// expression has several.
func TestCELRefusals(t *testing.T) {
	for expr, want := range map[string]string{
		`page`:                                   "is dowse.Page, not true or false",
		`page.title + 'x'`:                       "is string, not true or false",
		`page.parent.title == 'x'`:               "undefined field 'title'",
		`page.parent == page`:                    "no matching overload",
		`pages.title == 'x'`:                     "undeclared reference to 'pages'",
		`page.title.filter(x, true) == []`:       "undeclared reference",
		`[1].map(x, x) == [1]`:                   "undeclared reference",
		`page.title.matches('a' + page.text)`:    "must be written out",
		`matches(page.title, page.text)`:         "must be written out",
		`page.title.matches('(?=x)')`:            "column 20",
		`page.title.matches('(x{900}){2}')`:      "column 20",
		`timestamp('soon') > page.published`:     "column 11",
		`duration('soon') > duration('1s')`:      "column 10",
		"page.title == 'x' &&\npage.titel == ''": "line 2, column 5",
		`page.title == `:                         "Syntax error",
		`size(page.title`:                        "Syntax error",
		`page.title = 'x'`:                       "Syntax error",
	} {
		p, problems := predicate.FromTree(map[string]any{"all": []any{map[string]any{"expr": expr}}}, nil)
		if p != nil || len(problems) != 1 || problems[0].Path != "all[0].expr" || !strings.Contains(problems[0].Problem, want) || problems[0].Fix == "" {
			t.Errorf("%s: %v, want %q at all[0].expr", expr, problems, want)
		}
	}
	for _, v := range []any{nil, "", "  ", 5.0, true, []any{}, map[string]any{}} {
		if _, problems := predicate.FromTree(map[string]any{"expr": v}, nil); len(problems) == 0 || !strings.Contains(problems[0].Problem, "is not an expression") {
			t.Errorf("expr: %v: %v", v, problems)
		}
	}
}

// The page itself is a value of CEL that can only be read: compared, made or converted it gives
// false or unknown, and never a crash.
func TestThePageAsAValueOfCEL(t *testing.T) {
	for expr, want := range map[string]string{
		`page == page`: "true", `page != page`: "false", `[page] == [page]`: "true", `dyn(page) == 5`: "false", `type(page) == type(page)`: "true",
		`has(page.parent) && page.parent == page.parent`: "true", `dyn(page.parent) == page`: "false", `dowse.Page{title: 'x'} == page`: "unknown", `dyn(page).nothing == 5`: "unknown",
		`page in [page]`: "true", `dyn(page).title == 'page'`: "unknown",
	} {
		p, problems := predicate.FromTree(map[string]any{"expr": expr}, nil)
		if len(problems) > 0 {
			t.Errorf("%s: %v", expr, problems)
			continue
		}
		r := p.Test(bare(), predicate.Facts{Parent: &predicate.Parent{Score: 1, Host: "b.test"}})
		got := fmt.Sprint(r.Holds)
		if r.Clauses[0].Unknown {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%s: %s, want %s: %s", expr, got, want, r.Clauses[0].Detail)
		}
	}
}

// An expression whose cost grows with the page ends at the limit, and is unknown then: a page
// must not be able to make itself pass by being large.
func TestCELCostLimit(t *testing.T) {
	p := recipe()
	p.Images = slices.Repeat([]string{strings.Repeat("x", 100)}, 1000)
	for expr, unknown := range map[string]bool{
		`page.images.all(a, page.images.all(b, (a + b).contains('x')))`: true,
		`page.images.all(a, a.contains('x'))`:                           false,
		`page.images.exists(a, page.images.exists(b, a == b + 'y'))`:    true,
	} {
		for _, policy := range []string{"pass", "fail"} {
			got := fromTree(t, fmt.Sprintf(`{"expr": %q, "unknown": %q}`, expr, policy)).Test(p, known())
			c := got.Clauses[0]
			if c.Unknown != unknown || unknown && (got.Holds != (policy == "pass") || !strings.Contains(c.Detail, "cost limit of 200000")) {
				t.Errorf("%s, unknown: %s: %v %+v", expr, policy, got.Holds, c)
			}
		}
	}
}

// A predicate may be used by many goroutines; each page has its own state.
func TestConcurrentTests(t *testing.T) {
	p := fromTree(t, `{"any": ["keyword(Kartoffeln) and phrase(\"wie im wallis\")", {"expr": "page.words > 100"}, {"emails": true}], "lang": "de"}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				subject, want := recipe(), true
				if i%2 == 1 {
					subject, want = bare(), false
				}
				if got := p.Test(subject, known()); got.Holds != want {
					t.Errorf("goroutine %d: %v, want %v", i, got.Holds, want)
				}
			}
		})
	}
	wg.Wait()
}

// A keyword is compared by its stem, a phrase as it is; case, accents written in two ways and
// punctuation between words do not matter.
func TestWordsOfAtoms(t *testing.T) {
	p := page("http://a.test/", "Running shoes, for RUNNERS. Cafe\u0301 au lait; state-of-the-art C++ and .NET")
	p.Title = "Marathon tips"
	for expr, want := range map[string]bool{
		"keyword(run)": true, "keyword(runs)": true, "keyword(runner)": true, "keyword(ran)": false, "keyword(shoe)": true, "keyword(marathons)": true,
		"keyword(running shoes)": true, "keyword(shoes running)": true, "keyword(running boots)": false,
		"phrase(running shoes)": true, "phrase(shoes running)": false, "phrase(running shoe)": false, "phrase(shoes for runners)": true,
		"phrase(café au lait)": true, "keyword(café)": true, "phrase(state of the art)": true, "phrase(the)": true, "phrase(marathon tips)": true,
		"phrase(tips running)": false,
	} {
		pred, err := predicate.ParseExpr(expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := pred.Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %v, want %v", expr, got.Holds, want)
		}
	}
	for tree, want := range map[string]bool{`{"text": "C++"}`: true, `{"text": ".NET"}`: true, `{"text": "C"}`: true, `{"text": "C+++"}`: false, `{"text": "art c"}`: true} {
		if got := fromTree(t, tree).Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %v, want %v", tree, got.Holds, want)
		}
	}
}

// Each clause shows what it found or missed.
func TestDetails(t *testing.T) {
	for clause, want := range map[string]string{
		`{"title": "rösti"}`: "found rösti", `{"title": ["x", "rezept"]}`: "found rezept", `{"title": "x"}`: "is Rösti – das Rezept",
		`{"text": "zebra"}`: "not in the text", `{"headings": {"has": ["Zubereitung", "x"], "at_least": 2}}`: "found 1 of 2: Zubereitung",
		`{"depth": 7}`: "is 2", `{"words": 1}`: "is 226", `{"images": "3.."}`: "there are 2", `{"title": {"words": 9}}`: "3 words",
		`{"published": 2020}`: "is 2024-05-31", `{"images": false}`: "images is there", `{"meta.generator": true}`: "meta.generator is not there",
		`{"meta.generator": "x"}`: "there is none", `{"op": "keyword", "word": "zebra"}`: "not in title or text", `{"op": "category", "name": "FOOD"}`: "is 0.8",
		`{"op": "host_suffix", "suffix": ".de"}`: "is www.example.ch", `{"schema_org": "Event"}`: "is Recipe, Person",
	} {
		if got := fromTree(t, clause).Test(recipe(), known()).Clauses[0].Detail; got != want {
			t.Errorf("%s: %q, want %q", clause, got, want)
		}
	}
	if got := fromTree(t, `{"links_in": 1}`).Test(bare(), predicate.Facts{}).Clauses[0].Detail; got != "links_in is not known: only a crawl counts it" {
		t.Errorf("%q", got)
	}
	if got := fromTree(t, `"category(FOOD)"`).Test(bare(), predicate.Facts{}).Clauses[0].Detail; got != "no classifier" {
		t.Errorf("%q", got)
	}
}
