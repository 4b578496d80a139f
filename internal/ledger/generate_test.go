package ledger

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/settings"
)

// This file draws entries of every kind at random, in the form in which they are read
// back: lists without items are nil, times are in UTC, and what the journal does not hold
// is empty. So an entry and what is read of its bytes must be equal in every field.

// kinds are all kinds of entries that a program has written.
var kinds = []EntryKind{
	EntryStart, EntryPage, EntryRetry, EntryRobots, EntryRound, EntryIdle, EntryBefore, EntryForget,
	EntryRescore, EntryModel, EntryReasons, EntryClock, EntryAgain, EntryForgive, EntryRequeue, EntryCheck, EntryLeft, EntryThreshold,
}

// sameEntry compares entries by what is written of them.
var sameEntry = cmp.Options{
	cmpopts.IgnoreUnexported(Entry{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
}

// someRules replaces the rules that a parser makes of a robots.txt.
type someRules string

func (someRules) Allowed(dowse.URL) (bool, string) { return true, "" }

func parseRules(body []byte, status int) dowse.Rules {
	return someRules(fmt.Sprintf("%d %s", status, body))
}

// numberedURL is the string that tests give to a numbered URL.
func numberedURL(id frontier.ID) dowse.URL {
	return dowse.URL(fmt.Sprintf("http://h%d.test/%d", id%7, id))
}

func drawText(t *rapid.T, what string) string {
	return rapid.SampledFrom([]string{"", "a", "tide pools", "anémone", "a\x00b", "\xff\xfe"}).Draw(t, what)
}

func drawTime(t *rapid.T, what string) time.Time {
	if rapid.Bool().Draw(t, what+" is zero") {
		return time.Time{}
	}
	return time.Unix(0, rapid.Int64Range(1, 1<<62).Draw(t, what)).UTC()
}

func drawDuration(t *rapid.T, what string) time.Duration {
	return time.Duration(rapid.Int64().Draw(t, what))
}

func drawID(t *rapid.T) frontier.ID { return frontier.ID(rapid.Uint32().Draw(t, "ID")) }

func drawList[T any](t *rapid.T, what string, most int, item func() T) (list []T) {
	for range rapid.IntRange(0, most).Draw(t, what) {
		list = append(list, item())
	}
	return list
}

func drawURLs(t *rapid.T, what string) []dowse.URL {
	return drawList(t, what, 3, func() dowse.URL { return dowse.URL(drawText(t, what)) })
}

func drawIDs(t *rapid.T, what string) []frontier.ID {
	return drawList(t, what, 4, func() frontier.ID { return drawID(t) })
}

func drawBecause(t *rapid.T) []dowse.Because {
	return drawList(t, "reasons", 4, func() dowse.Because {
		return dowse.Because{What: drawText(t, "reason"), Weight: rapid.Float64().Draw(t, "weight"), Count: rapid.IntRange(0, 300).Draw(t, "count")}
	})
}

func drawVerdict(t *rapid.T) dowse.Verdict {
	return dowse.Verdict{
		Relevance: rapid.Float64().Draw(t, "relevance"), Scale: drawText(t, "scale"), Judge: drawText(t, "judge"), Because: drawBecause(t),
	}
}

func drawReason(t *rapid.T) dowse.Reason {
	list := dowse.ReasonHelp()
	if i := rapid.IntRange(-1, len(list)-1).Draw(t, "reason"); i >= 0 {
		return list[i].Reason
	}
	return ""
}

// drawVisit sets the facts that every visit has, also one that failed.
func drawVisit(t *rapid.T, p *dowse.Page) {
	p.Outcome = dowse.Outcome(rapid.IntRange(0, int(dowse.Listed)).Draw(t, "outcome"))
	p.Reason, p.Detail = drawReason(t), drawText(t, "detail")
	p.Fetch = dowse.Fetch{
		At: drawTime(t, "fetched at"), Took: drawDuration(t, "took"), Status: rapid.IntRange(-1, 999).Draw(t, "status"), Type: drawText(t, "type"),
		Bytes: rapid.Int64().Draw(t, "bytes"), Wire: rapid.Int64().Draw(t, "wire"), Truncated: rapid.Bool().Draw(t, "truncated"), Charset: drawText(t, "charset"),
		Address: rapid.SampledFrom([]netip.Addr{{}, netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::1")}).Draw(t, "address"),
		Archive: dowse.Place{File: drawText(t, "file"), Offset: rapid.Int64().Draw(t, "offset"), Length: rapid.Int64().Draw(t, "length")},
	}
	if rapid.Bool().Draw(t, "has a report") {
		p.Host = &dowse.HostReport{
			RetryAfter: drawDuration(t, "retry after"), BackOff: rapid.Bool().Draw(t, "back off"), Down: rapid.Bool().Draw(t, "down"), Local: rapid.Bool().Draw(t, "local"),
		}
	}
}

// drawPage sets the other facts of a page that the journal holds.
func drawPage(t *rapid.T, p *dowse.Page) {
	p.Lead = dowse.Lead{
		URL: p.URL, Priority: rapid.Float64().Draw(t, "priority"), Band: rapid.Int8().Draw(t, "band"), Group: drawText(t, "group"), Note: drawText(t, "note"),
	}
	p.Again, p.Depth, p.Hops = rapid.Bool().Draw(t, "again"), rapid.IntRange(0, 300).Draw(t, "depth"), rapid.IntRange(0, 300).Draw(t, "hops")
	if rapid.Bool().Draw(t, "has links in") {
		n := rapid.IntRange(0, 1<<16-1).Draw(t, "links in")
		p.LinksIn = &n
	}
	at := int32(0)
	p.Repeated = drawList(t, "repeated", 3, func() dowse.Span {
		from := at + rapid.Int32Range(0, 1000).Draw(t, "gap")
		at = from + rapid.Int32Range(0, 1000).Draw(t, "size")
		return dowse.Span{Start: from, End: at}
	})
	p.Blocks = drawList(t, "blocks", 3, func() uint32 { return rapid.Uint32().Draw(t, "block") })
	p.Maps, p.Near = drawURLs(t, "maps"), dowse.URL(drawText(t, "near"))
	p.Title, p.Language, p.Canonical, p.Cut = drawText(t, "title"), drawText(t, "language"), dowse.URL(drawText(t, "canonical")), drawText(t, "cut")
	p.Published, p.Licences = drawTime(t, "published"), drawURLs(t, "licences")
	p.Types = drawList(t, "types", 3, func() string { return drawText(t, "type of thing") })
	p.NoFollow, p.NoIndex, p.NoArchive = rapid.Bool().Draw(t, "nofollow"), rapid.Bool().Draw(t, "noindex"), rapid.Bool().Draw(t, "noarchive")
	if p.Sketch.Text = rapid.Uint64().Draw(t, "sketch"); p.Sketch.Text != 0 {
		p.Sketch.Bins[rapid.IntRange(0, 63).Draw(t, "bin")] = rapid.Uint16().Draw(t, "in bin")
	}
	p.Verdict = drawVerdict(t)
}

func drawMention(t *rapid.T, anchors bool) dowse.Mention {
	m := dowse.Mention{Anchor: drawText(t, "anchor"), Context: rapid.Float64().Draw(t, "context"), Above: [3]int32{-1, -1, -1}}
	if anchors {
		m.AnchorScore = rapid.Float64().Draw(t, "anchor score")
	}
	m.Repeated = rapid.Bool().Draw(t, "in a repeated part")
	return m
}

func drawLink(t *rapid.T) (dowse.Link, Decision) {
	d := Decision{
		ID: drawID(t), Fresh: rapid.Bool().Draw(t, "fresh"), State: dowse.State(rapid.IntRange(0, int(dowse.Excluded)).Draw(t, "state")),
		Reason: drawReason(t), Priority: rapid.Float64().Draw(t, "priority"), Because: drawBecause(t),
	}
	if d.Target, d.Offered = d.ID, d.Priority; rapid.Bool().Draw(t, "redirects") {
		d.Target, d.Offered = drawID(t), rapid.Float64().Draw(t, "offered")
	}
	anchors := rapid.Bool().Draw(t, "anchors are rated")
	l := dowse.Link{URL: numberedURL(d.ID), NoFollow: rapid.Bool().Draw(t, "nofollow"), Mention: drawMention(t, anchors)}
	l.More = drawList(t, "more mentions", 2, func() dowse.Mention { return drawMention(t, anchors) })
	return l, d
}

func drawRuling(t *rapid.T) Ruling {
	score := func() float64 { return rapid.Float64().Draw(t, "rating") }
	return Ruling{
		Place: rapid.Uint64().Draw(t, "place"), ID: drawID(t), Verdict: drawVerdict(t), Label: Label(rapid.IntRange(0, 2).Draw(t, "label")),
		Context: drawList(t, "contexts", 3, score), Anchor: drawList(t, "anchors", 3, score),
	}
}

func drawRun(t *rapid.T) *Run {
	n := func() int { return int(rapid.Int32().Draw(t, "limit")) }
	return &Run{Requeued: rapid.Bool().Draw(t, "requeued"), Began: drawTime(t, "began"), Limits: settings.Limits{
		Pages: n(), OnTopic: n(), Bytes: rapid.Int64().Draw(t, "bytes"), Time: drawDuration(t, "time"), PerHost: n(), Depth: n(), Tunnel: n(),
		Dry: settings.Dry{Over: n(), Harvest: rapid.Float64().Draw(t, "harvest")},
	}}
}

// drawEntry draws an entry of a kind.
func drawEntry(t *rapid.T, kind EntryKind) *Entry {
	e := &Entry{Kind: kind, At: drawTime(t, "at"), Elapsed: drawDuration(t, "elapsed")}
	e.Moves = drawList(t, "moves", 3, func() Move { return MoveOf(drawID(t), rapid.Bool().Draw(t, "back")) })
	if rapid.Bool().Draw(t, "begins a run") {
		e.Run = drawRun(t)
	}
	switch kind {
	case EntryStart:
		e.Seeds, e.Homes = drawURLs(t, "seeds"), drawURLs(t, "homes")
	case EntryPage:
		drawPageEntry(t, e)
	case EntryRetry:
		e.ID, e.Regret = drawID(t), rapid.Float64().Draw(t, "regret")
		e.Page = &dowse.Page{URL: numberedURL(e.ID)}
		drawVisit(t, e.Page)
	case EntryRobots:
		e.Host, e.Page = drawText(t, "host"), &dowse.Page{URL: dowse.URL(drawText(t, "URL"))}
		drawVisit(t, e.Page)
		r := &dowse.Robots{At: drawTime(t, "read at"), Status: rapid.IntRange(0, 599).Draw(t, "status"), Delay: drawDuration(t, "delay"), Sitemaps: drawURLs(t, "sitemaps")}
		r.Body = []byte(drawText(t, "body"))
		r.Rules = parseRules(r.Body, r.Status)
		e.Robots = r
	case EntryRound:
		e.Round = drawIDs(t, "round")
	case EntryRequeue:
		e.Text, e.Round = drawText(t, "what"), drawIDs(t, "URLs")
	case EntryForgive:
		e.Since = drawTime(t, "since")
	case EntryCheck:
		e.ID, e.Since, e.Score = drawID(t), drawTime(t, "since"), rapid.Float64().Draw(t, "chance")
	case EntryLeft:
		e.ID, e.Queue = drawID(t), rapid.IntRange(0, 1<<30).Draw(t, "links")
	case EntryThreshold:
		e.Score = rapid.Float64().Draw(t, "threshold")
	case EntryForget:
		e.ID, e.Text, e.Host = drawID(t), drawText(t, "why"), drawText(t, "host")
		copy(e.Print[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "fingerprint"))
	case EntryRescore:
		e.ID, e.Score = drawID(t), rapid.Float64().Draw(t, "score")
	case EntryReasons:
		e.ID, e.Score, e.Because = drawID(t), rapid.Float64().Draw(t, "score"), drawBecause(t)
	case EntryModel:
		e.Model, e.Parts = drawText(t, "model"), rapid.IntRange(0, 300).Draw(t, "parts")
		e.Rulings = drawList(t, "rulings", 3, func() Ruling { return drawRuling(t) })
	case EntryClock:
		e.Back = drawDuration(t, "back")
	}
	return e
}

func drawPageEntry(t *rapid.T, e *Entry) {
	e.ID, e.Idle = drawID(t), rapid.Bool().Draw(t, "idle")
	e.Queue, e.Regret, e.Rested = rapid.IntRange(0, 1<<40).Draw(t, "queue"), rapid.Float64().Draw(t, "regret"), drawDuration(t, "rested")
	e.Dropped = rapid.IntRange(0, 1000).Draw(t, "dropped")
	e.Page = &dowse.Page{URL: numberedURL(e.ID)}
	drawVisit(t, e.Page)
	drawPage(t, e.Page)
	for range rapid.IntRange(0, 3).Draw(t, "links") {
		l, d := drawLink(t)
		e.Found, e.Links = append(e.Found, l), append(e.Links, d)
	}
}

// withoutSyncs makes syncs count as done until the test ends, which saves waiting for the disk.
func withoutSyncs(t *testing.T) {
	t.Cleanup(durable.SkipSyncs())
}

// firstSegment is the file name of the segment at offset 0.
const firstSegment = "journal-0000000000000000.log"

func segmentPath(dir string) string { return filepath.Join(dir, firstSegment) }

// openTo opens a journal for a test, to write unless readOnly.
func openTo(t testing.TB, dir string, readOnly bool) *Journal {
	t.Helper()
	j, err := Open(dir, parseRules, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	j.pause = func() {} // a reader of a torn journal would wait for a writer
	t.Cleanup(func() { j.Close() })
	return j
}

// check ends a test that can't go on after an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
