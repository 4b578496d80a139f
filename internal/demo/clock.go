package demo

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
)

// A Changing is a Web whose pages change, vanish and appear by a clock. Like the
// web itself it stores nothing: when a page changes is drawn from the random seed
// and the number of the page, so the state at any time can be computed without
// the states before it, and two simulations meet the same events.
//
// Changes of a page are a Poisson process whose rate is drawn once per page. A
// page vanishes at a time that is drawn, too, and answers 404 or 410 from then on.
// New pages appear at /news/1, /news/2 and so on of each site on a topic; the home
// page of the site lists the newest of them. All pages of the Web exist at the
// beginning.
//
// The parameters below were fixed before any policy of revisits was measured;
// docs/demo-web.md lists them with their sources. A Changing is safe for concurrent use.
type Changing struct {
	web   *Web
	begin time.Time
}

// Changing returns the web as one that changes from the time begin on.
func (w *Web) Changing(begin time.Time) *Changing { return &Changing{web: w, begin: begin} }

// classes are the shares of pages by their mean time between two changes, in days. They
// are those of Cho and Garcia-Molina 2000, who asked 720,000 pages of 270 sites for
// each day of four months; the first and last class, which have no bound there, end at
// half a day and at 480 days here. Within a class the logarithm of the time is uniform.
var classes = []struct{ share, from, to float64 }{
	{0.23, 0.5, 1}, {0.15, 1, 7}, {0.16, 7, 30}, {0.16, 30, 120}, {0.30, 120, 480},
}

const (
	// likeSite is the probability that a page has the class of its site: Cho and
	// Garcia-Molina 2000 and Fetterly et al. 2003 find that the top-level domain, so the kind of
	// site, predicts how often a page changes. The number is ours.
	likeSite = 0.6
	// VanishRate is the rate at which pages vanish, per day: of the pages of a day 20 %
	// are left after a year (Ntoulas et al. 2004).
	VanishRate = 0.0044
	// newShare is the number of pages that appear per week, as a share of the pages of a
	// site (Ntoulas et al. 2004: 8 %).
	newShare = 0.08
	// The shares of sites that send ETag and Last-Modified, and Last-Modified only. Ours.
	bothValidators, onlyModified = 0.5, 0.2
	// listedNews is how many of its newest pages a home page lists.
	listedNews = 8
	// shownUpdates is how many of its latest changes a page shows.
	shownUpdates = 3
)

// purposes of random numbers, which continue those of rng.go at a distance.
const (
	forChanges = 100 + iota
	forSiteClass
	forVanishing
	forNews
	forValidators
	forUpdates
	forUpdateText
	forNewsText
	forPast
)

// newsBase is the number of the first page that appears; the pages of the Web have
// lower ones. A site has room for newsRoom of them.
const (
	newsBase = 1 << 24
	newsRoom = 1 << 12
)

// at returns a time of the web as the number of days since its beginning.
func (c *Changing) at(t time.Time) float64 { return t.Sub(c.begin).Hours() / 24 }

// day returns the time that a number of days lies after the beginning, in whole seconds, as
// HTTP has times.
func (c *Changing) day(d float64) time.Time {
	return c.begin.Add(time.Duration(d * 24 * float64(time.Hour))).Truncate(time.Second)
}

// rate draws how often a page changes, per day. Home, link and section pages change
// more often: they have the faster of two draws.
func (c *Changing) rate(s *site, id, local int) float64 {
	d := rngFor(c.web.config.Seed, forChanges, id)
	rate := c.drawRate(s, &d)
	if local < s.firstArticle() {
		rate = max(rate, c.drawRate(s, &d))
	}
	return rate
}

// drawRate draws a rate of the class of the site or of any class.
func (c *Changing) drawRate(s *site, d *rng) float64 {
	class := d.share()
	if of := rngFor(c.web.config.Seed, forSiteClass, s.index); d.chance(likeSite) {
		class = of.share()
	}
	within := d.share()
	for _, k := range classes {
		if class -= k.share; class < 0 || k == classes[len(classes)-1] {
			return 1 / (k.from * math.Pow(k.to/k.from, within))
		}
	}
	return 0
}

// Rate returns how often the page at u changes on average, per day; 0 if u is not a
// page of the Web.
func (c *Changing) Rate(u dowse.URL) float64 {
	id, ok := c.web.numberOf(u)
	if !ok {
		return 0
	}
	p := c.web.page(id)
	return c.rate(p.site, id, p.local)
}

// Changes returns the times at which the page at u changes until a time, in order.
func (c *Changing) Changes(u dowse.URL, until time.Time) (list []time.Time) {
	id, ok := c.web.numberOf(u)
	if !ok {
		return nil
	}
	p := c.web.page(id)
	for _, d := range c.changes(p.site, id, p.local, 0, c.at(until)) {
		list = append(list, c.day(d))
	}
	return list
}

