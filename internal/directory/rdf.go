package directory

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// scanContent reads the content file of the Open Directory Project: one
// ExternalPage element per entry. The Topic elements between them repeat the
// links and are skipped.
func scanContent(r io.Reader, s *sieve) error {
	m := newMarkup(r, &s.dirt)
	page := contentPage{raw: raw{escaped: true}}
	for {
		err := m.next()
		if errors.Is(err, io.EOF) {
			if page.open {
				s.dirt.Broken++
			}
			return nil
		}
		if err != nil {
			return err
		}
		if !page.read(m, s) {
			return nil
		}
	}
}

// A contentPage is the ExternalPage that is being read.
//
// Its fields are buffers that are reused for every page of the file.
type contentPage struct {
	raw
	open bool
}

// read handles one tag and reports whether to continue.
func (p *contentPage) read(m *markup, s *sieve) bool {
	switch string(m.name()) {
	case "ExternalPage":
		p.begin(m, s)
	case "d:Title":
		p.title = p.title[:0] // drops what a broken element left
	case "/d:Title":
		p.title = p.set(p.title, m.text)
	case "/d:Description":
		p.description = p.set(p.description, m.text)
	case "/topic":
		p.path = p.set(p.path, bytes.TrimSpace(m.text))
	case "/ExternalPage":
		return p.end(s)
	}
	return true
}

// begin starts a page. A page that has not ended is broken.
func (p *contentPage) begin(m *markup, s *sieve) {
	if p.open {
		s.dirt.Broken++
	}
	p.clear()
	about, ok := m.attribute("about")
	p.open = ok && !m.empty()
	if !p.open {
		s.dirt.Broken++
	}
	p.url = append(p.url, bytes.TrimSpace(about)...)
}

// set stores the text of an element of the page.
func (p *contentPage) set(field, text []byte) []byte {
	if !p.open {
		return field
	}
	return append(field[:0], text...)
}

// end passes the page to the sieve and reports whether to continue.
func (p *contentPage) end(s *sieve) bool {
	if !p.open {
		return true // its beginning was broken, and counted
	}
	p.open = false
	return s.take(&p.raw)
}

// scanStructure reads the structure file: each topic, and its children as the
// elements narrow, narrow1 and narrow2 name them. Symbolic links, related
// topics and other languages are not children.
//
// A topic that does not end is ended by the next one, and by the end of the file.
func scanStructure(r io.Reader, dirt *Dirt, topic func(path string, children []string)) error {
	m := newMarkup(r, dirt)
	s := &sieve{}
	defer func() { dirt.UTF8 += s.dirt.UTF8 }()
	var node structureTopic
	for {
		err := m.next()
		if errors.Is(err, io.EOF) {
			node.end(topic)
			return nil
		}
		if err != nil {
			return err
		}
		node.read(m, s, dirt, topic)
	}
}

// A structureTopic is the Topic that is being read.
type structureTopic struct {
	open     bool
	path     string
	children []string
}

func (t *structureTopic) read(m *markup, s *sieve, dirt *Dirt, topic func(string, []string)) {
	name := string(m.name())
	switch {
	case name == "Topic":
		t.end(topic)
		t.path, t.open = structurePath(m, s, "r:id")
		if !t.open {
			dirt.Broken++
		}
		if m.empty() {
			t.end(topic)
		}
	case name == "/Topic":
		t.end(topic)
	case t.open && isNarrow(name) && len(t.children) < maxChildren:
		if child, ok := structurePath(m, s, "r:resource"); ok {
			t.children = append(t.children, child)
		} else {
			dirt.Broken++
		}
	}
}

// maxChildren bounds the children of one topic.
const maxChildren = 1 << 17

func (t *structureTopic) end(topic func(string, []string)) {
	if t.open {
		topic(t.path, t.children)
	}
	t.open, t.children = false, t.children[:0]
}

// structurePath returns the path in an attribute; ok is false if it is missing
// or not a path.
func structurePath(m *markup, s *sieve, attribute string) (path string, ok bool) {
	b, ok := m.attribute(attribute)
	if !ok {
		return "", false
	}
	path, _ = s.pathOf(&raw{path: b, escaped: true})
	return path, path != ""
}

// isNarrow reports whether an element names a child.
func isNarrow(name string) bool {
	rest, ok := strings.CutPrefix(name, "narrow")
	return ok && (rest == "" || len(rest) == 1 && rest[0] >= '0' && rest[0] <= '9')
}
