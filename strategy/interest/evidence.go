package interest

import (
	"slices"
	"strings"

	"dowse"
)

// evidence holds, for every URL that was not visited, the visited pages that link to
// it. It is kept until the URL is visited or known to be dead, and a page as long as
// it is evidence for something. In a large crawl it far exceeds the caches of a
// processor, so what is used together lies together: a target fills one cache line, a
// page another one and its words with its targets.
type evidence struct {
	targets []target
	pages   []linking
	freeT   []uint32 // places in targets
	freeP   []uint32 // places in pages

	at      index               // of targets
	many    map[uint32][]uint32 // parents of targets that have more than a target has room for
	parents int                 // limit of pages kept per target
	kids    int                 // limit of targets kept per page
	round   uint32
}

// roomForParents is the number of linking pages that a target has room for.
const roomForParents = fewParents

// A target is a URL that visited pages link to.
type target struct {
	url    dowse.URL
	k, m   uint32                 // all of those pages, and those on topic
	first  [roomForParents]uint32 // the first of them, if they are no more
	kept   uint32                 // of those that are kept
	round  uint32                 // in which it was last gathered
	place  uint32                 // its own
	page   uint32                 // its number in a trace and one, noPlace for none; 0 as long as nobody asked
	queued bool                   // the crawl is to visit it
}

// linking is what is kept of a visited page that links to targets.
type linking struct {
	list     []word  // its words, then the places of the first of its targets; some may be others' by now
	words    uint32  // of list
	visited  uint32  // of all pages it links to
	onTopic  uint32  // of those
	refs     uint32  // targets that it is evidence for
	version  uint32  // of ln
	isWanted bool    // it is on topic itself
	ln       float64 // what its words say
	_        uint64  // a whole line
}

func (l *linking) says() []word { return l.list[:l.words] }
func (l *linking) kids() []word { return l.list[l.words:] }

func newEvidence(parents, kids int) *evidence {
	return &evidence{at: newIndex(), parents: parents, kids: kids}
}

// find returns the target with a URL, nil if there is no evidence for it.
func (e *evidence) find(u dowse.URL) *target {
	if i, ok := e.place(u); ok {
		return &e.targets[i]
	}
	return nil
}

// place returns where the target with a URL is.
func (e *evidence) place(u dowse.URL) (uint32, bool) { return e.placed(u, e.at.hash(string(u))) }

func (e *evidence) placed(u dowse.URL, h uint64) (uint32, bool) {
	return e.at.find(h, func(i uint32) bool { return e.targets[i].url == u })
}

// want returns the place of the target with a URL, which is made if need be.
func (e *evidence) want(u dowse.URL) uint32 { return e.wanted(u, e.at.hash(string(u))) }

func (e *evidence) wanted(u dowse.URL, h uint64) uint32 {
	if i, ok := e.placed(u, h); ok {
		return i
	}
	return e.add(u, h)
}

// targetOf returns the target of a page's i-th link, which is to u: from where it is
// known to be, or made if need be.
func (e *evidence) targetOf(places []uint32, i int, u dowse.URL) *target {
	if i < len(places) {
		return &e.targets[places[i]]
	}
	return &e.targets[e.want(u)]
}

// add makes the target of a URL that has none.
func (e *evidence) add(u dowse.URL, h uint64) (i uint32) {
	u = dowse.URL(strings.Clone(string(u))) // the page's own may hold on to all of it
	i, e.freeT, e.targets = place(e.freeT, e.targets)
	e.targets[i] = target{url: u, place: i}
	e.at.add(h, i)
	return i
}

// locate sets places to those of the targets that URLs with these hashes have, or to
// noPlace. It takes a pass for each thing that has to come from memory.
func (e *evidence) locate(places []uint32, hashes []uint64, urlOf func(i int) dowse.URL) {
	e.at.touch(hashes)
	for i, h := range hashes {
		places[i] = e.at.guess(h)
	}
	touchTargets(e, places)
	e.touchURLs(places)
	for i, h := range hashes {
		if places[i] == noPlace {
			continue
		}
		if place, ok := e.placed(urlOf(i), h); ok {
			places[i] = place
		} else {
			places[i] = noPlace
		}
	}
}

