//go:build unix

package crawler_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/settings"
	"dowse/topic"
)

// A crash test crawls in processes of its own: this test binary, controlled by the
// environment to crawl.
const (
	crashDir  = "DOWSE_CRASH_DIR"
	crashSeed = "DOWSE_CRASH_SEED"
	// crashLimit is the largest file that the child may write.
	crashLimit = "DOWSE_CRASH_LIMIT"
	// crashAlone lets the child make one visit at a time.
	crashAlone = "DOWSE_CRASH_ALONE"
	// crashTown lets the child look for sites in a synthetic town.
	crashTown = "DOWSE_CRASH_TOWN"
	// crashLike lets the child look for pages like these, with commas between.
	crashLike = "DOWSE_CRASH_LIKE"
	// crashWords lets the child look for these words.
	crashWords = "DOWSE_CRASH_WORDS"
	// crashLinked lets the child look for pages that at least two others link to.
	crashLinked = "DOWSE_CRASH_LINKED"
	// crashDelay is the politeness of the child, if it is not to hurry.
	crashDelay = "DOWSE_CRASH_DELAY"
	// crashSkew is by how much the child's clock is wrong, and crashBack by how much it is
	// set back after the first page.
	crashSkew = "DOWSE_CRASH_SKEW"
	crashBack = "DOWSE_CRASH_BACK"
	inFlight  = 16
)

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	durable.SkipSyncs()          // tests end processes, not machines
	if dir := os.Getenv(crashDir); dir != "" {
		crashChild(dir)
		return
	}
	os.Exit(m.Run())
}

// crashChild crawls and prints every page after it was committed.
func crashChild(dir string) {
	if n, err := strconv.Atoi(os.Getenv(crashLimit)); err == nil {
		limitFiles(uint64(n))
	}
	polite := settings.Politeness{Delay: time.Millisecond, Conns: 2, InFlight: inFlight}
	if d, err := time.ParseDuration(os.Getenv(crashDelay)); err == nil {
		polite = settings.Politeness{Delay: d, InFlight: inFlight}
	}
	if os.Getenv(crashAlone) != "" {
		polite = settings.Politeness{Delay: -1, InFlight: 1}
	}
	cfg := crawler.Config{
		Words: []string{"lighthouse"}, Seeds: []string{os.Getenv(crashSeed)}, Settings: settings.Settings{Politeness: polite, Network: settings.Network{AllowNet: []string{"127.0.0.0/8"}}},
	}
	if words := os.Getenv(crashWords); words != "" {
		cfg.Words, cfg.Key = []string{words}, 7
	}
	if os.Getenv(crashTown) != "" {
		cfg = townConfig(polite)
	}
	wrongClock(&cfg)
	if os.Getenv(crashLinked) != "" {
		cfg.Topic = &topic.Topic{Name: "linked", Words: cfg.Words, Where: map[string]any{"links_in": "2.."}}
	}
	if like := os.Getenv(crashLike); like != "" {
		cfg.Words, cfg.Topic, cfg.Key = nil, &topic.Topic{Name: "like", Strategy: "link-context"}, 7
		for u := range strings.SplitSeq(like, ",") {
			cfg.Topic.Like = append(cfg.Topic.Like, topic.Source{URL: u})
		}
	}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	for p := range c.Crawl(ctx) {
		fmt.Println(p.URL)
		turnBack()
	}
	if c.Err() != nil {
		fmt.Fprintln(os.Stderr, c.StopReason(), c.Err())
		os.Exit(1)
	}
	if c.Close() != nil || c.StopReason() == dowse.StopSignal {
		os.Exit(3)
	}
}

// manyPages is a web of n pages on 8 loopback hosts, which counts what it is
// asked for.
type manyPages struct {
	n     int
	port  int
	words []string
	mixed bool          // two of three pages are about something else
	pause time.Duration // before each answer; 0 means 2 ms

	mu    sync.Mutex
	asked map[string]int
	begun map[string][]time.Time // requests of each host, but those of settle
	open  int                    // connections
}

