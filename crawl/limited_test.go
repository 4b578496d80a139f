package crawl_test

import (
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// TestLimitedBy causes each of the reasons for which a crawl does not go faster. Waiting for
// better links is caused in TestHoldHasNoUnits, processors and disk in TestLimitedByTheMachine of package
// crawler.
func TestLimitedBy(t *testing.T) {
	seeds := []dowse.URL{"http://a.test/", "http://a.test/1", "http://b.test/", "http://b.test/1"}
	// fail visits two hosts, which fail in this way.
	fail := func(reason dowse.Reason, report dowse.HostReport) func(c *crawl.Crawl) {
		return func(c *crawl.Crawl) {
			for range 2 {
				v, _, ok := c.Next(epoch)
				if !ok {
					t.Fatal("no visit")
				}
				p := v.Page()
				p.Outcome, p.Reason, p.Host = dowse.Temporary, reason, &report
				c.Absorb(epoch.Add(time.Second), p)
			}
		}
	}
	for _, c := range []struct {
		want  string
		seeds []dowse.URL
		conns int
		do    func(c *crawl.Crawl)
	}{
		{"nothing to fetch", nil, 4, func(*crawl.Crawl) {}},
		{"connections", seeds, 1, func(c *crawl.Crawl) { c.Next(epoch) }},
		{"politeness", seeds, 4, func(c *crawl.Crawl) {
			c.Next(epoch)
			c.Next(epoch)
		}},
		{"hosts not answering", seeds, 4, fail(dowse.FailConnect, dowse.HostReport{BackOff: true, Down: true})},
		{"name service", seeds, 4, fail(dowse.FailDNS, dowse.HostReport{BackOff: true})},
		{"name service", seeds[:2], 4, func(c *crawl.Crawl) {
			v, _, _ := c.Next(epoch)
			p := v.Page()
			p.Outcome, p.Reason, p.Host = dowse.Temporary, dowse.FailDNS, &dowse.HostReport{Local: true}
			c.Absorb(epoch.Add(time.Second), p)
		}},
		{"hosts not answering", seeds[:2], 4, func(c *crawl.Crawl) {
			v, _, _ := c.Next(epoch)
			p := v.Page()
			p.Outcome, p.Reason, p.Host = dowse.Temporary, dowse.FailConnect, &dowse.HostReport{Local: true}
			c.Absorb(epoch.Add(time.Second), p)
		}},
	} {
		cr, err := crawl.New(crawl.Config{Strategy: follow(queueAll), Polite: crawl.Politeness{InFlight: c.conns}})
		if err != nil {
			t.Fatal(err)
		}
		cr.Start(epoch, c.seeds)
		c.do(cr)
		if got := cr.Status().LimitedBy; got != c.want {
			t.Errorf("limited by %q, want %q", got, c.want)
		}
	}
}
