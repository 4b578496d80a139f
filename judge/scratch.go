package judge

import "dowse"

// wordPlace is where on a page a sign was found. Title and meta count double.
type wordPlace uint8

const (
	inBody wordPlace = iota
	inMeta
	inTitle
	places
)

// counts tells how often a sign was found, by place.
type counts [places]int32

// upTo returns the weighted count of the places up to the last.
func (c *counts) upTo(last wordPlace) float64 {
	tf := float64(c[inBody])
	for p := inMeta; p <= last; p++ {
		tf += 2 * float64(c[p])
	}
	return tf
}

// scratch is the working memory of one reading. Between readings all counts are
// zero.
type scratch struct {
	spans   []dowse.Span
	hits    []hit
	read    int // words of the text that was read last
	finds   []find
	counts  []counts  // by sign
	weights []float64 // by sign
	touched []int32   // signs with a count
}

func newScratch(signs int) *scratch {
	return &scratch{counts: make([]counts, signs), weights: make([]float64, signs)}
}

func (s *scratch) count(sign int32, p wordPlace) {
	if s.counts[sign] == (counts{}) {
		s.touched = append(s.touched, sign)
	}
	s.counts[sign][p]++
}

func (s *scratch) clear() {
	for _, i := range s.touched {
		s.counts[i] = counts{}
	}
	s.touched = s.touched[:0]
}
