package crawler

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/wordnet"
	"dowse/strategy/input"
	"dowse/topic"
)

// Meanings returns what the words of a topic may mean by the WordNet directory dir, and the
// words that it does not have. A phrase that is not listed is looked up in its parts
// before and after "and" and "or". WordNet is English, so a topic in another language has
// no meanings.
func Meanings(dir string, t *topic.Topic) (list []topic.Meaning, unknown []string, err error) {
	if !isEnglish(t) {
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

// dictionary returns the WordNet directory for a crawl with these settings, "" for none.
func (cfg Config) dictionary(s collection.Settings) string {
	if cfg.keptWordNet(s) != "" {
		return ""
	}
	return cfg.WordNet
}

// keptWordNet returns what the settings of a crawl keep of the choice of a dictionary.
func (cfg Config) keptWordNet(s collection.Settings) string {
	switch {
	case !cfg.WordNetChosen:
		return s.WordNet
	case cfg.WordNet == "":
		return "none"
	}
	return ""
}

// isEnglish reports whether a topic is in the language of WordNet.
func isEnglish(t *topic.Topic) bool {
	base, _, _ := strings.Cut(t.Language(), "-")
	return base == "en"
}

// taxonomyOf returns what names are names of, by the WordNet directory dir; nil without a directory, and for
// a topic in another language.
func taxonomyOf(dir string, t *topic.Topic) (*wordnet.Taxonomy, error) {
	if dir == "" || !isEnglish(t) {
		return nil, nil
	}
	return wordnet.OpenTaxonomy(dir)
}

// namesOf returns what the words of a topic may stand for by the WordNet directory dir, in all their
// meanings, each name once; nil without a directory, and for a topic that more than words state.
func namesOf(dir string, t *topic.Topic) (names []string, err error) {
	if dir == "" || !t.Grows() {
		return nil, nil
	}
	list, _, err := Meanings(dir, t)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, m := range list {
		for _, name := range m.Names {
			if !known[name] && len(names) < mostNames {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// uses returns a function that reports whether a strategy uses a kind of input.
func uses(kind input.Kind) func(dowse.Strategy) bool {
	return func(s dowse.Strategy) bool {
		t, ok := s.(input.Taker)
		if !ok {
			return false
		}
		_, used := t.Inputs()
		return used&kind != 0
	}
}

// Limits of the names that a collection keeps.
const (
	mostNames   = 50_000
	longestName = 200
)

// writeNames writes one name per line.
func writeNames(w io.Writer, names []string) error {
	for _, name := range names {
		if _, err := fmt.Fprintln(w, name); err != nil {
			return fmt.Errorf("crawler: names: %w", err)
		}
	}
	return nil
}

// readNames reads what writeNames wrote.
func readNames(r io.Reader) (names []string, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if name := lines.Text(); name != "" && len(name) <= longestName && len(names) < mostNames {
			names = append(names, name)
		}
	}
	return names, lines.Err()
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
