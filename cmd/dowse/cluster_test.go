//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"dowse/crawler"
	"dowse/internal/cluster"
)

var (
	clusterFor  = flag.Duration("clusterchaos", 0, "how long TestClusterChaos goes on; 0 for one crawl")
	clusterSeed = flag.Uint64("clusterchaos-seed", 0, "random seed of TestClusterChaos; 0 chooses one")
)

// A clusterWeb is a web of numbered pages on several hosts of loopback. Every page but the first has
// one link to it, so that a page that gets lost takes those below it with it.
type clusterWeb struct {
	n     int
	hosts int
	port  int
	slow  time.Duration
	pad   string                // what pages have in addition
	text  func(page int) string // the same, different for each page; nil for none
	page  func(page int) string // makes pages in place of the usual ones; nil for those

	mu    sync.Mutex
	asked []string               // paths in order
	times map[string][]time.Time // of requests, by host, robots.txt included
	pages map[string]int
	most  int           // of how many pages requests are answered; others wait
	held  string        // the path of a page that comes in small pieces and does not end; "" for none
	moved chan struct{} // is closed when most changes
	ends  []func() error
}

func serveCluster(t testing.TB, n, hosts int, slow time.Duration) *clusterWeb {
	t.Helper()
	w := &clusterWeb{n: n, hosts: hosts, slow: slow, pages: map[string]int{}, times: map[string][]time.Time{}, most: n, moved: make(chan struct{})}
	for h := range hosts {
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", loopbackHost(h), w.port))
		if err != nil {
			t.Fatal(err)
		}
		w.port = l.Addr().(*net.TCPAddr).Port
		s := &http.Server{Handler: w}
		go s.Serve(l)
		w.ends = append(w.ends, s.Close)
	}
	t.Cleanup(func() {
		for _, end := range w.ends {
			end()
		}
	})
	return w
}

// loopbackHost returns the address of one of up to 64,000 hosts.
func loopbackHost(h int) string { return fmt.Sprintf("127.0.%d.%d", h/250, h%250+1) }

func (w *clusterWeb) url(i int) string {
	return fmt.Sprintf("http://%s:%d/p%d", loopbackHost(i%w.hosts), w.port, i)
}

func (w *clusterWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.times[r.Host] = append(w.times[r.Host], time.Now())
	w.mu.Unlock()
	i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p"))
	if err != nil {
		http.NotFound(rw, r)
		return
	}
	w.mu.Lock()
	w.asked = append(w.asked, r.URL.Path)
	if _, seen := w.pages[r.URL.Path]; !seen {
		w.pages[r.URL.Path] = len(w.pages)
	}
	for w.pages[r.URL.Path] >= w.most {
		moved := w.moved
		w.mu.Unlock()
		select {
		case <-moved:
		case <-r.Context().Done():
			return
		}
		w.mu.Lock()
	}
	rw.Header().Set("Content-Type", "text/html")
	for w.held == r.URL.Path && r.Context().Err() == nil {
		w.mu.Unlock()
		fmt.Fprintf(rw, "<!-- %2000s -->\n", "")
		rw.(http.Flusher).Flush()
		time.Sleep(100 * time.Millisecond)
		w.mu.Lock()
	}
	w.mu.Unlock()
	time.Sleep(w.slow)
	if w.page != nil {
		io.WriteString(rw, w.page(i))
		return
	}
	fmt.Fprintf(rw, "<html lang=en><title>Lighthouse %d</title><h1>Keeper %d</h1><p>The lighthouse keeper number %d lit lamp %d in year %d.</p>", i, i, i*7919%1009, i*31%97, 1700+i*13%300)
	io.WriteString(rw, w.pad)
	if w.text != nil {
		io.WriteString(rw, w.text(i))
	}
	for k := 1; k <= 4; k++ {
		if j := i*4 + k; j < w.n {
			word := []string{"lighthouse", "harbour", "lamp keeper", "storm"}[j%4]
			fmt.Fprintf(rw, "<p>Read of the %s in <a href=%q>%s %d</a>, which is near.</p>", word, w.url(j), word, j)
		}
	}
}

// requests returns the pages in the order in which they were asked for.
func (w *clusterWeb) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// allow lets only so many pages be answered.
func (w *clusterWeb) allow(most int) { w.change(func() { w.most = most }) }

// hold lets a page come in small pieces, without an end; "" lets it end.
func (w *clusterWeb) hold(path string) { w.change(func() { w.held = path }) }

func (w *clusterWeb) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	close(w.moved)
	w.moved = make(chan struct{})
}

// known returns how many different pages were asked for.
func (w *clusterWeb) known() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pages)
}

// natsServers are NATS servers with file storage that sync every message, each a process.
type natsServers struct {
	t       testing.TB
	dir     string
	clients []int // ports
	routes  []int
	list    []*clusterProcess // nil for one that was killed
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startNATS starts n servers and waits until they have a leader. A port that was free may be another program's by the
// time a server asks for it, and new servers may not agree on a leader: then there are others, with other ports.
func startNATS(t testing.TB, n int) *natsServers {
	t.Helper()
	for try := 1; ; try++ {
		s := &natsServers{t: t, dir: t.TempDir(), list: make([]*clusterProcess, n)}
		for range n {
			s.clients, s.routes = append(s.clients, freePort(t)), append(s.routes, freePort(t))
		}
		err := s.startAll()
		if err == nil {
			return s
		}
		if try == 3 {
			t.Fatalf("NATS servers, after %d tries: %v", try, err)
		}
		t.Logf("NATS servers are started again: %v", err)
		for _, p := range s.list {
			if p != nil {
				p.kill()
			}
		}
	}
}

// startAll starts all servers and waits until they have a leader.
func (s *natsServers) startAll() error {
	for i := range s.list {
		if err := s.tryStart(i); err != nil {
			return err
		}
	}
	if err := s.awaitLeader(min(clusterPatience(s.t)/3, 2*time.Minute)); err != nil {
		return err
	}
	for i, p := range s.list { // one that has no port for its routes ends after it has listened
		if !p.running() {
			return fmt.Errorf("server %d has ended: %s", i, p.errors())
		}
	}
	return nil
}

// A server that can't have one of its ports ends, and the servers are not taken for a cluster of three.
func TestNATSServersWithoutAPort(t *testing.T) {
	skipShort(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := &natsServers{t: t, dir: t.TempDir(), list: make([]*clusterProcess, 3)}
	for range s.list {
		s.clients, s.routes = append(s.clients, freePort(t)), append(s.routes, freePort(t))
	}
	s.routes[1] = taken.Addr().(*net.TCPAddr).Port
	if err := s.startAll(); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("error %v, want one that names the reason", err)
	}
}

// start starts a server again that was killed, and waits until it listens.
func (s *natsServers) start(i int) {
	s.t.Helper()
	if err := s.tryStart(i); err != nil {
		s.t.Fatal(err)
	}
}

// tryStart starts a server and waits until it listens.
func (s *natsServers) tryStart(i int) error {
	args := []string{fmt.Sprintf("n%d", i), filepath.Join(s.dir, fmt.Sprint(i)), fmt.Sprint(s.clients[i])}
	if len(s.clients) > 1 {
		args = append(args, fmt.Sprint(s.routes[i]))
		for _, port := range s.routes {
			args = append(args, fmt.Sprint(port))
		}
	}
	s.list[i] = startProcess(s.t, "nats-server", args...)
	listens := comesToPass(clusterPatience(s.t), func() bool {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.clients[i]))
		if err == nil {
			c.Close()
		}
		return err == nil || !s.list[i].running()
	})
	if !listens || !s.list[i].running() {
		return fmt.Errorf("server %d does not listen: %s", i, s.list[i].errors())
	}
	return nil
}

