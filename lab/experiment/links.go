package experiment

import (
	"slices"

	"dowse"
	"dowse/strategy/input"
)

// A grantedLink is a link of a training page whose target's label is granted to
// strategies: both are numbers of pages.
type grantedLink struct{ from, to int }

// drawLinks draws the labelled links of the experiment from those of the positive
// training pages, half of them to relevant pages and half to others, as far as there
// are enough (Taylan et al. 2011, whose naive Bayes begins with 64 links of known
// pages). Their targets are training pages, since their labels are granted.
func (t *task) drawLinks(d *draw) {
	n := t.x.Training.Links
	if n == 0 {
		return
	}
	var on, off []grantedLink
	seen := map[int]bool{}
	for _, from := range d.positives {
		for _, to := range t.source.graph.Out(from) {
			to := int(to)
			if seen[to] || d.trained(to) || !t.source.graph.IsPage(to) {
				continue
			}
			seen[to] = true
			if d.wanted[to] {
				on = append(on, grantedLink{from, to})
			} else {
				off = append(off, grantedLink{from, to})
			}
		}
	}
	chance := newRand(t.x.Seeds.Rng, "links", t.source.web.Name, t.topic)
	for _, list := range [][]grantedLink{on, off} {
		chance.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	}
	half := min(n/2, len(on))
	half = max(half, min(n-len(off), len(on)))
	d.links = slices.Concat(on[:half], off[:min(n-half, len(off))])
	d.rest = slices.DeleteFunc(slices.Clone(d.rest), d.trained)
}

// labelledLinks returns the granted links as strategies learn from them: with the
// anchors that they have on their pages.
func (t *task) labelledLinks() (list []input.LabelledLink, err error) {
	for _, g := range t.draw.links {
		p, err := t.source.web.Page(g.from)
		if err != nil {
			return nil, err
		}
		if l := t.linkTo(p, g.to); l != nil {
			list = append(list, input.LabelledLink{Anchor: l.Anchor, URL: l.URL, Relevant: t.draw.wanted[g.to]})
		}
	}
	return list, nil
}

// linkTo returns the link of a page that leads to a page, also by a redirect.
func (t *task) linkTo(p *dowse.Page, to int) *dowse.Link {
	for i := range p.Links {
		at, ok := t.source.web.Find(p.Links[i].URL)
		if !ok {
			continue
		}
		if end, moved := t.source.graph.Alias(at); moved {
			at = end
		}
		if at == to {
			return &p.Links[i]
		}
	}
	return nil
}
