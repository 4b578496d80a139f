package collection_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/strategy"
)

var updateScenarios = flag.Bool("update", false, "write the expected part of testdata/scenarios anew")

// expectedBelow separates what a person writes from what the test writes.
const expectedBelow = "=== expected\n"

// TestScenarios carries out the steps of testdata/scenarios, each on a copy of a crawled
// collection, and compares what every step shows with what the file expects.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel() // they mostly wait for the disk
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			given, expected, _ := strings.Cut(string(data), expectedBelow)
			got := runScenario(t, given)
			if *updateScenarios {
				if err := os.WriteFile(path, []byte(given+expectedBelow+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(strings.Split(expected, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the steps show something else than the file expects (-want +got):\n%s", diff)
			}
		})
	}
}

// A scenarioRun is a collection while the steps of a scenario are carried out.
type scenarioRun struct {
	t     *testing.T
	web   *scenarioWeb
	dir   string
	aside map[string][]byte      // contents of files that were put aside
	held  *collection.Collection // open to write, as by another process
	out   strings.Builder
}

func runScenario(t *testing.T, given string) string {
	t.Helper()
	r := &scenarioRun{t: t, aside: map[string][]byte{}}
	for i, line := range strings.Split(given, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		args := strings.Fields(line)
		if r.web == nil {
			r.begin(args)
			continue
		}
		do := steps[args[0]]
		if do == nil {
			t.Fatalf("line %d: unknown step %q", i+1, args[0])
		}
		fmt.Fprintf(&r.out, "\n> %s\n", line)
		do(r, args[1:])
	}
	if r.held != nil {
		r.held.Close()
	}
	return r.out.String()
}

// begin reads "web NAME" and copies its collection.
func (r *scenarioRun) begin(args []string) {
	if len(args) != 2 || args[0] != "web" {
		r.t.Fatalf("%v: want a line \"web NAME\" first", args)
	}
	web, dir, err := crawledWeb(args[1])
	if err != nil {
		r.t.Fatal(err)
	}
	r.web, r.dir = web, filepath.Join(r.t.TempDir(), args[1]+".dowse")
	if err := os.CopyFS(r.dir, os.DirFS(dir)); err != nil {
		r.t.Fatal(err)
	}
}

