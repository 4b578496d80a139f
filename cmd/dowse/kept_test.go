package main

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/archive"
)

// tailsOf returns the files with what was cut off the archive of a collection.
func tailsOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "state", "uncommitted-*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// answersIn returns the answers that can be read in a WARC file, by URL and date.
func answersIn(t *testing.T, path string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for k, err := range archive.Exchanges(path, func(archive.Loss) {}) {
		if err != nil {
			t.Fatal(err)
		}
		all[k.Header.Value("WARC-Date")+" "+k.Target()] = true
	}
	return all
}

// allAnswers returns the answers of the archive of a collection, and those that were cut off.
func allAnswers(t *testing.T, dir string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	files, _ := archive.Files(filepath.Join(dir, "archive"))
	for _, path := range append(files, tailsOf(t, dir)...) {
		maps.Copy(all, answersIn(t, path))
	}
	return all
}

// shortJournal cuts the journal of a collection to a share of its length and removes what
// records its length.
func shortJournal(t *testing.T, dir string, share float64) {
	t.Helper()
	for _, pattern := range []string{"state/snapshot-*", "state/summary.json", "pages/*", "indexes/*", "log/crawl.log", "README.md"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range names {
			ok(t, os.Remove(name))
		}
	}
	names, _ := filepath.Glob(filepath.Join(dir, "state", "journal-*.log"))
	if len(names) != 1 {
		t.Fatalf("journal: %v", names)
	}
	info, err := os.Stat(names[0])
	ok(t, err)
	ok(t, os.Truncate(names[0], int64(share*float64(info.Size()))))
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Pages that a shortened journal does not know of are cut off the archive, and are kept: the
// notice says where, salvage takes them over, and forget removes them.
func TestCutTailIsKept(t *testing.T) {
	dir := demoCollection(t)
	visitsAtOnce(t, dir, 64)
	before := allAnswers(t, dir)
	shortJournal(t, dir, 0.4)
	_, errs, code := runDowse(t, "crawl", dir, "-q")
	tails := tailsOf(t, dir)
	if code != exitOK || len(tails) == 0 || !strings.Contains(errs, "kept in state/"+filepath.Base(tails[0])) || strings.Count(errs, "not committed") != 1 {
		t.Fatalf("code %d, %v: %s", code, tails, errs)
	}
	after := allAnswers(t, dir)
	for a := range before {
		if !after[a] {
			t.Errorf("%s is lost", a)
		}
	}
	if _, errs, code := runDowse(t, "collection", "verify", dir); code != exitOK {
		t.Errorf("verify: code %d: %s", code, errs)
	}
	salvagedTails(t, dir, before)
	rows, _, _ := runDowse(t, "pages", dir, "-n", "1")
	url := "http" + strings.Fields(strings.SplitN(rows, "http", 2)[1])[0]
	if _, errs, code := runDowse(t, "forget", dir, url, "--because", "the owner asked", "--yes"); code != exitOK {
		t.Fatalf("forget: code %d: %s", code, errs)
	}
	if left := tailsOf(t, dir); len(left) > 0 {
		t.Errorf("forget left %v", left)
	}
}

// salvagedTails rebuilds a collection whose own crawl never came back to some pages: every
// URL that was answered is in the new archive.
func salvagedTails(t *testing.T, dir string, answers map[string]bool) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "n.dowse")
	files, _ := archive.Files(filepath.Join(dir, "archive"))
	kept := map[string]bool{}
	for _, path := range files {
		for a := range answersIn(t, path) {
			kept[strings.Fields(a)[1]] = true
		}
	}
	text, errs, code := runDowse(t, "collection", "salvage", dir, "-o", out)
	if code != exitOK {
		t.Fatalf("salvage: code %d: %s", code, errs)
	}
	new := map[string]bool{}
	for a := range allAnswers(t, out) {
		new[strings.Fields(a)[1]] = true
	}
	only := 0
	for a := range answers {
		u := strings.Fields(a)[1]
		if !kept[u] && !strings.HasSuffix(u, "/robots.txt") {
			only++
		}
		if !new[u] {
			t.Errorf("salvage lost %s", u)
		}
	}
	if only > 0 && !strings.Contains(text, "had been cut off the archive") {
		t.Errorf("%d pages only in tails: %s", only, text)
	}
}

// Of the files with what was cut off the newest eight are kept.
func TestCutTailsAreBounded(t *testing.T) {
	dir := demoCollection(t)
	visitsAtOnce(t, dir, 64)
	old := time.Now().Add(-time.Hour)
	for i := range 10 {
		name := filepath.Join(dir, "state", "uncommitted-OLD-"+string(rune('a'+i))+".warc.gz")
		ok(t, os.WriteFile(name, []byte("old"), 0o644))
		ok(t, os.Chtimes(name, old, old.Add(time.Duration(i)*time.Minute)))
	}
	shortJournal(t, dir, 0.4)
	if _, errs, code := runDowse(t, "crawl", dir, "-q"); code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	var names []string
	for _, path := range tailsOf(t, dir) {
		names = append(names, filepath.Base(path))
	}
	if len(names) != 8 || slices.Contains(names, "uncommitted-OLD-c.warc.gz") || !slices.Contains(names, "uncommitted-OLD-d.warc.gz") {
		t.Errorf("kept %v", names)
	}
}

