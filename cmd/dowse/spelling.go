package main

import (
	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/topic"
)

// becauseOf returns reasons as scripts see them: stems stay, with their words beside them.
func becauseOf(list []dowse.Because, s topic.Spelling) []because {
	out := make([]because, len(list))
	for i, b := range list {
		out[i] = because{b.What, s.Word(b.What), b.Weight, b.Count}
	}
	return out
}

// spell finds the words behind the stems in what an explanation gives as reasons, as the
// page has them: for scripts beside the stems, for people in their place. A page that is
// not kept tells none.
func (a *account) spell(cr *crawler.Crawler, scripts bool) {
	row, err := cr.Collection.Row(a.URL)
	if err != nil || a.Verdict == nil {
		return
	}
	doc, err := cr.Collection.DocumentOf(row)
	if err != nil {
		return
	}
	s := cr.Topic.Speller()
	for _, v := range []*collection.Ruling{a.Verdict, a.Alone} {
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
