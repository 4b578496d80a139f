package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
)

// Every URL that a crawl ever saw has an answer: one that fits a terminal, names its
// state, and whose reasons add up to the verdict.
func TestWhyAnswersForEveryURL(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	if code, _, errs := capture(t, "demo", "--pages", "80", "-o", dir, "-q"); code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	cr, err := view(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	f := cr.Collection.Crawl.Frontier()
	states := map[dowse.State]int{}
	for i := range f.Len() {
		u := f.URL(idOf(i))
		a, err := (&whyCmd{Links: true}).account(cr.Collection, string(u))
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		states[a.Row.State]++
		s := &sheet{terminal: columns80}
		a.show(s)
		screen := strings.Join(s.lines, "\n") + "\n"
		if !strings.HasPrefix(screen, string(u)) || strings.ContainsAny(screen, "\x1b\r\x07") {
			t.Errorf("%q", screen)
		}
		narrow(t, screen)
		addsUp(t, a)
	}
	for _, s := range []dowse.State{dowse.Visited, dowse.Waiting, dowse.Excluded} {
		if states[s] == 0 {
			t.Errorf("no URL is %v: %v", s, states)
		}
	}
}

func addsUp(t *testing.T, a *account) {
	t.Helper()
	if a.Judged == nil {
		return
	}
	sum := 0.0
	for _, p := range a.Judged.Because {
		sum += p.Weight
	}
	if got := 1 / (1 + math.Exp(-sum)); math.Abs(got-a.Judged.Relevance) > 1e-6 {
		t.Errorf("%s: reasons add up to %v, the relevance is %v", a.Row.URL, got, a.Judged.Relevance)
	}
	if a.Explanation.Links != nil && a.Explanation.Links.Found != len(a.All) {
		t.Errorf("%s: %d links counted, %d listed", a.Row.URL, a.Explanation.Links.Found, len(a.All))
	}
}

func TestTurning(t *testing.T) {
	part := func(what string, weight, without float64, flips bool) collection.Part {
		return collection.Part{Cause: collection.Cause{What: what, Weight: weight}, Without: without, Flips: flips}
	}
	tests := []struct {
		name string
		r    collection.Ruling
		want string
	}{
		{"one sign decides", collection.Ruling{Relevance: 0.6, OnTopic: true, Threshold: 0.5, Scale: "share", Because: []collection.Part{
			part(`"reef"`, 0.4, 0.2, true), part(`"coral"`, 0.2, 0.4, true),
		}}, `without "reef" it would be 0.20: off topic`},
		{"two decide", collection.Ruling{Relevance: 0.9, OnTopic: true, Threshold: 0.5, Scale: "share", Because: []collection.Part{
			part(`"reef"`, 0.35, 0.55, false), part(`"coral"`, 0.3, 0.6, false), part(`"heat"`, 0.25, 0.65, false),
		}}, `without "reef" it would be 0.55: still on topic` + "\n" + `off topic only without "reef" and "coral"`},
		{"a sign counts against it", collection.Ruling{Relevance: 0.3, Threshold: 0.5, Scale: "share", Because: []collection.Part{
			part(`"reef"`, 0.7, 0, false), part(`not "casino"`, -0.4, 0.7, true),
		}}, `without "casino" it would be 0.70: on topic`},
		{"a stuffed text", collection.Ruling{Relevance: 0.1, Threshold: 0.5, Scale: "log-odds", Because: []collection.Part{
			part("the topic's words fill 39 % of the text", -5, 0.94, true), part(`"reef"`, 5, 0.001, false),
		}}, "without so many of the topic's words it would be 0.94: on topic"},
		{"too little", collection.Ruling{Relevance: 0.05, Threshold: 0.5, Scale: "log-odds", Because: []collection.Part{
			part("bias", -3, 0.5, true), part(`"reef"`, 0.1, 0.047, false),
		}}, "no sign counts against it: the page has too few signs of the topic"},
		{"a gate alone", collection.Ruling{Relevance: 0.95, OnTopic: true, Threshold: 0.5, Scale: "log-odds", Because: []collection.Part{
			part("where title: reef: yes", 0, 0.95, false), part("where holds", 3, 0.5, false),
		}}, "off topic if where did not hold"},
		{"a gate and signs", collection.Ruling{Relevance: 0.98, OnTopic: true, Threshold: 0.5, Scale: "log-odds", Because: []collection.Part{
			part(`"reef"`, 4, 0.5, false), part("where holds", 3, 0.73, false), part("bias", -3, 0.99, false), part("where title: reef: yes", 0, 0.98, false),
		}}, `without "reef" it would be 0.50: still on topic` + "\n" + "off topic if where did not hold"},
		{"an answer", collection.Ruling{Relevance: 0.8, OnTopic: true, Threshold: 0.5, Scale: "log-odds", Because: []collection.Part{
			part("asked: it is a shop", 2, 0.35, true), part(`"reef"`, -0.6, 0.88, false),
		}}, `without the answer "it is a shop" it would be 0.35: off topic`},
		{"a scale of its own", collection.Ruling{Relevance: 0.95, OnTopic: true, Threshold: 0.5, Because: []collection.Part{part("coral", 102, 0, true)}}, ""},
		{"a sum without a scale", collection.Ruling{Relevance: 0.9, OnTopic: true, Threshold: 0.5, Because: []collection.Part{
			part("coral", 0.7, 0.2, true), part("reef", 0.2, 0.7, false),
		}}, "without coral it would be 0.20: off topic"},
	}
	for _, tt := range tests {
		if got := strings.Join(turning(&tt.r), "\n"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestScoreMakesNoCertainty(t *testing.T) {
	for r, want := range map[float64]string{0: "0.00", 0.0001: "<0.01", 0.005: "0.01", 0.5: "0.50", 0.995: "0.99", 0.99999: ">0.99", 1: "1.00"} {
		if got := score(r); got != want {
			t.Errorf("score(%v) = %s, want %s", r, got, want)
		}
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 111: "111th", 1002: "1,002nd"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %s, want %s", n, got, want)
		}
	}
}

// Every reason has advice that is not cut, or none. Commands are not wrapped either, so that they can be copied.
func TestAnywayFits(t *testing.T) {
	for _, r := range dowse.ReasonHelp() {
		a := &account{Account: &operations.Account{Explanation: &collection.Explanation{Row: &collection.Row{Page: &dowse.Page{Reason: r.Reason}}}}, dir: "collections/2026/reefs.dowse"}
		s := &sheet{terminal: columns80}
		a.remedy(s)
		screen := strings.Join(s.lines, "\n")
		if strings.Contains(screen, "…") {
			t.Errorf("%s: %s", r.Reason, screen)
		}
		for line := range strings.Lines(screen) {
			if !strings.Contains(line, "dowse ") {
				narrow(t, line)
			}
		}
		for _, advice := range a.override() {
			if strings.Contains(advice, "dowse ") && !strings.Contains(screen, advice) {
				t.Errorf("%s: %q was wrapped:\n%s", r.Reason, advice, screen)
			}
		}
	}
}
