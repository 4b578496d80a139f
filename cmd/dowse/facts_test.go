package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/facts"
)

// addSummary puts a fact into the table that no program knows: what a page says in its meta description.
func addSummary(t *testing.T) {
	t.Helper()
	t.Cleanup(facts.Add(&facts.Fact{
		Name: "summary", Type: facts.Text, Doc: "what the page says of itself", Printed: true, Asked: true, Match: facts.Words,
		Journal: facts.JournalTagged + 5, Field: func(p *dowse.Page) any { return &p.Description },
	}))
}

// summarySite serves two pages that only the new fact distinguishes.
func summarySite(t *testing.T) *httptest.Server {
	page := func(summary, links string) string {
		return `<html lang="en"><head><title>Octopus</title><meta name="description" content="` + summary + `"></head><body><p>The octopus lives in the sea, and the octopus has eight arms.</p>` + links + `</body></html>`
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, page("zanzibarian tentacles", `<a href="/other">octopus</a>`))
		case "/other":
			fmt.Fprint(w, page("shells", ""))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// mustRun runs a command that succeeds, and returns what it printed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := capture(t, args...)
	if code != exitOK {
		t.Fatalf("dowse %q: exit code %d: %s", args, code, errs)
	}
	return out
}

// A fact that is added to the table is judged by, printed, exported, explained, kept in the journal, and gone when
// its page is taken down. Nothing else knows of it.
func TestNewFact(t *testing.T) {
	addSummary(t)
	web, dir := summarySite(t), filepath.Join(t.TempDir(), "x.dowse")
	for name, where := range map[string]string{"clause": "{summary: tentacles}", "CEL": `{expr: 'page.summary.contains("tentacles")'}`} {
		path := filepath.Join(filepath.Dir(dir), name+".topic.yaml")
		text := "dowse: topic/v1\nname: octopus\nwords: [octopus]\nwhere: " + where + "\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		rated := mustRun(t, "judge", path, web.URL+"/", web.URL+"/other", "--allow-net", "127.0.0.1", "--delay", "0s")
		if lines := strings.Split(rated, "\n"); !strings.Contains(lines[0], `"on_topic":true`) || !strings.Contains(lines[1], `"on_topic":false`) ||
			!strings.Contains(lines[0], `"summary":"zanzibarian tentacles"`) {
			t.Errorf("judged by a %s: %s", name, rated)
		}
	}
	const want = `"summary":"zanzibarian tentacles"`
	holds := func(what, got string) {
		t.Helper()
		if !strings.Contains(got, want) || strings.Contains(got, `"summary":"shells"`) {
			t.Errorf("%s: %s", what, got)
		}
	}
	topic := filepath.Join(filepath.Dir(dir), "clause.topic.yaml")
	holds("crawl --print", mustRun(t, "crawl", topic, "--seed", web.URL+"/", "-o", dir, "--allow-net", "127.0.0.1", "--delay", "0s", "-q", "--print", "jsonl"))
	// From here on the fact can only come from the journal, which was closed and is opened by each command.
	holds("pages --json", mustRun(t, "pages", dir, "--on", "--json"))
	holds("why --json", mustRun(t, "why", dir, web.URL+"/", "--json"))
	holds("export .jsonl", mustRun(t, "export", dir, "-"))
	if got := mustRun(t, "export", dir, "-", "--format", "csv", "--fields", "summary"); got != "summary\nzanzibarian tentacles\n" {
		t.Errorf("export .csv: %q", got)
	}
	if got := mustRun(t, "pages", dir, "--off", "--format", "{summary}"); got != "shells\n" {
		t.Errorf("pages --format: %q", got)
	}
	if !strings.Contains(mustRun(t, "schema", "page"), `"description": "what the page says of itself"`) {
		t.Error("the schema does not list it")
	}
	if len(filesWith(t, dir, "zanzibarian")) == 0 {
		t.Error("no file holds the words of the fact: the test would find nothing gone")
	}
	mustRun(t, "forget", dir, web.URL+"/", "--because", "a test", "--yes")
	if left := filesWith(t, dir, "zanzibarian"); len(left) > 0 {
		t.Errorf("after forget these still hold the fact: %v", left)
	}
	if got := mustRun(t, "pages", dir, "--json"); strings.Contains(got, "zanzibarian") || !strings.Contains(got, `"summary":"shells"`) {
		t.Errorf("pages --json after forget: %s", got)
	}
	mustRun(t, "collection", "verify", dir)
}

