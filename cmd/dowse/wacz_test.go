package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/archive"
	"dowse/weburl"
)

// TestWACZOpens exports a collection with pages in several versions, and opens it with the
// rules of one reader and the program of another.
func TestWACZOpens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.wacz")
	if code, _, errs := runHere("export", changedCollection(t), path); code != exitOK {
		t.Fatal(errs)
	}
	w := openWACZ(t, path)
	t.Run("pywb", w.testRules)
	t.Run("pages", w.testPages)
	t.Run("wabac", func(t *testing.T) { w.testWabac(t, path) })
}

// An openedWACZ is the files of a WACZ, and the captures that its index lists.
type openedWACZ struct {
	files    map[string][]byte
	captures []archive.Capture
}

// openWACZ reads a WACZ and checks its hashes.
func openWACZ(t *testing.T, path string) *openedWACZ {
	t.Helper()
	p, err := archive.VerifyWACZ(path)
	if err != nil || !p.OK() {
		t.Fatal(err, p)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	w := &openedWACZ{files: map[string][]byte{}}
	for _, f := range z.File {
		w.files[f.Name] = unzip(t, path, f.Name)
	}
	for line := range strings.Lines(string(gunzip(t, w.files["indexes/index.cdx.gz"]))) {
		c, err := archive.ParseCapture(line)
		if err != nil {
			t.Fatal(err, line)
		}
		w.captures = append(w.captures, c)
	}
	if len(w.captures) < 40 {
		t.Fatalf("%d captures", len(w.captures))
	}
	return w
}

// gunzip returns the content of all gzip members of data.
func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// testRules checks what pywb needs: an index that is named and sorted as it expects, keys
// in SURT form, base names of files, and places at which one record can be read alone.
func (w *openedWACZ) testRules(t *testing.T) {
	var d struct{ Profile string }
	if err := json.Unmarshal(w.files["datapackage.json"], &d); err != nil || d.Profile != "data-package" {
		t.Errorf("profile %q: %v", d.Profile, err)
	}
	lines := strings.SplitAfter(string(gunzip(t, w.files["indexes/index.cdx.gz"])), "\n")
	lines = lines[:len(lines)-1]
	shape := regexp.MustCompile(`^\S+ \d{14} \{"url":".*"\}\n$`)
	if !slices.IsSorted(lines) || slices.ContainsFunc(lines, func(l string) bool { return !shape.MatchString(l) }) {
		t.Error("the index is not sorted by bytes, or has other lines than captures")
	}
	for _, c := range w.captures {
		if c.Key != weburl.SURT(dowse.URL(c.URL)) {
			t.Errorf("%s has the key %s", c.URL, c.Key)
		}
		if err := w.checkCapture(c); err != nil {
			t.Errorf("%s at %s: %v", c.URL, c.At, err)
		}
	}
	w.testBlocks(t, lines[0])
}

// testBlocks checks the index of the blocks of the index.
func (w *openedWACZ) testBlocks(t *testing.T, first string) {
	list := strings.Split(strings.TrimSpace(string(w.files["indexes/index.idx"])), "\n")
	if list[0] != `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` || len(list) != 1+(len(w.captures)+299)/300 {
		t.Fatalf("%d blocks: %s", len(list)-1, list[0])
	}
	at := 0
	for i, line := range list[1:] {
		key, object, _ := strings.Cut(line, " {")
		var b struct {
			Offset, Length   int
			Digest, Filename string
		}
		if err := json.Unmarshal([]byte("{"+object), &b); err != nil || b.Offset != at || b.Filename != "index.cdx.gz" {
			t.Fatalf("%v: %s", err, line)
		}
		block := w.files["indexes/index.cdx.gz"][at : at+b.Length]
		sum := sha256.Sum256(block)
		if text := string(gunzip(t, block)); !strings.HasPrefix(text, key+" {") || b.Digest != "sha256:"+hex.EncodeToString(sum[:]) || i == 0 && !strings.HasPrefix(text, first) {
			t.Errorf("block %d: %s", i, line)
		}
		at += b.Length
	}
	if at != len(w.files["indexes/index.cdx.gz"]) {
		t.Errorf("the blocks end at %d of %d", at, len(w.files["indexes/index.cdx.gz"]))
	}
}

// checkCapture reads the record of a capture by its place alone and compares both.
func (w *openedWACZ) checkCapture(c archive.Capture) error {
	rec, body, err := w.record(c)
	if err != nil {
		return err
	}
	if rec.Target() != c.URL || rec.Date().Format("20060102150405") != c.At.Format("20060102150405") {
		return fmt.Errorf("the record is of %s at %s", rec.Target(), rec.Date())
	}
	if rec.Type() == "revisit" {
		return nil
	}
	sum := sha1.Sum(body)
	if digest := "sha1:" + base32.StdEncoding.EncodeToString(sum[:]); digest != c.Digest {
		return fmt.Errorf("digest %s, the index has %s", digest, c.Digest)
	}
	return nil
}

// record returns the record of a capture and the payload that it stores.
func (w *openedWACZ) record(c archive.Capture) (*archive.Record, []byte, error) {
	file := w.files["archive/"+c.Place.File]
	if int64(len(file)) < c.Place.Offset+c.Place.Length {
		return nil, nil, fmt.Errorf("no such place in %s", c.Place.File)
	}
	r := archive.NewReader(bytes.NewReader(file[c.Place.Offset : c.Place.Offset+c.Place.Length]))
	rec, err := r.Next()
	if err != nil {
		return nil, nil, err
	}
	resp, err := rec.Response()
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, err
	}
	if _, err := r.Next(); err != io.EOF {
		return nil, nil, fmt.Errorf("more than one record: %v", err)
	}
	return rec, body, nil
}

