package logistic

import (
	"math"
	"strings"

	"dowse"
)

const keptLeads = 2000

// waiting holds leads that wait in the frontier and are rated again after each page, some
// at a time. It keeps the best of what it is offered, approximately.
type waiting struct {
	list  []keptLead
	links []link            // of list, by index
	at    map[dowse.URL]int // index in list; every URL of the list is in it
	turn  int               // index that was returned last by next
	hand  int               // index at which room continues
}

// A keptLead is a waiting lead with the priority that it has in the frontier. The name is
// that of the saved form.
type keptLead struct {
	URL      dowse.URL
	Note     string
	Priority float64
}

// keep keeps a lead that is not in the list, with what it is rated by. If there is no room it
// replaces a worse one.
func (w *waiting) keep(u dowse.URL, note string, z float64, e *link) {
	i, ok := w.room(z)
	if !ok {
		return
	}
	delete(w.at, w.list[i].URL)
	u = dowse.URL(strings.Clone(string(u)))
	w.at[u] = i
	w.list[i].URL = u
	w.replace(i, note, z, e)
}

// replace sets what is known of the lead in a place.
func (w *waiting) replace(i int, note string, z float64, e *link) {
	w.list[i].Note, w.list[i].Priority = note, z
	w.links[i] = *e
}

// room returns a place for a lead with priority z: a new one, or the worst of eight
// that come next in turn, if it is worse than z. Looking at eight instead of all makes
// the cost constant.
func (w *waiting) room(z float64) (place int, ok bool) {
	if len(w.list) < keptLeads {
		w.list = append(w.list, keptLead{})
		w.links = append(w.links, link{})
		return len(w.list) - 1, true
	}
	place = w.hand
	for range 8 {
		if l := &w.list[w.hand]; l.URL == "" || l.Priority < w.list[place].Priority {
			place = w.hand
		}
		w.hand = w.after(w.hand)
	}
	return place, w.list[place].URL == "" || w.list[place].Priority < z
}

// remove removes the lead for a URL, if there is one.
func (w *waiting) remove(u dowse.URL) {
	if i, ok := w.at[u]; ok {
		w.list[i] = keptLead{Priority: math.Inf(-1)}
		delete(w.at, u)
	}
}

// after returns the index after i, in turn. It runs some hundred times for a page, where a division would cost as much as
// the rest.
func (w *waiting) after(i int) int {
	if i++; i < len(w.list) {
		return i
	}
	return i % len(w.list)
}

// next returns the next lead in turn and what it is rated by, and nil for an empty place.
func (w *waiting) next() (*keptLead, *link) {
	w.turn = w.after(w.turn)
	if l := &w.list[w.turn]; l.URL != "" {
		return l, &w.links[w.turn]
	}
	return nil, nil
}
