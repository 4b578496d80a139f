package demo

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dowse"
)

// reach returns the pages that a crawl can reach which gives up after a number of
// off-topic pages in a row.
func reach(w *Web, topic int, seeds []dowse.URL, limit int) map[int]bool {
	type step struct{ id, run int }
	best := map[int]int{} // shortest run with which a page was entered
	var queue []step
	enter := func(id, run int) {
		if w.page(id).lex == topic {
			run = 0
		} else {
			run++
		}
		if old, seen := best[id]; run > limit || seen && old <= run {
			return
		}
		best[id] = run
		queue = append(queue, step{id, run})
	}
	for _, u := range seeds {
		id, _ := w.numberOf(u)
		enter(id, 0)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, l := range w.planOf(w.page(at.id)).links {
			switch l.kind {
			case toPage, toRedirect, toMoved:
				enter(l.page, at.run)
			}
		}
	}
	reached := map[int]bool{}
	for id := range best {
		reached[id] = true
	}
	return reached
}

func TestTunnelLeadsThroughOffTopicPages(t *testing.T) {
	sequential(t)
	for _, c := range []Config{{}, {Seed: 5}, {Pages: 9000}} {
		w := New(c)
		hidden := siteOf(t, w, Hidden)
		seeds := append(w.Seeds(tidePools, 99), w.GeneralSeeds(99)...)
		on := 0
		for local := range hidden.count {
			if r, _ := w.Truth(w.URL(hidden.first+local), tidePools); r {
				on++
			}
		}
		if on < hidden.count/2 {
			t.Errorf("%d of %d hidden pages are on topic", on, hidden.count)
		}
		for limit, want := range map[int]bool{0: false, 1: false, 2: false, 3: true} {
			got := reach(w, 0, seeds, limit)
			if got[hidden.first] != want {
				t.Errorf("%+v: with %d off-topic pages in a row the hidden site is reached: %v", c, limit, got[hidden.first])
			}
			if limit == 1 && len(got) < 200 {
				t.Errorf("%d pages are reached at all", len(got))
			}
		}
	}
}

func TestOnlyThePassageLinksToTheHiddenSite(t *testing.T) {
	w := small()
	hidden, passage := siteOf(t, w, Hidden), siteOf(t, w, Passage)
	for id := range w.Len() {
		p := w.page(id)
		for _, l := range w.planOf(p).links {
			if w.page(l.page).site == hidden && p.site != hidden && id != passage.first+passage.count-1 {
				t.Errorf("%s links to %s", w.URL(id), w.URL(l.page))
			}
		}
	}
	for host := range w.hosts {
		for _, u := range w.Sitemap(host) {
			if strings.HasPrefix(string(u), "http://"+hidden.host) {
				t.Errorf("sitemap of %s lists %s", host, u)
			}
		}
	}
}

func TestCalendarHasNoEnd(t *testing.T) {
	w := small()
	for step, name := range map[int]string{1: "back", 2: "on", 3: "a year on"} {
		seen := map[dowse.URL]bool{}
		u := dowse.URL("http://calendar.demo/2026/11")
		for range 3000 {
			if seen[u] {
				t.Fatalf("%s: came back to %s", name, u)
			}
			seen[u] = true
			u = w.Links(u)[step]
		}
	}
	if got := body(t, w, "http://calendar.demo/2031/05"); !strings.Contains(got, `href="/2031/06">next month`) {
		t.Errorf("page of a month: %s", got)
	}
	if got := w.Links("http://calendar.demo/9999/12")[2]; got != "http://calendar.demo/0001/01" {
		t.Errorf("after the last month: %s", got)
	}
}

func TestRepeatingPathGrows(t *testing.T) {
	w := small()
	u := dowse.URL("http://weeklypost.demo/")
	for range 20 {
		next := dowse.URL("")
		for _, l := range w.Links(u) {
			if strings.HasSuffix(string(l), "archive/") {
				next = l
			}
		}
		if len(next) <= len(u) {
			t.Fatalf("%s leads on to %q", u, next)
		}
		u = next
		body(t, w, u)
	}
}

