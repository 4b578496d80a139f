package strategy

import (
	"cmp"
	"math"

	"dowse"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// otie is on-line topical importance estimation (Wang et al. 2009): OPIC with cash
// that follows the topic. The seeds share a cash of 1. The cash of a visited page is
// first revised by the page's relevance r,
//
//	c' = c + c·max(-1, A·(2r-1)^D)        (eq. 8)
//
// and then divided among its links in proportion to the relevance of their targets: as
// judged if visited, as predicted by page and link context if not (eqs 6, 7 and 9).
// Links to visited pages earn cash too, so the richest visited page is visited again
// from time to time.
//
// Cash is not conserved, by design. Ablations of the paper are parameters: NoRevision,
// NoBias, and Recrawl -1.
//
// The paper names hub and authority (Kleinberg 1999) as its next measure of importance. Hub
// divides cash into these two accounts: a visited page returns that part of its cash, as
// authority, to the page by which it was found. There it is hub cash, which goes to the
// other links of the hub when the hub is visited again, unrevised: a hub need not be on
// topic itself.
type otie struct {
	A          float64 `param:"a" default:"0.85" help:"how far relevance changes a page's cash; Wang et al. 2009"`
	D          float64 `param:"d" default:"3" help:"how sharply: the power of 2·relevance-1; Wang et al. 2009"`
	Beta       float64 `param:"beta" default:"0.25" max:"1" help:"weight of the whole page against the words around the link; Wang et al. 2009"`
	Words      int     `param:"words" default:"20" help:"words around a link, its anchor included; Wang et al. 2009"`
	Recrawl    int     `param:"recrawl" default:"10" min:"-1" help:"rounds between visits to the visited page with the most cash, 50 pages to a round in a stream; -1 for none; ours, Wang et al. 2009 say periodically"`
	Replay     bool    `param:"replay" default:"false" help:"a revisit follows the links as they were kept instead of fetching the page again; ours"`
	N          int     `param:"round" default:"0" help:"leads to a round; 0 streams; Wang et al. 2009 take 50"`
	NoRevision bool    `param:"no-revision" default:"false" help:"cash is spread as it is, without eq. 8; ours, for ablations"`
	Hub        float64 `param:"hub" default:"0" max:"1" help:"part of a page's cash that returns to the linking page as hub cash; future work of Wang et al. 2009, the form is ours"`
	NoBias     bool    `param:"no-bias" default:"false" help:"all links of a page get the same, without eqs 6 and 7; ours, for ablations"`

	state otieState
}

type otieState struct{ Laps laps }

// richestCash limits a page's cash: cash grows along chains of relevant pages and must
// stay finite.
const richestCash = 1e300

// Traits states what is the same for a whole crawl.
func (s *otie) Traits() dowse.Traits {
	t := dowse.Traits{Window: cmp.Or(s.Words, 20), Round: s.N, Revisits: s.Recrawl >= 0, Recalls: s.Replay}
	if s.NoBias {
		t.Window = 0
	}
	return t
}

// Start gives each seed an equal share of 1.
func (s *otie) Start(seeds []dowse.URL) []dowse.Lead { return shareOut(seeds, 1) }

// BeforeRound requests the richest visited page when a revisit is due.
func (s *otie) BeforeRound(v dowse.View) []dowse.Lead {
	return s.state.Laps.richest(v, s.Recrawl, s.N)
}

// Follow revises the page's cash and distributes it. The cash of a dead URL is lost;
// that of a redirect moves on unrevised.
func (s *otie) Follow(p *dowse.Page) []dowse.Lead {
	s.state.Laps.page(p)
	c := p.Lead.Priority
	switch {
	case lead.Redirects(p):
		leads := handOver(p)
		leads[1].Note = p.Lead.Note // the hub of the target is that of the redirect
		return leads
	case p.Outcome == dowse.Fetched && p.Again && s.Hub > 0:
		return s.spread(p, c)
	case p.Outcome == dowse.Fetched:
		return s.spread(p, s.revised(c, p.Verdict.Relevance))
	case p.Outcome == dowse.Listed:
		return s.spread(p, c)
	}
	return []dowse.Lead{spend(p)}
}

// revised is eq. 8; the power keeps the sign of 2r-1.
func (s *otie) revised(c, r float64) float64 {
	if s.NoRevision {
		return c
	}
	x := 2*r - 1
	power := math.Copysign(math.Pow(math.Abs(x), cmp.Or(s.D, 3)), x)
	return min(c+float64(c*max(-1, cmp.Or(s.A, 0.85)*power)), richestCash)
}

// credit returns the part of a page's cash that goes back to its hub, as a lead for the
// hub, and the cash that is left. The hub is the page that linked to it last before its
// visit; the lead's note has its URL. A seed has none.
func (s *otie) credit(p *dowse.Page, c float64) (leads []dowse.Lead, left float64) {
	hub := dowse.URL(p.Lead.Note)
	if s.Hub == 0 || hub == "" || c <= 0 {
		return nil, c
	}
	part := float64(s.Hub * c)
	why := []dowse.Because{{What: "authority of a page that it links to", Weight: part}}
	return []dowse.Lead{{URL: hub, Priority: part, Merge: dowse.Add, Because: why}}, c - part
}

// spread gives each link its part of the cash in proportion to its promise, or equal
// parts if no link promises anything. With hubs, a part returns to the page's own hub
// first.
func (s *otie) spread(p *dowse.Page, c float64) []dowse.Lead {
	leads := append(make([]dowse.Lead, 0, 2+len(p.Links)), spend(p))
	credit, c := s.credit(p, c)
	leads = append(leads, credit...)
	hub := ""
	if s.Hub > 0 {
		hub = string(clone(p.URL))
	}
	because := make([]dowse.Because, 0, 2*len(p.Links))
	sum := 0.0
	for i := range p.Links {
		promise := s.promise(p, &p.Links[i])
		sum += promise
		because = append(because, dowse.Because{What: "cash from the linking page"}, dowse.Because{What: "promise of the link", Weight: promise})
	}
	even := c / float64(len(p.Links))
	for i := range p.Links {
		why := because[2*i : 2*i+2 : 2*i+2]
		gift := even
		if sum > dust {
			gift = why[1].Weight / sum * c
		}
		why[0].Weight = gift
		leads = append(leads, dowse.Lead{URL: p.Links[i].URL, Priority: gift, Merge: dowse.Add, Note: hubOf(&p.Links[i], hub), Because: why})
	}
	return leads
}

// hubOf returns the note of a lead: the URL of the hub that credit for the target goes to,
// "" to keep what the target has. A page that was visited keeps the hub it was found by.
func hubOf(l *dowse.Link, hub string) string {
	if l.Target.State == dowse.Visited {
		return ""
	}
	return hub
}

// promise returns the relevance of a link's target: as judged if it was visited, else
// as predicted (eq. 9).
func (s *otie) promise(p *dowse.Page, l *dowse.Link) float64 {
	switch {
	case s.NoBias:
		return 1
	case l.Target.State == dowse.Visited:
		return l.Target.Relevance
	}
	page, context := predicted(cmp.Or(s.Beta, 0.25), p, l)
	return page + context
}

// Save returns when the next revisit is due. Everything else is in the frontier.
func (s *otie) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load restores what Save returned.
func (s *otie) Load(b []byte) error { return state.LoadJSON(b, &s.state) }
