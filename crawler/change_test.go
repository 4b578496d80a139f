package crawler_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/frontier"
	"dowse/settings"
	"dowse/topic"
)

// poolsWith returns a config for the demo web, and a topic for it.
func poolsWith(strategy string, pages int) crawler.Config {
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	cfg := crawler.Config{
		Topic:     &topic.Topic{Name: "pools", Words: []string{"tide pools", "anemone"}},
		Transport: web.RoundTripper(),
	}
	for _, u := range web.Seeds("tide pools", 2) {
		cfg.Seeds = append(cfg.Seeds, string(u))
	}
	cfg.Settings.Strategy, cfg.Key, cfg.Pages, cfg.Contact = strategy, 7, pages, "https://example.org/bot"
	cfg.Delay, cfg.InFlight = settings.None, 1 // so that it is the same at every run
	return cfg
}

// onward resumes a crawl with a config and returns its notes. It must be sound after that.
func onward(t *testing.T, dir string, cfg crawler.Config) string {
	t.Helper()
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	notes := strings.Join(c.Notes, "\n")
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	v := verified(t, dir)
	if got, want := v.Status().OnTopic, onTopicIn(t, v); got != want {
		t.Errorf("%d pages on topic are counted, %d have the relevance", got, want)
	}
	return notes
}

// onTopicIn counts the pages whose relevance reaches the threshold of the collection.
func onTopicIn(t *testing.T, c *crawler.Crawler) (n int) {
	t.Helper()
	for _, relevance := range relevances(t, c) {
		if relevance >= c.Collection.Settings.Threshold {
			n++
		}
	}
	return n
}

// relevances returns the relevance of every page.
func relevances(t *testing.T, c *crawler.Crawler) map[dowse.URL]float64 {
	t.Helper()
	all := map[dowse.URL]float64{}
	for p, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Verdict() != "" {
			all[p.URL] = p.Relevance()
		}
	}
	return all
}

// inState lists the URLs of a crawl that are in a state and match.
func inState(c *crawler.Crawler, s dowse.State, re string) (list []dowse.URL) {
	f, m := c.Collection.Crawl.Frontier(), regexp.MustCompile(re)
	for id := range frontier.ID(f.Len()) {
		if u := f.URL(id); f.State(id) == s && m.MatchString(string(u)) {
			list = append(list, u)
		}
	}
	return list
}

// TestChangesAtAResume gives a crawl another threshold, scope and topic, for strategies that
// keep different things in mind. What follows is as if they had been given from the
// beginning, and a replay of the journal gives the same.
func TestChangesAtAResume(t *testing.T) {
	sameGoroutines(t)
	all := []string{"auto", "online", "link-context", "otie"}
	if testing.Short() {
		all = []string{"link-context"} // the race detector makes the others slow
	}
	for _, name := range all {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pools.dowse")
			cfg := poolsWith(name, 60)
			onward(t, dir, cfg)
			before := verified(t, dir).Status().OnTopic

			cfg.Threshold, cfg.Pages = 0.02, 80
			if notes := onward(t, dir, cfg); !strings.Contains(notes, "changed: threshold 0.5 → 0.02; ") || !strings.Contains(notes, "changed: pages 60 → 80") {
				t.Errorf("notes: %s", notes)
			}
			if got := verified(t, dir).Status().OnTopic; got <= before {
				t.Errorf("%d pages on topic with a low threshold, %d before", got, before)
			}

			c := verified(t, dir)
			host := hostOf(inState(c, dowse.Waiting, ".")[0])
			there := inState(c, dowse.Waiting, "//"+host)
			cfg.Exclude, cfg.Pages = []string{"//" + regexp.QuoteMeta(host) + "/"}, 81
			if notes := onward(t, dir, cfg); !strings.Contains(notes, "changed: exclude unset → //") {
				t.Errorf("notes: %s", notes)
			}
			c = verified(t, dir)
			if left := inState(c, dowse.Waiting, "//"+host); len(there) == 0 || len(left) > 0 {
				t.Errorf("%d of %d URLs of a host that was excluded wait", len(left), len(there))
			}
			cfg.Exclude, cfg.Pages = []string{""}, 82
			onward(t, dir, cfg)
			again := append(inState(verified(t, dir), dowse.Waiting, "//"+host), inState(verified(t, dir), dowse.Visited, "//"+host)...)
			for _, u := range there {
				if !slices.Contains(again, u) {
					t.Errorf("%s waited, was excluded, and is not admitted again", u)
				}
			}

			cfg.Exclude, cfg.Pages = nil, 90
			cfg.Topic = &topic.Topic{Name: "pools", Words: []string{"beekeeping"}}
			notes := onward(t, dir, cfg)
			if !strings.Contains(notes, "changed: topic: ") || !strings.Contains(notes, "pages judged again; ") {
				t.Errorf("notes: %s", notes)
			}
			testJudgedBy(t, dir, cfg)
			if notes := onward(t, dir, cfg); strings.Contains(notes, "changed") {
				t.Errorf("the same again: %s", notes)
			}
		})
	}
}

