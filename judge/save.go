package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"dowse/internal/text"
)

// savedVersion is the version of the form in which [Save] writes judges down. [Load]
// reads this and all before it.
const savedVersion = 1

// saved is the envelope of a judge.
type saved struct {
	Kind    string          `json:"judge"`
	Version int             `json:"version"`
	Model   json.RawMessage `json:"model"`
}

// Save writes a judge down as JSON: its terms and their weights, for people to read
// and for [Load].
func Save(m Model) ([]byte, error) {
	model, err := m.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("judge: save %s: %w", m.Kind(), err)
	}
	return json.MarshalIndent(saved{m.Kind(), savedVersion, model}, "", " ")
}

// Load returns a judge that [Save] wrote down. It gives the same verdicts.
func Load(data []byte) (Model, error) {
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("judge: load: %w", err)
	}
	if s.Version < 1 || s.Version > savedVersion {
		return nil, fmt.Errorf("judge: load %s: version %d is not known here, %d is the latest", s.Kind, s.Version, savedVersion)
	}
	kind, err := kindOf(s.Kind)
	if err != nil {
		return nil, fmt.Errorf("judge: load: %w", err)
	}
	m, err := kind.load(s.Model)
	if err != nil {
		return nil, fmt.Errorf("judge: load %s: %w", s.Kind, err)
	}
	return m, nil
}

// savedSpace is how a space is written down.
type savedSpace struct {
	Language  string   `json:"language,omitempty"`
	Prefix    int      `json:"prefix,omitempty"`
	Head      float64  `json:"head,omitempty"`
	Damp      bool     `json:"damp,omitempty"`
	Raw       bool     `json:"raw,omitempty"`
	Counts    bool     `json:"counts,omitempty"` // no TF-IDF
	Documents int      `json:"documents"`
	Terms     []string `json:"terms"`
	DF        []int    `json:"df"`
}

func save(s *space) savedSpace {
	f := s.features
	v := savedSpace{
		Language: f.Language, Prefix: f.Prefix, Head: f.Head, Damp: f.Damp, Raw: f.Raw,
		Counts: s.counts, Documents: s.words.Docs(), Terms: s.words.Terms(), DF: make([]int, s.size),
	}
	for i := range v.DF {
		v.DF[i] = s.words.DF(int32(i))
	}
	return v
}

// load reads a judge into whole, of which v is a part, and returns its space.
func (v *savedSpace) load(data []byte, whole any) (*space, error) {
	if err := json.Unmarshal(data, whole); err != nil {
		return nil, err
	}
	if len(v.Terms) > maxTerms {
		return nil, fmt.Errorf("%d terms, %d is the limit", len(v.Terms), maxTerms)
	}
	words, err := text.NewVocabulary(v.Documents, v.Terms, v.DF)
	if err != nil {
		return nil, err
	}
	f := Features{Language: v.Language, Prefix: v.Prefix, Head: v.Head, Damp: v.Damp, Raw: v.Raw}
	return newSpace(f, words, !v.Counts), nil
}

// sameLength reports whether a list has the length it must have.
func sameLength(what string, n, want int) error {
	if n != want {
		return fmt.Errorf("%d %s, not %d", n, what, want)
	}
	return nil
}

// maxTerms bounds the terms of a judge that was written down.
const maxTerms = 1 << 18

// maxNumber bounds what a number in a saved judge can be, so that sums of them are
// numbers.
const maxNumber = 1e12

// sane reports whether no number is beyond reason.
func sane(lists ...[]float64) error {
	for _, list := range lists {
		for _, x := range list {
			if !(math.Abs(x) <= maxNumber) {
				return fmt.Errorf("%g is beyond reason", x)
			}
		}
	}
	return nil
}

// DropTerms returns a judge that [Save] wrote down without some of its terms. It reports
// false, and changes nothing, for a kind of judge in which terms are known by their
// places: there a term can only be renamed. A logistic judge knows terms by their hashes,
// so a renamed one would give its weight to other words.
func DropTerms(data []byte, gone func(term string) bool) (rest []byte, ok bool, err error) {
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, false, fmt.Errorf("judge: %w", err)
	}
	if s.Kind != "logistic" {
		return nil, false, nil
	}
	var v savedOnline
	if err := json.Unmarshal(s.Model, &v); err != nil {
		return nil, false, fmt.Errorf("judge: %w", err)
	}
	v.Terms = slices.DeleteFunc(v.Terms, func(e savedEntry) bool { return gone(e.Term) })
	if s.Model, err = json.Marshal(v); err == nil {
		rest, err = json.MarshalIndent(s, "", " ")
	}
	return rest, err == nil, err
}
