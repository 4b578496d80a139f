package operations

import (
	"slices"
	"sync"
	"time"

	"dowse"
	"dowse/internal/facts"
	"dowse/topic"
)

// Bounds of the search for words behind stems, for one answer. What is not found within them stays a stem: a list must not wait for
// the text of all its pages.
const (
	spellPages = 12 // pages whose text is read
	spellTime  = 60 * time.Millisecond
	spellBytes = 500_000 // a larger page is not read
	spellKept  = 5_000   // stems that are remembered
)

// A spelling is what is known of the words behind the stems in the reasons of a collection. A view hands it
// on to the next one, unless pages were taken down in between: then a word may be theirs alone.
type spelling struct {
	speller *topic.Speller

	mu    sync.Mutex
	found topic.Spelling
	tried map[string]bool // reasons whose pages were read; true also if no word was found
}

func newSpelling(t *topic.Topic) *spelling {
	return &spelling{speller: t.Speller(), tried: map[string]bool{}}
}

// after returns the spelling for a view that replaces another one.
func (k *spelling) after(old, now *openView) *spelling {
	if !slices.Equal(old.col.Settings.Forgotten, now.col.Settings.Forgotten) || string(old.cr.Topic.YAML()) != string(now.cr.Topic.YAML()) {
		return k
	}
	return old.spelt
}

// open returns the reasons whose pages were not read yet, so that it is worth while to look for their words.
func (k *spelling) open(whats []string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(whats, func(what string) bool { return k.tried[what] })
}

// try reports whether the pages of a reason were not read yet, and notes that they are now.
func (k *spelling) try(what string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.tried[what]
	if len(k.tried) >= spellKept { // what is known of reasons of long ago makes room
		k.found, k.tried = topic.Spelling{}, map[string]bool{}
	}
	k.tried[what] = true
	return !before
}

// add looks for words in pages, and returns what is known then, and the reasons without a word.
func (k *spelling) add(whats []string, pages ...*dowse.Page) (topic.Spelling, []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var missing []string
	k.found, missing = k.speller.Spell(k.found, whats, pages...)
	return k.found, missing
}

// wordsOf finds the words behind the stems of reasons, the most important ones first, in pages that have them: in titles and
// descriptions, which the journal has, and else in the text of a page. The view must be locked.
func (v *openView) wordsOf(whats []string, rows []*facts.Row) topic.Spelling {
	heads := make([]*dowse.Page, len(rows))
	for i, r := range rows {
		heads[i] = r.Page
	}
	found, missing := v.spelt.add(v.spelt.open(whats), heads...)
	for read, began := 0, time.Now(); len(missing) > 0 && read < spellPages && time.Since(began) < spellTime; {
		what := missing[0]
		missing = missing[1:]
		row := rowWith(rows, what)
		if row == nil || !v.spelt.try(what) {
			continue
		}
		read++
		if doc, err := v.col.DocumentOf(row); err == nil {
			found, missing = v.spelt.add(append([]string{what}, missing...), &dowse.Page{Document: *doc})
		}
	}
	return found
}

// rowWith returns the first row whose verdict has a reason, and whose page is not large; nil for none.
func rowWith(rows []*facts.Row, what string) *facts.Row {
	for _, r := range rows {
		if r.Judged && r.Fetch.Bytes <= spellBytes && slices.ContainsFunc(r.Page.Verdict.Because, func(b dowse.Because) bool { return b.What == what }) {
			return r
		}
	}
	return nil
}

// spell returns the rows of an answer with the words behind stems. Rows that are kept for other answers stay as they are. The
// view must be locked.
func (v *openView) spell(rows []*facts.Row) []*facts.Row {
	whats := reasonsByRank(rows)
	if len(whats) == 0 {
		return rows
	}
	found := v.wordsOf(whats, rows)
	list := slices.Clone(rows)
	for i, r := range rows {
		if r.Judged {
			spelt := *r
			spelt.Spell = found.Word
			list[i] = &spelt
		}
	}
	return list
}

// reasonsByRank returns the reasons of verdicts, each once: the strongest of every row first, then the second ones, and so on.
func reasonsByRank(rows []*facts.Row) (whats []string) {
	have := map[string]bool{}
	for rank, more := 0, true; more; rank++ {
		more = false
		for _, r := range rows {
			if !r.Judged || rank >= len(r.Page.Verdict.Because) {
				continue
			}
			more = true
			if what := r.Page.Verdict.Because[rank].What; !have[what] {
				have[what] = true
				whats = append(whats, what)
			}
		}
	}
	return whats
}