// noPlace is the place of no target.
const noPlace = ^uint32(0)

// page makes a page that is evidence for nothing yet, with room for its targets.
func (e *evidence) page(words []word, on bool, targets int) (i uint32) {
	i, e.freeP, e.pages = place(e.freeP, e.pages)
	list := append(make([]word, 0, len(words)+min(targets, e.kids)), words...)
	e.pages[i] = linking{list: list, words: uint32(len(words)), isWanted: on}
	return i
}

// place returns a free place of a list, at its end if there is no other.
func place[T any](free []uint32, list []T) (uint32, []uint32, []T) {
	if n := len(free); n > 0 {
		return free[n-1], free[:n-1], list
	}
	var zero T
	return uint32(len(list)), free, append(list, zero)
}

// link makes a page evidence for a target.
func (e *evidence) link(page, to uint32) {
	t, p := &e.targets[to], &e.pages[page]
	t.k++
	if p.isWanted {
		t.m++
	}
	e.attach(page, to)
}

func (e *evidence) attach(page, to uint32) {
	t, p := &e.targets[to], &e.pages[page]
	if int(t.kept) >= e.parents {
		return
	}
	e.addParent(t, page)
	p.refs++
	if len(p.kids()) < e.kids {
		p.list = append(p.list, word(to))
	}
}

func (e *evidence) addParent(t *target, page uint32) {
	switch {
	case t.kept < roomForParents:
		t.first[t.kept] = page
	case t.kept == roomForParents:
		if e.many == nil {
			e.many = map[uint32][]uint32{}
		}
		e.many[t.place] = append(slices.Clone(t.first[:]), page)
	default:
		e.many[t.place] = append(e.many[t.place], page)
	}
	t.kept++
}

// linkingTo returns the first pages that link to a target.
func (e *evidence) linkingTo(t *target) []uint32 {
	if t.kept <= roomForParents {
		return t.first[:t.kept]
	}
	return e.many[t.place]
}

// forget drops the evidence for a target.
func (e *evidence) forget(i uint32) {
	t := &e.targets[i]
	for _, p := range e.linkingTo(t) {
		e.pages[p].refs--
		e.tidy(p)
	}
	if t.kept > roomForParents {
		delete(e.many, i)
	}
	e.at.remove(e.at.hash(string(t.url)), i)
	*t = target{}
	e.freeT = append(e.freeT, i)
}

// tidy frees a page that is evidence for nothing.
func (e *evidence) tidy(p uint32) {
	if e.pages[p].refs == 0 {
		e.pages[p] = linking{}
		e.freeP = append(e.freeP, p)
	}
}

// unite gives all evidence for one target to another. Pages that link to both count
// once, as far as they are kept.
func (e *evidence) unite(from, to uint32) {
	f, t := &e.targets[from], &e.targets[to]
	t.k, t.m = t.k+f.k, t.m+f.m
	for _, p := range e.linkingTo(f) {
		if !slices.Contains(e.linkingTo(t), p) {
			e.attach(p, to)
			continue
		}
		t.k--
		if e.pages[p].isWanted {
			t.m--
		}
	}
	t.queued = t.queued || f.queued
	e.forget(from)
}

// visited records the outcome of a target with the pages that link to it.
func (e *evidence) visited(t *target, on bool) {
	for _, p := range e.linkingTo(t) {
		e.pages[p].child(on)
	}
}

func (l *linking) child(on bool) {
	l.visited++
	if on {
		l.onTopic++
	}
}

// siblings appends the queued targets that share a page with t, at most most.
func (e *evidence) siblings(dst []uint32, t uint32, most int) []uint32 {
	e.gather()
	e.targets[t].round = e.round
	parents := e.linkingTo(&e.targets[t])
	for _, p := range parents {
		touchTargets(e, e.pages[p].kids())
	}
	for _, p := range parents {
		page := &e.pages[p]
		kids := slices.DeleteFunc(page.kids(), func(k word) bool { return !slices.Contains(e.linkingTo(&e.targets[k]), p) })
		page.list = page.list[:int(page.words)+len(kids)]
		for _, k := range kids {
			if s := &e.targets[k]; s.queued && s.round != e.round && len(dst) < most {
				s.round = e.round
				dst = append(dst, uint32(k))
			}
		}
	}
	return dst
}

