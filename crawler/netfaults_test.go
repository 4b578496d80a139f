package crawler_test

import (
	"bytes"
	"context"
	"dowse/settings"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
)

// A netOp is a kind of call that a crawl makes to the network.
type netOp string

const (
	netDial  netOp = "dial"
	netRead  netOp = "read"
	netWrite netOp = "write"
	netClose netOp = "close"
)

// A netFault is a way in which a call to the network fails.
type netFault struct {
	name string
	op   netOp
	err  error // what the call returns
	part bool  // a part of the bytes goes through before the call fails
	hang bool  // nothing happens until the caller gives up, or for a long time
	gone bool  // the error means that the host does not exist: its URLs fail until they are asked for again
}

func opError(op netOp, err error) error {
	return &net.OpError{Op: string(op), Net: "tcp", Err: err}
}

func errno(op netOp, number syscall.Errno) error {
	return opError(op, os.NewSyscallError(string(op), number))
}

// expired is the error of a call that took too long.
var expired = opError("read", os.ErrDeadlineExceeded)

var netFaults = []netFault{
	{name: "refused", op: netDial, err: errno("connect", syscall.ECONNREFUSED)},
	{name: "reset", op: netDial, err: errno(netDial, syscall.ECONNRESET)},
	{name: "timeout", op: netDial, err: opError(netDial, os.ErrDeadlineExceeded)},
	{name: "no answer", op: netDial, hang: true},
	{name: "network unreachable", op: netDial, err: errno(netDial, syscall.ENETUNREACH)},
	{name: "host unreachable", op: netDial, err: errno(netDial, syscall.EHOSTUNREACH)},
	{name: "network down", op: netDial, err: errno(netDial, syscall.ENETDOWN)},
	{name: "too many files", op: netDial, err: errno(netDial, syscall.EMFILE)},
	{name: "no port left", op: netDial, err: errno(netDial, syscall.EADDRNOTAVAIL)},
	{name: "name server failed", op: netDial, err: &net.DNSError{Err: "server misbehaving", Name: "a host", IsTemporary: true}},
	{name: "name server silent", op: netDial, err: &net.DNSError{Err: "i/o timeout", Name: "a host", IsTimeout: true, IsTemporary: true}},
	{name: "name server refused", op: netDial, err: &net.DNSError{Err: "read udp 127.0.0.1:53: connection refused", Name: "a host"}},
	{name: "no such host", op: netDial, err: &net.DNSError{Err: "no such host", Name: "a host", IsNotFound: true}, gone: true},

	{name: "reset", op: netRead, err: errno(netRead, syscall.ECONNRESET)},
	{name: "reset after a part", op: netRead, err: errno(netRead, syscall.ECONNRESET), part: true},
	{name: "end", op: netRead, err: io.EOF},
	{name: "end after a part", op: netRead, err: io.EOF, part: true},
	{name: "timeout", op: netRead, err: expired},
	{name: "timeout after a part", op: netRead, err: expired, part: true},
	{name: "silence", op: netRead, hang: true},
	{name: "silence after a part", op: netRead, part: true, hang: true},
	{name: "no buffers", op: netRead, err: errno(netRead, syscall.ENOBUFS)},

	{name: "reset", op: netWrite, err: errno(netWrite, syscall.ECONNRESET)},
	{name: "broken pipe", op: netWrite, err: errno(netWrite, syscall.EPIPE)},
	{name: "reset after a part", op: netWrite, err: errno(netWrite, syscall.ECONNRESET), part: true},
	{name: "timeout", op: netWrite, err: opError(netWrite, os.ErrDeadlineExceeded)},
	{name: "silence", op: netWrite, hang: true},

	{name: "reset", op: netClose, err: errno(netClose, syscall.ECONNRESET)},
	{name: "input/output error", op: netClose, err: errno(netClose, syscall.EIO)},
}

// A netPlan is which calls fail: from the at-th call of the fault's kind on, calls of
// that kind fail, for a number of calls or for some time.
type netPlan struct {
	netFault
	at    int           // number of the first call that fails, from 1; 0 for none
	calls int           // how many calls fail
	last  time.Duration // for how long calls fail, in place of calls
}

func (p netPlan) String() string {
	s := fmt.Sprintf("%s %d, %s", p.op, p.at, p.name)
	switch {
	case p.last > 0:
		s += fmt.Sprintf(", from then on for %v", p.last)
	case p.calls > 1:
		s += fmt.Sprintf(", from then on for %d calls", p.calls)
	}
	return s
}

// A wire is the network of a crawl: it connects to servers of this process and makes
// some of the calls fail.
type wire struct {
	plan  netPlan
	serve chan<- net.Conn

	mu    sync.Mutex
	calls map[netOp]int
	since time.Time // when the first call failed
	fails int       // calls that failed
}

