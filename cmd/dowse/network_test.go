package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"dowse"
	"dowse/crawl"
)

// A shore is a web on loopback of some sites with a template, menus and many pages
// about tide pools, and the name server that knows them. Both can be made to fail.
type shore struct {
	t     testing.TB
	hosts int
	pages int // of a site, its home page included
	port  int

	takes   time.Duration // to answer
	asked   atomic.Int64  // requests that were answered
	resets  atomic.Bool   // every connection is reset
	broken  sync.Map      // hosts whose connections are reset, and paths that are
	names   *net.UDPConn
	nameOn  string // where the name server listens
	served  chan struct{}
	unnamed atomic.Bool // names do not exist
}

func newShore(t testing.TB, hosts, pages int) *shore {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &shore{t: t, hosts: hosts, pages: pages, port: l.Addr().(*net.TCPAddr).Port}
	srv := &http.Server{Handler: s}
	srv.SetKeepAlivesEnabled(false) // so that every request needs the network
	go srv.Serve(l)
	s.openNames("127.0.0.1:0")
	t.Cleanup(func() { srv.Close(); s.closeNames() })
	return s
}

// all is the number of pages.
func (s *shore) all() int { return s.hosts * s.pages }

func (s *shore) url(host int, path string) string {
	return fmt.Sprintf("http://pools%d.test:%d%s", host, s.port, path)
}

