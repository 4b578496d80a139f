package predicate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dowse/internal/predicate"
)

func TestProblems(t *testing.T) {
	for _, c := range []struct{ tree, path, problem, fix string }{
		{`null`, "", "nothing is not a clause", "write"},
		{`5`, "", "5 is not a clause", "write"},
		{`[]`, "", "a list is not a clause", "all:"},
		{`{}`, "", "there is no clause", "write"},
		{`{"unknown": "pass"}`, "", "there is no clause", "write"},
		{`{"titel": "x"}`, "titel", `unknown fact "titel"`, `"title"`},
		{`{"al": []}`, "al", `unknown fact "al"`, `"all"`},
		{`{"og.": "x"}`, "og.", "unknown fact", `"og"`},
		{`{"title": "x", "unknown": "maybe"}`, "unknown", `unknown: is "maybe"`, "pass"},
		{`{"all": {"title": "x"}}`, "all", "a mapping is not a list of clauses", "dash"},
		{`{"any": [{"title": "x"}, {"all": [{"tekst": "y"}]}]}`, "any[1].all[0].tekst", "unknown fact", `"text"`},
		{`{"not": 3}`, "not", "3 is not a clause", "write"},
		{`{"title": null}`, "title", "nothing can't be looked for", "write a word"},
		{`{"title": ""}`, "title", "empty", "write"},
		{`{"title": []}`, "title", "the list is empty", "write"},
		{`{"title": {}}`, "title", "no way to match it", "has"},
		{`{"title": ["a", ["b"]]}`, "title[1]", "a list can't be looked for", "write a word"},
		{`{"title": {"hass": "x"}}`, "title.hass", `can't be matched by "hass"`, `"has"`},
		{`{"title": {"after": 2024}}`, "title.after", `can't be matched by "after"`, "use one of: has, at_least, words"},
		{`{"title": {"at_least": 2}}`, "title.at_least", "without has:", "add"},
		{`{"title": {"has": ["a", "b"], "at_least": 3}}`, "title.at_least", "3 of 2 can never be there", "at most 2"},
		{`{"title": {"has": ["a", "b"], "at_least": "all"}}`, "title.at_least", "no number", "from 1"},
		{`{"title": {"has": "a", "at_least": 0}}`, "title.at_least", "0 is no number of things", "from 1"},
		{`{"title": {"words": "many"}}`, "title.words", `"many" is not a number`, "5..10"},
		{`{"words": "9..5"}`, "words", "swap its ends", "range"},
		{`{"words": ".."}`, "words", "no number on either side", "range"},
		{`{"words": [[1]]}`, "words[0]", `"a list" is not a number`, "range"},
		{`{"words": {"has": 5}}`, "words.has", "can't be matched", "at_least, range"},
		{`{"depth": {"at_least": "two"}}`, "depth.at_least", "is not a number", "at_least: 3"},
		{`{"score": "NaN"}`, "score", "is not a number", "range"},
		{`{"published": "soon"}`, "published", `"soon" is not a date`, "2026-05-31"},
		{`{"published": {"after": "2024-13-01"}}`, "published.after", "is not a date", "2026-05-31"},
		{`{"published": {"before": []}}`, "published.before", "is not a date", "2026-05-31"},
		{`{"published": "2025..2024"}`, "published", "swap its ends", "range"},
		{`{"title": "/a(b/"}`, "title", "missing closing ): `a(b`", "RE2"},
		{`{"title": "/(?=x)/"}`, "title", "invalid or unsupported Perl syntax", "look-around"},
		{`{"title": "/(abcdefg{900}){1}(x{900}|y{900}|z{900}|w{900})/"}`, "title", "too large", "{n,m}"},
		{`{"title": "/((a{100}){10}){100}/"}`, "title", "not a regular expression", "RE2"},
		{`{"title": "/` + strings.Repeat("a", 1001) + `/"}`, "title", "longer than 1000 bytes", "cut"},
		{`{"title": "` + strings.Repeat("a", 1001) + `"}`, "title", "longer than 1000 bytes", "cut"},
		{`{"op": "nand", "args": []}`, "op", `unknown op "nand"`, `"and"`},
		{`{"op": 5}`, "op", "unknown op 5", "use one of"},
		{`{"op": "keyword", "words": "x"}`, "words", `has no "words"`, "use op and word"},
		{`{"op": "keyword"}`, "word", "keyword wants a text", "keyword(WORD)"},
		{`{"op": "keyword", "word": "--"}`, "", "has no word", "letters"},
		{`{"op": "category", "name": "A", "min": 2}`, "min", "2 is not a probability", "0 to 1"},
		{`{"op": "not"}`, "arg", "nothing is not a clause", "write"},
		{`{"op": "and", "args": "x"}`, "args", "is not a list", "dash"},
		{`{"op": "url_regex", "re": "("}`, "", "is not a regular expression", "RE2"},
		{`{"any": ["keyword(reef", {"title": "x"}]}`, "any[0]", "column 13 of the expression: the parenthesis of keyword is not closed", `add ")"`},
		{`{"expr": 5}`, "expr", "5 is not an expression", "page.links_out"},
		{`{"expr": "page.links_out < "}`, "expr", "column 18: Syntax error", "docs/predicates.md"},
		{`{"expr": "page.titel == ''"}`, "expr", "column 5: undefined field 'titel'", "did you mean page.title?"},
		{`{"expr": "page.colour > 5"}`, "expr", "column 5: undefined field 'colour'", "see docs/predicates.md"},
		{`{"expr": "lang(en) and page.words > 3"}`, "expr", "column 10: Syntax error", "write {all: [lang(…), {expr: …}]}"},
		{`{"any": ["host = x"]}`, "any[0]", `unknown condition "host"`, "write page.host"},
		{`{"expr": "page.title > 5"}`, "expr", "column 12: found no matching overload", "docs/predicates.md"},
		{`{"expr": "page.links_out"}`, "expr", "is int, not true or false", "docs/predicates.md"},
		{`{"expr": "page.title.matches(page.text)"}`, "expr", "must be written out", "docs/predicates.md"},
		{`{"expr": "page.title.matches('(')"}`, "expr", "column 20", "docs/predicates.md"},
		{`{"expr": "size(page.headings.map(x, page.headings)) > 3"}`, "expr", "undeclared reference to 'map'", "docs/predicates.md"},
		{`{"expr": "[1].all(a, [1].all(b, [1].all(c, true)))"}`, "expr", "comprehension", "docs/predicates.md"},
		{`{"expr": "` + strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100) + `"}`, "expr", "recursion", "docs/predicates.md"},
		{`{"expr": "page.title == '` + strings.Repeat("x", 5000) + `'"}`, "expr", "exceeds limit", "docs/predicates.md"},
	} {
		p, problems := predicate.FromTree(tree(t, c.tree), nil)
		if p != nil || len(problems) == 0 {
			t.Errorf("%.80s: no problem", c.tree)
			continue
		}
		if g := problems[0]; g.Path != c.path || !strings.Contains(g.Problem, c.problem) || !strings.Contains(g.Fix, c.fix) {
			t.Errorf("%.80s:\n  %s\nwant\n  %s: %s; %s", c.tree, g.Error(), c.path, c.problem, c.fix)
		}
	}
}

