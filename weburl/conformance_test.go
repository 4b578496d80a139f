package weburl_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"dowse/internal/shareddata"
	"dowse/weburl"
)

// suite reads a file of the shared conformance suites, or skips the test.
func suite(t *testing.T, name ...string) []byte {
	t.Helper()
	return shareddata.Read(t, append([]string{"suites"}, name...)...)
}

// pairs reads a JSON object of strings, which may be null.
func pairs(t *testing.T, b []byte) map[string]*string {
	t.Helper()
	var m map[string]*string
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The URL tests of the web platform: every case of every scheme.
func TestHrefConformsToWebPlatformTests(t *testing.T) {
	var raw []json.RawMessage
	if err := json.Unmarshal(suite(t, "url", "urltestdata.json"), &raw); err != nil {
		t.Fatal(err)
	}
	cases, good := 0, 0
	for _, r := range raw {
		var c struct {
			Input   string
			Base    *string
			Href    string
			Failure bool
		}
		if json.Unmarshal(r, &c) != nil {
			continue // a comment
		}
		base := ""
		if c.Base != nil {
			base = *c.Base
		}
		cases++
		got, err := weburl.Href(c.Input, base)
		if (err != nil) == c.Failure && got == c.Href {
			good++
			continue
		}
		t.Errorf("Href(%q, %q) = %q, %v; want %q, failure %v", c.Input, base, got, err, c.Href, c.Failure)
	}
	t.Logf("%d of %d", good, cases)
	if cases < 800 {
		t.Errorf("only %d cases in the suite", cases)
	}
}

// International names, in URLs with a host.
func TestHrefMapsDomainsToASCII(t *testing.T) {
	var raw []json.RawMessage
	if err := json.Unmarshal(suite(t, "url", "toascii.json"), &raw); err != nil {
		t.Fatal(err)
	}
	cases, good := 0, 0
	for _, r := range raw {
		var c struct {
			Input  string
			Output *string
		}
		if json.Unmarshal(r, &c) != nil {
			continue
		}
		want := ""
		if c.Output != nil {
			want = "https://" + *c.Output + "/x"
		}
		cases++
		got, err := weburl.Href("https://"+c.Input+"/x", "")
		if got != want {
			t.Errorf("host %q: %q, %v; want %q", c.Input, got, err, want)
			continue
		}
		good++
	}
	t.Logf("%d of %d", good, cases)
}

func TestDomainConformsToPublicSuffixList(t *testing.T) {
	cases := 0
	lines := bufio.NewScanner(strings.NewReader(string(suite(t, "domain", "tests.txt"))))
	for lines.Scan() {
		host, want, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.HasPrefix(host, "//") {
			continue
		}
		cases++
		if want == "null" {
			want = ""
		}
		if got, want := domainOf(host), asciiHost(want); got != want {
			t.Errorf("domain of %q = %q, want %q", host, got, want)
		}
	}
	if cases != 78 {
		t.Errorf("%d cases, want 78", cases)
	}
}

func domainOf(host string) string { return weburl.Domain(asciiHost(host)) }

// asciiHost returns the canonical host, "" if it is not valid.
func asciiHost(host string) string {
	if host == "null" {
		return ""
	}
	u, err := weburl.Parse("http://" + host + "/")
	if err != nil {
		return ""
	}
	return weburl.Hostname(u)
}

func TestParseReadsOddIPv4(t *testing.T) {
	for raw, want := range pairs(t, suite(t, "url", "urlcanon", "funky_ipv4.json")) {
		got := ""
		if u, err := weburl.Parse("http://" + raw + "/"); err == nil {
			got = weburl.Hostname(u)
		}
		if want != nil && got != *want {
			t.Errorf("host %q = %q, want %q", raw, got, *want)
		}
		if want == nil && strings.Count(got, ".") == 3 && got != raw {
			t.Errorf("host %q = %q, want no address", raw, got)
		}
	}
}

func TestParseResolvesDots(t *testing.T) {
	var sets map[string]map[string]string
	if err := json.Unmarshal(suite(t, "url", "urlcanon", "path_dots.json"), &sets); err != nil {
		t.Fatal(err)
	}
	for raw, want := range sets["special"] {
		if strings.Contains(raw, "\\") {
			continue // a slash to browsers, not to this suite
		}
		u, err := weburl.Parse("http://example.com" + raw)
		if got := weburl.Path(u); err != nil || got != want {
			t.Errorf("path %q = %q, %v; want %q", raw, got, err, want)
		}
	}
}

// The lookup keys of web archives. Other schemes and URLs without a scheme are left out.
func TestSURTAgreesWithArchives(t *testing.T) {
	var sets map[string]json.RawMessage
	if err := json.Unmarshal(suite(t, "url", "urlcanon", "surt.json"), &sets); err != nil {
		t.Fatal(err)
	}
	cases := 0
	for raw, want := range pairs(t, sets["defaultIASurt"]) {
		u, err := weburl.Parse(raw)
		if err != nil {
			continue
		}
		cases++
		if got := weburl.SURT(u); got != *want {
			t.Errorf("SURT(%q) = %q, want %q", raw, got, *want)
		}
	}
	if cases != 8 {
		t.Errorf("%d cases, want 8", cases)
	}
}

// The canonical form changes less than this suite's form, which also keeps fragments: this many
// of its http(s) cases agree, and the number must not fall.
func TestParseAgainstSemanticCanonicalForm(t *testing.T) {
	const agreed = 96
	good := 0
	for raw, want := range pairs(t, suite(t, "url", "urlcanon", "semantic_precise.json")) {
		if u, err := weburl.Parse(raw); err == nil && string(u) == *want {
			good++
		}
	}
	if good != agreed {
		t.Errorf("%d cases agree, want %d", good, agreed)
	}
}

func TestParseDropsSessionIDsOfSuite(t *testing.T) {
	for raw, want := range pairs(t, suite(t, "url", "urlcanon", "aggressive.json")) {
		if !strings.Contains(strings.ToLower(raw), "sid=") && !strings.Contains(raw, "CFID") && !strings.Contains(raw, "/(") {
			continue
		}
		u, err := weburl.Parse(raw)
		if err != nil || strings.TrimSuffix(string(u), "/") != strings.TrimSuffix(*want, "/") {
			t.Errorf("Parse(%q) = %q, %v; want %q", raw, u, err, *want)
		}
	}
}
