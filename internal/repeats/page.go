package repeats

import (
	"math"
	"slices"
	"sort"
	"strings"

	"dowse"
)

// wordRuns returns the words of a document that are in runs of its text, as runs of
// words. Runs that the text does not have are ignored: the text of a page is gone after
// a takedown, and a newer program may extract another one.
func wordRuns(d *dowse.Document, runs []dowse.Span) (list []dowse.Span) {
	at := 0
	for _, r := range runs {
		if r.Start < 0 || r.Start >= r.End || int(r.End) > len(d.Text) {
			continue
		}
		from := at + sort.Search(len(d.Words)-at, func(i int) bool { return d.Words[at+i].Start >= r.Start })
		at = from + sort.Search(len(d.Words)-from, func(i int) bool { return d.Words[from+i].Start >= r.End })
		if at > from {
			list = append(list, dowse.Span{Start: int32(from), End: int32(at)})
		}
	}
	return list
}

// around returns which of the runs has a word, and if none does, the words between the
// run before it and the one after it.
func around(runs []dowse.Span, word int32, total int) (own dowse.Span, repeats bool) {
	i := sort.Search(len(runs), func(i int) bool { return runs[i].End > word })
	if i < len(runs) && runs[i].Start <= word {
		return dowse.Span{}, true
	}
	own = dowse.Span{End: int32(total)}
	if i > 0 {
		own.Start = runs[i-1].End
	}
	if i < len(runs) {
		own.End = runs[i].Start
	}
	return own, false
}

// place returns a word by which the place of a mention in the text is known; false if
// there is none, as for an image in a block without words.
func place(m *dowse.Mention) (word int32, ok bool) {
	switch {
	case m.At.Len() > 0:
		return m.At.Start, true
	case m.Block.Len() > 0:
		return m.Block.Start, true
	}
	return 0, false
}

// each calls f for every mention of the links of a document.
func each(links []dowse.Link, f func(m *dowse.Mention)) {
	for i := range links {
		f(&links[i].Mention)
		for k := range links[i].More {
			f(&links[i].More[k])
		}
	}
}

// Mark sets which mentions of links are in repeated blocks of a page.
func Mark(p *dowse.Page) {
	runs := wordRuns(&p.Document, p.Repeated)
	each(p.Links, func(m *dowse.Mention) {
		word, ok := place(m)
		_, m.Repeated = around(runs, word, len(p.Words))
		m.Repeated = m.Repeated && ok
	})
}

// Windows sets the windows of size words around the mentions of links as [dowse.Window]
// does, but those of mentions outside of repeated blocks end where such a block begins,
// and mentions that are marked have none.
func Windows(p *dowse.Page, size int) {
	runs := wordRuns(&p.Document, p.Repeated)
	each(p.Links, func(m *dowse.Mention) {
		m.Window = dowse.Span{}
		if m.Repeated {
			return
		}
		own, repeats := around(runs, m.At.Start, len(p.Words))
		if repeats || m.At.End > own.End {
			own = dowse.Span{End: int32(len(p.Words))}
		}
		at := dowse.Span{Start: m.At.Start - own.Start, End: m.At.End - own.Start}
		w := dowse.Window(at, own.Len(), size)
		m.Window = dowse.Span{Start: w.Start + own.Start, End: w.End + own.Start}
	})
}

// Bare makes a marked mention one without words, as a strategy is shown it: a link in a
// menu can be followed, but the words of a menu say nothing about this page.
func Bare(m *dowse.Mention) {
	if m.Repeated {
		*m = dowse.Mention{Above: [3]int32{-1, -1, -1}, Context: math.NaN(), Repeated: true}
	}
}

// Without returns a page without its repeated blocks, for a judge: text, words, headings
// and the places of links are those of the rest. Links that were in such blocks have no
// place. The page itself is returned if nothing repeats, or if nothing would be left:
// the copies of a page repeat all of it.
func Without(p *dowse.Page) *dowse.Page {
	runs := wordRuns(&p.Document, p.Repeated)
	gone := 0
	for _, r := range runs {
		gone += r.Len()
	}
	if gone == 0 || gone == len(p.Words) {
		return p
	}
	q := *p
	c := cutter{words: runs}
	q.Text, q.Words = c.text(&p.Document, p.Repeated)
	q.Numbers = nil
	q.Headings = c.headings(p.Headings)
	q.Links = slices.Clone(p.Links)
	for i := range q.Links {
		q.Links[i].More = slices.Clone(q.Links[i].More)
	}
	each(q.Links, c.mention)
	q.Repeated = nil
	return &q
}

// A cutter translates numbers of words to a text from which runs of words were cut.
type cutter struct{ words []dowse.Span }

// text returns the text and the words that are left.
func (c cutter) text(d *dowse.Document, runs []dowse.Span) (string, []dowse.Span) {
	var b strings.Builder
	b.Grow(len(d.Text))
	words := make([]dowse.Span, 0, len(d.Words))
	at, word := int32(0), 0
	keep := func(end int32) {
		for ; word < len(d.Words) && d.Words[word].Start < end; word++ {
			w, by := d.Words[word], at-int32(b.Len())
			words = append(words, dowse.Span{Start: w.Start - by, End: w.End - by})
		}
		b.WriteString(d.Text[at:end])
	}
	for _, r := range runs {
		if r.Start < at || r.Start >= r.End || int(r.End) > len(d.Text) {
			continue
		}
		keep(r.Start)
		for at = r.End; word < len(d.Words) && d.Words[word].Start < at; word++ {
		}
	}
	keep(int32(len(d.Text)))
	return b.String(), words
}

// moved returns the number of a word in the text that is left, and whether it was cut. A
// word that was cut has the number of the next one that is left.
func (c cutter) moved(word int32) (to int32, cut bool) {
	to = word
	for _, r := range c.words {
		if r.Start > word {
			break
		}
		if r.End > word {
			return to - (word - r.Start), true
		}
		to -= r.End - r.Start
	}
	return to, false
}

// headings returns the headings that are left.
func (c cutter) headings(list []dowse.Heading) (left []dowse.Heading) {
	for _, h := range list {
		to, cut := c.moved(h.At)
		if !cut {
			h.At = to
			left = append(left, h)
		}
	}
	return left
}

// mention translates the places of a mention. Headings above it are not known any more,
// because some of them may be gone.
func (c cutter) mention(m *dowse.Mention) {
	word, ok := place(m)
	_, cut := c.moved(word)
	if cut || !ok {
		m.At, m.Block, m.Window = dowse.Span{}, dowse.Span{}, dowse.Span{}
	} else {
		m.At, m.Block, m.Window = c.span(m.At), c.span(m.Block), c.span(m.Window)
	}
	m.Above = [3]int32{-1, -1, -1}
}

// span translates a run of words.
func (c cutter) span(s dowse.Span) dowse.Span {
	start, _ := c.moved(s.Start)
	end, _ := c.moved(s.End)
	return dowse.Span{Start: start, End: end}
}