// Problems come in the order of the file, with their places, and not without end.
func TestProblemsHavePlaces(t *testing.T) {
	lines := map[string]int{"": 1, "all": 2, "all[0].titel": 3, "all[1].published": 5, "all[1].hosts": 4}
	where := func(path ...any) (int, int) {
		s := ""
		for _, step := range path {
			switch step := step.(type) {
			case int:
				s += fmt.Sprintf("[%d]", step)
			case string:
				s = strings.TrimPrefix(s+"."+step, ".")
			}
		}
		return lines[s], 7
	}
	_, problems := predicate.FromTree(tree(t, `{"all": [{"titel": "x"}, {"published": "x", "hosts": "y"}]}`), where)
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Path))
	}
	if s := strings.Join(got, ", "); s != "3:7 all[0].titel, 4:7 all[1].hosts, 5:7 all[1].published" {
		t.Error(s)
	}
	if !strings.HasPrefix(problems[0].Error(), "3:7: all[0].titel: unknown fact") {
		t.Error(problems[0].Error())
	}
	if _, problems := predicate.FromTree(tree(t, `{"all": [`+strings.Repeat(`{"x": 1},`, 500)+`{"x": 1}]}`), nil); len(problems) != 20 {
		t.Errorf("%d problems", len(problems))
	}
}

