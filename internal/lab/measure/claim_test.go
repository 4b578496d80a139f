package measure

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// tenTopics makes crawls of 20 pages on ten topics; the harvest of each strategy is
// the number given, with a little noise from topic to topic.
func tenTopics(relevant map[string]int, names ...string) *Runs {
	r := &Runs{}
	for topic := range 10 {
		for i, name := range names {
			n := relevant[name] + (topic*(i+3))%2
			trail := walk(name, fmt.Sprint("topic ", topic), strings.Repeat("r", n)+strings.Repeat(".", 20-n))
			trail.Targets = 20
			r.Trails = append(r.Trails, trail)
		}
	}
	return r
}

func TestClaims(t *testing.T) {
	names := []string{"otie", "opic", "breadth-first", "otie:a=1.5,d=3", "oracle"}
	runs := tenTopics(map[string]int{"otie": 10, "opic": 6, "breadth-first": 6, "otie:a=1.5,d=3": 12, "oracle": 18}, names...)
	for _, c := range []struct {
		claim string
		want  Outcome
	}{
		{"otie.harvest@end > opic.harvest@end, p < .05", Holds},
		{"otie.harvest@end > opic.harvest@end, p(t) < .05", Holds},
		{"opic.harvest@end > otie.harvest@end, p < .05", HoldsNot},
		{"opic.harvest < otie.harvest", Holds},
		{"otie.harvest < opic.harvest", HoldsNot},
		{"otie.harvest > otie.harvest", HoldsNot},
		{"otie.harvest >= otie.harvest", Holds},
		{"opic.harvest >= otie.harvest", HoldsNot},
		{"opic.harvest >= otie.harvest, within .5", Holds},
		{"otie.harvest <= opic.harvest, within .5", Holds},
		{"opic.harvest ~ breadth-first.harvest", Holds},
		{"opic.harvest ~ otie.harvest", HoldsNot},
		{"opic.harvest ~ otie.harvest, within .5", Holds},
		{"opic.harvest ~ otie.harvest, within .01", HoldsNot},
		{"otie:a=1.5,d=3.harvest@end > otie.harvest@end > opic.harvest@end", Holds},
		{`"otie:a=1.5,d=3".harvest > others.harvest, p < .05`, Holds},
		{"otie.harvest > others.harvest", HoldsNot},
		{"otie.harvest@end > 0.4", Holds},
		{"0.9 > otie.harvest@end", Holds},
		{"otie.harvest > 2 * opic.harvest", HoldsNot},
		{"otie.harvest > 1.2 * opic.harvest", Holds},
		{"absent.harvest > otie.harvest", Undecided},
		{"otie.recall >= opic.recall, throughout", Holds},
		{"otie.recall > opic.recall, throughout", HoldsNot}, // they begin alike
		{"opic.recall crosses otie.recall", HoldsNot},
		{"opic.recall_listed crosses otie.recall_listed", Undecided}, // no page is listed
		{"oracle.harvest > otie.harvest, p<0.01", Holds},
	} {
		claim, err := ParseClaim(c.claim)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		v, err := claim.Check(runs, Tests{})
		if err != nil || v.Outcome != c.want {
			t.Errorf("%v, want %s (%v)", v, c.want, err)
		}
	}
}

// TestClaimsWithoutValues: a claim by a measure that has no value on any topic says so, and
// does not suggest that the strategies were run on different topics.
func TestClaimsWithoutValues(t *testing.T) {
	runs := tenTopics(map[string]int{"otie": 10, "opic": 6}, "otie", "opic")
	for _, claim := range []string{
		"opic.recall_listed@100% > otie.recall_listed@100%, p(t) < .05",
		"opic.recall_listed@100% ~ otie.recall_listed@100%, within .05",
		"opic.recall_listed@100% > otie.recall_listed@100% > opic.recall_listed@100%",
		"opic.recall_listed crosses otie.recall_listed",
	} {
		c, err := ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.Check(runs, Tests{})
		if err != nil || v.Outcome != Undecided || len(v.Figures) != 1 || !strings.Contains(v.Figures[0], "has no value on any topic of this run") {
			t.Errorf("%s: %v (%v), want that the measure has no value", claim, v, err)
		}
	}
}

