package sink_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/sink"
)

func TestParse(t *testing.T) {
	for _, name := range []string{
		"jsonl:-", "jsonl:/tmp/a b.jsonl", "jsonl:a.jsonl#pages=all", "http://127.0.0.1:9/in?collection=reefs", "https://example.org/in#text=none&pages=all&respect=tdm,ai",
		"opensearch+https://search.example:9200/reefs", "opensearch+http://search.example/prefix/reefs-2#template=none", "nats://127.0.0.1:4222/crawl.pages", "nats+tls://nats.example/pages",
	} {
		if s, err := sink.Parse(name); err != nil || s.Text != name {
			t.Errorf("%s: got %q, %v", name, s.Text, err)
		}
	}
	for name, want := range map[string]string{
		"reefs.jsonl":                            "want jsonl:FILE",
		"jsonl:":                                 "the file is missing",
		"kafka://host/topic":                     `unknown kind "kafka"`,
		"https:///in":                            "the host is missing",
		"https://me:hunter2@example.org/in":      "credentials in the URL",
		"https://example.org/in?api_key=hunter2": `"api_key" looks like a credential`,
		"https://example.org/in?X-Sig=hunter2":   `"X-Sig" looks like a credential`,
		"opensearch+https://example.org":         "the index is missing",
		"opensearch+https://example.org/Reefs":   "is no name of an index",
		"opensearch+https://example.org/_all":    "is no name of an index",
		"nats://example.org":                     "want nats://HOST/SUBJECT",
		"nats://example.org/pages.>":             "want nats://HOST/SUBJECT",
		"https://example.org/in#pages=some":      "option pages",
		"https://example.org/in#text=markdown":   "option text",
		"https://example.org/in#txt=main":        `unknown option "txt"`,
		"jsonl:x#template=none":                  "option template",
	} {
		_, err := sink.Parse(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error has the credential: %v", name, err)
		}
	}
	if _, err := sink.ParseAll([]string{"jsonl:a", "jsonl:a"}); err == nil {
		t.Error("a sink that is named twice is no error")
	}
	here, _ := os.Getwd()
	for name, want := range map[string]string{
		"jsonl:a.jsonl#text=none": "jsonl:" + filepath.Join(here, "a.jsonl") + "#text=none", "jsonl:-": "jsonl:-", "jsonl:-#text=none": "jsonl:-#text=none",
		"jsonl:/a": "jsonl:/a", "https://a/b": "https://a/b",
	} {
		if got := sink.Absolute(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
