package site_test

import (
	"fmt"

	"dowse"
	"dowse/internal/site"
	"dowse/strategy/strategytest"
)

// A crawler for sites reads a frame page, which has no text, and then the pages that it
// links to, until it is sure.
func Example() {
	web := strategytest.Toy{
		"http://tides.test/":      {Relevance: 0.5, Links: strategytest.To("http://tides.test/menu", "http://tides.test/pools")},
		"http://tides.test/menu":  {Relevance: 0.5, Links: strategytest.To("http://tides.test/crabs", "http://shop.test/")},
		"http://tides.test/pools": {Relevance: 0.9, Links: strategytest.To("http://tides.test/crabs")},
		"http://tides.test/crabs": {Relevance: 0.9},
		"http://shop.test/":       {Relevance: 0.1, Links: strategytest.To("http://shop.test/cart")},
		"http://shop.test/cart":   {Relevance: 0.1},
	}
	c := &site.Crawler{AtOnce: 1}
	strategytest.Order(c, web, dowse.URL("http://tides.test/"))
	for _, s := range c.All() {
		fmt.Printf("%s %s %.2f, judged after %d of %d pages: %s\n", s.Name, s.Verdict, s.Confidence, s.Judged, s.Pages, s.Stop)
	}
	// Output:
	// tides.test relevant 0.93, judged after 4 of 4 pages: frontier_empty
	// shop.test irrelevant 0.07, judged after 2 of 2 pages: link_rank
}