// call counts a call and reports whether it is to fail.
func (w *wire) call(op netOp) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[op]++
	n, p := w.calls[op], &w.plan
	if p.at == 0 || p.op != op || n < p.at || p.last == 0 && n >= p.at+p.calls {
		return false
	}
	if w.since.IsZero() {
		w.since = time.Now()
	}
	if p.last > 0 && time.Since(w.since) >= p.last {
		return false
	}
	w.fails++
	return true
}

// share returns how many of n bytes go through before a call fails: another part each time,
// since a network does not break off at the same byte twice.
func (w *wire) share(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return n * (100 + w.fails*37%800) / 1000
}

// connectTime is how long the wire waits for a connection that is never made.
const connectTime = 10 * time.Second

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if !w.call(netDial) {
		ours, theirs := net.Pipe()
		select {
		case w.serve <- theirs:
			return &wireConn{Conn: ours, wire: w, closed: make(chan struct{})}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if !w.plan.hang {
		return nil, w.plan.err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(connectTime):
		return nil, opError(netDial, os.ErrDeadlineExceeded)
	}
}

// A wireConn is a connection over a wire.
type wireConn struct {
	net.Conn
	wire *wire

	mu     sync.Mutex
	broken error // what all further calls return
	closed chan struct{}
	once   sync.Once
}

func (c *wireConn) isBroken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// fail breaks the connection: the server finds it closed, and further calls fail, too.
func (c *wireConn) fail() error {
	if c.wire.plan.hang {
		<-c.closed
		return net.ErrClosed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = c.wire.plan.err
	c.Conn.Close()
	return c.broken
}

// named gives the errors of a pipe the form that those of a real connection have.
func (c *wireConn) named(op netOp, err error) error {
	if broken := c.isBroken(); broken != nil && err != nil {
		return broken
	}
	switch {
	case errors.Is(err, io.ErrClosedPipe) && op == netWrite:
		return errno(op, syscall.EPIPE)
	case errors.Is(err, io.ErrClosedPipe):
		return opError(op, net.ErrClosed)
	}
	return err
}

func (c *wireConn) Read(b []byte) (int, error) {
	if err := c.isBroken(); err != nil {
		return 0, err
	}
	if !c.wire.call(netRead) {
		n, err := c.Conn.Read(b)
		return n, c.named(netRead, err)
	}
	if !c.wire.plan.part {
		return 0, c.fail()
	}
	n, err := c.Conn.Read(b)
	if err != nil {
		return n, c.named(netRead, err)
	}
	return c.wire.share(n), c.fail()
}

func (c *wireConn) Write(b []byte) (int, error) {
	if err := c.isBroken(); err != nil {
		return 0, err
	}
	if !c.wire.call(netWrite) {
		n, err := c.Conn.Write(b)
		return n, c.named(netWrite, err)
	}
	n := 0
	if c.wire.plan.part {
		n, _ = c.Conn.Write(b[:c.wire.share(len(b))])
	}
	return n, c.fail()
}

func (c *wireConn) Close() error {
	failed := c.wire.call(netClose)
	c.once.Do(func() { close(c.closed) })
	err := c.Conn.Close()
	if failed {
		return c.wire.plan.err
	}
	return err
}

// RemoteAddr returns an address as those of real connections are.
func (c *wireConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

// A wireServer serves the connections that a wire makes: it is a net.Listener.
type wireServer struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (s *wireServer) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *wireServer) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *wireServer) Addr() net.Addr { return &net.TCPAddr{} }

// A cornerWeb answers for a few sites with 60 pages in all: pages with menu, text, list of
// links and footer, larger than the buffers of a connection; a robots.txt, on some sites
// a sitemap, and a redirect.
type cornerWeb struct {
	mu    sync.Mutex
	last  map[string]time.Time // latest request for each host
	hasty []string             // requests that came too soon after the one before
}

const (
	cornerSites = 6
	cornerPages = faultPages / cornerSites // per site
	cornerDelay = time.Second              // between two requests to a host
)

func cornerURL(site, page int) string {
	return fmt.Sprintf("http://corner%d.example/reef/%d", site%cornerSites, page%cornerPages)
}

func (c *cornerWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.look(r)
	var site, page int
	if _, err := fmt.Sscanf(r.Host, "corner%d.example", &site); err != nil || site >= cornerSites {
		http.NotFound(w, r)
		return
	}
	_, err := fmt.Sscanf(r.URL.Path, "/reef/%d", &page)
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		if site%2 == 0 {
			fmt.Fprintf(w, "Sitemap: http://%s/sitemap.xml\n", r.Host)
		}
	case r.URL.Path == "/sitemap.xml" && site%2 == 0:
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s</loc></url></urlset>`, cornerURL(site, 0))
	case r.URL.Path == "/":
		http.Redirect(w, r, "/reef/0", http.StatusFound)
	case err == nil && page < cornerPages:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(cornerPage(site, page))
	default:
		http.NotFound(w, r)
	}
}

// look notes requests that come too soon.
func (c *cornerWeb) look(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if last, ok := c.last[r.Host]; ok && now.Sub(last) < cornerDelay {
		c.hasty = append(c.hasty, fmt.Sprintf("http://%s%s, %v after the request before", r.Host, r.URL.Path, now.Sub(last)))
	}
	c.last[r.Host] = now
}

func cornerPage(site, page int) []byte {
	rng := rand.New(rand.NewPCG(uint64(site), uint64(page)))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!doctype html><html lang="en"><title>Tide pools %d of corner %d</title>`, page, site)
	fmt.Fprint(&b, `<nav><ul><li><a href="/">Home</a><li><a href="/reef/1">About the shore</a></ul></nav><main><h1>Tide pools</h1>`)
	for range 12 {
		fmt.Fprint(&b, "<p>Sea stars live in the tide pools of the shore. ")
		for range 40 {
			fmt.Fprintf(&b, "w%x ", rng.Uint32N(1<<20))
		}
	}
	links := []string{cornerURL(site, page+1), cornerURL(site, 2*page+1), cornerURL(site+1, page), cornerURL(site+2, rng.IntN(cornerPages))}
	for _, u := range links { // at the end: a page that breaks off lacks them
		fmt.Fprintf(&b, `<p>More on <a href="%s">tide pools %x</a>`, u, rng.Uint32N(1<<16))
	}
	fmt.Fprint(&b, `</main><footer><a href="/private/login">Log in</a></footer></html>`)
	return b.Bytes()
}

