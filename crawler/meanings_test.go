package crawler_test

import (
	"os"
	"path/filepath"
	"testing"

	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
	"dowse/topic"
)

// tinyWordNet writes a dictionary of two nouns.
func tinyWordNet(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.noun": "bread n 1 0 1 0 00000000\nsoup n 1 0 1 0 00000044\n",
		"data.noun":  "00000000 13 n 02 bread 0 loaf 0 000 | baked\n" + "00000044 13 n 02 soup 0 broth 0 000 | liquid\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A phrase that the dictionary does not list is looked up in the parts that "and" joins.
func TestMeanings(t *testing.T) {
	dir := tinyWordNet(t)
	list, unknown, err := crawler.Meanings(dir, &topic.Topic{Name: "x", Words: []string{"Bread and soup", "zebra"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Of != "bread" || list[0].Names[0] != "loaf" || list[1].Of != "soup" || list[1].Gloss != "liquid" {
		t.Errorf("%+v", list)
	}
	if len(unknown) != 1 || unknown[0] != "zebra" {
		t.Errorf("unknown: %q", unknown)
	}
	if list, unknown, err := crawler.Meanings(dir, &topic.Topic{Name: "x", Words: []string{"bread"}, Languages: []string{"de"}}); len(list)+len(unknown) != 0 || err != nil {
		t.Errorf("a German topic: %v, %v, %v", list, unknown, err)
	}
	if _, _, err := crawler.Meanings(t.TempDir(), &topic.Topic{Name: "x", Words: []string{"bread"}}); err == nil {
		t.Error("an empty folder is a dictionary")
	}
}

// A collection keeps the names that the words of its topic may stand for, so that its strategy begins with the same
// ones whenever all is decided again. A strategy that does not use words has none, nor has a topic with examples. What names are names of is
// kept for every topic in English whose strategy uses it.
func TestNamesAreKept(t *testing.T) {
	sameGoroutines(t)
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	dict := tinyWordNet(t)
	like := &topic.Topic{Name: "soup", Words: []string{"soup"}, Like: []topic.Source{{Text: "broth with noodles"}}}
	for _, row := range []struct {
		topic          *topic.Topic
		strategy, want string
		kinds          bool
	}{
		{&topic.Topic{Name: "soup", Words: []string{"soup"}}, "auto", "broth\n", true},
		{&topic.Topic{Name: "soup", Words: []string{"soup"}}, "link-context", "", false},
		{like, "auto", "", true},
		{&topic.Topic{Name: "soup", Words: []string{"soup"}, Languages: []string{"de"}}, "auto", "", false},
	} {
		dir := filepath.Join(t.TempDir(), "x.dowse")
		for _, pages := range []int{5, 10} {
			c, err := crawler.Open(dir, crawler.Config{
				Topic: row.topic, WordNet: dict, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Transport: web.RoundTripper(),
				Settings: settings.Settings{Order: settings.Order{Strategy: row.strategy}, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
			})
			if err != nil {
				t.Fatal(err)
			}
			for range c.Crawl(t.Context()) {
			}
			if s := c.Status(); c.Err() != nil || s.Fetched != pages {
				t.Errorf("%d pages, %v", s.Fetched, c.Err())
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		names, err := os.ReadFile(filepath.Join(dir, "needs", "names.txt"))
		if string(names) != row.want || err != nil && row.want != "" {
			t.Errorf("%s: names %q, %v, want %q", row.strategy, names, err, row.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "needs", "kinds.bin")); (err == nil) != row.kinds {
			t.Errorf("%s: kinds are kept: %v, want %v", row.strategy, err == nil, row.kinds)
		}
	}
}
