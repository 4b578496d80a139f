package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/durable"
)

// endlessSite serves pages that link to ever new ones, as many as links on each, and to earlier ones, so
// that the site does not look like a trap.
func endlessSite(t *testing.T, links int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html lang=en><title>Coral %d</title><p>coral `, n)
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		for range 100 { // no page is nearly the same as another
			fmt.Fprintf(w, "w%x ", rng.Uint32())
		}
		for i := range links { // to a new page, and to one that is known by then
			fmt.Fprintf(w, ` <a href=/%d>more</a> <a href=/%d>back</a>`, n*links+i+1, max(1, n>>(i%8)))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// A stillClock moves only when a test moves it, so that what a test causes is all that takes time.
type stillClock struct{ since atomic.Int64 }

func (c *stillClock) now() time.Time          { return time.Unix(1e9, c.since.Load()) }
func (c *stillClock) advance(d time.Duration) { c.since.Add(int64(d)) }

// A burner is a judge for which every page takes 20 ms of all processors.
type burner struct {
	clock *stillClock
	used  atomic.Int64
}

func (b *burner) Judge(p *dowse.Page) dowse.Verdict {
	b.clock.advance(20 * time.Millisecond)
	b.used.Add(int64(20*time.Millisecond) * int64(crawler.Processors()))
	return dowse.Verdict{Relevance: 1}
}

func (b *burner) Name() string { return "burner" }

// TestLimitedByTheMachine causes what limits a crawl from outside its state: a judge that uses all processors,
// and a disk on which every sync takes long. The others are caused in TestLimitedBy of package
// crawl.
func TestLimitedByTheMachine(t *testing.T) {
	causes := map[string]func(t *testing.T, clock *stillClock, cfg *crawler.Config) (used func() time.Duration){
		"CPU": func(t *testing.T, clock *stillClock, cfg *crawler.Config) func() time.Duration {
			b := &burner{clock: clock}
			cfg.Judge = b
			return func() time.Duration { return time.Duration(b.used.Load()) }
		},
		"disk": func(t *testing.T, clock *stillClock, cfg *crawler.Config) func() time.Duration {
			t.Cleanup(durable.Inject(func(op durable.Op, _ string) error {
				if op == durable.OpSync {
					clock.advance(100 * time.Millisecond)
					time.Sleep(20 * time.Millisecond) // the loop reports twice a second, and the site ends
				}
				return nil
			}))
			return func() time.Duration { return 0 }
		},
	}
	for want, cause := range causes {
		t.Run(want, func(t *testing.T) {
			var clock stillClock
			site := endlessSite(t, 3)
			cfg := local
			cfg.Words, cfg.Seeds, cfg.Pages, cfg.Clock = []string{"coral"}, []string{site.URL + "/1"}, 20_000, clock.now
			cfg.InFlight = 4 // so that there are many commits
			used := cause(t, &clock, &cfg)
			ctx, cancel := contextOf(t)
			seen := map[string]bool{}
			cfg.Tick = func(st crawl.Status) {
				if seen[st.LimitedBy] = true; st.LimitedBy == want {
					cancel()
				}
			}
			cr, err := crawler.Open(filepath.Join(t.TempDir(), "x.dowse"), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer cr.Close()
			cr.CountCPU(used)
			for range cr.Crawl(ctx) {
			}
			if !seen[want] || cr.Err() != nil {
				t.Errorf("limited by %v, never by %s, in %d pages until %s; %v", seen, want, cr.Status().Fetched, cr.StopReason(), cr.Err())
			}
		})
	}
}
