package dowse

// SketchBins is the number of bins of a [Sketch].
const SketchBins = 64

// A Sketch is a small summary of a page's text, by which near-duplicates are found
// without the texts themselves. It is a one-permutation min-hash of the distinct
// shingles (short runs of words) of the text: the hash of a shingle selects one of
// the bins, and each bin keeps 16 bits of the least hash that fell into it. The share
// of bins in which two sketches agree estimates which share of their distinct
// shingles the two texts have in common (the Jaccard coefficient).
//
// A page with too few distinct shingles to be compared has a Sketch without bins. Its Text
// still shows whether a page has exactly the same words as another.
type Sketch struct {
	Text uint64             // hash of all words in order; of a short text, of those without digits; 0 for none
	Bins [SketchBins]uint16 // 0 for an empty bin
}

// IsZero reports whether the page has too little text to be compared with others.
func (s *Sketch) IsZero() bool { return s.Bins == [SketchBins]uint16{} }

// Filled returns the number of bins that are not empty.
func (s *Sketch) Filled() int {
	n := 0
	for _, v := range s.Bins {
		if v != 0 {
			n++
		}
	}
	return n
}
