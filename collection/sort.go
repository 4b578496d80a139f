package collection

import (
	"cmp"
	"container/heap"
	"slices"

	"dowse/crawl"
)

// A ranked is a ref with its sort key. Equal keys are ordered by the first
// sighting of the URL, which no later visit changes.
type ranked struct {
	ref
	key float64
}

// compare orders by falling key, then by first sighting.
func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.id, b.id))
}

// best keeps the first n refs in order, as a heap with the last of them on
// top; n = 0 keeps all. So a list with a limit needs memory for its limit
// only.
type best struct {
	n    int
	list []ranked
}

func (b *best) Len() int           { return len(b.list) }
func (b *best) Less(i, j int) bool { return b.list[i].compare(b.list[j]) > 0 }
func (b *best) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *best) Push(x any)         { b.list = append(b.list, x.(ranked)) }
func (b *best) Pop() any {
	x := b.list[len(b.list)-1]
	b.list = b.list[:len(b.list)-1]
	return x
}

// add keeps r if it is among the first n.
func (b *best) add(r ranked) {
	switch {
	case b.n <= 0:
		b.list = append(b.list, r)
	case len(b.list) < b.n:
		heap.Push(b, r)
	case r.compare(b.list[0]) < 0:
		b.list[0] = r
		heap.Fix(b, 0)
	}
}

// sorted reads the whole list, keeps the offsets of the best rows, and makes
// the rows at the end. If Since applies to URLs that were not fetched, the
// limit can't be applied before their rows are made, and all refs are kept.
func (l *lister) sorted(yield func(*Row, error) bool) error {
	keep := &best{n: l.f.Limit}
	if !l.f.Since.IsZero() && (l.f.Failed || l.f.Skipped != "") {
		keep.n = 0
	}
	err := l.each(func(r ref, e *crawl.Entry) (bool, error) {
		keep.add(ranked{r, l.key(e, r)})
		return true, nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(keep.list, ranked.compare)
	for _, r := range keep.list {
		if more, err := l.hand(r.ref, nil, yield); err != nil || !more {
			return err
		}
	}
	return nil
}
