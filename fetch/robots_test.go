package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jimsmart/grobotstxt"

	"dowse"
)

func TestParseRobots(t *testing.T) {
	for _, c := range []struct {
		name, body string
		allowed    string // paths, separated by spaces
		refused    string
	}{
		{"R11 HTML", "<!DOCTYPE html>\n<p>User-agent: *</p>\n<a href=\"http://x/\">disallow: /</a>\n", "/ /a", ""},
		{"R12 BOM, CR, case, no last newline", "\ufeffUSER-AGENT: *\rdisALLOW: /a\rDisallow:/b", "/c", "/a /b /b/1"},
		{"R12 half a BOM", "\xef\xbbUser-agent: *\nDisallow: /a\n", "/b", "/a"},
		{"R13 groups merged", "User-agent: dowse\nDisallow: /a\n\nUser-agent: other\nDisallow: /c\n\nuser-agent: Dowse/2.0\nDisallow: /b\n", "/c", "/a /b"},
		{"R13 two agents, one group", "User-agent: other\nUser-agent: dowse\nDisallow: /a\n", "/b", "/a"},
		{"R14 longest match", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nDisallow: /*.pdf$\nAllow: /$\n", "/ /a/b /a/b/d /x.pdf?x", "/a /a/c /a/b/c /x.pdf /d/x.pdf"},
		{"R14 allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", ""},
		{"R15 own group", "User-agent: *\nDisallow: /\n\nUser-agent: dowse\nDisallow: /a\n", "/ /b", "/a"},
		{"R15 own group is empty", "User-agent: dowse\n\nUser-agent: *\nDisallow: /\n", "", "/ /b"},
		{"R15 own group allows all", "User-agent: *\nDisallow: /\nUser-agent: dowse\nDisallow:\n", "/ /b", ""},
		{"R25 escapes", "User-agent: *\nDisallow: /n%6F/\nDisallow: /ü/\nDisallow: /a%2fb\nDisallow: /c d\nDisallow: /{x}\n", "/n /a/b", "/no/1 /%C3%BC/1 /%c3%bc/1 /a%2Fb /c%20d /%7Bx%7D"},
		{"a space counts three octets", "User-agent: *\nDisallow: /a%20b/\nAllow: /a*b/c\n", "/a-b/c", "/a%20b/c"},
		{"a space as it is counts three octets", "User-agent: *\nDisallow: /a b/\nAllow: /a*b/c\n", "/a-b/c", "/a%20b/c"},
		{"a needless escape counts one octet", "User-agent: *\nDisallow: /%61%62\nAllow: /ab*\n", "/ab /abc", ""},
		{"literal star and dollar", "User-agent: *\nDisallow: /a%2A\nDisallow: /b%24\n", "/a /ab /b", "/a* /a%2A /b$ /b%24/c"},
		{"dollar inside", "User-agent: *\nDisallow: /a$b\n", "/a", "/a$b"},
		{"stars", "User-agent: *\nDisallow: /a*b*c$\nDisallow: **x\n", "/ac /abcd", "/abc /a1b2c /q/x"},
		{"typos", "useragent: *\ndisalow: /a\nuser agent: other\ndissallow: /b\n", "/b", "/a"},
		{"no colon", "user-agent *\ndisallow /a\ndisallow /b /c\n", "/b /c", "/a"},
		{"comments", "# no\nUser-agent: * # all\nDisallow: /a # not this\n", "/b", "/a"},
		{"rules before an agent", "Disallow: /\nUser-agent: *\nDisallow: /a\n", "/ /b", "/a"},
		{"sitemaps do not end a group", "User-agent: dowse\nSitemap: http://h/s\nCrawl-delay: 1\nUser-agent: other\nDisallow: /a\n", "/b", "/a"},
		{"the file itself", "User-agent: *\nDisallow: /\n", "/robots.txt", "/robots.txt2 /a"},
		{"query", "User-agent: *\nDisallow: /*?s=\n", "/a?b", "/a?s=1 /?s="},
		{"default document", "User-agent: *\nDisallow: /\nAllow: /d/index.html\n", "/d/ /d/index.html", "/d /d/x"},
		{"empty", "", "/ /a", ""},
	} {
		rules := ParseRobots([]byte(c.body), 200, "dowse").Rules
		for want, paths := range map[bool]string{true: c.allowed, false: c.refused} {
			for _, path := range strings.Fields(paths) {
				if ok, rule := rules.Allowed(dowse.URL("http://h.example" + path)); ok != want {
					t.Errorf("%s: %s: allowed is %v by %q", c.name, path, ok, rule)
				}
			}
		}
	}
}

func TestRobotsSays(t *testing.T) {
	r := ParseRobots([]byte("user-agent: *\ncrawl-delay: 9\nDisallow: /b\x1b[31m\n\nUser-agent: dowse\nCrawl-delay: 2.5\n  Disallow : /a # x\nSitemap: http://H.example/s.xml\nsitemap: /relative\n"), 200, "dowse")
	if r.Delay != 2500*time.Millisecond {
		t.Errorf("delay %v", r.Delay)
	}
	if len(r.Sitemaps) != 1 || r.Sitemaps[0] != "http://h.example/s.xml" {
		t.Errorf("sitemaps %q", r.Sitemaps)
	}
	if ok, rule := r.Rules.Allowed("http://h.example/a/b"); ok || rule != "Disallow : /a" {
		t.Errorf("%v %q", ok, rule)
	}
	if ok, rule := r.Rules.Allowed("http://h.example/c"); !ok || rule != "" {
		t.Errorf("%v %q", ok, rule)
	}
	for value, want := range map[string]time.Duration{
		"1": time.Second, "0.5": time.Second / 2, "-1": 0, "NaN": 0, "x": 0, "1e300": maxDelay, "Inf": maxDelay, "": 0,
	} {
		r := ParseRobots([]byte("User-agent: *\nCrawl-delay: "+value), 200, "dowse")
		if r.Delay != want {
			t.Errorf("Crawl-delay: %s is %v, want %v", value, r.Delay, want)
		}
	}
}

func TestRobotsStatus(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /a\n")
	for status, want := range map[int]string{
		200: "/b", 206: "/b", 301: "/a /b", 401: "/a /b", 403: "/a /b", 404: "/a /b", 410: "/a /b", 451: "/a /b",
		0: "", 101: "", 429: "", 500: "", 503: "", 599: "", 999: "",
	} {
		rules := ParseRobots(body, status, "dowse").Rules
		for _, path := range []string{"/a", "/b"} {
			if ok, _ := rules.Allowed(dowse.URL("http://h" + path)); ok != strings.Contains(want, path) {
				t.Errorf("%d: %s: %v", status, path, ok)
			}
		}
		if ok, _ := rules.Allowed("http://h/robots.txt"); !ok {
			t.Errorf("%d: robots.txt itself is refused", status)
		}
	}
}

func TestRobotsSize(t *testing.T) {
	long := "User-agent: *\nDisallow: /first\n" + strings.Repeat("#"+strings.Repeat("x", 98)+"\n", 5150) + "Disallow: /last\n"
	if len(long) < 500<<10 {
		t.Fatal("the file is too short")
	}
	rules := ParseRobots([]byte(long), 200, "dowse").Rules
	for path, want := range map[string]bool{"/first": false, "/last": false, "/": true} {
		if ok, _ := rules.Allowed(dowse.URL("http://h" + path)); ok != want {
			t.Errorf("%s: %v", path, ok)
		}
	}
	// What is cut off must not leave half a rule.
	cut := strings.Repeat("#\n", maxRobots/2-10) + "User-agent: *\nDisallow: /secret\n"
	if ok, _ := ParseRobots([]byte(cut), 200, "dowse").Rules.Allowed("http://h/"); !ok {
		t.Error("a rule was read that was cut in the middle")
	}
}

// TestRobotsPatternBomb covers R23: the test would not end if it failed.
func TestRobotsPatternBomb(t *testing.T) {
	rule := "Disallow: /" + strings.Repeat("*a", 200) + "b$\n"
	rules := ParseRobots([]byte("User-agent: *\n"+strings.Repeat(rule, 1000)+"Disallow: /x\n"), 200, "dowse").Rules
	for range 100 {
		if ok, _ := rules.Allowed(dowse.URL("http://h/" + strings.Repeat("a", 2000))); !ok {
			t.Fatal("refused")
		}
	}
	if ok, _ := rules.Allowed("http://h/x"); ok {
		t.Error("/x is allowed")
	}
}

// TestRobotsLikeGoogle compares with a port of Google's matcher on files and paths
// made of the parts that are hard. Escapes are left out: there the RFC differs.
func TestRobotsLikeGoogle(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	path := func(parts ...string) string {
		p := "/"
		for range random.IntN(6) {
			p += pick(parts...)
		}
		return p
	}
	agents := []string{"dowse", "Dowse", "other", "*", "dow", "dowse-x", "* x", "dowse/2", "other bot"}
	for range 3000 {
		var b strings.Builder
		for range random.IntN(14) {
			key := pick("Allow", "Disallow", "disallow", "Disalow", "User-agent", "User-agent", "user agent", "Sitemap", "Foo")
			value := path("a", "b", "/", "ab", "*", "$", "index.html", ".", "?")
			switch {
			case strings.HasPrefix(strings.ToLower(key), "user"):
				value = pick(agents...)
			case random.IntN(12) == 0:
				value = ""
			}
			b.WriteString(key + pick(": ", ":", " : ") + value + pick("\n", "\r\n", "\r", "\n\n", " # x\n"))
		}
		rules := ParseRobots([]byte(b.String()), 200, "dowse").Rules
		for range 20 {
			u := "http://h.example" + path("a", "b", "/", "ab", "index.html", ".", "?", "c")
			if u == "http://h.example/robots.txt" {
				continue
			}
			got, rule := rules.Allowed(dowse.URL(u))
			if want := grobotstxt.AgentAllowed(b.String(), "dowse", u); got != want {
				t.Fatalf("%s: %v by %q, want %v\n%s", u, got, rule, want, b.String())
			}
		}
	}
}

// askRobots asks a server that answers so for its robots.txt.
func askRobots(t *testing.T, c Config, answer http.HandlerFunc) (*dowse.Robots, []*Response) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return newClient(t, c).Robots(context.Background(), dowse.URL(s.URL+"/some/page?x"))
}

func checkRules(t *testing.T, name string, r *dowse.Robots, want map[string]bool) {
	t.Helper()
	for path, want := range want {
		if ok, rule := r.Rules.Allowed(dowse.URL("http://h" + path)); ok != want {
			t.Errorf("%s: %s: allowed is %v by %q", name, path, ok, rule)
		}
	}
}

var (
	all      = map[string]bool{"/": true, "/no": true}
	none     = map[string]bool{"/": false, "/no": false, "/robots.txt": true}
	obey     = map[string]bool{"/": true, "/no": false}
	ruleText = "User-agent: *\nDisallow: /no\n"
)

func TestRobotsAnswers(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); io.WriteString(w, ruleText) }
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, ruleText) }))
	defer elsewhere.Close()
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   map[string]bool
	}{
		{"rules", status(200), obey},
		{"R01 404", status(404), all},
		{"R02 403", status(403), all},
		{"R03 429", status(429), none},
		{"R04 503", status(503), none},
		{"R07 five redirects", func(w http.ResponseWriter, r *http.Request) {
			n := len(r.URL.Query().Get("n"))
			if n == 5 {
				io.WriteString(w, ruleText)
				return
			}
			http.Redirect(w, r, "/robots.txt?n="+strings.Repeat("x", n+1), http.StatusFound)
		}, obey},
		{"R08 redirects to itself", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/robots.txt", http.StatusMovedPermanently)
		}, all},
		{"R08 redirects for ever", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/robots.txt?x"+r.URL.RawQuery, http.StatusMovedPermanently)
		}, all},
		{"R09 on another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/r", http.StatusMovedPermanently)
		}, obey},
		{"redirect to the inside", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusMovedPermanently)
		}, none},
		{"R10 endless", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, ruleText)
			for r.Context().Err() == nil {
				io.WriteString(w, "# more and more\n")
			}
		}, obey},
		{"R11 HTML", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!DOCTYPE html><title>Hi</title>") }, all},
		{"R17 gzip unasked", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gzipped([]byte(ruleText)))
		}, obey},
		{"broken gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, ruleText)
		}, none},
		{"as a PNG", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			io.WriteString(w, ruleText)
		}, obey},
		{"a short length", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, strings.Repeat(ruleText, 4))
		}, none},
	} {
		r, hops := askRobots(t, Config{}, c.answer)
		checkRules(t, c.name, r, c.want)
		if len(hops) > maxRobotsHops+1 || r.At.IsZero() {
			t.Errorf("%s: %d hops at %v", c.name, len(hops), r.At)
		}
		if !strings.HasSuffix(string(hops[0].URL), "/robots.txt") {
			t.Errorf("%s: first asked for %s", c.name, hops[0].URL)
		}
	}
}

// TestRobotsRelativeSitemaps checks that a sitemap may be named by its path, and that words are none.
func TestRobotsRelativeSitemaps(t *testing.T) {
	r, hops := askRobots(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "Sitemap: /maps/a.xml.gz\nsitemap: b.xml\nSitemap: none\nSitemap: see the site.\nSitemap:\nSitemap: https://other.example/c.xml\n")
	})
	root := strings.TrimSuffix(string(hops[0].URL), "robots.txt")
	want := []dowse.URL{dowse.URL(root + "maps/a.xml.gz"), dowse.URL(root + "b.xml"), "https://other.example/c.xml"}
	if !slices.Equal(r.Sitemaps, want) {
		t.Errorf("sitemaps %q, want %q", r.Sitemaps, want)
	}
}

func TestRobotsUnreachable(t *testing.T) {
	for name, send := range map[string]func(net.Conn, string){
		"R05 hangs": hangs, "R06 reset": resets,
		"R22 drips":        drips("HTTP/1.1 200 OK\r\n\r\n" + ruleText),
		"drips the header": drips("HTTP/1.1 200 OK\r\nX: "),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveRaw(t, send)
			r, hops := newClient(t, hasty).Robots(context.Background(), s.url("/page"))
			checkRules(t, name, r, none)
			if r.Status != 0 || hops[0].Host == nil && hops[0].Outcome != dowse.Fetched {
				t.Errorf("%s: status %d, host %+v", name, r.Status, hops[0].Host)
			}
		})
	}
}

func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%41\xff\nCrawl-delay: 1\nSitemap: http://h/\n"), "http://h/a%2")
	f.Add([]byte("\xef\xbb\xbfuser agent x\rdisallow /\r\n"), "")
	f.Add([]byte("User-agent:*\nDisallow:***%%%2A$$\n"), "https://h/*$?%")
	f.Fuzz(func(t *testing.T, body []byte, u string) {
		kept := bytes.Clone(body)
		r := ParseRobots(body, 200, "dowse")
		ok, rule := r.Rules.Allowed(dowse.URL(u))
		if !ok && rule == "" {
			t.Error("refused by no rule")
		}
		if rule != clean(rule) || r.Delay < 0 || r.Delay > maxDelay {
			t.Errorf("rule %q, delay %v", rule, r.Delay)
		}
		if !bytes.Equal(body, kept) {
			t.Error("the body was changed")
		}
		if again := ParseRobots(body, 200, "dowse"); fmt.Sprint(again.Rules) != fmt.Sprint(r.Rules) {
			t.Error("parsed twice, two results")
		}
	})
}

func benchmarkRules(lines int) dowse.Rules {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range lines {
		switch i % 10 {
		case 0:
			fmt.Fprintf(&b, "Disallow: /*/print%d$\n", i)
		case 1:
			fmt.Fprintf(&b, "Allow: /shop/%d/public\n", i)
		default:
			fmt.Fprintf(&b, "Disallow: /shop/%d/\n", i)
		}
	}
	return ParseRobots([]byte(b.String()), 200, "dowse").Rules
}

