package crawl

import (
	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// What can keep a crawl from going faster, as Status.LimitedBy names it. A driver that measures
// the machine may put CPU or disk in its place.
const (
	byPoliteness  = "politeness"
	byHold        = "waiting for better links"
	bySilence     = "hosts not answering"
	byNames       = "name service"
	byConnections = "connections"
	byNothing     = "nothing to fetch"
)

// maxHostsLimit bounds how many hosts are examined to find what limits a crawl: a status is
// made twice a second.
const maxHostsLimit = 2000

// limitedBy names what keeps the crawl from going faster. An outage and full connections are
// known; otherwise it depends on why most hosts with waiting leads are left alone.
func (b *hosts) limitedBy() string {
	switch {
	case b.net.isDown() && b.net.cause == dowse.FailDNS:
		return byNames
	case b.net.isDown():
		return bySilence
	case b.flights.out() >= b.room():
		return byConnections
	case b.f.Count(dowse.Waiting) == 0:
		return byNothing
	}
	waiting, failing, unnamed := 0, 0, 0
	for id := range min(len(b.list), maxHostsLimit) {
		h := b.list[id]
		if h == nil || b.f.WaitingOn(frontier.HostID(id)) == 0 {
			continue
		}
		if waiting++; h.backOffs == 0 {
			continue
		}
		if failing++; ledger.ReasonOf(h.why) == dowse.FailDNS {
			unnamed++
		}
	}
	switch {
	case 2*failing <= waiting:
		return byPoliteness
	case 2*unnamed > failing:
		return byNames
	}
	return bySilence
}
