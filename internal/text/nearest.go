package text

import "strings"

// Nearest returns the known name that a misspelt name probably means, "" if
// none is near. Known names are in lower case, name in any. Up to a third of
// the letters plus one may differ.
func Nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", min(len(name)/3+2, len(name)) // never all letters of a short name
	for _, k := range known {
		if d := editDistance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// Distance returns how many letters differ between two names, in any case: see [Nearest].
func Distance(a, b string) int { return editDistance(strings.ToLower(a), strings.ToLower(b)) }

// editDistance returns how many letters must be inserted, deleted, changed or
// swapped with their neighbour to turn a into b (optimal string alignment
// distance). It keeps three rows of the table.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before := make([]int, len(t)+1)
	last := make([]int, len(t)+1)
	row := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(s[i-1], t[j-1]))
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
