package topic

import (
	"fmt"
	"strings"
)

// comments returns what each key of a topic file is for, and what it looks like.
func comments() []comment {
	list := []comment{{"about", "for people; its words are weak signs", "about: What the pages are about."}}
	for _, k := range kinds() {
		list = append(list, k.comments...)
	}
	return append(list,
		comment{"languages", "preferred; {only: [en]} requires them", "languages: [en]"},
		comment{"threshold", "a page is on topic from here on", "threshold: 0.5"},
		comment{"seeds", "where the crawl begins", "seeds: [https://example.org/]"})
}

// Commented returns the topic as a file to begin with: a first line with the head as a
// comment, the topic, each key with what it is for, and the keys that it does not use
// as comments. Parsing it gives the topic back.
func (t *Topic) Commented(head string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", head)
	used := map[string]bool{}
	for line := range strings.Lines(string(t.YAML())) {
		key, _, _ := strings.Cut(line, ":")
		for _, c := range comments() {
			if c.key == key {
				fmt.Fprintf(&b, "\n# %s: %s\n", c.key, c.says)
			}
		}
		used[key] = true
		b.WriteString(line)
	}
	rest := false
	for _, c := range comments() {
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

// Counts returns how much of each kind the topic has, on one line.
func (t *Topic) Counts() string { return t.counts() }
