package demo

import (
	"fmt"
	"iter"
	"strings"

	"dowse"
)

// A CampusConfig selects the [Campus] to generate. The zero value works.
type CampusConfig struct {
	Pages int    // default 4,000; at least 1,000, at most 100,000
	Seed  uint64 // random seed
}

// The parameters of a campus. The shares of the classes are those of the WebKB data
// (Craven et al. 1998: 1,641 pages of students, 1,124 of faculty, 930 of courses, 504 of
// projects, 182 of departments, 137 of staff and 3,764 others). All other numbers are ours.
// They were fixed before any strategy was measured on a campus; docs/demo-web.md lists them.
const (
	campusFaculty = 0.136
	campusStudent = 0.198
	campusCourse  = 0.112
	campusProject = 0.061
	campusStaff   = 0.017

	departmentPages = 60   // mean number of pages of a department
	departmentsEach = 4    // departments of a university
	ownStudentHost  = 0.3  // share of departments whose students have a host of their own
	ownProjectHost  = 0.15 // share of projects that have one
	noStudentList   = 0.25 // share of departments that do not list their students
	mixedList       = 0.3  // share of departments with one list of all people, under headings
	listedCourses   = 0.6  // share of courses in the list of their department: those of this term
	withMenu        = 0.5  // share of departments whose pages all link to the department's lists
	elsewhere       = 0.3  // share of links between people, projects and courses that leave the university
	classWords      = 0.12 // share of sentences with words of the page's class
	otherClassWords = 0.08 // share of sentences with words of another class
	tersePages      = 0.2  // share of pages without words of their class
	plainName       = 0.15 // share of links to a person whose anchor is not the name
	campusDead      = 0.03 // share of links to nothing
)

// A Class is the function of a page on a campus.
type Class uint8

// The classes of pages.
const (
	OtherPage Class = iota
	DepartmentPage
	FacultyPage
	StudentPage
	StaffPage
	CoursePage
	ProjectPage
	classCount
)

// classNames are in the order of the constants; they are the last part of a topic's path.
var classNames = [classCount]string{"Other", "Department", "Faculty", "Student", "Staff", "Course", "Project"}

// String returns the name of the class.
func (c Class) String() string {
	if c < classCount {
		return classNames[c]
	}
	return "unknown"
}

// Topic returns the class as a topic of labels: "Campus/Course".
func (c Class) Topic() string { return "Campus/" + c.String() }

// A Campus is a synthetic web like that of universities: many hosts, and pages whose
// function a crawl looks for: the home pages of courses, teachers, students or projects.
// Pages of all classes are about the subject of their department, so their words show the
// subject and hardly the class. The class shows in the host, in the URL, by a convention of
// the department, in the headings above a link and in what a page links to. It never
// changes and may be used by many goroutines.
//
// The table of pages is in memory; the text of a page is generated when it is requested.
type Campus struct {
	config CampusConfig
	words  *vocabulary
	depts  []campusDept
	pages  []campusPage
	hosts  map[string]bool
	at     map[dowse.URL]int32
}

// A campusDept is a department: its conventions and the pages of each class.
type campusDept struct {
	name       string // "math"
	university string // "aldbury"
	host       string
	students   string // host of its students
	subject    int    // lexicon
	people     int    // convention of the URLs of people; index in personPaths
	courses    int
	projects   int
	mixed      bool
	hidden     bool // it does not list its students
	menu       bool // all its pages link to its lists
	members    [classCount][]int32
	lists      []campusList
}

// A campusList is a page of a department that lists pages of some classes.
type campusList struct {
	page    int32
	classes []Class
}

// A campusPage is a row of the table of pages.
type campusPage struct {
	url   dowse.URL
	dept  int32
	class Class
	owner int32  // the page that it belongs to: its department's, or that of a person, course or project
	name  string // of a person, course, project or part
	short string // the last part of a course's or person's path
	links []campusLink
}

// A campusLink is a link of a page, in a section with a heading.
type campusLink struct {
	heading string
	anchor  string
	to      int32 // number of the page; -1 for nothing
}

// The purposes of a campus's random numbers, apart from those of webs and towns.
const (
	forCampus = 200 + iota
	forCampusLinks
	forCampusText
)

// NewCampus generates the campus that c describes.
func NewCampus(c CampusConfig) *Campus {
	c.Pages = min(max(orInt(c.Pages, 4000), 1000), 100_000)
	k := &Campus{config: c, words: readVocabulary(), hosts: map[string]bool{}, at: map[dowse.URL]int32{}}
	d := rngFor(c.Seed, forCampus, 0)
	for left := c.Pages; left > 0; {
		n := min(left, departmentPages/2+d.under(departmentPages+1))
		if left-n < departmentPages/2 {
			n = left
		}
		k.addDept(n, &d)
		left -= n
	}
	for i := range k.pages {
		k.link(int32(i))
	}
	return k
}

