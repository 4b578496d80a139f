//go:build linux

package main

import (
	"bytes"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	chaosFor  = flag.Duration("chaos", 0, "how long TestChaos goes on; 0 for one crawl")
	chaosSeed = flag.Uint64("chaos-seed", 0, "random seed of TestChaos; 0 chooses one")
)

// TestChaos crawls a web of templates with real processes while they are killed,
// stopped, frozen and starved of network, disk space and file descriptors, and
// while other processes label, take down, list, export and verify what was
// collected. Afterwards an undisturbed run finishes the crawl, and nothing may be
// missing: every page was fetched or taken down, the books balance, the
// collection verifies, and no host was ever asked twice within the delay.
//
// It repeats that with new collections for as long as -chaos says. The order of
// the faults comes from -chaos-seed; the moments at which they strike depend on
// the machine.
func TestChaos(t *testing.T) {
	if testing.Short() && *chaosFor == 0 {
		t.Skip("short: the processes under test are not built with the race detector's checks")
	}
	t.Parallel() // it mostly waits
	seed := *chaosSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("go test ./cmd/dowse -run TestChaos -chaos %v -chaos-seed %d", *chaosFor, seed)
	total := map[string]int{}
	end := time.Now().Add(*chaosFor)
	for n := 0; n == 0 || time.Now().Before(end); n++ {
		c := newChaos(t, seed+uint64(n), *chaosFor == 0)
		c.episode()
		for what, k := range c.did {
			total[what] += k
		}
		total["crawls"]++
		if t.Failed() {
			break
		}
	}
	t.Log(counts(total))
}

