package topic_test

import (
	"slices"
	"testing"

	"dowse"
	"dowse/topic"
)

func TestSpelling(t *testing.T) {
	page := func(title, text string) *dowse.Page {
		return &dowse.Page{Document: dowse.Document{Title: title, Text: text, Words: dowse.Words(text)}}
	}
	to := &topic.Topic{Name: "x", Words: []string{"lighthouse keepers", "reef"}}
	pages := []*dowse.Page{
		page("Lighthouses", "The lighthouse, a LIGHTHOUSE of the reefs. Happy bakers bake; a baker is happier. Reefs!"),
		page("", "navigate navigated navigation"),
	}
	s := to.Speller()
	for what, want := range map[string]string{
		`"lighthous"`:                `"lighthouse" (learnt)`, // the topic has the word, too
		`"happi"`:                    `"happy"`,
		`"baker"`:                    `"baker"`, // itself a word, and as frequent as the other
		`"bake"`:                     `"bake"`,
		`"navig"`:                    `"navigate"`, // the shortest of equals
		`"reef"`:                     `"reef"`,     // as the topic writes it, though the page does not
		`"nowher"`:                   `"nowher"`,   // no such word in the pages
		`"happi" (share +0.1)`:       `"happy" (share +0.1)`,
		`"lighthouse keepers"`:       `"lighthouse keepers"`,
		`"happi"/"reef"/"navig" (x)`: `"happy"/"reef"/"navigate" (learnt) (x)`, // words that share a weight
		`"nowher"/"x`:                `"nowher"/"x`,
		"bias":                       "bias", `where title: "happi": yes`: `where title: "happi": yes`, "": "", `"`: `"`, `"happi`: `"happi`,
	} {
		found, _ := s.Spell(topic.Spelling{}, []string{what, "title"}, pages...)
		if got := found.Name(what); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	v := dowse.Verdict{Because: []dowse.Because{{What: `"happi"`, Weight: 1}, {What: "bias", Weight: -3}}}
	found := s.SpellOf(v, pages...)
	if got := found.Names(v.Because); got[0].What != `"happy"` || got[1].What != "bias" || v.Because[0].What != `"happi"` {
		t.Errorf("%v of %v", got, v.Because)
	}
	if w := found.Word(`"happi"`); w != "happy" {
		t.Errorf("happi: %q", w)
	}
	if w := (topic.Spelling{}).Name(`"happi"`); w != `"happi"` {
		t.Errorf("nobody looked: %q", w)
	}
}

// Stems are those of the topic's language.
func TestSpellingOfOtherLanguages(t *testing.T) {
	to := &topic.Topic{Name: "x", Words: []string{"Küste"}, Languages: []string{"de"}}
	p := &dowse.Page{Document: dowse.Document{Text: "Die Leuchttürme und ihre Wärter: Leuchttürme, Leuchtturm."}}
	found, missing := to.Speller().Spell(topic.Spelling{}, []string{`"leuchtturm"`, `"seekart"`, `"küste"`, "bias"}, p)
	if got := found.Name(`"leuchtturm"`); got != `"leuchttürme"` || !slices.Equal(missing, []string{`"seekart"`}) {
		t.Errorf("leuchtturm: %s, without a word: %q", got, missing)
	}
	// Another page has the word that is missing, and changes no other.
	more, missing := to.Speller().Spell(found, []string{`"leuchtturm"`, `"seekart"`}, &dowse.Page{Document: dowse.Document{Text: "Seekarten, Leuchtturm, Leuchtturm."}})
	if a, b := more.Name(`"leuchtturm"`), more.Name(`"seekart"`); a != `"leuchttürme"` || b != `"seekarten"` || missing != nil || found.Word(`"seekart"`) != "" {
		t.Errorf("with another page: %s, %s, without a word: %q", a, b, missing)
	}
}
