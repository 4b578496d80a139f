package interest

import (
	"slices"
	"strings"

	"dowse"
)

// evidence holds, for every URL that was seen but not visited, the visited pages that link
// to it. These are M, k and m of the paper: the words of the linking pages, their number,
// and how many are on topic.
//
// A target is kept until its URL is visited or known to be dead; a linking page until no
// target refers to it. Two bounds make it approximate. Of a target only the first
// maxParents linking pages are kept, so that words and siblings come from these alone,
// while k and m count all of them. Of a page only the first maxTargets targets are kept,
// which limits the search for siblings to rate again, not their counts.
//
// In a large crawl all of this far exceeds the caches of a processor, so that what is used
// together lies together: a target fills one cache line, a page another one, and the words
// of a page are followed by its targets. Places in the two lists, 4 bytes each, take the
// role of pointers, and freed places are used again.
type evidence struct {
	targets []target
	pages   []linking
	freeT   []uint32 // places in targets
	freeP   []uint32 // places in pages

	at         index               // of targets
	many       map[uint32][]uint32 // parents of targets that have more than a target has room for
	maxParents int                 // limit of pages kept per target
	maxTargets int                 // limit of targets kept per page
	round      uint32
}

// roomForParents is the number of linking pages stored in the target itself. It is the
// default bound, so that the map of larger lists stays empty unless the parameter parents
// is raised.
const roomForParents = fewParents

// A target is a URL that visited pages link to. Its size is one cache line of 64 bytes.
type target struct {
	url    dowse.URL
	k, m   uint32                 // all of those pages, and those on topic
	first  [roomForParents]uint32 // the first of them, if they are no more
	kept   uint32                 // of those that are kept
	round  uint32                 // in which it was last gathered
	place  uint32                 // its own
	page   uint32                 // its number in a trace and one, noPlace for none; 0 until usage.pageOf looks it up
	queued bool                   // the crawl is to visit it
}

// linking is what is kept of a visited page that links to targets. Its size is one cache
// line.
type linking struct {
	list     []word  // its words, then the places of the first of its targets; some may be others' by now
	words    uint32  // of list
	visited  uint32  // of all pages it links to
	onTopic  uint32  // of those
	refs     uint32  // targets that it is evidence for
	version  uint32  // of ln
	isWanted bool    // it is on topic itself
	ln       float64 // sum of the logarithms of its words' ratios, as of version
	_        uint64  // a whole line
}

// ownWords returns the words kept of the page itself.
func (l *linking) ownWords() []word { return l.list[:l.words] }

// linkTargets returns the places of the first targets of the page. A place may have been
// freed and used for another target since; a reader checks that the target there has this
// page among its linking pages.
func (l *linking) linkTargets() []word { return l.list[l.words:] }

// newEvidence returns evidence that keeps at most so many linking pages of a target, and so
// many targets of a page.
func newEvidence(parents, targets int) *evidence {
	return &evidence{at: newIndex(), maxParents: parents, maxTargets: targets}
}

// find returns the target with a URL, nil if there is no evidence for it.
func (e *evidence) find(u dowse.URL) *target {
	if i, ok := e.place(u); ok {
		return &e.targets[i]
	}
	return nil
}

// place returns the place of the target with a URL, and whether there is one.
func (e *evidence) place(u dowse.URL) (uint32, bool) { return e.placed(u, e.at.hash(string(u))) }

// placed is place for a URL whose hash is known.
func (e *evidence) placed(u dowse.URL, h uint64) (uint32, bool) {
	return e.at.find(h, func(i uint32) bool { return e.targets[i].url == u })
}

// want returns the place of the target with a URL; it adds the target if there is none.
func (e *evidence) want(u dowse.URL) uint32 { return e.wanted(u, e.at.hash(string(u))) }

// wanted is want for a URL whose hash is known.
func (e *evidence) wanted(u dowse.URL, h uint64) uint32 {
	if i, ok := e.placed(u, h); ok {
		return i
	}
	return e.add(u, h)
}

// targetOf returns the target of a page's i-th link, which leads to u. Places are those of
// the page's first links, as far as they were located before; the target of another link is
// looked up, and added if there is none.
func (e *evidence) targetOf(places []uint32, i int, u dowse.URL) *target {
	if i < len(places) {
		return &e.targets[places[i]]
	}
	return &e.targets[e.want(u)]
}

// add adds the target of a URL that has none, and returns its place.
func (e *evidence) add(u dowse.URL, h uint64) (i uint32) {
	u = dowse.URL(strings.Clone(string(u))) // the page's own may hold on to all of it
	i, e.freeT, e.targets = place(e.freeT, e.targets)
	e.targets[i] = target{url: u, place: i}
	e.at.add(h, i)
	return i
}

// locate sets places to those of the targets whose URLs have these hashes, or to noPlace.
// It makes one pass for each thing that has to come from memory (slots of the index,
// targets, URLs), so that the processor loads many of them concurrently instead of waiting
// for each in turn.
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

