package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/lab/measure"
)

func written(t *testing.T, r *Report) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, f := range r.Files(Files{HTML: true, CSV: true, LaTeX: true, TREC: true, Markdown: true}) {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		all[f.Name] = b.Bytes()
	}
	return all
}

// madeFiles are the files of the report on the synthetic web.
func madeFiles(t *testing.T) map[string][]byte {
	t.Helper()
	if madeWritten == nil {
		madeWritten = written(t, madeReport(t))
	}
	return madeWritten
}

var madeWritten map[string][]byte

func TestSameBytes(t *testing.T) {
	in, err := madeInput()
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	first, second := madeFiles(t), written(t, again)
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s is not the same twice", name)
		}
	}
	for _, name := range []string{"report.html", "results.csv", "summary.csv", "stats.csv", "table.tex", "table.md", "trec/qrels", "trec/qrels.targets.0", "trec/run.otie.0", "ir_metadata.yaml"} {
		if len(first[name]) == 0 {
			t.Errorf("%s is missing or empty", name)
		}
	}
}

// TestPageHasAllParts: the thirteen parts of a report, and nothing that would reach out
// of the page.
func TestPageHasAllParts(t *testing.T) {
	page := string(madeFiles(t)["report.html"])
	for _, part := range []string{
		`class="headline"`, "95&nbsp;% interval", ">Harvest rate<", "Topic by topic</summary>", ">target recall<", ">harvest rate of the last 200 pages<",
		">hosts with a page on topic<", "less the median", ">Each against each<", "share of the web&#39;s pages on the topic", "pages on topic that no other found",
		">Set-up<", "what strategies see", ">How to reproduce<", "dowse lab run demo", "@inproceedings{wang2009",
		"prefers-color-scheme:dark", "@media print", "does not hold",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %q", part)
		}
	}
	if bad := regexp.MustCompile(`(?i)<script|<link|<img|<iframe|\ssrc=|\shref="[^#]|url\(|@import|\son[a-z]+=`).FindString(page); bad != "" {
		t.Errorf("the page holds %q", bad)
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg viewBox.*?</svg>\s*(?:</div>|</figure>)`).FindAllString(page, -1) {
		soundXML(t, []byte(svg[:strings.LastIndex(svg, "</svg>")+6]))
	}
}

// TestHostileText: what comes from a web or a file stays text, in every form.
func TestHostileText(t *testing.T) {
	const evil = "<script>alert(1)</script>\"'&|\\%_{}\u202e\x1b[31m\n"
	in := Input{Name: evil, About: evil, Paper: evil, Command: evil, Setup: []Fact{{evil, evil}}, Claims: []Claim{{evil, `"a".harvest > 0`}},
		Cite: []Citation{{evil, evil}}, SHA256: evil, Version: []Fact{{evil, evil}}}
	for i := range 6 {
		for _, name := range []string{"a", evil} {
			in.Runs.Trails = append(in.Runs.Trails, measure.Trail{Strategy: name, Topic: fmt.Sprint(evil, i), Targets: 2, Pages: 9, Relevant: 2,
				Steps: measure.StepsOf(measure.Step{URL: dowse.URL("http://x/ " + evil + name), Host: evil, Relevant: name == "a"}, measure.Step{URL: "b"})})
		}
	}
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range written(t, r) {
		text := string(data)
		if strings.Contains(text, "<script") && strings.HasSuffix(name, ".html") {
			t.Errorf("%s: a script got into the page", name)
		}
		if !strings.HasSuffix(name, ".csv") && strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%s: control characters got through", name)
		}
	}
	for line := range strings.Lines(string(written(t, r)["trec/run.a.0"])) {
		if len(strings.Fields(line)) != 6 {
			t.Errorf("a line of a run with %d fields: %q", len(strings.Fields(line)), line)
		}
	}
	if n := strings.Count(r.Text(0), "\n"); n != 4 {
		t.Errorf("the table has %d lines, want 4", n)
	}
}

// TestTRECAgrees reads the TREC files as trec_eval does and computes P_k and recall_k:
// they are harvest@k and recall@k.
func TestTRECAgrees(t *testing.T) {
	r := madeReport(t)
	files := madeFiles(t)
	qrels, targets := readQrels(files["trec/qrels"]), readQrels(files["trec/qrels.targets.0"])
	ids := r.trecTopics()
	for _, name := range r.strategies() {
		ranked := readRun(files["trec/run."+slug(name)+".0"])
		for _, trail := range r.in.Runs.Of(name) {
			topic := ids[trail.Topic]
			for _, k := range []int{1, 10, 50, *pages} {
				hits, found := 0, 0
				for _, doc := range ranked[topic][:min(k, len(ranked[topic]))] {
					hits += number(qrels[topic][doc])
					found += number(targets[topic][doc])
				}
				if want := measure.MustParse("harvest").At(k).Of(&r.in.Runs, trail); float64(hits)/float64(k) != want {
					t.Errorf("%s on %s: P_%d = %g, harvest %g", name, topic, k, float64(hits)/float64(k), want)
				}
				if got, want := float64(found)/float64(len(targets[topic])), measure.MustParse("recall").At(k).Of(&r.in.Runs, trail); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s on %s: recall_%d = %g, recall %g", name, topic, k, got, want)
				}
			}
		}
	}
}

func readQrels(data []byte) map[string]map[string]bool {
	rels := map[string]map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		f := strings.Fields(s.Text())
		if rels[f[0]] == nil {
			rels[f[0]] = map[string]bool{}
		}
		rels[f[0]][f[2]] = f[3] != "0"
	}
	return rels
}

// readRun returns the documents of each topic by score, highest first, whatever their
// ranks and order are.
func readRun(data []byte) map[string][]string {
	type scored struct {
		doc   string
		score float64
	}
	lists := map[string][]scored{}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		f := strings.Fields(s.Text())
		score, _ := strconv.ParseFloat(f[4], 64)
		lists[f[0]] = append(lists[f[0]], scored{f[2], score})
	}
	docs := map[string][]string{}
	for topic, list := range lists {
		slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		for _, d := range list {
			docs[topic] = append(docs[topic], d.doc)
		}
	}
	return docs
}

func TestCSV(t *testing.T) {
	r := madeReport(t)
	files := madeFiles(t)
	crawls := len(r.in.Runs.Trails)
	rivals := len(r.rivals)
	for name, want := range map[string]struct {
		head string
		rows int
	}{
		"results.csv": {"experiment,web_sha256,topic,strategy,seed_set,rng,fetched,on_topic,harvest,window_harvest,recall,hosts_on,bytes,sim_seconds", crawls * 20},
		"summary.csv": {"experiment,topic,strategy,seed_set,fetched,failed,stopped,harvest@end,recall@end,auc_rel,hosts_on,pages_to_recall@0.5", crawls},
		"stats.csv":   {"measure,a,b,n,mean_a,mean_b,diff,ci_lo,ci_hi,test,p,p_adj,effect", 5 * rivals * (rivals - 1) * 3 / 2},
	} {
		rows, err := csv.NewReader(bytes.NewReader(files[name])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rows[0], ","); got != want.head {
			t.Errorf("%s has the columns\n%s, want\n%s", name, got, want.head)
		}
		if len(rows)-1 != want.rows {
			t.Errorf("%s has %d rows, want %d", name, len(rows)-1, want.rows)
		}
	}
}

// hand makes an experiment by hand: harvests of 10 pages on six topics.
func hand(harvests map[string][]int, names ...string) Input {
	in := Input{Name: "by_hand", Measures: []measure.Measure{measure.MustParse("harvest@end"), measure.MustParse("pages_to_recall@0.5")}}
	for topic := range 6 {
		for _, name := range names {
			t := measure.Trail{Strategy: name, Topic: fmt.Sprint("topic ", topic), Targets: 10, Pages: 100, Relevant: 10}
			for k := range 10 {
				t.Steps.Append(measure.Step{URL: dowse.URL(fmt.Sprint(name, k)), Relevant: k < harvests[name][topic]})
			}
			in.Runs.Trails = append(in.Runs.Trails, t)
		}
	}
	return in
}

var handInput = hand(map[string][]int{
	"slow": {1, 2, 1, 2, 1, 2}, "quick": {5, 6, 6, 7, 8, 9}, "oracle": {9, 9, 9, 9, 9, 9},
}, "slow", "quick", "oracle")

func TestTables(t *testing.T) {
	r, err := New(handInput)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ got, want string }{
		"text": {r.Text(0), ` # strategy  harvest@end    pages_to_recall@0.5
 a slow      0.150 ±0.022   –
 b quick     0.683ᵃ ±0.060  5ᵃ
   oracle    0.900          5
 letters: better than that row (paired Wilcoxon, BH p<0.05, 6 topics); ± standard error
`},
		"markdown": {r.Markdown(), `| # | strategy | harvest@end | pages_to_recall@0.5 |
|---|---|--:|--:|
| a | slow | 0.150 ±0.022 | – |
| b | quick | **0.683**ᵃ ±0.060 | **5**ᵃ |
|  | oracle | 0.900 | 5 |

Letters: better than that row (paired Wilcoxon, BH p<0.05, 6 topics); ± standard error. **Bold**: best but for the oracle. pages\_to\_recall@0.5: medians of pages, – where most topics never get there.
`},
		"latex": {r.LaTeX(), `% needs \usepackage{booktabs,graphicx}
\begin{table}
\centering
\caption{by\_hand: means over 6 topics, 10 pages per crawl; of pages\_to\_recall@0.5 medians, -- where most topics never get there. The best figure is bold; letters mark figures that are significantly better than those of the named rows (paired Wilcoxon, BH p\textless{}0.05). $\pm$ is the standard error over topics.}
\label{tab:by_hand}
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
\begin{tabular}{llr@{}lr@{}l}
\toprule
 & strategy & \multicolumn{2}{c}{\shortstack{harvest\\@end}} & \multicolumn{2}{c}{\shortstack{pages\_to\_recall\\@0.5}} \\
\midrule
a & slow & 0.150 & \,{\footnotesize$\pm$0.022} & -- &  \\
b & quick & \textbf{0.683} & \textsuperscript{a}\,{\footnotesize$\pm$0.060} & \textbf{5} & \textsuperscript{a} \\
\midrule
 & oracle & 0.900 &  & 5 &  \\
\bottomrule
\end{tabular}}
\end{table}
`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, c.got, c.want)
		}
	}
	if page := string(written(t, r)["report.html"]); !strings.Contains(page, "<strong>0.683</strong></td><td class=\"left beside\"><sup>a</sup>") {
		t.Error("the page's table has no letters")
	}
	rows := r.Rows()
	if len(rows) != 3 || rows[0].Figures[1].Value != nil || *rows[1].Figures[0].Value < 0.68 || rows[1].Figures[0].Beats[0] != "a" || !rows[2].Oracle {
		t.Errorf("%+v", rows)
	}
}

// TestLaTeXText: what people name their strategies can't be more than text in a table.
func TestLaTeXText(t *testing.T) {
	for given, want := range map[string]string{
		`a_b 50% & $x^2$ #1`: `a\_b 50\% \& \$x\textasciicircum{}2\$ \#1`,
		`\input{x}~`:         `\textbackslash{}input\{x\}\textasciitilde{}`,
		`x|y "q" <b>`:        `x\textbar{}y ''q'' \textless{}b\textgreater{}`,
		`p ≥ 1 µs ± 2…`:      `p $\ge$ 1 $\mu$s $\pm$ 2\ldots{}`,
	} {
		if got := latex(given); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

// TestLaTeXOfMany: a table with room for the letters of one measure has those of the
// leading one, and the caption explains it.
func TestLaTeXOfMany(t *testing.T) {
	in := handInput
	in.Measures = nil
	for i := 10; i > 1; i-- {
		in.Measures = append(in.Measures, measure.MustParse(fmt.Sprintf("harvest@%d", i)), measure.MustParse(fmt.Sprintf("recall@%d", i)))
	}
	many, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	text := many.LaTeX()
	if !strings.Contains(text, "room for letters at harvest@10 only") || !strings.Contains(text, `\textsuperscript{`) {
		t.Errorf("the caption does not explain the missing letters:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, `\textsuperscript{`) > 1 {
			t.Errorf("letters of several measures: %s", line)
		}
	}
}

// TestLittle: a report can be made of next to nothing, and states that it is too little.
func TestLittle(t *testing.T) {
	if _, err := New(Input{}); err == nil {
		t.Error("a report on nothing")
	}
	few := handInput
	few.Runs.Trails = handInput.Runs.Trails[:3] // one topic
	r, err := New(few)
	if err != nil {
		t.Fatal(err)
	}
	if page := string(written(t, r)["report.html"]); !strings.Contains(page, "too few for a test") {
		t.Error("the page does not state that one topic is too few")
	}
	if strings.ContainsAny(r.Text(0), "ᵃᵇ") {
		t.Errorf("letters from one topic:\n%s", r.Text(0))
	}
	alone := Input{Runs: measure.Runs{Trails: []measure.Trail{{Strategy: "x", Topic: "t"}}}}
	if r, err = New(alone); err != nil {
		t.Fatal(err)
	}
	written(t, r) // no pages at all
	bound := Input{Runs: measure.Runs{Trails: []measure.Trail{{Strategy: "oracle", Topic: "t"}}}}
	if _, err = New(bound); err == nil {
		t.Error("a report on the oracle alone")
	}
}

func TestShortNames(t *testing.T) {
	got := shortNames([]string{"demo: Top/Sky/Stars", "demo-1: Top/Sky/Stars", "Top/Home/Bread_Making", "tide pools", "a/x", "b/x"})
	for topic, want := range map[string]string{
		"demo: Top/Sky/Stars": "Stars (demo)", "demo-1: Top/Sky/Stars": "Stars (demo-1)", "Top/Home/Bread_Making": "Bread Making",
		"tide pools": "tide pools", "a/x": "a/x", "b/x": "b/x",
	} {
		if got[topic] != want {
			t.Errorf("%q is called %q, want %q", topic, got[topic], want)
		}
	}
}

func TestManyRows(t *testing.T) {
	ids := map[string]bool{}
	for i := range 60 {
		if ids[rowID(i)] {
			t.Fatalf("two rows are called %s", rowID(i))
		}
		ids[rowID(i)] = true
	}
	if got := raised([]string{"a", "z", "b1"}); got != "ᵃᶻᵇ¹" {
		t.Errorf("raised: %s", got)
	}
	if len(rowLetters) != len(raisedLetters) {
		t.Error("not every letter can be raised")
	}
}

// TestMetadata: the lines that collectors of runs look for.
func TestMetadata(t *testing.T) {
	text := string(madeFiles(t)["ir_metadata.yaml"])
	for _, line := range []string{"research goal:", "    reported measures:", `      - "harvest@end"`, `    - name: "otie"`, "  executable:", `    cmd: "dowse lab run demo"`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

func TestBothTests(t *testing.T) {
	in := handInput
	in.Tests.Test = measure.StudentTest
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Text(0), "0.683ᵃ") || !strings.Contains(r.Text(0), "one-tailed paired t-test") {
		t.Errorf("by Student's test:\n%s", r.Text(0))
	}
	pairs, err := r.Pairs(nil, 0)
	if err != nil || !strings.Contains(pairs, "slow  quick  6  −0.533") {
		t.Errorf("%v\n%s", err, pairs)
	}
}

func ExampleReport_Text() {
	r, err := New(handInput)
	if err != nil {
		panic(err)
	}
	fmt.Print(strings.Join(strings.Fields(r.Text(0))[:4], " "))
	// Output: # strategy harvest@end pages_to_recall@0.5
}

// crowd is an experiment with more strategies than figures can name, on one host.
func crowd(t *testing.T, rivals int) *Report {
	t.Helper()
	harvests := map[string][]int{"oracle": {10, 10, 10, 10, 10, 10}}
	names := []string{"oracle", "random", "breadth-first"}
	harvests["random"], harvests["breadth-first"] = []int{0, 1, 0, 1, 0, 1}, []int{1, 1, 2, 1, 2, 1}
	for i := range rivals - 2 {
		name := fmt.Sprint("strategy ", i)
		names = append(names, name)
		for topic := range 6 {
			harvests[name] = append(harvests[name], 3+(i+topic)%6)
		}
	}
	in := hand(harvests, names...)
	in.Measures = append([]measure.Measure{measure.MustParse("cpu_page")}, in.Measures...)
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestManyStrategies: figures name the best and the baselines, letters become ranges, the
// matrix shows each figure once, and the machine's time leads nothing.
func TestManyStrategies(t *testing.T) {
	r := crowd(t, 21)
	if r.lead().String() != "harvest@end" {
		t.Errorf("%s leads, though it is not the same twice", r.lead())
	}
	if len(r.named) != bestOfMany+2 || !slices.Contains(r.named, "random") || !slices.Contains(r.named, "breadth-first") {
		t.Errorf("figures name %v", r.named)
	}
	colours := map[string]bool{}
	for _, name := range r.named {
		colours[class(r.style(name))] = true
	}
	if len(colours) != len(r.named) {
		t.Errorf("%d named strategies share %d colours", len(r.named), len(colours))
	}
	page := string(written(t, r)["report.html"])
	for part, want := range map[string]bool{
		"Named are the best five, breadth-first, random, the oracle; 14 other strategies in grey": true,
		`class="matrix wide"`: true, "Above the diagonal": true, "is best by harvest rate (harvest@end)": true, "one by one": true,
		"The other 16 strategies": true, `<use href="#all-recall"/>`: true, "hosts with a page on topic": false, "NaN": false, "Inf": false,
	} {
		if strings.Contains(page, part) != want {
			t.Errorf("the page has %q: %v", part, !want)
		}
	}
	if n := strings.Count(page, "<figcaption>"); n < 6 || n != strings.Count(page, "<figure>") {
		t.Errorf("%d of %d figures have a caption", n, strings.Count(page, "<figure>"))
	}
	for _, svg := range regexp.MustCompile(`<svg viewBox[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(svg, `role="img" aria-label="`) {
			t.Errorf("a drawing without a name: %s", svg)
		}
	}
}

func TestLetterRanges(t *testing.T) {
	ids := func(text string) (list []string) {
		for _, r := range text {
			list = append(list, string(r))
		}
		return list
	}
	for _, c := range []struct{ ids, want string }{
		{"", ""}, {"a", "a"}, {"abcd", "abcd"}, {"abcde", "a–e"}, {"abcefghi", "abc e–i"}, {"abcdeg", "a–e g"}, {"nopr", "nopr"}, {"noprs", "n–s"}, // there is no q
	} {
		if got := idRuns(ids(c.ids), "–", " "); got != c.want {
			t.Errorf("%s is written %q, want %q", c.ids, got, c.want)
		}
	}
	if got := idRuns([]string{"x", "y", "z", "a1", "b1"}, "–", " "); got != "x–b1" {
		t.Errorf("past the alphabet: %q", got)
	}
	if got := raised(ids("abcdeg")); got != "ᵃ⁻ᵉᵍ" {
		t.Errorf("raised: %s", got)
	}
}

// TestNeverReached: a program that reads the figures can distinguish a topic that was never
// half found from one that was not run.
func TestNeverReached(t *testing.T) {
	r, err := New(handInput)
	if err != nil {
		t.Fatal(err)
	}
	files := written(t, r)
	if !strings.Contains(string(files["summary.csv"]), "slow,0,10,0,,0.1,Inf\n") {
		t.Errorf("summary.csv:\n%s", files["summary.csv"])
	}
	for want, v := range map[string]float64{"": math.NaN(), "Inf": math.Inf(1), "-Inf": math.Inf(-1), "0.25": 0.25} {
		if got := figureCSV(v); got != want {
			t.Errorf("%g is written %q, want %q", v, got, want)
		}
	}
}

// TestNoBestWithoutFigures: where no strategy has a figure, none of them is marked as the best.
func TestNoBestWithoutFigures(t *testing.T) {
	in := handInput
	m := measure.MustParse("pages_to_recall@1")
	in.Measures = []measure.Measure{m}
	in.Runs.Trails = slices.Clone(in.Runs.Trails)
	for i := range in.Runs.Trails {
		in.Runs.Trails[i].Targets += 1000
	}
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range r.rivals {
		if f := r.table[cell{name, m}]; shown(f.centre) || f.best {
			t.Errorf("%s: %v, best %v", name, f.centre, f.best)
		}
	}
	if md := string(written(t, r)["table.md"]); strings.Contains(md, "**–**") {
		t.Error(md)
	}
	for _, c := range heatCells(m, []float64{math.Inf(1), math.Inf(1)}, 0, 1) {
		if c.Best {
			t.Errorf("%+v", c)
		}
	}
}

// TestWebOfARow: with several webs, a row of results.csv names its own.
func TestWebOfARow(t *testing.T) {
	in := handInput
	in.SHA256, in.SHA256s = "one two", map[string]string{"topic 0": "one", "topic 1": "two"}
	for topic, want := range map[string]string{"topic 0": "one", "topic 1": "two", "topic 2": "one two"} {
		if got := in.sha256(topic); got != want {
			t.Errorf("%s is of web %q, want %q", topic, got, want)
		}
	}
}

// TestOwnSeeds: where strategies begin with different pages, each has its own targets.
func TestOwnSeeds(t *testing.T) {
	in := Input{Name: "seeds", Relevant: map[string][]dowse.URL{"t": {"a", "b", "c"}}}
	for _, c := range []struct{ name, seed string }{{"x", "a"}, {"y", "off"}} {
		trail := measure.Trail{Strategy: c.name, Topic: "t", Targets: 3, Pages: 9, Relevant: 3}
		trail.Steps.Append(measure.Step{URL: dowse.URL(c.seed), Seed: true, Relevant: c.seed == "a"})
		in.Runs.Trails = append(in.Runs.Trails, trail)
	}
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	files := written(t, r)
	if got := string(files["trec/qrels.targets.x.0"]); got != "t 0 b 1\nt 0 c 1\n" {
		t.Errorf("targets of x: %q", got)
	}
	if got := string(files["trec/qrels.targets.y.0"]); strings.Count(got, "\n") != 3 {
		t.Errorf("targets of y: %q", got)
	}
	if _, ok := files["trec/qrels.targets.0"]; ok {
		t.Error("targets for all, though seeds differ")
	}
}
