package dashboard

import (
	"html"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tags matches the marks of HTML.
var tags = regexp.MustCompile(`<[^>]*>`)

// TestCommandsOfPages checks the commands of pages that no answer of the operations has: a search that can't be understood,
// whose words may look like flags, and the list of collections, which names them.
func TestCommandsOfPages(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	pools := filepath.Join(dir, "pools.dowse")
	for path, want := range map[string]string{
		"/c/pools/search?q=--json+score:abc": "dowse search " + pools + " -- '--json score:abc'",
		"/collections":                       "dowse status " + pools,
	} {
		code, body, _ := s.get(t, path)
		text := html.UnescapeString(tags.ReplaceAllString(body, ""))
		if code != http.StatusOK && code != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d, without %s", path, code, want)
		}
	}
}
