package hostile

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"dowse"
)

// httpRows violate HTTP/1.1: slowness, broken framing, redirects, compression bombs, and
// headers without sense. The bombs are H16 to H20, a gibibyte from a megabyte or less: a
// crawler that unpacks before it measures runs out of memory.
func httpRows() []Row {
	bombs := map[string]bomb{}
	for coding, p := range map[string]packer{"gzip": gzipped, "deflate": deflated, "br": brotlied, "zstd": zstandard} {
		bombs[coding] = newBomb(p, "<!doctype html><title>boom</title>", "<p>boom and boom and boom again\n")
	}
	bombs["gzip, gzip"] = bombs["gzip"].again(gzipped)
	rows := append(slowRows(), framingRows()...)
	rows = append(rows, redirectRows()...)
	for i, coding := range []string{"gzip", "gzip, gzip", "deflate", "br", "zstd"} {
		rows = append(rows, Row{
			ID: fmt.Sprintf("H%d", 16+i), Does: "a body in " + coding + " that unpacks to 1 GiB", Wants: "cut at the size limit; memory bounded",
			checks: []check{atMost(5, "/bomb"), cutShort("/bomb")},
			open:   func(s *Site) { s.at("/bomb", s.throw(htmlType, coding, bombs[coding])) },
		})
	}
	return append(rows, oddRows()...)
}

// cutShort checks that a page was read up to the limit and is marked as
// truncated.
func cutShort(path string) check {
	const limit = 64 << 20
	return func(o *outcome) {
		f, known := o.find(path)
		if f.State == dowse.Visited && (f.Fetch.Bytes > limit || !f.Fetch.Truncated) {
			o.problem("%s was taken in with %d bytes (%s)", path, f.Fetch.Bytes, f.describe(known))
		}
	}
}

// wholePage checks that nothing of a page is missing.
func wholePage(path string) check {
	return func(o *outcome) {
		if f, known := o.find(path); f.Fetch.Truncated {
			o.problem("%s is not whole (%s)", path, f.describe(known))
		}
	}
}

// firstCut sends an answer up to the end of a word at the first request, and
// all of it later.
func firstCut(answer, word string) act {
	return raw(func(x *exchange, c net.Conn) {
		if before, _, found := strings.Cut(answer, word); found && x.count() == 1 {
			finish(c, before+word)
			return
		}
		finish(c, answer)
	})
}