func BenchmarkRobotsMatch(b *testing.B) {
	for _, lines := range []int{10, 100, 1000} {
		r := benchmarkRules(lines)
		for _, u := range []dowse.URL{"https://www.example.org/articles/2026/11/reefs-of-the-red-sea.html", "https://www.example.org/shop/7/item?id=12"} {
			b.Run(fmt.Sprintf("%d/%s", lines, u[24:28]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r.Allowed(u)
				}
			})
		}
	}
}

func BenchmarkParseRobots(b *testing.B) {
	body := []byte("User-agent: *\n" + strings.Repeat("Disallow: /some/path/*.html$\nAllow: /some/other/path\n", 50))
	b.ReportAllocs()
	for b.Loop() {
		ParseRobots(body, 200, "dowse")
	}
}

// The rules of the first 2 MiB count, and a rule that is cut there does not.
func TestLongRobots(t *testing.T) {
	filler := strings.Repeat("# a comment of a site that explains itself at length\n", (maxRobots-200)/53)
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"a rule near the end of the first 2 MiB", "User-agent: *\n" + filler + "Disallow: /private\n", false},
		{"a rule behind them", "User-agent: *\n" + filler + filler + "Disallow: /private\n", true},
		{"a rule that ends behind them", "User-agent: *\n" + filler + strings.Repeat("#", maxRobots-len(filler)-25) + "\nDisallow: /p" + strings.Repeat("x", 100) + "\n", true},
	} {
		if ok, _ := ParseRobots([]byte(c.body), 200, "dowse").Rules.Allowed("http://h.example/private"); ok != c.want {
			t.Errorf("%s: allowed is %v", c.name, ok)
		}
	}
}
