package strategy

import "dowse/judge"

// A bag is the terms of a link, and whether it led to a relevant page.
type bag struct {
	Relevant bool
	Terms    []string
}

// A linkModel is naive Bayes over the terms of links, with a record of what it was
// taught, by which it is saved.
type linkModel struct {
	bayes  judge.Bayes
	counts map[string]*[2]int // by term: in links that are not relevant, in those that are
	bags   [2]int
}

// linkLessons are what a model was taught, in order of the terms.
type linkLessons struct {
	Terms  []string
	Counts [][2]int
	Bags   [2]int
}

func newLinkModel(vocabulary int) *linkModel {
	return &linkModel{bayes: judge.Bayes{Limit: vocabulary}, counts: map[string]*[2]int{}}
}

// ready reports whether it has seen both kinds of links. Otherwise it would call all
// links alike.
func (m *linkModel) ready() bool { return m.bags[0] > 0 && m.bags[1] > 0 }

func (m *linkModel) learn(list []bag) {
	for _, b := range list {
		m.bayes.Add(b.Relevant, b.Terms)
		side := kind(b.Relevant)
		m.bags[side]++
		for _, t := range b.Terms {
			m.count(t, side)
		}
	}
}

func kind(relevant bool) int {
	if relevant {
		return 1
	}
	return 0
}

// count takes note of a term that the model took in.
func (m *linkModel) count(term string, side int) {
	n := m.counts[term]
	if n == nil {
		if m.bayes.Theta(term, true) == 0 {
			return // there was no room for it
		}
		n = &[2]int{}
		m.counts[term] = n
	}
	n[side]++
}

func (m *linkModel) lessons() linkLessons {
	l := linkLessons{Terms: sortedKeys(m.counts), Bags: m.bags}
	for _, t := range l.Terms {
		l.Counts = append(l.Counts, *m.counts[t])
	}
	return l
}

// study teaches a new model the lessons of another. Only sums count, so the terms
// are spread over as many links as there were, whatever link each was in.
func (m *linkModel) study(l linkLessons) {
	for side, bags := range l.Bags {
		if bags == 0 {
			continue
		}
		total := 0
		for i := range l.Counts {
			total += l.Counts[i][side]
		}
		size := (total + bags - 1) / bags
		b := bag{Relevant: side == 1}
		for i, t := range l.Terms {
			for range l.Counts[i][side] {
				if b.Terms = append(b.Terms, t); len(b.Terms) == size {
					m.learn([]bag{b})
					b.Terms, bags = b.Terms[:0], bags-1
				}
			}
		}
		for ; bags > 0; bags-- {
			m.learn([]bag{b})
			b.Terms = nil
		}
	}
}

// balanced returns as many bags of one kind as of the other: those of the rarer kind
// are repeated in turn. Otherwise the model would learn first of all that most links
// of seeds lead nowhere, and refuse the others too.
func balanced(list []bag) []bag {
	var kinds [2][]bag
	for _, b := range list {
		kinds[kind(b.Relevant)] = append(kinds[kind(b.Relevant)], b)
	}
	rare, common := kinds[0], kinds[1]
	if len(rare) > len(common) {
		rare, common = common, rare
	}
	if len(rare) == 0 {
		return list
	}
	for i := len(rare); i < len(common); i++ {
		list = append(list, rare[i%len(rare)])
	}
	return list
}
