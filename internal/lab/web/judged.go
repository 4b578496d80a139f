package web

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/linkrating"
	"dowse/internal/repeats"
	"dowse/weburl"
)

// A Judged web is a web whose pages a judge rates for one topic: each page, and
// the words around each of its links, once, when a crawl first visits it. It is
// shared by all crawls for the topic and may be used by many goroutines. Pages
// of a crawl that counts links (crawl.Config.LinksIn) are rated for that crawl
// alone, because the rating depends on what it has seen.
//
// The same holds for pages of a crawl that leaves out what the pages of a host repeat.
//
// Rating is the most expensive part of a simulated visit: with 20 strategies on
// a topic, sharing saves nineteen twentieths of it. The result is the same as
// without sharing, since a judge does not change during an experiment.
type Judged struct {
	web   *Web
	judge dowse.Judge

	mu   sync.Mutex
	rows map[linkrating.Wish]*ratings // by what is rated
	most int                          // largest window around a link that is rated, in words
	errs []error                      // the first few
}

// ratings holds the ratings of pages, by number; nil for pages that were not
// visited. Each is set once and atomically, so that readers need no lock.
type ratings struct {
	wish linkrating.Wish
	list []atomic.Pointer[rating]
}

// A rating is what a judge computed for one page.
type rating struct {
	verdict  dowse.Verdict
	contexts []float64 // of the windows of all mentions, in order; nil for none
	anchors  []float64 // of the anchors of all mentions, in order; nil for none
}

// NewJudged returns the web as a judge rates it. wishes are what crawls will
// need rated, as far as it is known: crawls that need only the page then share
// the ratings of one that needs more, and each page is rated once.
func NewJudged(w *Web, j dowse.Judge, wishes ...linkrating.Wish) *Judged {
	judged := &Judged{web: w, judge: j, rows: map[linkrating.Wish]*ratings{}}
	for _, wish := range wishes {
		judged.most = max(judged.most, wish.Window)
		if wish.Window > 0 && wish.Window == judged.most {
			judged.rows[linkrating.Wish{}] = judged.ratings(wish)
		}
	}
	return judged
}

// Err returns the errors of reading the web. A page that could not be read is a
// failed visit to the crawl, so a caller must look here after it.
func (j *Judged) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.errs...)
}

// For returns the web as a strategy sees it, with what it needs rated. latency
// is the virtual duration of an answer; nil means that of the web, or a second.
func (j *Judged) For(s dowse.Strategy, latency func(dowse.URL) time.Duration) *View {
	if latency == nil {
		latency = j.web.latency
	}
	if latency == nil {
		latency = func(dowse.URL) time.Duration { return defaultLatency }
	}
	wish := linkrating.WishOf(s)
	return &View{judged: j, wish: wish, ratings: j.ratings(wish), latency: latency}
}

// defaultLatency is how long an answer takes if the web does not define it: the
// second of Wang et al. 2009's running times.
const defaultLatency = time.Second

// ratings returns the ratings for a wish, empty at first. Crawls with equal
// wishes share them: the same window and the same need for anchors.
func (j *Judged) ratings(wish linkrating.Wish) *ratings {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.rows[wish]
	if r == nil {
		r = &ratings{wish: wish, list: make([]atomic.Pointer[rating], j.web.Len())}
		j.rows[wish] = r
	}
	return r
}

// Relevance returns the judge's rating of the i-th answer, 0 to 1; 0 for what
// is not a page.
func (j *Judged) Relevance(i int) float64 {
	p, err := j.web.Page(i)
	if err != nil || p.Outcome != dowse.Fetched {
		return 0
	}
	return j.rated(j.ratings(linkrating.Wish{}), i, p).verdict.Relevance
}

// rated returns the rating of a page, and computes it if there is none. Two
// crawls may compute it concurrently, with the same result.
func (j *Judged) rated(r *ratings, i int, p *dowse.Page) *rating {
	if have := r.list[i].Load(); have != nil {
		return have
	}
	made := j.rate(r.wish, p)
	r.list[i].Store(made)
	return made
}

// rate rates a copy of a page, which the judge may modify.
func (j *Judged) rate(wish linkrating.Wish, p *dowse.Page) *rating {
	fresh, _ := detached(p)
	wish.Rate(j.judge, fresh)
	return ratingOf(wish, fresh)
}

