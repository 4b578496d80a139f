package treasure

import "dowse"

// NewTreasure returns the strategy treasure with its default parameters.
func NewTreasure() dowse.Strategy { return &treasure{} }

// NewContextGraph returns the strategy context-graph with its default parameters.
func NewContextGraph() dowse.Strategy { return &contextGraph{} }
