package demo

import (
	"strconv"
	"strings"

	"dowse"
)

// The URL of a page is computed from its number. A request is resolved by
// computing the URL of the page that it seems to name, and comparing: so a page
// has exactly one URL, no table of URLs is needed, and everything else is dead.

// appendInt appends a decimal number.
func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// urlOf returns the URL of the page with a number.
func (w *Web) urlOf(id int) dowse.URL {
	p := w.page(id)
	b := append(make([]byte, 0, 64), "http://"...)
	b = append(b, p.site.host...)
	return dowse.URL(w.appendPath(b, p.site, p.local))
}

// appendPath appends the path of a page.
func (w *Web) appendPath(b []byte, s *site, local int) []byte {
	b = append(b, '/')
	first := s.firstArticle()
	switch {
	case local == homePage:
		return b
	case local == linksPage:
		return append(b, "links"...)
	case local < first:
		return append(append(b, s.shape.sections[local-2]...), '/')
	case s.kind == Portal && local-first < w.words.topics():
		return append(append(b, "directory/"...), slugOf(w.words.lexicons[local-first].Name)...)
	}
	lex := w.lexiconOf(s, local)
	b = append(append(b, w.sectionOf(s, local, lex)...), '/')
	return w.appendArticle(b, s, local-first, lex)
}

// appendArticle appends the last part of an article's path: the subject, and a
// number that distinguishes articles on the same subject.
func (w *Web) appendArticle(b []byte, s *site, article, lex int) []byte {
	b = append(b, w.slugsOf(lex)[w.subjectOf(s, article, lex)]...)
	number := article
	if lex == s.topic {
		number = article / len(w.slugsOf(lex))
		if number == 0 {
			return b
		}
		number++
	}
	return appendInt(append(b, '-'), number)
}

// slugsOf returns the subjects of a lexicon as they are written in paths.
func (w *Web) slugsOf(lex int) []string { return w.words.lexicons[lex].slugs }

// subjectOf returns the index of an article's subject in its lexicon. Articles
// on the site's topic go through all subjects in turn; others jump, so that
// neighbours differ.
func (w *Web) subjectOf(s *site, article, lex int) int {
	n := len(w.slugsOf(lex))
	if lex == s.topic {
		return (article + s.shape.rotation) % n
	}
	return (article*7 + s.shape.rotation) % n
}

// sectionOf returns the section of an article. Articles without a topic are in
// the last one.
func (w *Web) sectionOf(s *site, local, lex int) string {
	names := s.shape.sections
	last := len(names) - 1
	if lex == w.words.everyday() && s.topic != lex {
		return names[last]
	}
	return names[(local-s.firstArticle())%last]
}

// find returns the page of a site at a path. A path determines a few candidates
// (its section or home page, the article with its number, the article with its
// subject), and each candidate's own path is compared with it. The cost is
// independent of the size of the site.
func (w *Web) find(s *site, path string) (local int, ok bool) {
	for local := range min(s.firstArticle(), s.count) {
		if w.isAt(s, local, path) {
			return local, true
		}
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if strings.HasPrefix(path, "/directory/") {
		topic, _ := w.topicNumber(name)
		return w.findArticle(s, topic, path)
	}
	stem, number := cutNumber(name)
	named, known := w.words.slugs[stem]
	if !known {
		return 0, false
	}
	if local, ok := w.findArticle(s, number, path); ok {
		return local, true
	}
	n := len(w.slugsOf(named.lexicon))
	round := max(number-1, 0)
	return w.findArticle(s, round*n+((named.subject-s.shape.rotation)%n+n)%n, path)
}

// findArticle returns an article by its number within the site, if it has the
// path.
func (w *Web) findArticle(s *site, article int, path string) (int, bool) {
	local := s.firstArticle() + article
	return local, article >= 0 && local < s.count && w.isAt(s, local, path)
}

// isAt reports whether a page of the site has a path. It allocates nothing,
// since every request tries a few candidates.
func (w *Web) isAt(s *site, local int, path string) bool {
	var room [96]byte
	return string(w.appendPath(room[:0], s, local)) == path
}

// cutNumber splits "low-tides-12" into "low-tides" and 12; the number is 0 if
// there is none.
func cutNumber(name string) (string, int) {
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return name, 0
	}
	n, ok := parseNumber(name[at+1:])
	if !ok {
		return name, 0
	}
	return name[:at], n
}

// parseNumber reads a number of at most seven digits without leading zeros.
func parseNumber(s string) (int, bool) {
	if s == "" || len(s) > 7 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// A place is a URL in its parts.
type place struct{ host, path, query string }

// parse splits an absolute URL; the fragment is dropped.
func parse(u dowse.URL) (place, bool) {
	rest, ok := strings.CutPrefix(string(u), "http://")
	if !ok {
		return place{}, false
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	return place{strings.TrimSuffix(host, ":80"), "/" + path, query}, true
}

// numberOf returns the number of the page at u.
func (w *Web) numberOf(u dowse.URL) (int, bool) {
	at, ok := parse(u)
	if !ok {
		return 0, false
	}
	i, ok := w.hosts[at.host]
	if !ok {
		return 0, false
	}
	local, ok := w.find(&w.sites[i], at.path)
	return w.sites[i].first + local, ok
}
