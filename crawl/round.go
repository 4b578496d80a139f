package crawl

import (
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// rounds organises a crawl by rounds, as the papers describe it: the best leads are taken
// as a list, all of them are visited, and only then is the strategy called for their
// pages, in the order of the list. So the result does not depend on which host answers
// first, and a crawl by rounds can be compared with a published one to the last page.
//
// Until a round is complete its pages are kept in memory and have no entry in the
// journal. If the crawl stops before, endRound follows those that have come; if it
// crashes, the round is visited again. Without a round under way the methods do nothing.
type rounds struct {
	cur   *round
	again []frontier.ID // to be visited again in the next round
}

// isOpen reports whether a round is under way.
func (r *rounds) isOpen() bool { return r.cur != nil }

// has reports whether a URL is a member of the round that is under way.
func (r *rounds) has(id frontier.ID) bool { return r.cur != nil && r.cur.has(id) }

// back lets a member of the round be visited once more, after a temporary failure.
func (r *rounds) back(id frontier.ID) {
	if r.has(id) {
		r.cur.wait = append(r.cur.wait, id)
	}
}

// leave takes a member out of those that wait.
func (r *rounds) leave(id frontier.ID) {
	if r.cur == nil {
		return
	}
	if i := slices.Index(r.cur.wait, id); i >= 0 {
		r.cur.wait = slices.Delete(r.cur.wait, i, i+1)
	}
}

// requeueOrphans lets all members wait that have not come back: no driver makes their
// visits any more.
func (r *rounds) requeueOrphans() {
	if r.cur == nil {
		return
	}
	r.cur.wait = r.cur.wait[:0]
	for i, id := range r.cur.list {
		if r.cur.turns[i] == nil {
			r.cur.wait = append(r.cur.wait, id)
		}
	}
}

// open makes a list of leads the round that is under way.
func (r *rounds) open(list []frontier.ID) {
	if len(list) == 0 {
		r.cur = nil
		return
	}
	n := &round{list: list, place: make(map[frontier.ID]int, len(list)), turns: make([]*landed, len(list)), left: len(list)}
	for i, id := range list {
		n.place[id] = i
	}
	n.wait = append(n.wait, list...)
	r.cur = n
}

// arrive keeps what came of a member, and returns all members in list order when the last
// has come. The round is over then.
func (r *rounds) arrive(l *landed) (all []*landed) {
	n := r.cur
	at := n.place[l.fl.id]
	if n.turns[at] != nil {
		return nil
	}
	n.turns[at] = l
	if n.left--; n.left > 0 {
		return nil
	}
	r.cur = nil
	return n.turns
}

// arrived returns the members that have come, in list order.
func (r *rounds) arrived() (turns []*landed, list []frontier.ID) {
	for _, l := range r.cur.turns {
		if l != nil {
			turns, list = append(turns, l), append(list, l.fl.id)
		}
	}
	return turns, list
}

// hasTurns reports whether members of the round have come back. Such a round must be
// ended before the crawl does, or these pages were fetched in vain.
func (r *rounds) hasTurns() bool { return r.cur != nil && r.cur.left < len(r.cur.list) }

// isGivenUp reports whether members of the round have come back, and all others wait for
// hosts that are given up. Then the round ends without them: one dead host must not keep
// a crawl by rounds from going on.
func (r *rounds) isGivenUp(givenUp func(frontier.ID) bool) bool {
	if !r.hasTurns() || len(r.cur.wait) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.cur.wait, func(id frontier.ID) bool { return !givenUp(id) })
}

// takeAgain returns the pages that the strategy wants visited again, each once, and
// empties the list. They join the next round, whatever their priority.
func (r *rounds) takeAgain(f *urls) (list []frontier.ID) {
	for _, id := range r.again {
		if f.State(id) == dowse.Visited && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	r.again = nil
	return list
}

// turnBack moves all times by as much as the clock was set back.
func (r *rounds) turnBack(by time.Duration) {
	if r.cur == nil {
		return
	}
	for _, l := range r.cur.turns {
		if l != nil {
			l.now = l.now.Add(-by)
		}
	}
}

// A round is a list of leads that are visited together. Every page of it is
// followed against the state as it was when the list was made, in list order,
// whatever order the visits came back in.
type round struct {
	list  []frontier.ID
	place map[frontier.ID]int
	turns []*landed     // by place in the list; nil while out
	wait  []frontier.ID // members that are neither visited nor in flight
	left  int           // visits that have not come back
}

// landed is a visit that came back, or a lead that was settled without one.
type landed struct {
	now time.Time
	fl  *flight
	p   *dowse.Page
}

func (r *round) has(id frontier.ID) bool { _, ok := r.place[id]; return ok }
