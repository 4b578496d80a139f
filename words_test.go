package dowse

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// plainWords is what Words promises, one character after another.
func plainWords(s string, from int) (words []Span) {
	start := -1
	for i, r := range s {
		if i < from {
			continue
		}
		switch in := unicode.IsLetter(r) || unicode.IsDigit(r) || start >= 0 && unicode.IsMark(r); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			words = append(words, Span{int32(start), int32(i)})
			start = -1
		}
	}
	if start >= 0 {
		words = append(words, Span{int32(start), int32(len(s))})
	}
	return words
}

func TestWords(t *testing.T) {
	long := strings.Repeat("The quick brown fox, it's said, jumps over 13 lazy dogs. ", 9)
	for _, s := range []string{
		"", "a", " a", "a b", "@[`{/:AZaz09", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 200),
		strings.Repeat("x ", 64), strings.Repeat(" x", 64), long, long + "é" + long, strings.Repeat("é ü", 60), long[:64] + "\u0301" + long,
		strings.Repeat("x", 64) + "\u0301y", strings.Repeat(" ", 64) + "\u0301y", "\xff" + long, long[:61] + "世界" + long,
	} {
		if got, want := Words(s), plainWords(s, 0); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %v, want %v", s, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("some words, and a number: 42 "+strings.Repeat("of them ", 20), uint8(3))
	f.Add(strings.Repeat("naïve ", 30), uint8(0))
	f.Add(strings.Repeat("\x00\x7f\x80@[`{/:", 10), uint8(1))
	f.Fuzz(func(t *testing.T, s string, from uint8) {
		s = strings.ToValidUTF8(s, "?")
		at := min(int(from), len(s))
		for at < len(s) && s[at]&0xC0 == 0x80 {
			at++
		}
		if got, want := AppendWords(nil, s, at), plainWords(s, at); !slices.Equal(got, want) {
			t.Errorf("AppendWords(%q, %d) = %v, want %v", s, at, got, want)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	s := strings.Repeat("The quick brown fox, it's said, jumps over 13 lazy dogs. ", 200)
	var words []Span
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		words = AppendWords(words[:0], s, 0)
	}
}