// kill kills a server, which has no chance to put anything in order.
func (s *natsServers) kill(i int) {
	s.list[i].kill()
	s.list[i] = nil
}

// awaitLeader waits, for so long at most, until the servers have agreed on a leader.
func (s *natsServers) awaitLeader(most time.Duration) error {
	last := errors.New("no answer")
	ok := comesToPass(most, func() bool {
		nc, err := nats.Connect(s.url())
		if err == nil {
			defer nc.Close()
			var js jetstream.JetStream
			if js, err = jetstream.New(nc); err == nil {
				_, err = js.AccountInfo(context.Background())
			}
		}
		last = cmp.Or(err, last)
		return err == nil
	})
	if ok {
		return nil
	}
	said := ""
	for i, p := range s.list {
		if p != nil && !p.running() {
			said += fmt.Sprintf("; server %d has ended: %s", i, p.errors())
		}
	}
	return fmt.Errorf("the NATS servers have no leader: %w%s", last, said)
}

// comesToPass reports whether something comes to pass, for so long at most.
func comesToPass(most time.Duration, ok func() bool) bool {
	for end := time.Now().Add(most); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func (s *natsServers) url() string {
	var list []string
	for _, port := range s.clients {
		list = append(list, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	return strings.Join(list, ",")
}

// clusterPatience returns for how long a test waits for what must come to pass. The long form and
// benchmarks share their machine with other work.
func clusterPatience(t testing.TB) time.Duration {
	switch _, bench := t.(*testing.B); {
	case bench:
		return time.Hour
	case *clusterFor > 0:
		return 5 * time.Minute
	}
	return 90 * time.Second
}

// awaitThat waits for something that must come to pass, however slow the machine is.
func awaitThat(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !comesToPass(clusterPatience(t), ok) {
		t.Fatalf("waited in vain for %s", what)
	}
}

// A clusterProcess is a process of a cluster.
type clusterProcess struct {
	t    testing.TB
	cmd  *exec.Cmd
	mu   sync.Mutex
	said bytes.Buffer
	out  bytes.Buffer
	done chan struct{}
}

// Write gathers what the process prints on stderr.
func (p *clusterProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Write(b)
}

func (p *clusterProcess) errors() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

func startDowse(t testing.TB, args ...string) *clusterProcess {
	t.Helper()
	return startProcess(t, "dowse", args...)
}

func startProcess(t testing.TB, name string, args ...string) *clusterProcess {
	t.Helper()
	p := &clusterProcess{t: t, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Stderr, p.cmd.Stdout = p, &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Signal(syscall.SIGCONT)
		p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

func (p *clusterProcess) signal(s syscall.Signal) { p.cmd.Process.Signal(s) }

func (p *clusterProcess) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

func (p *clusterProcess) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// wait returns the exit code.
func (p *clusterProcess) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(clusterPatience(p.t)):
		p.t.Fatalf("%s does not end\n%s", strings.Join(p.cmd.Args, " "), p.errors())
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *clusterProcess) ended(code int) {
	p.t.Helper()
	if got := p.wait(); got != code {
		p.t.Errorf("%s: exit code %d, want %d\n%s", strings.Join(p.cmd.Args, " "), got, code, p.errors())
	}
}

func (p *clusterProcess) awaitWords(words string) {
	p.t.Helper()
	for end := time.Now().Add(clusterPatience(p.t)); !strings.Contains(p.errors(), words) && p.running() && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(p.errors(), words) {
		p.t.Fatalf("%s: no %q in\n%s", strings.Join(p.cmd.Args, " "), words, p.errors())
	}
}

var clusterArgs = []string{"--allow-net", "127.0.0.0/8", "--delay", "0s", "--hold", "none", "--timeout", "90s", "--no-progress", "--index", "none"}

func startCrawl(t testing.TB, w *clusterWeb, dir, servers string, further ...string) *clusterProcess {
	t.Helper()
	args := append([]string{"crawl", dir, "--no-progress", "--cluster", servers}, further...)
	if _, err := os.Stat(filepath.Join(dir, "crawl.yaml")); err != nil {
		args = slices.Concat([]string{"crawl", "lighthouse keeper", "-s", w.url(0), "-o", dir, "--cluster", servers}, clusterArgs, further)
	}
	return startDowse(t, args...)
}

func startWorker(t testing.TB, servers string, conns int) *clusterProcess {
	t.Helper()
	return startDowse(t, "worker", servers, "--conns", fmt.Sprint(conns), "--allow-net", "127.0.0.0/8")
}

// runToEnd runs a command to its end and returns what it printed.
func runToEnd(t *testing.T, code int, args ...string) (out, said string) {
	t.Helper()
	p := startDowse(t, args...)
	p.ended(code)
	return p.out.String(), p.errors()
}

// checkComplete fails the test unless the collection has every page exactly once, its books balance
// and it verifies.
func checkComplete(t *testing.T, dir string, n int) {
	t.Helper()
	out, _ := runToEnd(t, exitOK, "pages", dir, "--json")
	seen := map[string]int{}
	for line := range strings.Lines(out) {
		var row struct{ URL string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		seen[row.URL]++
	}
	if len(seen) != n {
		t.Errorf("%s has %d pages, want %d", dir, len(seen), n)
	}
	for u, k := range seen {
		if k != 1 {
			t.Errorf("%s has %s %d times", dir, u, k)
		}
	}
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b := c.Collection.Crawl.Books(); b.Fetched != n || b.Known != b.Fetched+b.Failed+b.Redirected+b.Queued+b.Held+b.InFlight+b.Skipped+b.Sitemaps {
		t.Errorf("books: %+v, want %d fetched", b, n)
	}
	runToEnd(t, exitOK, "collection", "verify", dir)
}

// sameDirectories compares two copies of a collection byte for byte, apart from what belongs to one
// machine.
func sameDirectories(t *testing.T, a, b string) {
	t.Helper()
	x, y := contentOf(t, a), contentOf(t, b)
	for name := range x {
		if !bytes.Equal(x[name], y[name]) {
			t.Errorf("%s differs: %d bytes in %s, %d in %s", name, len(x[name]), a, len(y[name]), b)
		}
		delete(y, name)
	}
	for name := range y {
		t.Errorf("%s is in %s only", name, b)
	}
	if len(x) < 5 {
		t.Errorf("%s has %d files", a, len(x))
	}
}

func contentOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, "search/") || name == "state/now.json" || strings.HasSuffix(name, ".tmp") {
			return nil
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// skipShort skips a test of real processes under -short, and lets it run together with others.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: the processes under test are not built with the race detector's checks")
	}
	t.Parallel() // they mostly wait
}

// TestCluster runs the tests of what a cluster promises, several at a time. They are processes that mostly wait for
// leases and silences to end, so that more of them fit than there are processors, to which t.Parallel limits them.
// The long ones are first. One alone: -run 'TestCluster$/ClusterTakeOver$'.
func TestCluster(t *testing.T) {
	skipShort(t)
	room := make(chan struct{}, 8)
	var all sync.WaitGroup
	for _, x := range clusterTests {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			t.Run(x.name, x.test)
		})
	}
	all.Wait()
}

var clusterTests = []struct {
	name string
	test func(t *testing.T)
}{
	{"ClusterStopsWithoutNATS", clusterStopsWithoutNATS},
	{"ClusterPoliteness", clusterPoliteness},
	{"ClusterTakeOverWithoutMostServers", clusterTakeOverWithoutMostServers},
	{"ClusterCoordinatorIsKilled", clusterCoordinatorIsKilled},
	{"ClusterTakeOver", clusterTakeOver},
	{"ClusterSlowWorker", clusterSlowWorker},
	{"ClusterWaitingVisits", clusterWaitingVisits},
	{"ClusterWorkerFinishes", clusterWorkerFinishes},
	{"ClusterTakeOverFails", clusterTakeOverFails},
	{"ClusterForeignCommits", clusterForeignCommits},
	{"ClusterVisitsInTheSameOrder", clusterVisitsInTheSameOrder},
	{"ClusterWorkersFail", clusterWorkersFail},
	{"ClusterVersions", clusterVersions},
	{"ClusterRefusesGarbage", clusterRefusesGarbage},
	{"ClusterMistakes", clusterMistakes},
	{"StandbyKeepsOtherCollections", standbyKeepsOtherCollections},
	{"StandbyLocksItsDirectory", standbyLocksItsDirectory},
	{"ClusterCopyThatWentOnApart", clusterCopyThatWentOnApart},
	{"ClusterPrintsTheCommandOfWorkers", clusterPrintsTheCommandOfWorkers},
	{"ClusterCoordinatorCannotGoOn", clusterCoordinatorCannotGoOn},
	{"ClusterForgetsInTheCopy", clusterForgetsInTheCopy},
	{"ClusterEdges", clusterEdges},
	{"ClusterTwoCoordinators", clusterTwoCoordinators},
	{"ClusterWorkerBringsGarbage", clusterWorkerBringsGarbage},
	{"ClusterServersWithoutRoom", clusterServersWithoutRoom},
	{"ClusterEndsWithoutWorkers", clusterEndsWithoutWorkers},
}

// One worker with one connection and no delay visits the same pages in the same order as one machine.
func clusterVisitsInTheSameOrder(t *testing.T) {
	for _, strategy := range []string{"online", "opic"} {
		alone := serveCluster(t, 60, 1, 0)
		dir := t.TempDir()
		args := []string{"--strategy", strategy, "--rng", "7", "--conns", "1"}
		startDowse(t, slices.Concat([]string{"crawl", "lighthouse keeper", "-s", alone.url(0), "-o", filepath.Join(dir, "alone.dowse")}, clusterArgs, args)...).ended(exitOK)
		web := serveCluster(t, 60, 1, 0)
		servers := startNATS(t, 1)
		c := startCrawl(t, web, filepath.Join(dir, "many.dowse"), servers.url(), args...)
		w := startWorker(t, servers.url(), 1)
		c.ended(exitOK)
		if got, want := web.requests(), alone.requests(); !slices.Equal(got, want) || len(want) != 60 {
			t.Errorf("%s: order\n%v\nwant\n%v", strategy, got, want)
		}
		w.signal(syscall.SIGTERM)
		w.ended(exitOK)
		checkComplete(t, filepath.Join(dir, "many.dowse"), 60)
	}
}

// A worker that is killed, and one that is frozen, cost a few seconds and nothing else: their visits go
// to another one, and what the frozen one brings when it wakes up is refused.
func clusterWorkersFail(t *testing.T) {
	web := serveCluster(t, 120, 6, time.Millisecond)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	c := startCrawl(t, web, dir, servers.url())
	web.allow(30)
	killed, frozen := startWorker(t, servers.url(), 3), startWorker(t, servers.url(), 3)
	awaitThat(t, "visits in flight", func() bool { return web.known() >= 32 })
	killed.kill()
	frozen.signal(syscall.SIGSTOP)
	web.allow(80)
	late := startWorker(t, servers.url(), 4)
	awaitThat(t, "80 pages", func() bool { return web.known() >= 80 })
	frozen.signal(syscall.SIGCONT)
	web.allow(120)
	c.ended(exitOK)
	checkComplete(t, dir, 120)
	if extra := len(web.requests()) - 120; extra > 60 { // a slow machine makes workers look silent
		t.Errorf("%d pages were fetched again", extra)
	}
	for _, p := range []*clusterProcess{frozen, late} {
		p.signal(syscall.SIGTERM)
		p.ended(exitOK)
	}
	if !strings.Contains(c.errors(), "does not answer any more") {
		t.Errorf("no line about the workers:\n%s", c.errors())
	}
}

// A worker that is slow is not given up: its visit takes longer than the silence after which a worker counts as gone, and
// another worker has room for it, but it stays where it is, and the page is fetched once.
func clusterSlowWorker(t *testing.T) {
	web := serveCluster(t, 30, 30, 0)
	web.hold("/p29") // no page is below it, and its host has no other
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	c := startCrawl(t, web, dir, servers.url())
	startWorker(t, servers.url(), 2)
	startWorker(t, servers.url(), 2)
	awaitThat(t, "all other pages", func() bool { return web.known() == 30 })
	time.Sleep(8 * time.Second) // a silent worker is given up after five
	moved := clusterStatus(t, servers.url()).Refused.Moved
	web.hold("")
	c.ended(exitOK)
	checkComplete(t, dir, 30)
	if strings.Contains(c.errors(), "does not answer any more") {
		t.Log("the machine is so slow that a worker was silent for five seconds; nothing was lost")
		return
	}
	if n := len(web.requests()); n != 30 || moved != 0 {
		t.Errorf("%d requests for 30 pages, %d visits were given to another worker\n%s", n, moved, c.errors())
	}
}

// Visits that wait for a connection of a worker are not made if the crawl is stopped, or if they are left out
// meanwhile: the hosts are asked for nothing that was not under way. A crawl that is allowed more concurrent visits
// while it runs goes on.
func clusterWaitingVisits(t *testing.T) {
	web := serveCluster(t, 100, 4, 0)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	web.allow(12) // all hosts have answered: the others are waited for
	c := startCrawl(t, web, dir, servers.url(), "--conns", "2", "--host-conns", "20")
	startWorker(t, servers.url(), 8)
	awaitThat(t, "visits in flight", func() bool { return web.known() >= 13 })
	runToEnd(t, exitOK, "set", dir, "--conns", "60")
	ahead := func(n int) { // until n visits are made, and others wait
		t.Helper()
		awaitThat(t, "visits that wait", func() bool { return web.known() == n && clusterStatus(t, servers.url()).InFlight > 8 })
	}
	ahead(20)
	stop := startDowse(t, "stop", dir)
	awaitThat(t, "the visits that have begun", func() bool { return clusterStatus(t, servers.url()).InFlight == 8 })
	web.allow(20)
	stop.ended(exitOK)
	c.ended(exitInterrupted)
	if n := len(web.requests()); n != 20 {
		t.Errorf("%d requests, want the 20 that were under way", n)
	}

	c = startCrawl(t, web, dir, servers.url())
	ahead(28)
	runToEnd(t, exitOK, "set", dir, "--exclude", "/p")
	awaitThat(t, "the visits that have begun", func() bool { return clusterStatus(t, servers.url()).InFlight == 8 })
	web.allow(100)
	c.ended(exitOK)
	if n := len(web.requests()); n != 28 {
		t.Errorf("%d requests, want the 28 that were under way when the others were left out", n)
	}
	runToEnd(t, exitOK, "set", dir, "--drop", "/p")
	startCrawl(t, web, dir, servers.url()).ended(exitOK)
	checkComplete(t, dir, 100)
	if n := len(web.requests()); n != 100 {
		t.Errorf("%d requests for 100 pages", n)
	}
}

// A worker that is told to end finishes what it has begun, however long that takes. Its visits are not made again by
// others meanwhile.
func clusterWorkerFinishes(t *testing.T) {
	web := serveCluster(t, 100, 4, 0)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	web.allow(10) // all hosts have answered: the others are waited for
	c := startCrawl(t, web, dir, servers.url(), "--host-conns", "20")
	w := startWorker(t, servers.url(), 4)
	awaitThat(t, "visits in flight", func() bool { return web.known() == 14 })
	w.signal(syscall.SIGTERM)
	startWorker(t, servers.url(), 4)
	awaitThat(t, "visits of the other worker", func() bool { return web.known() == 18 })
	time.Sleep(8 * time.Second) // a silent worker is given up after five
	again := len(web.requests()) - web.known()
	web.allow(100)
	w.ended(exitOK)
	c.ended(exitOK)
	checkComplete(t, dir, 100)
	_, rest, _ := strings.Cut(w.errors(), "working as ")
	id, _, _ := strings.Cut(rest, "\n")
	for line := range strings.Lines(c.errors()) {
		if strings.Contains(line, id) && strings.Contains(line, "does not answer") {
			t.Errorf("the coordinator has not heard that the worker finishes its visits: %s", line)
		}
	}
	if strings.Contains(c.errors(), "to others") {
		t.Log("the machine is so slow that a worker was silent for five seconds; nothing was lost")
		return
	}
	if n := len(web.requests()); again != 0 || n != 100 {
		t.Errorf("%d requests for 100 pages, %d of them while the worker finished its visits\n%s", n, again, c.errors())
	}
}

// The delay of a host is kept at the moment of each request, also for visits that waited for a connection, while
// workers are killed, frozen, told to end and added, and the coordinator is stopped, killed and started again.
func clusterPoliteness(t *testing.T) {
	const delay = 400 * time.Millisecond
	web := serveCluster(t, 500, 20, 150*time.Millisecond)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	c := startCrawl(t, web, dir, servers.url(), "--delay", delay.String())
	workers := []*clusterProcess{startWorker(t, servers.url(), 4), startWorker(t, servers.url(), 4), startWorker(t, servers.url(), 4)}
	await := func(n int) {
		t.Helper()
		awaitThat(t, fmt.Sprint(n, " pages"), func() bool { return web.known() >= n })
	}
	await(60)
	workers[0].kill()
	workers[1].signal(syscall.SIGSTOP)
	startWorker(t, servers.url(), 4)
	await(120)
	workers[2].signal(syscall.SIGTERM)
	startWorker(t, servers.url(), 4)
	time.Sleep(6 * time.Second) // the frozen worker is given up
	workers[1].signal(syscall.SIGCONT)
	await(250)
	c.kill()
	c = startCrawl(t, web, dir, servers.url())
	await(330)
	runToEnd(t, exitOK, "stop", dir)
	c.ended(exitInterrupted)
	c = startCrawl(t, web, dir, servers.url())
	c.ended(exitOK)
	checkComplete(t, dir, 500)
	web.mu.Lock()
	defer web.mu.Unlock()
	for host, times := range web.times {
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap < delay {
				t.Errorf("%s: %v between two requests, want at least %v", host, gap, delay)
			}
		}
	}
}

