package linkclass_test

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
	tpage      = strategytest.Page
	tlink      = strategytest.Link
)

var (
	vectors  = fixture.Vectors
	near     = fixture.Near
	equal    = fixture.Equal
	newCrawl = fixture.NewCrawl
	stroll   = fixture.Stroll
	steps    = fixture.Steps
	known    = fixture.Known
	deadEnd  = fixture.DeadEnd
	twice    = fixture.Twice
	zero     = fixture.Zero
	fetched  = fixture.Fetched
	moved    = fixture.Moved
	failing  = fixture.Failing
	page     = fixture.Page
)

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	return fixture.Decode[T](t, raw)
}
