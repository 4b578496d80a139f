package strategytest

import "dowse"

// A listener hears all that a strategy says, and passes on all that it can do.
type listener struct {
	dowse.Strategy
	hear func(dowse.Lead)
}

func (l *listener) heard(leads []dowse.Lead) []dowse.Lead {
	for _, x := range leads {
		l.hear(x)
	}
	return leads
}

func (l *listener) Follow(p *dowse.Page) []dowse.Lead { return l.heard(l.Strategy.Follow(p)) }

func (l *listener) Start(seeds []dowse.URL) []dowse.Lead {
	if s, ok := l.Strategy.(dowse.Starter); ok {
		return l.heard(s.Start(seeds))
	}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1}
	}
	return leads
}

func (l *listener) Idle() []dowse.Lead {
	if s, ok := l.Strategy.(dowse.Idler); ok {
		return l.heard(s.Idle())
	}
	return nil
}

func (l *listener) BeforeRound(v dowse.View) []dowse.Lead {
	if s, ok := l.Strategy.(dowse.BeforeRounder); ok {
		return l.heard(s.BeforeRound(v))
	}
	return nil
}

func (l *listener) Rescore(x dowse.Lead) float64 {
	if s, ok := l.Strategy.(dowse.Rescorer); ok {
		return s.Rescore(x)
	}
	return x.Priority
}

func (l *listener) Round() int {
	if s, ok := l.Strategy.(dowse.Rounder); ok {
		return s.Round()
	}
	return 0
}

func (l *listener) Revisits() bool {
	s, ok := l.Strategy.(dowse.Revisiter)
	return ok && s.Revisits()
}

func (l *listener) Order() dowse.Order {
	if s, ok := l.Strategy.(dowse.Orderer); ok {
		return s.Order()
	}
	return dowse.ByPriority
}
