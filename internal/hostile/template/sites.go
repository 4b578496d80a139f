package template

import (
	"fmt"
	"strings"
	"time"
)

// Shop makes a shop: a homepage, listings of goods that lead to each other, and
// a page for each of the goods. In the listings the same words are next to
// every article. Every tenth of the goods has a copy with a session id and,
// with other goods in its box of suggestions, a mirrored one. The homepage
// comes first; copies, to which no link leads, come last.
func Shop(host string, listings, each int) (pages []Page) {
	t := &theme{host: host, name: name(host, 2), menu: numbered("/help/%d", 8), footer: Prose(host+" footer", 60), aside: "<p>" + Prose(host+" aside", 25)}
	home := "<p>Welcome to our shop. " + Prose(host+" welcome", 60)
	for _, l := range numbered("/list?page=%d", listings) {
		home += "<p>" + link(l, name(host+l, 2))
	}
	pages = append(pages, t.page("/", "Welcome", home))
	for _, m := range t.menu {
		pages = append(pages, t.page(m, name(host+m, 2), "<p>"+Prose(host+m, 80)))
	}
	var goods, copies []Page
	for i := range listings {
		var b strings.Builder
		for k := range each {
			n := i*each + k
			path := fmt.Sprintf("/product/%d", n+1)
			fmt.Fprintf(&b, `<div class=card>%s<p>%d.99 EUR<p>In stock<p>Add to cart<p>Free delivery from 50 EUR</div>`, link(path, name(host+path, 3)), 5+number(host+path, 90))
			article := t.article(path, n, path)
			goods = append(goods, article)
			if n%10 == 0 {
				copies = append(copies, copied(article, path+"?sid=4711"))
				mirror := t.article(path+"?ref=mail", n, path+" mirror")
				mirror.Same = article.Key()
				copies = append(copies, mirror)
			}
		}
		b.WriteString("<p>" + link(fmt.Sprintf("/list?page=%d", i), "Previous page") + link(fmt.Sprintf("/list?page=%d", i+2), "Next page"))
		pages = append(pages, t.page(fmt.Sprintf("/list?page=%d", i+1), "All goods", b.String()))
	}
	return append(append(pages, goods...), copies...)
}

// article is the page of one of the goods; box draws the suggestions next to
// it. Seventy of its words are its own, the rest is the shop's.
func (t *theme) article(path string, n int, box string) Page {
	seed := fmt.Sprintf("%s product %d", t.host, n)
	title := name(t.host+fmt.Sprintf("/product/%d", n+1), 3)
	body := fmt.Sprintf("<p>%d.99 EUR including tax<p>Article number %d<p>In stock<p>Add to cart<p>Ships within two working days, returns are free for thirty days<p>%s<h3>Customers also bought</h3>",
		5+number(seed, 90), 10000+number(seed+" no", 90000), Prose(seed, 70))
	for i := range 2 {
		body += "<p>" + name(fmt.Sprint(box, i), 2) + " In stock Add to cart"
	}
	return t.page(path, title, body)
}

// Forum makes a forum: lists of threads that lead to each other, and a page for
// each thread. Every tenth thread has a copy that was read more often since.
func Forum(host string, lists, each int) (pages []Page) {
	t := &theme{host: host, name: name(host, 2), menu: numbered("/board/%d", 6), footer: Prose(host+" footer", 40), aside: "<p>Users online " + Prose(host+" users", 12)}
	var home string
	for _, l := range numbered("/threads/%d", lists) {
		home += "<p>" + link(l, name(host+l, 2))
	}
	pages = append(pages, t.page("/", "Overview", "<p>"+Prose(host+" rules", 50)+home))
	for _, m := range t.menu {
		pages = append(pages, t.page(m, name(host+m, 2), "<p>"+Prose(host+m, 60)))
	}
	var threads, copies []Page
	for i := range lists {
		var b strings.Builder
		for k := range each {
			n := i*each + k
			path := fmt.Sprintf("/thread/%d", n+1)
			fmt.Fprintf(&b, "<tr><td>%s<td>by %s<td>%d replies<td>last post today<td>no new posts", link(path, name(host+path, 4)), Prose(path+" by", 1), number(path, 40))
			thread := t.thread(path, 100)
			threads = append(threads, thread)
			if n%10 == 0 {
				later := t.thread(path, 164)
				later.Same, later.Path = thread.Key(), path+"?view=new"
				copies = append(copies, later)
			}
		}
		pages = append(pages, t.page(fmt.Sprintf("/threads/%d", i+1), "Threads", "<table>"+b.String()+"</table>"+link(fmt.Sprintf("/threads/%d", i+2), "Next")))
	}
	return append(append(pages, threads...), copies...)
}

