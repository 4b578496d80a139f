// Package strategytest holds the conformance suite that every strategy passes, and
// a toy web for tests of strategies.
package strategytest

import (
	"time"

	"dowse"
	"dowse/crawl"
)

// Toy is a web of a few pages, written down in a test. URLs may be opaque ("s1").
// A URL that is not in it fails for good.
type Toy map[dowse.URL]Page

// A Page of a toy web.
type Page struct {
	Relevance float64
	Text      string
	Links     []Link
	Redirect  dowse.URL    // the page is a redirect to there
	Fails     dowse.Reason // the page fails for good
	Flaky     int          // so many visits fail for the moment before one succeeds
	Took      time.Duration
}

// A Link of a toy page.
type Link struct {
	To          dowse.URL
	Context     float64 // the judge's rating of the words around it
	AnchorScore float64 // the judge's rating of the anchor
	Anchor      string
}

// To makes plain links.
func To(urls ...dowse.URL) []Link {
	links := make([]Link, len(urls))
	for i, u := range urls {
		links[i].To = u
	}
	return links
}

// Visit answers a visit, as a lab's web does. Flaky pages count down.
func (t Toy) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p := v.Page()
	tp, ok := t[v.URL]
	took := max(tp.Took, time.Millisecond)
	switch {
	case v.Kind == crawl.VisitRobots:
		p.Host = &dowse.HostReport{Robots: &dowse.Robots{Status: 404}}
	case !ok:
		p.Outcome, p.Reason, p.Detail = dowse.Failed, dowse.FailHTTP, "404"
	case tp.Flaky > 0:
		tp.Flaky--
		t[v.URL] = tp
		p.Outcome, p.Reason, p.Detail = dowse.Temporary, dowse.FailConnect, "reset"
	case tp.Fails != "":
		p.Outcome, p.Reason = dowse.Failed, tp.Fails
	case tp.Redirect != "":
		p.Outcome = dowse.Redirected
		p.Links = []dowse.Link{{URL: tp.Redirect}}
	default:
		tp.fill(p)
	}
	return p, took
}

func (tp Page) fill(p *dowse.Page) {
	p.Outcome = dowse.Fetched
	p.Fetch.Status = 200
	p.Verdict = dowse.Verdict{Relevance: tp.Relevance, Because: []dowse.Because{{What: "toy", Weight: tp.Relevance}}}
	p.Text = tp.Text
	p.Words = dowse.Words(tp.Text)
	place := map[dowse.URL]int{}
	for _, l := range tp.Links {
		m := dowse.Mention{Anchor: l.Anchor, Context: l.Context, AnchorScore: l.AnchorScore, Above: [3]int32{-1, -1, -1}}
		if at, ok := place[l.To]; ok {
			p.Links[at].More = append(p.Links[at].More, m)
			continue
		}
		place[l.To] = len(p.Links)
		p.Links = append(p.Links, dowse.Link{URL: l.To, Mention: m})
	}
}

// restore gives a page its text back, as an archive does.
func (t Toy) restore(p *dowse.Page) error {
	p.Text = t[p.URL].Text
	p.Words = dowse.Words(p.Text)
	return nil
}

// Order crawls a toy web from its seeds, one page after the other and as fast as it
// goes, and tells in which order the pages were visited.
func Order(s dowse.Strategy, web Toy, seeds ...dowse.URL) (visited []dowse.URL) {
	c, err := crawl.New(crawl.Config{Strategy: s, Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		panic(err) // there is a strategy
	}
	now := epoch
	c.Start(now, seeds)
	for p := step(c, web, &now); p != nil; p = step(c, web, &now) {
		visited = append(visited, p.URL)
	}
	return visited
}

// Rounds crawls a toy web round by round. After each round, see hears which URLs
// were taken, in order; it may look at the crawl.
func Rounds(c *crawl.Crawl, web Toy, see func(taken []dowse.URL)) {
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for {
		var taken []dowse.URL
		var pages []*dowse.Page
		for {
			v, _, ok := c.Next(now)
			if !ok {
				break
			}
			p, _ := web.Visit(v)
			taken, pages = append(taken, v.URL), append(pages, p)
		}
		if len(pages) == 0 {
			return
		}
		for _, p := range pages {
			now = now.Add(time.Second)
			c.Absorb(now, p)
		}
		see(taken)
	}
}