// A worker and a coordinator of different versions refuse each other, and name both versions.
func clusterVersions(t *testing.T) {
	servers := startNATS(t, 1)
	nc, err := nats.Connect(servers.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.Subscribe("dowse.crawl.hello", func(m *nats.Msg) {
		m.Respond([]byte(`{"refused":"the coordinator is dowse 9.9 and the worker is dowse 0.1; they must be the same version"}`))
	})
	if err != nil {
		t.Fatal(err)
	}
	w := startWorker(t, servers.url(), 1)
	w.ended(exitUsage)
	if !strings.Contains(w.errors(), "9.9") || !strings.Contains(w.errors(), crawler.Version) {
		t.Errorf("said:\n%s", w.errors())
	}
	sub.Unsubscribe()

	web := serveCluster(t, 5, 1, 0)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	c := startCrawl(t, web, dir, servers.url())
	var answer struct{ Refused string }
	awaitThat(t, "an answer of the coordinator", func() bool {
		m, err := nc.Request("dowse.crawl.hello", []byte(`{"id":"strange-worker","host":"h","version":"0.0.1","wire":1,"conns":4}`), time.Second)
		return err == nil && json.Unmarshal(m.Data, &answer) == nil
	})
	if !strings.Contains(answer.Refused, "0.0.1") || !strings.Contains(answer.Refused, "dowse "+crawler.Version) {
		t.Errorf("refused: %q", answer.Refused)
	}
	startWorker(t, servers.url(), 1)
	c.ended(exitOK)

	// So does a coordinator that finds the streams of another version, and a standby of such a crawl. Nothing is changed.
	for subject, data := range map[string]string{
		"dowse.crawl.commit":    "dwc0 of an earlier version",
		"$KV.dowse-crawl.crawl": `{"id":"0","name":"c","version":"9.9","wire":9}`,
	} {
		if err := nc.Publish(subject, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	nc.Flush()
	before := contentOf(t, dir)
	_, said := runToEnd(t, exitUsage, "standby", filepath.Join(t.TempDir(), "copy.dowse"), servers.url(), "--trust")
	if !strings.Contains(said, "9.9") || !strings.Contains(said, crawler.Version) {
		t.Errorf("said:\n%s", said)
	}
	nc.Publish("$KV.dowse-crawl.crawl", []byte(`{}`))
	_, said = runToEnd(t, exitUsage, "crawl", dir, "--cluster", servers.url())
	if !strings.Contains(said, "of another version of dowse") || !strings.Contains(said, "dowse cluster drop") {
		t.Errorf("said:\n%s", said)
	}
	if after := contentOf(t, dir); !maps.EqualFunc(before, after, bytes.Equal) {
		t.Error("a collection was changed by a crawl that was refused")
	}
	runToEnd(t, exitOK, "cluster", "drop", servers.url())
	startCrawl(t, web, dir, servers.url()).ended(exitOK)
	checkComplete(t, dir, 5)
}

// A coordinator that is killed and started again goes on exactly: nothing is lost, no page is absorbed
// twice, and results that came while it was away are used.
func clusterCoordinatorIsKilled(t *testing.T) {
	web := serveCluster(t, 150, 8, time.Millisecond)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	w := startWorker(t, servers.url(), 8)
	c := startCrawl(t, web, dir, servers.url())
	web.allow(20)
	for _, n := range []int{20, 70} {
		awaitThat(t, "visits in flight", func() bool { return web.known() > n })
		c.kill()
		web.allow(n + 50) // the worker publishes while there is no coordinator
		c = startCrawl(t, web, dir, servers.url())
	}
	web.allow(150)
	c.ended(exitOK)
	checkComplete(t, dir, 150)
	if extra := len(web.requests()) - 150; extra > 75 { // usually none: what came meanwhile is used
		t.Errorf("%d pages were fetched again", extra)
	}
	w.signal(syscall.SIGTERM)
	w.ended(exitOK)
}

// The standby takes over from a coordinator that is frozen; when that one wakes up it is fenced off,
// with an exit code of its own. Its directory is refused until it is brought up to date as a standby.
func clusterTakeOver(t *testing.T) {
	web := serveCluster(t, 250, 8, 4*time.Millisecond)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.dowse"), filepath.Join(dir, "second.dowse")
	startWorker(t, servers.url(), 4)
	web.allow(20)
	c := startCrawl(t, web, first, servers.url())
	awaitThat(t, "visits in flight", func() bool { return web.known() > 20 })
	s := startDowse(t, "standby", second, servers.url(), "--trust")
	s.awaitWords("up to date")
	web.allow(100)
	awaitThat(t, "60 pages", func() bool { return web.known() >= 60 })
	c.signal(syscall.SIGSTOP)
	s.awaitWords("taking over")
	s.awaitWords("resuming")
	c.signal(syscall.SIGCONT)
	c.ended(exitFenced)
	if !strings.Contains(c.errors(), "another process coordinates") {
		t.Errorf("said:\n%s", c.errors())
	}
	stale := startCrawl(t, web, first, servers.url())
	stale.ended(exitCollection)
	if !strings.Contains(stale.errors(), "coordinates this crawl") {
		t.Errorf("said:\n%s", stale.errors())
	}
	back := startDowse(t, "standby", first, servers.url(), "--trust")
	back.awaitWords("up to date")
	web.allow(250)
	s.ended(exitOK)
	back.ended(exitOK)
	checkComplete(t, second, 250)
	sameDirectories(t, second, first)
	checkComplete(t, first, 250)
}

// A cut is a proxy in front of a NATS server that drops what passes through it while it is closed.
type cut struct {
	l      net.Listener
	target string
	mu     sync.Mutex
	closed bool
	conns  []net.Conn
	vain   int // connections and messages that came while it was closed
}

func startCut(t *testing.T, target string) *cut {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cut{l: l, target: target}
	t.Cleanup(func() { l.Close(); c.set(true) })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(in)
		}
	}()
	return c
}

func (c *cut) url() string { return "nats://" + c.l.Addr().String() }

// pass copies both ways until one side ends.
func (c *cut) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer out.Close()
	c.mu.Lock()
	c.conns = append(c.conns, in, out)
	if c.closed {
		c.vain++
	}
	c.mu.Unlock()
	go c.copy(out, in)
	c.copy(in, out)
}

