package crawl

import (
	"math"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/internal/estimate"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
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
	Dropped  int // links that were not kept, see intake.thin

	archived dowse.Place // of the last answer kept, in the archive's order
	recent   ring        // of the last pages: whether they were on topic
	line     *line
	yield
}

const recentPages = 1000 // pages that windows look back on, at most

func (s *stats) page(onTopic bool) {
	s.Fetched++
	if onTopic {
		s.OnTopic++
	}
	s.recent.add(onTopic)
}

// end counts a page that came to its end.
func (s *stats) end(p *dowse.Page) {
	if countsAsPage(p) {
		s.page(p.OnTopic)
	}
}

// pick books a lead that was visited, and what politeness cost.
func (s *stats) pick(regret float64) {
	s.Picks++
	if !math.IsNaN(regret) && !math.IsInf(regret, 0) {
		s.Regret += regret
	}
}

// window returns the share of the last n pages that was on topic.
func (s *stats) window(n int) float64 { return s.recent.window(n) }

// visit counts a visit and what it cost.
func (s *stats) visit(p *dowse.Page) {
	s.Requests++
	s.Bytes += p.Fetch.Wire
	s.archive(p.Fetch.Archive)
}

// countsAsPage reports whether a page counts as fetched: one that is fetched again does
// not, so that the harvest rate is a share of different pages.
func countsAsPage(p *dowse.Page) bool { return p.Outcome == dowse.Fetched && !p.Again }

// Books count every URL ever seen by its state. They balance: Known is the sum of
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
	Fetched  int              `json:"fetched"` // pages; a page fetched again counts once, one that has moved not any more
	OnTopic  int              `json:"on_topic"`
	Harvest  float64          `json:"harvest"` // on topic / fetched, as the judge sees it
	Window   float64          `json:"window"`  // the same of the last 200 pages
	Bytes    int64            `json:"bytes"`
	Requests int              `json:"requests"`
	Elapsed  time.Duration    `json:"-"` // a program that prints it chooses the unit
	Hosts    int              `json:"hosts"`
	Dropped  int              `json:"links_dropped"`                                                           // links to more hosts of a domain than its budget allows: not kept, so not in the books
	LeftOut  int              `json:"links_left_out" doc:"links that were not remembered, for want of memory"` // not in the books either; one can be counted on several pages
	Regret   float64          `json:"priority_regret"`                                                         // score that politeness cost, mean over all picks
	Top      float64          `json:"frontier_top"`                                                            // priority of the best lead that waits
	Books    Books            `json:"books"`
	Stopped  dowse.StopReason `json:"stop_reason"`

	Shadows   []shadowStatus  `json:"shadows,omitempty"`
	Estimate  estimate.Recall `json:"estimate,omitzero" doc:"how many pages on topic there are, and how many are found, by estimate"` // how much there is and how much is found; zero until enough was seen
	LimitedBy string          `json:"limited_by" doc:"what keeps it from going faster: politeness, waiting for better links, hosts not answering, name service, connections, CPU, disk, no worker, NATS or nothing to fetch; empty if it does not run"`
	Rate      float64         `json:"rate" doc:"pages per second over the last 30 s"`                              // set by the driver
	BytesRate float64         `json:"bytes_rate" doc:"bytes per second over the last 30 s"`                        // set by the driver
	Held      float64         `json:"held,omitzero" doc:"share of the run's time that it waited for better links"` // share of the run's time at which a connection was kept free for a better link
	Outage    *Outage         `json:"outage,omitempty"`
	Refresh   checkTally      `json:"refresh,omitzero" doc:"what came of asking for pages again, over all runs"`
}

// Books returns the books of the crawl.
func (c *Crawl) Books() Books {
	lists := c.in.sitemapsRead()
	return Books{
		Known: c.f.Len(), Fetched: c.f.Count(dowse.Visited) - lists, Failed: c.f.Count(dowse.Dead),
		Redirected: c.f.Count(dowse.Aliased), Queued: c.f.Count(dowse.Waiting), Held: c.f.Count(dowse.Held),
		InFlight: c.f.Count(dowse.Flying), Skipped: c.f.Count(dowse.Excluded), Sitemaps: lists,
	}
}

