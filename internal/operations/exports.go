package operations

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/plain"
)

// An ExportRequest selects what to export, as the flags of dowse export do.
type ExportRequest struct {
	Format   string    `json:"format" doc:"a suffix, such as jsonl, csv, parquet, wacz or gexf; .gz and .zst compress"`
	On       bool      `json:"on,omitempty" doc:"only pages on topic"`
	All      bool      `json:"all,omitempty" doc:"all pages that were fetched"`
	Since    time.Time `json:"since,omitzero" doc:"only pages fetched since then"`
	Changed  time.Time `json:"changed_since,omitzero" doc:"only pages that have changed since then"`
	Where    string    `json:"where,omitempty" doc:"only pages that meet a condition, as in topic files"`
	MinScore float64   `json:"min_score,omitempty" doc:"only pages of at least this relevance"`
	Distinct string    `json:"distinct,omitempty" doc:"leave out duplicates: exact, near or none"`
	Respect  []string  `json:"respect,omitempty" doc:"wishes of owners to keep: noarchive, noindex, tdm, ai"`
	Limit    int       `json:"limit,omitempty" doc:"at most this many pages"`
	Sample   int       `json:"sample,omitempty" doc:"a sample of this many pages"`
	Text     string    `json:"text,omitempty" doc:"the text of pages: main, all or none"`
	Fields   []string  `json:"fields,omitempty" doc:"fields of a list, in this order"`
	Graph    string    `json:"graph,omitempty" doc:"nodes of a graph: hosts, pages or sites"`
}

// An Export is a file that is being made, or is ready.
type Export struct {
	ID      string    `json:"id"`
	Of      string    `json:"collection"`
	Name    string    `json:"name" doc:"a name for the file"`
	State   string    `json:"state" doc:"running, done or failed"`
	Error   string    `json:"error,omitempty" doc:"why it failed"`
	Begun   time.Time `json:"begun"`
	Done    int       `json:"done" doc:"pages that were looked at"`
	Total   int       `json:"total,omitempty" doc:"pages to look at"`
	Records int       `json:"records,omitempty" doc:"pages, lines or nodes that were written"`
	Bytes   int64     `json:"bytes,omitempty" doc:"size of the file"`
	Notes   []string  `json:"notes,omitempty" doc:"what a person should know"`
	Command string    `json:"command" doc:"the command that writes the same file"`

	file   string
	dir    string
	taken  string // takedowns of the collection when it began, see takedowns
	cancel context.CancelFunc
}

// Bounds of exports.
const (
	runningExports = 2
	keptExports    = 20
)

// exports are the files that were asked for.
type exports struct {
	mu   sync.Mutex
	list []*Export
	next int
	wait sync.WaitGroup
}

// Export begins to write an export into a private folder of this process. Its state is that
// of Exports; the file is read with ExportFile. The oldest files are removed when there are too
// many, and all when this process ends.
func (o *Operations) Export(ctx context.Context, id string, r ExportRequest) (*Export, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	r.Format = strings.TrimPrefix(strings.ToLower(r.Format), ".")
	if err := r.check(); err != nil {
		return nil, err
	}
	folder, err := o.folder()
	if err != nil {
		return nil, err
	}
	x := &o.exports
	x.mu.Lock()
	defer x.mu.Unlock()
	running := 0
	for _, e := range x.list {
		running += order(e.State == JobRunning)
	}
	if running >= runningExports {
		return nil, failf(Busy, "", "%d exports are being written, which is the limit; try again later", running)
	}
	x.next++
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e := &Export{
		ID: fmt.Sprintf("e%d", x.next), Of: s.id, Name: s.id + "." + r.Format, State: JobRunning, Begun: o.cfg.Now().UTC(),
		Command: exportCommand(s.dir, s.id+"."+r.Format, &r), dir: s.dir, taken: takedowns(s.dir), cancel: cancel,
	}
	e.file = filepath.Join(folder, e.ID+"."+r.Format)
	x.list = append(x.list, e)
	x.trim()
	x.wait.Add(1)
	go func() {
		defer x.wait.Done()
		defer cancel()
		x.finish(e, x.write(background, s.dir, e, &r))
	}()
	copied := *e
	return &copied, nil
}

