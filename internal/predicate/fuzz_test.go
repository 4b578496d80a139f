package predicate_test

import (
	"encoding/json"
	"testing"

	"dowse/internal/predicate"
)

func FuzzParseExpr(f *testing.F) {
	for _, s := range []string{
		"category(SPORTS) and keyword(hockey)", `not (category(SPORTS, 0.7) and keyword(NBA)) or phrase("toyota corolla")`,
		`url_regex("\d+\\") or url_regex(/a(b|c)/i)`, "host_suffix(.uk) and url_suffix(.html) and url_contains(news)", "lang(de)", "((", `phrase("`, "not not not",
	} {
		f.Add(s)
	}
	subject := recipe()
	f.Fuzz(func(t *testing.T, s string) {
		p, err := predicate.ParseExpr(s)
		if err != nil {
			return
		}
		again, err := predicate.ParseExpr(p.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", s, p, err)
		}
		first, second := p.Test(subject, known()), again.Test(subject, known())
		if first.Holds != second.Holds || len(first.Clauses) != len(second.Clauses) || again.String() != p.String() {
			t.Fatalf("%q: %+v, then %+v", s, first, second)
		}
	})
}

func FuzzFromTree(f *testing.F) {
	for _, s := range []string{
		swissRecipes, `{"op": "and", "args": [{"op": "category", "name": "SPORTS"}, {"op": "keyword", "word": "hockey"}]}`,
		`{"any": ["keyword(reef)", {"not": {"host": {"tld": "uk"}}}], "unknown": "fail"}`, `{"words": ["5..10", 7], "depth": {"at_least": 2}}`,
		`{"published": {"after": 2024, "before": "2025-01"}, "emails": true}`, `{"expr": "page.headings.exists(h, h.startsWith('R'))"}`, `{"title": "/a|b/i"}`,
	} {
		f.Add(s)
	}
	subject := recipe()
	f.Fuzz(func(t *testing.T, s string) {
		var v any
		if json.Unmarshal([]byte(s), &v) != nil {
			return
		}
		p, problems := predicate.FromTree(v, nil)
		if (p == nil) != (len(problems) > 0) {
			t.Fatalf("%v, %v", p, problems)
		}
		if p == nil {
			return
		}
		first := p.Test(subject, known())
		if len(first.Clauses) != p.Needs().Clauses {
			t.Fatalf("%d clauses, %d announced", len(first.Clauses), p.Needs().Clauses)
		}
		again, problems := predicate.FromTree(p.Tree(), nil)
		if len(problems) > 0 || again.Test(subject, known()).Holds != first.Holds {
			t.Fatalf("%s again: %v", s, problems)
		}
	})
}