// thread is the page of a thread of two to five posts; reads is the number that
// changes with every visit.
func (t *theme) thread(path string, reads int) Page {
	var b strings.Builder
	fmt.Fprintf(&b, "<p>Read %d times", reads)
	for i := range 2 + number(t.host+path, 4) {
		seed := fmt.Sprint(t.host, path, i)
		fmt.Fprintf(&b, "<div><p>Posted by %s<p>%s<p>Reply Quote Report this post</div>", Prose(seed+" by", 1), Prose(seed, 35))
	}
	return t.page(path, name(t.host+path, 4), b.String())
}

// Listings makes a site of small advertisements, whose pages have much of a
// template and few words of their own: fourteen, and some numbers. Every tenth
// has a copy with a session id.
func Listings(host string, n int) (pages []Page) {
	t := &theme{host: host, name: name(host, 2), menu: numbered("/region/%d", 16), footer: Prose(host+" footer", 90), aside: "<p>" + Prose(host+" aside", 60)}
	var copies []Page
	var home strings.Builder
	for i := range n {
		path := fmt.Sprintf("/flat/%d", i+1)
		seed := host + path
		home.WriteString("<li>" + link(path, name(seed, 2)))
		body := fmt.Sprintf("<p>Rooms %d<p>Living area %d square metres<p>Rent %d EUR a month<p>Street %s %d<p>%s<p>%s",
			1+number(seed, 5), 30+number(seed+"m", 90), 400+number(seed+"r", 900), name(seed+"s", 1), 1+number(seed+"n", 80), Prose(seed, 14), Prose(host+" legal", 50))
		ad := t.page(path, name(seed, 2), body)
		pages = append(pages, ad)
		if i%10 == 0 {
			copies = append(copies, copied(ad, path+"?sid=815"))
		}
	}
	for _, m := range t.menu {
		pages = append(pages, t.page(m, name(host+m, 2), "<p>"+Prose(host+m, 40)))
	}
	first := t.page("/", "Flats to let", "<ul>"+home.String()+"</ul>")
	return append(append([]Page{first}, pages...), copies...)
}

// Franchise makes n hosts with one text, each of them about another town: no
// page is a near-duplicate, although only a few words differ.
func Franchise(domain string, n int) (pages []Page) {
	topics := []string{"Menu", "Opening hours", "Our story", "Jobs", "Catering", "Gift cards", "Directions", "Allergens", "Events"}
	for i := range n {
		host := fmt.Sprintf("town%d.%s", i+1, domain)
		town := fmt.Sprintf("%sville %s", vocabulary[i*7%len(vocabulary)], vocabulary[(i*11+3)%len(vocabulary)])
		t := &theme{host: host, name: "Corner Bakery " + town, menu: numbered("/%d", len(topics)), footer: "Corner Bakery " + town + " " + Prose(domain+" footer", 40)}
		goods := ""
		for k := range 30 {
			goods += fmt.Sprintf("<li>%s %d.50 EUR fresh every day order now", Prose(fmt.Sprint(domain, k), 1), 1+number(fmt.Sprint(host, k), 9))
		}
		pages = append(pages, t.page("/", "Welcome to "+town, "<p>"+about(domain+" home", town, 60)+"<ul>"+goods+"</ul>"))
		for k, topic := range topics {
			pages = append(pages, t.page(fmt.Sprintf("/%d", k+1), topic+" in "+town, "<p>"+about(domain+topic, town, 60)+"<ul>"+goods+"</ul>"))
		}
	}
	return pages
}

// about writes a text that names a town after every fifteen words, as texts do
// that are written for search engines.
func about(seed, town string, n int) string {
	words := strings.Fields(Prose(seed, n))
	for i := 7; i < len(words); i += 16 {
		words[i] = town
	}
	return strings.Join(words, " ")
}

// Calendar makes n months: a grid of days, which is nearly the same in all of
// them, and an event or two. Every twelfth has a print version.
func Calendar(host string, n int) (pages []Page) {
	t := &theme{host: host, name: name(host, 2), menu: numbered("/room/%d", 10), footer: Prose(host+" footer", 50), aside: "<p>" + Prose(host+" aside", 30)}
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	path := func(at time.Time) string { return at.Format("/month/2006-01") }
	var copies []Page
	pages = append(pages, t.page("/", "Programme", "<p>"+Prose(host+" home", 80)+link(path(first), "This month")))
	for _, m := range t.menu {
		pages = append(pages, t.page(m, name(host+m, 2), "<p>"+Prose(host+m, 60)))
	}
	for i := range n {
		at := first.AddDate(0, i, 0)
		var b strings.Builder
		b.WriteString("<table><tr>")
		for d := at; d.Month() == at.Month(); d = d.AddDate(0, 0, 1) {
			fmt.Fprintf(&b, "<td>%d", d.Day())
			if number(host+d.String(), 12) == 0 {
				b.WriteString(" " + Prose(host+d.String(), 12))
			}
		}
		b.WriteString("</table>")
		title := at.Format("January 2006")
		around := link(path(at.AddDate(0, -1, 0)), "Previous month") + " " + link(path(at.AddDate(0, 1, 0)), "Next month")
		pages = append(pages, t.page(path(at), title, b.String()+around))
		if i%12 == 0 {
			copies = append(copies, t.bare(path(at)+"?print=1", title, b.String(), path(at)))
		}
	}
	return append(pages, copies...)
}

