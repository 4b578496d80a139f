package trace_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"dowse"
	"dowse/internal/shareddata"
	"dowse/internal/trace"
	"dowse/strategy/input"
)

var _ input.Trace = (*trace.Log)(nil)

var salt = []byte("12 random bytes")

func read(t testing.TB, log string, o trace.Options) (*trace.Log, trace.Report) {
	t.Helper()
	o.Salt = salt
	l, r, err := trace.Read(strings.NewReader(log), o)
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

// paths writes a log down: who went where, sessions apart.
func paths(l *trace.Log) (list []string) {
	for u := range uint32(l.Users()) {
		var way []string
		for _, p := range l.Path(u) {
			way = append(way, string(l.URL(p)))
		}
		list = append(list, strings.Join(way, " "))
	}
	return list
}

func TestFormats(t *testing.T) {
	const base = dowse.URL("http://s.test/")
	for name, c := range map[string]struct {
		log   string
		base  dowse.URL
		want  []string
		other int
		flaws []string
	}{
		"squid": {
			log: `1157689320.327   2864 10.1.1.1 TCP_MISS/200 10182 GET http://a.test/ anna DIRECT/1.2.3.4 text/html
1157689321.327   2864 10.1.1.1 TCP_MISS/200 10182 GET http://A.test/b?utm_source=x#top anna DIRECT/1.2.3.4 text/html;charset=utf-8
1157689322.327   2864 10.1.1.1 TCP_MISS/200 10182 GET http://a.test/c otto DIRECT/1.2.3.4 TEXT/HTML
1157689322.400   2864 10.1.1.1 TCP_HIT/200 99 GET http://a.test/c.css otto NONE/- text/css
1157689322.400   2864 10.1.1.1 TCP_MISS/404 99 GET http://a.test/d otto DIRECT/1.2.3.4 text/html
1157689322.400   2864 10.1.1.1 TCP_MISS/200 99 POST http://a.test/d otto DIRECT/1.2.3.4 text/html
1157689322.400   2864 10.1.1.1 TCP_MISS/200 99 CONNECT a.test:443 otto DIRECT/1.2.3.4 -
1157689322.400   2864 10.1.1.1 TCP_MISS
yesterday   2864 10.1.1.1 TCP_MISS/200 99 GET http://a.test/d otto DIRECT/1.2.3.4 text/html
1157689322.400   2864 10.1.1.1 TCP_MISS/OK 99 GET http://a.test/d otto DIRECT/1.2.3.4 text/html
1157689322.400   2864 10.1.1.1 TCP_MISS/200 99 GET ftp://a.test/d otto DIRECT/1.2.3.4 text/html
`,
			want:  []string{"http://a.test/ http://a.test/b", "http://a.test/c"},
			other: 4,
			flaws: []string{"line 8: fewer than 10 fields", "line 9: no time", "line 10: no status", "line 11: the scheme is not http or https"},
		},
		"common and combined": {
			base: base,
			log: `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 203023
1.1.1.1 - - [17/May/2015:10:05:01 +0000] "GET /b.html?q=\"x\" HTTP/1.1" 200 203023 "http://r.test/" "agent \"x\""
2.2.2.2 - eve [17/May/2015:12:05:03 +0200] "GET http://other.test/x.php HTTP/1.0" 200 - "-" "-"
2.2.2.2 - eve [17/May/2015:12:05:03 +0200] "GET /x.png HTTP/1.0" 200 - "-" "-"
2.2.2.2 - eve [17/May/2015:12:05:03 +0200] "HEAD /x HTTP/1.0" 200 - "-" "-"
2.2.2.2 - eve [17/May/2015:12:05:03 +0200] "\x16\x03" 400 - "-" "-"
2.2.2.2 - eve [32/May/2015:12:05:03 +0200] "GET /x HTTP/1.0" 200 - "-" "-"
2.2.2.2 - eve [17/May/2015:12:05:03 +0200] "GET /x
2.2.2.2 - eve [17/May/2015:12:05:03 +0200] "GET /x" OK 1
`,
			want:  []string{"http://s.test/b.html?q=\\%22x\\%22 http://s.test/a", "http://other.test/x.php"},
			other: 3,
			flaws: []string{"line 7: no time", "line 8: no request", "line 9: no status"},
		},
		"a server's log without its site": {
			log:   `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 203023`,
			flaws: []string{"line 1: path without a host: give the site of the log"},
		},
		"jsonl": {
			log: `{"user":"anna","time":1157689320,"url":"http://a.test/2"}
# a comment

{"user":"anna","time":"2006-09-08T04:00:00Z","url":"http://a.test/1"}
{"user":17,"url":"http://a.test/3"}
{"user":17,"time":12.5,"url":"http://a.test/4","more":[]}
{"user":{},"url":"http://a.test/3"}
{"user":"x"}
{"user":"x","time":"noon","url":"http://a.test/3"}
{"user":"x","url":"a"}
[]
`,
			want:  []string{"http://a.test/1 http://a.test/2", "http://a.test/3 http://a.test/4"},
			flaws: []string{"line 7: no user", "line 8: no url", "line 9: no time that can be read", "line 10: no scheme such as https://", "line 11: no JSON object with user, time and url"},
		},
		"paths": {
			base: base,
			log:  "# games\nanna\t1297054935\t166\tA;B;<;C\t3\notto\t1297054999\tB;http://[;C\n<\nx\tnoon\tA\ny\t1\t<;A\n",
			want: []string{
				"http://s.test/A http://s.test/B http://s.test/A http://s.test/C", "http://s.test/B http://s.test/C", "http://s.test/A",
			},
			flaws: []string{"line 3: no valid host", "line 4: fewer than 3 fields", "line 5: no time", "line 6: a step back from the first page"},
		},
		"nothing known": {log: "Dear diary,\n1\n", flaws: []string{"line 1: no known format", "line 2: no known format"}},
		"nothing":       {},
	} {
		t.Run(name, func(t *testing.T) {
			l, r := read(t, c.log, trace.Options{Base: c.base})
			if got := paths(l); !slices.Equal(got, c.want) {
				t.Errorf("paths\n %q, want\n %q", got, c.want)
			}
			var flaws []string
			for _, f := range r.Flawed {
				flaws = append(flaws, f.String())
			}
			if !slices.Equal(flaws, c.flaws) || r.Broken != len(flaws) || r.Other != c.other {
				t.Errorf("flaws %q of %d, want %q; %d others, want %d", flaws, r.Broken, c.flaws, r.Other, c.other)
			}
		})
	}
}

// TestPeopleAreHashed checks that names stay out, and that keys depend on the salt.
func TestPeopleAreHashed(t *testing.T) {
	const log = `{"user":"anna","url":"http://a.test/"}`
	l, _ := read(t, log, trace.Options{})
	if key := l.Key(0); strings.Contains(key, "anna") || len(key) != 16 {
		t.Errorf("key %q", key)
	}
	again, _ := read(t, log+"\n"+`{"user":"otto","url":"http://a.test/"}`, trace.Options{})
	if again.Key(0) != l.Key(0) || again.Key(1) == l.Key(0) {
		t.Error("keys are not distinct, or differ between logs with one salt")
	}
	other, _, err := trace.Read(strings.NewReader(log), trace.Options{Salt: []byte("another salt")})
	if err != nil || other.Key(0) == l.Key(0) {
		t.Errorf("another salt gives the same key (%v)", err)
	}
	if _, _, err := trace.Read(strings.NewReader(log), trace.Options{}); !errors.Is(err, trace.ErrNoSalt) {
		t.Errorf("without a salt: %v", err)
	}
	if dump := fmt.Sprintf("%+v", *l); strings.Contains(dump, "anna") {
		t.Error("the log holds a name")
	}
}

func TestIndexes(t *testing.T) {
	b, err := trace.New(trace.Options{Salt: salt})
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, a := range []struct {
		user string
		at   int // minutes
		url  dowse.URL
	}{{"u", 0, "a"}, {"v", 1, "c"}, {"u", 1, "b"}, {"u", 2, "c"}, {"u", 3, "c"}, {"u", 35, "d"}, {"v", 2, "a"}, {"u", 34, "e"}, {"w", 5, "c"}} {
		b.Add(trace.Access{User: a.user, Time: noon.Add(time.Duration(a.at) * time.Minute), URL: a.url})
	}
	l := b.Log()
	if got, want := paths(l), []string{"a b c c e d", "c a", "c"}; !slices.Equal(got, want) {
		t.Errorf("paths %v, want %v", got, want)
	}
	c, _ := l.Page("c")
	if got := l.Visitors(c); !slices.Equal(got, []uint32{0, 1, 2}) || l.Visits(c) != 4 {
		t.Errorf("visitors %v and %d visits of c", got, l.Visits(c))
	}
	if _, ok := l.Page("z"); ok {
		t.Error("page z was found, which was never visited")
	}
	for _, c := range []struct {
		most, n int
		want    string
	}{{9, 1, "a b"}, {9, 2, "a b"}, {1, 2, "a b"}, {9, 9, "a b"}, {0, 9, ""}} {
		if got := around(l, "c", c.most, c.n); got != c.want {
			t.Errorf("%d around c, of %d people: %s, want %s", c.n, c.most, got, c.want)
		}
	}
	if got := around(l, "e", 9, 9); got != "d" {
		t.Errorf("around e: %s; a pause of 30 minutes ends a session", got)
	}
	if l.Sessions() != 4 || l.Accesses() != 9 {
		t.Errorf("%d sessions and %d accesses", l.Sessions(), l.Accesses())
	}
}

func around(l *trace.Log, u dowse.URL, most, n int) string {
	page, _ := l.Page(u)
	var got []string
	for _, p := range l.Around(nil, page, most, n) {
		got = append(got, string(l.URL(p)))
	}
	slices.Sort(got)
	return strings.Join(slices.Compact(got), " ")
}

func TestLimits(t *testing.T) {
	long := `{"user":"x","url":"http://a.test/` + strings.Repeat("a", 1<<17) + `"}`
	line := `{"user":"x","url":"http://a.test/"}`
	l, r := read(t, long+"\n"+line+"\n"+line+"\n"+line, trace.Options{Most: 2})
	if r.Lines != 4 || r.Kept != 2 || r.Beyond != 1 || r.Broken != 1 || l.Accesses() != 2 {
		t.Errorf("report %+v", r)
	}
	if _, r = read(t, strings.Repeat("{\n", 1000), trace.Options{}); r.Broken != 1000 || len(r.Flawed) != 20 {
		t.Errorf("%d broken, %d shown", r.Broken, len(r.Flawed))
	}
	if _, r = read(t, long, trace.Options{}); r.Broken != 1 || r.Lines != 1 {
		t.Errorf("one long line: %+v", r)
	}
}

func TestReaderFails(t *testing.T) {
	line := `{"user":"x","url":"http://a.test/"}` + "\n"
	broken := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(line)))
	if _, _, err := trace.Read(broken, trace.Options{Salt: salt}); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error %v", err)
	}
	l, r, err := trace.Read(io.MultiReader(strings.NewReader(line+line), iotest.ErrReader(io.ErrUnexpectedEOF)), trace.Options{Salt: salt})
	if !errors.Is(err, io.ErrUnexpectedEOF) || r.Kept != 2 || l.Accesses() != 2 {
		t.Errorf("a log that breaks off: %v, %+v", err, r)
	}
	if _, _, err := trace.Read(strings.NewReader("\x1f\x8bnot gzip"), trace.Options{Salt: salt}); err == nil {
		t.Error("broken gzip was read")
	}
}

