// Package shareddata finds test material that is not part of the repository: recorded
// webs, sample files and conformance suites that other people wrote. It lies in a
// folder named shared next to the checkout. Tests that need it are skipped where it
// is absent. Only tests import this package.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder in the shared folder, or skips the
// test if it is not there.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{filepath.Dir(root(t)), "shared"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shareddata: needs shared/%s next to the checkout", filepath.ToSlash(filepath.Join(elem...)))
	}
	return path
}

// Read returns the contents of a file in the shared folder, or skips the test if
// it is not there.
func Read(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// root returns the folder of go.mod above the test's working directory.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("shareddata: no go.mod above the test")
	return ""
}