func TestBounds(t *testing.T) {
	for what, s := range map[string]string{
		"clauses":  `{"all": [` + strings.Repeat(`{"title": "x"},`, 300) + `{"title": "x"}]}`,
		"deep":     strings.Repeat(`{"not": `, 20) + `{"title": "x"}` + strings.Repeat("}", 20),
		"strings":  `{"title": [` + strings.Repeat(`"x",`, 1000) + `"x"]}`,
		"together": `{"title": [` + strings.Repeat(`"/x{900}/",`, 5) + `"x"]}`,
	} {
		if _, problems := predicate.FromTree(tree(t, s), nil); len(problems) == 0 || !strings.Contains(problems[0].Problem, what) {
			t.Errorf("%s: %v", what, problems)
		}
	}
	fromTree(t, `{"all": [`+strings.Repeat(`{"title": "x"},`, 254)+`{"title": "x"}]}`)
	fromTree(t, strings.Repeat(`{"not": `, 16)+`{"title": "x"}`+strings.Repeat("}", 16))
}

func TestParseExpr(t *testing.T) {
	for s, want := range map[string]string{
		"keyword(reef)": "keyword(reef)",
		"  KEYWORD ( reef ) AND Not lang(de)OR lang(en)": "(keyword(reef) and not lang(de)) or lang(en)",
		"lang(a) and (lang(b) or lang(c))":               "lang(a) and (lang(b) or lang(c))",
		"not not lang(a)":                                "not not lang(a)",
		"((lang(a)))":                                    "lang(a)",
		"not(lang(a) or lang(b))":                        "not (lang(a) or lang(b))",
		`category(Top/Arts, .7)`:                         `category(Top/Arts, 0.7)`,
		`category("a, b")`:                               `category("a, b")`,
		`url_regex(^https?://(a|b),c)`:                   `url_regex("^https?://(a|b),c")`,
		`url_regex(\)x)`:                                 `url_regex("\\)x")`,
		`url_regex("\d+\\.\"")`:                          `url_regex("\\d+\\.\"")`,
		`phrase('it"s')`:                                 `phrase("it\"s")`,
		`keyword(and) and keyword(or)`:                   `keyword(and) and keyword(or)`,
		`url_contains(?a=b&c)`:                           `url_contains(?a=b&c)`,
		`phrase("珊瑚")`:                                   `phrase(珊瑚)`,
	} {
		p, err := predicate.ParseExpr(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if got := p.String(); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
		if again, err := predicate.ParseExpr(p.String()); err != nil || again.String() != p.String() {
			t.Errorf("%s: %v, %v", p, again, err)
		}
	}
}

func TestParseExprProblems(t *testing.T) {
	for s, want := range map[string]string{
		"":                               "column 1: a condition is missing; write a condition such as keyword(reef)",
		"reef":                           `column 1: unknown condition "reef"; use one of:`,
		"keywrd(reef)":                   `column 1: unknown condition "keywrd"; did you mean "keyword"?`,
		"keyword":                        `column 8: keyword has no argument; write keyword(WORD)`,
		"keyword()":                      `column 9: keyword has no argument`,
		"keyword(reef":                   `column 13: the parenthesis of keyword is not closed; add ")"`,
		`phrase("reef)`:                  `column 8: a quote is not closed`,
		`phrase("reef" x)`:               `column 15: the parenthesis of phrase is not closed`,
		"lang(de) lang(en)":              `column 10: "lang(en)" is left over; join conditions with and or or`,
		"lang(de) and":                   `column 13: a condition is missing`,
		"(lang(de)":                      `column 10: a parenthesis is not closed`,
		"lang(de))":                      `column 9: ")" is left over`,
		"category(A, high)":              `column 17: the second argument of category is not a number`,
		"category(A, 7)":                 "min: 7 is not a probability",
		"url_regex(a**)":                 "not a regular expression",
		"é and":                          `column 1: unknown condition "é"`,
		strings.Repeat("not ", 20) + "x": "column 65: groups in groups, more than 16 deep",
		strings.Repeat("x", 5000):        "longer than 4096 bytes",
		"keyword(\xff)":                  "not UTF-8",
	} {
		_, err := predicate.ParseExpr(s)
		var p *predicate.Problem
		if !errors.As(err, &p) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", s, err, want)
		}
	}
}
