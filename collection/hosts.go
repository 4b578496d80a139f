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
	"dowse/internal/admission"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/settings"
)

// The states of the robots.txt of a host.
const (
	robotsAllow   = "allow"    // no rule forbids anything
	robotsRules   = "rules"    // some of it forbids something
	robotsClosed  = "closed"   // nothing may be fetched
	RobotsUnread  = "unread"   // it could not be read, so nothing may be fetched
	RobotsNotRead = "not read" // it was not asked for yet
)

// The states of a host.
const (
	HostOK         = "ok"
	HostBackingOff = "backing off" // it asked to be left alone, until Until
	hostDown       = "down"        // it could not be reached, several times
	HostBlocked    = "blocked"     // by the settings
)

// A HostRow is what a crawl knows about a host.
type HostRow struct {
	Host    string `json:"host"`
	Pages   int    `json:"pages"`
	OnTopic int    `json:"on_topic"`
	// Share is OnTopic / Pages; 0 without pages.
	Share    float64 `json:"share"`
	Failed   int     `json:"failed"`
	Requests int     `json:"requests"`
	Waiting  int     `json:"waiting"`
	// Bytes is the size of the bodies of its pages, decoded. What was received for them, with headers and for
	// everything else, is counted for the whole crawl only.
	Bytes int64 `json:"bytes"`
	// Delay is the longest pause between requests that the host was given while
	// it answered normally, in seconds.
	Delay  facts.Seconds `json:"delay"`
	Robots string        `json:"robots"`
	State  string        `json:"state"`
	// Until is when the host may be visited again and Why the reason why its
	// last visit failed, for HostBackingOff and hostDown.
	Until time.Time    `json:"until,omitzero"`
	Why   dowse.Reason `json:"why,omitempty"`
	// Asked is until when the host asked to be left alone, if that is longer than it is.
	Asked time.Time `json:"asked,omitzero"`
	// Last reports for each of the last 20 pages, newest first, whether it is on
	// topic.
	Last []bool `json:"last"`
}

// Hosts returns the hosts of all known URLs: the one with the most pages first
// and, among equals, the one with more waiting URLs. Hosts of which only a
// takedown remains are left out.
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

// hostRow returns the row of a host. A block in the settings takes precedence
// over what the host itself does.
func (c *Collection) hostRow(s crawl.HostStatus) HostRow {
	r := HostRow{
		Host: s.Name, Pages: s.Fetched, OnTopic: s.OnTopic, Failed: s.Failed, Requests: s.Requests,
		Waiting: s.Waiting, Bytes: s.Bytes, Delay: facts.Seconds(s.Delay), Robots: robotsState(s.Name, s.Robots), State: HostOK, Last: s.Recent,
	}
	if s.Fetched > 0 {
		r.Share = float64(s.OnTopic) / float64(s.Fetched)
	}
	switch {
	case blockOf(c.Settings.Scope, s.Name) != "":
		r.State = HostBlocked
	case s.Down:
		r.State, r.Until, r.Why, r.Asked = hostDown, s.Ready, s.Why, s.Asked
	case s.BackOffs > 0:
		r.State, r.Until, r.Why, r.Asked = HostBackingOff, s.Ready, s.Why, s.Asked
	}
	return r
}

// blockOf returns the entry of the settings that blocks a host, "" if none does. An entry without
// a port blocks the host at every port.
func blockOf(s settings.Scope, host string) string {
	for _, b := range s.Block {
		if strings.EqualFold(b, host) || strings.EqualFold(b, admission.WithoutPort(host)) {
			return b
		}
	}
	return ""
}

// robotsState summarises a robots.txt. A host counts as closed if neither its
// home page nor a page that no rule can be about may be fetched.
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
			return robotsClosed
		}
	}
	if r.Status >= 200 && r.Status < 300 && forbids(r.Body) {
		return robotsRules
	}
	return robotsAllow
}

// forbids reports whether any group of a robots.txt, for whatever crawler,
// forbids a path.
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