// copy copies what comes; while the proxy is closed it is dropped, so that neither side learns of it.
func (c *cut) copy(to, from net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			to.Close()
			return
		}
		c.mu.Lock()
		closed := c.closed
		if closed {
			c.vain++
		}
		c.mu.Unlock()
		if closed {
			continue
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// set closes the proxy, or opens it again. Connections that lost bytes are closed when it opens.
func (c *cut) set(closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = closed
	if !closed {
		for _, x := range c.conns {
			x.Close()
		}
		c.conns = nil
	}
}

// clusterChaos is one clustered crawl, and what is done to it.
type clusterChaos struct {
	t       *testing.T
	rng     *rand.Rand
	web     *clusterWeb
	servers *natsServers
	cut     *cut
	dirs    [2]string
	leads   int // which directory is that of the coordinator
	coord   *clusterProcess
	standby *clusterProcess
	workers []*clusterProcess
	did     map[string]int
	gaps    []time.Duration // from the end of a coordinator until its standby goes on
	// later are the same for coordinators that ended while NATS servers had just been killed, which have to
	// agree on a leader first.
	later  []time.Duration
	killed time.Time // when the last NATS server was
}

// TestClusterChaos runs a cluster of three NATS servers, a coordinator, a standby and workers while
// all of them are killed, frozen and cut off, in an order that comes from a seed. In the end every page
// was fetched and absorbed once, the books balance, and both directories are equal and verify.
func TestClusterChaos(t *testing.T) {
	skipShort(t)
	seed := *clusterSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("go test ./cmd/dowse -run TestClusterChaos -clusterchaos %v -clusterchaos-seed %d", *clusterFor, seed)
	total := map[string]int{}
	var gaps, later []time.Duration
	end := time.Now().Add(*clusterFor)
	for n := 0; n == 0 || time.Now().Before(end); n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := newClusterChaos(t, seed+uint64(n), *clusterFor == 0)
			c.episode(*clusterFor == 0)
			for what, k := range c.did {
				total[what] += k
			}
			gaps, later = append(gaps, c.gaps...), append(later, c.later...)
		})
		if t.Failed() {
			break
		}
	}
	t.Log(counts(total))
	for what, list := range map[string][]time.Duration{"take-overs": gaps, "take-overs soon after a NATS server was killed": later} {
		if slices.Sort(list); len(list) > 0 {
			t.Logf("%d %s, the standby went on after %v (median) to %v", len(list), what, list[len(list)/2], list[len(list)-1])
		}
	}
}

