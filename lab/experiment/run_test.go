package experiment

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/lab/measure"
	"dowse/internal/shareddata"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

var cache string // of all tests: the synthetic web is prepared once

func TestMain(m *testing.M) {
	flag.Parse()
	durable.UsualFloor = 1 << 20 // tests run on any disk
	if testing.Short() {         // the race detector makes it slow
		small = changed("limit: 3", "limit: 2", "sets: 2", "sets: 1", "pages: 60", "pages: 25")
	}
	var err error
	if cache, err = os.MkdirTemp("", "lab-experiment-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

// small is an experiment that needs little.
var small = `dowse: lab/v1
name: small
web: {demo: {pages: 1000}}
topics: {from: web, limit: 3}
training: {positives: 5, negatives: 10}
seeds: {per_topic: 2, sets: 2, rng: 3}
budget: {pages: 60}
strategies: [breadth-first, random, link-context, oracle]
`

// sequential skips a test without concurrency in short mode:
// there the race detector runs.
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
}

// changed returns the small experiment with other lines: pairs of old and new.
func changed(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(small) }

func parsed(t testing.TB, text string) *Experiment {
	t.Helper()
	x, err := Parse([]byte(text), "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func ran(t testing.TB, text string, o Options) *Results {
	t.Helper()
	o.Cache = cache
	r, err := Run(context.Background(), parsed(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// files reads all files of a folder but those that differ each time.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == cpuFile || d.Name() == effortFile {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSameBytes runs an experiment with one crawl at a time and with several.
func TestSameBytes(t *testing.T) {
	one, many := t.TempDir(), t.TempDir()
	r := ran(t, small, Options{Dir: one, Jobs: 1})
	ran(t, small, Options{Dir: many, Jobs: 5})
	if !reflect.DeepEqual(files(t, one), files(t, many)) {
		t.Error("the number of jobs changes the files of a run")
	}
	if want := len(r.Webs[0].Topics) * r.Experiment.Seeds.Sets * 4; len(r.Trails) != want || want < 8 {
		t.Fatalf("%d crawls", len(r.Trails))
	}
	again, m, err := Open(one)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Trails {
		a, b := again.Trails[i], r.Trails[i]
		same := slices.Equal(stepsOf(&a), stepsOf(&b))
		a.Steps, b.Steps = measure.Steps{}, measure.Steps{}
		if !same || !reflect.DeepEqual(a, b) {
			t.Fatalf("a trail that is opened is another one (same steps: %v):\n%+v\n%+v", same, a, b)
		}
	}
	if !reflect.DeepEqual(again.Relevant, r.Relevant) || m.Rng != 3 {
		t.Error("a run that is opened is another one")
	}
	tamper(t, filepath.Join(many, trailsDir, m.Crawls[4]), r.Trails[4])
	v, err := Verify(t.Context(), many, Options{Cache: cache})
	if err != nil || v.Crawls != len(r.Trails) || len(v.Differences) != 1 || !strings.Contains(v.Differences[0], m.Crawls[4]) {
		t.Errorf("a trail was changed: %+v, %v", v, err)
	}
}

// stepsOf lists the steps of a trail.
func stepsOf(t *measure.Trail) (list []measure.Step) {
	for _, s := range t.Steps.All() {
		list = append(list, s)
	}
	return list
}

// tamper makes a trail look better than it is.
func tamper(t *testing.T, path string, trail measure.Trail) {
	t.Helper()
	steps := stepsOf(&trail)
	steps[7].Relevant = !steps[7].Relevant
	trail.Steps = measure.StepsOf(steps...)
	data, err := packed(&trail)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestResume interrupts a run, truncates a file as a crash might, and continues.
func TestResume(t *testing.T) {
	const enough = 4
	whole, dir := t.TempDir(), t.TempDir()
	ran(t, small, Options{Dir: whole})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, parsed(t, small), Options{Dir: dir, Cache: cache, Jobs: 1, Progress: func(p Progress) {
		if p.Stage == "crawling" && p.Done == enough {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("ended with %v", err)
	}
	if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "to continue") {
		t.Errorf("half a run opens: %v", err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, trailsDir, "*.gz"))
	if err != nil || len(kept) < enough || len(kept) > enough+1 {
		t.Fatalf("%d crawls were kept, %v", len(kept), err)
	}
	if err := os.Truncate(kept[2], 100); err != nil {
		t.Fatal(err)
	}
	r := ran(t, small, Options{Dir: dir})
	if r.Kept != len(kept)-1 {
		t.Errorf("%d of %d stored crawls were used, want all", r.Kept, len(kept))
	}
	if !reflect.DeepEqual(files(t, whole), files(t, dir)) {
		t.Error("a run that was ended and went on has other files")
	}
	if _, err := Run(t.Context(), parsed(t, strings.Replace(small, "name: small", "name: other", 1)), Options{Dir: dir, Cache: cache}); err == nil {
		t.Error("an experiment is run in the folder of another")
	}
}

// TestChangedExperiment takes up only what is still the same.
func TestChangedExperiment(t *testing.T) {
	sequential(t)
	dir := t.TempDir()
	before, after := changed("limit: 3", "limit: 1"), changed("limit: 3", "limit: 1", "pages: 60", "pages: 50")
	ran(t, before, Options{Dir: dir})
	r := ran(t, after, Options{Dir: dir})
	if r.Kept != 0 || r.Trails[0].Steps.Len() != 50 {
		t.Errorf("%d stored crawls were used with another budget, want none", r.Kept)
	}
	r = ran(t, after+"about: the same\n", Options{Dir: dir})
	if r.Kept != len(r.Trails) {
		t.Errorf("%d stored crawls were used though nothing changed, want all", r.Kept)
	}
}

// TestBounds checks what must hold for any run: no strategy beats the oracle by much, and
// chance is below.
// TestBegunAnew: a folder whose run was begun anew with another budget and did not come to its
// end is not read as if it had.
func TestBegunAnew(t *testing.T) {
	sequential(t)
	dir := t.TempDir()
	ran(t, small, Options{Dir: dir, Text: []byte(small)})
	ctx, cancel := context.WithCancel(context.Background())
	other := changed("pages: 60", "pages: 40")
	_, err := Run(ctx, parsed(t, other), Options{Dir: dir, Cache: cache, Text: []byte(other), Jobs: 1, Progress: func(p Progress) {
		if p.Stage == "crawling" && p.Done > 0 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("it was to be ended: %v", err)
	}
	if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has not finished") {
		t.Errorf("half of one run and half of another: %v", err)
	}
	ran(t, other, Options{Dir: dir, Text: []byte(other)})
	if r, _, err := Open(dir); err != nil || r.Experiment.Budget.Pages != 40 || r.Trails[0].Steps.Len() > 40 {
		t.Errorf("%v", err)
	}
}

// TestTwoInOneFolder: who runs the same experiment in the same folder shares the work, who
// runs another one gets an error.
func TestTwoInOneFolder(t *testing.T) {
	sequential(t)
	alone, dir := t.TempDir(), t.TempDir()
	ran(t, small, Options{Dir: alone, Text: []byte(small)})
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := Run(context.Background(), parsed(t, small), Options{Dir: dir, Cache: cache, Text: []byte(small)}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if !reflect.DeepEqual(files(t, alone), files(t, dir)) {
		t.Error("two who share a folder leave other files than one alone")
	}
	once := sync.OnceFunc(func() { ran(t, changed("pages: 60", "pages: 30"), Options{Dir: dir}) })
	other := changed("pages: 60", "pages: 40")
	_, err := Run(context.Background(), parsed(t, other), Options{Dir: dir, Cache: cache, Text: []byte(other), Progress: func(p Progress) {
		if p.Stage == "crawling" {
			once()
		}
	}})
	if !errors.Is(err, ErrTaken) {
		t.Errorf("another experiment took the folder: %v", err)
	}
	if r, _, err := Open(dir); err != nil || r.Experiment.Budget.Pages != 30 {
		t.Errorf("the one that came to its end is damaged: %v", err)
	}
}

func TestBounds(t *testing.T) {
	sequential(t)
	r := ran(t, changed("pages: 60", "pages: 200"), Options{})
	runs := measure.Runs{Trails: r.Trails, Budget: 200}
	auc := measure.MustParse("auc")
	centre := func(name string) float64 { return auc.Centre(runs.ByTopic(auc, name)) }
	oracle, best, chance := centre("oracle"), centre("link-context"), centre("random")
	if !(oracle > best && best > chance) {
		t.Errorf("oracle %.3f, link-context %.3f, random %.3f", oracle, best, chance)
	}
	for _, tr := range r.Trails {
		seeds, relevant, trained := 0, 0, len(r.Trained[tr.Topic])
		seen := map[string]bool{}
		for _, s := range tr.Steps.All() {
			if seen[string(s.URL)] {
				t.Fatalf("%s on %s counts %s twice", tr.Label, tr.Topic, s.URL)
			}
			seen[string(s.URL)] = true
			if s.Seed {
				seeds++
			}
			if s.Relevant && !s.Seed && !s.Trained {
				relevant++
			}
		}
		if seeds != 2 || relevant > tr.Reachable || tr.Reachable > tr.Targets || tr.Targets != tr.Relevant-trained {
			t.Errorf("%s on %s: %d seeds, %d found of %d, %d in reach, %d in all, %d of them trained on", tr.Label, tr.Topic, seeds, relevant, tr.Targets, tr.Reachable, tr.Relevant, trained)
		}
	}
}

// TestSeeds draws seeds of each kind.
func TestSeeds(t *testing.T) {
	sequential(t)
	for from, want := range map[string]struct{ relevant, trained bool }{
		"training": {true, true}, "topic": {true, false}, "generic": {false, false},
	} {
		r := ran(t, changed("seeds: {", "seeds: {from: "+from+", ", "pages: 60", "pages: 10"), Options{})
		for _, tr := range r.Trails {
			for _, s := range tr.Steps.All() {
				if s.Seed && (s.Relevant != want.relevant || s.Trained && !want.trained && from == "topic" || !s.Trained && want.trained) {
					t.Errorf("seeds from %s: %s is relevant %v, trained %v", from, s.URL, s.Relevant, s.Trained)
				}
			}
		}
	}
}

// TestNeeds gives strategies what they need: a trace, paths to training pages.
func TestNeeds(t *testing.T) {
	r := ran(t, changed("[breadth-first, random, link-context, oracle]", "[collaborative, combined, treasure, context-graph]", "limit: 3", "limit: 1"), Options{Jobs: 4})
	for _, tr := range r.Trails {
		if tr.Steps.Len() < 10 {
			t.Errorf("%s visits %d pages", tr.Label, tr.Steps.Len())
		}
	}
}

// TestPredicate asks for pages with a word.
func TestPredicate(t *testing.T) {
	sequential(t)
	plain := ran(t, changed("pages: 60", "pages: 10"), Options{})
	asked := ran(t, changed("pages: 60", "pages: 10", "budget:", "predicate: not keyword(limpet)\nbudget:"), Options{})
	if len(asked.Trails) != len(plain.Trails) {
		t.Fatalf("%d crawls", len(asked.Trails))
	}
	fewer := false
	for i := range plain.Trails {
		fewer = fewer || asked.Trails[i].Relevant < plain.Trails[i].Relevant
		if asked.Trails[i].Relevant > plain.Trails[i].Relevant {
			t.Error("a predicate makes pages relevant")
		}
	}
	if !fewer {
		t.Error("the predicate holds everywhere")
	}
}

// BenchmarkPage is a simulated page of a cheap strategy: visit, crawl and frontier.
func BenchmarkPage(b *testing.B) {
	for _, name := range []string{"breadth-first", "naive-best-first", "link-context"} {
		b.Run(name, func(b *testing.B) {
			benchmarkCrawl(b, "web: {demo: {pages: 1000}}\ntraining: {positives: 5}\ntopics: {from: web, limit: 1}\nbudget: {pages: 800}\n", name)
		})
	}
}

// BenchmarkWikispeedia is a simulated page of every strategy on real pages of some
// thousand words, for one of the topics to tune on. Breadth-first is what the
// simulation costs by itself.
func BenchmarkWikispeedia(b *testing.B) {
	dir := shareddata.Path(b, "webs")
	text := fmt.Sprintf("web: {path: %[1]s/wikispeedia.warc.gz, traces: [%[1]s/wikispeedia.squid.log.gz]}\ntraining: {positives: 10}\ntopics: [Top/Science/Biology/Mammals]\nbudget: {pages: 1000}\n", dir)
	for _, d := range strategy.All() {
		b.Run(d.Name, func(b *testing.B) { benchmarkCrawl(b, text, d.Name) })
	}
}

// benchmarkCrawl reports the processor time of a simulated page, and how long the
// strategy takes for a fetched one: in most cases, and on average.
func benchmarkCrawl(b *testing.B, text, name string) {
	r, err := plan(b.Context(), parsed(b, "dowse: lab/v1\nname: x\n"+text+"round: 1\nstrategies: ["+name+"]\n"), Options{Cache: cache})
	if err != nil {
		b.Fatal(err)
	}
	defer r.close()
	j := r.jobs[0]
	if _, err := j.task.crawl(b.Context(), j.variant, j.set); err != nil { // every page is judged once
		b.Fatal(err)
	}
	pages, sum, times := 0, time.Duration(0), []time.Duration(nil)
	clock, unlock := workClock()
	defer unlock()
	begun := clock()
	for b.Loop() {
		t, err := j.timed(b.Context(), func(took time.Duration) { sum, times = sum+took, append(times, took) })
		if err != nil {
			b.Fatal(err)
		}
		pages += t.Steps.Len() + t.Failed
	}
	b.ReportMetric(float64((clock()-begun).Nanoseconds())/float64(pages), "cpu-ns/page")
	slices.Sort(times)
	b.ReportMetric(sum.Seconds()*1e6/float64(len(times)), "follow-mean-µs")
	b.ReportMetric(times[len(times)/2].Seconds()*1e6, "follow-median-µs")
}

// timed makes the crawl of a job and calls report with the time that the strategy took whenever
// it returned leads.
func (j *job) timed(ctx context.Context, report func(time.Duration)) (*measure.Trail, error) {
	topic := j.task.(*task)
	p, err := topic.prepare()
	if err != nil {
		return nil, err
	}
	seeds := topic.seedsOf(j.variant, j.set, 0)
	s, err := topic.strategy(j.variant, p, seeds)
	if err != nil {
		return nil, err
	}
	s = strategytest.Around(s, func(invoke func() []dowse.Lead) []dowse.Lead {
		begun := time.Now()
		leads := invoke()
		if len(leads) > 0 {
			report(time.Since(begun))
		}
		return leads
	})
	return topic.simulate(ctx, s, j.variant, topic.trail(j.variant, j.set, p, seeds), p, seeds)
}
