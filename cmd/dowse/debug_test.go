package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"dowse/internal/shareddata"
)

// debugAnswers has a debug command answer cases.
func debugAnswers(t testing.TB, command string, in io.Reader) []map[string]any {
	t.Helper()
	var out, errs bytes.Buffer
	w := &world{out: &out, err: &errs, in: in, env: noEnv, ctx: context.Background(), abort: context.Background()}
	if code := run(w, []string{"debug", command}); code != exitOK || errs.Len() > 0 {
		t.Fatalf("code %d, stderr %q", code, errs.String())
	}
	var list []map[string]any
	for dec := json.NewDecoder(&out); dec.More(); {
		var a map[string]any
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

func TestDebugAnswers(t *testing.T) {
	tests := []struct{ command, in, want string }{
		{"robots", `{"robots":"User-agent: *\nDisallow: /x","agent":"reefbot","url":"https://example.org/x/y"}`, `{"allowed":false}`},
		{"robots", `{"robots_hex":"757365722d6167656e743a202a0a646973616c6c6f773a202f","agent_hex":"61","url_hex":"687474703a2f2f612f"}`, `{"allowed":false}`},
		{"robots", `{"robots_hex":"","agent_hex":"61","url_hex":"687474703a2f2f612f"}`, `{"allowed":true}`},
		{"robots", `{"robots_hex":"7","agent_hex":"","url_hex":""}`, `{"error":"encoding/hex: odd length hex string"}`},
		{"url", `{"input":"../b?<&>","base":"http://a.example/x/y"}`, `{"href":"http://a.example/b?%3C&%3E"}`},
		{"url", `{"input":"../b","base":null}`, `{"failure":true}`},
		{"url", `{"input":"mailto:a&b"}`, `{"href":"mailto:a&b"}`},
		{"canon", `{"url":"HTTP://EXAMPLE.org:80/a/../b?utm_source=x#c"}`, `{"canon":"http://example.org/b"}`},
		{"canon", `{"url":"mailto:x"}`, `{"error":"weburl: parse \"mailto:x\": the scheme is not http or https"}`},
		{"html", `{"html":"<title>t</title><p>some <a href=b>words</a> <a href=''>self</a>","base":"http://a.example/x/"}`, `{"links":["http://a.example/x/b","http://a.example/x/"],"text":"some words self","title":"t"}`},
		{"html", `{"html":"nothing"}`, `{"links":[],"text":"nothing","title":""}`},
		{"charset", `{"bytes_hex":"e4","content_type":"text/html; charset=latin1"}`, `{"charset":"windows-1252"}`},
		{"charset", `{"bytes_hex":"c3a4"}`, `{"charset":"utf-8"}`},
		{"stem", `{"lang":"porter","word":"Bleaching"}`, `{"stem":"bleach"}`},
		{"stem", `{"lang":"martian","word":"x"}`, `{"error":"unknown language or stemmer \"martian\""}`},
		{"net", `{"ip":"10.0.0.1"}`, `{"public":false}`},
		{"net", `{"ip":"9.9.9.9"}`, `{"public":true}`},
		{"net", `{"ip":"nine"}`, `{"error":"ParseAddr(\"nine\"): unable to parse IP"}`},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		w := &world{out: &out, err: io.Discard, in: strings.NewReader(tt.in), env: noEnv, ctx: context.Background(), abort: context.Background()}
		if code := run(w, []string{"debug", tt.command}); code != exitOK || out.String() != tt.want+"\n" {
			t.Errorf("debug %s: %s\n got %q (code %d)\nwant %q", tt.command, tt.in, out.String(), code, tt.want)
		}
	}
}

// A line that makes no sense costs its own answer and no other.
func TestDebugGoesOnAfterBrokenLines(t *testing.T) {
	in := `{"ip":"9.9.9.9"}` + "\n{\n\n[]\n" + `{"ip":"10.0.0.1"}` // the last without an end
	got := debugAnswers(t, "net", strings.NewReader(in))
	if len(got) != 4 || got[0]["public"] != true || got[1]["error"] == nil || got[2]["error"] == nil || got[3]["public"] != false {
		t.Errorf("answers %v", got)
	}
}

func TestReadLine(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("abc\n"+strings.Repeat("x", 100)+"\ndef\n\n"+strings.Repeat("y", 100)), 16)
	want := []struct {
		line string
		err  error
	}{{"abc\n", nil}, {"", errLongLine}, {"def\n", nil}, {"\n", nil}, {"", errLongLine}, {"", io.EOF}}
	for i, tt := range want {
		line, err := readLine(in, 50)
		if string(line) != tt.line || err != tt.err {
			t.Fatalf("line %d: %q, %v; want %q, %v", i, line, err, tt.line, tt.err)
		}
	}
}

// Each case is answered before the next is read.
func TestDebugAnswersAtOnce(t *testing.T) {
	in, cases := io.Pipe()
	answers, out := io.Pipe()
	w := &world{out: out, err: io.Discard, in: in, env: noEnv, ctx: context.Background(), abort: context.Background()}
	done := make(chan int, 1)
	go func() { done <- run(w, []string{"debug", "net"}) }()
	lines := bufio.NewScanner(answers)
	for range 3 {
		if _, err := io.WriteString(cases, `{"ip":"9.9.9.9"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || lines.Text() != `{"public":true}` {
			t.Fatalf("answer %q", lines.Text())
		}
	}
	cases.Close()
	if code := <-done; code != exitOK {
		t.Errorf("code %d", code)
	}
}

func FuzzDebugLines(f *testing.F) {
	for _, s := range []string{`{"html":"<a href=x>","base":"http://a/"}`, "{", "", `{"url":"http://[::1"}`, `{"robots_hex":"00","url_hex":"ff"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		want := 0
		for line := range strings.Lines(in) {
			if strings.TrimSpace(line) != "" {
				want++
			}
		}
		for _, command := range []interface{ Run(*world) error }{
			debugRobotsCmd{}, debugURLCmd{}, debugCanonCmd{}, debugHTMLCmd{}, debugCharsetCmd{}, debugStemCmd{}, debugNetCmd{},
		} {
			var out bytes.Buffer
			err := command.Run(&world{out: &out, in: strings.NewReader(in), ctx: context.Background()})
			if got := strings.Count(out.String(), "\n"); err != nil || got != want {
				t.Errorf("%T: %d answers to %d lines, %v", command, got, want, err)
			}
		}
	})
}

// suite reads a file of the conformance suites, which live next to the checkout.
func suite(t *testing.T, name string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	return shareddata.Read(t, "suites", name)
}

// conform feeds the cases of a suite to a debug command and counts the answers that
// are as they should be.
func conform(t *testing.T, command string, cases []any, right func(i int, answer map[string]any) bool) (good int) {
	t.Helper()
	var in bytes.Buffer
	for _, c := range cases {
		if err := jsonLine(&in, c); err != nil {
			t.Fatal(err)
		}
	}
	answers := debugAnswers(t, command, &in)
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d cases", len(answers), len(cases))
	}
	for i, a := range answers {
		if right(i, a) {
			good++
		}
	}
	t.Logf("debug %s: %d of %d", command, good, len(cases))
	return good
}

func jsonCases(t *testing.T, data []byte) (cases []map[string]any, raw []any) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var c map[string]any
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cases, raw = append(cases, c), append(raw, c)
	}
	return cases, raw
}

