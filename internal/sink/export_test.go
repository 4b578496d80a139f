package sink

import "time"

// Quick returns options with which a feed looks for entries often and waits little after failures.
func Quick(o Options) Options {
	o.poll, o.first = 5*time.Millisecond, time.Millisecond
	return o
}

// Shares returns which share of one processor each of the feeds takes while the crawl runs.
func (g *Feeds) Shares() (list []float64) {
	for _, f := range g.feeds {
		list = append(list, float64(time.Second)/float64(time.Second+f.rest(time.Second)))
	}
	return list
}
