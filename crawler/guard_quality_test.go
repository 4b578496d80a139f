package crawler_test

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
	"dowse/topic"
)

var (
	guardWebs   = flag.Int("guard-webs", 0, "measure which models trained against pages seen are refused, on this many synthetic webs, each of another topic")
	guardTopics = flag.Int("guard-topics", 0, "the same on this many tuning topics of Wikispeedia")
)

// A venture is a crawl for a topic without negatives whose answers are known.
type venture struct {
	kind string // of its examples
	like []topic.Source
	on   func(dowse.URL) bool
	cfg  crawler.Config // where to crawl
}

// rights are the shares of verdicts on the first hundred pages that are right: by everyday
// texts, by every model with its own threshold, by those of them that pass both tests or
// else by everyday texts, and by the judge in use.
type rights struct{ everyday, every, passed, inUse float64 }

// TestContrastGuard crawls for topics with good and with poor examples, and measures
// how many verdicts are right by everyday texts, by models that are trained against pages
// seen, and by the judge in use, whose threshold may have been moved. Crawls in which too
// few pages can be drawn are left out.
func TestContrastGuard(t *testing.T) {
	if *guardWebs+*guardTopics == 0 {
		t.Skip("not asked for: -guard-webs=20 -guard-topics=10")
	}
	list := slices.Concat(madeVentures(t, *guardWebs), wikiVentures(t, *guardTopics))
	var kinds []string
	sums, crawls, refused := map[string]rights{}, map[string]int{}, map[string]int{}
	for _, v := range list {
		r, made := v.measure(t)
		if made == nil {
			continue
		}
		if !slices.Contains(kinds, v.kind) {
			kinds = append(kinds, v.kind)
		}
		if made.Refused {
			refused[v.kind]++
		}
		crawls[v.kind]++
		s := sums[v.kind]
		sums[v.kind] = rights{s.everyday + r.everyday, s.every + r.every, s.passed + r.passed, s.inUse + r.inUse}
		t.Logf("%s: %.2f, all models %.2f, in use %.2f; %s", v.kind, r.everyday, r.every, r.inUse, made.Error)
	}
	fmt.Println("| examples | crawls | refused | everyday texts | every model | those that pass | in use |\n|---|---|---|---|---|---|---|")
	for _, k := range kinds {
		s, n := sums[k], float64(crawls[k])
		fmt.Printf("| %s | %d | %d | %.3f | %.3f | %.3f | %.3f |\n", k, crawls[k], refused[k], s.everyday/n, s.every/n, s.passed/n, s.inUse/n)
	}
}

// measure makes the crawl. The model is nil if none was made.
func (v venture) measure(t *testing.T) (r rights, made *collection.Model) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cfg := v.cfg
	cfg.Topic, cfg.Pages, cfg.Key = &topic.Topic{Name: "x", Like: v.like}, 100, 3
	cfg.Politeness = settings.Politeness{Delay: -1, InFlight: 1}
	cfg.Trained = func(m collection.Model) { made = &m }
	said := v.crawl(t, dir, cfg, crawler.ContrastEveryday)
	if said == nil {
		return r, nil
	}
	every := v.model(t, dir, cfg)
	v.crawl(t, dir, cfg, crawler.ContrastSeen)
	if made == nil || every == nil {
		return r, nil
	}
	j, err := crawler.JudgeOf(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := v.verdicts(t, dir, every, said)
	r = rights{everyday: v.right(said), every: v.right(verdicts), inUse: v.right(v.verdicts(t, dir, j, said))}
	if r.passed = r.every; made.Refused || !keptEnough(said, verdicts) {
		r.passed = r.everyday
	}
	return r, made
}

// crawl crawls up to the limit and returns the verdicts on the pages that it visited; nil if
// an example can't be fetched.
func (v venture) crawl(t *testing.T, dir string, cfg crawler.Config, contrast string) map[dowse.URL]float64 {
	t.Helper()
	cfg.Contrast = contrast
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Log(err)
		return nil
	}
	defer c.Close()
	said := map[dowse.URL]float64{}
	for p := range c.Crawl(t.Context()) {
		said[p.URL] = p.Relevance
	}
	return said
}

