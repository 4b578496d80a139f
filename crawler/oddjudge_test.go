package crawler_test

import (
	"errors"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
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
