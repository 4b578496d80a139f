package treasure

import (
	"cmp"

	"dowse"
	"dowse/internal/tgraph"
	"dowse/judge"
)

// Similarities returns how like a link the nodes of the T-Graph are, by node: in
// sub-sub-headings, sub-headings, main headings and text, and overall.
func (s *treasure) Similarities(t tgraph.LinkText) map[string][5]float64 {
	s.begin()
	list := map[string][5]float64{}
	for i, sim := range s.osm.similarities(&t) {
		var all [5]float64
		for part, x := range sim {
			all[part] = x
			all[4] += s.osm.weights[part] * x
		}
		list[s.osm.nodes[i].ID] = all
	}
	return list
}

// similarities returns, by node, how similar a text is in each part.
func (o *osm) similarities(t *tgraph.LinkText) [][osmParts]float64 {
	list := make([][osmParts]float64, len(o.nodes))
	o.turn(&dowse.Document{})
	o.each(t, func(part int, m match) { list[m.node][part] = m.sim })
	return list
}

// Picked returns the node that a link is like, "" for none, and its similarity.
func (s *treasure) Picked(d *dowse.Document, m *dowse.Mention) (string, float64) {
	s.begin()
	s.osm.turn(d)
	n, sim := s.osm.nearest(d, m, cmp.Or(s.OSM, 0.05), s.Select == selectBest)
	if n < 0 {
		return "", 0
	}
	return s.osm.nodes[n].ID, sim
}

// OSMWeights returns the weights of the four parts.
func (s *treasure) OSMWeights() [4]float64 {
	s.begin()
	return s.osm.weights
}

// FitWeights returns the weights on the simplex with the least squared error.
func FitWeights(x [][4]float64, y []float64) [4]float64 {
	var e normal
	for i := range x {
		e.observe(x[i], y[i])
	}
	return e.simplex()
}

// Insert returns the leads of the Treasure-Crawler when it queues a lead.
func (s *treasure) Insert(l dowse.Lead) []dowse.Lead { return s.insert(nil, l) }

// Layers shows the layers of a context-graph crawler.
func (s *contextGraph) Layers() (term map[string]int, theta [][]float64, least []float64) {
	s.begin()
	return s.layers.term, s.layers.theta, s.layers.least
}

// Place returns the layer of a text, how sure that is, and the logarithms of how
// likely each layer gives its words; nil if it has no known word.
func (s *contextGraph) Place(text string) (layer int, sure float64, likelihood []float64, known float64) {
	s.begin()
	terms := s.Analyzer.Terms(text)
	layer, sure = s.layers.place(s.layers.read(terms))
	if known = s.layers.read(terms); known == 0 {
		return layer, sure, nil, 0
	}
	for i := range s.layers.theta {
		likelihood = append(likelihood, s.layers.likelihood(i))
	}
	return layer, sure, likelihood, known
}

// Classify returns the class of a link.
func (s *treasure) Classify(d *dowse.Document, m *dowse.Mention) judge.Prediction {
	s.begin()
	s.osm.turn(d)
	return s.Classes.Predict(s.osm.tokens(nil, d, m))
}

// Tests know strategies by these names; programs make them by their names in the list.
type (
	ContextGraph = contextGraph
	Treasure     = treasure
)
