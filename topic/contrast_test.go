package topic_test

import (
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/topic"
)

// What stands in where a topic names no page that is not on topic: pages of the
// collection that it names, if there are enough of them, else everyday texts.
func TestContrastOfCollections(t *testing.T) {
	var seen []*dowse.Page
	for i := range 80 {
		seen = append(seen, page(fmt.Sprintf("https://s%d.example/", i), "Oven", fmt.Sprintf("Bread %d, flour and yeast from the oven; the crust of loaf %d.", i, i)))
	}
	for _, test := range []struct {
		source string
		others []*dowse.Page
		want   int
		note   string
	}{
		{"{dir: old.dowse}", seen, 60, "no example is off topic: 60 pages of collection old.dowse, taken at random, serve as negative examples"},
		{"{dir: old.dowse}", seen[:topic.FewestSeen], topic.FewestSeen, "20 pages of collection old.dowse, taken at random, serve as negative examples"},
		{"{dir: old.dowse}", seen[:topic.FewestSeen-1], 0, "no example is off topic: 30 everyday texts serve as negative examples;"},
		{`{dir: old.dowse, label: "off"}`, seen, 0, "30 everyday texts"},
	} {
		file := "dowse: topic/v1\nname: heat\nlike:\n  - collection: " + test.source + "\n"
		_, m, j := gathered(t, file, shelf{pages: map[string][]*dowse.Page{
			"collection old.dowse label on": heat, "collection old.dowse label off": heat, "others of old.dowse": test.others,
		}})
		if len(m.Contrast) != test.want || !strings.Contains(strings.Join(m.Notes, "\n"), test.note) {
			t.Errorf("%s, %d others: %d contrast pages; notes %q", test.source, len(test.others), len(m.Contrast), m.Notes)
		}
		if (m.MissingNegatives() == 0) != (test.want > 0) || m.WantedNegatives() != 2*m.MissingNegatives() {
			t.Errorf("%s: MissingNegatives %d, WantedNegatives %d", test.source, m.MissingNegatives(), m.WantedNegatives())
		}
		if on, off := j.Judge(wave).Relevance, j.Judge(bake).Relevance; on <= off {
			t.Errorf("%s: heat %g, bread %g", test.source, on, off)
		}
	}
}

// A model that is read again with its zero judges as it did, without what it was trained
// against.
func TestZeroIsKept(t *testing.T) {
	file := "dowse: topic/v1\nname: heat\nlike:\n  - file: on/*.txt\n"
	wanted, m, j := gathered(t, file, shelf{pages: map[string][]*dowse.Page{"file on/*.txt": heat}})
	zero := j.Zero()
	if zero == 0 {
		t.Fatal("everyday texts make a judge too sure, and nothing is taken off")
	}
	again, err := wanted.NewJudge(&topic.Material{Trained: j.Model(), Zero: &zero})
	if err != nil || again.Judge(wave).Relevance != j.Judge(wave).Relevance {
		t.Errorf("%v, and %v when it is read again; %v", j.Judge(wave).Relevance, again.Judge(wave).Relevance, err)
	}
	if bare, err := wanted.NewJudge(&topic.Material{Trained: j.Model()}); err != nil || bare.Judge(wave).Relevance == j.Judge(wave).Relevance {
		t.Errorf("without its zero it says the same: %v", err)
	}
	m.Zero = &zero
	if m.SetContrast(nil, topic.OfCrawl); m.Zero != nil || m.Trained != nil {
		t.Error("what was trained before still counts")
	}
}
