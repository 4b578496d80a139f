package interest

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestWeigher compares what is remembered of words with what is computed afresh, while
// pages are counted, shares are updated, and words are dropped for others.
func TestWeigher(t *testing.T) {
	for _, r := range []Ratios{{}, {T: -1}, {Sig: sigSupport, MinSupport: 3}} {
		rng := rand.New(rand.NewPCG(2, 3))
		lex := newLexicon(40)
		var w ratioCache
		lex.addCache(&w, asContent)
		base := ratioCell{}
		var list []word
		for step := range 3000 {
			list = append(list, lex.add("t"+strconv.Itoa(rng.IntN(60))))
			list = list[max(0, len(list)-20):]
			base.count(rng.IntN(3) == 0)
			if step%7 == 0 {
				w.setModel(r.at(base, base.N))
			}
			w.grow()
			w.learn(list[rng.IntN(len(list))], rng.IntN(2) == 0)
			w.begin()
			want, met := 0.0, map[word]bool{}
			for _, id := range list {
				if e := lex.entry(id); e != nil && !met[id] && !w.now.flat {
					met[id] = true
					want += w.now.significant(e.Cells[asContent])
				}
			}
			if got := w.sum(list); got != want {
				t.Fatalf("%+v: step %d: %v, want %v", r, step, got, want)
			}
		}
	}
}
