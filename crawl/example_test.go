package crawl_test

import (
	"fmt"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

// Next returns what to visit, Absorb takes the outcome. Who makes the visits, and
// in which time, is not its business.
func Example() {
	web := strategytest.Toy{
		"http://a.example/": {Relevance: 0.9, Links: []strategytest.Link{
			{To: "http://a.example/news", Context: 0.1}, {To: "http://b.example/tides", Context: 0.7},
		}},
		"http://b.example/tides": {Relevance: 0.8},
		"http://a.example/news":  {Relevance: 0.1},
	}
	c, err := crawl.New(crawl.Config{Strategy: &strategy.LinkContext{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Start(now, []dowse.URL{"http://a.example/"})
	for c.Stopped() == "" {
		v, when, ok := c.Next(now)
		if !ok {
			if when.After(now) {
				now = when // hosts are resting
			}
			continue
		}
		page, took := web.Visit(v)
		now = now.Add(took)
		c.Absorb(now, page)
		fmt.Printf("%.2f %s\n", v.Lead.Priority, v.URL)
	}
	fmt.Println(c.Stopped(), c.Status().OnTopic, "of", c.Status().Fetched, "on topic")
	// Output:
	// 1.00 http://a.example/
	// 0.75 http://b.example/tides
	// 0.30 http://a.example/news
	// exhausted 2 of 3 on topic
}