func serveMany(t *testing.T, n int) *manyPages {
	t.Helper()
	w := &manyPages{n: n}
	w.serve(t)
	return w
}

// serve answers until the test ends; w's other fields are set before, and no more after.
func (w *manyPages) serve(t *testing.T) {
	t.Helper()
	w.begun = map[string][]time.Time{}
	w.asked, w.pause = map[string]int{}, cmp.Or(w.pause, 2*time.Millisecond)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		w.words = append(w.words, fmt.Sprintf("w%x", rng.Uint32N(1<<24)))
	}
	var listeners []net.Listener
	for h := range 8 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.2.0.%d:%d", h+1, w.port))
		if err != nil {
			t.Skipf("no further loopback addresses on this machine: %v", err)
		}
		w.port = l.Addr().(*net.TCPAddr).Port
		listeners = append(listeners, l)
	}
	for _, l := range listeners {
		server := &http.Server{Handler: w, ConnState: w.count}
		go server.Serve(l)
		t.Cleanup(func() { server.Close() })
	}
}

// count counts connections.
func (w *manyPages) count(_ net.Conn, s http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch s {
	case http.StateNew:
		w.open++
	case http.StateClosed:
		w.open--
	}
}

func (w *manyPages) connections() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open
}

// settle waits until everything is counted that a process which has ended asked for:
// connections are taken in their order, so that once a new one was answered at each
// host all of its connections are known; then they are waited for.
func (w *manyPages) settle(t *testing.T) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for h := range 8 {
		resp, err := client.Get(fmt.Sprintf("http://127.2.0.%d:%d/none", h+1, w.port))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	for w.connections() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func (w *manyPages) url(i int) string {
	return fmt.Sprintf("http://127.2.0.%d:%d/page/%d", i%8+1, w.port, i)
}

func (w *manyPages) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/none" {
		w.mu.Lock()
		w.begun[r.Host] = append(w.begun[r.Host], time.Now())
		w.mu.Unlock()
	}
	i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/"))
	if err != nil || i >= w.n {
		http.NotFound(rw, r)
		return
	}
	w.mu.Lock()
	w.asked[r.URL.Path]++
	w.mu.Unlock()
	time.Sleep(w.pause)
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	rw.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(rw, "<title>Page %d of the lighthouse</title>", i)
	for range 120 {
		fmt.Fprint(rw, w.words[rng.IntN(len(w.words))], " ")
	}
	if w.mixed {
		fmt.Fprint(rw, []string{"lamp keeper signal tower beam", "bread oven flour yeast crust", "violin bow string sonata concert"}[i%3])
	}
	for _, k := range []int{2*i + 1, 2*i + 2, rng.IntN(w.n), rng.IntN(w.n)} {
		if k < w.n {
			fmt.Fprintf(rw, `<p><a href="%s">lighthouse %d</a>`, w.url(k), k)
		}
	}
}

// repeats counts the pages that were asked for more than once.
func (w *manyPages) repeats() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.asked {
		n += k - 1
	}
	return n
}

// TestKill kills a crawl of 1,200 pages on 8 hosts at random moments. Afterwards
// no committed page is lost, no more was fetched twice than was in flight, every
// WARC file is valid to its last record and the counts add up.
func TestKill(t *testing.T) {
	kills, pages := 20, 1200
	if testing.Short() {
		kills, pages = 2, 150
	}
	web := serveMany(t, pages)
	dir := filepath.Join(t.TempDir(), "crash.dowse")
	committed := map[string]bool{}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for k := range kills {
		before := web.repeats()
		at := moment{1 + rng.IntN(40), time.Duration(rng.IntN(30)) * time.Millisecond}
		if k%4 == 0 { // while it opens the collection, if not before or after
			at = moment{0, time.Duration(20+rng.IntN(200)) * time.Millisecond}
		}
		crawlAndEnd(t, web, dir, at, syscall.SIGKILL, committed)
		web.settle(t)
		t.Logf("kill %d: %d pages committed, %d fetched again so far", k, len(committed), web.repeats())
		if again := web.repeats() - before; again > inFlight {
			t.Errorf("after kill %d: %d pages fetched again, at most %d were in flight", k, again, inFlight)
		}
	}
	finish(t, web, dir, committed)
	checkCrashed(t, web, dir, committed)
}

