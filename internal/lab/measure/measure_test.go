package measure

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// walk makes a trail of letters: r a relevant page, s a seed of the topic, t a page
// of the topic that the judge was trained on, l one that a directory lists, . any other page. Capital letters are judged on topic.
func walk(strategy, topic, pages string) Trail {
	t := Trail{Strategy: strategy, Topic: topic, Targets: 4, Reachable: 3, Pages: 40, Relevant: 6, Elapsed: time.Minute}
	for i, c := range pages {
		t.Steps.Append(Step{
			Host: fmt.Sprintf("h%d", i%3), Relevant: strings.ContainsRune("rstlRST", c), Listed: c == 'l', Seed: strings.ContainsRune("sS", c),
			Trained: strings.ContainsRune("tT", c), OnTopic: strings.ContainsRune("RSTX", c), At: time.Duration(i+1) * time.Second, Bytes: 10,
		})
	}
	return t
}

func TestMeasures(t *testing.T) {
	trail := walk("x", "one", "Sr.TX...R.")
	oracle := walk("oracle", "one", "Sr.RRR....")
	short := walk("short", "one", "SR")
	listed := walk("listed", "one", "Sr.l")
	listed.Listed = 2
	short.CPU = 30 * time.Microsecond
	runs := &Runs{Trails: []Trail{trail, oracle, short}, Budget: 10}
	for _, c := range []struct {
		measure string
		trail   *Trail
		want    float64
	}{
		{"harvest", &trail, 0.4}, {"harvest@end", &trail, 0.4}, {"harvest@2", &trail, 1}, {"harvest@50%", &trail, 0.6},
		{"harvest_judged", &trail, 0.4}, {"harvest_judged@2", &trail, 0.5}, {"harvest_judged@10", &short, 0.2},
		{"harvest@end", &short, 1}, {"harvest@10", &short, 0.2},
		{"window_harvest/5", &trail, 0.2}, {"window_harvest/5@4", &trail, 0.75}, {"window_harvest/5@10", &short, 0},
		{"recall", &trail, 0.5}, {"recall@2", &trail, 0.25}, {"recall_reachable", &trail, 2. / 3}, // what it was trained on is no target
		{"recall_listed", &listed, 0.5}, {"recall_listed@2", &listed, 0}, {"recall_listed", &trail, math.NaN()}, {"recall", &listed, 0.5},
		{"recall@20", &short, 0.25},
		{"auc", &trail, (0 + .25 + .25 + .25 + .25 + .25 + .25 + .25 + .5 + .5) / 10},
		{"auc", &short, 0.225}, {"auc@2", &trail, 0.125},
		{"auc_rel", &short, 0.225 / 0.675}, {"auc_rel", &oracle, 1},
		{"pages_to_recall", &trail, 9}, {"pages_to_recall@0.75", &oracle, 5}, {"pages_to_recall@1", &trail, math.Inf(1)},
		{"precision", &trail, 0.75}, {"retrieved", &trail, 0.5}, {"f", &trail, 0.6}, {"judge_recall", &trail, 0.75},
		{"hosts", &trail, 3}, {"hosts_on@2", &trail, 2}, {"hosts_on", &trail, 3},
		{"pages", &short, 2}, {"bytes@3", &trail, 30}, {"time@3", &trail, 3}, {"time", &trail, 60},
		{"list_time/3", &trail, 4}, {"list_time", &trail, 19}, {"hosts_per_list/5", &trail, 3},
		{"cpu_page", &short, 15}, {"cpu_page", &trail, math.NaN()},
		{"sites", &trail, 0}, {"pprs", &trail, math.NaN()}, {"site_f", &trail, math.NaN()},
		{"harvest", &Trail{}, math.NaN()}, {"recall@5", &Trail{}, math.NaN()}, {"relevance@5", &Trail{}, math.NaN()},
	} {
		if got := MustParse(c.measure).Of(runs, c.trail); !close9(got, c.want) {
			t.Errorf("%s of %s = %g, want %g", c.measure, c.trail.Strategy, got, c.want)
		}
	}
}

