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

// A Cause is one reason for a verdict or a priority, together with its
// contribution.
type Cause = facts.Cause

// strongest returns the n reasons with the largest absolute weights, the
// strongest first. Reasons of equal weight keep their order, so the result is
// deterministic. The argument is not changed.
func strongest(list []dowse.Because, n int) []dowse.Because {
	s := slices.Clone(list)
	slices.SortStableFunc(s, func(a, b dowse.Because) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return s[:min(max(n, 0), len(s))]
}

// ReasonLine formats the n strongest reasons as one line, each with its signed
// weight and, if it occurred more than once, its count.
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

// meaning returns the explanation of a reason for people, "" for an unknown or
// empty one.
func meaning(r dowse.Reason) string {
	for _, h := range dowse.ReasonHelp() {
		if h.Reason == r {
			return h.Means
		}
	}
	return ""
}
