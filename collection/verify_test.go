package collection_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/internal/frontier"
)

func idOf(i int) frontier.ID { return frontier.ID(i) }

func TestVerifySound(t *testing.T) {
	c := open(t, madeDir(t), true)
	v := verified(t, c)
	if !v.OK() {
		t.Fatalf("%v", v.Problems)
	}
	if v.Pages != madePages || !v.Replayed || v.URLs != c.Crawl.Books().Known || v.Records == 0 || v.Entries < madePages || v.Snapshots == 0 {
		t.Errorf("%+v", v)
	}
}

// The views may be older than the journal: after a crash, or before the first stop. That is
// no fault, and verify reports that it did not check them.
func TestVerifyViewsThatLag(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, dir string){
		"no summary": func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "state/summary.json")) },
		"a newer journal": func(t *testing.T, dir string) {
			older, files := readAll(t, filepath.Join(dir, "state/summary.json")), []string{"pages/pages.jsonl", "log/crawl.log"}
			crawlMade(t, dir, madePages+5)
			os.WriteFile(filepath.Join(dir, "state/summary.json"), older, 0o644)
			for _, f := range files {
				os.Truncate(filepath.Join(dir, f), 10)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			do(t, dir)
			if v := verified(t, open(t, dir, true)); !v.OK() || !strings.HasPrefix(v.Views, "not checked: ") {
				t.Errorf("%s %v", v.Views, v.Problems)
			}
		})
	}
	if v := verified(t, open(t, madeDir(t), true)); v.Views != collection.ViewsChecked || v.Captures == 0 {
		t.Errorf("%s, %d captures", v.Views, v.Captures)
	}
}

// A process that was killed leaves temporary files. Nothing reads them, so they are no problem.
func TestVerifyAfterAKill(t *testing.T) {
	dir := copied(t)
	for _, name := range []string{"state/snapshot-0000000000000001.snap.tmp", "crawl.yaml.tmp", "state/.dowse-abc.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if v := verified(t, open(t, dir, true)); !v.OK() {
		t.Errorf("%v", v.Problems)
	}
}

// flip changes one byte in the middle of the file that a pattern names.
func flip(t *testing.T, pattern string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no file %s", pattern)
	}
	name := names[len(names)-1]
	b := readAll(t, name)
	b[len(b)/2] ^= 0x10
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	sequential(t)
	for name, damage := range map[string]struct {
		do    func(t *testing.T, dir string)
		place string
	}{
		"journal":  {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "state", "journal-*.log")) }, "state/journal"},
		"archive":  {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "archive", "*.warc.gz")) }, "archive/"},
		"snapshot": {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "state", "snapshot-*.snap")) }, "state/snapshot"},
		"stranger": {func(t *testing.T, dir string) { os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644) }, "notes.txt"},
		"other temporary": {func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, "state", "notes.tmp"), nil, 0o644)
		}, "state/notes.tmp"},
		"temporary link": {func(t *testing.T, dir string) {
			os.Symlink("journal", filepath.Join(dir, "state", "snapshot-1.snap.tmp"))
		}, "state/snapshot-1.snap.tmp"},
		"index gone":    {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "indexes/index.cdxj")) }, "indexes/index.cdxj"},
		"index empty":   {func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, "indexes/index.cdxj"), 0) }, "indexes/index.cdxj"},
		"index flipped": {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "indexes/index.cdxj")) }, "indexes/index.cdxj"},
		"pages gone":    {func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "pages")) }, "pages/"},
		"pages flipped": {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "pages/pages.jsonl")) }, "pages/pages.jsonl"},
		"extra flipped": {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "pages/extraPages.jsonl")) }, "pages/extraPages.jsonl"},
		"log shorter":   {func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, "log/crawl.log"), 100) }, "log/crawl.log"},
		"summary":       {func(t *testing.T, dir string) { rewrite(dir, `"journal": \d`, `"journal": 0`) }, "state/summary.json"},
		"torn archive": {func(t *testing.T, dir string) {
			names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
			os.Truncate(names[0], int64(len(readAll(t, names[0]))-10))
		}, "archive/"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			damage.do(t, dir)
			v := verified(t, open(t, dir, true))
			if v.OK() {
				t.Fatal("nothing was found")
			}
			for _, p := range v.Problems {
				if strings.HasPrefix(p.Place, damage.place) && p.Do != "" && p.What != "" {
					return
				}
			}
			t.Errorf("problems are elsewhere: %v", v.Problems)
		})
	}
}

// What a crash or a full disk leaves at the end of the journal is no damage: it is counted, and the rest is checked, with a replay.
func TestVerifyTornJournal(t *testing.T) {
	dir := copied(t)
	names, err := filepath.Glob(filepath.Join(dir, "state", "journal-*.log"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no journal: %v", err)
	}
	last := names[len(names)-1]
	whole := readAll(t, last)
	begun := bytes.Repeat([]byte{0xfe}, 300) // of a record that is longer
	if err := os.WriteFile(last, append(whole[:len(whole):len(whole)], begun...), 0o644); err != nil {
		t.Fatal(err)
	}
	if v := verified(t, open(t, dir, true)); !v.OK() || v.Torn != 300 || !v.Replayed {
		t.Errorf("a torn end of 300 bytes: %d bytes, replayed %v, %v", v.Torn, v.Replayed, v.Problems)
	}
}

// A page whose place holds another page is found.
func TestVerifyFindsLostPage(t *testing.T) {
	dir := copied(t)
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	v := verified(t, open(t, dir, true))
	if v.OK() || v.Pages != 0 {
		t.Errorf("%d pages in an archive that is gone: %v", v.Pages, v.Problems)
	}
}
