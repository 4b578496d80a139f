package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"dowse"
	"dowse/internal/frontier"
)

// Label is the verdict of a person on a page. It overrides that of the judge.
// Its numbers are written to disk.
type Label uint8

// The labels.
const (
	Unlabelled Label = iota
	LabelledOn
	LabelledOff
)

// Verdict returns the verdict on a page with this label, given that of the judge.
// Its reasons add up to the relevance, as those of judges do.
func (l Label) Verdict(own dowse.Verdict) dowse.Verdict {
	switch l {
	case LabelledOn:
		return dowse.Verdict{Relevance: 1, Scale: "share", Judge: own.Judge, Because: []dowse.Because{{What: "label on", Weight: 1}}}
	case LabelledOff:
		return dowse.Verdict{Scale: "share", Judge: own.Judge, Because: []dowse.Because{{What: "label off"}}}
	}
	return own
}

// A Ruling is a later verdict on a visit: by a newer model, or by a person. The
// entry of the visit is not changed. Rulings are recorded in entries of their own
// at the end of the journal, and from then on every reader applies the latest
// one.
type Ruling struct {
	Place   uint64        // of the visit's entry
	ID      frontier.ID   // of the page's URL
	Verdict dowse.Verdict // the judge's own
	Label   Label

	// Context and Anchor are the new ratings of the links of the page, one per
	// mention, in the order of the page. Empty lists leave the ratings of the
	// visit.
	Context []float64
	Anchor  []float64
}

// Apply replaces the verdict of the page and the ratings of its links with those
// of the ruling. links are those of the page as it was extracted.
func (r *Ruling) Apply(p *dowse.Page, links []dowse.Link) {
	p.Verdict = r.Label.Verdict(r.Verdict)
	i := 0
	rate := func(m *dowse.Mention) {
		if i < len(r.Context) {
			m.Context = r.Context[i]
		}
		if i < len(r.Anchor) {
			m.AnchorScore = r.Anchor[i]
		}
		i++
	}
	for k := range links {
		rate(&links[k].Mention)
		for n := range links[k].More {
			rate(&links[k].More[n])
		}
	}
}

// MaxRulings is how many rulings one entry holds at most. A model that rules on
// more pages writes several entries, so that a reader can load a few of them.
const MaxRulings = 256

func (w *enc) model(e *Entry) {
	w.s(e.Model)
	w.u(uint64(e.Parts))
	w.u(uint64(len(e.Rulings)))
	for i := range e.Rulings {
		r := &e.Rulings[i]
		w.u(r.Place)
		w.u(uint64(r.ID))
		w.byte(byte(r.Label))
		w.verdict(&r.Verdict)
		w.floats(r.Context)
		w.floats(r.Anchor)
	}
}

const rulingSize = 15 // bytes, at least

func (r *dec) model(e *Entry) {
	e.Model = r.s()
	e.Parts = int(r.u())
	n := r.count(rulingSize)
	if n > 0 {
		e.Rulings = make([]Ruling, n)
	}
	for i := range e.Rulings {
		x := &e.Rulings[i]
		x.Place, x.ID, x.Label = r.u(), frontier.ID(r.u()), Label(r.byte())
		r.verdict(&x.Verdict)
		x.Context, x.Anchor = r.floats(), r.floats()
	}
}

func (w *enc) floats(list []float64) {
	w.u(uint64(len(list)))
	for _, f := range list {
		w.f(f)
	}
}

func (r *dec) floats() []float64 {
	n := r.count(8)
	if n == 0 {
		return nil
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = r.f()
	}
	return list
}

// A RulingBook finds the rulings in effect: of each visit the latest. In memory
// it has only where they are, 16 bytes per ruling and a few entries that were
// read last; the rulings themselves are read from the journal. It is safe for
// concurrent use.
type RulingBook struct {
	mu    sync.Mutex
	parts []uint64               // places of the entries that hold rulings, oldest first
	spans []span                 // by part: the places of the first and the last visit ruled on
	made  bool                   // at and spans are made
	at    map[uint64]rulingPlace // by the place of the visit
	open  map[uint64]*Entry      // parts that were read last
}

