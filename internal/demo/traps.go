package demo

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Months are counted from the year 0. The calendar covers the years 1 to 9999
// and then begins again, which for a crawl is endless.
const (
	firstMonth = 2026*12 + 10 // November
	monthsFrom = 1 * 12
	monthsTo   = 10000 * 12
)

// monthAt reads "/2031/05" on a calendar.
func monthAt(s *site, path string) (int, bool) {
	var year, month int
	if s.kind != Calendar || len(path) != len("/2031/05") {
		return 0, false
	}
	if n, err := fmt.Sscanf(path, "/%4d/%2d", &year, &month); n != 2 || err != nil {
		return 0, false
	}
	m := year*12 + month - 1
	return m, year > 0 && month >= 1 && month <= 12 && string(appendMonth(nil, m)) == path
}

// appendMonth appends the path of a month.
func appendMonth(b []byte, month int) []byte {
	return fmt.Appendf(b, "/%04d/%02d", month/12, month%12+1)
}

// monthLinks returns links to the home page, the previous month, the next month
// and the next year.
func monthLinks(s *site, month int) []target {
	turn := func(m int) int {
		span := monthsTo - monthsFrom
		return monthsFrom + ((m-monthsFrom)%span+span)%span
	}
	links := []target{{page: s.first}}
	for _, step := range []int{-1, 1, 12} {
		links = append(links, target{toMonth, s.first, turn(month + step)})
	}
	return links
}

// deepest bounds a repeating path, in repetitions.
const deepest = 200

// isRepeat reports whether a path is "/archive/archive/…" on a site where that
// works.
func isRepeat(s *site, path string) bool {
	n := strings.Count(path, "archive/")
	return s.kind == News && n > 0 && n <= deepest && path == "/"+strings.Repeat("archive/", n)
}

// A session generates the session ids of the links of one page. They depend on
// the URL of the page, so every visit with another id sees new ids.
type session struct {
	rng    rng
	active bool
}

// newSession returns the session ids of a page, none unless it is on a forum.
func newSession(s *site, at place) session {
	h := fnv.New64a()
	h.Write([]byte(at.path + "?" + at.query))
	return session{rng(h.Sum64()), s.kind == Forum}
}

// next returns the next session id, "" on a page that has none.
func (s *session) next() string {
	if !s.active {
		return ""
	}
	return fmt.Sprintf("%016x", s.rng.next())
}

// redirectAt returns where a path redirects to, if it does: loops, numbered
// redirects, and sections without their slash.
func (w *Web) redirectAt(s *site, path string) (to string, ok bool) {
	switch path {
	case "/loop/a":
		return "http://" + s.host + "/loop/b", true
	case "/loop/b":
		return "http://" + s.host + "/loop/a", true
	case "/loop/self":
		return "http://" + s.host + path, true
	}
	goal, prefix := s, "/go/"
	if s.kind == Moved {
		goal, prefix = &w.sites[s.partner], "/page/"
	}
	if n, isNumber := parseNumber(strings.TrimPrefix(path, prefix)); isNumber && strings.HasPrefix(path, prefix) && n < goal.open() {
		return string(w.urlOf(goal.first + n)), true
	}
	if s.kind == Moved {
		return w.movedTo(s, goal, path)
	}
	if _, section := w.find(s, path+"/"); section && len(path) > 1 {
		return "http://" + s.host + path + "/", true
	}
	return "", false
}

// movedTo answers for the host that has moved: its home page redirects to the
// new one, and "/chain/3" takes three redirects.
func (w *Web) movedTo(s, goal *site, path string) (string, bool) {
	if path == "/" || path == "/chain/1" {
		return "http://" + goal.host + "/", true
	}
	n, ok := parseNumber(strings.TrimPrefix(path, "/chain/"))
	if !ok || n < 2 || !strings.HasPrefix(path, "/chain/") {
		return "", false
	}
	return fmt.Sprintf("http://%s/chain/%d", s.host, n-1), true
}
