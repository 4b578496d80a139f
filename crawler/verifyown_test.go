package crawler_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/settings"
)

// ownOrder is a strategy that only a Go program has. With raises it also changes leads that are on no link.
type ownOrder struct{ raises bool }

func (s ownOrder) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for i := range p.Links {
		leads = append(leads, dowse.Lead{URL: p.Links[i].URL, Priority: 1 / float64(i+1), Merge: dowse.Max})
	}
	if s.raises {
		leads = append(leads, dowse.Lead{Kind: dowse.Raise, Priority: 0.25, Cap: 9})
	}
	return leads
}

// twins are two hosts that have the same text on their first pages, each with links of its own.
func twins(r *http.Request) (*http.Response, error) {
	w := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}, ProtoMajor: 1, ProtoMinor: 1, Request: r}
	body := "<title>pools</title>"
	switch {
	case r.URL.Path == "/robots.txt":
		w.StatusCode = 404
	case r.URL.Path == "/":
		for i := range 120 {
			body += fmt.Sprintf(" word%d tide pool%d", i, i*i)
		}
		body += "<a href='http://b.test/'>twin</a>"
		for i := range 6 {
			body += fmt.Sprintf("<a href='/%d'>pool %d</a>", i, i)
		}
	default:
		body += strings.Repeat(r.URL.Host+r.URL.Path+" tide pool ", 40)
	}
	w.Body = io.NopCloser(strings.NewReader(body))
	return w, nil
}

type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestVerifyWithoutTheStrategy verifies collections whose strategy is a program's own. Links of near-duplicate pages
// count half, and that is in the journal already; what a strategy did beyond links is not, and is no fault.
func TestVerifyWithoutTheStrategy(t *testing.T) {
	sameGoroutines(t)
	for _, raises := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "pools.dowse")
		c, err := crawler.Open(dir, crawler.Config{
			Words: []string{"tide pools"}, Seeds: []string{"http://a.test/"}, Strategy: ownOrder{raises}, Transport: roundTrips(twins),
			Settings: settings.Settings{Limits: settings.Limits{Pages: 9}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		near := 0
		for p := range c.Crawl(t.Context()) {
			if p.Near != "" {
				near++
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		v, err := crawler.View(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Verify(nil)
		if err != nil || !got.OK() || !got.Replayed || got.URLs == 0 || near == 0 {
			t.Errorf("raises %v, %d near-duplicates: %+v, %v", raises, near, got, err)
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
