package experiment

import (
	"os"
	"path/filepath"
	"strings"
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
	for _, c := range []struct{ path, topic, want string }{
		{dir, topic + "s", "did you mean"}, {dir + "x", topic, "no such file"},
	} {
		if _, err := newRecordedTown(townConfig{Recorded: []string{c.path}, Labels: labels, Topic: c.topic}, judge.Centroid{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %s: %v, want %s", c.topic, c.path, err, c.want)
		}
	}
	if web, _ := r.Experiment.Setting(r.Webs); web != "recorded towns" {
		t.Errorf("the webs are called %q", web)
	}
	if _, err := Parse([]byte("dowse: lab/v1\nname: x\nweb: {town: {recorded: [a.warc]}}\nstrategies: [site]\n"), "x.yaml"); err == nil {
		t.Error("a recorded town without a topic was taken")
	}
}

// TestTablesOfClasses: a table without classes would leave the decision to the judge, so it is
// refused, as is one that is not there.
func TestTablesOfClasses(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.tsv")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{empty: "has no class", empty + "x": "write topics, or the path of a table"} {
		if _, err := (&labelledWeb{}).classes(&Experiment{Classes: file}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
