package crawler_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/demo"
	"dowse/internal/requisite"
	"dowse/settings"
	"dowse/topic"
)

// warcRecord returns a record as another program could write it.
func warcRecord(version, kind, url, date, block string, fields ...string) string {
	head := fmt.Sprintf("WARC/%s\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n", version, kind, url)
	if date != "" {
		head += "WARC-Date: " + date + "\r\n"
	}
	if len(fields) == 0 || !strings.Contains(strings.Join(fields, "\n"), "WARC-Record-ID") {
		head += fmt.Sprintf("WARC-Record-ID: <urn:test:%s:%s:%s>\r\n", kind, url, date)
	}
	for _, f := range fields {
		head += f + "\r\n"
	}
	return head + fmt.Sprintf("Content-Type: application/http;msgtype=%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, len(block), block)
}

// answer returns an HTTP answer.
func answer(kind, body string, fields ...string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n" + body
}

func reefPage(title, more string) string {
	return "<html lang=en><title>" + title + "</title><body>The coral reef and its coral. " + more + " <a href=/next>coral reef</a> <img src=/a.png></body></html>"
}

// zip1 compresses text as one gzip member.
func zip1(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// brotlied compresses text.
func brotlied(text string) string {
	var b bytes.Buffer
	z := brotli.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func writeTo(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// imported imports files and opens the collection.
func imported(t *testing.T, files ...string) (*crawler.Salvaged, *crawler.Crawler) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "x.dowse")
	s, err := crawler.Import(t.Context(), files, out, crawler.SalvageConfig{Topic: topic.FromWords([]string{"coral", "reef"})})
	if err != nil {
		t.Fatal(err)
	}
	return s, viewed(t, out)
}

// viewed opens a collection, which must be sound.
func viewed(t *testing.T, dir string) *crawler.Crawler {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	v, err := c.Collection.Verify(collection.VerifyOptions{})
	if err != nil || !v.OK() {
		t.Fatalf("%v: %v", err, v.Problems)
	}
	return c
}

// rowOf returns the row of a page.
func rowOf(t *testing.T, c *crawler.Crawler, u dowse.URL) *collection.Row {
	t.Helper()
	for row, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if row.URL == u {
			return row
		}
	}
	t.Fatalf("no page %s", u)
	return nil
}

// TestImport imports what other programs write, in all the ways that they do.
func TestImport(t *testing.T) {
	sameGoroutines(t)
	const day, later = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00.5Z"
	chunked := "7\r\n<html> \r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(reefPage("Chunks", "")), reefPage("Chunks", ""))
	first := zip1(warcRecord("1.0", "warcinfo", "", day, "")) +
		zip1(warcRecord("1.0", "response", "<http://a.test/page>", later, answer("text/html", reefPage("New", "new words")))) +
		zip1(warcRecord("1.0", "response", "http://a.test/chunked", day, answer("text/html", chunked, "Transfer-Encoding: chunked"))) +
		zip1(warcRecord("1.0", "response", "http://a.test/same", day, answer("text/html", reefPage("Same", "")), "WARC-Payload-Digest: sha1:SAME")) +
		zip1(warcRecord("1.0", "request", "http://a.test/post", day, "POST /post HTTP/1.1\r\n\r\n", "WARC-Record-ID: <urn:r>")) +
		zip1(warcRecord("1.0", "response", "http://a.test/post", day, answer("text/html", reefPage("Posted", "")), "WARC-Concurrent-To: <urn:r>")) +
		zip1(warcRecord("1.0", "response", "http://a.test/a.png", day, answer("image/png", "PNG"))) +
		zip1(warcRecord("1.0", "response", "dns:a.test", day, "a.test. 1 IN A 192.0.2.1")) +
		zip1(warcRecord("1.0", "response", "http://a.test/robots.txt", day, answer("text/plain", "User-agent: *\n")))
	second := warcRecord("1.1", "response", "http://a.test/page", day, answer("text/html", reefPage("Old", "old words"))) +
		warcRecord("1.1", "response", "http://a.test/brotli", day, answer("text/html", brotlied(reefPage("Brotli", "")), "Content-Encoding: br")) +
		warcRecord("1.1", "revisit", "http://a.test/again", later, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "WARC-Payload-Digest: sha1:SAME", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest") +
		warcRecord("1.1", "resource", "urn:text:http://a.test/page", day, "text")
	a, b := writeTo(t, "first.warc.gz", first), writeTo(t, "second.warc", second)
	s, c := imported(t, a, b)
	if s.Pages != 5 || s.Answers != 6 || s.Requisites != 1 || s.Lost() != 0 || s.OnTopic != 5 || s.Passed["answers to other requests than GET"] != 1 {
		t.Errorf("%+v", s)
	}
	for u, want := range map[dowse.URL][2]string{
		"http://a.test/page": {"New", "from first.warc.gz, offset "}, "http://a.test/chunked": {"Chunks", "from first.warc.gz"},
		"http://a.test/brotli": {"Brotli", "from second.warc"}, "http://a.test/again": {"Same", "from second.warc"},
	} {
		row := rowOf(t, c, u)
		if row.Title != want[0] || !strings.HasPrefix(row.Detail, want[1]) || !row.OnTopic {
			t.Errorf("%s: %q, %q", u, row.Title, row.Detail)
		}
		if body, _, err := c.Collection.Body(row.Page); err != nil || !strings.Contains(string(body), "<title>"+want[0]) {
			t.Errorf("%s: %v: %s", u, err, body)
		}
	}
	if row := rowOf(t, c, "http://a.test/page"); row.Fetch.At.Format("2006-01-02T15:04:05.0Z") != later {
		t.Errorf("fetched at %s", row.Fetch.At)
	}
	why, err := c.Collection.Why("http://a.test/page")
	if err != nil || len(why.Versions) != 2 || why.Versions[0].Title != "Old" {
		t.Errorf("%v: versions %+v", err, why.Versions)
	}
	if !c.Status().Books.Balanced() || c.Status().Books.Queued != 1 {
		t.Errorf("books %+v", c.Status().Books)
	}
	row := rowOf(t, c, "http://a.test/page")
	var offset int64
	fmt.Sscanf(row.Detail, "from first.warc.gz, offset %d", &offset)
	rec, err := archive.At(a, offset)
	if err != nil || rec.Target() != "http://a.test/page" {
		t.Errorf("nothing at offset %d: %v", offset, err)
	} else {
		rec.Close()
	}
}

// TestImportPacked imports files that can't be read by the places of their records.
func TestImportPacked(t *testing.T) {
	sameGoroutines(t)
	records := warcRecord("1.0", "response", "http://a.test/1", "2020-01-01T00:00:00Z", answer("text/html", reefPage("One", ""))) +
		warcRecord("1.0", "response", "http://a.test/2", "2020-01-01T00:00:01Z", answer("text/html", reefPage("Two", "other words")))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"archive/one.warc", "archive/../../../two.warc.gz", "elsewhere/three.warc"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, strings.ReplaceAll(records, "a.test", strings.ReplaceAll(filepath.Base(name), ".", "-")+".test"))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		text  string
		pages int
	}{"member.warc.gz": {zip1(records), 2}, "torn.warc.gz": {zip1(records)[:len(zip1(records))-30], 1}, "x.wacz": {b.String(), 4}} {
		s, c := imported(t, writeTo(t, name, x.text))
		if s.Pages != x.pages || s.Lost() != map[bool]int{true: 1}[name == "torn.warc.gz"] {
			t.Errorf("%s: %+v", name, s)
		}
		c.Close()
	}
}

