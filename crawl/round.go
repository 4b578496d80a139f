package crawl

import (
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// rounds are how a crawl goes on that takes its leads by rounds, as the papers do. All
// methods do nothing if no round is under way.
type rounds struct {
	cur   *round
	again []frontier.ID // to be visited again in the next round
}

// isOpen reports whether a round is under way.
func (r *rounds) isOpen() bool { return r.cur != nil }

// has reports whether a URL is a member of the round that is under way.
func (r *rounds) has(id frontier.ID) bool { return r.cur != nil && r.cur.has(id) }

// back lets a member of the round be visited once more.
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

// requeueOrphans lets all members wait that have not come back.
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

// hasTurns reports whether members of the round have come back.
func (r *rounds) hasTurns() bool { return r.cur != nil && r.cur.left < len(r.cur.list) }

// isGivenUp reports whether members of the round have come back, and all others wait for
// hosts that are given up.
func (r *rounds) isGivenUp(givenUp func(frontier.ID) bool) bool {
	if !r.hasTurns() || len(r.cur.wait) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.cur.wait, func(id frontier.ID) bool { return !givenUp(id) })
}

// takeAgain returns the pages to be visited again, each once.
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
// followed against the state as it was when the list was made, in list order
// (SPEC B.1), whatever order the visits came back in.
type round struct {
	list  []frontier.ID
	place map[frontier.ID]int
	turns []*landed // by place in the list; nil while out
	wait  []frontier.ID
	left  int // visits that have not come back
}

// landed is a visit that came back, or a lead that was settled without one.
type landed struct {
	now time.Time
	fl  *flight
	p   *dowse.Page
}

func (r *round) has(id frontier.ID) bool { _, ok := r.place[id]; return ok }
