package fetch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"dowse"
)

// Any number of claims that together want far more than there is come to their end,
// and no more than one at a time exceeds the budget.
func TestBudgetCannotDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, each, claims = 10 << 20, 8 << 20, 50
		b := NewBudget(size)
		var all sync.WaitGroup
		var most atomic.Int64
		for range claims {
			all.Go(func() {
				c := b.newClaim()
				for held := 0; held < each; held += 64 << 10 {
					if err := c.grow(t.Context(), 64<<10, func() {}); err != nil {
						t.Error(err)
					}
					if used := b.inUse(); used > most.Load() {
						most.Store(used)
					}
				}
				c.Keep(1 << 20)
				c.Release()
			})
		}
		all.Wait()
		if limit := int64(size + each + claims*claimFree); most.Load() > limit {
			t.Errorf("%d bytes were taken, at most %d may be", most.Load(), limit)
		}
		if b.inUse() != 0 {
			t.Errorf("%d bytes are still taken", b.inUse())
		}
	})
}

// Pages that wait for their commit count: while one of them is about to be released, no claim exceeds the budget.
// If each page that came to its end let the next one exceed it, all of them would hold their memory concurrently.
func TestBudgetCountsFinishedClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, each = 10 << 20, 4 << 20
		b := NewBudget(size)
		done := make(chan *Claim, 20)
		for range cap(done) {
			go func() {
				c := b.newClaim()
				if err := c.grow(t.Context(), each, func() {}); err != nil {
					t.Error(err)
				}
				c.Keep(each)
				done <- c
			}()
		}
		for range cap(done) {
			synctest.Wait()
			if used := b.inUse(); used > size {
				t.Errorf("%d bytes are taken of %d", used, size)
			}
			(<-done).Release()
		}
		if b.inUse() != 0 || b.kept != 0 {
			t.Errorf("%d bytes are still taken, %d claims kept", b.inUse(), b.kept)
		}
	})
}

// A page of links takes more memory than its body shows.
func TestLinksCount(t *testing.T) {
	links := strings.Repeat(`<li><a href="http://reefs.example/1">more</a><li><A HREF="/2">more</A>`, 2000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links)
	}))
	defer server.Close()
	c := newClient(t, Config{Budget: NewBudget(64 << 20)})
	r := c.Get(t.Context(), dowse.URL(server.URL))
	if least := int64(bodyWeight*len(links) + 3990*linkWeight); r.Claim.held < least { // one in a piece may be cut in two
		t.Errorf("%d bytes are taken for %d bytes with 4,000 links, want at least %d", r.Claim.held, len(links), least)
	}
	r.Claim.Release()
}

// What is small never waits, however much is taken.
func TestBudgetLetsSmallClaimsPass(t *testing.T) {
	b := NewBudget(1 << 20)
	full, next := b.newClaim(), b.newClaim()
	for _, c := range []*Claim{full, next} {
		if err := c.grow(t.Context(), 1<<20, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.newClaim().grow(t.Context(), claimFree, func() { t.Error("it waits") }); err != nil {
		t.Error(err)
	}
}

// A claim that is given up while it waits leaves the queue, and those behind it are
// served.
func TestBudgetGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(1 << 20)
		full, beyond := b.newClaim(), b.newClaim()
		full.grow(t.Context(), 1<<20, func() {})
		beyond.grow(t.Context(), 1<<20, func() {})
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- b.newClaim().grow(ctx, 2<<20, func() {}) }()
		synctest.Wait()
		served := make(chan error)
		go func() { served <- b.newClaim().grow(t.Context(), 1<<20, func() {}) }()
		synctest.Wait()
		cancel()
		if err := <-gone; err != context.Canceled {
			t.Errorf("given up: %v", err)
		}
		full.Release()
		beyond.Release()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// Many downloads that do not fit into the budget together all arrive whole, one
// after the other, and no host is blamed for the waiting.
func TestDownloadsShareABudget(t *testing.T) {
	body := bytes.Repeat([]byte("<p>A reef is a ridge of rock.\n"), 100_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write(body)
	}))
	defer server.Close()
	b := NewBudget(4 << 20)
	c := newClient(t, Config{Budget: b})
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			r := c.Get(t.Context(), dowse.URL(fmt.Sprintf("%s/%d", server.URL, i)))
			if r.Outcome != dowse.Fetched || r.Fetch.Truncated || !bytes.Equal(r.Body, body) {
				t.Errorf("%s: %s %s, %d of %d bytes", r.URL, r.Outcome, r.Detail, len(r.Body), len(body))
			}
			r.Claim.Release()
		})
	}
	all.Wait()
	if b.inUse() != 0 {
		t.Errorf("%d bytes are still taken", b.inUse())
	}
}

// A download that is given up while it waits for memory is no fault of the host.
func TestDownloadGivenUpWhileItWaits(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Repeat(sentence, 10_000))
	}))
	defer server.Close()
	b := NewBudget(1 << 20)
	for range 2 {
		b.newClaim().grow(t.Context(), 1<<20, func() {})
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(t, Config{Budget: b})
	done := make(chan *Response)
	go func() { done <- c.Get(ctx, dowse.URL(server.URL+"/")) }()
	for waits := false; !waits; {
		b.mu.Lock()
		waits = len(b.waiting) > 0
		b.mu.Unlock()
	}
	cancel()
	if r := <-done; r.Outcome != dowse.Temporary || r.Host != nil {
		t.Errorf("%s %s, host %+v", r.Outcome, r.Detail, r.Host)
	}
}

// inUse returns the number of bytes that claims hold.
func (b *Budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