func counts(m map[string]int) string {
	var list []string
	for what, n := range m {
		list = append(list, fmt.Sprintf("%d %s", n, what))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// chaosDelay is the pause that the crawls under test promise to hosts.
const chaosDelay = 40 * time.Millisecond

// chaos is one crawl and what is done to it.
type chaos struct {
	t        *testing.T
	rng      *rand.Rand
	web      *chaosWeb
	dir      string
	strategy string
	ops      int
	crawl    *chaosRun     // nil while none runs
	joined   bool          // another command was run since the crawl was started
	skew     time.Duration // by which the clock of the next crawl is wrong
	takedown map[string]bool
	did      map[string]int
}

func newChaos(t *testing.T, seed uint64, short bool) *chaos {
	rng := rand.New(rand.NewPCG(seed, 1))
	pages, ops := 200+rng.IntN(400), 20+rng.IntN(60)
	if short {
		pages, ops = 150, 14
	}
	strategies := []string{"auto", "link-context", "online", "breadth-first", "random", "otie", "opic", "shark", "naive-best-first", "soft-focus"} // those that visit all they find
	return &chaos{
		t: t, rng: rng, web: serveChaos(t, pages, rng), ops: ops,
		dir:      filepath.Join(t.TempDir(), "chaos.dowse"),
		strategy: strategies[rng.IntN(len(strategies))],
		takedown: map[string]bool{}, did: map[string]int{},
	}
}

// episode disturbs the crawl, lets it finish, and checks what it holds.
func (c *chaos) episode() {
	c.t.Helper()
	defer c.web.close()
	defer c.endCrawl(syscall.SIGKILL)
	faults := []struct {
		name string
		do   func()
	}{
		{"kills", func() { c.endCrawl(syscall.SIGKILL) }},
		{"terminations", func() { c.endCrawl(syscall.SIGTERM) }},
		{"interrupts", func() { c.endCrawl(syscall.SIGINT) }},
		{"hang-ups", func() { c.endCrawl(syscall.SIGHUP) }},
		{"freezes", c.freeze},
		{"stops by command", c.stop},
		{"network losses", func() { c.lose(refusing) }},
		{"resets", func() { c.lose(resetting) }},
		{"silences", func() { c.lose(silenced) }},
		{"runs with 40 files", func() { c.limited("ulimit -n 40") }},
		{"runs with a full disk", func() { c.limited(fmt.Sprintf("ulimit -f %d", 20+c.rng.IntN(400))) }},
		{"runs with a wrong clock", c.wrongClock},
		{"clocks set back", func() { c.crawl.cmd.Process.Signal(syscall.SIGUSR1) }},
		{"changes of settings", c.change},
		{"labels", c.label},
		{"takedowns", c.forget},
		{"exports", c.export},
		{"verifications", func() { c.reads("collection", "verify", c.dir) }},
		{"looks", c.look},
	}
	c.start("")
	for range c.ops {
		c.pause(400 * time.Millisecond)
		f := faults[c.rng.IntN(len(faults))]
		f.do()
		c.did[f.name]++
		if c.crawl == nil || c.crawl.over() {
			c.endCrawl(syscall.SIGTERM)
			c.start("")
		}
		if c.t.Failed() {
			return
		}
	}
	c.endCrawl(syscall.SIGTERM)
	c.web.set(answering)
	c.finish()
}

func (c *chaos) pause(most time.Duration) {
	time.Sleep(time.Duration(c.rng.Int64N(int64(most))))
}

// change resumes the crawl with another threshold, exclusion or language, under which everything
// is decided again, and ends it soon, also in the middle of that.
func (c *chaos) change() {
	c.endCrawl(syscall.SIGTERM)
	changes := [][]string{
		{"--threshold", fmt.Sprintf("0.%d", 3+c.rng.IntN(5))},
		{"--exclude", "/no-such-path/"}, {"--exclude", ""},
		{"--lang", []string{"en", "en,fr"}[c.rng.IntN(2)]}, // all pages are in English
	}
	c.start("", changes[c.rng.IntN(len(changes))]...)
	c.pause(time.Second)
	c.endCrawl([]syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[c.rng.IntN(2)])
}

// start begins or resumes the crawl, in a shell that first runs limit, with further arguments
// for a crawl that is resumed.
func (c *chaos) start(limit string, further ...string) {
	args := append([]string{"crawl", c.dir, "-q", "--conns", "16"}, further...)
	if _, err := os.Stat(filepath.Join(c.dir, "crawl.yaml")); err != nil {
		args = []string{
			"crawl", "lighthouse keeper", "--seed", c.web.url(0), "-o", c.dir, "-q", "--conns", "16", "--strategy", c.strategy,
			"--allow-net", "127.0.0.0/8", "--delay", chaosDelay.String(), "--contact", "mailto:chaos@example.org", "--hold", "none", "--timeout", "5s",
		}
	}
	c.crawl, c.joined = c.launch(limit, args...), false
}

// endCrawl sends a signal to the crawl, if there is one, and waits for it.
func (c *chaos) endCrawl(sig syscall.Signal) {
	if c.crawl == nil {
		return
	}
	c.crawl.cmd.Process.Signal(sig)
	c.check(c.crawl, c.crawl.wait(c.t))
	c.crawl = nil
}

// check fails the test if a crawl ended in a way that it must not.
func (c *chaos) check(p *chaosRun, code int) {
	locked := c.joined && code == exitCollection && strings.Contains(p.said.String(), collection.ErrLocked.Error())
	switch code {
	case exitOK, exitInterrupted, exitNetwork, exitNothing, exitAborted, -1:
	default:
		if locked || strings.Contains(p.said.String(), crawler.ErrMidRound.Error()) {
			break // a command that ran meanwhile had the collection first; a change has to wait
		}
		c.t.Errorf("%s: exit code %d\n%s", p, code, p.said.String())
	}
	if strings.Contains(p.said.String(), "panic:") || strings.Contains(p.said.String(), "fatal error:") {
		c.t.Errorf("%s:\n%s", p, p.said.String())
	}
}

func (c *chaos) freeze() {
	c.crawl.cmd.Process.Signal(syscall.SIGSTOP)
	c.pause(time.Second)
	c.crawl.cmd.Process.Signal(syscall.SIGCONT)
}

func (c *chaos) stop() {
	p := c.launch("", "stop", c.dir)
	if code := p.wait(c.t); code != exitOK && code != exitNothing && code != exitCollection && code != exitUsage {
		c.t.Errorf("%s: exit code %d\n%s", p, code, p.said.String())
	}
	c.endCrawl(syscall.Signal(0))
}

// lose takes the network away for a while.
func (c *chaos) lose(m mood) {
	c.web.set(m)
	c.pause(3 * time.Second)
	c.web.set(answering)
}

// limited runs the crawl for a while under a limit of the shell.
func (c *chaos) limited(limit string) {
	c.endCrawl(syscall.SIGTERM)
	c.start(limit)
	c.pause(time.Second)
	c.endCrawl(syscall.SIGTERM)
}

// wrongClock runs the crawl for a while with a clock that is wrong by up to an hour, or
// years ahead.
func (c *chaos) wrongClock() {
	c.endCrawl(syscall.SIGTERM)
	c.skew = time.Duration(c.rng.Int64N(int64(2*time.Hour))) - time.Hour
	if c.rng.IntN(3) == 0 {
		c.skew = 10 * 365 * 24 * time.Hour
	}
	c.start("")
	c.skew = 0
	c.pause(time.Second)
	c.endCrawl([]syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[c.rng.IntN(2)])
}

// clockSkew is the variable that gives a process under test by how much its clock is
// wrong. SIGUSR1 sets the clock of the process back by an hour.
const clockSkew = "CHAOS_CLOCK_SKEW"

func wrongClock() func() time.Time {
	skew, _ := time.ParseDuration(os.Getenv(clockSkew))
	var back atomic.Int64
	steps := make(chan os.Signal, 8)
	signal.Notify(steps, syscall.SIGUSR1)
	go func() {
		for range steps {
			back.Add(int64(time.Hour))
		}
	}()
	clock := crawl.NewClock()
	return func() time.Time { return clock().Add(skew - time.Duration(back.Load())) }
}

// label labels some pages by what the web knows of them.
func (c *chaos) label() {
	var lines strings.Builder
	for range 6 {
		i := c.rng.IntN(c.web.n)
		word := "off"
		if c.web.onTopic(i) {
			word = "on"
		}
		if u := c.web.url(i); !c.takedown[u] {
			fmt.Fprintf(&lines, "%s\t%s\n", u, word)
		}
	}
	file := filepath.Join(c.t.TempDir(), "labels.tsv")
	if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.reads("label", c.dir, "--from", file)
}

// forget takes down a page that was fetched.
func (c *chaos) forget() {
	c.endCrawl(syscall.SIGTERM)
	fetched := c.fetched()
	if len(fetched) == 0 {
		return
	}
	u := fetched[c.rng.IntN(len(fetched))]
	p := c.launch("", "forget", c.dir, u, "--because", "the owner asked", "--yes")
	if code := p.wait(c.t); code != exitOK {
		c.t.Errorf("%s: exit code %d\n%s", p, code, p.said.String())
		return
	}
	c.takedown[u] = true
}

func (c *chaos) export() {
	kind := []string{"jsonl", "wacz", "csv", "warc.gz", "decisions.jsonl"}[c.rng.IntN(5)]
	c.reads("export", c.dir, filepath.Join(c.t.TempDir(), "out."+kind), "--force")
}

func (c *chaos) look() {
	switch c.rng.IntN(4) {
	case 0:
		c.reads("status", c.dir, "--json")
	case 1:
		c.reads("pages", c.dir, "--on")
	case 2:
		c.reads("hosts", c.dir)
	case 3:
		c.reads("why", c.dir, c.web.url(c.rng.IntN(c.web.n)))
	}
}

// reads runs a command while the crawl runs. It may find nothing, or the collection
// busy or not begun, but it must not break.
func (c *chaos) reads(args ...string) {
	c.joined = true
	p := c.launch("", args...)
	code := p.wait(c.t)
	if code == exitInternal || code < 0 || strings.Contains(p.said.String(), "panic:") {
		if _, err := os.Stat(filepath.Join(c.dir, "crawl.yaml")); err != nil {
			return // killed before there was a collection
		}
		c.t.Errorf("%s: exit code %d\n%s", p, code, p.said.String())
	}
}

// finish runs the crawl undisturbed until it is done, and checks everything.
func (c *chaos) finish() {
	c.t.Helper()
	for try := 0; ; try++ {
		c.start("")
		p := c.crawl
		code := p.wait(c.t)
		c.crawl = nil
		if code == exitOK || code == exitNothing {
			break
		}
		if c.check(p, code); try == 5 || c.t.Failed() {
			c.keep()
			c.t.Fatalf("%s: exit code %d in the last run\n%s", p, code, p.said.String())
		}
	}
	if v := c.launch("", "collection", "verify", c.dir); v.wait(c.t) != exitOK {
		c.t.Errorf("%s:\n%s%s", v, v.out.String(), v.said.String())
	}
	c.checkBooks()
	c.checkPages()
	if c.web.tooSoon != "" {
		c.t.Errorf("politeness: %s", c.web.tooSoon)
	}
	c.t.Logf("%s, %d pages: %s", c.strategy, c.web.n, counts(c.did))
	if c.t.Failed() {
		c.keep()
	}
}

// keep copies the collection to where it can be looked at.
func (c *chaos) keep() {
	to, err := os.MkdirTemp("", "chaos-failed-")
	if err == nil {
		err = os.CopyFS(filepath.Join(to, "chaos.dowse"), os.DirFS(c.dir))
	}
	c.t.Logf("the collection is kept in %s (%v)", to, err)
}

func (c *chaos) checkBooks() {
	c.t.Helper()
	p := c.launch("", "status", c.dir, "--json")
	p.wait(c.t)
	var s struct {
		Balanced bool
		Books    json.RawMessage
	}
	if err := json.Unmarshal(p.out.Bytes(), &s); err != nil || !s.Balanced {
		c.t.Errorf("the books do not balance (%v): %s", err, p.out.String())
	}
}

func (c *chaos) checkPages() {
	c.t.Helper()
	have := map[string]bool{}
	for _, u := range c.fetched() {
		if have[u] {
			c.t.Errorf("%s is listed twice", u)
		}
		have[u] = true
	}
	missing, wanted := 0, c.web.reachable(c.takedown)
	for i := range c.web.n {
		if u := c.web.url(i); !have[u] && wanted[i] {
			if missing++; missing < 4 {
				why := c.launch("", "why", c.dir, u)
				why.wait(c.t)
				c.t.Errorf("%s is missing:\n%s%s", u, why.out.String(), why.said.String())
			}
		} else if have[u] && c.takedown[u] {
			c.t.Errorf("%s was taken down and is listed", u)
		}
	}
	if missing > 0 {
		c.t.Errorf("%d of %d pages are missing", missing, c.web.n)
	}
}

// fetched lists the URLs of the pages in the collection.
func (c *chaos) fetched() (list []string) {
	p := c.launch("", "export", c.dir, "-", "--all", "--fields", "url", "--format", "csv")
	if p.wait(c.t) == exitInternal {
		c.t.Errorf("%s:\n%s", p, p.said.String())
	}
	lines := strings.Fields(p.out.String())
	return lines[min(1, len(lines)):] // after the heading
}

// A chaosRun is a run of the command.
type chaosRun struct {
	cmd       *exec.Cmd
	out, said bytes.Buffer
	done      chan struct{}
}

func (p *chaosRun) String() string { return "dowse " + strings.Join(p.cmd.Args[4:], " ") }

// launch starts the command in a shell that first runs limit.
func (c *chaos) launch(limit string, args ...string) *chaosRun {
	c.t.Helper()
	script := strings.TrimPrefix(limit+` && exec "$0" "$@"`, " && ")
	p := &chaosRun{cmd: exec.Command("sh", append([]string{"-c", script, "dowse"}, args...)...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.said
	p.cmd.Env = append(os.Environ(), clockSkew+"="+c.skew.String())
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	return p
}

// over reports whether the run has ended.
func (p *chaosRun) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// wait waits for the end of the run and returns its exit code. One that does
// not end fails the test; it prints where it hangs.
func (p *chaosRun) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.cmd.Process.Signal(syscall.SIGQUIT)
		<-p.done
		t.Errorf("%s does not end:\n%s", p, p.said.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// A mood is how a web behaves.
type mood int

const (
	answering mood = iota
	refusing       // nothing listens
	resetting      // connections are resetting
	silenced       // connections are taken and nothing is answered
)

// chaosWeb is a web of n pages on twelve hosts, made of a few templates. It
// checks that hosts are left alone for the delay.
type chaosWeb struct {
	n    int
	port int

	mu        sync.Mutex
	mood      mood
	listeners []net.Listener
	servers   []*http.Server
	busy      [chaosHosts]int
	last      [chaosHosts]time.Time
	tooSoon   string
}

const chaosHosts = 12

func serveChaos(t *testing.T, n int, rng *rand.Rand) *chaosWeb {
	w := &chaosWeb{n: n}
	for {
		w.port = 20000 + rng.IntN(10000)
		if err := w.listen(); err == nil {
			return w
		} else if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
		w.hangUp()
	}
}

func (w *chaosWeb) address(h int) string { return fmt.Sprintf("127.7.0.%d:%d", h+1, w.port) }

func (w *chaosWeb) url(i int) string {
	return fmt.Sprintf("http://%s/%s/%d.html", w.address(i%chaosHosts), []string{"shop", "forum", "news"}[i%3], i)
}

func (w *chaosWeb) onTopic(i int) bool { return i%4 < 2 }

func (w *chaosWeb) listen() error {
	for h := range chaosHosts {
		l, err := net.Listen("tcp", w.address(h))
		if err != nil {
			return err
		}
		s := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.serve(h, rw, r) })}
		w.listeners, w.servers = append(w.listeners, l), append(w.servers, s)
		go s.Serve(l)
	}
	return nil
}

func (w *chaosWeb) hangUp() {
	for _, s := range w.servers {
		s.Close()
	}
	for _, l := range w.listeners {
		l.Close()
	}
	w.listeners, w.servers = nil, nil
}

func (w *chaosWeb) close() { w.set(refusing) }

// set changes how the web behaves from now on.
func (w *chaosWeb) set(m mood) {
	w.mu.Lock()
	old := w.mood
	w.mood = m
	w.mu.Unlock()
	if m == refusing && old != refusing {
		w.hangUp()
	}
	if m != refusing && old == refusing {
		for w.listen() != nil {
			w.hangUp()
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// serve answers a request and watches over politeness.
func (w *chaosWeb) serve(h int, rw http.ResponseWriter, r *http.Request) {
	mood := w.begin(h, r.URL.Path)
	if mood == resetting {
		w.end(h) // before the client can know
	} else {
		defer w.end(h)
	}
	switch mood {
	case resetting:
		if conn, _, err := http.NewResponseController(rw).Hijack(); err == nil {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
	case silenced:
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	default:
		w.page(h, rw, r)
	}
}

func (w *chaosWeb) begin(h int, path string) mood {
	w.mu.Lock()
	defer w.mu.Unlock()
	if gap := time.Since(w.last[h]); w.busy[h] == 0 && gap < chaosDelay && w.tooSoon == "" {
		w.tooSoon = fmt.Sprintf("host %d was asked for %s after %v, not %v", h, path, gap, chaosDelay)
	}
	w.busy[h]++
	return w.mood
}

func (w *chaosWeb) end(h int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[h]--
	w.last[h] = time.Now()
}

// links returns the pages that a page links to.
func (w *chaosWeb) links(i int) []int {
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	all := []int{2*i + 1, 2*i + 2, rng.IntN(w.n), rng.IntN(w.n)}
	return slices.DeleteFunc(all, func(k int) bool { return k >= w.n })
}

// reachable returns the pages that links lead to from the seed without passing over
// pages that were taken down: a takedown also forgets what only the page linked to.
func (w *chaosWeb) reachable(gone map[string]bool) map[int]bool {
	seen := map[int]bool{}
	for next := []int{0}; len(next) > 0; {
		i := next[0]
		next = next[1:]
		if seen[i] || gone[w.url(i)] {
			continue
		}
		seen[i] = true
		next = append(next, w.links(i)...)
	}
	return seen
}

// page writes a page of one of three templates: menus, repeated phrases and a few
// sentences of its own.
func (w *chaosWeb) page(h int, rw http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(r.URL.Path), ".html"))
	if err != nil || i >= w.n || i%chaosHosts != h {
		http.NotFound(rw, r)
		return
	}
	rng := rand.New(rand.NewPCG(uint64(i), 2))
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(rw, "<html lang=en><title>Page %d</title><nav><a href=/>Home</a> Shop Forum News Contact About us</nav>", i)
	fmt.Fprint(rw, strings.Repeat("<p>In stock. Add to cart. Free delivery on orders over 50.</p>", 8))
	subject := "bread oven flour yeast crust"
	if w.onTopic(i) {
		subject = "lighthouse keeper lamp tower beam signal lighthouse keeper"
	}
	for range 12 {
		fmt.Fprint(rw, "<p>")
		for range 8 {
			fmt.Fprintf(rw, "w%x ", rng.Uint32N(1<<20))
		}
		fmt.Fprint(rw, subject, "</p>")
	}
	for _, k := range w.links(i) {
		fmt.Fprintf(rw, `<li><a href="%s">%s %d</a>`, w.url(k), strings.Fields(subject)[0], k)
	}
	fmt.Fprint(rw, "<footer>Terms Privacy Imprint Cookies. All rights reserved.</footer></html>")
}
