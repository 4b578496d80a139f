package interest_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/text"
	"dowse/strategy/input"
	"dowse/strategy/internal/interest"
	"dowse/strategy/strategytest"
)

// rough has no smoothing to speak of, as the papers' own examples.
var rough = interest.Ratios{Sigma: 1e-300}

func TestGoldenRatios(t *testing.T) {
	for _, g := range vectors(t, "intelligent") {
		switch g.Name {
		case "paper_examples":
			goldenExamples(t, g)
		case "significance_eq6":
			goldenSignificance(t, g)
		case "collab_significance_eq10":
			in := decode[struct {
				N, P float64
				User float64 `json:"P_given_user"`
			}](t, g.Input)
			want := decode[struct{ T float64 }](t, g.Expected)
			equal(t, g.Name, interest.Deviations(rough, input.Tally{in.N, in.N * in.P}, in.N, input.Tally{100, 100 * in.User}), want.T)
		case "link_ratio_variants":
			goldenLinkRatios(t, g)
		case "crawl": // see TestGoldenIntelligent
		default:
			t.Errorf("case %s is not tested", g.Name)
		}
	}
}

func goldenExamples(t *testing.T, g goldenCase) {
	in := decode[struct {
		P        float64 `json:"P_C"`
		F1       float64
		Siblings float64
		Pred     float64 `json:"siblings_pred"`
	}](t, g.Input)
	want := decode[struct {
		P   float64 `json:"link_ratio_p"`
		Sib float64 `json:"sibling_ratio"`
	}](t, g.Expected)
	base := input.Tally{1000, 1000 * in.P}
	p, _ := interest.LinkRatios(rough, base, [4]float64{1000 * in.F1, 0, 0, 1000 - 1000*in.F1}, interest.NormPaper)
	equal(t, "link ratio", p, want.P)
	equal(t, "sibling ratio", interest.SiblingRatio(rough, base, input.Tally{in.Siblings, in.Pred}), want.Sib)
}

func goldenSignificance(t *testing.T, g goldenCase) {
	in := decode[struct {
		N, NC   float64
		NQ, NCQ []float64
	}](t, g.Input)
	want := decode[struct {
		S           []float64
		Significant []bool    `json:"significant_t2"`
		Support     []float64 `json:"S_with_support_nQ"`
		Raw         []float64 `json:"interest_raw"`
		Smoothed    []float64 `json:"interest_smoothed"`
	}](t, g.Expected)
	base := input.Tally{in.N, in.NC}
	for i := range in.NQ {
		f := input.Tally{in.NQ[i], in.NCQ[i]}
		equal(t, "S", interest.Deviations(interest.Ratios{}, base, in.NC, f), want.S[i])
		equal(t, "S by support", interest.Deviations(interest.Ratios{Sig: interest.SigSupport}, base, in.NC, f), want.Support[i])
		equal(t, "raw ratio", math.Exp(interest.LnRatio(rough, base, f)), want.Raw[i])
		equal(t, "ratio", math.Exp(interest.LnRatio(interest.Ratios{}, base, f)), want.Smoothed[i])
		if got := interest.Significant(interest.Ratios{}, base, in.NC, f) != 0; got != want.Significant[i] {
			t.Errorf("%v is significant: %v, want %v", f, got, want.Significant[i])
		}
	}
}

func goldenLinkRatios(t *testing.T, g goldenCase) {
	in := decode[struct {
		Links [4]float64 `json:"links_PP_PN_NP_NN"`
		P     float64    `json:"P_C"`
		K, M  float64
	}](t, g.Input)
	want := decode[map[string]float64](t, g.Expected)
	base := input.Tally{1000, 1000 * in.P}
	for _, v := range []struct {
		name   string
		ratios interest.Ratios
		norm   string
	}{{"paper", rough, interest.NormPaper}, {"paper_smoothed", interest.Ratios{}, interest.NormPaper}, {"conditional", rough, interest.NormConditional}} {
		p, q := interest.LinkRatios(v.ratios, base, in.Links, v.norm)
		equal(t, v.name+" p", p, want[v.name+"_p"])
		equal(t, v.name+" q", q, want[v.name+"_q"])
		if ln, ok := want[v.name+"_ln_Il"]; ok {
			equal(t, v.name+" ln", in.M*math.Log(p)+(in.K-in.M)*math.Log(q), ln)
		}
	}
}

// learningPage is a page as the vectors of the learners write it down.
type learningPage struct {
	Pred  bool
	Words []string
	Links []dowse.URL
}

func learningWeb(pages map[dowse.URL]learningPage) strategytest.Toy {
	web := strategytest.Toy{}
	for u, p := range pages {
		tp := strategytest.Page{Text: strings.Join(p.Words, " "), Links: strategytest.To(p.Links...)}
		if p.Pred {
			tp.Relevance = 1
		}
		web[u] = tp
	}
	return web
}