func hostOf(u dowse.URL) string { return strings.Split(string(u), "/")[2] }

// testJudgedBy checks that all pages have the verdict that a crawl gives that had the topic
// of a config from the beginning.
func testJudgedBy(t *testing.T, dir string, cfg crawler.Config) {
	t.Helper()
	c := verified(t, dir)
	if data, err := c.Collection.Topic(); err != nil || string(data) != string(cfg.Topic.YAML()) {
		t.Errorf("topic %s, %v", data, err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.dowse")
	cfg.Settings.Strategy = "breadth-first" // it comes by most of the pages near the seeds
	onward(t, fresh, cfg)
	got, both := relevances(t, c), 0
	for u, want := range relevances(t, verified(t, fresh)) {
		if have, ok := got[u]; ok && have != want {
			t.Errorf("%s: relevance %v, want %v", u, have, want)
		} else if ok {
			both++
		}
	}
	if both < 3 {
		t.Errorf("%d pages could be compared", both)
	}
}

// TestTopicsThatStay refuses to replace a topic by one of another name, or by one with an
// outside judge.
func TestTopicsThatStay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	cfg := poolsWith("link-context", 5)
	onward(t, dir, cfg)
	for _, other := range []*topic.Topic{
		{Name: "algae", Words: []string{"tide pools", "anemone"}},
		{Name: "pools", Words: []string{"tide pools"}, Outside: &topic.Outside{Exec: []string{"true"}}},
	} {
		cfg.Topic = other
		var f *crawler.FrozenError
		if _, err := crawler.Open(dir, cfg); !errors.As(err, &f) || f.Setting != "topic" {
			t.Errorf("%+v: %v", other, err)
		}
	}
}

// TestExamplesAtAResume replaces a topic of words by one with examples, that by one with
// others and a seed, and that by words again. Each time the verdicts are those of a crawl
// that had the topic from the beginning, and no file of the former topic is left.
func TestExamplesAtAResume(t *testing.T) {
	sameGoroutines(t)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	cfg := poolsWith("link-context", 40)
	cfg.Contrast = crawler.ContrastEveryday
	onward(t, dir, cfg)
	seeds := verified(t, dir).Collection.Settings.Seeds
	texts := func(list ...string) (all []topic.Source) {
		for _, x := range list {
			all = append(all, topic.Source{Text: x})
		}
		return all
	}
	other := seeds[0] + "another-seed"
	for i, step := range []struct {
		topic *topic.Topic
		kept  bool // files of examples
	}{
		{&topic.Topic{
			Name: "pools", Words: []string{"tide pools"},
			Like:   append(texts("limpets and anemones in a rock pool at low tide", "the rock pool at the shore, crabs and kelp"), topic.Source{URL: seeds[0]}),
			Unlike: texts("the parliament passed a law on trade", "a concert of the city orchestra", "train lines and their stations"),
		}, true},
		{&topic.Topic{
			Name: "pools", Seeds: []string{other},
			Like:   texts("bees and honey in the hive", "the beekeeper opens the hive in spring", "a swarm of bees"),
			Unlike: texts("limpets and anemones in a rock pool", "the parliament passed a law on trade", "train lines and their stations"),
		}, true},
		{&topic.Topic{Name: "pools", Words: []string{"beekeeping"}}, false},
	} {
		cfg.Topic = step.topic
		cfg.Pages += 5
		notes := onward(t, dir, cfg)
		if !strings.Contains(notes, "changed: topic: ") {
			t.Errorf("step %d: notes: %s", i, notes)
		}
		testJudgedBy(t, dir, cfg)
		for _, name := range []string{collection.ExamplesName, collection.LockName, collection.ModelFile(collection.FirstModel)} {
			if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != step.kept {
				t.Errorf("step %d: %s: %v, want it kept: %v", i, name, err, step.kept)
			}
		}
		if notes := onward(t, dir, cfg); strings.Contains(notes, "changed") {
			t.Errorf("step %d, the same again: %s", i, notes)
		}
	}
	if got := verified(t, dir).Collection.Settings.Seeds; !slices.Contains(got, other) {
		t.Errorf("seeds %q, want that of a topic", got)
	}
}

// TestLanguageAtAResume changes the languages that a topic wants: pages that were left out for
// theirs are asked again, and kept.
func TestLanguageAtAResume(t *testing.T) {
	sameGoroutines(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lang, links := "en", ""
		if r.URL.Path == "/" {
			lang, links = "fr", "<a href=/1>limpets</a> <a href=/2>anemones</a> <a href=/3>crabs</a>"
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<html lang=%s><title>Tide pools</title><p>Tide pools of the shore, page %s. %s", lang, r.URL.Path, links)
	}))
	defer web.Close()
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	cfg := crawler.Config{Topic: &topic.Topic{Name: "pools", Words: []string{"tide pools"}, Languages: []string{"fr"}, Only: true}, Seeds: []string{web.URL + "/"}}
	cfg.Delay, cfg.AllowNet = settings.None, []string{"127.0.0.0/8"}
	onward(t, dir, cfg)
	if n := verified(t, dir).Status().Fetched; n != 1 {
		t.Fatalf("%d pages, want the one in French", n)
	}
	other := *cfg.Topic
	other.Languages = []string{"en"}
	cfg.Topic = &other
	if notes := onward(t, dir, cfg); !strings.Contains(notes, "retry lang: 3 URLs") {
		t.Errorf("notes: %s", notes)
	}
	if n := verified(t, dir).Status().Fetched; n != 4 {
		t.Errorf("%d pages, want 4", n)
	}
}

