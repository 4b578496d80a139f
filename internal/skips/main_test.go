package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const run = `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: no network here\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: not asked for\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestC","Elapsed":7.2}
{"Action":"output","Package":"q","Output":"ok  \tq\t0.1s\n"}
{"Action":"output","Package":"p","Test":"TestD","Output":"    d_test.go:9: short: starts no goroutines\n"}
{"Action":"skip","Package":"p","Test":"TestD"}
{"Action":"output","Package":"p","Test":"TestE","Output":"    d_test.go:9: short: starts no goroutines\n"}
{"Action":"skip","Package":"p","Test":"TestE"}
{"Action":"pass","Package":"p","Test":"TestF/part","Elapsed":99}
{"Action":"pass","Package":"p","Test":"TestF","Elapsed":1}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
not JSON
`
	const want = `    c_test.go:9: got 1, want 2
race: FAIL	p	0.1s
not JSON
race: ok  	q	0.1s
race: slow  7 s  p TestC
race: SKIPPED  p TestA: no network here (not in internal/skips/allowed.txt)
race: skipped  p TestB: by hand
race: skipped  p: short: starts no goroutines: TestD TestE
`
	var out bytes.Buffer
	r := newResults(&out, "race: ")
	if err := r.read(strings.NewReader(run)); err != nil {
		t.Fatal(err)
	}
	if n := r.report(parseAllowed("# comment\np TestB by hand\n", false)); n != 1 {
		t.Errorf("%d tests were skipped without permission, want 1", n)
	}
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &out, want)
	}
}

// A test that needs the material of others may be skipped where there is none, and not
// where a part of it is missing.
func TestSharedDataIsOptional(t *testing.T) {
	const list = "p TestA shareddata: needs shared/suites\np TestB by hand\n"
	if got := parseAllowed(list, true); got["p TestA"] == "" || got["p TestB"] == "" {
		t.Errorf("alone: %v, want both tests", got)
	}
	if got := parseAllowed(list, false); got["p TestA"] != "" || got["p TestB"] == "" {
		t.Errorf("with material: %v, want TestB only", got)
	}
}

// Every line of the list can be read.
func TestAllowedList(t *testing.T) {
	for line := range strings.Lines(allowedList) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" && len(parseAllowed(line, true)) != 1 {
			t.Errorf("%q: want a package, a test and a reason", line)
		}
	}
}
