package operations

import (
	"testing"

	"dowse/internal/frontier"
)

// A host is to blame for a fall of the harvest if it has much of what is off topic, and most of its own pages are.
func TestBlame(t *testing.T) {
	const on, off = isOn, verdictBits(0)
	for name, x := range map[string]struct {
		hosts    []frontier.HostID
		verdicts []verdictBits
		host     frontier.HostID
		ok       bool
	}{
		"one host has most":               {[]frontier.HostID{1, 1, 1, 2, 3}, []verdictBits{off, off, off, off, on}, 1, true},
		"each host has a few":             {[]frontier.HostID{1, 2, 3, 4, 5}, []verdictBits{off, off, off, off, off}, 1, false},
		"the host is good on the whole":   {[]frontier.HostID{1, 1, 1, 1, 1, 1}, []verdictBits{off, off, on, on, on, on}, 1, false},
		"nothing is off topic":            {[]frontier.HostID{1, 2}, []verdictBits{on, on}, 0, false},
		"most of a host, and most of all": {[]frontier.HostID{1, 1, 1, 2}, []verdictBits{off, off, on, off}, 1, true},
	} {
		c := columns{hosts: x.hosts, verdicts: x.verdicts}
		if host, _, _, ok := c.blame(0, len(x.hosts)); ok != x.ok || ok && host != x.host {
			t.Errorf("%s: got host %d, %t, want %d, %t", name, host, ok, x.host, x.ok)
		}
	}
}
