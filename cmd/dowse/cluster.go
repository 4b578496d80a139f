package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/cluster"
	"dowse/internal/plain"
)

// crawlCluster are the flags with which a crawl coordinates a cluster.
type crawlCluster struct {
	Cluster       string `env:"-" group:"cluster" rare:"" placeholder:"SERVERS" help:"Let workers make the visits: nats://..., or embedded."`
	ClusterListen string `env:"-" group:"cluster" rare:"" placeholder:"ADDR" shown:"127.0.0.1:4222" help:"Address of the embedded server."`
	clusterFlags
}

// embedded is the name of the server inside the coordinator.
const embedded = "embedded"

// lead makes this process the coordinator of the collection in dir, if --cluster is given. It returns
// what to do at the end.
func (c *crawlCluster) lead(w *world, dir string, cfg *crawler.Config, quiet bool) (end func(), err error) {
	if c.Cluster == "" {
		if c.ClusterListen != "" || c.ClusterName != "" || c.ClusterToken != "" {
			return nil, usage("--cluster-listen, --cluster-name and --cluster-token need --cluster")
		}
		return func() {}, c.alone(dir)
	}
	servers, stop, err := c.servers(dir)
	if err != nil {
		return nil, err
	}
	conn, err := c.connect(w.ctx, w, servers, quiet)
	if err != nil {
		stop()
		return nil, err
	}
	end = func() {
		conn.Close()
		stop()
	}
	if err := c.takeLead(w.ctx, conn, dir, cfg); err != nil {
		end()
		return nil, clusterError(err)
	}
	if c.Cluster == embedded && !quiet {
		fmt.Fprintf(w.err, "workers: %s\n", c.workerCommand(servers, allowedNets(dir, cfg)))
	}
	return end, nil
}

// workerCommand returns the command that starts a worker for this crawl.
func (c *crawlCluster) workerCommand(servers string, nets []string) string {
	command := "dowse worker " + servers
	if c.ClusterName != "" {
		command += " --cluster-name " + c.ClusterName
	}
	if c.ClusterToken != "" {
		command += " --cluster-token " + printable(c.ClusterToken)
	}
	if len(nets) > 0 {
		command += " --allow-net " + printable(strings.Join(nets, ","))
	}
	return command
}

// allowedNets returns the private networks that a crawl may reach, by its flags or, if these do not
// name any, by the collection.
func allowedNets(dir string, cfg *crawler.Config) []string {
	if len(cfg.Settings.AllowNet) > 0 || !collection.IsCollection(dir) {
		return cfg.Settings.AllowNet
	}
	s, err := collection.ReadSettings(dir)
	if err != nil {
		return nil // opening it returns the error
	}
	return s.AllowNet
}

// alone refuses to crawl a collection without its cluster: the streams would know nothing of what
// happens, and a standby would take over an older state.
func (c *crawlCluster) alone(dir string) error {
	if !collection.IsCollection(dir) {
		return nil
	}
	m, err := cluster.ReadMembership(dir)
	if err != nil || m.Term == "" {
		return err
	}
	return usage("%s belongs to the cluster %q: give --cluster SERVERS, or take it out with dowse cluster leave %s", dir, m.Cluster, shellWord(dir))
}

// servers returns the URL of the servers, and starts the embedded one if that is asked for. Its
// files are next to the collection.
func (c *crawlCluster) servers(dir string) (servers string, stop func(), err error) {
	if c.Cluster != embedded {
		if c.ClusterListen != "" {
			return "", nil, usage("--cluster-listen is for --cluster embedded")
		}
		return c.Cluster, func() {}, nil
	}
	token := ""
	if c.ClusterToken != "" {
		if token, err = cluster.ReadToken(c.ClusterToken); err != nil {
			return "", nil, usage("%w", err)
		}
	}
	servers, stop, err = cluster.Embed(serverFiles(dir), orDefault(c.ClusterListen, cluster.DefaultListen), token)
	if err != nil {
		return "", nil, usage("%w", err)
	}
	return servers, stop, nil
}

