//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"dowse/internal/cluster"
)

// clusterStatus returns what cluster status prints as JSON.
func clusterStatus(t *testing.T, servers string, further ...string) (st cluster.Status) {
	t.Helper()
	out, _ := runToEnd(t, exitOK, append([]string{"cluster", "status", servers, "--json"}, further...)...)
	if err := json.Unmarshal([]byte(out), &st); err != nil {
		t.Fatal(err)
	}
	return st
}

// dialNATS connects the test itself to a server.
func dialNATS(t *testing.T, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// Messages of another program on the stream of commits, garbage and old commits that are published again,
// are passed over and counted: the crawl goes on, also one that is started after them, and the copy of a
// standby stays equal.
func clusterForeignCommits(t *testing.T) {
	web := serveCluster(t, 60, 4, 0)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "c.dowse"), filepath.Join(dir, "copy.dowse")
	nc := dialNATS(t, servers.url())
	copies := make(chan *nats.Msg, 10_000)
	if _, err := nc.ChanSubscribe("dowse.crawl.commit", copies); err != nil {
		t.Fatal(err)
	}
	disturb := func() {
		t.Helper()
		for _, b := range [][]byte{[]byte("garbage"), nil, (<-copies).Data, []byte("dwc1")} {
			if err := nc.Publish("dowse.crawl.commit", b); err != nil {
				t.Fatal(err)
			}
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	startWorker(t, servers.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, first, servers.url())
	s := startDowse(t, "standby", second, servers.url(), "--trust")
	s.awaitWords("up to date")
	disturb()
	web.allow(40)
	awaitThat(t, "the messages to be counted", func() bool { return clusterStatus(t, servers.url()).Foreign >= 4 })
	awaitThat(t, "visits in flight", func() bool { return web.known() > 40 })
	c.kill()
	s.kill()
	disturb()
	nc.Publish("$KV.dowse-crawl.coordinator", []byte("garbage")) // the lease
	c = startCrawl(t, web, first, servers.url())
	c.awaitWords("resuming")
	nc.Publish("$KV.dowse-crawl.coordinator", []byte("garbage"))
	s = startDowse(t, "standby", second, servers.url(), "--trust")
	s.awaitWords("up to date")
	web.allow(60)
	c.ended(exitOK)
	s.ended(exitOK)
	checkComplete(t, first, 60)
	sameDirectories(t, first, second)
}

// A coordinator that can't go on, here because its directory was moved away, leaves the crawl to its
// standby, and the copy does not follow the removal of files.
func clusterCoordinatorCannotGoOn(t *testing.T) {
	web := serveCluster(t, 60, 4, time.Millisecond)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "c.dowse"), filepath.Join(dir, "copy.dowse")
	startWorker(t, servers.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, first, servers.url())
	awaitThat(t, "visits in flight", func() bool { return web.known() > 20 })
	s := startDowse(t, "standby", second, servers.url(), "--trust")
	s.awaitWords("up to date")
	if err := os.Rename(first, filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	web.allow(60)
	c.ended(exitCollection)
	s.ended(exitOK)
	if !strings.Contains(s.errors(), "can't go on") || !strings.Contains(s.errors(), "taking over") {
		t.Errorf("said:\n%s", s.errors())
	}
	checkComplete(t, second, 60)
}

// A standby whose copy can't be opened when it takes over leaves the crawl to another one.
func clusterTakeOverFails(t *testing.T) {
	web := serveCluster(t, 60, 4, time.Millisecond)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	startWorker(t, servers.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, filepath.Join(dir, "c.dowse"), servers.url())
	awaitThat(t, "visits in flight", func() bool { return web.known() > 20 })
	bad := startDowse(t, "standby", filepath.Join(dir, "bad.dowse"), servers.url(), "--trust")
	bad.awaitWords("up to date")
	good := startDowse(t, "standby", filepath.Join(dir, "good.dowse"), servers.url(), "--trust")
	good.awaitWords("up to date")
	if err := os.WriteFile(filepath.Join(dir, "bad.dowse", "topic.yaml"), []byte("\x00 no topic"), 0o644); err != nil {
		t.Fatal(err)
	}
	good.signal(syscall.SIGSTOP)
	c.kill()
	bad.ended(exitCollection)
	good.signal(syscall.SIGCONT)
	web.allow(60)
	good.ended(exitOK)
	checkComplete(t, filepath.Join(dir, "good.dowse"), 60)
}

// While the servers do not answer, the status shows it and is not healthy, coordinator, worker and standby wait without
// spending the processor or flooding the network, and say it once. A signal ends the coordinator all the same. The next run goes on
// exactly, and nothing is left on the stream of arrivals.
func clusterStopsWithoutNATS(t *testing.T) {
	web := serveCluster(t, 60, 4, time.Millisecond)
	servers := startNATS(t, 1)
	proxy := startCut(t, fmt.Sprintf("127.0.0.1:%d", servers.clients[0]))
	dir := filepath.Join(t.TempDir(), "c.dowse")
	w := startWorker(t, proxy.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, dir, proxy.url())
	awaitThat(t, "visits in flight", func() bool { return web.known() > 20 })
	s := startDowse(t, "standby", filepath.Join(filepath.Dir(dir), "copy.dowse"), proxy.url(), "--trust")
	s.awaitWords("up to date")
	proxy.set(true)
	web.allow(40)
	for _, p := range []*clusterProcess{c, w, s} {
		p.awaitWords("the connection to NATS is lost")
	}
	begun, spent, vain := time.Now(), processorNow(t, c, w, s), proxy.inVain()
	awaitThat(t, "a status that shows it", func() bool {
		p := startDowse(t, "status", dir, "--check", "--json")
		return p.wait() == exitAssertion && strings.Contains(p.errors(), "NATS")
	})
	time.Sleep(3 * time.Second) // in which they try again
	// A slow machine makes less of both, so that only a loop without a pause is too much.
	seconds := time.Since(begun).Seconds()
	if spent = processorNow(t, c, w, s) - spent; spent > 0.5*seconds+0.5 {
		t.Errorf("%.1f s of processor in %.1f s without servers", spent, seconds)
	}
	if vain = proxy.inVain() - vain; float64(vain) > 30*seconds {
		t.Errorf("%d connections and messages in %.1f s without servers", vain, seconds)
	}
	for _, p := range []*clusterProcess{c, w, s} {
		if n := strings.Count(p.errors(), "the connection to NATS is lost"); n != 1 {
			t.Errorf("%s: %d lines about the connection:\n%s", strings.Join(p.cmd.Args, " "), n, p.errors())
		}
	}
	s.kill() // when the servers are back it would take over: that the crawl was stopped could not be recorded
	runToEnd(t, exitOK, "stop", dir)
	c.ended(exitInterrupted)
	proxy.set(false)
	c = startCrawl(t, web, dir, servers.url())
	c.awaitWords("resuming")
	web.allow(60)
	c.ended(exitOK)
	checkComplete(t, dir, 60)
	if n := clusterStatus(t, servers.url()).Streams["arrivals"].Messages; n != 0 {
		t.Errorf("%d arrivals were not removed", n)
	}
}

// processorNow returns the processor time that running processes have used, in seconds.
func processorNow(t *testing.T, list ...*clusterProcess) (sum float64) {
	t.Helper()
	for _, p := range list {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), ") ") // the name may contain spaces
		var user, system float64
		if _, err := fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system); err != nil {
			t.Fatal(err)
		}
		sum += (user + system) / 100 // ticks
	}
	return sum
}