// check returns an error for a request that can't be carried out.
func (r *ExportRequest) check() error {
	known := false
	for _, f := range collection.ExportFormats() {
		suffix, packed := strings.CutSuffix(f.Suffix, "(.gz, .zst)")
		suffix = strings.TrimPrefix(suffix, ".")
		plain := strings.TrimSuffix(strings.TrimSuffix(r.Format, ".gz"), ".zst")
		known = known || r.Format == suffix || packed && plain == suffix
	}
	switch {
	case !known:
		return failf(Invalid, "format", "format: got %q, want one of %s", clip(r.Format), strings.Join(Formats(), ", "))
	case r.Format == "md":
		return failf(Invalid, "format", "format: md is a folder; use the command line, or jsonl with text")
	case r.Limit < 0:
		return failf(Invalid, "limit", "limit: got %d, want 0 or more", r.Limit)
	case r.Sample < 0:
		return failf(Invalid, "sample", "sample: got %d, want 0 or more", r.Sample)
	case !(r.MinScore >= 0 && r.MinScore <= 1): // NaN is neither
		return failf(Invalid, "min_score", "min_score: got %v, want 0 to 1", r.MinScore)
	case r.On && r.All:
		return failf(Invalid, "on", "on or all, not both")
	case len(r.Where) > maxText || len(r.Fields) > len(collection.ExportFields()):
		return failf(Invalid, "where", "where: it is too long")
	}
	for _, f := range r.Fields {
		if !slices.Contains(collection.ExportFields(), f) {
			return failf(Invalid, "fields", "fields: unknown field %q; want one of %s", clip(f), strings.Join(collection.ExportFields(), " "))
		}
	}
	if graphs := []string{"", "hosts", "pages", "sites"}; !slices.Contains(graphs, r.Graph) {
		return failf(Invalid, "graph", "graph: got %q, want one of %s", clip(r.Graph), strings.Join(graphs[1:], ", "))
	}
	return r.checkSelection()
}

// checkSelection returns an error for a request whose conditions can't be used, as the export itself would return it
// later, but with the member that is wrong and without the file.
func (r *ExportRequest) checkSelection() error {
	opt := r.options()
	opt.CheckOnly = true
	_, err := (&collection.Collection{}).Export(context.Background(), r.Format, opt)
	if err == nil {
		return nil
	}
	if cause := errors.Unwrap(err); cause != nil {
		err = cause
	}
	field, _, _ := strings.Cut(err.Error(), ":")
	if !slices.Contains([]string{"where", "text", "distinct", "respect", "fields"}, field) {
		field = ""
	}
	return &Error{Invalid, field, err}
}

// Formats lists the formats of exports that can be asked for here.
func Formats() (list []string) {
	for _, f := range collection.ExportFormats() {
		suffix, packed := strings.CutSuffix(f.Suffix, "(.gz, .zst)")
		suffix = strings.TrimPrefix(suffix, ".")
		if suffix == "md" {
			continue
		}
		if list = append(list, suffix); packed {
			list = append(list, suffix+".gz", suffix+".zst")
		}
	}
	return list
}

// options returns the options of package collection.
func (r *ExportRequest) options() collection.ExportOptions {
	return collection.ExportOptions{
		Format: r.Format, On: r.On, All: r.All, Since: r.Since, Changed: r.Changed, Where: r.Where, MinScore: r.MinScore, Distinct: r.Distinct,
		Respect: r.Respect, Limit: r.Limit, Sample: r.Sample, Text: r.Text, Fields: r.Fields, Graph: r.Graph, Force: true, Software: "dowse/" + crawler.Version,
	}
}

