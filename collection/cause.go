package collection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
)

// A Cause is one reason for a verdict or a priority, and what it contributed.
type Cause struct {
	What   string  `json:"what"`
	Word   string  `json:"word,omitempty"` // behind the stem in What; "" where nobody looked for it
	Weight float64 `json:"weight"`
	Count  int     `json:"count,omitempty"`
}

func causes(list []dowse.Because) []Cause {
	if len(list) == 0 {
		return nil
	}
	out := make([]Cause, len(list))
	for i, b := range list {
		out[i] = Cause{What: b.What, Weight: finite(b.Weight), Count: b.Count}
	}
	return out
}

// finite makes of any float one that JSON can say.
func finite(f float64) float64 {
	switch {
	case math.IsNaN(f):
		return 0
	case math.IsInf(f, 0):
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// Strongest returns the n reasons with the largest weights, whatever their sign,
// the strongest first.
func Strongest(list []dowse.Because, n int) []dowse.Because {
	s := slices.Clone(list)
	slices.SortStableFunc(s, func(a, b dowse.Because) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return s[:min(max(n, 0), len(s))]
}

// ReasonLine writes the strongest n reasons in a line.
func ReasonLine(list []dowse.Because, n int) string {
	var s strings.Builder
	for i, b := range Strongest(list, n) {
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
