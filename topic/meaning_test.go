package topic_test

import (
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/topic"
)

// Pages decide which meaning of a word is meant, and which of its names count.
func TestMeanings(t *testing.T) {
	seen, want := growWeb(30, 90), lighthouses()
	m := &topic.Material{Meanings: []topic.Meaning{
		{Of: "lighthouse", Gloss: "a tower", Names: []string{"lantern", "the", "sea", "lens", "lighthouses", "zeppelin"}},
		{Of: "lighthouse", Gloss: "another thing", Names: []string{"subject1word3", "subject2word5", "subject4word4"}},
		{Of: "lighthouse", Gloss: "nothing that is named", Names: []string{"the", "lighthouse"}},
	}}
	g, ok, err := want.Grow(m, seen)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if len(g.Meanings) != 1 || g.Meanings[0].Gloss != "a tower" {
		t.Fatalf("%d meanings are confirmed: %+v", len(g.Meanings), g.Meanings)
	}
	c := g.Meanings[0]
	if !slices.Equal(c.Found, []string{"lantern", "lens"}) || !slices.Equal(c.Dropped, []string{"sea"}) {
		t.Errorf("found %q, dropped %q, correlation %.2f", c.Found, c.Dropped, c.Tie)
	}
}

// A name that is confirmed lets a page be learnt from that does not have the word.
func TestNamesLead(t *testing.T) {
	seen, want := growWeb(30, 90), lighthouses()
	few := 0
	for i := range seen { // only six pages keep the word
		if p := seen[i].Page; strings.Contains(p.Text, "lighthouse") {
			if few++; few > 6 {
				s := strings.ReplaceAll(p.Text, "lighthouse", "sea")
				seen[i].Page = &dowse.Page{URL: p.URL, Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
			}
		}
	}
	grown := func(list ...topic.Meaning) (on int) {
		g, ok, err := want.Grow(&topic.Material{Meanings: list}, seen)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		return g.On
	}
	names := topic.Meaning{Of: "lighthouse", Gloss: "a tower", Names: []string{"lantern", "beacon", "keeper", "lens", "lamp"}}
	if alone, with := grown(), grown(names); alone != 6 || with != 18 {
		t.Errorf("trained on %d pages by the word, and on %d with names", alone, with)
	}
}
