package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dowse/crawler"
	"dowse/internal/cluster"
)

// clusterFlags say how to reach the servers of a cluster. Credentials other than a token come from
// the variables that programs for NATS share: NATS_CREDS, NATS_USER, NATS_PASSWORD, NATS_CA, NATS_CERT
// and NATS_KEY.
type clusterFlags struct {
	ClusterName  string `env:"-" group:"cluster" rare:"" placeholder:"NAME" shown:"crawl" help:"Name of the crawl on these servers."`
	ClusterToken string `env:"-" group:"cluster" rare:"" placeholder:"FILE" help:"Read the token for the servers from this file."`
}

// connect connects to the servers. What happens to the connection is printed on stderr.
func (f *clusterFlags) connect(ctx context.Context, w *world, servers string, quiet bool) (*cluster.Conn, error) {
	say := func(format string, args ...any) {
		if !quiet {
			fmt.Fprintf(w.err, "%s cluster: %s\n", time.Now().Format("15:04:05"), oneLine(fmt.Sprintf(format, args...)))
		}
	}
	o := cluster.Options{URLs: servers, Name: f.ClusterName, TokenFile: f.ClusterToken, Version: crawler.Version, Getenv: os.Getenv, Log: say}
	if err := o.Check(); err != nil {
		return nil, usage("%w", err)
	}
	c, err := cluster.Connect(ctx, o)
	if errors.Is(err, cluster.ErrJetStream) {
		return nil, usage("%w", err)
	}
	if err != nil {
		return nil, &exitError{exitNetwork, err}
	}
	return c, nil
}

// clusterError gives errors of a cluster their exit code, and adds what to do.
func clusterError(err error) error {
	var held *cluster.HeldError
	var stale *cluster.StaleError
	var owner *cluster.OwnerError
	var version *cluster.VersionError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cluster.ErrFenced):
		return &exitError{exitFenced, fmt.Errorf("%w\nto make this copy a standby: dowse standby DIR SERVERS", err)}
	case errors.Is(err, cluster.ErrIncomplete):
		return &exitError{exitCollection, err}
	case errors.As(err, &held):
		return &exitError{exitCollection, fmt.Errorf("%w; see dowse cluster status", err)}
	case errors.As(err, &stale) && stale.Apart:
		return &exitError{exitCollection, fmt.Errorf("%w\nnothing was changed; compare the copies with dowse status, and keep each of them until you know which one to continue\nto continue with this one, remove the streams with dowse cluster drop SERVERS, take this copy out with dowse cluster leave %s, and crawl it again", err, shellWord(stale.Dir))}
	case errors.As(err, &stale):
		return &exitError{exitCollection, fmt.Errorf("%w\nbring it up to date with dowse standby %s SERVERS, or resume the crawl where the newer copy is", err, shellWord(stale.Dir))}
	case errors.As(err, &owner):
		return usage("%w with --cluster-name, or remove that crawl's streams with dowse cluster drop", err)
	case errors.As(err, &version) && version.Stream:
		return usage("%w; choose another name with --cluster-name, or remove the streams with dowse cluster drop SERVERS", err)
	case errors.As(err, &version):
		return usage("%w", err)
	case errors.Is(err, cluster.ErrNotAllowed):
		return &exitError{exitForbidden, fmt.Errorf("%w; allow it with --allow-net", err)}
	}
	return err
}

// workerCmd is dowse worker: it makes visits for a crawl that another process coordinates.
type workerCmd struct {
	Servers string `arg:"" help:"NATS servers: nats://host:port, separated by commas."`
	clusterFlags
	Conns    int      `default:"256" placeholder:"N" help:"Concurrent requests of this worker."`
	AllowNet []string `env:"-" placeholder:"NET,..." help:"Allow private networks, if the crawl reaches them too."`
	Quiet    bool     `short:"q" help:"Print errors only."`
}

func (workerCmd) Help() string {
	return `Examples:
  dowse worker nats://127.0.0.1:4222
  dowse worker nats://a:4222,nats://b:4222 --conns 64 --cluster-token FILE

A worker keeps nothing: start and stop as many as you like, on any machine. It
fetches, extracts and judges pages; the coordinator (dowse crawl --cluster)
decides which, and keeps them. Settings and judge come from the coordinator.

Addresses are resolved here, and private networks are refused here unless
--allow-net allows them, whatever the coordinator asks for. Ctrl-C finishes the
visits under way.`
}

// Run makes visits until a signal ends it. It waits for a coordinator if there is none.
func (c *workerCmd) Run(w *world) error {
	if c.Conns < 1 || c.Conns > 4096 {
		return usage("--conns: got %d, want 1 to 4096", c.Conns)
	}
	cfg := crawler.Config{}
	cfg.AllowNet = c.AllowNet
	conn, err := c.connect(w.ctx, w, c.Servers, c.Quiet)
	if err != nil && w.ctx.Err() != nil {
		return nil // a signal came before it was connected: there is nothing to finish
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	visits, end := crawler.WorkerVisits(cfg)
	defer end()
	defer w.ends.finish()()
	notify := newNotifier(w.env)
	notify.send("READY=1")
	served, first := false, true
	job := &cluster.Worker{Conns: c.Conns, Make: visits, Tick: func(st cluster.WorkerStatus) {
		notify.alive()
		if (st.Served != served || first) && !c.Quiet {
			fmt.Fprintf(w.err, "%s cluster: %s\n", time.Now().Format("15:04:05"), map[bool]string{true: "working as " + st.ID, false: "no coordinator answers; waiting"}[st.Served])
		}
		served, first = st.Served, false
	}}
	if !c.Quiet {
		fmt.Fprintf(w.err, "worker with %d connections; Ctrl-C stops it\n", c.Conns)
	}
	if err := conn.Work(w.ctx, w.abort, job); err != nil {
		return clusterError(err)
	}
	return nil
}
