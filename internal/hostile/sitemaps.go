package hostile

import (
	"fmt"
	"os"
	"strings"
)

// xmlHead is the XML declaration.
const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// urlset returns a sitemap of these URLs.
func urlset(urls ...string) string {
	var b strings.Builder
	b.WriteString(xmlHead + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range urls {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", u)
	}
	return b.String() + "</urlset>\n"
}

// sitemapIndex returns a sitemap that lists further sitemaps.
func sitemapIndex(urls ...string) string {
	return strings.NewReplacer("urlset", "sitemapindex", "<url>", "<sitemap>", "</url>", "</sitemap>").Replace(urlset(urls...))
}

// sitemapRows are about sitemaps: XML from strangers, compressed, nested, and a list of
// URLs that the site may fill as it likes.
func sitemapRows() []Row {
	return []Row{
		{
			// Compressed twice over: by the file's own format, not by a Content-Encoding
			// that a client's bound sees.
			ID: "S01", Does: "a .gz sitemap that unpacks to 1 GiB", Wants: "cut; memory bounded",
			checks: []check{asked("/sitemap.xml.gz"), atMost(5, "/sitemap.xml.gz")},
			open: func(s *Site) {
				s.sitemaps("/sitemap.xml.gz")
				entry := "<url><loc>" + s.URL("/ok/1") + "</loc></url>\n"
				head, _, _ := strings.Cut(urlset(), "</urlset>")
				s.hidden("/sitemap.xml.gz", s.throw("application/gzip", "", newBomb(gzipped, head, entry)))
			},
		},
		{
			// An index may list indexes, and itself. Every one of them is a request.
			ID: "S02", Does: "a sitemap index that lists itself and ever new indexes", Wants: "at most 100 sitemap requests",
			checks: []check{asked("/index/"), atMost(100, "/index/")},
			open: func(s *Site) {
				s.sitemaps("/index/0")
				s.under("/index/", func(x *exchange) {
					n := numberAt(x.entry.Path(), "/index/")
					x.say(200, xmlType, sitemapIndex(s.URL(x.entry.Path()), s.URL(fmt.Sprintf("/index/%d", 2*n+1)), s.URL(fmt.Sprintf("/index/%d", 2*n+2))))
				})
			},
		},
		{
			// Four times what the protocol allows in a file, and enough to fill a frontier.
			ID: "S03", Does: "a sitemap with 200,000 entries, an ordinary page first", Wants: "that page is fetched; bounded memory",
			checks: []check{asked("/found/1"), atMost(300, "/more/")},
			open: func(s *Site) {
				s.sitemaps("/sitemap.xml")
				urls := []string{s.URL("/found/1")}
				for i := range 200_000 {
					urls = append(urls, s.URL(fmt.Sprintf("/more/%d", i)))
				}
				s.hidden("/sitemap.xml", typed(xmlType, urlset(urls...)))
				s.under("/found/", article(""))
			},
		},
		{
			// A sitemap counts for its own host alone; otherwise it could fill a crawler
			// with another's URLs, or lead it inside.
			ID: "S04", Does: "a sitemap that lists loopback URLs and another host's pages", Wants: "trap not reached; foreign entries ignored",
			checks: []check{asked("/sitemap.xml", "/found/1"), untouched},
			open: func(s *Site) {
				s.sitemaps("/sitemap.xml")
				foreign := s.other("foreign")
				urls := append(s.insideURLs("/from-s04/"), foreign.URL("/ok/1"), s.URL("/found/1"))
				s.hidden("/sitemap.xml", typed(xmlType, urlset(urls...)))
				s.under("/found/", article(""))
			},
		},
		{
			// XML entities expand without bound, and read files and URLs, unless the parser
			// refuses them.
			ID: "S05", Does: "billion laughs, and external entities to a file and to the inside", Wants: "refused; the file never in the output",
			checks: []check{asked("/laughs.xml", "/file.xml", "/inside.xml"), atMost(15, "/file.xml")},
			open: func(s *Site) {
				s.sitemaps("/laughs.xml", "/file.xml", "/inside.xml")
				s.hidden("/laughs.xml", typed(xmlType, laughs(s.URL("/ok/"))))
				s.hidden("/file.xml", typed(xmlType, external(s.URL("/leak?"), "file:///etc/passwd")))
				s.hidden("/inside.xml", typed(xmlType, external(s.URL("/leak?"), fmt.Sprintf("http://127.0.0.1:%d/from-s05", s.port))))
			},
		},
		{
			// The protocol has four formats, and most of what is served as one is slightly
			// wrong.
			ID: "S06", Does: "sitemaps as text, with a byte order mark, cut short, as RSS and as Atom, each with a URL of its own", Wants: "the URL of each is found", Should: true,
			checks: []check{asked("/found/text", "/found/bom", "/found/cut", "/found/rss", "/found/atom")},
			open: func(s *Site) {
				s.sitemaps("/text.txt", "/bom.xml", "/cut.xml", "/rss.xml", "/atom.xml")
				s.hidden("/text.txt", text(s.URL("/found/text")+"\n"))
				s.hidden("/bom.xml", typed(xmlType, "\uFEFF"+urlset(s.URL("/found/bom"))))
				cut := urlset(s.URL("/found/cut"), s.URL("/found/never"))
				s.hidden("/cut.xml", typed(xmlType, cut[:strings.LastIndex(cut, "/never")]))
				s.hidden("/rss.xml", typed("application/rss+xml", xmlHead+`<rss version="2.0"><channel><title>t</title><link>`+s.URL("/")+`</link><item><title>i</title><link>`+s.URL("/found/rss")+`</link></item></channel></rss>`))
				s.hidden("/atom.xml", typed("application/atom+xml", xmlHead+`<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><title>e</title><link href="`+s.URL("/found/atom")+`"/></entry></feed>`))
				s.under("/found/", article(""))
			},
		},
		{
			// A feed is a list that any page may name, on any host, and full of what comes from
			// elsewhere.
			ID: "S07", Does: "pages that offer feeds: laughs, one without end, one that leads to the inside, one of 20,000 items, and ever new ones", Wants: "items found; inside untouched; at most 10 feeds",
			checks: []check{asked("/feeds/laughs", "/feeds/endless", "/feeds/inside", "/feeds/many", "/found/inside", "/found/many"), atMost(24, "/feeds/"), untouched},
			open: func(s *Site) {
				offer := func(path, feed string) {
					s.at(path, page(`<!DOCTYPE html><html><head><title>`+path+`</title><link rel="alternate" type="application/rss+xml" href="`+feed+`"></head><body>`+s.head(path)))
				}
				for _, name := range []string{"laughs", "endless", "inside", "many"} {
					offer("/offers/"+name, "/feeds/"+name)
				}
				for i := range 30 {
					offer(fmt.Sprintf("/offers/%d", i), fmt.Sprintf("/feeds/%d", i))
				}
				s.hidden("/feeds/laughs", typed(xmlType, laughs(s.URL("/ok/"))))
				s.hidden("/feeds/endless", flood("HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n\r\n"+xmlHead+"<rss><channel>", "<item><title>x</title></item>"))
				s.hidden("/feeds/inside", typed(xmlType, feedOf(append(s.insideURLs("/from-s07/"), s.URL("/found/inside"))...)))
				s.rules("User-agent: *", "Disallow: /closed/")
				many := []string{s.URL("/found/many")}
				for i := range 20_000 {
					many = append(many, s.URL(fmt.Sprintf("/closed/%d", i)))
				}
				s.hidden("/feeds/many", typed(xmlType, feedOf(many...)))
				s.under("/feeds/", func(x *exchange) { x.say(200, xmlType, feedOf(s.URL(x.entry.Path()), s.URL(x.entry.Path()+"0"))) })
				s.under("/found/", article(""))
			},
		},
	}
}

// feedOf returns a feed with items at these URLs.
func feedOf(urls ...string) string {
	var b strings.Builder
	b.WriteString(xmlHead + `<rss version="2.0"><channel><title>t</title>` + "\n")
	for _, u := range urls {
		fmt.Fprintf(&b, "<item><title>item</title><link>%s</link></item>\n", u)
	}
	return b.String() + "</channel></rss>"
}

// laughs returns a short document whose entities expand to a thousand million words: ten
// levels, each of which repeats the one below ten times.
func laughs(loc string) string {
	var b strings.Builder
	b.WriteString(xmlHead + "<!DOCTYPE urlset [<!ENTITY lol0 \"lol\">\n")
	for i := range 9 {
		fmt.Fprintf(&b, "<!ENTITY lol%d \"%s\">\n", i+1, strings.Repeat(fmt.Sprintf("&lol%d;", i), 10))
	}
	return b.String() + "]>\n<urlset><url><loc>" + loc + "&lol9;</loc></url></urlset>"
}

// external returns a document whose entity is the content of a file or URL. A parser that
// resolves it puts the content into a URL of the site, and the crawler requests it: the
// content has left the machine.
func external(loc, resource string) string {
	return xmlHead + `<!DOCTYPE urlset [<!ENTITY leak SYSTEM "` + resource + `">]>` + "\n<urlset><url><loc>" + loc + "&leak;</loc></url></urlset>"
}

// Secrets returns texts that no file of a collection may contain: the first
// line of the file to which some rows refer, and the answer of the inside of
// the network.
func Secrets() []string {
	list := []string{secret}
	if data, err := os.ReadFile("/etc/passwd"); err == nil {
		line, _, _ := strings.Cut(string(data), "\n")
		list = append(list, line)
	}
	return list
}
