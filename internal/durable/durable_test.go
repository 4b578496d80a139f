package durable

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// secret is the content of a file outside of the folder.
const secret = "a stranger must not see this"

// link makes a symbolic link, or skips the test where the system forbids it.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

// outside returns the path of a file outside of the folders that tests use.
func outside(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "canary")
	check(t, os.WriteFile(path, []byte(secret), 0o600))
	return path
}

// everyWay calls each method that opens or changes a file by its name.
func everyWay(d Dir, name string) map[string]error {
	errs := map[string]error{}
	open := map[string]func(string) (*File, error){"Open": d.Open, "Edit": d.Edit, "Create": d.Create, "Ensure": d.Ensure, "Append": d.Append}
	for way, open := range open {
		f, err := open(name)
		if err == nil {
			f.Write([]byte("overwritten"))
			f.Close()
		}
		errs[way] = err
	}
	_, errs["Stat"] = d.Stat(name)
	_, errs["ReadFile"] = d.ReadFile(name)
	_, errs["ReadBounded"] = d.ReadBounded(name, 1<<10)
	return errs
}

func TestNoLinkIsFollowed(t *testing.T) {
	for what, make := range map[string]func(t *testing.T, dir, canary string) (name string){
		"a link to a file outside": func(t *testing.T, dir, canary string) string {
			link(t, canary, filepath.Join(dir, "f"))
			return "f"
		},
		"a link to a file inside": func(t *testing.T, dir, canary string) string {
			check(t, os.WriteFile(filepath.Join(dir, "real"), []byte(secret), 0o644))
			link(t, "real", filepath.Join(dir, "f"))
			return "f"
		},
		"a link to nothing": func(t *testing.T, dir, canary string) string {
			link(t, filepath.Join(filepath.Dir(canary), "new"), filepath.Join(dir, "f"))
			return "f"
		},
		"a folder that is a link": func(t *testing.T, dir, canary string) string {
			link(t, filepath.Dir(canary), filepath.Join(dir, "sub"))
			return "sub/canary"
		},
		"a folder deep inside that is a link to a folder inside": func(t *testing.T, dir, canary string) string {
			check(t, os.MkdirAll(filepath.Join(dir, "a", "real"), 0o755))
			check(t, os.WriteFile(filepath.Join(dir, "a", "real", "f"), []byte(secret), 0o644))
			link(t, "real", filepath.Join(dir, "a", "b"))
			return "a/b/f"
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir, canary := t.TempDir(), outside(t)
			name := make(t, dir, canary)
			for way, err := range everyWay(In(dir), name) {
				if !errors.Is(err, ErrNotPlain) && !(way == "Create" && errors.Is(err, fs.ErrExist)) {
					t.Errorf("%s: got %v, want ErrNotPlain", way, err)
				}
			}
			unchanged(t, canary)
		})
	}
}

func unchanged(t *testing.T, canary string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(canary))
	check(t, err)
	data, err := os.ReadFile(canary)
	if err != nil || string(data) != secret || len(list) != 1 {
		t.Errorf("outside of the folder something changed: %q, %v, %d files", data, err, len(list))
	}
}

func TestReplaceDoesNotFollow(t *testing.T) {
	dir, canary := t.TempDir(), outside(t)
	d := In(dir)
	link(t, canary, filepath.Join(dir, "f"))
	link(t, canary, filepath.Join(dir, "f"+Temporary))
	check(t, d.WriteFile("f", []byte("new")))
	unchanged(t, canary)
	if data, err := d.ReadFile("f"); err != nil || string(data) != "new" {
		t.Errorf("got %q, %v", data, err)
	}
	link(t, filepath.Dir(canary), filepath.Join(dir, "sub"))
	for what, err := range map[string]error{
		"Replace": d.WriteFile("sub/canary", nil), "Remove": d.Remove("sub/canary"), "Mkdir": d.Mkdir("sub/x"),
		"Mkdir of a link": d.Mkdir("sub"), "Rename to": d.Rename("f", "sub/canary"), "Rename from": d.Rename("sub/canary", "g"),
	} {
		if !errors.Is(err, ErrNotPlain) {
			t.Errorf("%s: got %v, want ErrNotPlain", what, err)
		}
	}
	if _, err := d.ReadDir("sub"); !errors.Is(err, ErrNotPlain) {
		t.Errorf("ReadDir: got %v, want ErrNotPlain", err)
	}
	if _, err := Inner(filepath.Join(dir, "sub")).Open("canary"); !errors.Is(err, ErrNotPlain) {
		t.Errorf("a folder that is a link: got %v, want ErrNotPlain", err)
	}
	unchanged(t, canary)
}

func TestNamesThatLeadOut(t *testing.T) {
	dir, canary := t.TempDir(), outside(t)
	for _, name := range []string{"../x", "/etc/passwd", "a/../../x", canary} {
		if strings.HasPrefix(name, "/") {
			name = "../" + name
		}
		for way, err := range everyWay(In(dir), name) {
			if err == nil {
				t.Errorf("%s of %s: no error", way, name)
			}
		}
	}
	unchanged(t, canary)
}