func newClusterChaos(t *testing.T, seed uint64, short bool) *clusterChaos {
	rng := rand.New(rand.NewPCG(seed, 1))
	pages := 300 + rng.IntN(500)
	if short {
		pages = 150
	}
	c := &clusterChaos{t: t, rng: rng, web: serveCluster(t, pages, 8, 3*time.Millisecond), servers: startNATS(t, 3), did: map[string]int{}}
	c.cut = startCut(t, fmt.Sprintf("127.0.0.1:%d", c.servers.clients[0]))
	dir := t.TempDir()
	c.dirs = [2]string{filepath.Join(dir, "a.dowse"), filepath.Join(dir, "b.dowse")}
	t.Cleanup(func() {
		for _, p := range []*clusterProcess{c.coord, c.standby} {
			if t.Failed() && p != nil {
				t.Logf("%s said\n%s", strings.Join(p.cmd.Args, " "), p.errors())
			}
		}
	})
	return c
}

// episode disturbs the crawl, lets it finish, and checks both copies.
func (c *clusterChaos) episode(short bool) {
	faults := []struct {
		name string
		do   func()
	}{
		{"workers killed", c.killWorker},
		{"workers frozen", c.freezeWorker},
		{"workers added", c.addWorker},
		{"workers cut off", c.cutWorker},
		{"NATS servers killed", c.killServer},
		{"take-overs from a killed coordinator", func() { c.takeOver(false) }},
		{"take-overs from a frozen coordinator", func() { c.takeOver(true) }},
		{"coordinators killed and started again", c.restart},
		{"outages of all NATS servers", c.outage},
		{"standbys killed", c.killStandby},
	}
	steps := 6 + c.rng.IntN(8)
	order := c.rng.Perm(len(faults))
	if short {
		steps = 0
		order = []int{0, 3, 4, 5, 8} // a worker, the network, a server, the coordinator, all servers
		c.rng.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	}
	for range steps {
		order = append(order, c.rng.IntN(len(faults)))
	}
	share := c.web.n / (len(order) + 2) // of the pages, between two faults
	c.web.allow(share)
	c.coord = startCrawl(c.t, c.web, c.dirs[0], c.servers.url())
	c.addWorker()
	c.addWorker()
	c.follow()
	for i, k := range order {
		c.web.allow(share * (i + 2)) // the crawl is not over before the last fault
		c.awaitPages(share*(i+1) + c.rng.IntN(share))
		faults[k].do()
		c.did[faults[k].name]++
	}
	c.web.allow(c.web.n)
	c.finish()
}

