package main

import (
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

// collyCrawl crawls with colly as its examples do: asynchronously, following
// every link, each URL once. Like the others it looks at the links of every
// page, also after it has sent all requests that it may, as a crawl that goes
// on would. It keeps no archive and no state on disk.
func collyCrawl(pages, conns int) int {
	c := colly.NewCollector(colly.Async(true))
	c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: conns})
	var sent, fetched atomic.Int64
	c.OnRequest(func(r *colly.Request) {
		if sent.Add(1) > int64(pages) {
			r.Abort()
		}
	})
	c.OnResponse(func(*colly.Response) { fetched.Add(1) })
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { e.Request.Visit(e.Attr("href")) })
	c.Visit(urlOf(0))
	c.Wait()
	return int(fetched.Load())
}
