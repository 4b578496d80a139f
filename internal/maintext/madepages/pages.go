package madepages

import (
	"fmt"
	"strings"
)

// A Page is a page with its main text.
type Page struct {
	Template string
	URL      string
	HTML     string
	Main     string // the own text, as words in order
}

// All returns n pages of each template.
func All(n int) (list []Page) {
	for t, make := range templates {
		for i := range n {
			p := &page{w: newAuthor(t, i), n: i, site: newAuthor(t, -1)}
			make.write(p)
			list = append(list, Page{
				Template: make.name, URL: fmt.Sprintf("http://%s.example/%d", make.name, i),
				HTML: "<!doctype html><html lang=en>" + p.html.String(), Main: strings.Join(p.main, "\n"),
			})
		}
	}
	return list
}

// templates are the hosts.
var templates = []struct {
	name  string
	write func(*page)
}{
	{"semantic", semantic}, {"classes", classes}, {"tables", tables}, {"nameless", nameless}, {"manual", manual},
	{"forum", forum}, {"shop", shop}, {"wiki", wiki}, {"cookies", cookies}, {"breaks", breaks},
	{"chapters", chapters}, {"figures", figures}, {"records", records},
}

// A page is written piece by piece; what is its own is recorded.
type page struct {
	w    *author // of the page
	site *author // of the host: the same draws on every page, made in the same order
	n    int
	html strings.Builder
	main []string
}

// raw writes HTML that is part of the frame, or markup.
func (p *page) raw(format string, args ...any) { fmt.Fprintf(&p.html, format, args...) }

// own writes a text of the page itself into an element.
func (p *page) own(open, text, end string) {
	p.main = append(p.main, text)
	p.html.WriteString(open + text + end + "\n")
}

// menu writes n links of the host, each in an element.
func (p *page) menu(n int, open, end string) {
	for i := range n {
		p.raw(`%s<a href="/m%d">%s</a>%s`+"\n", open, i, p.site.title(2), end)
	}
}

// others writes n links to other pages, which differ from page to page.
func (p *page) others(n int, open, end string) {
	for range n {
		p.raw(`%s<a href="/%d">%s</a>%s`+"\n", open, p.w.between(0, 999), p.w.title(p.w.between(4, 9)), end)
	}
}

// paragraphs writes n paragraphs of the text, some with a link in them.
func (p *page) paragraphs(n int, open, end string) {
	for range n {
		text := p.w.paragraph(p.w.between(2, 6))
		if p.w.between(0, 2) == 0 {
			head, tail := p.w.phrase(4), p.w.sentence()
			p.main = append(p.main, text+" "+head+" "+tail)
			p.raw(`%s%s <a href="/%d">%s</a> %s%s`+"\n", open, text, p.w.between(0, 999), head, tail, end)
			continue
		}
		p.own(open, text, end)
	}
}

// semantic is a blog that uses the elements of HTML 5.
func semantic(p *page) {
	title := p.w.title(5)
	p.raw("<title>%s</title><body><header><p>%s<nav><ul>", title, p.site.title(3))
	p.menu(8, "<li>", "")
	p.raw("</ul></nav></header><main><article><header>")
	p.own("<h1>", title, "</h1>")
	p.own("<p>", "12 March by "+p.w.title(2), "")
	p.raw("</header>")
	p.paragraphs(4, "<p>", "</p>")
	p.own("<h2>", p.w.title(3), "</h2>")
	p.paragraphs(4, "<p>", "</p>")
	p.raw("</article><aside><h2>Related articles</h2><ul>")
	p.others(6, "<li>", "</li>")
	p.raw("</ul></aside></main><footer><p>%s<p>Imprint Privacy Contact</footer>", p.site.sentence())
}