// serverFiles returns the directory of the embedded server of a collection.
func serverFiles(dir string) string { return strings.TrimRight(dir, "/") + ".nats" }

// takeLead takes the lease and raises the fence.
func (c *crawlCluster) takeLead(ctx context.Context, conn *cluster.Conn, dir string, cfg *crawler.Config) error {
	id, exists := "", collection.IsCollection(dir)
	if exists {
		s, err := collection.ReadSettings(dir)
		if err != nil {
			return inCollection(err)
		}
		id = cluster.CrawlID(s.Key)
	}
	if err := conn.Owned(ctx, id); err != nil {
		return err
	}
	ship, err := conn.TakeLead(ctx, dir, exists)
	cfg.Cluster = ship
	return err
}

// clusterCmd is dowse cluster.
type clusterCmd struct {
	Status clusterStatusCmd `cmd:"" help:"Show coordinator, workers, standbys and streams."`
	Leave  clusterLeaveCmd  `cmd:"" help:"Take a collection out of its cluster."`
	Drop   clusterDropCmd   `cmd:"" help:"Remove the streams of a crawl from the servers."`
}

func (clusterCmd) Help() string {
	return `Examples:
  dowse cluster status nats://127.0.0.1:4222
  dowse cluster leave reefs.dowse
  dowse cluster drop nats://127.0.0.1:4222`
}

// clusterStatusCmd is dowse cluster status.
type clusterStatusCmd struct {
	Servers string `arg:"" help:"NATS servers: nats://host:port, separated by commas."`
	clusterFlags
	JSON bool `help:"Print JSON."`
}

func (clusterStatusCmd) Help() string {
	return `Examples:
  dowse cluster status nats://127.0.0.1:4222
  dowse cluster status nats://127.0.0.1:4222 --json`
}

// Run asks the coordinator, and the servers.
func (c *clusterStatusCmd) Run(w *world) error {
	conn, err := c.connect(w.ctx, w, c.Servers, true)
	if err != nil {
		return err
	}
	defer conn.Close()
	st, err := conn.Status(w.ctx)
	if errors.Is(err, cluster.ErrNoCluster) {
		return &exitError{exitNothing, err}
	}
	if err != nil {
		return &exitError{exitNetwork, err}
	}
	if c.JSON {
		return json.NewEncoder(w.out).Encode(st)
	}
	printCluster(w, st)
	return nil
}

// printCluster prints the state of a cluster for people.
func printCluster(w *world, st *cluster.Status) {
	h := &st.Coordinator
	state := "since " + h.Since.Local().Format("2006-01-02 15:04:05")
	switch {
	case h.Term == "":
		state = "there was none"
	case h.Done:
		state = "has finished the crawl"
	case h.Ended:
		state = "was stopped"
	case h.Failed != "":
		state = "can't go on: " + printable(h.Failed)
	case !st.Answers:
		state = "does not answer"
	}
	fmt.Fprintf(w.out, "cluster      %s: %s, dowse %s\n", st.Cluster, printable(orDefault(st.Crawl, "no crawl")), printable(st.Version))
	fmt.Fprintf(w.out, "coordinator  %s, %s\n", printable(h.String()), state)
	if st.Answers {
		fmt.Fprintf(w.out, "crawl        %s fetched, %s on topic, %s queued\n", plain.Count(st.Progress.Fetched), plain.Count(st.Progress.OnTopic), plain.Count(st.Progress.Queued))
		for _, l := range clusterText(st) {
			fmt.Fprintln(w.out, strings.TrimPrefix(l, " "))
		}
	}
	for _, name := range []string{"arrivals", "commits"} {
		l := st.Streams[name]
		fmt.Fprintf(w.out, "%-12s %s, %s, %d-fold\n", name, some(int(l.Messages), "message"), plain.Bytes(int64(l.Bytes)), l.Replicas)
	}
}

