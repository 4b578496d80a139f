package weburl

import (
	"strings"

	"dowse"
)

// What an ordinary URL stays below. Deep sites have about ten segments and
// faceted ones about ten parameters; a relative link that grows its own path, or
// a form that adds its fields again, passes these soon.
const (
	maxPath     = 1000 // bytes of a path
	maxSegments = 24
	maxRepeats  = 3 // of one segment
	maxCycles   = 2 // of two to four segments in a row
	maxParams   = 16
	maxSameName = 8 // parameters of one name
)

// Trap returns "" or why the URL by itself looks like one of endlessly many. It
// is meant to pass every URL that a person would make; budgets by [Shape] and by
// host catch the rest.
func Trap(u dowse.URL) string {
	path, query, hasQuery := strings.Cut(Path(u), "?")
	if why := trapInPath(path); why != "" {
		return why
	}
	if !hasQuery {
		return ""
	}
	return trapInQuery(query)
}

func trapInPath(path string) string {
	if len(path) > maxPath {
		return "the path is longer than 1000 bytes"
	}
	var buf [maxSegments]string
	segments := buf[:0]
	for path != "" {
		if len(segments) == maxSegments {
			return "the path has more than 24 segments"
		}
		segment := path[1:]
		if i := strings.IndexByte(segment, '/'); i >= 0 {
			segment = segment[:i]
		}
		segments = append(segments, segment)
		path = path[1+len(segment):]
	}
	if repeats(segments) {
		return "a segment of the path repeats"
	}
	if cycles(segments) {
		return "the path goes in circles"
	}
	return ""
}

// repeats reports whether a segment occurs too often, wherever it stands. Numbers
// and single letters may: maps are cut into tiles named so.
func repeats(segments []string) bool {
	for i, s := range segments {
		if len(s) == 1 || s != "" && strings.Trim(s, "0123456789") == "" {
			continue
		}
		n := 1
		for _, other := range segments[i+1:] {
			if other == s {
				n++
			}
		}
		if n > maxRepeats {
			return true
		}
	}
	return false
}

// cycles reports whether some segments come in the same order again and again.
func cycles(segments []string) bool {
	for period := 2; period <= 4; period++ {
		same := 0
		for i := period; i < len(segments); i++ {
			if segments[i] != segments[i-period] {
				same = 0
				continue
			}
			if same++; same == maxCycles*period && !uniform(segments[i-period+1:i+1]) {
				return true
			}
		}
	}
	return false
}

// uniform reports whether all segments are one and the same, which repeats
// judges.
func uniform(segments []string) bool {
	for _, s := range segments[1:] {
		if s != segments[0] {
			return false
		}
	}
	return true
}

func trapInQuery(query string) string {
	var names [maxParams]string
	n := 0
	for param := range params(query) {
		if n == maxParams {
			return "the query has more than 16 parameters"
		}
		names[n], _, _ = strings.Cut(param, "=")
		n++
	}
	for i := range names[:n] {
		same := 0
		for j := range names[:n] {
			if names[i] == names[j] {
				same++
			}
		}
		if same > maxSameName {
			return "the query repeats a parameter"
		}
	}
	return ""
}
