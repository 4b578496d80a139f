package topic

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/text"
	"dowse/judge"
)

// A Speller finds full words for the stems in the reasons of trained judges:
// "lighthouse" for lighthous. It reads pages for that, so it is for showing
// reasons, not for judging. It may be used by many goroutines.
type Speller struct {
	analyzer *text.Analyzer
	own      map[string]bool // words of the topic itself, in lower case
}

// Speller returns a speller for reasons of the topic's judges.
func (t *Topic) Speller() *Speller {
	s := &Speller{analyzer: text.NewAnalyzer(text.Options{Language: t.Language()}), own: map[string]bool{}}
	for _, entry := range slices.Concat(t.Words, t.Also, t.Not) {
		s.own[strings.ToLower(entry)] = true
		for _, w := range s.analyzer.Tokens(entry) {
			s.own[w] = true
		}
	}
	return s
}

// A Spelling is the result of a [Speller]. The zero value has no words.
type Spelling struct {
	words map[string]string // by stem; a stem that is itself a word has itself
	own   map[string]bool
}

// Spell looks for the words behind the stems of reasons: for each stem the form
// that is most frequent in the pages, of equals the shortest, then the first in
// alphabetical order. Words of the topic itself stay as they are. What was found before, in other pages, is part of
// the result and stays as it is. missing are the reasons with a stem that is still without a word.
func (s *Speller) Spell(found Spelling, reasons []string, pages ...*dowse.Page) (_ Spelling, missing []string) {
	forms := map[string]map[string]int{}
	for _, what := range reasons {
		stems, _ := cutStems(what)
		for _, stem := range stems {
			if !s.own[stem] && found.words[stem] == "" {
				forms[stem] = map[string]int{}
			}
		}
	}
	if len(forms) > 0 {
		for _, p := range pages {
			s.count(p, forms)
		}
	}
	more := Spelling{words: map[string]string{}, own: s.own}
	maps.Copy(more.words, found.words)
	for stem, seen := range forms {
		if w := mostFrequent(seen); w != "" {
			more.words[stem] = w
		}
	}
	for _, what := range reasons {
		if stems, _ := cutStems(what); slices.ContainsFunc(stems, func(stem string) bool { return more.words[stem] == "" && !s.own[stem] }) {
			missing = append(missing, what)
		}
	}
	return more, missing
}

// SpellOf is Spell for a verdict.
func (s *Speller) SpellOf(v dowse.Verdict, pages ...*dowse.Page) Spelling {
	whats := make([]string, len(v.Because))
	for i, b := range v.Because {
		whats[i] = b.What
	}
	found, _ := s.Spell(Spelling{}, whats, pages...)
	return found
}

// count counts the words of a page that have one of the stems.
func (s *Speller) count(p *dowse.Page, forms map[string]map[string]int) {
	for _, part := range []string{p.Title, p.Description, p.Keywords, p.Text} {
		for _, w := range s.analyzer.Tokens(part) {
			if seen := forms[s.analyzer.Term(w)]; seen != nil {
				seen[w]++
			}
		}
	}
}

// mostFrequent returns the word with the highest count. Of equals it is the shorter one, then
// the later one in alphabetical order, so that the order of the map does not matter.
func mostFrequent(seen map[string]int) (best string) {
	for w, n := range seen {
		order := cmp.Or(cmp.Compare(n, seen[best]), cmp.Compare(len(best), len(w)), cmp.Compare(best, w))
		if best == "" || order > 0 {
			best = w
		}
	}
	return best
}

// Word returns the word behind the stem of a reason, or the words if it has several stems; "" if
// there is no stem or no word was found.
func (s Spelling) Word(what string) string {
	stems, _ := cutStems(what)
	found := false
	for i, stem := range stems {
		if w := s.words[stem]; w != "" && w != stem {
			stems[i], found = w, true
		}
	}
	if !found {
		return ""
	}
	return strings.Join(stems, shared)
}

// Name returns a reason with the words in place of their stems. If the topic has one of
// the words too, "(learnt)" distinguishes the two.
func (s Spelling) Name(what string) string {
	word := s.Word(what)
	if word == "" {
		return what
	}
	_, rest := cutStems(what)
	words := strings.Split(word, shared)
	name := `"` + strings.Join(words, `"`+shared+`"`) + `"`
	if slices.ContainsFunc(words, func(w string) bool { return s.own[w] }) {
		name += " (learnt)"
	}
	return name + rest
}

// Names returns reasons with words in place of stems.
func (s Spelling) Names(list []dowse.Because) []dowse.Because {
	list = slices.Clone(list)
	for i := range list {
		list[i].What = s.Name(list[i].What)
	}
	return list
}

// shared is between the terms of a reason that names several, see package judge.
const shared = "/"

// cutStems splits the quoted terms at the beginning of a reason from the rest. Most have one; the
// reasons of hashed judges have several where words share a slot.
func cutStems(what string) (stems []string, rest string) {
	rest = what
	for next := what; ; next = rest[len(shared):] {
		inner, quoted := strings.CutPrefix(next, `"`)
		stem, after, closed := strings.Cut(inner, `"`)
		if !quoted || !closed {
			return stems, rest
		}
		stems, rest = append(stems, stem), after
		if !strings.HasPrefix(rest, shared) {
			return stems, rest
		}
	}
}

// wordsBehind returns full words by term, as examples have them.
func (t *Topic) wordsBehind(terms []string, examples []judge.Example) map[string]string {
	whats := make([]string, len(terms))
	for i, term := range terms {
		whats[i] = `"` + term + `"`
	}
	found, _ := t.Speller().Spell(Spelling{}, whats, pagesOf(examples)...)
	maps.DeleteFunc(found.words, func(stem, word string) bool { return stem == word })
	return found.words
}

// pagesOf returns the pages of examples; a text becomes a page.
func pagesOf(examples []judge.Example) []*dowse.Page {
	pages := make([]*dowse.Page, len(examples))
	for i, e := range examples {
		if pages[i] = e.Page; e.Page == nil {
			pages[i] = textPage(e.Text)
		}
	}
	return pages
}
