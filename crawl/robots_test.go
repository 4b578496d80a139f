package crawl_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// answering gives every host the same robots.txt; nil for no answer at all.
type answering struct {
	toy
	robots func(v crawl.Visit) *dowse.Robots
	asked  []dowse.URL
}

func (a *answering) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := a.toy.Visit(v)
	if v.Kind == crawl.VisitRobots {
		a.asked = append(a.asked, v.URL)
		p.Host = &dowse.HostReport{Robots: a.robots(v), BackOff: true}
		if r := p.Host.Robots; r != nil && r.Status == 200 {
			p.Host.BackOff = false
		}
	}
	return p, took
}

func disallow(part string) *dowse.Robots {
	return &dowse.Robots{Status: 200, Body: []byte(part), Rules: aRobots(part)}
}

func robotic(s dowse.Strategy) crawl.Config {
	cfg := hurried(s)
	cfg.Robots = true
	return cfg
}

func TestRobotsRefuse(t *testing.T) {
	var followed, offered []string
	s := follow(func(p *dowse.Page) leads {
		if p.Outcome == dowse.Refused {
			followed = append(followed, fmt.Sprint(p.URL, " ", p.Reason, " ", p.Detail))
		}
		for i := range p.Links {
			offered = append(offered, string(p.Links[i].URL))
		}
		return queueAll(p)
	})
	web := &answering{toy: toy{
		"http://a.test/":   {Links: to("http://b.test/no", "http://b.test/ok", "http://a.test/no")},
		"http://b.test/ok": {Links: to("http://b.test/no2", "http://b.test/ok2")}, "http://b.test/ok2": {},
	}, robots: func(crawl.Visit) *dowse.Robots { return disallow("/no") }}
	c := begin(t, robotic(s), "http://a.test/")
	run(c, web)
	if want := []dowse.URL{"http://a.test/robots.txt", "http://b.test/robots.txt"}; !slices.Equal(web.asked, want) {
		t.Errorf("asked for %v, want %v", web.asked, want)
	}
	if want := []string{"http://b.test/no robots.txt Disallow: /no"}; !slices.Equal(followed, want) {
		t.Errorf("followed %q, want %q", followed, want)
	}
	if want := []string{"http://b.test/no", "http://b.test/ok", "http://b.test/ok2"}; !slices.Equal(offered, want) {
		t.Errorf("offered %q, want %q: what is known to be forbidden is left out", offered, want)
	}
	for _, u := range []dowse.URL{"http://a.test/no", "http://b.test/no", "http://b.test/no2"} {
		if stateOf(c, u) != dowse.Excluded || c.Reason(u) != dowse.SkipRobotsTxt {
			t.Errorf("%s is %s: %s", u, stateOf(c, u), c.Reason(u))
		}
	}
	balanced(t, c)
}

func TestRobotsAreReadAgainAfterADay(t *testing.T) {
	web := &answering{toy: toy{"http://a.test/": {Links: to("http://a.test/1", "http://a.test/2")}, "http://a.test/1": {}}}
	web.robots = func(crawl.Visit) *dowse.Robots {
		if len(web.asked) == 1 {
			return disallow("")
		}
		return disallow("/2")
	}
	c := begin(t, robotic(follow(queueAll)), "http://a.test/")
	now := epoch
	step(c, web, &now)
	step(c, web, &now)
	now = now.Add(23 * time.Hour)
	step(c, web, &now)
	if len(web.asked) != 1 {
		t.Errorf("asked %d times within a day", len(web.asked))
	}
	now = now.Add(2 * time.Hour)
	step(c, web, &now)
	if len(web.asked) != 2 {
		t.Errorf("asked %d times after a day", len(web.asked))
	}
	if step(c, web, &now); c.Reason("http://a.test/2") != dowse.SkipRobotsTxt {
		t.Errorf("the new rules do not hold: %q", c.Reason("http://a.test/2"))
	}
}

// A host whose robots.txt cannot be read is asked again. Until then nothing of it may be
// visited, nor settled, or its old rules hold on.
func TestRobotsWithoutAnAnswer(t *testing.T) {
	silent := map[string]func(crawl.Visit) *dowse.Robots{
		"nothing came back": func(crawl.Visit) *dowse.Robots { return nil },
		"no connection":     func(crawl.Visit) *dowse.Robots { return &dowse.Robots{} },
		"503":               func(crawl.Visit) *dowse.Robots { return &dowse.Robots{Status: 503} },
		"429":               func(crawl.Visit) *dowse.Robots { return &dowse.Robots{Status: 429} },
	}
	for name, robots := range silent {
		web := &answering{toy: toy{"http://a.test/": {}}, robots: robots}
		c := begin(t, robotic(follow(queueAll)), "http://a.test/")
		run(c, web)
		if len(web.asked) != 5 || stateOf(c, "http://a.test/") != dowse.Waiting || c.Stopped() != dowse.StopStarved {
			t.Errorf("%s: asked %d times; %s; stopped: %s", name, len(web.asked), stateOf(c, "http://a.test/"), c.Stopped())
		}
		balanced(t, c)
	}
}

