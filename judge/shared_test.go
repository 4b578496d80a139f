package judge_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/judgetest"
	"dowse/internal/text"
	"dowse/judge"
)

// TestReasonsAreWordsOfThePage checks that trained judges name no word that a page does not have, though
// words share slots: by a judge with few slots nearly all do. The weights add up as before, and a judge
// that has read many other pages names the same words as a new one.
func TestReasonsAreWordsOfThePage(t *testing.T) {
	a := text.NewAnalyzer(text.Options{})
	for _, slots := range []int{1 << 16, 1 << 10, 64} {
		how := judge.Logistic{Slots: slots}
		m, err := how.Train(judgetest.Class(40))
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := how.Train(judgetest.Class(40))
		if err != nil {
			t.Fatal(err)
		}
		shared := 0
		for i := range 60 {
			p := judgetest.Page(uint64(3000+i), 600, i%3 == 0)
			b := strings.Builder{}
			for n := range 300 {
				fmt.Fprintf(&b, "stranger%d 潮間帯%c%c ", 300*i+n, rune(0x4e00+n), rune(0x4e00+7*n))
			}
			p.Text += b.String()
			p.Title, p.Keywords = "Xylograph of reefs", "qwrt kelp"
			p.Words = dowse.Words(p.Text)
			v := m.Judge(p)
			has := a.Terms(p.Text + " " + p.Title + " " + p.Keywords)
			sum := 0.0
			for _, why := range v.Because {
				sum += why.Weight
				if !strings.HasPrefix(why.What, `"`) {
					continue
				}
				terms := strings.Split(why.What, judge.Shared)
				shared += len(terms) - 1
				for _, term := range terms {
					if !slices.Contains(has, strings.Trim(term, `"`)) {
						t.Errorf("%d slots, page %d: %s is a reason (%+.3f), but the page does not have it", slots, i, term, why.Weight)
					}
				}
			}
			if got := 1 / (1 + math.Exp(-sum)); math.Abs(got-v.Relevance) > 1e-9 {
				t.Errorf("%d slots, page %d: the reasons add up to %g, want %g", slots, i, got, v.Relevance)
			}
			if i == 59 {
				if got, want := fmt.Sprint(v), fmt.Sprint(fresh.Judge(p)); got != want {
					t.Errorf("%d slots: after many pages the verdict is %s, of a new judge %s", slots, got, want)
				}
			}
		}
		if slots == 64 && shared == 0 {
			t.Error("64 slots: no reason names several words")
		}
	}
}
