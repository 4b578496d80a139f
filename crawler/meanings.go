package crawler

import (
	"errors"
	"strings"

	"dowse/internal/wordnet"
	"dowse/topic"
)

// Meanings returns what the words of a topic may mean by the WordNet directory dir, and the
// words that it does not have. A phrase that is not listed is looked up in its parts
// before and after "and" and "or". WordNet is English, so a topic in another language has
// no meanings.
func Meanings(dir string, t *topic.Topic) (list []topic.Meaning, unknown []string, err error) {
	if base, _, _ := strings.Cut(t.Language(), "-"); base != "en" {
		return nil, nil, nil
	}
	d, err := wordnet.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for _, phrase := range t.Words {
		found, err := meaningsOf(d, phrase)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			unknown = append(unknown, phrase)
		}
		list = append(list, found...)
	}
	return list, unknown, nil
}

// meaningsOf looks a phrase up, and its parts where it is not listed itself.
func meaningsOf(d *wordnet.Dict, phrase string) (list []topic.Meaning, err error) {
	for _, part := range append([]string{phrase}, splitPhrase(phrase)...) {
		senses, err := d.Senses(part, topic.MaxNames)
		if err != nil {
			return nil, err
		}
		for _, s := range senses {
			list = append(list, topic.Meaning{Of: part, Gloss: s.Gloss, Names: s.Names})
		}
		if part == phrase && len(list) > 0 {
			break
		}
	}
	return list, nil
}

// splitPhrase returns the parts of a phrase that "and" or "or" joins, none if it has neither.
func splitPhrase(phrase string) (parts []string) {
	var part []string
	words := append(strings.Fields(strings.ToLower(phrase)), "and")
	for _, w := range words {
		if w != "and" && w != "or" && w != "&" {
			part = append(part, w)
			continue
		}
		if len(part) > 0 {
			parts = append(parts, strings.Join(part, " "))
		}
		part = nil
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}
