package weburl

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"dowse"
)

func TestResolve(t *testing.T) {
	const page = "http://example.com/a/b/c.html?q=1#top"
	base, err := NewBase(page)
	if err != nil {
		t.Fatal(err)
	}
	for href, want := range map[string]string{
		"":                           "http://example.com/a/b/c.html?q=1",
		"#x":                         "http://example.com/a/b/c.html?q=1",
		" d.html ":                   "http://example.com/a/b/d.html",
		"./d.html":                   "http://example.com/a/b/d.html",
		"../d.html":                  "http://example.com/a/d.html",
		"../../../../d.html#x":       "http://example.com/d.html",
		"..":                         "http://example.com/a/",
		"../":                        "http://example.com/a/",
		".":                          "http://example.com/a/b/",
		"d/":                         "http://example.com/a/b/d/",
		"/d/e?x=y":                   "http://example.com/d/e?x=y",
		"?x=y":                       "http://example.com/a/b/c.html?x=y",
		"?":                          "http://example.com/a/b/c.html",
		"?utm_source=x":              "http://example.com/a/b/c.html",
		"//other.example/x":          "http://other.example/x",
		"//other.example":            "http://other.example/",
		"//OTHER.example:80":         "http://other.example/",
		"https://other.example":      "https://other.example/",
		"https://other.example#x":    "https://other.example/",
		"https://other.example?x":    "https://other.example/?x",
		"https://other.example:81/x": "https://other.example:81/x",
		"http://example.com/x(1)":    "http://example.com/x(1)",
		"http:d.html":                "http://example.com/a/b/d.html",
		"http:/d.html":               "http://example.com/d.html",
		"d e.html":                   "http://example.com/a/b/d%20e.html",
		"d\ne.html":                  "http://example.com/a/b/de.html",
		"caf\u00e9":                  "http://example.com/a/b/caf%C3%A9",
		"%7Eann/%41":                 "http://example.com/a/b/~ann/A",
		"2024:x":                     "http://example.com/a/b/2024:x",
		"\\d":                        "http://example.com/d",
		"httpfoo":                    "http://example.com/a/b/httpfoo",
	} {
		u, err := base.Resolve(href)
		if err != nil || string(u) != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", href, u, err, want)
		}
	}
	if base.url != "http://example.com/a/b/c.html?q=1" {
		t.Errorf("base is %q", base.url)
	}
}

func TestResolveRefuses(t *testing.T) {
	base, err := NewBase("https://example.com/a/")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", MaxLength)
	for href, want := range map[string]error{
		"javascript:void(0)":      ErrScheme,
		"JavaScript:void(0)":      ErrScheme,
		" mailto:ann@example.com": ErrScheme,
		"tel:+1":                  ErrScheme,
		"data:,x":                 ErrScheme,
		"ftp://example.com/":      ErrScheme,
		"file:///etc/passwd":      ErrScheme,
		"example.com:80/x":        ErrScheme,
		"//":                      ErrHost,
		"http://a b/":             ErrHost,
		"https://a..b/":           ErrHost,
		long:                      ErrTooLong,
		"?" + long:                ErrTooLong,
		long[:MaxLength-10]:       ErrTooLong,
	} {
		if u, err := base.Resolve(href); !errors.Is(err, want) {
			t.Errorf("Resolve(%.40q) = %.40q, %v; want %v", href, u, err, want)
		}
	}
}

// TestResolveAgainstSessionInPath checks that a base keeps the segments that its canonical form drops,
// so that .. counts them.
func TestResolveAgainstSessionInPath(t *testing.T) {
	base, err := NewBase("http://example.com/a/(S(4hqa0555fwsecu455xqckv45))/b.aspx")
	if err != nil {
		t.Fatal(err)
	}
	for href, want := range map[string]dowse.URL{
		"c.aspx":    "http://example.com/a/c.aspx",
		"../c.aspx": "http://example.com/a/c.aspx",
		"?x":        "http://example.com/a/b.aspx?x",
	} {
		if u, err := base.Resolve(href); err != nil || u != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", href, u, err, want)
		}
	}
}

// The limits of a URL hold for the resolved URL, however short href and base are.
func TestResolveBoundsSegments(t *testing.T) {
	base, err := NewBase("http://example.com" + strings.Repeat("/a", 400) + "/")
	if err != nil {
		t.Fatal(err)
	}
	if u, err := base.Resolve("b/c"); err != nil || !strings.HasSuffix(string(u), "/a/b/c") {
		t.Errorf("b/c = %.40q, %v", u, err)
	}
	if u, err := base.Resolve(strings.Repeat("b/", 200)); !errors.Is(err, ErrTooLong) {
		t.Errorf("200 segments more: %.40q, %v", u, err)
	}
}

