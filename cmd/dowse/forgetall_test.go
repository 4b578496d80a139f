package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse/collection"
	"dowse/strategy"
)

// A markedSite is a small site with a menu and a footer. Every page has words of its own:
// those that begin with zq and its letter stand in title, headings, text, meta data and the
// anchors on it, those with vw in its URL and in that of a page that it alone links to.
type markedSite struct {
	*httptest.Server
	mu   sync.Mutex
	hits map[string]int
}

const markedPages = 20

func own(prefix string, i int) string { return prefix + string(rune('a'+i)) }

func markedPath(i int) string { return "/" + own("vw", i) + "patho.html" }

func newMarkedSite(t *testing.T) *markedSite {
	s := &markedSite{hits: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *markedSite) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.Path]++
	s.mu.Unlock()
	for i := range markedPages {
		if r.URL.Path == markedPath(i) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, markedPage(i))
			return
		}
	}
	if r.URL.Path == "/contact" {
		http.Redirect(w, r, markedPath(5), http.StatusFound)
		return
	}
	http.NotFound(w, r)
}

func markedPage(i int) string {
	z, other := own("zq", i), []string{"harbour", "engine", "timber", "ledger"}[i%4]
	on := strings.Repeat("The barnacle settles on rock, and the barnacle feeds at high tide. ", 3+i%3)
	if i%3 == 2 {
		on = strings.Repeat("The "+other+" office opens at nine and keeps the "+other+" books. ", 5)
	}
	var links strings.Builder
	for k := 1; k <= 3; k++ {
		fmt.Fprintf(&links, `<p>See <a href="%s">barnacle %sanchora %d</a> for the shore.</p>`, markedPath((i*2+k)%markedPages), z, k)
	}
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><title>Barnacle %[1]stitlo</title>
<meta name="description" content="barnacle %[1]sdesco"><meta name="keywords" content="barnacle, %[1]skeyo"></head><body>
<nav><ul><li><a href="%[5]s">Home</a></li><li><a href="/contact">Contact</a></li></ul></nav>
<h1>The barnacle and %[1]shedo</h1><p>%[2]s %[1]stexto %[1]stexto barnacle %[1]stexto.</p>%[3]s
<h2>More %[1]ssubo</h2><p><a href="/%[4]sleado.html">%[1]sleado of the ledger</a></p>
<footer>All rights reserved. Number %[6]d.</footer></body></html>`, z, on, links.String(), own("vw", i), markedPath(0), i*7919)
}

// marks lists the files of a directory that contain a text, raw or unpacked.
func marks(t *testing.T, dir, text string, archives bool) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		packed := strings.HasSuffix(path, ".gz")
		if packed && !archives {
			return nil
		}
		if bytes.Contains(raw, []byte(text)) || bytes.Contains(unpacked(t, path, raw), []byte(text)) {
			files = append(files, strings.TrimPrefix(path, dir))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func unpacked(t *testing.T, path string, raw []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(bytes.NewReader(raw))
	case ".zst":
		list, err := collection.DecodeExamples(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Append(nil, list)
	default:
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// command runs dowse, and fails the test if it does not end as it should.
func command(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, out, errs := capture(t, args...)
	if code != want {
		t.Fatalf("dowse %s: code %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errs)
	}
	return out
}

func (s *markedSite) crawl(t *testing.T, dir string, pages int, more ...string) {
	t.Helper()
	args := []string{"crawl", dir, "-n", fmt.Sprint(pages), "-q"}
	if _, err := os.Stat(dir); err != nil {
		args = append([]string{"crawl", "-o", dir, "-n", fmt.Sprint(pages), "-q", "--exclude", "leado", "--allow-net", "127.0.0.1", "--delay", "0s", "--seed", s.URL + markedPath(0), "--seed", s.URL + markedPath(1)}, more...)
	}
	if code, out, errs := capture(t, args...); code != exitOK && code != exitNothing {
		t.Fatalf("crawl: code %d\n%s%s", code, out, errs)
	}
}

// goneWith checks that nothing is left of a page, that the collection is sound, and that
// no export has it.
func (s *markedSite) goneWith(t *testing.T, dir string, pages ...int) {
	t.Helper()
	for _, i := range pages {
		if files := marks(t, dir, own("zq", i), true); len(files) > 0 {
			t.Errorf("words of page %d stand in %v", i, files)
		}
		if files := marks(t, dir, own("vw", i), false); len(files) > 0 {
			t.Errorf("the URL of page %d is still in %v", i, files)
		}
		why := command(t, exitOK, "why", dir, s.URL+markedPath(i))
		if !strings.Contains(why, "user.forgotten") || strings.Contains(why, own("zq", i)) {
			t.Errorf("why page %d: %s", i, why)
		}
	}
	command(t, exitOK, "collection", "verify", dir)
	to := t.TempDir()
	for _, name := range []string{"x.jsonl", "x.warc.gz"} {
		command(t, exitOK, "export", dir, filepath.Join(to, name), "--all")
	}
	for _, i := range pages {
		if files := marks(t, to, own("zq", i), true); len(files) > 0 {
			t.Errorf("words of page %d were exported: %v", i, files)
		}
	}
}

// goesOn crawls on and checks that pages that were taken down are not asked for.
func (s *markedSite) goesOn(t *testing.T, dir string, pages ...int) {
	t.Helper()
	s.mu.Lock()
	clear(s.hits)
	s.mu.Unlock()
	s.crawl(t, dir, 2*markedPages)
	for _, i := range pages {
		if n := s.hits[markedPath(i)]; n > 0 {
			t.Errorf("page %d was asked for %d times after it was taken down", i, n)
		}
	}
	s.goneWith(t, dir, pages...)
}

func (s *markedSite) forget(t *testing.T, dir string, pages ...int) {
	t.Helper()
	args := []string{"forget", dir, "--because", "the owner asked", "--yes", "--json"}
	for _, i := range pages {
		if files := marks(t, dir, own("zq", i), true); len(files) == 0 {
			t.Fatalf("page %d was not crawled", i)
		}
		args = append(args, s.URL+markedPath(i))
	}
	var got struct{ Notes []string }
	if err := json.Unmarshal([]byte(command(t, exitOK, args...)), &got); err != nil || len(got.Notes) > 0 {
		t.Errorf("%v %v", err, got.Notes)
	}
}

// Whatever the strategy, nothing is left of a page that was taken down: not in its saved
// state, its notes or its reasons. In short runs those strategies take part that keep most.
func TestForgetUnderEveryStrategy(t *testing.T) {
	few := map[string]bool{"auto": true, "link-context": true, "online": true, "lsfc": true, "intelligent": true, "fish": true}
	for _, d := range strategy.All() {
		if os.Getenv("DOWSE_LONG") == "" && !few[d.Name] {
			continue
		}
		if _, err := strategy.New(d.Name); err != nil {
			continue // it wants a T-Graph, or a trace
		}
		t.Run(d.Name, func(t *testing.T) {
			s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
			s.crawl(t, dir, 15, "barnacle", "--strategy", d.Name, "--shadow", "otie")
			s.forget(t, dir, 1, 3) // a seed and another
			s.goneWith(t, dir, 1, 3)
			s.goesOn(t, dir, 1, 3)
		})
	}
}

// A labelled crawl: rulings of several models name the page, and the models were trained
// on it.
func TestForgetLabelled(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 16, "barnacle")
	for round := range 2 {
		var lines strings.Builder
		for i := range 10 {
			fmt.Fprintf(&lines, "%s\t%s\n", s.URL+markedPath(i), []string{"on", "off"}[(i+round)%2])
		}
		from := filepath.Join(t.TempDir(), "labels.tsv")
		if err := os.WriteFile(from, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, exitOK, "label", dir, "--from", from)
	}
	if len(marks(t, filepath.Join(dir, "models"), own("zq", 3), true)) == 0 {
		t.Fatal("no model has words of the page")
	}
	s.forget(t, dir, 3, 4)
	s.goneWith(t, dir, 3, 4)
	s.goesOn(t, dir, 3, 4)
	from := filepath.Join(t.TempDir(), "more.tsv")
	if err := os.WriteFile(from, []byte(s.URL+markedPath(12)+"\ton\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, exitOK, "label", dir, "--from", from) // which trains on all that is left
	s.goneWith(t, dir, 3, 4)
}

// A topic by examples: the page is one of them, and the first model was made from it.
func TestForgetExample(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	file := filepath.Join(t.TempDir(), "like.topic.yaml")
	text := fmt.Sprintf("dowse: topic/v1\nname: like\nlike:\n  - %s\n  - %s\nseeds: [%s]\n", s.URL+markedPath(3), s.URL+markedPath(4), s.URL+markedPath(3))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s.crawl(t, dir, 12, file)
	s.forget(t, dir, 3)
	s.goneWith(t, dir, 3)
	s.goesOn(t, dir, 3)
}

// An outside judge is not asked, whether it may be run or not; what it answered goes.
func TestForgetOutsideJudge(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	s, dir, at := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse"), t.TempDir()
	ran := filepath.Join(at, "ran")
	script := "echo ran >> " + ran + "\nwhile read line; do echo '{\"score\": 0.9, \"why\": \"it says so\"}'; done\n"
	file := filepath.Join(at, "x.topic.yaml")
	for name, text := range map[string]string{
		filepath.Join(at, "judge.sh"): script,
		file:                          "dowse: topic/v1\nname: x\nwords: [barnacle]\njudge: {exec: [sh, judge.sh], only_if: \"0.0..1.0\", timeout: 20s, budget: 100}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.crawl(t, dir, 12, file, "--trust")
	if err := os.Remove(ran); err != nil {
		t.Fatal("the judge was not asked")
	}
	s.forget(t, dir, 3)
	s.goneWith(t, dir, 3)
	if _, err := os.Stat(ran); err == nil {
		t.Error("forget ran the judge")
	}
}

// All pages of a host, or with a prefix, go together; then nothing is left of the host.
func TestForgetMany(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 12, "barnacle")
	command(t, exitOK, "forget", dir, "--prefix", s.URL+"/"+own("vw", 3), "--because", "the owner asked", "--yes")
	s.goneWith(t, dir, 3)
	host := strings.TrimPrefix(s.URL, "http://")
	command(t, exitOK, "forget", dir, "--host", host, "--because", "the owner asked", "--yes")
	for i := range markedPages {
		for _, text := range []string{own("zq", i), own("vw", i), host} {
			if files := marks(t, dir, text, true); len(files) > 0 {
				t.Errorf("%q is still in %v", text, files)
			}
		}
	}
	command(t, exitOK, "collection", "verify", dir)
}

// The source of a redirect and its target go, each by itself.
func TestForgetRedirect(t *testing.T) {
	s := newMarkedSite(t)
	for _, path := range []string{"/contact", markedPath(5)} {
		dir := filepath.Join(t.TempDir(), "x.dowse")
		s.crawl(t, dir, markedPages, "barnacle", "--strategy", "breadth-first")
		command(t, exitOK, "forget", dir, s.URL+path, "--because", "the owner asked", "--yes")
		if out := command(t, exitOK, "why", dir, s.URL+path); !strings.Contains(out, "user.forgotten") {
			t.Errorf("%s", out)
		}
		command(t, exitOK, "collection", "verify", dir)
		if path != "/contact" {
			s.goesOn(t, dir, 5)
		}
	}
}

// A crawl for websites keeps what it knows by site.
func TestForgetUnderSites(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 15, "barnacle", "--unit", "site")
	s.forget(t, dir, 1)
	s.goneWith(t, dir, 1)
	s.goesOn(t, dir, 1)
}

// forget is killed again and again; the next one ends what was begun.
func TestForgetKilled(t *testing.T) {
	s, dir := newMarkedSite(t), filepath.Join(t.TempDir(), "x.dowse")
	s.crawl(t, dir, 15, "barnacle")
	path, err := exec.LookPath("dowse")
	if err != nil {
		t.Skip("the command is not in the path")
	}
	for n := range 12 {
		cmd := exec.Command(path, "forget", dir, s.URL+markedPath(1), s.URL+markedPath(3), "--because", "the owner asked", "--yes")
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n*n) * 2 * time.Millisecond) // at whatever point that is
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	command(t, exitOK, "forget", dir, s.URL+markedPath(1), s.URL+markedPath(3), "--because", "the owner asked", "--yes")
	s.goneWith(t, dir, 1, 3)
	s.goesOn(t, dir, 1, 3)
}
