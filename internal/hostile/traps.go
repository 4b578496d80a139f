package hostile

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"dowse"
)

// trap opens a page that leads to further pages of the same kind below prefix, without end.
// The pages are generated from their URLs, so that a trap needs no memory.
func trap(entrance, prefix string, body func(x *exchange) string) func(s *Site) {
	return func(s *Site) {
		s.link(entrance)
		s.under(prefix, made(body))
	}
}

// trapRows are sites without end. A crawler cannot know that before it has entered; what is
// checked is how soon it stops, and that it entered at all.
func trapRows() []Row {
	const patience, little = 150, 60
	return []Row{
		{
			// The oldest trap, built by accident on thousands of sites.
			ID: "T01", Does: "a calendar with next and previous month for ever", Wants: "at most 150 requests into the trap",
			checks: []check{between(3, patience, "/calendar/")},
			open:   trap("/calendar/2026/11", "/calendar/", month),
		},
		{
			// Every visit makes all pages new. Finding out needs a comparison of what is on
			// them.
			ID: "T02", Does: "each page gives every link a new session id", Wants: "at most 150 requests into the trap",
			checks: []check{between(3, patience, "/shop/")},
			open: func(s *Site) {
				s.link("/shop/1?sid=0")
				s.under("/shop/", made(func(x *exchange) string {
					var b strings.Builder
					for i := range 10 {
						writeLink(&b, fmt.Sprintf("/shop/%d?sid=%016x", i, draw(x.entry.Target, i)))
					}
					return x.site.head(x.entry.Path()) + b.String()
				}))
			},
		},
		{
			// A relative link without a leading slash, on a server that answers any path
			// below a page.
			ID: "T03", Does: "a relative link that grows the path for ever: dir/dir/dir/", Wants: "at most 60 requests into the trap",
			checks: []check{between(3, little, "/dir/")},
			open: trap("/dir/", "/dir/", func(x *exchange) string {
				return x.site.head(x.entry.Target) + `<a href="dir/">on</a> <a href="sub/dir/">or on</a>`
			}),
		},
		{
			// 2 to the power of 12 combinations, in any order: filters of a shop.
			ID: "T04", Does: "12 filters that can be combined in any order", Wants: "at most 150 requests into the trap",
			checks: []check{between(3, patience, "/filter?")},
			open:   trap("/filter?none=1", "/filter", filters),
		},
		{
			// Random paths, one text: found by comparing texts after a few pages.
			ID: "T05", Does: "any path answers 200 with ten random links and the same text", Wants: "at most 150 requests into the trap",
			checks: []check{between(1, patience, "/any/")},
			open: trap("/any/", "/any/", func(x *exchange) string {
				var b strings.Builder
				b.WriteString("<title>Welcome</title><p>" + prose("T05", 100))
				for i := range 10 {
					writeLink(&b, "/any/"+letters(draw(x.entry.Target, i)))
				}
				return b.String()
			}),
		},
		{
			// URLs that grow. A bound on their length ends it.
			ID: "T06", Does: "each page links to its own URL with 500 more bytes", Wants: "stopped by URL length; at most 60 requests into the trap",
			checks: []check{between(3, little, "/grow?")},
			open: trap("/grow?q=", "/grow", func(x *exchange) string {
				return x.site.head(x.entry.Target) + `<a href="` + x.entry.Target + strings.Repeat("grow", 125) + `">on</a>`
			}),
		},
		{
			// Each spelling that is not made canonical is another page, and another visit.
			ID: "T07", Does: "14 spellings of one URL: case, port, dots, fragment, escapes, empty query", Wants: "fetched at most twice",
			checks: []check{onePage(2)},
			open:   spellings,
		},
		{
			// The trap that is made for crawlers: new text on topic, slowly, without end.
			// No text and no pattern of URLs gives it away; a budget per site does.
			ID: "T08", Does: "an endless maze of generated pages on topic", Wants: "at most 150 requests into the trap", Should: true,
			checks: []check{between(3, patience, "/maze/")},
			open: func(s *Site) {
				s.link("/maze/entrance")
				s.under("/maze/", after(100*time.Millisecond, made(maze)))
			},
		},
		{
			ID: "T09", Does: "a calendar without events: below a menu, only the numbers of its months differ", Wants: "at most 150 requests into the trap",
			checks: []check{between(3, patience, "/empty/")},
			open:   trap("/empty/2026-11", "/empty/", emptyMonth),
		},
	}
}

// draw returns the i-th of many numbers that depend on seed alone.
func draw(seed string, i int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", seed, i)
	return h.Sum64()
}

// letters writes a number as an invented word.
func letters(n uint64) string {
	var b strings.Builder
	for ; n > 0; n /= 26 {
		b.WriteByte('a' + byte(n%26))
	}
	return b.String()
}

