package interest

import "dowse"

// NewIntelligent returns the strategy intelligent with its default parameters.
func NewIntelligent() dowse.Strategy { return &intelligent{} }

// NewCollaborative returns the strategy collaborative with its default parameters.
func NewCollaborative() dowse.Strategy { return &collaborative{} }

// NewCombined returns the strategy combined with its default parameters.
func NewCombined() dowse.Strategy { return &combined{} }
