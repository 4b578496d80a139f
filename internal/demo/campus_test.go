package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"

	"dowse"
)

func testCampus() *Campus { return NewCampus(CampusConfig{Pages: 1500, Seed: 3}) }

// TestCampusIsTheSameTwice compares two campuses of one seed page by page, and pins the
// bytes: measured results depend on them.
func TestCampusIsTheSameTwice(t *testing.T) {
	a, b := testCampus(), testCampus()
	sum := sha256.New()
	for u := range a.Pages() {
		x, ok := a.Page(u)
		y, same := b.Page(u)
		if !ok || !same || x.Status != 200 || !bytes.Equal(x.Body, y.Body) {
			t.Fatalf("%s: %d and %d, or different bytes", u, x.Status, y.Status)
		}
		sum.Write([]byte(u))
		sum.Write(x.Body)
	}
	const want = "4c0d9b56ded6f1f3"
	if got := hex.EncodeToString(sum.Sum(nil)); got[:16] != want {
		t.Errorf("the campus has changed: %s, want %s; list the change in docs/demo-web.md", got[:16], want)
	}
	if other := NewCampus(CampusConfig{Pages: 1500, Seed: 4}); other.URL(5) == a.URL(5) {
		t.Error("another seed gives the same campus")
	}
}

// TestCampusClasses counts the pages of each class and the hosts: the shares are those of
// the data that they are taken from.
func TestCampusClasses(t *testing.T) {
	k := testCampus()
	if k.Len() != 1500 {
		t.Errorf("%d pages, want 1500", k.Len())
	}
	counts := map[Class]float64{}
	hosts := map[string]bool{}
	for u := range k.Pages() {
		class, ok := k.Class(u)
		if !ok {
			t.Fatalf("%s has no class", u)
		}
		counts[class]++
		at, _ := parse(u)
		hosts[at.host] = true
	}
	for class, want := range map[Class]float64{FacultyPage: campusFaculty, StudentPage: campusStudent, CoursePage: campusCourse, ProjectPage: campusProject} {
		if got := counts[class] / 1500; got < want-0.03 || got > want+0.03 {
			t.Errorf("%s: a share of %.3f, want about %.3f", class, got, want)
		}
	}
	if len(hosts) < 30 {
		t.Errorf("%d hosts, want many", len(hosts))
	}
	if _, ok := k.Class("http://nowhere.demo/"); ok {
		t.Error("a page that does not exist has a class")
	}
}

// TestCampusLinks follows the links of all pages from the first one: nearly all pages can
// be reached, and a small share of the links is dead.
func TestCampusLinks(t *testing.T) {
	k := testCampus()
	href := regexp.MustCompile(`href="([^"]*)"`)
	seen := map[dowse.URL]bool{k.URL(0): true}
	queue := []dowse.URL{k.URL(0)}
	links, dead := 0, 0
	for ; len(queue) > 0; queue = queue[1:] {
		p, _ := k.Page(queue[0])
		for _, m := range href.FindAllStringSubmatch(string(p.Body), -1) {
			u := dowse.URL(m[1])
			links++
			if _, ok := k.Class(u); !ok {
				dead++
				if p, ok := k.Page(u); !ok || p.Status != 404 {
					t.Errorf("%s answers %d, %v; want 404", u, p.Status, ok)
				}
				continue
			}
			if !seen[u] {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	if len(seen) < 1350 {
		t.Errorf("%d of 1500 pages can be reached", len(seen))
	}
	if share := float64(dead) / float64(links); share < 0.01 || share > 0.05 {
		t.Errorf("%.3f of the links are dead", share)
	}
	if p, ok := k.Page("http://nowhere.demo/"); ok {
		t.Errorf("a host that does not exist answers %d", p.Status)
	}
}

// TestCampusShowsClasses checks where the class of a page shows: a department that has
// classes in its URLs has them in all URLs of people, and lists have headings.
func TestCampusShowsClasses(t *testing.T) {
	k := testCampus()
	named, headed := 0, 0
	for i := range k.pages {
		p := &k.pages[i]
		if personPaths[k.depts[p.dept].people] == "/%k/%s.html" && folderNames[p.class] != "" {
			named++
			if !strings.Contains(string(p.url), "/"+folderNames[p.class]+"/") {
				t.Errorf("%s is of class %s", p.url, p.class)
			}
		}
		for _, l := range p.links {
			if l.heading == listHeadings[CoursePage] && l.to >= 0 {
				headed++
				if k.pages[l.to].class != CoursePage {
					t.Errorf("%s is listed as a course", k.pages[l.to].url)
				}
			}
		}
	}
	if named == 0 || headed == 0 {
		t.Errorf("%d URLs with a class, %d listed courses; want some", named, headed)
	}
}