func TestSiteMeasures(t *testing.T) {
	trail := &Trail{Sites: []SiteStep{
		{"a", true, true, 3, 2}, {"b", false, true, 2, 2}, {"c", true, false, 4, 4}, {"d", true, true, 1, 1}, {"e", false, false, 5, 1},
	}}
	runs := &Runs{}
	for text, want := range map[string]float64{
		"sites": 5, "sites@9": 3, "sites_on": 2, "pprs": 7.5, "pprs/5": math.NaN(), "website_harvest/6": 0.5,
		"site_precision": 2.0 / 3, "site_recall": 2.0 / 3, "site_f": 2.0 / 3, "pprs@5": 5,
		"sites_called": 0.6, "pages_to_judge": 2, "pages_for_links": 1, "pages_per_called": 5, "pages_per_found": 7.5, "sites_by_one": 1.0 / 3,
	} {
		if got := MustParse(text).Of(runs, trail); !close9(got, want) {
			t.Errorf("%s = %g, want %g", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "harvestt", "harvest@", "harvest@0", "harvest@-5", "harvest@1e3", "harvest@0%", "harvest@101%", "harvest@x", "harvest/5",
		"window_harvest/", "window_harvest/0", "pages_to_recall@0", "pages_to_recall@1.1", "pages_to_recall@end", "recall@NaN%", "harvest@end@end",
	} {
		if m, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, k := range Kinds() {
		f.Add(k.Name + "@end")
	}
	f.Add("window_harvest/100@10%")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		trail := walk("x", "one", "sr.tX")
		m.Of(&Runs{Trails: []Trail{trail}}, &trail)
		if again, err := Parse(m.String()); err != nil || again != m {
			t.Fatalf("%q becomes %+v, %v", text, again, err)
		}
	})
}

// TestKindsAreDescribed: help shows each measure, and a reader must know what it is.
func TestKindsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if k.Doc == "" || k.Unit == "" || k.Title == "" || seen[k.Name] {
			t.Errorf("%+v: no unit, no title, no definition, or twice there", k)
		}
		seen[k.Name] = true
	}
}

func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"harvest@end": "harvest rate", "recall@500": "target recall after 500 pages", "auc@10%": "area under target recall after 10 % of the budget",
		"pages_to_recall@0.25": "pages until target recall is 0.25",
	} {
		if got := MustParse(text).Title(); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

func TestRunsByTopic(t *testing.T) {
	r := &Runs{Trails: []Trail{walk("a", "one", "r."), walk("a", "two", ".."), walk("b", "two", "rr"), walk("a", "one", "rr")}}
	r.Trails[3].SeedSet = 1
	r.Trails[2].Label = "B"
	if got := r.ByTopic(MustParse("harvest"), "a"); got[0] != 0.75 || got[1] != 0 {
		t.Errorf("a by topic: %v", got)
	}
	if got := r.ByTopic(MustParse("harvest"), "B"); !math.IsNaN(got[0]) || got[1] != 1 {
		t.Errorf("B by topic: %v", got)
	}
	if got := r.Curves(MustParse("harvest"), "a", []int{1, 2}); len(got) != 2 || got[0][0] != 1 || got[0][1] != 0.75 {
		t.Errorf("curves of a: %v", got)
	}
}

func ExampleMeasure() {
	trail := Trail{Strategy: "link-context", Topic: "tide pools", Targets: 2, Steps: StepsOf([]Step{
		{URL: "http://a.demo/", Relevant: true, Seed: true},
		{URL: "http://a.demo/b", Relevant: true},
		{URL: "http://b.demo/"},
		{URL: "http://b.demo/c"},
	}...)}
	runs := &Runs{Trails: []Trail{trail}}
	for _, m := range []string{"harvest@end", "recall@2"} {
		fmt.Println(m, MustParse(m).Of(runs, &trail))
	}
	// Output:
	// harvest@end 0.5
	// recall@2 0.5
}

// TestTimeByHand: two lists of three pages on two workers. The first has two pages of a,
// which take 2 · 1 s + 5 s, next to one of b: 7 s. The second has three hosts for two workers,
// so one of them fetches two pages: 2 s. Each list is preceded by half a second of ordering.
func TestTimeByHand(t *testing.T) {
	var trail Trail
	clock := Clock{Workers: 2, List: 3, Fetch: time.Second, Delay: 5 * time.Second, Reorder: time.Second / 2}
	hosts := []string{"a", "a", "b", "b", "c", "d"}
	for _, host := range hosts {
		trail.Steps.Append(Step{Host: host})
	}
	for pages, want := range map[int]time.Duration{1: 1500 * time.Millisecond, 2: 7500 * time.Millisecond, 3: 7500 * time.Millisecond, 5: 9 * time.Second, 6: 10 * time.Second} {
		if got := clock.Time(&trail, pages); got != want {
			t.Errorf("%d pages take %v, want %v", pages, got, want)
		}
	}
	if got := clock.HostsPerList(&trail, 6); got != 2.5 {
		t.Errorf("%g hosts to a list, want (2 + 3) / 2", got)
	}
}
