package sink

import "time"

// Quick returns options with which a feed looks for entries often and waits little after failures.
func Quick(o Options) Options {
	o.poll, o.first = 5*time.Millisecond, time.Millisecond
	return o
}