// A takedown remains in force when the journal is lost: salvage knows of it from crawl.yaml. No label
// brings the URL back, neither before nor after.
func TestTakedownWithoutJournal(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 12, "barnacle")
	s.forget(t, dir, 1, 3)
	refusesLabel(t, dir, s.URL+markedPath(1))
	names, _ := filepath.Glob(filepath.Join(dir, "state", "*"))
	for _, name := range names {
		ok(t, os.Remove(name))
	}
	out := filepath.Join(t.TempDir(), "n.dowse")
	text := command(t, exitOK, "collection", "salvage", dir, "-o", out)
	if !strings.Contains(text, "2 URLs stay so") {
		t.Errorf("salvage: %s", text)
	}
	s.mu.Lock()
	clear(s.hits)
	s.mu.Unlock()
	command(t, exitOK, "crawl", out, "-n", "40", "-q", "--trust")
	if len(s.hits) < 3 || s.hits[markedPath(1)]+s.hits[markedPath(3)] > 0 {
		t.Errorf("asked for: %v", s.hits)
	}
	s.goneWith(t, out, 1, 3)
	refusesLabel(t, out, s.URL+markedPath(3))
}

func refusesLabel(t *testing.T, dir, url string) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "labels.tsv")
	ok(t, os.WriteFile(from, []byte(url+"\ton\n"), 0o644))
	before, _ := os.ReadFile(filepath.Join(dir, "labels.jsonl"))
	code, _, errs := capture(t, "label", dir, "--from", from)
	if code != exitUsage || !strings.Contains(errs, "taken down") {
		t.Errorf("label: code %d: %s", code, errs)
	}
	direct := collection.AppendLabels(dir, collection.Label{URL: dowse.URL(url), Label: collection.LabelOn})
	if !errors.Is(direct, collection.ErrForgotten) {
		t.Errorf("AppendLabels: %v", direct)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "labels.jsonl")); string(after) != string(before) {
		t.Errorf("labels.jsonl was written to: %s", after)
	}
	command(t, exitOK, "collection", "verify", dir)
}

// A takedown that was interrupted is ended by the same command, which says so.
func TestForgetAgainAfterABreak(t *testing.T) {
	s := newMarkedSite(t)
	host := strings.TrimPrefix(s.URL, "http://")
	for name, args := range map[string][]string{
		"a page":   {s.URL + markedPath(1)},
		"a host":   {"--host", host},
		"a prefix": {"--prefix", s.URL + "/"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x.dowse")
			s.crawl(t, dir, 6, "barnacle")
			bar := filepath.Join(dir, "log", "bar.tmp") // a folder that can't be removed as a file
			ok(t, os.MkdirAll(filepath.Join(bar, "x"), 0o755))
			all := append([]string{"forget", dir, "--because", "asked", "--yes"}, args...)
			if code, out, errs := capture(t, all...); code == exitOK {
				t.Fatalf("it was not interrupted: %s%s", out, errs)
			}
			ok(t, os.RemoveAll(bar))
			if out := command(t, exitOK, all...); !strings.Contains(out, "took down "+s.URL+markedPath(1)) || !strings.Contains(out, "complete now") {
				t.Errorf("the same command says: %s", out)
			}
			command(t, exitOK, "collection", "verify", dir)
		})
	}
}

// TestForgetHostWithoutPort: a host is known with its port, and the error suggests it to
// a user who left the port out.
func TestForgetHostWithoutPort(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 3, "barnacle")
	host := strings.TrimPrefix(s.URL, "http://")
	name, _, _ := strings.Cut(host, ":")
	code, _, errs := capture(t, "forget", dir, "--host", name, "--because", "asked", "--yes")
	if code != exitUsage || !strings.Contains(errs, "a port is part of the host: "+host) {
		t.Errorf("code %d: %s", code, errs)
	}
}

// What is said once is enough.
func TestLockedIsSaidOnce(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 3, "barnacle")
	c, err := collection.Open(dir, nil, false)
	ok(t, err)
	defer c.Close()
	code, _, errs := capture(t, "forget", dir, s.URL+markedPath(1), "--because", "asked", "--yes")
	if code != exitCollection || strings.Count(errs, "Stop it first") != 1 {
		t.Errorf("code %d: %s", code, errs)
	}
}

