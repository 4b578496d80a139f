package crawler_test

import (
	"context"
	"dowse/settings"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/weburl"
)

// A fussySite has a robots.txt, a redirect and a page, and remembers the requests.
type fussySite struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newFussySite(t *testing.T) *fussySite {
	s := &fussySite{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "/no", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>A page</title><p>with words")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *fussySite) url(t *testing.T, path string) dowse.URL {
	t.Helper()
	u, err := weburl.Parse(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestFetcherAsksAsACrawlWould(t *testing.T) {
	tests := []struct {
		path      string
		redirects int
		want      []dowse.Outcome
		reason    dowse.Reason
		asked     []string
	}{
		{"/page", 0, []dowse.Outcome{dowse.Fetched}, "", []string{"/robots.txt", "/page"}},
		{"/no", 0, []dowse.Outcome{dowse.Refused}, dowse.SkipRobotsTxt, []string{"/robots.txt"}},
		{"/moved", 0, []dowse.Outcome{dowse.Redirected}, "", []string{"/robots.txt", "/moved"}},
		{"/moved", 5, []dowse.Outcome{dowse.Redirected, dowse.Fetched}, "", []string{"/robots.txt", "/moved", "/page"}},
		{"/away", 5, []dowse.Outcome{dowse.Redirected, dowse.Refused}, dowse.SkipRobotsTxt, []string{"/robots.txt", "/away"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.path, tt.redirects), func(t *testing.T) {
			site := newFussySite(t)
			f, err := crawler.NewFetcher(crawler.Config{Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Network: settings.Network{AllowNet: []string{"127.0.0.0/8"}}}})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			hops, err := f.Follow(context.Background(), site.url(t, tt.path), tt.redirects)
			if err != nil {
				t.Fatal(err)
			}
			var got []dowse.Outcome
			for _, h := range hops {
				got = append(got, h.Page.Outcome)
			}
			if last := hops[len(hops)-1].Page; !slices.Equal(got, tt.want) || last.Reason != tt.reason {
				t.Errorf("outcomes %v for %q, want %v for %q", got, last.Reason, tt.want, tt.reason)
			}
			if !slices.Equal(site.asked, tt.asked) {
				t.Errorf("asked for %v, want %v", site.asked, tt.asked)
			}
		})
	}
}

func TestFetcherSendsNothingWithoutIdentity(t *testing.T) {
	site := newFussySite(t)
	f, err := crawler.NewFetcher(crawler.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Fetch(context.Background(), site.url(t, "/page")); !errors.Is(err, crawler.ErrIdentity) {
		t.Errorf("error %v, want ErrIdentity", err)
	}
	if len(site.asked) != 0 {
		t.Errorf("asked for %v", site.asked)
	}
}

// TestFetcherReportsWhyAHostIsSilent distinguishes a host that does not answer from one that forbids.
func TestFetcherReportsWhyAHostIsSilent(t *testing.T) {
	taken, err := net.Dial("tcp", newFussySite(t).Listener.Addr().String()) // the client end: a port that no other process gets
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	f, err := crawler.NewFetcher(crawler.Config{Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Network: settings.Network{AllowNet: []string{"127.0.0.0/8"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hop, err := f.Fetch(context.Background(), dowse.URL("http://"+taken.LocalAddr().String()+"/page"))
	if err != nil {
		t.Fatal(err)
	}
	if hop.Page.Reason != dowse.FailConnect || hop.Response != nil {
		t.Errorf("%v %q %q", hop.Page.Outcome, hop.Page.Reason, hop.Page.Detail)
	}
}

func TestFetcherWaitsItsTurn(t *testing.T) {
	site := newFussySite(t)
	f, err := crawler.NewFetcher(crawler.Config{Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Network: settings.Network{AllowNet: []string{"127.0.0.0/8"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var wg sync.WaitGroup
	for i := range 20 {
		u := site.url(t, fmt.Sprintf("/%d", i))
		wg.Go(func() {
			if hop, err := f.Fetch(context.Background(), u); err != nil || hop.Page.Outcome != dowse.Fetched {
				t.Errorf("%s: %v", u, err)
			}
		})
	}
	wg.Wait()
	if len(site.asked) != 21 || site.asked[0] != "/robots.txt" {
		t.Errorf("asked for %v, want robots.txt once, first", site.asked)
	}
}
