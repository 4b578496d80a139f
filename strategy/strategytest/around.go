package strategytest

import "dowse"

// Around returns a strategy that has all the abilities of s and passes every
// call that returns leads through call, which may observe or time it. It must
// invoke its argument exactly once and return the result.
func Around(s dowse.Strategy, call func(invoke func() []dowse.Lead) []dowse.Lead) dowse.Strategy {
	a := &around{s, call}
	if saver, ok := s.(dowse.Saver); ok {
		return &savingAround{a, saver}
	}
	return a
}

// savingAround is around for a strategy that can save its state. A crawl treats
// strategies that can't differently, so around itself must not have these
// methods.
type savingAround struct {
	*around
	dowse.Saver
}

// around forwards every optional ability. A crawl that looks for an ability
// finds it here and, if the wrapped strategy lacks it, gets the answer that has
// no effect.
type around struct {
	dowse.Strategy
	call func(func() []dowse.Lead) []dowse.Lead
}

// Follow is the one ability that every strategy has.
func (a *around) Follow(p *dowse.Page) []dowse.Lead {
	return a.call(func() []dowse.Lead { return a.Strategy.Follow(p) })
}

// Start queues seeds at priority 1 if the strategy does not start crawls
// itself, as a crawl does.
func (a *around) Start(seeds []dowse.URL) []dowse.Lead {
	if s, ok := a.Strategy.(dowse.Starter); ok {
		return a.call(func() []dowse.Lead { return s.Start(seeds) })
	}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1}
	}
	return leads
}

// Idle returns no leads if the strategy is no Idler, which ends the crawl as it
// would without a wrapper.
func (a *around) Idle() []dowse.Lead {
	if s, ok := a.Strategy.(dowse.Idler); ok {
		return a.call(s.Idle)
	}
	return nil
}

func (a *around) BeforeRound(v dowse.View) []dowse.Lead {
	if s, ok := a.Strategy.(dowse.BeforeRounder); ok {
		return a.call(func() []dowse.Lead { return s.BeforeRound(v) })
	}
	return nil
}

// Rescore passes through call, too, so that its time is measured; there are no
// leads.
func (a *around) Rescore(l dowse.Lead) (priority float64) {
	if s, ok := a.Strategy.(dowse.Rescorer); ok {
		a.call(func() []dowse.Lead { priority = s.Rescore(l); return nil })
		return priority
	}
	return l.Priority
}

// Explain does not pass through call: it is for people, not a part of crawling.
func (a *around) Explain(l dowse.Lead) []dowse.Because {
	if s, ok := a.Strategy.(dowse.Explainer); ok {
		return s.Explain(l)
	}
	return nil
}

// Traits are those of the wrapped strategy, which a crawl reads once.
func (a *around) Traits() dowse.Traits { return dowse.TraitsOf(a.Strategy) }

func (a *around) Refused(l dowse.Lead, why dowse.Reason) []dowse.Lead {
	if s, ok := a.Strategy.(dowse.Refusable); ok {
		return a.call(func() []dowse.Lead { return s.Refused(l, why) })
	}
	return nil
}
