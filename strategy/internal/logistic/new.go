package logistic

import "dowse"

// NewOnline returns the strategy online with its default parameters.
func NewOnline() dowse.Strategy { return &online{} }

// NewAuto returns the strategy auto with its default parameters.
func NewAuto() dowse.Strategy { return &auto{} }
