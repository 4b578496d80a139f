package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What does not compile on one system is found there, also in a package that no program imports,
// and nothing is found where everything compiles.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module m\n\ngo 1.26\n",
		"a/a.go":           "package a\n\nimport (\n\t\"os\"\n\t\"m/b\"\n)\n\nfunc A() int { return b.B(os.Args) }\n",
		"b/b.go":           "package b\n\nfunc B[T any](s []T) int { return len(s) + host() }\n",
		"b/b_linux.go":     "package b\n\nfunc host() int { return 1 }\n",
		"b/b_windows.go":   "package b\n\nimport \"syscall\"\n\nfunc host() int { return syscall.SIGUSR1 }\n",
		"c/c.go":           "package c\n",
		"c/c_darwin.go":    "package c\n\nfunc unused() { x := 1 }\n",
		"c/c_solaris.go":   "package c\n\nimport \"m/nowhere\"\n\nvar _ = nowhere.X\n",
		"c/c_freebsd.go":   "package c\n\nfunc elsewhere()\n",
		"c/c_linux.go":     "package c\n\nvar _ = 1\n",
		"c/c_windows.go":   "package c\n\nvar _ = 1\n",
		"d/d_plan9.go":     "package d\n\nfunc {\n",
		"d/d.go":           "package d\n",
		"c/c_aix_test.go":  "package c\n",
		"c/c_linux_arm.go": "package c\n\nconst big int = 1 << 40\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string]string{
		"linux/amd64":   "",
		"windows/amd64": "b_windows.go:5:34: undefined: syscall.SIGUSR1",
		"darwin/arm64":  "c_darwin.go:3:17: declared and not used: x",
		"solaris/amd64": "nowhere",
		"freebsd/amd64": "c_freebsd.go:3:1: elsewhere has no body",
		"plan9/amd64":   "d_plan9.go:3:6: expected 'IDENT', found '{'",
		"linux/arm":     "overflows",
		"windows":       "want a system and an architecture",
	} {
		errs := check(dir, platform)
		if got := fmt.Sprint(errs); (want == "") != (errs == nil) || !strings.Contains(got, want) {
			t.Errorf("%s: got %v, want %q", platform, errs, want)
		}
	}
}
