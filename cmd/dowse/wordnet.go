package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dowse/crawler"
	"dowse/internal/wordnet"
	"dowse/topic"
)

// wordNetFlag names the dictionary that lists what the words of a topic may mean: for
// "planets" it has the kinds and the names, Mars and Neptune among them. Such words count
// only if pages of the crawl confirm them. The dictionary is optional; without it a judge
// grows from the pages alone.
type wordNetFlag struct {
	WordNet string `name:"wordnet" group:"order" rare:"" placeholder:"DIR" shown:"$WNSEARCHDIR" help:"WordNet directory (WNDB); none: do without."`
}

// noWordNet is the value of the flag that does without a dictionary.
const noWordNet = "none"

// wordNet returns the directory to use: that of the flag, of WNSEARCHDIR, or Debian's; ""
// where there is none. A directory that is named must be there, since the user relies on
// it; the usual place may be empty.
func (f *wordNetFlag) wordNet(w *world) (string, error) {
	if f.WordNet == noWordNet {
		return "", nil
	}
	for _, dir := range []string{f.WordNet, w.env("WNSEARCHDIR")} {
		if dir == "" {
			continue
		}
		d, err := wordnet.Open(dir)
		if err != nil {
			return "", usage("%s: no WordNet directory: %v", dir, err)
		}
		return dir, d.Close()
	}
	if _, err := os.Stat(filepath.Join(wordnet.Default, "index.noun")); err != nil {
		return "", nil
	}
	return wordnet.Default, nil
}

// withoutWordNet is printed once where the dictionary is missing.
const withoutWordNet = "no WordNet: kinds of the words are not known (Debian: wordnet-base)"

// shownSenses and shownKinds bound what topic check prints of a word.
const (
	shownSenses = 4
	shownKinds  = 6
)

// understood describes what the words of a topic may mean, and what is left out: the
// meanings of each word with kinds and names, and the words that the dictionary does not
// have. A user sees before a crawl whether "planets" was understood as intended.
func (f *wordNetFlag) understood(dir string, t *topic.Topic) (list []topic.Finding) {
	if !t.Grows() || f.WordNet == noWordNet {
		return nil
	}
	if dir == "" {
		return []topic.Finding{{Level: topic.Hint, Text: withoutWordNet}}
	}
	meanings, unknown, err := crawler.Meanings(dir, t)
	if err != nil {
		return []topic.Finding{{Level: topic.Warn, Text: fmt.Sprintf("%s: %v", dir, err)}}
	}
	shown := map[string]int{}
	for i, m := range meanings {
		if shown[m.Of]++; shown[m.Of] <= shownSenses {
			list = append(list, topic.Finding{Level: topic.OK, Text: meaningLine(m)})
		}
		last := i+1 == len(meanings) || meanings[i+1].Of != m.Of
		if n := shown[m.Of] - shownSenses; last && n > 0 {
			list = append(list, topic.Finding{Level: topic.OK, Text: fmt.Sprintf("%q has %s more", m.Of, some(n, "meaning"))})
		}
	}
	for _, word := range unknown {
		list = append(list, topic.Finding{Level: topic.Hint, Text: fmt.Sprintf("WordNet does not have %q: only the words themselves count", word)})
	}
	return list
}

// meaningLine describes a meaning that is to be confirmed.
func meaningLine(m topic.Meaning) string {
	gloss, _, _ := strings.Cut(m.Gloss, ";")
	line := fmt.Sprintf("%q may mean: %s", m.Of, gloss)
	if len(m.Names) == 0 {
		return line
	}
	more := ""
	if n := len(m.Names) - shownKinds; n > 0 {
		more = fmt.Sprintf(" and %s more", count(n))
	}
	return line + fmt.Sprintf(" (%s%s count if pages of the crawl confirm them)", strings.Join(m.Names[:min(len(m.Names), shownKinds)], ", "), more)
}
