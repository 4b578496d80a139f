package frontier

import "time"

// SetLate sets whether a host is late: one whose visits are likely to be in vain, such
// as a host that did not answer. Next passes over late hosts; NextLate takes their
// leads. A host is not late at first, and a snapshot does not say whether it is.
func (f *Frontier) SetLate(h HostID, late bool) {
	ho := f.host(h)
	if ho.late == late {
		return
	}
	if ho.inAll != nowhere {
		f.polite.lates += int(bit(late)) - int(bit(ho.late))
	}
	ho.late = late
	f.refresh(h)
}

// NextLate is Next for the hosts that are late.
func (f *Frontier) NextLate(now time.Time) (id ID, when time.Time, ok bool) {
	f.setClock(momentOf(now))
	return f.takeBest(f.polite.late)
}

// Late reports whether SetLate made the host late.
func (f *Frontier) Late(h HostID) bool { return f.host(h).late }

// HostsWaiting returns the number of hosts for which leads wait.
func (f *Frontier) HostsWaiting() int { return len(f.polite.all) }

// OnlyLate reports whether every host for which a lead waits is late.
func (f *Frontier) OnlyLate() bool { return f.polite.lates == len(f.polite.all) }
