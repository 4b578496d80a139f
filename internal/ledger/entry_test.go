package ledger_test

import (
	"bytes"
	"testing"
	"time"

	"dowse"
	"dowse/internal/ledger"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func someEntries() []*ledger.Entry {
	p := &dowse.Page{URL: "http://a.test/", Outcome: dowse.Fetched, Host: &dowse.HostReport{RetryAfter: time.Second}}
	p.Verdict = dowse.Verdict{Relevance: 0.7, Because: []dowse.Because{{What: "tide", Weight: 0.7, Count: 3}}}
	linked := *p
	linked.Again, linked.LinksIn = true, new(int)
	*linked.LinksIn = 300
	return []*ledger.Entry{
		{Kind: ledger.EntryPage, At: epoch, Page: &linked},
		{Kind: ledger.EntryStart, At: epoch, Seeds: []dowse.URL{"http://a.test/"}},
		{Kind: ledger.EntryPage, At: epoch, Page: p, Found: []dowse.Link{{Mention: dowse.Mention{Anchor: "x"}, More: []dowse.Mention{{Anchor: "y"}}}},
			Links: []ledger.Decision{{ID: 1, Target: 2, State: dowse.Waiting, Priority: 0.5, Offered: 0.4, Because: p.Verdict.Because}}},
		{Kind: ledger.EntryRetry, At: epoch, Page: p},
		{Kind: ledger.EntryRobots, At: epoch, Host: "a.test", Page: p, Robots: &dowse.Robots{Status: 200, Body: []byte("x"), Sitemaps: []dowse.URL{"http://a.test/m"}}},
		{Kind: ledger.EntryRound, At: epoch, Round: nil},
		{Kind: ledger.EntryForget, At: epoch, ID: 3, Text: "by request"},
		{Kind: ledger.EntryRescore, At: epoch, ID: 3, Score: 0.25},
		{Kind: ledger.EntryReasons, At: epoch, ID: 3, Score: 0.25, Because: []dowse.Because{{What: "people", Weight: 0.5}, {What: "words", Weight: -0.25, Count: 2}}},
	}
}

func TestEntriesRoundTrip(t *testing.T) {
	for _, e := range someEntries() {
		b := ledger.EncodeEntry(e)
		again, err := ledger.EntryRoundTrip(b)
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("kind %d: %v\n%x\n%x", e.Kind, err, b, again)
		}
		for n := range b {
			if _, err := ledger.EntryRoundTrip(b[:n]); err == nil {
				t.Errorf("kind %d cut at %d of %d was read", e.Kind, n, len(b))
			}
		}
	}
}

// What was read can be written, and reads the same.
func FuzzEntry(f *testing.F) {
	for _, e := range someEntries() {
		f.Add(ledger.EncodeEntry(e))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		once, err := ledger.EntryRoundTrip(b)
		if err != nil {
			return
		}
		twice, err := ledger.EntryRoundTrip(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%v: %x and %x", err, once, twice)
		}
	})
}
