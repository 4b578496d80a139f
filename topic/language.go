package topic

import (
	"cmp"

	"dowse/internal/text"
)

// noteLanguage adds a note if a topic does not set its language and most
// positive examples are not in English: they would be stemmed as English, and
// separated from English texts by words that every page in their language has.
func (t *Topic) noteLanguage(m *Material) {
	if len(t.Languages) > 0 {
		return
	}
	on, _ := m.Counts()
	spoken := map[string]int{}
	for i, p := range pagesOf(m.Examples) {
		if !m.Examples[i].Relevant {
			continue
		}
		detected, _ := text.Detect(p.Text, nil)
		language := baseOf(cmp.Or(detected, p.Language))
		if spoken[language]++; 2*spoken[language] <= on {
			continue
		}
		if language != "" && language != t.Language() {
			m.note("most examples are in %q and are read as English: add languages: [%s]", language, language)
		}
		return
	}
}
