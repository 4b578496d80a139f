package interest

import (
	"fmt"
	"reflect"
	"testing"

	"dowse"
)

// TestManyParents checks that more linking pages than a target has room for are kept
// where that is wanted, and are gone with it.
func TestManyParents(t *testing.T) {
	e := newEvidence(8, 100)
	for i := range 10 {
		e.link(e.page([]word{word(i)}, i%2 == 0, 1), e.want("t"))
	}
	e.link(e.page(nil, true, 1), e.want("other"))
	if got := e.linkingTo(e.find("t")); fmt.Sprint(got) != "[0 1 2 3 4 5 6 7]" {
		t.Errorf("linking pages %v, want the first eight", got)
	}
	again := newEvidence(8, 100)
	again.restore(e.saved())
	if a, b := e.saved(), again.saved(); !reflect.DeepEqual(a, b) {
		t.Errorf("saved and restored: %+v, want %+v", b, a)
	}
	place, _ := again.place("t")
	again.unite(place, again.want("other"))
	if got := again.find("other"); got.k != 11 || got.m != 6 || got.kept != 8 {
		t.Errorf("united: %d pages, %d on topic, %d kept; want 11, 6 and 8", got.k, got.m, got.kept)
	}
	place, _ = again.place("other")
	again.forget(place)
	if len(again.many) != 0 || again.find("other") != nil || len(again.freeT) != len(again.targets) {
		t.Errorf("%d lists of linking pages and %d of %d places remain", len(again.many), len(again.targets)-len(again.freeT), len(again.targets))
	}
}

// TestLinkedTwice checks that a page that lists a URL twice has one target for it.
func TestLinkedTwice(t *testing.T) {
	s := &intelligent{}
	link := dowse.Link{URL: "a"}
	s.Follow(&dowse.Page{URL: "p", Outcome: dowse.Fetched, Document: dowse.Document{Links: []dowse.Link{link, link}}})
	if n := len(s.links.found.targets); n != 1 {
		t.Errorf("%d targets, want 1", n)
	}
}
