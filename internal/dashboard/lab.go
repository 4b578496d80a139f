package dashboard

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dowse/internal/operations"
	"dowse/internal/plain"
)

// An Experiment is a built-in experiment of the lab, which can be started.
type Experiment struct {
	Name, Title string
	Strategies  int
	Claims      int
}

// A LabReport is the result of a run of the lab. Its texts are untrusted.
type LabReport struct {
	Title, About, Paper string
	Setup               [][2]string // names and values
	Measures            []string    // the columns of Rows
	Rows                []LabRow    // the best strategy first
	Claims              []LabClaim
	Figures             []LabFigure
	Text                string // the tables, as a terminal shows them
	Command             string // with which the run can be repeated
}

// A LabRow is a strategy with its figures.
type LabRow struct {
	ID, Strategy string
	Oracle       bool
	Cells        []LabCell
}

// A LabCell is a figure: its value, its standard error if it is known, and the rows than which it is better.
type LabCell struct{ Value, Error, Beats string }

// A LabClaim is a claim of an experiment and whether it holds.
type LabClaim struct {
	Outcome, Says, Expect string
	Figures               []string
}

// A LabFigure is a picture with the numbers behind it. The SVG needs no style sheet.
type LabFigure struct {
	Name  string
	SVG   []byte
	Table [][]string // with its head
}

// A labRunLine is a run of the lab in the list.
type labRunLine struct {
	Name, Href string
	At         time.Time
	Files      []string
}

// How many runs are listed, and files of a run.
const (
	maxRuns     = 200
	maxRunFiles = 60
)

// LabRuns returns the folders of runs by their names: those with a manifest, in the folders that are given and one
// level below.
func LabRuns(dirs []string) map[string]string {
	runs := map[string]string{}
	for _, dir := range dirs {
		for _, pattern := range []string{"manifest.yaml", "*/manifest.yaml", "runs/*/manifest.yaml"} {
			list, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is sound
			for _, file := range list {
				folder := filepath.Dir(file)
				name, err := filepath.Rel(dir, folder)
				if err == nil && len(runs) < maxRuns {
					runs[filepath.ToSlash(name)] = folder
				}
			}
		}
	}
	return runs
}

// A labBody is the page of the lab.
type labBody struct {
	Runs        []labRunLine
	Jobs        []labJob
	Experiments []Experiment
	Experiment  string // the one that is chosen
	Can         bool   // whether a run can be started
	Start       string // the command that starts the chosen one
}

// A labJob is a run that was started here.
type labJob struct {
	operations.Job
	Name, Href, Last string
}

// lab lists runs of the lab and offers to start one.
func (d *Dashboard) lab(r *http.Request, _ *head) (*pageFrame, error) {
	b := &labBody{Experiment: cmp.Or(r.URL.Query().Get("experiment"), "demo"), Can: !d.ops.ReadOnly()}
	b.Start = command("lab", "run", b.Experiment, "--web", "demo", "-o", "runs/"+b.Experiment)
	if d.cfg.Experiments != nil {
		b.Experiments = d.cfg.Experiments()
	}
	runs := LabRuns(d.cfg.LabDirs)
	for name, dir := range runs {
		x := labRunLine{Name: tidy(name, 80), Href: runHref(name)}
		if st, err := os.Stat(filepath.Join(dir, "manifest.yaml")); err == nil {
			x.At = st.ModTime()
		}
		for _, f := range []string{"report.html", "summary.csv", "table.tex", "table.md"} {
			if _, err := os.Stat(filepath.Join(dir, f)); err == nil {
				x.Files = append(x.Files, f)
			}
		}
		b.Runs = append(b.Runs, x)
	}
	slices.SortFunc(b.Runs, func(a, b labRunLine) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Name, b.Name)) })
	f := &pageFrame{Title: "Lab", Command: d.labCommand(), Body: b}
	for _, j := range d.ops.Jobs() {
		if !j.Lab {
			continue
		}
		x := labJob{Job: j, Name: tidy(filepath.Base(j.Dir), 80), Last: lastLine(j.Log)}
		for name, dir := range runs {
			if sameDir(dir, j.Dir) {
				x.Href = runHref(name)
			}
		}
		f.Poll = f.Poll || j.State == operations.JobRunning
		b.Jobs = append(b.Jobs, x)
	}
	return f, nil
}

// labCommand returns the command that lists the runs. Its folders do not depend on where it is run.
func (d *Dashboard) labCommand() string {
	args := []string{"lab", "list"}
	for _, dir := range d.cfg.LabDirs {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		args = append(args, dir)
	}
	return command(args...)
}

// sameDir reports whether two paths, of which one may be relative, name one folder.
func sameDir(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// runHref returns the address of the page about a run.
func runHref(name string) string { return "/lab/run?run=" + url.QueryEscape(name) }

// lastLine returns the last line of a log that has a text. A line of progress replaces the one before it.
func lastLine(log string) string {
	for _, l := range slices.Backward(strings.FieldsFunc(log, func(r rune) bool { return r == '\n' || r == '\r' })) {
		if strings.TrimSpace(l) != "" {
			return tidy(l, 200)
		}
	}
	return ""
}

// startLab starts a run of the lab.
func (d *Dashboard) startLab(r *http.Request, _ *head) (string, string, error) {
	form := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	q := operations.LabRequest{Experiment: form("experiment"), Demo: form("demo") != "", Again: form("again") != ""}
	if s := form("pages"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return "", "", &operations.Error{Kind: operations.Invalid, Field: "pages", Err: fmt.Errorf("pages: got %q, want a number from 1", tidy(s, 40))}
		}
		q.Pages = n
	}
	if _, there := LabRuns(d.cfg.LabDirs)["runs/"+q.Experiment]; there && form("again") == "" {
		return "", "", &operations.Error{Kind: operations.Conflict, Field: "again", Err: fmt.Errorf("there is a run runs/%s already; go back and tick “continue or replace”, or move it away", tidy(q.Experiment, 60))}
	}
	job, err := d.ops.StartLab(r.Context(), q)
	if err != nil {
		return "", "", err
	}
	return "/lab?experiment=" + url.QueryEscape(q.Experiment), "The run has begun: " + job.Command, nil
}