func TestRebase(t *testing.T) {
	page, err := NewBase("http://example.com/a/b.html")
	if err != nil {
		t.Fatal(err)
	}
	base, err := page.Rebase("../lib/")
	if err != nil {
		t.Fatal(err)
	}
	if u, err := base.Resolve("x"); err != nil || u != "http://example.com/lib/x" {
		t.Errorf("x = %q, %v", u, err)
	}
	for _, href := range []string{"javascript:x", "data:,", "http://a b/"} {
		if _, err := page.Rebase(href); err == nil {
			t.Errorf("Rebase(%q) succeeded", href)
		}
	}
	for _, raw := range []string{"", "a/b", "ftp://example.com/"} {
		if _, err := NewBase(raw); err == nil {
			t.Errorf("NewBase(%q) succeeded", raw)
		}
	}
}

// agree checks that the fast path for plain hrefs gives the result of the parser.
func agree(t *testing.T, b *Base, href string) (plain bool) {
	t.Helper()
	s := trimSpace(href)
	fast, ok := b.plain(s)
	slow, err := b.unusual(s)
	switch {
	case !ok:
		return false
	case len(fast) > maxPlain:
		return false // not used
	case err != nil || fast != slow:
		t.Errorf("%q on %q: plain %q, else %q, %v", href, b.url, fast, slow, err)
	}
	return true
}

// TestPlainHrefsResolveAsAllOthers resolves random hrefs made of the pieces on which fast path and parser
// could differ.
func TestPlainHrefsResolveAsAllOthers(t *testing.T) {
	pieces := strings.Split("a|b.html|.|..|/|/|/|//|\\|?|?|&|;|#|=|:|@|%41|%2e|%2F|%2f|%C3%A9|%|%2|é| |http|https|://|http://"+
		"|https://|host.example|HOST|:80|:443|:8080|:0|.|127.0.0.1|1|0x1|[::1]|xn--a|_|-|~|'|(|)|(S(4hqa0555fwsecu455xqckv45))"+
		"|;jsessionid=1|PHPSESSID=1|utm_x=1|sid=0123456789abcdef|page=2|{|}|^|`|\"|<|\t|+|!|$|,|*|[|]|\x00|\xff|\u2028", "|")
	pieces = append(pieces, "|")
	r := rand.New(rand.NewSource(1))
	plain := 0
	for _, b := range testBases(t) {
		for range 20000 {
			var href strings.Builder
			for range 1 + r.Intn(7) {
				href.WriteString(pieces[r.Intn(len(pieces))])
			}
			if agree(t, b, href.String()) {
				plain++
			}
		}
	}
	if plain < 10000 {
		t.Errorf("only %d hrefs were plain", plain)
	}
}

func testBases(tb testing.TB) []*Base {
	tb.Helper()
	var bases []*Base
	for _, raw := range []string{
		"http://host.example/", "https://host.example/a/b/c?d=e", "http://host.example:8080//a//b", "http://127.0.0.1/a/b",
		"http://user@host.example/%7Ea/b;jsessionid=1", "https://[::1]:81/(S(4hqa0555fwsecu455xqckv45))/b/c.aspx",
	} {
		b, err := NewBase(raw)
		if err != nil {
			tb.Fatal(err)
		}
		bases = append(bases, b)
	}
	return bases
}

