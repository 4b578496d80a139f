package logistic

import (
	"hash/maphash"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/wordnet"
)

// The places of words.
const (
	inAnchor = iota
	inWindow
	inURL
	placeCount
)

// Limits of what a link is rated by.
const (
	mostPages       = 4
	mostAnchorWords = 10
	mostWindowWords = 40
	mostURLWords    = 12
	mostFixed       = 8
)

// A link is what rating a link needs, computed once from the clues of its target and the
// target's URL.
type link struct {
	fixed        [mostFixed]float64 // features that depend on the clues alone
	pages        [mostPages]uint32
	sections     [mostPages]uint64 // keys
	headings     [mostPages]uint64 // keys; 0 for none
	pattern      uint64            // key of the URL's pattern
	host, folder uint64            // keys
	name         wordnet.Name      // of the target; 0 for none that is known
	n            uint8             // number of pages
	ends         [placeCount]uint8 // ends of the places in codes
	codes        [mostAnchorWords + mostWindowWords + mostURLWords]uint16
}

// words returns the codes of the words in a place.
func (e *link) words(place int) []uint16 {
	if place == 0 {
		return e.codes[:e.ends[0]]
	}
	return e.codes[e.ends[place-1]:e.ends[place]]
}

// gather fills e with what is known of a link to u.
func (s *learner) gather(e *link, k *clues, u dowse.URL) {
	s.gatherClues(e, k)
	s.gatherURL(e, u)
}

// gatherClues fills the part of e that follows from the links to its target. The other part,
// which follows from the URL, must be filled after it, because its words come last.
func (s *learner) gatherClues(e *link, k *clues) {
	s.model.fix(&e.fixed, k)
	e.pages, e.n, e.name = k.pages, uint8(k.n), k.name
	for i := range k.n {
		e.sections[i] = sectionKey(k.pages[i], k.sections[i])
		e.headings[i] = headingKey(k.headings[i])
	}
	codes := append(e.codes[:0], k.anchors[:k.na]...)
	e.ends[inAnchor] = uint8(len(codes))
	codes = append(codes, k.around[:k.nw]...)
	e.ends[inWindow] = uint8(len(codes))
}

// gatherURL fills the part of e that follows from the URL alone.
func (s *learner) gatherURL(e *link, u dowse.URL) {
	e.host, e.folder = s.folders.keys(u)
	e.pattern = patternOf(u)
	if !e.name.Whole() {
		e.name = e.name.Better(s.kinds.nameOfURL(u))
	}
	codes := e.codes[:e.ends[inWindow]]
	path := pathOf(u)
	s.spans = dowse.AppendWords(s.spans[:0], path, 0)
	for _, w := range s.spans {
		if len(codes) == int(e.ends[inWindow])+mostURLWords {
			break
		}
		if c := s.urlCode(path, w); c > 0 {
			codes = append(codes, c)
			s.kin.meet(c, path[w.Start:w.End])
		}
	}
	e.ends[inURL] = uint8(len(codes))
}

// urlCode returns the code of a word of a URL. Most URLs have a number of their own, which is not looked up: it would
// drive words out of the table that are met again.
func (s *learner) urlCode(path string, w dowse.Span) uint16 {
	if word := path[w.Start:w.End]; s.terms.IsNumber(word) {
		return s.code("", word)
	}
	return s.codes.In(path, int(w.Start), int(w.End))
}

// folders remember the keys of folders and their hosts: the links of a page lead to a few folders, and the hash of a key
// takes a byte at a time.
type folders [256]struct {
	folder string
	keys   [2]uint64
}

var folderSeed = maphash.MakeSeed()

// keys returns the keys of the host and of the folder of a URL.
func (f *folders) keys(u dowse.URL) (host, folder uint64) {
	name := folderOf(u)
	if strings.HasSuffix(name, "//") || len(name) > linktext.MaxBytes { // the host may be no part of it
		return keyOf(linktext.Host(u)), keyOf(name)
	}
	at := &f[maphash.String(folderSeed, name)%uint64(len(f))]
	if at.folder != name || name == "" {
		at.folder, at.keys = strings.Clone(name), [2]uint64{keyOf(linktext.Host(u)), keyOf(name)}
	}
	return at.keys[0], at.keys[1]
}

// copyURL fills the part of e that follows from the URL alone with that of another link to the
// same URL.
func (e *link) copyURL(from *link) {
	e.host, e.folder, e.pattern = from.host, from.folder, from.pattern
	e.name = e.name.Better(from.name)
	e.ends[inURL] = e.ends[inWindow] + uint8(copy(e.codes[e.ends[inWindow]:], from.words(inURL)))
}

// pathOf returns the part of a URL after the host.
func pathOf(u dowse.URL) string {
	address := linktext.Address(u)
	if i := strings.IndexByte(address, '/'); i >= 0 {
		return address[i:]
	}
	return ""
}

// folderOf returns a URL up to its last slash.
func folderOf(u dowse.URL) string {
	return string(u[:strings.LastIndexByte(string(u), '/')+1])
}

// patternDepth is the number of folders of a URL that are part of its pattern.
const patternDepth = 5

// patternOf returns a key for the form of a URL's path, so that pages of one kind share it
// whatever their names: /courses/cs101/ and /courses/math250/, /~ada/ and /~ben/. Of a name
// that begins with ~ or has a digit only that counts, and of the last name only its suffix;
// other folders count as they are.
func patternOf(u dowse.URL) uint64 {
	p := pattern(14695981039346656037)
	_, path, _ := strings.Cut(string(u), "://")
	_, path, _ = strings.Cut(linktext.Cut(path, linktext.MaxBytes), "/")
	path, _, asked := strings.Cut(path, "?")
	for depth := 0; path != "" && depth < patternDepth; depth++ {
		name, rest, folder := strings.Cut(path, "/")
		p.name(name, rest == "")
		if folder {
			p.put('/')
		}
		path = rest
	}
	if asked {
		p.put('?')
	}
	return uint64(p)
}

// A pattern is a hash of the form of a path (FNV-1a).
type pattern uint64

func (p *pattern) put(c byte) { *p = (*p ^ pattern(c)) * 1099511628211 }

// name adds the name of a folder, or the last name of a path.
func (p *pattern) name(name string, last bool) {
	switch {
	case strings.HasPrefix(name, "~"):
		p.put('~')
	case hasDigit(name):
		p.put('#')
	case last:
		p.put('*')
	default:
		p.text(name)
	}
	if dot := strings.LastIndexByte(name, '.'); last && dot >= 0 {
		p.text(name[dot:])
	}
}

// hasDigit reports whether a name has a digit.
func hasDigit(s string) bool {
	for i := range len(s) {
		if s[i]-'0' < 10 {
			return true
		}
	}
	return false
}

func (p *pattern) text(s string) {
	for i := range len(s) {
		p.put(s[i])
	}
}
