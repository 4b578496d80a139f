package experiment

import (
	"path/filepath"
	"testing"

	"dowse/internal/demo"
	"dowse/internal/lab/web"
	"dowse/judge"
)

// TestRecordedTown crawls a recorded web, whose hosts are labelled, for whole sites.
func TestRecordedTown(t *testing.T) {
	sequential(t)
	dir := filepath.Join(t.TempDir(), "web")
	if _, err := web.RecordSynthetic(t.Context(), web.Synthetic{Pages: 1000}, dir, nil); err != nil {
		t.Fatal(err)
	}
	topic := ""
	for _, x := range demo.New(demo.Config{Pages: 1000}).Topics() {
		if x.Name == "tide pools" {
			topic = x.Path
		}
	}
	labels := filepath.Join(dir, "labels.tsv")
	text := "dowse: lab/v1\nname: x\nweb: {town: {recorded: ['" + dir + "'], labels: '" + labels + "', topic: '" + topic + "', seeds: [1]}}\nbudget: {pages: 400}\nstrategies:\n  - {name: site, label: sum, params: {order: sum, at_once: 4}}\n  - {name: site-pages}\nmeasures: [pages_per_called, sites_on@end]\n"
	r := ran(t, text, Options{})
	for i := range r.Trails {
		on := 0
		for _, s := range r.Trails[i].Sites {
			if s.Relevant {
				on++
			}
		}
		if len(r.Trails[i].Sites) == 0 || on == 0 || r.Trails[i].Steps.Len() == 0 {
			t.Errorf("%s examined %d sites, %d of them on topic, by %d pages", r.Trails[i].Label, len(r.Trails[i].Sites), on, r.Trails[i].Steps.Len())
		}
	}
	if _, err := newRecordedTown(townConfig{Recorded: []string{dir}, Labels: labels, Topic: "no/such/topic"}, judge.Centroid{}); err == nil {
		t.Error("a town without sites on topic was opened")
	}
	if _, err := Parse([]byte("dowse: lab/v1\nname: x\nweb: {town: {recorded: [a.warc]}}\nstrategies: [site]\n"), "x.yaml"); err == nil {
		t.Error("a recorded town without a topic was taken")
	}
}
