package dashboard

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/internal/tgraph"
	"dowse/settings"
	"dowse/topic"
)

// treasured returns a folder with a crawl that was given a T-Graph, pools.dowse.
func treasured(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	g := &tgraph.Graph{Format: "dowse-tgraph/1", Depth: 2, Pages: []tgraph.Page{
		{URL: "http://shorewalks.demo/reports/a", Title: "A target"}, {URL: "http://shorewalks.demo/links", Level: 1}, {URL: "http://kelp.demo/", Level: 2},
	}, Nodes: []tgraph.Node{
		{ID: "n0", URL: "http://shorewalks.demo/reports/a"},
		{ID: "n1", URL: "http://shorewalks.demo/links", Level: 1, LinksTo: "http://shorewalks.demo/reports/a", To: []string{"n0"}, LinkText: tgraph.LinkText{Anchor: `reports <b>"here"`}},
		{ID: "n2", URL: "http://kelp.demo/", Level: 2, LinksTo: "http://shorewalks.demo/links", To: []string{"n1"}, LinkText: tgraph.LinkText{Anchor: "links"}},
	}}
	var b bytes.Buffer
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "routes.json")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	web := madeWeb()
	c, err := crawler.Open(filepath.Join(dir, "pools.dowse"), crawler.Config{
		Topic: &topic.Topic{Name: "pools", Words: []string{"tide pools"}}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Transport: web.RoundTripper(), TGraph: file,
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "treasure"}, Contrast: "everyday", Limits: settings.Limits{Pages: 12},
			Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 4},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A crawl that was given a T-Graph has a page of its routes; others have neither the page nor a link to it.
func TestTGraph(t *testing.T) {
	s := open(t, treasured(t))
	if _, body, _ := s.get(t, "/c/pools/graph"); !strings.Contains(body, `href="/c/pools/tgraph"`) {
		t.Error("the graph has no link to the T-Graph")
	}
	code, body, _ := s.get(t, "/c/pools/tgraph")
	for _, want := range []string{"shorewalks.demo/reports", "2 clicks away", `class="step"`, "reports &lt;b&gt;", "tgraph </span>"} {
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("the T-Graph: got %d, want a page with %q", code, want)
		}
	}
	s = open(t, copied(t))
	if code, _, _ := s.get(t, "/c/pools/tgraph"); code != 404 {
		t.Errorf("without a T-Graph: got %d, want 404", code)
	}
	if _, body, _ := s.get(t, "/c/pools/graph"); strings.Contains(body, "tgraph") {
		t.Error("a crawl without a T-Graph has a link to one")
	}
}

