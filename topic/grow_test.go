package topic_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// growWeb makes pages about lighthouses, of which some never use the word, and pages about
// other things. Common words are on all of them.
func growWeb(about, others int) (seen []topic.Seen) {
	rng := rand.New(rand.NewPCG(1, 2))
	common := strings.Fields("house water people year small large found known part place north south early built stone road town work made long")
	own := strings.Fields("beacon lantern keeper lens fog signal mariner reef tower lamp")
	page := func(vocabulary []string, word string) *dowse.Page {
		var text []string
		for range 60 {
			text = append(text, common[rng.IntN(len(common))], vocabulary[rng.IntN(len(vocabulary))])
		}
		for range 6 {
			text = append(text, word)
		}
		s := strings.Join(text, " ")
		return &dowse.Page{URL: dowse.URL(fmt.Sprintf("https://example.org/%d", len(seen))), Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
	}
	for i := range about {
		word := "lighthouse"
		if i%3 == 2 {
			word = "sea"
		}
		seen = append(seen, topic.Seen{Page: page(own, word)})
	}
	for i := range others {
		var vocabulary []string
		for k := range 10 {
			vocabulary = append(vocabulary, fmt.Sprintf("subject%dword%d", i%7, k))
		}
		seen = append(seen, topic.Seen{Page: page(vocabulary, "sea")})
	}
	rng.Shuffle(len(seen), func(i, k int) { seen[i], seen[k] = seen[k], seen[i] })
	return seen
}

func lighthouses() *topic.Topic { return &topic.Topic{Name: "lights", Words: []string{"lighthouse"}} }

// own reports whether a page of growWeb is about lighthouses.
func own(p *dowse.Page) bool { return !strings.Contains(p.Text, "subject") }

// A judge that grew calls pages relevant that do not have the word, by words that nobody
// typed, and names these as reasons. It rates windows by them as well.
func TestGrow(t *testing.T) {
	seen, want := growWeb(30, 90), lighthouses()
	m := &topic.Material{}
	g, ok, err := want.Grow(m, seen)
	if err != nil || !ok {
		t.Fatalf("%+v, %v, %v", g, ok, err)
	}
	if g.On != 18 || g.Off < topic.FewestSeen || g.Kept != g.Leaders || g.Called < 25 || g.Called > 35 {
		t.Errorf("%+v", g)
	}
	j, err := want.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := want.Judge()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seen {
		if strings.Contains(s.Page.Text, "lighthouse") || !own(s.Page) {
			if got := j.Judge(s.Page).Relevance >= 0.5; got != own(s.Page) {
				t.Errorf("%s about lighthouses: %v, called so: %v", s.Page.URL, own(s.Page), got)
			}
			continue
		}
		v := j.Judge(s.Page)
		if before := alone.Judge(s.Page).Relevance; v.Relevance < 0.5 || before >= 0.5 {
			t.Errorf("%s: %v, and %v by the word alone", s.Page.URL, v.Relevance, before)
		}
		if !slices.ContainsFunc(v.Because, func(b dowse.Because) bool { return b.What == `"lantern"` && b.Weight > 0 }) {
			t.Errorf("%s: no reason names the lantern: %v", s.Page.URL, v.Because)
		}
	}
	page := &dowse.Page{Document: dowse.Document{Text: "the lantern of the keeper and his lens; the road to a town of stone"}}
	page.Words = dowse.Words(page.Text)
	_, windows := j.JudgeWindows(page, []dowse.Span{{Start: 0, End: 8}, {Start: 8, End: 15}})
	if windows[0] <= windows[1] {
		t.Errorf("windows are rated %v", windows)
	}
}

// The same pages give the same model, and a seed counts for more than another page.
func TestGrowIsExact(t *testing.T) {
	seen, want := growWeb(30, 90), lighthouses()
	grown := func(seen []topic.Seen) (string, float64) {
		m := &topic.Material{}
		if _, ok, err := want.Grow(m, seen); err != nil || !ok {
			t.Fatal(ok, err)
		}
		data, err := judge.Save(m.Trained)
		if err != nil {
			t.Fatal(err)
		}
		return string(data), *m.Zero
	}
	first, zero := grown(seen)
	if again, z := grown(seen); again != first || z != zero {
		t.Error("the same pages give another model")
	}
	seeded := slices.Clone(seen)
	i := slices.IndexFunc(seeded, func(s topic.Seen) bool { return strings.Contains(s.Page.Text, "lighthouse") })
	for k := range seeded {
		if k >= i && strings.Contains(seeded[k].Page.Text, "lighthouse") {
			i = k // the last of them, which would not be among the first eight
		}
	}
	seeded[i].Seed = true
	if with, _ := grown(seeded); with == first {
		t.Error("a seed changes nothing")
	}
}

// Nothing grows where no page has a word of the topic, or all have, or the topic says more
// than words.
func TestGrowNothing(t *testing.T) {
	for _, c := range []struct {
		name          string
		about, others int
		topic         *topic.Topic
	}{
		{"no page has the word", 0, 100, lighthouses()},
		{"few pages have the word", 6, 100, lighthouses()},
		{"hardly a page is off topic", 100, 5, &topic.Topic{Name: "water", Words: []string{"lantern", "beacon", "sea"}}},
	} {
		m := &topic.Material{}
		if g, ok, err := c.topic.Grow(m, growWeb(c.about, c.others)); ok || err != nil || m.Trained != nil {
			t.Errorf("%s: %+v, %v, %v", c.name, g, ok, err)
		}
	}
	like := lighthouses()
	like.Like = []topic.Source{{Text: "a lighthouse"}}
	gated := lighthouses()
	gated.Where = "keyword(lighthouse)"
	if like.Grows() || gated.Grows() || (&topic.Topic{Name: "x"}).Grows() || !lighthouses().Grows() {
		t.Error("which topics grow")
	}
}

// Labels are examples beside the pages that are chosen, each in the place of one.
func TestGrowWithLabels(t *testing.T) {
	seen, want := growWeb(30, 90), lighthouses()
	m := &topic.Material{}
	for _, s := range seen[:20] {
		m.Examples = append(m.Examples, judge.Example{Page: s.Page, Relevant: own(s.Page)})
	}
	on, _ := m.Counts()
	g, ok, err := want.Grow(m, seen[20:])
	if err != nil || !ok || on == 0 || g.On != 18-on {
		t.Errorf("%d labels on topic: %+v, %v, %v", on, g, ok, err)
	}
}

// A crawl that is steered well sees few pages off topic. Its judge grows all the same, from
// everyday texts in addition, and that it calls most pages relevant is no fault.
func TestGrowInAWellSteeredCrawl(t *testing.T) {
	for _, others := range []int{8, 30} {
		seen, want := growWeb(100, others), lighthouses()
		for i := range seen { // nearly all pages on topic have the word
			if p := seen[i].Page; own(p) && i%25 > 0 {
				p.Text = strings.ReplaceAll(p.Text, " sea", " lighthouse")
				p.Words = dowse.Words(p.Text)
			}
		}
		m := &topic.Material{}
		g, ok, err := want.Grow(m, seen)
		if err != nil || !ok {
			t.Fatalf("%d others: %+v, %v, %v", others, g, ok, err)
		}
		if why := g.Fault(len(seen)); why != "" || g.Called < 80 {
			t.Errorf("%d others: %q %+v", others, why, g)
		}
		j, err := want.NewJudge(m)
		if err != nil {
			t.Fatal(err)
		}
		right, unseen := 0, growWeb(30, 70)
		for _, s := range unseen {
			if (j.Judge(s.Page).Relevance >= 0.5) == own(s.Page) {
				right++
			}
		}
		if right < 90 {
			t.Errorf("%d others: %d of %d verdicts on pages of another web are right", others, right, len(unseen))
		}
	}
}

// A link farm has the word on all its pages, more often than any other host. Hosts take
// turns, so that it is not what the judge learns.
func TestGrowNotFromOneHost(t *testing.T) {
	seen, want := growWeb(40, 80), lighthouses()
	for i := range seen {
		seen[i].Page.URL = dowse.URL(fmt.Sprintf("https://host%d.example/%d", i%20, i))
	}
	for i := range 30 {
		s := strings.Repeat("lighthouse cheap offers casino pills ", 12) + strings.Repeat("buy now here today ", 40)
		seen = append(seen, topic.Seen{Page: &dowse.Page{URL: dowse.URL(fmt.Sprintf("https://farm.example/%d", i)), Document: dowse.Document{Title: "lighthouse", Text: s, Words: dowse.Words(s)}}})
	}
	m := &topic.Material{}
	g, ok, err := want.Grow(m, seen)
	if err != nil || !ok || g.Fault(len(seen)) != "" {
		t.Fatalf("%+v, %v, %v, %q", g, ok, err, g.Fault(len(seen)))
	}
	j, err := want.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range seen[:120] {
		if own(s.Page) && j.Judge(s.Page).Relevance >= 0.5 {
			found++
		}
	}
	if found < 30 {
		t.Errorf("%d of 40 pages about lighthouses are found: %+v", found, g)
	}
}

// Models that left what they grew from have a fault.
func TestGrowthFaults(t *testing.T) {
	g, ok, err := lighthouses().Grow(&topic.Material{}, growWeb(30, 90))
	if err != nil || !ok || g.Fault(120) != "" {
		t.Fatalf("%+v, %v, %v, %q", g, ok, err, g.Fault(120))
	}
	rejects, host, others, fewer, all, steered := g, g, g, g, g, g
	rejects.Kept = g.Leaders/2 - 1
	host.Hosts, host.Left = 8, 2
	others.Again, others.Before, others.Agreed = true, 40, 26 // 13 by chance
	fewer.Again, fewer.Before, fewer.Agreed, fewer.Called = true, 40, 27, 10
	all.Called, all.Before, all.Words = 100, 60, 90
	steered.Called, steered.Before, steered.Words = 100, 60, 110
	for want, x := range map[string]string{
		"it would turn down 5 of the 8 pages that it began with":               rejects.Fault(120),
		"it would turn down all pages of 6 of the 8 hosts with pages on topic": host.Fault(120),
		"14 of the 40 pages on topic are not among its best 40":                others.Fault(120),
		"it would call 100 of the first 120 pages on topic":                    all.Fault(120),
		"": steered.Fault(120) + fewer.Fault(120),
	} {
		if x != want {
			t.Errorf("%q, want %q", x, want)
		}
	}
}

// A judge that agrees on the order of pages with the one before it is used, even if that one
// called many more of them relevant.
func TestGrowthCorrectsTooMany(t *testing.T) {
	seen, want := growWeb(30, 90), lighthouses()
	m := &topic.Material{}
	if _, ok, err := want.Grow(m, seen); err != nil || !ok {
		t.Fatal(ok, err)
	}
	first, err := want.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	order := slices.Clone(seen)
	slices.SortStableFunc(order, func(a, b topic.Seen) int {
		return cmp.Compare(first.Judge(b.Page).Relevance, first.Judge(a.Page).Relevance)
	})
	for i := range seen {
		seen[i].Before = 0.2
		if slices.ContainsFunc(order[:80], func(s topic.Seen) bool { return s.Page == seen[i].Page }) {
			seen[i].Before = 0.6
		}
	}
	g, ok, err := want.Grow(&topic.Material{}, seen)
	if err != nil || !ok || g.Before != 80 || g.Called >= 40 {
		t.Fatalf("%+v, %v, %v", g, ok, err)
	}
	if why := g.Fault(len(seen)); why != "" {
		t.Errorf("%+v: refused: %s", g, why)
	}
}

// The share of pages on topic is estimated from the pages seen: where two thirds of them are,
// pages that say little of the topic are called relevant as well.
func TestGrowEstimatesTheShare(t *testing.T) {
	faint := func(seen []topic.Seen) []topic.Seen {
		for _, s := range seen {
			if own(s.Page) { // a tenth of the words that a page on topic has
				words := strings.Fields(s.Page.Text)
				for i := range words {
					if i%2 == 1 && i%20 != 1 {
						words[i] = "stone"
					}
				}
				s.Page.Text = strings.Join(words, " ")
				s.Page.Words = dowse.Words(s.Page.Text)
			}
		}
		return seen
	}
	called := func(about, others int) float64 {
		seen, want := faint(growWeb(about, others)), lighthouses()
		m := &topic.Material{}
		if g, ok, err := want.Grow(m, seen); err != nil || !ok {
			t.Fatalf("%+v, %v, %v", g, ok, err)
		}
		return -*m.Zero
	}
	if many, few := called(120, 60), called(20, 160); many <= few {
		t.Errorf("the log-odds are moved by %v where most pages are on topic, by %v where few are", many, few)
	}
}
