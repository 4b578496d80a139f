package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The topic files of docs/examples can be checked without a fault and crawled on the
// synthetic web, and find something.
func TestExampleTopics(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	files, err := filepath.Glob("../../docs/examples/*.topic.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range files {
		file := filepath.Base(path)
		t.Run(file, func(t *testing.T) {
			if strings.HasPrefix(file, "e-") && noShell() {
				t.Skip("needs sh")
			}
			if code, out, errs := capture(t, "topic", "check", file, "--demo"); code != exitOK {
				t.Fatalf("code %d\n%s%s", code, out, errs)
			}
			out := strings.TrimSuffix(file, ".topic.yaml") + ".dowse"
			if code, _, errs := capture(t, "crawl", file, "--demo", "--pages", "60", "-o", out, "-q", "--print", "url", "--trust"); code != exitOK {
				t.Fatalf("code %d: %s", code, errs)
			}
			cr, err := view(out)
			if err != nil {
				t.Fatal(err)
			}
			defer cr.Close()
			if s := cr.Status(); s.Fetched != 60 || s.OnTopic < 15 {
				t.Errorf("%d of %d pages are on topic", s.OnTopic, s.Fetched)
			}
		})
	}
}

func noShell() bool {
	_, err := os.Stat("/bin/sh")
	return err != nil
}