// clusterText returns what a coordinator knows of its workers and standbys, as lines of a status.
func clusterText(st *cluster.Status) []string {
	since := st.Coordinator.Since.Local().Format("2006-01-02 15:04:05")
	lines := []string{fmt.Sprintf(" cluster   %s; %s in flight, %d waiting for a worker; coordinated since %s", some(len(st.Workers), "worker"), some(st.InFlight, "visit"), st.Waiting, since)}
	if len(st.Workers) > 0 {
		lines = append(lines, fmt.Sprintf("           %-13s %-16s %-8s %9s %9s %7s  %s", "worker", "host", "version", "in flight", "done", "per s", "last heard"))
	}
	for _, x := range st.Workers {
		lines = append(lines, fmt.Sprintf("           %-13s %-16s %-8s %4d/%-4d %9s %7.1f  %s ago", plain.Fit(x.ID, 13), plain.Fit(x.Host, 16), plain.Fit(x.Version, 8), x.InFlight, x.Conns, plain.Count(x.Done), x.Rate, x.Silent.Round(100*time.Millisecond)))
	}
	for _, s := range st.Standbys {
		state := "being brought up to date"
		switch {
		case s.Ready:
			state = "ready"
		case s.Silent > 5*time.Second:
			state = "silent for " + s.Silent.Round(time.Second).String()
		}
		lines = append(lines, fmt.Sprintf("           standby %s on %s (process %d): %s, %s behind", printable(s.Dir), plain.Fit(s.Host, 30), s.Process, state, some(int(s.Behind), "message")))
	}
	if st.Stuck > 0 {
		lines = append(lines, fmt.Sprintf("           NATS has not accepted commits for %s; the crawl pauses until it does", st.Stuck.Round(time.Second)))
	}
	if st.Foreign > 0 {
		lines = append(lines, fmt.Sprintf("           %s of other programs on the stream of commits passed over", some(st.Foreign, "message")))
	}
	r := st.Refused
	return append(lines, fmt.Sprintf("           results %s; refused: %d repeated, %d late, %d unreadable, %d too large; moved: %d", plain.Count(r.Results), r.Repeated, r.Late, r.Garbage, r.Large, r.Moved))
}

// resumeCommand returns the command that goes on with a crawl. One of a cluster needs its servers.
func resumeCommand(dir string) string {
	command := "dowse crawl " + shellWord(dir)
	if m, err := cluster.ReadMembership(dir); err == nil && m.Term != "" {
		if _, err := os.Stat(serverFiles(dir)); err == nil {
			command += " --cluster " + embedded
		} else {
			command += " --cluster SERVERS"
		}
		if m.Cluster != cluster.DefaultName {
			command += " --cluster-name " + m.Cluster
		}
	}
	return command
}

// clusterLeaveCmd is dowse cluster leave.
type clusterLeaveCmd struct {
	Dir string `arg:"" help:"Collection."`
}

func (clusterLeaveCmd) Help() string {
	return `Examples:
  dowse cluster leave reefs.dowse

The collection can then be crawled on one machine again. What the streams hold of
it is not touched; dowse cluster drop removes it. Do this with the copy that was
written last only.`
}

// Run removes the membership of a collection.
func (c *clusterLeaveCmd) Run(w *world) error {
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	release, err := collection.LockCopy(c.Dir) // so that no crawl and no standby begins meanwhile
	if err != nil {
		return inCollection(err)
	}
	defer release()
	left, err := cluster.Leave(c.Dir)
	if err != nil {
		return err
	}
	if !left {
		fmt.Fprintf(w.err, "%s belongs to no cluster\n", c.Dir)
	}
	return nil
}

// clusterDropCmd is dowse cluster drop.
type clusterDropCmd struct {
	Servers string `arg:"" help:"NATS servers: nats://host:port, separated by commas."`
	clusterFlags
}

func (clusterDropCmd) Help() string {
	return `Examples:
  dowse cluster drop nats://127.0.0.1:4222

Collections are not touched. Pages that workers have fetched and no coordinator
has read yet are lost. It is refused while a coordinator answers.`
}

// Run removes the streams.
func (c *clusterDropCmd) Run(w *world) error {
	conn, err := c.connect(w.ctx, w, c.Servers, true)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = conn.Drop(w.ctx)
	if errors.Is(err, cluster.ErrNoCluster) {
		return &exitError{exitNothing, err}
	}
	return clusterError(err)
}
