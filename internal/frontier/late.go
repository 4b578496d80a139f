package frontier

import "time"

// SetLate sets whether a host is late: visits to it will probably fail, as for
// a host that did not answer. Next skips late hosts; NextLate returns their
// leads. So a caller can bound how many connections wait for hosts that may
// never answer. A new host is not late, and a snapshot does not contain whether
// it is.
func (f *Frontier) SetLate(h HostID, late bool) {
	ho := f.host(h)
	if ho.late == late {
		return
	}
	if ho.inAll != nowhere {
		f.polite.lateHosts += int(bit(late)) - int(bit(ho.late))
	}
	ho.late = late
	f.refresh(h)
}

// NextLate is Next for the late hosts.
func (f *Frontier) NextLate(now time.Time) (id ID, when time.Time, ok bool) {
	f.setClock(momentOf(now))
	return f.takeBest(f.polite.late)
}

// Late reports whether the host is late.
func (f *Frontier) Late(h HostID) bool { return f.host(h).late }

// HostsWaiting returns the number of hosts with waiting leads.
func (f *Frontier) HostsWaiting() int { return len(f.polite.all) }

// OnlyLate reports whether every host with a waiting lead is late.
func (f *Frontier) OnlyLate() bool { return f.polite.lateHosts == len(f.polite.all) }
