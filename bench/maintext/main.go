// Command maintext measures what finds the main text of pages: plain text, two
// libraries, and package maintext with and without the templates of hosts.
//
//	go run . [-pages N] [-set NAME] [-misses]
//
// The sets are made pages of several templates, the demo web, the pages with known
// text that go-readability is tested with, and those that people annotated for
// go-trafilatura; the last two are read from the module cache. For the annotated pages
// precision and recall are of sentences that people listed as part of the text or of
// the frame, for the others of words, as means over pages. The time is the CPU time
// of one page, HTML to text.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	readability "codeberg.org/readeck/go-readability/v2"
	"github.com/markusmobius/go-trafilatura"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/extract"
	"dowse/internal/maintext"
	"dowse/internal/maintext/madepages"
)

// A sample is a page with what is known of its text: all of it, or sentences that
// belong to it or do not.
type sample struct {
	url           string
	kind          string
	html          []byte
	truth         []string
	with, without []string
}

// A method returns the main text of a page.
type method struct {
	name string
	text func(s *sample, t *maintext.Template) string
}

var methods = []method{
	{"plain text", func(s *sample, _ *maintext.Template) string {
		return extract.HTML(s.html, dowse.URL(s.url), extract.Options{}).Text
	}},
	{"go-readability", func(s *sample, _ *maintext.Template) string { return byReadability(s) }},
	{"go-trafilatura", func(s *sample, _ *maintext.Template) string { return byTrafilatura(s) }},
	{"go-readability, templates", func(s *sample, t *maintext.Template) string { return without(byReadability(s), t) }},
	{"own blocks", func(s *sample, _ *maintext.Template) string {
		_, p := maintext.Read(s.html, dowse.URL(s.url), extract.Options{})
		return p.Main(nil).Plain()
	}},
	{"own blocks, templates", func(s *sample, t *maintext.Template) string {
		_, p := maintext.Read(s.html, dowse.URL(s.url), extract.Options{})
		return p.Main(t).Plain()
	}},
}

func byReadability(s *sample) string {
	u, _ := url.Parse(s.url)
	a, err := readability.FromReader(bytes.NewReader(s.html), u)
	if err != nil || a.Node == nil {
		return ""
	}
	var b strings.Builder
	a.RenderText(&b)
	return a.Title() + "\n" + b.String()
}

func byTrafilatura(s *sample) string {
	r, err := trafilatura.Extract(bytes.NewReader(s.html), trafilatura.Options{ExcludeComments: true, EnableFallback: true, HtmlDateMode: trafilatura.Disabled})
	if err != nil || r == nil {
		return ""
	}
	return r.Metadata.Title + "\n" + r.ContentText
}

