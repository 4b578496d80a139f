package collection

import (
	"testing"
	"time"

	"dowse"
)

// A page that was asked again has a version for each change, and what every other answer showed: a redirect for good is not a
// missing answer.
func TestAddVersion(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }
	visit := func(day, status int, outcome dowse.Outcome, why dowse.Reason) *dowse.Page {
		return &dowse.Page{Outcome: outcome, Reason: why, Fetch: dowse.Fetch{Status: status, At: at(day)}}
	}
	var list []Version
	for _, p := range []*dowse.Page{
		visit(1, 404, dowse.Failed, dowse.FailHTTP), visit(2, 200, dowse.Fetched, ""), visit(3, 304, dowse.Skipped, dowse.SkipUnchanged),
		visit(4, 200, dowse.Fetched, ""), visit(5, 410, dowse.Failed, dowse.FailHTTP), visit(6, 0, dowse.Failed, dowse.FailTimeout), visit(7, 301, dowse.Redirected, ""),
	} {
		list = addVersion(list, p)
	}
	if len(list) != 2 {
		t.Fatalf("%d versions, want 2", len(list))
	}
	if v := list[0]; !v.At.Equal(at(2)) || v.Checks != 1 || !v.Until.Equal(at(3)) || v.Missing+v.Failed != 0 || !v.Moved.IsZero() {
		t.Errorf("first version %+v", v)
	}
	if v := list[1]; !v.At.Equal(at(4)) || v.Checks != 0 || v.Missing != 1 || v.Failed != 1 || !v.Moved.Equal(at(7)) {
		t.Errorf("second version %+v, want missing once, no answer once, and moved", v)
	}
}
