package maintext

import (
	"cmp"
	"slices"
)

// An item is the place of a block in the lists of a page.
type item struct {
	id      int // of the innermost item of a list that the block is in, from 1; 0 for none
	depth   int // how many lists are around that item
	ordered bool
	number  int // of the item in its list
}

// An openList is a list around the place that is being looked at.
type openList struct {
	region
	next int // number of its next item
}

// An openItem is an item around the place that is being looked at.
type openItem struct {
	end  int
	item item
}

// setItems sets the items of the blocks. starts are the first numbers of lists, by the place where the
// list begins.
func (p *Page) setItems(regions []region, starts map[int]int) {
	around := listRegions(regions)
	var lists []openList
	var items []openItem
	next, ids := 0, 0
	for i := range p.blocks {
		b := &p.blocks[i]
		for ; next < len(around) && around[next].start <= b.start; next++ {
			r := around[next]
			lists = slices.DeleteFunc(lists, func(l openList) bool { return l.end <= r.start })
			items = slices.DeleteFunc(items, func(o openItem) bool { return o.end <= r.start })
			if r.mark != markItem {
				lists = append(lists, openList{r, 1})
				if n, ok := starts[r.start]; ok {
					lists[len(lists)-1].next = n
				}
				continue
			}
			ids++
			x := item{id: ids, depth: len(lists)}
			if n := len(lists); n > 0 {
				l := &lists[n-1]
				x.ordered, x.number = l.mark == markNumbered, l.next
				l.next++
			}
			items = append(items, openItem{r.end, x})
		}
		items = slices.DeleteFunc(items, func(o openItem) bool { return o.end <= b.start })
		lists = slices.DeleteFunc(lists, func(l openList) bool { return l.end <= b.start })
		if n := len(items); n > 0 {
			b.item = items[n-1].item
		}
	}
}

// listRegions returns the lists and items, outer ones before those in them.
func listRegions(regions []region) (list []region) {
	for _, r := range slices.Backward(regions) { // inner ones were reported first
		if r.mark == markItem || r.mark == markList || r.mark == markNumbered {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b region) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	return list
}