// classes is a news site of div elements with classes.
func classes(p *page) {
	title := p.w.title(7)
	p.raw(`<title>%s | News</title><body><div id="page"><div class="site-header"><div class="logo">%s</div><div class="main-navigation"><ul>`, title, p.site.title(2))
	p.menu(14, `<li class="menu-item">`, "</li>")
	p.raw(`</ul></div></div><div class="breadcrumbs"><a href="/">Home</a> &gt; <a href="/news">News</a></div><div class="layout has-sidebar"><div class="story">`)
	p.own(`<h1 class="headline">`, title, "</h1>")
	p.own(`<div class="lead">`, p.w.sentence(), "</div>")
	p.raw(`<div class="share-buttons"><a href="/f">Share</a> <a href="/t">Tweet</a> <a href="/e">Send by mail</a></div>`)
	p.paragraphs(3, `<div class="par">`, "</div>")
	p.raw(`<div class="related-box"><div>Read also</div>`)
	p.others(3, "<div>", "</div>")
	p.raw(`</div><div class="advertisement">Advertisement: %s</div>`, p.w.sentence())
	p.paragraphs(4, `<div class="par">`, "</div>")
	p.raw(`</div><div class="sidebar"><div>Most read</div>`)
	p.others(8, `<div class="item">`, "</div>")
	p.raw(`<p>%s %s</p></div></div><div class="site-footer"><p>%s %s</p></div></div>`, p.site.paragraph(3), p.site.sentence(), p.site.paragraph(2), p.site.sentence())
}

// tables is a page of the nineties: a table for the layout, no names.
func tables(p *page) {
	title := p.w.title(4)
	p.raw(`<title>%s</title><body bgcolor=white><table width=100%%><tr><td colspan=2><font size=5>%s</font></td></tr><tr><td width=150 valign=top>`, title, p.site.title(4))
	p.menu(9, "", "<br>")
	p.raw(`<p><small>%s</small></td><td>`, p.site.sentence())
	p.own("<h2>", title, "</h2>")
	p.paragraphs(5, "<p>", "")
	p.raw(`<hr><p align=center>[ <a href="/">Home</a> | <a href="/mail">Mail</a> | <a href="/guests">Guest book</a> ]<p><small>Last changed %d March 2003. %s</small></td></tr></table>`, p.w.between(1, 28), p.site.sentence())
}

// nameless is a page of today whose classes are about looks.
func nameless(p *page) {
	title := p.w.title(6)
	p.raw(`<title>%s</title><body class="bg-white"><div class="flex p-4"><div class="mr-8 font-bold">%s</div><div class="flex gap-4">`, title, p.site.title(2))
	p.menu(7, "<div>", "</div>")
	p.raw(`</div></div><div class="mx-auto max-w-4xl px-4">`)
	p.own(`<h1 class="text-4xl">`, title, "</h1>")
	p.own(`<div class="text-gray-500">`, p.w.paragraph(2), "</div>")
	p.paragraphs(5, `<p class="mt-4">`, "</p>")
	p.raw(`<div class="mt-12 grid grid-cols-3">`)
	for range 6 {
		p.raw(`<div class="rounded shadow"><a href="/%d"><div class="font-bold">%s</div><div class="text-sm">%s</div></a></div>`, p.w.between(0, 999), p.w.title(5), p.w.sentence())
	}
	p.raw(`</div></div><div class="bg-gray-900 text-white p-12"><div>%s</div><div>%s %s</div>`, p.site.title(3), p.site.paragraph(2), p.site.sentence())
	p.menu(10, "<div>", "</div>")
	p.raw(`<div>© %d %s</div></div>`, 2020+p.n%5, p.site.title(2))
}

// manual is documentation: a table of contents on the left, code, short items.
func manual(p *page) {
	title := p.w.title(3)
	p.raw(`<title>%s</title><body><div class="topbar"><a href="/">%s</a> <input placeholder=Search></div><div class="columns"><div class="toc"><ul>`, title, p.site.title(2))
	p.menu(30, "<li>", "</li>")
	p.raw(`</ul></div><div role="main">`)
	p.own("<h1>", title, "</h1>")
	p.paragraphs(1, "<p>", "</p>")
	p.own("<pre>", "run --"+p.w.phrase(1)+" "+p.w.phrase(1)+" input output", "</pre>")
	p.raw("<ul>")
	for range 5 {
		p.own("<li>", p.w.phrase(p.w.between(3, 9)), "</li>")
	}
	p.raw("</ul>")
	p.own("<h2>", p.w.title(2), "</h2>")
	p.paragraphs(2, "<p>", "</p>")
	p.own("<h2>", "Options", "</h2>")
	p.paragraphs(1, "<p>", "</p>")
	p.raw(`<p><a href="/%d">Previous</a> <a href="/%d">Next</a></p></div></div><div class="footer">%s</div>`, p.n-1, p.n+1, p.site.sentence())
}

