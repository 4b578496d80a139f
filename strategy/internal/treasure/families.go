package treasure

import (
	"strings"

	"dowse"
	"dowse/internal/wire"
)

// families are the links of one page each, which are visited one after the other once the
// first of them was (parameter expand=parent, as Diligenti et al. 2000 do). A URL belongs
// to the family of its best linking page; the note of its lead names it. The struct is
// saved as JSON.
type families struct {
	Next    uint64                 `json:"next"` // number of the next family
	Members map[uint64][]dowse.URL `json:"members"`
	Held    int                    `json:"held"` // members of all
}

// maxMembers bounds the memory for families. Links of pages that arrive when there are more
// members are visited one by one.
const maxMembers = 500_000

// release appends leads for the other members of the family whose first member was just
// visited: before all queues, so that they are visited next.
func (f *families) release(leads []dowse.Lead, p *dowse.Page) []dowse.Lead {
	_, _, family := familyOf(p.Lead.Note)
	members := f.Members[family]
	because := []dowse.Because{{What: "on the same page as " + string(p.URL), Weight: 1}}
	for _, u := range members {
		if u != p.URL {
			leads = append(leads, dowse.Lead{URL: u, Priority: 1, Merge: dowse.Max, Because: because})
		}
	}
	f.Held -= len(members)
	delete(f.Members, family)
	return leads
}

// follow appends leads for the links of a page, as one family. A link that waits in a
// better family stays there. A family of one, or one beyond maxMembers, is not kept: its
// links wait as if they had none.
func (f *families) follow(leads []dowse.Lead, p *dowse.Page, as dowse.Lead) []dowse.Lead {
	f.Next++
	as.Merge, as.Note = dowse.Max, familyNote(as.Band, as.Priority, f.Next)
	var members []dowse.URL
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited || l.Target.State == dowse.Flying {
			continue
		}
		if band, sure, family := familyOf(l.Target.Note); family > 0 && (band < as.Band || band == as.Band && sure >= as.Priority) {
			continue
		}
		lead := as
		lead.URL = l.URL
		leads = append(leads, lead)
		members = append(members, dowse.URL(strings.Clone(string(l.URL))))
	}
	if len(members) > 1 && f.Held+len(members) <= maxMembers {
		if f.Members == nil {
			f.Members = map[uint64][]dowse.URL{}
		}
		f.Members[f.Next] = members
		f.Held += len(members)
	}
	return leads
}

// familyNoteSize is the length of a note: band, posterior, number of the family.
const familyNoteSize = 17 // bytes of a note

// familyNote encodes the rank of a lead and its family.
func familyNote(band int8, sure float64, family uint64) string {
	w := wire.Writer{B: make([]byte, 0, familyNoteSize)}
	w.Byte(byte(band))
	w.Float(sure)
	w.Uint64(family)
	return string(w.B)
}

// familyOf decodes a note. Any other note gives family 0, which does not exist.
func familyOf(note string) (band int8, sure float64, family uint64) {
	if len(note) != familyNoteSize {
		return 0, 0, 0
	}
	r := wire.Reader[string]{Rest: note}
	return int8(r.Byte()), r.Float(), r.Uint64()
}
