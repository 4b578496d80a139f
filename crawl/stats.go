package crawl

import (
	"math"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// stats are the counters of a crawl.
type stats struct {
	Fetched  int
	OnTopic  int
	Bytes    int64
	Requests int
	Picks    int
	Regret   float64
	Elapsed  time.Duration
	Dropped  int // links that were not kept, see thin

	archived dowse.Place // of the last answer kept, in the archive's order
	recent   []bool      // the last pages, a ring
	at       int
	slot     time.Time
}

const recentPages = 1000 // pages that windows look back on, at most

func (s *stats) page(onTopic bool) {
	s.Fetched++
	if onTopic {
		s.OnTopic++
	}
	if len(s.recent) < recentPages {
		s.recent = append(s.recent, onTopic)
		return
	}
	s.recent[s.at] = onTopic
	s.at = (s.at + 1) % recentPages
}

// pick books a lead that was visited, and what politeness cost.
func (s *stats) pick(regret float64) {
	s.Picks++
	if !math.IsNaN(regret) && !math.IsInf(regret, 0) {
		s.Regret += regret
	}
}

// window returns the share of the last n pages that was on topic.
func (s *stats) window(n int) float64 {
	n = min(n, len(s.recent))
	if n == 0 {
		return 0
	}
	on := 0
	for i := range n {
		if s.recent[(s.at+len(s.recent)-1-i)%len(s.recent)] {
			on++
		}
	}
	return float64(on) / float64(n)
}

// count books a page that came to its end.
func (c *Crawl) count(fl *flight, p *dowse.Page) {
	h := c.hosts.of(fl.host)
	switch p.Outcome {
	case dowse.Fetched:
		c.tally(p, fl.own)
		if !countsAsPage(p) {
			return
		}
		h.landed--
		c.stats.page(p.OnTopic)
		h.fetched++
		h.recent <<= 1
		if p.OnTopic {
			h.onTopic++
			h.recent |= 1
		}
		h.bytes += p.Fetch.Bytes
	case dowse.Failed:
		if p.Fetch.Status != 0 { // without an answer, nothing is known of URLs of this shape
			c.tally(p, fl.own)
		}
		h.failed++
	case dowse.Skipped:
		if !fl.idle {
			c.tally(p, fl.own)
		}
	}
}

// countsAsPage reports whether a page counts as fetched (SPEC B.4): one that is
// fetched again does not.
func countsAsPage(p *dowse.Page) bool { return p.Outcome == dowse.Fetched && !p.Again }

// Books tell where every URL ever seen stands. They balance: Known is the sum of
// the others.
type Books struct {
	Known      int `json:"known"`
	Fetched    int `json:"fetched"` // pages
	Failed     int `json:"failed"`
	Redirected int `json:"redirected"`
	Queued     int `json:"queued"`
	Held       int `json:"held"`
	InFlight   int `json:"in_flight"`
	Skipped    int `json:"skipped"`
	Sitemaps   int `json:"sitemaps"` // read, and no pages: lists of URLs
}

// Balanced reports whether every known URL is accounted for.
func (b Books) Balanced() bool {
	return b.Known == b.Fetched+b.Failed+b.Redirected+b.Queued+b.Held+b.InFlight+b.Skipped+b.Sitemaps
}

// Status is a picture of a crawl at one moment.
type Status struct {
	Fetched  int              `json:"fetched"` // pages; a page fetched again counts once
	OnTopic  int              `json:"on_topic"`
	Harvest  float64          `json:"harvest"` // on topic / fetched, as the judge sees it
	Window   float64          `json:"window"`  // the same of the last 200 pages
	Bytes    int64            `json:"bytes"`
	Requests int              `json:"requests"`
	Elapsed  time.Duration    `json:"-"` // a program that prints it chooses the unit
	Hosts    int              `json:"hosts"`
	Dropped  int              `json:"links_dropped"`   // links to more hosts of a domain than its budget allows: not kept, so not in the books
	Regret   float64          `json:"priority_regret"` // score that politeness cost, mean over all picks
	Top      float64          `json:"frontier_top"`    // priority of the best lead that waits
	Books    Books            `json:"books"`
	Stopped  dowse.StopReason `json:"stop_reason"`

	Shadows   []ShadowStatus `json:"shadows,omitempty"`
	LimitedBy string         `json:"limited_by"` // what keeps it from going faster: connections, politeness, leads, network
	Outage    *Outage        `json:"outage,omitempty"`
}

// Books returns the books of the crawl.
func (c *Crawl) Books() Books {
	lists := c.sitemapsRead()
	return Books{
		Known: c.f.Len(), Fetched: c.f.Count(dowse.Visited) - lists, Failed: c.f.Count(dowse.Dead),
		Redirected: c.f.Count(dowse.Aliased), Queued: c.f.Count(dowse.Waiting), Held: c.f.Count(dowse.Held),
		InFlight: c.f.Count(dowse.Flying), Skipped: c.f.Count(dowse.Excluded), Sitemaps: lists,
	}
}

// Status returns how the crawl stands.
func (c *Crawl) Status() Status {
	s := Status{
		Fetched: c.stats.Fetched, OnTopic: c.stats.OnTopic, Window: c.stats.window(200),
		Bytes: c.stats.Bytes, Requests: c.stats.Requests, Elapsed: c.stats.Elapsed, Hosts: c.f.Hosts(), Dropped: c.stats.Dropped,
		Books: c.Books(), Stopped: c.stopped, Shadows: c.Shadows(), LimitedBy: c.limitedBy(), Outage: c.Outage(),
	}
	if s.Fetched > 0 {
		s.Harvest = float64(s.OnTopic) / float64(s.Fetched)
	}
	if c.stats.Picks > 0 {
		s.Regret = c.stats.Regret / float64(c.stats.Picks)
	}
	if id, ok := c.f.Peek(); ok {
		s.Top = c.f.Priority(id)
	}
	return s
}

// limitedBy names what keeps the crawl from going faster.
func (c *Crawl) limitedBy() string {
	switch {
	case c.inOutage():
		return "network"
	case c.out() >= c.roomNow():
		return "connections"
	case c.f.Count(dowse.Waiting) > 0:
		return "politeness"
	}
	return "leads"
}

// Frontier shows the crawl's URLs. It must only be read, and not while the crawl
// goes on.
func (c *Crawl) Frontier() *frontier.Frontier { return c.f }

// HostStatus is what a crawl knows of a host.
type HostStatus struct {
	Name                               string
	Fetched, OnTopic, Failed, Requests int
	Waiting                            int
	Recent                             []bool // the last 20 pages, newest first
	Delay                              time.Duration
	Ready                              time.Time
	BackOffs                           int
	Down                               bool
	Why                                dowse.Reason // of the latest failure, if BackOffs > 0
	Robots                             *dowse.Robots
	Bytes                              int64
}

// Host returns what is known of the i-th host, in order of first sighting.
func (c *Crawl) Host(i int) HostStatus {
	id := frontier.HostID(i)
	h := c.hosts.at(id)
	s := HostStatus{
		Name: c.f.HostName(id), Fetched: int(h.fetched), OnTopic: int(h.onTopic), Failed: int(h.failed),
		Requests: int(h.requests), Waiting: c.f.WaitingOn(id), Delay: h.maxDelay, Ready: c.f.Ready(id),
		BackOffs: int(h.backOffs), Down: h.downs >= downAfter, Robots: c.rules(id), Bytes: h.bytes,
	}
	if h.backOffs > 0 {
		s.Why = reasonOf(h.why)
	}
	for i := range min(20, int(h.fetched)) {
		s.Recent = append(s.Recent, h.recent>>i&1 == 1)
	}
	return s
}

// LastArchived returns the place of the last answer that was kept: what follows it
// in the archive was never committed.
func (c *Crawl) LastArchived() dowse.Place { return c.stats.archived }

// archive takes note of where an answer was kept.
func (s *stats) archive(p dowse.Place) { s.archived = LaterPlace(s.archived, p) }

// LaterPlace returns the one of two places that comes later in an archive. The zero
// Place comes before all others.
func LaterPlace(a, b dowse.Place) dowse.Place {
	switch x, y := serial(a.File), serial(b.File); {
	case b.File == "":
	case a.File == "", y > x, y == x && b.Offset > a.Offset:
		return b
	}
	return a
}

// serial returns the number in the name of an archive file (PREFIX-time-serial-host...),
// by which files are in the order of writing. Their times are not: a clock can be set
// back.
func serial(file string) int {
	parts := strings.SplitN(file, "-", 4)
	if len(parts) < 4 {
		return 0
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return 0
	}
	return n
}