func (c *clusterChaos) awaitPages(n int) {
	c.t.Helper()
	awaitThat(c.t, fmt.Sprintf("page %d of %d", n, c.web.n), func() bool { return c.web.known() >= n || !c.coord.running() })
	if !c.coord.running() {
		c.t.Fatalf("the coordinator has ended at %d of %d pages\n%s", c.web.known(), c.web.n, c.coord.errors())
	}
}

// addWorker starts a worker, and waits until it is connected: one that is started while the servers are away
// ends with an error, as it should.
func (c *clusterChaos) addWorker() {
	w := startWorker(c.t, c.servers.url(), 4)
	w.awaitWords("worker with")
	c.workers = append(c.workers, w)
}

// takeWorker removes one of the workers from the list.
func (c *clusterChaos) takeWorker() *clusterProcess {
	i := c.rng.IntN(len(c.workers))
	w := c.workers[i]
	c.workers = slices.Delete(c.workers, i, i+1)
	return w
}

func (c *clusterChaos) killWorker() {
	c.takeWorker().kill()
	c.addWorker()
}

func (c *clusterChaos) freezeWorker() {
	w := c.takeWorker()
	w.signal(syscall.SIGSTOP)
	c.addWorker()
	time.Sleep(time.Duration(c.rng.IntN(8000)) * time.Millisecond)
	w.signal(syscall.SIGCONT)
	c.workers = append(c.workers, w)
}

// cutWorker starts a worker behind a proxy that drops all that it sends for some seconds.
func (c *clusterChaos) cutWorker() {
	w := startWorker(c.t, c.cut.url(), 4)
	c.workers = append(c.workers, w)
	w.awaitWords("working as")
	time.Sleep(time.Duration(c.rng.IntN(1000)) * time.Millisecond)
	c.cut.set(true)
	time.Sleep(time.Duration(c.rng.IntN(9000)) * time.Millisecond)
	c.cut.set(false)
}

// electing is for how long NATS servers may be without a leader after one of them was killed.
const electing = 15 * time.Second

func (c *clusterChaos) killServer() {
	i := c.rng.IntN(3)
	c.servers.kill(i)
	defer func() { c.killed = time.Now() }()
	time.Sleep(time.Duration(c.rng.IntN(3000)) * time.Millisecond)
	c.servers.start(i)
}

func (c *clusterChaos) outage() {
	defer func() { c.killed = time.Now() }()
	for i := range 3 {
		c.servers.kill(i)
	}
	time.Sleep(time.Duration(c.rng.IntN(4000)) * time.Millisecond)
	for i := range 3 {
		c.servers.start(i)
	}
}

// follow starts a standby in the directory that is not the coordinator's, and waits until it is up to
// date.
func (c *clusterChaos) follow() {
	c.t.Helper()
	c.standby = startDowse(c.t, "standby", c.dirs[1-c.leads], c.servers.url(), "--trust")
	c.standby.awaitWords("up to date")
}

func (c *clusterChaos) killStandby() {
	c.standby.kill()
	c.follow()
}

// takeOver kills or freezes the coordinator. The standby goes on, and the old directory follows it.
func (c *clusterChaos) takeOver(frozen bool) {
	c.t.Helper()
	old := c.coord
	if frozen {
		old.signal(syscall.SIGSTOP)
	} else {
		old.kill()
	}
	begun := time.Now()
	c.standby.awaitWords("resuming")
	if gap := time.Since(begun); begun.Sub(c.killed) < electing {
		c.later = append(c.later, gap)
	} else {
		c.gaps = append(c.gaps, gap)
	}
	c.coord, c.leads = c.standby, 1-c.leads
	if frozen {
		if *clusterFor > 0 && c.rng.IntN(3) == 0 {
			time.Sleep(time.Until(begun.Add(30 * time.Second)))
		}
		old.signal(syscall.SIGCONT)
		if code := old.wait(); code != exitFenced {
			c.t.Errorf("the frozen coordinator: exit code %d, want %d\n%s", code, exitFenced, old.errors())
		}
	}
	c.follow()
}

