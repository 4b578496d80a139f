package repeats

import (
	"slices"
	"strings"

	"dowse"
)

// The rule by which a block repeats.
const (
	// SamplePages is how many pages of a host a sample has; more of them do not
	// change which blocks repeat.
	SamplePages = 24
	// MinPages is how many pages must have a block, and so how many a sample needs.
	// Two pages that share a block may be copies of each other.
	MinPages = 3

	share = 0.3 // of the pages of a sample that have a block that repeats
)

// Least returns how many pages of a sample must have a block so that it repeats; 0 if
// the sample has too few pages to say so of any.
func Least(pages int) int {
	if pages < MinPages {
		return 0
	}
	return max(MinPages, int(share*float64(pages)+0.999))
}

// Hash returns a hash of a block by which repetitions are found: FNV-1a of its bytes.
// Runs of digits count as one digit, since dates and counters change from page to
// page.
func Hash(s string) uint64 { return hash(s, false) }

// ExactHash is Hash for blocks that are told apart by their numbers.
func ExactHash(s string) uint64 { return hash(s, true) }

func hash(s string, exact bool) uint64 {
	h := uint64(14695981039346656037)
	digit := false
	for i := range len(s) {
		c := s[i]
		if !exact && '0' <= c && c <= '9' {
			if digit {
				continue
			}
			digit, c = true, '0'
		} else {
			digit = false
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// A Set is the blocks that the pages of a host repeat, by short hashes. The nil Set is
// empty. It does not change and may be used by many goroutines.
type Set struct{ hashes []uint32 } // sorted

// Len returns the number of blocks.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.hashes)
}

// has reports whether the set has a block.
func (s *Set) has(hash uint32) bool {
	_, found := slices.BinarySearch(s.hashes, hash)
	return found
}

// A Known is what a crawl knows of the blocks of a host when a visit to it begins. A
// nil Known leaves a page as it is.
type Known struct {
	Blocks *Set
	Learns bool // the crawl wants to learn from the blocks of the page
}

// maxBlocks is how many blocks of a page are learnt from: the first and the last half
// of them, because what pages repeat is above and below their text.
const maxBlocks = 512

// Apply sets which blocks of a page repeat, and which blocks it has if the crawl
// learns from it.
func (k *Known) Apply(p *dowse.Page) {
	if k == nil {
		return
	}
	p.Repeated, p.Blocks = nil, nil
	var all []uint32
	for start, end := range lines(p.Text) {
		if start == end {
			continue
		}
		h := uint32(Hash(p.Text[start:end]))
		if k.Learns {
			all = append(all, h)
		}
		if k.Blocks != nil && k.Blocks.has(h) {
			p.Repeated = addRun(p.Repeated, p.Text, start, end)
		}
	}
	p.Blocks = distinct(all)
}

// lines yields where the lines of a text begin and end.
func lines(text string) func(yield func(start, end int) bool) {
	return func(yield func(int, int) bool) {
		for start := 0; start < len(text); {
			end := start + strings.IndexByte(text[start:], '\n')
			if end < start {
				end = len(text)
			}
			if !yield(start, end) {
				return
			}
			start = end + 1
		}
	}
}

// addRun appends a line to runs of a text. Lines that follow each other are one run;
// a run has the line breaks between its lines and the one after the last.
func addRun(runs []dowse.Span, text string, start, end int) []dowse.Span {
	end = min(end+1, len(text))
	if n := len(runs); n > 0 && int(runs[n-1].End) == start {
		runs[n-1].End = int32(end)
		return runs
	}
	return append(runs, dowse.Span{Start: int32(start), End: int32(end)})
}

// distinct returns the different hashes of a page, sorted: those of its first and of
// its last blocks.
func distinct(all []uint32) []uint32 {
	if len(all) == 0 {
		return nil
	}
	if len(all) > maxBlocks {
		all = append(all[:maxBlocks/2], all[len(all)-maxBlocks/2:]...)
	}
	slices.Sort(all)
	return slices.Clip(slices.Compact(all))
}