// changes returns the days on which a page changes, from one day to another.
func (c *Changing) changes(s *site, id, local int, from, to float64) (days []float64) {
	rate := c.rate(s, id, local)
	d := rngFor(c.web.config.Seed, forUpdates, id)
	for t := from + d.wait(rate); t <= to; t += d.wait(rate) {
		days = append(days, t)
	}
	return days
}

// lastBefore returns the day of the last change of a page before the beginning, a negative number: a Poisson process
// has no beginning, and looks the same backwards.
func (c *Changing) lastBefore(s *site, id, local int) float64 {
	d := rngFor(c.web.config.Seed, forPast, id)
	return -d.wait(c.rate(s, id, local))
}

// wait returns the time until the next event of a Poisson process.
func (d *rng) wait(rate float64) float64 { return -math.Log(1-d.share()) / rate }

// Vanishes returns when the page at u vanishes.
func (c *Changing) Vanishes(u dowse.URL) time.Time {
	id, ok := c.web.numberOf(u)
	if !ok {
		return time.Time{}
	}
	return c.day(c.vanishing(id))
}

// vanishing returns the number of days after which a page vanishes, from its appearance on.
func (c *Changing) vanishing(id int) float64 {
	d := rngFor(c.web.config.Seed, forVanishing, id)
	if p := c.web.page(min(id, c.web.Len()-1)); id < c.web.Len() && p.local == homePage {
		return 36500 // home pages stay
	}
	return d.wait(VanishRate)
}

// Answer returns what the host of u answers at a time, when it does not fail, and the
// header fields by which it can be asked again whether the page has changed.
func (c *Changing) Answer(u dowse.URL, t time.Time) (Page, http.Header, bool) {
	at, ok := parse(u)
	i, known := c.web.hosts[at.host]
	if !ok || !known {
		return Page{}, nil, false
	}
	s := &c.web.sites[i]
	if n, ok := parseNumber(strings.TrimPrefix(at.path, "/news/")); ok && strings.HasPrefix(at.path, "/news/") {
		return c.news(s, n, c.at(t))
	}
	p, ok := c.web.Page(u)
	id, isPage := c.web.numberOf(u)
	if !ok || !isPage || p.Status != http.StatusOK {
		return p, nil, ok
	}
	local := id - s.first
	if c.vanishing(id) <= c.at(t) {
		return vanishedPage(id), nil, true
	}
	days := c.changes(s, id, local, 0, c.at(t))
	block := c.updates(s, id, c.web.lexiconFor(c.web.page(id)), days)
	last := c.lastBefore(s, id, local)
	if len(days) > 0 {
		last = days[len(days)-1]
	}
	if local == homePage {
		list, newest := c.newest(s, c.at(t))
		block, last = append(block, list...), max(last, newest)
	}
	p.Body = bytes.Replace(p.Body, []byte("</article>"), append(block, "</article>"...), 1)
	return p, c.validators(s, p.Body, last), true
}

// vanishedPage returns the answer for a page that has vanished.
func vanishedPage(id int) Page {
	status := http.StatusNotFound
	if id%5 == 0 {
		status = http.StatusGone
	}
	return Page{Status: status, Type: htmlType, Body: []byte("<!DOCTYPE html>\n<title>Gone</title>\n<p>There is no such page any more.</p>\n")}
}

// updates returns the part of a page that shows its latest changes, nothing if there
// are none.
func (c *Changing) updates(s *site, id int, lex *lexicon, days []float64) []byte {
	w := textWriter{words: c.web.words, lex: lex, subject: siteName(s.host), topical: 0.4, aside: lex}
	for n := len(days); n > max(0, len(days)-shownUpdates); n-- {
		w.rng = rngFor(c.web.config.Seed, forUpdateText, id*newsRoom+n)
		w.str("<h2>")
		w.str(c.day(days[n-1]).Format("2 January 2006 15:04"))
		w.str("</h2>\n<p>")
		for range 3 + w.rng.under(4) {
			w.sentence()
			w.str(" ")
		}
		w.str("</p>\n")
	}
	return w.buf
}

// validators returns the header fields that a site sends with a page whose last change
// was on a day.
func (c *Changing) validators(s *site, body []byte, day float64) http.Header {
	d := rngFor(c.web.config.Seed, forValidators, s.index)
	h := http.Header{}
	switch u := d.share(); {
	case u < bothValidators:
		sum := uint64(14695981039346656037)
		for _, b := range body {
			sum = (sum ^ uint64(b)) * 1099511628211
		}
		h.Set("Etag", strconv.Quote(strconv.FormatUint(sum, 16)))
		fallthrough
	case u < bothValidators+onlyModified:
		h.Set("Last-Modified", c.day(day).UTC().Format(http.TimeFormat))
	}
	return h
}

