package strategy

import (
	"fmt"
	"strconv"
	"strings"

	"dowse"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// opic visits the page that has gathered the most cash: on-line page importance
// computation (Abiteboul, Preda and Cobena 2003; a baseline of Wang et al. 2009).
// The seeds share a cash of 1. A visited page gives all it has to its links, in
// equal parts, and how much went through a page estimates how important it is: see
// Importance. It knows nothing of the topic.
//
// The virtual page links to and from every other. It takes what pages without links
// and dead URLs would lose, so that cash stays 1, and passes it on to all pages at
// once before a lead with less cash than it has is taken.
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
	Spent   float64 // by all pages: the clock of the window
	History float64 // of all pages together
	Laps    laps
}

// The policies.
const (
	pickGreedy = "greedy"
	pickChance = "random"
	pickCycle  = "cycle"
)

// Check reports what is wrong with the parameters.
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

// Start gives each seed an equal share of 1; in Nutch each has 1.
func (s *opic) Start(seeds []dowse.URL) []dowse.Lead {
	if s.Nutch {
		return shareOut(seeds, float64(len(seeds)))
	}
	return shareOut(seeds, 1)
}

// Follow spreads the page's cash over its links and the virtual page.
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

// gifts adds the same share of cash for each link.
func gifts(leads []dowse.Lead, links []dowse.Link, share float64) []dowse.Lead {
	because := []dowse.Because{{What: "cash from the linking page", Weight: share}}
	for i := range links {
		leads = append(leads, dowse.Lead{URL: links[i].URL, Priority: share, Merge: dowse.Add, Because: because})
	}
	return leads
}

// bury gives cash to the virtual page; without one it is lost.
func (s *opic) bury(c float64) {
	if !s.NoVirtual {
		s.state.Cash += c
	}
}

// BeforeRound visits the virtual page if it has more cash than the next lead, which
// costs nothing, and asks for the richest visited page when that is due.
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

// book moves cash that a page spends into its history.
func (s *opic) book(a account, c float64) account {
	s.state.History -= a.History
	a = a.spend(c, s.state.Spent, s.T)
	s.state.History += a.History
	s.state.Spent += c
	return a
}

// Importance estimates which share of all attention a page deserves, from its lead
// as the frontier has it: what went through the page so far and what it has now,
// of all cash that was spent and is there. Visited pages and waiting ones compare.
func (s *opic) Importance(l dowse.Lead) float64 {
	return (accountOf(l.Note).History + l.Priority) / (s.state.History + 1)
}

// Rank estimates the same of visited pages from what went through them alone
// (Wang et al. 2009, eq. 3): slower to settle, without what is under way.
func (s *opic) Rank(l dowse.Lead) float64 {
	if s.state.History == 0 {
		return 0
	}
	return accountOf(l.Note).History / s.state.History
}

// Virtual is the virtual page as a lead, for Importance and Rank.
func (s *opic) Virtual() dowse.Lead {
	return dowse.Lead{Priority: s.state.Cash, Note: s.state.Virtual.note()}
}

// Save writes down the virtual page and the totals. All else is in the frontier.
func (s *opic) Save() ([]byte, error) { return state.SaveJSON(&s.state) }

// Load takes up what Save wrote.
func (s *opic) Load(b []byte) error { return state.LoadJSON(b, &s.state) }

// An account is what OPIC remembers of a visited page. It rides in the page's note.
type account struct {
	History float64 // cash that went through the page, in the window
	Last    float64 // clock at its last visit
}

// spend adds cash to the history at a time. In a window older cash fades: of what
// was there, the part remains that an even flow would have left in the window.
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

// note is the account as text: history@last, without a window history alone.
func (a account) note() string {
	b := strconv.AppendFloat(make([]byte, 0, 48), a.History, 'g', -1, 64)
	if a.Last != 0 {
		b = strconv.AppendFloat(append(b, '@'), a.Last, 'g', -1, 64)
	}
	return string(b)
}

// accountOf reads a note; a page without one was not visited.
func accountOf(note string) (a account) {
	history, last, _ := strings.Cut(note, "@")
	a.History, _ = strconv.ParseFloat(history, 64)
	a.Last, _ = strconv.ParseFloat(last, 64)
	return a
}
