package durable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// namesIn returns the names in a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestSweep leaves files and folders behind as a killed process does: the lock of an open file is that of
// its descriptor, so closing it without more is what a kill does. What is in use, and what no process of
// this program made, stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	killed, err := Begin(filepath.Join(dir, "a"))
	check(t, err)
	check(t, killed.Close())
	gone, err := NewScratch(dir, "export")
	check(t, err)
	check(t, os.WriteFile(filepath.Join(gone.Path, "x"), nil, 0o644))
	check(t, gone.owner.Close())
	check(t, os.Mkdir(filepath.Join(dir, ".dowse-import-aaaaaaaaaaaaaaaaaaaaaaaaaa"), 0o755)) // killed before it had an owner

	live, err := Begin(filepath.Join(dir, "b"))
	check(t, err)
	used, err := NewScratch(dir, "import")
	check(t, err)
	want := []string{live.tmp, filepath.Base(used.Path)}
	for _, name := range []string{".dowse-notes.tmp", "dowse-export-1", ".dowse-export-bbbbbbbbbbbbbbbbbbbbbbbbbb"} { // files of a person
		check(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name, "mine"), nil, 0o644))
		want = append(want, name)
	}
	target := filepath.Join(t.TempDir(), "target")
	check(t, os.WriteFile(target, nil, 0o644))
	check(t, os.Symlink(target, filepath.Join(dir, ".dowse-cccccccccccccccccccccccccc.tmp")))
	want = append(want, ".dowse-cccccccccccccccccccccccccc.tmp")

	Sweep(dir)
	slices.Sort(want)
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("after the sweep there are %v, want %v", got, want)
	}
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
	_, err = live.WriteString("text")
	check(t, err)
	check(t, live.Commit())
	if text, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	used.Remove()
	if _, err := os.Stat(used.Path); used.Path != "" || err == nil {
		t.Error("a scratch folder is there after its end")
	}
}
