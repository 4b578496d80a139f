package extract

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"
)

// Text that is no HTML becomes HTML before it is read: a title, paragraphs, links. So whatever reads pages reads plain
// text and Markdown, too, from the bytes that the archive has.

// Bounds of what is read of a text, in bytes.
const (
	maxPlain      = 5 << 18 // more than a document may have, see Options.Text
	maxPlainTitle = 200
	maxLabel      = 1000 // the words of a Markdown link
	maxPlainURL   = 2048 // the target of a link, see Options.Href
	maxLines      = 1000 // of a block, in number
)

// madeOfText begins the HTML that is made of a text.
const madeOfText = "<!-- text -->\n"

// IsOfText reports whether a body that [Decode] returned was a text, of which nothing is around the page's own. A page that
// looks the same has no more than that: all of it counts.
func IsOfText(body []byte) bool { return bytes.HasPrefix(body, []byte(madeOfText)) }

// A markup is what a text that is no HTML is written in.
type markup uint8

const (
	noMarkup     markup = iota + 1 // plain text
	markdownText                   // Markdown, of which headings, links, lists and fenced code are known
)

// markupOf returns what a body is written in by its Content-Type, 0 for HTML and everything else.
func markupOf(contentType string) markup {
	kind, _, _ := strings.Cut(contentType, ";")
	switch kind = strings.TrimSpace(kind); {
	case strings.EqualFold(kind, "text/plain"):
		return noMarkup
	case strings.EqualFold(kind, "text/markdown"), strings.EqualFold(kind, "text/x-markdown"):
		return markdownText
	}
	return 0
}

// html returns a text as HTML. The text is UTF-8.
func (m markup) html(text []byte) []byte {
	if len(text) > maxPlain {
		text = trimPartial(text[:maxPlain])
	}
	w := plainWriter{markup: m, out: append(make([]byte, 0, len(text)+len(text)/4+64), madeOfText...)}
	w.title(text)
	for block := range blocksOf(text, m) {
		w.block(block)
	}
	return w.out
}

// A textBlock is a run of lines between blank ones.
type textBlock struct {
	lines [][]byte
	code  bool // they are fenced
}

// blocksOf iterates over the blocks of a text. The lines are valid only during the step.
func blocksOf(text []byte, m markup) iter.Seq[textBlock] {
	return func(yield func(textBlock) bool) {
		var b textBlock
		end := func() bool {
			ok := len(b.lines) == 0 || yield(b)
			b.lines = b.lines[:0]
			return ok
		}
		for len(text) > 0 {
			var line []byte
			line, text = cutLine(text)
			fence := m == markdownText && isFence(line)
			if !fence && len(b.lines) < maxLines && (b.code || len(bytes.TrimSpace(line)) > 0 && !(m == markdownText && isItem(line) && len(b.lines) > 0)) {
				b.lines = append(b.lines, line)
				continue
			}
			if !end() {
				return
			}
			switch {
			case fence:
				b.code = !b.code
			case b.code || len(bytes.TrimSpace(line)) > 0:
				b.lines = append(b.lines, line)
			}
		}
		end()
	}
}

// cutLine returns the first line of a text and the rest. A form feed, which ends the pages of RFCs, ends a line.
func cutLine(text []byte) (line, rest []byte) {
	i := bytes.IndexAny(text[:min(len(text), maxToken)], "\n\r\f")
	if i < 0 {
		if line = text; len(line) > maxToken {
			line = trimPartial(line[:maxToken])
		}
		return line, text[len(line):]
	}
	if bytes.HasPrefix(text[i:], []byte("\r\n")) {
		return text[:i], text[i+2:]
	}
	return text[:i], text[i+1:]
}

// isFence reports whether a line of Markdown begins or ends code.
func isFence(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}

// isItem reports whether a line of Markdown begins an item of a list or is a heading.
func isItem(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if headingLevel(line) > 0 {
		return true
	}
	mark := bytes.TrimLeft(line, "0123456789")
	switch {
	case len(mark) < 2 || mark[1] != ' ' && mark[1] != '\t':
		return false
	case len(mark) == len(line):
		return mark[0] == '-' || mark[0] == '*' || mark[0] == '+'
	}
	return mark[0] == '.' || mark[0] == ')'
}

// headingLevel returns the level of a heading of Markdown, 0 for another line.
func headingLevel(line []byte) int {
	n := len(line) - len(bytes.TrimLeft(line, "#"))
	if n > 6 || n == len(line) || n > 0 && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// A plainWriter writes a text as HTML.
type plainWriter struct {
	markup markup
	out    []byte
}

// title writes the first line that is not blank as the title.
func (w *plainWriter) title(text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		if line = bytes.TrimSpace(line); len(line) == 0 || w.markup == markdownText && isFence(line) {
			continue
		}
		if w.markup == markdownText {
			line = bytes.TrimSpace(bytes.Trim(line, "#"))
		}
		if len(line) > maxPlainTitle {
			line = trimPartial(line[:maxPlainTitle])
		}
		w.out = append(w.out, "<title>"...)
		w.escape(line)
		w.out = append(w.out, "</title>\n"...)
		return
	}
}