// Parts of texts that differ from run to run: folders, times, lengths and checksums. URLs of
// scenarios have no long numbers, so what the mask leaves can be compared.
var masks = []struct {
	re   *regexp.Regexp
	mask string
}{
	{regexp.MustCompile(`[A-Z]+-[0-9]{14,17}-([0-9]{5})[-0-9a-zA-Z]*\.warc`), "WARC-$1.warc"},
	{regexp.MustCompile(`(uncommitted)-[-0-9a-zA-Z]+\.warc`), "$1-X.warc"},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[-+][0-9:]+)?`), "TIME"},
	{regexp.MustCompile(`[0-9]{17}\+[0-9]+`), "STAMP+N"},
	{regexp.MustCompile(`"host_wait":[-+0-9.e]+`), `"host_wait":N`},
	{regexp.MustCompile(`(journal|snapshot)-[0-9a-f]{10,20}`), "$1-N"},
	{regexp.MustCompile(`[0-9a-f]{16,64}`), "HEX"},
	{regexp.MustCompile(`(^|[^m0-9])[0-9]{3,}`), "${1}N"}, // but for names of models
}

// masked returns a text without what differs from run to run.
func (r *scenarioRun) masked(s string) string {
	s = strings.ReplaceAll(s, r.dir, "DIR")
	s = strings.ReplaceAll(s, "http://", "")
	for _, m := range masks {
		s = m.re.ReplaceAllString(s, m.mask)
	}
	return s
}

// show writes a line of what a step shows.
func (r *scenarioRun) show(format string, args ...any) {
	line := strings.TrimRight(r.masked(fmt.Sprintf(format, args...)), " \n")
	for part := range strings.SplitSeq(line, "\n") {
		r.out.WriteString(strings.TrimRight("  "+part, " ") + "\n")
	}
}

// failed shows an error and reports whether there was one. The kinds of errors that callers
// distinguish are shown with it.
func (r *scenarioRun) failed(err error) bool {
	if err == nil {
		return false
	}
	var kinds []string
	for kind, e := range map[string]error{
		"damaged": collection.ErrDamaged, "format": collection.ErrFormat, "settings": collection.ErrSettings, "locked": collection.ErrLocked,
		"unknown": collection.ErrUnknown, "forgotten": collection.ErrForgotten, "erased": collection.ErrErased, "inside": collection.ErrInside,
		"exists": collection.ErrExists, "suffix": collection.ErrSuffix, "no sites": collection.ErrNoSites, "make": collection.ErrMake,
	} {
		if errors.Is(err, e) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	r.show("error (%s): %v", strings.Join(kinds, ", "), err)
	return true
}

// file returns the path of the one file that a name or pattern means; of several the last one.
func (r *scenarioRun) file(pattern string) string {
	r.t.Helper()
	names, err := filepath.Glob(filepath.Join(r.dir, filepath.FromSlash(pattern)))
	if err != nil || len(names) == 0 {
		r.t.Fatalf("there is no file %s", pattern)
	}
	return names[len(names)-1]
}

// open opens and loads the collection. It shows the error and returns nil if that fails.
func (r *scenarioRun) open(readOnly bool) *collection.Collection {
	c, err := collection.Open(r.dir, parse, readOnly)
	if r.failed(err) {
		return nil
	}
	cfg, err := scenarioConfig(c.Settings)
	if err == nil {
		err = c.Load(cfg, nil)
	}
	if r.failed(err) {
		c.Close()
		return nil
	}
	for _, n := range c.Notices {
		r.show("notice: %s", n)
	}
	return c
}

// reading calls do with the collection, opened only to read. No file may change by that.
func (r *scenarioRun) reading(do func(c *collection.Collection)) {
	r.t.Helper()
	before := r.listing()
	if c := r.open(true); c != nil {
		do(c)
		for _, p := range c.Unread.Problems {
			r.show("unread: %s", p)
		}
		if err := c.Close(); err != nil {
			r.t.Error(err)
		}
	}
	if diff := gocmp.Diff(before, r.listing()); diff != "" {
		r.t.Errorf("a reader has changed files (-before +after):\n%s", diff)
	}
}

// writing calls do with the collection, opened to write.
func (r *scenarioRun) writing(do func(c *collection.Collection)) {
	if c := r.open(false); c != nil {
		do(c)
		r.failed(c.Close())
	}
}

// listing returns the names of all files with their lengths.
func (r *scenarioRun) listing() (list []string) {
	r.each(func(name, path string) {
		info, err := os.Lstat(path)
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, fmt.Sprint(name, " ", info.Size(), " ", info.Mode()))
	})
	return list
}

// each calls do with the name and the path of every file but the lock, which readers touch.
func (r *scenarioRun) each(do func(name, path string)) {
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "dowse.lock" {
			name, _ := filepath.Rel(r.dir, path)
			do(filepath.ToSlash(name), path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// scenarioConfig returns the configuration of a crawl as package crawler makes it, as far as
// scenarios depend on it.
func scenarioConfig(s collection.Settings) (crawl.Config, error) {
	cfg, err := config(s)
	cfg.Renew = func() (dowse.Strategy, []crawl.Shadow, error) {
		st, err := strategy.New(s.Strategy)
		return st, nil, err
	}
	return cfg, err
}

// url returns the URL that a scenario means.
func url(short string) dowse.URL { return dowse.URL("http://" + short) }

// options splits arguments into those of the form KEY=VALUE and the others.
func options(args []string) (plain []string, named map[string]string) {
	named = map[string]string{}
	for _, a := range args {
		if key, value, ok := strings.Cut(a, "="); ok && !strings.ContainsAny(key, "./?") {
			named[key] = value
		} else {
			plain = append(plain, a)
		}
	}
	return plain, named
}
