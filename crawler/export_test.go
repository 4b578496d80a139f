package crawler

import "time"

// Loader lets the tests load the examples of a topic without a crawl.
type Loader = loader

// ContrastSeen is contrastSeen, for the tests outside the package.
const ContrastSeen = contrastSeen

// ViewsEvery sets how often the views are written while a crawl runs.
func (c *Crawler) ViewsEvery(d time.Duration) { c.views.every = d }
