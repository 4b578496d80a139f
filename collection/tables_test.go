package collection

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/frontier"
	"dowse/settings"
)

// Every link has exactly one fate, and the tally of a page adds up to its links.
func TestFatesOfLinks(t *testing.T) {
	e := &crawl.Entry{}
	for _, c := range []struct {
		decision crawl.Decision
		fate     string
		reason   dowse.Reason
	}{
		{crawl.Decision{Fresh: true, State: dowse.Waiting}, linkQueued, ""},
		{crawl.Decision{State: dowse.Waiting}, linkSeen, ""},
		{crawl.Decision{State: dowse.Visited}, linkSeen, ""},
		{crawl.Decision{Fresh: true, State: dowse.Held}, linkHeld, ""},
		{crawl.Decision{State: dowse.Held}, linkSeen, ""},
		{crawl.Decision{Reason: dowse.SkipDupURL}, linkSeen, ""},
		{crawl.Decision{Fresh: true, Reason: dowse.SkipRobotsTxt, State: dowse.Excluded}, linkSkipped, dowse.SkipRobotsTxt},
		{crawl.Decision{Fresh: true, State: dowse.Excluded}, linkSkipped, dowse.SkipScoreLow},
	} {
		if got, why := fate(&c.decision); got != c.fate || why != c.reason {
			t.Errorf("%+v: %s %s, want %s %s", c.decision, got, why, c.fate, c.reason)
		}
		e.Links = append(e.Links, c.decision)
	}
	n := tally(e)
	skipped := 0
	for _, k := range n.Skipped {
		skipped += k
	}
	if n.Found != len(e.Links) || n.Queued != 1 || n.Seen != 4 || n.Held != 1 || skipped != 2 || n.Queued+n.Seen+n.Held+skipped != n.Found {
		t.Errorf("%+v", n)
	}
}

// The way to a page has the texts of all links to it on the page that led there, each once.
func TestViaOf(t *testing.T) {
	link := dowse.Link{Mention: dowse.Mention{Anchor: "reefs"}, More: []dowse.Mention{{Anchor: ""}, {Anchor: "more"}, {Anchor: "reefs"}}}
	e := &crawl.Entry{Page: &dowse.Page{Verdict: dowse.Verdict{Relevance: 0.5}}, Found: []dowse.Link{{}, link}}
	if v := ViaOf(e, 1, "http://a.test/"); strings.Join(v.Anchors, " ") != "reefs more" || v.Parent != "http://a.test/" || v.Relevance != 0.5 {
		t.Errorf("%+v", v)
	}
	if v := ViaOf(e, 0, "http://a.test/"); len(v.Anchors) != 0 {
		t.Errorf("a link without words: %+v", v)
	}
}

