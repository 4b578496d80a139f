package admission

import (
	"regexp"
	"slices"
	"strings"

	"dowse"
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

// Scope limits the URLs that a crawl may visit.
type Scope struct {
	Reach   Reach            // web
	Include []*regexp.Regexp // at least one must match, if there are any
	Exclude []*regexp.Regexp // none may match
	Block   map[string]bool  // hosts; one without a port is blocked at every port

	// Homes are seeds that Reach is measured from, in addition to those that a Gate learns.
	Homes []dowse.URL

	homes map[string]bool // what the seeds allow, by Reach
}

// width returns how much of the web a reach allows: the smaller the number, the less. Each reach
// allows everything that a narrower one does.
func (r Reach) width() int {
	switch r {
	case ReachPrefix:
		return 0
	case ReachHost:
		return 1
	case ReachDomain:
		return 2
	}
	return 3
}

// Within reports whether a reach allows nothing that another one does not, measured from the
// same seeds.
func (r Reach) Within(other Reach) bool { return r.width() <= other.width() }

// learn adds the domains, hosts or prefixes of seeds to what the scope allows.
func (s *Scope) learn(seeds []dowse.URL) {
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

// exceeds reports whether a scope may leave out a URL that another one, of the same seeds, does not.
func (s *Scope) exceeds(other *Scope) bool {
	for h := range s.Block {
		if !other.Block[h] {
			return true
		}
	}
	if !other.Reach.Within(s.Reach) || !containsAll(other.Exclude, s.Exclude) {
		return true
	}
	// A scope whose patterns to match are some of those of s leaves out as much as s does, or more.
	return len(s.Include) > 0 && (len(other.Include) == 0 || !containsAll(s.Include, other.Include))
}

// containsAll reports whether a list has all patterns of another one.
func containsAll(list, of []*regexp.Regexp) bool {
	return !slices.ContainsFunc(of, func(re *regexp.Regexp) bool {
		return !slices.ContainsFunc(list, func(o *regexp.Regexp) bool { return o.String() == re.String() })
	})
}

// isEmpty reports whether the scope leaves out no URL.
func (s *Scope) isEmpty() bool {
	return len(s.Include)+len(s.Exclude)+len(s.Block) == 0 && ReachWeb.Within(s.Reach)
}

// Blocks reports whether the scope blocks a host, which is written as in a URL.
func (s *Scope) Blocks(host string) bool { return s.Block[host] || s.Block[WithoutPort(host)] }

// WithoutPort returns a host, as it is written in a URL, without its port. An IPv6 address
// keeps its brackets.
func WithoutPort(host string) string {
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		return host[:colon]
	}
	return host
}

// skips returns why u is outside the scope, or "".
func (s *Scope) skips(u dowse.URL) dowse.Reason {
	if len(s.Block) > 0 && s.Blocks(weburl.Host(u)) {
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