// forum is a thread: posts of people with signatures and buttons.
func forum(p *page) {
	title := p.w.title(5)
	p.raw(`<title>%s</title><body><div id="head"><b>%s</b> `, title, p.site.title(3))
	p.menu(6, "", " | ")
	p.raw(`</div><div class="path"><a href="/">Forum</a> / <a href="/b">%s</a></div>`, p.site.title(2))
	p.own("<h1>", title, "</h1>")
	for range p.w.between(4, 7) {
		p.raw(`<div class="post"><div class="user"><a href="/u%d">%s</a><br>Posts: %d<br>Joined: 2011</div><div class="msg">`, p.w.between(0, 99), p.w.title(1), p.w.between(1, 900))
		p.paragraphs(p.w.between(1, 2), "<p>", "</p>")
		p.raw(`</div><div class="buttons"><a href="#r">Reply</a> <a href="#q">Quote</a> <a href="#x">Report</a></div></div>`)
	}
	p.raw(`<div id="foot">%s <p>You may not post new threads. You may not reply. %s</div>`, p.site.sentence(), p.site.sentence())
}

// shop is an article of a shop: little text, much frame.
func shop(p *page) {
	title := p.w.title(4)
	p.raw(`<title>%s</title><body><header><div>%s</div><form><input><button>Search</button></form><nav>`, title, p.site.title(1))
	p.menu(20, "<span>", "</span>")
	p.raw(`</nav></header><main>`)
	p.own("<h1>", title, "</h1>")
	p.own("<p>", fmt.Sprintf("Price %d.99 EUR", p.w.between(3, 400)), "</p>")
	p.raw(`<button>Add to cart</button> <p>Free delivery from 40 EUR. Returns within 30 days.</p>`)
	p.paragraphs(2, "<p>", "</p>")
	p.raw("<ul>")
	for range 6 {
		p.own("<li>", p.w.title(1)+": "+p.w.phrase(p.w.between(1, 4)), "</li>")
	}
	p.raw(`</ul><section class="recommendations"><h2>Others also bought</h2>`)
	p.others(8, "<div>", "</div>")
	p.raw(`</section></main><footer><p>%s<p>%s</footer>`, p.site.paragraph(3), p.site.paragraph(2))
}

// wiki is an encyclopaedia: many links in the text, headings that repeat.
func wiki(p *page) {
	title := p.w.title(2)
	p.raw(`<title>%s</title><body><div id="mw-navigation"><ul>`, title)
	p.menu(16, "<li>", "</li>")
	p.raw(`</ul></div><div id="content">`)
	p.own("<h1>", title, "</h1>")
	p.raw(`<div id="siteSub">From the free collection of %s</div>`, p.site.phrase(3))
	for _, h := range []string{"", "History", "Description"} {
		if h != "" {
			p.own("<h2>", h, "</h2>")
		}
		for range 3 {
			a, b, c := p.w.sentence(), p.w.phrase(2), p.w.sentence()
			p.main = append(p.main, a+" "+b+" "+c)
			p.raw(`<p>%s <a href="/%d">%s</a> %s</p>`+"\n", a, p.w.between(0, 999), b, c)
		}
	}
	p.raw(`<h2>See also</h2><ul>`)
	p.others(5, "<li>", "</li>")
	p.raw(`</ul></div><div id="catlinks">Categories: `)
	p.menu(4, "", " | ")
	p.raw(`</div><div id="footer"><ul><li>This page was last edited on %d March.</li><li>%s</li></ul></div>`, p.w.between(1, 28), p.site.paragraph(2))
}

// cookies is a short text below a long notice about cookies.
func cookies(p *page) {
	title := p.w.title(5)
	p.raw(`<title>%s</title><body><div id="cmp" class="x1"><p>%s</p><p>%s</p><button>Accept all</button><button>Settings</button></div><div class="x2"><div>`, title, p.site.paragraph(6), p.site.paragraph(5))
	p.menu(6, "<p>", "</p>")
	p.raw(`</div><div class="x3">`)
	p.own("<h1>", title, "</h1>")
	p.paragraphs(3, "<p>", "</p>")
	p.raw(`<p>%s</p></div></div><div class="x4"><p>%s</p></div>`, p.site.sentence(), p.site.sentence())
}

