package experiment

import (
	"strings"
	"testing"
)

// TestSources: every strategy that has a source exists, and so does the work.
func TestSources(t *testing.T) {
	known := (&Experiment{}).available()
	for _, d := range siteStrategies() {
		known[d.Name] = d
	}
	for name, key := range sources {
		if _, ok := known[name]; !ok {
			t.Errorf("there is no strategy %s", name)
		}
		if works()[key].BibTeX == "" {
			t.Errorf("there is no work %s", key)
		}
	}
}

// TestCited: works are listed once, those that the experiment names first.
func TestCited(t *testing.T) {
	x := &Experiment{Cite: []string{"seyfi2015"}, Strategies: []Strategy{{Name: "otie"}, {Name: "opic"}, {Name: "treasure"}, {Name: "random"}}}
	var years []string
	for _, w := range x.Cited([]WebFacts{{Name: "Wikispeedia"}}) {
		author, _, _ := strings.Cut(w.Text, " ")
		years = append(years, strings.Trim(author, ","))
	}
	if got := strings.Join(years, " "); got != "Seyfi Wang West West" {
		t.Errorf("cited: %s", got)
	}
}