// TestImportDamaged checks that damage costs the damaged record, and is reported with its place.
func TestImportDamaged(t *testing.T) {
	sameGoroutines(t)
	var files strings.Builder
	var at int
	for i := range 3 {
		text := zip1(warcRecord("1.0", "response", fmt.Sprintf("http://a.test/%d", i), "2020-01-01T00:00:00Z", answer("text/html", reefPage(fmt.Sprint(i), fmt.Sprint("word", i)))))
		if i == 1 {
			at = files.Len()
			text = text[:20] + "XXXXXXXX" + text[28:]
		}
		files.WriteString(text)
	}
	s, _ := imported(t, writeTo(t, "x.warc.gz", files.String()))
	if s.Pages != 2 || len(s.Unreadable) != 1 || s.Unreadable[0].Offset != int64(at) || s.Unreadable[0].File != "x.warc.gz" {
		t.Errorf("damage at %d: %+v", at, s)
	}
	for name, text := range map[string]string{"x.txt": "hello", "empty.warc": "", "x.wacz": "PK\x03\x04", "x.arc": "filedesc://x 0.0.0.0 2006 text/plain 1\n", "page.warc": warcRecord("1.0", "warcinfo", "", "", "")} {
		out := filepath.Join(t.TempDir(), "y.dowse")
		_, err := crawler.Import(t.Context(), []string{writeTo(t, name, text)}, out, crawler.SalvageConfig{Topic: topic.FromWords([]string{"coral"})})
		if err == nil || !strings.Contains(err.Error(), "import") {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) > 0 {
			t.Errorf("%s: it left %v", name, left)
		}
	}
}

