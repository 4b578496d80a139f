package weburl_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/weburl"
)

func Example() {
	base, err := weburl.NewBase("https://www.example.co.uk/birds/owls.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := base.Resolve("../%7Eann/./Barn%20Owl.html?page=2&utm_source=feed#nest")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u)
	fmt.Println(weburl.Host(u), weburl.Site(u))
	fmt.Println(weburl.Shape(u))
	fmt.Println(weburl.SURT(u))
	_, err = base.Resolve("mailto:ann@example.co.uk")
	fmt.Println(err)
	// Output:
	// https://www.example.co.uk/~ann/Barn%20Owl.html?page=2
	// www.example.co.uk example.co.uk
	// www.example.co.uk/~ann/Barn%20Owl.html?page
	// uk,co,example)/~ann/barn%20owl.html?page=2
	// the scheme is not http or https
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"http://example.com", "http://example.com/"},
		{" \n https://example.com/a \t", "https://example.com/a"},
		{"https://example.com/a\n  b/c", "https://example.com/a%20%20b/c"},
		{"http://EXAMPLE.com:80/A?B=C#d", "http://example.com/A?B=C"},
		{"https://example.com:443/", "https://example.com/"},
		{"http://example.com:443/", "http://example.com:443/"},
		{"http://example.com:08080/", "http://example.com:8080/"},
		{"http://example.com:/", "http://example.com/"},
		{"http://ann:secret@example.com/", "http://example.com/"},
		{"http://example.com./a", "http://example.com/a"},
		{"http://example.com.:8080/a", "http://example.com:8080/a"},
		{"http:\\\\example.com\\a\\b", "http://example.com/a/b"},
		{"http:example.com/a", "http://example.com/a"},
		{"http:///example.com/a", "http://example.com/a"},
		{"http://bücher.example/straße", "http://xn--bcher-kva.example/stra%C3%9Fe"},
		{"http://B%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://2130706433/", "http://127.0.0.1/"},
		{"http://１２７.0.0.1/", "http://127.0.0.1/"},
		{"http://[::FFFF:127.0.0.1]:80/", "http://[::ffff:7f00:1]/"},
		{"http://example.com/a/./b/../c/%2E%2e/d/..", "http://example.com/a/"},
		{"http://example.com/../../a", "http://example.com/a"},
		{"http://example.com//a//", "http://example.com//a//"},
		{"http://example.com/%7e%61%2d%2f%c3%a9", "http://example.com/~a-%2F%C3%A9"},
		{"http://example.com/?q=%7e%61%26%c3%a9", "http://example.com/?q=~a%26%C3%A9"},
		{"http://example.com/100%/%zz/%2%65", "http://example.com/100%25/%25zz/%252e"},
		{"http://example.com/a?", "http://example.com/a"},
		{"http://example.com/a?#x", "http://example.com/a"},
		{"http://example.com/a?#", "http://example.com/a"},
		{"http://example.com/a?b=c?#x?y", "http://example.com/a?b=c?"},
		{"http://example.com/?b=2&a=1&b=1", "http://example.com/?b=2&a=1&b=1"},
		{"http://example.com/Index.HTML", "http://example.com/Index.HTML"},
		{"http://example.com/index.html", "http://example.com/index.html"},
		{"http://example.com/a;b=c/d", "http://example.com/a;b=c/d"},
		{"http://example.com/ü?ü='", "http://example.com/%C3%BC?%C3%BC=%27"},
		{"http://example.com/a\xffb", "http://example.com/a%EF%BF%BDb"},
		{"HTTPS://Example.com/^`{}|", "https://example.com/%5E%60%7B%7D|"},
		{"http://xn--a.example/", "http://xn--a.example/"},
	} {
		u, err := weburl.Parse(c.raw)
		if err != nil || string(u) != c.want {
			t.Errorf("Parse(%q) = %q, %v; want %q", c.raw, u, err, c.want)
		}
	}
}

