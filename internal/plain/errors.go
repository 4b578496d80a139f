package plain

import (
	"regexp"
	"slices"
	"strings"
)

// packageNames matches the names of packages that begin their errors. They help readers
// of the code and mean nothing to users.
var packageNames = regexp.MustCompile(`(^|: |; |\n)(?:archive|collection|crawl|crawler|directory|durable|experiment|fetch|frontier|measure|outside|predicate|report|search|sitetrial|weburl): `)

// repeated matches a URL that an error names twice: "x": parse "x": problem.
var repeated = regexp.MustCompile(`parse ("(?:[^"\\]|\\.)*"): `)

// Error returns an error as people read it, in a terminal, a browser or an answer of the API: without the names of
// packages, and without the same words twice in a row. Errors are wrapped on their way up, and each package puts its
// name in front, as Go programs do; after three packages the names are longer than the problem.
func Error(err error) string {
	s := err.Error()
	for {
		next := packageNames.ReplaceAllString(s, "$1")
		if next == s {
			break
		}
		s = next
	}
	for _, m := range repeated.FindAllStringSubmatch(s, -1) {
		if strings.Count(s, m[1]) > 1 {
			s = strings.Replace(s, m[0], "", 1)
		}
	}
	return strings.Join(slices.Compact(strings.Split(s, "; ")), "; ") // two packages may add the same advice
}