// A file with several names may be another file of the machine: it is not packed.
func TestNoHardLinksInAPackage(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 3, "barnacle")
	secret := filepath.Join(t.TempDir(), "secret")
	ok(t, os.WriteFile(secret, []byte("the secret of the machine"), 0o600))
	readme := filepath.Join(dir, "README.md")
	ok(t, os.Remove(readme))
	if err := os.Link(secret, readme); err != nil {
		t.Skip("no hard links here:", err)
	}
	out := filepath.Join(t.TempDir(), "x.wacz")
	code, _, errs := capture(t, "export", dir, out)
	if code != exitOK || !strings.Contains(errs, "README.md has several names") {
		t.Errorf("code %d: %s", code, errs)
	}
	z, err := zip.OpenReader(out)
	ok(t, err)
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		ok(t, err)
		data, err := io.ReadAll(r)
		ok(t, err)
		if strings.Contains(string(data), "the secret") {
			t.Errorf("%s holds the secret", f.Name)
		}
	}
}

// An export never goes into a collection.
func TestExportStaysOutside(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 3, "barnacle")
	files, err := archive.Files(filepath.Join(dir, "archive"))
	ok(t, err)
	link := filepath.Join(t.TempDir(), "link")
	ok(t, os.Symlink(filepath.Join(dir, "archive"), link))
	for _, out := range []string{
		files[0], filepath.Join(link, filepath.Base(files[0])), filepath.Join(dir, "topic.yaml.jsonl"), filepath.Join(dir, "state", "x.wacz"),
	} {
		before := sizes(t, dir)
		code, _, errs := capture(t, "export", dir, out, "--force", "--all")
		if code != exitUsage || !strings.Contains(errs, "inside a collection") || !maps.Equal(before, sizes(t, dir)) {
			t.Errorf("%s: code %d: %s", out, code, errs)
		}
	}
}

func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	ok(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all[path] = info.Size()
		}
		return err
	}))
	return all
}

// What a person can mend is no internal error.
func TestExitCodesOfOwnTrouble(t *testing.T) {
	s, base := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, base, 3, "barnacle")
	file := filepath.Join(t.TempDir(), "file")
	ok(t, os.WriteFile(file, nil, 0o644))
	for _, args := range [][]string{
		{"crawl", ""}, {"crawl", "...", "--seed", s.URL, "--allow-net", "127.0.0.1"},
		{"crawl", "", "--seed", s.URL, "--allow-net", "127.0.0.1", "-o", filepath.Join(t.TempDir(), "n.dowse")},
		{"crawl", "barnacle", "--seed", s.URL, "--allow-net", "127.0.0.1", "-o", filepath.Join(file, "x.dowse")},
		{"crawl", "barnacle", "--seed", s.URL, "--allow-net", "127.0.0.1", "-o", file},
	} {
		if code, out, errs := capture(t, args...); code != exitUsage || (args[1] != "barnacle") != strings.Contains(errs, "contains no words") {
			t.Errorf("%q: code %d: %s%s", args, code, out, errs)
		}
	}
	for _, name := range []string{"log/sittings.jsonl", "labels.jsonl", "README.md", "archive", "models"} {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x.dowse")
			ok(t, os.CopyFS(dir, os.DirFS(base)))
			path := filepath.Join(dir, name)
			ok(t, os.RemoveAll(path))
			ok(t, os.Symlink(t.TempDir(), path))
			code, out, errs := capture(t, "crawl", dir, "-n", "5", "-q", "--trust")
			if code != exitCollection && !(name == "README.md" && code == exitOK) {
				t.Errorf("crawl: code %d: %s%s", code, out, errs)
			}
			from := filepath.Join(t.TempDir(), "l")
			ok(t, os.WriteFile(from, []byte(s.URL+markedPath(1)+"\ton\n"), 0o644))
			for _, args := range [][]string{
				{"label", dir, "--from", from}, {"label", dir, "--list"}, {"export", dir, filepath.Join(t.TempDir(), "x.wacz")},
				{"forget", dir, s.URL + markedPath(1), "--because", "asked", "--yes"},
			} {
				if code, out, errs := capture(t, args...); code == exitInternal {
					t.Errorf("%q: code %d: %s%s", args, code, out, errs)
				}
			}
		})
	}
}

// A salvage that was killed leaves NEW.part; the next one says that it can be deleted.
func TestSalvageAfterAKilledOne(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 3, "barnacle")
	out := filepath.Join(t.TempDir(), "n.dowse")
	ok(t, os.MkdirAll(filepath.Join(out+".part", "archive"), 0o755))
	code, _, errs := capture(t, "collection", "salvage", dir, "-o", out)
	if code != exitUsage || !strings.Contains(errs, "interrupted, delete it") {
		t.Errorf("code %d: %s", code, errs)
	}
	ok(t, os.RemoveAll(out+".part"))
	command(t, exitOK, "collection", "salvage", dir, "-o", out)
}