func TestParseDropsNoise(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"/a;jsessionid=1A2B!99?x=1", "/a?x=1"},
		{"/a;JSESSIONID=1;v=2/b", "/a;v=2/b"},
		{"/a;v=2;jsessionid=1;jsessionid=2", "/a;v=2"},
		{"/a/..;jsessionid=1/b", "/b"},
		{"/a/.;jsessionid=1", "/a/"},
		{"/a;%6Asessionid=1/b", "/a/b"},
		{"/(S(4hqa0555fwsecu455xqckv45))/m.aspx", "/m.aspx"},
		{"/x/(X(1)S(4hqa0555fwsecu455xqckv45))/m.aspx", "/x/m.aspx"},
		{"/(4hqa0555fwsecu455xqckv45)/m.aspx", "/m.aspx"},
		{"/(note)/(S(1))/m.aspx", "/(note)/(S(1))/m.aspx"},
		{"/wiki/(S(4hqa0555fwsecu455xqckv45))", "/wiki/(S(4hqa0555fwsecu455xqckv45))"},
		{"/?PHPSESSID=x", "/"},
		{"/?a=1&phpsessid=x&b=2", "/?a=1&b=2"},
		{"/?phpsessid=x&b=2", "/?b=2"},
		{"/?a=1;PHPSESSID=x;b=2", "/?a=1;b=2"},
		{"/?a=1&ASPSESSIONIDABC=x", "/?a=1"},
		{"/?CFID=1&CFTOKEN=2&jsessionid=a$b", "/"},
		{"/?%50HPSESSID=x", "/"},
		{"/?sid=9682993c8daa2c5497996114facdc805&a", "/?a"},
		{"/?sid=12&a", "/?sid=12&a"},
		{"/?sid=summer-shoes-2024", "/?sid=summer-shoes-2024"},
		{"/?session_id=12", "/?session_id=12"},
		{"/?session_id=a8f5f167f44f4964e6c998dee827110c", "/"},
		{"/?sessionId=abc12345", "/"},
		{"/?utm_source=a&utm_medium=b&q=1&gclid=c&fbclid=d", "/?q=1"},
		{"/?mc_eid=1&msclkid=2&yclid=3&igshid=4", "/"},
		{"/?utm=1&gclids=2&said=3&sid", "/?utm=1&gclids=2&said=3&sid"},
		{"/?&PHPSESSID=1", "/"},
		{"/?PHPSESSID=1&&a", "/?&a"},
	} {
		u, err := weburl.Parse("http://example.com" + c.raw)
		if got := weburl.Path(u); err != nil || got != c.want {
			t.Errorf("Parse(%q) = %q, %v; want %q", c.raw, got, err, c.want)
		}
	}
}

// Many spellings of one page have one canonical URL.
func TestParseJoinsSpellings(t *testing.T) {
	const want = "http://spell.example/one/page.html?q=a"
	for _, raw := range []string{
		"http://spell.example/one/page.html?q=a",
		"HTTP://spell.example/one/page.html?q=a",
		"http://SPELL.Example/one/page.html?q=a",
		"http://spell.example:80/one/page.html?q=a",
		"http://spell.example./one/page.html?q=a",
		"http://user@spell.example/one/page.html?q=a",
		"http://spell.example/./one/page.html?q=a",
		"http://spell.example/one/two/../page.html?q=a",
		"http://spell.example/one/%2e%2E/one/page.html?q=a",
		"http://spell.example/one/page.html?q=a#top",
		"http://spell.example/%6Fne/p%61ge.html?q=a",
		"http://spell.example/one/page.html?q=%61",
		"http://spell.example\\one\\page.html?q=a",
		"\thttp://spell.example/one/page.html?q=a\n",
		"http://spell.example/one/page.html?q=a&utm_source=x",
		"http://spell.example/one/page.html;jsessionid=12?q=a",
	} {
		if u, err := weburl.Parse(raw); err != nil || u != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", raw, u, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("x", weburl.MaxLength)
	for _, c := range []struct {
		raw  string
		want error
	}{
		{"", weburl.ErrNoScheme},
		{"example.com", weburl.ErrNoScheme},
		{"//example.com/", weburl.ErrNoScheme},
		{"/a/b", weburl.ErrNoScheme},
		{"example.com:8080/", weburl.ErrScheme},
		{"ftp://example.com/", weburl.ErrScheme},
		{"file:///etc/passwd", weburl.ErrScheme},
		{"java\nscript:alert(1)", weburl.ErrScheme},
		{"data:text/html," + long, weburl.ErrScheme},
		{"http://", weburl.ErrHost},
		{"http:///", weburl.ErrHost},
		{"http://a b/", weburl.ErrHost},
		{"http://a%00b/", weburl.ErrHost},
		{"http://example.com:99999/", weburl.ErrHost},
		{"http://example.com:0/", weburl.ErrHost},
		{"http://[::1]:000/", weburl.ErrHost},
		{"http://example.com:x/", weburl.ErrHost},
		{"http://[::1/", weburl.ErrHost},
		{"http://[[::1]]/", weburl.ErrHost},
		{"http://1.2.3.256/", weburl.ErrHost},
		{"http://0x7f.1../", weburl.ErrHost},
		{"http://.example.com/", weburl.ErrHost},
		{"http://a..example.com/", weburl.ErrHost},
		{"http://a'b.example.com/", weburl.ErrHost},
		{"http://" + strings.Repeat("a", 64) + ".example/", weburl.ErrHost},
		{"http://" + strings.Repeat("a.", 127) + "example/", weburl.ErrHost},
		{"http://" + strings.Repeat("a@", 20) + "example.com/", weburl.ErrHost},
		{"http://" + strings.Repeat("\u4e00", 100) + ".example/", weburl.ErrHost},
		{"http://example.com/" + long, weburl.ErrTooLong},
		{"http://example.com" + strings.Repeat("/a", 600), weburl.ErrTooLong},
		{"http://example.com" + strings.Repeat(`\a`, 600), weburl.ErrTooLong},
		{"http://example.com/" + strings.Repeat("ü", 400), weburl.ErrTooLong},
	} {
		u, err := weburl.Parse(c.raw)
		if !errors.Is(err, c.want) {
			t.Errorf("Parse(%.40q) = %.40q, %v; want %v", c.raw, u, err, c.want)
		}
	}
}

func TestErrorsShowNoControlCharacters(t *testing.T) {
	_, err := weburl.Parse("http://\x1b[2J\u202e" + strings.Repeat("x", 1000) + " /")
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\u202e") || len(err.Error()) > 300 {
		t.Errorf("error is %q", err)
	}
}