// News makes n articles within the same chrome. Every tenth has a print
// version, a copy with another date, advertisement and box of related articles,
// one with small edits, and one on a mirror with a theme of its own: four ways
// in which one text appears under several URLs.
func News(host string, n int) (pages []Page) {
	t := &theme{host: host, name: name(host, 2), menu: numbered("/section/%d", 12), footer: Prose(host+" footer", 70), aside: "<h3>Most read</h3><p>" + Prose(host+" most read", 60)}
	mirror := &theme{host: "mirror." + host, name: name(host+" mirror", 2), menu: numbered("/m/%d", 5), footer: Prose(host+" mirror footer", 30)}
	var copies []Page
	var home strings.Builder
	for i := range n {
		path := fmt.Sprintf("/article/%d", i+1)
		title, story := name(host+path, 5), Prose(host+path, 280)
		home.WriteString("<p>" + link(path, title))
		around := func(date, box, story string) string {
			return "<p>Published " + date + "<p>" + story + "<h3>Related</h3><p>" + name(box, 10) + "<p>Advertisement " + Prose(box+" ad", 8)
		}
		date := fmt.Sprintf("%d March 2026", 1+i%28)
		article := t.page(path, title, around(date, path, story))
		pages = append(pages, article)
		if i%10 != 0 {
			continue
		}
		add := func(p Page) {
			p.Same = article.Key()
			copies = append(copies, p)
		}
		add(t.bare(path+"?print=1", title, "<p>"+story, path))
		add(t.page(path+"?from=feed", title, around("yesterday", path+" other", story)))
		add(t.page(path+"?rev=2", title, around(date, path, edited(story, 90))))
		add(mirror.page(path, title, around(date, path+" mirror", story)))
	}
	for _, m := range t.menu {
		pages = append(pages, t.page(m, name(host+m, 2), "<p>"+Prose(host+m, 100)))
	}
	return append(append([]Page{t.page("/", "Today", home.String())}, pages...), copies...)
}

// Parts makes a catalogue of n parts in lists of fifty. The pages of the parts have the same
// words: only the part number differs, and as many of the values in the table as given.
// Every part links to the lists around its own and to its neighbours.
func Parts(host string, n, values int) (pages []Page) {
	t := &theme{host: host, name: name(host, 2), menu: numbered("/help/%d", 6), footer: Prose(host+" footer", 50), aside: "<p>" + Prose(host+" aside", 30)}
	const each = 50
	var home strings.Builder
	for _, l := range numbered("/parts/page-%d", (n+each-1)/each) {
		home.WriteString("<p>" + link(l, "More parts"))
	}
	pages = append(pages, t.page("/", "Catalogue", "<p>"+Prose(host+" welcome", 60)+home.String()))
	for _, m := range t.menu {
		pages = append(pages, t.page(m, name(host+m, 2), "<p>"+Prose(host+m, 60)))
	}
	path := func(i int) string { return fmt.Sprintf("/part/%d", 100000+7*(i%n)) }
	var parts []Page
	for first := 0; first < n; first += each {
		var b strings.Builder
		for i := first; i < min(first+each, n); i++ {
			b.WriteString("<p>" + link(path(i), fmt.Sprintf("Hexagon bolt %d", 100000+7*i)))
			parts = append(parts, t.part(path(i), i, values, path(i+n-1), path(i+1)))
		}
		pages = append(pages, t.page(fmt.Sprintf("/parts/page-%d", first/each+1), "Parts", b.String()))
	}
	return append(pages, parts...)
}

// part is the page of one part of a catalogue, with links to its neighbours.
func (t *theme) part(path string, i, values int, before, after string) Page {
	var b strings.Builder
	fmt.Fprintf(&b, "<p>Part number %d<table>", 100000+7*i)
	for k := range 12 {
		value := uint64(k)
		if k < values {
			value = number(fmt.Sprint(path, k), 900)
		}
		fmt.Fprintf(&b, "<tr><td>%s<td>%d.%d mm", Prose(fmt.Sprint(t.host, " row ", k), 2), 1+value/10, value%10)
	}
	fmt.Fprintf(&b, "</table><p>%s<p>%s %s", Prose(t.host+" part", 60), link(before, "Previous part"), link(after, "Next part"))
	return t.page(path, "Hexagon bolt", b.String())
}
