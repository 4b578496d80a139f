package archive

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/internal/durable"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ prefix, host, want string }{
		{"reefs", "box", "REEFS-20261115120000123-00000-box.warc.gz"},
		{"", "Box.Example.org", "DOWSE-20261115120000123-00000-box.example.org.warc.gz"},
		{"tide pools/2026", "a b", "TIDE_POOLS_2026-20261115120000123-00000-a-b.warc.gz"},
		{"../../etc", "../x\x00", "ETC-20261115120000123-00000-x.warc.gz"},
		{"ünï", "::", "N-20261115120000123-00000-localhost.warc.gz"},
	} {
		got := fileName{prefix: prefixName(c.prefix), at: noon, host: hostName(c.host)}.String()
		if got != c.want {
			t.Errorf("%q %q: %s, want %s", c.prefix, c.host, got, c.want)
		}
		if n, ok := serialOf(got); !ok || n != 0 {
			t.Errorf("serial of %s: %d %v", got, n, ok)
		}
	}
	if got := hostName(""); !regexp.MustCompile(`^[a-z0-9.-]+$`).MatchString(got) {
		t.Errorf("this machine: %q", got)
	}
}

func TestWarcinfoRepeatsTheName(t *testing.T) {
	path, _ := written(t, 1)
	recs, blocks := readFile(t, path)
	if recs[0].Type() != "warcinfo" || recs[0].Header.Value("WARC-Filename") != filepath.Base(path) {
		t.Fatalf("first record: %v", recs[0].Header)
	}
	for _, want := range []string{"software: dowse/test", "format: WARC File Format 1.1", "isPartOf: REEFS", "hostname: box",
		"created: 2026-11-15T12:00:00.123Z", "serial: 0", "operator: someone@example.org", "robots: obey"} {
		if !strings.Contains(blocks[0], want+"\r\n") {
			t.Errorf("no %q in %q", want, blocks[0])
		}
	}
}

func TestWriterRotatesAndGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	opt := options()
	opt.MaxBytes = 10_000
	var places []dowse.Place
	for range 3 { // three sessions
		w, err := OpenWriter(dir, opt)
		check(t, err)
		for range 7 {
			p, err := w.Append(Encode(nil, page(len(places), 4000)))
			check(t, err)
			check(t, w.Sync())
			places = append(places, p)
		}
		check(t, w.Close())
	}
	paths, err := Files(dir)
	check(t, err)
	if len(paths) < 3 {
		t.Fatalf("%d files", len(paths))
	}
	for i, path := range paths {
		if n, _ := serialOf(filepath.Base(path)); n != i {
			t.Errorf("file %d has serial %d", i, n)
		}
		if r := sound(t, path); r.Types["warcinfo"] != 1 {
			t.Errorf("%s: %v", path, r.Types)
		}
		if info, _ := os.Stat(path); info.Size() > opt.MaxBytes {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
	}
	for i, p := range places {
		rec, err := At(filepath.Join(dir, p.File), p.Offset)
		check(t, err)
		if rec.Type() != "response" || rec.Target() != string(page(i, 1).URL) {
			t.Errorf("at %v: %s %s", p, rec.Type(), rec.Target())
		}
		if size, err := rec.Size(); err != nil || size != p.Length {
			t.Errorf("at %v: size %d, %v", p, size, err)
		}
		check(t, rec.Close())
	}
}

func TestAppendAndSyncTogether(t *testing.T) {
	opt := options()
	opt.MaxBytes = 20_000
	dir := t.TempDir()
	w, err := OpenWriter(dir, opt)
	check(t, err)
	e := Encode(nil, page(0, 3000))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 50 {
				if i == 0 {
					if err := w.Sync(); err != nil {
						t.Error(err)
					}
				} else if _, err := w.Append(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	check(t, w.Close())
	paths, _ := Files(dir)
	n := 0
	for _, path := range paths {
		n += sound(t, path).Types["response"]
	}
	if n != 150 {
		t.Errorf("%d responses, want 150", n)
	}
}

// TestFailedWriteLeavesNothing gives the writer a file that takes no bytes.
func TestFailedWriteLeavesNothing(t *testing.T) {
	path, places := written(t, 3)
	before, err := os.ReadFile(path)
	check(t, err)
	w, err := OpenWriter(filepath.Dir(path), options())
	check(t, err)
	whole := w.file
	d, name := durable.Split(path)
	w.file, err = d.Open(name) // can't be written
	check(t, err)
	if _, err := w.Append(Encode(nil, page(4, 100))); err == nil {
		t.Fatal("no error")
	}
	if _, again := w.Append(Encode(nil, page(4, 100))); again == nil {
		t.Error("a writer that could not undo its write went on")
	}
	w.file.Close()
	w.file, w.broken = whole, nil
	after, err := os.ReadFile(path)
	check(t, err)
	if string(before) != string(after) {
		t.Error("the file changed")
	}
	p, err := w.Append(Encode(nil, page(4, 100)))
	check(t, err)
	if p.Offset <= places[2].Offset {
		t.Error("wrote over an earlier record")
	}
	check(t, w.Close())
	sound(t, path)
}

func TestCreateFailsCleanly(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	name := fileName{prefix: "REEFS", at: noon, host: "box"}.String()
	check(t, os.Mkdir(filepath.Join(dir, name), 0o777)) // in the way
	if _, err := w.Append(Encode(nil, page(1, 10))); !errors.Is(err, os.ErrExist) {
		t.Fatalf("error is %v", err)
	}
	check(t, os.Remove(filepath.Join(dir, name)))
	if _, err := w.Append(Encode(nil, page(1, 10))); err != nil {
		t.Errorf("not after there was room: %v", err)
	}
	check(t, w.Close())
}
