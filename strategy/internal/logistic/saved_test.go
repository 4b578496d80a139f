package logistic_test

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"testing"

	"dowse"
	"dowse/strategy/internal/logistic"
	"dowse/strategy/internal/state"
)

// The saved forms as collections hold them. They are written out here a second time, so
// that a change of a field's name in the package fails a test instead of losing what a
// crawl has learnt.
type (
	cellForm  struct{ N, C float64 }
	placeForm struct {
		Hash uint64
		Cell cellForm
	}
	leadForm struct {
		URL      dowse.URL
		Note     string
		Priority float64
	}
	weightForm struct{ W, G float64 }
	wordForm   struct {
		Place [3]float32
		Topic float32
	}
	seenForm  struct{ N, C float32 }
	modelForm struct {
		Signals []weightForm
		Words   []wordForm
		Squares [][3]float32
		Seen    []seenForm
		Pages   cellForm
	}
	onlineForm struct {
		Weights []weightForm
		Base    cellForm
		Pages   []cellForm
		Next    uint32
		Hosts   []placeForm
		Kept    []leadForm
		Turn    int
		Hand    int
	}
	autoStateForm struct {
		Base     cellForm
		Pages    []cellForm
		Next     uint32
		Sections []placeForm
		Places   []placeForm
		Kept     []leadForm
		Turn     int
		Hand     int
	}
	autoForm struct {
		Model  modelForm
		State  autoStateForm
		Tables *tablesForm
	}
	tablesForm struct{ Words, Squares, Seen, Pages, Sections, Places []byte }
)

// saver is what a crawl saves of a strategy.
type saver interface {
	dowse.Strategy
	Save() ([]byte, error)
	Load([]byte) error
	Rescore(dowse.Lead) float64
}

// TestSavedForm saves a strategy that has learnt, reads it in the form that collections
// hold, writes that again, and loads it: leads are rated as before.
func TestSavedForm(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() saver
		form func() any
		used func(form any) bool // whether every part of the form was filled
	}{
		{"online", func() saver { return &logistic.Online{} }, func() any { return &onlineForm{} }, func(form any) bool {
			f := form.(*onlineForm)
			return len(f.Weights) > 0 && f.Base.N > 0 && len(f.Pages) > 0 && f.Next > 1 && len(f.Hosts) > 0 && len(f.Kept) > 0
		}},
		{"auto", func() saver { return &logistic.Auto{} }, func() any { return &autoForm{} }, func(form any) bool {
			f := form.(*autoForm)
			m, s, t := &f.Model, &f.State, f.Tables
			return len(m.Signals) > 0 && len(t.Words) > 0 && len(t.Squares) > 0 && len(t.Seen) > 0 && m.Pages.N > 0 &&
				s.Base.N > 0 && len(t.Pages) > 0 && s.Next > 1 && len(t.Sections) > 0 && len(t.Places) > 0 && len(s.Kept) > 0
		}},
	} {
		s := c.make()
		said := map[dowse.URL]dowse.Lead{}
		heard(said, s.Follow(autoPage("http://hub.test/", 0.5, "", said, 0, "kelp forest", "shop prices", "kelp", "shop")))
		for i := range 2 {
			heard(said, s.Follow(autoPage(autoURL(i), 1-float64(i), "tide", said, 100)))
		}
		b, err := s.Save()
		if err != nil {
			t.Fatal(err)
		}
		form := c.form()
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(form); err != nil {
			t.Fatal(err)
		}
		if !c.used(form) {
			t.Errorf("%s: parts of the form are empty", c.name)
		}
		var again bytes.Buffer
		if err := gob.NewEncoder(&again).Encode(form); err != nil {
			t.Fatal(err)
		}
		restored := c.make()
		if err := restored.Load(again.Bytes()); err != nil {
			t.Fatal(err)
		}
		for u, l := range said {
			if got, want := restored.Rescore(l), s.Rescore(l); got != want {
				t.Errorf("%s: %s is rated %v after loading, %v before", c.name, u, got, want)
			}
		}
	}
}

// TestSavedBeforePacking loads a state of auto whose tables are where they belong, as they
// were saved before they were packed.
func TestSavedBeforePacking(t *testing.T) {
	s := &logistic.Auto{}
	said := map[dowse.URL]dowse.Lead{}
	heard(said, s.Follow(autoPage("http://hub.test/", 0.5, "", said, 0, "kelp forest", "shop prices", "kelp", "shop")))
	heard(said, s.Follow(autoPage(autoURL(0), 1, "tide", said, 100)))
	b, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	var form autoForm
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&form); err != nil {
		t.Fatal(err)
	}
	packed := form.Tables
	form.Tables = nil
	unpack(t, packed.Words, &form.Model.Words)
	unpack(t, packed.Squares, &form.Model.Squares)
	unpack(t, packed.Seen, &form.Model.Seen)
	unpack(t, packed.Pages, &form.State.Pages)
	unpack(t, packed.Sections, &form.State.Sections)
	unpack(t, packed.Places, &form.State.Places)
	var older bytes.Buffer
	if err := gob.NewEncoder(&older).Encode(form); err != nil {
		t.Fatal(err)
	}
	restored := &logistic.Auto{}
	if err := restored.Load(older.Bytes()); err != nil {
		t.Fatal(err)
	}
	for u, l := range said {
		if got, want := restored.Rescore(l), s.Rescore(l); got != want {
			t.Errorf("%s is rated %v after loading, %v before", u, got, want)
		}
	}
}

// unpack makes a table of the size that is packed, and fills it.
func unpack[T comparable](t *testing.T, packed []byte, table *[]T) {
	t.Helper()
	n, _ := binary.Uvarint(packed)
	*table = make([]T, n)
	if err := state.Unpack(packed, *table); err != nil {
		t.Fatal(err)
	}
}
