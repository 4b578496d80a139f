package measure

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"dowse"
	"dowse/internal/golden"
)

type goldenCase struct {
	Name      string
	Params    json.RawMessage
	Input     json.RawMessage
	Expected  json.RawMessage
	Tolerance float64
}

func unpack(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if len(raw) == 0 {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func (c goldenCase) near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= c.Tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// TestGolden computes every case of the golden metrics.
func TestGolden(t *testing.T) {
	var file struct {
		Tolerance float64
		Cases     []goldenCase
	}
	golden.Read(t, "metrics", &file)
	checks := map[string]func(*testing.T, goldenCase){
		"harvest_and_target_recall":  goldenHarvest,
		"mean_se_ttest":              goldenTTest,
		"t_survival":                 goldenSurvival,
		"pprs_and_website_harvest":   goldenSites,
		"precision_recall_f":         goldenF,
		"seed003_table2_consistency": goldenTable,
		"seed000_table2_ratio":       goldenRatio,
		"lift_curve":                 goldenLift,
		"average_relevance":          goldenRelevance,
		"iteration_time":             goldenTime,
	}
	for _, c := range file.Cases {
		if c.Tolerance == 0 {
			c.Tolerance = file.Tolerance
		}
		check, ok := checks[c.Name]
		if !ok {
			t.Errorf("nothing checks the case %s", c.Name)
			continue
		}
		delete(checks, c.Name)
		t.Run(c.Name, func(t *testing.T) { check(t, c) })
	}
	for name := range checks {
		t.Errorf("the case %s is missing", name)
	}
}

func goldenHarvest(t *testing.T, c goldenCase) {
	var in struct {
		Crawl []struct {
			URL      dowse.URL
			Relevant int
		}
		Targets []dowse.URL
	}
	var want struct {
		HarvestRate   []float64             `json:"harvest_rate"`
		TargetRecall  []float64             `json:"target_recall"`
		AtCheckpoints map[string][2]float64 `json:"at_checkpoints"`
	}
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	targets := map[dowse.URL]bool{}
	for _, u := range in.Targets {
		targets[u] = true
	}
	trail := Trail{Targets: len(in.Targets)}
	for _, s := range in.Crawl { // what is relevant and no target can only be a seed
		trail.Steps.Append(Step{URL: s.URL, Relevant: s.Relevant == 1, Seed: !targets[s.URL]})
	}
	runs := &Runs{Trails: []Trail{trail}}
	harvest, recall := MustParse("harvest"), MustParse("recall")
	for i := range want.HarvestRate {
		c.near(t, "harvest", harvest.At(i+1).Of(runs, &trail), want.HarvestRate[i])
		c.near(t, "recall", recall.At(i+1).Of(runs, &trail), want.TargetRecall[i])
	}
	for at, w := range want.AtCheckpoints {
		c.near(t, "harvest@"+at, MustParse("harvest@"+at).Of(runs, &trail), w[0])
		c.near(t, "recall@"+at, MustParse("recall@"+at).Of(runs, &trail), w[1])
	}
}

func goldenTTest(t *testing.T, c goldenCase) {
	var in struct{ Otie, Lcp []float64 }
	type outcome struct {
		Mean float64 `json:"mean_diff"`
		SE   float64
		T    float64
		DF   int
		P    float64 `json:"p_one_tailed"`
	}
	var want struct {
		Otie, Lcp [2]float64
		Up        outcome `json:"otie_gt_lcp"`
		Down      outcome `json:"lcp_gt_otie"`
	}
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	mean, se := MeanSE(in.Otie)
	c.near(t, "mean", mean, want.Otie[0])
	c.near(t, "SE", se, want.Otie[1])
	mean, se = MeanSE(in.Lcp)
	c.near(t, "mean", mean, want.Lcp[0])
	c.near(t, "SE", se, want.Lcp[1])
	check := func(got TTest, want outcome) {
		c.near(t, "difference", got.Diff, want.Mean)
		c.near(t, "SE", got.SE, want.SE)
		c.near(t, "t", got.T, want.T)
		c.near(t, "p", got.P, want.P)
		if got.DF != want.DF {
			t.Errorf("df = %d, want %d", got.DF, want.DF)
		}
	}
	check(PairedT(in.Otie, in.Lcp), want.Up)
	check(PairedT(in.Lcp, in.Otie), want.Down)
}

func goldenSurvival(t *testing.T, c goldenCase) {
	var in struct {
		T  []float64
		DF int
	}
	var want struct{ P []float64 }
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	for i, v := range in.T {
		c.near(t, "p", tSurvival(v, in.DF), want.P[i])
	}
}

func goldenSites(t *testing.T, c goldenCase) {
	var params struct {
		Window int `json:"window_pages"`
	}
	var in struct{ Sites []SiteStep }
	var want struct {
		Cumulative []struct {
			Pages int      `json:"pages_total"`
			PPRS  *float64 `json:"pprs_total"`
		}
		Windowed []struct {
			Pages, Sites, Relevant int
			PPRS                   *float64
			Harvest                float64 `json:"website_harvest_rate"`
		}
	}
	unpack(t, c.Params, &params)
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	for i := range in.Sites {
		in.Sites[i].Verdict = true
	}
	for i := range in.Sites {
		all, lately := siteWindow(in.Sites[:i+1], 0), siteWindow(in.Sites[:i+1], params.Window)
		c.near(t, "pprs", all.PPRS, *want.Cumulative[i].PPRS)
		w := want.Windowed[i]
		if all.Pages != want.Cumulative[i].Pages || lately.Pages != w.Pages || lately.Sites != w.Sites || lately.Relevant != w.Relevant {
			t.Errorf("site %d: %+v, want %+v", i, lately, w)
		}
		c.near(t, "pprs of the window", lately.PPRS, *w.PPRS)
		c.near(t, "website harvest", lately.Harvest, w.Harvest)
	}
	trail := &Trail{Sites: in.Sites}
	runs := &Runs{Trails: []Trail{*trail}}
	last := want.Windowed[len(want.Windowed)-1]
	c.near(t, "pprs/9", MustParse("pprs/9").Of(runs, trail), *last.PPRS)
	c.near(t, "website_harvest/9", MustParse("website_harvest/9").Of(runs, trail), last.Harvest)
	if none := siteWindow([]SiteStep{{Pages: 3}}, 0).PPRS; !math.IsNaN(none) {
		t.Errorf("pprs without a relevant site = %g, want none", none)
	}
}

func goldenF(t *testing.T, c goldenCase) {
	var in struct{ TP, FP, FN int }
	var want struct{ Precision, Recall, F float64 }
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	p, r, f := PrecisionRecall(in.TP, in.FP, in.FN)
	c.near(t, "precision", p, want.Precision)
	c.near(t, "recall", r, want.Recall)
	c.near(t, "F", f, want.F)
}

// goldenTable recomputes the F of the printed precision and recall, as counts of a
// sample large enough to have them.
func goldenTable(t *testing.T, c goldenCase) {
	printed := map[string][4]float64{ // precision and recall, internal and homepage
		"horses": {.84, .97, .49, .88}, "astronomy": {1, .90, .86, .79}, "sailing": {.90, .97, .77, .92},
		"mountain biking": {.81, .97, .76, .83}, "skate boarding": {.76, 1, .74, .89}, "boxing": {.79, .79, .74, .72},
	}
	var want struct {
		Rows []struct {
			Topic    string
			Internal float64 `json:"f_internal_recomputed"`
			Home     float64 `json:"f_home_recomputed"`
			Printed  float64 `json:"f_internal_printed"`
		}
	}
	unpack(t, c.Expected, &want)
	of := func(p, r float64) float64 {
		right := 1e9
		_, _, f := PrecisionRecall(int(right), int(math.Round(right/p-right)), int(math.Round(right/r-right)))
		return f
	}
	for _, row := range want.Rows {
		p, ok := printed[row.Topic]
		if !ok {
			t.Fatalf("no figures for %s", row.Topic)
		}
		fine := goldenCase{Tolerance: 1e-8}
		fine.near(t, row.Topic, of(p[0], p[1]), row.Internal)
		fine.near(t, row.Topic+" home", of(p[2], p[3]), row.Home)
		c.near(t, row.Topic+" printed", of(p[0], p[1]), row.Printed)
	}
}

func goldenRatio(t *testing.T, c goldenCase) {
	var in, want map[string]float64
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	c.near(t, "LCP over OTIE", in["LCP"]/in["OTIE"], want["lcp_over_otie"])
	c.near(t, "LCP over OPIC", in["LCP"]/in["OPIC"], want["lcp_over_opic"])
	c.near(t, "z", (in["LCP"]-in["OTIE"])/math.Hypot(156.13, 102.31), want["z_lcp_vs_otie"])
	runs := timed(map[string]float64{"otie": in["OTIE"], "link-context": in["LCP"]})
	claim, err := ParseClaim("link-context.time > 2.86 * otie.time > 1.9 * otie.time")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := claim.Check(runs, Tests{}); err != nil || v.Outcome != Holds {
		t.Errorf("%v %v", v, err)
	}
}

// timed makes crawls that take so many seconds.
func timed(seconds map[string]float64) *Runs {
	r := &Runs{}
	for name, s := range seconds {
		d := time.Duration(s * float64(time.Second))
		r.Trails = append(r.Trails, Trail{Strategy: name, Topic: "one", Elapsed: d, Steps: StepsOf(Step{URL: "u", At: d})})
	}
	return r
}

func goldenLift(t *testing.T, c goldenCase) {
	var in struct {
		Pred  []int
		Every int
	}
	var want struct {
		Cumulative []float64
		Sampled    [][2]float64
	}
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	trail := &Trail{}
	for _, p := range in.Pred {
		trail.Steps.Append(Step{Relevant: p == 1})
	}
	h := harvest(trail)
	for i, w := range want.Cumulative {
		c.near(t, "cumulative", h(i+1), w)
	}
	if n := len(in.Pred) / in.Every; n != len(want.Sampled) {
		t.Fatalf("%d samples, want %d", n, len(want.Sampled))
	}
	for i, w := range want.Sampled {
		c.near(t, "pages", float64((i+1)*in.Every), w[0])
		c.near(t, "lift", h((i+1)*in.Every), w[1])
	}
}

func goldenRelevance(t *testing.T, c goldenCase) {
	var params struct{ Window int }
	var in struct{ Relevance []float64 }
	var want struct{ Cumulative, Window []float64 }
	unpack(t, c.Params, &params)
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	trail := &Trail{}
	for _, r := range in.Relevance {
		trail.Steps.Append(Step{Judged: r})
	}
	all, lately := relevance(trail, 0), relevance(trail, params.Window)
	for i := range in.Relevance {
		c.near(t, "relevance", all(i+1), want.Cumulative[i])
		c.near(t, "relevance of the window", lately(i+1), want.Window[i])
	}
}

func goldenTime(t *testing.T, c goldenCase) {
	var params struct {
		Workers int
		Fetch   float64 `json:"fetch_s"`
		Delay   float64 `json:"delay_s"`
	}
	var in struct{ Lists map[string][]string }
	var want map[string]float64
	unpack(t, c.Params, &params)
	unpack(t, c.Input, &in)
	unpack(t, c.Expected, &want)
	clock := Clock{
		Workers: params.Workers, Fetch: time.Duration(params.Fetch * float64(time.Second)), Delay: time.Duration(params.Delay * float64(time.Second)),
	}
	for name, list := range in.Lists {
		c.near(t, name, clock.Makespan(list).Seconds(), want[name])
		if got := (Clock{}).Makespan(list); got != clock.Makespan(list) {
			t.Errorf("%s: the default clock gives %v", name, got)
		}
	}
}