// filesWith lists the files of a collection whose bytes hold a word. Packed files never do.
func filesWith(t *testing.T, dir, word string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(word)) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// What commands print is what the published schemas say.
func TestSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	work := t.TempDir()
	dir := filepath.Join(work, "x.dowse")
	printed := mustRun(t, "demo", "--pages", "80", "-o", dir, "-q")
	if printed != "" {
		t.Errorf("demo -q printed %q", printed)
	}
	page, reason, status := schemaOf(t, "page"), schemaOf(t, "reason"), schemaOf(t, "status")
	check := func(s schema, least int, args ...string) []any {
		t.Helper()
		return s.lines(t, mustRun(t, args...), least, strings.Join(args[:1], " "))
	}
	check(page, 80, "pages", dir, "--json")
	check(page, 1, "pages", dir, "--json", "--failed", "--skipped")
	check(page, 10, "export", dir, "-", "--all", "--text")
	check(page, 10, "judge", "tide pools", filepath.Join(dir, "archive", warcOf(t, dir)))
	check(status, 1, "status", dir, "--json")
	t.Setenv("XDG_CONFIG_HOME", work) // for the key of the index
	check(schemaOf(t, "search"), 1, "search", dir, "tide pools", "--json")
	check(schemaOf(t, "search"), 1, "search", dir, "none of these wordz", "--json")
	for _, v := range check(page, 80, "pages", dir, "--json")[:20] {
		check(reason, 1, "why", dir, v.(map[string]any)["url"].(string), "--json", "--links")
	}
	for _, v := range check(page, 1, "pages", dir, "--json", "--failed", "--skipped")[:1] {
		check(reason, 1, "why", dir, v.(map[string]any)["url"].(string), "--json")
	}
	web := summarySite(t)
	check(page, 1, "crawl", "octopus", "--seed", web.URL+"/", "-o", filepath.Join(work, "y.dowse"), "--allow-net", "127.0.0.1", "--delay", "0s", "-q", "--print", "jsonl")

	for _, args := range [][]string{{"pages", "nowhere", "--json"}, {"fetch", "http://example.org/", "--json"}, {"why", "--json"}} {
		code, _, errs := capture(t, args...)
		if code == exitOK {
			t.Errorf("%q succeeds", args)
		}
		schemaOf(t, "error").lines(t, errs, 1, "error")
	}
}

func warcOf(t *testing.T, dir string) string {
	t.Helper()
	names, err := os.ReadDir(filepath.Join(dir, "archive"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archive: %v", err)
	}
	return names[0].Name()
}

// A schema is a JSON Schema of the subset that is published: type, properties, required, items,
// additionalProperties, const and format.
type schema map[string]any

func schemaOf(t *testing.T, name string) (s schema) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustRun(t, "schema", name)), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// lines checks lines of JSON, of which there must be some, and returns them.
func (s schema) lines(t *testing.T, text string, least int, what string) (values []any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v: %s", what, err, line)
		}
		for _, problem := range s.problems(v, what) {
			t.Error(problem)
		}
		values = append(values, v)
	}
	if len(values) < least {
		t.Fatalf("%s printed %d lines, want %d or more", what, len(values), least)
	}
	return values
}

// problems lists what is wrong with a value. A property that the schema does not list is wrong too.
func (s schema) problems(v any, at string) (list []string) {
	say := func(format string, args ...any) { list = append(list, at+": "+fmt.Sprintf(format, args...)) }
	if want, ok := s["const"]; ok && v != want {
		say("is %v, want %v", v, want)
	}
	switch v := v.(type) {
	case map[string]any:
		list = append(list, s.object(v, at)...)
	case []any:
		items, _ := s["items"].(map[string]any)
		for i, item := range v {
			list = append(list, schema(items).problems(item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	if want, ok := s["type"].(string); ok && !isOfType(v, want) {
		say("is %T, want %s", v, want)
	}
	return list
}

func (s schema) object(v map[string]any, at string) (list []string) {
	properties, _ := s["properties"].(map[string]any)
	for name, value := range v {
		of, ok := properties[name].(map[string]any)
		if !ok {
			of, ok = s["additionalProperties"].(map[string]any)
		}
		if !ok {
			list = append(list, at+"."+name+": is not in the schema")
			continue
		}
		list = append(list, schema(of).problems(value, at+"."+name)...)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			list = append(list, fmt.Sprintf("%s: %s is missing", at, name))
		}
	}
	return list
}

func isOfType(v any, want string) bool {
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == float64(int64(v))
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return false
}