// literal takes words as they stand.
func literal() interest.Reading {
	return interest.Reading{Analyzer: text.NewAnalyzer(text.Options{Stem: func(w string) string { return w }, Stop: []string{}})}
}

// sameQueue compares the waiting URLs with those that should wait.
func sameQueue(t *testing.T, c *crawl.Crawl, step string, want map[dowse.URL]float64) {
	t.Helper()
	f := c.Frontier()
	if n := f.Count(dowse.Waiting); n != len(want) {
		t.Errorf("%s: %d wait, want %d", step, n, len(want))
	}
	for _, u := range slices.Sorted(maps.Keys(want)) {
		id, ok := f.Find(u)
		if !ok || f.State(id) != dowse.Waiting {
			t.Errorf("%s: %s does not wait", step, u)
			continue
		}
		equal(t, step+": "+string(u), f.Priority(id), want[u])
	}
}

func sameTallies(t *testing.T, what string, got, want map[string]input.Tally) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

type intelligentStep struct {
	URL      dowse.URL
	Priority float64 `json:"priority_at_pick"`
	Parts    struct {
		C        float64  `json:"ln_Ic"`
		U        float64  `json:"ln_Iu"`
		L        float64  `json:"ln_Il"`
		S        float64  `json:"ln_Is"`
		Words    []string `json:"words_used"`
		Tokens   []string `json:"tokens_used"`
		K, M     int
		Siblings int
		Pred     int `json:"siblings_pred"`
	} `json:"parts_at_pick"`
	K struct {
		N, NC         float64
		Links         [4]float64 `json:"links_PP_PN_NP_NN"`
		Words, Tokens map[string]input.Tally
	}
	Candidates map[dowse.URL]float64 `json:"candidates_after"`
}

func TestGoldenIntelligent(t *testing.T) {
	for _, g := range vectors(t, "intelligent") {
		if g.Name != "crawl" {
			continue
		}
		in := decode[struct {
			Web   map[dowse.URL]learningPage
			Seeds []dowse.URL
		}](t, g.Input)
		want := decode[struct{ Log []intelligentStep }](t, g.Expected).Log
		s := &interest.Intelligent{Ratios: interest.Ratios{Exact: true}, Linkage: interest.Linkage{MinLinks: -1}, Reading: literal()}
		c := newCrawl(t, s, 0, in.Seeds)
		n := 0
		steps(c, learningWeb(in.Web), func(v crawl.Visit) {
			if n >= len(want) || v.URL != want[n].URL {
				t.Fatalf("step %d: %s, want %+v", n, v.URL, want[min(n, len(want)-1)].URL)
			}
			equal(t, fmt.Sprint(n, ": priority"), v.Lead.Priority, want[n].Priority)
			sameParts(t, n, interest.CaseOf(s, v.URL), &want[n])
		}, func(v crawl.Visit) {
			w := &want[n]
			k := s.Learnt("").Linkage
			if k.Pages != (input.Tally{w.K.N, w.K.NC}) || k.Links != w.K.Links {
				t.Errorf("step %d: pages %v and links %v, want %+v", n, k.Pages, k.Links, w.K)
			}
			sameTallies(t, fmt.Sprint(n, ": words"), k.Words, w.K.Words)
			sameTallies(t, fmt.Sprint(n, ": tokens"), k.Tokens, w.K.Tokens)
			sameQueue(t, c, fmt.Sprint(n), w.Candidates)
			n++
		})
		if n != len(want) {
			t.Errorf("%d pages, want %d", n, len(want))
		}
	}
}

func sameParts(t *testing.T, n int, got interest.Case, w *intelligentStep) {
	t.Helper()
	for i, want := range []float64{w.Parts.C, w.Parts.U, w.Parts.L, w.Parts.S} {
		if w.URL == "http://dir.com/" && i == 1 {
			continue // a seed without evidence is not rated
		}
		equal(t, fmt.Sprintf("%d: factor %d", n, i), got.Factors[i], want)
	}
	if !slices.Equal(got.Words, w.Parts.Words) || !slices.Equal(got.Tokens, w.Parts.Tokens) {
		t.Errorf("step %d: words %v and tokens %v, want %v and %v", n, got.Words, got.Tokens, w.Parts.Words, w.Parts.Tokens)
	}
	if got.K != w.Parts.K || got.M != w.Parts.M || got.V != w.Parts.Siblings || got.S != w.Parts.Pred {
		t.Errorf("step %d: evidence %+v, want %+v", n, got, w.Parts)
	}
}

// keyOf is the key of a user in traces of the tests.
func keyOf(t testing.TB, user string) string {
	return traceOf(t, []visit{{User: user, URL: "x"}}).Key(0)
}

