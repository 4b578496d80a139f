package collection_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/archive"
)

var takenDown = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// unique returns a page whose title no other page has, and a phrase of its text that
// is on no other page of the collection, so that any trace of either is a trace
// of the page.
func unique(t *testing.T, c *collection.Collection) (dowse.URL, string, string) {
	t.Helper()
	bodies, titles := map[dowse.URL]string{}, map[dowse.URL]string{}
	for _, row := range list(t, c, collection.Filter{}) {
		body, _, err := c.Body(&dowse.Page{URL: row.URL, Fetch: dowse.Fetch{Archive: row.Fetch.Archive}})
		if err != nil {
			t.Fatal(err)
		}
		bodies[row.URL], titles[row.URL] = string(body), row.Title
	}
	for _, row := range list(t, c, collection.Filter{On: true, Sort: collection.ByTime}) {
		if elsewhere(titles, row.URL, row.Title) {
			continue
		}
		for line := range strings.Lines(bodies[row.URL]) {
			if i := strings.Index(line, ". "); i > 0 && len(line) > i+60 && !elsewhere(bodies, row.URL, line[i:i+60]) && !strings.Contains(line[i:i+60], "<") {
				return row.URL, row.Title, line[i : i+60]
			}
		}
	}
	t.Fatal("no page has a phrase of its own")
	return "", "", ""
}

