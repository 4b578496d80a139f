package strategy_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy"
)

// TestOPICConservesCash crawls 10,000 pages of a web with everything that could lose
// cash, eight visits at a time that come back in any order, and counts: what all URLs
// and the virtual page have is 1.
func TestOPICConservesCash(t *testing.T) {
	for _, s := range []*strategy.OPIC{
		{}, {Policy: strategy.Chance}, {Policy: strategy.Cycle}, {T: 5, Recrawl: 1}, {N: 20, Recrawl: 2},
	} {
		t.Run(fmt.Sprintf("%s N=%d", s.Policy, s.N), func(t *testing.T) { conserves(t, s) })
	}
}

func conserves(t *testing.T, s *strategy.OPIC) {
	c, err := crawl.New(crawl.Config{
		Strategy: s, Robots: true, Sitemaps: true,
		Polite: crawl.Politeness{Delay: time.Millisecond, Conns: 4, InFlight: 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Start(now, []dowse.URL{wildURL(0), wildURL(1), wildURL(2)})
	rng := rand.New(rand.NewPCG(1, 2))
	var out []*dowse.Page
	ends := map[dowse.Outcome]int{}
	again := 0
	for n := 0; n < 10_000; {
		now = now.Add(time.Millisecond)
		v, _, ok := c.Next(now)
		if ok {
			out = append(out, wildVisit(v))
			continue
		}
		if len(out) == 0 {
			if c.Stopped() != "" {
				t.Fatalf("the crawl is over after %d pages: %s", n, c.Stopped())
			}
			now = now.Add(time.Second)
			continue
		}
		i := rng.IntN(len(out))
		p := out[i]
		out[i] = out[len(out)-1]
		out = out[:len(out)-1]
		c.Absorb(now, p)
		ends[p.Outcome]++
		if p.Again {
			again++
		}
		n++
		if n%500 == 0 {
			if sum := s.Virtual().Priority + cash(c.Frontier()); math.Abs(sum-1) > 1e-9 {
				t.Fatalf("after %d pages there is a cash of %.12f", n, sum)
			}
		}
	}
	for what, n := range map[string]int{
		"fetched": ends[dowse.Fetched], "redirected": ends[dowse.Redirected], "failed": ends[dowse.Failed],
		"tried again": ends[dowse.Temporary], "skipped": ends[dowse.Skipped],
		"refused by robots.txt": left(c.Frontier(), "3"), "trapped": left(c.Frontier(), "trap.test"),
	} {
		if n == 0 {
			t.Errorf("no page was %s", what)
		}
	}
	if again == 0 {
		t.Error("no page was visited again")
	}
}

func cash(f *frontier.Frontier) (sum float64) {
	for id := range frontier.ID(f.Len()) {
		sum += f.Priority(id)
	}
	return sum
}

// left counts the URLs with a text in them that were left out.
func left(f *frontier.Frontier, text string) (n int) {
	for id := range frontier.ID(f.Len()) {
		if f.State(id) == dowse.Excluded && strings.Contains(string(f.URL(id)), text) {
			n++
		}
	}
	return n
}

func wildURL(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://h%d.test/p%d", i%200, i)) }

// wildVisit answers from a web without end that is drawn from its URLs: pages,
// redirects, failures of both kinds, things that are no pages, hosts with robots.txt,
// dead ends, and a calendar that leads from day to day.
func wildVisit(v crawl.Visit) *dowse.Page {
	p := v.Page()
	if v.Kind == crawl.VisitRobots {
		p.Host = &dowse.HostReport{Robots: &dowse.Robots{Status: 200, Rules: noThirds{}}}
		return p
	}
	var host, i int
	if strings.Contains(string(v.URL), "/day/") {
		fmt.Sscanf(string(v.URL), "http://trap.test/day/%d", &i)
		p.Links = linksTo(calendar(i+1), calendar(i+2), wildURL(i))
		return p
	}
	fmt.Sscanf(string(v.URL), "http://h%d.test/p%d", &host, &i)
	rng := rand.New(rand.NewPCG(uint64(i), 9))
	to := func() dowse.URL { return wildURL(int(rng.ExpFloat64() * 60_000)) }
	switch rng.IntN(12) {
	case 0:
		p.Outcome, p.Reason = dowse.Failed, dowse.FailHTTP
	case 1:
		p.Outcome, p.Links = dowse.Redirected, linksTo(to())
	case 2:
		p.Outcome, p.Reason = dowse.Skipped, dowse.SkipTypeMIME
	case 3:
		p.Outcome, p.Reason = dowse.Temporary, dowse.FailTimeout
	case 4: // a dead end
	default:
		p.Verdict.Relevance = 0.9
		for range rng.IntN(25) {
			p.Links = append(p.Links, linksTo(to())...)
		}
		p.Links = append(p.Links, linksTo(calendar(i), v.URL)...)
	}
	return p
}

func calendar(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://trap.test/day/%d", i)) }

func linksTo(urls ...dowse.URL) []dowse.Link {
	list := make([]dowse.Link, len(urls))
	for i, u := range urls {
		list[i].URL = u
	}
	return list
}

// noThirds lets no page be visited whose address ends in 3.
type noThirds struct{}

func (noThirds) Allowed(u dowse.URL) (bool, string) {
	return !strings.HasSuffix(string(u), "3"), "Disallow: /*3$"
}
