package interest

import (
	"cmp"
	"slices"

	"dowse"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// A learner is what Intelligent, Collaborative and Combined have in common: what they
// have learnt from links, from a trace or from both, and how a URL is rated by it.
type learner struct {
	links *linkage // nil for one that does not learn from links
	usage *usage   // nil for one that does not learn from a trace
	words *termReader
	seeds seeds

	prospects []prospect
	near      []uint32
	hashes    []uint64
	places    []uint32
}

// A prospect is a URL with what there is of links and people.
type prospect struct {
	url      dowse.URL
	target   uint32 // where its evidence is, noPlace for none
	page     uint32 // of the trace, if it was accessed
	accessed bool
	address  float64 // what the parts of its URL say, once it is sized up
}

// prospect returns what there is of a URL.
func (k *learner) prospect(u dowse.URL) (c prospect) {
	c.url, c.target = u, noPlace
	if k.links != nil {
		if place, ok := k.links.found.place(u); ok {
			c.target = place
		}
	}
	if k.usage != nil {
		c.page, c.accessed = k.usage.page(u)
	}
	return c
}

// add makes a target a prospect if it waits, for its links or its people.
func (k *learner) add(t *target) {
	c := prospect{url: t.url, target: t.place}
	if k.usage != nil {
		c.page, c.accessed = k.usage.pageOf(t)
	}
	if k.waits(&c) {
		k.prospects = append(k.prospects, c)
	}
}

// addKin makes targets prospects that share evidence with a page, but for those that
// were taken since they were gathered.
func (k *learner) addKin(kin []uint32) {
	found := k.links.found
	for _, i := range kin {
		if t := &found.targets[i]; t.round == found.round {
			k.add(t)
		}
	}
}

// addTargets makes all targets prospects that are to be visited.
func (k *learner) addTargets() {
	found := k.links.found
	for i := range found.targets {
		if t := &found.targets[i]; t.queued {
			k.add(t)
		}
	}
}

// addPages makes pages of the trace prospects.
func (k *learner) addPages(pages []uint32) {
	first := len(k.prospects)
	k.usage.touch(pages)
	for _, page := range pages {
		k.prospects = append(k.prospects, prospect{url: k.usage.trace.URL(page), target: noPlace, page: page, accessed: true})
	}
	if k.links != nil {
		k.locate(k.prospects[first:])
	}
}

// locate finds the targets of prospects.
func (k *learner) locate(list []prospect) {
	found := k.links.found
	k.hashes = k.hashes[:0]
	for i := range list {
		k.hashes = append(k.hashes, found.at.hash(string(list[i].url)))
	}
	k.places = slices.Grow(k.places[:0], len(list))[:len(list)]
	found.locate(k.places, k.hashes, func(i int) dowse.URL { return list[i].url })
	for i, place := range k.places {
		list[i].target = place
	}
}

// waits reports whether the crawl is to visit a URL, for its links or its people.
func (k *learner) waits(c *prospect) bool {
	return c.target != noPlace && k.links.found.targets[c.target].queued || c.accessed && k.usage.waits(c.page)
}

// rate tells what speaks for a URL. Where people could speak for it too, a URL that no
// page links to gets nothing for its parts.
func (k *learner) rate(c *prospect) (f factors, h habits) {
	if c.target != noPlace {
		if t := &k.links.found.targets[c.target]; t.k > 0 || k.usage == nil {
			f = k.links.rate(t, c.address)
		}
	}
	if c.accessed {
		h = k.usage.rate(c.page)
	}
	return f, h
}

// together is the number of prospects whose evidence is brought near at once: it fits
// into the second cache of a processor.
const together = 128

// rated returns the leads for the prospects, seeds left out, and has none from then on.
func (k *learner) rated() []dowse.Lead {
	list := lead.NewSheet(len(k.prospects), k.reasons())
	for some := range slices.Chunk(k.prospects, together) {
		k.sizeUp(some)
		for i := range some {
			if c := &some[i]; !k.seeds[c.url] {
				k.put(list, c)
			}
		}
	}
	clear(k.prospects)
	k.prospects = k.prospects[:0]
	return list.Leads
}

func (k *learner) put(list *lead.Sheet, c *prospect) {
	f, h := k.rate(c)
	list.Because = k.because(list.Because, &f, &h)
	list.Put(c.url, f.sum()+h.sum(), k.reasons())
}

// sizeUp gets prospects ready to be rated: what the parts of their URLs say, and the rest
// of the evidence brought near, see lead.TouchNotes.
func (k *learner) sizeUp(list []prospect) {
	if k.links != nil {
		k.near = k.near[:0]
		for i := range list {
			if at := list[i].target; at != noPlace {
				k.near = append(k.near, at)
			}
		}
		k.links.found.touchURLs(k.near)
		k.links.found.touchPages(k.near)
		k.links.addresses(list)
	}
	if k.usage != nil {
		k.near = k.near[:0]
		for i := range list {
			if list[i].accessed {
				k.near = append(k.near, list[i].page)
			}
		}
		k.usage.touchPeople(k.near)
	}
}

// reasons is the number of reasons that a lead has.
func (k *learner) reasons() (n int) {
	if k.links != nil {
		n += factorCount
	}
	if k.usage != nil {
		n += habitCount
	}
	return n
}

func (k *learner) because(dst []dowse.Because, f *factors, h *habits) []dowse.Because {
	if k.links != nil {
		dst = f.because(dst)
	}
	if k.usage != nil {
		dst = h.because(dst)
	}
	return dst
}

// rescore rates a lead by what is known now.
func (k *learner) rescore(l dowse.Lead) float64 {
	if f, h, ok := k.again(l.URL); ok {
		return f.sum() + h.sum()
	}
	return l.Priority
}

// explain tells what rescore goes by.
func (k *learner) explain(l dowse.Lead) []dowse.Because {
	if f, h, ok := k.again(l.URL); ok {
		return k.because(nil, &f, &h)
	}
	return nil
}

// again rates a URL that waits, unless it is a seed.
func (k *learner) again(u dowse.URL) (f factors, h habits, ok bool) {
	c := [1]prospect{k.prospect(u)}
	if k.seeds[u] || !k.waits(&c[0]) {
		return f, h, false
	}
	k.sizeUp(c[:])
	f, h = k.rate(&c[0])
	return f, h, true
}

// learnerState is a learner as it is written down, without the parts that it has not.
type learnerState struct {
	Words   *savedLexicon
	Read    float64
	Linkage *linkageState
	Usage   *usageState
	Seeds   seeds
}

func (k *learner) save() ([]byte, error) {
	saved := learnerState{Words: k.words.Lex.saved(), Read: k.words.Pages, Seeds: k.seeds}
	if k.links != nil {
		saved.Linkage = k.links.saved()
	}
	if k.usage != nil {
		saved.Usage = &k.usage.state
	}
	return state.SaveBinary(&saved)
}

// load takes up what was saved, all of it or, after an error, nothing.
func (k *learner) load(b []byte) error {
	saved := learnerState{Words: &savedLexicon{}, Linkage: blankLinkage(), Usage: &usageState{}, Seeds: seeds{}}
	if err := state.LoadBinary(b, &saved); err != nil {
		return err
	}
	if k.usage != nil {
		if err := k.usage.fits(saved.Usage); err != nil {
			return err
		}
	}
	k.words.restore(saved.Words, saved.Read)
	k.seeds = saved.Seeds
	if k.links != nil {
		k.links.restore(saved.Linkage, k.words.Lex)
	}
	if k.usage != nil {
		k.usage.restore(*saved.Usage, k.words.Lex)
	}
	return nil
}

func (k *learner) learnt(predicate string) *input.Learnt {
	l := &input.Learnt{Predicate: predicate}
	if k.links != nil {
		l.Linkage = k.links.learnt()
	}
	if k.usage != nil {
		l.Usage = k.usage.learnt()
	}
	return l
}

// learnFrom starts with what an earlier crawl learnt from what, with a weight.
func (k *learner) learnFrom(l *input.Learnt, predicate, what string, weight float64) error {
	links, usage := k.links != nil && l.Linkage != nil, k.usage != nil && l.Usage != nil
	if err := l.Fits(predicate, links || usage, what); err != nil {
		return err
	}
	if links {
		k.links.reuse(l.Linkage, cmp.Or(weight, 1))
	}
	if usage {
		k.usage.reuse(l.Usage, cmp.Or(weight, 1))
	}
	return nil
}
