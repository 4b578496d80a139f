package topic

import (
	_ "embed"
	"strings"

	"dowse/judge"
)

// everydayText holds short texts as pages about anything have them, a paragraph each.
//
//go:embed everyday.txt
var everydayText string

// everyday returns texts about all sorts of things, for topics of which it is only
// known what they are about. They teach a judge which words every page has; they are
// in English.
func everyday() []judge.Example {
	var list []judge.Example
	for paragraph := range strings.SplitSeq(everydayText, "\n\n") {
		if s := strings.Join(strings.Fields(paragraph), " "); s != "" {
			list = append(list, judge.Example{Page: textPage(s)})
		}
	}
	return list
}