// testPages checks that every page of the lists is in the index at its time, and has a text.
func (w *openedWACZ) testPages(t *testing.T) {
	there := map[string]bool{}
	for _, c := range w.captures {
		there[c.At.Format("20060102150405")+" "+c.URL] = true
	}
	pages := append(w.pages(t, "pages/pages.jsonl"), w.pages(t, "pages/extraPages.jsonl")...)
	if len(pages) != 40 {
		t.Errorf("%d pages", len(pages))
	}
	for _, p := range pages {
		if !there[stampOf(p.TS)+" "+p.URL] || p.Text == "" {
			t.Errorf("%s at %s is not in the index, or has no text", p.URL, p.TS)
		}
	}
}

// stampOf returns a time of a list of pages as indexes have it.
func stampOf(ts string) string {
	return strings.NewReplacer("-", "", "T", "", ":", "").Replace(ts)[:14]
}

// A listedPage is a line of a list of pages.
type listedPage struct{ URL, TS, Title, Text string }

// pages returns the lines of a list of pages without its header.
func (w *openedWACZ) pages(t *testing.T, name string) (list []listedPage) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(string(w.files[name])), "\n") {
		var p listedPage
		if err := json.Unmarshal([]byte(line), &p); err != nil || i == 0 && !strings.Contains(line, `"hasText":true`) {
			t.Fatal(err, line)
		}
		if i > 0 {
			list = append(list, p)
		}
	}
	return list
}

// testWabac opens the WACZ with the engine of ReplayWeb.page, which must list its pages and
// answer for each capture with the version of its time.
func (w *openedWACZ) testWabac(t *testing.T, path string) {
	var ask bytes.Buffer
	want := map[string]string{}
	for _, c := range w.captures {
		rec, body, err := w.record(c)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type() == "response" && c.Status == 200 {
			sum := sha256.Sum256(body)
			key := c.At.Format("20060102150405") + "/" + c.URL
			want[key] = hex.EncodeToString(sum[:])
			fmt.Fprintln(&ask, key)
		}
	}
	got := runWabac(t, path, &ask)
	main := w.pages(t, "pages/pages.jsonl")
	if len(got.Problems) > 0 || len(got.Pages) != len(main) || got.TextIndex == "" {
		t.Fatalf("%d pages of %d, text index %q: %v", len(got.Pages), len(main), got.TextIndex, got.Problems)
	}
	listed := map[string]listedPage{}
	for _, p := range main {
		listed[p.URL] = p
	}
	for _, p := range got.Pages {
		if l := listed[p.URL]; p.Title != l.Title || p.Text != l.Text || p.At != stampOf(l.TS) {
			t.Errorf("page %s at %s: %q", p.URL, p.At, p.Title)
		}
	}
	for key, sum := range want {
		if a := got.Answers[key]; a == nil || a.Status != 200 || a.SHA256 != sum || !strings.HasPrefix(key, a.At) {
			t.Errorf("%s: %+v", key, a)
		}
	}
}

// wabacOutput is what testdata/wabac/open.mjs prints.
type wabacOutput struct {
	Pages   []struct{ URL, Title, Text, At string }
	Answers map[string]*struct {
		Status     int
		At, SHA256 string
	}
	Problems  []string
	TextIndex string
}

// runWabac opens a WACZ with wabac. The package is installed once, by npm, into the cache of
// the user: its licence does not allow to make it a part of this module. The test is skipped
// where node or the registry can't be reached.
func runWabac(t *testing.T, path string, ask io.Reader) (out wabacOutput) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) }))
	defer server.Close()
	var text, problems bytes.Buffer
	cmd := exec.Command("node", filepath.Join(installNode(t, "wabac"), "open.mjs"), server.URL+"/x.wacz")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ask, &text, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &problems)
	}
	if err := json.Unmarshal(text.Bytes(), &out); err != nil {
		t.Fatalf("%v in %d bytes", err, text.Len())
	}
	return out
}

// usersCache is the cache of the user, as it is before TestMain gives the tests another home.
var usersCache = func() (c struct {
	dir, home string
	err       error
}) {
	c.home = os.Getenv("HOME")
	c.dir, c.err = os.UserCacheDir()
	return c
}()

// installNode returns a folder in which the open.mjs of a folder of testdata can run.
func installNode(t *testing.T, folder string) string {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs node and the npm registry:", err)
		}
	}
	if usersCache.err != nil {
		t.Skip("needs a cache folder:", usersCache.err)
	}
	sum := sha256.New()
	for _, name := range []string{"package.json", "open.mjs"} {
		data, err := os.ReadFile(filepath.Join("testdata", folder, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(data)
	}
	dir := filepath.Join(usersCache.dir, "dowse-tests", folder+"-"+hex.EncodeToString(sum.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		t.Skip("needs a cache folder:", err)
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-*")
	if err != nil {
		t.Skip("needs a cache folder:", err)
	}
	defer os.RemoveAll(part)
	if err := os.CopyFS(part, os.DirFS(filepath.Join("testdata", folder))); err != nil {
		t.Fatal(err)
	}
	npm := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline")
	npm.Dir, npm.Env = part, append(os.Environ(), "HOME="+usersCache.home)
	if text, err := npm.CombinedOutput(); err != nil {
		t.Skipf("needs node and the npm registry: %v: %s", err, text)
	}
	if err := os.Rename(part, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // another test may have been faster
			t.Fatal(err)
		}
	}
	return dir
}
