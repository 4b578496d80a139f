package crawler_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/topic"
)

// newTyped is a crawl of the synthetic web for a few words.
func newTyped(t *testing.T) *pools {
	t.Helper()
	p := newPools(t)
	p.topic = &topic.Topic{Name: "pools", Words: []string{"tide pools"}}
	return p
}

// TestWordsGrow crawls for words alone. After 200 pages the judge grows from them, which the
// crawl reports, which lets it find more, and which can be undone. After 100 the model is
// refused: it calls more pages relevant than the words do, and these nearly all. A crawl that is set to everyday texts keeps its words.
func TestWordsGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	p := newTyped(t)
	first := p.crawl(t, 199, "")
	if len(p.models) != 1 || !p.models[0].Refused || p.models[0].Seen != 100 {
		t.Fatalf("after %d pages: %+v", len(first), p.models)
	}
	p.crawl(t, 210, "")
	if len(p.models) != 2 {
		t.Fatalf("%d models after 210 pages", len(p.models))
	}
	m := p.models[1]
	if m.Model != "m0002" || m.Before != "m0000" || m.Seen != 200 || m.Grown == 0 || m.Contrast < topic.FewestSeen || m.Labels != 0 || m.Verdicts == 0 || m.Error != "" {
		t.Errorf("%+v", m)
	}
	p.unasked(t)
	p.crawl(t, 400, "")
	plain := newTyped(t)
	plain.crawl(t, 400, crawler.ContrastEveryday)
	grown, alone := p.found(t), plain.found(t)
	t.Logf("on topic of 400 pages: %d with judges that grew, %d by the words alone", grown, alone)
	if grown <= alone || len(plain.models) != 0 {
		t.Errorf("found %d pages on topic, and %d by the words alone; models %+v", grown, alone, plain.models)
	}
	p.undone(t, first)
}

// unasked checks that a verdict rests on words that the topic does not have, and that why
// names them.
func (p *pools) unasked(t *testing.T) {
	t.Helper()
	c, err := crawler.View(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for u, r := range p.verdicts(t) {
		if r < 0.5 {
			continue
		}
		x, err := c.Collection.Why(u)
		if err != nil {
			t.Fatal(err)
		}
		if x.Judged != nil && slices.ContainsFunc(x.Judged.Because, func(b collection.Part) bool {
			return b.Weight > 0 && b.What != `"tide pools"` && b.What != `"tide"` && b.What != `"pools"` && b.What != "bias"
		}) {
			return
		}
	}
	t.Error("no reason of any page on topic is a word that the topic does not have")
}

// found returns how many of the pages that were visited are on topic.
func (p *pools) found(t *testing.T) (n int) {
	t.Helper()
	for u := range p.verdicts(t) {
		if on, _ := p.web.Truth(u, "tide pools"); on {
			n++
		}
	}
	return n
}

// TestLabelsBesideGrowth labels the ten pages of which the grown judge is least sure,
// truthfully. The new model grows as well, with the labels among its examples, and does
// not judge worse than the one before.
func TestLabelsBesideGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	p := newTyped(t)
	p.crawl(t, 210, "")
	before := p.verdicts(t)
	unsure := slices.SortedFunc(maps.Keys(before), func(a, b dowse.URL) int {
		return cmp.Or(cmp.Compare(math.Abs(before[a]-0.5), math.Abs(before[b]-0.5)), cmp.Compare(a, b))
	})
	var labels []collection.Label
	for _, u := range unsure[:10] {
		label := collection.Label{URL: u, Label: collection.LabelOff}
		if on, _ := p.web.Truth(u, "tide pools"); on {
			label.Label = collection.LabelOn
		}
		labels = append(labels, label)
	}
	if err := collection.AppendLabels(p.dir, append(labels, collection.Label{Do: collection.DoTrain})...); err != nil {
		t.Fatal(err)
	}
	m, err := crawler.Retrain(p.dir, "")
	if err != nil || m.Labels != 10 || m.Grown == 0 || m.Seen != 200 {
		t.Fatalf("%+v, %v", m, err)
	}
	after := p.verdicts(t)
	t.Logf("right of %d verdicts: %.3f, and %.3f before; on topic %d, and %d before", len(after), p.hits(after), p.hits(before), onTopic(after), onTopic(before))
	if p.hits(after) < p.hits(before) {
		t.Errorf("ten truthful labels took the share of right verdicts from %.3f to %.3f", p.hits(before), p.hits(after))
	}
}

// onTopic returns how many verdicts call a page relevant.
func onTopic(verdicts map[dowse.URL]float64) (n int) {
	for _, r := range verdicts {
		if r >= 0.5 {
			n++
		}
	}
	return n
}
