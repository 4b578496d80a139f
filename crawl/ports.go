package crawl

import (
	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// ports counts, for the schemes http and https, which of them a host answers by. The name of a
// host is the same for both, but each has a port of its own, and many hosts answer at one of
// them only: old links name a port 80 that is closed by now, and others an https that never
// was. A port without an answer is no evidence against the host if the other one answers: its
// pages would wait for each link to the closed port (see hosts.doubtPort).
//
// The counts begin at zero with each run.
type ports struct {
	open [2]bool  // it has answered
	shut [2]uint8 // connections in a row that were not made
}

// shutAfter is the number of connections in a row after which URLs of a port that never
// answered are tried once only, while the other port of the host answers.
const shutAfter = 3

// portOf returns the place of a URL's scheme in [ports].
func portOf(u dowse.URL) int {
	if weburl.Scheme(u) == "https" {
		return 1
	}
	return 0
}

// isUndialled reports whether no connection to the host of a visit was made.
func isUndialled(p *dowse.Page) bool {
	return p.Host != nil && p.Host.Down && isMute(p)
}

// isMute reports whether a connection brought no answer.
func isMute(p *dowse.Page) bool {
	return p.Fetch.Status == 0 && (p.Reason == dowse.FailConnect || p.Reason == dowse.FailTimeout)
}

// isPortFailure reports whether a visit failed at a port of its host while the other port
// answers. Such a visit has a report that shows nothing of the host, also in the journal.
func isPortFailure(p *dowse.Page) bool {
	return p.Host != nil && *p.Host == dowse.HostReport{} && isMute(p)
}

// note learns from a visit to a page or a robots.txt.
func (s *ports) note(p *dowse.Page) {
	n := portOf(p.URL)
	switch {
	case p.Fetch.Status > 0:
		s.open[n], s.shut[n] = true, 0
	case isUndialled(p) && s.shut[n] < shutAfter:
		s.shut[n]++
	}
}

// isShut reports whether connections for a URL are not made, and those of the other scheme
// are or were not tried.
func (s *ports) isShut(u dowse.URL) bool {
	n := portOf(u)
	return !s.open[n] && s.shut[n] > 0 && s.shut[1-n] == 0
}

// doubtPort notes which ports of a host answer, and takes a failure of a port that never
// answered as one of the URL if the other port of the host does (see isPortFailure). A visit of a
// replay is left as the journal has it.
func (b *hosts) doubtPort(fl *flight, p *dowse.Page) {
	h := b.of(fl.host)
	h.ports.note(p)
	if fl.entry == nil && isUndialled(p) && h.backOffs == 0 && h.ports.isShut(p.URL) && h.ports.open[1-portOf(p.URL)] {
		p.Host = &dowse.HostReport{}
	}
}

// isPortSpent reports whether a visit failed at a port of its host that hardly will answer, so
// that another try is in vain.
func (b *hosts) isPortSpent(fl *flight, p *dowse.Page) bool {
	s := b.at(fl.host).ports
	return isPortFailure(p) && s.shut[portOf(p.URL)] >= shutAfter
}

// isPortShut reports whether a lead of a host waits for a port that does not answer.
func (b *hosts) isPortShut(id frontier.ID, h frontier.HostID) bool {
	s := b.at(h).ports
	return s.shut != [2]uint8{} && s.isShut(b.f.URL(id))
}
