package crawler

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/linkrating"
	"dowse/internal/repeats"
	"dowse/internal/text"
	"dowse/judge"
)

// A Visitor makes visits: it fetches, extracts and judges a page, and
// encodes it for the archive, all in the goroutine of the visit. Only
// appending to the archive is left to the loop. It implements crawl.Visitor,
// for live crawls and for the lab.
type Visitor struct {
	Client *fetch.Client
	Judge  dowse.Judge
	// Wants reports whether pages in a language are used; nil accepts all.
	Wants func(language string) bool
	// Language detects the language of a page that declares none; nil leaves
	// it empty.
	Language func(p *dowse.Page) string
	// Templates is what is done without the parts of pages that other pages of their host have too,
	// as far as visits come with what is known of them (crawl.Config.Templates). It must be set
	// before Rate is called.
	Templates repeats.Use

	// judged, if set, is called with the time that each page took to be judged, by the goroutine of its visit.
	judged func(took time.Duration)

	wish linkrating.Wish
	// others are crawlers whose directives for robots hold, too: those of the crawls that the collection was
	// made of.
	others []string
	// archiver is nil if no archive is kept.
	archiver *archiver
	// document reads a page again from the archive; only the loop calls it. Nil if no archive is kept.
	document func(p *dowse.Page) (*dowse.Document, error)
}

// addressed returns the names of crawlers whose directives for robots hold.
func (v *Visitor) addressed() []string { return extract.Agents(v.Client.Agent(), v.others...) }

// Rate makes the judge rate for each link what the strategy uses.
func (v *Visitor) Rate(s dowse.Strategy) {
	v.wish = linkrating.WishOf(s)
	v.wish.Templates = v.Templates
}

// rateAll is Rate for a strategy and its shadows. It is an error if their
// demands can't be combined.
func (v *Visitor) rateAll(s dowse.Strategy, shadows []crawl.Shadow) error {
	v.Rate(s)
	for _, shadow := range shadows {
		both, err := v.wish.And(linkrating.WishOf(shadow.Strategy))
		if err != nil {
			return fmt.Errorf("crawler: %w; the shadow is %s", err, shadow.Name)
		}
		v.wish = both
	}
	return nil
}

// Visit makes one visit. Failures are part of the page. If the judge is
// replaced before the page is recorded, the page is judged again: Keep is
// called by the loop, which is also the one that replaces the judge, so no
// page is recorded with the verdict of a judge that is no longer in use.
func (v *Visitor) Visit(ctx context.Context, visit crawl.Visit) crawl.Arrival {
	known := v.versionOf(visit)
	under := v.currentJudge()
	p, answers := v.request(ctx, visit, known.header)
	a := crawl.Arrival{Page: p}
	var encoded []encodedAnswer
	if v.archiver != nil {
		encoded = v.pack(p, answers)
	}
	a.Keep = v.keeper(visit, known, p, encoded, func() bool { return under == v.currentJudge() })
	v.claim(&a, encoded, answers)
	if r := answers[0]; visit.Kind == crawl.VisitPage && r.Recycle != nil {
		r.Recycle() // the page and the records have copies of what they need
	}
	return a
}

// request makes the requests of a visit, and extracts and judges the page. earlier is the header of
// the earlier answer of a page that is asked again; nil for none. The last answer is the page's.
func (v *Visitor) request(ctx context.Context, visit crawl.Visit, earlier http.Header) (*dowse.Page, []*fetch.Response) {
	if visit.Patience > 0 {
		ctx = fetch.WithPatience(ctx, visit.Patience)
	}
	ctx = fetch.WithPart(ctx, visit.Part)
	switch {
	case visit.Kind == crawl.VisitRobots:
		return v.robots(ctx, visit)
	case visit.Kind == crawl.VisitSitemap:
		return v.sitemap(ctx, visit)
	case visit.Check && visit.Whole: // an answer without a body has no links
		ctx = fetch.WithKnown(ctx, nil)
	case visit.Check:
		ctx = fetch.WithKnown(ctx, earlier)
	}
	r := v.Client.Get(ctx, visit.URL)
	p := pageOf(visit, r)
	if r.Outcome == dowse.Fetched {
		dropOnPanic(r, func() { v.read(p, r, visit.Template) })
	}
	if visit.Check {
		forNow(p)
	}
	return p, []*fetch.Response{r}
}

// dropOnPanic has a page judged. If the judge of a program panics, the memory of the answer is free for others.
func dropOnPanic(r *fetch.Response, judge func()) {
	judged := false
	defer func() {
		if !judged {
			r.Claim.Release()
		}
	}()
	judge()
	judged = true
}