// month is a page of the calendar. Its text differs from month to month, so that comparing
// texts does not end the trap.
func month(x *exchange) string {
	at, err := time.Parse("2006/1", strings.TrimPrefix(x.entry.Path(), "/calendar/"))
	if err != nil {
		return "<p>no such month"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s</title><h1>%[1]s</h1><table><tr>", at.Format("January 2006"))
	for d := at; d.Month() == at.Month(); d = d.AddDate(0, 0, 1) {
		fmt.Fprintf(&b, "<td>%s", d.Format("Mon 2 January"))
	}
	fmt.Fprintf(&b, "</table><p>This month: %s.", prose(x.entry.Path(), 200))
	for _, step := range []int{-1, 1} {
		writeLink(&b, at.AddDate(0, step, 0).Format("/calendar/2006/01"))
	}
	return b.String()
}

// emptyMonth is a month of a calendar that has no events, within the menu and the words that
// all pages of the site have. It leads to the months around it and to the same one of other
// years.
func emptyMonth(x *exchange) string {
	at, err := time.Parse("2006-01", strings.TrimPrefix(x.entry.Path(), "/empty/"))
	if err != nil {
		return "<p>no such month"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<title>Calendar</title><nav>")
	for i := range ordinaryPages {
		writeLink(&b, ordinaryPath(i))
	}
	fmt.Fprintf(&b, "</nav><h1>%s</h1><table>", at.Format("01/2006"))
	for d := at; d.Month() == at.Month(); d = d.AddDate(0, 0, 1) {
		fmt.Fprintf(&b, "<td>%d", d.Day())
	}
	fmt.Fprintf(&b, "</table><p>There are no events in this month. %s", prose("calendar", 120))
	for i, months := range []int{-12, -1, 1, 12} {
		words := []string{"Last year", "Previous month", "Next month", "Next year"}[i]
		fmt.Fprintf(&b, ` <a href="%s">%s</a>`, at.AddDate(0, months, 0).Format("/empty/2006-01"), words)
	}
	return b.String()
}

// filters shows some goods and links to each filter that is not yet set, in front of the
// others and behind them: combinations without end. The text depends on the set of filters
// alone, so that orders of one set are the same page.
func filters(x *exchange) string {
	set := strings.Split(x.URL.RawQuery, "&")
	var b strings.Builder
	b.WriteString(x.site.head(strings.Join(slices.Sorted(slices.Values(set)), "&")))
	for i := range 12 {
		f := fmt.Sprintf("filter%c=%d", 'a'+i, i)
		if !slices.Contains(set, f) {
			writeLink(&b, "/filter?"+strings.Join(append(slices.Clone(set), f), "&"))
			writeLink(&b, "/filter?"+strings.Join(append([]string{f}, set...), "&"))
		}
	}
	return b.String()
}

// maze is a page about the topic, unlike any other, with links deeper into the maze. Every
// fifteenth word is the topic, and the words of links come from the page, as on a site
// about the topic.
func maze(x *exchange) string {
	var b strings.Builder
	path := x.entry.Path()
	words := strings.Fields(prose(path, 300))
	for i := 0; i < len(words); i += 15 {
		words[i] = Topic
	}
	fmt.Fprintf(&b, "<title>%s: %s</title><h1>%[1]s</h1><p>%s", Topic, words[1], strings.Join(words, " "))
	for i := range 8 {
		fmt.Fprintf(&b, "<p>More about %s: <a href=\"/maze/%s/%s\">%s</a>", Topic, strings.Trim(words[i+1], "."), letters(draw(path, i)), words[i+1])
	}
	return b.String()
}

// spellings links to one page in many spellings; canonical URLs make them one.
func spellings(s *Site) {
	host := strings.TrimPrefix(origin("", s.Host, s.port), "://")
	for _, spelling := range []string{
		"/one/page", "http://" + host + "/one/page", "HTTP://" + strings.ToUpper(host) + "/one/page", fmt.Sprintf("http://%s:0%d/one/page", s.Host, s.port),
		"/one/./page", "/one/two/../page", "/./one/page", "/one/page#top", "/one/page#", "/%6Fne/page", "/one/p%61ge", "/one/page?",
		"//" + host + "/one/page", "/one//../page",
	} {
		s.link(spelling)
	}
	s.under("/one", article(""))
	s.under("/%6F", article(""))
}

// onePage checks that everything below /one is a single page to the crawl, requested at
// most n times, and that it was fetched.
func onePage(n int) check {
	return func(o *outcome) {
		var targets []string
		for _, r := range o.log {
			if strings.HasPrefix(r.Target, "/one") || strings.HasPrefix(r.Target, "/%6") {
				targets = append(targets, r.Target)
			}
		}
		if len(targets) == 0 || len(targets) > n {
			o.problem("%d requests for one page: %q", len(targets), targets)
		}
		if f, ok := o.find("/one/page"); f.State != dowse.Visited {
			o.problem("/one/page is %s", f.describe(ok))
		}
	}
}
