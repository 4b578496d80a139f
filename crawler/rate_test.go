package crawler

import (
	"testing"

	"dowse"
	"dowse/internal/extract"
	"dowse/judge"
	"dowse/strategy"
)

// TestRate lets the judge rate what each strategy wants to know: nothing but the
// page, the words around links, or the anchors as well.
func TestRate(t *testing.T) {
	j, err := judge.NewWords(judge.Wanted{Words: []string{"limpet", "kelp", "barnacle"}})
	if err != nil {
		t.Fatal(err)
	}
	html := `<p>Of limpet and kelp <a href="/a">on the barnacle</a> and some more words that fill
		the line until <a href="/b">the next page</a> comes with nothing of it at all</p>`
	shark, err := strategy.New("shark:words=8")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		s                dowse.Strategy
		windows, anchors bool
	}{
		{&strategy.BreadthFirst{}, false, false},
		{&strategy.LinkContext{Words: 8}, true, false},
		{shark, true, true},
	} {
		p := &dowse.Page{Document: *extract.HTML([]byte(html), "http://x.test/", extract.Options{})}
		v := &Visitor{Judge: j}
		v.Rate(test.s)
		v.wish.Rate(v.Judge, p)
		if len(p.Links) != 2 || p.Verdict.Relevance == 0 {
			t.Fatalf("%T: %d links, relevance %v", test.s, len(p.Links), p.Verdict.Relevance)
		}
		a, b := &p.Links[0], &p.Links[1]
		if got := a.Context > b.Context; got != test.windows {
			t.Errorf("%T: words around links are rated %v and %v", test.s, a.Context, b.Context)
		}
		if got := a.AnchorScore > b.AnchorScore; got != test.anchors {
			t.Errorf("%T: anchors are rated %v and %v", test.s, a.AnchorScore, b.AnchorScore)
		}
	}
}
