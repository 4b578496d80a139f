package dowse_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A placed name is written in ARCHITECTURE.md with the file that declares it: `Crawl.Next`
// (`crawl/crawl.go`), or `hosts.endVisit` in `crawl/hosts.go`.
var placedName = regexp.MustCompile("`([A-Za-z]+(?:\\.[A-Za-z]+)?)`\\s+(?:\\(|in\\s+)`([a-z/]+\\.go)`")

// goFile is a file of the module in a document.
var goFile = regexp.MustCompile("`([a-z][a-z/]*\\.go)`")

// TestWayOfAPage checks that the way of a page has at most nine steps, and that every name in
// it is declared in the file that is named with it.
func TestWayOfAPage(t *testing.T) {
	text := document(t, "ARCHITECTURE.md")
	_, way, found := strings.Cut(text, "## The way of a page\n")
	way, _, closed := strings.Cut(way, "\n## ")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no section The way of a page")
	}
	steps := regexp.MustCompile(`(?m)^\d+\. \*\*`).FindAllString(way, -1)
	if len(steps) == 0 || len(steps) > 9 {
		t.Errorf("%d steps, want 1 to 9", len(steps))
	}
	declared := declarations(t)
	names := placedName.FindAllStringSubmatch(way, -1)
	if len(names) < 25 {
		t.Errorf("only %d names with a file: can the way still be followed?", len(names))
	}
	for _, m := range names {
		if name, file := m[1], m[2]; !declared[file][name] {
			t.Errorf("%s is not declared in %s", name, file)
		}
	}
}

// TestNamedFilesExist checks that every Go file and folder that ARCHITECTURE.md and the
// decisions name with its path exists.
func TestNamedFilesExist(t *testing.T) {
	documents, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(documents, "ARCHITECTURE.md", "docs/README.md") {
		for _, m := range goFile.FindAllStringSubmatch(document(t, name), -1) {
			if _, err := os.Stat(m[1]); err != nil && strings.Contains(m[1], "/") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)/` \\|").FindAllStringSubmatch(document(t, "ARCHITECTURE.md"), -1) {
		if info, err := os.Stat(m[1]); err != nil || !info.IsDir() {
			t.Errorf("ARCHITECTURE.md: %s is no folder: %v", m[1], err)
		}
	}
}

func document(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// declarations returns what each file of the module declares: functions and types by their
// names, methods of types and of interfaces as Type.Method.
func declarations(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files := map[string]map[string]bool{}
	for _, s := range sources(t) {
		names := map[string]bool{}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				} else {
					names[receiverName(d)+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				declaredTypes(d, names)
			}
		}
		files[s.path] = names
	}
	return files
}

// declaredTypes adds the types of a declaration, with the methods of interfaces.
func declaredTypes(d *ast.GenDecl, names map[string]bool) {
	if d.Tok != token.TYPE {
		return
	}
	for _, spec := range d.Specs {
		typ := spec.(*ast.TypeSpec)
		names[typ.Name.Name] = true
		if i, ok := typ.Type.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				for _, n := range m.Names {
					names[typ.Name.Name+"."+n.Name] = true
				}
			}
		}
	}
}
