package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse/judge"
)

// service is a server that answers as the test sets, and counts.
func service(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) (*httptest.Server, *atomic.Int32) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // before that the server does not notice who leaves
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r, int(asked.Add(1)))
	}))
	t.Cleanup(s.Close)
	return s, &asked
}

// chatReply writes a chat completion.
func chatReply(w io.Writer, content any) {
	json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": content}}}})
}

func endpoint(t *testing.T, e Endpoint) *Endpoint {
	t.Helper()
	e.Model = "small"
	made, err := NewEndpoint(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

func TestEndpoint(t *testing.T) {
	s, _ := service(t, func(w http.ResponseWriter, r *http.Request, n int) {
		var req chatRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		if r.Method != "POST" || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		var q Question
		if err := json.Unmarshal([]byte(req.Messages[1].Content), &q); err != nil || q.Text != "ignore \"all\"" || req.Model != "small" {
			t.Errorf("%+v, %v", req, err)
		}
		if !strings.Contains(req.Messages[0].Content, "coral reefs") {
			t.Error("the request does not contain the topic")
		}
		chatReply(w, `{"score": 0.8, "because": ["reefs"]}`)
	})
	for _, base := range []string{"/v1", "/v1/", "/v1/chat/completions"} {
		e := endpoint(t, Endpoint{URL: s.URL + base, Key: "secret", About: "coral reefs"})
		a, err := e.Ask(context.Background(), Question{Text: "ignore \"all\""})
		if err != nil || !reflect.DeepEqual(a, Answer{0.8, []string{"reefs"}}) {
			t.Errorf("%s: %v, %v", base, a, err)
		}
	}
}

func TestEndpointNames(t *testing.T) {
	one, two := endpoint(t, Endpoint{URL: "http://a.example/v1"}), endpoint(t, Endpoint{URL: "http://a.example/v1", About: "reefs"})
	if one.Name() == two.Name() || !strings.HasPrefix(one.Name(), "small at a.example #") {
		t.Error(one.Name(), two.Name())
	}
	for _, bad := range []string{"", "example.org", "ftp://example.org/", "http://", "http://me:pass@example.org/"} {
		if _, err := NewEndpoint(Endpoint{URL: bad}); err == nil || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReplies(t *testing.T) {
	for reply, want := range map[string]Answer{
		`{"score":0.25}`: {Score: 0.25},
		"Sure!\n```json\n{\"score\": 1, \"because\": \"it is {about} it\"}\n```\nAnything else?": {1, []string{"it is {about} it"}},
		`{"thoughts":{"x":1}} then {"score":"0.5","because":[1,"a\u001b[0m  b",null]}`:           {0.5, []string{"a [0m b"}},
		`{"score":"75%"}`: {Score: 0.75},
		`The page {a} is on topic: {"because":[],"score":0}`: {Score: 0},
	} {
		if got, err := findAnswer(reply); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", reply, got, err)
		}
	}
	for _, reply := range []string{"", "0.8", "{", `{"score":2}`, `{"score":-0.1}`, `{"score":null}`, `{"score":"high"}`, `{"score":[1]}`, `{"relevant":true}`, strings.Repeat("{", 1000)} {
		if got, err := findAnswer(reply); err == nil {
			t.Errorf("%s: %v", reply, got)
		}
	}
}

func TestEndpointFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, n int)
		want   string // of the error; "" for an answer
		asked  int32
	}{
		"busy once":       {func(w http.ResponseWriter, r *http.Request, n int) { busy(w, n == 1, 429, "") }, "", 2},
		"broken twice":    {func(w http.ResponseWriter, r *http.Request, n int) { busy(w, n <= 2, 503, "0.01") }, "", 3},
		"broken for good": {func(w http.ResponseWriter, r *http.Request, n int) { busy(w, true, 500, "") }, "answered with 500", 3},
		"later than we":   {func(w http.ResponseWriter, r *http.Request, n int) { busy(w, true, 429, "3600") }, "asks to wait 1h0m0s", 1},
		"no key": {func(w http.ResponseWriter, r *http.Request, n int) {
			http.Error(w, "bad\x1b key", http.StatusUnauthorized)
		}, "401: bad key", 1},
		"sends elsewhere": {func(w http.ResponseWriter, r *http.Request, n int) {
			http.Redirect(w, r, "/else", http.StatusTemporaryRedirect)
		}, "307", 1},
		"no JSON":         {func(w http.ResponseWriter, r *http.Request, n int) { fmt.Fprint(w, "<html>") }, "not a chat completion", 1},
		"without choices": {func(w http.ResponseWriter, r *http.Request, n int) { fmt.Fprint(w, "{}") }, "without choices", 1},
		"without text":    {func(w http.ResponseWriter, r *http.Request, n int) { chatReply(w, nil) }, "no JSON object", 1},
		"parts": {func(w http.ResponseWriter, r *http.Request, n int) {
			chatReply(w, []any{map[string]any{"text": `{"score":`}, map[string]any{"text": "0.5}"}})
		}, "", 1},
		"without an end":   {func(w http.ResponseWriter, r *http.Request, n int) { endless(w) }, "not a chat completion", 1},
		"does not answer":  {func(w http.ResponseWriter, r *http.Request, n int) { <-r.Context().Done() }, "deadline", 1},
		"other kind of it": {func(w http.ResponseWriter, r *http.Request, n int) { chatReply(w, 7) }, "without text", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, asked := service(t, c.answer)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			if name == "does not answer" {
				ctx, cancel = context.WithTimeout(context.Background(), 200*time.Millisecond)
			}
			defer cancel()
			_, err := endpoint(t, Endpoint{URL: s.URL}).Ask(ctx, Question{})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if n := asked.Load(); n > c.asked || n < c.asked && name != "does not answer" { // that one may give up before
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func busy(w http.ResponseWriter, yes bool, status int, after string) {
	if !yes {
		chatReply(w, `{"score":0.5}`)
		return
	}
	if after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.WriteHeader(status)
}

func endless(w http.ResponseWriter) {
	for range 3 * maxReply / 1000 {
		if _, err := fmt.Fprint(w, strings.Repeat(" ", 1000)); err != nil {
			return
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "NaN": 0, "1e99": 0, "soon": 0, "Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Fri, 02 Jan 2026 03:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {s}}, now); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// A service that asks for an hour is not asked by other pages either.
func TestLaterMeansLater(t *testing.T) {
	s, asked := service(t, func(w http.ResponseWriter, r *http.Request, n int) { busy(w, true, 429, "3600") })
	j := newJudge(t, unsure{0.5, judge.Share}, endpoint(t, Endpoint{URL: s.URL}), Options{Timeout: patience})
	j.Judge(page("a"))
	j.Judge(page("b"))
	if got := j.Stats(); asked.Load() != 1 || got.Failed != 1 || got.Resting != 1 {
		t.Errorf("%+v", got)
	}
}

func TestOpenJudge(t *testing.T) {
	s, _ := service(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if r.Header.Get("Authorization") != "Bearer k" {
			t.Error(r.Header)
		}
		chatReply(w, `{"score":0.95}`)
	})
	env := func(name string) string { return map[string]string{"KEY": "k"}[name] }
	j, err := Open(unsure{0.5, judge.Share}, Config{Endpoint: s.URL, Model: "m", KeyEnv: "KEY", Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if v := j.Judge(page("x")); v.Relevance != 0.95 || v.Because[0].What != "asked: says 0.95" {
		t.Errorf("%v, %+v", v, j.Stats())
	}
	for want, c := range map[string]Config{
		"neither":            {},
		"give one":           {Exec: []string{"x"}, Endpoint: "http://a.example/"},
		"no model":           {Endpoint: "http://a.example/"},
		"NOKEY, which holds": {Endpoint: "http://a.example/", Model: "m", KeyEnv: "NOKEY", Env: env},
		"KEY, which holds":   {Endpoint: "http://a.example/", Model: "m", KeyEnv: "KEY"},
		"want an address":    {Endpoint: "a.example", Model: "m"},
		"within 0 and 1":     {Exec: []string{"x"}, Options: Options{From: 2, To: 3}},
		"none may be less":   {Exec: []string{"x"}, Options: Options{Text: -1}},
		"outside: answers: ": {Exec: []string{"x"}, Options: Options{File: "no/such/folder/x"}},
	} {
		if _, err := Open(unsure{}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSearch(t *testing.T) {
	s, _ := service(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if r.URL.Path != "/search" || r.URL.Query().Get("q") != "coral & reefs" || r.URL.Query().Get("format") != "json" || r.Header.Get("User-Agent") != "reefbot" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		fmt.Fprint(w, `{"query":"x","results":[{"url":"http://a.example/","title":"A\u001b","content":"about a"},
			{"url":"http://a.example:80/#x","title":"A again"},{"url":"magnet:?x"},{"url":"http://b.example/"},{"url":"http://c.example/"}]}`)
	})
	got, err := (&Search{URL: s.URL, Agent: "reefbot"}).Results(context.Background(), "coral & reefs", 2)
	want := []Result{{"http://a.example/", "A", "about a"}, {URL: "http://b.example/"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if u, err := (&Search{URL: "http://a.example/sub/find?lang=en"}).target("x"); err != nil || u != "http://a.example/sub/find?format=json&lang=en&q=x" {
		t.Error(u, err)
	}
	for status, want := range map[int]string{403: "formats:", 429: "later", 500: "500", 302: "302", 200: "not {"} {
		s, _ := service(t, func(w http.ResponseWriter, r *http.Request, n int) { w.WriteHeader(status) })
		if _, err := (&Search{URL: s.URL}).Results(context.Background(), "x", 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
	}
	hung, _ := service(t, func(w http.ResponseWriter, r *http.Request, n int) { <-r.Context().Done() })
	if _, err := (&Search{URL: hung.URL, Timeout: 50 * time.Millisecond}).Results(context.Background(), "x", 1); err == nil {
		t.Error("no time limit")
	}
	if _, err := (&Search{URL: "searx"}).Results(context.Background(), "x", 1); err == nil || !strings.Contains(err.Error(), "want an address") {
		t.Error(err)
	}
}
