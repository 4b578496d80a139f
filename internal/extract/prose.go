package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// prose collects text as it is shown: runs of white space become one space,
// blocks are separated by a line break. Nothing in it can move the cursor of a
// terminal: control characters count as white space, and characters that change
// the direction of writing or hyphenate are dropped.
//
// White space is not written immediately but kept as the gap before the next
// character, so that text never ends in white space and the strongest of
// several separators wins.
type prose struct {
	buf  []byte
	max  int  // bytes that buf may have
	cut  bool // what does not fit is cut to fit, not dropped
	word int  // bytes of a run without spaces; 0 for no limit
	run  int  // bytes since the last space
	gap  byte // what is written before the next character: 0, ' ' or '\n'
	full bool // max was reached; later text is dropped
}

func (t *prose) len() int { return len(t.buf) }

// line lets the next character begin a new line.
func (t *prose) line() { t.gap = '\n' }

// space separates the next character from the one before.
func (t *prose) space() {
	if t.gap == 0 {
		t.gap = ' '
	}
}

// The classes of bytes in a text.
const (
	plain  = iota
	blank  // space and control characters
	beyond // part of a character beyond ASCII
	nul    // nothing at all
)

// byteClass is the class of each byte. A NUL is dropped, as browsers do in HTML.
var byteClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c == 0:
			t[c] = nul
		case c <= ' ' || c == 0x7f:
			t[c] = blank
		case c >= utf8.RuneSelf:
			t[c] = beyond
		}
	}
	return t
}()

// add appends s, which is text of the page.
func (t *prose) add(s []byte) {
	for i := 0; i < len(s); {
		switch byteClass[s[i]] {
		case plain:
			i += t.addPlain(s[i:])
		case beyond:
			i += t.addRune(s[i:])
		case blank:
			t.space()
			t.run = 0
			i++
		default:
			i++
		}
	}
}

// addPlain appends the words with which s begins, as far as they are ASCII and
// separated by single spaces, and returns how many bytes that are. Most text is
// nothing else, so this is the fast path.
func (t *prose) addPlain(s []byte) int {
	if t.gap != 0 {
		t.run = 0
	}
	i, last := 1, 0
	if t.word == 0 || t.run+len(s) <= t.word {
		i, last = plainWords(s)
	}
	for i < len(s) {
		if byteClass[s[i]] == plain {
			i++
			continue
		}
		if s[i] != ' ' || i+1 == len(s) || byteClass[s[i+1]] != plain {
			break
		}
		if t.word > 0 && t.run+i > t.word {
			break
		}
		last = i + 1
		i += 2
	}
	if last > 0 && t.word > 0 && t.run+i > t.word { // leave the last word to its own bound
		i = last - 1
	}
	t.put(s[:i])
	if last > 0 {
		t.run = max(0, i-last)
	}
	return i
}

// plainWords returns how many bytes of s, which begins with a character of a
// word, are words separated by single spaces, and where the last word begins, 0
// for the first. It tests eight bytes at a time and stops early instead of
// testing single bytes.
//
// The test works on all eight bytes of a word v at the same time: adding a
// constant to each byte carries into its high bit exactly if the byte is large
// enough, so that one mask of high bits shows the bytes of interest.
func plainWords(s []byte) (n, last int) {
	const all, low, high = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	n = 1
	for n+8 < len(s) {
		v := binary.LittleEndian.Uint64(s[n:])
		// The high bit of a byte is set in odd for controls, DEL and all beyond
		// ASCII, and clear in word for spaces alone.
		odd := v | (v + all) | ^(v&low + (0x80-' ')*all)
		word := (v ^ ' '*all) + low
		spaces := ^word & high
		if odd&high != 0 || spaces&(spaces<<8) != 0 || spaces>>63 != 0 || spaces&0x80 != 0 && s[n-1] == ' ' {
			break
		}
		if spaces != 0 {
			last = n + 8 - bits.LeadingZeros64(spaces)/8
		}
		n += 8
	}
	return n, last
}

// addRune appends the first character of s, which is beyond ASCII, and returns
// its length in bytes. Symbols and punctuation beyond ASCII end a run, because
// scripts without spaces use them between sentences.
func (t *prose) addRune(s []byte) int {
	r, n := utf8.DecodeRune(s)
	switch {
	case r == utf8.RuneError && n == 1:
		t.put([]byte("\uFFFD"))
	case unicode.IsSpace(r) || unicode.IsControl(r):
		t.space()
		t.run = 0
	case IsUnshown(r):
	default:
		if r > 0x2000 && !unicode.IsLetter(r) && !unicode.IsMark(r) {
			t.run = 0
		}
		t.put(s[:n])
	}
	return n
}

// IsUnshown reports whether r only changes how other characters are shown: soft
// hyphens, embeddings and overrides of the direction, byte order marks.
func IsUnshown(r rune) bool {
	return r == 0xAD || r == 0xFEFF || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// put appends characters that neither begin nor end with a space, after the
// gap. It applies both limits.
func (t *prose) put(s []byte) {
	if t.full {
		return
	}
	if t.gap != 0 {
		t.run = 0
	}
	if t.word > 0 && t.run+len(s) > t.word {
		s = truncate(s, t.word-t.run)
		t.run = t.word
		if len(s) == 0 {
			return
		}
	} else {
		t.run += len(s)
	}
	if len(t.buf)+len(s)+1 > t.max {
		t.full = true
		if t.cut {
			s = truncate(s, t.max-len(t.buf)-1)
		}
		if !t.cut || len(s) == 0 {
			return
		}
	}
	if t.gap != 0 && len(t.buf) > 0 {
		t.buf = append(t.buf, t.gap)
	}
	t.gap = 0
	t.buf = append(t.buf, s...)
}

// truncate returns at most n bytes of s, without cutting a character.
func truncate(s []byte, n int) []byte {
	if n >= len(s) {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// field returns at most limit characters of s as prose, without characters that
// a reader cannot see.
func (p *pass) field(s []byte, limit int) string {
	return string(p.fieldBytes(s, limit))
}

// fieldBytes is field as bytes that are valid until the next call.
func (p *pass) fieldBytes(s []byte, limit int) []byte {
	t := prose{buf: p.scratch[:0], max: 4*limit + 2, cut: true}
	t.add(truncate(s, 64*limit))
	if firstBeyond(t.buf) >= 0 {
		t.buf = bytes.TrimRight(shown(t.buf[:0], t.buf), " ") // never longer than what was read
	}
	p.scratch = t.buf
	if len(t.buf) <= limit {
		return t.buf
	}
	return t.buf[:len(firstRunes(string(t.buf), limit))]
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
