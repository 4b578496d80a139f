package tgraph

import (
	"strings"

	"dowse"
	"dowse/internal/linktext"
)

// LinkText is the text of a page at a link: the headings above it, its anchor and the text
// around it. These are the parts by which Seyfi and Patel compare links.
type LinkText struct {
	Main   string `json:"main,omitempty"`   // heading of level 1 above it; the paper's MH
	Sub    string `json:"sub,omitempty"`    // heading of level 2 under that; SH
	Under  string `json:"under,omitempty"`  // heading of level 3 to 6 under that; the immediate sub-heading, ISH
	Anchor string `json:"anchor,omitempty"` // its words
	Around string `json:"around,omitempty"` // the text of its block, anchor left out; with the anchor, the data component DC
}

// TextAt returns the text of a page at one of its links.
func TextAt(d *dowse.Document, m *dowse.Mention) LinkText {
	before, after := linktext.Around(d, m)
	return LinkText{
		Main: heading(d, m.Above[0]), Sub: heading(d, m.Above[1]), Under: heading(d, m.Above[2]),
		Anchor: m.Anchor,
		Around: strings.TrimSpace(textOf(d, before) + " " + textOf(d, after)),
	}
}

// heading returns the text of a heading by its index, "" if there is no such heading.
func heading(d *dowse.Document, i int32) string {
	if i < 0 || int(i) >= len(d.Headings) {
		return ""
	}
	return d.Headings[i].Text
}

// textOf returns the text of a range of words with everything between them, as one line.
func textOf(d *dowse.Document, s dowse.Span) string {
	if s.Len() <= 0 {
		return ""
	}
	return strings.Join(strings.Fields(d.Text[d.Words[s.Start].Start:d.Words[s.End-1].End]), " ")
}

// Bounds on the text of a target page.
const (
	targetWords  = 200 // of a target page, Seyfi and Patel 2015
	headingWords = 30  // of a target page's headings of one level
)

// TextOfTarget returns the text of the node of a target page: its headings by level, the
// title instead of a missing main heading, and its first 200 words.
func TextOfTarget(d *dowse.Document) LinkText {
	t := LinkText{
		Main: headingsOf(d, 1, 1), Sub: headingsOf(d, 2, 2), Under: headingsOf(d, 3, 6),
		Around: textOf(d, dowse.Span{End: int32(min(targetWords, len(d.Words)))}),
	}
	if t.Main == "" {
		t.Main = d.Title
	}
	return t
}

// headingsOf returns the words of a page's headings of some levels, at most headingWords.
func headingsOf(d *dowse.Document, low, high int) string {
	var words []string
	for _, h := range d.Headings {
		if h.Level >= low && h.Level <= high && len(words) < headingWords {
			words = append(words, strings.Fields(h.Text)...)
		}
	}
	return strings.Join(words[:min(len(words), headingWords)], " ")
}
