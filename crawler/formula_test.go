package crawler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/crawler"
	"dowse/judge"
)

// TestFormulaThatChanged resumes a crawl whose words were judged by an earlier formula: a note reports it, once.
func TestFormulaThatChanged(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	cfg.Seeds = nil
	reopened := func() (notes string) {
		c, err := crawler.Open(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got := c.Collection.Settings.Formula; got != judge.WordsName {
			t.Errorf("the settings name %q", got)
		}
		return strings.Join(c.Notes, "\n")
	}
	if notes := reopened(); notes != "" {
		t.Errorf("nothing changed, and the notes are %q", notes)
	}
	file := filepath.Join(dir, "crawl.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(string(data), "formula: "+judge.WordsName+"\n", "", 1)
	if err := os.WriteFile(file, []byte(older), 0o600); err != nil || older == string(data) {
		t.Fatal(err, older)
	}
	if notes := reopened(); !strings.Contains(notes, judge.WordsName+", before words/1") {
		t.Errorf("the notes are %q", notes)
	}
	if notes := reopened(); notes != "" {
		t.Errorf("the change was reported before, and again: %q", notes)
	}
}