// keyed replaces the names of users by their keys.
func keyed(t testing.TB, users map[string]input.Tally) map[string]input.Tally {
	out := map[string]input.Tally{}
	for u, c := range users {
		out[keyOf(t, u)] = c
	}
	return out
}

type collaborativeStep struct {
	URL      dowse.URL
	Priority float64 `json:"priority_at_pick"`
	Parts    struct {
		B          float64  `json:"ln_IB"`
		SF         float64  `json:"ln_ISF"`
		TL         float64  `json:"ln_ITL"`
		L          *float64 `json:"ln_IL"`
		Users      []string `json:"users_used"`
		Signatures []string `json:"signatures_used"`
		Near       bool     `json:"in_TL"`
	} `json:"parts_at_pick"`
	K          savedUsage
	Near       []dowse.URL           `json:"temporal_locality"`
	Candidates map[dowse.URL]float64 `json:"candidates_after"`
}

type savedUsage struct {
	N          float64
	On         float64 `json:"n"`
	Users      map[string]input.Tally
	Signatures map[string]input.Tally
	TL         struct{ In, Out input.Tally }
}

// UnmarshalJSON keeps N and n apart, which encoding/json takes for the same.
func (k *savedUsage) UnmarshalJSON(b []byte) error {
	return unmarshalExactly(b, map[string]any{"N": &k.N, "n": &k.On, "users": &k.Users, "signatures": &k.Signatures, "tl": &k.TL})
}

func (k *savedUsage) learnt(t testing.TB) *input.UsageLearnt {
	return &input.UsageLearnt{
		Pages: input.Tally{k.N, k.On}, Users: keyed(t, k.Users), Signatures: k.Signatures, Near: k.TL.In, Far: k.TL.Out,
	}
}

func TestGoldenCollaborative(t *testing.T) {
	for _, g := range vectors(t, "collaborative") {
		switch g.Name {
		case "collaborative", "combined_linkage_user", "collaborative_low_threshold":
			t.Run(g.Name, func(t *testing.T) { goldenCollaborative(t, g) })
		case "reuse":
			t.Run(g.Name, func(t *testing.T) { goldenReuse(t, g) })
		case "online_mall_example":
			in := decode[struct {
				P    float64 `json:"P_U"`
				User float64 `json:"P_U_given_user"`
			}](t, g.Input)
			want := decode[struct {
				R float64 `json:"interest_ratio"`
			}](t, g.Expected)
			equal(t, g.Name, math.Exp(interest.LnRatio(rough, input.Tally{1e6, 1e6 * in.P}, input.Tally{100, 100 * in.User})), want.R)
		case "temporal_region":
			goldenRegion(t, g)
		default:
			t.Errorf("case %s is not tested", g.Name)
		}
	}
}

func goldenRegion(t *testing.T, g goldenCase) {
	in := decode[struct {
		Sequence []dowse.URL
		Page     dowse.URL
		N        []int
	}](t, g.Input)
	want := decode[map[string][]dowse.URL](t, g.Expected)
	var visits []visit
	for _, u := range in.Sequence {
		visits = append(visits, visit{User: "u", URL: u})
	}
	l := traceOf(t, visits)
	page, _ := l.Page(in.Page)
	for _, n := range in.N {
		var got []dowse.URL
		for _, p := range l.Around(nil, page, 10, n) {
			got = append(got, l.URL(p))
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want[strconv.Itoa(n)]) {
			t.Errorf("%d around %s: %v, want %v", n, in.Page, got, want[strconv.Itoa(n)])
		}
	}
}

func goldenCollaborative(t *testing.T, g goldenCase) {
	in := decode[struct {
		Web   map[dowse.URL]learningPage
		Trace []visit
		Seeds []dowse.URL
	}](t, g.Input)
	want := decode[struct{ Log []collaborativeStep }](t, g.Expected).Log
	ratios := interest.Ratios{Exact: true, T: g.Params["t"].(float64)}
	usage := interest.Usage{Near: int(g.Params["n_temporal_each_side"].(float64)), Trace: traceOf(t, in.Trace)}
	var s dowse.Strategy = &interest.Collaborative{Ratios: ratios, Usage: usage, Reading: literal()}
	if g.Name == "combined_linkage_user" {
		s = &interest.Combined{Ratios: ratios, Usage: usage, Linkage: interest.Linkage{MinLinks: -1}, Reading: literal()}
	}
	c := newCrawl(t, s, 0, in.Seeds)
	n := 0
	steps(c, learningWeb(in.Web), func(v crawl.Visit) {
		if n >= len(want) || v.URL != want[n].URL {
			t.Fatalf("step %d: %s, want %s", n, v.URL, want[min(n, len(want)-1)].URL)
		}
		equal(t, fmt.Sprint(n, ": priority"), v.Lead.Priority, want[n].Priority)
		sameHabits(t, n, interest.CaseOf(s, v.URL), &want[n])
	}, func(crawl.Visit) {
		w := &want[n]
		sameUsage(t, fmt.Sprint(n), s.(input.Learner).Learnt("").Usage, w.K.learnt(t))
		if got := interest.NearPages(s); !slices.Equal(got, w.Near) {
			t.Errorf("step %d: near are %v, want %v", n, got, w.Near)
		}
		sameQueue(t, c, fmt.Sprint(n), w.Candidates)
		n++
	})
	if n != len(want) {
		t.Errorf("%d pages, want %d", n, len(want))
	}
}