func (s *shore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	_, down := s.broken.Load(host)
	_, bad := s.broken.Load(host + r.URL.Path)
	if s.resets.Load() || down || bad {
		reset(w)
		return
	}
	time.Sleep(s.takes)
	s.asked.Add(1)
	var h, p int
	fmt.Sscanf(host, "pools%d.test", &h)
	switch {
	case r.URL.Path == "/":
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		return
	default:
		if n, _ := fmt.Sscanf(r.URL.Path, "/notes/%d", &p); n != 1 || p < 1 || p >= s.pages {
			http.NotFound(w, r)
			return
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(s.page(h, p))
}

// reset ends a connection as a machine does that has just come up again.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// page makes a page: a template with menus, a text of its own, and links to others.
func (s *shore) page(host, n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(host), uint64(n)))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<html lang="en"><head><title>Tide pools, note %d of site %d</title></head><body>
<nav><a href="/">Home</a> <a href="/notes/1">First note</a> <a href="%s">Neighbours</a></nav><h1>Tide pools, note %d</h1><p>`, n, host, s.url((host+1)%s.hosts, "/"), n)
	for i := range 160 {
		if i%16 == 0 {
			b.WriteString("Tide pools: ")
		}
		fmt.Fprintf(&b, "%s ", randomWord(rng))
	}
	b.WriteString("</p><ul>")
	for i := 1; i < s.pages; i++ {
		if n == 0 || i == n+1 {
			fmt.Fprintf(&b, `<li><a href="/notes/%d">%s %s %s</a></li>`, i, randomWord(rng), randomWord(rng), randomWord(rng))
		}
	}
	b.WriteString("</ul><footer>All about the shore. Contact. Imprint.</footer></body></html>")
	return b.Bytes()
}

func randomWord(rng *rand.Rand) string {
	b := make([]byte, 5)
	for i := range b {
		b[i] = byte('a' + rng.IntN(26))
	}
	return string(b)
}

// openNames starts the name server, at the address where it was before if there is one.
func (s *shore) openNames(at string) {
	s.t.Helper()
	addr, err := net.ResolveUDPAddr("udp", at)
	if err != nil {
		s.t.Fatal(err)
	}
	conn, err := net.ListenUDP("udp", addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.names, s.nameOn, s.served = conn, conn.LocalAddr().String(), make(chan struct{})
	go s.serveNames(conn, s.served)
}

func (s *shore) closeNames() {
	s.names.Close()
	<-s.served
}

func (s *shore) serveNames(conn *net.UDPConn, done chan<- struct{}) {
	defer close(done)
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFromUDP(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		m.Response, m.Additionals = true, nil
		q := m.Questions[0]
		switch {
		case s.unnamed.Load() || !strings.HasPrefix(q.Name.String(), "pools"):
			m.RCode = dnsmessage.RCodeNameError
		case q.Type == dnsmessage.TypeA: // not to be kept
			m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
		}
		if out, err := m.Pack(); err == nil {
			conn.WriteToUDP(out, from)
		}
	}
}

// A process is a dowse that runs.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// dowseCmd makes a command of this very binary, under a shell line if there is one.
func dowseCmd(t testing.TB, shell string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: &exec.Cmd{Path: self, Args: append([]string{"dowse"}, args...)}}
	if shell != "" {
		p.Cmd = exec.Command("bash", append([]string{"-c", shell + `; exec -a dowse "$0" "$@"`, self}, args...)...)
	}
	p.Stdout, p.Stderr = &p.out, &p.err
	return p
}

// code runs the process to its end and returns the exit code.
func (p *process) code(t testing.TB) int {
	t.Helper()
	err := p.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// crawlArgs are those of a crawl of the shore.
func (s *shore) crawlArgs(dir string, more ...string) []string {
	return append([]string{
		"crawl", "tide", "pools", "--out", dir, "--seed", s.url(0, "/"), "--resolver", s.nameOn, "--allow-net", "127.0.0.0/8",
		"--delay", "1ms", "--contrast", "everyday", "--patience", "20s",
	}, more...)
}

// finished checks that every page is there, nothing failed and the collection is sound.
func (s *shore) finished(t testing.TB, dir string) {
	t.Helper()
	st := statusJSON(t, dir)
	if b := st.Books; st.Fetched != s.all() || b.Failed+b.Queued > 0 || st.Unreached != nil {
		t.Errorf("%d of %d pages; %+v, unreached %+v, reasons %+v", st.Fetched, s.all(), b, st.Unreached, st.Reasons)
	}
	for _, cmd := range [][]string{{"status", dir, "--check"}, {"collection", "verify", dir}} {
		if p := dowseCmd(t, "", cmd...); p.code(t) != 0 {
			t.Errorf("%v: %s%s", cmd, p.out.String(), p.err.String())
		}
	}
}

func statusJSON(t testing.TB, dir string) status {
	t.Helper()
	p := dowseCmd(t, "", "status", dir, "--json")
	var st status
	if code := p.code(t); code != 0 {
		t.Fatalf("status: %d, %s", code, p.err.String())
	}
	if err := json.Unmarshal(p.out.Bytes(), &st); err != nil {
		t.Fatalf("%v: %s", err, p.out.String())
	}
	return st
}

// waitUntil waits until something is so.
func waitUntil(t testing.TB, what string, is func() bool) {
	t.Helper()
	for range time.Minute / often {
		if is() {
			return
		}
		time.Sleep(often)
	}
	t.Fatalf("%s did not come about", what)
}

// An ordeal is something that happens to a crawl in its middle, for a time.
type ordeal struct {
	name       string
	begin, end func(s *shore)
	hidden     time.Duration // it is noticed only if it lasts longer: requests under way wait for so long
}

const nameServerGone = "the name server is gone"

var ordeals = []ordeal{
	{nameServerGone, func(s *shore) { s.closeNames() }, func(s *shore) { s.openNames(s.nameOn) }, 0},
	{"every connection is reset", func(s *shore) { s.resets.Store(true) }, func(s *shore) { s.resets.Store(false) }, 0},
}

// endure crawls the shore, lets the ordeal come after some pages for a time, and
// checks that nothing was lost.
func endure(t *testing.T, s *shore, o ordeal, lasts time.Duration) {
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	p := dowseCmd(t, "", s.crawlArgs(dir)...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	waitUntil(t, "the middle of the crawl", func() bool { return int(s.asked.Load()) > s.all()/3 })
	o.begin(s)
	time.Sleep(lasts)
	before := s.asked.Load()
	o.end(s)
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.err.String())
	}
	if int(before) >= s.all() {
		t.Errorf("%d requests were answered before it ended: it came too late", before)
	}
	said := p.err.String()
	if o.name == nameServerGone { // it depends on the visits under way whether the cause is known
		said = strings.ReplaceAll(said, "NO NAME SERVICE", "NO NETWORK")
	}
	for _, line := range []string{"NO NETWORK", "network is back"} {
		if lasts > o.hidden && !strings.Contains(said, line) {
			t.Errorf("%q was not said:\n%s", line, p.err.String())
		}
	}
	t.Logf("%d requests answered for %d pages; %d before it ended", s.asked.Load(), s.all(), before)
	s.finished(t, dir)
}

func TestOrdeals(t *testing.T) {
	for _, o := range ordeals {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			endure(t, newShore(t, 6, 40), o, 12*time.Second) // all hosts must have begun to fail, also on a busy machine
		})
	}
}

// TestLongOrdeals takes as long as trouble does in earnest. It runs if asked for, with
// DOWSE_LONG=1 in the environment.
func TestLongOrdeals(t *testing.T) {
	if os.Getenv("DOWSE_LONG") == "" {
		t.Skip("takes minutes; set DOWSE_LONG=1")
	}
	for _, o := range ordeals {
		for _, lasts := range []time.Duration{30 * time.Second, 62 * time.Second, 240 * time.Second} {
			t.Run(fmt.Sprint(o.name, " for ", lasts), func(t *testing.T) {
				t.Parallel()
				endure(t, newShore(t, 5, 241), o, lasts)
			})
		}
	}
}

// A crawl that can't begin says why, and the same command begins once it can.
func TestFirstCrawlThatFails(t *testing.T) {
	for _, tc := range []struct {
		name       string
		begin, end func(s *shore)
		says       string
	}{
		{"no name server", func(s *shore) { s.closeNames() }, func(s *shore) { s.openNames(s.nameOn) }, "the name server does not answer"},
		{"no such name", func(s *shore) { s.unnamed.Store(true) }, func(s *shore) { s.unnamed.Store(false) }, "net.dns: no address for pools0.test"},
		{"every connection is reset", func(s *shore) { s.resets.Store(true) }, func(s *shore) { s.resets.Store(false) }, "net.connect"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newShore(t, 2, 10)
			dir := filepath.Join(t.TempDir(), "pools.dowse")
			args := s.crawlArgs(dir, "--patience", "3s")
			tc.begin(s)
			for range 2 {
				p := dowseCmd(t, "", args...)
				if code := p.code(t); code != exitNetwork || !strings.Contains(p.err.String(), tc.says) || !strings.Contains(p.err.String(), "The same command asks the seeds again") {
					t.Errorf("exit %d, want %d with %q: %s", code, exitNetwork, tc.says, p.err.String())
				}
			}
			if why := dowseCmd(t, "", "why", dir, s.url(0, "/")); why.code(t) != 0 || strings.Contains(why.out.String(), "forbids") {
				t.Errorf("why: %s%s", why.out.String(), why.err.String())
			}
			tc.end(s)
			if p := dowseCmd(t, "", args...); p.code(t) != 0 {
				t.Errorf("once it can: %s", p.err.String())
			}
			s.finished(t, dir)
		})
	}
}

// A mistyped seed is no dead end: the right one can be added.
func TestMistypedSeed(t *testing.T) {
	t.Parallel()
	s := newShore(t, 2, 10)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	wrong := []string{"crawl", "tide", "pools", "--out", dir, "--seed", "http://pols.test/", "--resolver", s.nameOn, "--allow-net", "127.0.0.0/8", "--delay", "1ms"}
	if p := dowseCmd(t, "", wrong...); p.code(t) != exitNetwork || !strings.Contains(p.err.String(), "mistyped") {
		t.Errorf("exit %d: %s", p.ProcessState.ExitCode(), p.err.String())
	}
	if p := dowseCmd(t, "", s.crawlArgs(dir)...); p.code(t) != 0 {
		t.Errorf("%s", p.err.String())
	}
	if st := statusJSON(t, dir); st.Fetched != s.all() {
		t.Errorf("%d of %d pages: %+v", st.Fetched, s.all(), st.Reasons)
	}
}

// The name server is gone when a crawl is taken up again. Nothing is lost.
func TestNoNameServerAtAResume(t *testing.T) {
	t.Parallel()
	s := newShore(t, 4, 30)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	if p := dowseCmd(t, "", s.crawlArgs(dir, "--pages", "40")...); p.code(t) != 0 {
		t.Fatal(p.err.String())
	}
	s.closeNames()
	p := dowseCmd(t, "", s.crawlArgs(dir, "--pages", "1000", "--patience", "3s")...)
	if code := p.code(t); code != exitNetwork || !strings.Contains(p.err.String(), "stop_reason=network") {
		t.Errorf("exit %d, want %d: %s", code, exitNetwork, p.err.String())
	}
	if c := dowseCmd(t, "", "status", dir, "--check"); c.code(t) != exitAssertion || !strings.Contains(c.err.String(), "no name service: the name server does not answer") {
		t.Errorf("status --check: %s", c.err.String())
	}
	if c := dowseCmd(t, "", "status", dir); c.code(t) != 0 || !strings.Contains(c.out.String(), "no name server answers (network)") || strings.Contains(c.out.String(), "no network") {
		t.Errorf("status: %s", c.out.String())
	}
	s.openNames(s.nameOn)
	if p := dowseCmd(t, "", s.crawlArgs(dir, "--pages", "1000")...); p.code(t) != 0 {
		t.Errorf("once it is back: %s", p.err.String())
	}
	s.finished(t, dir)
}

// A host that is down is left for later: it is listed, the exit code is not 0, and the
// same command, or --retry, takes it up. A page that fails alone is settled.
func TestHostThatIsDown(t *testing.T) {
	t.Parallel()
	s := newShore(t, 4, 12)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	args := s.crawlArgs(dir, "--patience", "5s")
	s.broken.Store("pools2.test", true)
	s.broken.Store("pools1.test/notes/3", true)
	p := dowseCmd(t, "", args...)
	if code := p.code(t); code != exitNetwork || !strings.Contains(p.err.String(), "unreached 1 URL on 1 host") || !strings.Contains(p.err.String(), "stop_reason=starved") {
		t.Errorf("exit %d, want %d: %s", code, exitNetwork, p.err.String())
	}
	if want := "1 page failed for network reasons; --retry failed asks for them again"; !strings.Contains(p.err.String(), want) {
		t.Errorf("the summary does not say %q: %s", want, p.err.String())
	}
	st := statusJSON(t, dir)
	if u := st.Unreached; st.Fetched != 2*12-1 || st.Books.Failed != 1 || u == nil || u.URLs != 1 || u.Most[0].Reason != dowse.FailConnect {
		t.Errorf("%+v, unreached %+v", st.Books, st.Unreached)
	}
	if c := dowseCmd(t, "", "status", dir, "--check"); c.code(t) != exitAssertion || !strings.Contains(c.err.String(), "1 URL on 1 host") {
		t.Errorf("status --check: %s", c.err.String())
	}
	if c := dowseCmd(t, "", "collection", "verify", dir); c.code(t) != 0 || !strings.Contains(c.out.String(), "unreached 1 URL on 1 host") {
		t.Errorf("verify: %s", c.out.String())
	}
	why := dowseCmd(t, "", "why", dir, s.url(2, "/"))
	if why.code(t); strings.Contains(why.out.String(), "forbids") || !strings.Contains(why.out.String(), "net.connect") {
		t.Errorf("why: %s", why.out.String())
	}
	s.broken.Clear()
	p = dowseCmd(t, "", append(args, "--retry", crawl.RequeueFailed)...)
	if code := p.code(t); code != 0 {
		t.Errorf("exit %d: %s", code, p.err.String())
	}
	s.finished(t, dir)
	why = dowseCmd(t, "", "why", dir, s.url(1, "/notes/3"))
	if why.code(t); !strings.Contains(why.out.String(), "retried   put back into the queue") {
		t.Errorf("why does not show the retry: %s", why.out.String())
	}
	if p := dowseCmd(t, "", "crawl", dir, "--retry", "nonsense"); p.code(t) != exitUsage {
		t.Errorf("--retry nonsense: exit %d, %s", p.ProcessState.ExitCode(), p.err.String())
	}
}

// TestPageWithoutAnAnswer crawls a site of which one page breaks every connection. Nothing
// else is left in the end, and the exit code still shows that not everything was reached. A
// limit that the user set is reached all the same, and --retry completes the crawl.
func TestPageWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	s := newShore(t, 2, 6)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	args := s.crawlArgs(dir, "--patience", "5s")
	s.broken.Store("pools1.test/notes/3", true)
	p := dowseCmd(t, "", append(args, "--pages", "4")...)
	if code := p.code(t); code != exitOK {
		t.Errorf("at its limit of pages: exit %d, want %d: %s", code, exitOK, p.err.String())
	}
	p = dowseCmd(t, "", append(args, "--pages", "1000")...)
	want := "1 page gave no answer; dowse crawl " + dir + " --retry failed asks again"
	if code := p.code(t); code != exitNetwork || !strings.Contains(p.err.String(), want) || !strings.Contains(p.err.String(), "stop_reason=exhausted") {
		t.Errorf("exit %d, want %d with %q: %s", code, exitNetwork, want, p.err.String())
	}
	s.broken.Clear()
	p = dowseCmd(t, "", append(args, "--retry", crawl.RequeueFailed)...)
	if code := p.code(t); code != exitOK {
		t.Errorf("with --retry: exit %d, want %d: %s", code, exitOK, p.err.String())
	}
	s.finished(t, dir)
}

// With few files to open the crawl makes fewer concurrent visits, and loses nothing.
func TestFewOpenFiles(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash: ", err)
	}
	t.Parallel()
	hosts, pages := 12, 20
	if os.Getenv("DOWSE_LONG") != "" {
		hosts, pages = 5, 241
	}
	s := newShore(t, hosts, pages)
	s.takes = 30 * time.Millisecond // so that many requests are under way concurrently
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	p := dowseCmd(t, "ulimit -n 40", s.crawlArgs(dir, "--host-conns", "8")...)
	if code := p.code(t); code != 0 {
		t.Errorf("exit %d: %s", code, p.err.String())
	}
	s.finished(t, dir)
}

// Output that is lost is never exit 0.
func TestLostOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full: ", err)
	}
	defer full.Close()
	s := newShore(t, 1, 10)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	p := dowseCmd(t, "", s.crawlArgs(dir, "--print", "url")...)
	p.Stdout = full
	if code := p.code(t); code != exitInterrupted || !strings.Contains(p.err.String(), syscall.ENOSPC.Error()) {
		t.Errorf("exit %d, want %d: %s", code, exitInterrupted, p.err.String())
	}
	if p := dowseCmd(t, "", s.crawlArgs(dir)...); p.code(t) != 0 {
		t.Errorf("resumed: %s", p.err.String())
	}
	for _, args := range [][]string{{"pages", dir}, {"status", dir}, {"hosts", dir}, {"why", dir, s.url(0, "/")}, {"help", "exit-codes"}} {
		p := dowseCmd(t, "", args...)
		p.Stdout = full
		if code := p.code(t); code == 0 || p.err.Len() == 0 {
			t.Errorf("%v to a full disk: exit %d, %q", args, code, p.err.String())
		}
	}
	p = dowseCmd(t, "", "export", dir, "-", "--all", "--text", "all")
	p.Stdout = full
	if code := p.code(t); code != exitInterrupted || !strings.Contains(p.err.String(), "free some space") {
		t.Errorf("export to a full disk: exit %d, %q", code, p.err.String())
	}
}