// births returns the days on which pages appear on a site, until a day. Only sites that
// are about a topic have such pages.
func (c *Changing) births(s *site, until float64) (days []float64) {
	switch {
	case s.topic >= c.web.words.topics(), s.kind == Farm, s.kind == Mirror, s.kind == Moved, s.kind == Closed:
		return nil
	}
	d := rngFor(c.web.config.Seed, forNews, s.index)
	rate := newShare / 7 * float64(s.count)
	for t := d.wait(rate); t <= until && len(days) < newsRoom; t += d.wait(rate) {
		days = append(days, t)
	}
	return days
}

// newsID returns the number of the n-th page that appears on a site, counted from 1.
func newsID(s *site, n int) int { return newsBase + s.index*newsRoom + n - 1 }

// newest returns the list of the newest pages of a site, and the day of the last event
// that changed it, which is before all others if there was none.
func (c *Changing) newest(s *site, day float64) (list []byte, last float64) {
	births := c.births(s, day)
	shown := 0
	last = math.Inf(-1)
	for n := len(births); n > 0 && shown < listedNews; n-- {
		if end := births[n-1] + c.vanishing(newsID(s, n)); end <= day {
			last = max(last, end)
			continue
		}
		shown++
		list = fmt.Appendf(list, "<li><a href=\"/news/%d\">%s</a></li>\n", n, c.newsTitle(s, n))
	}
	if len(births) > 0 {
		last = max(last, births[len(births)-1])
	}
	if shown == 0 {
		return nil, last
	}
	return append(append([]byte("<ul>\n"), list...), "</ul>\n"...), last
}

// newsTitle returns the title of a page that appears.
func (c *Changing) newsTitle(s *site, n int) string {
	lex := &c.web.words.lexicons[s.topic]
	return lex.subjects[n%len(lex.subjects)] + ", news " + strconv.Itoa(n)
}

// news answers for the n-th page that appears on a site. It is on the topic of the site.
func (c *Changing) news(s *site, n int, day float64) (Page, http.Header, bool) {
	births := c.births(s, day)
	if n < 1 || n > len(births) {
		return vanishedPage(1), nil, true
	}
	id, born := newsID(s, n), births[n-1]
	if born+c.vanishing(id) <= day {
		return vanishedPage(id), nil, true
	}
	lex := &c.web.words.lexicons[s.topic]
	days := c.changes(s, id, s.firstArticle(), born, day)
	w := textWriter{rng: rngFor(c.web.config.Seed, forNewsText, id), words: c.web.words, lex: lex, subject: c.newsTitle(s, n), topical: 0.4, aside: lex}
	w.str("<!DOCTYPE html>\n<html lang=\"" + lex.language + "\">\n<head><meta charset=\"utf-8\"><title>")
	w.str(w.subject)
	w.str("</title></head>\n<body><article><h1>" + w.subject + "</h1>\n<p>")
	for range 40 {
		w.sentence()
		w.str(" ")
	}
	w.str("</p>\n<p><a href=\"/\">" + siteName(s.host) + "</a></p>\n")
	w.buf = append(w.buf, c.updates(s, id, lex, days)...)
	w.str("</article></body></html>\n")
	last := append([]float64{born}, days...)[len(days)]
	u := dowse.URL("http://" + s.host + "/news/" + strconv.Itoa(n))
	return Page{URL: u, Status: http.StatusOK, Type: htmlType, Body: w.buf, Latency: c.web.config.Latency}, c.validators(s, w.buf, last), true
}

// RoundTripper returns the web as a transport without a network, whose clock is now. It
// answers conditional requests with 304 where the page is still the same.
func (c *Changing) RoundTripper(now func() time.Time) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		p, fields, ok := c.Answer(addressOf(r.URL.Scheme, r.URL.Host, r), now())
		if !ok {
			return nil, noSuchHost(r.URL.Hostname())
		}
		if isUnchanged(r.Header, fields) {
			p = Page{Status: http.StatusNotModified, Type: p.Type}
		}
		resp := p.response(r)
		for name, values := range fields {
			resp.Header[name] = slices.Clone(values)
		}
		return resp, nil
	})
}

// roundTrip is a function as an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// isUnchanged reports whether the validators of a request still hold. As in RFC 9110 an
// ETag comes before a time.
func isUnchanged(asked, now http.Header) bool {
	if tag := asked.Get("If-None-Match"); tag != "" {
		return tag == now.Get("Etag")
	}
	since, err := http.ParseTime(asked.Get("If-Modified-Since"))
	last, err2 := http.ParseTime(now.Get("Last-Modified"))
	return err == nil && err2 == nil && !last.After(since)
}
