package extract

import (
	"strings"
	"testing"
)

// bytewise adds s to a prose one byte at a time, but for characters beyond ASCII.
func bytewise(t *prose, s []byte) {
	for i := 0; i < len(s); {
		n := 1
		for n < 4 && i+n < len(s) && s[i] >= 0x80 && s[i+n]&0xC0 == 0x80 {
			n++
		}
		t.add(s[i : i+n])
		i += n
	}
}

// FuzzProse adds a text as a whole and in pieces, which must not make a difference.
func FuzzProse(f *testing.F) {
	for _, s := range []string{
		"plain words, one space apart, and more than eight bytes of them", "two  spaces here and   three there ", " begins and ends with a space ",
		"tab\tand\nline\r\nbreak and \x00 nul \x7f del", "naïve café — über alles 水", strings.Repeat("a b ", 30), strings.Repeat("long", 40), "1234567 12345678 ", "\u00a0x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		for _, word := range []int{0, 20, 4096} {
			whole, pieces := prose{max: 1 << 20, word: word}, prose{max: 1 << 20, word: word}
			whole.add([]byte(s))
			bytewise(&pieces, []byte(s))
			if string(whole.buf) != string(pieces.buf) || whole.gap != pieces.gap || whole.run != pieces.run {
				t.Errorf("%q with words of %d:\n%q, gap %q, run %d\n%q, gap %q, run %d", s, word,
					whole.buf, whole.gap, whole.run, pieces.buf, pieces.gap, pieces.run)
			}
		}
	})
}