// finish lets the crawl run to its end.
func finish(t *testing.T, web *manyPages, dir string, committed map[string]bool) {
	t.Helper()
	out, err := child(web, dir).Output()
	if err != nil {
		t.Fatalf("the last run: %v", err)
	}
	for _, u := range strings.Fields(string(out)) {
		committed[u] = true
	}
}

// TestKillExactly compares a crawl that was killed again and again with one that
// was not, one visit at a time: the same pages in the same order, at the same
// priorities to the last digit.
func TestKillExactly(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashAlone, "1")
	killedExactly(t, 300, 8)
}

// TestKillCountsLinks is TestKillExactly for a topic that asks how many pages link to a
// page: what was counted before a kill counts after it.
func TestKillCountsLinks(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashAlone, "1")
	t.Setenv(crashLinked, "1")
	c, err := crawler.View(killedExactly(t, 120, 3))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s := c.Status(); s.OnTopic < 10 || s.OnTopic > s.Fetched-10 {
		t.Errorf("%d of %d on topic: the clause makes no difference", s.OnTopic, s.Fetched)
	}
}

// killedExactly compares a crawl that is killed several times with one that is not, and
// returns it.
func killedExactly(t *testing.T, pages, kills int) (killed string) {
	t.Helper()
	web := serveMany(t, pages)
	base := t.TempDir()
	killed, whole := filepath.Join(base, "killed.dowse"), filepath.Join(base, "whole.dowse")
	committed := map[string]bool{}
	for k := range kills {
		crawlAndEnd(t, web, killed, moment{20, time.Duration(k) * time.Millisecond}, syscall.SIGKILL, committed)
	}
	finish(t, web, killed, committed)
	finish(t, web, whole, committed)
	if diff := gocmp.Diff(history(t, whole), history(t, killed)); diff != "" {
		t.Errorf("whole (-) and killed (+) differ:\n%s", diff)
	}
	return killed
}

// history returns which pages a crawl fetched, in order, and at which priorities.
func history(t *testing.T, dir string) (list []string) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for e, err := range c.Collection.Journal.Entries(c.Collection.URL) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == crawl.EntryPage {
			list = append(list, fmt.Sprint(e.Page.URL, " ", e.Page.Lead.Priority, " ", e.Page.Verdict.Relevance))
		}
	}
	return list
}

// TestTerminate asks a crawl to stop, again and again. It must end with the exit code
// of a crawl that can be resumed, and fetch nothing twice: visits in flight are recorded.
func TestTerminate(t *testing.T) {
	times, pages := 5, 600
	if testing.Short() {
		times, pages = 2, 100
	}
	web := serveMany(t, pages)
	dir := filepath.Join(t.TempDir(), "term.dowse")
	committed := map[string]bool{}
	for range times {
		code := crawlAndEnd(t, web, dir, moment{20, 0}, syscall.SIGTERM, committed)
		if code != 3 && len(committed) < web.n { // else it had ended before
			t.Errorf("exit code %d after SIGTERM, want 3", code)
		}
	}
	finish(t, web, dir, committed)
	if n := web.repeats(); n > 0 {
		t.Errorf("%d pages fetched twice", n)
	}
	checkCrashed(t, web, dir, committed)
}

