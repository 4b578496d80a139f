package operations

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"dowse/internal/facts"
)

// A UsedTerm is a term, or another signal, that had a part in verdicts.
type UsedTerm struct {
	Name   string  `json:"name" doc:"a term in quotes, or a signal with … in the place of its numbers"`
	Word   string  `json:"word,omitempty" doc:"the word behind a stem, as pages of the collection have it"`
	Pages  int     `json:"pages" doc:"pages whose verdict has it"`
	Weight float64 `json:"weight" doc:"on average over these pages"`
	sum    float64
	shown  string
}

// Shown returns the term as people read it: with the word in place of a stem. A word that the topic has, too, and that was learnt as a
// term of its own, is marked.
func (t *UsedTerm) Shown() string { return cmp.Or(t.shown, t.Name) }

// UsedTerms are the terms that the judge uses, those with most weight first.
type UsedTerms struct {
	For     []UsedTerm `json:"for"`
	Against []UsedTerm `json:"against"`
	Pages   int        `json:"pages" doc:"the newest pages, whose verdicts were read"`
}

// Bounds of the terms that are returned.
const (
	termPages = 200 // the newest pages, whose reasons are added up
	termRows  = 12  // for the topic, and against it
)

// Terms returns what the judge used on the newest pages: the terms that added most for the topic and against it. They come
// from the reasons of verdicts, so they are what matters on real pages, whichever judge it is.
func (o *Operations) Terms(ctx context.Context, id string) (*UsedTerms, error) {
	var t *UsedTerms
	_, err := o.listed(ctx, id, PageQuery{Limit: termPages}, func(v *openView, list *PageList) {
		t = usedTerms(list.Pages)
		found := v.wordsOf(t.names(), list.Pages)
		for _, terms := range [][]UsedTerm{t.For, t.Against} {
			for i := range terms {
				terms[i].Word, terms[i].shown = found.Word(terms[i].Name), found.Name(terms[i].Name)
			}
		}
	})
	return t, err
}

// names returns the names of all terms.
func (t *UsedTerms) names() (list []string) {
	for _, x := range slices.Concat(t.For, t.Against) {
		list = append(list, x.Name)
	}
	return list
}

// usedTerms adds up the terms of verdicts.
func usedTerms(rows []*facts.Row) *UsedTerms {
	t := &UsedTerms{For: []UsedTerm{}, Against: []UsedTerm{}, Pages: len(rows)}
	for _, x := range addedUp(rows) {
		if x.sum > 0 {
			t.For = append(t.For, x)
		} else {
			t.Against = append(t.Against, x)
		}
	}
	t.For, t.Against = strongest(t.For), strongest(t.Against)
	return t
}

// SomeNumber replaces the numbers in the name of a signal.
const SomeNumber = "…"

var numbers = regexp.MustCompile(`[0-9][0-9.,]*`)

// addedUp returns the terms of verdicts with the sums of their weights. Sums of many small terms, the bias and what a person decided are no
// terms.
func addedUp(rows []*facts.Row) (list []UsedTerm) {
	at := map[string]int{}
	for _, r := range rows {
		for _, b := range r.Page.Verdict.Because {
			if IsSum(b.What) || b.Weight == 0 || b.What == "bias" || strings.HasPrefix(b.What, "label ") {
				continue
			}
			name := b.What
			if !strings.HasPrefix(name, `"`) { // a signal such as "the words fill 34 % of the text" is one for all its numbers
				name = numbers.ReplaceAllString(name, SomeNumber)
			}
			i, ok := at[name]
			if !ok {
				i = len(list)
				at[name] = i
				list = append(list, UsedTerm{Name: name})
			}
			list[i].Pages++
			list[i].sum += b.Weight
		}
	}
	for i := range list {
		list[i].Weight = list[i].sum / float64(list[i].Pages)
	}
	return list
}

// strongest returns the terms with the largest sums.
func strongest(list []UsedTerm) []UsedTerm {
	slices.SortFunc(list, func(a, b UsedTerm) int {
		return cmp.Or(cmp.Compare(math.Abs(b.sum), math.Abs(a.sum)), strings.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), termRows)]
}

// IsSum reports whether a reason is the sum of many small ones, such as "370 other terms". It is part of the sum
// and says nothing about the page.
func IsSum(what string) bool {
	n, rest, _ := strings.Cut(what, " other ")
	return rest != "" && n != "" && strings.Trim(n, "0123456789,") == ""
}
