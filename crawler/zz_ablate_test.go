package crawler_test

import (
	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/demo"
	"dowse/fetch"
	"dowse/lab"
	"dowse/strategy"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, name := range []string{"link-context", "otie", "otie:no-revision=true", "otie:no-bias=true", "otie:recrawl=-1", "otie:recrawl=1", "otie:round=50", "opic", "opic:no-virtual=true", "opic:nutch=true", "opic:policy=random", "opic:policy=cycle", "soft-focus:every=100", "fish:depth=6"} {
		on := [3]int{}
		for seed := range uint64(2) {
			web := demo.New(demo.Config{Pages: 2400, Seed: seed})
			s, err := strategy.New(name)
			if err != nil {
				t.Fatal(err)
			}
			judge, _ := tidePools.Judge()
			client, _ := fetch.New(fetch.Config{Transport: web.RoundTripper()})
			c, _ := crawl.New(crawl.Config{Strategy: s, Limits: crawl.Limits{Pages: 1000}, Robots: true, Sitemaps: true, Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 16}})
			v := &crawler.Visitor{Client: client, Judge: judge}
			v.Rate(s)
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			c.Start(start, web.Seeds("tide pools", 2))
			n := 0
			sim := lab.Simulation{Crawl: c, Web: lab.Over(v, web.Latency), Workers: 16, Start: start}
			sim.Each = func(_ time.Time, p *dowse.Page) bool {
				if p.Outcome == dowse.Fetched && !p.Again {
					n++
					r, _ := web.Truth(p.URL, "tide pools")
					for i, m := range []int{200, 500, 1000} {
						if r && n <= m {
							on[i]++
						}
					}
				}
				return true
			}
			sim.Run()
		}
		t.Logf("%-24s %.3f %.3f %.3f", name, float64(on[0])/400, float64(on[1])/1000, float64(on[2])/2000)
	}
}
