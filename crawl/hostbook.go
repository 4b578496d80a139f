package crawl

import "dowse/internal/frontier"

// A hostBook keeps what the crawl knows of its hosts, by their numbers. A host that was
// never visited takes 8 bytes and a bit: most of the hosts that links name are never
// visited, and a server can name them without end.
type hostBook struct {
	list []*host  // nil for a host of which nothing is known
	met  []uint64 // a bit for each: see meet
}

// grow makes room for n hosts.
func (b *hostBook) grow(n int) {
	for len(b.list) < n {
		b.list = append(b.list, nil)
	}
	for len(b.met)*64 < n {
		b.met = append(b.met, 0)
	}
}

func (b *hostBook) len() int { return len(b.list) }

// at returns what is known of a host, to read.
func (b *hostBook) at(id frontier.HostID) host {
	if h := b.list[id]; h != nil {
		return *h
	}
	return host{}
}

// of returns what is known of a host, to change.
func (b *hostBook) of(id frontier.HostID) *host {
	if b.list[id] == nil {
		b.list[id] = &host{}
	}
	return b.list[id]
}

// each shows the hosts of which something is known.
func (b *hostBook) each(show func(id frontier.HostID, h *host)) {
	for id, h := range b.list {
		if h != nil {
			show(frontier.HostID(id), h)
		}
	}
}

// meet marks a host and reports whether it was not marked before.
func (b *hostBook) meet(id frontier.HostID) bool {
	word, bit := &b.met[id/64], uint64(1)<<(id%64)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}
