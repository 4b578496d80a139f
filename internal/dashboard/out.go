package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
	"dowse/internal/plain"
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
	sendFile(w, r, f, e.Name)
}

// sendFile sends a file to be saved under a name.
func sendFile(w http.ResponseWriter, r *http.Request, f *os.File, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour))
	http.ServeContent(w, r, "", time.Time{}, f)
}

// A newBody is the form for a new crawl, with what was filled in.
type newBody struct {
	Words, Topic, Seeds, Name, Pages, Contact string
	Demo                                      bool
	Jobs                                      []operations.Job
	Check                                     *operations.TopicReading // how the topic is understood; nil without one
	Problem                                   string
}

// newCrawl shows the form for a new crawl.
func (d *Dashboard) newCrawl(r *http.Request, _ *head) (*pageFrame, error) {
	q := r.URL.Query()
	b := &newBody{
		Words: q.Get("words"), Seeds: q.Get("seeds"), Name: q.Get("name"), Contact: q.Get("contact"), Topic: q.Get("topic"), Demo: q.Get("demo") != "",
		Pages: cmp.Or(q.Get("pages"), "200"), Jobs: d.ops.Jobs(),
	}
	f := &pageFrame{Title: "New crawl", Command: command("crawl", "--help"), Body: b}
	f.Poll = slices.ContainsFunc(b.Jobs, func(j operations.Job) bool { return j.State == operations.JobRunning })
	question := operations.TopicQuestion{Words: entries(b.Words), Topic: b.Topic, Seeds: entries(b.Seeds), Demo: b.Demo}
	if len(question.Words) == 0 && strings.TrimSpace(b.Topic) == "" {
		return f, nil
	}
	check, err := d.ops.CheckTopic(r.Context(), question)
	switch {
	case operations.KindOf(err) != "":
		b.Problem = tidy(plain.Error(err), 300)
	case err != nil:
		return nil, err
	default:
		b.Check, f.Command = check, operations.NewCommand(question, b.Pages, b.Contact, b.Name, b.Demo)
	}
	return f, nil
}

// refilled returns the query that fills the form for a new crawl in again, so that an error costs a person no typing. A
// long topic file does not fit into an address.
func refilled(r *http.Request) string {
	q := url.Values{}
	for _, name := range []string{"words", "seeds", "pages", "name", "contact", "topic", "demo"} {
		if v := r.PostFormValue(name); v != "" && len(v) < 2000 {
			q.Set(name, v)
		}
	}
	return "?" + q.Encode()
}

// entries returns the lines of a field that has one entry per line. An entry is not split at
// blanks, so that a text which is no address is refused as a whole.
func entries(text string) (list []string) {
	for line := range strings.Lines(text) {
		if x := strings.TrimSpace(line); x != "" {
			list = append(list, x)
		}
	}
	return list
}

// start starts a crawl.
func (d *Dashboard) start(r *http.Request, _ *head) (string, string, error) {
	form := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	q := operations.StartRequest{Name: form("name"), Topic: form("topic"), Demo: form("demo") != "", Settings: map[string][]string{}}
	q.Words, q.Seeds = entries(form("words")), entries(form("seeds"))
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
	for _, limit := range limitOf {
		if v := strings.TrimSpace(r.PostFormValue(limit[0])); v != "" {
			changes[limit[0]] = []string{v}
		}
	}
	if err := d.notReached(r.Context(), c, changes); err != nil {
		return "", "", err
	}
	job, err := d.ops.Continue(r.Context(), c.ID, changes)
	if err != nil {
		return "", "", err
	}
	switch job.State {
	case operations.JobFailed:
		return "", "", &operations.Error{Kind: operations.Conflict, Err: fmt.Errorf("the crawl ended: %s", job.Log)}
	case operations.JobDone:
		return c.Home, "The crawl has ended again. " + job.Log, nil
	}
	return c.Home, "The crawl goes on: " + job.Command, nil
}

// notReached returns an error for a new limit that was reached already: the crawl would end as soon as it begins.
func (d *Dashboard) notReached(ctx context.Context, c *head, changes map[string][]string) error {
	report, err := d.ops.Status(ctx, c.ID)
	if err != nil {
		return err
	}
	for stopped, reached := range map[dowse.StopReason]int{dowse.StopPages: report.Fetched, dowse.StopOnTopic: report.OnTopic} {
		name, unit := limitOf[stopped][0], limitOf[stopped][1]
		for _, v := range changes[name] {
			if n, err := strconv.Atoi(v); err == nil && n > 0 && n <= reached {
				return &operations.Error{Kind: operations.Invalid, Field: name, Err: fmt.Errorf("%s: got %s, and there are %s %s already; give a larger number", name, count(n), count(reached), unit)}
			}
		}
	}
	return nil
}
