package hostile_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/internal/hostile"
	"dowse/settings"
	"dowse/topic"
)

// What a crawl of all rows together may cost.
const (
	maxMemory = 512 << 20
	maxTime   = 10 * time.Minute // five to seven minutes, nearly all of it waiting
)

// A job is the input of the crawling process; a result is its output. The
// crawl has a process of its own so that its memory and time are its own too.
type job struct {
	Dir      string
	Seeds    []string
	Resolver string
	Networks []string
	Trust    []byte        // PEM; certificates to trust
	Conns    int           // concurrent visits; 128
	Timeout  time.Duration // for a download; 6 s
	Delay    time.Duration // between visits to a host; hostile.Polite
	Pages    int           // to fetch at most; 0 for no limit
}

type result struct {
	Stopped  dowse.StopReason
	Status   crawl.Status
	Memory   int64 // the most that was resident, 0 where it is not known
	Findings []hostile.Finding
}

const jobVar = "HOSTILE_CRAWL"

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	durable.SkipSyncs()          // tests end processes, not machines
	path := os.Getenv(jobVar)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := work(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work does the job in the file at path and writes the result next to it.
func work(path string) error {
	var j job
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err != nil {
		return err
	}
	r, err := crawlAll(j)
	if err != nil {
		return err
	}
	if data, err = json.Marshal(r); err != nil {
		return err
	}
	return os.WriteFile(path+".result", data, 0o644)
}

func crawlAll(j job) (*result, error) {
	c, err := crawler.Open(j.Dir, crawler.Config{
		Words: []string{hostile.Topic}, Seeds: j.Seeds, Settings: settings.Settings{Order: settings.Order{Strategy: "breadth-first"}, Limits: settings.Limits{Pages: j.Pages}, Identity: settings.Identity{Agent: hostile.Agent, Contact: "https://example.org/bot"}, Politeness: settings.Politeness{
			Delay: cmp.Or(j.Delay, hostile.Polite), InFlight: cmp.Or(j.Conns, 128), Patience: 45 * time.Second,
		}, Network: settings.Network{AllowNet: j.Networks, Resolver: j.Resolver, Timeout: cmp.Or(j.Timeout, 6*time.Second)}},
	})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	c.Run(ctx, ctx, func(*crawler.Page) bool { return true })
	if err := c.Err(); err != nil {
		return nil, err
	}
	r := &result{Stopped: c.StopReason(), Status: c.Status(), Memory: peakMemory()}
	r.Findings, err = findings(c.Collection)
	return r, err
}

// findings returns what became of every URL that the crawl knows.
func findings(c *collection.Collection) (list []hostile.Finding, err error) {
	f := c.Crawl.Frontier()
	for id := range frontier.ID(f.Len()) {
		n := hostile.Finding{URL: f.URL(id), State: f.State(id), Reason: c.Crawl.ReasonFor(id)}
		if v, ok := f.Visit(id); ok {
			e, err := c.Journal.Entry(v.Place, func(frontier.ID) dowse.URL { return "" })
			if err != nil {
				return nil, fmt.Errorf("entry of %s: %w", n.URL, err)
			}
			n.Detail, n.Title, n.Fetch = e.Page.Detail, e.Page.Title, e.Page.Fetch
		}
		list = append(list, n)
	}
	return list, nil
}

// peakMemory returns the most memory that this process ever had resident.
func peakMemory() (bytes int64) {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); n == 1 && err == nil {
			return bytes << 10
		}
	}
	return 0
}