// inVain returns how many connections and messages came while the proxy was closed.
func (c *cut) inVain() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.vain
}

// A page that is taken down while the crawl is stopped is gone from the copy too, when the crawl goes on
// with its standby attached.
func clusterForgetsInTheCopy(t *testing.T) {
	web := serveCluster(t, 30, 2, 0)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "c.dowse"), filepath.Join(dir, "copy.dowse")
	startWorker(t, servers.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, first, servers.url())
	awaitThat(t, "visits in flight", func() bool { return web.known() > 20 })
	s := startDowse(t, "standby", second, servers.url(), "--trust")
	s.awaitWords("up to date")
	c.signal(syscall.SIGINT)
	web.allow(22)
	c.ended(exitInterrupted)
	s.awaitWords("waiting for it to be resumed")
	_, said := runToEnd(t, exitOK, "forget", first, web.url(1), "--because", "its owner asked", "--yes")
	if !strings.Contains(said, `servers of the cluster "crawl" may still hold the pages`) || !strings.Contains(said, "copies of standbys lose the pages") {
		t.Errorf("said:\n%s", said)
	}
	c = startCrawl(t, web, first, servers.url())
	c.awaitWords("resuming")
	web.allow(30)
	c.ended(exitOK)
	s.ended(exitOK)
	sameDirectories(t, first, second)
	runToEnd(t, exitOK, "collection", "verify", second)
	for _, d := range []string{first, second} {
		if out, _ := runToEnd(t, exitOK, "pages", d, "--json"); strings.Contains(out, web.url(1)+`"`) {
			t.Errorf("%s has the page that was taken down", d)
		}
	}
}

