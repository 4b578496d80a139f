package web

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/weburl"
)

// A Judged web is a web whose pages a judge has rated for one topic: each page, and
// what is said around each of its links, once, when a crawl first comes there. It is
// shared by all crawls for the topic, from many goroutines. Pages of a crawl that counts
// links (crawl.Config.LinksIn) are rated for that crawl alone.
type Judged struct {
	web   *Web
	judge dowse.Judge

	mu   sync.Mutex
	rows map[crawler.Wish]*ratings
	most int // words around a link that anybody wants
	errs []error
}

// ratings hold what a judge said about pages, by number.
type ratings struct {
	wish crawler.Wish
	list []atomic.Pointer[rating]
}

// A rating is what a judge said of one page.
type rating struct {
	verdict  dowse.Verdict
	contexts []float64 // of all mentions in order; nil for none
	anchors  []float64
}

// NewJudged returns the web as a judge sees it. Wishes are what crawls will want to be
// rated, as far as that is known: those that want nothing but the page then share the
// ratings of another, and the page is read once.
func NewJudged(w *Web, j dowse.Judge, wishes ...crawler.Wish) *Judged {
	judged := &Judged{web: w, judge: j, rows: map[crawler.Wish]*ratings{}}
	for _, wish := range wishes {
		judged.most = max(judged.most, wish.Window)
		if wish.Window > 0 && wish.Window == judged.most {
			judged.rows[crawler.Wish{}] = judged.ratings(wish)
		}
	}
	return judged
}

// Err returns what went wrong in reading the web. A page that could not be read is a
// failed one to the crawl.
func (j *Judged) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.errs...)
}

// For returns the web as a strategy sees it: with what it wants to be rated. latency
// tells how long an answer takes; nil means as long as the web itself says.
func (j *Judged) For(s dowse.Strategy, latency func(dowse.URL) time.Duration) *View {
	if latency == nil {
		latency = j.web.latency
	}
	if latency == nil {
		latency = func(dowse.URL) time.Duration { return defaultLatency }
	}
	wish := crawler.WishOf(s)
	return &View{judged: j, wish: wish, ratings: j.ratings(wish), latency: latency}
}

// defaultLatency is how long an answer takes where nobody says: the second of Wang et
// al. 2009's running times.
const defaultLatency = time.Second

func (j *Judged) ratings(wish crawler.Wish) *ratings {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.rows[wish]
	if r == nil {
		r = &ratings{wish: wish, list: make([]atomic.Pointer[rating], j.web.Len())}
		j.rows[wish] = r
	}
	return r
}

// Relevance returns the judge's rating of a page by its number.
func (j *Judged) Relevance(i int) float64 {
	p, err := j.web.Page(i)
	if err != nil || p.Outcome != dowse.Fetched {
		return 0
	}
	return j.rated(j.ratings(crawler.Wish{}), i, p).verdict.Relevance
}

// rated returns the rating of a page, and makes it where there is none. Two crawls
// that come at once rate it twice, to the same end.
func (j *Judged) rated(r *ratings, i int, p *dowse.Page) *rating {
	if have := r.list[i].Load(); have != nil {
		return have
	}
	made := j.rate(r.wish, p)
	r.list[i].Store(made)
	return made
}

// rate lets the judge read a copy of a page.
func (j *Judged) rate(wish crawler.Wish, p *dowse.Page) *rating {
	fresh, _ := detached(p)
	wish.Rate(j.judge, fresh)
	return ratingOf(wish, fresh)
}

func ratingOf(wish crawler.Wish, p *dowse.Page) *rating {
	r := &rating{verdict: p.Verdict}
	r.verdict.Because = slices.Clip(r.verdict.Because)
	if wish == (crawler.Wish{}) {
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

func (r *rating) add(wish crawler.Wish, m *dowse.Mention) {
	if wish.Window > 0 {
		r.contexts = append(r.contexts, m.Context)
	}
	if wish.Anchors {
		r.anchors = append(r.anchors, m.AnchorScore)
	}
}

// detached copies a page so that a crawl can have it: all that can be written to is the
// crawl's own, so that a strategy can't leave a message for crawls that come later.
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

func detachedRobots(r *dowse.Robots) *dowse.Robots {
	own := *r
	own.Body, own.Sitemaps = slices.Clone(r.Body), slices.Clone(r.Sitemaps)
	return &own
}

// A View answers the visits of one crawl, as lab.Web wants it. It shows nothing that
// a visit would not.
type View struct {
	judged  *Judged
	wish    crawler.Wish
	ratings *ratings
	latency func(dowse.URL) time.Duration
}

// Visit returns what came of a visit and how long it took. What is outside of the web
// is answered with 404.
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
		return unlike(visit), took
	}
	p, _ := detached(kept)
	as(p, visit)
	switch {
	case p.Outcome != dowse.Fetched:
	case p.LinksIn != nil: // the judge goes by what this crawl has seen, which no other may know
		v.judged.rate(v.wish, p).tell(v.wish, p)
	default:
		v.judged.rated(v.ratings, i, kept).tell(v.wish, p)
	}
	return p, took
}

// tell gives a page the ratings.
func (r *rating) tell(wish crawler.Wish, p *dowse.Page) {
	p.Verdict = r.verdict
	p.Verdict.Because = slices.Clone(r.verdict.Because)
	if wish == (crawler.Wish{}) {
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

func (j *Judged) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.errs) < 10 {
		j.errs = append(j.errs, err)
	}
}

// as makes a recorded page the outcome of a visit.
func as(p *dowse.Page, v crawl.Visit) {
	p.URL, p.Lead, p.Depth, p.Hops, p.Again, p.LinksIn = v.URL, v.Lead, v.Depth, v.Hops, v.Again, v.LinksIn
}

func missing(v crawl.Visit) *dowse.Page {
	p := v.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Failed, dowse.FailHTTP, "404 Not Found"
	p.Fetch.Status, p.Fetch.Type, p.Fetch.Bytes = 404, "text/plain", 10
	return p
}

// unlike is what comes of a list that is visited as a page, or the other way round.
func unlike(v crawl.Visit) *dowse.Page {
	p := v.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Skipped, dowse.SkipTypeMIME, "not what it was asked for as"
	p.Fetch.Status = 200
	return p
}

func (v *View) robots(visit crawl.Visit) *dowse.Page {
	p := visit.Page()
	p.Outcome = dowse.Listed
	rules := v.judged.web.robots[weburl.Host(visit.URL)]
	if rules == nil {
		rules = open
	}
	p.Fetch.Status = rules.Status
	p.Host = &dowse.HostReport{Robots: detachedRobots(rules)}
	return p
}

// open lets everything be fetched, as a host without a robots.txt does.
var open = fetch.ParseRobots(nil, 404, agent)
