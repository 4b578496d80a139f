package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

// addTools adds the tools. Those that change something are left out of a server that only reads.
func (s *Server) addTools() {
	reads := func(name, about string) *mcp.Tool {
		return &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}}
	}
	addTool(s.server, reads("list_collections", "List the collections and whether they are being crawled."), s.listCollections)
	addTool(s.server, reads("status", "Show the progress of a collection: pages fetched, on topic, links waiting, why it stopped."), s.status)
	addTool(s.server, reads("wait", "Wait until a crawl has ended, and show its progress. Sends progress notifications."), s.wait)
	addTool(s.server, reads("search", `Find pages of collections by words, best first. Queries may have "phrases", -word, title:word, host:example.org, lang:en, date:>=2024, score:0.8, verdict:unsure.`), s.search)
	addTool(s.server, reads("list_pages", "List pages of a collection with score and verdict, without their text."), s.listPages)
	addTool(s.server, reads("read_page", "Read one page of a collection as Markdown, without menus."), s.readPage)
	addTool(s.server, reads("read_pages", "Read the pages of a collection as Markdown, most relevant first, until the answer is full."), s.readPages)
	addTool(s.server, reads("why", "Explain what became of a URL and why: how it was found, its priority, its verdict with reasons."), s.why)
	if s.cfg.ReadOnly {
		return
	}
	changes := func(name, about string, open bool) *mcp.Tool {
		return &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: &open}}
	}
	addTool(s.server, changes("collect", "Crawl the web for a topic from some seeds, and return the pages on topic as Markdown, most relevant first. Waits for the crawl; if the call is cancelled, the crawl stops.", true), s.collect)
	addTool(s.server, changes("start_crawl", "Start a crawl of a topic and return immediately. Follow it with wait or status.", true), s.startCrawl)
	addTool(s.server, changes("continue_crawl", "Continue a crawl that has stopped, with a larger budget.", true), s.continueCrawl)
	addTool(s.server, changes("stop_crawl", "Stop a crawl gently. It can be continued.", false), s.stopCrawl)
	addTool(s.server, changes("label", "Mark pages as on or off topic; train has the judge learn from all labels and judge all pages again.", false), s.label)
	if s.cfg.Exports != "" {
		addTool(s.server, changes("export", "Write pages of a collection into a file on the server, in the folder of the collections.", false), s.export)
	}
}

// addTool adds a tool whose errors are written for users: without the names of packages.
func addTool[In any](server *mcp.Server, t *mcp.Tool, call mcp.ToolHandlerFor[In, any]) {
	mcp.AddTool(server, t, func(ctx context.Context, r *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		got, out, err := call(ctx, r, in)
		if err != nil {
			err = errors.New(plain.Error(err))
		}
		return got, out, err
	})
}

// object returns a value as an answer. foreign reports whether it has text from the web in it.
func (s *Server) object(v any, foreign bool) (*mcp.CallToolResult, any, error) {
	text, err := encode(v, s.cfg.Result)
	if err != nil {
		return nil, nil, err
	}
	c := &mcp.TextContent{Text: text}
	if foreign {
		c.Meta = untrustedMeta()
	}
	return &mcp.CallToolResult{Content: []mcp.Content{c}}, nil, nil
}

type noInput struct{}

// A collectionLine is a collection in a list.
type collectionLine struct {
	ID       string    `json:"collection"`
	State    string    `json:"state"`
	Fetched  int       `json:"pages_fetched"`
	OnTopic  int       `json:"pages_on_topic"`
	Counting bool      `json:"counting,omitempty" jsonschema:"its pages are being counted: the numbers are of an earlier moment, or 0"`
	Begun    time.Time `json:"begun,omitzero"`
	Error    string    `json:"problem,omitempty"`
}

func (s *Server) listCollections(ctx context.Context, _ *mcp.CallToolRequest, _ noInput) (*mcp.CallToolResult, any, error) {
	all, err := s.ops.Collections(ctx, operations.CountWait)
	if err != nil {
		return nil, nil, err
	}
	list := []collectionLine{}
	for _, c := range all {
		list = append(list, collectionLine{c.ID, c.State, c.Fetched, c.OnTopic, c.Counting, c.Begun, c.Error})
	}
	return s.object(struct {
		Collections []collectionLine `json:"collections"`
	}{list}, false)
}

// A collectionInput names a collection.
type collectionInput struct {
	Collection string `json:"collection" jsonschema:"name of the collection"`
}

