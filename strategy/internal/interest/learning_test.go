package interest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/interest"
	"dowse/strategy/strategytest"
)

// pageOf is a page that a strategy is shown.
func pageOf(u dowse.URL, on bool, text string, links ...dowse.Link) *dowse.Page {
	p := &dowse.Page{URL: u, Outcome: dowse.Fetched, OnTopic: on}
	p.Text, p.Words, p.Links = text, dowse.Words(text), links
	return p
}

func unseen(urls ...dowse.URL) (links []dowse.Link) {
	for _, u := range urls {
		links = append(links, dowse.Link{URL: u})
	}
	return links
}

func visitedLink(u dowse.URL, on bool) dowse.Link {
	return dowse.Link{URL: u, Target: dowse.Target{State: dowse.Visited, OnTopic: on}}
}

// TestEvidenceIsFreed checks that nothing is kept of what was visited, failed or
// redirected, once a crawl has seen all of a web.
func TestEvidenceIsFreed(t *testing.T) {
	for _, name := range []string{"intelligent", "combined"} {
		s, err := strategy.NewWith(name, input.Inputs{Trace: readers(t)})
		if err != nil {
			t.Fatal(err)
		}
		web, seeds := strategytest.Random(300, 9)
		c := crawlToy(t, s, web, seeds, 10_000)
		if c.Stopped() != dowse.StopExhausted {
			t.Fatalf("%s: the crawl is not over: %q", name, c.Stopped())
		}
		held := c.Frontier().Count(dowse.Held) // combined does not visit what only pages off topic link to
		if targets, pages := interest.EvidenceFor(s); targets > held || held == 0 && pages > 0 {
			t.Errorf("%s: evidence for %d URLs of %d that are held, from %d pages", name, targets, held, pages)
		}
	}
}

// TestRedirectMergesEvidence checks that a page has the evidence for the URLs that
// redirect to it.
func TestRedirectMergesEvidence(t *testing.T) {
	s := &interest.Intelligent{}
	s.Follow(pageOf("p1", true, "", unseen("a", "b")...))
	s.Follow(pageOf("p2", false, "", unseen("a")...))
	s.Follow(pageOf("p3", true, "", unseen("a", "b")...))
	leads := s.Follow(&dowse.Page{URL: "a", Outcome: dowse.Redirected, Document: dowse.Document{Links: unseen("b")}})
	if got := interest.CaseOf(s, "b"); got.K != 3 || got.M != 2 {
		t.Errorf("%d pages link to b, %d of them on topic; want 3 and 2", got.K, got.M)
	}
	if len(leads) != 1 || leads[0].URL != "b" {
		t.Errorf("leads %v, want one to b", leads)
	}
	if targets, _ := interest.EvidenceFor(s); targets != 1 {
		t.Errorf("evidence for %d URLs, want 1", targets)
	}
	before := s.Learnt("").Linkage.Links
	s.Follow(&dowse.Page{URL: "b", Outcome: dowse.Redirected, Document: dowse.Document{Links: []dowse.Link{visitedLink("c", true)}}})
	if got := s.Learnt("").Linkage.Links; got[0] != before[0]+2 || got[2] != before[2]+1 {
		t.Errorf("links %v after a redirect to a visited page, %v before", got, before)
	}
}

// TestOutcomes is the row of the edge-case matrix: failures and repeated visits do not
// change what was learnt.
func TestOutcomes(t *testing.T) {
	for _, name := range []string{"intelligent", "collaborative", "combined"} {
		s, err := strategy.NewWith(name, input.Inputs{Trace: readers(t)})
		if err != nil {
			t.Fatal(err)
		}
		s.Follow(pageOf("p1", true, "tide pools", unseen("a", "b", "c")...))
		want := fmt.Sprint(learntPages(s))
		again := pageOf("p1", false, "other words")
		again.Again = true
		for _, p := range []*dowse.Page{
			{URL: "a", Outcome: dowse.Failed}, {URL: "b", Outcome: dowse.Refused}, {URL: "c", Outcome: dowse.Skipped}, again,
		} {
			if leads := s.Follow(p); len(leads) > 0 {
				t.Errorf("%s: %s gives leads %v", name, p.Outcome, leads)
			}
		}
		if got := fmt.Sprint(learntPages(s)); got != want {
			t.Errorf("%s: learnt %s, want %s", name, got, want)
		}
	}
}

