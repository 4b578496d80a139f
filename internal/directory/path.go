package directory

import (
	"strings"

	"dowse"
)

// Top is the root of every directory.
const Top = "Top"

// Clean returns a path in canonical form: it begins with Top, segments have no
// white space around them and are separated by one slash. People and JSON files
// omit Top.
func Clean(path string) string {
	if isClean(path) {
		return path
	}
	var b strings.Builder
	b.WriteString(Top)
	first := true
	for s := range strings.SplitSeq(path, "/") {
		// Only the first segment may be the root: Top/Top/A has a category Top.
		if s = strings.TrimSpace(s); s == "" || first && s == Top {
			first = first && s == ""
			continue
		}
		first = false
		b.WriteString("/" + s)
	}
	return b.String()
}

// isClean reports whether Clean would change nothing, which is so for most
// paths and saves an allocation.
func isClean(path string) bool {
	rest, ok := strings.CutPrefix(path, Top+"/")
	return ok && rest != "" && rest[0] != '/' && rest[len(rest)-1] != '/' && !strings.Contains(rest, "//") &&
		!strings.ContainsAny(rest, " \t\r\n\v\f\u0085\u00a0") && strings.IndexFunc(rest, isWideSpace) < 0
}

// isWideSpace reports whether r may be white space beyond Latin-1. It is also
// true for some letters, which only costs time.
func isWideSpace(r rune) bool { return r >= 0x1680 && r <= 0x3000 }

// Level returns how many levels below Top a path is: 0 for Top itself.
func Level(path string) int { return strings.Count(path, "/") }

// within reports whether a path is root or below it. Both are clean.
func within(root, path string) bool {
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '/')
}

// parent returns the path of the category above; Top is its own parent.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return Top
}

// ancestor returns the path cut to a level, or the whole path if it is not
// deeper.
func ancestor(path string, level int) string {
	at := 0
	for range level + 1 {
		i := strings.IndexByte(path[at:], '/')
		if i < 0 {
			return path
		}
		at += i + 1
	}
	return path[:at-1]
}

// urlSet holds URLs by 64-bit hashes, 8 bytes each. Among four million URLs,
// two are confused once in two million readings.
type urlSet map[uint64]struct{}

// add adds a URL and reports whether it is new.
func (s urlSet) add(u dowse.URL) bool {
	h := hash(u)
	if _, ok := s[h]; ok {
		return false
	}
	s[h] = struct{}{}
	return true
}

func (s urlSet) has(u dowse.URL) bool {
	_, ok := s[hash(u)]
	return ok
}

// hash is FNV-1a with a final mix.
func hash(u dowse.URL) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(u) {
		h = (h ^ uint64(u[i])) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9E3779B97F4A7C15
}
