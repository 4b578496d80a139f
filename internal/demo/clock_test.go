package demo

import (
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"dowse"
)

var dayZero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// get returns status, body and validators of a page on a day; validators are those to
// send back.
func get(t *testing.T, c *Changing, u dowse.URL, day float64, with http.Header) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, string(u), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = with
	resp, err := c.RoundTripper(func() time.Time { return c.begin.Add(time.Duration(day * 24 * float64(time.Hour))) }).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	back := http.Header{}
	if tag := resp.Header.Get("Etag"); tag != "" {
		back.Set("If-None-Match", tag)
	}
	if at := resp.Header.Get("Last-Modified"); at != "" {
		back.Set("If-Modified-Since", at)
	}
	return resp.StatusCode, string(body), back
}

// A page changes exactly at the times that Changes names, answers 304 in between where
// its site sends validators, and is gone from the time that Vanishes names.
func TestPagesChangeByTheClock(t *testing.T) {
	c := New(Config{}).Changing(dayZero)
	changed, vanished, conditional := 0, 0, 0
	for u := range c.web.Relevant("tide pools") {
		status, first, back := get(t, c, u, 0, nil)
		if status != http.StatusOK {
			continue // robots.txt of closed sites and the like do not matter here; some hosts only redirect
		}
		end := c.Vanishes(u)
		for _, day := range []float64{5, 20, 60} {
			at := c.begin.Add(time.Duration(day * 24 * float64(time.Hour)))
			n := len(c.Changes(u, at))
			home := strings.HasSuffix(string(u), ".demo/")
			status, body, _ := get(t, c, u, day, nil)
			switch {
			case !end.After(at):
				vanished++
				if status != http.StatusNotFound && status != http.StatusGone {
					t.Fatalf("%s on day %v: status %d, want 404 or 410", u, day, status)
				}
				continue
			case !home && (body != first) != (n > 0):
				t.Fatalf("%s on day %v: changed %v, want %d changes", u, day, body != first, n)
			}
			if n > 0 {
				changed++
			}
			if len(back) == 0 {
				continue
			}
			conditional++
			if status, _, _ := get(t, c, u, day, back); (status == http.StatusNotModified) != (body == first) {
				t.Fatalf("%s on day %v: status %d of a conditional request, same %v", u, day, status, body == first)
			}
		}
	}
	if changed < 100 || vanished < 20 || conditional < 100 {
		t.Errorf("%d changed, %d vanished, %d conditional: too few to show anything", changed, vanished, conditional)
	}
}

// New pages are linked from their home page, and exist from then on.
func TestPagesAppear(t *testing.T) {
	c := New(Config{}).Changing(dayZero)
	const home = dowse.URL("http://shorewalks.demo/")
	_, before, _ := get(t, c, home, 0, nil)
	_, after, _ := get(t, c, home, 30, nil)
	if strings.Contains(before, "/news/") || !strings.Contains(after, `href="/news/`) {
		t.Fatal("the home page lists no new pages after 30 days, or some on the first")
	}
	births := c.births(&c.web.sites[c.web.hosts["shorewalks.demo"]], 60)
	for _, day := range []float64{births[0] - 0.01, births[0] + 0.01} {
		status, _, _ := get(t, c, home+"news/1", day, nil)
		if (status == http.StatusOK) != (day > births[0]) {
			t.Errorf("status %d on day %v of a page that appears on day %v", status, day, births[0])
		}
	}
}

// The rates are those of the documentation: shares of pages by class.
func TestRatesOfChange(t *testing.T) {
	c := New(Config{Pages: 20_000}).Changing(dayZero)
	daily, slow, n := 0, 0, 0
	for u := range c.web.Pages() {
		id, _ := c.web.numberOf(u)
		if p := c.web.page(id); p.local < p.site.firstArticle() {
			continue
		}
		n++
		switch r := c.Rate(u); {
		case r >= 1:
			daily++
		case r < 1.0/120:
			slow++
		}
	}
	if d, s := float64(daily)/float64(n), float64(slow)/float64(n); math.Abs(d-0.23) > 0.06 || math.Abs(s-0.30) > 0.06 {
		t.Errorf("%.2f of the articles change daily and %.2f less often than every four months; want about 0.23 and 0.30", d, s)
	}
}

// Pages had changed before the beginning, too: the date that comes with a page is on average as long ago as its changes are apart.
func TestDatesBeforeTheBeginning(t *testing.T) {
	c := New(Config{}).Changing(dayZero)
	sum, n := 0.0, 0
	for u := range c.web.Relevant("tide pools") {
		_, header, ok := c.Answer(u, dayZero)
		at, err := http.ParseTime(header.Get("Last-Modified"))
		if !ok || err != nil {
			continue
		}
		if !at.Before(dayZero) {
			t.Errorf("%s was changed at %v, which is not before the beginning", u, at)
		}
		sum += dayZero.Sub(at).Hours() / 24 * c.Rate(u)
		n++
	}
	if mean := sum / float64(n); n < 200 || math.Abs(mean-1) > 0.2 {
		t.Errorf("the last change of %d pages was %.2f times the mean time between two changes ago, want about 1", n, mean)
	}
}
