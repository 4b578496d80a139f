package judge

import "dowse"

// A wordPlace is the part of a page in which a sign was found. Title and meta count
// double.
type wordPlace uint8

const (
	inBody wordPlace = iota
	inMeta
	inTitle
	places
)

// counts are the occurrences of one sign, by place.
type counts [places]int32

// upTo returns the weighted count of all places up to last.
func (c *counts) upTo(last wordPlace) float64 {
	tf := float64(c[inBody])
	for p := inMeta; p <= last; p++ {
		tf += 2 * float64(c[p])
	}
	return tf
}

// scratch is the working memory for reading one page, reused through a pool. Between
// pages all counts are zero; clear restores that in time proportional to the signs
// found.
type scratch struct {
	spans   []dowse.Span
	codes   []uint16 // of the words of a text
	hits    []hit
	read    int // number of words of the text read last
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
