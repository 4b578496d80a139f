package maintext

import (
	"slices"
	"strings"

	"dowse"
)

// A Text is the own text of a page.
type Text struct {
	page *Page
	keep []bool
}

// Rest returns what is on the page and not in the text: the frame, if the text is
// that of [Page.Main].
func (t *Text) Rest() *Text {
	rest := &Text{page: t.page, keep: make([]bool, len(t.keep))}
	for i, keep := range t.keep {
		rest.keep[i] = !keep
	}
	return rest
}

// Plain returns the text, blocks separated by line breaks.
func (t *Text) Plain() string {
	var b strings.Builder
	for i, keep := range t.keep {
		if !keep {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.page.text(&t.page.blocks[i]))
	}
	return b.String()
}

// text returns the text of a block.
func (p *Page) text(b *block) string { return p.doc.Text[b.start:b.end] }

// Markdown returns the text as CommonMark: headings, items and preformatted text as
// such, links with their targets. Characters of the page that would be markup are
// escaped, so a page cannot add HTML, images or links that it does not have.
func (t *Text) Markdown() string {
	var b strings.Builder
	links := t.page.linkPlaces()
	item := false
	for i, keep := range t.keep {
		if !keep {
			continue
		}
		x := &t.page.blocks[i]
		again := item && x.in.has(markItem)
		item = x.in.has(markItem) && x.level == 0
		switch {
		case b.Len() > 0 && again:
			b.WriteByte('\n')
		case b.Len() > 0:
			b.WriteString("\n\n")
		}
		if x.in.has(markPre) {
			writeFenced(&b, t.page.text(x))
			item = false
			continue
		}
		switch {
		case x.level > 0:
			b.WriteString(strings.Repeat("#", x.level) + " ")
		case item:
			b.WriteString("- ")
		}
		links = t.page.writeLinked(&b, x, links)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// A linkPlace is a link as a range of the text.
type linkPlace struct {
	start, end int
	url        dowse.URL
}

// linkPlaces returns all links with a text, in the order of the text.
func (p *Page) linkPlaces() (list []linkPlace) {
	add := func(m *dowse.Mention, u dowse.URL) {
		if m.At.Len() > 0 && int(m.At.End) <= len(p.doc.Words) {
			list = append(list, linkPlace{int(p.doc.Words[m.At.Start].Start), int(p.doc.Words[m.At.End-1].End), u})
		}
	}
	for i := range p.doc.Links {
		l := &p.doc.Links[i]
		add(&l.Mention, l.URL)
		for k := range l.More {
			add(&l.More[k], l.URL)
		}
	}
	slices.SortStableFunc(list, func(a, b linkPlace) int { return a.start - b.start })
	return list
}

// writeLinked writes a block with its links and returns the links after it. A link
// that extends beyond the block, or begins in another one, is written as text.
func (p *Page) writeLinked(b *strings.Builder, x *block, links []linkPlace) []linkPlace {
	at := x.start
	first := true
	for len(links) > 0 && links[0].start < x.end {
		l := links[0]
		links = links[1:]
		if l.start < at || l.end > x.end || strings.Contains(p.doc.Text[l.start:l.end], "\n") {
			continue
		}
		writeEscaped(b, p.doc.Text[at:l.start], first && x.level == 0)
		b.WriteByte('[')
		writeEscaped(b, p.doc.Text[l.start:l.end], false)
		b.WriteString("](" + markdownURL(string(l.url)) + ")")
		at, first = l.end, false
	}
	writeEscaped(b, p.doc.Text[at:x.end], first && x.level == 0)
	return links
}

// markdownURL returns a URL as the target of a link: without what would end it.
func markdownURL(u string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\n", "%0A", "\\", "%5C").Replace(u)
}

// writeEscaped writes a text whose characters have no meaning in Markdown. A line
// break becomes a hard one. begins reports whether the text begins a line, where more
// characters have a meaning.
func writeEscaped(b *strings.Builder, s string, begins bool) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteString("\\\n")
		}
		if begins || i > 0 {
			line = escapeStart(b, line)
		}
		for k := range len(line) {
			if strings.IndexByte("\\`*_[]<>&~|$", line[k]) >= 0 || line[k] == '!' && k+1 < len(line) && line[k+1] == '[' {
				b.WriteByte('\\')
			}
			b.WriteByte(line[k])
		}
	}
}

// escapeStart writes what would begin a heading, an item, a rule or a quotation at the
// start of a line, escaped, and returns the rest of the line.
func escapeStart(b *strings.Builder, line string) string {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	switch {
	case line == "":
	case strings.IndexByte("#+-=:", line[0]) >= 0:
		b.WriteString("\\" + line[:1])
		return line[1:]
	case digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')'):
		b.WriteString(line[:digits] + "\\" + line[digits:digits+1])
		return line[digits+1:]
	}
	return line
}

// writeFenced writes preformatted text between fences that are longer than any run of
// backquotes in it.
func writeFenced(b *strings.Builder, s string) {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	b.WriteString(fence + "\n" + s + "\n" + fence)
}
