package judge

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"dowse"
)

// labelPage returns a page with a text, and its label.
func labelPage(text string, relevant bool) Example {
	return Example{Page: &dowse.Page{Document: dowse.Document{Text: text, Words: dowse.Words(text)}}, Relevant: relevant}
}

// harbours trains a judge on pages about harbours against pages about bread.
func harbours(t *testing.T) *Online {
	t.Helper()
	var list []Example
	for i := range 8 {
		list = append(list, labelPage(fmt.Sprintf("harbour quay ships cargo crane tide berth number%d", i), true))
		list = append(list, labelPage(fmt.Sprintf("bread flour oven dough crust bakery yeast number%d", i+20), false))
	}
	m, err := Logistic{}.Train(list)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*Online)
}

func oddsOf(j *Online, e Example) float64 {
	r := j.Judge(e.Page).Relevance
	return math.Log(r) - math.Log1p(-r)
}

// Without labels nothing changes, and the judge that is corrected never does.
func TestCorrectedWithoutLabels(t *testing.T) {
	j := harbours(t)
	before, err := Save(j)
	if err != nil {
		t.Fatal(err)
	}
	same, trial := j.Corrected(nil, nil, nil)
	after, err := Save(same)
	if err != nil || !bytes.Equal(before, after) || len(trial.Unseen) != 0 {
		t.Errorf("a correction by nothing changed the judge (%v), and left out %v", err, trial.Unseen)
	}
	j.Corrected([]Example{labelPage("harbour museum tickets opening hours", false)}, []float64{0}, nil)
	if still, _ := Save(j); !bytes.Equal(before, still) {
		t.Error("the judge that was corrected has changed itself")
	}
}

// A label changes its own page most, a page that shares words with it less, and a page that
// shares none by next to nothing.
func TestCorrectedChangesWhatIsAlike(t *testing.T) {
	j := harbours(t)
	label := labelPage("harbour ships cargo crane crane crane", false)
	fixed, _ := j.Corrected([]Example{label}, []float64{0}, nil)
	alike, unlike := labelPage("crane berth tide number3", false), labelPage("oven yeast dough number22", false)
	own, near, far := oddsOf(j, label)-oddsOf(fixed, label), oddsOf(j, alike)-oddsOf(fixed, alike), oddsOf(j, unlike)-oddsOf(fixed, unlike)
	if !(own > near && near > far && far >= 0) {
		t.Errorf("log-odds fell by %.3f for the labelled page, %.3f for one like it, %.3f for one unlike it", own, near, far)
	}
	if own < 0.5 || far > 0.25 {
		t.Errorf("log-odds fell by %.3f for the labelled page and %.3f for one unlike it", own, far)
	}
}

// Ten labels of pages about which the judge was unsure, most of them off topic or most of
// them on topic, say nothing about pages that are not like them.
func TestCorrectedKeepsTheBaseRate(t *testing.T) {
	j := harbours(t)
	other := labelPage("volcano lava ash crater eruption", false)
	for _, relevant := range []bool{true, false} {
		var labels []Example
		for i := range 10 {
			labels = append(labels, labelPage(fmt.Sprintf("harbour bread quay oven ships flour number%d", i), relevant))
		}
		fixed, _ := j.Corrected(labels, make([]float64, 10), nil)
		moved := oddsOf(fixed, other) - oddsOf(j, other)
		if math.Abs(moved) > 1 {
			t.Errorf("ten labels %v move a page that is like none of them by %.2f", relevant, moved)
		}
		if on := fixed.Judge(labels[0].Page).Relevance > 0.5; on != relevant {
			t.Errorf("a labelled page is called relevant: %v, labelled %v", on, relevant)
		}
	}
}

// More labels of the same kind leave less doubt.
func TestCorrectedLearnsMoreFromMore(t *testing.T) {
	j := harbours(t)
	test := labelPage("harbour museum tickets exhibition", false)
	last := oddsOf(j, test)
	for n := 1; n <= 16; n *= 4 {
		var labels []Example
		for i := range n {
			labels = append(labels, labelPage(fmt.Sprintf("harbour museum tickets ships number%d", i), false))
		}
		fixed, _ := j.Corrected(labels, make([]float64, n), nil)
		if now := oddsOf(fixed, test); now >= last {
			t.Errorf("%d labels: log-odds %.3f, and %.3f with fewer", n, now, last)
		} else {
			last = now
		}
	}
}

// The log-odds that are returned come from judges that did not see the label: for a single
// label that is the judge before, and wrong labels are not predicted by themselves.
func TestCorrectedLeavesOut(t *testing.T) {
	j := harbours(t)
	label := labelPage("harbour ships cargo", false)
	_, trial := j.Corrected([]Example{label}, []float64{0.75}, nil)
	unseen := trial.Unseen
	if want := oddsOf(j, label) + 0.75; math.Abs(unseen[0]-want) > 1e-9 || math.Abs(trial.Before[0]-want) > 1e-9 {
		t.Errorf("a single label left out has log-odds %.4f, want %.4f", unseen[0], want)
	}
	labels := []Example{label}
	for i := range 12 {
		labels = append(labels, labelPage(fmt.Sprintf("harbour ships cargo number%d", i), true))
	}
	fixed, trial := j.Corrected(labels, make([]float64, len(labels)), nil)
	unseen = trial.Unseen
	if seen := oddsOf(fixed, label); unseen[0] <= seen {
		t.Errorf("the only label off topic: log-odds %.3f without it, %.3f with it", unseen[0], seen)
	}
}

