package admission

import (
	"regexp"
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
	Block   map[string]bool  // hosts

	homes map[string]bool // what the seeds allow, by Reach
}

// learn adds the seeds' own domains, hosts or prefixes to the scope.
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

// skips returns why u is outside the scope, or "".
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