// A robots.txt in one word.
func TestStatesOfRobots(t *testing.T) {
	robots := func(status int, body string) *dowse.Robots {
		return &dowse.Robots{Status: status, Body: []byte(body), Rules: fetch.ParseRobots([]byte(body), status, "poolbot").Rules}
	}
	for _, c := range []struct {
		name   string
		robots *dowse.Robots
		want   string
	}{
		{"not asked", nil, RobotsNotRead}, {"no answer", robots(0, ""), RobotsUnread}, {"server error", robots(503, ""), RobotsUnread}, {"too many requests", robots(429, ""), RobotsUnread},
		{"not found", robots(404, ""), robotsAllow}, {"forbidden", robots(403, ""), robotsAllow}, {"empty", robots(200, ""), robotsAllow},
		{"a rule", robots(200, "User-agent: *\nDisallow: /x\n"), robotsRules}, {"everything", robots(200, "User-agent: *\nDisallow: /\n"), robotsClosed},
		{"everything but the home page", robots(200, "User-agent: *\nDisallow: /\nAllow: /$\n"), robotsRules},
		{"others", robots(200, "User-agent: other\nDisallow: /\n"), robotsRules}, {"an empty rule", robots(200, "User-agent: *\nDisallow:\n# Disallow: /x\n"), robotsAllow},
	} {
		if got := robotsState("a.test", c.robots); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The state of a host: what the settings block comes first, then what the host does.
func TestStatesOfHosts(t *testing.T) {
	c := &Collection{Settings: Settings{Settings: settings.Settings{Scope: settings.Scope{Block: []string{"Blocked.test"}}}}}
	for _, x := range []struct {
		status crawl.HostStatus
		want   string
	}{
		{crawl.HostStatus{Name: "a.test"}, HostOK}, {crawl.HostStatus{Name: "blocked.test", Down: true}, HostBlocked}, {crawl.HostStatus{Name: "www.blocked.test"}, HostOK},
		{crawl.HostStatus{Name: "a.test", Down: true, BackOffs: 2, Why: dowse.FailTimeout}, hostDown}, {crawl.HostStatus{Name: "a.test", BackOffs: 1, Why: dowse.FailConnect}, HostBackingOff},
	} {
		row := c.hostRow(x.status)
		if row.State != x.want || (row.State == hostDown || row.State == HostBackingOff) && row.Why != x.status.Why {
			t.Errorf("%+v: %s %s, want %s", x.status, row.State, row.Why, x.want)
		}
	}
	if row := c.hostRow(crawl.HostStatus{Fetched: 4, OnTopic: 1}); row.Share != 0.25 {
		t.Errorf("share %g", row.Share)
	}
	if row := c.hostRow(crawl.HostStatus{OnTopic: 1}); row.Share != 0 {
		t.Errorf("share %g without pages", row.Share)
	}
}

// A replay may differ from the state by rounding alone.
func TestSamePriorities(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want bool
	}{{1, 1, true}, {0, 0, true}, {1, 1 + 1e-12, true}, {1, 1.0001, false}, {math.NaN(), math.NaN(), true}, {math.NaN(), 1, false}, {math.Inf(1), math.Inf(1), true}, {math.Inf(1), math.Inf(-1), false}, {math.Inf(1), 5, false}, {1e-20, 2e-20, false}, {-1, 1, false}} {
		if same(c.a, c.b) != c.want || same(c.b, c.a) != c.want {
			t.Errorf("%g and %g: %v, want %v", c.a, c.b, !c.want, c.want)
		}
	}
	for written, want := range map[string]bool{"http://a.test/x": true, "HTTP://A.test:80/x": true, "http://a.test/y": false, "not a URL": false, "": false} {
		if sameURL(written, "http://a.test/x") != want {
			t.Errorf("%q is http://a.test/x: %v, want %v", written, !want, want)
		}
	}
}

// The suffix of a file selects the format and the compression; longer suffixes come first.
func TestFormatsBySuffix(t *testing.T) {
	for name, want := range map[string]string{
		"a.jsonl": "jsonl", "a.JSONL.GZ": "jsonl.gz", "a.csv.zst": "csv.zst", "jsonl": "jsonl", "a.warc.gz": "warc.gz", "a.decisions.jsonl": "decisions.jsonl", "a.sites.csv.gz": "sites.csv.gz",
		"sites.csv": "sites.csv", "mysites.csv": "csv", "a.wacz": "wacz", "a.svg": "svg", "a.graphml.gz": "graphml.gz",
		"a.txt": "", "a": "", "": "", "a.wacz.gz": "", "a.svg.zst": "", "a.warc": "", "jsonl.txt": "",
	} {
		f, pack, err := formatOf(name)
		if got := f.suffix + pack; got != want || (want == "") != errors.Is(err, ErrSuffix) {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), ".decisions.jsonl(.gz, .zst)") {
			t.Errorf("%q: %v, want the list of formats", name, err)
		}
	}
	for _, f := range ExportFormats() {
		if f.About == "" || !strings.HasPrefix(f.Suffix, ".") {
			t.Errorf("%+v", f)
		}
	}
}

