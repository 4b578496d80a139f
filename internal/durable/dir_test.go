package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Open, Edit, Create, Ensure and Append differ in what they do if a file is there and
// if it is not.
func TestWaysToOpen(t *testing.T) {
	ways := map[string]func(d Dir, name string) (*File, error){
		"open": Dir.Open, "edit": Dir.Edit, "create": Dir.Create, "ensure": Dir.Ensure, "append": Dir.Append,
	}
	for way, c := range map[string]struct {
		there, absent error
		after         string // what the file contains after "new" was written to it
	}{
		"open":   {nil, fs.ErrNotExist, "old"},
		"edit":   {nil, fs.ErrNotExist, "new"},
		"create": {fs.ErrExist, nil, "old"},
		"ensure": {nil, nil, "new"},
		"append": {nil, nil, "oldnew"},
	} {
		dir := t.TempDir()
		d := In(dir)
		check(t, os.WriteFile(filepath.Join(dir, "there"), []byte("old"), 0o644))
		f, err := ways[way](d, "there")
		if !errors.Is(err, c.there) {
			t.Errorf("%s of a file: error %v, want %v", way, err, c.there)
		}
		if err == nil {
			io.WriteString(f, "new")
			check(t, f.Close())
		}
		if b, _ := os.ReadFile(filepath.Join(dir, "there")); string(b) != c.after {
			t.Errorf("%s: the file contains %q, want %q", way, b, c.after)
		}
		f, err = ways[way](d, "absent")
		if !errors.Is(err, c.absent) {
			t.Errorf("%s of nothing: error %v, want %v", way, err, c.absent)
		}
		if err == nil {
			check(t, f.Close())
		}
	}
}

// Ensure and Append create the folders of a file; the others do not.
func TestFoldersOfAFile(t *testing.T) {
	d := In(t.TempDir())
	if _, err := d.Create("a/b/c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Create in a folder that is not there: %v, want %v", err, fs.ErrNotExist)
	}
	f, err := d.Ensure("a/b/c")
	check(t, err)
	check(t, f.Close())
	check(t, d.Mkdir("a/b")) // it is there
	check(t, d.Mkdir("x/y/z"))
	if err := d.Mkdir("a/b/c"); !errors.Is(err, ErrNotPlain) {
		t.Errorf("Mkdir in place of a file: %v, want %v", err, ErrNotPlain)
	}
}

func TestNamesAndRenames(t *testing.T) {
	d := In(t.TempDir())
	if names, err := d.Sub("absent").Names("*"); len(names) != 0 || err != nil {
		t.Errorf("names in a folder that is not there: %q, %v; want none", names, err)
	}
	for _, name := range []string{"b.x", "a.x", "c.y"} {
		check(t, d.WriteFile(name, []byte(name)))
	}
	check(t, d.Mkdir("sub"))
	check(t, d.Rename("b.x", "sub/d.x"))
	names, err := d.Names("*.x")
	check(t, err)
	if !slices.Equal(names, []string{"a.x"}) {
		t.Errorf("names that end in .x: %q, want only a.x", names)
	}
	moved, err := d.Open("sub/d.x")
	check(t, err)
	if b, _ := io.ReadAll(moved); string(b) != "b.x" {
		t.Errorf("the file that was moved contains %q, want b.x", b)
	}
	check(t, moved.Close())
	if _, err := d.Names("["); err == nil {
		t.Error("a malformed pattern is not refused")
	}
	check(t, d.Remove("a.x"))
	if err := d.Remove("a.x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removing a file twice: %v, want %v", err, fs.ErrNotExist)
	}
}

// A pending file is nowhere until it is committed, and leaves nothing if it is not.
func TestPending(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	check(t, os.WriteFile(file, []byte("old"), 0o644))
	for _, commit := range []bool{false, true} {
		p, err := Begin(file)
		check(t, err)
		_, err = p.WriteString("new")
		check(t, err)
		if b, _ := os.ReadFile(file); string(b) != "old" {
			t.Fatalf("before the end the file contains %q, want old", b)
		}
		if commit {
			check(t, p.Commit())
		} else {
			p.Abandon()
		}
	}
	if b, _ := os.ReadFile(file); string(b) != "new" {
		t.Errorf("after Commit the file contains %q, want new", b)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%d files are left, want 1", len(list))
	}
}

// A secret is readable by its owner alone, and never replaces a file.
func TestNewSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "salt")
	check(t, NewSecret(file, []byte("one")))
	if err := NewSecret(file, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second secret: %v, want %v", err, fs.ErrExist)
	}
	info, err := os.Stat(file)
	check(t, err)
	if b, _ := os.ReadFile(file); string(b) != "one" || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file contains %q with mode %v, want one, for its owner alone", b, info.Mode())
	}
	if list, _ := os.ReadDir(filepath.Dir(file)); len(list) != 1 {
		t.Errorf("%d files are left, want 1", len(list))
	}
}

// New refuses a file that is there before, and one that appears while it writes.
func TestNew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	late := func(w io.Writer) error { return os.WriteFile(file, []byte("other"), 0o644) }
	if err := New(file, late); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that appeared meanwhile: %v, want %v", err, fs.ErrExist)
	}
	if err := New(file, bytesTo([]byte("mine"))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that was there: %v, want %v", err, fs.ErrExist)
	}
	if b, _ := os.ReadFile(file); string(b) != "other" {
		t.Errorf("the file contains %q, want other", b)
	}
}