func TestParseTakesUpToMaxLength(t *testing.T) {
	const prefix = "http://example.com/"
	for _, filler := range []string{"x", ";"} { // plain and unusual
		fits := prefix + strings.Repeat(filler, weburl.MaxLength-len(prefix))
		if u, err := weburl.Parse(fits + "#" + fits); err != nil || string(u) != fits {
			t.Errorf("with %q: %v", filler, err)
		}
		if _, err := weburl.Parse(fits + filler); !errors.Is(err, weburl.ErrTooLong) {
			t.Errorf("with one %q more: %v", filler, err)
		}
	}
}

func TestParts(t *testing.T) {
	type parts struct{ scheme, host, hostname, path, origin, homepage, robots, site string }
	for u, want := range map[dowse.URL]parts{
		"http://a.example.co.uk:8080/b/c?d=e": {"http", "a.example.co.uk:8080", "a.example.co.uk", "/b/c?d=e",
			"http://a.example.co.uk:8080", "http://a.example.co.uk:8080/", "http://a.example.co.uk:8080/robots.txt", "example.co.uk"},
		"https://ann.github.io/": {"https", "ann.github.io", "ann.github.io", "/",
			"https://ann.github.io", "https://ann.github.io/", "https://ann.github.io/robots.txt", "ann.github.io"},
		"http://[::1]:81/x": {"http", "[::1]:81", "::1", "/x",
			"http://[::1]:81", "http://[::1]:81/", "http://[::1]:81/robots.txt", "::1"},
		"http://127.0.0.1/x": {"http", "127.0.0.1", "127.0.0.1", "/x",
			"http://127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/robots.txt", "127.0.0.1"},
		"http://localhost/x": {"http", "localhost", "localhost", "/x",
			"http://localhost", "http://localhost/", "http://localhost/robots.txt", "localhost"},
		"http://hockey.demo/x": {"http", "hockey.demo", "hockey.demo", "/x",
			"http://hockey.demo", "http://hockey.demo/", "http://hockey.demo/robots.txt", "hockey.demo"},
		"http://co.uk/": {"http", "co.uk", "co.uk", "/", "http://co.uk", "http://co.uk/", "http://co.uk/robots.txt", "co.uk"},
		"s1":            {},
		"":              {},
		"http://":       {},
	} {
		got := parts{weburl.Scheme(u), weburl.Host(u), weburl.Hostname(u), weburl.Path(u),
			weburl.Origin(u), string(weburl.Homepage(u)), string(weburl.Robots(u)), weburl.Site(u)}
		if got != want {
			t.Errorf("%q: %+v, want %+v", u, got, want)
		}
	}
}

func TestWithoutWWW(t *testing.T) {
	for host, want := range map[string]string{
		"foo.com": "foo.com", "www.foo.com": "foo.com", "www12.foo.com": "foo.com", "www2foo.com": "www2foo.com",
		"www2.www2foo.com": "www2foo.com", "www": "www", "www.": "www.", "": "", "www.foo.com:81": "foo.com:81",
	} {
		if got := weburl.WithoutWWW(host); got != want {
			t.Errorf("WithoutWWW(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestSURT(t *testing.T) {
	for u, want := range map[dowse.URL]string{
		"http://www.example.org/Path/?b=2&a=1": "org,example)/path?a=1&b=2",
		"https://example.org:8443/":            "org,example:8443)/",
		"http://1.2.3.4/a":                     "4,3,2,1)/a",
		"http://[::1]/a":                       "[::1])/a",
		"http://localhost//a//b/":              "localhost)/a/b",
		"http://example.org/%C3%A9%2520":       "org,example)/%c3%a9%20",
		"http://example.org/?a-b=1&a=1&a&a=0":  "org,example)/?a&a=0&a=1&a-b=1",
		"http://example.org/%0A%23":            "org,example)/%0a%23",
		"s1":                                   "s1",
	} {
		if got := weburl.SURT(u); got != want {
			t.Errorf("SURT(%q) = %q, want %q", u, got, want)
		}
	}
}

func TestHrefIsBounded(t *testing.T) {
	if _, err := weburl.Href("http://example.com/"+strings.Repeat("/", 1<<20), ""); err == nil {
		t.Error("a megabyte of slashes was parsed")
	}
}
