package collection_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/internal/frontier"
	"dowse/judge"
)

// Every URL that the crawl ever saw has an answer, and the answer is complete.
func TestWhyAnswersForEveryURL(t *testing.T) {
	sequential(t)
	c := open(t, madeDir(t), true)
	states := map[string]int{}
	reasons := map[dowse.Reason]int{}
	f := c.Crawl.Frontier()
	for id := range frontier.ID(f.Len()) {
		u := c.URL(id)
		x, err := c.Why(u)
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		states[x.Row.State.String()]++
		reasons[x.Row.Reason]++
		checkExplanation(t, c, x)
		if t.Failed() {
			b, _ := json.MarshalIndent(x, "", " ")
			t.Fatalf("%s", b)
		}
	}
	b := c.Crawl.Books()
	if states["fetched"] != b.Fetched || states["skipped"] != b.Skipped || states["queued"] != b.Queued || states["failed"] != b.Failed || states["redirected"] != b.Redirected {
		t.Errorf("states %v do not fit the books %+v", states, b)
	}
	for _, s := range []string{"fetched", "skipped", "queued", "failed", "redirected"} {
		if states[s] == 0 {
			t.Errorf("no URL is %s: the synthetic web does not show it", s)
		}
	}
	t.Logf("%v %v", states, reasons)
}

func checkExplanation(t *testing.T, c *collection.Collection, x *collection.Explanation) {
	t.Helper()
	if _, err := json.Marshal(x); err != nil {
		t.Error(err)
	}
	if x.Found == nil || x.Polite == nil || len(x.Path) == 0 || x.Path[len(x.Path)-1] != x.Row.URL || x.Partial {
		t.Error("where it was seen, how its host was treated or the path is missing")
	}
	first := x.Path[0]
	if x.Found.How == collection.FromStrategy || x.Found.How != collection.FromSeed && x.Found.Parent == "" {
		t.Errorf("nothing led to it")
	}
	if !slices.Contains(c.Settings.Seeds, string(first)) && x.Found.How != collection.FromSitemap {
		t.Errorf("the path begins with %s, which is no seed", first)
	}
	skipped := x.Row.State == dowse.Excluded || x.Row.State == dowse.Dead
	if skipped != (x.Row.Reason != "") || skipped != (x.Meaning != "") {
		t.Error("a reason is missing, or is there without need")
	}
	if x.Row.State == dowse.Waiting && (x.Chosen == nil || x.Chosen.Taken || len(x.Chosen.Because) == 0) {
		t.Error("it waits, and the priority or its reasons are missing")
	}
	if x.Row.State == dowse.Aliased && x.Row.Redirect == "" && x.Links == nil {
		t.Error("it redirects, and the target is missing")
	}
	if x.Row.State == dowse.Visited {
		checkVisited(t, x)
	}
	if x.Row.Reason == dowse.SkipTrapPattern && x.Pattern == nil {
		t.Error("a trap without its pattern")
	}
	if x.Row.Reason == dowse.SkipRobotsTxt && x.Polite.Allowed {
		t.Error("robots.txt forbids it, and the rules allow it")
	}
}

func checkVisited(t *testing.T, x *collection.Explanation) {
	t.Helper()
	if !x.Row.Requested || x.Row.Fetch.Status != 200 || x.Row.Fetch.Archive.File == "" || x.Tries < 1 || x.Chosen == nil || !x.Chosen.Taken {
		t.Error("the visit is missing")
		return
	}
	if x.Sitemap {
		return
	}
	sum, offered := 0.0, 0.0
	for _, p := range x.Judged.Because {
		sum += p.Weight
	}
	if x.Judged.Scale != judge.LogOdds || math.Abs(1/(1+math.Exp(-sum))-x.Judged.Relevance) > 1e-6 {
		t.Errorf("reasons add up to %g, relevance is %g", sum, x.Judged.Relevance)
	}
	for _, p := range x.Judged.Because {
		if want := 1 / (1 + math.Exp(p.Weight-sum)); math.Abs(p.Without-want) > 1e-6 || p.Flips != (want >= x.Judged.Threshold != x.Judged.OnTopic) {
			t.Errorf("without %s it would be %g, want %g", p.What, p.Without, want)
		}
	}
	for _, b := range x.Chosen.Because {
		offered += b.Weight
	}
	if x.Found.How == collection.FromLink && (math.Abs(offered-x.Chosen.Priority) > 1e-6 || math.Abs(offered-x.Chosen.Offered) > 1e-6) {
		t.Errorf("signals add up to %g; offered %g, taken at %g", offered, x.Chosen.Offered, x.Chosen.Priority)
	}
	if l := x.Links; l != nil {
		n := l.Queued + l.Seen + l.Held
		for _, k := range l.Skipped {
			n += k
		}
		if n != l.Found {
			t.Errorf("%d links found, %d accounted for", l.Found, n)
		}
	}
}

// Random skipped URLs explain themselves with a reason of the closed list.
func TestWhySkipped(t *testing.T) {
	c := open(t, madeDir(t), true)
	var skipped []*collection.Row
	for row, err := range c.Pages(collection.Filter{Skipped: collection.AnyReason}) {
		if err != nil {
			t.Fatal(err)
		}
		skipped = append(skipped, row)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		row := skipped[rng.IntN(len(skipped))]
		x, err := c.Why(row.URL)
		if err != nil {
			t.Fatal(err)
		}
		if x.Row.Reason != row.Reason || x.Row.Reason == "" || x.Meaning == "" || x.Found.Parent != row.Parent || x.Found.Anchor != row.Anchor() {
			t.Errorf("%s: %+v, the row has %+v", row.URL, x, row)
		}
	}
}

func TestWhyUnknown(t *testing.T) {
	c := open(t, madeDir(t), true)
	if _, err := c.Why("http://never.demo/"); !errors.Is(err, collection.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	if _, err := c.Links("http://never.demo/"); !errors.Is(err, collection.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
}

// The links of a page are those that the synthetic web put there.
func TestLinks(t *testing.T) {
	c := open(t, madeDir(t), true)
	n := 0
	for row, err := range c.Pages(collection.Filter{On: true, Limit: 20}) {
		if err != nil {
			t.Fatal(err)
		}
		x, err := c.Why(row.URL)
		if err != nil {
			t.Fatal(err)
		}
		links, err := c.Links(row.URL)
		if err != nil {
			t.Fatal(err)
		}
		if x.Links != nil && len(links) != x.Links.Found {
			t.Errorf("%s: %d links, tally of %d", row.URL, len(links), x.Links.Found)
		}
		for _, l := range links {
			n++
			if !strings.HasPrefix(string(l.URL), "http") || l.Fate == "" || l.Fate == collection.LinkSkipped && l.Reason == "" {
				t.Errorf("%s: link %+v", row.URL, l)
			}
		}
	}
	if n == 0 {
		t.Error("no links at all")
	}
}
