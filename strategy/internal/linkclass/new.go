package linkclass

import "dowse"

// NewLSFC returns the strategy lsfc with its default parameters.
func NewLSFC() dowse.Strategy { return &lsfc{} }

// NewOptimisedLSFC returns the strategy lsfc-optimised with its default parameters.
func NewOptimisedLSFC() dowse.Strategy { return &optimisedLSFC{} }

// NewNB returns the strategy nb with its default parameters.
func NewNB() dowse.Strategy { return &nb{} }

// NewNBThreshold returns the strategy nb-threshold with its default parameters.
func NewNBThreshold() dowse.Strategy { return &nbThreshold{} }

// NewNBUpdateable returns the strategy nb-updateable with its default parameters.
func NewNBUpdateable() dowse.Strategy { return &nbUpdateable{} }
