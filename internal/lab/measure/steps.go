package measure

import (
	"iter"
	"slices"
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
	Judged   float64       // relevance by the judge, 0 to 1
	OnTopic  bool          // Judged reaches the threshold
	Popular  bool          // in the tenth of the topic's pages with the most links to them
	Listed   bool          // a directory lists it
	At       time.Duration // virtual time since the start
	Bytes    int64         // size of the page, at least 0

	// Page of the best link to this one when it was visited; "" for a seed, or if
	// no link led here.
	From   dowse.URL
	Anchor string // text of that link
}

// Steps are the fetched pages of a crawl, in order. A run has millions of them on
// a few thousand different pages, so a step takes 40 bytes and has no pointers,
// and each name is stored once, in [Names]. The zero value is empty and has names
// of its own. A copy shares the steps, as with a slice.
type Steps struct {
	names *Names
	list  []step
}

// A step is a [Step] as it is stored.
type step struct {
	url, host, from, anchor uint32 // numbers in the Names
	judged                  float64
	at                      time.Duration
	size                    uint64 // Bytes << markBits | marks
}

// The marks of a step, in the order of their letters in files.
const (
	markRelevant = 1 << iota
	markSeed
	markTrained
	markOnTopic
	markPopular
	markListed

	markBits = iota
)

func (s *step) is(mark uint64) bool { return s.size&mark != 0 }
func (s *step) bytes() int64        { return int64(s.size >> markBits) }

// StepsOf returns steps with names of their own. It is for tests and small
// trails.
func StepsOf(list ...Step) (s Steps) {
	for _, one := range list {
		s.Append(one)
	}
	return s
}

// Len returns the number of steps.
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

// marks returns the marks in the order of their constants.
func (s *Step) marks() [markBits]bool {
	return [...]bool{s.Relevant, s.Seed, s.Trained, s.OnTopic, s.Popular, s.Listed}
}

// At returns the i-th step, from 0. It panics if there is none.
func (s *Steps) At(i int) Step {
	k := &s.list[i]
	s.names.mu.RLock()
	defer s.names.mu.RUnlock()
	name := s.names.list
	return Step{
		URL: dowse.URL(name[k.url]), Host: name[k.host], From: dowse.URL(name[k.from]), Anchor: name[k.anchor],
		Relevant: k.is(markRelevant), Seed: k.is(markSeed), Trained: k.is(markTrained), OnTopic: k.is(markOnTopic), Popular: k.is(markPopular), Listed: k.is(markListed),
		Judged: k.judged, At: k.at, Bytes: k.bytes(),
	}
}

// All iterates over the steps in order.
func (s *Steps) All() iter.Seq2[int, Step] {
	return func(yield func(int, Step) bool) {
		for i := range s.list {
			if !yield(i, s.At(i)) {
				return
			}
		}
	}
}

// Relevant counts the relevant pages among the first k steps, or among all if
// there are fewer.
func (s *Steps) Relevant(k int) (n int) {
	for i := range s.list[:min(k, len(s.list))] {
		if s.list[i].is(markRelevant) {
			n++
		}
	}
	return n
}

// SameURLs reports whether two crawls fetched the same pages in the same order.
func (s *Steps) SameURLs(other *Steps) bool {
	if len(s.list) != len(other.list) {
		return false
	}
	for i := range s.list {
		if s.names == other.names && s.list[i].url != other.list[i].url || s.names != other.names && s.At(i).URL != other.At(i).URL {
			return false
		}
	}
	return true
}

// SameVerdicts reports whether two crawls of as many pages took the same ones to be on
// topic, with the same relevance.
func (s *Steps) SameVerdicts(other *Steps) bool {
	return slices.EqualFunc(s.list, other.list, func(a, b step) bool {
		return a.judged == b.judged && a.is(markOnTopic) == b.is(markOnTopic)
	})
}

// SetOrigin records the link that led to the i-th step.
func (s *Steps) SetOrigin(i int, from dowse.URL, anchor string) {
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	s.list[i].from, s.list[i].anchor = s.names.number(string(from)), s.names.number(anchor)
}

// Trim releases memory that was reserved for further steps.
func (s *Steps) Trim() {
	if cap(s.list) > len(s.list) {
		s.list = append(make([]step, 0, len(s.list)), s.list...)
	}
}

// Names stores each name that the steps of many trails use once. Trails that
// share one may be written and read by several goroutines. Names are never
// removed.
type Names struct {
	mu   sync.RWMutex
	list []string // by number; 0 is ""
	at   map[string]uint32
}

// NewNames returns names for the trails of one run.
func NewNames() *Names {
	return &Names{list: []string{""}, at: map[string]uint32{"": 0}}
}

// Steps returns an empty list of steps that uses these names.
func (n *Names) Steps() Steps { return Steps{names: n} }

// number returns the number of a name, and adds it if it is new; the caller holds
// the lock. The name is copied: as a part of a page it would keep the whole page
// in memory.
func (n *Names) number(s string) uint32 {
	if i, ok := n.at[s]; ok {
		return i
	}
	s = strings.Clone(s)
	i := uint32(len(n.list))
	n.list, n.at[s] = append(n.list, s), i
	return i
}
