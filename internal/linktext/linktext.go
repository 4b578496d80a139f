// Package linktext bounds the text that strategies read at a link: an anchor or URL of
// any length costs no more than a usual one, and a range of words that a page does not
// have is empty.
package linktext

import (
	"net/url"
	"strings"

	"dowse"
)

// How much is read of a link.
const (
	MaxWords    = 64   // of an anchor or URL
	MaxBytes    = 1024 // of an anchor or URL
	MaxMentions = 4    // of a link, where each is compared or learnt from
)

// Cut returns the longest prefix of s that has at most n bytes and ends with a whole character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// Address returns a URL without its scheme, with percent-encoding decoded if that is
// possible: what a person would read, at most MaxBytes before decoding.
func Address(u dowse.URL) string {
	s := Cut(string(u), MaxBytes)
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	if strings.Contains(s, "%") {
		if plain, err := url.PathUnescape(s); err == nil {
			return plain
		}
	}
	return s
}

// Host returns the part of a URL between scheme and path.
func Host(u dowse.URL) string {
	_, rest, _ := strings.Cut(string(u), "://")
	for i := range len(rest) {
		if c := rest[i]; c == '/' || c == '?' || c == '#' {
			return rest[:i]
		}
	}
	return rest
}

// Within returns a range of words if the page has all of them, else an empty range. The
// text of a page is gone after a takedown, while its links still refer to words.
func Within(d *dowse.Document, s dowse.Span) dowse.Span {
	if s.Start < 0 || s.Start > s.End || int(s.End) > len(d.Words) {
		return dowse.Span{}
	}
	return s
}

// Around returns the words of a link's block before and after its anchor. If the position of
// the anchor is unknown, as for an image, the whole block is before it.
func Around(d *dowse.Document, m *dowse.Mention) (before, after dowse.Span) {
	block, at := Within(d, m.Block), Within(d, m.At)
	if at.Len() == 0 || at.Start < block.Start || at.End > block.End {
		return block, dowse.Span{}
	}
	return dowse.Span{Start: block.Start, End: at.Start}, dowse.Span{Start: at.End, End: block.End}
}