func TestForumLinksHaveNewSessions(t *testing.T) {
	w := small()
	ids := map[string]bool{}
	u, n := dowse.URL("http://forum.demo/"), 0
	for range 5 {
		for _, l := range w.Links(u) {
			if _, id, ok := strings.Cut(string(l), "PHPSESSID="); ok {
				ids[id] = true
				n++
				u = l
			}
		}
		if p, _ := w.Page(u); p.URL == u || p.URL == "" {
			t.Errorf("%s is the page %s", u, p.URL)
		}
	}
	if len(ids) != n || n < 50 {
		t.Errorf("%d session ids on %d links", len(ids), n)
	}
}

func TestRedirects(t *testing.T) {
	w := small()
	goal := w.sites[siteOf(t, w, Moved).partner].host
	tests := []struct{ from, to dowse.URL }{
		{"http://moved.demo/", "http://" + dowse.URL(goal) + "/"},
		{"http://moved.demo/page/1", "http://" + dowse.URL(goal) + "/links"},
		{"http://moved.demo/chain/3", "http://moved.demo/chain/2"},
		{"http://moved.demo/chain/1", "http://" + dowse.URL(goal) + "/"},
		{"http://moved.demo/loop/a", "http://moved.demo/loop/b"},
		{"http://moved.demo/loop/b", "http://moved.demo/loop/a"},
		{"http://kelp.demo/loop/self", "http://kelp.demo/loop/self"},
		{"http://kelp.demo/go/0", "http://kelp.demo/"},
		{"http://kelp.demo/go/999999", ""},
		{"http://kelp.demo/chain/3", ""},
		{"http://moved.demo/chain/x", ""},
	}
	for _, tt := range tests {
		p, ok := w.Page(tt.from)
		if !ok || p.Location != tt.to || (tt.to == "") != (p.Status == http.StatusNotFound) {
			t.Errorf("%s: %d to %s, want %s", tt.from, p.Status, p.Location, tt.to)
		}
	}
	s := siteOf(t, w, Ordinary)
	p, _ := w.Page(dowse.URL("http://" + s.host + "/" + s.shape.sections[0]))
	if want := dowse.URL("http://" + s.host + "/" + s.shape.sections[0] + "/"); p.Location != want {
		t.Errorf("section without a slash leads to %s", p.Location)
	}
}

func TestRobots(t *testing.T) {
	w := small()
	if got := body(t, w, "http://closed.demo/robots.txt"); got != "User-agent: *\nDisallow: /\n" {
		t.Errorf("closed: %q", got)
	}
	members := 0
	for u := range w.Pages() {
		at, _ := parse(u)
		robots := body(t, w, dowse.URL("http://"+at.host+"/robots.txt"))
		section := strings.HasPrefix(at.path, "/members/")
		want := at.host != "closed.demo" && !section
		if section {
			members++
			if !strings.Contains(robots, "Disallow: /members/\n") {
				t.Errorf("%s is not disallowed", u)
			}
		}
		if w.Allowed(u) != want {
			t.Errorf("%s: allowed %v", u, !want)
		}
	}
	if members == 0 {
		t.Error("no section is disallowed")
	}
	if w.Allowed("http://kelp.demo/search?q=x") || w.Allowed("http://nowhere.demo/") || !w.Allowed("http://closed.demo/robots.txt") {
		t.Error("search, unknown hosts and robots.txt")
	}
}

func TestSitemaps(t *testing.T) {
	w := small()
	urls := w.Sitemap("weeklypost.demo")
	xml := body(t, w, "http://weeklypost.demo/sitemap.xml")
	if len(urls) < 20 || strings.Count(xml, "<loc>") != len(urls) || !strings.Contains(xml, "<loc>"+string(urls[9])+"</loc>") {
		t.Errorf("%d pages, %d in the file", len(urls), strings.Count(xml, "<loc>"))
	}
	if !strings.Contains(body(t, w, "http://weeklypost.demo/robots.txt"), "Sitemap: http://weeklypost.demo/sitemap.xml") {
		t.Error("robots.txt does not name the sitemap")
	}
	if p, _ := w.Page("http://forum.demo/sitemap.xml"); p.Status != 404 || w.Sitemap("forum.demo") != nil {
		t.Errorf("sitemap of a site without one: %d", p.Status)
	}
}

