package report

import (
	"strings"
	"testing"
	"time"

	"dowse/internal/lab/measure"
)

// TestKept: a document that is written again from its own sections is the same; a new run
// replaces its section, table row and costs, and leaves the others as they are.
func TestKept(t *testing.T) {
	part := func(name, web, how, body string, holds int) Part {
		made := []Effort{{Version: "dowse 0.1 " + strings.Repeat("ab12", 10), Begun: time.Unix(0, 0), CPU: 3 * time.Second, Elapsed: 7 * time.Second, Memory: 90 << 20}}
		return Part{Name: name, Title: "A|B_c", what: "A|B_c", Web: web, How: how, Tally: map[measure.Outcome]int{measure.Holds: holds}, body: body, made: made}
	}
	old := Results([]Part{
		part("x-1", "wiki", "", "| a | b |\n", 1), part("x", "wiki", "", "text\n", 2), part("x", "wiki", "generic seeds", "generic\n", 3), part("x", "made_2", "", "made\n", 4),
	}, nil, "")
	if again := Results(Merge(nil, Kept(old)), nil, ""); again != old {
		t.Errorf("a document made of its own sections is\n%s\nwant\n%s", again, old)
	}
	after := Results(Merge([]Part{part("x", "made_2", "", "later\n", 5), part("y", "other", "", "added\n", 6)}, Kept(old)), nil, "")
	want := Results([]Part{
		part("x-1", "wiki", "", "| a | b |\n", 1), part("x", "wiki", "", "text\n", 2), part("x", "wiki", "generic seeds", "generic\n", 3), part("x", "made_2", "", "later\n", 5),
		part("y", "other", "", "added\n", 6),
	}, nil, "")
	if after != want {
		t.Errorf("with two new runs the document is\n%s\nwant\n%s", after, want)
	}
	if parts := Kept("# Notes\n\n## x on wiki: A\n\ntext\n"); len(parts) != 0 {
		t.Errorf("%d sections of a document without a table of experiments, want none", len(parts))
	}
}
