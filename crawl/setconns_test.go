package crawl_test

import (
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// TestSetHostConns changes the number of concurrent visits per host while visits are in flight. A higher number
// counts from the next call of Next on, a lower one when the visits in flight have ended, and a robots.txt keeps its
// host to itself.
func TestSetHostConns(t *testing.T) {
	conns := func(n int) crawl.Config {
		return crawl.Config{Polite: crawl.Politeness{Delay: crawl.None, Conns: n}}
	}
	c := begin(t, crawl.Config{Strategy: follow(queueAll), Robots: true, Polite: conns(1).Polite, Traps: crawl.Traps{Budget: -1}}, "http://a.test/")
	now := epoch
	var out []crawl.Visit
	take := func(when string, want int) {
		t.Helper()
		for n := 0; ; n++ {
			v, _, ok := c.Next(now)
			if !ok {
				if n != want {
					t.Errorf("%s: %d visits begin, want %d", when, n, want)
				}
				return
			}
			out = append(out, v)
		}
	}
	land := func(links ...dowse.Link) {
		v := out[0]
		out, now = out[1:], now.Add(time.Millisecond)
		p := v.Page()
		p.Outcome, p.Links = dowse.Fetched, links
		if v.Kind == crawl.VisitRobots {
			p.Outcome, p.Host = dowse.Listed, &dowse.HostReport{Robots: &dowse.Robots{At: now, Status: 404}}
		}
		c.Absorb(now, p)
	}
	set := func(n int) {
		if _, err := c.Set(now, conns(n), false, "host_conns"); err != nil {
			t.Fatal(err)
		}
	}
	take("at the beginning", 1) // robots.txt
	set(3)
	take("while robots.txt is in flight", 0)
	land()
	take("after robots.txt", 1) // the seed
	var links []dowse.Link
	for _, u := range "bcdefghijkl" {
		links = append(links, dowse.Link{URL: "http://a.test/" + dowse.URL(u)})
	}
	land(links...)
	take("with three connections", 3)
	set(5)
	take("with two more", 2)
	set(2)
	land()
	land()
	take("while three of two are in flight", 0)
	land()
	land()
	take("when one is", 1)
	land()
	land()
	take("when none is", 2)
	balanced(t, c)
}
