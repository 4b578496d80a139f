package directory

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"dowse"
)

// Contrast selects the pages that serve as negative examples for a category.
type Contrast string

// The contrasts. The zero value means Siblings.
const (
	Siblings Contrast = "siblings" // pages of the nearest category above that has others
	Random   Contrast = "random"   // pages of the whole directory
	None     Contrast = "none"     // no pages
)

// Sample returns up to limit random entries of a category, each with the same
// probability, in random order. The same random source and directory give the
// same sample.
func (d *Directory) Sample(c Category, limit int, rng *rand.Rand) ([]Entry, error) {
	r := reservoir{limit: limit, rng: rng}
	for e, err := range d.Entries(c) {
		if err != nil {
			return nil, err
		}
		r.offer(e)
	}
	return r.shuffled(), nil
}

// Contrast returns up to limit random entries as negative examples for a
// category: pages that are not in its subtree, not even in addition to another
// category. Only the returned entries and the hashes of the category's URLs are
// in memory. The directory is read twice, because a page may be listed in the
// category after it was listed elsewhere.
//
// Siblings of Top/Arts/Animation are pages below Top/Arts; if there are none, the
// sample is drawn from the level above, and so on up to Top.
func (d *Directory) Contrast(c Category, k Contrast, limit int, rng *rand.Rand) ([]Entry, error) {
	if k == None || limit <= 0 {
		return nil, nil
	}
	if k != Random && k != Siblings && k != "" {
		return nil, fmt.Errorf("directory: unknown contrast %q (want %s, %s or %s)", k, Siblings, Random, None)
	}
	own := urlSet{}
	for e, err := range d.Entries(Category{Path: c.Path}) {
		if err != nil {
			return nil, err
		}
		own.add(e.URL)
	}
	return d.drawContrast(Clean(c.Path), k, own, limit, rng)
}

// drawContrast samples the entries outside of root by the level of the deepest
// category that they share with it, one reservoir per level, in one reading.
// The sample is that of the deepest level with entries: its siblings, if there
// are any.
func (d *Directory) drawContrast(root string, k Contrast, own urlSet, limit int, rng *rand.Rand) ([]Entry, error) {
	rings := make([]reservoir, Level(root)) // by the level of the category above that is shared
	for i := range rings {
		rings[i] = reservoir{limit: limit, rng: rng}
	}
	for e, err := range outside(d.where(func(path string) bool { return !within(root, path) }), own) {
		if err != nil {
			return nil, err
		}
		ring := 0
		if k != Random {
			ring = shared(root, e.Path)
		}
		rings[ring].offer(e)
	}
	for i := len(rings) - 1; i >= 0; i-- {
		if len(rings[i].kept) > 0 {
			return rings[i].shuffled(), nil
		}
	}
	return nil, nil
}

// outside yields the entries that are not in a set.
func outside(all iter.Seq2[Entry, error], own urlSet) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range all {
			if err == nil && own.has(e.URL) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// shared returns the level of the deepest category above root that contains
// path.
func shared(root, path string) int {
	level := Level(root) - 1
	for level > 0 && !within(ancestor(root, level), path) {
		level--
	}
	return level
}

// A reservoir samples limit entries of a stream of unknown length, each with
// the same probability (Vitter 1985, algorithm R). A page is in the sample at
// most once; a page that was replaced may come back.
type reservoir struct {
	limit int
	rng   *rand.Rand
	seen  int
	kept  []Entry
	urls  map[dowse.URL]bool
}

// offer adds an entry to the stream.
func (r *reservoir) offer(e Entry) {
	if r.urls == nil {
		r.urls = map[dowse.URL]bool{}
	}
	if r.limit <= 0 || r.urls[e.URL] {
		return
	}
	r.seen++
	if len(r.kept) < r.limit {
		r.kept = append(r.kept, e)
		r.urls[e.URL] = true
		return
	}
	// The n-th entry replaces one of the sample with probability limit/n.
	if i := r.rng.IntN(r.seen); i < r.limit {
		delete(r.urls, r.kept[i].URL)
		r.kept[i] = e
		r.urls[e.URL] = true
	}
}

func (r *reservoir) shuffled() []Entry {
	r.rng.Shuffle(len(r.kept), func(i, k int) { r.kept[i], r.kept[k] = r.kept[k], r.kept[i] })
	return r.kept
}