func FuzzResolve(f *testing.F) {
	for _, href := range []string{
		"", "a", "../a/./b?c=d#e", "//host.example:8080/x", "http://host.example", "https://host.example/%41?sid=0123456789abcdef",
		"?x;y&z", "a:b", "javascript:x", "/(S(a))/;jsessionid=2", "..//..", "http://host.example:80/",
	} {
		f.Add(href)
	}
	bases := testBases(f)
	f.Fuzz(func(t *testing.T, href string) {
		for _, b := range bases {
			agree(t, b, href)
			u, err := b.Resolve(href)
			if err != nil {
				continue
			}
			if again, err := b.Resolve(string(u)); err != nil || again != u {
				t.Errorf("%q on %q is %q, and again %q, %v", href, b.url, u, again, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, raw := range []string{
		"http://example.com/", "HTTP://ex%41mple.com.:80/a/../b%7e%2%65?PHPSESSID=1&x;y#z", "https://bücher.example/ü?ü",
		"http://0x7f.1/", "http://[1::2]:3/", "http://a@b:c@d/;jsessionid=1/..;jsessionid=2", "http://h/(S(aaaaaaaaaaaaaaaa1))/b",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		fast, ok := plainAbsolute(trimSpace(raw))
		slow, err := parse(raw)
		if ok && len(fast) <= maxPlain && (err != nil || fast != slow) {
			t.Fatalf("%q: plain %q, else %q, %v", raw, fast, slow, err)
		}
		u, err := Parse(raw)
		if err != nil {
			return
		}
		checkCanonical(t, u)
	})
}

// checkCanonical checks what callers rely on for any URL that parsing returned.
func checkCanonical(t *testing.T, u dowse.URL) {
	t.Helper()
	if again, err := Parse(string(u)); err != nil || again != u {
		t.Errorf("%q becomes %q, %v", u, again, err)
	}
	if again, err := parse(string(u)); err != nil || again != u {
		t.Errorf("%q becomes %q the long way, %v", u, again, err)
	}
	for i := 0; i < len(u); i++ {
		if u[i] <= ' ' || u[i] >= 0x7f || u[i] == '#' {
			t.Errorf("%q holds %q", u, u[i])
		}
	}
	if Host(u) == "" || Hostname(u) == "" || Site(u) == "" || Path(u) == "" || len(u) > MaxLength {
		t.Errorf("%q lacks a part or is too long", u)
	}
	if origin(u)+Path(u) != string(u) || Scheme(u)+"://"+Host(u) != origin(u) {
		t.Errorf("the parts of %q do not make it up", u)
	}
	if ShapeHash(u) != hash([]byte(Shape(u))) || len(Shape(u)) > len(u) {
		t.Errorf("%q has shape %q", u, Shape(u))
	}
	if strings.ContainsAny(SURT(u), " \n") {
		t.Errorf("%q has the key %q", u, SURT(u))
	}
	Trap(u)
}

func FuzzHref(f *testing.F) {
	f.Add("../a?b#c", "file:///x/y")
	f.Add("non-special:opaque  ?hi", "")
	f.Add("http://1.2.3.-4/[", "http://xn--/")
	f.Fuzz(func(t *testing.T, input, base string) {
		href, err := Href(input, base)
		if err != nil {
			return
		}
		if again, err := Href(href, ""); err != nil || again != href {
			t.Errorf("Href(%q, %q) is %q, and again %q, %v", input, base, href, again, err)
		}
	})
}

func TestResolveAllocatesTheResultAlone(t *testing.T) {
	base, err := NewBase("http://example.com/a/b/c.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, href := range []string{
		"d.html", "../d.html#x", "/d/e?x=y", "?x=y", "http://example.com/d", "https://other.example/d?e=f", "//other.example/d", "https://other.example",
	} {
		n := testing.AllocsPerRun(100, func() {
			if _, err := base.Resolve(href); err != nil {
				t.Error(err)
			}
		})
		if n > 1 {
			t.Errorf("Resolve(%q) allocates %v times", href, n)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	base, err := NewBase("https://example.com/birds/owls/barn.html")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, href string }{
		{"path", "/birds/kites/red-kite.html"},
		{"relative", "../kites/red-kite.html"},
		{"here", "https://example.com/birds/kites/red-kite.html?page=2"},
		{"other", "https://www.example.org/birds/kites/red-kite.html"},
		{"query", "/search?q=kite&page=2"},
		{"mailto", "mailto:ann@example.com"},
		{"unusual", "/birds/kites/röd.html"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = base.Resolve(c.href)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, raw := range []string{"https://www.example.org/birds/kites/red-kite.html", "HTTPS://www.example.org/birds/kites/red-kite.html"} {
		b.Run(raw[:5], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(raw)
			}
		})
	}
}

func BenchmarkSite(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Site("https://www.example.co.uk/birds/kites/red-kite.html")
	}
}

// TestHrefGrows resolves an input that becomes longer than allowed by escaping. Fuzzing
// found it.
func TestHrefGrows(t *testing.T) {
	if h, err := Href(strings.Repeat("\x80", 8000), "file:"); err == nil {
		t.Errorf("a result of %d bytes is more than Href takes", len(h))
	}
}

// TestManyAts resolves a path with more @ than a host may have. Fuzzing found it.
func TestManyAts(t *testing.T) {
	b, err := NewBase("http://host.example/a/b")
	if err != nil {
		t.Fatal(err)
	}
	for _, href := range []string{strings.Repeat("@", 20), "%7A" + strings.Repeat("@", 20), "/" + strings.Repeat("@", 20)} {
		if _, err := b.Resolve(href); err != nil {
			t.Errorf("%s: %v", href, err)
		}
	}
	for _, href := range []string{"//" + strings.Repeat("@", 20) + "x.example/", "http:" + strings.Repeat("@", 20) + "x.example/"} {
		if u, err := b.Resolve(href); err == nil {
			t.Errorf("%s: resolved to %s", href, u)
		}
	}
}
