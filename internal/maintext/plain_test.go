package maintext

import (
	"strings"
	"testing"

	"dowse/internal/extract"
)

// All of a text that is no HTML is its own, also short lines and lists of links, with figures as they are.
func TestTextIsItsOwn(t *testing.T) {
	const text = "Guide\n\nhttp://a.example/\n\nhttp://b.example/\n\n  a   b\n  1   2\n\nEnd."
	for kind, want := range map[string]string{
		"text/plain":    "Guide\n\n[http://a.example](http://a.example/)/\n\n[http://b.example](http://b.example/)/\n\n```\n  a   b\n  1   2\n```\n\nEnd.",
		"text/markdown": "Guide\n\n[http://a.example](http://a.example/)/\n\n[http://b.example](http://b.example/)/\n\na b 1 2\n\nEnd.",
	} {
		body, _ := extract.Decode([]byte(text), kind)
		_, p := Read(body, "http://h.example/a.txt", extract.Options{})
		if got := strings.TrimSpace(p.Main(nil).Markdown()); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", kind, got, want)
		}
	}
}
