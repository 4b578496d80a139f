package strategy_test

import (
	"encoding/json"
	"testing"

	"dowse/internal/fixture"
	"dowse/strategy/strategytest"
)

// What the tests of all strategies share, by its short name.
type (
	goldenCase = fixture.Golden
	toy        = strategytest.Toy
)

var (
	vectors   = fixture.Vectors
	runGolden = fixture.RunGolden
	near      = fixture.Near
	polite    = fixture.Polite
	newCrawl  = fixture.NewCrawl
	stroll    = fixture.Stroll
	known     = fixture.Known
	deadEnd   = fixture.DeadEnd
	twice     = fixture.Twice
	zero      = fixture.Zero
	fetched   = fixture.Fetched
	moved     = fixture.Moved
	failing   = fixture.Failing
	tides     = fixture.Tides
	manyNodes = fixture.ManyNodes
	readers   = fixture.Readers
	filling   = fixture.Filling
	page      = fixture.Page
)

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	return fixture.Decode[T](t, raw)
}
