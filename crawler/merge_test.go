package crawler_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
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
	sameGoroutines(t)
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
	if why, err := c.Collection.Why("http://a.test/coral"); err != nil || why.Judged.Because[0].Flips || why.Judged.Because[0].Without != why.Judged.Relevance {
		t.Errorf("%v: without the only crawl that has it the page would be %+v", err, why.Judged)
	}
	if why, err := c.Collection.Why("http://a.test/same"); err != nil || len(why.Judged.Because) != 2 || why.Judged.Because[0].Flips || why.Judged.Because[1].Flips {
		t.Errorf("%v: a page that both crawls found on topic depends on one of them: %+v", err, why.Judged)
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

// TestReservationsAreCopied imports pages of a host whose robots.txt reserves the training of models, in
// both orders of the records, and merges the collection with another: no export with that wish has the pages.
func TestReservationsAreCopied(t *testing.T) {
	const early, late = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"
	robots := func(date, rule string) string {
		return warcRecord("1.1", "response", "http://a.test/robots.txt", date, answer("text/plain", "User-agent: *\nContent-Usage: train-ai="+rule+"\n"))
	}
	other := warcRecord("1.1", "response", "http://b.test/", early, answer("text/html", reefPage("Other", "")))
	open := importAs(t, "open.dowse", []string{"coral"}, other)
	for name, x := range map[string]struct {
		records []string
		pages   int
	}{
		"before the pages":  {[]string{robots(early, "n"), recorded("/1", late, "One", "coral")}, 0},
		"after the pages":   {[]string{recorded("/1", early, "One", "coral"), robots(late, "n")}, 0},
		"the newest counts": {[]string{robots(early, "n"), recorded("/1", early, "One", "coral"), robots(late, "y")}, 1},
	} {
		reserved := importAs(t, "reserved.dowse", []string{"coral"}, x.records...)
		merged := filepath.Join(t.TempDir(), "merged.dowse")
		if _, err := crawler.Merge(t.Context(), []string{open, reserved}, merged, crawler.SalvageConfig{}); err != nil {
			t.Fatal(err)
		}
		for dir, want := range map[string]int{reserved: x.pages, merged: x.pages + 1} {
			c := viewed(t, dir)
			got, err := c.Collection.Export(t.Context(), filepath.Join(t.TempDir(), "x.jsonl"), collection.ExportOptions{All: true, Respect: []string{"ai"}})
			if err != nil || got != want {
				t.Errorf("%s: %v: %d pages of %s, want %d", name, err, got, filepath.Base(dir), want)
			}
		}
	}
}

// An addressing web has one page with a wish in its header for reefbot alone, and a robots.txt that forbids reefbot to
// train models with it.
type addressing struct{}

func (addressing) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: 404, Header: http.Header{"Content-Type": {"text/html"}}, Body: http.NoBody, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	switch r.URL.Path {
	case "/":
		answer.StatusCode = 200
		answer.Header.Set("X-Robots-Tag", "reefbot: noarchive, noindex")
		answer.Body = io.NopCloser(strings.NewReader(reefPage("Coral", "")))
	case "/robots.txt":
		answer.StatusCode = 200
		answer.Header.Set("Content-Type", "text/plain")
		answer.Body = io.NopCloser(strings.NewReader("User-agent: *\nContent-Usage: train-ai=y\n\nUser-agent: reefbot\nContent-Usage: train-ai=n\n"))
	}
	return answer, nil
}