// A labRunBody is the page about one run.
type labRunBody struct {
	Name, Dir string
	Report    *LabReport
	Problem   string // why there is no report yet
	Figures   []labPicture
	Files     []tab
	More      int
}

// A labPicture is a figure as the page shows it: the picture is part of the page.
type labPicture struct {
	ID, Name string
	Src      template.URL
	Table    [][]string
}

// maxTable is how many rows of the data of a figure are shown.
const maxTable = 60

// labRun shows the report of a run. Pictures are images, in which nothing can run or be fetched, whatever the names of
// strategies and topics contain.
func (d *Dashboard) labRun(r *http.Request, _ *head) (*pageFrame, error) {
	name := r.URL.Query().Get("run")
	dir, ok := LabRuns(d.cfg.LabDirs)[name]
	if !ok {
		return nil, &operations.Error{Kind: operations.NotFound, Err: fmt.Errorf("there is no run %q here", tidy(name, 80))}
	}
	b := &labRunBody{Name: tidy(name, 80), Dir: dir}
	f := &pageFrame{Title: "Run " + tidy(name, 60), Command: command("lab", "report", dir), Body: b}
	if err := d.addReport(b); err != nil {
		b.Problem = tidy(plain.Error(err), 300)
		f.Poll = slices.ContainsFunc(d.ops.Jobs(), func(j operations.Job) bool { return sameDir(j.Dir, dir) && j.State == operations.JobRunning })
	}
	files, more := runFiles(dir)
	b.More = more
	for _, x := range files {
		b.Files = append(b.Files, tab{Name: x, Href: "/lab/file?run=" + url.QueryEscape(name) + "&file=" + url.QueryEscape(x)})
	}
	return f, nil
}

// addReport adds the report of a run and its pictures.
func (d *Dashboard) addReport(b *labRunBody) error {
	if d.cfg.LabReport == nil {
		return errors.New("this program makes no reports")
	}
	rep, err := d.reports.get(b.Dir, d.cfg.LabReport)
	if err != nil {
		return err
	}
	b.Report = rep
	for i, f := range rep.Figures {
		src := template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(f.SVG)) //nolint:gosec // an image, which runs nothing
		b.Figures = append(b.Figures, labPicture{fmt.Sprintf("figure-%d", i), tidy(f.Name, 80), src, f.Table[:min(len(f.Table), maxTable)]})
	}
	return nil
}

// A reportCache keeps reports of the lab, which take up to a second to make.
type reportCache struct {
	mu   sync.Mutex
	list map[string]*LabReport // by folder and the time of its newest file
}

// keptReports is how many reports are kept.
const keptReports = 8

// get returns the report of a run, made again if the files of the run have changed. One report is made at a time.
func (c *reportCache) get(dir string, make func(string) (*LabReport, error)) (*LabReport, error) {
	key := dir
	for _, name := range []string{"manifest.yaml", "trails", "results.csv"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
			key += " " + st.ModTime().String()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.list[key]; r != nil {
		return r, nil
	}
	r, err := make(dir)
	if err != nil {
		return nil, err
	}
	if c.list == nil || len(c.list) >= keptReports {
		c.list = map[string]*LabReport{}
	}
	c.list[key] = r
	return r, nil
}

// runFiles returns the files of a run that a person reads, and how many others there are: records of each crawl.
func runFiles(dir string) (files []string, more int) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // a folder that can't be read has no files here
		rel, bad := filepath.Rel(dir, path)
		if err != nil || bad != nil || !e.Type().IsRegular() || strings.HasPrefix(filepath.Base(rel), ".") {
			return nil
		}
		if len(files) == maxRunFiles || strings.HasPrefix(filepath.ToSlash(rel), "trails/") {
			more++
			return nil
		}
		files = append(files, filepath.ToSlash(rel))
		return nil
	})
	return files, more
}

// labFile sends a file of a run, always to be saved and never to be shown: reports quote pages of the web.
func (d *Dashboard) labFile(w http.ResponseWriter, r *http.Request) {
	dir, ok := LabRuns(d.cfg.LabDirs)[r.URL.Query().Get("run")]
	name := r.URL.Query().Get("file")
	missing := &operations.Error{Kind: operations.NotFound, Err: fmt.Errorf("there is no such file of a run here")}
	if !ok || name == "" {
		d.fail(w, r, nil, missing)
		return
	}
	f, err := os.OpenInRoot(dir, filepath.FromSlash(name))
	if err != nil {
		d.fail(w, r, nil, missing)
		return
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		d.fail(w, r, nil, missing)
		return
	}
	sendFile(w, r, f, filepath.Base(name))
}