// departmentNames are the names of departments, in hosts and codes of courses.
var departmentNames = []string{"cs", "math", "phys", "bio", "hist", "econ", "chem", "ling", "geo", "psych", "stat", "ee"}

// addDept adds a department of n pages.
func (k *Campus) addDept(n int, d *rng) {
	i := len(k.depts)
	dept := campusDept{name: departmentNames[(i%departmentsEach*5+i/departmentsEach)%len(departmentNames)], subject: d.under(k.words.topics())}
	dept.university = k.universityOf(i)
	dept.host = dept.name + "." + dept.university + ".demo"
	if d.chance(0.5) {
		dept.host = "www." + dept.host
	}
	dept.students = dept.host
	if d.chance(ownStudentHost) {
		dept.students = []string{"students.", "grad.", "home."}[d.under(3)] + dept.name + "." + dept.university + ".demo"
	}
	dept.people, dept.courses, dept.projects = d.rank(len(personPaths), 0.8), d.under(len(coursePaths)), d.under(len(projectPaths))
	dept.mixed, dept.hidden, dept.menu = d.chance(mixedList), d.chance(noStudentList), d.chance(withMenu)
	k.depts = append(k.depts, dept)
	k.addPage(campusPage{dept: int32(i), class: DepartmentPage, name: "Department of " + k.words.lexicons[dept.subject].Name}, dept.host, "/")
	k.addLists(i)
	first := len(k.pages)
	for _, m := range []struct {
		class Class
		share float64
	}{{FacultyPage, campusFaculty}, {StudentPage, campusStudent}, {StaffPage, campusStaff}, {CoursePage, campusCourse}, {ProjectPage, campusProject}} {
		for range max(1, int(m.share*float64(n)+d.share())) {
			k.addMember(i, m.class, d)
		}
	}
	for owned := len(k.pages) - first; len(k.pages)-first+1+len(k.depts[i].lists) < n; {
		k.addPart(i, int32(first+d.rank(owned, 0.3)), d)
	}
}

// universityOf returns the name of a department's university.
func (k *Campus) universityOf(dept int) string {
	u := dept / departmentsEach
	d := rngFor(k.config.Seed, forCampus, -1-u)
	name := k.words.heads[d.under(len(k.words.heads))] + k.words.tails[d.under(len(k.words.tails))]
	return slugOf(name) + string(appendInt(nil, u))
}

// addPage adds a page to the table. If its URL is taken, a number is added to the path.
func (k *Campus) addPage(p campusPage, host, path string) int32 {
	stem := strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".html")
	u := dowse.URL("http://" + host + path)
	for n := 2; k.isPage(u); n++ {
		u = dowse.URL(fmt.Sprintf("http://%s%s-%d%s", host, stem, n, path[len(stem):]))
	}
	i := int32(len(k.pages))
	p.url = u
	k.hosts[host], k.at[u] = true, i
	k.pages = append(k.pages, p)
	dept := &k.depts[p.dept]
	dept.members[p.class] = append(dept.members[p.class], i)
	return i
}

// isPage reports whether there is a page at u.
func (k *Campus) isPage(u dowse.URL) bool {
	_, ok := k.at[u]
	return ok
}

// The paths of lists, by the classes that they list. Departments take one of each row.
var listPaths = []struct {
	classes []Class
	name    string
	paths   []string
}{
	{[]Class{FacultyPage, StaffPage}, "Faculty and staff", []string{"/people/", "/faculty.html", "/directory/"}},
	{[]Class{StudentPage}, "Students", []string{"/people/students.html", "/grads/", "/students/"}},
	{[]Class{CoursePage}, "Courses", []string{"/courses/", "/education/", "/academics.html"}},
	{[]Class{ProjectPage}, "Research", []string{"/research/", "/projects/", "/groups.html"}},
}

// addLists adds the pages of a department that list others.
func (k *Campus) addLists(i int) {
	d := rngFor(k.config.Seed, forCampus, 1+i)
	dept := &k.depts[i]
	for _, l := range listPaths {
		classes := l.classes
		switch {
		case classes[0] == StudentPage && (dept.mixed || dept.hidden):
			continue
		case classes[0] == FacultyPage && dept.mixed && !dept.hidden:
			classes = []Class{FacultyPage, StaffPage, StudentPage}
		}
		page := k.addPage(campusPage{dept: int32(i), name: l.name, owner: dept.members[DepartmentPage][0]}, dept.host, l.paths[d.under(len(l.paths))])
		dept.lists = append(dept.lists, campusList{page, classes})
	}
}

// The conventions of URLs. %s is the short name of a person or project, %n the number of a
// course, %c the department's name, %k the class. A course without a folder of its own is
// below its teacher's page.
var (
	personPaths  = []string{"/~%s/", "/%k/%s.html", "/people/%s.html", "/users/%s/", "/homes/%s/"}
	coursePaths  = []string{"/courses/%c%n/", "/class/%c%n.html", "/education/courses/%n/", "/%c%n/", ""}
	projectPaths = []string{"/projects/%s/", "/research/%s.html", "/groups/%s/", "/%s/"}
)