// Of Google's cases one contradicts RFC 9309, which takes %62%61%7A and baz as equal.
func TestDebugRobotsConforms(t *testing.T) {
	cases, raw := jsonCases(t, suite(t, "robots/google.jsonl"))
	if good := conform(t, "robots", raw, func(i int, a map[string]any) bool { return a["allowed"] == cases[i]["allowed"] }); good < 144 {
		t.Errorf("%d of %d, want 144", good, len(cases))
	}
}

func TestDebugNetConforms(t *testing.T) {
	cases, raw := jsonCases(t, suite(t, "net/ip-public.jsonl"))
	const stricter = 12 // IPv6 outside 2000::/3, which the suite calls public
	if good := conform(t, "net", raw, func(i int, a map[string]any) bool { return a["public"] == cases[i]["public"] }); good != len(cases)-stricter {
		t.Errorf("%d of %d, want all but %d", good, len(cases), stricter)
	}
}

func TestDebugURLConforms(t *testing.T) {
	var all []any
	if err := json.Unmarshal(suite(t, "url/urltestdata.json"), &all); err != nil {
		t.Fatal(err)
	}
	var raw []any
	for _, c := range all {
		if _, comment := c.(string); !comment {
			raw = append(raw, c)
		}
	}
	good := conform(t, "url", raw, func(i int, a map[string]any) bool {
		c := raw[i].(map[string]any)
		return a["href"] == c["href"] && (a["failure"] == true) == (c["failure"] == true)
	})
	if good < 880 {
		t.Errorf("%d of %d, want 880", good, len(raw))
	}
}

// A label is put into the page's header, and the page is such that nothing speaks
// against it: what is not UTF-8, or has no zero bytes, is not believed to be so.
func TestDebugCharsetConforms(t *testing.T) {
	var labels [][2]string
	if err := json.Unmarshal(suite(t, "charset/encoding-labels.json"), &labels); err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{"UTF-8": "<p>\u00e4", "UTF-16LE": "<\x00p\x00>\x00", "UTF-16BE": "\x00<\x00p\x00>"}
	var raw []any
	for _, l := range labels {
		body, ok := bodies[l[1]]
		if !ok {
			body = "<p>"
		}
		raw = append(raw, map[string]string{"bytes_hex": hex.EncodeToString([]byte(body)), "content_type": "text/html; charset=" + l[0]})
	}
	good := conform(t, "charset", raw, func(i int, a map[string]any) bool {
		return strings.EqualFold(a["charset"].(string), labels[i][1])
	})
	if good != len(raw) {
		t.Errorf("%d of %d", good, len(raw))
	}
}

func TestDebugStemConforms(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(suite(t, "stem/porter.tsv.gz")))
	if err != nil {
		t.Fatal(err)
	}
	var raw []any
	var stems []string
	for lines := bufio.NewScanner(z); lines.Scan(); {
		word, stem, ok := strings.Cut(lines.Text(), "\t")
		if ok && len([]rune(word)) > 2 { // Porter 1980 leaves shorter words alone
			raw, stems = append(raw, map[string]string{"lang": "porter", "word": word}), append(stems, stem)
		}
	}
	if good := conform(t, "stem", raw, func(i int, a map[string]any) bool { return a["stem"] == stems[i] }); good != len(raw) {
		t.Errorf("%d of %d", good, len(raw))
	}
}
