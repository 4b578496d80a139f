package operations_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"dowse/internal/facts"
	"dowse/internal/operations"
)

// labelledBoth labels pages of both sides, and trains a judge on them.
func labelledBoth(t *testing.T, o *operations.Operations) {
	t.Helper()
	var labels []operations.GivenLabel
	for _, verdict := range []string{operations.VerdictOn, operations.VerdictOff} {
		list, err := o.Pages(bg, "pools", operations.PageQuery{Verdict: verdict, Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Pages {
			labels = append(labels, operations.GivenLabel{URL: string(p.URL), Label: verdict})
		}
	}
	if done, err := o.Label(bg, "pools", operations.LabelRequest{Labels: labels, Train: true, Accept: true}); err != nil || done.Trained.Error != "" {
		t.Fatalf("%+v, %v", done, err)
	}
}

// TestReasonsAreWords has a trained judge, which knows stems: lists, queues and the terms in use name words of the collection's
// pages. A word that the page of a row has is not needed: one of the collection is enough.
func TestReasonsAreWords(t *testing.T) {
	sameGoroutines(t)
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	labelledBoth(t, o)
	var all strings.Builder // the text of all pages
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Pages {
		x, err := o.Page(bg, "pools", string(p.URL))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(" " + strings.ToLower(strings.Join(strings.FieldsFunc(x.Row.Title+" "+x.Row.Description+" "+x.Text, func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")) + " ")
	}
	isWord := func(w string) bool { return strings.Contains(all.String(), " "+w+" ") }
	stems, words := 0, 0
	check := func(where string, rows []*facts.Row) {
		t.Helper()
		for _, r := range rows {
			if r.Spell == nil {
				t.Fatalf("%s: nothing spells the reasons of %s", where, r.URL)
			}
			because := r.Page.Verdict.Because
			for _, b := range because[:min(len(because), 12)] {
				stem := strings.Trim(b.What, `"`)
				if stem == b.What || isWord(stem) || strings.Contains(stem, " ") {
					continue
				}
				stems++
				switch word := r.Spell(b.What); {
				case word == "":
					t.Errorf("%s: %s has the stem %q without a word", where, r.URL, stem)
				case isWord(word):
					words++
				default:
					t.Errorf("%s: %q is no word of the pages, for the stem %q", where, word, stem)
				}
			}
		}
	}
	check("pages", list.Pages)
	for _, q := range []string{operations.QueueUnsure, operations.QueueAudit, operations.QueueDisagreements} {
		queue, err := o.Queue(bg, "pools", q, 10)
		if err != nil {
			t.Fatal(err)
		}
		check(q, queue.Pages)
	}
	if words == 0 || words != stems {
		t.Errorf("%d stems, %d words", stems, words)
	}
	terms, err := o.Terms(bg, "pools")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, x := range slices.Concat(terms.For, terms.Against) {
		stem := strings.Trim(x.Name, `"`)
		switch {
		case stem == x.Name, isWord(stem), strings.Contains(stem, " "):
			if x.Word != "" && !isWord(x.Word) {
				t.Errorf("terms: %s is shown as %q", x.Name, x.Word)
			}
		case !isWord(x.Word):
			t.Errorf("terms: the stem %q is shown as %q", stem, x.Word)
		default:
			shown++
			if !strings.HasPrefix(x.Shown(), `"`+x.Word+`"`) {
				t.Errorf("terms: %q is shown as %s", x.Word, x.Shown())
			}
		}
	}
	if shown == 0 {
		t.Errorf("no stem among the terms: %+v", terms)
	}
}