// What people see of standbys, workers and servers at the edges: each line names what it is about, and
// nothing is left behind.
func clusterEdges(t *testing.T) {
	web := serveCluster(t, 200, 1, 20*time.Millisecond)
	dir := t.TempDir()
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	url := "nats://" + at
	first, second := filepath.Join(dir, "c.dowse"), filepath.Join(dir, "copy.dowse")

	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	busy := startCrawl(t, web, first, "embedded", "--cluster-listen", at)
	busy.ended(exitUsage)
	if !strings.Contains(busy.errors(), "address already in use") {
		t.Errorf("said:\n%s", busy.errors())
	}
	if _, err := os.Stat(first + ".nats"); err == nil {
		t.Error("a server that did not start left its directory")
	}
	l.Close()

	web.allow(8)
	c := startCrawl(t, web, first, "embedded", "--cluster-listen", at)
	c.awaitWords("workers:")
	startWorker(t, url, 2)
	awaitThat(t, "visits in flight", func() bool { return web.known() > 8 })
	other := startDowse(t, "worker", url, "--cluster-name", "none-such")
	other.awaitWords("no coordinator answers; waiting")
	other.kill()
	waiting := startDowse(t, "standby", filepath.Join(dir, "none.dowse"), url, "--cluster-name", "none-such", "--trust")
	waiting.awaitWords("there is no crawl yet")
	waiting.signal(syscall.SIGTERM)
	waiting.ended(exitInterrupted)
	if _, err := os.Stat(filepath.Join(dir, "none.dowse")); err == nil {
		t.Error("a standby that copied nothing left a directory")
	}

	s := startDowse(t, "standby", second, url, "--trust")
	s.awaitWords("up to date")
	out, _ := runToEnd(t, exitOK, "status", second)
	if !strings.Contains(out, "a copy that a standby keeps up to date") || strings.Contains(out, "killed") {
		t.Errorf("status of the copy:\n%s", out)
	}
	out, _ = runToEnd(t, exitOK, "cluster", "status", url)
	if !strings.Contains(out, second) || !strings.Contains(out, fmt.Sprintf("process %d", s.cmd.Process.Pid)) {
		t.Errorf("cluster status:\n%s", out)
	}
	s.signal(syscall.SIGTERM)
	s.ended(exitInterrupted)
	if list := clusterStatus(t, url).Standbys; len(list) != 0 {
		t.Errorf("a standby that has ended is listed: %+v", list)
	}

	stop := startDowse(t, "stop", first)
	web.allow(200) // more than it can fetch until it has stopped
	stop.ended(exitOK)
	if !strings.Contains(stop.errors(), "--cluster embedded") {
		t.Errorf("stop said:\n%s", stop.errors())
	}
	if l, err := net.Listen("tcp", at); err != nil {
		t.Errorf("the embedded server listens after stop: %v", err)
	} else {
		l.Close()
	}
	c.ended(exitInterrupted)

	// What was taken down may be in the files of the server, which can be removed: the crawl goes on without.
	_, said := runToEnd(t, exitOK, "forget", first, web.url(1), "--because", "its owner asked", "--yes")
	if !strings.Contains(said, "c.dowse.nats, the files of the embedded NATS server") {
		t.Errorf("said:\n%s", said)
	}
	if err := os.RemoveAll(first + ".nats"); err != nil {
		t.Fatal(err)
	}
	c = startCrawl(t, web, first, "embedded", "--cluster-listen", at)
	c.ended(exitOK)
	runToEnd(t, exitOK, "collection", "verify", first)
}

// Of two coordinators with copies of the same collection that are started at the same moment one is
// refused, and the other crawls.
func clusterTwoCoordinators(t *testing.T) {
	web := serveCluster(t, 30, 2, 0)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.dowse"), filepath.Join(dir, "b.dowse")
	startWorker(t, servers.url(), 4)
	startCrawl(t, web, first, servers.url(), "--pages", "10").ended(exitOK)
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	web.allow(20)
	var both [2]*clusterProcess
	for i, d := range []string{first, second} {
		both[i] = startDowse(t, "crawl", d, "--no-progress", "--cluster", servers.url(), "--trust", "--pages", "30")
	}
	awaitThat(t, "one to end", func() bool { return !both[0].running() || !both[1].running() })
	lost := 0
	if both[0].running() {
		lost = 1
	}
	both[lost].ended(exitCollection)
	web.allow(30)
	both[1-lost].ended(exitOK)
	checkComplete(t, []string{first, second}[1-lost], 30)
}

