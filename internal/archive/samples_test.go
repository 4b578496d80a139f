package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/shareddata"
)

const (
	sampleDir = "../../../shared/data/warc"
	suiteDir  = "../../../shared/suites/warc/test/data"
)

func sample(t testing.TB, path string) []byte {
	t.Helper()
	return shareddata.Read(t, strings.TrimPrefix(path, "../../../shared/"))
}

// TestSamples reads the files of other writers: how many records there are, as
// counted by their WARC-Type lines, and what is wrong with the broken ones. In
// example-wrong-chunks a record goes over three gzip members.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	for _, c := range []struct {
		path    string
		records int
		broken  error
		at      int64
	}{
		{sampleDir + "/aut-docs.warc.gz", 21, nil, 0},
		{sampleDir + "/aut-example.warc.gz", 822, nil, 0},
		{sampleDir + "/cc-whirlwind.warc", 4, nil, 0},
		{sampleDir + "/cc-whirlwind.warc.gz", 4, nil, 0},
		{sampleDir + "/iipc-IAH-urls-wget.warc", 36, nil, 0},
		{sampleDir + "/resiliparse-cc.warc.gz", 50, nil, 0},
		{sampleDir + "/ukwa-govuk1.warc.gz", 190, nil, 0},
		{sampleDir + "/ukwa-govuk2-revisit.warc.gz", 190, nil, 0},
		{sampleDir + "/ukwa-monalisa.warc.gz", 82, nil, 0},
		{sampleDir + "/warcio-example.warc.gz", 6, nil, 0},
		{suiteDir + "/example.warc", 6, nil, 0},
		{suiteDir + "/example.warc.gz", 6, nil, 0},
		{suiteDir + "/example-digest.warc", 4, nil, 0},
		{suiteDir + "/example-iana.org-chunked.warc", 3, nil, 0},
		{suiteDir + "/example-resource.warc.gz", 3, nil, 0},
		{suiteDir + "/example-space-in-target-uri.warc.gz", 2, nil, 0},
		{suiteDir + "/example-wget-bad-target-uri.warc.gz", 6, nil, 0},
		{suiteDir + "/example-wrong-chunks.warc.gz", 0, io.ErrUnexpectedEOF, 0},
		{suiteDir + "/example-bad-non-chunked.warc.gz", 6, nil, 0},
		{suiteDir + "/post-test.warc.gz", 6, nil, 0},
		{suiteDir + "/example-trunc.warc", 3, errTerminal, 1197},
		{suiteDir + "/example-bad.warc.gz.bad", 6, nil, 0},
		{suiteDir + "/example.arc", 0, errNotWARC, 0},
		{suiteDir + "/example.arc.gz", 0, errNotWARC, 0},
		{suiteDir + "/example-space-in-url.arc", 0, errNotWARC, 0},
		{suiteDir + "/bad.arc", 0, errNotWARC, 0},
	} {
		recs, _, err := read(bytes.NewReader(sample(t, c.path)))
		if len(recs) != c.records || !errors.Is(err, c.broken) {
			t.Errorf("%s: %d records (%s), %v; want %d, %v", filepath.Base(c.path), len(recs), kinds(recs), err, c.records, c.broken)
		}
		if c.broken == nil {
			continue
		}
		var damage *DamageError
		if !errors.As(err, &damage) || damage.Offset != c.at {
			t.Errorf("%s: %v, want offset %d", filepath.Base(c.path), err, c.at)
		}
	}
}

// TestSamplesInOneMember reads the same files compressed as a whole.
func TestSamplesInOneMember(t *testing.T) {
	for _, name := range []string{"cc-whirlwind.warc", "iipc-IAH-urls-wget.warc"} {
		plain := sample(t, filepath.Join(sampleDir, name))
		want, wantBlocks, err := read(bytes.NewReader(plain))
		check(t, err)
		path := filepath.Join(t.TempDir(), "whole.warc.gz")
		var b bytes.Buffer
		gz := gzip.NewWriter(&b)
		gz.Write(plain)
		check(t, gz.Close())
		check(t, os.WriteFile(path, b.Bytes(), 0o666))

		got, blocks := readFile(t, path)
		if kinds(got) != kinds(want) || strings.Join(blocks, "") != strings.Join(wantBlocks, "") {
			t.Errorf("%s: %s, want %s", name, kinds(got), kinds(want))
		}
		sameWeb(t, path, filepath.Join(sampleDir, name))
	}
}

// sameWeb compares two recorded webs page by page.
func sameWeb(t *testing.T, a, b string) {
	t.Helper()
	x, err := OpenWeb(a)
	check(t, err)
	defer x.Close()
	y, err := OpenWeb(b)
	check(t, err)
	defer y.Close()
	if x.Len() != y.Len() || x.Len() == 0 {
		t.Fatalf("%d and %d URLs", x.Len(), y.Len())
	}
	for u := range x.URLs() {
		if p, q := fetched(t, x, string(u)), fetched(t, y, string(u)); p != q {
			t.Errorf("%s differs: %d and %d bytes", u, len(p), len(q))
		}
	}
}

func fetched(t testing.TB, rt http.RoundTripper, u string) string {
	t.Helper()
	req, err := http.NewRequest("GET", u, nil)
	check(t, err)
	resp, err := rt.RoundTrip(req)
	check(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%s: %v", u, err)
	}
	return resp.Status + "\n" + string(b)
}

// TestSamplesReplay asks for everything that was recorded.
func TestSamplesReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	paths, err := filepath.Glob(shareddata.Path(t, "data", "warc") + "/*")
	check(t, err)
	for _, path := range paths {
		web, err := OpenWeb(path)
		check(t, err)
		if len(web.Damage) > 0 {
			t.Error(web.Damage)
		}
		bytes := 0
		for u := range web.URLs() {
			bytes += len(fetched(t, web, string(u)))
		}
		t.Logf("%s: %d URLs, %d bytes", filepath.Base(path), web.Len(), bytes)
		check(t, web.Close())
	}
}

// TestSamplesAreSound checks the digests that other writers wrote.
func TestSamplesAreSound(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	paths, err := filepath.Glob(shareddata.Path(t, "data", "warc") + "/*")
	check(t, err)
	for _, path := range paths {
		r := sound(t, path)
		t.Logf("%s: %d records, %d digests", r.File, r.Records, r.Digests)
	}
}

func TestSamplesCutAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	for _, name := range []string{"example.warc", "example.warc.gz", "example-iana.org-chunked.warc"} {
		whole := sample(t, filepath.Join(suiteDir, name))
		all, _, err := read(bytes.NewReader(whole))
		check(t, err)
		for n := range whole {
			recs, _, err := read(bytes.NewReader(whole[:n]))
			if len(recs) > len(all) || err == nil && len(recs) == len(all) && n < len(whole)-4 {
				t.Fatalf("%s cut at %d: %d records, %v", name, n, len(recs), err)
			}
		}
	}
}
