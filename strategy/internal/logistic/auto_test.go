package logistic_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/text"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/logistic"
	"dowse/strategy/strategytest"
)

// autoURL returns the URL of a page in a folder of its own, so that pages share no host,
// folder or word of their URLs.
func autoURL(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://h%d.test/%d/", i, i)) }

// autoPage returns a visited page that is led to by what was last said of it, with one link
// per text. The page's own words come first.
func autoPage(u dowse.URL, relevance float64, words string, said map[dowse.URL]dowse.Lead, from int, links ...string) *dowse.Page {
	p := &dowse.Page{URL: u, Outcome: dowse.Fetched, Lead: said[u], Verdict: dowse.Verdict{Relevance: relevance}}
	p.Text = words + " "
	p.Words = dowse.Words(p.Text)
	for i, anchor := range links {
		start := int32(len(p.Words))
		p.Text += anchor + " "
		p.Words = dowse.Words(p.Text)
		at := dowse.Span{Start: start, End: int32(len(p.Words))}
		l := dowse.Link{URL: autoURL(from + i), Mention: dowse.Mention{Anchor: anchor, At: at, Window: at, Context: 0.3, Above: [3]int32{-1, -1, -1}}}
		l.Target.Note = said[l.URL].Note
		p.Links = append(p.Links, l)
	}
	return p
}

// TestAutoBegins rates links before anything was learnt: as in link-context, the judge's
// rating of the window counts, and so does the relevance of the linking page.
func TestAutoBegins(t *testing.T) {
	rate := func(page, context float64) float64 {
		p := autoPage("http://a.test/", page, "", nil, 0, "one")
		p.Links[0].Context = context
		return (&logistic.Auto{}).Follow(p)[0].Priority
	}
	for _, c := range []struct{ page, context, worsePage, worseContext float64 }{
		{0.5, 0.9, 0.5, 0.1}, {0.9, 0.5, 0.1, 0.5}, {0.3, 0.9, 0.9, 0.01},
	} {
		if good, bad := rate(c.page, c.context), rate(c.worsePage, c.worseContext); good <= bad {
			t.Errorf("page %v, window %v: %.3f, not above page %v, window %v: %.3f", c.page, c.context, good, c.worsePage, c.worseContext, bad)
		}
	}
}

// TestAutoLearns lets links about kelp lead to the topic and links about shops away from
// it, with equal ratings. Links that wait are then rated by their words.
func TestAutoLearns(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	var links []string
	for i := range 20 {
		links = append(links, []string{"kelp forest", "shop prices"}[i%2])
	}
	heard(said, s.Follow(autoPage("http://hub.test/", 0.5, "", said, 0, links...)))
	if d := math.Abs(said[autoURL(18)].Priority - said[autoURL(19)].Priority); d > 0.2 {
		t.Errorf("before anything was learnt, kelp and shop differ by %v", d)
	}
	for i := range 18 {
		heard(said, s.Follow(autoPage(autoURL(i), 1-float64(i%2), "", said, 100)))
	}
	kelp, shop := said[autoURL(18)], said[autoURL(19)]
	if kelp.Priority < shop.Priority+1 {
		t.Errorf("kelp %.3f, shop %.3f; want kelp far ahead", kelp.Priority, shop.Priority)
	}
	if got := s.Rescore(kelp); math.Abs(got-kelp.Priority) > 0.15 {
		t.Errorf("rated again %.3f, waits at %.3f", got, kelp.Priority)
	}
}

// TestAutoVocabulary lets relevant pages have a word in their text that no link has had
// so far: a link with this word is better than one with a word of other pages.
func TestAutoVocabulary(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	for i := range 10 {
		words := []string{"anemone reef water", "mortgage bank water"}[i%2]
		s.Follow(autoPage(autoURL(100+i), 1-float64(i%2), words, said, 200))
	}
	heard(said, s.Follow(autoPage("http://hub.test/", 0.5, "", said, 0, "anemone", "mortgage", "water", "never")))
	on, off, both, never := said[autoURL(0)].Priority, said[autoURL(1)].Priority, said[autoURL(2)].Priority, said[autoURL(3)].Priority
	if on < both+0.3 || both < off+0.3 || math.Abs(both-never) > 0.3 {
		t.Errorf("on %.3f, both %.3f, never seen %.3f, off %.3f", on, both, never, off)
	}
}

// TestAutoCountsMentionsTogether links to one URL from a second page, in words that belong
// to the topic: the lead rises, although its first link did not have them.
func TestAutoCountsMentionsTogether(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	for i := range 10 {
		s.Follow(autoPage(autoURL(100+i), 1-float64(i%2), []string{"anemone reef", "mortgage bank"}[i%2], said, 200))
	}
	heard(said, s.Follow(autoPage("http://hub.test/", 0.5, "", said, 0, "more")))
	before := said[autoURL(0)].Priority
	heard(said, s.Follow(autoPage("http://hub2.test/", 0.5, "", said, 0, "anemone")))
	if after := said[autoURL(0)].Priority; after < before+0.3 {
		t.Errorf("%.3f after a second mention, %.3f before", after, before)
	}
}

// TestAutoReasons checks that the reasons of a lead add up to its priority, that rating it
// again by its note alone gives the same, and that the reasons of a chosen lead name the word
// that decided.
func TestAutoReasons(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	for i := range 10 {
		s.Follow(autoPage(autoURL(100+i), 1-float64(i%2), []string{"anemones reef", "mortgage bank"}[i%2], said, 200))
	}
	heard(said, s.Follow(autoPage("http://hub.test/", 0.9, "", said, 0, "tide anemones", "news")))
	for u, l := range said {
		again := s.Rescore(l)
		if again != l.Priority {
			t.Errorf("%s: rated again %v, first %v", u, again, l.Priority)
		}
		for _, list := range [][]dowse.Because{l.Because, s.Explain(l)} {
			sum := 0.0
			for _, b := range list {
				sum += b.Weight
			}
			if math.Abs(sum-l.Priority) > 1e-9 {
				t.Errorf("%s: reasons %v add up to %v, priority %v", u, list, sum, l.Priority)
			}
		}
	}
	if why := s.Explain(said[autoURL(0)]); !strings.Contains(fmt.Sprint(why), `anchor "anemones"`) {
		t.Errorf("the reasons do not name the word: %v", why)
	}
}

// TestAutoNamesWordsThatAreThere lets words that no link has take the codes of words that decide: a reason
// names them only together with the link's own, none if there are more than two, and those of a URL never.
func TestAutoNamesWordsThatAreThere(t *testing.T) {
	a := text.NewAnalyzer(text.Options{})
	code := func(word string) uint64 { return text.Hash(a.Term(word)) & (1<<16 - 1) }
	namesakes := func(of string) (found []string) {
		for i := 0; len(found) < 2; i++ {
			if w := fmt.Sprintf("stranger%d", i); code(w) == code(of) {
				found = append(found, w)
			}
		}
		return found
	}
	inAnchor, inURL := namesakes("anemones"), namesakes("kelpbeds")
	u := dowse.URL("http://reef.test/kelpbeds/4711")
	explain := func(first string) string {
		s := &logistic.Auto{}
		said := map[dowse.URL]dowse.Lead{}
		s.Follow(autoPage("http://first.test/", 0.3, first, said, 0))
		for i := range 12 {
			p := autoPage(autoURL(100+i), 1-float64(i%2), []string{"anemones kelpbeds", "mortgage bank"}[i%2], said, 200)
			p.URL = dowse.URL(fmt.Sprintf("http://host%d.test/%s/%d", i, []string{"kelpbeds", "loans"}[i%2], i))
			s.Follow(p)
		}
		p := autoPage("http://hub.test/", 0.9, "", said, 0, "anemones")
		p.Links[0].URL = u
		heard(said, s.Follow(p))
		return fmt.Sprint(s.Explain(said[u]))
	}
	for first, want := range map[string]string{
		"":                          `anchor "anemones"`,
		inAnchor[0]:                 `anchor "` + inAnchor[0] + `" or "anemones"`,
		inURL[0]:                    `URL "kelpbeds"`,
		strings.Join(inAnchor, " "): `words of the anchor`,
	} {
		why := explain(first)
		if !strings.Contains(why, want) {
			t.Errorf("after %q: %s, want %s", first, why, want)
		}
		if strings.Contains(why, `"`+inURL[0]) || first == strings.Join(inAnchor, " ") && strings.Contains(why, "stranger") {
			t.Errorf("after %q a reason names it: %s", first, why)
		}
	}
}

// TestAutoLoadsItsOwn refuses the state of another strategy, and what is none.
func TestAutoLoadsItsOwn(t *testing.T) {
	b, err := (&logistic.Online{}).Save()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{b, []byte("x"), nil} {
		if err := (&logistic.Auto{}).Load(bad); err == nil {
			t.Errorf("%d bytes that auto did not save were taken", len(bad))
		}
	}
}

// TestAutoOnManyHosts crawls a web of many hosts where only the place of a page on its
// host shows what it is: course pages are wanted, those of people and news are not, and
// the judge's ratings of links are all alike. auto finds that out from URLs and anchors.
func TestAutoOnManyHosts(t *testing.T) {
	const hosts, visits = 60, 300
	web := strategytest.Toy{}
	url := func(host int, path string) dowse.URL {
		return dowse.URL(fmt.Sprintf("http://www.u%d.test/%s", host%hosts, path))
	}
	for h := range hosts {
		home := strategytest.Page{Relevance: 0.1, Text: "department home"}
		for i := range 12 {
			kind := []string{"people", "news", "courses"}[i%3]
			u := url(h, fmt.Sprintf("%s/x%d.html", kind, 100*h+i))
			home.Links = append(home.Links, strategytest.Link{To: u, Context: 0.3, Anchor: []string{"staff", "story", "lecture"}[i%3]})
			p := strategytest.Page{Relevance: 0.05, Text: kind + " page", Links: []strategytest.Link{{To: url(h+1, ""), Context: 0.3, Anchor: "partner"}, {To: url(h+7*i+2, ""), Context: 0.3, Anchor: "partner"}}}
			if kind == "courses" {
				p.Relevance = 0.9
			}
			web[u] = p
		}
		web[url(h, "")] = home
	}
	found := func(s dowse.Strategy) (n int) {
		for _, u := range strategytest.Order(s, web, url(0, ""), url(1, ""))[:visits] {
			if strings.Contains(string(u), "/courses/") {
				n++
			}
		}
		return n
	}
	auto, context := found(&logistic.Auto{}), found(&strategy.LinkContext{})
	if auto < 140 || auto < context+50 {
		t.Errorf("of %d visits, auto made %d to course pages, link-context %d", visits, auto, context)
	}
}

// TestAutoHeadings lets links under one heading lead to the topic and links under another
// away from it, on several pages, with equal ratings and words. The headings differ in number
// and ending from page to page. Links that wait are rated by their headings.
func TestAutoHeadings(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	hub := func(from int, headings ...string) *dowse.Page {
		p := autoPage(dowse.URL(fmt.Sprintf("http://hub%d.test/", from)), 0.3, "", said, from, "one", "one")
		for i := range p.Links {
			p.Headings = append(p.Headings, dowse.Heading{Level: 2, Text: headings[i]})
			p.Links[i].Above = [3]int32{-1, int32(i), -1}
		}
		return p
	}
	for i := range 8 {
		heard(said, s.Follow(hub(10*i, fmt.Sprint("Courses ", i), "Photo")))
		for k := range 2 {
			heard(said, s.Follow(autoPage(autoURL(10*i+k), 0.9-0.8*float64(k), "", said, 1000)))
		}
	}
	heard(said, s.Follow(hub(500, "Course", "Photos")))
	course, photo := said[autoURL(500)], said[autoURL(501)]
	if course.Priority < photo.Priority+1 {
		t.Errorf("under courses %.3f, under photos %.3f; want courses far ahead", course.Priority, photo.Priority)
	}
	if why := fmt.Sprint(s.Explain(course)); !strings.Contains(why, "heading of the link") {
		t.Errorf("the reasons do not name the heading: %s", why)
	}
}

// TestAutoReadsEarlierStates loads a state that was saved before links were rated by their
// headings: what it has learnt is kept, and the new signals begin with their initial weights.
func TestAutoReadsEarlierStates(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	heard(said, s.Follow(autoPage("http://hub.test/", 0.5, "", said, 0, "kelp forest", "shop prices")))
	b, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	var form autoForm
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&form); err != nil {
		t.Fatal(err)
	}
	form.Model.Signals = form.Model.Signals[:15]
	var earlier bytes.Buffer
	if err := gob.NewEncoder(&earlier).Encode(&form); err != nil {
		t.Fatal(err)
	}
	restored := &logistic.Auto{}
	if err := restored.Load(earlier.Bytes()); err != nil {
		t.Fatal(err)
	}
	for u, l := range said {
		if got, want := restored.Rescore(l), s.Rescore(l); got != want {
			t.Errorf("%s is rated %v after loading, %v before", u, got, want)
		}
	}
}

