package collection

import (
	"bufio"
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// What a host's robots.txt came to.
const (
	RobotsAllow   = "allow"    // no rule forbids anything
	RobotsRules   = "rules"    // some of it forbids something
	RobotsClosed  = "closed"   // nothing may be fetched
	RobotsUnread  = "unread"   // it could not be read, so nothing may be fetched
	RobotsNotRead = "not read" // it was not asked for yet
)

// How a host stands.
const (
	HostOK         = "ok"
	HostBackingOff = "backing off" // it asked to be left alone, until Until
	HostDown       = "down"        // it could not be reached, several times
	HostBlocked    = "blocked"     // by the settings
)

// A HostRow is what a crawl knows of a host.
type HostRow struct {
	Host     string        `json:"host"`
	Pages    int           `json:"pages"`
	OnTopic  int           `json:"on_topic"`
	Share    float64       `json:"share"` // on topic / pages; 0 without pages
	Failed   int           `json:"failed"`
	Requests int           `json:"requests"`
	Waiting  int           `json:"waiting"`
	Bytes    int64         `json:"bytes"`
	Delay    facts.Seconds `json:"delay"` // in seconds: the longest pause that it was given in good times
	Robots   string        `json:"robots"`
	State    string        `json:"state"`
	Until    time.Time     `json:"until,omitzero"` // HostBackingOff, HostDown: when it may be visited again
	Why      dowse.Reason  `json:"why,omitempty"`  // HostBackingOff, HostDown: why the last visit failed
	Last     []bool        `json:"last"`           // its last 20 pages, newest first: on topic?
}

// Hosts lists the hosts that URLs were seen on: most pages first, and of equals the
// one that more leads wait for.
func (c *Collection) Hosts() []HostRow {
	n := c.Crawl.Frontier().Hosts()
	rows := make([]HostRow, 0, n)
	for i := range n {
		if c.Crawl.Frontier().HostName(frontier.HostID(i)) != "" || !c.Crawl.HasForgotten() { // else its URLs were taken down
			rows = append(rows, c.hostRow(c.Crawl.Host(i)))
		}
	}
	slices.SortStableFunc(rows, func(a, b HostRow) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(b.Waiting, a.Waiting), strings.Compare(a.Host, b.Host))
	})
	return rows
}

func (c *Collection) hostRow(s crawl.HostStatus) HostRow {
	r := HostRow{
		Host: s.Name, Pages: s.Fetched, OnTopic: s.OnTopic, Failed: s.Failed, Requests: s.Requests,
		Waiting: s.Waiting, Bytes: s.Bytes, Delay: facts.Seconds(s.Delay), Robots: robotsState(s.Name, s.Robots), State: HostOK, Last: s.Recent,
	}
	if s.Fetched > 0 {
		r.Share = float64(s.OnTopic) / float64(s.Fetched)
	}
	switch {
	case c.blocked(s.Name):
		r.State = HostBlocked
	case s.Down:
		r.State, r.Until, r.Why = HostDown, s.Ready, s.Why
	case s.BackOffs > 0:
		r.State, r.Until, r.Why = HostBackingOff, s.Ready, s.Why
	}
	return r
}

func (c *Collection) blocked(host string) bool {
	return slices.ContainsFunc(c.Settings.Scope.Block, func(b string) bool { return strings.EqualFold(b, host) })
}

// robotsState sums up a robots.txt. A host counts as closed if neither its home page
// nor a page that no rule can mean may be fetched.
func robotsState(host string, r *dowse.Robots) string {
	switch {
	case r == nil:
		return RobotsNotRead
	case r.Status == 0 || r.Status == 429 || r.Status >= 500:
		return RobotsUnread
	}
	if r.Rules != nil {
		home, _ := r.Rules.Allowed(dowse.URL("http://" + host + "/"))
		other, _ := r.Rules.Allowed(dowse.URL("http://" + host + "/3c1f9a0e-7d52/unlisted"))
		if !home && !other {
			return RobotsClosed
		}
	}
	if r.Status >= 200 && r.Status < 300 && forbids(r.Body) {
		return RobotsRules
	}
	return RobotsAllow
}

// forbids reports whether any group of a robots.txt forbids a path.
func forbids(body []byte) bool {
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(make([]byte, 0, 4096), len(body)+1)
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(strings.TrimSpace(key), "disallow") && strings.TrimSpace(value) != "" {
			return true
		}
	}
	return false
}
