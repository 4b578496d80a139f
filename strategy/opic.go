package strategy

import (
	"fmt"
	"strconv"
	"strings"

	"dowse"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// opic visits the page with the most cash: on-line page importance computation
// (Abiteboul, Preda and Cobena 2003; a baseline of Wang et al. 2009). The seeds share
// a cash of 1. A visited page gives all of its cash to its links in equal parts; the
// cash that passed through a page, its history, estimates the page's importance, see
// Importance. The topic plays no role.
//
// The virtual page links to and from every other page. It collects what pages without
// links and dead URLs would lose, so that the sum of all cash stays 1. When it has
// more cash than the next lead it is "visited": its cash is divided equally among all
// pages. The frontier does that by one Raise of all priorities, so it costs nothing
// per page.
type opic struct {
	Policy    string  `param:"policy" default:"greedy" help:"which page is next: greedy (the richest), random, or cycle (in the order found); Abiteboul et al. 2003"`
	NoVirtual bool    `param:"no-virtual" default:"false" help:"without the virtual page: cash is lost in dead ends; a variant of the baseline of Wang et al. 2009"`
	T         float64 `param:"window" default:"0" help:"how far back importance looks, in cash spent (1 is all there is); 0 for all the way; Abiteboul et al. 2003"`
	Recrawl   int     `param:"recrawl" default:"10" min:"-1" help:"rounds between visits to the visited page with the most cash, 50 pages to a round in a stream; -1 for none; ours"`
	Replay    bool    `param:"replay" default:"false" help:"a revisit follows the links as they were kept instead of fetching the page again; ours"`
	N         int     `param:"round" default:"0" help:"leads to a round; 0 streams; Wang et al. 2009 take 50"`
	Nutch     bool    `param:"nutch" default:"false" help:"as the plug-in of Nutch scores: a page keeps what it gives, no history, no virtual page, no revisits; Nutch 1"`

	state opicState
}

type opicState struct {
	Cash    float64 // of the virtual page
	Virtual account // of the virtual page
	Spent   float64 // cash spent by all pages: the clock of the window
	History float64 // sum of all pages' histories
	Laps    laps
}

// The policies.
const (
	pickGreedy = "greedy"
	pickChance = "random"
	pickCycle  = "cycle"
)

// Check returns an error for an unknown policy.
func (s *opic) Check() error {
	switch s.Policy {
	case "", pickGreedy, pickChance, pickCycle:
	default:
		return fmt.Errorf("policy=%s: want %s, %s or %s", s.Policy, pickGreedy, pickChance, pickCycle)
	}
	return nil
}

// Traits states what is the same for a whole crawl.
func (s *opic) Traits() dowse.Traits {
	t := dowse.Traits{Round: s.N, Revisits: s.Recrawl >= 0 && !s.Nutch, Recalls: s.Replay}
	switch s.Policy {
	case pickChance:
		t.Order = dowse.Shuffled
	case pickCycle:
		t.Order = dowse.FirstSeen
	}
	return t
}

// Start gives each seed an equal share of 1, or 1 each in the Nutch variant.
func (s *opic) Start(seeds []dowse.URL) []dowse.Lead {
	if s.Nutch {
		return shareOut(seeds, float64(len(seeds)))
	}
	return shareOut(seeds, 1)
}

// Follow distributes the page's cash over its links and the virtual page.
func (s *opic) Follow(p *dowse.Page) []dowse.Lead {
	s.state.Laps.page(p)
	switch {
	case s.Nutch:
		return gifts(nil, p.Links, p.Lead.Priority/float64(max(len(p.Links), 1)))
	case lead.Redirects(p):
		return handOver(p)
	case p.Outcome == dowse.Fetched || p.Outcome == dowse.Listed:
		return s.spread(p)
	}
	s.bury(p.Lead.Priority)
	return []dowse.Lead{spend(p)}
}

func (s *opic) spread(p *dowse.Page) []dowse.Lead {
	c := p.Lead.Priority
	self := spend(p)
	self.Note = s.book(accountOf(p.Lead.Note), c).note()
	leads := append(make([]dowse.Lead, 0, 1+len(p.Links)), self)
	k := len(p.Links)
	if !s.NoVirtual {
		k++
	}
	if k == 0 {
		return leads
	}
	share := c / float64(k)
	s.bury(share)
	return gifts(leads, p.Links, share)
}

// gifts appends one lead per link with the same share of cash.
func gifts(leads []dowse.Lead, links []dowse.Link, share float64) []dowse.Lead {
	because := []dowse.Because{{What: "cash from the linking page", Weight: share}}
	for i := range links {
		leads = append(leads, dowse.Lead{URL: links[i].URL, Priority: share, Merge: dowse.Add, Because: because})
	}
	return leads
}

// bury gives cash to the virtual page. Without a virtual page the cash is lost.
func (s *opic) bury(c float64) {
	if !s.NoVirtual {
		s.state.Cash += c
	}
}

// BeforeRound visits the virtual page if it has more cash than the next lead, and
// requests the richest visited page when a revisit is due.
func (s *opic) BeforeRound(v dowse.View) []dowse.Lead {
	if s.Nutch {
		return nil
	}
	return append(s.visitVirtual(v), s.state.Laps.richest(v, s.Recrawl, s.N)...)
}

func (s *opic) visitVirtual(v dowse.View) []dowse.Lead {
	c := s.state.Cash
	if c <= 0 {
		return nil
	}
	if best, ok := v.Best(); !ok || c <= best.Priority {
		return nil
	}
	share := c / float64(v.Waiting()+v.Visited())
	s.state.Virtual = s.book(s.state.Virtual, c)
	s.state.Cash = 0
	return []dowse.Lead{{
		Kind: dowse.Raise, Priority: share, Visited: true,
		Because: []dowse.Because{{What: "cash of the virtual page", Weight: share}},
	}}
}

// book moves cash that a page spends into its history and advances the clock.
func (s *opic) book(a account, c float64) account {
	s.state.History -= a.History
	a = a.spend(c, s.state.Spent, s.T)
	s.state.History += a.History
	s.state.Spent += c
	return a
}

// Importance estimates a page's share of all importance: (history + cash) of the page
// over the sum of both for all pages. It is defined for visited and waiting pages
// alike.
func (s *opic) Importance(l dowse.Lead) float64 {
	return (accountOf(l.Note).History + l.Priority) / (s.state.History + 1)
}

// Rank estimates the same from history alone (Wang et al. 2009, eq. 3). It converges
// more slowly, and is 0 for waiting pages.
func (s *opic) Rank(l dowse.Lead) float64 {
	if s.state.History == 0 {
		return 0
	}
	return accountOf(l.Note).History / s.state.History
}

// Virtual returns the virtual page as a lead, for Importance and Rank.
func (s *opic) Virtual() dowse.Lead {
	return dowse.Lead{Priority: s.state.Cash, Note: s.state.Virtual.note()}
}

// Save returns the virtual page and the totals. Everything else is in the frontier.
func (s *opic) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load restores what Save returned.
func (s *opic) Load(b []byte) error { return state.LoadJSON(b, &s.state) }

// An account is what OPIC remembers of a visited page. It is stored in the page's
// note.
type account struct {
	History float64 // cash that passed through the page within the window
	Last    float64 // clock (cash spent by all pages) at its last visit
}

// spend adds cash c to the history at a time. Within a window T, a history h of age a
// fades to h·(1 - a/T), the part that a steady flow would have left in the window;
// after a whole window only c·T/a counts (the interpolation of Abiteboul et al. 2003).
func (a account) spend(c, now, window float64) account {
	age := now - a.Last
	switch {
	case window == 0:
		return account{History: a.History + c}
	case age < window:
		return account{float64(a.History*(1-age/window)) + c, now}
	}
	return account{c * window / age, now}
}

// note returns the account as text: "history@last", or only the history if there is no
// window.
func (a account) note() string {
	b := strconv.AppendFloat(make([]byte, 0, 48), a.History, 'g', -1, 64)
	if a.Last != 0 {
		b = strconv.AppendFloat(append(b, '@'), a.Last, 'g', -1, 64)
	}
	return string(b)
}

// accountOf parses a note. A page without one has not been visited.
func accountOf(note string) (a account) {
	history, last, _ := strings.Cut(note, "@")
	a.History, _ = strconv.ParseFloat(history, 64)
	a.Last, _ = strconv.ParseFloat(last, 64)
	return a
}
