package treasure_test

import (
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/internal/text"
	"dowse/internal/tgraph"
	"dowse/strategy/internal/treasure"
	"dowse/strategy/strategytest"
)

func TestGoldenContextGraph(t *testing.T) {
	runGolden(t, "context_graph", map[string]func(*testing.T, goldenCase){
		"layer_classifier": goldenLayers,
		"crawl":            goldenContextCrawl,
	})
}

// goldenContext makes the strategy that both cases are about, without stems.
func goldenContext(t *testing.T) *treasure.ContextGraph {
	t.Helper()
	g := vectors(t, "context_graph")[0]
	in := decode[struct {
		Vocabulary []string
		Layers     [][]string
	}](t, g.Input)
	graph := &tgraph.Graph{}
	for level, docs := range in.Layers {
		for _, d := range docs {
			graph.Pages = append(graph.Pages, tgraph.Page{Level: level, Text: d})
		}
	}
	return &treasure.ContextGraph{
		TGraph: graph, Vocabulary: in.Vocabulary, Slack: g.Params["slack"].(float64),
		Analyzer: text.NewAnalyzer(text.Options{Stem: text.Whole, Stop: []string{}}),
	}
}

func goldenLayers(t *testing.T, g goldenCase) {
	in := decode[struct{ Documents map[string]string }](t, g.Input)
	want := decode[struct {
		Theta      []map[string]float64
		Thresholds []float64
		Documents  map[string]struct {
			Layer     int
			Posterior float64   `json:"posterior_of_winner"`
			Log       []float64 `json:"log_likelihood"`
			Mean      []float64 `json:"avg_log_likelihood"`
		}
	}](t, g.Expected)
	s := goldenContext(t)
	terms, theta, least := s.Layers()
	for layer, probabilities := range want.Theta {
		for word, p := range probabilities {
			equal(t, word, theta[layer][terms[word]], p)
		}
		equal(t, "threshold", least[layer], want.Thresholds[layer])
	}
	for id, d := range want.Documents {
		layer, sure, log, n := s.Place(in.Documents[id])
		if layer != d.Layer || len(log) != len(d.Log) {
			t.Errorf("%s is in layer %d, want %d", id, layer, d.Layer)
			continue
		}
		equal(t, id, sure, d.Posterior)
		for i := range log {
			equal(t, id+" likelihood", log[i], d.Log[i])
			equal(t, id+" mean", log[i]/n, d.Mean[i])
		}
	}
}

func goldenContextCrawl(t *testing.T, g goldenCase) {
	in := decode[struct {
		Web map[dowse.URL]struct {
			Text  string
			Links []dowse.URL
		}
		Seed dowse.URL
	}](t, g.Input)
	want := decode[struct {
		Log []struct {
			URL       dowse.URL
			Queue     int8
			Parent    float64 `json:"parent_posterior"`
			Layer     int
			Posterior float64
		}
		Window  int
		Average []float64 `json:"window_average_relevance"`
	}](t, g.Expected)
	web := strategytest.Toy{}
	for u, p := range in.Web {
		web[u] = strategytest.Page{Text: p.Text, Links: strategytest.To(p.Links...)}
	}
	s := goldenContext(t)
	c := newCrawl(t, s, 0, []dowse.URL{in.Seed})
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	var hits []float64
	for i, w := range want.Log {
		v, _, ok := c.Next(now)
		if !ok {
			t.Fatalf("the crawl is over after %d pages", i)
		}
		if v.URL != w.URL || v.Lead.Band != w.Queue || !near(v.Lead.Priority, w.Parent) {
			t.Errorf("visit %d: %s from queue %d at %v, want %s from %d at %v", i, v.URL, v.Lead.Band, v.Lead.Priority, w.URL, w.Queue, w.Parent)
		}
		p, took := web.Visit(v)
		layer, sure, _, _ := s.Place(p.Text)
		if layer != w.Layer || !near(sure, w.Posterior) {
			t.Errorf("visit %d: in layer %d at %v, want %d at %v", i, layer, sure, w.Layer, w.Posterior)
		}
		hits = append(hits, 0)
		if layer == 0 {
			hits[i] = 1
		}
		equal(t, "average relevance", mean(hits[max(0, i+1-want.Window):]), want.Average[i])
		now = now.Add(took)
		c.Absorb(now, p)
	}
	if _, _, ok := c.Next(now); ok {
		t.Error("the crawl goes on")
	}
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// TestContextVocabulary chooses the words by which layers are distinguished: of pages
// near the targets, and not on every page.
func TestContextVocabulary(t *testing.T) {
	g := &tgraph.Graph{Pages: []tgraph.Page{
		{Text: "tide tide tide pool site"}, {Level: 1, Text: "pool pool site crab"}, {Level: 2, Text: "far far far far far site"},
	}}
	terms, _, _ := (&treasure.ContextGraph{TGraph: g, Terms: 3}).Layers()
	var got []string
	for t := range terms {
		got = append(got, t)
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"crab", "pool", "tide"}) {
		t.Errorf("chosen: %v", got)
	}
}
