package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
)

// Keyword stuffing: a text written for readers does not consist of a few repeated
// words, while a text written for search engines often does (Ntoulas et al. 2006). The
// limits of what is natural were measured on 4,584 articles of an encyclopedia, see
// docs/judge-words.md.
const (
	fewTerms = 6   // number of topic terms considered: the most repeated ones
	dense    = 0.2 // share of the text that they may fill without penalty
	stuffed  = 0.4 // share at which the whole weight of the signs is lost
)

// stuffing is how much of a text the most repeated topic words fill: their number, and
// their share of all words.
type stuffing struct {
	count int
	share float64
}

// repeated measures the text that was read last. Texts below wholePage words are not
// measured, since a short one may well consist of the topic's name. The first test
// rejects ordinary pages before anything is counted.
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

// fills is the beginning of the reason for a stuffed text.
const fills = "the topic's words fill"

// Stuffed reports whether a reason is the penalty for a text stuffed with the topic's
// words.
func Stuffed(b dowse.Because) bool { return strings.HasPrefix(b.What, fills) }

// against returns the penalty as a reason. It grows linearly from 0 at the share dense
// to the whole weight of all signs at the share stuffed. ok is false if there is no
// penalty.
func (r stuffing) against(weight float64) (b dowse.Because, ok bool) {
	if r.share <= dense || weight <= 0 {
		return b, false
	}
	lost := min((r.share-dense)/(stuffed-dense), 1)
	what := fmt.Sprintf("%s %d %% of the text", fills, int(math.Round(100*r.share)))
	return dowse.Because{What: what, Weight: -lost * weight, Count: r.count}, true
}
