package topic

import (
	"embed"
	"strings"

	"dowse/judge"
)

// everydayTexts holds short texts of the kind that pages about anything have:
// one file per language, one paragraph per text. The subjects are the same in
// all languages.
//
//go:embed everyday/*.txt
var everydayTexts embed.FS

// everyday returns texts about unrelated subjects, for topics of which only
// positive examples are known. They teach a judge which words every page has,
// so they are in the language of the topic if there are such texts, otherwise
// in English; of is that language.
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
