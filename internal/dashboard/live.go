package dashboard

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"time"
)

// Times of the stream of changes.
const (
	changeEvery = 2 * time.Second  // at most one report per; each has a page made again, which a fast crawl notices
	stateEvery  = 6 * time.Second  // how often it is looked whether the crawl runs
	aliveEvery  = 20 * time.Second // how often a quiet stream is used, so that a dead one is noticed
	writeWithin = 10 * time.Second
)

// echoAfter is when the last change is reported again: a page that was fetched at the first report may
// show the moment before it, since views are not made more often than they are cheap.
var echoAfter = []time.Duration{2 * time.Second, 6 * time.Second, 15 * time.Second}

// live reports changes of a collection to an open page, as server-sent events. A report has no content
// but a text that differs from the last one: the page then fetches what it shows. It looks at the files of the collection
// only, and reads none of them: a page that is open must not cost more the faster a crawl is.
func (d *Dashboard) live(w http.ResponseWriter, r *http.Request) {
	c, err := d.head(r)
	if err != nil {
		http.Error(w, "no such collection", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, c: http.NewResponseController(w)}
	if s.send("retry: 5000\n\n") != nil {
		return
	}
	if err := d.report(r.Context(), s, c); err != nil && !errors.Is(err, context.Canceled) {
		_ = s.send(": " + "end\n\n")
	}
}

// report sends a report for each change until the stream ends.
func (d *Dashboard) report(ctx context.Context, s *stream, c *head) error {
	tick := time.NewTicker(changeEvery)
	defer tick.Stop()
	state, quiet, echoes := c.State, time.Duration(0), 0
	sent := d.revision(c.ID, state)
	if c.Running { // something may have happened between the page and its stream
		echoes = len(echoAfter)
	}
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if time.Duration(n)*changeEvery%stateEvery == 0 {
			state = d.state(c.ID)
		}
		now := d.revision(c.ID, state)
		quiet += changeEvery
		switch {
		case now != sent:
			if err := s.send("event: change\ndata: " + now + "\n\n"); err != nil {
				return err
			}
			quiet, echoes = 0, len(echoAfter)
		case echoes > 0 && quiet >= echoAfter[len(echoAfter)-echoes]:
			echoes--
			if err := s.send(fmt.Sprintf("event: change\ndata: %s +%d\n\n", now, len(echoAfter)-echoes)); err != nil {
				return err
			}
		case quiet >= aliveEvery:
			if err := s.send(": alive\n\n"); err != nil {
				return err
			}
			quiet = 0
		}
		sent = now
	}
}

// revision returns a short text that differs whenever the files or the state of a collection do.
func (d *Dashboard) revision(id, state string) string {
	rev, err := d.ops.Revision(id)
	if err != nil {
		rev = "gone"
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(rev)) // never fails
	return strconv.FormatUint(sum.Sum64(), 36) + " " + state
}

// state returns the state of a collection.
func (d *Dashboard) state(id string) string {
	c, err := d.ops.Collection(id)
	if err != nil {
		return "gone"
	}
	return c.State
}

// A stream is an open answer.
type stream struct {
	w http.ResponseWriter
	c *http.ResponseController
}

// send writes a part of the answer. A reader that takes nothing for a while ends the stream.
func (s *stream) send(text string) error {
	_ = s.c.SetWriteDeadline(time.Now().Add(writeWithin))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.c.Flush()
}
