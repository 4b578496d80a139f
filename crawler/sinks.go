package crawler

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"dowse/internal/sink"
)

// startSinks starts sending pages to the sinks of the crawl. A crawl does not
// depend on its sinks: if they can't be started, a note reports it.
func (c *Crawler) startSinks() {
	specs, err := sink.ParseAll(c.Collection.Settings.Sinks)
	if err == nil && len(specs) == 0 {
		return
	}
	var feeds *sink.Feeds
	if err == nil {
		feeds, err = sink.Start(c.Collection.Dir, specs, c.Collection.Journal.End(), c.sinkOptions())
	}
	if err != nil {
		c.Notes = append(c.Notes, fmt.Sprintf("no pages are sent to sinks: %v", err))
		return
	}
	c.feeds.Store(feeds)
}

// sinkOptions returns what the feeds need from this program.
func (c *Crawler) sinkOptions() sink.Options {
	return sink.Options{Getenv: c.cfg.Getenv, Stdout: cmp.Or[io.Writer](c.cfg.Stdout, os.Stdout), Agent: "dowse/" + Version}
}

// serveSinks answers what the feeds ask of the crawl.
func (c *Crawler) serveSinks() {
	if f := c.feeds.Load(); f != nil {
		f.Serve(c.Collection)
	}
}

// finishSinks gives the sinks time to catch up, and ends them. abort ends the
// wait.
func (c *Crawler) finishSinks(abort context.Context) {
	f := c.feeds.Load()
	if f == nil {
		return
	}
	defer c.feeds.Store(nil)
	if c.err == nil {
		c.err = c.commit() // what was recorded after the last visit, as the rulings of a model
	}
	wait := c.Collection.Settings.Resolved().SinkWait
	f.Finish(abort, c.Collection, max(wait, time.Millisecond), 0, nil)
}
