package plain_test

import (
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"dowse/internal/plain"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plain.Count(0), "0"},
		{plain.Count(999), "999"},
		{plain.Count(1000), "1,000"},
		{plain.Count(-1234567), "-1,234,567"},
		{plain.Count(-123), "-123"},
		{plain.Some(1, "page"), "1 page"},
		{plain.Some(0, "page"), "0 pages"},
		{plain.Some(2000, "category"), "2,000 categories"},
		{plain.Some(2, "key"), "2 keys"},
		{plain.Some(2, "y"), "2 ys"},
		{plain.Bytes(999), "999 B"},
		{plain.Bytes(1500), "1.5 KB"},
		{plain.Bytes(2_500_000), "2.5 MB"},
		{plain.Bytes(3e12), "3000.0 GB"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plain.Printable("é\nа"), "é\nа"},
		{plain.Printable("a\x1b[1m\xff\u202e\U000e0001"), `a\x1b[1m\ufffd\u202e\U000e0001`},
		{plain.OneLine("a\nb\r"), `a b\x0d`},
		{plain.Words(" a\t\x00b\ufeff\u2028 c\n"), "a b c"},
		{plain.Words("می\u200cشود"), "می\u200cشود"}, // the joiner is part of the word
		{plain.Fit("größer", 6), "größer"},
		{plain.Fit("größer", 4), "grö…"},
		{plain.Fit("größer", 0), "…"},
		{plain.FitMiddle("abcdefgh", 5), "ab…gh"},
		{plain.FitMiddle("abcdefgh", 4), "a…gh"},
		{plain.FitMiddle("abc", 2), "a…"},
		{plain.FitEnd("www.example.org", 8), "…ple.org"},
		{plain.FitEnd("abc", 0), "…"},
		{plain.Cut("größer", 3), "gr"},
		{plain.Cut("abc", 9), "abc"},
		{strings.Join(plain.Wrap("one two three fourteen", 8), "|"), "one two|three|fourteen"},
		{strings.Join(plain.Wrap("", 8), "|"), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Whatever a stranger writes, no line that is printed moves a cursor, and no cut splits a
// character or exceeds its room.
func FuzzTexts(f *testing.F) {
	f.Add("a\x1b[2Jb\u202e", 3)
	f.Add("\xff\xfe\u2028", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = min(max(n%50, 0), 50)
		line := plain.OneLine(s)
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 || !utf8.ValidString(line) {
			t.Errorf("%q is shown as %q", s, line)
		}
		if strings.ContainsAny(plain.Words(s), "\n\r\x1b\x00") {
			t.Errorf("the words of %q are %q", s, plain.Words(s))
		}
		for _, cut := range []string{plain.Fit(line, n), plain.FitMiddle(line, n), plain.FitEnd(line, n)} {
			if utf8.RuneCountInString(cut) > max(n, 1) || !utf8.ValidString(cut) {
				t.Errorf("%q in %d characters is %q", line, n, cut)
			}
		}
		if cut := plain.Cut(line, n); len(cut) > n || !utf8.ValidString(cut) {
			t.Errorf("%q in %d bytes is %q", line, n, cut)
		}
	})
}

// TestUnmarked reads a file without its byte order mark, and others as they are.
func TestUnmarked(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffa\n": "a\n", "a\ufeff": "a\ufeff", "": "", "\ufeff": "", "\xef\xbb": "\xef\xbb", "\ufeff\ufeffa": "\ufeffa",
	} {
		if got, err := io.ReadAll(plain.Unmarked(strings.NewReader(text))); err != nil || string(got) != want {
			t.Errorf("%q is read as %q, %v, want %q", text, got, err, want)
		}
	}
}
