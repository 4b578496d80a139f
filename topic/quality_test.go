package topic_test

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/judgetest"
	"dowse/internal/shareddata"
	"dowse/judge"
	"dowse/topic"
)

var quality = flag.String("quality", "", "measure the judges of topics on Wikispeedia: the topics to take, tune or report")

// TestQuality measures how words and examples judge, alone and together: the words are
// the topic's name, the examples few pages of it and twice as many others, or none. The
// judge rates all other pages. It prints means over the topics.
func TestQuality(t *testing.T) {
	if *quality == "" {
		t.Skip("not asked for: -quality=tune or -quality=report")
	}
	web := readLabelledWeb(t, shareddata.Path(t, "webs"))
	fmt.Println("| on topic | others | words F1 | AP | examples F1 | AP | both F1 | AP |\n|---|---|---|---|---|---|---|---|")
	for _, row := range []struct{ on, off int }{{10, 20}, {3, 6}, {1, 2}, {3, 0}, {1, 0}} {
		fmt.Printf("| %d | %d |", row.on, row.off)
		for _, kind := range []string{"words", "examples", "both"} {
			q := web.mean(t, kind, row.on, row.off > 0)
			fmt.Printf(" %.3f | %.3f |", q.F1, q.AveragePrecision)
		}
		fmt.Println()
	}
}

// labelledWeb is a recorded web with the subjects that its editors gave its pages.
type labelledWeb struct {
	pages    []*dowse.Page
	subjects map[string][]string
	wanted   []string
}

func (w *labelledWeb) mean(t *testing.T, kind string, n int, off bool) (mean judge.Quality) {
	for _, subject := range w.wanted {
		q := w.measure(t, kind, subject, n, off)
		mean.F1 += q.F1 / float64(len(w.wanted))
		mean.AveragePrecision += q.AveragePrecision / float64(len(w.wanted))
	}
	return mean
}

func (w *labelledWeb) measure(t *testing.T, kind, subject string, n int, off bool) judge.Quality {
	train, rest := judgetest.Draw(w.examples(subject), n, rand.New(rand.NewPCG(seedOf(subject), 0)))
	if !off {
		train = slices.DeleteFunc(train, func(e judge.Example) bool { return !e.Relevant })
	}
	name := strings.ToLower(strings.ReplaceAll(subject[strings.LastIndex(subject, "/")+1:], "_", " "))
	wanted, m := &topic.Topic{Name: "x", Words: []string{name}}, &topic.Material{}
	if kind != "words" {
		m.Examples = train
	}
	if kind == "examples" {
		wanted.Words = nil
	}
	j, err := wanted.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	var ratings []judge.Rating
	for _, e := range rest {
		ratings = append(ratings, judge.Rating{Relevance: j.Judge(e.Page).Relevance, Relevant: e.Relevant})
	}
	return judge.Measure(ratings, judge.Threshold)
}

func seedOf(s string) uint64 {
	seed := uint64(len(s))
	for _, c := range s {
		seed = seed*31 + uint64(c)
	}
	return seed
}

func (w *labelledWeb) examples(subject string) (list []judge.Example) {
	for _, p := range w.pages {
		on := slices.ContainsFunc(w.subjects[string(p.URL)], func(s string) bool { return s == subject || strings.HasPrefix(s, subject+"/") })
		list = append(list, judge.Example{Page: p, Relevant: on})
	}
	return list
}

func readLabelledWeb(t *testing.T, dir string) *labelledWeb {
	t.Helper()
	w := &labelledWeb{subjects: map[string][]string{}, wanted: fieldsOf(t, filepath.Join(dir, "wikispeedia.topics."+*quality+".txt"))}
	rows := fieldsOf(t, filepath.Join(dir, "wikispeedia.labels.tsv"))[2:] // after the heading
	for i := 0; i+1 < len(rows); i += 2 {
		w.subjects[rows[i]] = append(w.subjects[rows[i]], rows[i+1])
	}
	f, err := os.Open(filepath.Join(dir, "wikispeedia.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r, err := range archive.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Type() == "response" && w.subjects[r.Target()] != nil {
			w.pages = append(w.pages, recorded(t, r))
		}
	}
	slices.SortFunc(w.pages, func(a, b *dowse.Page) int { return strings.Compare(string(a.URL), string(b.URL)) })
	return w
}

// fieldsOf returns the fields of a file between white space.
func fieldsOf(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}

func recorded(t *testing.T, r *archive.Record) *dowse.Page {
	t.Helper()
	resp, err := r.Response()
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	u := dowse.URL(r.Target())
	text, _ := extract.Decode(body, resp.Header.Get("Content-Type"))
	doc := extract.HTML(text, u, extract.Options{})
	doc.Links = nil
	return &dowse.Page{URL: u, Document: *doc}
}