func TestRobotsAnswerLater(t *testing.T) {
	web := &answering{toy: toy{"http://a.test/": {}}}
	web.robots = func(crawl.Visit) *dowse.Robots {
		if len(web.asked) < 3 {
			return &dowse.Robots{Status: 503}
		}
		return disallow("")
	}
	c := begin(t, robotic(follow(queueAll)), "http://a.test/")
	if run(c, web); c.Status().Fetched != 1 {
		t.Errorf("%d pages fetched", c.Status().Fetched)
	}
}

func TestOldRobotsHoldOn(t *testing.T) {
	web := &answering{toy: toy{"http://a.test/": {Links: to("http://a.test/1", "http://a.test/no")}, "http://a.test/1": {}}}
	web.robots = func(crawl.Visit) *dowse.Robots {
		if len(web.asked) == 1 {
			return disallow("/no")
		}
		return nil
	}
	c := begin(t, robotic(follow(queueAll)), "http://a.test/")
	now := epoch
	step(c, web, &now)
	step(c, web, &now)
	now = now.Add(25 * time.Hour)
	for step(c, web, &now) != nil {
	}
	if c.Status().Fetched != 2 || c.Reason("http://a.test/no") != dowse.SkipRobotsTxt || len(web.asked) != 4 {
		t.Errorf("%d pages, asked %d times; no: %s", c.Status().Fetched, len(web.asked), c.Reason("http://a.test/no"))
	}
}

// A robots.txt visit that never comes back does not open the host.
func TestLostRobotsVisit(t *testing.T) {
	cfg := robotic(follow(queueAll))
	cfg.Polite.Patience = time.Hour
	c := begin(t, cfg, "http://a.test/")
	now, n := epoch, 0
	for c.Stopped() == "" && n < 20 {
		v, when, ok := c.Next(now)
		if ok && v.Kind != crawl.VisitRobots {
			t.Fatalf("visited %s without rules", v.URL)
		}
		if ok {
			n++
		} else if !when.IsZero() {
			now = when
		}
	}
	if n != 5 || stateOf(c, "http://a.test/") != dowse.Waiting {
		t.Errorf("asked %d times; %s", n, stateOf(c, "http://a.test/"))
	}
}

// listing answers visits to sitemaps.
type listing struct {
	answering
	maps map[dowse.URL]dowse.Page
	seen []dowse.URL
}

func (l *listing) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := l.answering.Visit(v)
	if v.Kind == crawl.VisitSitemap {
		l.seen = append(l.seen, v.URL)
		p.Outcome, p.Reason, p.Detail = dowse.Listed, "", ""
		p.Links, p.Maps = slices.Clone(l.maps[v.URL].Links), l.maps[v.URL].Maps
	}
	return p, took
}

func TestSitemaps(t *testing.T) {
	robots := disallow("/no")
	robots.Sitemaps = []dowse.URL{"http://a.test/map.xml", "http://a.test/map.xml", "http://a.test/no.xml"}
	web := &listing{
		answering: answering{toy: toy{"http://a.test/": {Links: to("http://a.test/linked")}, "http://a.test/linked": {}, "http://a.test/listed": {}},
			robots: func(crawl.Visit) *dowse.Robots { return robots }},
		maps: map[dowse.URL]dowse.Page{
			"http://a.test/map.xml":  {Maps: []dowse.URL{"http://a.test/map2.xml"}},
			"http://a.test/map2.xml": {Document: dowse.Document{Links: []dowse.Link{{URL: "http://a.test/listed"}, {URL: "http://a.test/no"}}}},
		},
	}
	cfg := robotic(follow(queueAll))
	cfg.Sitemaps = true
	c := begin(t, cfg, "http://a.test/")
	run(c, web)
	if want := []dowse.URL{"http://a.test/map.xml", "http://a.test/map2.xml"}; !slices.Equal(web.seen, want) {
		t.Errorf("read %v, want %v", web.seen, want)
	}
	if b := c.Books(); b.Fetched != 3 || b.Sitemaps != 2 {
		t.Errorf("sitemaps are counted as pages: %+v", b)
	}
	if st := c.Status(); st.Fetched != 3 || stateOf(c, "http://a.test/listed") != dowse.Visited {
		t.Errorf("%d pages fetched; a listed one is %s", st.Fetched, stateOf(c, "http://a.test/listed"))
	}
	balanced(t, c)
}

// A sitemap index that goes on for ever is read to a hundred.
func TestEndlessSitemaps(t *testing.T) {
	robots := disallow("")
	robots.Sitemaps = []dowse.URL{"http://a.test/m0"}
	web := &listing{answering: answering{toy: toy{"http://a.test/": {}}, robots: func(crawl.Visit) *dowse.Robots { return robots }}, maps: map[dowse.URL]dowse.Page{}}
	for i := range 300 {
		web.maps[dowse.URL(fmt.Sprintf("http://a.test/m%d", i))] = dowse.Page{
			Maps: []dowse.URL{"http://a.test/m0", dowse.URL(fmt.Sprintf("http://a.test/m%d", i+1))},
		}
	}
	cfg := robotic(follow(queueAll))
	cfg.Sitemaps = true
	c := begin(t, cfg, "http://a.test/")
	if run(c, web); len(web.seen) != 100 || c.Stopped() != dowse.StopExhausted {
		t.Errorf("read %d sitemaps, stopped: %s", len(web.seen), c.Stopped())
	}
	balanced(t, c)
}
