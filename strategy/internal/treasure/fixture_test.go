package treasure_test

import (
	"encoding/json"
	"testing"

	"dowse/internal/fixture"
	"dowse/strategy/strategytest"
)

// What the tests of all strategies share, by its short name.
type (
	goldenCase = fixture.Golden
	waysBack   = fixture.WaysBack
	toy        = strategytest.Toy
	tlink      = strategytest.Link
)

var (
	vectors     = fixture.Vectors
	runGolden   = fixture.RunGolden
	near        = fixture.Near
	equal       = fixture.Equal
	polite      = fixture.Polite
	newCrawl    = fixture.NewCrawl
	stroll      = fixture.Stroll
	known       = fixture.Known
	deadEnd     = fixture.DeadEnd
	zero        = fixture.Zero
	linkingPage = fixture.LinkingPage
	tides       = fixture.Tides
	manyNodes   = fixture.ManyNodes
	fortyLinks  = fixture.FortyLinks
	clock       = fixture.Clock
	page        = fixture.Page
)

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	return fixture.Decode[T](t, raw)
}