// page adds a linking page that no target refers to yet, with room for its targets.
func (e *evidence) page(words []word, on bool, targets int) (i uint32) {
	i, e.freeP, e.pages = place(e.freeP, e.pages)
	list := append(make([]word, 0, len(words)+min(targets, e.maxTargets)), words...)
	e.pages[i] = linking{list: list, words: uint32(len(words)), isWanted: on}
	return i
}

// place returns a free place of a list, or a new one at its end.
func place[T any](free []uint32, list []T) (uint32, []uint32, []T) {
	if n := len(free); n > 0 {
		return free[n-1], free[:n-1], list
	}
	var zero T
	return uint32(len(list)), free, append(list, zero)
}

// link records that a page links to a target.
func (e *evidence) link(page, to uint32) {
	t, p := &e.targets[to], &e.pages[page]
	t.k++
	if p.isWanted {
		t.m++
	}
	e.attach(page, to)
}

// attach adds a page to the linking pages of a target, and the target to those of the page,
// as far as the bounds allow.
func (e *evidence) attach(page, to uint32) {
	t, p := &e.targets[to], &e.pages[page]
	if int(t.kept) >= e.maxParents {
		return
	}
	e.addParent(t, page)
	p.refs++
	if len(p.linkTargets()) < e.maxTargets {
		p.list = append(p.list, word(to))
	}
}

// addParent appends a linking page to those of a target: in the target itself as long as
// there is room, then all of them in the map.
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

// linkingTo returns the linking pages of a target that are kept. The caller must not change
// the list.
func (e *evidence) linkingTo(t *target) []uint32 {
	if t.kept <= roomForParents {
		return t.first[:t.kept]
	}
	return e.many[t.place]
}

// forget removes a target, and the pages that no other target refers to.
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

// tidy frees a page that no target refers to.
func (e *evidence) tidy(p uint32) {
	if e.pages[p].refs == 0 {
		e.pages[p] = linking{}
		e.freeP = append(e.freeP, p)
	}
}

// unite moves all evidence for one target to another, which the first redirects to. A page
// that links to both counts once if it is among the kept ones, twice otherwise.
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

// visited counts the outcome of a target in the pages that link to it: v and s of the
// sibling ratio.
func (e *evidence) visited(t *target, on bool) {
	for _, p := range e.linkingTo(t) {
		e.pages[p].child(on)
	}
}

// child counts one more visited page that this page links to.
func (l *linking) child(on bool) {
	l.visited++
	if on {
		l.onTopic++
	}
}

// siblings appends the queued targets that share a linking page with t, until dst has most
// of them. On the way it removes places from the pages' lists that were freed and used
// again.
func (e *evidence) siblings(dst []uint32, t uint32, most int) []uint32 {
	e.gather()
	e.targets[t].round = e.round
	parents := e.linkingTo(&e.targets[t])
	for _, p := range parents {
		touchTargets(e, e.pages[p].linkTargets())
	}
	for _, p := range parents {
		page := &e.pages[p]
		kids := slices.DeleteFunc(page.linkTargets(), func(k word) bool { return !slices.Contains(e.linkingTo(&e.targets[k]), p) })
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

// gather begins a new round of collecting targets: a target whose round is the current one
// was collected already, so that no set is needed.
func (e *evidence) gather() {
	if e.round++; e.round == 0 {
		for i := range e.targets {
			e.targets[i].round = 0
		}
		e.round = 1
	}
}

// touchTargets loads targets into the cache, see lead.TouchNotes.
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

// touchURLs loads the URLs of targets into the cache, see lead.TouchNotes.
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

// touchPages loads the pages that link to targets into the cache, see lead.TouchNotes, and
// then their words, of which a cache line has 16.
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
			list := e.pages[p].ownWords()
			for k := 0; k < len(list); k += 16 {
				sum += uint32(list[k])
			}
		}
	}
	return sum
}

// savedEvidence is the form in which evidence is saved. Freed places are saved too, so that
// a restored crawl assigns the same places as one that never stopped. The fields of this
// and the next two types are a file format.
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

// saved returns what restore needs. It shares memory with the evidence and must be encoded
// before the next page.
func (e *evidence) saved() *savedEvidence {
	s := &savedEvidence{Targets: make([]savedTarget, len(e.targets)), Pages: make([]savedLinking, len(e.pages)), FreeT: e.freeT, FreeP: e.freeP}
	for i := range e.targets {
		t := &e.targets[i]
		s.Targets[i] = savedTarget{t.url, e.linkingTo(t), t.k, t.m, t.queued}
	}
	for i := range e.pages {
		p := &e.pages[i]
		s.Pages[i] = savedLinking{p.ownWords(), placesOf(p.linkTargets()), p.visited, p.onTopic, p.refs, p.isWanted}
	}
	return s
}

// placesOf returns places that are stored as words in their own type.
func placesOf(kids []word) []uint32 {
	list := make([]uint32, len(kids))
	for i, k := range kids {
		list[i] = uint32(k)
	}
	return list
}

// restore replaces the evidence, which must be empty, by what was saved. The index is built
// again, with a new secret.
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