func sample(t testing.TB, path string) *os.File {
	t.Helper()
	f, err := os.Open(shareddata.Path(t, path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		path                      string
		base                      dowse.URL
		format                    trace.Format
		lines, kept, users, pages int
	}{
		{"data/squid-sample.log", "", trace.Squid, 100, 13, 3, 10},
		{"data/combined-sample.log", "http://semicomplete.com/", trace.Common, 2000, 864, 291, 330},
		{"webs/wikispeedia.squid.log.gz", "", trace.Squid, 129295, 129295, 11485, 4061},
	} {
		t.Run(c.path, func(t *testing.T) {
			l, r, err := trace.Read(sample(t, c.path), trace.Options{Salt: salt, Base: c.base})
			if err != nil {
				t.Fatal(err)
			}
			if r.Format != c.format || r.Lines != c.lines || r.Kept != c.kept || l.Users() != c.users || l.Pages() != c.pages || r.Broken != 0 {
				t.Errorf("%s as %s: %v; %d users, %d pages; want %+v", c.path, r.Format, r, l.Users(), l.Pages(), c)
			}
		})
	}
}

// endless generates a log of the given number of lines, which is never in memory as a whole.
type endless struct {
	lines, n int
	rest     []byte
}

func (e *endless) Read(p []byte) (int, error) {
	for len(e.rest) < len(p) && e.n < e.lines {
		e.n++
		if e.n%50 == 0 {
			e.rest = append(e.rest, "garbage\n"...)
			continue
		}
		e.rest = fmt.Appendf(e.rest, "%d.000 1 10.0.%d.%d TCP_MISS/200 1 GET http://h%d.test/page/%d - DIRECT/- text/html\n", 1e9+e.n, e.n%97, e.n%251, e.n%50, e.n%20000)
	}
	if len(e.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, e.rest)
	e.rest = append(e.rest[:0], e.rest[n:]...)
	return n, nil
}

// TestMillionLines checks that memory is a matter of what is kept.
func TestMillionLines(t *testing.T) {
	lines := 1_000_000
	if testing.Short() {
		lines = 100_000
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l, r, err := trace.Read(&endless{lines: lines}, trace.Options{Salt: salt})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if r.Kept != lines/50*49 || r.Broken != lines/50 {
		t.Errorf("report %v", r)
	}
	held := float64(after.HeapAlloc-before.HeapAlloc) / float64(l.Accesses())
	t.Logf("%v; %.1f bytes held for each access", r, held)
	if most := 12.0 + 4e6/float64(lines); held > most+4 {
		t.Errorf("%.1f bytes for each access, want at most %.1f", held, most)
	}
	runtime.KeepAlive(l)
}

func BenchmarkReadSquid(b *testing.B) {
	z, err := gzip.NewReader(sample(b, "webs/wikispeedia.squid.log.gz"))
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	lines := 0
	for b.Loop() {
		_, r, _ := trace.Read(bytes.NewReader(data), trace.Options{Salt: salt})
		lines += r.Lines
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lines), "ns/line")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("1157689320.327 2864 10.1.1.1 TCP_MISS/200 10182 GET http://a.test/ anna DIRECT/1.2.3.4 text/html\n"), "")
	f.Add([]byte("1.1.1.1 - - [17/May/2015:10:05:03 +0000] \"GET /a\\\" HTTP/1.1\" 200 1 \"-\" \"-\"\n"), "common")
	f.Add([]byte("{\"user\":1,\"time\":\"2006-09-08T04:00:00Z\",\"url\":\"http://a.test/1\"}\n"), "jsonl")
	f.Add([]byte("a\t1\tA;B;<;<;<;C\nb\t-1\t\tA\n"), "paths")
	f.Fuzz(func(t *testing.T, data []byte, format string) {
		l, r, err := trace.Read(strings.NewReader(string(data)), trace.Options{Salt: salt, Base: "http://s.test/", Format: trace.Format(format)})
		if err != nil && len(data) > 1 && data[0] != 0x1f {
			t.Fatalf("an error for a line: %v", err)
		}
		if l.Accesses() != r.Kept {
			t.Fatalf("%d accesses, %d kept", l.Accesses(), r.Kept)
		}
		total := 0
		for p := range uint32(l.Pages()) {
			total += l.Visits(p)
			if got, ok := l.Page(l.URL(p)); !ok || got != p {
				t.Fatalf("%q is not found again", l.URL(p))
			}
			for _, q := range l.Around(nil, p, 5, 3) {
				if int(q) >= l.Pages() || q == p {
					t.Fatalf("%d is around %d", q, p)
				}
			}
			for _, u := range l.Visitors(p) {
				if !slices.Contains(l.Path(u), p) {
					t.Fatalf("user %d did not go to %d", u, p)
				}
			}
		}
		if total != r.Kept {
			t.Fatalf("%d visits, %d kept", total, r.Kept)
		}
	})
}

