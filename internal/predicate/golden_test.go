package predicate_test

import (
	"testing"

	"dowse"
	"dowse/internal/golden"
	"dowse/internal/predicate"
)

// page returns a page with a URL and a text.
func page(url, text string) *dowse.Page {
	return &dowse.Page{URL: dowse.URL(url), Document: dowse.Document{Text: text, Words: dowse.Words(text)}}
}

// golden is the part of the golden vectors that concerns predicates.
type goldenFile struct {
	Cases []struct {
		Name  string
		Input struct {
			Predicates []any
			TextForms  []string `json:"text_forms"`
			Pages      []struct {
				URL, Text  string
				Categories map[string]float64
			}
		}
		Expected struct{ Matrix [][]bool }
	}
}

func readGolden(t *testing.T) goldenFile {
	t.Helper()
	var g goldenFile
	golden.Read(t, "predicates", &g)
	return g
}

func TestGolden(t *testing.T) {
	cases := readGolden(t).Cases
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		for i, tree := range c.Input.Predicates {
			fromTree, problems := predicate.FromTree(tree, nil)
			if len(problems) > 0 {
				t.Fatalf("%s, predicate %d: %v", c.Name, i, problems)
			}
			parsed, err := predicate.ParseExpr(c.Input.TextForms[i])
			if err != nil {
				t.Fatalf("%s: %q: %v", c.Name, c.Input.TextForms[i], err)
			}
			for j, g := range c.Input.Pages {
				for form, p := range map[string]*predicate.Predicate{"JSON": fromTree, "text": parsed} {
					got := p.Test(page(g.URL, g.Text), predicate.Facts{Categories: g.Categories}).Holds
					if want := c.Expected.Matrix[i][j]; got != want {
						t.Errorf("%s, %s form: %s of page %d is %v, want %v", c.Name, form, p, j, got, want)
					}
				}
			}
			if got := fromTree.String(); got != c.Input.TextForms[i] {
				t.Errorf("written back as %s, want %s", got, c.Input.TextForms[i])
			}
		}
	}
}