func TestPersonMayNameALink(t *testing.T) {
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	link(t, "real", filepath.Join(dir, "named"))
	d := In(filepath.Join(dir, "named"))
	check(t, d.Mkdir("sub"))
	check(t, d.WriteFile("sub/f", []byte("x")))
	if data, err := os.ReadFile(filepath.Join(dir, "real", "sub", "f")); err != nil || string(data) != "x" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestHardLinksAreNotWritten(t *testing.T) {
	dir, canary := t.TempDir(), outside(t)
	if err := os.Link(canary, filepath.Join(dir, "f")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	d := In(dir)
	for way, open := range map[string]func(string) (*File, error){"Edit": d.Edit, "Ensure": d.Ensure, "Append": d.Append} {
		if _, err := open("f"); !errors.Is(err, ErrNotPlain) {
			t.Errorf("%s: got %v, want ErrNotPlain", way, err)
		}
	}
	if data, err := d.ReadFile("f"); err != nil || string(data) != secret {
		t.Errorf("a file with two names can't be read: %q, %v", data, err)
	}
	check(t, d.WriteFile("f", []byte("new"))) // replaces one of the names
	unchanged(t, canary)
}

func TestPlainDestinations(t *testing.T) {
	dir, canary := t.TempDir(), outside(t)
	path := filepath.Join(dir, "export.csv")
	link(t, canary, path)
	check(t, WriteFile(path, []byte("a,b")))
	unchanged(t, canary)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v, %v", info, err)
	}
	err := New(path, func(w io.Writer) error { return nil })
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("New over a file: got %v", err)
	}
	late := filepath.Join(dir, "late")
	err = New(late, func(w io.Writer) error { return os.WriteFile(late, []byte("mine"), 0o644) })
	if data, _ := os.ReadFile(late); !errors.Is(err, fs.ErrExist) || string(data) != "mine" {
		t.Errorf("New over a file that came in the meantime: got %v, %q", err, data)
	}
	check(t, os.Remove(late))
	boom := errors.New("boom")
	if err := Replace(path, func(w io.Writer) error { io.WriteString(w, "half"); return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v, want the error of the writer", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "a,b" {
		t.Errorf("a failed export changed the file: %q", data)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%d files are left, want 1", len(list))
	}
	if err := WriteFile(os.DevNull, []byte("x")); err != nil {
		t.Errorf("a device: %v", err)
	}
}

// TestReplaceUnderFaults fails each call in turn: afterwards there is the old or the new
// file, and the new one if there was no error.
func TestReplaceUnderFaults(t *testing.T) {
	for n := 1; ; n++ {
		d := In(t.TempDir())
		check(t, d.WriteFile("f", []byte("old")))
		calls := 0
		end := Inject(func(op Op, path string) error {
			if calls++; calls == n {
				return &Short{syscall.EIO}
			}
			return nil
		})
		err := d.WriteFile("f", []byte("new"))
		end()
		data, readErr := d.ReadFile("f")
		check(t, readErr)
		switch got := string(data); {
		case err == nil && got != "new", got != "old" && got != "new":
			t.Errorf("call %d failed: the error is %v, and the file holds %q", n, err, got)
		case err != nil && !errors.Is(err, syscall.EIO):
			t.Errorf("call %d failed: got %v", n, err)
		}
		check(t, d.WriteFile("f", []byte("again"))) // nothing is in the way
		if list, _ := d.ReadDir("."); len(list) != 1 {
			t.Errorf("call %d failed: %d files are left", n, len(list))
		}
		if calls < n {
			return
		}
	}
}

func TestFailedSyncIsFinal(t *testing.T) {
	d := In(t.TempDir())
	f, err := d.Create("f")
	check(t, err)
	defer f.Close()
	_, err = f.WriteString("x")
	check(t, err)
	end := Inject(func(op Op, path string) error {
		if op == OpSync {
			return syscall.EIO
		}
		return nil
	})
	first := f.Sync()
	end()
	_, write := f.WriteString("y")
	_, writeAt := f.WriteAt([]byte("y"), 0)
	for what, err := range map[string]error{"Sync": first, "Sync again": f.Sync(), "Write": write, "WriteAt": writeAt, "Truncate": f.Truncate(0)} {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: got %v, want EIO", what, err)
		}
	}
}

func TestShortWrite(t *testing.T) {
	d := In(t.TempDir())
	f, err := d.Create("f")
	check(t, err)
	defer f.Close()
	end := Inject(func(op Op, path string) error {
		if op == OpWrite {
			return &Short{syscall.ENOSPC}
		}
		return nil
	})
	n, err := f.WriteString("1234")
	end()
	data, _ := d.ReadFile("f")
	if n != 2 || !errors.Is(err, syscall.ENOSPC) || !bytes.Equal(data, []byte("12")) {
		t.Errorf("got %d, %v, %q; want half of it and ENOSPC", n, err, data)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	d := In(t.TempDir())
	_, err := d.Open("a/b")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), d.Path("a/b")) {
		t.Errorf("got %v, want the whole path and ErrNotExist", err)
	}
}
