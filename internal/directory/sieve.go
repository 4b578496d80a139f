package directory

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/weburl"
)

// The limits of an entry. A longer text is cut; an entry with a longer path or
// URL is skipped.
const (
	maxPath  = 2048 // bytes
	maxDepth = 64   // segments of a path
	maxText  = 4096 // bytes of a title or description
)

// A raw entry has the bytes of a file.
type raw struct {
	path, url, title, description []byte
	escaped                       bool // the bytes contain character references of XML
}

func (r *raw) clear() {
	r.path, r.url, r.title, r.description = r.path[:0], r.url[:0], r.title[:0], r.description[:0]
}

// A sieve makes entries from what the readers find, and counts what cannot be
// one. It is for one reading.
type sieve struct {
	want    func(path string) bool // nil wants all
	yield   func(Entry, error) bool
	count   func(path string) // if set, called with each valid path, and nothing else is parsed
	stopped bool              // yield returned false
	dirt    Dirt

	last     string // the last path, cleaned: entries of a category follow each other
	lastRaw  []byte // the same as in the file
	lastGood bool   // whether it is valid
}

// take passes an entry on if it is wanted, and reports whether to continue.
//
// The path is checked before anything else is parsed: in most queries it rules
// the entry out.
func (s *sieve) take(r *raw) bool {
	path, ok := s.pathOf(r)
	if !ok {
		s.dirt.Paths++
		return true
	}
	s.dirt.Entries++
	if s.count != nil {
		s.count(path)
		return true
	}
	if s.want != nil && !s.want(path) {
		return true
	}
	u, ok := s.urlOf(r)
	if !ok {
		s.dirt.URLs++
		return true
	}
	e := Entry{Path: path, URL: u, Title: s.text(r.title, r.escaped), Description: s.text(r.description, r.escaped)}
	s.stopped = !s.yield(e, nil)
	return !s.stopped
}

// pathOf returns the clean path of an entry; ok is false if it is too long, too
// deep or empty.
func (s *sieve) pathOf(r *raw) (string, bool) {
	if s.lastRaw != nil && string(s.lastRaw) == string(r.path) {
		return s.last, s.lastGood
	}
	s.lastRaw = append(s.lastRaw[:0], r.path...)
	s.last, s.lastGood = "", false
	if len(r.path) <= maxPath {
		s.last = Clean(s.valid(r.path, r.escaped))
		s.lastGood = s.last != Top && strings.Count(s.last, "/") < maxDepth
	}
	return s.last, s.lastGood
}

func (s *sieve) urlOf(r *raw) (dowse.URL, bool) {
	if len(r.url) > weburl.MaxLength || !utf8.Valid(r.url) {
		return "", false
	}
	text := string(r.url)
	if r.escaped {
		text = html.UnescapeString(text)
	}
	u, err := weburl.Parse(text)
	return u, err == nil
}

// text returns a text on one line, without control characters, cut to maxText
// bytes.
func (s *sieve) text(b []byte, escaped bool) string {
	return strings.Join(strings.Fields(s.valid(b[:min(len(b), maxText)], escaped)), " ")
}

// valid returns valid UTF-8 without character references and control
// characters.
//
// Titles in these files contain terminal escapes and mixed encodings; what is
// returned can be printed.
func (s *sieve) valid(b []byte, escaped bool) string {
	text := string(b)
	if !utf8.ValidString(text) {
		s.dirt.UTF8++
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	if escaped {
		text = html.UnescapeString(text)
	}
	return strings.Map(plain, text)
}

func plain(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
