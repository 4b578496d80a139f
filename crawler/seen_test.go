package crawler_test

import (
	"context"
	"dowse/settings"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/topic"
)

// likeOnly is a topic of which only pages on topic are known.
func likeOnly(web *demo.Web) *topic.Topic {
	t := &topic.Topic{Name: "pools"}
	for u := range web.Relevant("tide pools") {
		if _, ok := web.Page(u); ok && len(t.Like) < 6 {
			t.Like = append(t.Like, topic.Source{URL: string(u)})
		}
	}
	return t
}

// pools crawls the synthetic web for a topic without negatives, one visit at a time.
type pools struct {
	web    *demo.Web
	server *demo.Server
	dir    string
	topic  *topic.Topic
	models []collection.Model // that Trained was called with
}

func newPools(t *testing.T) *pools {
	t.Helper()
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	server, err := web.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return &pools{web: web, server: server, topic: likeOnly(web), dir: filepath.Join(t.TempDir(), "pools.dowse")}
}

// crawl goes on up to a number of pages and returns what the judge said of each when it
// was visited.
func (p *pools) crawl(t *testing.T, pages int, contrast string) (said map[dowse.URL]float64) {
	t.Helper()
	var seeds []string
	for _, u := range p.web.Seeds("tide pools", 2) {
		seeds = append(seeds, string(u))
	}
	c, err := crawler.Open(p.dir, crawler.Config{
		Topic: p.topic, Seeds: seeds, Settings: settings.Settings{Order: settings.Order{Strategy: "link-context"}, Key: 3, Contrast: contrast, Scope: settings.Scope{Block: fickle(p.web)}, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}}, Dial: p.server.Dial,

		Trained: func(m collection.Model) { p.models = append(p.models, m) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	said = map[dowse.URL]float64{}
	for page := range c.Crawl(context.Background()) {
		said[page.URL] = page.Relevance
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	return said
}

// verdicts returns what is held of the pages now.
func (p *pools) verdicts(t *testing.T) map[dowse.URL]float64 {
	t.Helper()
	c, err := crawler.View(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	now := map[dowse.URL]float64{}
	for row, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		now[row.URL] = row.Relevance()
	}
	return now
}

// hits is how often the verdicts are those of the synthetic web.
func (p *pools) hits(verdicts map[dowse.URL]float64) float64 {
	n := 0
	for u, r := range verdicts {
		if on, _ := p.web.Truth(u, "tide pools"); on == (r >= 0.5) {
			n++
		}
	}
	return float64(n) / float64(len(verdicts))
}

// TestSeenPagesTeach crawls for a topic of which only pages on topic are known. After
// 100, 200 and 400 pages its judge is trained against pages that were seen; that is
// reported, makes it better, and can be undone.
func TestSeenPagesTeach(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	p := newPools(t)
	first := p.crawl(t, 99, "")
	if len(p.models) != 0 {
		t.Fatalf("trained after %d pages: %+v", len(first), p.models)
	}
	p.crawl(t, 110, "")
	if len(p.models) != 1 {
		t.Fatalf("%d models after 110 pages", len(p.models))
	}
	m := p.models[0]
	if m.Model != "m0001" || m.Before != "m0000" || m.Seen != 100 || m.Contrast < topic.FewestSeen || m.Instead == 0 || m.Labels != 0 || m.Verdicts == 0 || m.Error != "" {
		t.Errorf("%+v", m)
	}
	now := p.verdicts(t)
	was, is := map[dowse.URL]float64{}, map[dowse.URL]float64{}
	for u, r := range first {
		was[u], is[u] = r, now[u]
	}
	t.Logf("right of %d verdicts: %.3f under m0000, %.3f under m0001 (%d pages seen, %d verdicts changed)", len(was), p.hits(was), p.hits(is), m.Contrast, m.Verdicts)
	if p.hits(is) <= p.hits(was) {
		t.Errorf("right of the verdicts: %.3f, and %.3f before", p.hits(is), p.hits(was))
	}
	p.crawl(t, 410, "")
	if len(p.models) != 3 || p.models[1].Seen != 200 || p.models[2].Model != "m0003" || p.models[2].Seen != 400 {
		t.Errorf("after 410 pages: %+v", p.models)
	}
	p.undone(t, first)
}

// undone goes back to the judge of the topic alone, whose verdicts are as before. The
// crawl leaves it at that.
func (p *pools) undone(t *testing.T, first map[dowse.URL]float64) {
	t.Helper()
	if err := collection.AppendLabels(p.dir, collection.Label{Do: collection.DoUndo, Model: collection.FirstModel}); err != nil {
		t.Fatal(err)
	}
	back, err := crawler.Retrain(p.dir, "")
	if err != nil || back.Model != collection.FirstModel || !back.Undo || back.Contrast != 0 {
		t.Fatalf("%+v, %v", back, err)
	}
	now := p.verdicts(t)
	for u, r := range first {
		if now[u] != r {
			t.Errorf("%s: %v, and %v at first", u, now[u], r)
		}
	}
	p.models = nil
	p.crawl(t, len(now)+10, "")
	if len(p.models) != 0 {
		t.Errorf("after the undo it was trained again: %+v", p.models)
	}
	c, err := crawler.View(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if v, err := c.Verify(nil); err != nil || !v.OK() || !v.Replayed {
		t.Errorf("%v %v", err, v.Problems)
	}
}

// TestUndoKeepsUntrainedLabels gives labels after a model was trained and returns to the model
// before. The labels stay in force, and the next request trains a model on them instead of
// repeating the undo.
func TestUndoKeepsUntrainedLabels(t *testing.T) {
	sameGoroutines(t)
	p := newPools(t)
	p.crawl(t, 105, crawler.ContrastSeen)
	if len(p.models) != 1 {
		t.Fatalf("models: %+v, want one", p.models)
	}
	var lines []collection.Label
	for u := range p.verdicts(t) {
		if lines = append(lines, collection.Label{URL: u, Label: collection.LabelOn}); len(lines) == 3 {
			break
		}
	}
	lines = append(lines, collection.Label{Do: collection.DoUndo, Model: collection.FirstModel, Since: 1})
	if err := collection.AppendLabels(p.dir, lines...); err != nil {
		t.Fatal(err)
	}
	if m, err := crawler.Retrain(p.dir, ""); err != nil || !m.Undo {
		t.Fatalf("undo: %+v, %v", m, err)
	}
	labels, err := collection.ReadLabels(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	models, err := collection.Models(p.dir)
	if got := labels.Untrained(models); err != nil || len(labels.Standing()) != 3 || got != 3 {
		t.Fatalf("after the undo %d labels count and %d are untrained, want 3 and 3 (%v)", len(labels.Standing()), got, err)
	}
	if err := collection.AppendLabels(p.dir, collection.Label{Do: collection.DoTrain, Accept: true}); err != nil {
		t.Fatal(err)
	}
	if m, err := crawler.Retrain(p.dir, ""); err != nil || m.Undo || m.Labels != 3 || m.Error != "" {
		t.Errorf("training after the undo: %+v, %v; want a model of 3 labels", m, err)
	}
}

// TestSeenPagesSwitchedOff trains against everyday texts as long as that is the setting, which may
// change later.
// The pages that it is trained against are then the same.
func TestSeenPagesSwitchedOff(t *testing.T) {
	p := newPools(t)
	p.crawl(t, 105, crawler.ContrastEveryday)
	if len(p.models) != 0 {
		t.Fatalf("%+v", p.models)
	}
	if m, err := crawler.Retrain(p.dir, ""); err != nil || m.Contrast != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	p.crawl(t, 106, crawler.ContrastSeen)
	if len(p.models) != 1 || p.models[0].Seen != 100 {
		t.Errorf("%+v", p.models)
	}
}

// Labels lead to a model that is trained against pages seen, too, as long as few of them
// are off topic, and the model is the same when it is read again.
func TestLabelsBesideSeenPages(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	p := newPools(t)
	p.crawl(t, 110, "")
	var on dowse.URL
	for u := range p.verdicts(t) {
		if yes, _ := p.web.Truth(u, "tide pools"); yes && (on == "" || u < on) {
			on = u
		}
	}
	if err := collection.AppendLabels(p.dir, collection.Label{URL: on, Label: collection.LabelOn}, collection.Label{Do: collection.DoTrain, Accept: true}); err != nil {
		t.Fatal(err)
	}
	m, err := crawler.Retrain(p.dir, "")
	if err != nil || m.Model != "m0002" || m.Labels != 1 || m.Contrast < topic.FewestSeen || m.Seen != 100 {
		t.Fatalf("%+v, %v", m, err)
	}
	j, err := crawler.JudgeOf(p.dir, "m0002")
	if err != nil || j.Zero() != *m.Zero {
		t.Fatalf("zero %v, %v", j, err)
	}
	held := p.verdicts(t)
	c, err := crawler.View(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pages := kept(t, c)
	for u, want := range held {
		if got := j.Judge(pages[u]).Relevance; u != on && got != want {
			t.Errorf("%s: the relevance is %v after the model was read again, want %v", u, got, want)
		}
	}
}

// kept reads the pages of a collection from its archive.
func kept(t *testing.T, c *crawler.Crawler) map[dowse.URL]*dowse.Page {
	t.Helper()
	pages := map[dowse.URL]*dowse.Page{}
	for row, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		page := &dowse.Page{URL: row.URL, Fetch: dowse.Fetch{Archive: row.Fetch.Archive}}
		doc, err := c.Collection.Document(page)
		if err != nil {
			t.Fatal(err)
		}
		page.Document = *doc
		pages[row.URL] = page
	}
	return pages
}

// TestOthersOfCollection distinguishes the pages of a collection that a topic names from others that
// were seen there.
func TestOthersOfCollection(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	p := newPools(t)
	p.crawl(t, 105, "")
	gather := func() *topic.Material {
		m, err := crawler.Gather(t.Context(), &topic.Topic{Name: "again", Like: []topic.Source{{Collection: p.dir, Limit: 8}}}, crawler.Config{Dial: p.server.Dial})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := gather()
	if len(m.Contrast) < topic.FewestSeen || m.MissingNegatives() != 0 || !slices.ContainsFunc(m.Notes, func(s string) bool {
		return s == "no example is off topic: "+fmt.Sprint(len(m.Contrast))+" "+m.ContrastOf+" serve as negative examples"
	}) {
		t.Errorf("%d others, notes %q", len(m.Contrast), m.Notes)
	}
	wrong := 0
	for _, e := range m.Contrast {
		if on, _ := p.web.Truth(e.Page.URL, "tide pools"); on {
			wrong++
		}
	}
	if wrong > len(m.Contrast)/10 {
		t.Errorf("%d of %d others are on topic", wrong, len(m.Contrast))
	}
	urls := func(m *topic.Material) (list []dowse.URL) {
		for _, e := range m.Contrast {
			list = append(list, e.Page.URL)
		}
		return list
	}
	if diff := cmp.Diff(urls(m), urls(gather())); diff != "" {
		t.Errorf("drawn again, others come: %s", diff)
	}
}

// madeModel returns how a model was made.
func madeModel(t *testing.T, dir, name string) collection.Model {
	t.Helper()
	list, err := collection.Models(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := collection.MadeModel(list, name)
	if !ok {
		t.Fatalf("no %s in %+v", name, list)
	}
	return m
}

// inUse returns how the model that judges was made.
func inUse(t *testing.T, dir string) collection.Model {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	name := c.Collection.Crawl.Model()
	if name == "" {
		name = collection.FirstModel
	}
	return madeModel(t, dir, name)
}
