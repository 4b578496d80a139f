package measure

import (
	"iter"
	"strings"
	"sync"
	"time"

	"dowse"
)

// A Step is one fetched page.
type Step struct {
	URL      dowse.URL
	Host     string
	Relevant bool          // by its label
	Seed     bool          // one of the pages that the crawl began with
	Trained  bool          // the judge was trained on it
	Judged   float64       // the judge's relevance
	OnTopic  bool          // the judge's verdict
	Popular  bool          // of the tenth of the topic's pages that most pages link to
	At       time.Duration // virtual time since the start
	Bytes    int64         // of the page; not below 0

	From   dowse.URL // the page whose link promised the most when this one was taken; "" for a seed, or where no link led there
	Anchor string    // of that link
}

// Steps are the fetched pages of a crawl, in order. A run has millions of them, on a few
// thousand different pages, so each takes 40 bytes without a pointer, and what they name
// is kept once, in [Names]. The zero value is empty and has names of its own. A copy is
// of the same steps, as with a slice.
type Steps struct {
	names *Names
	list  []step
}

// A step is a [Step] as it is kept.
type step struct {
	url, host, from, anchor uint32 // in the names
	judged                  float64
	at                      time.Duration
	size                    uint64 // bytes above, marks in the last bits
}

// The marks of a step, in the order in which files have them.
const (
	markRelevant = 1 << iota
	markSeed
	markTrained
	markOnTopic
	markPopular

	markBits = iota
)

func (s *step) is(mark uint64) bool { return s.size&mark != 0 }
func (s *step) bytes() int64        { return int64(s.size >> markBits) }

// StepsOf returns steps with names of their own.
func StepsOf(list ...Step) (s Steps) {
	for _, one := range list {
		s.Append(one)
	}
	return s
}

// Len returns how many there are.
func (s *Steps) Len() int { return len(s.list) }

// Append adds a step.
func (s *Steps) Append(one Step) {
	if s.names == nil {
		s.names = NewNames()
	}
	packed := step{judged: one.Judged, at: one.At, size: uint64(one.Bytes) << markBits}
	for i, on := range one.marks() {
		if on {
			packed.size |= 1 << i
		}
	}
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	packed.url, packed.host = s.names.number(string(one.URL)), s.names.number(one.Host)
	packed.from, packed.anchor = s.names.number(string(one.From)), s.names.number(one.Anchor)
	s.list = append(s.list, packed)
}

// marks tells of each mark whether the step has it.
func (s *Step) marks() [markBits]bool {
	return [...]bool{s.Relevant, s.Seed, s.Trained, s.OnTopic, s.Popular}
}

// At returns the i-th step, from 0.
func (s *Steps) At(i int) Step {
	k := &s.list[i]
	s.names.mu.RLock()
	defer s.names.mu.RUnlock()
	name := s.names.list
	return Step{
		URL: dowse.URL(name[k.url]), Host: name[k.host], From: dowse.URL(name[k.from]), Anchor: name[k.anchor],
		Relevant: k.is(markRelevant), Seed: k.is(markSeed), Trained: k.is(markTrained), OnTopic: k.is(markOnTopic), Popular: k.is(markPopular),
		Judged: k.judged, At: k.at, Bytes: k.bytes(),
	}
}

// All goes through the steps.
func (s *Steps) All() iter.Seq2[int, Step] {
	return func(yield func(int, Step) bool) {
		for i := range s.list {
			if !yield(i, s.At(i)) {
				return
			}
		}
	}
}

// Relevant counts the steps to relevant pages among the first k, or among all where there
// are fewer.
func (s *Steps) Relevant(k int) (n int) {
	for i := range s.list[:min(k, len(s.list))] {
		if s.list[i].is(markRelevant) {
			n++
		}
	}
	return n
}

// Led tells which link led to the i-th step.
func (s *Steps) SetOrigin(i int, from dowse.URL, anchor string) {
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	s.list[i].from, s.list[i].anchor = s.names.number(string(from)), s.names.number(anchor)
}

// Trim gives memory back that was kept for further steps.
func (s *Steps) Trim() {
	if cap(s.list) > len(s.list) {
		s.list = append(make([]step, 0, len(s.list)), s.list...)
	}
}

// Names keep what the steps of many trails name, each once. Trails that share them may
// be written and read by many goroutines.
type Names struct {
	mu   sync.RWMutex
	list []string
	at   map[string]uint32
}

// NewNames returns names for the trails of one run.
func NewNames() *Names {
	return &Names{list: []string{""}, at: map[string]uint32{"": 0}}
}

// Steps returns no steps, to be appended to.
func (n *Names) Steps() Steps { return Steps{names: n} }

// number returns the number of a name. The name is copied: as a part of a page it would
// hold the whole of it.
func (n *Names) number(s string) uint32 {
	if i, ok := n.at[s]; ok {
		return i
	}
	s = strings.Clone(s)
	i := uint32(len(n.list))
	n.list, n.at[s] = append(n.list, s), i
	return i
}
