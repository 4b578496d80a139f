package main

import (
	"cmp"
	"os"
	"path/filepath"

	"dowse/internal/operations"
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
	switch dir := cmp.Or(f.WordNet, w.env("WNSEARCHDIR")); dir {
	case noWordNet:
		return "", nil
	case "":
	default:
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
const withoutWordNet = operations.NoWordNet

// understood describes what the words of a topic may mean, and what is left out. With --wordnet none it returns
// nothing.
func (f *wordNetFlag) understood(dir string, t *topic.Topic) []topic.Finding {
	if f.WordNet == noWordNet {
		return nil
	}
	return operations.Understood(dir, t)
}