func sameHabits(t *testing.T, n int, got interest.Case, w *collaborativeStep) {
	t.Helper()
	for i, want := range []float64{w.Parts.B, w.Parts.SF, w.Parts.TL} {
		equal(t, fmt.Sprintf("%d: habit %d", n, i), got.Habits[i], want)
	}
	if w.Parts.L != nil {
		f := got.Factors
		equal(t, fmt.Sprint(n, ": links"), f[0]+f[1]+f[2]+f[3], *w.Parts.L)
	}
	var users []string
	for _, u := range w.Parts.Users {
		users = append(users, keyOf(t, u))
	}
	if !slices.Equal(got.Users, users) || !slices.Equal(got.Signatures, w.Parts.Signatures) || got.Near != w.Parts.Near {
		t.Errorf("step %d: %+v, want %+v", n, got, w.Parts)
	}
}

func sameUsage(t *testing.T, step string, got, want *input.UsageLearnt) {
	t.Helper()
	if got.Pages != want.Pages || got.Near != want.Near || got.Far != want.Far {
		t.Errorf("%s: %v near %v far %v, want %v near %v far %v", step, got.Pages, got.Near, got.Far, want.Pages, want.Near, want.Far)
	}
	sameTallies(t, step+": users", got.Users, want.Users)
	sameTallies(t, step+": signatures", got.Signatures, want.Signatures)
}

func goldenReuse(t *testing.T, g goldenCase) {
	in := decode[struct {
		K     savedUsage `json:"saved_K"`
		Trace []visit    `json:"trace2"`
		Seeds []dowse.URL
	}](t, g.Input)
	want := decode[struct {
		Cold     []dowse.URL           `json:"cold_order"`
		Warm     []dowse.URL           `json:"warm_order"`
		ColdLift []float64             `json:"cold_lift"`
		WarmLift []float64             `json:"warm_lift"`
		Picked   []float64             `json:"warm_priorities_at_pick"`
		Initial  map[dowse.URL]float64 `json:"initial_priorities"`
		T        map[string]float64    `json:"user_T"`
		Ln       map[string]float64    `json:"user_ln_ratio"`
	}](t, g.Expected)
	base := input.Tally{in.K.N, in.K.On}
	for u, c := range in.K.Users {
		equal(t, u, interest.Deviations(interest.Ratios{}, base, in.K.N, c), want.T[u])
		equal(t, u, interest.LnRatio(interest.Ratios{}, base, c), want.Ln[u])
	}
	web := learningWeb(decode[struct {
		Web map[dowse.URL]learningPage
	}](t, vectors(t, "collaborative")[0].Input).Web)
	fresh := func() *interest.Collaborative {
		return &interest.Collaborative{Ratios: interest.Ratios{Exact: true}, Usage: interest.Usage{Near: 1, Trace: traceOf(t, in.Trace)}, Reading: literal()}
	}
	run := func(s *interest.Collaborative, initial map[dowse.URL]float64, order []dowse.URL, lift, picked []float64) {
		c := newCrawl(t, s, 0, in.Seeds)
		if initial != nil {
			sameQueue(t, c, "at first", initial)
		}
		n, on := 0, 0.0
		steps(c, web, func(v crawl.Visit) {
			if n >= len(order) || v.URL != order[n] {
				t.Fatalf("step %d: %s, want %v", n, v.URL, order)
			}
			if picked != nil {
				equal(t, "priority of "+string(v.URL), v.Lead.Priority, picked[n])
			}
			on += web[v.URL].Relevance
			equal(t, "lift", on/float64(n+1), lift[n])
			n++
		}, func(crawl.Visit) {})
		if n != len(order) {
			t.Errorf("%d pages, want %d", n, len(order))
		}
	}
	run(fresh(), nil, want.Cold, want.ColdLift, nil)
	warm := fresh()
	if err := warm.LearnFrom(&input.Learnt{Predicate: "malls", Usage: in.K.learnt(t)}, "malls"); err != nil {
		t.Fatal(err)
	}
	run(warm, want.Initial, want.Warm, want.WarmLift, want.Picked)
}
