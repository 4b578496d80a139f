package sitetrial

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"dowse/lab/measure"
)

// TestCompare runs a small trial, twice: it is the same to the last digit, and the
// crawler for sites judges better than homepages do.
func TestCompare(t *testing.T) {
	c := Config{Sites: 500, On: 15, Off: 45, Find: 40}
	var first string
	for range 2 {
		table, err := Compare(t.Context(), c, []uint64{2001, 2002}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		if first != "" && first != b.String() {
			t.Fatalf("the second time it is\n%s, the first time it was\n%s", b.String(), first)
		}
		first = b.String()
		check(t, table)
	}
	for _, want := range []string{"| homepage classifier |", "| goal | margin | the mean holds |", "2 towns of 500 sites (seeds 2001 to 2002)"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
}

func check(t *testing.T, table *Table) {
	t.Helper()
	goals := table.Goals()
	if !goals[0].Holds || goals[0].Margin.Mean < 0.1 {
		t.Errorf("F is hardly better than that of homepages: %v", goals[0].Margin)
	}
	if !goals[3].Sure {
		t.Errorf("it takes too many pages to judge a site: %v", goals[3].Margin)
	}
	for _, r := range table.Rows {
		for _, s := range r.Scores {
			if len(s.Sites) < 30 || s.Pages == 0 || s.Coverage() <= 0 {
				t.Errorf("%s examined %d sites by %d pages", s.Crawler, len(s.Sites), s.Pages)
			}
		}
	}
	sure := &table.Rows[RowSure].Scores[0]
	if sure.None == 0 || sure.Named < sure.None*8/10 {
		t.Errorf("of %d hosts that are no sites %d were told for what they are", sure.None, sure.Named)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, Config{Sites: 200, On: 5, Off: 10}, []uint64{1}, nil); err == nil {
		t.Error("a trial that was interrupted is no trial")
	}
}

func TestScore(t *testing.T) {
	s := Score{Pages: 30, Found: 4, Sites: []measure.SiteStep{
		{Site: "a", Relevant: true, Verdict: true}, {Site: "b", Relevant: true, Verdict: true}, {Site: "c", Verdict: true},
		{Site: "d", Relevant: true}, {Site: "e"},
	}}
	p, r, f := s.Verdicts()
	called, truly := s.PPRS()
	got := []float64{p, r, f, called, truly, s.Harvest(), s.Coverage()}
	for i, want := range []float64{2. / 3, 2. / 3, 2. / 3, 10, 15, 0.6, 0.5} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("measure %d is %v, want %v", i, got[i], want)
		}
	}
	var none Score
	if _, _, f := none.Verdicts(); f != 0 || none.Harvest() != 0 {
		t.Error("a crawl that found nothing has measures")
	}
}

func ExampleEstimateOf() {
	fmt.Println(EstimateOf([]float64{1, 2, 3}))
	// Output: 2.00 ± 2.48
}
