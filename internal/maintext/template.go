package maintext

import (
	"cmp"
	"maps"
	"slices"

	"dowse/internal/repeats"
)

// The bounds of what is learnt of a host.
const (
	// SamplePages is how many pages of a host a Learner needs at most; more
	// of them do not change which blocks repeat.
	SamplePages = repeats.SamplePages
	// MinPages is how many pages of a host it needs at least.
	MinPages = repeats.MinPages

	maxSampled  = 2000 // blocks of one page that are counted
	maxTemplate = 1000 // blocks of a template
)

// A Template is the set of blocks that the pages of a host repeat. The nil
// Template is empty. It does not change and may be used by many goroutines.
type Template struct{ hashes []uint64 } // sorted

// has reports whether a block belongs to the template.
func (t *Template) has(hash uint64) bool {
	if t == nil {
		return false
	}
	_, found := slices.BinarySearch(t.hashes, hash)
	return found
}

// Len returns the number of blocks.
func (t *Template) Len() int {
	if t == nil {
		return 0
	}
	return len(t.hashes)
}

// A Learner finds the blocks that pages of one host repeat. The zero value is
// ready. Its memory is bounded by SamplePages pages of 2,000 blocks; a Template
// has at most 1,000.
type Learner struct {
	pages int
	count map[uint64]int
}

// Add counts the blocks of a page, each once. Pages beyond SamplePages are
// ignored.
func (l *Learner) Add(p *Page) {
	if l.pages == SamplePages {
		return
	}
	if l.count == nil {
		l.count = map[uint64]int{}
	}
	l.pages++
	seen := make(map[uint64]bool, min(len(p.blocks), maxSampled))
	for i := range p.blocks {
		if i == maxSampled {
			break
		}
		if h := p.blocks[i].hash; !seen[h] {
			seen[h] = true
			l.count[h]++
		}
	}
}

// Template returns the blocks that at least three pages, and three tenths of
// all, have. It is nil if too few pages were added, or none repeats.
func (l *Learner) Template() *Template {
	least := repeats.Least(l.pages)
	if least == 0 {
		return nil
	}
	maps.DeleteFunc(l.count, func(_ uint64, n int) bool { return n < least })
	if len(l.count) == 0 {
		return nil
	}
	list := slices.SortedFunc(maps.Keys(l.count), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(l.count[b], l.count[a]), cmp.Compare(a, b))
	})
	list = slices.Clone(list[:min(len(list), maxTemplate)])
	slices.Sort(list)
	return &Template{list}
}

// Has reports whether a line of text is a block of the template.
func (t *Template) Has(line string) bool {
	return t.has(repeats.Hash(line)) || t.has(repeats.ExactHash(line)) || t.has(headingHash(line))
}
