package weburl

import (
	"slices"
	"strings"

	"dowse"
)

// Shape returns the pattern of which a URL is one of many instances: the host,
// the path with N for every number and X for every random token, and the names
// of the query's parameters, sorted, each once. Pages that a program generates
// without end, such as those of a calendar, share few shapes, so a budget per
// shape bounds them. An opaque URL is its own shape.
func Shape(u dowse.URL) string {
	return string(appendShape(make([]byte, 0, len(u)), u))
}

// ShapeHash returns a hash that is equal for all URLs of one shape, and the
// same on every machine and in every version. It does not allocate for URLs of
// up to 512 bytes.
func ShapeHash(u dowse.URL) uint64 {
	if len(u) > 512 {
		return hash(appendShape(make([]byte, 0, len(u)), u))
	}
	var buf [512]byte
	return hash(appendShape(buf[:0], u))
}

// hash is FNV-1a with a final mix, without which the high bits of short shapes
// differ little.
func hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}

// appendShape appends the shape of u to dst.
func appendShape(dst []byte, u dowse.URL) []byte {
	host, path := cut(u)
	if host == 0 {
		return append(dst, u...)
	}
	dst = append(dst, u[host:path]...)
	rest, query, hasQuery := strings.Cut(string(u[path:]), "?")
	dst = appendPathShape(dst, rest)
	if hasQuery {
		dst = appendNames(append(dst, '?'), query)
	}
	return dst
}

// appendPathShape appends the shape of a path: tokens that contain a digit as
// their shapes, and everything else unchanged.
func appendPathShape(dst []byte, path string) []byte {
	for i := 0; i < len(path); {
		end, digits := i, false
		for end < len(path) && class[path[end]]&inToken != 0 {
			digits = digits || isDigit(path[end])
			end++
		}
		switch {
		case digits:
			dst = appendTokenShape(dst, path[i:end])
			i = end
			continue
		// An escape is kept whole, so that its digits are not taken for a
		// number.
		case end == i && path[i] == '%':
			end = min(i+3, len(path))
		case end == i:
			end++
		}
		dst = append(dst, path[i:end]...)
		i = end
	}
	return dst
}

// appendTokenShape appends X for a token that is random as a whole, such as a
// UUID, else the shapes of the words in it.
func appendTokenShape(dst []byte, token string) []byte {
	if isRandom(token) {
		return append(dst, 'X')
	}
	start := 0
	for i := 0; i <= len(token); i++ {
		if i < len(token) && token[i] != '-' && token[i] != '_' {
			continue
		}
		dst = appendWordShape(dst, token[start:i])
		if i < len(token) {
			dst = append(dst, token[i])
		}
		start = i + 1
	}
	return dst
}

// appendWordShape appends X for a random word, else the word with N for each
// number in it.
func appendWordShape(dst []byte, word string) []byte {
	if isRandom(word) {
		return append(dst, 'X')
	}
	for i := 0; i < len(word); i++ {
		if !isDigit(word[i]) {
			dst = append(dst, word[i])
		} else if i == 0 || !isDigit(word[i-1]) {
			dst = append(dst, 'N')
		}
	}
	return dst
}

// isRandom reports whether a token looks random: at least six hexadecimal
// digits with letters among them (32 if hyphens separate them, as in a UUID),
// or at least sixteen characters in which digits are scattered among letters.
// People write the digits of a name in one place.
func isRandom(s string) bool {
	letters, digits, marks, turns := 0, 0, 0, 0
	hex := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c):
			digits++
		case isLetter(c):
			letters++
			hex = hex && hexValue(c) >= 0
		default:
			marks++
		}
		if i > 0 && isDigit(c) != isDigit(s[i-1]) {
			turns++
		}
	}
	switch {
	case letters == 0 || digits == 0:
		return false
	case hex && marks == 0:
		return len(s) >= 6
	case hex:
		return len(s) >= 32
	}
	return len(s) >= 16 && marks <= 2 && turns >= 4
}

// maxNames bounds the distinct parameter names in a shape. It may be low,
// because Trap refuses URLs with more than half as many parameters.
const maxNames = 32

// appendNames appends the names of the parameters in a query, sorted, each
// once.
func appendNames(dst []byte, query string) []byte {
	var buf [maxNames]string
	names := buf[:0]
	for param := range params(query) {
		name, _, _ := strings.Cut(param, "=")
		at, known := slices.BinarySearch(names, name)
		if !known && len(names) < maxNames {
			names = slices.Insert(names, at, name)
		}
	}
	for i, name := range names {
		if i > 0 {
			dst = append(dst, '&')
		}
		dst = append(dst, name...)
	}
	return dst
}

// params ranges over the parameters of a query.
func params(query string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i <= len(query); i++ {
			if i < len(query) && !isSeparator(query[i]) {
				continue
			}
			if !yield(query[from:i]) {
				return
			}
			from = i + 1
		}
	}
}