// folderNames are the names of classes in the paths of a department that has them there.
var folderNames = [classCount]string{FacultyPage: "faculty", StudentPage: "students", StaffPage: "staff"}

// addMember adds the home page of a person, a course or a project.
func (k *Campus) addMember(i int, class Class, d *rng) {
	dept := &k.depts[i]
	p := campusPage{dept: int32(i), class: class, owner: dept.members[DepartmentPage][0]}
	host, path := dept.host, personPaths[dept.people]
	lex := &k.words.lexicons[dept.subject]
	switch class {
	case CoursePage:
		number := 100 + d.under(700)
		p.short = dept.name + string(appendInt(nil, number))
		p.name = []string{"Introduction to ", "Advanced ", "Topics in ", ""}[d.under(4)] + lex.subjects[d.under(len(lex.subjects))]
		teachers := dept.members[FacultyPage]
		p.owner = teachers[d.under(len(teachers))]
		path = strings.ReplaceAll(strings.ReplaceAll(coursePaths[dept.courses], "%c", dept.name), "%n", string(appendInt(nil, number)))
		if path == "" {
			u := string(k.pages[p.owner].url)
			path = strings.TrimSuffix(strings.TrimSuffix(u[len("http://")+len(dept.host):], "/"), ".html") + "/" + p.short + "/"
		}
	case ProjectPage:
		p.name = k.words.heads[d.under(len(k.words.heads))]
		p.short = strings.ToLower(slugOf(p.name))
		path = strings.ReplaceAll(projectPaths[dept.projects], "%s", p.short)
		if d.chance(ownProjectHost) {
			host, path = p.short+"."+dept.university+".demo", "/"
		}
	default:
		p.name, p.short = k.person(d)
		path = strings.ReplaceAll(strings.ReplaceAll(path, "%s", p.short), "%k", folderNames[class])
		if class == StudentPage {
			host = dept.students
		}
	}
	k.addPage(p, host, path)
}

var firstNames = []string{
	"Ada", "Alan", "Anna", "Ben", "Carla", "David", "Edith", "Emil", "Fay", "George", "Grace", "Hugo",
	"Ines", "Jan", "Kim", "Lena", "Marc", "Nora", "Omar", "Paul", "Rosa", "Sven", "Tara", "Yusuf",
}

// person draws the name of a person, and the short name in paths.
func (k *Campus) person(d *rng) (name, short string) {
	first := firstNames[d.under(len(firstNames))]
	last := k.words.heads[d.under(len(k.words.heads))] + k.words.tails[d.under(len(k.words.tails))]
	short = strings.ToLower(slugOf(last))
	if d.chance(0.4) {
		short = strings.ToLower(first[:1]) + short
	}
	return first + " " + last, short
}

// partNames are the pages that belong to a member, by the member's class.
var partNames = [classCount][]string{
	FacultyPage: {"publications", "cv", "talks", "paper", "book", "links"},
	StudentPage: {"pictures", "cv", "hobbies", "music", "travel", "links"},
	StaffPage:   {"forms", "hours"},
	CoursePage:  {"homework", "lecture", "solutions", "exam", "handout", "grades", "schedule"},
	ProjectPage: {"papers", "software", "people", "demo", "overview"},
}

// addPart adds a page that belongs to the page of a member. It is of no class.
func (k *Campus) addPart(i int, owner int32, d *rng) {
	o := &k.pages[owner]
	names := partNames[o.class]
	name := names[d.under(len(names))]
	host, path, _ := strings.Cut(strings.TrimPrefix(string(o.url), "http://"), "/")
	path = strings.TrimSuffix(strings.TrimSuffix("/"+path, "/"), ".html") + "/" + name + ".html"
	if o.class == CoursePage {
		path = strings.TrimSuffix(path, ".html") + string(appendInt(nil, 1+d.under(9))) + ".html"
	}
	k.addPage(campusPage{dept: int32(i), owner: owner, name: name}, host, path)
}

// Config returns the configuration with its defaults filled in.
func (k *Campus) Config() CampusConfig { return k.config }

// Len returns the number of pages.
func (k *Campus) Len() int { return len(k.pages) }

// URL returns the URL of the page with a number from 0 to Len()-1.
func (k *Campus) URL(number int) dowse.URL { return k.pages[number].url }

// Pages iterates over the URLs of all pages, department by department.
func (k *Campus) Pages() iter.Seq[dowse.URL] {
	return func(yield func(dowse.URL) bool) {
		for i := range k.pages {
			if !yield(k.pages[i].url) {
				return
			}
		}
	}
}

// Class returns the class of the page at u; it is not ok if u is not a page.
func (k *Campus) Class(u dowse.URL) (Class, bool) {
	i, ok := k.at[u]
	if !ok {
		return OtherPage, false
	}
	return k.pages[i].class, true
}