// without returns the lines of a text that are no blocks of a template.
func without(text string, t *maintext.Template) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !t.Has(line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func words(text string) (list []string) {
	for _, w := range dowse.Words(text) {
		list = append(list, strings.ToLower(text[w.Start:w.End]))
	}
	return list
}

// A score sums precision and recall.
type score struct {
	precision, recall, f1 float64
	pages                 int
	tp, fp, fn            int // of sentences
	took                  time.Duration
}

func (s *score) add(found string, of *sample) {
	s.pages++
	if of.truth == nil {
		found = strings.Join(words(found), " ")
		for _, w := range of.with {
			if w = strings.Join(words(w), " "); strings.Contains(found, w) {
				s.tp++
			} else {
				s.fn++
			}
		}
		for _, w := range of.without {
			if w = strings.Join(words(w), " "); strings.Contains(found, w) {
				s.fp++
			}
		}
		return
	}
	count := map[string]int{}
	for _, w := range of.truth {
		count[w]++
	}
	list := words(found)
	hit := 0
	for _, w := range list {
		if count[w] > 0 {
			count[w]--
			hit++
		}
	}
	p, r := share(hit, len(list)), share(hit, len(of.truth))
	s.precision += p
	s.recall += r
	if p+r > 0 {
		s.f1 += 2 * p * r / (p + r)
	}
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func (s *score) String() string {
	p, r, f := s.precision/float64(s.pages), s.recall/float64(s.pages), s.f1/float64(s.pages)
	if s.tp+s.fn > 0 {
		p, r = share(s.tp, s.tp+s.fp), share(s.tp, s.tp+s.fn)
		f = 2 * p * r / (p + r)
	}
	return fmt.Sprintf("%.3f | %.3f | %.3f | %.2f", p, r, f, float64(s.took.Microseconds())/1000/float64(s.pages))
}

func main() {
	pages := flag.Int("pages", 400, "pages of the demo web; a tenth of it per template of the made pages")
	only := flag.String("set", "", "only this set")
	byKind := flag.Bool("kinds", false, "a line per template of the made pages")
	like := flag.String("method", "", "only methods whose name contains this")
	misses := flag.Bool("misses", false, "print annotated sentences that the last method got wrong")
	flag.Parse()
	for _, set := range []struct {
		name string
		load func(n int) []sample
	}{{"made", made}, {"demo", demoPages}, {"readability", ofReadability}, {"annotated", annotated}} {
		if *only != "" && *only != set.name {
			continue
		}
		samples := set.load(*pages)
		templates := learn(samples)
		fmt.Printf("\n%s: %d pages\n\n| method | precision | recall | F1 | ms/page |\n|---|---|---|---|---|\n", set.name, len(samples))
		for i, m := range methods {
			if !strings.Contains(m.name, *like) {
				continue
			}
			total := &score{}
			kinds := map[string]*score{}
			var order []string
			for k := range samples {
				s := &samples[k]
				began := cpu()
				text := m.text(s, templates[host(s.url)])
				total.took += cpu() - began
				total.add(text, s)
				if kinds[s.kind] == nil {
					kinds[s.kind] = &score{}
					order = append(order, s.kind)
				}
				kinds[s.kind].add(text, s)
				if *misses && i == len(methods)-1 {
					printMisses(text, s)
				}
			}
			fmt.Printf("| %s | %s |\n", m.name, total)
			if *byKind && set.name == "made" {
				for _, k := range order {
					fmt.Printf("|    %s | %s |\n", k, kinds[k])
				}
			}
		}
	}
}

func printMisses(text string, s *sample) {
	text = strings.Join(words(text), " ")
	for _, w := range s.with {
		if !strings.Contains(text, strings.Join(words(w), " ")) {
			fmt.Printf("- %s: %q\n", s.url, w)
		}
	}
	for _, w := range s.without {
		if strings.Contains(text, strings.Join(words(w), " ")) {
			fmt.Printf("+ %s: %q\n", s.url, w)
		}
	}
}

// cpu returns the CPU time of the process: other processes do not count.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func host(u string) string {
	p, _ := url.Parse(u)
	if p == nil {
		return ""
	}
	return p.Host
}

// learn learns the templates of the hosts that have enough pages.
func learn(samples []sample) map[string]*maintext.Template {
	learners := map[string]*maintext.Learner{}
	for i := range samples {
		h := host(samples[i].url)
		if learners[h] == nil {
			learners[h] = &maintext.Learner{}
		}
		_, p := maintext.Read(samples[i].html, dowse.URL(samples[i].url), extract.Options{})
		learners[h].Add(p)
	}
	templates := map[string]*maintext.Template{}
	for h, l := range learners {
		templates[h] = l.Template()
	}
	return templates
}

func made(n int) (list []sample) {
	for _, p := range madepages.All(max(1, n/10)) {
		list = append(list, sample{url: p.URL, kind: p.Template, html: []byte(p.HTML), truth: words(p.Main)})
	}
	return list
}

func demoPages(n int) (list []sample) {
	web := demo.New(demo.Config{Seed: 1})
	for u := range web.Pages() {
		if len(list) == n {
			break
		}
		article, ok := web.Article(u)
		answer, there := web.Page(u)
		if !ok || !there || answer.Status != 200 {
			continue
		}
		text, _ := extract.Decode(answer.Body, answer.Type)
		truth := extract.HTML(article, u, extract.Options{}).Text
		list = append(list, sample{url: string(u), html: text, truth: words(truth)})
	}
	return list
}

// moduleDir returns the folder of a module in the module cache.
func moduleDir(path string) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return strings.TrimSpace(string(out))
}

func ofReadability(int) (list []sample) {
	dir := filepath.Join(moduleDir("codeberg.org/readeck/go-readability/v2"), "test-pages")
	folders, _ := os.ReadDir(dir)
	for _, f := range folders {
		source, err1 := os.ReadFile(filepath.Join(dir, f.Name(), "source.html"))
		expected, err2 := os.ReadFile(filepath.Join(dir, f.Name(), "expected.html"))
		if err1 != nil || err2 != nil {
			continue
		}
		u := "http://" + strings.ToLower(f.Name()) + ".example/"
		truth := words(extract.HTML(expected, dowse.URL(u), extract.Options{}).Text)
		if len(truth) > 0 {
			list = append(list, sample{url: u, html: source, truth: truth})
		}
	}
	return list
}

// annotated returns the pages that people annotated for trafilatura. The annotations are
// Go source of that module; they are read, not run.
func annotated(int) (list []sample) {
	dir := moduleDir("github.com/markusmobius/go-trafilatura")
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "scripts", "comparison", "data.go"), nil, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		s := sample{}
		name := ""
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			if key == nil {
				continue
			}
			switch key.Name {
			case "URL":
				s.url = stringOf(kv.Value)
			case "File":
				name = stringOf(kv.Value)
			case "With":
				s.with = stringsOf(kv.Value)
			case "Without":
				s.without = stringsOf(kv.Value)
			}
		}
		if name == "" || len(s.with) == 0 {
			return true
		}
		for _, sub := range []string{"comparison", "mock", "simple"} {
			if b, err := os.ReadFile(filepath.Join(dir, "test-files", sub, name)); err == nil {
				s.html, _ = extract.Decode(b, "text/html")
				list = append(list, s)
				break
			}
		}
		return false
	})
	return list
}

func stringOf(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}

func stringsOf(e ast.Expr) (list []string) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, x := range lit.Elts {
		if s := stringOf(x); s != "" {
			list = append(list, s)
		}
	}
	return list
}