// With one collection the browser goes there; the list stays reachable. With several it goes to the list, where
// those of one name differ by their folders.
func TestFirstPage(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	if code, _, head := s.get(t, "/"); code != http.StatusSeeOther || head.Get("Location") != "/c/pools/" {
		t.Errorf("one collection: got %d to %q", code, head.Get("Location"))
	}
	if err := os.CopyFS(filepath.Join(dir, "others.dowse"), os.DirFS(filepath.Join(dir, "pools.dowse"))); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if code, _, head := s.get(t, "/"); code != http.StatusSeeOther || head.Get("Location") != "/collections" {
		t.Errorf("two collections: got %d to %q", code, head.Get("Location"))
	}
	for path, want := range map[string]string{
		"/collections": "others.dowse", "/c/others/": `<span class="folder" title="Folder of the collection"><bdi>others</bdi>`,
		"/compare?id=pools&id=none": "There is no collection &#34;none&#34; here", "/compare?id=pools&id=others": "B pools (others)", "/compare?c=pools&c=others": "B pools (others)",
	} {
		if code, body, _ := s.get(t, path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: got %d, want a page with %q", path, code, want)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "Küste-潮.dowse"), os.DirFS(filepath.Join(dir, "pools.dowse"))); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if _, body, _ := s.get(t, "/c/K_ste-_/"); !strings.Contains(body, `<bdi>Küste-潮</bdi>`) {
		t.Error("the name of the folder is not shown as it is")
	}
	if _, body, _ := s.get(t, "/c/pools/"); strings.Contains(body, `class="folder"`) {
		t.Error("a collection whose folder has its name shows both")
	}
}

// Conditions that have no field are shown, and can be removed.
func TestConditionsAreShown(t *testing.T) {
	s := open(t, copied(t))
	for query, want := range map[string][]string{
		"reason=%22tide%22&verdict=on": {"because of \u2068&#34;tide&#34;\u2069", `href="?verdict=on"`}, "verdict=skipped&skipped=robots.txt": {"left out for \u2068robots.txt\u2069", `href="?verdict=skipped"`},
		"model=words": {"judged by \u2068words\u2069", `href="?"`},
	} {
		_, body, _ := s.get(t, "/c/pools/pages?"+query)
		_, chips, _ := strings.Cut(body, `class="chips narrowed"`)
		chips, _, _ = strings.Cut(chips, "</ul>")
		for _, w := range want {
			if !strings.Contains(chips, w) {
				t.Errorf("%s: got %q, want %q", query, chips, w)
			}
		}
	}
	for _, query := range []string{"", "verdict=skipped", "host=kelp.demo"} {
		if _, body, _ := s.get(t, "/c/pools/pages?"+query); strings.Contains(body, "narrowed") {
			t.Errorf("%q: a condition is shown", query)
		}
	}
}

// A crawl that has reached a limit is continued with a higher one.
func TestRaiseLimit(t *testing.T) {
	s := open(t, copied(t))
	limit := regexp.MustCompile(`name="pages" type="text" size="8" value="240"`)
	if _, body, _ := s.get(t, "/c/pools/"); !limit.MatchString(body) || !strings.Contains(body, "Limit 120 pages reached") {
		t.Error("the overview does not offer to raise the limit")
	}
	if code, _, _ := s.send(t, http.MethodPost, "/c/pools/set", url.Values{"name": {"pages"}, "value": {"500"}}); code != http.StatusSeeOther {
		t.Fatalf("set: got %d", code)
	}
	if _, body, _ := s.get(t, "/c/pools/"); strings.Contains(body, "Limit ") {
		t.Error("the limit was raised, and is still offered to be")
	}
}

// A page that was taken down is shown as that, with the reason, and without anything that looks like an error.
func TestTakenDown(t *testing.T) {
	dir := copied(t)
	ops, err := operations.New(operations.Config{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	const u = "http://shorewalks.demo/"
	if _, err := ops.Forget(context.Background(), "pools", operations.ForgetRequest{URLs: []string{u}, Because: "the owner asked"}); err != nil {
		t.Fatal(err)
	}
	if err := ops.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	code, body, _ := s.get(t, "/c/pools/page?url="+u)
	for _, want := range []string{"taken down", "the owner asked", "dowse </span>", "why </span>", `<span class="word">` + u + `</span>`} {
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("got %d, want a page with %q", code, want)
		}
	}
	if strings.Contains(body, "parse") || strings.Contains(body, "&#39;&#39;") {
		t.Error("the page has an error of a parser, or a command with an empty word")
	}
	if _, body, _ := s.get(t, "/c/pools/pages?skipped=user.forgotten"); !strings.Contains(body, "their addresses are not kept") {
		t.Error("the list of what was taken down does not explain why it is empty")
	}
	if code, body, _ := s.get(t, "/c/pools/page?url="); code != 400 || !strings.Contains(body, "no page is named") {
		t.Errorf("no URL: got %d", code)
	}
}

// The pages that the slider announces for a threshold are those that are on topic once it is set.
func TestThreshold(t *testing.T) {
	s := open(t, copied(t))
	says := regexp.MustCompile(`id="threshold-says" role="status">(\d+) of 120 pages ([a-z ]+)`)
	read := func(path string) (n, what string) {
		_, body, _ := s.get(t, path)
		m := says.FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("%s: it is not said how many pages are on topic", path)
		}
		return m[1], m[2]
	}
	now, _ := read("/c/pools/topic")
	tried, what := read("/c/pools/topic?name=threshold&value=0.97")
	if tried == now || !strings.HasPrefix(what, "would be on topic") {
		t.Errorf("now %s, at 0.97 %s %s", now, tried, what)
	}
	if code, _, head := s.send(t, http.MethodPost, "/c/pools/set", url.Values{"name": {"threshold"}, "value": {"0.97"}, "back": {"/c/pools/topic"}}); code != http.StatusSeeOther || head.Get("Location") != "/c/pools/topic" {
		t.Fatalf("set: got %d to %q", code, head.Get("Location"))
	}
	if got, _ := read("/c/pools/topic"); got != tried {
		t.Errorf("%s pages were announced, and %s are on topic", tried, got)
	}
	for _, bad := range []string{"x", "2", "-1", "NaN"} {
		if code, _, _ := s.get(t, "/c/pools/topic?value="+bad); code != 400 {
			t.Errorf("threshold %s: got %d, want 400", bad, code)
		}
	}
}

// A damaged collection is shown with what to do, and the list has it as damaged.
func TestDamaged(t *testing.T) {
	dir := copied(t)
	files, err := filepath.Glob(filepath.Join(dir, "pools.dowse", "state", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if ext := filepath.Ext(f); ext != ".log" && ext != ".snap" {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		copy(data[len(data)/3:], strings.Repeat("\xff", 64))
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir)
	if code, body, _ := s.get(t, "/c/pools/"); code == 200 || !strings.Contains(body, "salvage </span>") {
		t.Errorf("got %d, want an error that names the command for a damaged collection", code)
	}
	_, body, _ := s.get(t, "/collections")
	for end := time.Now().Add(time.Minute); strings.Contains(body, "data-poll") && time.Now().Before(end); _, body, _ = s.get(t, "/collections") {
		time.Sleep(50 * time.Millisecond) // the pages are being counted
	}
	if !strings.Contains(body, `<span class="state bad">damaged</span>`) {
		t.Error("the list does not show that the collection is damaged")
	}
}

// Names in a graph cover neither each other nor a dot of another node: where there is room most are shown, and where
// there is none they wait for the pointer.
func TestNamesDoNotOverlap(t *testing.T) {
	for _, size := range [][3]float64{{1200, 720, named / 2}, {300, 220, 1}} {
		nodes := make([]drawnNode, 70)
		var edges []drawnEdge
		for i := range nodes {
			nodes[i] = drawnNode{Name: strings.Repeat("n", 3+i%20) + ".example", Size: 1 / float64(i+1)}
			edges = append(edges, drawnEdge{i, (i * 7) % 11, 0.4})
		}
		layout(nodes, edges, size[0], size[1])
		var names, dots []nameBox
		var of []int // the node of each name
		for i, p := range placeNames(nodes, size[0], size[1]) {
			n := nodes[i]
			r, w := n.radius(), nameWidth(n.Name)
			dots = append(dots, nameBox{n.x - r, n.y - r, n.x + r, n.y + r})
			if p.shown {
				left := n.x + p.x - map[string]float64{"start": 0, "middle": w / 2, "end": w}[p.anchor]
				names, of = append(names, nameBox{left, n.y + p.y - 10, left + w, n.y + p.y + 3}), append(of, i)
			}
		}
		if len(names) < int(size[2]) || len(names) > named {
			t.Errorf("%v: %d names are shown", size, len(names))
		}
		for i, a := range names {
			for _, b := range names[i+1:] {
				if a.meets(b) {
					t.Errorf("%v: two names overlap: %v %v", size, a, b)
				}
			}
			for j, dot := range dots {
				if j != of[i] && a.meets(dot) {
					t.Errorf("%v: the name of node %d covers node %d", size, of[i], j)
				}
			}
		}
	}
}

// An empty crawl has no axes without a scale.
func TestEmptyCharts(t *testing.T) {
	if !(chart{Lines: []line{{Name: "x"}}}).Empty() || (chart{Lines: []line{{Points: []chartPoint{{0, 1}}}}}).Empty() {
		t.Error("Empty does not report whether there is a point")
	}
	if s := string(chart{Width: 400, Height: 200, Lines: []line{{Name: "x"}}}.SVG()); strings.Contains(s, "e-") {
		t.Errorf("an axis without values: %s", s)
	}
	if h := histogram("t", []bin{{Name: "a"}}, 100, 50); h != "" {
		t.Errorf("a histogram of nothing: %s", h)
	}
	for top, want := range map[float64]float64{600: 800, 290: 400, 1.9: 2, 95: 100} {
		c := chart{Lines: []line{{Points: []chartPoint{{1, top}}}}}
		if _, got := c.bounds(); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", want) {
			t.Errorf("the axis of values up to %v ends at %v, want %v", top, got, want)
		}
	}
}

// Files of a run of the lab can be saved, and nothing outside of it.
func TestLabFiles(t *testing.T) {
	dir := copied(t)
	for name, text := range map[string]string{"runs/one/manifest.yaml": "x", "runs/one/report.html": "<script>1</script>", "runs/one/trails/a.gz": "x", "secret.txt": "s"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../secret.txt", filepath.Join(dir, "runs", "one", "link.txt")); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if _, body, _ := s.get(t, "/lab/run?run=runs/one"); !strings.Contains(body, "file=report.html") || !strings.Contains(body, "1 more file with records of the crawls is") || strings.Contains(body, "link.txt") {
		t.Error("the run does not list its files")
	}
	code, body, head := s.get(t, "/lab/file?run=runs/one&file=report.html")
	if code != 200 || body != "<script>1</script>" || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") || head.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("the report: got %d, %v", code, head)
	}
	for _, bad := range []string{"run=runs/one&file=link.txt", "run=runs/one&file=../../secret.txt", "run=runs/one&file=trails", "run=..&file=secret.txt", "run=runs/one&file=", "run=none&file=x"} {
		if code, body, _ := s.get(t, "/lab/file?"+bad); code != 404 || strings.Contains(body, "secret") && !strings.Contains(body, "no such file") {
			t.Errorf("%s: got %d", bad, code)
		}
	}
}

// The terms of the judge lead to the pages that have them.
func TestTerms(t *testing.T) {
	s := open(t, copied(t))
	_, body, _ := s.get(t, "/c/pools/topic")
	href := html.UnescapeString(between(body, `<a href="/c/pools/pages?reason=`, `"`))
	if code, list, _ := s.get(t, "/c/pools/pages?reason="+href); href == "" || code != 200 || !strings.Contains(list, "data-row") {
		t.Errorf("the pages of the first term (%q): got %d", href, code)
	}
}

// An error in the form for a new crawl leads back to the form as it was filled in.
func TestNewCrawlKeepsTheForm(t *testing.T) {
	s := open(t, copied(t))
	for _, seed := range []string{"not a url", "-"} {
		code, body, _ := s.send(t, http.MethodPost, "/new", url.Values{"words": {"tide"}, "seeds": {seed}})
		if code != 400 || !strings.Contains(body, "seeds: &#34;"+seed+"&#34;") {
			t.Errorf("seed %q, which is no address: %d, want 400 and a page that names it", seed, code)
		}
	}
	code, body, _ := s.send(t, http.MethodPost, "/new", url.Values{"words": {"tide <pools>"}, "seeds": {"http://a.example/"}, "name": {"../x"}, "pages": {"70"}, "demo": {"1"}})
	back := html.UnescapeString(between(body, `<a class="button" href="`, `"`))
	if code != 400 || !strings.HasPrefix(back, "/new?") {
		t.Fatalf("got %d, and the way back is %q", code, back)
	}
	_, body, _ = s.get(t, back)
	for _, want := range []string{"tide &lt;pools&gt;", "http://a.example/", `value="../x"`, `value="70"`, `value="1" checked`} {
		if !strings.Contains(body, want) {
			t.Errorf("the form lacks %q", want)
		}
	}
}

// A page that many viewers want in the same moment is made once. One that fails, or that a form has made old meanwhile, is
// made again.
func TestLiveCache(t *testing.T) {
	var l liveCache
	ctx, now := context.Background(), func() time.Time { return time.Unix(1000, 0) }
	body, end := l.begin(ctx, "a", now)
	if body != nil {
		t.Fatal("an empty cache has a page")
	}
	got := make(chan string, 20)
	for range cap(got) {
		go func() {
			body, end := l.begin(ctx, "a", now)
			if body == nil {
				end(nil)
			}
			got <- string(body)
		}()
	}
	if _, other := l.begin(ctx, "b", now); other == nil {
		t.Fatal("another page waits for the first")
	}
	end([]byte("made"))
	for range cap(got) {
		if text := <-got; text != "made" {
			t.Fatalf("a viewer got %q and would have made the page again", text)
		}
	}
	l.clear()
	_, end = l.begin(ctx, "a", now)
	end(nil)
	if body, end = l.begin(ctx, "a", now); body != nil {
		t.Error("a page that failed is kept")
	}
	l.clear() // while it is made
	end([]byte("old"))
	if body, _ := l.begin(ctx, "a", now); body != nil {
		t.Errorf("a page that is older than a change is kept: %q", body)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if body, end := l.begin(gone, "a", now); body != nil || end == nil {
		t.Error("a viewer who has left waits")
	}
}

// A label without a name has no author.
func TestLabelWithoutAuthor(t *testing.T) {
	dir := copied(t)
	ops, err := operations.New(operations.Config{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	if _, err := ops.Label(t.Context(), "pools", operations.LabelRequest{Labels: []operations.GivenLabel{{URL: "http://shorewalks.demo/", Label: "on"}}}); err != nil {
		t.Fatal(err)
	}
	_, body, _ := open(t, dir).get(t, "/c/pools/page?url=http://shorewalks.demo/")
	if got := between(body, `id="h-labels"`, "</dl>"); !strings.Contains(got, "<b>on</b>") || strings.Contains(got, " by <bdi></bdi>") {
		t.Errorf("the label: %s", got)
	}
}

// A verdict of which nothing is known but its word is "on topic", and not "unsure topic".
func TestInWords(t *testing.T) {
	for verdict, want := range map[string]string{facts.On: "on topic", facts.Off: "off topic", facts.Unsure: "unsure"} {
		if got := inWords(verdict); got != want {
			t.Errorf("%s: got %q, want %q", verdict, got, want)
		}
	}
}

// The page of a page with a label has the reasons of the judge, and nothing but the label would change the verdict.
func TestLabelledPage(t *testing.T) {
	s := open(t, copied(t))
	const path = "/c/pools/page?url=http://shorewalks.demo/"
	if code, body, _ := s.send(t, http.MethodPost, "/c/pools/label", url.Values{"url": {"http://shorewalks.demo/"}, "label": {"off"}}); code != http.StatusSeeOther {
		t.Fatal(code, body)
	}
	if code, body, _ := s.send(t, http.MethodPost, "/c/pools/train", url.Values{"accept": {"1"}}); code != http.StatusSeeOther {
		t.Fatal(code, body)
	}
	_, body, _ := s.get(t, path)
	reasons := func(page string) string { return between(page, `<table class="reasons"><tbody>`, "</tbody>") }
	if !strings.Contains(body, "Why the judge alone says") || strings.Count(reasons(body), "<tr>") < 5 || strings.Contains(reasons(body), "label off") {
		t.Errorf("the reasons are not those of the judge: %s", reasons(body))
	}
	if _, list, _ := s.get(t, "/c/pools/pages?host=shorewalks.demo"); !strings.Contains(list, "<bdi>labelled off</bdi>") || strings.Contains(list, "+0.00") {
		t.Errorf("the list does not say that a label decides: %s", between(list, "why-cell", "</td>"))
	}
	flips := between(body, `<ul class="flips">`, "</ul>")
	if !strings.Contains(body, "The judge alone: ") || strings.Contains(flips, "“label off”") || strings.Contains(flips, "threshold") || strings.Contains(flips, "with the model") {
		t.Errorf("what would change the verdict of a labelled page: %s", flips)
	}
	if !strings.Contains(body, "labelled <b>off</b>") || strings.Contains(body, "(set aside by an undo)") {
		t.Errorf("the label is not said to be in force: %s", between(body, `id="h-labels"`, "</section>"))
	}
	code, body, head := s.send(t, http.MethodPost, "/c/pools/undo", url.Values{})
	if note := flashText(t, head); code != http.StatusSeeOther || !strings.HasPrefix(note, "Back to model ") || !strings.HasSuffix(note, " verdicts changed.") || strings.Contains(note, "gone back") {
		t.Fatal(code, note, body)
	}
	_, body, _ = s.get(t, path)
	if strings.Contains(body, "labelled <b>off</b>") || !strings.Contains(body, "(set aside by an undo)") {
		t.Errorf("after an undo: %s", between(body, `id="h-labels"`, "</section>"))
	}
}

// The words of terms are marked in a text, in all their forms; the words in which a signal is described are not.
func TestMarkedWords(t *testing.T) {
	b := pageBody{Account: &operations.Account{Explanation: &collection.Explanation{Judged: &collection.Ruling{Because: []collection.Part{
		{Cause: collection.Cause{What: `"tide pools"`, Weight: 1}}, {Cause: collection.Cause{What: "barnacl", Weight: 0.1, Word: "barnacles"}},
		{Cause: collection.Cause{What: "the topic's words fill 36 % of the text", Weight: -1}}, {Cause: collection.Cause{What: "12 other terms", Weight: 1}},
		{Cause: collection.Cause{What: `"天然 酵母"`, Weight: 1}},
	}}}}}
	want, parts := b.marker()
	for word, is := range map[string]bool{"tide": true, "Pools": true, "barnacled": true, "barnacles": true, "the": false, "of": false, "words": false, "text": false, "other": false} {
		if want(word) != is {
			t.Errorf("%s is marked: %v, want %v", word, !is, is)
		}
	}
	if fmt.Sprint(parts) != "[天然 酵母]" {
		t.Errorf("parts of runs: %v", parts)
	}
}

// A node of a graph has the shape of its class, and is spoken of by the name that is written, also if that is cut off.
func TestGraphWithoutColours(t *testing.T) {
	long := strings.Repeat("a", 60) + ".example"
	nodes := []drawnNode{
		{Name: "on.example", Title: "on.example: 3 of 3 on topic", Class: "on"}, {Name: "mid.example", Title: "mid.example: 1 of 3 on topic", Class: "mid"},
		{Name: tidy(long, 28), Title: long + ": 0 of 3 on topic", Class: "off"},
	}
	layout(nodes, nil, 400, 300)
	svg := string(graphSVG("t", nodes, nil, 400, 300))
	shapes := map[string]bool{}
	for _, node := range strings.Split(svg, `<g class="node `)[1:] {
		shapes[regexp.MustCompile(`[-.0-9 ]`).ReplaceAllString(between(node, "</title>", "<text"), "")] = true
	}
	if len(shapes) != 3 {
		t.Errorf("three classes have %d shapes: %v", len(shapes), shapes)
	}
	if spoken := between(strings.Split(svg, `<g class="node `)[3], `aria-label="`, `"`); !strings.Contains(spoken, nodes[2].Name) || !strings.Contains(spoken, "0 of 3") {
		t.Errorf("%q is spoken of as %q", nodes[2].Name, spoken)
	}
}

// What is missing before a crawl can be started is said before it is refused; the demo web needs no pages to begin with.
func TestNewCrawlWithoutSeeds(t *testing.T) {
	s := open(t, copied(t))
	for query, want := range map[string]string{
		"words=tide": "pages to begin with are missing", "words=tide&demo=1": ">ready<", "words=tide&seeds=http://a.example/": ">ready<",
		"topic=" + url.QueryEscape("dowse: topic/v1\nname: x\nwords: [tide]\nseeds: [http://a.example/]\n"): ">ready<",
	} {
		_, body, _ := s.get(t, "/new?"+query)
		check := between(body, `id="check"`, "</section>")
		if !strings.Contains(check, want) || strings.Contains(check, "command line") || strings.Contains(check, ">ready<") != (want == ">ready<") {
			t.Errorf("%s: want %q: %s", query, want, check)
		}
	}
}

// A request that ended before it was answered, as one whose form did not arrive in time, is no success.
func TestRequestsThatEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := httptest.NewRecorder()
	new(Dashboard).fail(w, httptest.NewRequest(http.MethodPost, "/c/pools/label", nil).WithContext(ctx), nil, os.ErrDeadlineExceeded)
	if w.Code != http.StatusRequestTimeout {
		t.Errorf("got %d, want %d", w.Code, http.StatusRequestTimeout)
	}
}

// A chart of one page shows it, and its axis has no parts of pages.
func TestChartOfOnePage(t *testing.T) {
	svg := string(chart{X: "pages", Y: "harvest", Top: 1, Width: 720, Height: 300, Lines: []line{{Name: "all", Class: "a", Points: []chartPoint{{1, 0.5}}}}}.SVG())
	if !strings.Contains(svg, `<circle class="spot a"`) || strings.Contains(svg, ">0.2<") || strings.Contains(svg, ">0.6<") {
		t.Error(svg)
	}
}

// The reasons of a verdict are in the order of dowse why and have its names: the strongest first, sums and the bias at the end, and learnt
// terms told from words of the topic.
func TestReasonsAsInATerminal(t *testing.T) {
	because := []collection.Part{{Cause: collection.Cause{What: "667 other terms", Weight: 4}}, {Cause: collection.Cause{What: "bias", Weight: -3}}}
	for i := range 30 {
		because = append(because, collection.Part{Cause: collection.Cause{What: fmt.Sprintf(`"w%d"`, i), Weight: float64(i) / 100}})
	}
	named := func(what string) string { return strings.Replace(what, `"w29"`, `"w29" (learnt)`, 1) }
	b := pageBody{Account: &operations.Account{NameOf: named, Explanation: &collection.Explanation{Judged: &collection.Ruling{Because: because}}}}
	b.judge(&head{})
	var got []string
	for _, r := range b.Reasons {
		got = append(got, r.What)
	}
	if len(got) != 32 || got[0] != `"w29" (learnt)` || got[1] != `"w28"` || got[30] != "667 other terms" || got[31] != "bias" {
		t.Errorf("got %d reasons: %q", len(got), got)
	}
}

// The reasons of a list are words, each set apart from the weights around it, which text that runs from right to left would turn
// around. A learnt word that the topic has, too, is marked.
func TestReasonsOfLists(t *testing.T) {
	r := &facts.Row{Page: &dowse.Page{}, Spell: func(what string) string {
		return map[string]string{`"electr"`: "electric", `"reef"`: "", `"happi"/"navig"`: "happy/navigate"}[what]
	}}
	r.Page.Verdict.Because = []dowse.Because{
		{What: `"electric"`, Weight: 2}, {What: "12 other terms", Weight: 1}, {What: `"electr"`, Weight: 1}, {What: `"reef"`, Weight: -0.5}, {What: `"خبز"`, Weight: 0.25}, {What: `"happi"/"navig"`, Weight: 0.2},
	}
	want := "+2.00 \u2068\"electric\"\u2069 · +1.00 \u2068\"electric\" (learnt)\u2069 · -0.50 \u2068\"reef\"\u2069 · +0.25 \u2068\"خبز\"\u2069 · +0.20 \u2068\"happy/navigate\"\u2069"
	if got := reasonText(r, 5); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What is added to a topic is a word; a signal, and terms that share a weight, can't be added.
func TestTermOf(t *testing.T) {
	for name, want := range map[operations.UsedTerm]string{
		{Name: `"electr"`, Word: "electric"}: "electric", {Name: `"reef"`}: "reef", {Name: `"tide pools"`}: "tide pools", {Name: "title"}: "", {Name: `not "casino"`}: "",
		{Name: `"happi"/"navig"`, Word: "happy/navigate"}: "",
	} {
		if got := termOf(name); got != want {
			t.Errorf("%+v: got %q, want %q", name, got, want)
		}
	}
}
