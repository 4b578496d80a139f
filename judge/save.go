package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"dowse/text"
)

// savedVersion is the version of the format that [Save] writes. [Load] reads this and
// all earlier ones.
const savedVersion = 1

// saved is the envelope of every saved judge.
type saved struct {
	Kind    string          `json:"judge"`
	Version int             `json:"version"`
	Model   json.RawMessage `json:"model"`
}

// Save returns a judge as indented JSON, readable for people and for [Load]. Equal
// judges give equal bytes.
func Save(m Model) ([]byte, error) {
	model, err := m.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("judge: save %s: %w", m.Kind(), err)
	}
	return json.MarshalIndent(saved{m.Kind(), savedVersion, model}, "", " ")
}

// Load returns the judge that [Save] wrote. It gives the same verdicts. The data may
// come from anywhere: sizes and numbers are checked before they are used.
func Load(data []byte) (Model, error) {
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("judge: load: %w", err)
	}
	if s.Version < 1 || s.Version > savedVersion {
		return nil, fmt.Errorf("judge: load %s: version %d is unknown (at most %d)", s.Kind, s.Version, savedVersion)
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

// savedSpace is the saved form of a space.
type savedSpace struct {
	Language  string   `json:"language,omitempty"`
	Prefix    int      `json:"prefix,omitempty"`
	Head      float64  `json:"head,omitempty"`
	Damp      bool     `json:"damp,omitempty"`
	Raw       bool     `json:"raw,omitempty"`
	Counts    bool     `json:"counts,omitempty"` // plain counts instead of TF-IDF
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

// load reads a judge into whole, which must embed v, and returns its space.
func (v *savedSpace) load(data []byte, whole any) (*space, error) {
	if err := json.Unmarshal(data, whole); err != nil {
		return nil, err
	}
	if len(v.Terms) > maxTerms {
		return nil, fmt.Errorf("%d terms (at most %d)", len(v.Terms), maxTerms)
	}
	words, err := text.NewVocabulary(v.Documents, v.Terms, v.DF)
	if err != nil {
		return nil, err
	}
	f := Features{Language: v.Language, Prefix: v.Prefix, Head: v.Head, Damp: v.Damp, Raw: v.Raw}
	return newSpace(f, words, !v.Counts), nil
}

// sameLength returns an error if a list does not have the wanted length.
func sameLength(what string, n, want int) error {
	if n != want {
		return fmt.Errorf("%d %s (want %d)", n, what, want)
	}
	return nil
}

// maxTerms limits the terms of a saved judge.
const maxTerms = 1 << 18

// maxNumber limits the numbers in a saved judge, so that sums and products of them
// stay finite.
const maxNumber = 1e12

// sane returns an error if a number is NaN, infinite or larger than maxNumber.
func sane(lists ...[]float64) error {
	for _, list := range lists {
		for _, x := range list {
			if !(math.Abs(x) <= maxNumber) {
				return fmt.Errorf("number %g is out of range", x)
			}
		}
	}
	return nil
}

// DropTerms returns a saved judge without the terms for which gone is true, as a
// takedown requires. ok is false, and nothing is changed, for kinds that refer to
// terms by position: there a term can only be renamed by the caller. A logistic judge
// refers to terms by hash, so a renamed term would give its weight to other words, and
// must be removed.
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