func learntPages(s dowse.Strategy) (list []input.Tally) {
	l := s.(input.Learner).Learnt("")
	if l.Linkage != nil {
		list = append(list, l.Linkage.Pages)
	}
	if l.Usage != nil {
		list = append(list, l.Usage.Pages)
	}
	return list
}

// TestVocabularyIsBounded floods a small vocabulary with words that come once. Those
// that pages share survive.
func TestVocabularyIsBounded(t *testing.T) {
	s := &interest.Intelligent{Reading: interest.Reading{Vocabulary: 100, Words: 40}}
	for i := range 500 {
		flood := "tide pool crab kelp "
		for j := range 30 {
			flood += fmt.Sprintf("junk%dx%d ", i, j)
		}
		s.Follow(pageOf(dowse.URL(fmt.Sprint("p", i)), i%2 == 0, flood, unseen(dowse.URL(fmt.Sprint("p", i+1)))...))
	}
	l := s.Learnt("").Linkage
	if len(l.Words) > 100 || len(l.Tokens) > 100 {
		t.Errorf("%d words and %d tokens, want at most 100", len(l.Words), len(l.Tokens))
	}
	for _, w := range []string{"tide", "pool", "crab", "kelp"} {
		if l.Words[w][0] < 100 {
			t.Errorf("%s was forgotten: %v", w, l.Words[w])
		}
	}
}

// TestParentsAreBounded checks that many in-links cost no memory, but count.
func TestParentsAreBounded(t *testing.T) {
	s := &interest.Intelligent{Linkage: interest.Linkage{Parents: 3}}
	for i := range 50 {
		s.Follow(pageOf(dowse.URL(fmt.Sprint("p", i)), i%2 == 0, "words", unseen("popular")...))
	}
	if got := interest.CaseOf(s, "popular"); got.K != 50 || got.M != 25 {
		t.Errorf("%d pages link to it, %d on topic", got.K, got.M)
	}
	if _, pages := interest.EvidenceFor(s); pages != 3 {
		t.Errorf("%d pages are kept, want 3", pages)
	}
}

// learningWorld is a web in which topic words, hosts and links distinguish pages on
// topic: half of the links of a page lead to pages of its kind.
func learningWorld(n int) (strategytest.Toy, []dowse.URL) {
	url := func(i int) dowse.URL {
		kind := "misc"
		if i%5 == 0 {
			kind = "tides"
		}
		return dowse.URL(fmt.Sprintf("http://%s%d.test/p%d", kind, i%3, i))
	}
	web := strategytest.Toy{}
	for i := range n {
		p := strategytest.Page{Text: fmt.Sprintf("news shop sport word%d word%d", i%17, i%23)}
		if i%5 == 0 {
			p = strategytest.Page{Relevance: 1, Text: fmt.Sprintf("tide crab kelp word%d word%d", i%17, i%23)}
		}
		for k := 1; k <= 8; k++ {
			to := (i*31 + k*k*97 + k) % n
			if k%2 == 0 {
				to = (to/5*5 + i%5) % n
			}
			p.Links = append(p.Links, strategytest.Link{To: url(to)})
		}
		web[url(i)] = p
	}
	return web, []dowse.URL{url(1), url(0)}
}

func harvest(t *testing.T, s dowse.Strategy, visits int) int {
	t.Helper()
	web, seeds := learningWorld(3000)
	c := crawlToy(t, s, web, seeds, visits)
	return c.Status().OnTopic
}