// TestOneTopicOfSeveral: a difference on the only topic with values decides nothing.
func TestOneTopicOfSeveral(t *testing.T) {
	runs := tenTopics(map[string]int{"a": 10, "b": 6}, "a", "b")
	for i := range runs.Trails {
		if runs.Trails[i].Topic == runs.Trails[0].Topic {
			runs.Trails[i].Listed = 3
		}
	}
	for _, claim := range []string{"a.recall_listed > b.recall_listed", "a.recall_listed >= b.recall_listed, within .1", "a.recall_listed ~ b.recall_listed, within .1", "a.recall_listed > b.recall_listed, p < .05"} {
		c, err := ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := c.Check(runs, Tests{}); err != nil || v.Outcome != Undecided || !strings.Contains(v.Figures[0], "n=1: a single topic has values") {
			t.Errorf("%v %v, want it undecided", v, err)
		}
	}
}

// TestFiguresOfAClaim: p is in the direction of the claim, and a difference on which
// an outcome rests does not look like none.
func TestFiguresOfAClaim(t *testing.T) {
	runs := tenTopics(map[string]int{"a": 10, "b": 6}, "a", "b")
	for claim, want := range map[string]string{
		"a.harvest > b.harvest": "p<0.001", "b.harvest > a.harvest": "p=1.000", "b.harvest < a.harvest": "p<0.001", "a.harvest ~ b.harvest": "p=0.002",
	} {
		c, err := ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := c.Check(runs, Tests{}); err != nil || !strings.HasSuffix(v.Figures[0], want) {
			t.Errorf("%v %v, want %s", v, err, want)
		}
	}
	number, err := ParseClaim("8 > a.harvest")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := number.Check(runs, Tests{}); err != nil || !strings.HasPrefix(v.Figures[0], "8, a.harvest") {
		t.Errorf("%v %v, want the number once", v, err)
	}
	for v, want := range map[float64]string{0: "0.000", 0.0005: "0.001", 0.00023: "0.0002", -0.00004: "−0.00004", 1e-12: "0.000", 0.25: "0.250"} {
		if got := fine(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

// TestFewTopicsDecideNothing: under five topics there is no p-value.
func TestFewTopicsDecideNothing(t *testing.T) {
	runs := tenTopics(map[string]int{"a": 10, "b": 5}, "a", "b")
	few := &Runs{Trails: runs.Trails[:8]} // four topics
	for claim, want := range map[string]Outcome{
		"a.harvest > b.harvest, p < .05": Undecided, "a.harvest ~ b.harvest": Undecided, "a.harvest > b.harvest": Holds,
	} {
		c, err := ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.Check(few, Tests{})
		if err != nil || v.Outcome != want {
			t.Errorf("%v %v, want %s", v, err, want)
		}
	}
}

func TestNoiseIsUndecided(t *testing.T) {
	r := &Runs{}
	for topic := range 8 {
		a := walk("a", fmt.Sprint(topic), strings.Repeat("r", 5+topic)+strings.Repeat(".", 15-topic))
		b := walk("b", fmt.Sprint(topic), strings.Repeat("r", 12-topic)+strings.Repeat(".", 8+topic))
		r.Trails = append(r.Trails, a, b)
	}
	c, _ := ParseClaim("a.harvest > b.harvest")
	if v, err := c.Check(r, Tests{}); err != nil || v.Outcome != Undecided {
		t.Errorf("%v %v", v, err)
	}
}

func TestCrossing(t *testing.T) {
	r := &Runs{}
	for topic := range 5 {
		r.Trails = append(r.Trails,
			walk("early", fmt.Sprint(topic), strings.Repeat("r", 20)+strings.Repeat(".", 80)),
			walk("late", fmt.Sprint(topic), strings.Repeat(".", 20)+strings.Repeat("r", 80)))
	}
	for claim, want := range map[string]Outcome{
		"late.harvest crosses early.harvest":              Holds,
		"late.harvest crosses early.harvest, at 30%..50%": Holds, // at page 41
		"late.harvest crosses early.harvest, at 35..41":   Holds,
		"late.harvest crosses early.harvest, at 1%..20%":  HoldsNot,
		"early.harvest crosses late.harvest":              HoldsNot,
	} {
		c, err := ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := c.Check(r, Tests{}); err != nil || v.Outcome != want {
			t.Errorf("%v %v, want %s", v, err, want)
		}
	}
}

func TestParseClaimRefuses(t *testing.T) {
	for _, text := range []string{
		"", "otie", "otie.harvest", "1 > 2", "otie.harvest >", "> otie.harvest", "otie.harvestt > opic.harvest", ".harvest > 1",
		"a.harvest > b.harvest, p < 2", "a.harvest > b.harvest, within .1", "a.harvest > b.harvest, at 1..2", "1 crosses a.harvest",
		"a.pages_to_recall crosses b.pages_to_recall", "a.pages_to_recall > b.pages_to_recall, throughout", `"a.harvest > b.harvest`,
		"others.harvest > a.harvest", "a.harvest > b.harvest, sometimes", "a.harvest crosses b.harvest, at 1%..200%", "1.2.3 * a.harvest > b.harvest",
		strings.Repeat("a", maxClaim) + ".harvest > 1",
	} {
		if c, err := ParseClaim(text); err == nil {
			t.Errorf("ParseClaim(%q) = %+v, want an error", text, c)
		}
	}
}

// TestMistakesHaveTheirPlace: an error in a claim has its column and states
// what to do.
func TestMistakesHaveTheirPlace(t *testing.T) {
	f := Scope{Strategies: []string{"otie", "opic", "otie:a=.85", "größer"}, Pages: 300}
	for _, c := range []struct{ claim, at, problem, fix string }{
		{"otie.recal > 0", "recal >", `unknown measure "recal"`, `"recall"`},
		{"otie.recall > opic.harvset@end", "harvset", `unknown measure "harvset"`, `"harvest"`},
		{"otie:a=.85.recal@10% > 0", "recal@", `unknown measure "recal"`, `"recall"`},
		{`"größer".recal > 0`, "recal >", `unknown measure "recal"`, `"recall"`},
		{"otie.colour > 0", "colour", `unknown measure "colour"`, "docs/measures.md"},
		{"otie.recall@0 > 0", "0 > 0", "not a place", "percentage"},
		{"otie.harvest/5 > 0", "/5", "no window", "leave out"},
		{"otie.pages_to_recall@2 > 0", "2 >", "not a recall", "at most 1"},
		{"otie.recall >", "", "missing", "STRATEGY.MEASURE"},
		{"otie.recall > opic.recall, thruout", "thruout", "not a condition", "throughout"},
		{"otie.recall > 0, p < 7", "p < 7", "between 0 and 1", "p < .05"},
		{"otie > 1", "otie", "neither a number", "otie.recall@end"},
		{"otie.recall", "", "nothing is compared", "A.MEASURE > B.MEASURE"},
		{"2 * otei.recall > otie.recall", "otei", `"otei"`, `"otie"`},
		{"otie.recall > größre.recall", "größre", `"größre"`, `"größer"`},
		{"otie.recall > opic.auc_rel", "auc_rel", "oracle", "auc"},
		{"otie.recall > opic.recall@301", "recall@301", "300 pages", "end"},
		{"otie.pprs > 1", "pprs", "site crawls", "harvest"},
	} {
		claim, err := ParseClaim(c.claim)
		if err == nil {
			err = claim.CheckScope(f)
		}
		var m *Mistake
		if !errors.As(err, &m) {
			t.Errorf("%q: got %v, want a *Mistake", c.claim, err)
			continue
		}
		rest := string([]rune(c.claim)[min(m.Column-1, len([]rune(c.claim))):])
		if !strings.HasPrefix(rest, c.at) || c.at == "" && rest != "" || !strings.Contains(m.Problem, c.problem) || !strings.Contains(m.Fix, c.fix) {
			t.Errorf("%q: got %v\n%s\nwant it at %q, with %q and %q", c.claim, m, m.Marked(), c.at, c.problem, c.fix)
		}
	}
	for _, text := range []string{"otie.recall@300 > 2 * opic.recall", "otie:a=.85.harvest > others.harvest, p < .05"} {
		claim, err := ParseClaim(text)
		if err != nil || claim.CheckScope(f) != nil {
			t.Errorf("%q: %v %v", text, err, claim.CheckScope(f))
		}
	}
}

func TestUnknownStrategies(t *testing.T) {
	runs := tenTopics(map[string]int{"a": 1}, "a")
	c, _ := ParseClaim("a.harvest > b.harvest > others.harvest")
	if got := c.Unknown(runs); len(got) != 1 || got[0] != "b" {
		t.Errorf("unknown: %v", got)
	}
}

func FuzzParseClaim(f *testing.F) {
	f.Add("otie:a=1.5.harvest@50% >= 2 * others.harvest, p(t) < .05")
	f.Add(`"a b".recall crosses b.recall, at 5%..20%`)
	f.Add("a.recall ~ b.recall, within .02, throughout")
	runs := tenTopics(map[string]int{"a": 4, "b": 5}, "a", "b", "oracle")
	runs.Trails = runs.Trails[:18]
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseClaim(text)
		var m *Mistake
		if errors.As(err, &m) {
			if n := utf8.RuneCountInString(m.Text); m.Column < 1 || m.Column > n+1 || m.Problem == "" || m.Fix == "" || strings.Count(m.Marked(), "\n") != 1 {
				t.Fatalf("%q: %+v of %d letters", text, m, n)
			}
			return
		}
		v, err := c.Check(runs, Tests{})
		if err != nil || v.Outcome != Holds && v.Outcome != HoldsNot && v.Outcome != Undecided {
			t.Fatalf("%v %v", v, err)
		}
	})
}

func TestCompareAdjusts(t *testing.T) {
	runs := tenTopics(map[string]int{"a": 12, "b": 9, "c": 9, "oracle": 20}, "a", "b", "c", "oracle")
	list, err := Compare(runs, MustParse("harvest"), Tests{})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d comparisons, %v; want three: the oracle is not tested", len(list), err)
	}
	ab := list[0]
	if ab.A != "a" || ab.B != "b" || ab.N != 10 || !ab.Better(0.05) || ab.Swapped().Better(0.05) || ab.PAdj < ab.P || ab.Effect != 1 {
		t.Errorf("a against b: %+v", ab)
	}
	if bc := list[2]; bc.Better(0.05) || !(bc.Lo <= bc.Diff && bc.Diff <= bc.Hi) {
		t.Errorf("b against c: %+v", bc)
	}
	both, err := Compare(runs, MustParse("harvest"), Tests{Test: StudentTest})
	if err != nil || len(both) != 6 {
		t.Fatalf("%d one-tailed tests, %v; want six", len(both), err)
	}
	lower, err := Compare(runs, MustParse("pages_to_recall@0.5"), Tests{})
	if err != nil || !lower[0].Better(0.05) || lower[2].Better(0.05) {
		t.Errorf("%+v %v", lower[0], err)
	}
	if lower[0].N != 10 || !math.IsInf(lower[0].MeanB, 1) {
		t.Errorf("b never reached half of the targets: %+v", lower[0])
	}
	if _, err := Compare(runs, MustParse("harvest"), Tests{Test: "z"}); err == nil {
		t.Error("there is no test z")
	}
}