func elsewhere(bodies map[dowse.URL]string, u dowse.URL, phrase string) bool {
	for other, text := range bodies {
		if other != u && strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// traces lists the files that contain a text. In the archive, which is unpacked, only
// records of the page itself count, since others may link to it in its words.
func traces(t *testing.T, dir, text string, u dowse.URL) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(path, ".warc.gz") {
			for r, err := range archive.Records(bytes.NewReader(readAll(t, path))) {
				if err != nil {
					return err
				}
				var b bytes.Buffer
				if _, err := b.ReadFrom(r); err != nil {
					return err
				}
				own := u != "" && (r.Target() == string(u) || r.Header.Value("WARC-Refers-To-Target-URI") == string(u))
				if own || u == "" && strings.Contains(b.String(), text) {
					files = append(files, path)
				}
			}
		} else if strings.Contains(string(readAll(t, path)), text) {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestForget(t *testing.T) {
	sequential(t)
	dir := copied(t)
	c := open(t, dir, false)
	u, title, phrase := unique(t, c)
	if len(traces(t, dir, title, u)) == 0 || len(traces(t, dir, phrase, "")) == 0 {
		t.Fatal("the test looks in the wrong place")
	}
	before := c.Crawl.Status()
	done, c := forget(t, c, u)
	if len(done.Already) > 0 || done.Records == 0 || done.Entries == 0 || len(done.Copies) > 0 {
		t.Errorf("%+v", done)
	}
	if files := traces(t, dir, title, u); len(files) > 0 {
		t.Errorf("%q is still in %v", title, files)
	}
	if files := traces(t, dir, phrase, ""); len(files) > 0 {
		t.Errorf("%q is still in %v", phrase, files)
	}
	after := c.Crawl.Status()
	if after.Fetched != before.Fetched-1 || after.OnTopic != before.OnTopic-1 || !after.Books.Balanced() {
		t.Errorf("before %+v, after %+v", before, after)
	}
	forgottenStays(t, c, u)
	save, err := c.Checkpoint()
	if err == nil {
		err = save()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	// It is the same after opening it again, from the snapshot and from the journal.
	c = open(t, dir, false)
	forgottenStays(t, c, u)
	if v := verified(t, c); !v.OK() {
		t.Errorf("%v", v.Problems)
	}
	again, c := forget(t, c, u)
	if len(again.Already) != 1 || again.Records != 0 || again.Entries != 0 {
		t.Errorf("%+v", again)
	}
	c.Close()
	snaps, _ := filepath.Glob(filepath.Join(dir, "state", "snapshot-*"))
	for _, s := range snaps {
		os.Remove(s)
	}
	forgottenStays(t, open(t, dir, true), u)
}

// forget closes a collection, takes URLs down, and opens it again, its lists renewed.
func forget(t *testing.T, c *collection.Collection, urls ...dowse.URL) (*collection.Forgotten, *collection.Collection) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := collection.Forget(c.Dir, collection.Takedown{URLs: urls, Why: "its owner asked", At: takenDown})
	if err != nil {
		t.Fatal(err)
	}
	c = open(t, c.Dir, false)
	if err := c.Summarise(); err != nil {
		t.Fatal(err)
	}
	return done, c
}

// forgottenStays checks what may be known of a page that was taken down.
func forgottenStays(t *testing.T, c *collection.Collection, u dowse.URL) {
	t.Helper()
	x, err := c.Why(u)
	if err != nil {
		t.Fatal(err)
	}
	if x.Row.State != dowse.Excluded || x.Row.Reason != dowse.SkipForgotten || x.Row.Detail != "its owner asked" || x.Row.Title != "" {
		t.Errorf("%+v", x)
	}
	for _, row := range list(t, c, collection.Filter{}) {
		if row.URL == u {
			t.Error("it is still listed")
		}
	}
	for _, name := range []string{"pages/pages.jsonl", "indexes/index.cdxj"} {
		if strings.Contains(string(readAll(t, filepath.Join(c.Dir, name))), `"url":"`+string(u)+`"`) {
			t.Errorf("it is still in %s", name)
		}
	}
	export(t, c, "a.wacz", collection.ExportOptions{})
	export(t, c, "a.jsonl", collection.ExportOptions{All: true, Text: "all", Distinct: "none"})
}

// A takedown removes what others wrote about a page: labels, answers of an outside judge,
// examples, and lines of logs and lists that name it. Lines of labels.jsonl are
// counted by models, so they stay in their places.
func TestForgetLabelsAnswersExamples(t *testing.T) {
	dir := copied(t)
	c := open(t, dir, false)
	u, title, _ := unique(t, c)
	other := list(t, c, collection.Filter{Sort: collection.ByTime})[0].URL
	if other == u {
		other = list(t, c, collection.Filter{Sort: collection.ByTime})[1].URL
	}
	labels := []collection.Label{
		{URL: other, Label: collection.LabelOff, By: "ann"},
		{URL: u, Label: collection.LabelOn, By: "ann", Note: "about " + title, Queue: collection.QueueAudit, Of: 7},
		{URL: u, Label: collection.LabelSkip, By: "bob"},
		{Do: collection.DoTrain},
	}
	if err := collection.AppendLabels(dir, labels...); err != nil {
		t.Fatal(err)
	}
	examples, err := collection.EncodeExamples([]collection.Example{
		{URL: string(u), Relevant: true, Title: title, Text: "words of the page", Source: string(u)},
		{URL: string(other), Relevant: true, Title: "Another", Text: "other words", Source: string(other)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		collection.ExamplesName: string(examples),
		collection.AnswersName:  `{"judge":"x","url":"` + string(u) + `","title":"T","text":"words","score":1}` + "\n" + `{"judge":"x","url":"` + string(other) + `","score":0}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := readAll(t, filepath.Join(dir, "labels.jsonl"))
	torn := `{"url":"` + string(u) + `","lab` // by a crash
	if err := os.WriteFile(filepath.Join(dir, "labels.jsonl"), append(before, torn...), 0o644); err != nil {
		t.Fatal(err)
	}
	done, c := forget(t, c, u)
	if done.Labels != 3 {
		t.Fatalf("%+v", done)
	}
	if files := namedIn(t, dir, u); len(files) > 0 {
		t.Errorf("%s is still in %v", u, files)
	}
	got, err := collection.ReadLabels(dir)
	if err != nil || got.Bad != 0 || len(got.Lines) != len(labels) || int(got.Size) != len(before) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []string{"", collection.DoForgotten, collection.DoForgotten, collection.DoTrain} {
		if got.Lines[i].Do != want {
			t.Errorf("line %d is %+v", i+1, got.Lines[i])
		}
	}
	if x := got.Lines[1]; x.Of != 7 || x.Queue != collection.QueueAudit || x.Note+x.By+x.Label != "" {
		t.Errorf("of the audit is left %+v", x)
	}
	if valid := got.Standing(); len(valid) != 1 || valid[other].Label != collection.LabelOff {
		t.Errorf("labels that count: %+v", valid)
	}
	kept, err := c.Examples()
	if err != nil || len(kept) != 2 || kept[0].Text+kept[0].Title+kept[0].URL+kept[0].Source != "" || !kept[0].Relevant || kept[1].Text != "other words" {
		t.Errorf("examples: %+v, %v", kept, err)
	}
	if s := string(readAll(t, filepath.Join(dir, collection.AnswersName))); !strings.Contains(s, string(other)) {
		t.Errorf("answers: %q", s)
	}
	if again, _ := forget(t, c, u); len(again.Already) != 1 || again.Labels != 0 {
		t.Errorf("%+v", again)
	}
}

// namedIn lists the files that name a URL, but for the journal, which must, and the
// archive, where other pages link to it.
func namedIn(t *testing.T, dir string, u dowse.URL) (files []string) {
	t.Helper()
	for _, path := range traces(t, dir, string(u), "-") {
		whole := regexp.MustCompile(regexp.QuoteMeta(string(u)) + `([^\w/.~%?=&#-]|$)`) // the page of a host begins the URLs of all others
		if !strings.Contains(path, "journal-") && (!strings.HasSuffix(string(u), "/") || strings.HasSuffix(path, ".gz") || whole.Match(readAll(t, path))) {
			files = append(files, path)
		}
	}
	return files
}

// A crawl goes on after a takedown and does not fetch the page again.
func TestForgetThenCrawl(t *testing.T) {
	dir := copied(t)
	c := open(t, dir, false)
	rows := list(t, c, collection.Filter{Sort: collection.ByTime, Limit: 1})
	_, c = forget(t, c, rows[0].URL)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	crawlMade(t, dir, madePages+10)
	c = open(t, dir, true)
	if x, err := c.Why(rows[0].URL); err != nil || x.Row.Reason != dowse.SkipForgotten {
		t.Errorf("%v %+v", err, x)
	}
	v, err := c.Verify(collection.VerifyOptions{Config: func() (crawl.Config, error) { return config(c.Settings) }})
	if err != nil || !v.OK() {
		t.Errorf("%v %v", err, v.Problems)
	}
}

// A takedown is interrupted after each of several steps. The collection can be read all the
// time, verify reports the takedown, and the next opening to write completes it.
func TestForgetBrokenOff(t *testing.T) {
	sequential(t)
	c := open(t, copied(t), true)
	u, title, phrase := unique(t, c)
	c.Close()
	for _, steps := range []int{0, 2, 4, 5, 6, 9} {
		dir := copied(t)
		if more, err := collection.ForgetPartly(dir, collection.Takedown{URLs: []dowse.URL{u}, Why: "its owner asked", At: takenDown}, steps); err != nil || !more {
			t.Fatal(more, err)
		}
		seen := open(t, dir, true)
		if v := verified(t, seen); v.OK() {
			t.Errorf("after %d steps verify found nothing", steps)
		}
		if x, err := seen.Why(u); steps >= 2 && (err != nil || x.Row.Reason != dowse.SkipForgotten || x.Row.Title != "") {
			t.Errorf("after %d steps: %+v, %v", steps, x, err)
		}
		seen.Close()
		c := open(t, dir, false)
		if err := c.Summarise(); err != nil {
			t.Fatal(err)
		}
		if len(c.Notices) == 0 {
			t.Errorf("after %d steps: no notice of the completed takedown", steps)
		}
		if files := append(traces(t, dir, title, u), traces(t, dir, phrase, "")...); len(files) > 0 {
			t.Errorf("after %d steps words are still in %v", steps, files)
		}
		if v := verified(t, c); !v.OK() || v.Forgotten == 0 {
			t.Errorf("after %d steps: %v", steps, v.Problems)
		}
		c.Close()
	}
}

// verify finds what is left of a page that was taken down.
func TestVerifyFindsWhatIsLeft(t *testing.T) {
	dir := copied(t)
	c := open(t, dir, false)
	u, _, _ := unique(t, c)
	_, c = forget(t, c, u)
	c.Close()
	for name, text := range map[string]string{
		"labels.jsonl":       `{"url":"` + string(u) + `","label":"on"}`,
		"answers.jsonl":      `{"judge":"x","url":"` + string(u) + `","score":1}`,
		"pages/pages.jsonl":  `{"url":"` + string(u) + `","title":"x"}`,
		"indexes/index.cdxj": `test,x)/ 20261115120000 {"url":"` + string(u) + `"}`,
		"README.md":          "as " + string(u) + " says",
	} {
		path := filepath.Join(dir, name)
		old, _ := os.ReadFile(path)
		if err := os.WriteFile(path, append(old, text+"\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		c := open(t, dir, true)
		if v := verified(t, c); v.OK() {
			t.Errorf("%s names it, and verify found nothing", name)
		}
		c.Close()
		if err := os.WriteFile(path, old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestForgetRefuses(t *testing.T) {
	dir := copied(t)
	never := collection.Takedown{URLs: []dowse.URL{"http://never.demo/"}, At: takenDown}
	if _, err := collection.Forget(dir, never); !errors.Is(err, collection.ErrUnknown) {
		t.Errorf("a URL that was never seen was forgotten: %v", err)
	}
	c := open(t, dir, false)
	defer c.Close()
	if _, err := collection.Forget(dir, never); !errors.Is(err, collection.ErrLocked) {
		t.Errorf("a collection in use was changed: %v", err)
	}
}
