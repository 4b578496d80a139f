package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/internal/archive"
)

// runDowse runs the command as a process of its own and returns what it printed and its exit
// code. A panic fails the test.
func runDowse(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Args = append([]string{"dowse"}, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if strings.Contains(e.String(), "goroutine ") || cmd.ProcessState.ExitCode() < 0 {
		t.Errorf("dowse %v: %v\n%s", args, err, e.String())
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// demoCollection crawls 40 pages of the synthetic web.
func demoCollection(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d.dowse")
	if _, errs, code := runDowse(t, "demo", "-n", "40", "--web", "600", "-o", dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	return dir
}

// visitsAtOnce writes into the settings of a collection how many concurrent visits it made.
func visitsAtOnce(t *testing.T, dir string, n int) {
	t.Helper()
	s, err := collection.ReadSettings(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := collection.Collection{Dir: dir, Settings: s}
	c.Settings.Politeness.InFlight = n
	if err := c.SaveSettings(); err != nil {
		t.Fatal(err)
	}
}

// answersOf returns the answers that can be read in an archive: the digest of each block,
// by URL and date.
func answersOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, _ := archive.Files(filepath.Join(dir, "archive"))
	for _, path := range files {
		for k, err := range archive.Exchanges(path, func(archive.Loss) {}) {
			if err != nil {
				t.Fatal(err)
			}
			rec, err := archive.At(path, k.Offset)
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			if _, err := io.Copy(h, rec); err != nil {
				t.Fatal(err)
			}
			rec.Close()
			key := fmt.Sprintf("%s %s %s", k.Header.Value("WARC-Date"), k.Target(), k.Header.Value("WARC-Payload-Digest"))
			all[key] = fmt.Sprintf("%x", h.Sum(nil))
		}
	}
	return all
}

// A fault is something that happens to a file.
type fault struct {
	name string
	do   func(b []byte) []byte // nil removes the file
}

func flipped(share float64) func(b []byte) []byte {
	return func(b []byte) []byte {
		b[min(int(share*float64(len(b))), len(b)-1)] ^= 0x10
		return b
	}
}

func zeroed(share float64) func(b []byte) []byte {
	return func(b []byte) []byte {
		at := int(share * float64(len(b)))
		clear(b[at:min(at+4096, len(b))])
		return b
	}
}

func cutAt(share float64) func(b []byte) []byte {
	return func(b []byte) []byte { return b[:int(share*float64(len(b)))] }
}

var faults = []fault{
	{"removed", nil},
	{"emptied", cutAt(0)},
	{"cut in the middle", cutAt(0.5)},
	{"cut at its end", func(b []byte) []byte { return b[:len(b)-1] }},
	{"a bit at the beginning", flipped(0)},
	{"a bit in the middle", flipped(0.5)},
	{"a bit near the end", flipped(0.99)},
	{"zeros in the middle", zeroed(0.4)},
	{"zeros at the end", zeroed(0.98)},
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "x.dowse")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func harm(t *testing.T, path string, f fault) {
	t.Helper()
	if f.do == nil {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, f.do(b), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// contents reads all files below a directory, but for the lock, which names the last process.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "dowse.lock" {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryFileDamaged harms each file of journal and archive in turn in many ways, and
// runs every command on what is left: nothing of the archive is ever cut off or changed,
// no command panics, exit codes are those that are documented, and what can be read of the
// archive is in the collection that salvage makes, byte for byte.
func TestEveryFileDamaged(t *testing.T) {
	whole := demoCollection(t)
	for _, name := range append(namesOf(t, whole, "state"), namesOf(t, whole, "archive")...) {
		for _, f := range faults {
			t.Run(kindOf(name)+" "+f.name, func(t *testing.T) {
				t.Parallel()
				dir := copyDir(t, whole)
				harm(t, filepath.Join(dir, filepath.FromSlash(name)), f)
				tryEverything(t, dir, expected(kindOf(name), f.name))
			})
		}
	}
}

func namesOf(t *testing.T, dir, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, folder+"/"+e.Name())
	}
	return names
}

// kindOf is a name without what differs from run to run.
func kindOf(name string) string {
	return regexp.MustCompile(`-.*?(\.[a-z.]+)$`).ReplaceAllString(name, "$1")
}

// expected are the exit codes of crawl and verify, and the pages that an export of the
// list must have at least; -1 for a collection that can't be opened to read.
func expected(kind, fault string) (x expectation) {
	x.verify = []int{7, 8}
	switch {
	case strings.HasPrefix(kind, "state/journal"):
		x.crawl = 7
		if strings.Contains(fault, "removed") || strings.Contains(fault, "emptied") || strings.Contains(fault, "cut") || strings.HasSuffix(fault, "beginning") {
			x.pages = -1
		} else {
			x.pages = 30 // one record of the journal is lost, or the few in a block
		}
	case strings.HasPrefix(kind, "archive/"):
		x.pages = 40
		if strings.Contains(fault, "removed") || strings.Contains(fault, "emptied") || strings.Contains(fault, "cut") {
			x.crawl = 7
		}
	case strings.HasPrefix(kind, "state/snapshot"):
		x.pages = 40
		x.verify = []int{0, 8}
	default: // the summary: it is made again
		x.pages = 40
		x.verify = []int{8}
		switch {
		case strings.Contains(fault, "removed"):
			x.verify = []int{0}
		case strings.Contains(fault, "end"): // only the line break may be missing
			x.verify = []int{0, 8}
		}
	}
	return x
}

type expectation struct {
	crawl  int
	verify []int
	pages  int
}

func tryEverything(t *testing.T, dir string, want expectation) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "x.jsonl")
	before := contents(t, dir)
	looking := []struct {
		args  []string
		codes []int
	}{
		{[]string{"status", dir}, []int{0, 7}},
		{[]string{"collection", "info", dir}, []int{0, 7}},
		{[]string{"collection", "verify", dir}, want.verify},
		{[]string{"export", dir, list, "--all", "--text"}, []int{0, 7}},
		{[]string{"export", dir, filepath.Join(t.TempDir(), "x.wacz")}, []int{0, 7}},
		{[]string{"export", dir, filepath.Join(t.TempDir(), "x.warc.gz"), "--all"}, []int{0, 7}},
	}
	for _, l := range looking {
		if _, errs, code := runDowse(t, l.args...); !slices.Contains(l.codes, code) {
			t.Errorf("%v: exit code %d: %s", l.args[:2], code, errs)
		}
	}
	if b, err := os.ReadFile(list); (err == nil) != (want.pages >= 0) || bytes.Count(b, []byte("\n")) < want.pages {
		t.Errorf("the export has %d pages; want %d or more: %v", bytes.Count(b, []byte("\n")), want.pages, err)
	}
	for name, is := range contents(t, dir) {
		if is != before[name] {
			t.Errorf("%s was changed by a command that only reads", name)
		}
	}
	salvaged(t, dir)
	if after := contents(t, dir); len(after) != len(before) {
		t.Errorf("salvage changed the directory: %d files, %d", len(before), len(after))
	}
	_, errs, code := runDowse(t, "crawl", dir, "--pages", "42")
	if code != want.crawl {
		t.Errorf("crawl: exit code %d, want %d: %s", code, want.crawl, errs)
	}
	if code == 7 && !strings.Contains(errs, "dowse collection salvage") {
		t.Errorf("crawl does not say what to do: %s", errs)
	}
	after := contents(t, dir)
	for name, was := range before {
		if strings.HasPrefix(name, "archive/") && !strings.HasPrefix(after[name], was) {
			t.Errorf("crawl (exit code %d) took something off %s: %s", code, name, errs)
		}
		if code == 7 && name != "dowse.lock" && after[name] != was {
			t.Errorf("crawl refused, and changed %s", name)
		}
	}
}

// salvaged rebuilds a collection and checks that all is there that can be read.
func salvaged(t *testing.T, dir string, args ...string) (to string, report map[string]any) {
	t.Helper()
	to = filepath.Join(t.TempDir(), "n.dowse")
	out, errs, code := runDowse(t, append([]string{"collection", "salvage", dir, "-o", to, "--json"}, args...)...)
	if code != 0 && code != 7 {
		t.Errorf("salvage: exit code %d: %s", code, errs)
		return to, nil
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("salvage: %v: %q, %s", err, out, errs)
	}
	want, got := answersOf(t, dir), answersOf(t, to)
	for key, digest := range want {
		if got[key] != digest && !strings.HasSuffix(strings.Fields(key)[1], "/robots.txt") {
			t.Errorf("%s can be read and was not taken over as it was", key)
		}
	}
	if _, errs, code := runDowse(t, "collection", "verify", to); code != 0 {
		t.Errorf("verify of what was salvaged: exit code %d: %s", code, errs)
	}
	return to, report
}

func pagesIn(t *testing.T, dir string) []string {
	t.Helper()
	out, errs, code := runDowse(t, "export", dir, "-", "--all", "--fields", "url")
	if code != 0 {
		t.Fatalf("export: exit code %d: %s", code, errs)
	}
	lines := strings.Fields(out)
	slices.Sort(lines)
	return lines
}

// halfTheRecords returns the first half of a journal, cut between two records.
func halfTheRecords(b []byte) []byte {
	end := len("dowsej2\n")
	for end < len(b)/2 {
		end += 12 + int(binary.LittleEndian.Uint32(b[end:]))
	}
	return b[:end]
}

// TestNothingIsCutBeforeAllIsChecked tears the end of the journal and shortens the archive: the
// first alone is mended, but with the second the collection is refused as it is.
func TestNothingIsCutBeforeAllIsChecked(t *testing.T) {
	dir := demoCollection(t)
	for _, file := range append(namesOf(t, dir, "state"), namesOf(t, dir, "archive")...) {
		path := filepath.Join(dir, filepath.FromSlash(file))
		switch {
		case strings.HasPrefix(file, "state/journal"):
			harm(t, path, fault{do: func(b []byte) []byte { return b[:len(b)-3] }})
		case strings.HasPrefix(file, "archive/"):
			harm(t, path, fault{do: cutAt(0.5)})
		default:
			harm(t, path, fault{})
		}
	}
	before := contents(t, dir)
	if _, errs, code := runDowse(t, "crawl", dir); code != 7 || !strings.Contains(errs, "nothing was changed") {
		t.Errorf("exit code %d, want 7: %s", code, errs)
	}
	if !maps.Equal(before, contents(t, dir)) {
		t.Error("it refused, and changed the collection")
	}
}

// TestJournalWithoutWitness harms the journal where no snapshot and no summary records how long
// it was: the archive alone shows that it is not what a crash leaves. What a crash does leave
// is cut off as before: the last entry, and the page of it, which is fetched again.
func TestJournalWithoutWitness(t *testing.T) {
	whole := demoCollection(t)
	visitsAtOnce(t, whole, 8)
	for name, c := range map[string]struct {
		harm func(b []byte) []byte
		as   string // another name of the segment
		code int
	}{
		"half":          {harm: cutAt(0.5), code: 7},
		"a tenth":       {harm: cutAt(0.1), code: 7},
		"only its head": {harm: func(b []byte) []byte { return b[:8] }, code: 7},
		"whole records": {harm: halfTheRecords, code: 7},
		"not the first": {harm: cutAt(1), as: "journal-0000000000001000.log", code: 7},
		"torn":          {harm: func(b []byte) []byte { return b[:len(b)-3] }, code: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyDir(t, whole)
			for _, file := range namesOf(t, dir, "state") {
				path := filepath.Join(dir, filepath.FromSlash(file))
				if !strings.HasPrefix(file, "state/journal") {
					harm(t, path, fault{})
					continue
				}
				harm(t, path, fault{do: c.harm})
				if c.as != "" {
					if err := os.Rename(path, filepath.Join(dir, "state", c.as)); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := contents(t, dir)
			_, errs, verdict := runDowse(t, "collection", "verify", dir)
			if c.code != 0 && verdict != 7 && verdict != 8 {
				t.Errorf("verify exits with %d: %s", verdict, errs)
			}
			_, errs, code := runDowse(t, "pages", dir)
			if noted := strings.Contains(errs, "note: "+dir+" is damaged"); code == 0 && noted != (c.code != 0) {
				t.Errorf("pages prints %q", errs)
			}
			_, errs, code = runDowse(t, "crawl", dir)
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, errs)
			}
			if after := contents(t, dir); code == 7 && !maps.Equal(before, after) {
				t.Error("it refused, and changed the collection")
			}
			if code == 7 {
				to, report := salvaged(t, dir)
				if got := pagesIn(t, to); len(got) != 40 {
					t.Errorf("%d pages of 40: %v", len(got), report)
				}
				return
			}
			if got := pagesIn(t, dir); len(got) != 40 || !strings.Contains(errs, "cut off") {
				t.Errorf("%d pages of 40: %s", len(got), errs)
			}
		})
	}
}

// TestSalvage rebuilds collections of which whole files are missing, and one of the older
// format: the pages are all there, and the crawl goes on.
func TestSalvage(t *testing.T) {
	whole := demoCollection(t)
	pages := pagesIn(t, whole)
	for name, c := range map[string]struct {
		harm func(dir string) error
		args []string
	}{
		"nothing missing": {harm: func(string) error { return nil }},
		"older format": {harm: func(dir string) error {
			path := filepath.Join(dir, "crawl.yaml")
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(b, []byte("collection/v2"), []byte("collection/v1"), 1), 0o644)
		}},
		"no state":      {harm: func(dir string) error { return os.RemoveAll(filepath.Join(dir, "state")) }},
		"no crawl.yaml": {harm: func(dir string) error { return os.Remove(filepath.Join(dir, "crawl.yaml")) }},
		"no topic.yaml": {harm: func(dir string) error { return os.Remove(filepath.Join(dir, "topic.yaml")) }, args: []string{"tide pools"}},
		"archive alone": {harm: func(dir string) error {
			for _, name := range []string{"state", "crawl.yaml", "topic.yaml", "pages", "log", "indexes", "README.md"} {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
			return nil
		}, args: []string{"tide pools"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyDir(t, whole)
			if err := c.harm(dir); err != nil {
				t.Fatal(err)
			}
			if name != "nothing missing" {
				_, errs, code := runDowse(t, "crawl", dir)
				if code != 7 || !strings.Contains(errs, "dowse collection salvage") {
					t.Errorf("crawl: exit code %d: %s", code, errs)
				}
			}
			to, report := salvaged(t, dir, c.args...)
			if got := pagesIn(t, to); !slices.Equal(got, pages) {
				t.Errorf("%d pages of %d: %v", len(got), len(pages), report)
			}
			if name == "no crawl.yaml" || name == "archive alone" {
				return // which web it was is not known any more
			}
			if _, errs, code := runDowse(t, "crawl", to, "--pages", "50"); code != 0 {
				t.Errorf("crawl goes on: exit code %d: %s", code, errs)
			}
			if got := pagesIn(t, to); len(got) != 50 {
				t.Errorf("%d pages after the crawl went on; want 50", len(got))
			}
			if _, errs, code := runDowse(t, "collection", "verify", to); code != 0 {
				t.Errorf("verify after the crawl went on: exit code %d: %s", code, errs)
			}
		})
	}
}

// TestSalvageKeepsTakedowns takes a page down and rebuilds the collection: it is neither
// there nor fetched again. Labels that stand are taken over.
func TestSalvageKeepsTakedowns(t *testing.T) {
	dir := demoCollection(t)
	var gone, labelled string
	for _, line := range pagesIn(t, dir) {
		u := strings.TrimSuffix(strings.TrimPrefix(line, `{"url":"`), `"}`)
		if gone == "" {
			gone = u
		} else if labelled == "" {
			labelled = u
		}
	}
	if _, errs, code := runDowse(t, "forget", dir, gone, "--because", "its owner asked", "--yes"); code != 0 {
		t.Fatalf("forget: exit code %d: %s", code, errs)
	}
	lines := filepath.Join(t.TempDir(), "labels.tsv")
	if err := os.WriteFile(lines, []byte(labelled+"\toff\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := runDowse(t, "label", dir, "--from", lines); code != 0 {
		t.Fatalf("label: exit code %d: %s", code, errs)
	}
	if err := os.RemoveAll(filepath.Join(dir, "indexes")); err != nil {
		t.Fatal(err)
	}
	to, report := salvaged(t, dir)
	if report["forgotten"] != 1.0 || report["labels"] != 1.0 {
		t.Errorf("%v", report)
	}
	if _, errs, code := runDowse(t, "crawl", to, "--pages", "60"); code != 0 {
		t.Fatalf("crawl: exit code %d: %s", code, errs)
	}
	if slices.Contains(pagesIn(t, to), `{"url":"`+gone+`"}`) {
		t.Errorf("%s was taken down and is back", gone)
	}
	for key := range answersOf(t, to) {
		if strings.Fields(key)[1] == gone {
			t.Errorf("%s was taken down and is in the archive", gone)
		}
	}
}
