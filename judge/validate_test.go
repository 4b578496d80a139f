package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dowse"
	"dowse/internal/judgetest"
	"dowse/judge"
)

func ExampleMeasure() {
	q := judge.Measure([]judge.Rating{
		{Relevance: 0.9, Relevant: true}, {Relevance: 0.8}, {Relevance: 0.4, Relevant: true}, {Relevance: 0.1},
	}, judge.Threshold)
	fmt.Printf("precision %.2f, recall %.2f, F1 %.2f, average precision %.3f, Brier %.3f\n",
		q.Precision, q.Recall, q.F1, q.AveragePrecision, q.Brier)
	// Output: precision 0.50, recall 0.50, F1 0.50, average precision 0.833, Brier 0.255
}

func TestMeasure(t *testing.T) {
	none := judge.Measure(nil, 0.5)
	if !reflect.DeepEqual(none, judge.Quality{}) {
		t.Errorf("of nothing: %+v", none)
	}
	all := judge.Measure([]judge.Rating{{1, true}, {1, true}, {0, false}}, 0.5)
	if all.F1 != 1 || all.AveragePrecision != 1 || all.Brier != 0 || len(all.Reliability) != 2 {
		t.Errorf("of perfect ratings: %+v", all)
	}
	tied := judge.Measure([]judge.Rating{{0.5, true}, {0.5, false}, {0.5, false}, {0.5, false}}, 0.6)
	if tied.AveragePrecision != 0.25 || tied.Precision != 0 || tied.F1 != 0 {
		t.Errorf("of equal ratings: %+v", tied)
	}
}

func TestReliability(t *testing.T) {
	q := judge.Measure([]judge.Rating{{0.05, false}, {0.71, true}, {0.79, false}, {1, true}}, 0.5)
	want := []judge.Bin{
		{From: 0, To: 0.1, Examples: 1, Relevance: 0.05},
		{From: 0.7, To: 0.8, Examples: 2, Relevance: 0.75, Relevant: 0.5},
		{From: 0.9, To: 1, Examples: 1, Relevance: 1, Relevant: 1},
	}
	if len(q.Reliability) != len(want) {
		t.Fatalf("%+v", q.Reliability)
	}
	for i, b := range q.Reliability {
		if math.Abs(b.Relevance-want[i].Relevance) > 1e-12 {
			t.Errorf("%+v, want %+v", b, want[i])
		}
		b.Relevance = want[i].Relevance
		if b != want[i] {
			t.Errorf("%+v, want %+v", b, want[i])
		}
	}
}

func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	examples := lessons(30, 1)
	examples[3].Relevant = false // a wrong label, which every judge should call wrong
	list, err := judge.Compare(candidates(), examples, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if v.Examples != 30 || v.Relevant != 9 || len(v.Ratings) != 30 {
			t.Errorf("%s: %+v", v.Name, v.Quality)
		}
		if v.Name == "network" || v.Name == "centroid" {
			continue // too few examples for these
		}
		if v.AveragePrecision < 0.75 || !slices.Contains(v.Wrong, 3) {
			t.Errorf("%s: average precision %.3f, wrong %v", v.Name, v.AveragePrecision, v.Wrong)
		}
	}
	again, _ := judge.Compare(candidates(), examples, 5)
	if !reflect.DeepEqual(list, again) {
		t.Error("compared twice, not the same")
	}
}

func TestValidateRefuses(t *testing.T) {
	if _, err := judge.Validate(judge.SVM{}, lessons(30, 1), 1); err == nil {
		t.Error("one fold")
	}
	if _, err := judge.Validate(judge.SVM{}, lessons(3, 1), 2); err == nil {
		t.Error("one example on topic")
	}
	v, err := judge.Validate(judge.SVM{}, lessons(6, 1), 10) // more folds than examples
	if err != nil || v.Examples != 6 {
		t.Errorf("%v, %+v", err, v.Quality)
	}
}

func TestDraw(t *testing.T) {
	all := lessons(300, 1)
	train, rest := judgetest.Draw(all, 20, rand.New(rand.NewPCG(1, 1)))
	on := 0
	for _, e := range train {
		if e.Relevant {
			on++
		}
	}
	if on != 20 || len(train) != 60 || len(rest) != 240 {
		t.Errorf("%d on topic of %d, %d left", on, len(train), len(rest))
	}
	seen := map[*dowse.Page]bool{}
	for _, e := range append(train, rest...) {
		seen[e.Page] = true
	}
	if len(seen) != 300 {
		t.Errorf("%d different ones", len(seen))
	}
	again, _ := judgetest.Draw(all, 20, rand.New(rand.NewPCG(1, 1)))
	if !reflect.DeepEqual(train, again) {
		t.Error("not the same for the same seed")
	}
	if few, none := judgetest.Draw(all[:4], 20, rand.New(rand.NewPCG(1, 1))); len(few) != 4 || none != nil {
		t.Errorf("%d of 4 and %d left", len(few), len(none))
	}
}

// Pages of one site are in one fold where there are sites enough, and the validation
// says whether they were.
func TestFoldsKeepSitesTogether(t *testing.T) {
	for _, test := range []struct {
		name  string
		sites int
		want  bool
	}{{"every example its own", 30, true}, {"ten sites", 10, true}, {"one site", 1, false}} {
		t.Run(test.name, func(t *testing.T) {
			examples := lessons(30, 1)
			for i := range examples {
				examples[i].Site = fmt.Sprintf("site%d", i%test.sites)
			}
			taught := map[string]int{} // of a site: in how many trainings it was
			var trainings int
			c := judge.Candidate{Make: func(list []judge.Example) (dowse.Judge, float64, error) {
				trainings++
				seen := map[string]bool{}
				for _, e := range list {
					seen[e.Site] = true
				}
				for s := range seen {
					taught[s]++
				}
				m, err := judge.Multinomial{}.Train(list)
				return m, 0.5, err
			}}
			list, err := judge.Compare([]judge.Candidate{c}, examples, 5)
			if err != nil {
				t.Fatal(err)
			}
			if list[0].BySite != test.want {
				t.Errorf("by site %v", list[0].BySite)
			}
			for s, n := range taught {
				if test.want && n != trainings-1 {
					t.Errorf("%s was in %d of %d trainings", s, n, trainings)
				}
			}
		})
	}
}

func TestTrades(t *testing.T) {
	got := judge.Trades([]judge.Rating{{Relevance: 0.9, Relevant: true}, {Relevance: 0.8}, {Relevance: 0.4, Relevant: true}, {Relevance: 0.4}, {Relevance: 0.1}})
	want := []judge.Trade{{Threshold: 0.9, Recall: 0.5, Precision: 1}, {Threshold: 0.4, Recall: 1, Precision: 0.5}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := judge.Trades(nil); none != nil {
		t.Errorf("%v of nothing", none)
	}
}