// TestFullDisk lets a crawl run out of room: on a small file system where this
// process may make one, else by a limit on the size of files. It must stop cleanly
// and go on when there is room.
func TestFullDisk(t *testing.T) {
	sameGoroutines(t)
	web := serveMany(t, 600)
	base, room := smallDisk(t)
	dir := filepath.Join(base, "full.dowse")
	cmd := child(web, dir)
	var said strings.Builder
	cmd.Stderr = &said
	if base == "" {
		dir = filepath.Join(t.TempDir(), "full.dowse")
		cmd = child(web, dir)
		cmd.Stderr = &said
		cmd.Env = append(cmd.Env, crashLimit+"=200000")
	}
	out, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasPrefix(said.String(), "disk") {
		t.Fatalf("exit code %d, said %q; want a stop because of the disk", code, said.String())
	}
	committed := map[string]bool{}
	for _, u := range strings.Fields(string(out)) {
		committed[u] = true
	}
	if len(committed) == 0 || len(committed) >= web.n {
		t.Errorf("%d pages were committed before the disk was full", len(committed))
	}
	room()
	finish(t, web, dir, committed)
	checkCrashed(t, web, dir, committed)
}

func child(web *manyPages, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir, crashSeed+"="+web.url(0))
	cmd.Stderr = os.Stderr
	return cmd
}

// A moment of a crawl: some time after a number of pages were committed. With 0 pages it
// may come while the crawl is still being opened, on a slow machine it will.
type moment struct {
	pages int
	after time.Duration
}

// crawlAndEnd lets a crawl run up to a moment, sends it a signal, notes the pages that
// it said were committed, and returns its exit code.
func crawlAndEnd(t *testing.T, web *manyPages, dir string, at moment, sig syscall.Signal, committed map[string]bool) int {
	t.Helper()
	cmd := child(web, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Hour, func() { cmd.Process.Signal(sig) })
	defer timer.Stop()
	sc := bufio.NewScanner(out)
	for pages := 0; ; pages++ {
		if pages == at.pages {
			timer.Reset(at.after)
		}
		if !sc.Scan() {
			break
		}
		if u := sc.Text(); strings.HasPrefix(u, "http") {
			committed[u] = true
		}
	}
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func checkCrashed(t *testing.T, web *manyPages, dir string, committed map[string]bool) {
	t.Helper()
	c, err := crawler.Open(dir, crawler.Config{Consent: crawler.Agree})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := c.Status()
	if s.Fetched != web.n || !s.Books.Balanced() || s.Books.InFlight != 0 {
		t.Errorf("%d pages of %d; books %+v", s.Fetched, web.n, s.Books)
	}
	f := c.Collection.Crawl.Frontier()
	for u := range committed {
		id, ok := f.Find(dowse.URL(u))
		if !ok || f.State(id) != dowse.Visited {
			t.Errorf("%s was committed and is lost", u)
		}
	}
	checkBodies(t, c, f)
	files, err := archive.Files(c.Collection.ArchiveDir())
	if err != nil || len(files) == 0 {
		t.Fatalf("no archive: %v", err)
	}
	for _, name := range files {
		if r, err := archive.Verify(name); err != nil || !r.OK() {
			t.Errorf("%s: %v %v", filepath.Base(name), err, r)
		}
	}
}

// checkBodies reads every fetched page back from the archive.
func checkBodies(t *testing.T, c *crawler.Crawler, f *frontier.Frontier) {
	t.Helper()
	for id := range frontier.ID(f.Len()) {
		v, ok := f.Visit(id)
		if !ok || f.State(id) != dowse.Visited {
			continue
		}
		e, err := c.Collection.Journal.Entry(v.Place, c.Collection.URL)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := c.Collection.Document(e.Page)
		if err != nil || !strings.HasPrefix(doc.Title, "Page ") || e.Page.URL != f.URL(id) {
			t.Fatalf("%s: the archive has %+v, %v", f.URL(id), doc, err)
		}
	}
}
