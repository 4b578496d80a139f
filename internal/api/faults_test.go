package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"dowse/internal/api"
	"dowse/internal/operations"
	"dowse/internal/server"
)

// TestMetricsOfARun scrapes the metrics during a run, which has more of them as soon as the crawl reports about itself, and
// applies the rules of promtool.
func TestMetricsOfARun(t *testing.T) {
	dir := t.TempDir()
	cr := openMade(t, filepath.Join(dir, "pools.dowse"), 2000)
	defer cr.Close()
	c := serve(t, dir)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range cr.Crawl(context.Background()) {
			if _, err := os.Stat(filepath.Join(dir, "scraped")); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var text string
	for range 2000 {
		if text = string(c.do("GET", "/metrics", "").body); strings.Contains(text, "dowse_state_fsync_seconds_count") {
			break
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "scraped"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-done
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, name := range []string{"dowse_politeness_wait_seconds_total", "dowse_judge_duration_seconds_count", "dowse_judge_duration_seconds_sum", "dowse_state_fsync_seconds_count", "dowse_state_fsync_seconds_sum"} {
		if !strings.Contains(text, name+`{collection="pools"} `) {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestNumbersBelowTheirLeast gives numbers that no answer can have.
func TestNumbersBelowTheirLeast(t *testing.T) {
	c := serve(t, copied(t))
	for _, path := range []string{
		"/pages?limit=0", "/pages?limit=-1", "/hosts?limit=0", "/frontier?limit=0", "/queue?limit=0", "/sites?limit=0", "/sites?offset=-1", "/search?q=tide&limit=0", "/search?q=tide&offset=-1",
		"/events?limit=0", "/series?points=0", "/series?window=-5", "/graph?nodes=0", "/markdown?url=http://kelp.demo/&bytes=-1", "/markdown?url=http://kelp.demo/&bytes=0",
	} {
		c.do("GET", base+path, "").isProblem(t, http.StatusBadRequest)
	}
}

// TestErrorsOfBodies checks that errors name members and what JSON calls values, and no type of Go.
func TestErrorsOfBodies(t *testing.T) {
	c := serve(t, copied(t))
	for body, want := range map[string]string{
		`{"labels":"x"}`:                    "labels: got string, want a list",
		`{"labels":[{"url":7}]}`:            "labels.url: got number, want a string",
		`{"train":"yes"}`:                   "train: got string, want true or false",
		`{"labels":[{"url":"x","of":"y"}]}`: "labels.of: got string, want a whole number",
		`{"lables":[]}`:                     `there is no member "lables"`,
		`[]`:                                "got array, want an object",
	} {
		a := c.do("POST", base+"/labels", body)
		a.isProblem(t, http.StatusUnprocessableEntity)
		if text := string(a.body); !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), want) || strings.Contains(text, "Go ") || strings.Contains(text, "operations.") || strings.Contains(text, "int") {
			t.Errorf("%s: %s, want %s", body, text, want)
		}
	}
	for body, want := range map[string]string{
		`{}`:                "nothing to change: give state, set, reset or drop",
		`{"state":"tired"}`: "want running, paused or stopping",
	} {
		a := c.do("PATCH", base, body)
		if a.isProblem(t, http.StatusUnprocessableEntity); !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s, want %s", body, a.body, want)
		}
	}
	a := c.do("POST", base+"/labels", `{"labels":[{"url":"file:///etc/passwd","label":"on"}]}`)
	if a.isProblem(t, http.StatusUnprocessableEntity); strings.Contains(string(a.body), "weburl") || !strings.Contains(string(a.body), "the scheme is not http or https") {
		t.Errorf("it names a package: %s", a.body)
	}
	a = c.do("POST", base+"/exports", `{"format":"jsonl","since":"yesterday"}`)
	if a.isProblem(t, http.StatusUnprocessableEntity); !strings.Contains(string(a.body), "want a time such as") {
		t.Errorf("%s", a.body)
	}
}

// TestBodiesAtTheDoor sends bodies through the server that people reach: the limit that an error names is the one that holds.
func TestBodiesAtTheDoor(t *testing.T) {
	ops, err := operations.New(operations.Config{Dirs: []string{copied(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	s, err := server.Listen(server.Config{Listen: "127.0.0.1:0", API: api.New(ops, api.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	send := func(size int) (int, string) {
		body := `{"text":"tide","title":"` + strings.Repeat(" ", size-len(`{"text":"tide","title":""}`)) + `"}`
		r := httptest.NewRequest("POST", base+"/judge", strings.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Authorization", "Bearer "+s.Token())
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const limit = 4 << 20
	if code, text := send(limit + 1); code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "more than 4194304 bytes") {
		t.Errorf("a body above the limit: %d, %s", code, text)
	}
	if code, text := send(limit); strings.Contains(text, "the body has more than") {
		t.Errorf("a body of the limit: %d, %s", code, text)
	}
	if code, text := send(1<<20 + 1); code != http.StatusOK {
		t.Errorf("a body of a megabyte: %d, %s", code, text)
	}
}

// TestDamageIsLogged reads a page that can't be read from the archive: the answer names the damage, and the log has it.
func TestDamageIsLogged(t *testing.T) {
	dir := copied(t)
	names, err := filepath.Glob(filepath.Join(dir, "pools.dowse", "archive", "*.warc.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 100; i < len(data); i += 50 {
			data[i] ^= 0x55
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ops, err := operations.New(operations.Config{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	list, err := ops.Pages(context.Background(), "pools", operations.PageQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h := api.New(ops, api.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", base+"/markdown?url="+string(list.Pages[0].URL), nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"kind":"damaged"`) {
		t.Errorf("%d, %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "operation=getMarkdown") || !strings.Contains(log.String(), "archive") {
		t.Errorf("the log has %q", log.String())
	}
}

// TestShortForms uses the short forms of requests and answers: they mean the same as the long ones.
func TestShortForms(t *testing.T) {
	c := serve(t, copied(t))
	a := c.do("PATCH", base, `{"exclude":["/cart/"],"threshold":0.4}`)
	if text := string(a.body); a.StatusCode != http.StatusOK || !strings.Contains(text, ",/cart/") || !strings.Contains(text, "→ 0.4") {
		t.Errorf("PATCH: %d %s", a.StatusCode, a.body)
	}
	var settings struct {
		Settings []struct{ Name, Value string }
	}
	if err := json.Unmarshal(c.do("GET", base+"/settings", "").body, &settings); err != nil {
		t.Fatal(err)
	}
	for _, s := range settings.Settings {
		if s.Name == "threshold" && s.Value != "0.4" || s.Name == "exclude" && !strings.HasSuffix(s.Value, "/cart/") {
			t.Errorf("%s is %q", s.Name, s.Value)
		}
	}
	short, long := get[pageList](c, base+"/pages?sort=-score&limit=20"), get[pageList](c, base+"/pages?sort=score&limit=20")
	if len(short.Pages) != 20 || !slices.Equal(short.Pages, long.Pages) {
		t.Errorf("-score and score differ: %v, %v", short, long)
	}
	series := get[struct{ Points []struct{ Pages int } }](c, base+"/series?step=50")
	if n := len(series.Points); n < 2 || series.Points[0].Pages != 50 || series.Points[1].Pages != min(100, series.Points[n-1].Pages) {
		t.Errorf("points: %+v", series.Points)
	}
	labels := fmt.Sprintf(`{"labels":[{"url":%q,"label":"off"},{"url":%q,"label":"on"}],"train":true,"accept":true}`, long.Pages[0].URL, long.Pages[1].URL)
	a = c.do("POST", base+"/labels", labels)
	var made struct {
		Model   string
		Trained struct {
			Model   string
			Changed int `json:"verdicts_changed"`
		}
		Changed int `json:"verdicts_changed"`
	}
	if err := json.Unmarshal(a.body, &made); err != nil || made.Model == "" || made.Model != made.Trained.Model || made.Changed != made.Trained.Changed {
		t.Errorf("labels: %v: %s", err, a.body)
	}
}