// Status returns the progress of the crawl.
func (c *Crawl) Status() Status {
	moved, movedOn := c.f.moved()
	s := Status{
		Fetched: c.stats.Fetched - moved, OnTopic: c.stats.OnTopic - movedOn, Window: c.stats.window(200),
		Bytes: c.stats.Bytes, Requests: c.stats.Requests, Elapsed: c.stats.Elapsed, Hosts: c.f.Hosts(), Dropped: c.stats.Dropped, LeftOut: c.f.left.links,
		Books: c.Books(), Stopped: c.stopped, Shadows: c.shadows.status(), LimitedBy: c.hosts.limitedBy(), Estimate: c.stats.recall(), Outage: c.hosts.net.outage(), Refresh: c.f.checks.tally,
	}
	if s.Fetched > 0 {
		s.Harvest = float64(s.OnTopic) / float64(s.Fetched)
	}
	if c.stats.Picks > 0 {
		s.Regret = c.stats.Regret / float64(c.stats.Picks)
	}
	if s.Books.Queued+s.Books.InFlight+s.Books.Held == 0 && s.Estimate.Found > 0 { // the last estimate may be older
		s.Estimate = estimate.Left{}.Recall(s.OnTopic)
	}
	s.Held = c.picker.wait.share(c.clock.latest)
	if s.LimitedBy == byPoliteness && !c.picker.wait.since.IsZero() {
		s.LimitedBy = byHold
	}
	if id, ok := c.f.Peek(); ok {
		s.Top = c.f.Priority(id)
	}
	return s
}

// Frontier returns the crawl's URLs. It must only be read, and not while the crawl
// goes on.
func (c *Crawl) Frontier() *frontier.Frontier { return c.f.Frontier }

// Unreached returns the hosts that are given up, or asked to be left alone for long, and for
// which URLs wait; nil if there are none. It looks at every host.
func (c *Crawl) Unreached() *Unreached { return c.hosts.unreached(c.clock.latest) }

// LastFailure returns in words why the latest visit of this run that failed did so.
func (c *Crawl) LastFailure() string { return c.hosts.net.last }

// HasForgotten reports whether URLs were taken down.
func (c *Crawl) HasForgotten() bool { return c.f.gone > 0 }

// Pattern returns how many URLs of u's shape were visited, and how many of these
// pages were on topic: what its trap budget was spent on.
func (c *Crawl) Pattern(u dowse.URL) (visited, onTopic int) { return c.in.gate.Pattern(u) }

// Reason returns why a URL was left out or failed, "" if it was not.
func (c *Crawl) Reason(u dowse.URL) dowse.Reason {
	if id, ok := c.f.Find(u); ok {
		return c.ReasonFor(id)
	}
	return ""
}

// ReasonFor returns why a URL was left out or failed, "" if it was not.
func (c *Crawl) ReasonFor(id frontier.ID) dowse.Reason {
	if s := c.f.State(id); s != dowse.Excluded && s != dowse.Dead {
		return ""
	}
	return c.f.reason(id)
}

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
	Asked                              time.Time    // until when it asked to be left alone, if that is later than Ready
	Robots                             *dowse.Robots
	Bytes                              int64
}

// Host returns what is known of the i-th host, in order of first sighting.
func (c *Crawl) Host(i int) HostStatus { return c.hosts.status(frontier.HostID(i)) }

// status returns what is known of a host, for people.
func (b *hosts) status(id frontier.HostID) HostStatus {
	h := b.at(id)
	s := HostStatus{
		Name: b.f.HostName(id), Fetched: int(h.fetched), OnTopic: int(h.onTopic), Failed: int(h.failed),
		Requests: int(h.requests), Waiting: b.f.WaitingOn(id), Delay: h.maxDelay, Ready: b.f.Ready(id),
		BackOffs: int(h.backOffs), Down: h.downs >= downAfter, Robots: b.rules(id), Bytes: h.bytes,
	}
	if h.backOffs > 0 {
		s.Why = ledger.ReasonOf(h.why)
		if asked := unixTime(h.promise); asked.After(s.Ready) {
			s.Asked = asked
		}
	}
	for i := range min(20, int(h.fetched)) {
		s.Recent = append(s.Recent, h.recent>>i&1 == 1)
	}
	return s
}

// LastArchived returns the place of the last answer that was kept: what follows it
// in the archive was never committed.
func (c *Crawl) LastArchived() dowse.Place { return c.stats.archived }

// archive records the place of an answer if it is the latest. The entries of a round are in
// the order of its list and not of the archive, so a replay can meet a later place first.
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
