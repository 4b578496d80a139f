package directory

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"dowse"
)

// A Selection describes how topics for experiments are drawn from a directory,
// as Wang et al. 2009 do: categories of one level with enough pages, not too
// close to each other, and the pages of each divided into seeds, targets and
// training examples. A number that is 0 means the paper's; smaller directories
// need smaller numbers.
//
// The order of events is: all categories of the level are shuffled; each is
// examined in turn and rejected or chosen, which is Choose; the pages of each
// chosen category are shuffled and divided, which is Split; negative examples are
// drawn from the pages of the other chosen categories.
type Selection struct {
	Level          int      // of the categories, Top being 0; default 3
	Seeds          int      // pages to start from; default 10
	Train          int      // positive examples to train a judge with; default 75
	Others         int      // negative examples, from the other topics; default 2·Train
	Targets        int      // least number of pages that no judge has seen; default 10
	Min            int      // least number of pages of a category; default Seeds + Train + Targets
	PerParent      int      // most topics below one category; default 1
	PerGrandparent int      // most topics below the category above that; default 3
	Count          int      // most topics; default 30
	Exclude        []string // names below Top; default Regional, Kids_and_Teens, World, Adult and Adults
}

// Defaults returns the selection with the paper's numbers in place of zeros.
func (s Selection) Defaults() Selection {
	s.Level = cmp.Or(s.Level, 3)
	s.Seeds = cmp.Or(s.Seeds, 10)
	s.Train = cmp.Or(s.Train, 75)
	s.Others = cmp.Or(s.Others, 2*s.Train)
	s.Targets = cmp.Or(s.Targets, 10)
	s.Min = cmp.Or(s.Min, s.Seeds+s.Train+s.Targets)
	s.PerParent = cmp.Or(s.PerParent, 1)
	s.PerGrandparent = cmp.Or(s.PerGrandparent, 3)
	s.Count = cmp.Or(s.Count, 30)
	if s.Exclude == nil {
		s.Exclude = []string{"Regional", "Kids_and_Teens", "World", "Adult", "Adults"}
	}
	return s
}

// check returns an error for numbers that contradict each other or are
// negative.
func (s Selection) check() error {
	for _, n := range []struct {
		name  string
		value int
	}{
		{"level", s.Level}, {"seeds", s.Seeds}, {"training examples", s.Train}, {"others", s.Others}, {"targets", s.Targets},
		{"minimum", s.Min}, {"topics per parent", s.PerParent}, {"topics per grandparent", s.PerGrandparent}, {"count", s.Count},
	} {
		if n.value < 0 {
			return fmt.Errorf("directory: select: %s: %d is less than 0", n.name, n.value)
		}
	}
	if need := s.Seeds + s.Train + 1; s.Min < need {
		return fmt.Errorf("directory: select: a minimum of %d pages leaves no target: %d seeds and %d training examples need %d", s.Min, s.Seeds, s.Train, need)
	}
	return nil
}

// A Candidate is a category with the number of pages in its whole subtree.
type Candidate struct {
	Path  string
	Links int
}

// A Rejection is a candidate that was not chosen, and why.
type Rejection struct {
	Candidate
	Reason Rejected
}

// Rejected is why a candidate was not chosen. The list is closed and stable.
type Rejected string

// The reasons.
const (
	OtherLevel      Rejected = "level"
	Excluded        Rejected = "excluded"
	TooFewLinks     Rejected = "too_few_links"
	SameParent      Rejected = "same_parent"
	SameGrandparent Rejected = "same_grandparent"
)

// Choose examines candidates in the given order and chooses each that is not
// rejected, until there are enough. Those after the last chosen one are in
// neither list.
func (s Selection) Choose(candidates []Candidate) (chosen []Candidate, rejected []Rejection) {
	s = s.Defaults()
	below := map[string]int{}
	for _, c := range candidates {
		if len(chosen) == s.Count {
			break
		}
		if why := s.against(c, below); why != "" {
			rejected = append(rejected, Rejection{c, why})
			continue
		}
		below[parent(c.Path)]++
		below[grandparent(c.Path)]++
		chosen = append(chosen, c)
	}
	return chosen, rejected
}

// grandparent returns a key for the category two levels above that differs from
// every key of a parent.
func grandparent(path string) string { return parent(parent(path)) + "/*" }

// against returns why a candidate is rejected, "" if it is not.
func (s Selection) against(c Candidate, below map[string]int) Rejected {
	switch {
	case Level(c.Path) != s.Level:
		return OtherLevel
	case slices.Contains(s.Exclude, topOf(c.Path)):
		return Excluded
	case c.Links < s.Min:
		return TooFewLinks
	case below[parent(c.Path)] >= s.PerParent:
		return SameParent
	case below[grandparent(c.Path)] >= s.PerGrandparent:
		return SameGrandparent
	}
	return ""
}

// topOf returns the name directly below Top.
func topOf(path string) string {
	top := ancestor(path, 1)
	return top[min(len(Top)+1, len(top)):]
}

// A Split divides the pages of a topic. Train and Eval together are Targets.
type Split struct {
	Seeds   []dowse.URL // where a crawl starts; not targets
	Targets []dowse.URL // what it should find
	Train   []dowse.URL // the targets that a judge is trained with
	Eval    []dowse.URL // the targets that no judge has seen
}

