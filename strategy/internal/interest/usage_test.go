package interest

import (
	"testing"

	"dowse"
	"dowse/internal/trace"
)

// TestPageOfTarget checks that a target remembers its page, and that a redirect to it
// counts all the same until it is visited.
func TestPageOfTarget(t *testing.T) {
	b, err := trace.New(trace.Options{Salt: []byte("some salt")})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []dowse.URL{"http://a.test/first", "http://a.test/old"} {
		b.Add(trace.Access{User: "someone", URL: u})
	}
	k := newUsage(&Ratios{}, &Usage{Trace: b.Log()}, newLexicon(10))
	found := newEvidence(fewParents, 10)
	found.want("http://a.test/old")
	found.want("http://a.test/new")
	old, next := found.find("http://a.test/old"), found.find("http://a.test/new")
	same := func(when string, target *target, page uint32, want bool) {
		t.Helper()
		for range 2 {
			if got, ok := k.pageOf(target); ok != want || ok && got != page {
				t.Errorf("%s: %s is page %d, %v; want %d, %v", when, target.url, got, ok, page, want)
			}
		}
		if got, ok := k.page(target.url); ok != want || ok && got != page {
			t.Errorf("%s: the URL %s is page %d, %v; want %d, %v", when, target.url, got, ok, page, want)
		}
	}
	same("at first", old, 1, true)
	same("at first", next, 0, false)
	k.redirect(old.url, &dowse.Link{URL: next.url})
	same("redirected", next, 1, true)
	k.settle(next.url)
	same("visited", next, 0, false)
}
