package crawler_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/topic"
)

// importAs imports records under a topic of words.
func importAs(t *testing.T, name string, words []string, records ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	_, err := crawler.Import(t.Context(), []string{writeTo(t, name+".warc", strings.Join(records, ""))}, out, crawler.SalvageConfig{Topic: topic.FromWords(words)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func recorded(path, date, title, text string) string {
	return warcRecord("1.1", "response", "http://a.test"+path, date, answer("text/html", "<html><title>"+title+"</title><body>"+strings.Repeat(text+". ", 6)+"</body></html>"))
}

// TestMerge merges two crawls for different topics that have pages in common.
func TestMerge(t *testing.T) {
	const early, late = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"
	reefs := importAs(t, "reefs.dowse", []string{"coral"},
		recorded("/coral", early, "Coral", "coral and coral"), recorded("/both", late, "Both, new", "coral and coral of kelp and kelp, newly written"),
		recorded("/down", early, "Down", "coral of a private person"), recorded("/same", early, "Same", "coral coral, kelp kelp"))
	kelp := importAs(t, "kelp.dowse", []string{"kelp"},
		recorded("/kelp", early, "Kelp", "kelp and kelp"), recorded("/both", early, "Both, old", "kelp and kelp of coral"),
		recorded("/down", late, "Down", "kelp of a private person"), recorded("/same", late, "Same", "coral coral, kelp kelp"))
	if _, err := crawler.Forget(reefs, collection.Takedown{URLs: []dowse.URL{"http://a.test/down"}, Why: "asked"}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "sea.dowse")
	s, err := crawler.Merge(t.Context(), []string{reefs, kelp}, out, crawler.SalvageConfig{})
	if err != nil || s.Pages != 4 || s.OnTopic != 4 || s.Forgotten != 0 && s.Forgotten != 1 || s.Erased != 1 || s.Lost() != 0 {
		t.Fatalf("%v: %+v", err, s)
	}
	c := viewed(t, out)
	both := rowOf(t, c, "http://a.test/both")
	if both.Title != "Both, new" || !strings.HasPrefix(both.Detail, "from reefs.dowse, ") || !strings.Contains(both.Detail, "from reefs.dowse.warc, offset ") {
		t.Errorf("the newest version is %q, %q", both.Title, both.Detail)
	}
	if why, err := c.Collection.Why("http://a.test/both"); err != nil || len(why.Versions) != 2 {
		t.Errorf("%v: %+v", err, why.Versions)
	}
	for path, want := range map[string][]string{
		"/coral": {"reefs.dowse: on topic coral"}, "/kelp": {"kelp.dowse: on topic kelp"},
		"/same": {"reefs.dowse: on topic coral", "kelp.dowse: on topic kelp"},
	} {
		row := rowOf(t, c, dowse.URL("http://a.test"+path))
		text := collection.ReasonLine(row.Page.Verdict.Because, 9)
		for _, part := range want {
			if !strings.Contains(text, part) || len(row.Page.Verdict.Because) != len(want) {
				t.Errorf("%s: %s, want %v", path, text, want)
			}
		}
	}
	for row, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil || row.URL == "http://a.test/down" {
			t.Errorf("%v: a page that was taken down in one of them is there", err)
		}
	}
	if words := strings.Join(c.Topic.Words, " "); words != "coral kelp" {
		t.Errorf("the topic is %q", words)
	}
}

// TestMergeRefuses checks that what can't be merged is refused, with nothing left behind.
func TestMergeRefuses(t *testing.T) {
	a := importAs(t, "a.dowse", []string{"coral"}, recorded("/", "2020-01-01T00:00:00Z", "A", "coral"))
	where, err := topic.Parse([]byte("dowse: topic/v1\nname: long\nwhere: url_contains(/)\n"), "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b := filepath.Join(t.TempDir(), "b.dowse")
	if _, err := crawler.Import(t.Context(), []string{writeTo(t, "b.warc", recorded("/", "2020-01-01T00:00:00Z", "A", "coral"))}, b, crawler.SalvageConfig{Topic: where}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.dowse")
	for want, dirs := range map[string][]string{
		"at least two": {a}, "named twice": {a, a + "/"}, "more than words": {a, b}, "no such file": {a, a + "x"}, "not a collection": {a, t.TempDir()},
	} {
		if _, err := crawler.Merge(t.Context(), dirs, out, crawler.SalvageConfig{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := crawler.Merge(t.Context(), []string{a, b}, filepath.Join(a, "inside"), crawler.SalvageConfig{}); !errors.Is(err, crawler.ErrPlace) {
		t.Errorf("inside: %v", err)
	}
	if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	if s, err := crawler.Merge(t.Context(), []string{a, b}, out, crawler.SalvageConfig{Topic: where}); err != nil || s.Pages != 1 {
		t.Errorf("with a topic: %v: %+v", err, s)
	}
}
