package demo

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"dowse"
)

// link draws the links of a page by its class.
func (k *Campus) link(i int32) {
	d := rngFor(k.config.Seed, forCampusLinks, int(i))
	p := &k.pages[i]
	dept := &k.depts[p.dept]
	add := func(heading string, to int32) {
		l := campusLink{heading, k.anchor(to, &d), to}
		if d.chance(campusDead) {
			l.to = -1
		}
		p.links = append(p.links, l)
	}
	some := func(heading string, n int, class Class, outside float64) {
		for range n {
			if to, ok := k.member(p.dept, class, outside, &d); ok && to != i {
				add(heading, to)
			}
		}
	}
	owned := func(heading string, class Class) {
		for _, to := range dept.members[class] {
			if k.pages[to].owner == i {
				add(heading, to)
			}
		}
	}
	if p.class != DepartmentPage {
		add("", dept.members[DepartmentPage][0])
		for _, l := range dept.lists {
			if dept.menu && l.page != i {
				add("", l.page)
			}
		}
	}
	switch p.class {
	case DepartmentPage:
		for _, l := range dept.lists {
			add("About us", l.page)
		}
		some("News", 2+d.under(3), ProjectPage, 0)
		some("News", d.under(3), FacultyPage, 0)
		some("Other departments", 3, DepartmentPage, 0)
		some("Links", 2+d.under(3), DepartmentPage, 1)
	case FacultyPage:
		owned("Teaching", CoursePage)
		some("Students", d.under(6), StudentPage, 0)
		some("Research", d.under(3), ProjectPage, 0)
		owned("Publications", OtherPage)
		some("Collaborators", d.under(4), FacultyPage, elsewhere)
	case StudentPage:
		some("Advisor", 1, FacultyPage, 0)
		some("Teaching assistant", d.under(3), CoursePage, 0)
		some("Research", d.under(2), ProjectPage, 0)
		some("Friends", d.under(6), StudentPage, elsewhere)
		owned("Hobbies", OtherPage)
	case StaffPage:
		owned("Office", OtherPage)
	case CoursePage:
		add("Instructor", p.owner)
		some("Instructor", d.under(3), StudentPage, 0)
		owned("Handouts", OtherPage)
		some("Related courses", d.under(3), CoursePage, elsewhere)
	case ProjectPage:
		some("Members", 1+d.under(3), FacultyPage, 0)
		some("Members", 1+d.under(5), StudentPage, 0)
		owned("Publications", OtherPage)
		some("Related projects", d.under(5), ProjectPage, elsewhere)
	default:
		k.linkOther(i, add, some, &d)
	}
}

// linkOther draws the links of a page without a class: those of a list, or back to the page
// to which it belongs and now and then elsewhere.
func (k *Campus) linkOther(i int32, add func(string, int32), some func(string, int, Class, float64), d *rng) {
	p := &k.pages[i]
	dept := &k.depts[p.dept]
	for _, l := range dept.lists {
		if l.page != i {
			continue
		}
		for _, class := range l.classes {
			for _, to := range dept.members[class] {
				if class != CoursePage || d.chance(listedCourses) {
					add(listHeadings[class], to)
				}
			}
		}
		return
	}
	add("", p.owner)
	some("See also", d.under(3), []Class{FacultyPage, StudentPage, CoursePage, ProjectPage}[d.under(4)], elsewhere)
}

var listHeadings = [classCount]string{FacultyPage: "Faculty", StudentPage: "Graduate students", StaffPage: "Staff", CoursePage: "Courses this term", ProjectPage: "Research projects"}

// member draws a page of a class: of the department or, for a share outside of the draws,
// of any other university. Departments are drawn within the university.
func (k *Campus) member(dept int32, class Class, outside float64, d *rng) (int32, bool) {
	from := int(dept)
	switch {
	case d.chance(outside):
		from = d.under(len(k.depts))
	case class == DepartmentPage:
		from = min(int(dept)/departmentsEach*departmentsEach+d.under(departmentsEach), len(k.depts)-1)
	}
	list := k.depts[from].members[class]
	if len(list) == 0 {
		return 0, false
	}
	return list[d.under(len(list))], true
}

// anchor draws the text of a link to a page: a person's name, the number or title of a
// course, the name of anything else.
func (k *Campus) anchor(to int32, d *rng) string {
	p := &k.pages[to]
	u := d.share()
	switch p.class {
	case FacultyPage, StudentPage, StaffPage:
		if u < plainName {
			return []string{"home page", "personal page", "web page"}[d.under(3)]
		}
	case CoursePage:
		switch number := strings.ToUpper(p.short); {
		case u < 0.4:
			return number
		case u < 0.8:
			return number + ": " + p.name
		case u < 0.9:
			return "class page"
		}
	case ProjectPage:
		if u < 0.2 {
			return "the " + p.name + " project"
		}
	}
	return p.name
}