func (s *Server) status(ctx context.Context, _ *mcp.CallToolRequest, in collectionInput) (*mcp.CallToolResult, any, error) {
	a, err := s.progress(ctx, in.Collection)
	if err != nil {
		return nil, nil, err
	}
	return s.object(a, false)
}

// A waitInput names a crawl to wait for.
type waitInput struct {
	Collection string `json:"collection" jsonschema:"name of the collection"`
	Wait       int    `json:"wait_seconds,omitempty" jsonschema:"wait at most this long; default 300"`
}

func (s *Server) wait(ctx context.Context, req *mcp.CallToolRequest, in waitInput) (*mcp.CallToolResult, any, error) {
	most, err := waitTime(in.Wait)
	if err != nil {
		return nil, nil, err
	}
	a, err := s.await(ctx, req, in.Collection, most, 0)
	if err != nil {
		return nil, nil, err
	}
	return s.object(a, false)
}

func (s *Server) startCrawl(ctx context.Context, _ *mcp.CallToolRequest, in startInput) (*mcp.CallToolResult, any, error) {
	job, err := s.start(ctx, &in)
	if err != nil {
		return nil, nil, err
	}
	a, err := s.progress(ctx, job.Collection)
	if err != nil {
		return nil, nil, err
	}
	a.Note = "it runs until its budget is used; call wait or status"
	return s.object(a, false)
}

// A continueInput names a crawl and its new budget.
type continueInput struct {
	Collection string `json:"collection" jsonschema:"name of the collection"`
	budget
}

func (s *Server) continueCrawl(ctx context.Context, _ *mcp.CallToolRequest, in continueInput) (*mcp.CallToolResult, any, error) {
	has, err := s.ops.Settings(ctx, in.Collection)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.larger(in.budget, has)
	if err != nil {
		return nil, nil, err
	}
	settings, err := s.settings(b)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.ops.Continue(context.WithoutCancel(ctx), in.Collection, settings); err != nil {
		return nil, nil, err
	}
	a, err := s.progress(ctx, in.Collection)
	if err != nil {
		return nil, nil, err
	}
	return s.object(a, false)
}

func (s *Server) stopCrawl(ctx context.Context, _ *mcp.CallToolRequest, in collectionInput) (*mcp.CallToolResult, any, error) {
	if _, err := s.ops.Stop(ctx, in.Collection, endWait); err != nil {
		return nil, nil, err
	}
	return s.status(ctx, nil, in)
}

// A searchInput is a query.
type searchInput struct {
	Collections []string `json:"collections" jsonschema:"names of the collections to search"`
	Query       string   `json:"query,omitempty" jsonschema:"words to look for"`
	Similar     string   `json:"similar,omitempty" jsonschema:"instead of query: a URL; pages with the same rare words are found"`
	All         bool     `json:"all,omitempty" jsonschema:"also search pages off topic"`
	Limit       int      `json:"limit,omitempty" jsonschema:"number of hits, 1 to 50; default 10"`
	Offset      int      `json:"offset,omitempty" jsonschema:"hits to leave out, for the next part"`
}

// A foundPage is a page that was found.
type foundPage struct {
	Collection string  `json:"collection"`
	URL        string  `json:"url"`
	Resource   string  `json:"resource"`
	Title      string  `json:"title,omitempty"`
	Snippet    string  `json:"snippet,omitempty"`
	Match      float64 `json:"match"`
	Score      float64 `json:"score"`
	Verdict    string  `json:"verdict"`
	Same       int     `json:"near_duplicates,omitempty"`
}

// asQuery returns an error of a search with the name that the query has here.
func asQuery(err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), "q: "); ok {
		return fmt.Errorf("query: %s", rest)
	}
	return err
}

// A searchAnswer is the answer to a query.
type searchAnswer struct {
	Notice  string      `json:"notice"`
	Total   int         `json:"total"`
	AtLeast bool        `json:"total_is_at_least,omitempty"`
	Some    bool        `json:"some_words_only,omitempty"`
	Missing int         `json:"pages_not_indexed_yet,omitempty"`
	Notes   []string    `json:"notes,omitempty"`
	Next    int         `json:"next_offset,omitempty"`
	Hits    []foundPage `json:"hits"`
}

// maxHits is how many hits one answer has at most.
const maxHits = 50

