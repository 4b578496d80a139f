package extract

import (
	"golang.org/x/net/html/atom"
)

// A frame is an open element.
type frame struct {
	tag    tag
	kind   kind
	space  space
	hidden bool
	marked uint8 // see Options.Mark
	mode   mode  // the insertion mode when it was opened
	at     int32 // bytes of text before it
	mark   int32 // number of mentions in links.open when it was opened
	block  int32 // index of the innermost block, itself included; -1 for none
	anchor int32 // for a marker: the mention that was open around it
}

// A stack holds the open elements below body. An element deeper than max is
// only counted, so that its end tag does not close another one.
//
// The rules of the standard often ask whether an element is "in scope": open, and
// not separated from the innermost one by an element such as a table cell. find
// answers that; its cost is counted in work, because a page of unclosed elements
// could make every tag search the whole stack.
type stack struct {
	frames []frame
	body   frame
	max    int // how many frames may be open
	over   int // number of elements that are open beyond max
	paras  int // number of open p elements: mostly 0, which saves a search
	work   int // comparisons that are left of Options.Work
}

// top returns the innermost element, or body if none is open. It must not be
// kept.
func (s *stack) top() *frame {
	if len(s.frames) == 0 {
		s.body = frame{tag: tag(atom.Body), block: -1}
		return &s.body
	}
	return &s.frames[len(s.frames)-1]
}

// is reports whether the innermost element is the HTML element t.
func (s *stack) is(t atom.Atom) bool {
	n := len(s.frames)
	return n > 0 && s.frames[n-1].tag == tag(t) && s.frames[n-1].space == inHTML
}

// foreign reports whether the innermost element is one of SVG or MathML.
func (s *stack) foreign() bool {
	n := len(s.frames)
	return n > 0 && s.frames[n-1].space != inHTML
}

// find returns the index of the innermost t, -1 if there is none or if an
// element of the kind ends is open in it.
func (s *stack) find(t atom.Atom, ends kind) int {
	if t == atom.P && s.paras == 0 {
		return -1
	}
	return s.findFunc(ends, func(f *frame) bool { return f.tag == tag(t) })
}

// findFunc is find for elements that match.
func (s *stack) findFunc(ends kind, match func(*frame) bool) int {
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		s.work--
		if f.space == inHTML && match(f) {
			return i
		}
		if f.kind&ends != 0 {
			return -1
		}
	}
	return -1
}

// push opens an element.
func (s *stack) push(f frame, p *pass) {
	if len(s.frames) >= s.max {
		s.over++
		return
	}
	n := int32(len(s.frames))
	f.mode = p.mode
	f.at, f.mark, f.block = int32(p.text.len()), int32(len(p.link.open)), -1
	if n > 0 {
		f.block = s.frames[n-1].block
	}
	if f.kind&block != 0 {
		f.block = n
	}
	s.frames = append(s.frames, f)
	p.opened(&s.frames[n])
}

// pop closes the innermost element.
func (s *stack) pop(p *pass) {
	n := len(s.frames) - 1
	f := s.frames[n]
	s.frames = s.frames[:n]
	p.closed(&f)
}

// popTo closes elements until n are open.
func (s *stack) popTo(n int, p *pass) {
	// Elements beyond max are inside of those that are closed here.
	s.over = 0
	for len(s.frames) > n {
		s.pop(p)
	}
}

// popImplied closes elements that need no end tag, except those called but.
func (s *stack) popImplied(but tag, p *pass) {
	for len(s.frames) > 0 {
		f := s.top()
		if f.kind&implied == 0 || f.space != inHTML || f.tag == but {
			return
		}
		s.pop(p)
	}
}

// remove removes element i and leaves the elements in it open.
func (s *stack) remove(i int, p *pass) {
	p.endMark(&s.frames[i])
	s.frames = append(s.frames[:i], s.frames[i+1:]...)
	// The blocks of the elements above moved down by one.
	s.work -= len(s.frames) - i
	for j := i; j < len(s.frames); j++ {
		if s.frames[j].block > int32(i) {
			s.frames[j].block--
		}
	}
}

// blockStart returns the byte of the text at which the innermost open block
// begins.
func (s *stack) blockStart() int32 {
	if b := s.top().block; b >= 0 {
		return s.frames[b].at
	}
	return 0
}
