package tgraph_test

import (
	"dowse/internal/fixture"
)

// What the tests of all strategies share, by its short name.
type (
	waysBack = fixture.WaysBack
)

var (
	linkingPage = fixture.LinkingPage
	tides       = fixture.Tides
	fortyLinks  = fixture.FortyLinks
)
