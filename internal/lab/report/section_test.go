package report

import (
	"strings"
	"testing"
	"time"

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

// TestTopicsOfAFile: the section of a run whose topics are from a file lists them; another does not.
func TestTopicsOfAFile(t *testing.T) {
	r := madeReport(t)
	line := "The topics of the file: " + strings.Join(r.in.Runs.Topics(), ", ")
	for _, want := range []bool{true, false} {
		r.in.TopicsNamed = want
		if got := strings.Contains(strings.ReplaceAll(r.Part().body, `\_`, "_"), line); got != want {
			t.Errorf("topics are listed: %v, want %v\n%s", got, want, r.Part().body)
		}
	}
}

// TestEfforts: a section names the programs that made its run and the days; the document ends with
// a table of time and memory. What was not recorded is left out, or is a dash.
func TestEfforts(t *testing.T) {
	begun := time.Date(2026, 11, 16, 23, 0, 0, 0, time.UTC)
	commit := strings.Repeat("ab12", 10)
	first := Effort{Version: "dowse 0.1 " + commit, Begun: begun, Elapsed: 40 * time.Second, CPU: 20 * time.Second, Memory: 300 << 20}
	second := Effort{Version: "dowse 0.1 " + commit, Begun: begun.Add(2 * time.Hour), Elapsed: 20 * time.Second, CPU: 10 * time.Second, Memory: 200 << 20}
	other := Effort{Version: "dowse 0.2", Begun: begun, Elapsed: time.Second}
	r := madeReport(t)
	for _, x := range []struct {
		list []Effort
		want string
	}{
		{[]Effort{first}, "*Made* by dowse 0.1 ab12ab1, on 16 November 2026.\n"},
		{[]Effort{first, second}, "*Made* by dowse 0.1 ab12ab1, from 16 November 2026 to 17 November 2026.\n"},
		{[]Effort{{Version: "dowse 0.1 " + commit + "+", Begun: begun}}, "*Made* by dowse 0.1 ab12ab1+, on 16 November 2026.\n"},
		{[]Effort{first, other}, "*Made* by dowse 0.1 ab12ab1 and dowse 0.2, on 16 November 2026.\n"},
	} {
		r.in.Efforts = x.list
		if body := r.Part().body; !strings.Contains(body, x.want) {
			t.Errorf("no %q in\n%s", x.want, body)
		}
	}
	r.in.Efforts = nil
	if p := r.Part(); strings.Contains(p.body, "*Made*") || strings.Contains(Results([]Part{p}, nil, ""), "Time and memory") {
		t.Errorf("names a program that was not recorded:\n%s", p.body)
	}
	text := Results([]Part{{Name: "a", Web: "w", made: []Effort{first, second}}, {Name: "b", Web: "w", made: []Effort{other}}, {Name: "c", Web: "w"}}, nil, "")
	_, table, _ := strings.Cut(text, "|---|---|---|--:|--:|--:|\n| a | w | dowse")
	want := " 0.1 ab12ab1 | 30 s | 60 s | 300 MiB |\n| b | w | dowse 0.2 | – | 1 s | – |\n| all | | | – | 61 s | – |\n"
	if table != want {
		t.Errorf("got the rows %q, want %q in\n%s", table, want, text)
	}
}