// A judge that knows nothing learns from labels alone. Pages without a label show it which
// words are common: without them a word of every page counts like a rare one.
func TestCorrectedFromNothing(t *testing.T) {
	m, err := Logistic{}.Train(nil)
	if err != nil {
		t.Fatal(err)
	}
	labels := []Example{labelPage("page menu harbour", true), labelPage("page menu quay", true), labelPage("page menu bread", false)}
	var others []Example
	for i := range 30 {
		others = append(others, labelPage(fmt.Sprintf("page menu subject%d", i), false))
	}
	alone, _ := m.(*Online).Corrected(labels, make([]float64, 3), nil)
	among, _ := m.(*Online).Corrected(labels, make([]float64, 3), others)
	if among.Judge(labels[0].Page).Relevance <= 0.5 || among.Judge(labels[2].Page).Relevance >= 0.5 {
		t.Error("labelled pages are on the wrong side")
	}
	empty := labelPage("page menu", false)
	if a, b := math.Abs(oddsOf(alone, empty)), math.Abs(oddsOf(among, empty)); b >= a {
		t.Errorf("words of all pages count for %.3f where it is known that they are common, %.3f otherwise", b, a)
	}
}

// A judge whose weights say nothing is corrected by labels alone.
func TestCorrectedWithoutSlope(t *testing.T) {
	j := harbours(t).copy()
	j.state.slope, j.state.shift = 0, -1
	label := labelPage("bread flour oven", true)
	fixed, _ := j.Corrected([]Example{label}, []float64{0}, nil)
	if now := oddsOf(fixed, label); now <= -1 {
		t.Errorf("log-odds %.3f after a label on topic, and -1 before", now)
	}
	unlike := labelPage("harbour quay crane", true)
	if now := oddsOf(fixed, unlike); math.Abs(now+1) > 0.3 {
		t.Errorf("log-odds of a page unlike the labelled one: %.3f, want about -1", now)
	}
}

// A corrected judge is saved and loaded like any other, and gives the same verdicts.
func TestCorrectedIsSaved(t *testing.T) {
	fixed, _ := harbours(t).Corrected([]Example{labelPage("harbour museum", false), labelPage("ferry timetable quay", true)}, []float64{0.2, -0.3}, nil)
	data, err := Save(fixed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"harbour museum quay", "bread oven", "ferry timetable", ""} {
		p := labelPage(text, false).Page
		if a, b := fixed.Judge(p), again.Judge(p); a.Relevance != b.Relevance {
			t.Errorf("%q: %v, and %v when it is loaded", text, a.Relevance, b.Relevance)
		}
	}
}

// A label that contradicts what the judge is sure of counts for less than one about which it is
// in doubt, since it is more often wrong.
func TestCorrectedDoubtsContradictions(t *testing.T) {
	j := harbours(t)
	label := labelPage("harbour quay ships cargo crane tide berth", false)
	moved := func(rest float64) float64 {
		fixed, _ := j.Corrected([]Example{label}, []float64{rest}, nil)
		return oddsOf(j, label) - oddsOf(fixed, label)
	}
	at := oddsOf(j, label)
	if doubt, sure := moved(-at), moved(6-at); !(sure > 0 && 4*sure < doubt) {
		t.Errorf("a label off topic takes %.3f from even odds, and %.3f from 6 to 1", doubt, sure)
	}
}

// What all pages have in common is not moved by labels.
func TestCorrectedLeavesWhatIsCommon(t *testing.T) {
	j := harbours(t)
	var others, labels []Example
	for i := range 30 {
		others = append(others, labelPage(fmt.Sprintf("bread harbour number%d", i), false))
	}
	for i := range 5 {
		labels = append(labels, labelPage(fmt.Sprintf("bread harbour oven number%d", i), false))
	}
	common := labelPage("bread harbour", false)
	moved := func(others []Example) float64 {
		fixed, _ := j.Corrected(labels, make([]float64, len(labels)), others)
		return math.Abs(oddsOf(j, common) - oddsOf(fixed, common))
	}
	if with, without := moved(others), moved(nil); !(with < without/2) {
		t.Errorf("labels move words that all pages have by %.3f, and by %.3f if that is not known", with, without)
	}
}

// multiplier solves its equation for margins of any size.
func TestMultiplier(t *testing.T) {
	for _, margin := range []float64{-30, -3, -0.1, 0, 0.1, 3, 30} {
		for _, q := range []float64{0.05, 1, 1.05} {
			a := multiplier(margin, q)
			if want := labelTrust * pull(margin+q*a); math.Abs(a-want) > 1e-9 {
				t.Errorf("margin %g, q %g: %g, want %g", margin, q, a, want)
			}
		}
	}
}