func TestMirrorIsNearlyTheSame(t *testing.T) {
	w := small()
	mirror := siteOf(t, w, Mirror)
	original := &w.sites[mirror.partner]
	for local := range mirror.count {
		a := words(body(t, w, w.URL(original.first+local)))
		b := words(body(t, w, w.URL(mirror.first+local)))
		same := 0
		for i := range min(len(a), len(b)) {
			if a[i] == b[i] {
				same++
			}
		}
		// Words of two syllables shift what follows, so count by sets as well.
		set := map[string]int{}
		for _, x := range a {
			set[x]++
		}
		shared := 0
		for _, x := range b {
			if set[x] > 0 {
				set[x]--
				shared++
			}
		}
		if share := float64(shared) / float64(max(len(a), len(b))); share < 0.95 || same == len(a) {
			t.Errorf("page %d: %.3f of the words are shared, %d of %d in place", local, share, same, len(a))
		}
	}
}

// words returns the words of a page's article.
func words(html string) []string {
	return strings.Fields(html[strings.Index(html, "<article>"):strings.Index(html, "</article>")])
}

func TestFarmIsFullOfTheTopic(t *testing.T) {
	w := small()
	farm := siteOf(t, w, Farm)
	inside, links, entrances := 0, 0, 0
	for id := range w.Len() {
		p := w.page(id)
		for _, l := range w.planOf(p).links {
			toFarm := w.page(l.page).site.kind == Farm
			switch {
			case p.site.kind == Farm:
				links++
				if toFarm {
					inside++
				}
			case toFarm:
				entrances++
			}
		}
	}
	if float64(inside) < 0.8*float64(links) || entrances < 50 {
		t.Errorf("%d of %d links of the farm stay there, %d lead there", inside, links, entrances)
	}
	text := body(t, w, w.URL(farm.first+5))
	if n := strings.Count(text, tidePools); n < 30 {
		t.Errorf("the topic is %d times on a page", n)
	}
}

func TestOtherLanguages(t *testing.T) {
	w := small()
	for host, sign := range map[string]string{"lemarche.demo": `lang="fr"`, "dorfblatt.demo": `lang="de"`, "kelp.demo": `lang="en"`} {
		if !strings.Contains(body(t, w, dowse.URL("http://"+host+"/")), sign) {
			t.Errorf("%s does not declare %s", host, sign)
		}
	}
}

func TestOldPagesLieAboutTheirCharset(t *testing.T) {
	w := small()
	p, _ := w.Page("http://oldpages.demo/")
	if p.Type != htmlType || !strings.Contains(string(p.Body), "\x96") {
		t.Errorf("type %s", p.Type)
	}
	if got := windows1252([]byte("é–’“”€☃")); string(got) != "\xe9\x96\x92\x93\x94\x80?" {
		t.Errorf("%q", got)
	}
}

func TestMoodsDependOnTheCountOnly(t *testing.T) {
	w := small()
	for n := range 30 {
		p, _ := w.Answer("http://busytides.demo/", n)
		tired := n%9 == 4 || n%9 == 5
		if (p.Status == 429) != tired || tired != (p.RetryAfter == time.Second) {
			t.Errorf("busy, request %d: %d", n, p.Status)
		}
		p, _ = w.Answer("http://flaky.demo/", n)
		if p.Reset != (n%8 == 5) {
			t.Errorf("flaky, request %d: reset %v", n, p.Reset)
		}
		if p, _ = w.Answer("http://busytides.demo/robots.txt", n); p.Status != 200 {
			t.Errorf("robots.txt, request %d: %d", n, p.Status)
		}
	}
}

func TestLatency(t *testing.T) {
	w := small()
	if got := w.Latency("http://slow.demo/"); got != 400*time.Millisecond {
		t.Errorf("slow host: %v", got)
	}
	total := time.Duration(0)
	for i := range w.Len() {
		u := w.URL(i)
		p := w.Latency(u)
		if w.page(i).site.kind != Slow && (p < 4*time.Millisecond || p > 20*time.Millisecond) {
			t.Errorf("%s: %v", u, p)
		}
		total += min(p, 20*time.Millisecond)
	}
	if mean := total / time.Duration(w.Len()); mean < 11*time.Millisecond || mean > 13*time.Millisecond {
		t.Errorf("mean %v", mean)
	}
	if got := New(Config{Latency: -1, SlowLatency: -1}).Latency("http://slow.demo/"); got != 0 {
		t.Errorf("none: %v", got)
	}
}
