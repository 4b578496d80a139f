package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
)

// TestPortal checks that crawls on a web with hubs begin at the hub that most hubs link
// to, in addition to their own seeds, since no other page leads there.
func TestPortal(t *testing.T) {
	dir := t.TempDir()
	pages, labels := map[string]string{}, "url\ttopic\n"
	for i := range 8 {
		u := fmt.Sprintf("http://a.test/page-%d", i)
		pages[u] = fmt.Sprintf(`<p>coral and reefs %d</p><a href="/page-%d">next</a>`, i, (i+1)%8)
		if i < 5 {
			labels += u + "\tTop/Reefs\n"
		} else {
			labels += u + "\tTop/Other\n"
		}
	}
	hubs := map[string]string{
		"http://a.test/index": `<a href="/index/reefs">reefs</a><a href="/index/other">other</a>`,
	}
	for _, name := range []string{"reefs", "other", "another"} {
		hubs["http://a.test/index/"+name] = `<a href="/index">all</a><a href="/page-2">page</a>`
	}
	writeWARC(t, filepath.Join(dir, "a.warc"), pages)
	writeWARC(t, filepath.Join(dir, "hubs.warc"), hubs)
	if err := os.WriteFile(filepath.Join(dir, "labels.tsv"), []byte(labels), 0o644); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("dowse: lab/v1\nname: x\nweb: {path: %[1]s/a.warc, hubs: %[1]s/hubs.warc, labels: %[1]s/labels.tsv}\n"+
		"topics: [Top/Reefs]\ntraining: {positives: 2, negatives: 2}\nseeds: {per_topic: 1, sets: 2}\nstrategies: [breadth-first]\n", filepath.ToSlash(dir))
	r, err := plan(t.Context(), parsed(t, text), Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for _, j := range r.jobs {
		topic := j.task.(*task)
		seeds := topic.urls(topic.seeds(j.set, ""))
		if len(seeds) != 2 || seeds[1] != "http://a.test/index" {
			t.Errorf("crawls begin at %v, want a page on topic and the index", seeds)
		}
		trail, err := topic.crawl(t.Context(), j.variant, j.set)
		if err != nil {
			t.Fatal(err)
		}
		var came []dowse.URL
		for _, s := range trail.Steps.All() {
			came = append(came, s.URL)
		}
		if got := fmt.Sprint(came); !strings.Contains(got, "/index/reefs") || strings.Contains(got, "another") {
			t.Errorf("visited %v, want the hubs to which links lead", came)
		}
	}
}

// writeWARC writes pages as a file of plain records.
func writeWARC(t *testing.T, path string, pages map[string]string) {
	t.Helper()
	var b strings.Builder
	for u, body := range pages {
		body = "<html><body>" + body + "</body></html>"
		http := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		fmt.Fprintf(&b, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%08x-0000-4000-8000-000000000000>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"+
			"WARC-Target-URI: %s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", b.Len(), u, len(http), http)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
