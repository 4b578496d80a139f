package admission

import (
	"dowse"
	"dowse/internal/frontier"
)

// maxRedirects is how many redirects in a row are followed, as browsers do.
const maxRedirects = 20

// chains counts for a URL the redirects in a row that led to it. Pages that only send people
// on count as redirects, see [SendsOn].
type chains map[frontier.ID]uint8

// MayRedirect reports whether a redirect from a URL may be followed: fewer than maxRedirects
// in a row led to the URL.
func (g *Gate) MayRedirect(id frontier.ID) bool { return g.chains[id] < maxRedirects }

// MaySendOn is [Gate.MayRedirect] for a page that sends people on.
func (g *Gate) MaySendOn(id frontier.ID) bool { return g.traps.off() || g.MayRedirect(id) }

// Redirect adds to the chain of the target of a redirect. The target counts only while it
// waits for its visit, which waits reports.
func (g *Gate) Redirect(id, target frontier.ID, waits bool) {
	n := g.chains[id]
	delete(g.chains, id)
	if waits {
		g.chains[target] = max(g.chains[target], n+1)
	}
}

// EndChain ends the redirects that led to a URL.
func (g *Gate) EndChain(id frontier.ID) { delete(g.chains, id) }

// SendOn adds to the chain of a URL that a page sends on to.
func (g *Gate) SendOn(id, target frontier.ID) { g.chains[target] = g.chains[id] + 1 }

// SendsOn reports whether a link works like a redirect: it has no words on it, and its page
// has hardly a text. Pages that refresh to another have such links.
func SendsOn(p *dowse.Page, l *dowse.Link) bool {
	return p.Outcome == dowse.Fetched && p.Sketch.IsZero() && !p.OnTopic && l.Anchor == "" && len(l.More) == 0
}

// MaxSteps is the most links that a page has which sends people on. More links are for people
// to choose from.
const MaxSteps = 4