// A rulingPlace is where a ruling is: the index of its part, and its index in
// that part.
type rulingPlace struct {
	part  uint32
	index uint32
}

type span struct{ first, last uint64 }

// openParts is how many parts are kept in memory. Scans ask for rulings in the
// order of visits, which is their order in each part, so a few suffice.
const openParts = 16

// Set sets which entries hold rulings, oldest first. A later part overrides an
// earlier one.
func (b *RulingBook) Set(parts []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts, b.spans, b.made, b.at, b.open = parts, nil, false, nil, nil
}

// On returns the latest ruling on the visit at a place, nil for none. The caller
// must not change it.
func (b *RulingBook) On(j *Journal, place uint64) (*Ruling, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.parts) == 0 {
		return nil, nil
	}
	if err := b.index(j); err != nil {
		return nil, err
	}
	d, ok := b.at[place]
	if !ok {
		return nil, nil
	}
	e, err := b.read(j, b.parts[d.part])
	if err != nil {
		return nil, err
	}
	return &e.Rulings[d.index], nil
}

// index reads every part once, when the first ruling is asked for. Parts are read
// oldest first, so a later ruling on the same visit replaces an earlier one.
func (b *RulingBook) index(j *Journal) error {
	if b.made {
		return nil
	}
	b.at, b.spans = map[uint64]rulingPlace{}, make([]span, len(b.parts))
	for p, place := range b.parts {
		e, err := b.read(j, place)
		if err != nil {
			return err
		}
		for i := range e.Rulings {
			b.at[e.Rulings[i].Place] = rulingPlace{uint32(p), uint32(i)}
		}
		if n := len(e.Rulings); n > 0 {
			b.spans[p] = span{e.Rulings[0].Place, e.Rulings[n-1].Place}
		}
	}
	b.made = true
	return nil
}

// read returns the part at a place, from memory if it was read recently.
func (b *RulingBook) read(j *Journal, place uint64) (*Entry, error) {
	if e := b.open[place]; e != nil {
		return e, nil
	}
	r, err := j.recordAt(place)
	if err != nil {
		return nil, err
	}
	e, err := readEntry(r.payload[r.body:], noURL, nil)
	if err != nil || e.Kind != EntryModel {
		return nil, fmt.Errorf("journal: no rulings at %d: %w", place, cmp.Or(err, errShort))
	}
	if len(b.open) >= openParts {
		clear(b.open)
	}
	if b.open == nil {
		b.open = map[uint64]*Entry{}
	}
	b.open[place] = e
	return e, nil
}

// A ModelRuling is a ruling and the model that gave it.
type ModelRuling struct {
	Model string
	Ruling
}

// RulingsOn returns all rulings on the visit at a place, oldest first. Rulings of
// a part are sorted by place, so parts that can't contain it are skipped.
func (j *Journal) RulingsOn(place uint64) (list []ModelRuling, err error) {
	b := &j.rulings
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.index(j); err != nil {
		return nil, err
	}
	for p, part := range b.parts {
		if s := b.spans[p]; place < s.first || place > s.last {
			continue
		}
		e, err := b.read(j, part)
		if err != nil {
			return nil, err
		}
		i, ok := slices.BinarySearchFunc(e.Rulings, place, func(r Ruling, p uint64) int { return cmp.Compare(r.Place, p) })
		if ok {
			list = append(list, ModelRuling{e.Model, e.Rulings[i]})
		}
	}
	return list, nil
}

// SetRulings sets which entries hold the rulings that readers apply from now on.
func (j *Journal) SetRulings(parts []uint64) { j.rulings.Set(parts) }

// RulingOn returns the ruling in effect on the visit at a place, nil for none.
// The caller must not change it.
func (j *Journal) RulingOn(place uint64) (*Ruling, error) { return j.rulings.On(j, place) }

// applyRuling applies the ruling in effect to the entry of a visit; other entries
// stay as they are.
func (j *Journal) applyRuling(e *Entry) error {
	if e.Kind != EntryPage {
		return nil
	}
	r, err := j.rulings.On(j, e.place)
	if r != nil {
		r.Apply(e.Page, e.Found)
	}
	return err
}
