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
	mode   mode  // when it was opened
	at     int32 // bytes of text before it
	mark   int32 // links that waited for the end of their block before it
	block  int32 // index of the nearest block, itself included; -1 for none
	anchor int32 // of a marker: the link that was open around it
}

// A stack holds the open elements below body. One deeper than max is not held:
// it is counted, so that an end tag finds its match, and that is all.
type stack struct {
	frames []frame
	body   frame
	max    int
	over   int
	paras  int // open p, to be quick about having none
	work   int // looks that are left
}

// top returns the innermost element: body, if none is open in it.
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

// find returns the place of the innermost t that no element of the kind ends
// lies above of, or -1.
func (s *stack) find(t atom.Atom, ends kind) int {
	if t == atom.P && s.paras == 0 {
		return -1
	}
	return s.findFunc(ends, func(f *frame) bool { return f.tag == tag(t) })
}

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

// remove takes element i out and leaves those in it open.
func (s *stack) remove(i int) {
	s.frames = append(s.frames[:i], s.frames[i+1:]...)
	s.work -= len(s.frames) - i
	for j := i; j < len(s.frames); j++ {
		if s.frames[j].block > int32(i) {
			s.frames[j].block--
		}
	}
}

// blockStart returns where in the text the block around the innermost element
// begins.
func (s *stack) blockStart() int32 {
	if b := s.top().block; b >= 0 {
		return s.frames[b].at
	}
	return 0
}
