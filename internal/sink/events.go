package sink

import (
	"errors"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// Bounds of a batch. A round reads at most maxEntries entries, so that the cursor moves also
// where there is nothing to send.
const (
	maxBatch   = 256
	maxBytes   = 4 << 20
	maxEntries = 20_000
)

// rowBytes is about how large a record without a text is.
const rowBytes = 2 << 10

// A change is something in the journal after which a sink may have to be sent a record.
type change struct {
	place uint64 // of the entry that caused it
	at    time.Time
	// again is set for a change that another threshold caused, and not the entry itself.
	again *recheck
	// visit is the entry of the page concerned; nil for a takedown, of which only print, the
	// fingerprint of the URL, is known.
	visit *crawl.Entry
	print frontier.Fingerprint
	// known reports that the sink may have the page, so that the page is deleted there if
	// it is not to be sent any more.
	known bool
}

// A stretch is a part of the journal with the changes in it.
type stretch struct {
	changes []change
	to      position
	id      frontier.ID // of the entry at to
	at      time.Time
	recheck *recheck // what is left of a recheck after the stretch; nil for none
	size    int64
	more    bool // there is more to read
}

// isFull reports whether no more changes fit into the batch.
func (s *stretch) isFull() bool { return len(s.changes) >= maxBatch || s.size >= maxBytes }

// add adds a change.
func (s *stretch) add(c change, text string) {
	s.changes = append(s.changes, c)
	s.size += rowBytes
	if text != "none" && c.visit != nil {
		s.size += c.visit.Page.Fetch.Bytes
	}
}

// noURL leaves the strings of links out when an entry is decoded.
func noURL(frontier.ID) dowse.URL { return "" }

// A scanner finds changes in the journal of a collection that is open to read and not loaded.
type scanner struct {
	col  *collection.Collection
	spec Spec
	end  uint64 // of what is committed

	ruled *crawl.Journal // opened when a ruling is looked at; it knows the rulings
}

// close closes what the scanner has opened.
func (s *scanner) close() {
	if s.ruled != nil {
		s.ruled.Close()
	}
}

// next returns the changes after a position, up to until if that is set, otherwise as many
// as a batch holds.
func (s *scanner) next(from position, until *position) (*stretch, error) {
	out := &stretch{to: from}
	read := 0
	for e, err := range s.col.Journal.Visits(from.Place) {
		var gap *crawl.Gap
		if errors.As(err, &gap) && gap.At >= s.end {
			return out, nil // it is being written
		}
		if errors.As(err, &gap) {
			continue // damage of the journal loses the pages in it and no others
		}
		if err != nil {
			return nil, err
		}
		if from.passes(e.Place()) {
			continue
		}
		if e.Place() >= s.end || until != nil && until.Begun && e.Place() > until.Place {
			return out, nil
		}
		if until == nil && (out.isFull() || read == maxEntries) {
			out.more = true
			return out, nil
		}
		read++
		done, err := s.look(e, from, until, out)
		if err != nil {
			return nil, err
		}
		out.to, out.id, out.at = position{true, e.Place(), done}, e.ID, e.At
		if done > 0 { // of rulings, so there are more of them
			out.more = true
			return out, nil
		}
	}
	return out, nil
}

// look adds the changes of an entry to a stretch. done is the number of rulings that were looked
// at if the entry has more of them, otherwise 0.
func (s *scanner) look(e *crawl.Entry, from position, until *position, out *stretch) (done int, err error) {
	switch e.Kind {
	case crawl.EntryPage:
		if e.Page.Outcome == dowse.Fetched && (s.wants(e.Page.Verdict.Relevance) || e.Page.Again) {
			out.add(change{place: e.Place(), at: e.At, visit: e, known: e.Page.Again}, s.spec.text)
		}
		if e.Page.Outcome == dowse.Redirected && e.Page.Again {
			out.add(change{place: e.Place(), at: e.At, visit: e, known: true}, "none")
		}
	case crawl.EntryForget:
		if e.Print != (frontier.Fingerprint{}) {
			out.add(change{place: e.Place(), at: e.At, print: e.Print, known: true}, s.spec.text)
		}
	case crawl.EntryModel:
		if e.Parts == 0 {
			return 0, nil // it takes effect with a later entry
		}
		skip, most := 0, -1
		if from.Begun && from.Place == e.Place() {
			skip = from.Rulings
		}
		if until != nil && until.Begun && until.Place == e.Place() && until.Rulings > 0 {
			most = until.Rulings
		}
		return s.rulings(e, skip, most, out)
	}
	return 0, nil
}

// wants reports whether a page of a relevance is sent.
func (s *scanner) wants(relevance float64) bool { return s.spec.all || relevance >= s.col.Threshold() }

// rulings adds the changes that the rulings of a model make, from the skip-th on, until the
// batch is full or, if most is not negative, until the most-th. It returns the number of
// rulings up to there, 0 if these are all.
//
// A ruling is a change if it differs from the verdict before it. The record that is made of
// it has the verdict in effect, which may be a later one: then there is a later change, too.
// So the last change of a page always sends the verdict that it has.
func (s *scanner) rulings(mark *crawl.Entry, skip, most int, out *stretch) (int, error) {
	if s.ruled == nil {
		var err error
		if s.ruled, err = s.col.Journal.Reader(); err != nil {
			return 0, err
		}
	}
	m, err := s.ruled.Marks(mark.Place() + 1)
	if err != nil {
		return 0, err
	}
	s.ruled.SetRulings(m.Parts)
	n := 0
	for _, place := range m.Parts[len(m.Parts)-mark.Parts:] {
		part, err := s.ruled.Entry(place, noURL)
		if err != nil {
			return 0, err
		}
		for i := range part.Rulings {
			if n < skip {
				n++
				continue
			}
			if n == most || most < 0 && out.isFull() {
				return n, nil
			}
			n++
			c, err := s.ruling(mark, &part.Rulings[i])
			if err != nil {
				return 0, err
			}
			if c != nil {
				out.add(*c, s.spec.text)
			}
		}
	}
	return 0, nil
}

// ruling returns the change that a ruling makes, nil if it makes none.
func (s *scanner) ruling(mark *crawl.Entry, r *crawl.Ruling) (*change, error) {
	visit, err := s.col.Journal.Entry(r.Place, noURL)
	if err != nil || visit.Kind != crawl.EntryPage || visit.Page.Outcome != dowse.Fetched {
		return nil, nil // damaged, or taken down
	}
	was := visit.Page.Verdict.Relevance
	list, err := s.ruled.RulingsOn(r.Place)
	if err != nil {
		return nil, err
	}
	if n := len(list); n > 1 {
		was = list[n-2].Label.Verdict(list[n-2].Verdict).Relevance
	}
	now := r.Label.Verdict(r.Verdict).Relevance
	if was == now || !s.wants(was) && !s.wants(now) {
		return nil, nil
	}
	return &change{place: mark.Place(), at: mark.At, visit: visit, known: s.wants(was)}, nil
}

// again returns the next visits of a recheck.
func (s *scanner) again(r recheck) (*stretch, error) {
	out := &stretch{more: true}
	read, cause := 0, r
	for e, err := range s.col.Journal.Visits(r.Place) {
		var gap *crawl.Gap
		if errors.As(err, &gap) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.Begun && e.Place() <= r.Place {
			continue
		}
		if e.Place() > r.Until {
			break
		}
		if out.isFull() || read == maxEntries {
			out.recheck = &r
			return out, nil
		}
		read++
		if e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched {
			out.add(change{place: r.Until, at: r.At, again: &cause, visit: e, known: true}, s.spec.text)
		}
		r.Begun, r.Place = true, e.Place()
	}
	return out, nil
}