// TestCrashWhileChanging breaks a change off after every few bytes of what it writes into the
// journal, and between the files that it replaces. The collection is then as it was before
// or as it was to be, for readers and for the next crawl, and sound.
func TestCrashWhileChanging(t *testing.T) {
	sameGoroutines(t)
	root := t.TempDir()
	before, after := filepath.Join(root, "pools.dowse"), filepath.Join(root, "after", "pools.dowse")
	cfg := poolsWith("online", 40)
	onward(t, before, cfg)
	copyDir(t, before, after)
	changed := cfg
	changed.Threshold, changed.Exclude = 0.05, []string{"/[a-m][^/]*$"}
	changed.Topic = &topic.Topic{
		Name: "pools", Words: []string{"tide pools", "kelp"},
		Like:   []topic.Source{{Text: "limpets in a rock pool"}, {Text: "kelp at low tide"}, {Text: "anemones at the shore"}},
		Unlike: []topic.Source{{Text: "a law on trade"}, {Text: "the city orchestra"}, {Text: "train lines"}},
	}
	c, err := crawler.Open(after, changed) // decides again, and fetches nothing
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join("state", "journal-0000000000000000.log")
	old, written := read(t, before, journal), read(t, after, journal)
	ofTopic := []string{collection.ExamplesName, collection.LockName, collection.ModelFile(collection.FirstModel)}
	files := map[string][]byte{collection.GivenModel: nil}
	for _, name := range ofTopic {
		files[name] = []byte(read(t, after, name))
	}
	plan, err := json.Marshal(map[string]any{"after": len(old) - len("dowsej2\n"), "settings": read(t, after, "crawl.yaml"), "topic": read(t, after, "topic.yaml"), "files": files})
	if err != nil {
		t.Fatal(err)
	}
	modelLog := filepath.Join("models", "log.jsonl")
	outcomes := map[float64]int{}
	cuts := []int{len(old), len(old) + 1, len(written) - 1}
	parts := 8
	if testing.Short() {
		parts = 2
	}
	for at := len(old); at < len(written); at += 1 + (len(written)-len(old))/parts {
		cuts = append(cuts, at)
	}
	cuts = append(cuts, len(written)) // all of it
	for i := range len(cuts) + 3 {
		cut := cuts[min(i, len(cuts)-1)]
		dir := filepath.Join(root, fmt.Sprint(i), "pools.dowse")
		copyDir(t, before, dir)
		write(t, dir, journal, written[:cut])
		write(t, dir, filepath.Join("state", "change.json"), string(plan))
		if i >= len(cuts) { // the files are replaced one after the other
			write(t, dir, ofTopic[0], read(t, after, ofTopic[0]))
		}
		if i > len(cuts) {
			write(t, dir, "topic.yaml", read(t, after, "topic.yaml"))
		}
		if i > len(cuts)+1 {
			write(t, dir, "crawl.yaml", read(t, after, "crawl.yaml"))
		}
		write(t, dir, modelLog, read(t, after, modelLog)) // it is written first
		reader, err := crawler.View(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		seen := reader.Collection.Settings
		byReader, err := reader.Collection.Examples()
		if err := errors.Join(err, reader.Close()); err != nil {
			t.Fatal(err)
		}
		next, err := crawler.Open(dir, crawler.Config{Transport: cfg.Transport})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		s := next.Collection.Settings
		words := strings.Join(next.Topic.Words, " ")
		examples, err := next.Collection.Examples()
		if err := errors.Join(err, next.Close()); err != nil {
			t.Fatal(err)
		}
		if (len(examples) > 0) != (s.Threshold == 0.05) || len(byReader) != len(examples) {
			t.Errorf("cut at %d: threshold %v with %d examples, %d for a reader", cut, s.Threshold, len(examples), len(byReader))
		}
		if (s.Threshold == 0.05) != (len(s.Exclude) == 1) || (s.Threshold == 0.05) != strings.Contains(words, "kelp") || s.Threshold != seen.Threshold {
			t.Errorf("cut at %d: threshold %v (a reader: %v), exclude %q, topic %s", cut, s.Threshold, seen.Threshold, s.Exclude, words)
		}
		if _, err := os.Stat(filepath.Join(dir, "state", "change.json")); err == nil {
			t.Errorf("cut at %d: the plan is still there", cut)
		}
		verified(t, dir)
		outcomes[s.Threshold]++
	}
	if outcomes[0.5] == 0 || outcomes[0.05] == 0 {
		t.Errorf("outcomes %v, want both", outcomes)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLooserLimits takes limits back that kept URLs out: these wait again.
func TestLooserLimits(t *testing.T) {
	sameGoroutines(t)
	for _, c := range []struct {
		name string
		set  func(*crawler.Config, int)
	}{
		{"max_depth", func(c *crawler.Config, n int) { c.Depth = n }},
		{"per_host", func(c *crawler.Config, n int) { c.PerHost = n }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pools.dowse")
			cfg := poolsWith("breadth-first", 40)
			c.set(&cfg, 1)
			onward(t, dir, cfg)
			few := verified(t, dir).Status().Fetched
			c.set(&cfg, 2)
			cfg.Pages = 60
			notes := onward(t, dir, cfg)
			if !strings.Contains(notes, c.name+" 1 → 2") || !strings.Contains(notes, "links wait again that it kept out") {
				t.Errorf("notes: %s", notes)
			}
			if got := verified(t, dir).Status().Fetched; got <= few {
				t.Errorf("%d pages, %d under the tighter limit", got, few)
			}
		})
	}
}

// TestTopicOfALabelledCrawl edits the topic of a crawl whose judge was trained on labels, with
// strategies that rank without steering: it is trained again, and the labels still apply.
func TestTopicOfALabelledCrawl(t *testing.T) {
	sameGoroutines(t)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	cfg := poolsWith("link-context", 40)
	cfg.Shadows = []string{"otie", "breadth-first"}
	onward(t, dir, cfg)
	var off dowse.URL
	on := 0
	for u := range relevances(t, verified(t, dir)) {
		label := collection.LabelOn
		if on++; on%2 == 0 {
			label, off = collection.LabelOff, u
		}
		if err := collection.AppendLabels(dir, collection.Label{URL: u, Label: label, By: "test"}); err != nil {
			t.Fatal(err)
		}
		if on == 10 {
			break
		}
	}
	if _, err := crawler.Retrain(dir, ""); err != nil {
		t.Fatal(err)
	}
	cfg.Pages, cfg.Topic = 50, &topic.Topic{Name: "pools", Words: []string{"tide pools", "limpet"}}
	onward(t, dir, cfg)
	c := verified(t, dir)
	if got := c.Collection.Crawl.Model(); got != "m0002" {
		t.Errorf("the model is %s, want a new one", got)
	}
	if got := relevances(t, c)[off]; got != 0 {
		t.Errorf("a page that is labelled off has the relevance %v", got)
	}
}