// A netTrial is a crawl of the corner web over a wire, in virtual time.
type netTrial struct {
	wire *wire
	web  *cornerWeb
	dir  string
	runs int      // until nothing was left to do
	why  []string // how each run ended

	failed   int // URLs after the last run
	problems []string
}

// wrong records what is wrong with a crawl. Reporting it immediately would end the
// test, since a bubble that fails does.
func (x *netTrial) wrong(format string, args ...any) {
	x.problems = append(x.problems, fmt.Sprintf(format, args...))
}

// maxRuns bounds the runs of a crawl. One that has nothing but silent hosts makes a call or
// two in each.
const maxRuns = 30

// tryNet crawls the corner web with a plan of faults, in virtual time, until the crawl has
// come to its end; it takes the crawl up where that is needed. Then it calls check.
func tryNet(t *testing.T, dir string, plan netPlan, check func(x *netTrial)) {
	t.Helper()
	var x *netTrial
	synctest.Test(t, func(t *testing.T) {
		x = crawlOver(dir, plan)
		check(x)
	})
	for _, problem := range x.problems {
		t.Errorf("%s (runs ended: %s): %s", plan, strings.Join(x.why, ", "), problem)
	}
}

func crawlOver(dir string, plan netPlan) *netTrial {
	server := &wireServer{conns: make(chan net.Conn), closed: make(chan struct{})}
	x := &netTrial{
		wire: &wire{plan: plan, serve: server.conns, calls: map[netOp]int{}},
		web:  &cornerWeb{last: map[string]time.Time{}}, dir: dir,
	}
	srv := &http.Server{Handler: x.web}
	go srv.Serve(server)
	defer srv.Close()
	for x.runs < maxRuns {
		x.runs++
		reason, err := x.run()
		if err != nil {
			x.wrong("run %d: %v", x.runs, err)
			return x
		}
		x.why = append(x.why, string(reason))
		if reason == dowse.StopExhausted && (!plan.gone || x.failed == 0) {
			break
		}
		time.Sleep(5 * time.Minute)
	}
	return x
}

func (x *netTrial) run() (dowse.StopReason, error) {
	cfg := crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{"http://corner0.example/", cornerURL(3, 0)}, Settings: settings.Settings{Key: 7, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: cornerDelay, InFlight: 4}},
		Dial: x.wire.dial,
	}
	if x.wire.plan.gone && x.runs > 1 {
		cfg.Retry = []string{crawl.RequeueFailed, string(dowse.FailDNS)}
	}
	c, err := crawler.Open(x.dir, cfg)
	if err != nil {
		return "", err
	}
	for range c.Crawl(context.Background()) {
	}
	x.failed = c.Status().Books.Failed
	return c.StopReason(), errors.Join(c.Err(), c.Close())
}

// harvest returns the pages of a collection: URL, size, whether it is whole, links.
func harvest(t *testing.T, dir string) (list []string) {
	t.Helper()
	c, err := crawler.View(dir)
	must(t, err)
	defer c.Close()
	for e, err := range c.Collection.Journal.Entries(c.Collection.URL) {
		must(t, err)
		if p := e.Page; e.Kind == crawl.EntryPage && p.Outcome == dowse.Fetched {
			list = append(list, fmt.Sprintf("%s: %d bytes, truncated %v, relevance %.6f", p.URL, p.Fetch.Bytes, p.Fetch.Truncated, p.Verdict.Relevance))
		}
	}
	slices.Sort(list)
	return list
}

