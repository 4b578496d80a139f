package crawler_test

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/lab/report"
	"dowse/judge"
	"dowse/settings"
	"dowse/topic"
)

var (
	labelTopics = flag.String("label-topics", "", "measure what labels change, on topics of Wikispeedia: tune or report")
	labelOnly   = flag.Int("label-only", 0, "use only the first N topics; 0 means all")
	labelOrders = flag.String("label-orders", "unsure", "the orders in which pages are labelled: unsure, random, likely, weighted")
	labelWrong  = flag.String("label-wrong", "0,0.2", "shares of wrong labels, the curves of the figure")
	labelKeep   = flag.String("label-keep", "", "folder to keep the crawls in, for the next measurement")
	labelSVG    = flag.String("label-svg", "", "file for the figure")
)

// labelSteps are the numbers of labels after which judges are measured.
var labelSteps = []int{0, 5, 10, 20, 50}

// A labelCurve is the quality of judges by the number of labels, for one topic.
type labelCurve struct {
	name    string
	quality []judge.Quality // by step
	refused int             // of the models, those that were not put into use
}

// TestLabelQuality measures what labels change. A topic is stated by its name alone or by
// ten example pages; after a crawl of 300 pages a person, who is simulated, labels pages in
// the order of a queue, and a model is trained after 5, 10, 20 and 50 labels in all. Half of
// the pages of the web may be labelled, and the judge rates the other half, so that no
// label is of a page that it is measured by. The table has means over the topics.
func TestLabelQuality(t *testing.T) {
	if *labelTopics == "" {
		t.Skip("not asked for: -label-topics=tune")
	}
	x := newLabelling(t)
	fmt.Println("| topic from | order | wrong labels | measure | 0 | 5 | 10 | 20 | 50 | worst topic | models refused |\n|---|---|---|---|---|---|---|---|---|---|---|")
	var plots []report.Plot
	for _, kind := range []string{"words", "examples"} {
		ap := report.Plot{Title: "average precision, topics from " + kind, X: "labels", Y: "average precision", Top: 1}
		f1 := report.Plot{Title: "F1, topics from " + kind, X: "labels", Y: "F1", Top: 1}
		for _, order := range strings.Split(*labelOrders, ",") {
			for _, share := range strings.Split(*labelWrong, ",") {
				var wrong float64
				if _, err := fmt.Sscan(share, &wrong); err != nil {
					t.Fatal(err)
				}
				curves := x.curves(t, kind, order, wrong)
				name := fmt.Sprintf("%s, %.0f %% wrong", order, 100*wrong)
				ap.Lines = append(ap.Lines, meanCurve(name, curves, averagePrecision))
				f1.Lines = append(f1.Lines, meanCurve(name, curves, f1Of))
				head := fmt.Sprintf("| %s | %s | %.0f %% ", kind, order, 100*wrong)
				printCurve(head+"| average precision", curves, averagePrecision)
				printCurve(head+"| F1", curves, f1Of)
				printCurve(head+"| ECE", curves, func(q judge.Quality) float64 { return q.ECE })
			}
		}
		plots = append(plots, ap, f1)
	}
	if *labelSVG != "" {
		if err := os.WriteFile(*labelSVG, report.Sheet("What labels change", plots...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func averagePrecision(q judge.Quality) float64 { return q.AveragePrecision }

func f1Of(q judge.Quality) float64 { return q.F1 }

// printCurve prints a row of the table: the mean at each step, and the largest loss of any
// topic at any step against no labels.
func printCurve(head string, curves []labelCurve, of func(judge.Quality) float64) {
	line := meanCurve("", curves, of)
	worst, where, refused := 0.0, "none", 0
	for _, c := range curves {
		for k, q := range c.quality {
			if d := of(q) - of(c.quality[0]); d < worst {
				worst, where = d, fmt.Sprintf("%s at %d", wordsOf(c.name), labelSteps[k])
			}
		}
		refused += c.refused
	}
	fmt.Print(head)
	for _, p := range line.Points {
		fmt.Printf(" | %.3f", p.Y)
	}
	fmt.Printf(" | %+.3f (%s) | %d of %d |\n", worst, where, refused, len(curves)*(len(labelSteps)-1))
}

// meanCurve returns the means over topics as a curve.
func meanCurve(name string, curves []labelCurve, of func(judge.Quality) float64) report.Line {
	line := report.Line{Name: name, Bare: true}
	for k, n := range labelSteps {
		sum := 0.0
		for _, c := range curves {
			sum += of(c.quality[k]) / float64(len(curves))
		}
		line.Points = append(line.Points, report.Point{X: float64(n), Y: sum, Lo: sum, Hi: sum})
	}
	return line
}

// A labelling simulates people who label pages of crawls on Wikispeedia.
type labelling struct {
	*wiki
	pages  map[dowse.URL]*dowse.Page
	topics []string
	dir    string
}

func newLabelling(t *testing.T) *labelling {
	t.Helper()
	x := &labelling{wiki: openWiki(t), pages: map[dowse.URL]*dowse.Page{}, dir: cmp.Or(*labelKeep, t.TempDir())}
	slices.Sort(x.urls)
	for _, u := range x.urls {
		x.pages[u] = x.page(t, u)
	}
	list, err := os.ReadFile(filepath.Join(x.wiki.dir, "wikispeedia.topics."+*labelTopics+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	x.topics = strings.Fields(string(list))
	if *labelOnly > 0 {
		x.topics = x.topics[:*labelOnly]
	}
	return x
}

// curves measures all topics in one way of labelling.
func (x *labelling) curves(t *testing.T, kind, order string, wrong float64) (list []labelCurve) {
	t.Helper()
	for _, name := range x.topics {
		c := x.curve(t, name, kind, order, wrong)
		for k, q := range c.quality {
			t.Logf("%-9s %-8s wrong %.1f %-25s %2d labels: AP %.3f F1 %.3f, called %d of %d", kind, order, wrong, wordsOf(name), labelSteps[k], q.AveragePrecision, q.F1, called(q), q.Relevant)
		}
		list = append(list, c)
	}
	return list
}

// curve crawls for a topic, or copies a crawl that was kept, labels pages, and measures the
// judge in use after each step.
func (x *labelling) curve(t *testing.T, name, kind, order string, wrong float64) labelCurve {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.dowse")
	if err := os.CopyFS(dir, os.DirFS(x.crawled(t, name, kind))); err != nil {
		t.Fatal(err)
	}
	c := labelCurve{name: name}
	labelled := map[dowse.URL]bool{}
	for _, n := range labelSteps {
		if n > 0 && x.label(t, dir, name, order, wrong, n, labelled) {
			c.refused++
		}
		j, err := crawler.JudgeOf(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		var ratings []judge.Rating
		for _, u := range x.urls {
			if !mayLabel(u) {
				ratings = append(ratings, judge.Rating{Relevance: j.Judge(x.pages[u]).Relevance, Relevant: x.on(u, name)})
			}
		}
		c.quality = append(c.quality, judge.Measure(ratings, judge.Threshold))
	}
	return c
}

// crawled returns the folder of a crawl of 300 pages for a topic.
func (x *labelling) crawled(t *testing.T, name, kind string) string {
	t.Helper()
	dir := filepath.Join(x.dir, strings.ReplaceAll(name, "/", "-")+"-"+kind+".dowse")
	if collection.IsCollection(dir) {
		return dir
	}
	cfg := crawler.Config{
		Topic: &topic.Topic{Name: "x", Words: []string{wordsOf(name)}}, Transport: x.web, Seeds: x.threeSeeds(name),
		Settings: settings.Settings{Key: 7, Limits: settings.Limits{Pages: 300}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
	}
	if kind == "examples" {
		cfg.Topic = &topic.Topic{Name: "x"}
		on, _ := x.training(name)
		for _, u := range on {
			cfg.Topic.Like = append(cfg.Topic.Like, topic.Source{URL: string(u)})
		}
	}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range c.Crawl(t.Context()) {
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	return dir
}

// label labels pages until n are labelled, and trains a model. It reports whether the model
// was refused.
func (x *labelling) label(t *testing.T, dir, name, order string, wrong float64, n int, labelled map[dowse.URL]bool) bool {
	t.Helper()
	var lines []collection.Label
	for _, u := range x.queue(t, dir, order) {
		if len(labelled) == n {
			break
		}
		if !mayLabel(u) || labelled[u] {
			continue
		}
		labelled[u] = true
		l := collection.Label{URL: u, Label: collection.LabelOff}
		if x.on(u, name) != (chance(name+string(u)) < wrong) {
			l.Label = collection.LabelOn
		}
		lines = append(lines, l)
	}
	if err := collection.AppendLabels(dir, append(lines, collection.Label{Do: collection.DoTrain})...); err != nil {
		t.Fatal(err)
	}
	m, err := crawler.Retrain(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if m.Refused {
		t.Logf("%s: %s: %s", name, m.Model, m.Error)
	}
	return m.Refused
}

// queue returns the pages of a collection in the order in which they are labelled.
func (x *labelling) queue(t *testing.T, dir, order string) (list []dowse.URL) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	labels, err := collection.ReadLabels(dir)
	if err != nil {
		t.Fatal(err)
	}
	key := map[dowse.URL]float64{}
	rows, err := c.Collection.Queue(collection.QueueUnsure, labels, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		p := row.Relevance()
		list = append(list, row.URL)
		switch order {
		case "unsure":
			key[row.URL] = float64(i)
		case "random":
			key[row.URL] = chance(string(row.URL) + "random")
		case "likely": // the most relevant first
			key[row.URL] = -p
		case "weighted": // by chance, in proportion to the uncertainty
			key[row.URL] = -math.Log(1-chance(string(row.URL)+"weighted")) / (p*(1-p) + 1e-4)
		default:
			t.Fatalf("unknown order %q", order)
		}
	}
	slices.SortStableFunc(list, func(a, b dowse.URL) int { return cmp.Compare(key[a], key[b]) })
	return list
}

// mayLabel reports whether a page may be labelled; the others are those by which judges are
// measured.
func mayLabel(u dowse.URL) bool { return chance(string(u)) < 0.5 }

// chance returns a number from 0 to 1 that depends on a text.
func chance(s string) float64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return float64((h.Sum64()*0x9E3779B97F4A7C15)>>11) / (1 << 53)
}