// write writes the file, from a view of its own: an export may take long, and no question waits
// for it.
func (x *exports) write(ctx context.Context, dir string, e *Export, r *ExportRequest) error {
	cr, err := crawler.View(dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	before := len(cr.Collection.Notices)
	opt := r.options()
	opt.Progress = func(done, total int) {
		x.mu.Lock()
		defer x.mu.Unlock()
		e.Done, e.Total = done, total
	}
	n, err := cr.Collection.Export(ctx, e.file, opt)
	if err != nil {
		return err
	}
	st, err := os.Stat(e.file)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	e.Records, e.Bytes = n, st.Size()
	for _, note := range cr.Collection.Notices[before:] {
		e.Notes = append(e.Notes, plain.OneLine(note))
	}
	if n := cr.Collection.Unread.Count(); n > 0 {
		e.Notes = append(e.Notes, plain.Some(n, "part")+" could not be read and left out")
	}
	return nil
}

// errTakenDown is the error of an export that may have pages in it that were taken down since.
var errTakenDown = errors.New("pages were taken down since it began; begin it again")

// takedowns returns a text that changes with every takedown of a collection, in this process or another.
func takedowns(dir string) string {
	s, err := collection.ReadSettings(dir)
	if err != nil {
		return "unknown"
	}
	sum := sha256.Sum256([]byte(strings.Join(s.Forgotten, " ")))
	return fmt.Sprintf("%d %x", len(s.Forgotten), sum)
}

// outdated reports whether pages were taken down since an export began.
func (e *Export) outdated() bool { return takedowns(e.dir) != e.taken }

// takeDown ends the exports of a collection and removes their files, since they may have pages in them that
// are about to be taken down.
func (x *exports) takeDown(dir string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.list {
		if e.dir == dir {
			x.drop(e)
		}
	}
}

// drop ends an export because of a takedown. One that is being written fails when it notices; the
// file of one that is ready is removed.
func (x *exports) drop(e *Export) {
	e.cancel()
	if e.State == JobDone {
		e.remove()
		e.State, e.Error = JobFailed, errTakenDown.Error()
	}
	e.taken = "ended"
}

// finish records how an export ended. Errors name the file as the caller knows it, not the temporary one.
func (x *exports) finish(e *Export, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e.outdated() {
		err = errTakenDown
	}
	if e.State = JobDone; err != nil {
		e.remove()
		e.State, e.Error = JobFailed, strings.ReplaceAll(plain.OneLine(plain.Error(err)), e.file, e.Name)
	}
}

// trim removes the oldest exports that are not being written.
func (x *exports) trim() {
	for i := 0; i < len(x.list) && len(x.list) > keptExports; {
		if x.list[i].State == JobRunning {
			i++
			continue
		}
		x.list[i].remove()
		x.list = slices.Delete(x.list, i, i+1)
	}
}

// remove removes the files of an export.
func (e *Export) remove() {
	files, _ := filepath.Glob(e.file + "*")
	for _, f := range files {
		os.Remove(f)
	}
}

// end ends all exports.
func (x *exports) end() {
	x.mu.Lock()
	for _, e := range x.list {
		e.cancel()
	}
	x.mu.Unlock()
	x.wait.Wait()
}

// Exports lists the exports of a collection, the newest first; of all for "".
func (o *Operations) Exports(id string) []Export {
	o.exports.mu.Lock()
	defer o.exports.mu.Unlock()
	list := []Export{}
	for _, e := range slices.Backward(o.exports.list) {
		if id == "" || e.Of == id {
			list = append(list, *e)
		}
	}
	return list
}

// ExportNamed returns an export of a collection.
func (o *Operations) ExportNamed(id, export string) (*Export, error) {
	for _, e := range o.Exports(id) {
		if e.ID == export && id != "" {
			return &e, nil
		}
	}
	return nil, failf(NotFound, "export", "there is no export %q of %s", clip(export), clip(id))
}

// ExportFile opens the file of an export that is ready, unless pages were taken down since.
func (o *Operations) ExportFile(id, export string) (*os.File, *Export, error) {
	e, err := o.ExportNamed(id, export)
	if err != nil {
		return nil, nil, err
	}
	if e.State == JobDone && e.outdated() {
		o.exports.takeDown(e.dir)
		e.State, e.Error = JobFailed, errTakenDown.Error()
	}
	if e.State != JobDone {
		return nil, nil, failf(Conflict, "export", "the export is not ready: %s", cmp.Or(e.Error, "it is being written"))
	}
	f, err := os.Open(e.file)
	return f, e, err
}

// DeleteExport ends an export if it is being written, and removes its file.
func (o *Operations) DeleteExport(id, export string) error {
	o.exports.mu.Lock()
	defer o.exports.mu.Unlock()
	for i, e := range o.exports.list {
		if e.Of == id && e.ID == export {
			e.cancel()
			e.remove()
			o.exports.list = slices.Delete(o.exports.list, i, i+1)
			return nil
		}
	}
	return failf(NotFound, "export", "there is no export %q of %s", clip(export), clip(id))
}

// Decisions writes every decision of a crawl since a time as JSON, one per line, in the order in
// which they were made. It reads the whole journal, as a stream.
func (o *Operations) Decisions(ctx context.Context, id string, since time.Time, out io.Writer) error {
	s, err := o.shelf(id)
	if err != nil {
		return err
	}
	cr, err := crawler.View(s.dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	_, err = cr.Collection.Export(ctx, "-", collection.ExportOptions{Format: "decisions.jsonl", Since: since, Stdout: out})
	return err
}