// ratingOf collects the ratings that a judge left in a page.
func ratingOf(wish linkrating.Wish, p *dowse.Page) *rating {
	r := &rating{verdict: p.Verdict}
	r.verdict.Because = slices.Clip(r.verdict.Because)
	if wish == (linkrating.Wish{}) {
		return r
	}
	for i := range p.Links {
		l := &p.Links[i]
		r.add(wish, &l.Mention)
		for k := range l.More {
			r.add(wish, &l.More[k])
		}
	}
	return r
}

// add appends the ratings of one mention, as far as the crawl needs them.
func (r *rating) add(wish linkrating.Wish, m *dowse.Mention) {
	if wish.Window > 0 {
		r.contexts = append(r.contexts, m.Context)
	}
	if wish.Anchors {
		r.anchors = append(r.anchors, m.AnchorScore)
	}
}

// detached copies a page for a crawl: everything that can be modified belongs
// to the copy, so that a strategy can't leave a message for later crawls. It
// returns the number of mentions of links too.
func detached(p *dowse.Page) (q *dowse.Page, mentions int) {
	q = new(dowse.Page)
	*q = *p
	more := 0
	for i := range p.Links {
		more += len(p.Links[i].More)
	}
	q.Words, q.Headings, q.Meta = slices.Clone(p.Words), slices.Clone(p.Headings), slices.Clone(p.Meta)
	q.Types, q.Licences, q.Images, q.Maps = slices.Clone(p.Types), slices.Clone(p.Licences), slices.Clone(p.Images), slices.Clone(p.Maps)
	q.Host = detachedHost(p.Host)
	q.Links = slices.Clone(p.Links)
	arena := make([]dowse.Mention, 0, more)
	for i := range q.Links {
		if l := &q.Links[i]; len(l.More) > 0 {
			first := len(arena)
			arena = append(arena, l.More...)
			l.More = arena[first:len(arena):len(arena)]
		}
	}
	return q, len(q.Links) + more
}

// detachedHost copies what a visit learnt of its host.
func detachedHost(h *dowse.HostReport) *dowse.HostReport {
	if h == nil {
		return nil
	}
	own := *h
	if h.Robots != nil {
		own.Robots = detachedRobots(h.Robots)
	}
	return &own
}

// detachedRobots copies the rules of a host, which all crawls share.
func detachedRobots(r *dowse.Robots) *dowse.Robots {
	own := *r
	own.Body, own.Sitemaps = slices.Clone(r.Body), slices.Clone(r.Sitemaps)
	return &own
}

// A View answers the visits of one crawl; it implements lab.Web. It shows
// nothing that a live visit would not: no labels, no ratings of pages that were
// not visited. It is used by one crawl, whose visits are made one after the
// other in virtual time.
type View struct {
	judged    *Judged
	wish      linkrating.Wish
	templates repeats.Use
	ratings   *ratings
	latency   func(dowse.URL) time.Duration
}

// Without has the view leave out what the pages of a host repeat, and returns it.
func (v *View) Without(use repeats.Use) *View {
	v.templates = use
	return v
}

// Visit returns the recorded answer as the outcome of a visit, and how long it
// takes. A URL that the web does not have gives 404.
func (v *View) Visit(visit crawl.Visit) (*dowse.Page, time.Duration) {
	took := v.latency(visit.URL)
	if visit.Kind == crawl.VisitRobots {
		return v.robots(visit), took
	}
	w := v.judged.web
	i, ok := w.Find(visit.URL)
	if !ok {
		return missing(visit), took
	}
	kept, err := w.Page(i)
	if err != nil {
		v.judged.fail(err)
		return missing(visit), took
	}
	if (kept.Outcome == dowse.Listed) != (visit.Kind == crawl.VisitSitemap) {
		return wrongKind(visit), took
	}
	p, _ := detached(kept)
	asVisit(p, visit)
	switch p.Outcome {
	case dowse.Fetched:
		visit.Template.Apply(p)
		v.rate(p, i, kept)
	case dowse.Listed:
		v.wish.Rate(v.judged.judge, p)
	}
	return p, took
}

// rate rates the crawl's own copy of a page. Ratings that depend on what this crawl has
// seen are not shared.
func (v *View) rate(p *dowse.Page, i int, kept *dowse.Page) {
	switch {
	case v.templates.Any() && len(p.Repeated) > 0:
		wish := v.wish
		wish.Templates = v.templates
		wish.Rate(v.judged.judge, p)
	case p.LinksIn != nil:
		v.judged.rate(v.wish, p).applyTo(v.wish, p)
	default:
		v.judged.rated(v.ratings, i, kept).applyTo(v.wish, p)
	}
}

