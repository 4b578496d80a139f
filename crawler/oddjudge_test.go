package crawler_test

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
)

// A constantJudge gives every page the same relevance, with a reason of that weight.
type constantJudge float64

func (j constantJudge) Judge(*dowse.Page) dowse.Verdict {
	return dowse.Verdict{Relevance: float64(j), Because: []dowse.Because{{What: "constant", Weight: float64(j)}}}
}

// TestOddRelevances crawls with judges of a program's own that give relevances outside of 0 to 1.
// The collection is without faults, and what it has is bounded.
func TestOddRelevances(t *testing.T) {
	for _, c := range []struct{ given, want float64 }{{math.NaN(), 0}, {17, 1}, {-3, 0}, {math.Inf(1), 1}, {math.Inf(-1), 0}, {0.7, 0.7}} {
		web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
		cr, err := crawler.Open(filepath.Join(t.TempDir(), "odd.dowse"), crawler.Config{
			Judge: constantJudge(c.given), Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Transport: web.RoundTripper(),
			Settings: settings.Settings{Limits: settings.Limits{Pages: 12}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: settings.None}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for p := range cr.Crawl(t.Context()) {
			if p.Relevance != c.want {
				t.Fatalf("%v: %s has the relevance %v, want %v", c.given, p.URL, p.Relevance, c.want)
			}
		}
		if err := errors.Join(cr.Err(), cr.Close()); err != nil {
			t.Fatal(err)
		}
		kept, err := crawler.View(cr.Collection.Dir)
		if err != nil {
			t.Fatal(err)
		}
		v, err := kept.Verify(nil)
		if err = errors.Join(err, kept.Close()); err != nil {
			t.Fatal(err)
		}
		for _, p := range v.Problems {
			t.Errorf("%v: %+v", c.given, p)
		}
	}
}

// A frailJudge panics at one page.
type frailJudge struct{ at dowse.URL }

func (j *frailJudge) Judge(p *dowse.Page) dowse.Verdict {
	if p.URL == j.at {
		panic("this page is not for me")
	}
	return dowse.Verdict{Relevance: 1}
}

// A frailWindows returns no relevances for windows.
type frailWindows struct{ *frailJudge }

func (j frailWindows) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	return j.Judge(p), nil
}

// TestPanics crawls with parts of a program's own that panic. That ends the crawl and not the
// process, nothing that was committed is lost, and the next run visits the page.
func TestPanics(t *testing.T) {
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	seed := web.Seeds("tide pools", 1)[0]
	cfg := crawler.Config{
		Seeds: []string{string(seed)}, Transport: web.RoundTripper(),
		Settings: settings.Settings{Limits: settings.Limits{Pages: 12}, Politeness: settings.Politeness{Delay: settings.None, InFlight: 2}},
	}
	for name, j := range map[string]dowse.Judge{
		"this page is not for me":                 &frailJudge{at: "http://shorewalks.demo/reports/sculpins"},
		"JudgeWindows returned 0 relevances for ": frailWindows{&frailJudge{}},
	} {
		cfg.Judge = j
		dir := filepath.Join(t.TempDir(), "frail.dowse")
		c, err := crawler.Open(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for range c.Crawl(t.Context()) {
			n++
		}
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "oddjudge_test.go") && name[0] == 't' || c.StopReason() != dowse.StopError {
			t.Errorf("%s: got %v (%v), want an error with the panic and its stack", name, err, c.StopReason())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		cfg.Judge = constantJudge(1)
		if c, err = crawler.Open(dir, cfg); err != nil {
			t.Fatal(err)
		}
		visited := map[dowse.URL]int{}
		for p := range c.Crawl(t.Context()) {
			visited[p.URL]++
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil || c.StopReason() != dowse.StopPages || n+len(visited) != 12 {
			t.Errorf("%s: %d pages, and then %d, %v (%v), want 12 in all", name, n, len(visited), c.StopReason(), err)
		}
		for u, times := range visited {
			if times != 1 {
				t.Errorf("%s: %s was visited %d times", name, u, times)
			}
		}
	}
}

// TestClosed crawls on after Close, which must not touch the collection: another process may have
// it by now.
func TestClosed(t *testing.T) {
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	cfg := crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Transport: web.RoundTripper(),
		Settings: settings.Settings{Limits: settings.Limits{Pages: 40}, Politeness: settings.Politeness{Delay: settings.None, InFlight: 2}},
	}
	dir := filepath.Join(t.TempDir(), "closed.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
		break
	}
	if _, err := crawler.Open(dir, cfg); !errors.Is(err, collection.ErrLocked) || !strings.Contains(err.Error(), "this process works on it already") {
		t.Errorf("a second Open: got %v, want that this process has it", err)
	}
	if err := errors.Join(c.Err(), c.Close(), c.Close()); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	for p := range c.Crawl(t.Context()) {
		t.Errorf("%s came after Close", p.URL)
	}
	if !errors.Is(c.Err(), fs.ErrClosed) || c.StopReason() != dowse.StopError {
		t.Errorf("got %v (%v), want that it is closed", c.Err(), c.StopReason())
	}
	if after := filesOf(t, dir); !maps.Equal(before, after) {
		t.Errorf("the files of the collection were %v, and are %v", before, after)
	}
	if _, err := crawler.Open("", cfg); err == nil || !strings.Contains(err.Error(), "no directory given") {
		t.Errorf("got %v, want that the directory is missing", err)
	}
}

// filesOf returns the sizes of all files below a directory.
func filesOf(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		sizes[path] = info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// An emptyTransport answers with less than a response.
type emptyTransport struct{ answer *http.Response }

func (e emptyTransport) RoundTrip(*http.Request) (*http.Response, error) { return e.answer, nil }

// TestEmptyAnswers crawls with transports of a program's own that return no response, or one without
// header and body. That is a failure of the visit.
func TestEmptyAnswers(t *testing.T) {
	for name, answer := range map[string]*http.Response{"none": nil, "bare": {StatusCode: 200}, "without a status": {}} {
		c, err := crawler.Open(filepath.Join(t.TempDir(), "empty.dowse"), crawler.Config{
			Words: []string{"tide pools"}, Seeds: []string{"http://tides.test/"}, Transport: emptyTransport{answer},
			Settings: settings.Settings{Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: settings.None, Patience: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for p := range c.Crawl(t.Context()) {
			if strings.TrimSpace(p.Text) != "" {
				t.Errorf("%s: %s has a text", name, p.URL)
			}
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