// run lets another process do a job.
func run(t *testing.T, j job) (*result, time.Duration) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.json")
	data, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	roots := path + ".pem"
	if err := os.WriteFile(roots, j.Trust, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), jobVar+"="+path, "SSL_CERT_FILE="+roots)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the crawl did not end well: %v\n%s", err, out)
	}
	if bytes.ContainsFunc(out, isControl) {
		t.Errorf("control characters on the terminal: %q", out)
	}
	var r result
	if data, err = os.ReadFile(path + ".result"); err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &r, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func serve(t *testing.T, rows []hostile.Row) *hostile.Server {
	t.Helper()
	s, err := hostile.Serve(rows)
	if err != nil && runtime.GOOS != "linux" {
		t.Skipf("this machine has no address of its own for each site: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestAllRows crawls all rows together and checks what came of each.
func TestAllRows(t *testing.T) {
	if testing.Short() {
		t.Skip("short: takes more than a minute")
	}
	s := serve(t, chosen(t))
	dir := filepath.Join(t.TempDir(), "hostile.dowse")
	begun := time.Now()
	r, cpu := run(t, job{Dir: dir, Seeds: s.Seeds(), Resolver: s.Resolver(), Networks: s.Networks(), Trust: s.Authority()})
	t.Logf("%d pages, %d requests, %d URLs known in %v; %v of CPU, at most %d MiB of memory",
		r.Status.Fetched, r.Status.Requests, r.Status.Books.Known, time.Since(begun).Round(time.Second), cpu.Round(time.Second/10), r.Memory>>20)

	byURL := map[string]hostile.Finding{}
	for _, f := range r.Findings {
		byURL[string(f.URL)] = f
	}
	for _, site := range s.Sites {
		t.Run(site.Row.ID, func(t *testing.T) {
			log := site.Requests()
			t.Logf("%s; wanted: %s; %d requests in %v", site.Row.Does, site.Row.Wants, len(log), log[len(log)-1].Begin.Sub(begun).Round(time.Second/10))
			for _, r := range site.Floods() {
				t.Logf("%s: %d KiB taken, %d frames acknowledged in %v", r.Host, r.Sent>>10, r.Acks, r.End.Sub(r.Begin).Round(time.Millisecond))
			}
			for _, p := range s.Check(site, byURL) {
				t.Error(p)
			}
		})
	}
	t.Run("always", func(t *testing.T) { checkAlways(t, s, r) })
	t.Run("CPU", func(t *testing.T) { checkCost(t, dir, r) })
	t.Run("collection", func(t *testing.T) { checkCollection(t, dir) })
	t.Run("archive", func(t *testing.T) { checkArchive(t, dir) })
}

// chosen returns the rows to test: all, or those named in the environment, to look
// at one alone.
func chosen(t *testing.T) []hostile.Row {
	rows := hostile.Rows()
	only := os.Getenv("HOSTILE_ROWS")
	if only == "" {
		return rows
	}
	rows = slices.DeleteFunc(rows, func(r hostile.Row) bool { return !strings.Contains(only, r.ID) })
	if len(rows) == 0 {
		t.Fatalf("no row is named in %q", only)
	}
	return rows
}

// checkAlways checks what holds for the crawl as a whole.
func checkAlways(t *testing.T, s *hostile.Server, r *result) {
	if reached := s.Reached(); len(reached) > 0 {
		t.Errorf("the inside was reached %d times: %v", len(reached), reached)
	}
	if r.Stopped != dowse.StopExhausted && r.Stopped != dowse.StopStarved {
		t.Errorf("stopped for %q after %v, want exhausted or starved: %+v", r.Stopped, maxTime, r.Status.Books)
	}
	if r.Memory > maxMemory {
		t.Errorf("%d MiB of memory, at most %d allowed", r.Memory>>20, maxMemory>>20)
	}
	if b := r.Status.Books; !b.Balanced() || b.InFlight > 0 {
		t.Errorf("the books do not balance: %+v", b)
	}
	for _, f := range r.Findings {
		if (f.State == dowse.Dead || f.State == dowse.Excluded) && f.Reason == "" {
			t.Errorf("%.100s is %s for no reason", f.URL, f.State)
		}
	}
}

// maxCost is how much CPU time a page may cost.
const maxCost = 2 * time.Second

// checkCost visits the heavy pages again, from the archive and one at a time, and
// checks that none of them costs too much.
func checkCost(t *testing.T, dir string, r *result) {
	files, err := archive.Files(filepath.Join(dir, "archive"))
	if err != nil {
		t.Fatal(err)
	}
	web, err := archive.OpenWeb(files...)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	client, err := fetch.New(fetch.Config{Transport: web, Agent: hostile.Agent})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := topic.FromWords([]string{hostile.Topic}).Judge()
	if err != nil {
		t.Fatal(err)
	}
	v := &crawler.Visitor{Client: client, Judge: judge}
	var heaviest time.Duration
	for _, f := range r.Findings {
		if f.State != dowse.Visited || f.Fetch.Bytes < 100_000 && f.Fetch.Wire < 100_000 {
			continue
		}
		visit, wanted := crawl.Visit{URL: f.URL}, dowse.Fetched
		if strings.Contains(string(f.URL), "/sitemap") || strings.Contains(string(f.URL), "/feeds/") {
			visit.Kind, wanted = crawl.VisitSitemap, dowse.Listed
		}
		before := cpuTime(t)
		again := v.Visit(t.Context(), visit).Page
		cost := cpuTime(t) - before
		if again.Outcome != wanted {
			t.Errorf("%s was fetched, and from the archive is %s: %s %s", f.URL, again.Outcome, again.Reason, again.Detail)
		}
		if heaviest = max(heaviest, cost); cost > maxCost {
			t.Errorf("%s costs %v of CPU", f.URL, cost)
		}
	}
	t.Logf("the heaviest page costs %v of CPU", heaviest.Round(time.Millisecond))
}

// checkCollection checks that the files of a collection are all there is, and that
// nothing got into them that must not.
func checkCollection(t *testing.T, dir string) {
	parent, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(parent) != 1 {
		t.Errorf("next to the collection there is %v (%v)", parent, err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			t.Errorf("%s is not a file", path)
		}
		return checkFile(t, path)
	})
	if err != nil {
		t.Error(err)
	}
}

func checkFile(t *testing.T, path string) error {
	data, err := os.ReadFile(path)
	for _, s := range hostile.Secrets() {
		if bytes.Contains(data, []byte(s)) {
			t.Errorf("%s contains %q", path, s)
		}
	}
	if bytes.Contains(data, []byte("<script>alert(")) && slices.Contains([]string{".html", ".md"}, filepath.Ext(path)) {
		t.Errorf("%s has a page's script in it", path)
	}
	readable := slices.Contains([]string{".log", ".md", ".yaml", ".jsonl", ".json", ".cdxj"}, filepath.Ext(path)) &&
		filepath.Base(filepath.Dir(path)) != "state"
	if i := bytes.IndexFunc(data, isControl); readable && i >= 0 {
		t.Errorf("%s has control characters: %q", path, data[max(0, i-40):min(len(data), i+40)])
	}
	return err
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }

// checkArchive checks that every WARC file is sound, and that nothing was smuggled
// into it.
func checkArchive(t *testing.T, dir string) {
	files, err := archive.Files(filepath.Join(dir, "archive"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		report, err := archive.Verify(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Problems {
			t.Errorf("%s: %v", report.File, p)
		}
		if got := report.Types["request"]; got != report.Types["response"]+report.Types["revisit"] {
			t.Errorf("%s: %d requests to these answers: %v", report.File, got, report.Types)
		}
		checkTargets(t, path)
	}
}

func checkTargets(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for rec, err := range archive.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(rec.Target()), hostile.SmuggledURI) {
			t.Errorf("%s holds a record of %s", path, rec.Target())
		}
	}
}

// TestNothingAllowed crawls the same sites without leave to dial any of their
// addresses: nothing at all is contacted.
func TestNothingAllowed(t *testing.T) {
	t.Parallel()
	s := serve(t, hostile.Rows())
	r, _ := run(t, job{Dir: filepath.Join(t.TempDir(), "none.dowse"), Seeds: s.Seeds(), Resolver: s.Resolver()})
	if n := s.Connections(); n > 0 {
		t.Errorf("%d connections were made", n)
	}
	for _, f := range r.Findings {
		if f.Reason != dowse.SkipPrivateIP {
			t.Errorf("%s is %s, %q; want %s", f.URL, f.State, f.Reason, dowse.SkipPrivateIP)
		}
	}
}
