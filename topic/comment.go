package topic

import (
	"fmt"
	"strings"
)

// comments say what each key of a topic file is for, and what it looks like.
var comments = []struct{ key, says, like string }{
	{"about", "for people; its words are weak signs", "about: What the pages are about."},
	{"words", "phrases as you would say them", ""},
	{"also", "good signs, not required", "also: [another word, a phrase]"},
	{"not", "what looks alike and is not wanted", "not: [something else]"},
	{"like", "URLs, {file: dir/*.html}, {collection: DIR}", "like: [https://example.org/page]"},
	{"unlike", "examples of what is not wanted", "unlike: [{file: off/*.html}]"},
	{"category", "entries of a directory of the web", ""},
	{"where", "what must hold: dowse help expr", "where: {all: [{lang: en}, {words: \"120..\"}]}"},
	{"languages", "preferred; {only: [en]} requires them", "languages: [en]"},
	{"threshold", "a page is on topic from here on", "threshold: 0.5"},
	{"seeds", "where the crawl begins", "seeds: [https://example.org/]"},
}

// Commented returns the topic as a file to begin with: what it says, each key with
// what it is for, and the keys that it does not use as comments. Parsing it gives the
// topic back.
func (t *Topic) Commented() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# What a crawl looks for. Check it: dowse topic check FILE\n")
	used := map[string]bool{}
	for line := range strings.Lines(string(t.YAML())) {
		key, _, _ := strings.Cut(line, ":")
		for _, c := range comments {
			if c.key == key {
				fmt.Fprintf(&b, "\n# %s: %s\n", c.key, c.says)
			}
		}
		used[key] = true
		b.WriteString(line)
	}
	rest := false
	for _, c := range comments {
		if used[c.key] || c.like == "" {
			continue
		}
		if !rest {
			b.WriteString("\n# What else can be said:\n")
			rest = true
		}
		fmt.Fprintf(&b, "# %-46s # %s\n", c.like, c.says)
	}
	return []byte(b.String())
}

// Kinds names the kinds of evidence that the topic has, as the keys of its file do.
func (t *Topic) Kinds() (kinds []string) {
	for _, k := range []struct {
		name  string
		there bool
	}{
		{"words", len(t.Words) > 0}, {"like", len(t.Like) > 0}, {"unlike", len(t.Unlike) > 0}, {"category", t.Category != nil},
		{"where", t.Where != nil}, {"model", t.Model != ""}, {"judge", t.Outside != nil},
	} {
		if k.there {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

// Counts says how much of each kind the topic has, on one line.
func (t *Topic) Counts() string { return t.counts() }
