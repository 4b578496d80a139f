package admission

import (
	"net/netip"
	"strings"

	"dowse"
	"dowse/weburl"
)

// Names of hosts cost the owner of a domain nothing: with a wildcard in its zone every name
// exists, and a page can link to fifty new ones. So the hosts of one owner share a budget
// (Traps.Hosts), which grows with useful pages: by one for every eight pages with a new
// text, and by one more for every two on topic. Links to further hosts are not kept: they
// get no number, no name and no place in the queue; they are only counted. And where
// nearly every page leads to new hosts only, no further host is visited: see isFarm.
//
// A link to an address costs nothing either, not even an entry in a zone, and the address
// need not belong to the author of the page. So addresses are grouped by the blocks that
// IANA gives to registries: there are 256 and 4,096 of these, which bounds the hosts with
// all budgets together. Smaller networks would not bound them: hosting companies rent them
// out by the thousand. Hosts without a name are rare enough for such wide groups.

// A domain counts what is known of the hosts of one owner.
type domain struct {
	hosts   uint32 // that are known
	granted uint32 // of these: seeds, which a person asked for
	novel   uint32 // pages with a text that was not seen before
	onTopic uint32
	farm    farm // pages, and those of them that lead to new hosts only
}

// budget returns how many hosts may be known. What there is at first shrinks with pages
// that lead to new hosts only, so that a trap does not use it up: a list of all hosts is
// one such page or two.
func (d *domain) budget(t *Traps) uint32 {
	return uint32(t.Hosts)/(1+d.farm.strays/4) + d.granted + d.novel/8 + d.onTopic/2
}

// The blocks of addresses that have one budget, as lengths of their prefixes in bits.
const (
	blockIPv4 = 8
	blockIPv6 = 12
)

// owner returns the group of hosts that a URL's host shares a budget with: those of its
// registrable domain, whatever their ports; for an address, those of its block; "" for an
// opaque URL.
func owner(u dowse.URL) string {
	if block := block(weburl.Hostname(u)); block != "" {
		return block
	}
	return weburl.Site(u)
}

// block returns the block of addresses that a host name without port and brackets belongs
// to, "" if it is no address.
func block(name string) string {
	if name == "" || name[len(name)-1] > '9' && strings.IndexByte(name, ':') < 0 {
		return "" // most names: addresses end in a digit or have a colon
	}
	a, err := netip.ParseAddr(name)
	if err != nil {
		return ""
	}
	bits := blockIPv6
	if a = a.Unmap(); a.Is4() {
		bits = blockIPv4
	}
	network, _ := a.Prefix(bits) // it only fails for lengths that an address does not have
	return network.String()
}

// domains counts the hosts of every owner.
type domains struct {
	owners map[uint64]domain // by key
	farms  int               // owners that are farms of hosts
	secret uint64            // only this crawl knows it
}

// key returns the number under which an owner's hosts are counted.
func (d *domains) key(owner string) uint64 { return keyedHash(owner, d.secret) }

// keyedHash returns the 64-bit FNV-1a hash of a text, from a start that only this crawl knows.
func keyedHash(text string, secret uint64) uint64 {
	k := 14695981039346656037 ^ secret
	for i := range len(text) {
		k = (k ^ uint64(text[i])) * 1099511628211
	}
	return k
}

func (d *domains) of(u dowse.URL) domain { return d.owners[d.key(owner(u))] }

// change changes the counts of an owner's hosts. When too many owners are known, new ones
// are not counted.
func (d *domains) change(t *Traps, owner string, change func(x *domain)) {
	k := d.key(owner)
	x, known := d.owners[k]
	if owner == "" || !known && len(d.owners) >= t.Shapes {
		return
	}
	before := x.farm.isFarm(t)
	change(&x)
	d.owners[k] = x
	d.farms += count(x.farm.isFarm(t)) - count(before)
}

// survey counts whether a page links to other hosts of its owner as the pages of a site do.
// dropped is the number of its links that were not kept because they lead to new hosts.
func (d *domains) survey(t *Traps, p *dowse.Page, dropped int, links Links) {
	o := owner(p.URL)
	if o == "" {
		return
	}
	stray := leadsToNewHosts(o, dropped, links)
	d.change(t, o, func(x *domain) {
		x.farm.visited++
		x.farm.strays += uint32(count(stray))
		if repeats := p.Near != "" && owner(p.Near) == o; !repeats && !p.Sketch.IsZero() {
			x.novel++
			x.onTopic += uint32(count(p.OnTopic))
		}
	})
}

// leadsToNewHosts reports whether the links of a page lead to new hosts of its owner and
// hardly to those that are known, its own included: at most by one link, or by one in five.
func leadsToNewHosts(owner string, dropped int, links Links) bool {
	fresh := dropped
	for _, h := range links.NewHosts() {
		fresh += count(belongs(h, owner))
	}
	if fresh == 0 {
		return false
	}
	known := 0
	for i := range links.Len() {
		if h, isNew := links.Host(i); !isNew && belongs(h, owner) {
			known++
		}
	}
	return known <= max(1, (fresh+known)/5)
}

// belongs reports whether a host, with or without a port, is one of an owner.
func belongs(host, owner string) bool {
	if strings.IndexByte(owner, '/') >= 0 {
		return block(weburl.Hostname(dowse.URL("http://"+host+"/"))) == owner
	}
	name, _, _ := strings.Cut(host, ":")
	return strings.HasSuffix(name, owner) && (len(name) == len(owner) || name[len(name)-len(owner)-1] == '.')
}

// isFarm reports whether a URL is on a host that gave no page, of an owner whose pages link
// to new hosts only. Hosts that gave a page go on: among them may be the one that is not a
// trap.
func (d *domains) isFarm(t *Traps, u dowse.URL, pages int) bool {
	if d.farms == 0 || pages > 0 {
		return false
	}
	x := d.of(u)
	return x.farm.isFarm(t)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
