package extract

import (
	"slices"
	"strings"
)

// Agents returns the product tokens that directives for robots address: those of a crawler and of
// others, in lower case and without versions.
func Agents(own string, others ...string) (list []string) {
	for _, name := range append([]string{own}, others...) {
		name, _, _ = strings.Cut(name, "/")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// robots is the union of what directives for robots forbid.
type robots struct{ noFollow, noIndex, noArchive bool }

// read adds the directives in s, which are separated by commas, semicolons or
// white space.
func (r *robots) read(s string) {
	for _, d := range strings.FieldsFunc(s, isSeparator) {
		r.add(d)
	}
}

func isSeparator(c rune) bool { return c == ',' || c == ';' || c <= ' ' }

// add adds one directive. Unknown ones are ignored.
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

// RobotsTag parses the X-Robots-Tag headers of an answer: directives for all
// robots ("noindex, nofollow") and for named ones ("otherbot: noindex"). The
// directives after a name are for that robot alone, until the next name. agents
// are product tokens, compared without case. The union of all directives that
// concern one of them is returned.
func RobotsTag(values []string, agents ...string) (noFollow, noIndex, noArchive bool) {
	var r robots
	for _, v := range values {
		ours := true
		for part := range strings.SplitSeq(v, ",") {
			name, directive, named := strings.Cut(part, ":")
			name = strings.TrimSpace(name)
			switch {
			// "unavailable_after: 25 Jun 2030" has a value; "otherbot: noindex" has a
			// name in front.
			case !named || hasValue(name):
				directive = part
			default:
				ours = slices.ContainsFunc(agents, func(agent string) bool { return agent != "" && strings.EqualFold(name, agent) })
			}
			if ours {
				r.read(directive)
			}
		}
	}
	return r.noFollow, r.noIndex, r.noArchive
}

// hasValue reports whether a directive takes a value, so that the word before a
// colon is not a name.
func hasValue(directive string) bool {
	switch strings.ToLower(directive) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}
