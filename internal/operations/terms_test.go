package operations

import (
	"testing"

	"dowse"
	"dowse/internal/facts"
)

// The terms of verdicts are added up by what they did, without sums of small ones.
func TestUsedTerms(t *testing.T) {
	row := func(list ...dowse.Because) *facts.Row {
		r := &facts.Row{Page: &dowse.Page{}}
		r.Page.Verdict.Because = list
		return r
	}
	got := usedTerms([]*facts.Row{
		row(dowse.Because{What: `"tide"`, Weight: 1}, dowse.Because{What: "370 other terms", Weight: 9}, dowse.Because{What: "bias", Weight: -9}),
		row(dowse.Because{What: "label on", Weight: 1}),
		row(dowse.Because{What: `"tide"`, Weight: 3}, dowse.Because{What: `"shop"`, Weight: -5}, dowse.Because{What: `"x"`, Weight: 0}),
	})
	if len(got.For) != 1 || len(got.Against) != 1 || got.Against[0].Name != `"shop"` || got.For[0].Name != `"tide"` || got.For[0].Pages != 2 || got.For[0].Weight != 2 || got.Pages != 3 {
		t.Errorf("got %+v", got)
	}
}
