package directory

import (
	"strings"

	"dowse"
)

// Top is the root of every directory.
const Top = "Top"

// Clean returns a path in canonical form: from Top on, segments without spaces
// around them, a slash between two. People and JSON files leave the Top out.
func Clean(path string) string {
	if isClean(path) {
		return path
	}
	var b strings.Builder
	b.WriteString(Top)
	first := true
	for s := range strings.SplitSeq(path, "/") {
		if s = strings.TrimSpace(s); s == "" || first && s == Top {
			first = first && s == ""
			continue
		}
		first = false
		b.WriteString("/" + s)
	}
	return b.String()
}

// isClean reports whether Clean would change nothing, for the many paths for which
// that is so.
func isClean(path string) bool {
	rest, ok := strings.CutPrefix(path, Top+"/")
	return ok && rest != "" && rest[0] != '/' && rest[len(rest)-1] != '/' && !strings.Contains(rest, "//") &&
		!strings.ContainsAny(rest, " \t\r\n\v\f\u0085\u00a0") && strings.IndexFunc(rest, isWideSpace) < 0
}

// isWideSpace reports whether r may be a space beyond Latin-1; to call a few letters
// so costs time alone.
func isWideSpace(r rune) bool { return r >= 0x1680 && r <= 0x3000 }

// Level returns how far below Top a path is: 0 for Top itself.
func Level(path string) int { return strings.Count(path, "/") }

// within reports whether a path is root or below it. Both are clean.
func within(root, path string) bool {
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '/')
}

// parent returns the path above, Top above Top.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return Top
}

// ancestor returns the path cut to a level, or the whole if it is not below that.
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

// urlSet holds URLs by their hash: with 64 bits, two among four million are
// confused once in two million readings.
type urlSet map[uint64]struct{}

// add reports whether the URL was not there yet.
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

// hash is FNV-1a with a last mixing.
func hash(u dowse.URL) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(u) {
		h = (h ^ uint64(u[i])) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9E3779B97F4A7C15
}