// restart kills standby and coordinator, and starts the coordinator again.
func (c *clusterChaos) restart() {
	c.t.Helper()
	c.standby.kill()
	c.coord.kill()
	c.coord = startCrawl(c.t, c.web, c.dirs[c.leads], c.servers.url())
	c.coord.awaitWords("resuming")
	c.follow()
}

// finish waits for the end and checks both copies.
func (c *clusterChaos) finish() {
	c.t.Helper()
	c.coord.ended(exitOK)
	c.standby.ended(exitOK)
	for _, w := range c.workers {
		w.signal(syscall.SIGTERM)
	}
	for _, w := range c.workers {
		w.ended(exitOK)
	}
	sameDirectories(c.t, c.dirs[c.leads], c.dirs[1-c.leads])
	for _, dir := range c.dirs {
		checkComplete(c.t, dir, c.web.n)
	}
	extra := len(c.web.requests()) - c.web.n
	c.did["pages"] += c.web.n
	c.did["pages fetched again"] += extra
}

// What a stranger or a broken worker publishes is counted and dropped, and the crawl is the same as
// without it: garbage, the beginning of a result that is too large, and results that were there before.
func clusterRefusesGarbage(t *testing.T) {
	web := serveCluster(t, 80, 4, 0)
	web.allow(40)
	servers := startNATS(t, 1)
	nc, err := nats.Connect(servers.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	copies := make(chan *nats.Msg, 1000)
	if _, err := nc.ChanSubscribe("dowse.crawl.arrival", copies); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "c.dowse")
	c := startCrawl(t, web, dir, servers.url())
	startWorker(t, servers.url(), 4)
	awaitThat(t, "visits in flight", func() bool { return web.known() > 40 })
	m := <-copies
	part := []byte("dwa2\x01\x05stray\x07\x00\x03abc") // a later part of a result without the first
	for _, b := range [][]byte{m.Data, m.Data, []byte("garbage"), nil, m.Data[:len(m.Data)/2], part, []byte("dwa2\x09")} {
		if err := nc.Publish("dowse.crawl.arrival", b); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"hello", "standby", "status", "work.none"} {
		nc.Publish("dowse.crawl."+what, []byte("garbage"))
	}
	var st cluster.Status
	awaitThat(t, "the refusals to be counted", func() bool {
		out, _ := runToEnd(t, exitOK, "cluster", "status", servers.url(), "--json")
		return json.Unmarshal([]byte(out), &st) == nil && st.Refused.Garbage >= 7 && st.Refused.Repeated >= 2
	})
	web.allow(80)
	c.ended(exitOK)
	checkComplete(t, dir, 80)
}