// Split divides pages that are in random order: first the seeds; the rest are
// targets, of which the first are training examples.
func (s Selection) Split(urls []dowse.URL) Split {
	s = s.Defaults()
	seeds := min(s.Seeds, len(urls))
	targets := urls[seeds:]
	train := min(s.Train, len(targets))
	return Split{urls[:seeds:seeds], targets, targets[:train:train], targets[train:]}
}

// A Topic is a selected category with its pages.
type Topic struct {
	Candidate
	Split
	Others []Entry          // negative examples: pages of other topics that are not in this one
	pages  map[uint64]Entry // its own pages, by the hash of their URL
}

// Entry returns the entry of one of the topic's own pages.
func (t *Topic) Entry(u dowse.URL) (Entry, bool) {
	e, ok := t.pages[hash(u)]
	return e, ok
}

// Selected is the result of a selection.
type Selected struct {
	Selection  Selection   // with defaults in place of zeros
	Topics     []Topic     // in the order in which they were chosen
	Rejected   []Rejection // in the order in which they were examined
	Candidates int         // number of categories of the level
}

// ErrNoTopic is returned if no category can be a topic.
var ErrNoTopic = errors.New("no category is fit")

// Select draws topics. The same directory, whatever the order of its entries,
// the same numbers and the same random source give the same topics. A page
// counts once for each category above it, however often it is listed. The
// directory is read twice; memory is 8 bytes per entry, and the entries of the
// chosen topics.
func (d *Directory) Select(s Selection, rng *rand.Rand) (*Selected, error) {
	s = s.Defaults()
	if err := s.check(); err != nil {
		return nil, err
	}
	candidates, err := d.candidates(s.Level)
	if err != nil {
		return nil, err
	}
	rng.Shuffle(len(candidates), func(i, k int) { candidates[i], candidates[k] = candidates[k], candidates[i] })
	result := &Selected{Selection: s, Candidates: len(candidates)}
	chosen, rejected := s.Choose(candidates)
	result.Rejected = rejected
	if len(chosen) == 0 {
		return result, fmt.Errorf("directory: select from %s: %w: %s", d.name, ErrNoTopic, whyNone(s, candidates))
	}
	result.Topics, err = d.gather(s, chosen, rng)
	return result, err
}

// whyNone returns what to change so that a category is found.
func whyNone(s Selection, candidates []Candidate) string {
	if len(candidates) == 0 {
		return fmt.Sprintf("there is none at level %d: choose another level", s.Level)
	}
	most := slices.MaxFunc(candidates, func(a, b Candidate) int { return cmp.Compare(a.Links, b.Links) })
	return fmt.Sprintf("%d pages are needed, and of %d at level %d the largest, %s, has %d: ask for fewer seeds, training examples or targets",
		s.Min, len(candidates), s.Level, most.Path, most.Links)
}

// candidates returns the categories of a level with their numbers of distinct
// pages, sorted by path.
func (d *Directory) candidates(level int) (list []Candidate, err error) {
	pages := map[string][]uint64{}
	for e, err := range d.where(func(path string) bool { return Level(path) >= level }) {
		if err != nil {
			return nil, err
		}
		path := ancestor(e.Path, level)
		pages[path] = append(pages[path], hash(e.URL))
	}
	for path, hashes := range pages {
		slices.Sort(hashes)
		list = append(list, Candidate{path, len(slices.Compact(hashes))})
	}
	slices.SortFunc(list, func(a, b Candidate) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// gather reads the pages of the chosen categories and divides them.
func (d *Directory) gather(s Selection, chosen []Candidate, rng *rand.Rand) ([]Topic, error) {
	topics := make([]Topic, len(chosen))
	number := map[string]int{}
	for i, c := range chosen {
		topics[i] = Topic{Candidate: c, pages: make(map[uint64]Entry, c.Links)}
		number[c.Path] = i
	}
	wanted := func(path string) bool { _, ok := number[ancestor(path, s.Level)]; return ok && Level(path) >= s.Level }
	for e, err := range d.where(wanted) {
		if err != nil {
			return nil, err
		}
		pages := topics[number[ancestor(e.Path, s.Level)]].pages
		if known, ok := pages[hash(e.URL)]; !ok || less(e, known) {
			pages[hash(e.URL)] = e
		}
	}
	for i := range topics {
		topics[i].Split = s.Split(topics[i].shuffled(rng))
	}
	for i := range topics {
		topics[i].Others = others(topics, i, s.Others, rng)
	}
	return topics, nil
}

// less orders the entries of one page, so that the result does not depend on
// the order of the file.
func less(a, b Entry) bool {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Title, b.Title), cmp.Compare(a.Description, b.Description)) < 0
}

// shuffled returns the topic's pages in random order.
func (t *Topic) shuffled(rng *rand.Rand) []dowse.URL {
	urls := make([]dowse.URL, 0, len(t.pages))
	for _, e := range t.pages {
		urls = append(urls, e.URL)
	}
	slices.Sort(urls)
	rng.Shuffle(len(urls), func(i, k int) { urls[i], urls[k] = urls[k], urls[i] })
	return urls
}

// others draws negative examples for a topic from the pages of the other
// topics, without those that are also its own.
func others(topics []Topic, own, n int, rng *rand.Rand) []Entry {
	r := reservoir{limit: n, rng: rng}
	for i := range topics {
		if i == own {
			continue
		}
		t := &topics[i]
		for _, list := range [][]dowse.URL{t.Seeds, t.Targets} {
			for _, u := range list {
				if _, mine := topics[own].Entry(u); !mine {
					e, _ := t.Entry(u)
					r.offer(e)
				}
			}
		}
	}
	return r.shuffled()
}
