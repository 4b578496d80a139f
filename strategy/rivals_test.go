package strategy_test

import (
	"strconv"
	"testing"

	"dowse"
	"dowse/strategy"
)

func TestGoldenRivals(t *testing.T) {
	runGolden(t, "extra_baselines", map[string]func(*testing.T, goldenCase){
		"shark":             goldenShark,
		"hits_distillation": goldenHITS,
	})
}

func goldenShark(t *testing.T, g goldenCase) {
	in := decode[struct {
		Rows []struct {
			Sim       float64 `json:"sim_parent"`
			Inherited float64 `json:"inherited_parent"`
			Anchor    float64 `json:"anchor_sim"`
			Context   float64 `json:"context_sim"`
		}
	}](t, g.Input)
	want := decode[struct {
		Rows []struct{ Inherited, Neighbourhood, Potential float64 }
	}](t, g.Expected)
	s := &strategy.Shark{}
	for i, row := range in.Rows {
		p := page("p", 0, row.Sim, "u")
		p.Lead.Note = strconv.FormatFloat(row.Inherited, 'g', -1, 64)
		p.Links[0].AnchorScore, p.Links[0].Context = row.Anchor, row.Context
		l := s.Follow(p)[0]
		inherited, _ := strconv.ParseFloat(l.Note, 64)
		w := want.Rows[i]
		if !near(inherited, w.Inherited) || !near(l.Because[1].Weight, 0.5*w.Neighbourhood) || !near(l.Priority, w.Potential) {
			t.Errorf("row %d: %v inherited, %v near, %v in all; want %v", i, inherited, l.Because[1].Weight/0.5, l.Priority, w)
		}
	}
}

func goldenHITS(t *testing.T, g goldenCase) {
	in := decode[struct {
		Graph     links
		Relevance map[dowse.URL]float64
	}](t, g.Input)
	want := decode[struct{ Hub, Authority map[dowse.URL]float64 }](t, g.Expected)
	site := func(u dowse.URL) dowse.URL { return "http://" + u + ".test/" }
	s := &strategy.SoftFocus{}
	for u, to := range in.Graph {
		p := page(site(u), 1, in.Relevance[u], site(u)+"at-home")
		for _, v := range to {
			p.Links = append(p.Links, dowse.Link{URL: site(v)})
		}
		s.Follow(p)
	}
	standings := s.Distill()
	if len(standings) != len(in.Graph) {
		t.Fatalf("%d pages, want %d", len(standings), len(in.Graph))
	}
	for _, st := range standings {
		u := st.URL[len("http://") : len(st.URL)-len(".test/")]
		if !near(st.Hub, want.Hub[u]) || !near(st.Authority, want.Authority[u]) {
			t.Errorf("%s: hub %v, authority %v; want %v, %v", u, st.Hub, st.Authority, want.Hub[u], want.Authority[u])
		}
	}
}

// TestSoftFocusRaisesHubs lets the best hub's links come first.
func TestSoftFocusRaisesHubs(t *testing.T) {
	s := &strategy.SoftFocus{Every: 3, Hubs: 1}
	s.Follow(page("http://good.test/", 1, 0.9))
	s.Follow(page("http://poor.test/", 1, 0.1, "http://off.test/"))
	leads := s.Follow(page("http://hub.test/", 1, 0.6, "http://good.test/", "http://new.test/", "http://hub.test/own"))
	priority := map[dowse.URL]float64{}
	for _, l := range leads {
		priority[l.URL] = max(priority[l.URL], l.Priority)
	}
	for u, want := range map[dowse.URL]float64{"http://new.test/": 1, "http://hub.test/own": 0.6, "http://off.test/": 0} {
		if priority[u] != want {
			t.Errorf("%s is at %v, want %v", u, priority[u], want)
		}
	}
}

// TestSoftFocusForgets keeps the graph within its bound.
func TestSoftFocusForgets(t *testing.T) {
	s := &strategy.SoftFocus{Links: 20}
	for i := range 50 {
		u := dowse.URL("http://h" + strconv.Itoa(i) + ".test/")
		s.Follow(page(u, 1, 1, "http://a.test/", "http://b.test/", "http://c.test/"))
	}
	if n := len(s.Distill()); n != 5 {
		t.Errorf("%d pages of 4 are remembered, want 5 in a bound of 20", n)
	}
	s.Follow(page("http://big.test/", 1, 1, make([]dowse.URL, 1000)...))
	if n := len(s.Distill()); n == 0 || n > 5 {
		t.Errorf("%d pages after a giant one", n)
	}
}

// TestFish follows a school: food, hunger, death, and a second chance.
func TestFish(t *testing.T) {
	s := &strategy.Fish{}
	seed := s.Start([]dowse.URL{"s"})[0]
	if seed.Note != "3" {
		t.Errorf("a seed has strength %s", seed.Note)
	}
	off := func(strength string, target dowse.Target) []dowse.Lead {
		p := page("p", 0, 0, "u")
		p.Lead.Note = strength
		p.Links[0].Target = target
		return s.Follow(p)
	}
	if l := off("3", dowse.Target{})[0]; l.Note != "2" || l.Band != 1 || l.Priority != 0 {
		t.Errorf("a link from a page off topic: %+v", l)
	}
	if l := off("1", dowse.Target{}); len(l) != 0 {
		t.Errorf("a school without strength goes on: %+v", l)
	}
	if l := off("3", dowse.Target{State: dowse.Waiting, Note: "3"})[0]; l.Note != "" {
		t.Errorf("a stronger lead becomes weak: %+v", l)
	}
	if l := off("3", dowse.Target{State: dowse.Visited}); len(l) != 0 {
		t.Errorf("a visited page is asked for: %+v", l)
	}
	food := page("p", 0, 0.9, "u")
	food.OnTopic = true
	first, second := s.Follow(food)[0], s.Follow(food)[0]
	if first.Note != "3" || first.Band != 0 || second.Priority <= first.Priority {
		t.Errorf("links from pages on topic: %+v, then %+v", first, second)
	}
	if why := second.Because[0]; why.Weight != second.Priority {
		t.Errorf("priority %v, for %+v", second.Priority, why)
	}
}

// TestShark takes the best mention and keeps the better heritage.
func TestShark(t *testing.T) {
	s := &strategy.Shark{}
	p := page("p", 0, 0.6, "u", "v")
	p.Links[0].Context = 0.9
	p.Links[0].More = []dowse.Mention{{AnchorScore: 0.5}}
	p.Links[1].Target = dowse.Target{State: dowse.Waiting, Note: "0.4"}
	leads := s.Follow(p)
	if want := 0.5*0.3 + 0.5*(0.8*0.5+0.2); !near(leads[0].Priority, want) {
		t.Errorf("two mentions: %v, want %v", leads[0].Priority, want)
	}
	if leads[1].Note != "" || leads[0].Note != "0.3" {
		t.Errorf("notes %q and %q", leads[0].Note, leads[1].Note)
	}
	p.Verdict.Relevance, p.Lead.Note = 0.04, "0.5"
	if l := s.Follow(p)[0]; l.Note != "0.25" {
		t.Errorf("a page without the topic passes on %s of 0.5", l.Note)
	}
}

func TestNaiveBestFirst(t *testing.T) {
	p := page("p", 1, 0.7, "u", "v")
	p.Links[1].Target.State = dowse.Visited
	leads := (&strategy.NaiveBestFirst{}).Follow(p)
	if len(leads) != 1 || leads[0].Priority != 0.7 || leads[0].Merge != dowse.Max {
		t.Errorf("leads %+v", leads)
	}
}
