package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/cluster"
)

// standbyCmd is dowse standby: it keeps a copy of the collection of a coordinator, and becomes the
// coordinator when that one no longer answers.
type standbyCmd struct {
	Dir       string `arg:"" help:"Directory of the copy; a new one, or an older copy."`
	Overwrite bool   `help:"Replace a collection in that directory that is no copy of this crawl."`
	Servers   string `arg:"" help:"NATS servers: nats://host:port, separated by commas."`
	clusterFlags
	trustFlag
	Quiet bool `short:"q" help:"Print errors only."`

	release func() // releases the lock of the directory
	fresh   bool   // there was nothing in the directory
}

func (standbyCmd) Help() string {
	return `Examples:
  dowse standby copy.dowse nats://a:4222,nats://b:4222,nats://c:4222 --trust

The directory is a new one, or an earlier copy of the same crawl. Any other
collection is refused unless --overwrite is given, which removes it.

The copy is equal to the collection of the coordinator, byte for byte, except for
locks and the full-text index. When the coordinator has not answered for five
seconds, the standby takes over and prints the progress of the crawl.

A crawl that was stopped by a person is not continued; a crawl that has come to
its end ends its standbys.`
}

// Run follows the coordinator, and goes on as the coordinator if that one is gone.
func (c *standbyCmd) Run(w *world) error {
	if err := c.usable(); err != nil {
		return err
	}
	conn, err := c.connect(w.ctx, w, c.Servers, c.Quiet)
	if err != nil && w.ctx.Err() != nil {
		return nil // a signal came before it was connected: nothing was copied
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	run := crawlCmd{}
	run.Quiet, run.Trust, run.LogFormat = c.Quiet, c.Trust, "text"
	cfg, err := run.config(w)
	if err != nil {
		return err
	}
	ship, err := c.follow(w, conn, cfg)
	if err != nil || ship == nil {
		return err
	}
	cfg.Cluster = ship
	run.opening = "resuming " + c.Dir
	return run.drive(w, c.Dir, cfg, nil)
}

// tidy removes the directory if nothing was copied to it.
func (c *standbyCmd) tidy() {
	if cluster.IncompleteCopy(c.Dir) != "" || collection.IsCollection(c.Dir) || !c.fresh {
		return
	}
	for _, name := range []string{"dowse.lock", "state", ""} {
		if os.Remove(filepath.Join(c.Dir, name)) != nil && name != "dowse.lock" {
			return // something else is there
		}
	}
}

// usable returns an error for a directory that holds something other than a collection.
func (c *standbyCmd) usable() error {
	begun, err := collection.Unfinished(c.Dir)
	if err != nil {
		return usage("%w", err)
	}
	if begun || collection.IsCollection(c.Dir) || collection.Remains(c.Dir) || cluster.IncompleteCopy(c.Dir) != "" {
		return nil
	}
	return usage("%s is not empty and not a collection; choose another directory", c.Dir)
}

// begin returns an error if the directory holds anything that the copy of a crawl would destroy. A new
// directory and an earlier copy of the same crawl are free; with --overwrite any collection is, and it
// is removed here. From then on the directory is locked.
func (c *standbyCmd) begin(o cluster.Owner) error {
	replace, err := c.free(o)
	if err != nil {
		return err
	}
	entries, _ := os.ReadDir(c.Dir)
	c.fresh = len(entries) == 0
	if c.release, err = collection.LockCopy(c.Dir); err != nil || !replace {
		return err
	}
	return cluster.Clear(c.Dir)
}

// free returns an error if the directory is not free for the copy of a crawl, and reports whether there
// is a collection to be removed first.
func (c *standbyCmd) free(o cluster.Owner) (replace bool, err error) {
	if err := c.usable(); err != nil { // it may have changed while this process waited for a crawl
		return false, err
	}
	if begun, _ := collection.Unfinished(c.Dir); begun || cluster.IncompleteCopy(c.Dir) == o.ID {
		return false, nil
	}
	what := "a collection without readable settings"
	if s, err := collection.ReadSettings(c.Dir); err == nil {
		m, err := cluster.ReadMembership(c.Dir)
		switch same := cluster.CrawlID(s.Key) == o.ID; {
		case same && err == nil && m.Term != "":
			return false, nil
		case same:
			what = "a collection of this crawl that belongs to no cluster, and may have pages that the cluster does not have"
		default:
			what = "a collection of another crawl, " + printable(s.Name)
		}
	}
	if !c.Overwrite {
		return false, &exitError{exitCollection, fmt.Errorf("%s is %s; a standby would replace it, and nothing was changed\nchoose a new directory, or give --overwrite to remove that collection", c.Dir, what)}
	}
	return true, nil
}

// follow follows the coordinator until this process has the lead. It returns nil if there is nothing
// left to do. As soon as the copy is complete, it makes sure that this process may go on with the crawl:
// when the coordinator fails it is too late to ask.
func (c *standbyCmd) follow(w *world, conn *cluster.Conn, cfg crawler.Config) (*cluster.Shipper, error) {
	notify := newNotifier(w.env)
	notify.send("READY=1")
	ctx, end := context.WithCancelCause(w.ctx)
	defer end(nil)
	ready := false
	m := &cluster.Mirror{Begin: c.begin, Tick: func(st cluster.MirrorStatus) {
		notify.alive()
		if st.Ready && !ready {
			if _, err := crawler.Rehearse(c.Dir, cfg); err != nil {
				end(err)
				return
			}
			if !c.Quiet {
				fmt.Fprintf(w.err, "%s is up to date with %s\n", c.Dir, printable(st.Coordinator.String()))
			}
		}
		ready = st.Ready
	}}
	ship, err := conn.Follow(ctx, c.Dir, m)
	if c.release != nil {
		c.release() // the crawl takes the lock itself
	}
	if ship == nil {
		c.tidy()
	}
	switch {
	case errors.Is(err, cluster.ErrDone):
		if !c.Quiet {
			fmt.Fprintf(w.err, "the crawl has come to its end; %s is a complete copy\n", c.Dir)
		}
		return nil, nil
	case w.ctx.Err() != nil && errors.Is(err, context.Canceled):
		return nil, &exitError{code: exitInterrupted}
	case ctx.Err() != nil:
		return nil, inCollection(context.Cause(ctx))
	}
	return ship, clusterError(err)
}