func ExampleRead() {
	log := `1297089001.0 120 10.43.1.95 TCP_MISS/200 90 GET http://s.test/Malawi.htm anna DIRECT/- text/html
1297089007.0 120 10.43.1.95 TCP_MISS/200 43 GET http://s.test/Democracy.htm anna DIRECT/- text/html
1297089008.0 120 10.43.1.95 TCP_MISS/200 43 GET http://s.test/style.css anna DIRECT/- text/css
1297089009.0 120 10.4`
	l, report, err := trace.Read(strings.NewReader(log), trace.Options{Salt: []byte("drawn at random, once")})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(report)
	page, _ := l.Page("http://s.test/Malawi.htm")
	for _, p := range l.Around(nil, page, 50, 5) {
		fmt.Println("near Malawi:", l.URL(p))
	}
	// Output:
	// 4 lines: 2 accesses kept, 1 lines of other kinds, 1 broken (first: line 4: fewer than 10 fields)
	// near Malawi: http://s.test/Democracy.htm
}

// TestParted reads one half of a log by time: accesses without a time are asked for with
// the zero one.
func TestParted(t *testing.T) {
	const log = "{\"user\":\"a\",\"time\":\"2020-01-01T00:00:00Z\",\"url\":\"http://x.test/1\"}\n" +
		"{\"user\":\"a\",\"time\":\"2020-06-01T00:00:00Z\",\"url\":\"http://x.test/2\"}\n"
	middle := time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC)
	for late, want := range map[bool]string{false: "http://x.test/1", true: "http://x.test/2"} {
		l, report, err := trace.Read(strings.NewReader(log), trace.Options{Salt: []byte("12345678"), Keep: func(at time.Time) bool { return at.After(middle) == late }})
		if err != nil {
			t.Fatal(err)
		}
		if l.Accesses() != 1 || string(l.URL(0)) != want || report.Kept != 1 || report.Outside != 1 || report.Other != 0 {
			t.Errorf("late %v: %d accesses, report %v", late, l.Accesses(), report)
		}
	}
	b, err := trace.New(trace.Options{Salt: []byte("12345678"), Keep: func(at time.Time) bool { return !at.IsZero() }})
	if err != nil {
		t.Fatal(err)
	}
	if !b.Add(trace.Access{User: "a", URL: "http://x.test/"}) || b.Log().Accesses() != 0 {
		t.Error("an access without a time was kept")
	}
}
