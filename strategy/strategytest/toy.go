// Package strategytest contains the conformance suite that every strategy must
// pass, and a toy web for tests of strategies.
//
// A strategy passes if crawls can rely on it: it is deterministic, visits no
// URL twice except by an explicit revisit, gives a reason for every lead,
// survives failures, redirects and odd pages, and continues after being saved
// and loaded, or rebuilt from the journal, as if it had never been interrupted.
// [Run] checks all of this on generated webs; a new strategy needs one test
// that calls it.
//
// A [Toy] web is written down in a test: a few pages with links and ratings, in
// virtual time and without a network. [Order] and [Rounds] run a strategy on it
// and report the order of visits, which a test compares with what the paper
// prescribes. [Around] wraps a strategy to observe or time it without hiding
// any of its abilities.
package strategytest

import (
	"time"

	"dowse"
	"dowse/crawl"
)

// A Toy is a web of a few pages, written down in a test. URLs may be opaque
// ("s1"). A URL that is not in it fails permanently.
type Toy map[dowse.URL]Page

// A Page of a toy web. The zero Page is one that is fetched, off topic, without
// text and links.
type Page struct {
	// Relevance is the judge's verdict, 0 to 1. A crawl counts the page as on
	// topic from its threshold on, 0.5 unless a test sets another.
	Relevance float64
	// Text is what strategies read; its words are cut as those of a parsed page.
	Text     string
	Links    []Link
	Redirect dowse.URL     // target, if the page is a redirect
	Fails    dowse.Reason  // reason, if the page fails permanently
	Flaky    int           // number of visits that fail temporarily before one succeeds
	Took     time.Duration // virtual duration of a visit; at least 1 ms
}

// A Link of a toy page. Two links to one target are two mentions of one link.
type Link struct {
	To          dowse.URL
	Context     float64 // the judge's rating of the words around it
	AnchorScore float64 // the judge's rating of the anchor
	Anchor      string
}

// To returns links without anchors and ratings, for strategies that use only
// the graph.
func To(urls ...dowse.URL) []Link {
	links := make([]Link, len(urls))
	for i, u := range urls {
		links[i].To = u
	}
	return links
}

// Visit answers a visit; it implements lab.Web. It costs no time but a virtual
// one, and needs no judge: ratings are those that the test wrote down. Flaky
// pages count down, so that a web can be used for one crawl only.
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

// fill sets the document and the verdict of a page. Repeated links to one
// target become further mentions, as in a parsed page.
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

// restore sets the text of a page that comes from a journal, as an archive
// does: journals hold no text, and strategies that read it must learn the same
// from a fold.
func (t Toy) restore(p *dowse.Page) error {
	p.Text = t[p.URL].Text
	p.Words = dowse.Words(p.Text)
	return nil
}

// Order crawls a toy web from its seeds, one page after the other and without
// delays, and returns the pages in the order in which they were visited. Since
// no host ever rests, the order is that of the strategy alone.
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

// Rounds crawls a toy web round by round. After each round it calls see with
// the URLs that were visited, in order; see may inspect the crawl. All visits
// of a round are begun before the first of their pages is absorbed, which is
// the snapshot that SPEC B.1 prescribes.
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
