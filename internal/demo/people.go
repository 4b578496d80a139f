package demo

import (
	"bufio"
	"fmt"
	"io"

	"dowse"
)

// What the people of the synthetic web do. The numbers are our own choice.
const (
	fewestSteps, mostSteps = 5, 25
	looksFor               = 0.75          // share of steps on which a person searches for a page of interest
	glances                = 12            // links that are considered per step
	firstAccess            = 1_767_225_600 // Unix time
	betweenPeople          = 97            // seconds
)

// WriteAccessLog writes the pages that people read as the access log of a proxy
// (Squid's native format): one line per page, person by person. Each person is
// interested in one topic, begins at a page on it, and follows links, mostly to
// pages of interest. The same web and number of people give the same bytes.
func (w *Web) WriteAccessLog(out io.Writer, people int) error {
	b := bufio.NewWriter(out)
	topics := w.Topics()
	for i := range people {
		d := rngFor(w.config.Seed, forPeople, i)
		topic := topics[d.under(len(topics))].Name
		at := firstAccess + int64(i*betweenPeople)
		for _, u := range w.walk(topic, uint64(i), &d) {
			at += 5 + int64(d.under(55))
			fmt.Fprintf(b, "%d.%03d %6d 10.%d.%d.%d TCP_MISS/200 %d GET %s - DIRECT/127.0.0.1 text/html\n",
				at, d.under(1000), 20+d.under(400), i>>16, i>>8&0xff, i&0xff, 8000+d.under(20000), u)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("demo: access log: %w", err)
	}
	return nil
}

// walk returns the pages that a person reads: 5 to 25, beginning at a page on
// topic as after a search.
func (w *Web) walk(topic string, person uint64, d *rng) (list []dowse.URL) {
	seeds := w.SeedSet(topic, 1, person)
	if len(seeds) == 0 {
		return nil
	}
	u := seeds[0]
	for range fewestSteps + d.under(mostSteps-fewestSteps+1) {
		list = append(list, u)
		next, ok := w.step(u, topic, d)
		if !ok {
			next = seeds[0]
		}
		u = next
	}
	return list
}

// step chooses a link of a page: one of interest if there is one among a few,
// otherwise any. It never enters an endless trap or what robots.txt forbids,
// since people are in logs for what they read, and a log full of calendars
// would be about the trap.
func (w *Web) step(u dowse.URL, topic string, d *rng) (next dowse.URL, ok bool) {
	links := w.Links(u)
	if len(links) == 0 {
		return "", false
	}
	looks := d.chance(looksFor)
	for range glances {
		l := links[d.under(len(links))]
		wanted, page := w.Truth(l, topic)
		if !page || !w.Allowed(l) || w.isEndless(l) {
			continue
		}
		if next, ok = l, true; wanted || !looks {
			break
		}
	}
	return next, ok
}