// block writes a block of lines.
func (w *plainWriter) block(b textBlock) {
	open, end := "<p>", "</p>\n"
	first := bytes.TrimLeft(b.lines[0], " \t")
	level := headingLevel(first)
	switch {
	case b.code, w.markup == noMarkup && isLaidOut(b.lines):
		open, end = "<pre>\n", "</pre>\n"
	case w.markup == markdownText && level > 0:
		tag := "h" + string(rune('0'+level)) + ">"
		open, end = "<"+tag, "</"+tag+"\n"
		b.lines[0] = bytes.TrimSpace(bytes.Trim(first, "#"))
	}
	w.out = append(w.out, open...)
	for i, line := range b.lines {
		if i > 0 {
			w.out = append(w.out, '\n')
		}
		if b.code {
			w.escape(line)
		} else {
			w.line(line)
		}
	}
	w.out = append(w.out, end...)
}

// isLaidOut reports whether the place of words in lines has a meaning, as in tables and figures: there are wide gaps
// within a line.
func isLaidOut(lines [][]byte) bool {
	for _, line := range lines {
		line = bytes.TrimSpace(line)
		if bytes.Contains(line, []byte("   ")) || bytes.IndexByte(line, '\t') >= 0 {
			return true
		}
	}
	return false
}

// line writes a line with its links.
func (w *plainWriter) line(line []byte) {
	from := 0 // what is written up to
	for at := 0; at < len(line); at++ {
		var href, label []byte
		var n int
		switch line[at] {
		case 'h', 'H':
			run := 0
			if at == 0 || !isWordByte(line[at-1]) {
				n, run = bareURL(line[at:])
			}
			if n == 0 && run > 0 {
				at += run - 1
				continue
			}
			href, label = line[at:at+n], line[at:at+n]
		case '[':
			if at == 0 || line[at-1] != '!' {
				label, href, n = w.markdownLink(line[at:])
			}
		}
		if n == 0 {
			continue
		}
		w.escape(line[from:at])
		w.out = append(w.out, `<a href="`...)
		w.escape(href)
		w.out = append(w.out, `">`...)
		w.escape(label)
		w.out = append(w.out, "</a>"...)
		from = at + n
		at = from - 1
	}
	w.escape(line[from:])
}

// isWordByte reports whether a byte is part of a word.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

// bareURL returns the length of the http or https URL that a text begins with, 0 for none, and that of the run of
// characters that look like one. What ends a sentence, and a
// bracket that is not opened within the URL, is no part of it.
func bareURL(s []byte) (n, run int) {
	s = s[:min(len(s), maxPlainURL+1)]
	head := len("http://")
	switch {
	case len(s) > head && bytes.EqualFold(s[:head], []byte("http://")):
	case len(s) > head+1 && bytes.EqualFold(s[:head+1], []byte("https://")):
		head++
	default:
		return 0, 0
	}
	for run = head; run < len(s) && !endsURL[s[run]]; run++ {
	}
	if run > maxPlainURL {
		return 0, run
	}
	opened := bytes.Count(s[:run], []byte("(")) - bytes.Count(s[:run], []byte(")"))
	for n = run; n > head; n-- {
		c := s[n-1]
		if c == ')' && opened < 0 {
			opened++
		} else if strings.IndexByte(".,;:!?'*_~]", c) < 0 {
			return n, run
		}
	}
	return 0, run
}

// endsURL has the bytes that end a URL in a text: white space, what URLs have in escaped form, and all beyond ASCII, since
// in many scripts no space follows a URL.
var endsURL = func() (t [256]bool) {
	for c := range t {
		t[c] = c <= ' ' || c >= 0x7f || strings.IndexByte("<>\"`\\^{|}", byte(c)) >= 0
	}
	return t
}()

// markdownLink returns the words, the target and the length of the link [words](target "title") that a text begins with,
// 0 for none. Plain text may have code that looks the same, so only whole URLs count there.
func (w *plainWriter) markdownLink(s []byte) (label, href []byte, n int) {
	end := bytes.IndexByte(s[:min(len(s), maxLabel)], ']')
	if end < 0 || end+1 >= len(s) || s[end+1] != '(' || bytes.IndexByte(s[1:end], '[') >= 0 {
		return nil, nil, 0
	}
	target := s[end+2:]
	target = target[:min(len(target), maxPlainURL)]
	stop := bytes.IndexByte(target, ')')
	if stop < 0 {
		return nil, nil, 0
	}
	if open := bytes.IndexByte(target[:stop], '('); open >= 0 { // one pair of brackets, as in /wiki/Reef_(disambiguation)
		if more := bytes.IndexByte(target[stop+1:], ')'); more >= 0 && !bytes.ContainsAny(target[stop+1:stop+1+more], " \t") {
			stop += 1 + more
		}
	}
	href = bytes.TrimSpace(target[:stop])
	if cut := bytes.IndexAny(href, " \t"); cut >= 0 {
		href = href[:cut] // a title follows
	}
	href = bytes.Trim(href, "<>")
	if whole, _ := bareURL(href); len(href) == 0 || w.markup == noMarkup && whole != len(href) {
		return nil, nil, 0
	}
	return s[1:end], href, end + 2 + stop + 1
}

// escape writes text.
func (w *plainWriter) escape(s []byte) {
	from := 0
	for i, c := range s {
		var entity string
		switch c {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '"':
			entity = "&quot;"
		default:
			continue
		}
		w.out = append(append(w.out, s[from:i]...), entity...)
		from = i + 1
	}
	w.out = append(w.out, s[from:]...)
}
