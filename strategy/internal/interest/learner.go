package interest

import (
	"cmp"
	"slices"

	"dowse"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// A learner is what intelligent, collaborative and combined have in common: what was learnt
// from links, from a trace or from both, and how a URL is rated by it. A strategy collects
// prospects after each page and then calls rated, which returns their leads.
type learner struct {
	links *linkage // nil for one that does not learn from links
	usage *usage   // nil for one that does not learn from a trace
	words *termReader
	seeds seeds
	least float64 // priority that a candidate must exceed; 0 for none

	prospects []prospect
	near      []uint32
	hashes    []uint64
	places    []uint32
}

// open makes the parts of a learner when it is first used, after parameters and inputs were
// set. links is nil for one that does not learn from links, usage for one that does not
// learn from a trace. Both share one table of words, with a column of counts each. least is
// the threshold of candidates, 0 for none.
func (k *learner) open(r *Ratios, links *Linkage, usage *Usage, reading Reading, least float64) *learner {
	if k.words != nil {
		return k
	}
	k.words, k.seeds, k.least = newReader(reading), seeds{}, least
	if links != nil {
		k.links = newLinkage(r, links, reading.Vocabulary, k.words.Lex)
	}
	if usage != nil {
		k.usage = newUsage(r, usage, k.words.Lex)
	}
	return k
}

// A reaction is how a strategy reacts to a page: to a redirect, and to one that was fetched.
type reaction interface {
	redirected(p *dowse.Page) []dowse.Lead
	visited(p *dowse.Page) []dowse.Lead
}

// follow lets a strategy react to a page. A second visit to a page teaches nothing, and a
// page that could not be fetched is no longer waited for.
func (k *learner) follow(p *dowse.Page, by reaction) []dowse.Lead {
	if p.Again {
		return nil
	}
	seeds := k.seeds.settle(p)
	switch {
	case lead.Redirects(p):
		return append(by.redirected(p), seeds...)
	case p.Outcome == dowse.Fetched:
		return by.visited(p)
	}
	if k.links != nil {
		k.links.forget(p.URL)
	}
	if k.usage != nil {
		k.usage.settle(p.URL)
	}
	return nil
}

// idle returns the page of the trace that was accessed most often.
func (k *learner) idle() []dowse.Lead { return k.accessed(k.usage.restart()) }

// candidates returns leads for the next pages of the trace that were accessed by people
// who go to pages on topic.
func (k *learner) candidates() []dowse.Lead {
	return k.accessed(k.admitted(k.usage.candidates(k.usage.burst())))
}

// admitted returns those of some new candidates of the trace whose priority is above the
// threshold. The others are no candidates any more.
func (k *learner) admitted(pages []uint32) []uint32 {
	if k.least == 0 {
		return pages
	}
	return slices.DeleteFunc(pages, func(page uint32) bool {
		c := k.prospect(k.usage.trace.URL(page))
		c.page, c.accessed = page, true
		if k.exceeds(&c) {
			return false
		}
		k.usage.reject(page)
		return true
	})
}

// accepts reports whether a target that does not wait yet has a priority above the
// threshold. One that has not keeps its evidence, and is tested again when another page
// links to it.
func (k *learner) accepts(t *target) bool {
	if k.least == 0 {
		return true
	}
	c := prospect{url: t.url, target: t.place}
	if k.usage != nil {
		c.page, c.accessed = k.usage.pageOf(t)
	}
	return k.exceeds(&c)
}

// exceeds reports whether a prospect has a priority above the threshold.
func (k *learner) exceeds(c *prospect) bool {
	one := [1]prospect{*c}
	k.prepare(one[:])
	f, h := k.rate(&one[0])
	return f.sum()+h.sum() > k.least
}

// accessed returns leads for pages of the trace.
func (k *learner) accessed(pages []uint32) []dowse.Lead {
	k.addPages(pages)
	return k.rated()
}

// A prospect is a URL about to be rated, with the places of what is known of it.
type prospect struct {
	url      dowse.URL
	target   uint32 // where its evidence is, noPlace for none
	page     uint32 // of the trace, if it was accessed
	accessed bool
	address  float64 // sum of the logarithms of the ratios of its URL's parts, set by prepare
}

// prospect looks up what is known of a URL.
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

// add makes a target a prospect if it waits in the queue, because of its links or of the
// trace.
func (k *learner) add(t *target) {
	c := prospect{url: t.url, target: t.place}
	if k.usage != nil {
		c.page, c.accessed = k.usage.pageOf(t)
	}
	if k.waits(&c) {
		k.prospects = append(k.prospects, c)
	}
}

// addKin makes the siblings of a page prospects, except for those that became prospects as
// targets of the page's own links since they were collected.
func (k *learner) addKin(kin []uint32) {
	found := k.links.found
	for _, i := range kin {
		if t := &found.targets[i]; t.round == found.round {
			k.add(t)
		}
	}
}

// addTargets makes all queued targets prospects, for the parameter exact.
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

// locate looks up the targets of prospects, all in one call.
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

// waits reports whether a URL is a candidate: queued because of its links, or because of
// the trace.
func (k *learner) waits(c *prospect) bool {
	return c.target != noPlace && k.links.found.targets[c.target].queued || c.accessed && k.usage.waits(c.page)
}

// rate returns the logarithms of a prospect's ratios, by links and by trace. Missing
// evidence counts as 1 (SPEC C.12): in combined, a URL that no visited page links to gets
// nothing for the parts of its URL either.
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

// together is the number of prospects whose evidence is loaded in one batch: it fits into
// the second-level cache of a processor.
const together = 128

// rated returns the leads of all prospects, without seeds, which keep their priority of 1,
// and empties the list of prospects. Leads and reasons share two allocations.
func (k *learner) rated() []dowse.Lead {
	list := lead.NewSheet(len(k.prospects), k.reasons())
	for some := range slices.Chunk(k.prospects, together) {
		k.prepare(some)
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

// put rates a prospect and adds its lead, with one reason per factor.
func (k *learner) put(list *lead.Sheet, c *prospect) {
	f, h := k.rate(c)
	list.Because = k.because(list.Because, &f, &h)
	list.Put(c.url, f.sum()+h.sum(), k.reasons())
}

// prepare makes a batch of prospects ready to be rated: it computes what the parts of their
// URLs contribute, and loads the other evidence into the cache, see lead.TouchNotes.
func (k *learner) prepare(list []prospect) {
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

// reasons returns the number of reasons of a lead: one per factor, also for those that
// contribute nothing, so that explanations are comparable.
func (k *learner) reasons() (n int) {
	if k.links != nil {
		n += factorCount
	}
	if k.usage != nil {
		n += habitCount
	}
	return n
}

// because appends the reasons of a lead, which add up to its priority.
func (k *learner) because(dst []dowse.Because, f *factors, h *habits) []dowse.Because {
	if k.links != nil {
		dst = f.because(dst)
	}
	if k.usage != nil {
		dst = h.because(dst)
	}
	return dst
}

// rescore returns the priority of a lead by what is known now; of a seed, or of a lead for
// which there is no evidence any more, the one it has.
func (k *learner) rescore(l dowse.Lead) float64 {
	if f, h, ok := k.again(l.URL); ok {
		return f.sum() + h.sum()
	}
	return l.Priority
}

// explain returns the reasons that add up to what rescore returns.
func (k *learner) explain(l dowse.Lead) []dowse.Because {
	if f, h, ok := k.again(l.URL); ok {
		return k.because(nil, &f, &h)
	}
	return nil
}

// again rates a waiting URL; ok is false for a seed and for a URL that does not wait.
func (k *learner) again(u dowse.URL) (f factors, h habits, ok bool) {
	c := [1]prospect{k.prospect(u)}
	if k.seeds[u] || !k.waits(&c[0]) {
		return f, h, false
	}
	k.prepare(c[:])
	f, h = k.rate(&c[0])
	return f, h, true
}

// learnerState is the form in which a learner is saved, without the parts that it does not
// have. Its fields are a file format.
type learnerState struct {
	Words   *savedLexicon
	Read    float64
	Linkage *linkageState
	Usage   *usageState
	Seeds   seeds
}

// save encodes everything that a restarted crawl needs to rate as this one would.
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

// load restores what save encoded: all of it or, after an error, nothing. A trace with
// other numbers of pages or people is refused, since its pages are known by number.
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

// learnt returns the counts without the evidence, for another crawl (SPEC C.13).
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

// learnFrom adds what an earlier crawl learnt, times a weight. What names the kind of
// knowledge in an error.
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