// TestLazyIsNearlyExact checks that rating few leads again finds about as many pages
// on topic as rating all, and both more than chance.
func TestLazyIsNearlyExact(t *testing.T) {
	const visits = 400
	random, err := strategy.New("random")
	if err != nil {
		t.Fatal(err)
	}
	chance := harvest(t, random, visits)
	lazy := harvest(t, &interest.Intelligent{}, visits)
	exact := harvest(t, &interest.Intelligent{Ratios: interest.Ratios{Exact: true}}, visits)
	t.Logf("on topic of %d: chance %d, lazy %d, exact %d", visits, chance, lazy, exact)
	if lazy < 2*chance || float64(lazy) < 0.8*float64(exact) {
		t.Errorf("on topic of %d: chance %d, lazy %d, exact %d", visits, chance, lazy, exact)
	}
}

// TestVariants runs the conformance suite where parameters change how it is learnt.
func TestLearnersVariants(t *testing.T) {
	for _, spec := range []string{
		"intelligent:exact=true", "intelligent:sig=support,link-norm=conditional,min-links=-1,sigma=0,min-support=3",
		"intelligent:factors=url,vocabulary=20,words=3,parents=1,rescored=2", "collaborative:expand=always,users=2,near=1,tastes=3,rescored=2",
		"intelligent:least=-0.5,factors=content*0.5+links*2", "combined:exact=true", "combined:vocabulary=10,rescored=1",
		"collaborative:least=-0.2,user-factors=users*2+near", "combined:least=-0.4,user-factors=signatures*0.5",
	} {
		t.Run(spec, func(t *testing.T) {
			needs := input.Inputs{Trace: readers(t)}
			strategytest.Run(t, func() dowse.Strategy {
				s, err := strategy.NewWith(spec, needs)
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
	for spec, want := range map[string]string{
		"intelligent:sig=x": "want paper or support", "intelligent:link-norm=x": "want paper or conditional", "intelligent:factors=words": "want some of content",
		"intelligent:factors=url*x": "want a weight of 0 to 1000 behind url*", "intelligent:factors=url*NaN": "want a weight",
		"collaborative:expand=never": "want on-topic or always", "collaborative:user-factors=people": "want some of users+signatures+near", "combined:user-factors=near*-1": "want a weight of 0 to 1000 behind near*", "combined:reuse-weight=2": "want 0 to 1", "combined:sigma=-1": "want 0 or more",
	} {
		if _, err := strategy.NewWith(spec, input.Inputs{Trace: readers(t)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", spec, err, want)
		}
	}
}

// TestWeights checks that a weight is that of a factor's part in the priority, and that
// the others stay as they are.
func TestWeights(t *testing.T) {
	reasons := func(factors string) []dowse.Because {
		s := &interest.Intelligent{Linkage: interest.Linkage{Factors: factors, MinLinks: -1}}
		return lastLead(s).Because
	}
	plain, weighed := reasons("content+url+links+siblings"), reasons("content*0.5+url+links*2")
	for i, times := range []float64{0.5, 1, 2, 0} {
		if want := times * plain[i].Weight; weighed[i].Weight != want {
			t.Errorf("%s: %v, want %v", plain[i].What, weighed[i].Weight, want)
		}
	}
	if plain[2].Weight == 0 || plain[3].Weight == 0 {
		t.Errorf("all factors are 0: %v", plain)
	}
}

// lastLead lets a strategy follow two pages, one of them on topic, and returns what it
// thinks of a page that both link to.
func lastLead(s *interest.Intelligent) (last dowse.Lead) {
	s.Start([]dowse.URL{"http://a.test/"})
	for _, p := range []*dowse.Page{
		pageOf("http://a.test/", true, "reef coral", unseen("http://a.test/b", "http://a.test/c")...),
		pageOf("http://a.test/b", false, "stock market", unseen("http://a.test/c")...),
		pageOf("http://a.test/d", true, "coral", unseen("http://a.test/c")...),
	} {
		for _, l := range s.Follow(p) {
			if l.URL == "http://a.test/c" {
				last = l
			}
		}
	}
	return last
}

// TestLeast checks that a link that promises too little is not queued, and is when
// another page that links to it makes it promise more.
func TestLeast(t *testing.T) {
	s := &interest.Intelligent{Admission: interest.Admission{Least: 0.1}, Linkage: interest.Linkage{Factors: "links", MinLinks: -1}}
	s.Start([]dowse.URL{"http://a.test/"})
	queued := func(p *dowse.Page) (list []dowse.URL) {
		for _, l := range s.Follow(p) {
			list = append(list, l.URL)
		}
		return list
	}
	if got := queued(pageOf("http://a.test/", true, "reef", unseen("http://a.test/b", "http://a.test/c")...)); len(got) != 0 {
		t.Errorf("queued %v while nothing is known of links", got)
	}
	queued(pageOf("http://a.test/off", false, "stock"))
	s.Follow(pageOf("http://a.test/b", true, "reef"))
	if got := queued(pageOf("http://a.test/d", true, "reef", unseen("http://a.test/c", "http://a.test/e")...)); !slices.Contains(got, "http://a.test/c") {
		t.Errorf("queued %v, want the page that two pages on topic link to among them", got)
	}
}

// TestReasonsAddUp checks that the reasons for a lead are the logarithms that make up
// its priority.
func TestReasonsAddUp(t *testing.T) {
	web, seeds := strategytest.Random(300, 3)
	for _, name := range []string{"intelligent", "collaborative", "combined"} {
		s, err := strategy.NewWith(name, input.Inputs{Trace: readers(t)})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		watch := strategytest.Around(s, func(invoke func() []dowse.Lead) []dowse.Lead {
			leads := invoke()
			for _, l := range leads {
				sum := 0.0
				for _, b := range l.Because {
					sum += b.Weight
				}
				if math.Abs(sum-l.Priority) > 1e-9 || len(l.Because) == 0 {
					t.Fatalf("%s: reasons %v for a priority of %v", name, l.Because, l.Priority)
				}
				n++
			}
			return leads
		})
		crawlToy(t, watch, web, seeds, 150)
		if n == 0 {
			t.Errorf("%s gave no leads", name)
		}
		explained := 0
		for u := range web {
			lead := dowse.Lead{URL: u, Priority: math.Inf(-1)}
			sum, why := 0.0, s.(dowse.Explainer).Explain(lead)
			for _, b := range why {
				sum += b.Weight
			}
			if p := s.(dowse.Rescorer).Rescore(lead); len(why) > 0 && math.Abs(sum-p) > 1e-9 || len(why) == 0 && p != lead.Priority {
				t.Errorf("%s: %s is rated again at %v, for %v", name, u, p, why)
			}
			if len(why) > 0 {
				explained++
			}
		}
		if explained == 0 {
			t.Errorf("%s explained nothing that waits", name)
		}
	}
}

// TestIdleGoesOn checks that collaborative crawling begins anew with the page that
// was accessed the most, and gets past pages that the crawl does not take.
func TestIdleGoesOn(t *testing.T) {
	var visits []visit
	for i := range 2000 {
		visits = append(visits, visit{User: "robot", URL: dowse.URL(fmt.Sprintf("http://out.test/%d", i))}, visit{User: "robot", URL: dowse.URL(fmt.Sprintf("http://out.test/%d", i))})
	}
	visits = append(visits, visit{User: "anna", URL: "http://in.test/a"}, visit{User: "anna", URL: "http://in.test/b"})
	s := &interest.Collaborative{Usage: interest.Usage{Trace: traceOf(t, visits)}}
	web := strategytest.Toy{"http://in.test/": {}, "http://in.test/a": {Relevance: 1}, "http://in.test/b": {Relevance: 1}}
	c, err := crawl.New(crawl.Config{Strategy: s, Polite: polite, Scope: crawl.Scope{Reach: crawl.ReachHost}, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		t.Fatal(err)
	}
	c.Start(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), []dowse.URL{"http://in.test/"})
	var order []dowse.URL
	steps(c, web, func(v crawl.Visit) { order = append(order, v.URL) }, func(crawl.Visit) {})
	if want := []dowse.URL{"http://in.test/", "http://in.test/a", "http://in.test/b"}; !slices.Equal(order, want) {
		t.Errorf("visited %v, want %v", order, want)
	}
}

// TestRedirectKeepsPeople checks that the target of a redirect has the people who
// went to the URL that redirects.
func TestRedirectKeepsPeople(t *testing.T) {
	s := &interest.Collaborative{Usage: interest.Usage{Trace: traceOf(t, []visit{{User: "anna", URL: "a"}, {User: "anna", URL: "b"}, {User: "anna", URL: "c"}})}}
	s.Start([]dowse.URL{"a"})
	s.Follow(pageOf("a", true, "tide"))
	leads := s.Follow(&dowse.Page{URL: "b", Outcome: dowse.Redirected, Document: dowse.Document{Links: unseen("b2")}})
	if len(leads) != 1 || leads[0].URL != "b2" {
		t.Fatalf("leads %v, want one to b2", leads)
	}
	s.Follow(pageOf("b2", true, "tide"))
	for key, c := range s.Learnt("").Usage.Users {
		if c != (input.Tally{2, 2}) {
			t.Errorf("user %s counts %v, want two pages, both on topic", key, c)
		}
	}
}

// TestUserFactors checks that a weight is that of a factor of the trace in the priority,
// that a factor which is not named counts nothing, and that a page whose people promise
// less than the threshold is queued only without it.
func TestUserFactors(t *testing.T) {
	log := traceOf(t, []visit{
		{User: "a", URL: "http://a.test/on"}, {User: "a", URL: "http://a.test/x"},
		{User: "b", URL: "http://a.test/off"}, {User: "b", URL: "http://a.test/off2"}, {User: "b", URL: "http://a.test/y"}, {User: "b", URL: "http://a.test/on2"},
	})
	leadFor := func(spec string) []dowse.Because {
		s, err := strategy.NewWith(spec, input.Inputs{Trace: log})
		if err != nil {
			t.Fatal(err)
		}
		s.(dowse.Starter).Start([]dowse.URL{"http://a.test/on", "http://a.test/off", "http://a.test/off2", "http://a.test/on2"})
		var why []dowse.Because
		for _, p := range []*dowse.Page{
			pageOf("http://a.test/on", true, "reef"), pageOf("http://a.test/off", false, "stock"),
			pageOf("http://a.test/x", true, "reef"), pageOf("http://a.test/off2", false, "stock"), pageOf("http://a.test/on2", true, "reef"),
		} {
			for _, l := range s.Follow(p) {
				if l.URL == "http://a.test/y" {
					why = l.Because
				}
			}
		}
		return why
	}
	plain := leadFor("collaborative:t=0.01")
	if len(plain) != 3 || plain[0].Weight >= -0.1 || plain[2].Weight == 0 {
		t.Fatalf("reasons %v: want people who promise little, and nearness", plain)
	}
	for spec, times := range map[string][3]float64{
		"collaborative:t=0.01,user-factors=users*2+near":            {2, 0, 1},
		"collaborative:t=0.01,user-factors=users+signatures*0.5":    {1, 0.5, 0},
		"collaborative:t=0.01,user-factors=users+near*0,least=-9.5": {1, 0, 0},
	} {
		for i, why := range leadFor(spec) {
			if want := times[i] * plain[i].Weight; why.Weight != want {
				t.Errorf("%s: %s %v, want %v", spec, why.What, why.Weight, want)
			}
		}
	}
	if why := leadFor("collaborative:t=0.01,user-factors=users,least=-0.1"); why != nil {
		t.Errorf("a page below the threshold was queued: %v", why)
	}
}
