package linktext

import (
	"strings"
	"testing"

	"dowse"
)

// TestCut checks that a text is cut to a bound, and never within a character.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"tide", 10, "tide"}, {"tide", 4, "tide"}, {"tide", 2, "ti"}, {"café", 4, "caf"}, {"日本", 5, "日"}, {"日本", 2, ""}, {"", 0, ""}} {
		if got := Cut(c.s, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

// TestAddress checks that a URL is read as a person would: without scheme, decoded where
// that is possible, and bounded.
func TestAddress(t *testing.T) {
	for u, want := range map[dowse.URL]string{
		"http://a.test/tide-pools": "a.test/tide-pools",
		"http://a.test/caf%C3%A9":  "a.test/café",
		"http://a.test/100%":       "a.test/100%",
		"opaque":                   "opaque",
	} {
		if got := Address(u); got != want {
			t.Errorf("Address(%q) = %q, want %q", u, got, want)
		}
	}
	if n := len(Address(dowse.URL("http://a.test/" + strings.Repeat("x", 5000)))); n > MaxBytes {
		t.Errorf("%d bytes of a long URL, want at most %d", n, MaxBytes)
	}
}

// TestAround checks the words around an anchor: none that the page does not have, all of the
// block where the anchor is not in it.
func TestAround(t *testing.T) {
	d := &dowse.Document{Text: "see the tide pools of the north", Words: dowse.Words("see the tide pools of the north")}
	span := func(a, b int32) dowse.Span { return dowse.Span{Start: a, End: b} }
	for _, c := range []struct {
		name          string
		m             dowse.Mention
		before, after dowse.Span
	}{
		{"in the middle", dowse.Mention{Block: span(1, 7), At: span(2, 4)}, span(1, 2), span(4, 7)},
		{"an image", dowse.Mention{Block: span(1, 7)}, span(1, 7), dowse.Span{}},
		{"outside its block", dowse.Mention{Block: span(4, 7), At: span(2, 4)}, span(4, 7), dowse.Span{}},
		{"a block beyond the page", dowse.Mention{Block: span(0, 70), At: span(2, 4)}, dowse.Span{}, dowse.Span{}},
		{"backwards", dowse.Mention{Block: span(5, 2), At: span(-1, 3)}, dowse.Span{}, dowse.Span{}},
	} {
		if before, after := Around(d, &c.m); before != c.before || after != c.after {
			t.Errorf("%s: %v and %v, want %v and %v", c.name, before, after, c.before, c.after)
		}
	}
}