// What is no WARC, or none that can be read, is refused with what it is.
func TestImportOfOtherFiles(t *testing.T) {
	sameGoroutines(t)
	zipped := func(parts ...string) string {
		var b bytes.Buffer
		for _, part := range parts {
			z := gzip.NewWriter(&b)
			io.WriteString(z, part)
			z.Close()
		}
		return b.String()
	}
	const head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: 40\r\n\r\n"
	for want, content := range map[string]string{
		"begins as WARC, and no record is whole":  zipped(head, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "x\r\n\r\n"),
		"but ARC, the format before":              "filedesc://a.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 Tool\n\n",
		"ARC, the format before; convert it":      zipped("filedesc://a.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 Tool\n\n"),
		"not a WARC or WACZ file":                 "<html>",
		"no record is the answer of a web server": "WARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: 18\r\n\r\nGET / HTTP/1.0\r\n\r\n\r\n\r\n",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := crawler.Import(t.Context(), []string{file}, filepath.Join(dir, "a.dowse"), crawler.SalvageConfig{Topic: &topic.Topic{Name: "reef", Words: []string{"reef"}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", content, err, want)
		}
		if names, _ := os.ReadDir(dir); len(names) != 1 {
			t.Errorf("%.20q: left behind %v", content, names)
		}
	}
}

// TestImportGoesOn checks that what follows damage in a file is read, however the file is compressed, and
// that the damage is reported with its offset. huge is a record that claims more bytes than any file has.
func TestImportGoesOn(t *testing.T) {
	sameGoroutines(t)
	page := func(i int) string {
		return warcRecord("1.0", "response", fmt.Sprintf("http://a.test/%d", i), "2020-01-01T00:00:00Z", answer("text/html", reefPage(fmt.Sprint(i), fmt.Sprint("word", i))))
	}
	huge := strings.Replace(page(9), "Content-Length: ", "Content-Length: 1000000000000000000\r\nX-Length: ", 1)
	whole := zip1(page(1) + page(2))
	for name, x := range map[string]struct {
		text   string
		pages  int
		file   string // of the damage, "" for none
		offset int
	}{
		"members.warc.gz": {whole + zip1(page(3)+page(4)), 4, "", 0},
		"single.warc.gz":  {whole + zip1(page(3)) + zip1(page(4)), 4, "", 0},
		"mixed.warc.gz":   {zip1(page(3)) + whole + page(4), 4, "", 0},
		"junk.warc.gz":    {whole + "junk, and more of it" + zip1(page(3)+page(4)), 4, "junk.warc.gz", len(whole)},
		"torn.warc.gz":    {whole + whole[:len(whole)-40] + zip1(page(3)), 3, "torn.warc.gz", len(whole)},
		"plain.warc":      {page(1) + huge + page(2) + page(3), 3, "plain.warc", len(page(1))},
		"first.warc":      {huge + page(2) + page(3), 2, "first.warc", 0},
		"record.warc.gz":  {zip1(page(1)) + zip1(huge) + zip1(page(2)), 2, "record.warc.gz", len(zip1(page(1)))},
		"inside.warc.gz":  {zip1(page(1) + huge + page(2)), 2, "inside.warc.gz, unpacked", len(page(1))},
		"before.warc.gz":  {zip1(page(1)) + zip1(huge+page(2)+page(3)), 3, fmt.Sprintf("before.warc.gz, unpacked from offset %d", len(zip1(page(1)))), 0},
	} {
		s, c := imported(t, writeTo(t, name, x.text))
		if s.Pages != x.pages {
			t.Errorf("%s: %d pages, want %d", name, s.Pages, x.pages)
		}
		switch {
		case x.file == "" && s.Lost() == 0:
		case x.file != "" && s.Lost() == 1 && s.Unreadable[0].File == x.file && s.Unreadable[0].Offset == int64(x.offset):
		default:
			t.Errorf("%s: lost %+v, want %q at %d", name, s.Unreadable, x.file, x.offset)
		}
		c.Close()
	}
}

// TestImportUndated imports answers whose records have no date or one that is none: they have that of
// the record before, and each is reported with its place.
func TestImportUndated(t *testing.T) {
	sameGoroutines(t)
	page := func(path, date string) string {
		return warcRecord("1.0", "response", "http://a.test"+path, date, answer("text/html", reefPage(path, "words of "+path)))
	}
	dated, without := page("/1", "2020-01-01T00:00:00Z"), page("/2", "")
	s, c := imported(t, writeTo(t, "x.warc", dated+without+page("/3", "yesterday")+page("/4", "2020-01-02T00:00:00Z")))
	if s.Pages != 4 || s.Lost() != 0 || s.UndatedAll != 2 || len(s.Undated) != 2 {
		t.Fatalf("%+v", s)
	}
	for i, want := range []int{len(dated), len(dated + without)} {
		if l := s.Undated[i]; l.File != "x.warc" || l.Offset != int64(want) || !strings.Contains(l.Why, "WARC-Date") {
			t.Errorf("%+v, want offset %d", l, want)
		}
	}
	if at := rowOf(t, c, "http://a.test/3").Fetch.At.Format(time.DateOnly); at != "2020-01-01" {
		t.Errorf("it has the date %s", at)
	}
}

// TestImportContinues checks that a crawl continues from an import, and that a takedown removes what
// only its page uses.
func TestImportContinues(t *testing.T) {
	sameGoroutines(t)
	records := warcRecord("1.0", "response", "http://a.test/1", "2020-01-01T00:00:00Z", answer("text/html", reefPage("One", ""))) +
		warcRecord("1.0", "response", "http://a.test/a.png", "2020-01-01T00:00:01Z", answer("image/png", "PNG"))
	_, c := imported(t, writeTo(t, "x.warc", records))
	dir := c.Collection.Dir
	if totals, err := requisite.TotalsOf(dir); err != nil || totals.Kept != 1 {
		t.Errorf("%v: %+v", err, totals)
	}
	c.Close()
	again, err := crawler.Open(dir, crawler.Config{Transport: demo.New(demo.Config{Latency: -1, SlowLatency: -1}).RoundTripper()})
	if err != nil {
		t.Fatal(err)
	}
	for range again.Crawl(context.Background()) {
	}
	if err := errors.Join(again.Err(), again.Close()); err != nil {
		t.Fatal(err)
	}
	if b := again.Status().Books; b.Fetched != 1 || b.Queued != 0 || b.Known != 2 {
		t.Errorf("it did not go on: %+v", b)
	}
	if _, err := crawler.Forget(dir, collection.Takedown{URLs: []dowse.URL{"http://a.test/1"}, Why: "asked"}); err != nil {
		t.Fatal(err)
	}
	if totals, err := requisite.TotalsOf(dir); err != nil || totals.Kept != 0 {
		t.Errorf("%v: %+v", err, totals)
	}
	viewed(t, dir)
}

// TestImportAfterAKilledOne checks that an unfinished collection of a killed process does not prevent the next
// import, that one of a running process does, and that an import that fails leaves nothing.
func TestImportAfterAKilledOne(t *testing.T) {
	sameGoroutines(t)
	record := recorded("/coral", "2020-01-01T00:00:00Z", "Coral", "coral and coral")
	file := writeTo(t, "a.warc", record)
	out := filepath.Join(t.TempDir(), "new.dowse")
	if err := os.Rename(importAs(t, "killed.dowse", []string{"coral"}, record), out+".part"); err != nil {
		t.Fatal(err)
	}
	cfg := crawler.SalvageConfig{Topic: topic.FromWords([]string{"coral"})}
	c, err := crawler.Open(out+".part", crawler.Config{Settings: settings.Settings{Identity: settings.Identity{Contact: "mailto:me@example.org"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := crawler.Import(t.Context(), []string{file}, out, cfg); !errors.Is(err, crawler.ErrUnfinished) {
		t.Errorf("while another process works there: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := cfg
	stopped.Progress = func(what string, done, _ int64) {
		if what == "answers" {
			cancel()
		}
	}
	if _, err := crawler.Import(ctx, []string{file}, out, stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("an import that is ended: %v", err)
	}
	if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
		t.Errorf("an import that was ended left %v", left)
	}
	if s, err := crawler.Import(t.Context(), []string{file}, out, cfg); err != nil || s.Pages != 1 {
		t.Errorf("%v: %+v", err, s)
	}
}