// TestAutoRatesLikelyLeadsAgain lets two links wait, a likely and an unlikely one, and
// teaches that the word of both leads to the topic. After a visit to a lead of high priority
// only the likely one is rated again; after a visit to one of low priority both are.
func TestAutoRatesLikelyLeadsAgain(t *testing.T) {
	for _, c := range []struct {
		visited float64
		want    int
	}{{1, 1}, {-20, 2}} {
		s := &logistic.Auto{}
		first := autoPage("http://a.test/", 0.9, "", nil, 1, "kelp", "kelp")
		first.Links[0].Context, first.Links[1].Context = 1, 0
		first.Links[0].AnchorScore, first.Links[1].AnchorScore = 1, 0
		waiting := map[dowse.URL]dowse.Lead{}
		for _, l := range s.Follow(first) {
			waiting[l.URL] = l
		}
		next := autoPage("http://b.test/", 1, "kelp kelp", waiting, 10)
		next.Lead = waiting[autoURL(1)]
		next.Lead.Priority += c.visited
		again := 0
		for _, l := range s.Follow(next) {
			if _, ok := waiting[l.URL]; ok {
				again++
			}
		}
		if again != c.want {
			t.Errorf("visit %+.0f log-odds from the best waiting lead: %d leads were rated again, want %d", c.visited, again, c.want)
		}
	}
}

