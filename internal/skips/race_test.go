package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// raceTests has the files of the packages in RACE_FEW of the Makefile that start goroutines, with
// tests that run these under the race detector. The other tests of the packages start none.
var raceTests = map[string][]string{
	"crawl/live.go":              {"TestLiveWithManyWorkers", "TestLiveAborts", "TestLiveStopsOnErrors"},
	"collection/exportselect.go": {"TestExportShards", "TestExportWARC", "TestExportMarkdown"},
	"lab/experiment/run.go":      {"TestSameBytes", "TestResume", "TestSitesInterrupted"},
}

// TestRaceDetectorSeesAllGoroutines checks that the packages of which the race detector runs few
// tests start goroutines only where these tests look.
func TestRaceDetectorSeesAllGoroutines(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	chosen := regexp.MustCompile(variable(t, makefile, "RACE_FEW_TESTS"))
	for _, pkg := range strings.Fields(variable(t, makefile, "RACE_FEW")) {
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pkg, len(files), err)
		}
		var tests []string
		for _, path := range files {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if strings.HasSuffix(name, "_test.go") {
				tests = append(tests, functions(f)...)
			} else if startsGoroutines(f) && raceTests[name] == nil {
				t.Errorf("%s starts goroutines: add tests that run them to raceTests and to RACE_FEW_TESTS of the Makefile", name)
			}
		}
		for file, want := range raceTests {
			for _, test := range want {
				if strings.HasPrefix("./"+file, pkg+"/") && (!slices.Contains(tests, test) || !chosen.MatchString(test)) {
					t.Errorf("%s: the race detector does not run %s", file, test)
				}
			}
		}
	}
}

// variable returns the value of a variable of a Makefile.
func variable(t *testing.T, makefile []byte, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` = (.+)$`).FindSubmatch(makefile)
	if m == nil {
		t.Fatalf("the Makefile has no variable %s", name)
	}
	return string(m[1])
}

func functions(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// startsGoroutines reports whether a file has a go statement, or calls a method Go, as that of a
// sync.WaitGroup.
func startsGoroutines(f *ast.File) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" {
				found = true
			}
		}
		return !found
	})
	return found
}
