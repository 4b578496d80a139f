package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
	"dowse/topic"
)

// TestConsent resumes a collection that reaches loopback, hurries and runs a program: it
// is refused unless the config names all of it, or somebody consents.
func TestConsent(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Reef</title><p>coral bleaching<a href=/%s1>more</a>", r.URL.Path)
	}))
	defer web.Close()
	tp, err := topic.Parse([]byte("dowse: topic/v1\nname: reefs\nwords: [coral bleaching]\njudge: {exec: [no-such-judge], only_if: \"0.98..0.99\"}\n"), "t")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	begun := crawler.Config{
		Topic: tp, Seeds: []string{web.URL + "/"}, Settings: settings.Settings{Limits: settings.Limits{Pages: 1}, Politeness: settings.Politeness{Delay: -1, Conns: 9}, Network: settings.Network{AllowNet: []string{"127.0.0.1"}}},
	}
	c, err := crawler.Open(dir, begun)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	reopen := func(cfg crawler.Config) error {
		c, err := crawler.Open(dir, cfg)
		if err != nil {
			return err
		}
		return c.Close()
	}
	err = reopen(crawler.Config{})
	var refused *crawler.TrustError
	if !errors.Is(err, crawler.ErrTrust) || !errors.As(err, &refused) {
		t.Fatalf("%v, want ErrTrust", err)
	}
	var verbs []string
	for _, a := range refused.Acts {
		verbs = append(verbs, a.Verb)
	}
	if want := []string{"run", "reach", "hurry", "hurry"}; !slices.Equal(verbs, want) {
		t.Errorf("refused %v, want %v", refused.Acts, want)
	}
	if err := reopen(begun); err != nil {
		t.Errorf("what the config names itself: %v", err)
	}
	part := begun
	part.AllowNet = nil
	if err := reopen(part); !errors.As(err, &refused) || len(refused.Acts) != 1 || refused.Acts[0].Verb != "reach" {
		t.Errorf("%v, want the network alone to be refused", err)
	}
	other := *tp
	other.Dir = t.TempDir()
	part = begun
	part.Topic = &other
	if err := reopen(part); !errors.Is(err, crawler.ErrTrust) {
		t.Errorf("the program in another folder: %v, want ErrTrust", err)
	}
	var asked []crawler.Act
	if err := reopen(crawler.Config{Consent: func(_ string, acts []crawler.Act) error { asked = acts; return nil }}); err != nil || len(asked) != 4 {
		t.Errorf("%v after consent to %v, want four acts", err, asked)
	}
	if err := reopen(crawler.Config{NoOutside: true, Transport: http.DefaultTransport}); err != nil {
		t.Errorf("nothing is run or reached: %v", err)
	}
}

// TestReadActs finds files of a topic that are not in its folder.
func TestReadActs(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "topic")
	if err := os.MkdirAll(filepath.Join(dir, "on"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret.txt", "topic/on/a.txt", "topic/..b.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../secret.txt", filepath.Join(dir, "on", "b.html")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("on", filepath.Join(dir, "same")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		topic topic.Topic
		acts  int
	}{
		{topic.Topic{Like: []topic.Source{{File: "on/*.txt"}, {File: "..b.txt"}, {File: "same/a.txt"}, {WARC: "missing.warc"}, {URL: "https://example.org/"}}}, 0},
		{topic.Topic{Like: []topic.Source{{File: "on/*"}}}, 1},
		{topic.Topic{Like: []topic.Source{{File: "../secret.txt"}}}, 1},
		{topic.Topic{Unlike: []topic.Source{{File: "../*.txt"}}}, 1},
		{topic.Topic{Like: []topic.Source{{File: "../secret.txt"}}, Unlike: []topic.Source{{File: "../secret.txt"}}}, 1},
		{topic.Topic{Like: []topic.Source{{WARC: filepath.Join(root, "x.warc")}}}, 1},
		{topic.Topic{Like: []topic.Source{{Collection: "on/../../other.dowse"}}}, 1},
		{topic.Topic{Model: "/etc/passwd"}, 1},
		{topic.Topic{Category: &topic.Category{Directory: "../odp.jsonl", Path: "A"}}, 1},
		{topic.Topic{Model: filepath.Join(dir, "on", "a.txt")}, 0},
	} {
		c.topic.Dir = dir
		if acts := crawler.ReadActs(&c.topic); len(acts) != c.acts {
			t.Errorf("%+v: %v, want %d", c.topic, acts, c.acts)
		}
	}
}

// TestAgreedBeforeWriting checks that consent can be recorded before the collection, or a
// change of its settings, is on disk: a kill right after it then leaves both or only the
// record, and never a collection without consent.
func TestAgreedBeforeWriting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	settingsFile := func() string {
		data, err := os.ReadFile(filepath.Join(dir, "crawl.yaml"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		return string(data)
	}
	killed := errors.New("killed")
	var before string
	var place collection.Settings
	var acts []crawler.Act
	cfg := crawler.Config{
		Words: []string{"coral"}, Seeds: []string{"http://127.0.0.1:9/"},
		Settings: settings.Settings{Network: settings.Network{AllowNet: []string{"127.0.0.1"}}},
		Agreed: func(_ string, s collection.Settings, list []crawler.Act) error {
			before, place, acts = settingsFile(), s, list
			return killed
		},
	}
	if _, err := crawler.Open(dir, cfg); !errors.Is(err, killed) || before != "" || settingsFile() != "" || len(acts) != 1 {
		t.Fatalf("%v, acts %v; before %q, then %q: want a record before the collection", err, acts, before, settingsFile())
	}
	cfg.Agreed = func(_ string, s collection.Settings, _ []crawler.Act) error { place = s; return nil }
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	made := c.Collection.Settings
	if err := c.Close(); err != nil || place.Key != made.Key || !place.Begun.Equal(made.Begun) {
		t.Fatalf("%v: recorded %x of %s, created %x of %s", err, place.Key, place.Begun, made.Key, made.Begun)
	}
	cfg.AllowNet = append(cfg.AllowNet, "10.0.0.0/8")
	cfg.Agreed = func(_ string, s collection.Settings, list []crawler.Act) error {
		before, place, acts = settingsFile(), s, list
		return killed
	}
	if _, err := crawler.Open(dir, cfg); !errors.Is(err, killed) || strings.Contains(settingsFile(), "10.0.0.0") || place.Key != made.Key || len(acts) != 2 {
		t.Errorf("%v, acts %v, settings %s: want a record before the change", err, acts, settingsFile())
	}
}
