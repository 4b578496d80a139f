package topic

import (
	"embed"
	"strings"

	"dowse/judge"
)

// everydayTexts holds short texts as pages about anything have them, a file to a language
// and a paragraph to a text. The subjects are the same in all languages.
//
//go:embed everyday/*.txt
var everydayTexts embed.FS

// everyday returns texts about all sorts of things, for topics of which it is only
// known what they are about. They teach a judge which words every page has, so they are
// in the language of the topic where there are such, else in English; of is that language.
func everyday(language string) (list []judge.Example, of string) {
	of = baseOf(language)
	data, err := everydayTexts.ReadFile("everyday/" + of + ".txt")
	if err != nil && of != "en" {
		return everyday("en")
	}
	for paragraph := range strings.SplitSeq(string(data), "\n\n") {
		if s := strings.Join(strings.Fields(paragraph), " "); s != "" {
			list = append(list, judge.Example{Page: textPage(s)})
		}
	}
	return list, of
}

// baseOf returns a language without its region.
func baseOf(language string) string {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	return base
}