// What is packed is whole when it is unpacked, and an error of the writer comes through.
func TestPacked(t *testing.T) {
	text := strings.Repeat("tide pools ", 1000)
	for pack, unpack := range map[string]func(io.Reader) (io.Reader, error){
		"":     func(r io.Reader) (io.Reader, error) { return r, nil },
		".gz":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		".zst": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		var b bytes.Buffer
		err := packed(&b, pack, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if err != nil {
			t.Fatal(err)
		}
		if pack != "" && b.Len() > len(text)/5 {
			t.Errorf("%q: %d bytes", pack, b.Len())
		}
		r, err := unpack(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%q: %d bytes, %v", pack, len(got), err)
		}
		broken := errors.New("broken")
		if err := packed(&b, pack, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("%q: %v, want the error of the writer", pack, err)
		}
	}
	var out bytes.Buffer
	if err := toStdout(&out, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil || out.String() != text {
		t.Errorf("to a stream: %d bytes, %v", out.Len(), err)
	}
}

// Cells of a table: texts without their quotes, numbers as they are, nothing for null, and no
// text that a spreadsheet would compute.
func TestCells(t *testing.T) {
	for raw, want := range map[string]string{
		`"a"`: "a", `"a\"b\n"`: "a\"b\n", `5`: "5", `-5`: "-5", `0.25`: "0.25", `true`: "true", `null`: "", ``: "", `{"a":1}`: `{"a":1}`,
		`"=1+1"`: "'=1+1", `"+1"`: "'+1", `"-1"`: "'-1", `"@x"`: "'@x", `"\tx"`: "'\tx", `"\rx"`: "'\rx", `"a=b"`: "a=b", `""`: "",
	} {
		if got := cell([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	if _, err := fieldsOf("jsonl", ExportOptions{Fields: []string{"url", "colour"}}); err == nil || !strings.Contains(err.Error(), `no field is called "colour"`) {
		t.Errorf("an unknown field: %v", err)
	}
	for _, c := range []struct {
		format string
		opt    ExportOptions
		want   string
	}{
		{"jsonl", ExportOptions{}, ""}, {"jsonl", ExportOptions{Fields: []string{"url"}, Text: "all"}, "url text"}, {"jsonl", ExportOptions{Text: "all"}, ""},
		{"csv", ExportOptions{}, strings.Join(csvFields, " ")}, {"csv", ExportOptions{Fields: []string{"text", "url"}, Text: "all"}, "text url"}, {"wacz", ExportOptions{Fields: []string{"colour"}}, ""},
	} {
		if got, err := fieldsOf(c.format, c.opt); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s %+v: %v, %v, want %s", c.format, c.opt, got, err, c.want)
		}
	}
}

// A reason matches itself and what is below it, never a longer word.
func TestReasonMatches(t *testing.T) {
	for _, c := range []struct {
		reason dowse.Reason
		want   string
		match  bool
	}{{"scope.host", "scope", true}, {"scope.host", "scope.host", true}, {"scope.hosts", "scope.host", false}, {"scope", "scope.host", false}, {"", "scope", false}, {"trap.farm", AnyReason, true}, {"scopes", "scope", false}} {
		if reasonMatches(c.reason, c.want) != c.match {
			t.Errorf("%q for %q: %v, want %v", c.reason, c.want, !c.match, c.match)
		}
	}
	for relevance, want := range map[float64]bool{0.5: true, 0.36: true, 0.34: false, 0.66: false, 0.64: true} {
		if Unsure(relevance, 0.5) != want {
			t.Errorf("%g is unsure: %v, want %v", relevance, !want, want)
		}
	}
}

// The n best of a list, in order; of equals the first comes first. With a limit only that many
// are held.
func TestBest(t *testing.T) {
	keys := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, math.Inf(1), -1}
	for _, n := range []int{0, 1, 3, 5, 100} {
		b := &best{n: n}
		for i, k := range keys {
			b.add(ranked{ref{id: frontier.ID(i)}, k})
			if n > 0 && b.Len() > n {
				t.Fatalf("%d are held, want at most %d", b.Len(), n)
			}
		}
		all := &best{}
		for i, k := range keys {
			all.add(ranked{ref{id: frontier.ID(i)}, k})
		}
		for _, l := range []*best{b, all} {
			sortRanked(l.list)
		}
		want := len(keys)
		if n > 0 {
			want = min(n, want)
		}
		if len(b.list) != want {
			t.Fatalf("%d of %d", len(b.list), want)
		}
		for i := range b.list {
			if b.list[i].id != all.list[i].id {
				t.Errorf("limit %d, place %d: number %d, want %d", n, i, b.list[i].id, all.list[i].id)
			}
		}
	}
}

func sortRanked(list []ranked) {
	for i := range list {
		for k := i + 1; k < len(list); k++ {
			if list[k].compare(list[i]) < 0 {
				list[i], list[k] = list[k], list[i]
			}
		}
	}
}
