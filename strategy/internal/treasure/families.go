package treasure

import (
	"strings"

	"dowse"
	"dowse/internal/wire"
)

// families are the links that wait together: those of one page, which are visited one
// after the other once the first of them is. A URL belongs to the family of its best
// page; its note tells which that is.
type families struct {
	Next    uint64                 `json:"next"` // number of the next family
	Members map[uint64][]dowse.URL `json:"members"`
	Held    int                    `json:"held"` // members of all
}

// maxMembers bounds the memory for families. Links of pages that come when there are
// more are visited one by one.
const maxMembers = 500_000

// together queues, before all else, the family of a page that was visited as the
// first of it.
func (f *families) together(leads []dowse.Lead, p *dowse.Page) []dowse.Lead {
	_, _, family := kinOf(p.Lead.Note)
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

// follow queues the links of a page as one family. Those that wait in a better one
// stay there.
func (f *families) follow(leads []dowse.Lead, p *dowse.Page, as dowse.Lead) []dowse.Lead {
	f.Next++
	as.Merge, as.Note = dowse.Max, kinNote(as.Band, as.Priority, f.Next)
	var members []dowse.URL
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited || l.Target.State == dowse.Flying {
			continue
		}
		if band, sure, family := kinOf(l.Target.Note); family > 0 && (band < as.Band || band == as.Band && sure >= as.Priority) {
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

const kinSize = 17 // bytes of a note

func kinNote(band int8, sure float64, family uint64) string {
	w := wire.Writer{B: make([]byte, 0, kinSize)}
	w.Byte(byte(band))
	w.Float(sure)
	w.Uint64(family)
	return string(w.B)
}

// kinOf reads a note; of another kind of note the family is 0, which none is.
func kinOf(note string) (band int8, sure float64, family uint64) {
	if len(note) != kinSize {
		return 0, 0, 0
	}
	r := wire.Reader[string]{Rest: note}
	return int8(r.Byte()), r.Float(), r.Uint64()
}
