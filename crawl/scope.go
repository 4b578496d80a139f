package crawl

import (
	"net/netip"
	"regexp"
	"strings"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// Reach is how far from the seeds a crawl may go.
type Reach string

// The reaches.
const (
	ReachWeb    Reach = "web"    // anywhere
	ReachDomain Reach = "domain" // the seeds' registrable domains
	ReachHost   Reach = "host"   // the seeds' hosts
	ReachPrefix Reach = "prefix" // URLs that begin as a seed's directory does
)

// Scope says which URLs a crawl may visit.
type Scope struct {
	Reach   Reach            // web
	Include []*regexp.Regexp // at least one must match, if there are any
	Exclude []*regexp.Regexp // none may match
	Block   map[string]bool  // hosts

	homes map[string]bool // what the seeds allow, by Reach
}

// learn adds the seeds' own domains, hosts or prefixes to the scope.
func (s *Scope) learn(seeds []dowse.URL) {
	if s.homes == nil {
		s.homes = map[string]bool{}
	}
	for _, u := range seeds {
		s.homes[s.home(u)] = true
	}
}

func (s *Scope) home(u dowse.URL) string {
	switch s.Reach {
	case ReachDomain:
		return weburl.Site(u)
	case ReachHost:
		return weburl.Host(u)
	case ReachPrefix:
		return directory(u)
	}
	return ""
}

func directory(u dowse.URL) string {
	s := string(u)
	if i := strings.IndexByte(s, '?'); i >= 0 {
		s = s[:i]
	}
	return s[:strings.LastIndexByte(s, '/')+1]
}

// skips tells why u is outside, or "".
func (s *Scope) skips(u dowse.URL) dowse.Reason {
	if s.Block[weburl.Host(u)] {
		return dowse.SkipHostBlocked
	}
	if !s.inReach(u) {
		return dowse.SkipScopeHost
	}
	for _, re := range s.Exclude {
		if re.MatchString(string(u)) {
			return dowse.SkipScopeExclude
		}
	}
	for _, re := range s.Include {
		if re.MatchString(string(u)) {
			return ""
		}
	}
	if len(s.Include) > 0 {
		return dowse.SkipScopeExclude
	}
	return ""
}

func (s *Scope) inReach(u dowse.URL) bool {
	switch s.Reach {
	case ReachDomain, ReachHost:
		return s.homes[s.home(u)]
	case ReachPrefix:
		return s.below(string(u))
	}
	return true
}

// below reports whether a URL lies in a seed's directory.
func (s *Scope) below(u string) bool {
	for i := len(u); i >= 0; i = strings.LastIndexByte(u[:i], '/') {
		if s.homes[u[:min(i+1, len(u))]] {
			return true
		}
	}
	return s.homes[""]
}

// refuses tells why a URL may not be queued, or "".
func (c *Crawl) refuses(u dowse.URL, id frontier.ID, depth, hops int) dowse.Reason {
	l := &c.cfg.Limits
	h := c.f.Host(id)
	switch {
	case l.Depth > 0 && depth > l.Depth:
		return dowse.SkipScopeDepth
	case l.Tunnel != 0 && hops > max(l.Tunnel, 0):
		return dowse.SkipScopeTunnel
	case c.overHost(h):
		return dowse.SkipBudgetHost
	}
	if why := c.cfg.Scope.skips(u); why != "" {
		return why
	}
	if why := c.trapped(u); why != "" {
		return why
	}
	_, why, _ := c.barred(h, u)
	return why
}

// forbids tells why a lead that was queued may not be visited now that it is its
// turn: much can have been learnt since.
func (c *Crawl) forbids(id frontier.ID, h frontier.HostID) (dowse.Outcome, dowse.Reason, string) {
	u := c.f.URL(id)
	if c.forgotten(id) {
		return dowse.Skipped, dowse.SkipForgotten, ""
	}
	if outcome, why, detail := c.barred(h, u); why != "" {
		return outcome, why, detail
	}
	if _, again := c.visited(id); c.overHost(h) && !again {
		return dowse.Skipped, dowse.SkipBudgetHost, ""
	}
	if why := c.cfg.Scope.skips(u); why != "" {
		return dowse.Skipped, why, ""
	}
	if why := c.trapped(u); why != "" {
		return dowse.Skipped, why, c.trapDetail(u)
	}
	return dowse.Fetched, "", ""
}

// isPublic reports whether an address stands for one machine of the public web,
// so that hosts on it share its politeness. Loopback and private addresses do not:
// tests and intranets put many hosts on one.
func isPublic(a netip.Addr) bool { return weburl.PublicAddr(a) }
