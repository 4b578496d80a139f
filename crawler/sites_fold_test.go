package crawler

import (
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// TestMixedFoldsAreReported: with one site on topic no whole site can be left out, and the error
// rate is too low. The user reads that.
func TestMixedFoldsAreReported(t *testing.T) {
	notes := func(sites int) string {
		m := &topic.Material{}
		for i := range 24 {
			text := fmt.Sprintf("tide pool anemone shore crab page %d", i)
			name := fmt.Sprintf("on%d.test", i%sites)
			if i%2 == 1 {
				text, name = fmt.Sprintf("engine car road price shop page %d", i), fmt.Sprintf("off%d.test", i%12)
			}
			p := &dowse.Page{URL: dowse.URL(fmt.Sprintf("http://%s/%d", name, i)), Document: dowse.Document{Text: text, Words: dowse.Words(text)}}
			m.Examples = append(m.Examples, judge.Example{Page: p, Relevant: i%2 == 0, Site: name})
		}
		if err := trainForSites(&topic.Topic{Name: "pools"}, "site", m); err != nil {
			t.Fatal(err)
		}
		return strings.Join(m.Notes, "\n")
	}
	if got := notes(1); !strings.Contains(got, "too few sites to leave whole sites out") {
		t.Errorf("one site on topic: %q", got)
	}
	if got := notes(12); got != "" {
		t.Errorf("six sites on topic: %q", got)
	}
}