// slowRows answer slowly or never.
func slowRows() []Row {
	const tries = 10
	return []Row{
		{
			// Each byte renews a timeout that is reset by progress. Only a bound on the
			// whole answer helps.
			ID: "H01", Does: "a header byte a second without end", Wants: "given up in bounded time",
			checks: []check{gaveUp("/slow"), atMost(tries, "/slow")},
			open:   func(s *Site) { s.at("/slow", drip("HTTP/1.1 200 OK\r\nX-Slow: ")) },
		},
		{
			// The same within the body, where many clients have no timeout at all.
			ID: "H02", Does: "a body byte a second without end", Wants: "given up in bounded time",
			checks: []check{gaveUp("/slow"), atMost(tries, "/slow")},
			open:   func(s *Site) { s.at("/slow", drip(ok+"\r\n<p>")) },
		},
		{
			// The usual state of an overloaded server: TCP accepts, and nothing answers.
			ID: "H03", Does: "accepts and never answers", Wants: "given up in bounded time",
			checks: []check{gaveUp("/slow"), atMost(tries, "/slow")},
			open:   func(s *Site) { s.at("/slow", hang) },
		},
		{
			// Without a Content-Length the size is known only when it is too late.
			ID: "H04", Does: "a chunked HTML body without end, at full speed", Wants: "cut at the size limit",
			checks: []check{gaveUp("/endless"), atMost(tries, "/endless"), cutWithin(128<<20, "/endless"), cutShort("/endless")},
			open: func(s *Site) {
				chunk := strings.Repeat("<p>and so it goes on\n", 100)
				s.at("/endless", flood(ok+"Transfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk)))
			},
		},
	}
}

// framingRows violate the framing of answers.
func framingRows() []Row {
	return []Row{
		{
			// A connection that broke. A page cut in the middle of a link leads to URLs
			// that do not exist.
			ID: "H05", Does: "Content-Length 100000, 500 bytes sent, closed", Wants: "marked truncated or retried a few times; no endless loop",
			checks: []check{atMost(10, "/short"), cutShort("/short")},
			open: func(s *Site) {
				s.at("/short", bytes(ok+"Content-Length: 100000\r\n\r\n"+strings.Repeat("short and ", 50)))
			},
		},
		{
			// The same, but repaired a moment later: what a retry is for.
			ID: "H29", Does: "a page and the header of another break off at the first request, and are whole at the second", Wants: "asked for again, and their last links followed",
			checks: []check{
				between(2, 10, "/half"), between(2, 10, "/head"), is("/half", dowse.Visited), is("/head", dowse.Visited),
				wholePage("/half"), asked("/after-half", "/after-head"),
			},
			open: func(s *Site) {
				for path, cut := range map[string]string{"/half": "The tide", "/head": "Content-Len"} {
					last := "/after-" + path[1:]
					body := s.head(path) + "<h2>The tide</h2><p>" + prose(last, 60) + `<p><a href="` + last + `">next</a>`
					s.hidden(last, page(s.head(last)))
					s.at(path, firstCut(ok+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))+body, cut))
				}
			},
		},
		{
			// Bytes behind the announced length are the answer to the next request, if the
			// connection is reused: response smuggling. The title check of ordinary pages
			// finds it.
			ID: "H06", Does: "Content-Length 5, 5000 bytes sent", Wants: "no crash, no desync on the connection",
			checks: []check{atMost(10, "/more")},
			open: func(s *Site) {
				smuggled := ok + "Content-Length: 38\r\n\r\n<title>smuggled</title><p>other page</p>"
				s.at("/more", raw(func(_ *exchange, c net.Conn) {
					io.WriteString(c, ok+"Content-Length: 5\r\n\r\n<p>a\n"+strings.Repeat(smuggled, 5000/len(smuggled)))
					io.Copy(io.Discard, c)
				}))
			},
		},
		{
			// Chunk sizes are parsed by hand in many clients: overflow, negative lengths,
			// allocation of what is announced.
			ID: "H07", Does: "chunk sizes that are no numbers, negative, huge", Wants: "an error for that page only",
			checks: []check{atMost(30, "/chunk/")},
			open: func(s *Site) {
				for i, size := range []string{"zz", "-5", "ffffffffffffffffffff", "7fffffffffffffff"} {
					s.at(fmt.Sprintf("/chunk/%d", i), bytes(ok+"Transfer-Encoding: chunked\r\n\r\n"+size+"\r\n<p>hello\r\n0\r\n\r\n"))
				}
			},
		},
		{
			// Header lines are often read into memory before anything is checked. Sockets
			// buffer several MiB, hence the wide bound.
			ID: "H08", Does: "response headers without end", Wants: "cut within 32 MiB",
			checks: []check{cutWithin(32<<20, "/headers"), atMost(10, "/headers")},
			open: func(s *Site) {
				s.at("/headers", flood("HTTP/1.1 200 OK\r\n", "X-Filler: "+strings.Repeat("filler ", 20)+"\r\n"))
			},
		},
		{
			// Informational responses come before the final one, any number of them (RFC
			// 9110, section 15.2); each resets some timeouts.
			ID: "H09", Does: "103 responses without end", Wants: "given up in bounded time",
			checks: []check{gaveUp("/hints"), atMost(10, "/hints")},
			open:   func(s *Site) { s.at("/hints", flood("", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")) },
		},
		{
			// What answers on a port need not be HTTP. Each of these has been mistaken for
			// an empty page.
			ID: "H10", Does: "an SSH banner; HTTP/0.9 text; NUL bytes; an empty answer", Wants: "an error for those pages only",
			checks: []check{atMost(40, "/odd/")},
			open: func(s *Site) {
				for i, answer := range []string{"SSH-2.0-OpenSSH_9.9\r\n", "<html><p>hello from 1991</html>\n", strings.Repeat("\x00", 200), ""} {
					s.at(fmt.Sprintf("/odd/%d", i), bytes(answer))
				}
			},
		},
		{
			// Two lengths, two opinions on where the answer ends (RFC 9112, section 6.3):
			// the classic desynchronisation.
			ID: "H11", Does: "two Content-Lengths; Content-Length with chunked", Wants: "rejected or read safely",
			checks: []check{atMost(20, "/length/")},
			open: func(s *Site) {
				s.at("/length/two", bytes(ok+"Content-Length: 5\r\nContent-Length: 9\r\n\r\n<p>hello!"))
				s.at("/length/chunked", bytes(ok+"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n<p>hello\r\n0\r\n\r\n"))
			},
		},
	}
}

// redirectRows redirect the crawler to places where it should not go.
func redirectRows() []Row {
	const hops = 25
	return []Row{
		{
			// Loops of one and of two are found by comparing URLs, chains without end by
			// counting only.
			ID: "H12", Does: "a redirect to itself, a loop of two, a chain without end", Wants: "each given up within 25 hops",
			checks: []check{atMost(hops, "/self"), atMost(hops, "/loop/"), atMost(hops, "/chain/")},
			open: func(s *Site) {
				s.at("/self", redirect("/self"))
				s.at("/loop/a", redirect("/loop/b"))
				s.at("/loop/b", redirect("/loop/a"))
				s.link("/chain/1")
				s.under("/chain/", func(x *exchange) { redirect(fmt.Sprintf("/chain/%d", numberAt(x.entry.Path(), "/chain/")+1))(x) })
			},
		},
		{
			// A client that follows any scheme reads local files for the site. Redirects
			// are checked in other code than links, so both are tried.
			ID: "H13", Does: "redirects to file:, gopher:, data:, javascript:, ftp:, //, and links to them", Wants: "none followed",
			open: func(s *Site) {
				for i, u := range []string{
					"file:///etc/passwd", "FILE://localhost/etc/passwd", "gopher://127.0.0.1/1", "data:text/html,<a href=/x>x</a>",
					"javascript:alert(1)", "ftp://127.0.0.1/etc/passwd", "//", "mailto:nobody@example.org", "view-source:file:///etc/passwd",
				} {
					s.at(fmt.Sprintf("/go/%d", i), redirect(u))
					s.link(u)
				}
			},
		},
		{
			// The address decides, not its spelling: a list of forbidden names is passed by
			// each of these.
			ID: "H14", Does: "redirects to loopback in many spellings", Wants: "none reached",
			checks: []check{notInside("/from-h14/")},
			open: func(s *Site) {
				for i, u := range s.insideURLs("/from-h14/") {
					s.at(fmt.Sprintf("/go/%d", i), redirect(u))
				}
			},
		},
		{
			// Location is a header, and as hostile as any: each of these has crashed a URL
			// parser or a log.
			ID: "H15", Does: "Location missing, empty, bare ?, invalid UTF-8, with a CR, with spaces, 1 MB long", Wants: "an error for those pages only",
			checks: []check{atMost(60, "/loc/")},
			open: func(s *Site) {
				for i, header := range []string{
					"", "Location:\r\n", "Location: ?\r\n", "Location: /loc/\xff\xfe\r\n", "Location: /loc/a\rb\r\n", "Location: /loc/with some spaces\r\n",
					"Location: /loc/" + strings.Repeat("long", 1<<18) + "\r\n",
				} {
					s.at(fmt.Sprintf("/loc/%d", i), bytes(whole("HTTP/1.1 302 Found", header, "")))
				}
			},
		},
	}
}

// notInside checks that URLs of the inside with a path below prefix were
// refused for that reason.
func notInside(prefix string) check {
	return func(o *outcome) {
		n := 0
		for u, f := range o.findings {
			if !strings.Contains(u, prefix) {
				continue
			}
			n++
			if f.Reason != dowse.SkipPrivateIP && f.Reason != dowse.FailDNS {
				o.problem("%s is %s, want %s", u, f.describe(true), dowse.SkipPrivateIP)
			}
		}
		if n == 0 {
			o.problem("the crawl knows of no URL with %s", prefix)
		}
	}
}

// numberAt returns the number behind a prefix of a path, 0 if there is none.
func numberAt(path, prefix string) (n int) {
	fmt.Sscanf(strings.TrimPrefix(path, prefix), "%d", &n)
	return n
}

// oddRows send headers and statuses that make no sense.
func oddRows() []Row {
	return []Row{
		{
			// Content codings that are not what they claim. Browsers repair some of them; a
			// crawler must at least survive.
			ID: "H21", Does: "gzip cut short, gzip with junk after it, text said to be gzip, an unknown coding", Wants: "an error for those pages only",
			checks: []check{atMost(20, "/coded/")},
			open: func(s *Site) {
				body := pack(gzipped, "<p>"+prose("H21", 2000))
				for i, c := range []struct{ coding, body string }{
					{"gzip", body[:len(body)/2]}, {"gzip", body + "some junk after it"}, {"gzip", "<p>not gzip at all, whatever the header says"},
					{"sdch", "<p>hello"}, {"br", body}, {"gzip, gzip, gzip, gzip", body},
				} {
					s.at(fmt.Sprintf("/coded/%d", i), with("Content-Encoding", c.coding, page(c.body)))
				}
			},
		},
		{
			// Statuses with which a body means something else, and some that are no
			// statuses.
			ID: "H22", Does: "204, 304 unasked, 206 unasked, 999, 000, 1000, -1", Wants: "no crash, bounded retries",
			checks: []check{atMost(70, "/status/")},
			open: func(s *Site) {
				for _, code := range []string{"204", "304", "206", "999", "000", "1000", "-1"} {
					body := "<p>hello"
					if code == "204" || code == "304" {
						body = ""
					}
					s.at("/status/"+code, bytes(whole("HTTP/1.1 "+code+" What", "Content-Type: text/html\r\n", body)))
				}
			},
		},
		{
			// A crawler with a cookie jar returns them with every request: 1.2 MB of
			// header, which servers refuse.
			ID: "H23", Does: "every page sets 300 cookies of 4 KB", Wants: "request headers stay small", // see manners
			open: func(s *Site) {
				s.front = func(x *exchange) {
					for i := range 300 {
						x.w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=%s; Path=/", i, strings.Repeat("c", 4000)))
					}
					s.usual(x.entry.Path())(x)
				}
			},
		},
		{
			// Declared types are wrong often enough that a crawler has to look at the
			// bytes, and must not trust those either.
			ID: "H24", Does: "HTML as octet-stream, PNG as HTML, no type, a type of 1 MB", Wants: "no crash; ordinary pages fetched",
			checks: []check{atMost(20, "/type/")},
			open: func(s *Site) {
				body := "<!doctype html><title>typed</title><p>" + prose("H24", 80)
				png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00\xff\x01\xfe", 5000)
				s.at("/type/octets", typed("application/octet-stream", body))
				s.at("/type/png", typed(htmlType, png))
				s.at("/type/none", bytes(whole("HTTP/1.1 200 OK", "", body)))
				s.at("/type/long", typed("text/"+strings.Repeat("html", 1<<18), body))
			},
		},
		{
			// TLS fails in three ways: refused, silent, and answered in the wrong protocol.
			ID: "H25", Does: "https links to an expired certificate that nobody signed, a handshake that hangs, plain HTTP on the TLS port", Wants: "errors or a recorded exception; no hang",
			checks: []check{settledOn("/tls/")},
			open: func(s *Site) {
				expired := expiredCertificate(s.Host)
				for i, serve := range []func(net.Conn){
					func(c net.Conn) { serveTLS(c, expired) },
					func(c net.Conn) { io.Copy(io.Discard, c) },
					func(c net.Conn) {
						c.SetReadDeadline(time.Now().Add(time.Second))
						c.Read(make([]byte, 4096))
						finish(c, whole("HTTP/1.1 200 OK", "Content-Type: text/html\r\n", "<p>plain"))
					},
				} {
					s.link(origin("https", s.Host, s.listen(serve)) + fmt.Sprintf("/tls/%d", i))
				}
			},
		},
		{
			// The same addresses as in H14, by links: a <base> element turns a harmless
			// relative link into one of them.
			ID: "H26", Does: "links to loopback in many spellings, and through <base>", Wants: "none reached",
			checks: []check{asked("/base"), notInside("/from-h26/")},
			open: func(s *Site) {
				for _, u := range s.insideURLs("/from-h26/") {
					s.link(u)
				}
				s.at("/base", article(fmt.Sprintf(`<base href="http://127.0.0.1:%d/"><a href="from-h26/base">in</a>`, s.port)))
			},
		},
		{
			// Credentials in a URL become an Authorization header in most HTTP clients,
			// sent to whoever the page names.
			ID: "H27", Does: "links and redirects with user:password@", Wants: "no Authorization header is sent", // see manners
			checks: []check{asked("/as/1", "/as/2", "/go")},
			open: func(s *Site) {
				as := func(path string) string { return strings.Replace(s.URL(path), "http://", "http://user:password@", 1) }
				s.link(as("/as/1"))
				s.at("/go", redirect(as("/as/2")))
				s.under("/as/", article(""))
			},
		},
	}
}
