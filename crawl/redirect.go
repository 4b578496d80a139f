package crawl

import (
	"dowse"
	"dowse/internal/frontier"
)

// maxRedirects is how many redirects in a row are followed, as browsers do.
const maxRedirects = 20

// endRedirects makes a failure of a redirect that leads nowhere: in a circle, or
// after too many others.
func (c *Crawl) endRedirects(id frontier.ID, p *dowse.Page) {
	if p.Outcome != dowse.Redirected {
		return
	}
	why := ""
	switch {
	case len(p.Links) == 0:
		why = "a redirect to no URL"
	case c.chains[id] >= maxRedirects:
		why = "too many redirects in a row"
	case c.endsAt(p.Links[0].URL, id):
		why = "redirects in a circle"
	default:
		return
	}
	p.Outcome, p.Reason, p.Detail, p.Links = dowse.Failed, dowse.FailRedirect, why, nil
}

// endsAt reports whether u is, or is known to redirect to, a URL.
func (c *Crawl) endsAt(u dowse.URL, id frontier.ID) bool {
	to, ok := c.f.Find(u)
	if !ok {
		return false
	}
	if end, redirects := c.f.Alias(to); redirects {
		to = end
	}
	return to == id
}

// followRedirect makes sure that the target of a redirect becomes a lead, as the
// strategy says or else with all that the redirecting URL had, and returns it.
func (c *Crawl) followRedirect(t *turn) frontier.ID {
	target := t.entry.Links[0].Target
	if len(t.p.Links) == 0 {
		return target // it can't be queued
	}
	u, from := t.p.Links[0].URL, t.p.Lead
	for i := range t.leads {
		if t.leads[i].URL == u {
			return target
		}
	}
	t.leads = append(t.leads, dowse.Lead{
		URL: u, Priority: from.Priority, Merge: dowse.Max, Band: from.Band, Note: from.Note,
		Because: []dowse.Because{{What: "redirected from " + string(t.p.URL), Weight: from.Priority}},
	})
	return target
}

// keepAlias ends the redirects that led to a URL, or hands them on to the target of
// one more. Only now do leads for the URL count for the target: what the strategy
// said in this turn, such as what it spent, it said of the URL itself.
func (c *Crawl) keepAlias(id, target frontier.ID) {
	n := c.chains[id]
	delete(c.chains, id)
	if target == frontier.None {
		return
	}
	c.f.SetAlias(id, target)
	c.inlinks.atLeast(target, c.inlinks.of(id))
	if s := c.f.State(target); s == dowse.Waiting || s == dowse.Held || s == dowse.Unseen {
		c.chains[target] = max(c.chains[target], n+1)
	}
}

// sendsOn reports whether a link is of a kind with redirects: it has no words on it,
// on a page without a text to speak of. Pages that refresh to another have such
// links.
func sendsOn(p *dowse.Page, l *dowse.Link) bool {
	return p.Outcome == dowse.Fetched && p.Sketch.IsZero() && !p.OnTopic && l.Anchor == "" && len(l.More) == 0
}

const maxSteps = 4 // links on a page that sends people on; others are for people to choose from

// passOn lets what a page sends on to know how many such pages, and redirects, lie
// above it in a row.
func (c *Crawl) passOn(t *turn) {
	if len(t.entry.Links) > maxSteps {
		return
	}
	for i := range t.entry.Links {
		d := &t.entry.Links[i]
		if d.Fresh && d.Reason == "" && sendsOn(t.p, &t.entry.Found[i]) {
			c.chains[d.Target] = c.chains[t.fl.id] + 1
		}
	}
}