// A worker that takes visits and brings garbage for them, results for other URLs and results that are
// too large is refused and counted. Its visits go to another one, and nothing is lost.
func clusterWorkerBringsGarbage(t *testing.T) {
	web := serveCluster(t, 40, 4, 0)
	servers := startNATS(t, 1)
	nc := dialNATS(t, servers.url())
	visits := make(chan *nats.Msg, 100)
	if _, err := nc.ChanSubscribe("dowse.crawl.work.liar", visits); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "c.dowse")
	c := startCrawl(t, web, dir, servers.url())
	hello := []byte(fmt.Sprintf(`{"id":"liar","host":"h","version":%q,"wire":2,"conns":8}`, versionOfDowse(t)))
	awaitThat(t, "a visit for the liar", func() bool {
		nc.Request("dowse.crawl.hello", hello, time.Second)
		return len(visits) > 0
	})
	m := <-visits
	for _, b := range [][]byte{m.Data, append([]byte("dwa2\x00\x01"), m.Data...), []byte("dwa2\x00\xff\xff\xff\xff\x7f")} {
		nc.Publish("dowse.crawl.arrival", b)
	}
	part := make([]byte, 900<<10)
	for i := range 80 { // 70 MB in parts, more than any result may have
		b := append([]byte(fmt.Sprintf("dwa2\x01\x04liar%c\x00", i)), 0x80|byte(len(part)&0x7f), 0x80|byte(len(part)>>7&0x7f), byte(len(part)>>14))
		if err := nc.Publish("dowse.crawl.arrival", append(b, part...)); err != nil {
			t.Fatal(err)
		}
	}
	nc.Flush()
	awaitThat(t, "the refusals", func() bool {
		r := clusterStatus(t, servers.url()).Refused
		return r.Garbage >= 3 && r.Large >= 1
	})
	startWorker(t, servers.url(), 4)
	c.ended(exitOK)
	checkComplete(t, dir, 40)
}

// versionOfDowse returns the version that processes name.
func versionOfDowse(t *testing.T) string {
	t.Helper()
	out, _ := runToEnd(t, exitOK, "version")
	return strings.TrimPrefix(strings.Fields(out)[1], "v")
}

// Servers with too little room for their streams make the crawl pause with a line that names the cause.
// When they have room it goes on, and nothing is lost.
func clusterServersWithoutRoom(t *testing.T) {
	web := serveCluster(t, 60, 4, 0)
	web.pad = benchText()
	store, port := t.TempDir(), freePort(t)
	start := func(most int64) *server.Server {
		t.Helper()
		s, err := server.NewServer(&server.Options{
			ServerName: "n", Host: "127.0.0.1", Port: port, JetStream: true, SyncAlways: true, JetStreamMaxStore: most, StoreDir: store, NoSigs: true, NoLog: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		if !s.ReadyForConnections(20 * time.Second) {
			t.Fatal("a NATS server does not start")
		}
		return s
	}
	s := start(150 << 10)
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	// A standby that is silent keeps commits from being removed for some minutes.
	c := startCrawl(t, web, dir, url)
	w := startWorker(t, url, 4)
	nc := dialNATS(t, url)
	awaitThat(t, "the coordinator", func() bool {
		_, err := nc.Request("dowse.crawl.standby", []byte(fmt.Sprintf(`{"id":"slow","host":"h","version":%q,"applied":1}`, versionOfDowse(t))), time.Second)
		return err == nil
	})
	awaitThat(t, "a line about it", func() bool {
		return strings.Contains(c.errors(), "does not accept commits") || strings.Contains(w.errors(), "does not accept results")
	})
	s.Shutdown()
	s.WaitForShutdown()
	s = start(1 << 30)
	defer s.Shutdown()
	c.ended(exitOK)
	checkComplete(t, dir, 60)
	js, err := jetstream.New(dialNATS(t, url))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Stream(context.Background(), "dowse-crawl-commits"); err != nil {
		t.Error(err)
	}
}

// A standby whose servers can be read and not written to, because two of three were killed together with the
// coordinator, waits for longer than a lease lasts, and takes over when they are back.
func clusterTakeOverWithoutMostServers(t *testing.T) {
	web := serveCluster(t, 60, 4, time.Millisecond)
	servers := startNATS(t, 3)
	dir := t.TempDir()
	startWorker(t, servers.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, filepath.Join(dir, "c.dowse"), servers.url())
	awaitThat(t, "visits in flight", func() bool { return web.known() > 20 })
	s := startDowse(t, "standby", filepath.Join(dir, "copy.dowse"), servers.url(), "--trust")
	s.awaitWords("up to date")
	c.kill()
	servers.kill(1)
	servers.kill(2)
	time.Sleep(8 * time.Second)
	servers.start(1)
	servers.start(2)
	web.allow(60)
	s.ended(exitOK)
	checkComplete(t, filepath.Join(dir, "copy.dowse"), 60)
}
