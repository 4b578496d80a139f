package site

// The order of sites by hubs. Sites that compete for the same customers do not link to each
// other, so that the worth of the linking site says little of them; directories and other
// hubs link to all of them (Ester et al. 2004 name this as future work). A hub shows itself
// by what came of its links: of the sites to which it links, those that were examined, and
// those of them that were on topic.
//
// A site is ranked by the sum over the sites that link to it of
//
//	(2·weight + on topic) / (2 + examined)
//
// where weight is that of the paper. Until something is known of a linking site the order is
// thus the sum of weights, and what is known counts as the paper's own prior does.

// A hub is what came of the links of an examined site.
type hub struct {
	To                 []int32 // the sites to which it links
	Examined, Relevant int     // of these
}

// A linker is a site that links to another, and the weight of the link.
type linker struct {
	From   int32
	Weight float64
}

// Bounds on what one site can cost.
const (
	maxLinkers = 64 // linking sites of a site that count, the first
	hubPrior   = 2  // examined sites that the weight of a link counts for
)

// weighByHubs computes the rank of a site by the sites that link to it. The rank is kept in
// the site and changes only here, before the site moves to its new place: a heap allows one
// element at a time to change.
func (o *outer) weighByHubs(s *knownSite) {
	s.byHubs = 0
	for _, l := range s.linkers {
		h := o.sites[l.From].hub
		s.byHubs += (float64(hubPrior*l.Weight) + float64(h.Relevant)) / float64(hubPrior+h.Examined)
	}
}

// join records a link between two sites. The linking site has just been examined.
func (o *outer) join(from, to *knownSite, weight float64) {
	if len(to.linkers) >= maxLinkers {
		return
	}
	if from.hub == nil {
		from.hub = &hub{}
	}
	to.linkers = append(to.linkers, linker{from.seq, weight})
	from.hub.To = append(from.hub.To, to.seq)
	if to.state == done && to.result.Verdict != None {
		from.hub.count(to.result.Verdict == Relevant)
	}
	for _, i := range from.hub.To { // its worth has changed
		o.moveByHubs(o.sites[i])
	}
}

// moveByHubs moves a site to the place that its linking sites give it, if it waits.
func (o *outer) moveByHubs(s *knownSite) {
	o.weighByHubs(s)
	if s.at > 0 {
		o.offer(s)
	}
}

// inherit lets a site count the sites that link to one that has moved there.
func (o *outer) inherit(to, from *knownSite) {
	room := maxLinkers - len(to.linkers)
	to.linkers = append(to.linkers, from.linkers[:min(room, len(from.linkers))]...)
	o.moveByHubs(to)
}

// count adds an examined site to which the hub links.
func (h *hub) count(relevant bool) {
	h.Examined++
	if relevant {
		h.Relevant++
	}
}

// credit counts a site that was examined for the sites that link to it, and moves the other
// sites to which they link to their new places. Only orders by hubs know linking sites.
func (o *outer) credit(s *knownSite) {
	for _, l := range s.linkers {
		h := o.sites[l.From].hub
		h.count(s.result.Verdict == Relevant)
		for _, to := range h.To {
			o.moveByHubs(o.sites[to])
		}
	}
}
