package dashboard

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse/collection"
	"dowse/internal/operations"
)

// An exportBody is the page of exports.
type exportBody struct {
	ID      string
	List    []operations.Export
	Formats []formatChoice
	Fetched int
	OnTopic int
}

// A formatChoice is a format that can be chosen.
type formatChoice struct{ Suffix, Means string }

// exports shows the formats, and the files that were made.
func (d *Dashboard) exports(r *http.Request, c *head) (*pageFrame, error) {
	report, err := d.ops.Status(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	b := &exportBody{ID: c.ID, List: d.ops.Exports(c.ID), Fetched: report.Fetched, OnTopic: report.OnTopic}
	known := operations.Formats()
	for _, f := range collection.ExportFormats() {
		suffix := strings.TrimPrefix(strings.TrimSuffix(f.Suffix, "(.gz, .zst)"), ".")
		if slices.Contains(known, suffix) {
			b.Formats = append(b.Formats, formatChoice{suffix, f.About})
		}
	}
	f := &pageFrame{Title: "Export", Command: command("export", c.Dir, c.ID+".jsonl"), Body: b}
	if len(b.List) > 0 {
		f.Command = b.List[0].Command
	}
	return f, nil
}

// export begins to write a file.
func (d *Dashboard) export(r *http.Request, c *head) (string, string, error) {
	form := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	q := operations.ExportRequest{Format: form("format"), Where: form("where"), Distinct: form("distinct"), Text: form("text"), On: form("which") == "on", All: form("which") == "all"}
	if s := form("min_score"); s != "" {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return "", "", &operations.Error{Kind: operations.Invalid, Err: fmt.Errorf("least score: got %q, want a number from 0 to 1", tidy(s, 40))}
		}
		q.MinScore = x
	}
	if s := form("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return "", "", &operations.Error{Kind: operations.Invalid, Err: fmt.Errorf("limit: got %q, want a number", tidy(s, 40))}
		}
		q.Limit = n
	}
	if form("respect") != "" {
		q.Respect = []string{"noarchive", "tdm"}
	}
	e, err := d.ops.Export(r.Context(), c.ID, q)
	if err != nil {
		return "", "", err
	}
	d.awaitExport(r, c, e.ID)
	return c.Home + "export", "Writing " + e.Name + ".", nil
}

// awaitExport waits a moment, so that a small file is ready when the page is shown.
func (d *Dashboard) awaitExport(r *http.Request, c *head, id string) {
	for range 15 {
		if e, err := d.ops.ExportNamed(c.ID, id); err != nil || e.State != operations.JobRunning {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// dropExport removes a file.
func (d *Dashboard) dropExport(r *http.Request, c *head) (string, string, error) {
	err := d.ops.DeleteExport(c.ID, r.PostFormValue("export"))
	return c.Home + "export", "The file is removed.", err
}

// file sends a file that was exported, always to be saved and never to be shown: it may hold archived
// pages.
func (d *Dashboard) file(w http.ResponseWriter, r *http.Request) {
	c, err := d.head(r)
	if err != nil {
		d.fail(w, r, nil, err)
		return
	}
	f, e, err := d.ops.ExportFile(c.ID, r.URL.Query().Get("export"))
	if err != nil {
		d.fail(w, r, c, err)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.Name}))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour))
	http.ServeContent(w, r, "", time.Time{}, f)
}

// A newBody is the form for a new crawl, with what was filled in.
type newBody struct {
	Words, Topic, Seeds, Name, Pages, Contact, Agent string
	Demo                                             bool
	Jobs                                             []operations.Job
}

// newCrawl shows the form for a new crawl.
func (d *Dashboard) newCrawl(r *http.Request, _ *head) (*pageFrame, error) {
	q := r.URL.Query()
	b := &newBody{Words: q.Get("words"), Seeds: q.Get("seeds"), Pages: "200", Jobs: d.ops.Jobs()}
	return &pageFrame{Title: "New crawl", Command: `dowse crawl 'coral bleaching' --seed https://example.org/ --pages 200`, Body: b}, nil
}

// start starts a crawl.
func (d *Dashboard) start(r *http.Request, _ *head) (string, string, error) {
	form := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	q := operations.StartRequest{Name: form("name"), Topic: form("topic"), Demo: form("demo") != "", Settings: map[string][]string{}}
	for line := range strings.Lines(form("words")) {
		if w := strings.TrimSpace(line); w != "" {
			q.Words = append(q.Words, w)
		}
	}
	q.Seeds = strings.Fields(form("seeds"))
	for _, name := range []string{"pages", "contact", "agent", "strategy", "scope"} {
		if v := form(name); v != "" {
			q.Settings[name] = []string{v}
		}
	}
	job, err := d.ops.Start(r.Context(), q)
	if err != nil {
		return "", "", err
	}
	if job.Collection == "" {
		return "/new", "The crawl was started; its collection will appear.", nil
	}
	return "/c/" + job.Collection + "/", "The crawl has begun: " + job.Command, nil
}

// resume continues a crawl.
func (d *Dashboard) resume(r *http.Request, c *head) (string, string, error) {
	changes := map[string][]string{}
	if v := strings.TrimSpace(r.PostFormValue("pages")); v != "" {
		changes["pages"] = []string{v}
	}
	job, err := d.ops.Continue(r.Context(), c.ID, changes)
	if err != nil {
		return "", "", err
	}
	if job.State == operations.JobFailed {
		return "", "", &operations.Error{Kind: operations.Conflict, Err: fmt.Errorf("the crawl ended: %s", job.Log)}
	}
	return c.Home, "The crawl goes on: " + job.Command, nil
}
