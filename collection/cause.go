package collection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/facts"
)

// A Cause is one reason for a verdict or a priority, and what it contributed.
type Cause = facts.Cause

// strongest returns the n reasons with the largest weights, whatever their sign,
// the strongest first.
func strongest(list []dowse.Because, n int) []dowse.Because {
	s := slices.Clone(list)
	slices.SortStableFunc(s, func(a, b dowse.Because) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return s[:min(max(n, 0), len(s))]
}

// ReasonLine writes the strongest n reasons in a line.
func ReasonLine(list []dowse.Because, n int) string {
	var s strings.Builder
	for i, b := range strongest(list, n) {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(&s, "%+.2f %s", b.Weight, b.What)
		if b.Count > 1 {
			fmt.Fprintf(&s, " ×%d", b.Count)
		}
	}
	return s.String()
}

// meaning tells what a reason means; "" for none.
func meaning(r dowse.Reason) string {
	for _, h := range dowse.ReasonHelp() {
		if h.Reason == r {
			return h.Means
		}
	}
	return ""
}
