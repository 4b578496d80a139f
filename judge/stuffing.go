package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
)

// Who has something to say does not fill a text with the same few words; who wants to be
// found for them does (Ntoulas et al. 2006). What is natural was measured on 4,584
// articles of an encyclopedia, see docs/judge-words.md.
const (
	fewTerms = 6   // terms of the topic that count here: those that are repeated most
	dense    = 0.2 // share of a text up to which they may fill it
	stuffed  = 0.4 // share at which all they weigh is lost
)

// stuffing tells how far the few words of the topic that are repeated most fill a text.
type stuffing struct {
	count int
	share float64
}

// repeated measures the text that was read last. A short one is not measured: it may
// well consist of the topic's name.
func (l *topicLexicon) repeated(s *scratch) (r stuffing) {
	if s.read < wholePage || float64(len(s.hits)) <= dense*float64(s.read) {
		return r
	}
	counts := map[int32]int{}
	for _, h := range s.hits {
		if l.topical[h.term] {
			counts[h.term]++
		}
	}
	r.count = highest(counts, fewTerms)
	r.share = float64(r.count) / float64(s.read)
	return r
}

// highest returns the sum of the n highest counts.
func highest(counts map[int32]int, n int) (sum int) {
	list := make([]int, 0, len(counts))
	for _, c := range counts {
		list = append(list, c)
	}
	slices.Sort(list)
	for _, c := range list[max(len(list)-n, 0):] {
		sum += c
	}
	return sum
}

// fills begins the reason that tells of a stuffed text.
const fills = "the topic's words fill"

// Stuffed reports whether a reason says that a text is stuffed with the topic's words.
func Stuffed(b dowse.Because) bool { return strings.HasPrefix(b.What, fills) }

// against returns, as a reason, how much of the weight of all signs is lost; ok is false
// for nothing.
func (r stuffing) against(weight float64) (b dowse.Because, ok bool) {
	if r.share <= dense || weight <= 0 {
		return b, false
	}
	lost := min((r.share-dense)/(stuffed-dense), 1)
	what := fmt.Sprintf("%s %d %% of the text", fills, int(math.Round(100*r.share)))
	return dowse.Because{What: what, Weight: -lost * weight, Count: r.count}, true
}
