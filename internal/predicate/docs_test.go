package predicate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/predicate"
)

// docTables are the tables of docs/predicates.md, made from the code.
func docTables() string {
	var b strings.Builder
	b.WriteString("| fact | kind | what it is | a string is compared with |\n|---|---|---|---|\n")
	for _, f := range predicate.AllFacts() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Kind, f.Means, f.Match)
	}
	b.WriteString("\n| written | holds if |\n|---|---|\n")
	for _, m := range predicate.Matchers() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.Form, m.Means)
	}
	b.WriteString("\n| condition | holds if |\n|---|---|\n")
	for _, a := range predicate.Atoms() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", a.Form, a.Means)
	}
	return b.String()
}

// The tables of the documentation are those of the code. Run with UPDATE_DOCS=1 to write
// them.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "predicates.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "\r\n", "\n")
	updated := doc
	for table := range strings.SplitSeq(docTables(), "\n\n") {
		table = strings.TrimSpace(table) + "\n"
		heading, _, _ := strings.Cut(table, "\n")
		begin := strings.Index(updated, heading+"\n")
		if begin < 0 {
			t.Fatalf("docs/predicates.md has no table %s", heading)
		}
		end := begin + strings.Index(updated[begin:]+"\n\n", "\n\n") + 1
		updated = updated[:begin] + table + updated[min(end, len(updated)):]
	}
	switch {
	case updated == doc:
	case os.Getenv("UPDATE_DOCS") == "":
		t.Errorf("docs/predicates.md has other tables; UPDATE_DOCS=1 go test ./internal/predicate writes them again. Want:\n%s", docTables())
	default:
		if err := os.WriteFile(path, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The examples of the documentation in CEL compile, and are what they seem to be.
func TestDocsCEL(t *testing.T) {
	for expr, want := range map[string]bool{
		`page.headings.exists(h, h.startsWith("Rösti")) && page.og["type"] == "article"`:      true,
		`has(page.modified) && page.modified - page.published > duration("720h")`:             true,
		`page.links_out * 3 < page.words`:                                                     true,
		`page.published > timestamp("2025-01-01T00:00:00Z")`:                                  false,
		`page.parent.host == "blog.example.org"`:                                              true,
		`"Recipe" in page.schema_org && page.tld in ["ch"]`:                                   true,
		`page.title.matches("(?i)REZEPT$") && page.score < .5`:                                true,
		`page.emails == ["kueche@example.ch"] && has(page.parent) && page.parent.score > 0.5`: true,
		`page.meta["generator"] == "x"`:                                                       false,
	} {
		p, problems := predicate.FromTree(map[string]any{"expr": expr}, nil)
		if len(problems) > 0 {
			t.Errorf("%s: %v", expr, problems)
			continue
		}
		if got := p.Test(recipe(), known()); got.Holds != want {
			t.Errorf("%s: %+v", expr, got)
		}
	}
}