// Rated returns how the judge rates a page that the crawl has visited, and the
// words around the mentions of its links and their anchors, in order; ok is
// false for a URL that is not a page of the web. repeated is what other pages of its
// host had too.
func (v *View) Rated(u dowse.URL, repeated []dowse.Span) (verdict dowse.Verdict, contexts, anchors []float64, ok bool) {
	kept, i := v.kept(u)
	if kept == nil {
		return dowse.Verdict{}, nil, nil, false
	}
	if len(repeated) == 0 {
		r := v.judged.rated(v.ratings, i, kept)
		return r.verdict, r.contexts, r.anchors, true
	}
	p, _ := detached(kept)
	p.Repeated = repeated
	v.rate(p, i, kept)
	r := ratingOf(v.wish, p)
	return r.verdict, r.contexts, r.anchors, true
}

// Restore gives a page that was read from a journal its text and links back, as
// the view rates them.
func (v *View) Restore(p *dowse.Page) error {
	kept, i := v.kept(p.URL)
	if kept == nil {
		return nil
	}
	own, _ := detached(kept)
	own.Repeated = p.Repeated
	v.rate(own, i, kept)
	p.Document = own.Document
	return nil
}

// kept returns a fetched page of the web and its number; nil if there is none.
func (v *View) kept(u dowse.URL) (*dowse.Page, int) {
	i, ok := v.judged.web.Find(u)
	if !ok {
		return nil, 0
	}
	p, err := v.judged.web.Page(i)
	if err != nil || p.Outcome != dowse.Fetched {
		return nil, 0
	}
	return p, i
}

// ParseRobots parses a robots.txt for the user agent of the lab.
func ParseRobots(body []byte, status int) dowse.Rules {
	return fetch.ParseRobots(body, status, agent).Rules
}

// applyTo sets the ratings of a page and of the mentions of its links, in the
// order of ratingOf. Reasons are cloned, so that a crawl cannot change those of
// another.
func (r *rating) applyTo(wish linkrating.Wish, p *dowse.Page) {
	p.Verdict = r.verdict
	p.Verdict.Because = slices.Clone(r.verdict.Because)
	if wish == (linkrating.Wish{}) {
		return
	}
	k, words := 0, len(p.Words)
	one := func(m *dowse.Mention) {
		if wish.Window > 0 {
			m.Window = dowse.Window(m.At, words, wish.Window)
			m.Context = r.contexts[k]
		}
		if wish.Anchors {
			m.AnchorScore = r.anchors[k]
		}
		k++
	}
	for i := range p.Links {
		l := &p.Links[i]
		one(&l.Mention)
		for n := range l.More {
			one(&l.More[n])
		}
	}
}

// fail records an error of reading the web. The first ten are enough to see the
// cause.
func (j *Judged) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.errs) < 10 {
		j.errs = append(j.errs, err)
	}
}

// asVisit gives a recorded page the properties of the visit that it answers.
func asVisit(p *dowse.Page, v crawl.Visit) {
	p.URL, p.Lead, p.Depth, p.Hops, p.Again, p.LinksIn = v.URL, v.Lead, v.Depth, v.Hops, v.Again, v.LinksIn
}

// missing is the answer for a URL that the web does not have.
func missing(v crawl.Visit) *dowse.Page {
	p := v.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Failed, dowse.FailHTTP, "404 Not Found"
	p.Fetch.Status, p.Fetch.Type, p.Fetch.Bytes = 404, "text/plain", 10
	return p
}

// wrongKind is the outcome of visiting a sitemap as a page, or a page as a
// sitemap.
func wrongKind(v crawl.Visit) *dowse.Page {
	p := v.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Skipped, dowse.SkipTypeMIME, "not the kind of document that was requested"
	p.Fetch.Status = 200
	return p
}

// robots answers a visit to robots.txt.
func (v *View) robots(visit crawl.Visit) *dowse.Page {
	p := visit.Page()
	p.Outcome = dowse.Listed
	rules := v.judged.web.robots[weburl.Host(visit.URL)]
	if rules == nil {
		rules = allowAll
	}
	p.Fetch.Status = rules.Status
	p.Host = &dowse.HostReport{Robots: detachedRobots(rules)}
	return p
}

// allowAll permits everything, as a host without a robots.txt does.
var allowAll = fetch.ParseRobots(nil, 404, agent)
