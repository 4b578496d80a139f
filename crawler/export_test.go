package crawler

import "time"

// Loader lets the tests load the examples of a topic without a crawl.
type Loader = loader

// ContrastSeen is contrastSeen, for the tests outside the package.
const ContrastSeen = contrastSeen

// ViewsEvery sets how often the views are written while a crawl runs.
func (c *Crawler) ViewsEvery(d time.Duration) { c.views.every = d }

// Raise returns by how much a model is raised that rates pages is, which were was, and a page
// about which it knows nothing unknown.
func Raise(line float64, was, is []float64, unknown float64) (by float64, err error) {
	k := keeping{line: line, pages: len(was)}
	for i := range was {
		k.rated = append(k.rated, logOdds(is[i]))
		if was[i] >= line {
			k.on = append(k.on, logOdds(is[i]))
		}
	}
	return k.check(logOdds(unknown))
}
