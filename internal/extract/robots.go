package extract

import "strings"

// robots gathers what directives for robots forbid.
type robots struct{ noFollow, noIndex, noArchive bool }

// read adds the directives in s, which are apart by commas or spaces.
func (r *robots) read(s string) {
	for _, d := range strings.FieldsFunc(s, isSeparator) {
		r.add(d)
	}
}

func isSeparator(c rune) bool { return c == ',' || c == ';' || c <= ' ' }

func (r *robots) add(directive string) {
	switch strings.ToLower(directive) {
	case "none":
		r.noFollow, r.noIndex = true, true
	case "nofollow":
		r.noFollow = true
	case "noindex":
		r.noIndex = true
	case "noarchive", "nocache":
		r.noArchive = true
	}
}

// RobotsTag reads the X-Robots-Tag headers of an answer: directives for all
// robots ("noindex, nofollow") and for named ones ("otherbot: noindex"). What a
// header says after a name is for that name alone, until the next name. Agent is
// our token; names are compared without regard to case. The strictest of all
// that concern us counts.
func RobotsTag(values []string, agent string) (noFollow, noIndex, noArchive bool) {
	var r robots
	for _, v := range values {
		ours := true
		for part := range strings.SplitSeq(v, ",") {
			name, directive, named := strings.Cut(part, ":")
			name = strings.TrimSpace(name)
			switch {
			case !named || hasValue(name):
				directive = part
			default:
				ours = agent != "" && strings.EqualFold(name, agent)
			}
			if ours {
				r.read(directive)
			}
		}
	}
	return r.noFollow, r.noIndex, r.noArchive
}

// hasValue reports whether a directive takes a value, so that the colon behind
// it makes no name of it.
func hasValue(directive string) bool {
	switch strings.ToLower(directive) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}