// TestDirectionIsOfTheTest: where nine topics are a little better and one far worse, the
// ranks are better though the mean is worse; letters must follow the test.
func TestDirectionIsOfTheTest(t *testing.T) {
	a := []float64{.51, .52, .53, .54, .55, .56, .57, .58, .59, .59, .61, 0}
	b := make([]float64, len(a))
	for i := range b {
		b[i] = .5
	}
	b[11] = 1 // −1 against +.01 … +.11
	a[11] = -1
	tests, err := Tests{}.OrDefault()
	if err != nil {
		t.Fatal(err)
	}
	c := tests.compare(MustParse("harvest"), "a", "b", a, b)
	if c.Diff >= 0 || c.Effect <= 0 || c.P >= 0.05 {
		t.Fatalf("the example is none: %+v", c)
	}
	if !c.Better(0.05) || c.Swapped().Better(0.05) {
		t.Errorf("significant by ranks in favour of a, but a better: %v, b better: %v", c.Better(0.05), c.Swapped().Better(0.05))
	}
	if c.Wins() != 11 || c.Swapped().Wins() != 1 {
		t.Errorf("a wins %d, b %d of %d", c.Wins(), c.Swapped().Wins(), c.N)
	}
	fewer := tests.compare(MustParse("pages_to_recall"), "a", "b", a, b)
	if fewer.Wins() != 1 {
		t.Errorf("less is better, but a wins %d", fewer.Wins())
	}
}
