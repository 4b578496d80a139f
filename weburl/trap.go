package weburl

import (
	"strings"

	"dowse"
)

// The limits of an ordinary URL. Deep sites have about ten segments and sites
// with facets about ten parameters; a relative link that extends its own path,
// or a form that adds its fields again, exceeds the limits soon.
const (
	maxPath     = 1000 // bytes of a path
	maxSegments = 24
	maxRepeats  = 3 // of one segment
	maxCycles   = 2 // of two to four segments in a row
	maxParams   = 16
	maxSameName = 8 // parameters of one name
)

// Trap returns why the URL by itself looks like one of endlessly many, "" if it
// does not. Every URL that a person would make should pass; budgets by [Shape]
// and by host bound the rest.
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

// trapInPath returns why a path looks endless, "" if it does not. It looks at
// no more than maxSegments segments and does not allocate.
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

// repeats reports whether a segment occurs more than maxRepeats times, at any
// place. Numbers and single letters may: map tiles have such names.
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

// cycles reports whether a sequence of two to four segments repeats.
func cycles(segments []string) bool {
	for period := 2; period <= 4; period++ {
		same := 0
		for i := period; i < len(segments); i++ {
			if segments[i] != segments[i-period] {
				same = 0
				continue
			}
			// same counts segments that equal the one a period earlier, so the
			// first occurrence is not in it.
			if same++; same == maxCycles*period && !uniform(segments[i-period+1:i+1]) {
				return true
			}
		}
	}
	return false
}

// uniform reports whether all segments are equal; repeats decides about those.
func uniform(segments []string) bool {
	for _, s := range segments[1:] {
		if s != segments[0] {
			return false
		}
	}
	return true
}

// trapInQuery returns why a query looks endless, "" if it does not.
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
