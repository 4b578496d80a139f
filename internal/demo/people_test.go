package demo

import (
	"bytes"
	"strings"
	"testing"

	"dowse"
)

// TestAccessLog checks that people go to pages, and mostly to those of their topic.
func TestAccessLog(t *testing.T) {
	sequential(t)
	w := New(Config{})
	var a, b bytes.Buffer
	for _, out := range []*bytes.Buffer{&a, &b} {
		if err := w.WriteAccessLog(out, 300); err != nil {
			t.Fatal(err)
		}
	}
	if a.String() != b.String() {
		t.Error("the same people went elsewhere")
	}
	perPerson := map[string]map[string]int{}
	lines := strings.Split(strings.TrimSpace(a.String()), "\n")
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) != 10 || f[3] != "TCP_MISS/200" || f[5] != "GET" {
			t.Fatalf("not a line of a log: %s", line)
		}
		if _, ok := w.Truth(dowse.URL(f[6]), "tide pools"); !ok {
			t.Errorf("%s is no page of the web", f[6])
		}
		if perPerson[f[2]] == nil {
			perPerson[f[2]] = map[string]int{}
		}
		for _, topic := range w.Topics() {
			if on, _ := w.Truth(dowse.URL(f[6]), topic.Name); on {
				perPerson[f[2]][topic.Name]++
			}
		}
	}
	if len(perPerson) != 300 || len(lines) < 300*fewestSteps {
		t.Errorf("%d lines of %d people", len(lines), len(perPerson))
	}
	focused := 0
	for _, topics := range perPerson {
		most := 0
		for _, n := range topics {
			most = max(most, n)
		}
		if most >= fewestSteps/2 {
			focused++
		}
	}
	if focused < 250 {
		t.Errorf("only %d of 300 people kept to a topic", focused)
	}
}
