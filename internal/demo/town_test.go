package demo

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dowse"
)

func testTown() *Town { return NewTown(TownConfig{Sites: 600, Seed: 3}) }

func TestTownIsTheSameTwice(t *testing.T) {
	a, b := testTown(), testTown()
	for s := range a.Sites() {
		u := dowse.URL("http://" + s.Host + "/")
		x, ok := a.Page(u)
		y, same := b.Page(u)
		if ok != same || !bytes.Equal(x.Body, y.Body) {
			t.Fatalf("%s differs", u)
		}
	}
	other := NewTown(TownConfig{Sites: 600, Seed: 4})
	if a.urlOf(1, 0) == other.urlOf(1, 0) && a.urlOf(2, 0) == other.urlOf(2, 0) {
		t.Error("another seed gives the same town")
	}
}

// Every kind of homepage is there, and is what it is called.
func TestTownHomepages(t *testing.T) {
	town := testTown()
	seen := map[HomeKind]int{}
	for s := range town.Sites() {
		seen[s.Home]++
		p, ok := town.Page(dowse.URL("http://" + s.Host + "/"))
		body := string(p.Body)
		wrong := false
		switch s.Home {
		case FrameHome:
			wrong = strings.Count(body, "<frame ") != 2
		case ThinHome:
			wrong = strings.Count(body, "<a ") != 1 || len(body) > 300
		case ScriptHome:
			wrong = strings.Contains(body, "<a ")
		case RedirectHome:
			wrong = p.Status != 301 || p.Location == ""
		case RefreshHome:
			wrong = !strings.Contains(body, "refresh")
		case ParkedHome:
			wrong = !strings.Contains(body, "for sale")
		case DeadHome:
			wrong = ok
		case GoneHome:
			wrong = p.Status != 404
		default:
			wrong = p.Status != 200 || len(body) < 400
		}
		if wrong || ok == (s.Home == DeadHome) {
			t.Errorf("%s: %s answers %d\n%.200s", s.Home, s.Host, p.Status, body)
		}
		if s.Home >= RedirectHome && (s.Relevant || s.Pages != 0) {
			t.Errorf("%s is no site, and yet %+v", s.Host, s)
		}
	}
	if len(seen) != len(homeKindNames) {
		t.Errorf("homepages %v", seen)
	}
}

// Links lead to pages, and the rings and the competitors are as promised.
func TestTownLinks(t *testing.T) {
	sequential(t)
	town := testTown()
	var within, competing, links int
	for i := range town.sites {
		s := &town.sites[i]
		if !s.isSite() {
			continue
		}
		for page := range min(s.pages, 12) {
			for _, to := range town.inside(i, page) {
				u := town.urlOf(i, to)
				if p, ok := town.Page(u); !ok || p.Status != 200 || p.URL != u {
					t.Fatalf("%s leads to %s, which answers %d", town.urlOf(i, page), u, p.Status)
				}
			}
			for _, u := range town.outside(i, page) {
				at, _ := parse(u)
				k, ok := town.find(at.host)
				if !ok || k == i {
					t.Fatalf("%s leads to %s", town.urlOf(i, page), u)
				}
				links++
				switch same := town.sites[k].topic == s.topic && s.topic == town.focus; {
				case same && s.competitor:
					competing++
				case same:
					within++
				}
			}
		}
	}
	if competing != 0 || within < links/20 {
		t.Errorf("of %d links between sites %d stay in a ring, %d between competitors", links, within, competing)
	}
}

func TestTownTraining(t *testing.T) {
	town := testTown()
	list := town.Training(10, 20)
	on := 0
	for _, s := range list {
		on += number(s.Relevant)
		pages := town.FirstPages(s.Host, 25)
		if len(pages) < min(s.Pages, 25)/2 || pages[0] != dowse.URL("http://"+s.Host+"/") {
			t.Errorf("%s (%s, %d pages): %d first pages", s.Host, s.Home, s.Pages, len(pages))
		}
	}
	if len(list) != 30 || on != 10 || !list[0].Relevant {
		t.Errorf("%d training sites, %d on topic", len(list), on)
	}
	if s, ok := town.Site("www." + strings.TrimPrefix(list[0].Host, "www.")); !ok || s.Host != list[0].Host {
		t.Errorf("with www. it is %+v", s)
	}
}

func TestTownIsServed(t *testing.T) {
	town := testTown()
	server, err := town.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for s := range town.Sites() {
		conn, err := server.Dial(t.Context(), "tcp", s.Host+":80")
		if (err == nil) != (s.Home != DeadHome) {
			t.Fatalf("%s (%s): %v", s.Host, s.Home, err)
		}
		if conn != nil {
			conn.Close()
		}
	}
}

func ExampleTown() {
	town := NewTown(TownConfig{Sites: 200})
	relevant := 0
	for s := range town.Sites() {
		relevant += number(s.Relevant)
	}
	fmt.Println(town.Topic().Name, town.Len() == 200, relevant > 20)
	// Output: tide pools true true
}

// locality returns how often links between sites lead to sites on topic: from sites on topic, and
// from others.
func locality(t *Town) (from, others float64) {
	var on, onLinks, off, offLinks float64
	for i := range t.sites {
		s := &t.sites[i]
		if !s.isSite() {
			continue
		}
		for page := range min(s.pages, 25) {
			for _, u := range t.outside(i, page) {
				host, _, _ := strings.Cut(strings.TrimPrefix(string(u), "http://"), "/")
				to, ok := t.Site(host)
				hit := 0.0
				if ok && to.Relevant {
					hit = 1
				}
				if s.topic == t.focus {
					on, onLinks = on+hit, onLinks+1
				} else {
					off, offLinks = off+hit, offLinks+1
				}
			}
		}
	}
	return on / onLinks, off / offLinks
}

// TestLocalTown: in a local town, sites on topic are few and link to each other.
func TestLocalTown(t *testing.T) {
	sequential(t)
	town := NewTown(TownConfig{Sites: 2000, Seed: 2001, Local: true})
	on := 0
	for s := range town.Sites() {
		on += number(s.Relevant)
	}
	from, others := locality(town)
	t.Logf("%d of 2000 sites on topic; links to sites on topic: %.3f of those from sites on topic, %.3f of others", on, from, others)
	if on < 80 || on > 140 || from < 0.3 || from > 0.45 || others > 0.06 {
		t.Errorf("%d of 2000 sites are on topic; %.3f of the links from these lead to others, and %.3f of all other links", on, from, others)
	}
	if from, others := locality(NewTown(TownConfig{Sites: 2000, Seed: 2001})); from > 2*others {
		t.Errorf("an ordinary town has locality: %.3f and %.3f", from, others)
	}
}
