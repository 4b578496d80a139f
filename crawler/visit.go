package crawler

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/extract"
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

	wish Wish
	// archiver is nil if no archive is kept.
	archiver *archiver
	// document reads a page again from the archive; only the loop calls it. Nil if no archive is kept.
	document func(p *dowse.Page) (*dowse.Document, error)
}

// Rate makes the judge rate for each link what the strategy uses.
func (v *Visitor) Rate(s dowse.Strategy) { v.wish = WishOf(s) }

// rateAll is Rate for a strategy and its shadows. It is an error if their
// demands can't be combined.
func (v *Visitor) rateAll(s dowse.Strategy, shadows []crawl.Shadow) error {
	v.wish = WishOf(s)
	for _, shadow := range shadows {
		both, err := v.wish.and(WishOf(shadow.Strategy))
		if err != nil {
			return fmt.Errorf("%w; the shadow is %s", err, shadow.Name)
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
	if visit.Patience > 0 {
		ctx = fetch.WithPatience(ctx, visit.Patience)
	}
	ctx = fetch.WithPart(ctx, visit.Part)
	switch visit.Kind {
	case crawl.VisitRobots:
		return v.robots(ctx, visit)
	case crawl.VisitSitemap:
		return v.sitemap(ctx, visit)
	}
	if visit.Check {
		return v.check(ctx, visit)
	}
	r := v.Client.Get(ctx, visit.URL)
	p := pageOf(visit, r)
	if r.Outcome != dowse.Fetched {
		return v.arrival(p, nil, r)
	}
	under := v.currentJudge()
	v.read(p, r)
	a := v.arrival(p, nil, r)
	if keep := a.Keep; keep != nil && under != nil {
		a.Keep = func() error {
			if p.Outcome == dowse.Fetched && under != v.currentJudge() { // another judge was put in its place meanwhile
				v.judge(v.Judge, p)
			}
			return keep()
		}
	}
	return a
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
func (v *Visitor) robots(ctx context.Context, visit crawl.Visit) crawl.Arrival {
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
	return v.arrival(p, nil, hops...)
}

// sitemap requests a sitemap; its URLs become links without words.
func (v *Visitor) sitemap(ctx context.Context, visit crawl.Visit) crawl.Arrival {
	r := v.Client.Sitemap(ctx, visit.URL)
	p := pageOf(visit, r)
	if r.Outcome == dowse.Listed {
		p.Maps = r.Maps
		p.Links = make([]dowse.Link, len(r.Links))
		for i, u := range r.Links {
			p.Links[i] = dowse.Link{URL: u, Mention: bareMention}
		}
	}
	return v.arrival(p, nil, r)
}

// read extracts and judges a fetched page. A page in a language that is not
// wanted is skipped without a verdict and without links, unless it is a seed.
func (v *Visitor) read(p *dowse.Page, r *fetch.Response) {
	body, charset := extract.Decode(r.Body, r.Header.Get("Content-Type"))
	p.Fetch.Charset = charset
	p.Document = *extract.HTML(body, p.URL, extract.Options{Agent: v.Client.Agent()})
	noFollow, noIndex, noArchive := extract.RobotsTag(r.Header.Values("X-Robots-Tag"), v.Client.Agent())
	p.NoFollow = p.NoFollow || noFollow
	p.NoIndex = p.NoIndex || noIndex
	p.NoArchive = p.NoArchive || noArchive
	if p.Modified.IsZero() {
		p.Modified = fetch.LastModified(r.Header)
	}
	p.Sketch = text.Sketch(&p.Document)
	detail := "the page says it is in "
	if p.Language == "" && v.Language != nil {
		p.Language, detail = v.Language(p), "the page seems to be in "
	}
	if p.Depth > 0 && !v.wants(p.Language) {
		p.Outcome, p.Reason, p.Detail = dowse.Skipped, dowse.SkipLang, detail+p.Language
		p.Links = nil
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
	v.wish.Rate(j, p)
	if p.Depth == 0 && !v.wants(p.Language) {
		p.Verdict = dowse.Verdict{Scale: judge.Share, Judge: languageJudge, Because: []dowse.Because{
			{What: fmt.Sprintf("a seed in %q, which is not a wanted language; its links are followed", p.Language)}}}
	}
}

// languageJudge names the verdict on a seed in a language that is not wanted.
const languageJudge = "language"

// arrival returns the page with the function that archives its answers. From
// here on the page holds only as much of the memory budget as it and its
// records need, until it is committed. of is the earlier version of a page that is asked again, nil
// for other pages.
func (v *Visitor) arrival(p *dowse.Page, of *archive.Original, answers ...*fetch.Response) crawl.Arrival {
	a := crawl.Arrival{Page: p}
	size := sizeOf(p)
	if v.archiver != nil {
		encoded := v.pack(p, answers)
		for i := range encoded {
			encoded[i].of = of
		}
		for _, c := range encoded {
			size += c.size()
		}
		a.Keep = func() error { return v.archiver.store(p, encoded) }
	}
	if last := answers[len(answers)-1].Claim; last != nil {
		for _, r := range answers[:len(answers)-1] {
			r.Claim.Release()
		}
		last.Keep(size)
		a.Done = last.Release
	}
	return a
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
		if r.Fetch.Truncated {
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
	const link, word = 320, 8 // bytes, with what hangs on them
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
		fields = append(fields, archive.Field{Name: "dowse-because", Value: fmt.Sprintf("%+.4f %s", b.Weight, b.What)})
	}
	return fields
}