// Page returns what the host of u answers; false means that there is no such host.
func (k *Campus) Page(u dowse.URL) (Page, bool) {
	at, ok := parse(u)
	if !ok || !k.hosts[at.host] {
		return Page{}, false
	}
	p := gone(http.StatusNotFound)
	if i, isPage := k.at[u]; isPage {
		p = Page{URL: u, Status: http.StatusOK, Type: htmlType, Body: k.render(i)}
	} else if at.path == "/robots.txt" {
		p = Page{Status: http.StatusOK, Type: plainType, Body: []byte("User-agent: *\nAllow: /\n")}
	}
	p.Latency = k.Latency(u)
	return p, true
}

// Latency returns how long an answer takes: 2 to 10 ms, fixed per URL.
func (k *Campus) Latency(u dowse.URL) time.Duration {
	return time.Duration(2+len(u)%9) * time.Millisecond
}

// RoundTripper returns the campus as a transport without a network and without waiting.
func (k *Campus) RoundTripper() http.RoundTripper { return &transport{k.Page} }

// classNouns are the nouns by which the text shows the class of a page, if it does.
var classNouns = [classCount][]string{
	OtherPage:      {"file", "version", "page", "list", "archive", "draft", "note", "copy"},
	DepartmentPage: {"admission", "program", "colloquium", "degree", "visitor", "campus", "seminar", "library"},
	FacultyPage:    {"professor", "publication", "journal", "committee", "editor", "chair", "award", "conference"},
	StudentPage:    {"advisor", "thesis", "resume", "hobby", "roommate", "friend", "degree", "photo"},
	StaffPage:      {"office", "form", "secretary", "technician", "desk", "key", "printer", "mail"},
	CoursePage:     {"homework", "lecture", "syllabus", "exam", "textbook", "grade", "quiz", "prerequisite"},
	ProjectPage:    {"sponsor", "prototype", "grant", "release", "partner", "goal", "software", "result"},
}

// render returns the HTML of a page: title, text on the department's subject with some words
// of the class, and the links under their headings.
func (k *Campus) render(i int32) []byte {
	p := &k.pages[i]
	dept := &k.depts[p.dept]
	lex := &k.words.lexicons[dept.subject]
	s := &textWriter{rng: rngFor(k.config.Seed, forCampusText, int(i)), words: k.words, lex: lex, subject: lex.subjects[int(i)%len(lex.subjects)], aside: lex}
	s.topical = 0.05 + 0.25*s.rng.share()
	class := classWords
	if s.rng.chance(tersePages) {
		class = 0
	}
	title := p.name
	if p.class == CoursePage {
		title = strings.ToUpper(p.short) + " " + p.name
	}
	s.buf = fmt.Appendf(make([]byte, 0, 4096), "<html><head><title>%s</title></head><body><h1>%s</h1>\n<p>", title, title)
	for range 6 + s.rng.under(18) {
		switch u := s.rng.share(); {
		case u < class:
			s.nouns(classNouns[p.class])
		case u < class+otherClassWords:
			s.nouns(classNouns[s.rng.under(int(classCount))])
		default:
			s.sentence()
		}
		s.str(" ")
	}
	s.str("</p>\n")
	k.renderLinks(s, p)
	s.str("</body></html>")
	return s.buf
}

// nouns writes a sentence with two nouns of a list.
func (s *textWriter) nouns(list []string) {
	s.str([]string{"Here is more on the ", "Please ask about the ", "This is the ", "We look after the "}[s.rng.under(4)])
	s.str(list[s.rng.under(len(list))])
	s.str(" and the ")
	s.str(list[s.rng.under(len(list))])
	s.str(".")
}

// renderLinks writes the links of a page, in lists under their headings. Links without a
// heading are the navigation above the first one.
func (k *Campus) renderLinks(s *textWriter, p *campusPage) {
	open := false
	for i, l := range p.links {
		switch {
		case i > 0 && l.heading == p.links[i-1].heading:
		case l.heading == "":
			s.str("<ul>\n")
			open = true
		default:
			if open {
				s.str("</ul>\n")
			}
			s.str("<h2>" + l.heading + "</h2>\n<ul>\n")
			open = true
		}
		href := string(p.url[:strings.LastIndexByte(string(p.url), '/')+1]) + "old.html"
		if l.to >= 0 {
			href = string(k.pages[l.to].url)
		}
		s.str(`<li><a href="` + href + `">` + l.anchor + "</a></li>\n")
	}
	if open {
		s.str("</ul>\n")
	}
}
