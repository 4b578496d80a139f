package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"

	"dowse/internal/strictyaml"
)

func form() *strictyaml.Form {
	return &strictyaml.Form{
		Bytes: 4 << 10, Line: 1 << 10, Brackets: 8, Dashes: 4, Indent: 40, Keys: 20,
		FixLarge: "split it", FixKeys: "remove some", FixEmpty: "write something", FixSecond: "keep one", FixOther: "see the example",
	}
}

type plan struct {
	Name  string   `yaml:"name"`
	Days  int      `yaml:"days,omitempty"`
	Share float64  `yaml:"share,omitempty"`
	Open  bool     `yaml:"open,omitempty"`
	Steps []step   `yaml:"steps,omitempty"`
	Notes []string `yaml:"notes,omitempty"`
}

type step struct {
	Title string `yaml:"title"`
	Hours uint8  `yaml:"hours,omitempty"`
}

func TestRead(t *testing.T) {
	var p plan
	if e := form().Read([]byte("# a plan\nname: x\nsteps:\n  - {title: one, hours: 3}\n"), "p.yaml", &p); e != nil {
		t.Fatal(e)
	}
	if got := fmt.Sprint(p); got != "{x 0 0 false [{one 3}] []}" {
		t.Errorf("read %s", got)
	}
}

// Every fault has its place and what to do.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, place, problem, fix string }{
		{"", "1:1", "empty", "write something"},
		{"# nothing\n", "1:1", "empty", "write something"},
		{"nmae: x\n", "1:1", `no key "nmae"`, `did you mean "name"?`},
		{"name: x\nsteps:\n  - {title: a, huors: 3}\n", "3:16", `no key "huors"`, `did you mean "hours"?`},
		{"name: x\ndays: many\n", "2:7", `"many" is not a whole number`, "see the example"},
		{"name: x\nshare: much\n", "2:8", `"much" is not a number`, "see the example"},
		{"name: x\nopen: perhaps\n", "2:7", "yes or no", "see the example"},
		{"steps: [{title: a, hours: 300}]\n", "1:27", "300 is out of range", "whole number"},
		{"name: x\nname: y\n", "2:1", `the key "name" already defined`, "remove one"},
		{"name: x\n---\nname: y\n", "3:1", "second document", "keep one"},
		{"name: [a\n", "1:7", "not YAML", "close the list"},
		{"name: 'a\n", "1:7", "not YAML", "close the quote"},
		{"steps:\n\t- a\n", "2:1", "not YAML", "not with tabs"},
		{"name: a\xe9\n", "1:1", "not UTF-8", "UTF-8"},
		{"name: x\ndays: \x1b[1m\n", "2:1", "control characters", "remove them"},
		{"name: &a x\n", "1:7", "anchors", "write the value out"},
		{"name: *a\n", "1:7", "anchors", "write the value out"},
		{"<<: {name: x}\n", "1:1", "merge keys", "write the value out"},
		{"name: !!str x\n", "1:7", "tags", "write the value out"},
		{"? name\n: x\n", "1:1", "not used here", "write the value out"},
		{"name: " + strings.Repeat("x", 2000) + "\n", "1:1", "more than 1 KiB", "one item to a line"},
		{strings.Repeat("# more\n", 1000), "1:1", "more than 4 KiB", "split it"},
		{"notes: " + strings.Repeat("[", 20) + "\n", "1:1", "brackets", "one item to a line"},
		{"notes:\n" + strings.Repeat("- ", 20) + "a\n", "2:1", "lists in lists", "one item to a line"},
		{"name:\n" + strings.Repeat(" ", 60) + "x: 1\n", "2:1", "nested too deeply", "one item to a line"},
		{"name:\n" + strings.Repeat("  x: 1\n", 30), "21:1", "more than 20 keys", "remove some"},
	} {
		e := form().Read([]byte(c.text), "p.yaml", &plan{})
		if e == nil {
			t.Errorf("%.40q: no error, want %s", c.text, c.problem)
			continue
		}
		if got := e.Error(); !strings.HasPrefix(got, "p.yaml:"+c.place+": ") || !strings.Contains(e.Problem, c.problem) || !strings.Contains(e.Fix, c.fix) {
			t.Errorf("%.40q:\n got %s\nwant %s … %s … %s", c.text, got, c.place, c.problem, c.fix)
		}
	}
}

func TestEmptyFileThatMayBe(t *testing.T) {
	f := form()
	f.MayBeEmpty = true
	p := plan{Name: "kept"}
	if e := f.Read([]byte("# nothing yet\n"), "p.yaml", &p); e != nil || p.Name != "kept" {
		t.Errorf("error %v, name %q", e, p.Name)
	}
}

// A lenient form leaves to the caller what a strict one refuses.
func TestLenient(t *testing.T) {
	f := form()
	f.Lenient = true
	for _, text := range []string{"name: x\nname: y\n", "name: &a x\n", "<<: {name: x}\n"} {
		if root, e := f.Parse([]byte(text), "p.yaml"); e != nil || root == nil {
			t.Errorf("%q: %v", text, e)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("name: x\nsteps:\n  - {title: one}\n"))
	f.Add([]byte("a: [b, {c: d}]\n---\n? e\n: |\n  f\n"))
	f.Add([]byte("&a [*a]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 1
		if e := form().Read(data, "p.yaml", &plan{}); e != nil && (e.Line < 1 || e.Line > lines+1 || e.Column < 1 || e.Problem == "" || e.File != "p.yaml") {
			t.Errorf("%q: %+v", data, e)
		}
	})
}
