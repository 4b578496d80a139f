package main

import (
	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/topic"
)

// becauseOf returns reasons for JSON: stems stay, since programs compare them, and the word
// that the page uses is added.
func becauseOf(list []dowse.Because, s topic.Spelling) []facts.Cause {
	out := facts.Causes(list)
	for i := range out {
		out[i].Word = s.Word(out[i].What)
	}
	return out
}

// spell finds the words of the page behind the stems in the judge's reasons: a judge
// knows "bleach", the page has "bleaching". In JSON they are added to the stems, which
// programs compare; for people they replace them. A page that is not kept has none.
func (a *account) spell(cr *crawler.Crawler, scripts bool) {
	if a.Judged == nil {
		return
	}
	doc, err := cr.Collection.DocumentOf(a.Row)
	if err != nil {
		return
	}
	s := cr.Topic.Speller()
	a.Row.Spell = s.SpellOf(a.Row.Page.Verdict, &dowse.Page{Document: *doc}).Word
	for _, v := range []*collection.Ruling{a.Judged, a.Alone} {
		if v == nil {
			continue
		}
		var whats []string
		for _, p := range v.Because {
			whats = append(whats, p.What)
		}
		found := s.Spell(whats, &dowse.Page{Document: *doc})
		for i := range v.Because {
			if p := &v.Because[i]; scripts {
				p.Word = found.Word(p.What)
			} else {
				p.What = found.Name(p.What)
			}
		}
	}
}
