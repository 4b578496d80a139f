package strategy

import (
	"slices"
	"strings"

	"dowse"
)

// The evidence for a URL that was not visited is the visited pages that link to it.
// It is kept until the URL is visited or known to be dead, and a page as long as it
// is evidence for something.
type evidence struct {
	Targets []target
	Pages   []linking
	FreeT   []uint32 // places in Targets
	FreeP   []uint32 // places in Pages

	at      map[dowse.URL]uint32
	parents int // most to a target
	kids    int // most to a page
	round   uint32
}

// A target is a URL that visited pages link to.
type target struct {
	URL     dowse.URL
	Parents []uint32 // the first pages that link to it
	K, M    uint32   // all of those pages, and those on topic
	Queued  bool     // the crawl is to visit it

	round uint32 // in which it was last gathered
}

// linking is what is kept of a visited page that links to targets.
type linking struct {
	Words    []word
	Kids     []uint32 // the first of its targets; some may be others' by now
	Visited  uint32   // of all pages it links to
	OnTopic  uint32   // of those
	Refs     uint32   // targets that it is evidence for
	IsWanted bool     // it is on topic itself

	ln      float64 // what its words say
	version uint32  // of ln
}

func newEvidence(parents, kids int) *evidence {
	return &evidence{at: map[dowse.URL]uint32{}, parents: parents, kids: kids}
}

// restored is evidence as it was saved.
func (e *evidence) restored(parents, kids int) *evidence {
	e.parents, e.kids = parents, kids
	e.at = make(map[dowse.URL]uint32, len(e.Targets))
	for i := range e.Targets {
		if u := e.Targets[i].URL; u != "" {
			e.at[u] = uint32(i)
		}
	}
	return e
}

// find returns the target with a URL, nil if there is no evidence for it.
func (e *evidence) find(u dowse.URL) *target {
	if i, ok := e.at[u]; ok {
		return &e.Targets[i]
	}
	return nil
}

// want returns the place of the target with a URL, which is made if need be.
func (e *evidence) want(u dowse.URL) uint32 {
	if i, ok := e.at[u]; ok {
		return i
	}
	u = dowse.URL(strings.Clone(string(u))) // the page's own may hold on to all of it
	var i uint32
	i, e.FreeT, e.Targets = place(e.FreeT, e.Targets)
	e.Targets[i] = target{URL: u}
	e.at[u] = i
	return i
}

// page makes a page that is evidence for nothing yet.
func (e *evidence) page(words []word, on bool) (i uint32) {
	i, e.FreeP, e.Pages = place(e.FreeP, e.Pages)
	e.Pages[i] = linking{Words: words, IsWanted: on}
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
	t, p := &e.Targets[to], &e.Pages[page]
	t.K++
	if p.IsWanted {
		t.M++
	}
	e.attach(page, to)
}

func (e *evidence) attach(page, to uint32) {
	t, p := &e.Targets[to], &e.Pages[page]
	if len(t.Parents) >= e.parents {
		return
	}
	t.Parents = append(t.Parents, page)
	p.Refs++
	if len(p.Kids) < e.kids {
		p.Kids = append(p.Kids, to)
	}
}

// forget drops the evidence for a target.
func (e *evidence) forget(i uint32) {
	t := &e.Targets[i]
	for _, p := range t.Parents {
		e.Pages[p].Refs--
		e.tidy(p)
	}
	delete(e.at, t.URL)
	*t = target{}
	e.FreeT = append(e.FreeT, i)
}

// tidy frees a page that is evidence for nothing.
func (e *evidence) tidy(p uint32) {
	if e.Pages[p].Refs == 0 {
		e.Pages[p] = linking{}
		e.FreeP = append(e.FreeP, p)
	}
}

// unite gives all evidence for one target to another. Pages that link to both count
// once, as far as they are kept.
func (e *evidence) unite(from, to uint32) {
	f, t := &e.Targets[from], &e.Targets[to]
	t.K, t.M = t.K+f.K, t.M+f.M
	for _, p := range f.Parents {
		if !slices.Contains(t.Parents, p) {
			e.attach(p, to)
			continue
		}
		t.K--
		if e.Pages[p].IsWanted {
			t.M--
		}
	}
	t.Queued = t.Queued || f.Queued
	e.forget(from)
}

// visited tells the pages that link to a target how it turned out.
func (e *evidence) visited(t *target, on bool) {
	for _, p := range t.Parents {
		e.Pages[p].child(on)
	}
}

func (l *linking) child(on bool) {
	l.Visited++
	if on {
		l.OnTopic++
	}
}

// siblings appends the queued targets that share a page with t, at most most.
func (e *evidence) siblings(dst []uint32, t uint32, most int) []uint32 {
	e.gather()
	e.Targets[t].round = e.round
	for _, p := range e.Targets[t].Parents {
		page := &e.Pages[p]
		page.Kids = slices.DeleteFunc(page.Kids, func(k uint32) bool { return !slices.Contains(e.Targets[k].Parents, p) })
		for _, k := range page.Kids {
			if s := &e.Targets[k]; s.Queued && s.round != e.round && len(dst) < most {
				s.round = e.round
				dst = append(dst, k)
			}
		}
	}
	return dst
}

// gather begins a gathering in which each target is taken once.
func (e *evidence) gather() {
	if e.round++; e.round == 0 {
		for i := range e.Targets {
			e.Targets[i].round = 0
		}
		e.round = 1
	}
}
