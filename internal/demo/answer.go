package demo

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"dowse"
)

// A Page is the answer of a host to one request.
type Page struct {
	URL        dowse.URL // of the page as Pages lists it; "" for what is not a page
	Status     int
	Location   dowse.URL // where a redirect leads
	Type       string    // the declared Content-Type, which may be wrong
	Body       []byte
	Latency    time.Duration
	RetryAfter time.Duration
	Reset      bool // no answer: the connection is dropped
}

// Declared types of answers.
const (
	plainType = "text/plain; charset=utf-8"
	htmlType  = "text/html; charset=utf-8"
)

// The failures of the busy and the flaky host: which of every 9 and every 8
// requests in a row fail.
const (
	busyEvery, busyFrom, busyTo = 9, 4, 6
	flakyEvery, flakyAt         = 8, 5
	retryAfter                  = time.Second
)

// Page returns what the host of u answers when it does not fail; false means
// that there is no such host.
func (w *Web) Page(u dowse.URL) (Page, bool) { return w.Answer(u, 0) }

// Answer returns what the host of u answers to the n-th request that it gets,
// counted from 0 and without those for robots.txt. Only the busy and the flaky
// host depend on n, and on nothing else, so that a simulation in virtual time
// and a live crawl meet the same failures.
func (w *Web) Answer(u dowse.URL, n int) (Page, bool) {
	at, ok := parse(u)
	if !ok {
		return Page{}, false
	}
	i, ok := w.hosts[at.host]
	if !ok {
		return Page{}, false
	}
	s := &w.sites[i]
	p := w.respond(s, at, n)
	p.Latency = w.latency(s, at)
	return p, true
}

// respond answers a request: robots.txt always, then the failures of the host,
// then its sitemap and pages, then everything else.
func (w *Web) respond(s *site, at place, n int) Page {
	switch {
	case at.path == "/robots.txt":
		return Page{Status: http.StatusOK, Type: plainType, Body: []byte(s.robots())}
	case s.kind == Busy && n%busyEvery >= busyFrom && n%busyEvery < busyTo:
		return Page{Status: http.StatusTooManyRequests, Type: plainType, Body: []byte("Too many visitors, come back later.\n"), RetryAfter: retryAfter}
	case s.kind == Flaky && n%flakyEvery == flakyAt:
		return Page{Reset: true}
	case at.path == "/sitemap.xml" && s.listed:
		return Page{Status: http.StatusOK, Type: "application/xml", Body: w.sitemap(s)}
	}
	if local, ok := w.find(s, at.path); ok {
		return w.html(w.page(s.first+local), at)
	}
	return w.respondOther(s, at)
}

// respondOther answers for all paths that are not pages.
func (w *Web) respondOther(s *site, at place) Page {
	if _, ok := monthAt(s, at.path); ok || isRepeat(s, at.path) {
		return Page{Status: http.StatusOK, Type: htmlType, Body: w.endless(s, at)}
	}
	if to, ok := w.redirectAt(s, at.path); ok {
		return Page{Status: http.StatusMovedPermanently, Type: plainType, Location: dowse.URL(to), Body: []byte("See " + to + "\n")}
	}
	if strings.HasPrefix(at.path, "/files/") && strings.HasSuffix(at.path, ".pdf") {
		return Page{Status: http.StatusOK, Type: "application/pdf", Body: []byte("%PDF-1.4\n" + at.path + "\n%%EOF\n")}
	}
	status := http.StatusNotFound
	if n, ok := parseNumber(strings.TrimPrefix(at.path, "/old/")); ok && n%5 == 0 {
		status = http.StatusGone
	}
	body := fmt.Sprintf("<!DOCTYPE html>\n<title>%d</title>\n<h1>There is no such page</h1>\n<p><a href=\"/\">%s</a></p>\n", status, s.host)
	return Page{Status: status, Type: htmlType, Body: []byte(body)}
}

// html returns the answer for a page of the web.
func (w *Web) html(p pageRef, at place) Page {
	body := w.render(p, at)
	if p.site.kind == OldPages {
		body = windows1252(body)
	}
	return Page{URL: w.urlOf(p.id), Status: http.StatusOK, Type: htmlType, Body: body}
}

// Latency returns how long the host of u takes to answer; 0 if there is no such
// host.
func (w *Web) Latency(u dowse.URL) time.Duration {
	at, ok := parse(u)
	if !ok {
		return 0
	}
	i, ok := w.hosts[at.host]
	if !ok {
		return 0
	}
	return w.latency(&w.sites[i], at)
}

// latency is between 0.4 and 1.6 of the mean, fixed per URL.
func (w *Web) latency(s *site, at place) time.Duration {
	if s.kind == Slow {
		return w.config.SlowLatency
	}
	h := fnv.New32a()
	h.Write([]byte(at.path))
	d := rngFor(w.config.Seed, forLatency, s.index^int(h.Sum32()))
	return time.Duration((0.4 + 1.2*d.share()) * float64(w.config.Latency))
}

// windows1252 converts UTF-8 to the old encoding of western Europe. Characters
// that it lacks become question marks.
func windows1252(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		switch {
		case r < 0x80 || 0xa0 <= r && r < 0x100:
			out = append(out, byte(r))
		default:
			out = append(out, oldByte(r))
		}
	}
	return out
}

// oldByte returns the windows-1252 byte of a character above 0x9f that texts
// use, and ? for others.
func oldByte(r rune) byte {
	switch r {
	case '–':
		return 0x96
	case '’':
		return 0x92
	case '“':
		return 0x93
	case '”':
		return 0x94
	case '€':
		return 0x80
	}
	return '?'
}