// Every mistake has an error that says what is wrong, and costs nothing.
func clusterMistakes(t *testing.T) {
	web := serveCluster(t, 6, 1, 0)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	plain, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, Authorization: "secret-token"})
	if err != nil {
		t.Fatal(err)
	}
	go plain.Start()
	defer plain.Shutdown()
	if !plain.ReadyForConnections(20 * time.Second) {
		t.Fatal("a NATS server does not start")
	}
	token, open := filepath.Join(dir, "token"), filepath.Join(dir, "open")
	for name, mode := range map[string]os.FileMode{token: 0o600, open: 0o644} {
		if err := os.WriteFile(name, []byte("secret-token\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	closed := fmt.Sprintf("nats://127.0.0.1:%d", freePort(t))
	crawl := func(name string, further ...string) []string {
		return slices.Concat([]string{"crawl", "lighthouse keeper", "-s", web.url(0), "-o", filepath.Join(dir, name)}, clusterArgs, further)
	}
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{crawl("a.dowse", "--cluster", "http://x"), exitUsage, "want nats://host:port"},
		{crawl("a.dowse", "--cluster", closed), exitNetwork, "no NATS server answers"},
		{crawl("a.dowse", "--cluster", "nats://192.0.2.1:4222"), exitUsage, "needs credentials"},
		{crawl("a.dowse", "--cluster", plain.ClientURL()), exitNetwork, "refuses these credentials"},
		{crawl("a.dowse", "--cluster", plain.ClientURL(), "--cluster-token", open), exitUsage, "others can read it"},
		{crawl("a.dowse", "--cluster", plain.ClientURL(), "--cluster-token", token), exitUsage, "JetStream is not enabled"},
		{crawl("a.dowse", "--cluster", "embedded", "--cluster-listen", "0.0.0.0:0"), exitUsage, "needs a token file"},
		{crawl("a.dowse", "--cluster", servers.url(), "--cluster-name", "A B"), exitUsage, "name \"A B\""},
		{crawl("a.dowse", "--cluster-name", "x"), exitUsage, "need --cluster"},
		{[]string{"worker", closed}, exitNetwork, "no NATS server answers"},
		{[]string{"worker", servers.url(), "--conns", "0"}, exitUsage, "want 1 to 4096"},
		{[]string{"cluster", "status", servers.url()}, exitNothing, "no crawl of that name"},
		{[]string{"standby", dir, servers.url()}, exitUsage, "not empty and not a collection"},
	} {
		_, said := runToEnd(t, x.code, x.args...)
		if !strings.Contains(said, x.want) {
			t.Errorf("%v: no %q in\n%s", x.args, x.want, said)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a.dowse")); err == nil {
		t.Error("a crawl that was refused left a collection")
	}

	// Of two coordinators that are started together one is refused.
	one := startDowse(t, crawl("one.dowse", "--cluster", servers.url())...)
	awaitThat(t, "the coordinator", func() bool {
		_, err := os.Stat(filepath.Join(dir, "one.dowse", "state", "cluster.json"))
		return err == nil
	})
	if err := os.CopyFS(filepath.Join(dir, "copy.dowse"), os.DirFS(filepath.Join(dir, "one.dowse"))); err != nil {
		t.Fatal(err)
	}
	two := startDowse(t, "crawl", filepath.Join(dir, "copy.dowse"), "--cluster", servers.url(), "--trust")
	two.ended(exitCollection)
	if !strings.Contains(two.errors(), "there can be only one") {
		t.Errorf("said:\n%s", two.errors())
	}
	// Another crawl needs another name, and a worker may only reach what it was allowed.
	_, said := runToEnd(t, exitUsage, crawl("three.dowse", "--cluster", servers.url())...)
	if !strings.Contains(said, "used there by another crawl") {
		t.Errorf("said:\n%s", said)
	}
	w := startDowse(t, "worker", servers.url())
	w.ended(exitForbidden)
	if !strings.Contains(w.errors(), "--allow-net") {
		t.Errorf("said:\n%s", w.errors())
	}
	startWorker(t, servers.url(), 1)
	one.ended(exitOK)
	// A collection of a cluster is not crawled without it.
	_, said = runToEnd(t, exitUsage, "crawl", filepath.Join(dir, "one.dowse"))
	if !strings.Contains(said, "belongs to the cluster") {
		t.Errorf("said:\n%s", said)
	}
	runToEnd(t, exitOK, "cluster", "drop", servers.url())
	runToEnd(t, exitOK, "cluster", "leave", filepath.Join(dir, "one.dowse"))
	runToEnd(t, exitOK, "crawl", filepath.Join(dir, "one.dowse"))
}

// A standby replaces no collection but an earlier copy of the same crawl, unless it is asked to. Until
// then it touches nothing.
func standbyKeepsOtherCollections(t *testing.T) {
	web := serveCluster(t, 12, 1, 0)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	other := filepath.Join(dir, "other.dowse")
	startDowse(t, slices.Concat([]string{"crawl", "lighthouse keeper", "-s", web.url(0), "-o", other, "--pages", "5"}, clusterArgs)...).ended(exitOK)
	before := contentOf(t, other)
	web.allow(8)
	c := startCrawl(t, web, filepath.Join(dir, "c.dowse"), servers.url())
	startWorker(t, servers.url(), 2)
	awaitThat(t, "visits in flight", func() bool { return web.known() > 8 })

	_, said := runToEnd(t, exitCollection, "standby", other, servers.url(), "--trust")
	if !strings.Contains(said, "another crawl") || !strings.Contains(said, "--overwrite") {
		t.Errorf("said:\n%s", said)
	}
	after := contentOf(t, other)
	for name := range before {
		if !bytes.Equal(before[name], after[name]) {
			t.Errorf("%s was changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, want %d", len(after), len(before))
	}
	s := startDowse(t, "standby", other, servers.url(), "--trust", "--overwrite")
	s.awaitWords("up to date")
	s.kill()
	s = startDowse(t, "standby", other, servers.url(), "--trust") // by now it is a copy
	s.awaitWords("up to date")
	web.allow(12)
	c.ended(exitOK)
	s.ended(exitOK)
	sameDirectories(t, filepath.Join(dir, "c.dowse"), other)
}

// While a standby lives, nothing else writes to its directory: commands that would are refused with an
// error that names the standby, and the copy stays equal to the original.
func standbyLocksItsDirectory(t *testing.T) {
	web := serveCluster(t, 12, 1, 0)
	servers := startNATS(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "c.dowse"), filepath.Join(dir, "copy.dowse")
	web.allow(8)
	c := startCrawl(t, web, first, servers.url())
	startWorker(t, servers.url(), 2)
	awaitThat(t, "visits in flight", func() bool { return web.known() > 8 })
	s := startDowse(t, "standby", second, servers.url(), "--trust")
	s.awaitWords("up to date")
	labels := filepath.Join(dir, "labels.txt")
	if err := os.WriteFile(labels, []byte(web.url(0)+"\ton\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"set", second, "--pages", "3"},
		{"label", second, "--from", labels},
		{"forget", second, web.url(0), "--because", "its owner asked", "--yes"},
		{"cluster", "leave", second},
		{"standby", second, servers.url(), "--trust"},
	} {
		_, said := runToEnd(t, exitCollection, args...)
		if !strings.Contains(said, "a standby keeps it as a copy") {
			t.Errorf("%v said:\n%s", args, said)
		}
	}
	web.allow(12)
	c.ended(exitOK)
	s.ended(exitOK)
	sameDirectories(t, first, second)
	checkComplete(t, second, 12)
}

// A collection that left its cluster and was crawled further is not called behind, and the advice keeps
// its pages: following it, the crawl goes on in the cluster.
func clusterCopyThatWentOnApart(t *testing.T) {
	web := serveCluster(t, 30, 1, 0)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	startWorker(t, servers.url(), 2)
	startCrawl(t, web, dir, servers.url(), "--pages", "10").ended(exitOK)
	runToEnd(t, exitOK, "cluster", "leave", dir)
	runToEnd(t, exitOK, "crawl", dir, "--pages", "20", "--no-progress")
	again := []string{"crawl", dir, "--pages", "30", "--no-progress", "--cluster", servers.url()}
	_, said := runToEnd(t, exitCollection, again...)
	if strings.Contains(said, "behind") || strings.Contains(said, "dowse standby") || !strings.Contains(said, "dowse cluster drop") {
		t.Errorf("said:\n%s", said)
	}
	_, said = runToEnd(t, exitCollection, "standby", dir, servers.url(), "--trust")
	if !strings.Contains(said, "belongs to no cluster") {
		t.Errorf("said:\n%s", said)
	}
	runToEnd(t, exitOK, "cluster", "drop", servers.url())
	runToEnd(t, exitOK, again...)
	checkComplete(t, dir, 30)
}

// A finished crawl that is resumed has nothing for workers to do: it ends without one, and says why.
func clusterEndsWithoutWorkers(t *testing.T) {
	web := serveCluster(t, 8, 1, 0)
	servers := startNATS(t, 1)
	dir := filepath.Join(t.TempDir(), "c.dowse")
	w := startWorker(t, servers.url(), 2)
	startCrawl(t, web, dir, servers.url()).ended(exitOK)
	w.kill()
	_, said := runToEnd(t, exitOK, "crawl", dir, "--no-progress", "--cluster", servers.url())
	if !strings.Contains(said, "nothing is left to visit (stop_reason=exhausted)") {
		t.Errorf("said:\n%s", said)
	}
	checkComplete(t, dir, 8)
}

// The command that an embedded server prints for its workers works as it is, for a new crawl and for one
// that is resumed. Without a worker the crawl is not said to wait out of politeness.
func clusterPrintsTheCommandOfWorkers(t *testing.T) {
	web := serveCluster(t, 8, 1, 0)
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	for _, pages := range []string{"4", "8"} {
		c := startCrawl(t, web, filepath.Join(dir, "c.dowse"), "embedded", "--cluster-listen", at, "--cluster-name", "keepers", "--cluster-token", token, "--pages", pages)
		c.awaitWords("workers: dowse worker")
		c.awaitWords("--allow-net 127.0.0.0/8\n")
		awaitThat(t, "a status without workers", func() bool {
			out, _ := runToEnd(t, exitOK, "status", filepath.Join(dir, "c.dowse"), "--json")
			return strings.Contains(out, "no worker") || !c.running()
		})
		_, rest, _ := strings.Cut(c.errors(), "workers: dowse ")
		command, _, _ := strings.Cut(rest, "\n")
		w := startDowse(t, strings.Fields(command)...)
		c.ended(exitOK)
		w.kill()
	}
	checkComplete(t, filepath.Join(dir, "c.dowse"), 8)
}