func (s *Server) search(ctx context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, any, error) {
	if in.Limit < 0 || in.Limit > maxHits {
		return nil, nil, fmt.Errorf("limit: got %d, want 1 to %d", in.Limit, maxHits)
	}
	if in.Limit == 0 {
		in.Limit = 10
	}
	found, err := s.ops.Search(ctx, in.Collections, operations.SearchQuery{Query: in.Query, Similar: in.Similar, All: in.All, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return nil, nil, asQuery(err)
	}
	a := &searchAnswer{Notice: notice, Total: found.Total, AtLeast: found.AtLeast, Some: found.Some, Missing: found.Lag.Pages, Notes: found.Notes, Hits: []foundPage{}}
	room := s.cfg.Result - headRoom
	for i := range found.Hits {
		f := &found.Hits[i]
		h := foundPage{
			URL: plain.Cut(oneLine(string(f.Page.URL)), maxField), Title: plain.Cut(oneLine(f.Page.Title), 300), Match: f.Score,
			Score: facts.Finite(f.Page.Relevance()), Verdict: f.Page.Verdict(), Same: len(f.Same), Collection: s.idOf(in.Collections, f.Collection),
		}
		h.Resource = pageURI(h.Collection, string(f.Page.URL))
		for _, p := range f.Snippet {
			h.Snippet += p.Text
		}
		h.Snippet = plain.Cut(oneLine(h.Snippet), 600)
		if room -= len(h.URL) + len(h.Title) + len(h.Snippet) + len(h.Resource) + 300; room < 0 {
			break
		}
		a.Hits = append(a.Hits, h)
	}
	if end := in.Offset + len(a.Hits); len(a.Hits) > 0 && end < found.Total && (len(a.Hits) == in.Limit || len(a.Hits) < len(found.Hits)) {
		a.Next = end
	}
	return s.object(a, true)
}

// maxField is how many bytes of a URL are in an answer.
const maxField = 2000

// idOf returns the name of the collection in a directory.
func (s *Server) idOf(ids []string, dir string) string {
	for _, id := range ids {
		if d, err := s.ops.Dir(id); err == nil && d == dir {
			return id
		}
	}
	return ""
}

// A listInput selects pages.
type listInput struct {
	Collection string `json:"collection" jsonschema:"name of the collection"`
	Verdict    string `json:"verdict,omitempty" jsonschema:"only pages that are on, off or unsure; default all"`
	Host       string `json:"host,omitempty" jsonschema:"only pages of this host"`
	Sort       string `json:"sort,omitempty" jsonschema:"score (default), time, uncertainty, surprise or host"`
	Limit      int    `json:"limit,omitempty" jsonschema:"number of pages, 1 to 100; default 20"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// A pageLine is a page in a list.
type pageLine struct {
	URL     string    `json:"url"`
	Title   string    `json:"title,omitempty"`
	Score   float64   `json:"score"`
	Verdict string    `json:"verdict"`
	Fetched time.Time `json:"fetched"`
	Near    string    `json:"repeats,omitempty"`
}

// A listAnswer is a list of pages.
type listAnswer struct {
	Notice string     `json:"notice"`
	Total  *int       `json:"total,omitempty"`
	Next   string     `json:"next,omitempty"`
	Pages  []pageLine `json:"pages"`
}

// maxListed is how many pages one answer lists at most.
const maxListed = 100

func (s *Server) listPages(ctx context.Context, _ *mcp.CallToolRequest, in listInput) (*mcp.CallToolResult, any, error) {
	q := operations.PageQuery{Verdict: in.Verdict, Host: in.Host, Sort: in.Sort, Cursor: in.Cursor, Limit: in.Limit}
	if q.Sort == "" {
		q.Sort = operations.SortScore
	}
	if q.Limit == 0 {
		q.Limit = 20
	}
	if q.Limit < 0 || q.Limit > maxListed {
		return nil, nil, fmt.Errorf("limit: got %d, want 1 to %d", q.Limit, maxListed)
	}
	for ; ; q.Limit = max(1, q.Limit/2) { // a shorter list has another cursor
		list, err := s.ops.Pages(ctx, in.Collection, q)
		if err != nil {
			return nil, nil, err
		}
		a, size := &listAnswer{Notice: notice, Total: list.Total, Next: list.Next, Pages: []pageLine{}}, 0
		for _, r := range list.Pages {
			l := pageLine{plain.Cut(oneLine(string(r.URL)), maxField), plain.Cut(oneLine(r.Title), 300), facts.Finite(r.Relevance()), r.Verdict(), r.Page.Fetch.At.UTC(), plain.Cut(oneLine(string(r.Near)), 300)}
			a.Pages = append(a.Pages, l)
			size += len(l.URL) + len(l.Title) + len(l.Near) + 200
		}
		if size < s.cfg.Result-headRoom || q.Limit == 1 {
			return s.object(a, true)
		}
	}
}

func (s *Server) readPages(ctx context.Context, _ *mcp.CallToolRequest, in readAllInput) (*mcp.CallToolResult, any, error) {
	return s.readAll(ctx, nil, in)
}

// A whyInput names a URL.
type whyInput struct {
	Collection string `json:"collection" jsonschema:"name of the collection"`
	URL        string `json:"url" jsonschema:"URL to explain"`
}

func (s *Server) why(ctx context.Context, _ *mcp.CallToolRequest, in whyInput) (*mcp.CallToolResult, any, error) {
	a, err := s.ops.Why(ctx, in.Collection, in.URL, false)
	if err != nil {
		return nil, nil, err
	}
	return s.object(struct {
		Notice string `json:"notice"`
		*operations.Account
	}{notice, a}, true)
}

// A labelInput is labels of pages.
type labelInput struct {
	Collection string      `json:"collection" jsonschema:"name of the collection"`
	Labels     []pageLabel `json:"labels,omitempty" jsonschema:"pages and their labels"`
	Train      bool        `json:"train,omitempty" jsonschema:"train the judge on all labels now, and judge all pages again"`
}

// A pageLabel is a verdict on a page.
type pageLabel struct {
	URL   string `json:"url"`
	Label string `json:"label" jsonschema:"on, off or skip"`
}

// labeller is who labels by this package. It is kept with each label, so that a person can tell them from
// those of people.
const labeller = "agent"

func (s *Server) label(ctx context.Context, _ *mcp.CallToolRequest, in labelInput) (*mcp.CallToolResult, any, error) {
	r := operations.LabelRequest{Train: in.Train}
	for _, l := range in.Labels {
		r.Labels = append(r.Labels, operations.GivenLabel{URL: l.URL, Label: l.Label, By: labeller})
	}
	done, err := s.ops.Label(ctx, in.Collection, r)
	if err != nil {
		return nil, nil, err
	}
	return s.object(done, false)
}

// An exportInput selects pages and a file.
type exportInput struct {
	Collection string `json:"collection" jsonschema:"name of the collection"`
	File       string `json:"file" jsonschema:"name of the new file, without a folder; its suffix selects the format: jsonl, csv, parquet, wacz, warc.gz, gexf and others"`
	All        bool   `json:"all,omitempty" jsonschema:"all pages, not only those on topic"`
	Text       string `json:"text,omitempty" jsonschema:"add the text of pages to lists: main, all or none"`
	Limit      int    `json:"limit,omitempty" jsonschema:"at most this many pages"`
}

// An exportAnswer is a file that was written.
type exportAnswer struct {
	File    string   `json:"file"`
	Bytes   int64    `json:"bytes"`
	Records int      `json:"records"`
	Notes   []string `json:"notes,omitempty"`
}

// fileOK matches the names of exports: no folder, and no hidden file.
var fileOK = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$`)

// exportPoll is how often the state of an export is looked at.
const exportPoll = 100 * time.Millisecond

func (s *Server) export(ctx context.Context, req *mcp.CallToolRequest, in exportInput) (*mcp.CallToolResult, any, error) {
	_, format, ok := strings.Cut(in.File, ".")
	if !fileOK.MatchString(in.File) || !ok || strings.Contains(in.File, "..") || strings.HasSuffix(in.File, ".dowse") {
		return nil, nil, errors.New("file: want a name of letters, digits, dots and dashes with the suffix of a format, and no folder")
	}
	e, err := s.ops.Export(ctx, in.Collection, operations.ExportRequest{Format: format, All: in.All, Text: in.Text, Limit: in.Limit})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = s.ops.DeleteExport(in.Collection, e.ID) }() // it was copied, or is not wanted any more
	for e.State == operations.JobRunning {
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(exportPoll):
		}
		if e, err = s.ops.ExportNamed(in.Collection, e.ID); err != nil {
			return nil, nil, err
		}
	}
	if e.State == operations.JobFailed {
		return nil, nil, errors.New(e.Error)
	}
	if err := s.keep(in.Collection, e.ID, in.File); err != nil {
		return nil, nil, err
	}
	return s.object(exportAnswer{filepath.Join(s.cfg.Exports, in.File), e.Bytes, e.Records, e.Notes}, false)
}

// keep copies an export into the folder of exports. A file that is there is never replaced.
func (s *Server) keep(id, export, name string) error {
	f, _, err := s.ops.ExportFile(id, export)
	if err != nil {
		return err
	}
	defer f.Close()
	return durable.New(filepath.Join(s.cfg.Exports, name), func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
