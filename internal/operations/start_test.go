package operations_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/operations"
)

// noCrawls returns operations over a folder with a program that does not exist: what is refused is refused before a process is
// started.
func noCrawls(t *testing.T, dir string) *operations.Operations {
	t.Helper()
	return over(t, operations.Config{Dirs: []string{dir}, Executable: filepath.Join(dir, "no-program")})
}

// TestTopicsThatDoMore checks that a topic of words and URLs may be started, and that one that runs a program, asks a service
// or reads a file is refused: no consent can be given over HTTP.
func TestTopicsThatDoMore(t *testing.T) {
	o := noCrawls(t, t.TempDir())
	const head = "dowse: topic/v1\nname: reefs\nwords: [coral]\n"
	for more, want := range map[string]bool{
		"":                                    true,
		"also: [reef]\nnot: [aquarium]\n":     true,
		"like: [https://example.org/reefs]\n": true,
		"judge:\n  exec: [./judge]\n":         false,
		"judge:\n  endpoint: http://x.example\n  model: m\n":      false,
		"like: [{file: pages/*.html}]\n":                          false,
		"like: [{file: ../secret.html}]\n":                        false,
		"model: model.json\n":                                     false,
		"category: {path: Top/Reefs, directory: /data/odp.rdf}\n": false,
	} {
		_, err := o.Start(context.Background(), operations.StartRequest{Topic: head + more, Seeds: []string{"http://a.example/"}})
		if started := errors.Is(err, os.ErrNotExist); started != want || !want && operations.KindOf(err) != operations.Refused {
			t.Errorf("%q: got %v, want it to be started: %v", more, err, want)
		}
	}
}

// TestNoSeeds: a crawl without anything to begin with is refused in words of the request, before a process is started. A topic
// may have seeds, or have them made from its examples.
func TestNoSeeds(t *testing.T) {
	o := noCrawls(t, copied(t))
	const head = "dowse: topic/v1\nname: reefs\nwords: [coral]\n"
	for _, c := range []struct {
		r    operations.StartRequest
		none bool
	}{
		{operations.StartRequest{Words: []string{"coral"}}, true},
		{operations.StartRequest{Topic: head}, true},
		{operations.StartRequest{Words: []string{"coral"}, Demo: true}, false},
		{operations.StartRequest{Topic: head + "seeds: [https://example.org/]\n"}, false},
		{operations.StartRequest{Topic: head + "like: [https://example.org/]\nseeds: from-like\n"}, false},
	} {
		_, err := o.Start(bg, c.r)
		if c.none != (operations.KindOf(err) == operations.Invalid) || c.none && err.Error() != "seeds: there are none; give one or more URLs to begin with" || !c.none && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v: got %v, want it to be refused: %v", c.r, err, c.none)
		}
	}
}

// TestNames checks the names of new collections: the message for a bad one has all that is wanted of it.
func TestNames(t *testing.T) {
	o := noCrawls(t, copied(t))
	for name, good := range map[string]bool{
		"reefs-2": true, "Reefs_2.old": true, "7": true, strings.Repeat("a", 100): true,
		".hidden": false, "-x": false, "_x": false, strings.Repeat("a", 101): false, "a..b": false, "a b": false, "a/b": false, "Korallenriffe-für-alle": true, "天然-酵母": true, "हिन्दी": true, strings.Repeat("酵", 80): true, strings.Repeat("酵", 81): false, "a\u202eb": false, "a\u200bb": false, "½": false, "\u0301a": false,
	} {
		for _, r := range []operations.StartRequest{{Words: []string{"coral"}}, {Topic: "dowse: topic/v1\nname: reefs\nwords: [coral]\n"}} {
			r.Name, r.Seeds = name, []string{"http://a.example/"}
			_, err := o.Start(bg, r)
			if good && errors.Is(err, os.ErrNotExist) {
				continue
			}
			if good || operations.KindOf(err) != operations.Invalid || !strings.Contains(err.Error(), "at most 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit") {
				t.Errorf("%s: got %v, want it to be accepted: %v", name, err, good)
			}
		}
	}
}

// TestNamesInUse checks which directories a new crawl may use: not those of collections or with files of others, but one that an
// interrupted start has left.
func TestNamesInUse(t *testing.T) {
	dir := copied(t)
	for _, name := range []string{"left.dowse/state", "left.dowse/archive", "mine.dowse/notes"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := noCrawls(t, dir)
	for name, want := range map[string]string{"left": "", "mine": "is not a collection", "pools": "there is a collection pools already"} {
		_, err := o.Start(bg, operations.StartRequest{Name: name, Words: []string{"coral"}, Seeds: []string{"http://a.example/"}})
		if want == "" && !errors.Is(err, os.ErrNotExist) || want != "" && (operations.KindOf(err) != operations.Conflict || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// TestSinksOfRequests checks that a request may send pages to a file in the folders that are served, and to nothing else.
func TestSinksOfRequests(t *testing.T) {
	dir := copied(t)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := noCrawls(t, dir)
	for sink, want := range map[string]bool{
		"jsonl:" + dir + "/pages.jsonl":               true,
		"jsonl:" + dir + "/out/pages.jsonl":           true,
		"jsonl:" + elsewhere + "/pages.jsonl":         false,
		"jsonl:" + dir + "/.bashrc":                   false,
		"jsonl:" + dir + "/.pages.jsonl":              false,
		"jsonl:" + dir + "/authorized_keys":           false,
		"jsonl:" + dir + "/../pages.jsonl":            false,
		"jsonl:" + dir + "/link/pages.jsonl":          false,
		"jsonl:" + dir + "/link":                      false,
		"jsonl:" + dir + "/pools.dowse/pages.jsonl":   false,
		"jsonl:" + dir + "/pools.dowse/state/x.jsonl": false,
		"jsonl:pages.jsonl":                           false,
		"jsonl:-":                                     false,
		"http://127.0.0.1:9200/pages":                 false,
		"opensearch+https://search.example/pages":     false,
		"nats://127.0.0.1:4222/pages":                 false,
	} {
		changes := map[string][]string{"sink": {sink}}
		_, first := o.Start(context.Background(), operations.StartRequest{Words: []string{"coral"}, Seeds: []string{"http://a.example/"}, Settings: changes})
		_, more := o.Continue(context.Background(), "pools", changes)
		for _, err := range []error{first, more} {
			if started := errors.Is(err, os.ErrNotExist); started != want || !want && operations.KindOf(err) != operations.Refused {
				t.Errorf("%s: got %v, want it to be accepted: %v", strings.ReplaceAll(sink, dir, "DIR"), err, want)
			}
		}
	}
}

// TestCommandOfATopicText starts a crawl of a topic that came as a text. Its command names a file that exists and has that
// topic, and not the temporary one that the process was started with.
func TestCommandOfATopicText(t *testing.T) {
	dir := copied(t)
	made := filepath.Join(dir, "reefs.dowse")
	o := over(t, operations.Config{Dirs: []string{dir}, Executable: program(t, `
mkdir -p "`+made+`" && for last; do :; done && cp "$last" "`+made+`/topic.yaml"
`)})
	const text = "dowse: topic/v1\nname: reefs\nwords: [coral]\n"
	job, err := o.Start(bg, operations.StartRequest{Topic: text, Seeds: []string{"http://a.example/"}})
	if err != nil {
		t.Fatal(err)
	}
	file := job.Command[strings.LastIndex(job.Command, " ")+1:]
	if got, err := os.ReadFile(file); err != nil || string(got) != text || !strings.HasPrefix(file, made) {
		t.Errorf("%s: %v, %q", job.Command, err, got)
	}
}