// breaks is a text whose lines are separated by br, such as a poem or minutes.
func breaks(p *page) {
	title := p.w.title(3)
	p.raw(`<title>%s</title><body><div id=nav>`, title)
	p.menu(8, "", "<br>")
	p.raw(`</div><div>`)
	p.own("<h1>", title, "</h1>")
	for range 4 {
		p.raw("<p>")
		for range 6 {
			p.own("", p.w.phrase(p.w.between(5, 9)), "<br>")
		}
		p.raw("</p>")
	}
	p.raw(`</div><div>%s</div><div><a href="/">Home</a></div>`, p.site.sentence())
}

// chapters is a book: headings that differ by a number, and a frame with numbers in it.
func chapters(p *page) {
	p.raw(`<title>Chapter %d</title><body><div><b>%s</b> `, p.n+1, p.site.title(4))
	p.menu(5, "", " | ")
	p.raw(`</div><div>Page %d of 240</div><div>`, 7*p.n+1)
	p.own("<h1>", fmt.Sprintf("Chapter %d", p.n+1), "</h1>")
	p.own("<h2>", p.w.title(4), "</h2>")
	p.paragraphs(3, "<p>", "</p>")
	for i := range 3 {
		p.own("<h3>", fmt.Sprintf("Section %d.%d", p.n+1, i+1), "</h3>")
		p.paragraphs(2, "<p>", "</p>")
	}
	p.raw(`</div><div><a href="/%d">Chapter %d</a> <a href="/%d">Chapter %d</a></div><div>%s Visitor %d since 1999.</div>`, p.n-1, p.n, p.n+1, p.n+2, p.site.sentence(), 1000+37*p.n)
}

// figures is a yearbook: tables of numbers and short words, which many pages have, too, and a calendar in the frame.
func figures(p *page) {
	title := p.w.title(3)
	p.raw(`<title>%s</title><body><div>%s `, title, p.site.title(3))
	p.menu(6, "", " | ")
	p.raw(`</div><div><table><tr><th>Mo</th><th>Tu</th><th>We</th><th>Th</th><th>Fr</th></tr>`)
	for day := 1; day <= 30; day += 5 {
		p.raw("<tr>")
		for i := range 5 {
			p.raw("<td>%d</td>", day+i)
		}
		p.raw("</tr>")
	}
	p.raw("</table></div><div>")
	p.own("<h1>", title, "</h1>")
	p.paragraphs(2, "<p>", "</p>")
	p.raw("<table><tr>")
	for _, head := range []string{"Year", "Count", "Share", "Checked"} {
		p.own("<th>", head, "</th>")
	}
	p.raw("</tr>")
	for year := range 8 {
		p.raw("<tr>")
		p.own("<td>", fmt.Sprint(2001+year), "</td>")
		p.own("<td>", fmt.Sprint(p.w.between(10, 90000)), "</td>")
		p.own("<td>", fmt.Sprintf("%d.%d %%", p.w.between(0, 99), p.w.between(0, 9)), "</td>")
		p.own("<td>", []string{"yes", "no", "unknown"}[p.w.between(0, 2)], "</td>")
		p.raw("</tr>")
	}
	p.raw("</table>")
	p.paragraphs(2, "<p>", "</p>")
	p.raw(`</div><div>%s</div><div>Updated %d March %d. %s</div>`, p.site.sentence(), p.w.between(1, 28), 2001+p.n, p.site.sentence())
}

// records is a catalogue: a table of labels, the same on all pages, and values in the main element.
func records(p *page) {
	title := p.w.title(4)
	p.raw(`<title>%s</title><body><header>%s<nav>`, title, p.site.title(2))
	p.menu(9, "<span>", "</span>")
	p.raw(`</nav></header><main>`)
	p.own("<h1>", title, "</h1>")
	p.raw("<table>")
	for i, label := range []string{"Area", "Depth", "Kind", "Found", "Number"} {
		p.raw("<tr>")
		p.own("<th>", label, "</th>")
		p.own("<td>", []string{fmt.Sprintf("%d km", p.w.between(1, 999)), fmt.Sprintf("%d m", p.w.between(1, 99)), []string{"reef", "atoll", "lagoon"}[p.w.between(0, 2)], p.w.phrase(2), fmt.Sprint(p.n)}[i], "</td>")
		p.raw("</tr>")
	}
	p.raw("</table>")
	p.paragraphs(3, "<p>", "</p>")
	p.raw(`<p>Record %d of 90. %s</p></main><footer>%s</footer>`, p.n, p.site.sentence(), p.site.paragraph(2))
}
