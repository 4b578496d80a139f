package experiment

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/lab/web"
	"dowse/strategy"
)

// own is a strategy of a program: the links of a page, the last first.
type own struct{}

func (own) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for i, l := range p.Links {
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: float64(i)})
	}
	return leads
}

// described describes it.
func described() strategy.Description {
	return strategy.Describe("own", "ours", "the last link first", func() dowse.Strategy { return &own{} })
}

// TestOwnStrategies runs a strategy of the program. Its run can be reported on without it,
// and verified with it only.
func TestOwnStrategies(t *testing.T) {
	text := changed("random,", "own,")
	if _, err := Parse([]byte(text), "x.yaml"); err == nil || !strings.Contains(err.Error(), `unknown strategy "own"`) {
		t.Fatalf("without its description: %v", err)
	}
	x, err := Parse([]byte(text), "x.yaml", described())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Run(context.Background(), x, Options{Cache: cache, Dir: dir, Text: []byte(text)}); err != nil {
		t.Fatal(err)
	}
	r, _, err := Open(dir)
	if err != nil {
		t.Fatalf("a report without the strategy: %v", err)
	}
	seen := false
	for _, trail := range r.Trails {
		seen = seen || trail.Label == "own" && trail.Steps.Len() > 0
	}
	if !seen {
		t.Error("no crawl by the strategy of the program")
	}
	if _, err := Verify(context.Background(), dir, Options{Cache: cache}); err == nil || !strings.Contains(err.Error(), `"own" is a strategy of another program; only the program`) {
		t.Errorf("verified without the strategy: %v", err)
	}
	v, err := Verify(context.Background(), dir, Options{Cache: cache, Strategies: []strategy.Description{described()}})
	if err != nil || len(v.Differences) > 0 {
		t.Errorf("verified with it: %+v, %v", v, err)
	}
	otie := strategy.Describe("otie", "", "", func() dowse.Strategy { return &own{} })
	if _, err := Parse([]byte(text), "x.yaml", described(), otie); err == nil || !strings.Contains(err.Error(), `called "otie", as one of dowse`) {
		t.Errorf("a strategy with a name that dowse has: %v", err)
	}
}

// TestBundle moves a bundle of a run on a recorded web to a place where nothing of it is
// left, and verifies it there.
func TestBundle(t *testing.T) {
	away := t.TempDir()
	source := filepath.Join(away, "tiny.web")
	if _, err := web.RecordSynthetic(context.Background(), web.Synthetic{Pages: 600}, source, nil); err != nil {
		t.Fatal(err)
	}
	text := changed("web: {demo: {pages: 1000}}", "web: tiny.web", "limit: 3", "limit: 1", "sets: 2", "sets: 1")
	dir := filepath.Join(away, "run")
	if _, err := Run(context.Background(), parsed(t, text), Options{Cache: cache, Dir: dir, Base: away, Text: []byte(text)}); err != nil {
		t.Fatal(err)
	}
	var b, again bytes.Buffer
	if err := Bundle(&b, dir); err != nil {
		t.Fatal(err)
	}
	if err := Bundle(&again, dir); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("bundled twice it differs: %v", err)
	}
	os.RemoveAll(away)
	file := filepath.Join(t.TempDir(), "run.zip")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(context.Background(), file, Options{Cache: t.TempDir()})
	if err != nil || len(v.Differences) > 0 || v.Crawls == 0 {
		t.Errorf("elsewhere: %+v, %v", v, err)
	}
}

// TestBadBundles checks that files which are no bundles, and names that lead out of one,
// are refused.
func TestBadBundles(t *testing.T) {
	pack := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, n := range names {
			w, err := z.Create(n)
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte("dowse: bundle/v9\n"))
		}
		z.Close()
		return b.Bytes()
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"junk": []byte("junk"), "empty": pack(), "out": pack("../escaped", "bundle.yaml"), "absolute": pack("/tmp/escaped"), "version": pack("bundle.yaml"), "twice": pack("bundle.yaml", "bundle.yaml"),
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(context.Background(), file, Options{Cache: cache}); err == nil {
			t.Errorf("%s was verified", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "escaped")); err == nil {
		t.Error("a file was written outside of the folder")
	}
}