// TestAutoBeginsWithNames rates anchors before any page was read: one that is a name of what the topic's words may
// stand for is above others, and pages off topic that have the name correct that. Of names of several words
// none is taken, and what was learnt goes on after it was saved.
func TestAutoBeginsWithNames(t *testing.T) {
	begun := func() *logistic.Auto {
		s := &logistic.Auto{}
		if err := s.Take(input.Inputs{Names: []string{"whale", "sea cow"}}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	rate := func(s *logistic.Auto) (list [3]float64) {
		for i, l := range s.Follow(autoPage("http://hub.test/", 0.1, "", nil, 0, "whales", "cow", "ship")) {
			list[i] = l.Priority
		}
		return list
	}
	first := rate(begun())
	if first[0] < first[2]+0.3 || first[1] != first[2] {
		t.Errorf("whales %.3f, cow %.3f, ship %.3f", first[0], first[1], first[2])
	}
	s := begun()
	for i := range 20 {
		s.Follow(autoPage(autoURL(100+2*i), 0, "whale", nil, 0))
		s.Follow(autoPage(autoURL(101+2*i), 1, "boat", nil, 0))
	}
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	again := begun()
	if err := again.Load(saved); err != nil {
		t.Fatal(err)
	}
	later := rate(s)
	if later[0] > later[2] {
		t.Errorf("after 20 pages off topic: whales %.3f, ship %.3f", later[0], later[2])
	}
	if got := rate(again); got != later {
		t.Errorf("after it was saved: %v, want %v", got, later)
	}
}

// TestAutoAvoidsGonePages learns from pages that do not exist: links of that form are rated lower, whatever their words.
// A failure that is no answer about the page, such as a timeout, teaches nothing.
func TestAutoAvoidsGonePages(t *testing.T) {
	above := func(status int) float64 {
		s := &logistic.Auto{}
		visit := func(u dowse.URL, links ...dowse.URL) (leads []dowse.Lead) {
			p := autoPage(u, 0.5, "", nil, 0, make([]string, len(links))...)
			for i, to := range links {
				p.Links[i].URL, p.Links[i].Anchor = to, "picture"
			}
			return s.Follow(p)
		}
		visit("http://a.test/wp/first.html")
		for i := range 10 {
			u := dowse.URL(fmt.Sprintf("http://a.test/images/%d.html", i))
			lead := visit(dowse.URL(fmt.Sprintf("http://a.test/wp/page%c.html", 'a'+i)), u)[0]
			s.Follow(&dowse.Page{URL: u, Lead: lead, Outcome: dowse.Failed, Reason: dowse.FailHTTP, Fetch: dowse.Fetch{Status: status}})
		}
		leads := visit("http://a.test/wp/last.html", "http://a.test/images/99.html", "http://a.test/wp/other.html")
		return leads[1].Priority - leads[0].Priority
	}
	gone, unknown := above(404), above(0)
	if gone < unknown+0.5 {
		t.Errorf("a page of another form is %.3f above one of the form that is gone; %.3f where nothing is known of it", gone, unknown)
	}
}

// TestAutoLearnsNothingOfNothing has pages of no relevance at all, as conditions rate them, before the first that has
// some: links of equal ratings keep equal priorities, whatever their words are, and learning begins with that page.
func TestAutoLearnsNothingOfNothing(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	var links []string
	for i := range 24 {
		links = append(links, []string{"kelp forest", "shop prices", "news today"}[i%3])
	}
	heard(said, s.Follow(autoPage("http://hub.test/", 0, "", said, 0, links...)))
	for i := range 12 {
		heard(said, s.Follow(autoPage(autoURL(i), 0, "shop prices", said, 0, links...)))
	}
	rated := map[float64]bool{}
	for i := 12; i < 24; i++ {
		rated[s.Rescore(said[autoURL(i)])] = true
	}
	if len(rated) != 1 {
		t.Errorf("%d different priorities of links before any page was relevant, want 1", len(rated))
	}
	heard(said, s.Follow(autoPage(autoURL(12), 1, "kelp", said, 0)))
	for i := 13; i < 18; i++ {
		heard(said, s.Follow(autoPage(autoURL(i), map[bool]float64{true: 1}[i%3 == 0], "", said, 0)))
	}
	if kelp, shop := s.Rescore(said[autoURL(18)]), s.Rescore(said[autoURL(19)]); kelp < shop+1 {
		t.Errorf("after six pages, kelp %.3f, shop %.3f; want kelp far ahead", kelp, shop)
	}
}
