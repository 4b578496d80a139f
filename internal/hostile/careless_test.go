package hostile_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/hostile"
)

// A careless crawler requests everything it finds, immediately, wherever it is.
type careless struct {
	client *http.Client
	found  map[string]hostile.Finding
}

func newCareless(s *hostile.Server) *careless {
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Resolver())
	}}
	dialer := &net.Dialer{Resolver: resolver}
	return &careless{
		client: &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}, Timeout: 3 * time.Second},
		found:  map[string]hostile.Finding{},
	}
}

var href = regexp.MustCompile(`href="([^"]+)"`)

func (c *careless) crawl(t *testing.T, home string) {
	for _, m := range href.FindAllStringSubmatch(c.get(home), -1) {
		base, err := url.Parse(home)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := base.Parse(m[1]); err == nil {
			c.get(u.String())
		}
	}
}

func (c *careless) get(u string) string {
	req, err := http.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		return ""
	}
	req.Header.Set("User-Agent", hostile.Agent+"/1.0 (+https://example.org/bot)")
	resp, err := c.client.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	title, _, _ := strings.Cut(strings.TrimPrefix(string(body), "<!doctype html><html lang=en><title>"), "</title>")
	c.found[u] = hostile.Finding{URL: dowse.URL(u), State: dowse.Visited, Title: title}
	return string(body)
}

// TestCareless checks that the checks can fail: a careless crawler is found out.
func TestCareless(t *testing.T) {
	wants := map[string]string{ // by row: a problem that its checks report
		"R01": "the first request is /, not robots.txt",
		"R04": "/ok/1 was asked for",
		"R14": "/a/1 was asked for",
		"R20": "/no/1 was asked for",
		"R24": "/no/1 was asked for",
		"P01": "want 3s",
		"P06": "want 200ms",
		"H29": "/after-half was never asked for",
		"H27": "an Authorization header was sent",
		"T07": "requests for one page",
		"N01": "was never asked for",
		"N04": "0 of 12 pages",
		"D02": "was asked for /ok/1",
	}
	rows := slices.DeleteFunc(hostile.Rows(), func(r hostile.Row) bool { return wants[r.ID] == "" && r.ID != "H26" })
	s := serve(t, rows)
	c := newCareless(s)
	for _, seed := range s.Seeds() {
		c.crawl(t, seed)
	}
	for _, site := range s.Sites {
		got := strings.Join(s.Check(site, c.found), "\n")
		if !strings.Contains(got, wants[site.Row.ID]) {
			t.Errorf("%s: no problem %q among\n%s", site.Row.ID, wants[site.Row.ID], got)
		}
	}
	if len(s.Reached()) == 0 {
		t.Error("the inside was reached, and no check reports it")
	}
}

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range hostile.Rows() {
		if seen[r.ID] || r.Does == "" || r.Wants == "" {
			t.Errorf("%+v: twice, or without words", r.ID)
		}
		seen[r.ID] = true
	}
	if len(seen) != 107 {
		t.Errorf("%d rows, want 107", len(seen))
	}
}
