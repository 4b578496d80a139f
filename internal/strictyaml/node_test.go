package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dowse/internal/strictyaml"
)

func TestPlaceAndKindOfNodes(t *testing.T) {
	lenient := form()
	lenient.Lenient = true
	for _, c := range []struct {
		text  string
		place string
		kind  string
		pairs int // -1 for a node that is no mapping
	}{
		{"a: 1\n", "1:1", "a mapping", 1},
		{"# first\n\na: 1\nb: 2\n", "3:1", "a mapping", 2},
		{"  a: 1\n  b: 2\n", "1:3", "a mapping", 2},
		{"{b: 2, a: 1}\n", "1:1", "a mapping", 2},
		{"- a\n- b\n", "1:1", "a list", -1},
		{"[a, b]\n", "1:1", "a list", -1},
		{"\nword\n", "2:1", "a single value", -1},
		{"12\n", "1:1", "a single value", -1},
		{"~\n", "1:1", "empty", -1},
		{"&a x\n", "1:1", "an anchor, alias or tag", -1},
		{"!!str x\n", "1:1", "an anchor, alias or tag", -1},
	} {
		root, e := lenient.Parse([]byte(c.text), "p.yaml")
		if e != nil {
			t.Errorf("%q: %v", c.text, e)
			continue
		}
		line, column := strictyaml.Place(root)
		pairs, ok := strictyaml.Pairs(root)
		if got := fmt.Sprintf("%d:%d", line, column); got != c.place || strictyaml.Kind(root) != c.kind {
			t.Errorf("%q: %s at %s, want %s at %s", c.text, strictyaml.Kind(root), got, c.kind, c.place)
		}
		if ok != (c.pairs >= 0) || ok && len(pairs) != c.pairs {
			t.Errorf("%q: a mapping: %v, with %d pairs, want %d", c.text, ok, len(pairs), c.pairs)
		}
	}
	if got := strictyaml.Kind(nil); got != "empty" {
		t.Errorf("no node is %q, want empty", got)
	}
}

// A file at a limit is read; one beyond it is not.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		text func(n int) string
		most int
	}{
		{"bytes", func(n int) string { return "name: x\n" + strings.Repeat("#\n", (n-8)/2) + strings.Repeat("\n", n%2) }, 4 << 10},
		{"line", func(n int) string { return "name: " + strings.Repeat("x", n-6) + "\n" }, 1 << 10},
		{"brackets", func(n int) string { return "notes: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n" }, 8},
		{"dashes", func(n int) string { return strings.Repeat("- ", n) + "x\n" }, 4},
		{"keys", func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "k%d: 1\n", i)
			}
			return b.String()
		}, 20},
	} {
		for n, want := range map[int]bool{c.most: true, c.most + 1: false} {
			if _, e := form().Parse([]byte(c.text(n)), "p.yaml"); (e == nil) != want {
				t.Errorf("%s: %d: %v, want it read: %v", c.name, n, e, want)
			}
		}
	}
}

// Brackets that are closed again do not count, and neither do dashes of other lines.
func TestNestingIsCountedWhereItIsOpen(t *testing.T) {
	for _, text := range []string{
		"notes: [" + strings.Repeat("[a], ", 30) + "b]\n",
		strings.Repeat("- - a\n", 30),
	} {
		if _, e := form().Parse([]byte(text), "p.yaml"); e != nil {
			t.Errorf("%.30q: %v", text, e)
		}
	}
}

type timetable struct {
	Wait  time.Duration `yaml:"wait"`
	Inner *struct {
		Seeds struct {
			Form string `yaml:"form"`
			Key  string `yaml:"-"`
		} `yaml:"seeds"`
	} `yaml:"inner"`
}

// The suggestion for an unknown key comes from the mapping around it, not from another one, and
// never names a field that has no key.
func TestSuggestionsFitTheirPlace(t *testing.T) {
	for _, c := range []struct{ text, place, fix string }{
		{"inner:\n  seeds:\n    from: x\n", "3:5", `did you mean "form"?`},
		{"inner:\n  sedes: 1\n", "2:3", `did you mean "seeds"?`},
		{"form: x\n", "1:1", "use one of: inner, wait"},
		{"inner: {seeds: {Key: x}}\n", "1:17", "use one of: form"},
	} {
		e := form().Read([]byte(c.text), "t.yaml", &timetable{})
		if e == nil || !strings.HasPrefix(e.Error(), "t.yaml:"+c.place+":") || e.Fix != c.fix {
			t.Errorf("%q: %v, want an error at %s with %s", c.text, e, c.place, c.fix)
		}
	}
}

// A type that reads itself reports no place. The value that its message quotes is found in the
// file instead.
func TestPlaceOfAValueThatReadsItself(t *testing.T) {
	e := form().Read([]byte("inner:\n  seeds: {form: soon}\nwait: soonish\n"), "t.yaml", &timetable{})
	if e == nil || e.Line != 3 || e.Column != 7 || !strings.Contains(e.Problem, "soonish") {
		t.Errorf("got %+v, want an error about soonish at 3:7", e)
	}
}

// Line ends of other systems, a byte order mark, and a last line without an end change nothing.
func TestLineEnds(t *testing.T) {
	for _, text := range []string{"name: x\ndays: 3", "name: x\r\ndays: 3\r\n", "\ufeffname: x\r\ndays: 3\r\n", "\n\nname: x\n\ndays: 3\n\n"} {
		var p plan
		if e := form().Read([]byte(text), "p.yaml", &p); e != nil || p.Name != "x" || p.Days != 3 {
			t.Errorf("%q: %+v, %v", text, p, e)
		}
	}
}
