package judge_test

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
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
)

var (
	quality = flag.String("quality", "", "measure the judges on Wikispeedia: the topics to take, tune or report")
	only    = flag.String("judges", "", "measure only the judges whose names contain one of these, separated by commas")
)

// candidates are the judges with their defaults, as users get them.
func candidates() []judge.Candidate { return judge.Candidates("") }

// variants are further settings that are worth a line.
func variants() []judge.Candidate {
	rare := judge.Features{Prior: 0.1}
	few := judge.Features{Prior: 0.1, Damp: true, Terms: -1}
	return []judge.Candidate{
		{Name: "svm, prior 0.1", Trainer: judge.SVM{Features: rare}},
		{Name: "svm, damped, all terms, prior 0.1", Trainer: judge.SVM{Features: few}},
		{Name: "multinomial, prior 0.1", Trainer: judge.Multinomial{Features: rare}},
	}
}

// TestQuality measures the judges on the pages of Wikispeedia: trained on 10 pages
// of a topic and 20 of others, they rate all the rest. It prints means over the
// topics with their standard errors.
func TestQuality(t *testing.T) {
	if *quality == "" {
		t.Skip("not asked for: -quality=tune or -quality=report")
	}
	dir := shareddata.Path(t, "webs")
	topics, err := readLines(filepath.Join(dir, "wikispeedia.topics."+*quality+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	web := readWikispeedia(t, dir)
	fmt.Println("| judge | F1 | precision | recall | average precision | Brier | ECE |\n|---|---|---|---|---|---|---|")
	for _, c := range chosen(append(candidates(), variants()...)) {
		fmt.Printf("| %s |", c.Name)
		for i, values := range web.measure(t, c, topics) {
			format := " %.3f ± %.3f |"
			if i >= 4 {
				format = " %.4f ± %.4f |"
			}
			mean, se := meanError(values)
			fmt.Printf(format, mean, se)
		}
		fmt.Println()
	}
}

// meanError returns the mean of values, one to a topic, and its standard error.
func meanError(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

func chosen(all []judge.Candidate) (list []judge.Candidate) {
	for _, c := range all {
		for _, name := range strings.Split(*only, ",") {
			if strings.Contains(c.Name, name) {
				list = append(list, c)
				break
			}
		}
	}
	return list
}

// wikispeedia is the recorded web: pages, and the topics of each.
type wikispeedia struct {
	pages  []*dowse.Page
	topics [][]string
}

// measure returns for each measure its values by topic.
func (w *wikispeedia) measure(t *testing.T, c judge.Candidate, topics []string) (values [6][]float64) {
	for _, topic := range topics {
		q := w.measureOne(t, c, topic)
		for i, v := range []float64{q.F1, q.Precision, q.Recall, q.AveragePrecision, q.Brier, q.ECE} {
			values[i] = append(values[i], v)
		}
	}
	return values
}

func (w *wikispeedia) measureOne(t *testing.T, c judge.Candidate, topic string) judge.Quality {
	examples, rest := w.draw(topic)
	m, err := c.Trainer.Train(examples)
	if err != nil {
		t.Fatal(err)
	}
	var ratings []judge.Rating
	for _, e := range rest {
		ratings = append(ratings, judge.Rating{Relevance: m.Judge(e.Page).Relevance, Relevant: e.Relevant})
	}
	return judge.Measure(ratings, m.Threshold())
}

// draw returns 10 pages of the topic and 20 others, and all the rest.
func (w *wikispeedia) draw(topic string) (examples, rest []judge.Example) {
	seed := uint64(len(topic))
	for _, c := range topic {
		seed = seed*31 + uint64(c)
	}
	all := make([]judge.Example, len(w.pages))
	for i, p := range w.pages {
		all[i] = judge.Example{Page: p, Relevant: w.has(i, topic)}
	}
	return judgetest.Draw(all, 10, rand.New(rand.NewPCG(seed, 0)))
}

// has reports whether a page is in the topic or below it.
func (w *wikispeedia) has(page int, topic string) bool {
	return slices.ContainsFunc(w.topics[page], func(t string) bool {
		return t == topic || strings.HasPrefix(t, topic+"/")
	})
}

func readWikispeedia(t *testing.T, dir string) *wikispeedia {
	t.Helper()
	labels, err := readLabels(filepath.Join(dir, "wikispeedia.labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "wikispeedia.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := &wikispeedia{}
	for r, err := range archive.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		topics := labels[r.Target()]
		if r.Type() != "response" || topics == nil {
			continue
		}
		w.pages = append(w.pages, readPage(t, r))
		w.topics = append(w.topics, topics)
	}
	slices.SortFunc(w.pages, func(a, b *dowse.Page) int { return cmp.Compare(a.URL, b.URL) })
	for i, p := range w.pages {
		w.topics[i] = labels[string(p.URL)]
	}
	t.Logf("%d labelled pages", len(w.pages))
	return w
}

func readPage(t *testing.T, r *archive.Record) *dowse.Page {
	resp, err := r.Response()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	u := dowse.URL(r.Target())
	decoded, _ := extract.Decode(body, resp.Header.Get("Content-Type"))
	p := &dowse.Page{URL: u, Document: *extract.HTML(decoded, u, extract.Options{})}
	p.Links = nil
	return p
}

func readLabels(path string) (map[string][]string, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	labels := map[string][]string{}
	for _, line := range lines[1:] {
		url, topic, _ := strings.Cut(line, "\t")
		labels[url] = append(labels[url], topic)
	}
	return labels, nil
}

func readLines(path string) (lines []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if line := strings.TrimSpace(s.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, s.Err()
}