// model returns the judge that is trained against pages seen, with its own threshold; nil if
// too few pages can be drawn.
func (v venture) model(t *testing.T, dir string, cfg crawler.Config) dowse.Judge {
	t.Helper()
	cfg.Contrast = crawler.ContrastSeen
	c, err := crawler.Open(dir, cfg) // sets where negative examples come from
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m, err := crawler.MaterialOf(c.Collection)
	if err != nil {
		t.Fatal(err)
	}
	if err := crawler.Contrast(t.Context(), dir, m); err != nil {
		t.Fatal(err)
	}
	if len(m.Contrast) == 0 {
		return nil
	}
	j, err := c.Topic.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// keptEnough reports whether a fifth of the pages on topic stay on topic, if there are ten:
// the test by which models were refused before thresholds were moved.
func keptEnough(said, now map[dowse.URL]float64) bool {
	on, stay := 0, 0
	for u, r := range said {
		if r >= 0.5 {
			on++
			if now[u] >= 0.5 {
				stay++
			}
		}
	}
	return on < 10 || 5*stay >= on
}

// verdicts returns the verdicts of a judge on pages that were visited.
func (v venture) verdicts(t *testing.T, dir string, j dowse.Judge, said map[dowse.URL]float64) map[dowse.URL]float64 {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	now := map[dowse.URL]float64{}
	for u, p := range kept(t, c) {
		if _, ok := said[u]; ok {
			now[u] = j.Judge(p).Relevance
		}
	}
	return now
}

func (v venture) right(verdicts map[dowse.URL]float64) float64 {
	n := 0
	for u, r := range verdicts {
		if v.on(u) == (r >= 0.5) {
			n++
		}
	}
	return float64(n) / float64(len(verdicts))
}

// likes makes examples of the first pages of lists.
func likes(each int, lists ...[]string) (like []topic.Source) {
	for _, l := range lists {
		for _, u := range l[:min(each, len(l))] {
			like = append(like, topic.Source{URL: u})
		}
	}
	return like
}

// madeVentures are crawls of synthetic webs. Each has another topic, with examples of several
// kinds drawn by chance.
func madeVentures(t *testing.T, webs int) (list []venture) {
	t.Helper()
	topics := demo.New(demo.Config{}).Topics()
	for i := range webs {
		name := topics[i%len(topics)].Name
		web := demo.New(demo.Config{Topic: name, Latency: -1, SlowLatency: -1, Seed: uint64(i / len(topics))})
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		fetched := func(all iter.Seq[dowse.URL]) (l []string) {
			for u := range all {
				if p, ok := web.Page(u); ok && p.Status == 200 && web.Allowed(u) {
					l = append(l, string(u))
				}
			}
			slices.Sort(l)
			rng.Shuffle(len(l), func(i, k int) { l[i], l[k] = l[k], l[i] })
			return l
		}
		pages := func(name string) []string { return fetched(web.Relevant(name)) }
		any := fetched(web.Pages())
		second, third := topics[(i+7)%len(topics)].Name, topics[(i+13)%len(topics)].Name
		wanted := pages(name)
		cfg := crawler.Config{Transport: web.RoundTripper(), Settings: settings.Settings{Scope: settings.Scope{Block: fickle(web)}}, Seeds: strs(web.Seeds(name, 2))}
		add := func(kind string, like []topic.Source, names ...string) {
			list = append(list, venture{"synthetic web: " + kind, like, func(u dowse.URL) bool {
				return slices.ContainsFunc(names, func(n string) bool { on, _ := web.Truth(u, n); return on })
			}, cfg})
		}
		add("three on topic", likes(3, wanted), name)
		add("six on topic", likes(6, wanted[3:]), name)
		add("two each of two subjects", likes(2, wanted[9:], pages(second)), name, second)
		add("two each of three subjects", likes(2, wanted[11:], pages(second), pages(third)), name, second, third)
		add("two on topic, two of any page", likes(2, wanted[13:], any), name)
		add("one on topic, three of any page", slices.Concat(likes(1, wanted[15:]), likes(3, any[2:])), name)
		add("two lists of its words", []topic.Source{{Text: strings.Join(topics[i%len(topics)].Words, " ")}, {Text: strings.Join(topics[i%len(topics)].Also, " ")}}, name)
	}
	return list
}

// wikiVentures are crawls of Wikispeedia for tune topics.
func wikiVentures(t *testing.T, topics int) (list []venture) {
	t.Helper()
	if topics == 0 {
		return nil
	}
	w := openWiki(t)
	data, err := os.ReadFile(filepath.Join(w.dir, "wikispeedia.topics.tune.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(data))[:topics]
	slices.Sort(w.urls)
	for i, name := range names {
		rng := rand.New(rand.NewPCG(uint64(i), 10))
		pages := func(name string) (l []string) {
			for _, u := range w.urls {
				if w.on(u, name) {
					l = append(l, string(u))
				}
			}
			rng.Shuffle(len(l), func(i, k int) { l[i], l[k] = l[k], l[i] })
			return l
		}
		wanted, second := pages(name), names[(i+3)%len(names)]
		add := func(kind string, like []topic.Source, names ...string) {
			cfg := crawler.Config{Transport: w.web}
			for _, s := range like {
				cfg.Seeds = append(cfg.Seeds, s.URL)
			}
			list = append(list, venture{"Wikispeedia: " + kind, like, func(u dowse.URL) bool {
				return slices.ContainsFunc(names, func(n string) bool { return w.on(u, n) })
			}, cfg})
		}
		add("ten on topic", likes(10, wanted), name)
		add("three on topic", likes(3, wanted), name)
		add("two each of two topics", likes(2, wanted, pages(second)), name, second)
	}
	return list
}