// crawledAs crawls the addressing web by an agent.
func crawledAs(t *testing.T, agent string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), agent+".dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"coral"}, Seeds: []string{"http://a.test/"}, Transport: addressing{},
		Settings: settings.Settings{Politeness: settings.Politeness{Delay: settings.None}, Identity: settings.Identity{Agent: agent, Contact: "mailto:me@example.org"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMergeKeepsWishes merges crawls by an agent that a page addresses: its wishes hold for the new collection,
// which has no agent of its own, also if another agent got the newest answer. They hold in a merge of that, and in
// a collection that is imported from the archive of the crawl.
func TestMergeKeepsWishes(t *testing.T) {
	sameGoroutines(t)
	reefbot, kelpbot := crawledAs(t, "reefbot"), crawledAs(t, "kelpbot")
	other := importAs(t, "other.dowse", []string{"coral"}, warcRecord("1.1", "response", "http://b.test/", "2020-01-01T00:00:00Z", answer("text/html", reefPage("Other", ""))))
	merge := func(name string, dirs ...string) string {
		out := filepath.Join(t.TempDir(), name)
		if _, err := crawler.Merge(t.Context(), dirs, out, crawler.SalvageConfig{}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := merge("all.dowse", reefbot, kelpbot, other)
	packed := filepath.Join(t.TempDir(), "reefbot.wacz")
	if _, err := viewed(t, reefbot).Collection.Export(t.Context(), packed, collection.ExportOptions{Respect: []string{"none"}}); err != nil {
		t.Fatal(err)
	}
	_, fromWACZ := imported(t, packed)
	for name, c := range map[string]*crawler.Crawler{
		"one agent": viewed(t, merge("sea.dowse", reefbot, other)), "the newest answer is another's": viewed(t, all),
		"merged twice": viewed(t, merge("again.dowse", all, importAs(t, "b.dowse", []string{"coral"}, recorded("/2", "2020-01-01T00:00:00Z", "Two", "coral")))), "imported": fromWACZ,
	} {
		if row := rowOf(t, c, "http://a.test/"); !row.NoArchive || !row.NoIndex || row.NoFollow {
			t.Errorf("%s: noarchive %v, noindex %v, nofollow %v; want the first two", name, row.NoArchive, row.NoIndex, row.NoFollow)
		}
		n, err := c.Collection.Export(t.Context(), filepath.Join(t.TempDir(), "x.jsonl"), collection.ExportOptions{All: true, Respect: []string{"ai"}, Where: "url_contains(a.test/) and not url_contains(2)"})
		if err != nil || n != 0 {
			t.Errorf("%s: %v: %d pages for training, want 0: the robots.txt forbids it to reefbot", name, err, n)
		}
	}
	if row := rowOf(t, viewed(t, all), "http://b.test/"); row.NoArchive || row.NoIndex {
		t.Error("the page of the other collection has wishes that it does not state")
	}
	if row := rowOf(t, viewed(t, kelpbot), "http://a.test/"); row.NoArchive {
		t.Error("a wish for reefbot holds for kelpbot")
	}
}

// TestMergeRefuses checks that what can't be merged is refused, with nothing left behind.
func TestMergeRefuses(t *testing.T) {
	sameGoroutines(t)
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
	if _, err := crawler.Merge(t.Context(), []string{a, b}, out, crawler.SalvageConfig{}); !errors.Is(err, crawler.ErrOwnTopic) {
		t.Errorf("two topics: %v", err)
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

// An uneven is a web in which some URLs are no pages. Paths in also are pages there.
type uneven struct{ also string }

func (w uneven) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	body := "<title>Coral</title><p>coral and coral and coral of the reef"
	switch path := r.URL.Path; {
	case path == "/":
		for _, p := range []string{"missing", "paper.pdf", "wall", "other", "fine"} {
			body += "<p><a href=/" + p + ">coral</a>"
		}
	case path == "/robots.txt", path == "/missing", path == "/other" && w.also != path:
		answer.StatusCode, body = 404, "no such page"
	case path == "/paper.pdf":
		answer.Header.Set("Content-Type", "application/pdf")
	case path == "/wall":
		answer.StatusCode = 403
		answer.Header.Set("Cf-Mitigated", "challenge")
	}
	answer.Body = io.NopCloser(strings.NewReader(body))
	return answer, nil
}

// TestMergeKeepsFailures merges two crawls: a URL that is a page in neither has its failure and its answer, and one
// that is a page in one of them is that page.
func TestMergeKeepsFailures(t *testing.T) {
	sameGoroutines(t)
	var dirs []string
	for i, also := range []string{"", "/other"} {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("c%d.dowse", i))
		c, err := crawler.Open(dir, crawler.Config{
			Words: []string{"coral"}, Seeds: []string{"http://a.test/"}, Transport: uneven{also},
			Settings: settings.Settings{Politeness: settings.Politeness{Delay: settings.None}, Identity: settings.Identity{Contact: "mailto:me@example.org"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range c.Crawl(t.Context()) {
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	out := filepath.Join(t.TempDir(), "both.dowse")
	s, err := crawler.Merge(t.Context(), dirs, out, crawler.SalvageConfig{})
	if err != nil || s.Lost() != 0 {
		t.Fatalf("%v: %+v", err, s)
	}
	col := viewed(t, out).Collection
	for path, want := range map[string]string{
		"/missing": "failed http.status 404 true", "/paper.pdf": "skipped type.mime 200 true", "/wall": "skipped host.challenge 403 false", "/other": "fetched  200 true", "/fine": "fetched  200 true",
	} {
		u := dowse.URL("http://a.test" + path)
		fr := col.Crawl.Frontier()
		id, _ := fr.Find(u)
		why, err := col.Why(u)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(fr.State(id), " ", col.Crawl.Reason(u), " ", why.Row.Fetch.Status, " ", why.Row.Fetch.Archive.File != ""); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if b := col.Crawl.Status().Books; b.Queued != 0 {
		t.Errorf("%d URLs are queued", b.Queued)
	}
}
