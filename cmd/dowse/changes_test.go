package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
	"dowse/topic"
)

// changedCollection makes a collection of pages that changed, vanished and stayed as they were.
func changedCollection(t *testing.T) string {
	t.Helper()
	web := demo.New(demo.Config{Pages: 1000, Latency: -1, SlowLatency: -1}).Changing(time.Now())
	var skew atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }
	dir := filepath.Join(t.TempDir(), "x.dowse")
	for _, refresh := range []string{"", "7d", "auto", "7d", "7d"} {
		c, err := crawler.Open(dir, crawler.Config{
			Topic: topic.FromWords([]string{"tide", "pools", "anemones"}), Seeds: []string{"http://shorewalks.demo/"},
			Settings: settings.Settings{
				Order: settings.Order{Strategy: "breadth-first", Refresh: refresh}, Key: 7,
				Limits: settings.Limits{Pages: 40}, Politeness: settings.Politeness{Delay: -1, InFlight: 1},
			},
			Transport: web.RoundTripper(now), Clock: now,
		})
		if err != nil {
			t.Fatal(err)
		}
		for range c.Crawl(t.Context()) {
		}
		if err := c.Close(); err != nil || c.Err() != nil {
			t.Fatal(err, c.Err())
		}
		skew.Add(int64(60 * 24 * time.Hour))
	}
	return dir
}

// runHere runs a command and returns exit code and output.
func runHere(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	w := &world{out: &o, err: &e, in: strings.NewReader(""), env: noEnv, ctx: context.Background(), abort: context.Background()}
	return run(w, args), o.String(), e.String()
}

// The summary of a run separates what it asked again from what all runs did.
func TestAgainLine(t *testing.T) {
	var none, one, two crawl.Status
	one.Refresh.Changed, one.Refresh.Unchanged = 2, 3
	two.Refresh.Changed, two.Refresh.Unchanged, two.Refresh.Missing, two.Refresh.Gone = 3, 3, 1, 1
	for _, x := range []struct {
		before, after crawl.Status
		want          string
	}{
		{none, none, ""},
		{none, one, "2 changed, 3 unchanged, 0 missing"},
		{one, one, "no page in this run; over all runs 2 changed, 3 unchanged, 0 missing"},
		{one, two, "1 changed, 0 unchanged, 1 missing, 1 of them gone; over all runs 3 changed, 3 unchanged, 1 missing, 1 of them gone"},
	} {
		if got := againLine(x.before, x.after); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// The history of pages can be read: as a feed, page by page, word by word and as an export.
func TestHistory(t *testing.T) {
	dir := changedCollection(t)
	code, out, errs := runHere("changes", dir, "--json")
	if code != exitOK {
		t.Fatalf("%d: %s", code, errs)
	}
	kinds, changed, gone := map[string]int{}, "", ""
	for line := range strings.Lines(out) {
		var x struct{ Schema, What, URL string }
		if err := json.Unmarshal([]byte(line), &x); err != nil || x.Schema != "change/v1" {
			t.Fatalf("%v: %s", err, line)
		}
		kinds[x.What]++
		switch x.What {
		case "changed":
			changed = x.URL
		case "gone":
			gone = x.URL
		}
	}
	if kinds["new"] < 5 || kinds["changed"] < 3 || kinds["gone"] < 1 {
		t.Fatalf("events %v", kinds)
	}
	if _, out, _ := runHere("changes", dir); strings.Count(out, "\n") != kinds["new"]+kinds["changed"]+kinds["gone"]+kinds["moved"] {
		t.Errorf("as text:\n%s", out)
	}
	if _, out, errs := runHere("changes", dir, "--since", "2099-01-01"); out != "" || !strings.Contains(errs, "0 changes") {
		t.Errorf("of a time to come: %q, %q", out, errs)
	}

	_, out, _ = runHere("why", dir, changed)
	if !strings.Contains(out, "versions") || !strings.Contains(out, " 2: ") {
		t.Errorf("why lists no versions:\n%s", out)
	}
	_, out, _ = runHere("why", dir, gone)
	if !strings.Contains(out, "missing 3 times") || !strings.Contains(out, "gone") {
		t.Errorf("why of a page that is gone:\n%s", out)
	}

	code, out, errs = runHere("diff", dir, changed)
	if code != exitOK || !strings.Contains(out, "\n+ ") || !strings.Contains(out, "added") {
		t.Errorf("diff: %d %s\n%s", code, errs, out)
	}
	var d wordDiff
	_, out, _ = runHere("diff", dir, changed, "--from", "1", "--json")
	if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.Added) == 0 || d.Versions < 2 {
		t.Errorf("%v: %s", err, out)
	}
	for _, args := range [][]string{{"diff", dir, changed, "--from", "9"}, {"diff", dir, changed, "--from", "0"}, {"diff", dir, changed, "--to", "0"}, {"export", dir, filepath.Join(t.TempDir(), "x.jsonl"), "--min-score", "nan"}, {"diff", dir, changed, "--from", "-1"}, {"diff", dir, "nowhere.demo/"}, {"diff", dir, "shorewalks.demo/robots.txt"}} {
		if code, _, errs := runHere(args...); code != exitUsage || errs == "" {
			t.Errorf("%v: %d %s", args[2:], code, errs)
		}
	}

	file := filepath.Join(t.TempDir(), "changed.jsonl")
	if code, _, errs := runHere("export", dir, file, "--changed-since", "1h", "--all"); code != exitOK {
		t.Fatalf("export: %s", errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := filepath.Join(t.TempDir(), "all.jsonl")
	runHere("export", dir, all, "--all")
	whole, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	if n, m := bytes.Count(data, []byte("\n")), bytes.Count(whole, []byte("\n")); n == 0 || n >= m || m != 40 || !strings.Contains(string(data), changed) {
		t.Errorf("%d of %d pages have changed", n, m)
	}
	wacz := filepath.Join(t.TempDir(), "x.wacz")
	if code, _, errs := runHere("export", dir, wacz); code != exitOK {
		t.Errorf("export of a WACZ: %s", errs)
	}
	// A run of a collection whose pages changed leads to the changes.
	if _, _, errs := runHere("crawl", dir, "--refresh", "none", "--trust", "--contact", "https://example.org/bot"); !strings.Contains(errs, "dowse changes ") || !strings.Contains(errs, "asked again: no page in this run; over all runs ") {
		t.Errorf("a run names no list of changes, or what it asked again:\n%s", errs)
	}
	if code, _, errs := runHere("collection", "verify", dir); code != exitOK {
		t.Errorf("verify: %s", errs)
	}
}