// gather begins a gathering in which each target is taken once.
func (e *evidence) gather() {
	if e.round++; e.round == 0 {
		for i := range e.targets {
			e.targets[i].round = 0
		}
		e.round = 1
	}
}

// touchTargets has targets brought near, see lead.TouchNotes.
//
//go:noinline
func touchTargets[P ~uint32](e *evidence, places []P) (sum uint32) {
	for _, i := range places {
		if uint32(i) != noPlace {
			sum += e.targets[i].k
		}
	}
	return sum
}

// touchURLs has the URLs of targets brought near, see lead.TouchNotes.
//
//go:noinline
func (e *evidence) touchURLs(places []uint32) (sum byte) {
	for _, i := range places {
		if i == noPlace {
			continue
		}
		if u := e.targets[i].url; u != "" {
			sum += u[0]
		}
	}
	return sum
}

// touchPages has the pages that link to targets brought near, see lead.TouchNotes, and then
// their words. A line of a processor's cache has 16 of them.
//
//go:noinline
func (e *evidence) touchPages(places []uint32) (sum uint32) {
	for _, i := range places {
		t := &e.targets[i]
		for _, p := range t.first[:min(t.kept, roomForParents)] {
			sum += e.pages[p].words
		}
	}
	for _, i := range places {
		t := &e.targets[i]
		for _, p := range t.first[:min(t.kept, roomForParents)] {
			list := e.pages[p].says()
			for k := 0; k < len(list); k += 16 {
				sum += uint32(list[k])
			}
		}
	}
	return sum
}

// savedEvidence is evidence as it is written down.
type savedEvidence struct {
	Targets      []savedTarget
	Pages        []savedLinking
	FreeT, FreeP []uint32
}

type savedTarget struct {
	URL     dowse.URL
	Parents []uint32
	K, M    uint32
	Queued  bool
}

type savedLinking struct {
	Words    []word
	Kids     []uint32
	Visited  uint32
	OnTopic  uint32
	Refs     uint32
	IsWanted bool
}

func (e *evidence) saved() *savedEvidence {
	s := &savedEvidence{Targets: make([]savedTarget, len(e.targets)), Pages: make([]savedLinking, len(e.pages)), FreeT: e.freeT, FreeP: e.freeP}
	for i := range e.targets {
		t := &e.targets[i]
		s.Targets[i] = savedTarget{t.url, e.linkingTo(t), t.k, t.m, t.queued}
	}
	for i := range e.pages {
		p := &e.pages[i]
		s.Pages[i] = savedLinking{p.says(), placesOf(p.kids()), p.visited, p.onTopic, p.refs, p.isWanted}
	}
	return s
}

func placesOf(kids []word) []uint32 {
	list := make([]uint32, len(kids))
	for i, k := range kids {
		list[i] = uint32(k)
	}
	return list
}

// restore takes up what was saved.
func (e *evidence) restore(s *savedEvidence) {
	e.freeT, e.freeP = s.FreeT, s.FreeP
	e.targets, e.pages = make([]target, len(s.Targets)), make([]linking, len(s.Pages))
	for i := range s.Targets {
		from := &s.Targets[i]
		if from.URL == "" {
			continue
		}
		t := &e.targets[i]
		*t = target{url: from.URL, place: uint32(i), k: from.K, m: from.M, queued: from.Queued}
		for _, p := range from.Parents {
			e.addParent(t, p)
		}
		e.at.add(e.at.hash(string(t.url)), t.place)
	}
	for i := range s.Pages {
		from := &s.Pages[i]
		p := &e.pages[i]
		*p = linking{words: uint32(len(from.Words)), visited: from.Visited, onTopic: from.OnTopic, refs: from.Refs, isWanted: from.IsWanted}
		p.list = append(make([]word, 0, len(from.Words)+len(from.Kids)), from.Words...)
		for _, k := range from.Kids {
			p.list = append(p.list, word(k))
		}
	}
}
