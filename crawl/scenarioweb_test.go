package crawl_test

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/strategy"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

type toyLink = strategytest.Link

// scenarioStrategy returns the strategy of a name: "rated", which gives every link the
// rating that the scenario wrote at it, or one of package strategy.
func scenarioStrategy(name string) (dowse.Strategy, error) {
	if name == "rated" {
		return follow(queueRated), nil
	}
	return strategy.New(name)
}

// queueRated leaves redirects to the crawl, which hands the priority on.
func queueRated(p *dowse.Page) (list leads) {
	if p.Outcome == dowse.Redirected {
		return nil
	}
	for i := range p.Links {
		l := &p.Links[i]
		list = append(list, dowse.Lead{URL: l.URL, Priority: l.Context, Merge: dowse.Max})
	}
	return list
}

// An upset makes visits fail: those to one URL, to one host or to all, by their number or
// by the time at which they begin.
type upset struct {
	fault
	url         dowse.URL // "" for any
	first, last int       // visits to the URL, counted from 1; 0 for any
	kind        string
}

// troubleKinds are the ways in which a visit can fail, as the real fetcher reports them.
var troubleKinds = map[string]func(p *dowse.Page){
	"reset":      resets,
	"no-network": noNetwork,
	"timeout": func(p *dowse.Page) {
		p.Reason, p.Detail, p.Host = dowse.FailTimeout, "no answer in time", &dowse.HostReport{BackOff: true}
	},
	"refused": func(p *dowse.Page) {
		p.Reason, p.Detail, p.Host = dowse.FailConnect, "connection refused", &dowse.HostReport{BackOff: true, Down: true}
	},
	"503": func(p *dowse.Page) {
		p.Reason, p.Detail, p.Fetch.Status, p.Host = dowse.FailHTTP, "503", 503, &dowse.HostReport{BackOff: true}
	},
}

// trouble reads "all|host HOST|URL KIND [visits N-N] [from TIME] [to TIME]".
func (s *scenario) trouble(args []string) (err error) {
	x := &upset{fault: fault{to: 1000 * time.Hour}}
	switch {
	case args[0] == "host" && len(args) > 1:
		x.host, args = args[1], args[2:]
	case args[0] == "all":
		args = args[1:]
	default:
		x.url, args = longURL(args[0]), args[1:]
	}
	if len(args)%2 != 1 || troubleKinds[args[0]] == nil {
		return fmt.Errorf("want how it fails: reset, timeout, refused, 503 or no-network")
	}
	x.kind, x.fail = args[0], troubleKinds[args[0]]
	for args = args[1:]; len(args) > 0 && err == nil; args = args[2:] {
		switch args[0] {
		case "visits":
			err = x.numbered(args[1])
		case "from":
			x.from, err = time.ParseDuration(args[1])
		case "to":
			x.to, err = time.ParseDuration(args[1])
		default:
			err = fmt.Errorf("unknown word %q, want visits, from or to", args[0])
		}
	}
	s.troubles = append(s.troubles, x)
	return err
}

// numbered reads "1-3".
func (x *upset) numbered(span string) (err error) {
	first, last, _ := strings.Cut(span, "-")
	if x.first, err = strconv.Atoi(first); err == nil {
		x.last, err = strconv.Atoi(cmp.Or(last, first))
	}
	return err
}

// A scenarioWeb answers the visits of a scenario and writes them down.
type scenarioWeb struct {
	*scenario
	clock func() time.Time
	count map[dowse.URL]int // visits by URL
	log   func(what, came string)
}

const scenarioTimeout = 20 * time.Second

func (w *scenarioWeb) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	w.count[v.URL]++
	p, took := w.web.Visit(v)
	switch {
	case v.Kind == crawl.VisitRobots:
		w.readRobots(v, p)
	case p.Outcome == dowse.Fetched:
		p.Sketch = w.sketch(v.URL)
	}
	for _, x := range w.troubles {
		before := x.failed
		if w.concerns(x, v) {
			x.change(w.clock(), v, p)
		}
		if x.failed > before && x.kind == "timeout" {
			took = min(scenarioTimeout, cmp.Or(v.Patience, scenarioTimeout))
		}
	}
	w.log(shortURL(v.URL), came(p, took))
	return p, took
}

func (w *scenarioWeb) concerns(x *upset, v crawl.Visit) bool {
	n := w.count[v.URL]
	return (x.url == "" || x.url == v.URL) && (x.first == 0 || x.first <= n && n <= x.last)
}

func (w *scenarioWeb) readRobots(v crawl.Visit, p *dowse.Page) {
	if body, ok := w.robots[weburl.Host(v.URL)]; ok {
		p.Host.Robots = fetch.ParseRobots([]byte(body), 200, "dowse")
	}
	p.Host.Robots.At = w.clock()
}

// sketch returns the sketch of a page's text: its own, or one that it shares by name. The
// text "none" has too few words for a sketch.
func (w *scenarioWeb) sketch(u dowse.URL) dowse.Sketch {
	switch name := w.texts[u]; name {
	case "":
		return sketchOf(distinct(u))
	case "none":
		return sketchOf(0)
	default:
		return sketchOf(distinct(dowse.URL(name)))
	}
}

// came describes what came of a visit in a few words.
func came(p *dowse.Page, took time.Duration) string {
	words := fmt.Sprint("relevance ", p.Verdict.Relevance)
	robots := p.Host != nil && p.Host.Robots != nil
	switch {
	case robots && p.Reason != "":
		words = fmt.Sprintf("robots.txt %s: %s", p.Reason, p.Detail)
	case p.Reason != "":
		words = fmt.Sprintf("%s %s: %s", p.Outcome, p.Reason, p.Detail)
	case robots:
		words = fmt.Sprint("robots.txt ", p.Host.Robots.Status)
	case p.Outcome == dowse.Redirected:
		words = "redirect to " + shortURL(p.Links[0].URL)
	}
	if took > time.Millisecond {
		words += fmt.Sprint(" (", took, ")")
	}
	return words
}
