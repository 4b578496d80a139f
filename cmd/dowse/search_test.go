package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/search"
)

// A page can't write control characters or turn the direction of writing, neither in marked words nor between
// them.
func TestMarkedTextIsHarmless(t *testing.T) {
	pieces := []search.Piece{{Text: "a\x1b[2J\u202eb "}, {Text: "wo\x07rd two", Mark: true}, {Text: "\r\nend"}}
	if got, want := marked(pieces, false), `a\x1b[2J\u202eb [wo\x07rd two]\x0d end`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	coloured := marked(pieces, true)
	if rest := strings.NewReplacer(bold, "", noBold, "").Replace(coloured); strings.ContainsAny(rest, "\x1b\x07\r\n\u202e") {
		t.Errorf("with colours: got %q", coloured)
	}
	if !strings.Contains(coloured, bold+`wo\x07rd`+noBold+" "+bold+"two"+noBold) {
		t.Errorf("a mark goes over a space, where a line may be broken: %q", coloured)
	}
}

// The key of the index is made once, and a file that holds none is no key.
func TestSearchKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	env := func(name string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[name] }
	first := searchKey(env)
	if len(first) < leastSalt || string(searchKey(env)) != string(first) {
		t.Errorf("got a key of %d bytes, then another one", len(first))
	}
	if err := os.WriteFile(filepath.Join(dir, "dowse", "search-key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := searchKey(env); got != nil {
		t.Errorf("got %x of a file without a key, want none", got)
	}
	if got := searchKey(func(string) string { return "" }); got != nil {
		t.Errorf("got %x without a place for it, want none", got)
	}
}
