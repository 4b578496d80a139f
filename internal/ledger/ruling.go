package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"dowse"
	"dowse/internal/frontier"
)

// Label is a person's verdict on a page. It overrules the judge.
type Label uint8

// The labels.
const (
	Unlabelled Label = iota
	LabelledOn
	LabelledOff
)

// Verdict returns the verdict that a person's label makes of the judge's own. Its
// reasons add up as those of judges do.
func (l Label) Verdict(own dowse.Verdict) dowse.Verdict {
	switch l {
	case LabelledOn:
		return dowse.Verdict{Relevance: 1, Scale: "share", Judge: own.Judge, Because: []dowse.Because{{What: "label on", Weight: 1}}}
	case LabelledOff:
		return dowse.Verdict{Scale: "share", Judge: own.Judge, Because: []dowse.Because{{What: "label off"}}}
	}
	return own
}

// A Ruling is a later verdict on a page that was visited already: by a newer model,
// or by a person. Its entry comes after that of the visit, and from then on it replaces the
// verdict in the visit's own entry.
type Ruling struct {
	Place   uint64        // of the visit's entry
	ID      frontier.ID   // of the page's URL
	Verdict dowse.Verdict // the judge's own
	Label   Label

	// Context and Anchor are the new ratings of the page's links: one to a mention, in
	// the order in which the page has them. Empty ones leave those of the visit.
	Context []float64
	Anchor  []float64
}

// Apply puts the ruling in the place of what the page was judged before. links are
// those of the page as it was extracted.
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

// MaxRulings keeps the entries of a model small enough to be read one by one.
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

// A RulingBook holds the rulings that hold: of each visit the latest. It knows their
// places in the journal and reads them when they are asked for.
type RulingBook struct {
	mu    sync.Mutex
	parts []uint64 // places of the entries that hold rulings, oldest first
	spans []span   // of parts: the first and the last visit ruled on
	made  bool
	at    map[uint64]rulingPlace // by the place of the visit
	open  map[uint64]*Entry      // parts that were read last
}

// A rulingPlace is where a ruling is: in which part, as which one.
type rulingPlace struct {
	part  uint32
	index uint32
}

type span struct{ first, last uint64 }

const openParts = 16 // that are kept in memory

// Set sets which entries hold rulings.
func (b *RulingBook) Set(parts []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts, b.spans, b.made, b.at, b.open = parts, nil, false, nil, nil
}

// On returns the ruling on the visit at a place, nil for none. It must not be changed.
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

// index reads every part once.
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

// read returns the part at a place.
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

// RulingsOn returns all rulings on the visit at a place, in the order in which they
// were given.
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

// SetRulings sets which entries hold rulings.
func (j *Journal) SetRulings(parts []uint64) { j.rulings.Set(parts) }

// RulingOn returns the ruling on the visit at a place, nil for none. It
// must not be changed.
func (j *Journal) RulingOn(place uint64) (*Ruling, error) { return j.rulings.On(j, place) }

// applyRuling puts the ruling on an entry's visit in the place of the verdict that the entry
// has.
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