// keeper returns the function that stores a page, nil if there is nothing to do. The page is judged
// again unless isCurrent reports that the judge that rated it is still in use.
func (v *Visitor) keeper(visit crawl.Visit, known version, p *dowse.Page, encoded []encodedAnswer, isCurrent func() bool) func() error {
	if v.archiver == nil && !visit.Check {
		return nil
	}
	for i := range encoded {
		encoded[i].of = known.of
	}
	return func() error {
		if !visit.Check && p.Outcome == dowse.Fetched && !isCurrent() {
			v.judge(v.Judge, p)
		}
		if v.archiver != nil {
			if err := v.archiver.store(p, encoded); err != nil {
				return err
			}
		}
		if visit.Check && v.settle(visit, known, p, encoded) && !isCurrent() {
			v.wish.Rate(v.Judge, p)
		}
		return nil
	}
}

// currentJudge returns the current judge and labels; nil if the judge can't be
// replaced.
func (v *Visitor) currentJudge() *labelledJudge {
	if r, ok := v.Judge.(*liveJudge); ok {
		return r.now.Load()
	}
	return nil
}

// pageOf returns the page of a visit with the result of its request.
func pageOf(visit crawl.Visit, r *fetch.Response) *dowse.Page {
	p := visit.Page()
	p.Outcome, p.Reason, p.Detail = r.Outcome, r.Reason, r.Detail
	p.Fetch, p.Host = r.Fetch, r.Host
	if r.Outcome == dowse.Redirected {
		p.Links = []dowse.Link{{URL: r.Location, Mention: bareMention}}
	}
	return p
}

// bareMention is a mention without words.
var bareMention = dowse.Mention{Above: [3]int32{-1, -1, -1}, Context: math.NaN()}

// robots requests robots.txt; the page of the visit carries the rules for
// the host.
func (v *Visitor) robots(ctx context.Context, visit crawl.Visit) (*dowse.Page, []*fetch.Response) {
	rules, hops := v.Client.Robots(ctx, visit.URL)
	last := hops[len(hops)-1]
	p := visit.Page()
	p.Outcome = dowse.Listed // not a page
	p.Fetch = last.Fetch
	p.Host = &dowse.HostReport{}
	if last.Host != nil {
		*p.Host = *last.Host
	}
	p.Host.Robots = rules
	if rules.Status == 0 {
		p.Reason, p.Detail = last.Reason, last.Detail
	}
	return p, hops
}

// sitemap requests a sitemap, whose URLs become links without words, or a feed, whose items become links with their
// titles.
func (v *Visitor) sitemap(ctx context.Context, visit crawl.Visit) (*dowse.Page, []*fetch.Response) {
	r := v.Client.Sitemap(ctx, visit.URL)
	p := pageOf(visit, r)
	switch {
	case r.Outcome != dowse.Listed:
	case len(r.Items) > 0:
		p.Document = *extract.Feed(r.Items, r.URL)
		addRobotsTag(&p.Document, r.Header.Values(robotsTag), v.addressed())
		dropOnPanic(r, func() { v.wish.Rate(v.Judge, p) })
	default:
		p.Maps = r.Maps
		p.Links = make([]dowse.Link, len(r.Links))
		for i, u := range r.Links {
			p.Links[i] = dowse.Link{URL: u, Mention: bareMention}
		}
	}
	return p, []*fetch.Response{r}
}

// read extracts and judges a fetched page. A page in a language that is not
// wanted is skipped without a verdict and without links, unless it is a seed. template is what
// is known of the blocks that the pages of the host repeat; nil if the crawl does not ask.
func (v *Visitor) read(p *dowse.Page, r *fetch.Response, template *repeats.Known) {
	body, charset := extract.Decode(r.Body, r.Header.Get("Content-Type"))
	p.Fetch.Charset = charset
	p.Document = *extract.HTML(body, p.URL, extract.Options{Agents: v.addressed(), OnFeed: func(u dowse.URL) {
		if p.Maps == nil && u != p.URL {
			p.Maps = []dowse.URL{u} // the first one is the feed of the page (HTML, 4.6.7.2)
		}
	}})
	addRobotsTag(&p.Document, r.Header.Values(robotsTag), v.addressed())
	if p.Modified.IsZero() {
		p.Modified = fetch.LastModified(r.Header)
	}
	p.Sketch = text.Sketch(&p.Document)
	text.Number(&p.Document)
	template.Apply(p)
	detail := "the page says it is in "
	if p.Language == "" && v.Language != nil {
		p.Language, detail = v.Language(p), "the page seems to be in "
	}
	if p.Depth > 0 && !v.wants(p.Language) {
		p.Outcome, p.Reason, p.Detail = dowse.Skipped, dowse.SkipLang, detail+p.Language
		p.Links, p.Maps = nil, nil
		return
	}
	v.judge(v.Judge, p)
}

