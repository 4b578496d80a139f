package facts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/facts"
)

// docTable is the table of facts in docs/formats.md, made from the code.
func docTable() string {
	var b strings.Builder
	b.WriteString("| fact | type | what it is | printed | in conditions | journal | takedown |\n|---|---|---|---|---|---|---|\n")
	for _, f := range facts.All() {
		kind := f.Type.String()
		if f.Unit != "" {
			kind += ", " + f.Unit
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", f.Name, kind, f.Doc, printed(f), yes(f.Asked), code(f), takedown(f))
	}
	return b.String()
}

func printed(f *facts.Fact) string {
	switch {
	case f.Printed:
		return "always"
	case f.Type == facts.Internal || f.Judging:
		return ""
	case f.Document:
		return "`export --fields`"
	}
	return "by name"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func code(f *facts.Fact) string {
	if f.Journal == 0 {
		return ""
	}
	return fmt.Sprint(f.Journal)
}

func takedown(f *facts.Fact) string {
	switch {
	case f.Field == nil || f.Journal == 0:
		return ""
	case f.Kept:
		return "kept"
	}
	return "cleared"
}

// The table in the documentation is the one of the code. Run with UPDATE_DOCS=1 to write it.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "formats.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "\r\n", "\n")
	begin := strings.Index(doc, "| fact | type |")
	if begin < 0 {
		t.Fatal("docs/formats.md has no table of facts")
	}
	end := begin + strings.Index(doc[begin:], "\n\n") + 1
	if doc[begin:end] == docTable() {
		return
	}
	if os.Getenv("UPDATE_DOCS") == "" {
		t.Fatalf("docs/formats.md has another table of facts; UPDATE_DOCS=1 go test ./internal/facts writes it anew. Want:\n%s", docTable())
	}
	if err := os.WriteFile(path, []byte(doc[:begin]+docTable()+doc[end:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