// failures returns how the URLs of a collection that were given up failed.
func failures(t *testing.T, dir string) (list []string) {
	t.Helper()
	c, err := crawler.View(dir)
	must(t, err)
	defer c.Close()
	for e, err := range c.Collection.Journal.Entries(c.Collection.URL) {
		must(t, err)
		if p := e.Page; e.Kind == crawl.EntryPage && p.Outcome == dowse.Failed {
			list = append(list, fmt.Sprintf("%s: %s, %s", p.URL, p.Reason, p.Detail))
		}
	}
	return list
}

// compare notes everything in which the crawl differs from the undisturbed one, and
// returns how many pages it lacks.
func (x *netTrial) compare(t *testing.T, want []string) (lost int) {
	got := harvest(t, x.dir)
	for _, page := range want {
		if !slices.Contains(got, page) {
			lost++
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		x.wrong("the undisturbed crawl (-) and this one (+) differ:\n%sfailed: %s", diff, strings.Join(failures(t, x.dir), "\n\t"))
	}
	for _, r := range x.web.hasty {
		x.wrong("too soon: %s", r)
	}
	c, err := crawler.View(x.dir)
	must(t, err)
	defer c.Close()
	v, err := c.Collection.Verify(collection.VerifyOptions{})
	if err != nil || len(v.Problems) > 0 {
		x.wrong("verify: %v %+v", err, v.Problems)
	}
	if b := c.Status().Books; !b.Balanced() || b.InFlight != 0 || b.Queued != 0 || b.Fetched != faultPages {
		x.wrong("books %+v", b)
	}
	return lost
}

// TestNetFaults makes each call to the network fail in turn, in a crawl of 60 pages on
// several sites: once, for some calls, and for some time. The crawl ends by itself or is
// resumed. In the end it has the pages of the undisturbed crawl, whole; its books
// balance, its archive is valid, and no host was asked too soon. Time is virtual.
func TestNetFaults(t *testing.T) {
	sameGoroutines(t)
	base := t.TempDir()
	var want []string
	var calls map[netOp]int
	tryNet(t, filepath.Join(base, "calm.dowse"), netPlan{}, func(x *netTrial) {
		want, calls = harvest(t, x.dir), maps.Clone(x.wire.calls)
		x.compare(t, want)
	})
	if len(want) != faultPages {
		t.Fatalf("the undisturbed crawl has %d pages, want %d:\n%s", len(want), faultPages, strings.Join(want, "\n"))
	}
	t.Logf("the undisturbed crawl makes %v calls", calls)
	tally := map[string]*netTally{}
	for i, plan := range netPlans(calls) {
		dir := filepath.Join(base, fmt.Sprint(i))
		key := string(plan.op) + ", " + plan.name
		if tally[key] == nil {
			tally[key] = &netTally{}
		}
		tryNet(t, dir, plan, func(x *netTrial) { tally[key].add(x, x.compare(t, want)) })
		must(t, os.RemoveAll(dir))
	}
	for _, key := range slices.Sorted(maps.Keys(tally)) {
		t.Logf("%s: %s", key, tally[key])
	}
}

// A netTally counts what the crawls with one kind of fault came to.
type netTally struct{ crawls, calls, resumed, lost int }

func (n *netTally) add(x *netTrial, lost int) {
	n.crawls++
	n.calls += x.wire.fails
	n.resumed += x.runs - 1
	n.lost += lost
}

func (n *netTally) String() string {
	return fmt.Sprintf("%d crawls, %d calls failed, resumed %d times, %d pages lost", n.crawls, n.calls, n.resumed, n.lost)
}

// lengths are for how many calls, or for how long, calls fail.
var lengths = []netPlan{{calls: 1}, {calls: 3}, {calls: 20}, {last: time.Minute}, {last: 10 * time.Minute}}

// netPlans returns the faults to try, for a crawl that makes the given number of calls of each kind:
// with allFaults each fault at each call and of each length, else a few of each fault.
func netPlans(calls map[netOp]int) (plans []netPlan) {
	const few = 3
	for i, f := range netFaults {
		all := calls[f.op] * len(lengths)
		step := 1
		if os.Getenv(allFaults) == "" {
			step = max(1, all/few)
			if testing.Short() {
				step *= 12
			}
			if step%len(lengths) == 0 {
				step++ // else all would be of one length
			}
		}
		for n := i % step; n < all; n += step {
			p := lengths[n%len(lengths)]
			p.netFault, p.at = f, 1+n/len(lengths)
			plans = append(plans, p)
		}
	}
	return plans
}