// wants reports whether pages in a language are used.
func (v *Visitor) wants(language string) bool { return v.Wants == nil || v.Wants(language) }

// judge rates a page and its links. A seed in a language that is not wanted is
// off topic, whatever the judge finds, but its links are followed: a person chose
// it as a place to begin, and a crawl that drops the links of its only seed ends
// there.
func (v *Visitor) judge(j dowse.Judge, p *dowse.Page) {
	began := time.Now()
	v.wish.Rate(j, p)
	if v.judged != nil {
		v.judged(time.Since(began))
	}
	if p.Depth == 0 && !v.wants(p.Language) {
		p.Verdict = dowse.Verdict{Scale: judge.Share, Judge: languageJudge, Because: []dowse.Because{
			{What: fmt.Sprintf("a seed in %q, which is not a wanted language; its links are followed", p.Language)}}}
	}
}

// languageJudge names the verdict on a seed in a language that is not wanted.
const languageJudge = "language"

// claim reduces what the visit holds of the memory budget to what its page and its records need,
// until the page is committed.
func (v *Visitor) claim(a *crawl.Arrival, encoded []encodedAnswer, answers []*fetch.Response) {
	last := answers[len(answers)-1].Claim
	if last == nil {
		return
	}
	size := sizeOf(a.Page)
	for _, c := range encoded {
		size += c.size()
	}
	for _, r := range answers[:len(answers)-1] {
		r.Claim.Release()
	}
	last.Keep(size)
	a.Done = last.Release
}

// pack encodes the answers that were received. A challenge, which a host sends in
// place of the page, is not among them: it is meant for a person, and not for an
// archive. The entry of the visit says that there was one.
func (v *Visitor) pack(p *dowse.Page, answers []*fetch.Response) (encoded []encodedAnswer) {
	for i, r := range answers {
		last := i == len(answers)-1
		if r.ResponseHead == nil || last && p.Reason == dowse.SkipChallenge {
			continue
		}
		ex := &archive.Exchange{
			URL: r.URL, At: r.Fetch.At, Address: r.Fetch.Address,
			RequestHead: r.RequestHead, ResponseHead: r.ResponseHead, Payload: r.RawBody,
		}
		switch {
		case r.Fetch.Truncated && len(r.RawBody) == 0:
			ex.Truncated = "unspecified" // the body of what is no page is not kept
		case r.Fetch.Truncated:
			ex.Truncated = "length"
		}
		if last && p.Outcome == dowse.Fetched && len(p.Verdict.Because) > 0 {
			ex.Metadata = metadata(p)
		}
		encoded = append(encoded, v.archiver.pack(ex))
	}
	return encoded
}

// sizeOf estimates the memory of a page in bytes, for the budget. The estimate
// is coarse; what it must not miss are the text and the links, which a server
// can make large.
func sizeOf(p *dowse.Page) int64 {
	const link, word = 600, 12 // bytes, with what hangs on them and what the crawl makes of them until the page is committed
	return int64(len(p.Text) + word*len(p.Words) + link*(len(p.Links)+len(p.Maps)))
}

// metadata returns what the archive records about a page in addition to the
// answer: its distance from a seed, its relevance and up to ten reasons.
func metadata(p *dowse.Page) []archive.Field {
	fields := []archive.Field{
		{Name: "fetchTimeMs", Value: strconv.FormatInt(int64(p.Fetch.Took/time.Millisecond), 10)},
		{Name: "hopsFromSeed", Value: strconv.Itoa(p.Depth)},
		{Name: "dowse-relevance", Value: strconv.FormatFloat(p.Verdict.Relevance, 'f', 6, 64)},
		{Name: "dowse-outlinks", Value: strconv.Itoa(len(p.Links))},
	}
	for i, b := range p.Verdict.Because {
		if i == 10 {
			break
		}
		fields = append(fields, archive.Field{Name: "dowse-because", Value: signed(b.Weight) + " " + b.What})
	}
	return fields
}

// signed returns a weight with its sign and four digits after the point.
func signed(x float64) string {
	s := strconv.FormatFloat(x, 'f', 4, 64)
	if s[0] != '-' && s[0] != '+' {
		s = "+" + s
	}
	return s
}
