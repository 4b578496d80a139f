package dashboard

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse/internal/operations"
)

// A labRunLine is a run of the lab in the list.
type labRunLine struct {
	Name, Href string
	At         time.Time
	Files      []string
}

// maxRuns is how many runs are listed.
const maxRuns = 200

// labRuns returns the folders of runs by their names: those with a manifest, in the folders that were given and one
// level below.
func (d *Dashboard) labRuns() map[string]string {
	runs := map[string]string{}
	for _, dir := range d.cfg.LabDirs {
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

// lab lists runs of the lab.
func (d *Dashboard) lab(*http.Request, *head) (*pageFrame, error) {
	runs := d.labRuns()
	var list []labRunLine
	for name, dir := range runs {
		x := labRunLine{Name: tidy(name, 80), Href: "/lab/run?run=" + url.QueryEscape(name)}
		if st, err := os.Stat(filepath.Join(dir, "manifest.yaml")); err == nil {
			x.At = st.ModTime()
		}
		for _, f := range []string{"report.html", "summary.csv", "table.tex", "table.md"} {
			if _, err := os.Stat(filepath.Join(dir, f)); err == nil {
				x.Files = append(x.Files, f)
			}
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b labRunLine) int { return b.At.Compare(a.At) })
	return &pageFrame{Title: "Lab", Command: "dowse lab list", Body: list}, nil
}

// labRun shows the table of a run.
func (d *Dashboard) labRun(r *http.Request, _ *head) (*pageFrame, error) {
	name := r.URL.Query().Get("run")
	dir, ok := d.labRuns()[name]
	if !ok {
		return nil, &operations.Error{Kind: operations.NotFound, Err: fmt.Errorf("there is no run %q here", tidy(name, 80))}
	}
	text := ""
	if d.cfg.LabReport != nil {
		var err error
		if text, err = d.cfg.LabReport(dir); err != nil {
			return nil, &operations.Error{Kind: operations.Damaged, Err: err}
		}
	}
	var files []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // a folder that can't be read has no files here
		if err == nil && !e.IsDir() && len(files) < 100 {
			if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(filepath.Base(rel), ".") {
				files = append(files, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	body := map[string]any{"Name": tidy(name, 80), "Dir": dir, "Text": tidyText(text, 256<<10), "Files": files}
	return &pageFrame{Title: "Run " + tidy(name, 60), Command: command("lab", "report", dir), Body: body}, nil
}
