package report

import (
	"strings"
	"testing"

	"dowse/internal/lab/measure"
)

// TestResults puts runs of two experiments on two webs in order, distinguishes those that
// would have one title, and names what was left out.
func TestResults(t *testing.T) {
	part := func(name, web, how, run string) Part {
		return Part{Name: name, Title: "All", what: "All", Web: web, How: how, Run: run, Tally: map[measure.Outcome]int{measure.Holds: 2}, body: "body\n"}
	}
	text := Results([]Part{
		part("b", "wiki", "generic seeds", "r/1"), part("b", "made", "", "r/2"), part("b", "wiki", "", "r/3"), part("a", "wiki", "", "r/4"),
		part("a", "made", "", "r/5"), part("a", "made", "", "r/6"),
	}, []LeftOut{{"x", "one host"}, {"y", "no sites"}, {"z", "one host"}}, "Preface of a person.\n")
	var heads []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "Left") || strings.HasPrefix(line, "Preface") {
			heads = append(heads, strings.TrimSpace(line))
		}
	}
	want := []string{"Left out: x, z (one host); y (no sites).", "Preface of a person.", "## a on wiki: All", "## b on wiki: All", "## b on wiki, generic seeds: All",
		"## a on made, r/5: All", "## a on made, r/6: All", "## b on made: All"}
	if strings.Join(heads, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(heads, "\n"), strings.Join(want, "\n"))
	}
	if row := "| b | wiki, generic seeds | All | 2 | 0 | 0 |\n"; !strings.Contains(text, row) {
		t.Errorf("no row %q in\n%s", row, text)
	}
}
