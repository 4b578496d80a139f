package interest_test

import (
	"encoding/json"
	"testing"

	"dowse/internal/fixture"
)

// What the tests of all strategies share, by its short name.
type (
	goldenCase = fixture.Golden
	visit      = fixture.Visit
)

var (
	vectors  = fixture.Vectors
	equal    = fixture.Equal
	polite   = fixture.Polite
	newCrawl = fixture.NewCrawl
	steps    = fixture.Steps
	crawlToy = fixture.CrawlToy
	salt     = fixture.Salt
	traceOf  = fixture.TraceOf
	readers  = fixture.Readers
	filling  = fixture.Filling
	clock    = fixture.Clock
)

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	return fixture.Decode[T](t, raw)
}
