package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

// A call is one request to an operation of the API. Its parameters and its body are checked
// before the operation sees them.
type call struct {
	*server
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context
	route route
	query url.Values
	body  any
	wrote bool
}

// maxBody is the largest body of a request, in bytes. A server around the handler may allow less.
const maxBody = 4 << 20

// serve returns the handler of an operation.
func (s *server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{server: s, w: w, r: r, ctx: r.Context(), route: rt}
		if err := c.run(); err != nil && !c.wrote {
			c.fail(err)
		}
	})
}

// run checks the request, calls the operation and writes its answer.
func (c *call) run() error {
	if err := c.readQuery(); err != nil {
		return err
	}
	if err := c.readBody(); err != nil {
		return err
	}
	if c.route.raw != nil {
		return c.route.raw(c)
	}
	v, err := c.route.handle(c)
	if err != nil {
		return err
	}
	return c.answer(v)
}

// fail answers with the problem of an error, and logs a fault of the server.
func (c *call) fail(err error) {
	var p *statusError
	if errors.As(err, &p) {
		writeProblem(c.w, p.problem)
		return
	}
	x := problemOf(err, c.route.body != nil)
	if (x.Status == http.StatusInternalServerError || x.Status == http.StatusInsufficientStorage) && !errors.Is(err, context.Canceled) {
		c.opt.Log.Error("a request failed", "operation", c.route.name, "collection", c.id(), "error", plain.OneLine(err.Error()))
	}
	writeProblem(c.w, x)
}

// A statusError is an error of HTTP itself.
type statusError struct{ problem }

func (e *statusError) Error() string { return e.Detail }

// httpError returns a statusError.
func httpError(status int, field, format string, args ...any) error {
	return &statusError{problem{Status: status, Field: field, Kind: string(operations.Invalid), Detail: fmt.Sprintf(format, args...)}}
}

// readQuery reads the parameters of the query and checks each: one that does not exist, or has a
// value of another type, is an error and not ignored.
func (c *call) readQuery() (err error) {
	if c.query, err = url.ParseQuery(c.r.URL.RawQuery); err != nil {
		return httpError(http.StatusBadRequest, "", "the query can't be read")
	}
	for name, values := range c.query {
		i := slices.IndexFunc(c.route.params, func(p param) bool { return p.name == name })
		if i < 0 {
			return httpError(http.StatusBadRequest, clip(name), "there is no parameter %q here", clip(name))
		}
		p := c.route.params[i]
		if len(values) > 1 && p.kind != "list" {
			return httpError(http.StatusBadRequest, name, "%s: it is given %d times", name, len(values))
		}
		for _, v := range values {
			if err := p.check(v); err != nil {
				return err
			}
		}
	}
	for _, p := range c.route.params {
		if p.required && c.query.Get(p.name) == "" {
			return httpError(http.StatusBadRequest, p.name, "%s: it is missing: %s", p.name, p.about)
		}
	}
	return nil
}

// check returns an error for a value that a parameter can't have.
func (p param) check(v string) error {
	var err error
	switch {
	case p.kind == "integer":
		var n int64
		if n, err = strconv.ParseInt(v, 10, 32); err == nil && n < int64(p.least) {
			return httpError(http.StatusBadRequest, p.name, "%s: got %d, want at least %d", p.name, n, p.least)
		}
	case p.kind == "boolean":
		_, err = strconv.ParseBool(v)
	case p.kind == "time":
		_, err = parseTime(v)
	case len(p.enum) > 0 && !slices.Contains(p.enum, v):
		return httpError(http.StatusBadRequest, p.name, "%s: got %q, want one of %s", p.name, clip(v), strings.Join(p.enum, ", "))
	}
	if err != nil {
		return httpError(http.StatusBadRequest, p.name, "%s: got %q, want a value of type %s", p.name, clip(v), p.kind)
	}
	return nil
}

// parseTime reads a time, or a date in UTC.
func parseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Parse(time.DateOnly, text)
}

// text, number, flag, time and list return parameters, which were checked; the zero value if they
// are not given.
func (c *call) text(name string) string { return c.query.Get(name) }

func (c *call) number(name string) int {
	n, _ := strconv.Atoi(c.query.Get(name))
	return n
}

func (c *call) flag(name string) bool {
	b, _ := strconv.ParseBool(c.query.Get(name))
	return b
}

func (c *call) time(name string) time.Time {
	t, _ := parseTime(c.query.Get(name))
	return t
}

func (c *call) list(name string) []string { return c.query[name] }

// id returns the collection of the path.
func (c *call) id() string { return c.r.PathValue("id") }

// readBody reads the JSON body of an operation that has one. A member that does not exist is an
// error, since a misspelt one would be ignored.
func (c *call) readBody() error {
	if c.route.body == nil {
		return nil
	}
	kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || kind != typeJSON {
		return httpError(http.StatusUnsupportedMediaType, "", "Content-Type: got %q, want %s", clip(c.r.Header.Get("Content-Type")), typeJSON)
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &statusError{problem{Status: http.StatusRequestEntityTooLarge, Kind: string(operations.TooLarge), Detail: fmt.Sprintf("the body has more than %d bytes", tooLarge.Limit)}}
	case err != nil:
		return httpError(http.StatusBadRequest, "", "the body can't be read")
	case !json.Valid(data):
		return httpError(http.StatusBadRequest, "", "the body is not JSON")
	}
	v := reflect.New(c.route.body)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v.Interface()); err != nil {
		return bodyError(err)
	}
	c.body = v.Interface()
	return nil
}

// bodyError returns the error of a body that has JSON of another form than the operation wants, in the
// words of JSON and not of Go.
func bodyError(err error) error {
	var wrong *json.UnmarshalTypeError
	var moment *time.ParseError
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &wrong):
		field := clip(wrong.Field)
		text := "got " + wrong.Value + ", want " + jsonKind(wrong.Type)
		if field != "" {
			text = field + ": " + text
		}
		return httpError(http.StatusUnprocessableEntity, field, "the body does not fit: %s", text)
	case unknown:
		return httpError(http.StatusUnprocessableEntity, clip(strings.Trim(name, `"`)), "the body does not fit: there is no member %s", clip(name))
	case errors.As(err, &moment):
		return httpError(http.StatusUnprocessableEntity, "", "the body does not fit: got %q, want a time such as 2026-11-15T09:30:00Z", clip(strings.Trim(moment.Value, `"`)))
	}
	return httpError(http.StatusUnprocessableEntity, "", "the body does not fit: see the description of the operation")
}

// jsonKind returns what JSON calls the values of a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// bodyOf returns the body of a call.
func bodyOf[T any](c *call) *T { return c.body.(*T) }

// answer writes the result of an operation.
func (c *call) answer(v any) error {
	if c.route.status == http.StatusNoContent {
		c.wrote = true
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	body, err := facts.Encode(v)
	if err != nil {
		return err
	}
	if c.route.items != "" {
		c.linkNext(body)
		if c.accepts(typeNDJSON) {
			return c.lines(body)
		}
	}
	status := c.route.status
	if status == 0 {
		status = http.StatusOK
	}
	body = append(body, '\n')
	if s, ok := v.(steady); ok {
		same, err := facts.Encode(s.Steady())
		if err != nil {
			return err
		}
		return c.writeTagged(status, typeJSON, body, "W/"+tagOf(same))
	}
	return c.write(status, typeJSON, body)
}

// A steady value has members that change by themselves, which are no reason to send it again. Steady returns the value without
// them; its ETag is weak.
type steady interface{ Steady() any }

// tagOf returns the entity tag of an answer.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// write writes an answer; that of a GET with an ETag, and without a body if the client has it.
func (c *call) write(status int, kind string, body []byte) error {
	return c.writeTagged(status, kind, body, tagOf(body))
}

// writeTagged is write with the tag that a GET has.
func (c *call) writeTagged(status int, kind string, body []byte, tag string) error {
	h := c.w.Header()
	h.Set("Content-Type", kind)
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		h.Set("ETag", tag)
		h.Add("Vary", "Accept")
		if hasTag(c.r.Header.Values("If-None-Match"), tag) {
			h.Del("Content-Type")
			status, body = http.StatusNotModified, nil
		}
	}
	if body != nil {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	c.wrote = true
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) // the client may be gone
	return nil
}

// hasTag reports whether a list of entity tags has one.
func hasTag(headers []string, tag string) bool {
	for _, h := range headers {
		for t := range strings.SplitSeq(h, ",") {
			if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == strings.TrimPrefix(tag, "W/") || t == "*" {
				return true
			}
		}
	}
	return false
}

// accepts reports whether a request prefers a media type: it names it, and does not name JSON first.
func (c *call) accepts(kind string) bool {
	for part := range strings.SplitSeq(c.r.Header.Get("Accept"), ",") {
		switch t, _, _ := mime.ParseMediaType(strings.TrimSpace(part)); t {
		case kind:
			return true
		case typeJSON:
			return false
		}
	}
	return false
}

// linkNext adds the next part of a list to the header Link.
func (c *call) linkNext(body []byte) {
	var part struct {
		Next string `json:"next"`
	}
	if json.Unmarshal(body, &part) != nil || part.Next == "" {
		return
	}
	q := c.r.URL.Query()
	q.Set("cursor", part.Next)
	c.w.Header().Set("Link", "<"+c.r.URL.Path+"?"+q.Encode()+`>; rel="next"`)
}

// lines writes a list as one object per line.
func (c *call) lines(body []byte) error {
	var all map[string]json.RawMessage
	var items []json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return err
	}
	if err := json.Unmarshal(all[c.route.items], &items); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, x := range items {
		out.Write(x)
		out.WriteByte('\n')
	}
	return c.write(http.StatusOK, typeNDJSON, out.Bytes())
}

// description writes the OpenAPI document.
func (c *call) description() error { return c.write(http.StatusOK, typeJSON, c.openapi) }

// start starts a crawl.
func (c *call) start() (any, error) {
	job, err := c.ops.Start(c.ctx, *bodyOf[operations.StartRequest](c))
	if err == nil && job.Collection != "" {
		c.w.Header().Set("Location", Prefix+"/crawls/"+url.PathEscape(job.Collection))
	}
	return job, err
}

// patch changes settings and state of a collection.
func (c *call) patch() (any, error) {
	p := bodyOf[crawlPatch](c)
	out := patched{}
	states := []string{"", "running", "paused", "stopping"}
	if !slices.Contains(states, p.State) {
		return nil, httpError(http.StatusUnprocessableEntity, "state", "state: got %q, want running, paused or stopping", clip(p.State))
	}
	if err := p.unfold(); err != nil {
		return nil, err
	}
	change := operations.SetRequest{Set: p.Set, Reset: p.Reset, Drop: p.Drop, By: p.By}
	changes := len(p.Set)+len(p.Reset)+len(p.Drop) > 0
	if p.State == "" && !changes {
		return nil, httpError(http.StatusUnprocessableEntity, "", "nothing to change: give state, set, reset or drop")
	}
	if changes {
		done, err := c.ops.Set(c.ctx, c.id(), change)
		if err != nil {
			return nil, err
		}
		out.Changed = done
	}
	var err error
	switch p.State {
	case "running":
		out.Job, err = c.ops.Continue(c.ctx, c.id(), nil)
	case "paused", "stopping":
		wait := stopWait
		if p.Wait > 0 {
			wait = time.Duration(min(p.Wait, 60)) * time.Second
		}
		out.Stopped, err = c.ops.Stop(c.ctx, c.id(), wait)
	}
	return out, err
}

// unfold moves the members that stand for settings into set. A setting that is given in both ways is an error.
func (p *crawlPatch) unfold() error {
	short := map[string][]string{}
	if p.Exclude != nil {
		short["exclude"] = p.Exclude
	}
	if p.Threshold != nil {
		short["threshold"] = []string{strconv.FormatFloat(*p.Threshold, 'g', -1, 64)}
	}
	for name, values := range short {
		if p.Set[name] != nil {
			return httpError(http.StatusUnprocessableEntity, name, "%s: it is given twice, as a member and in set", name)
		}
		if p.Set == nil {
			p.Set = map[string][]string{}
		}
		p.Set[name] = values
	}
	return nil
}

// pages lists pages. An empty reason of skipped URLs is an error: fetched pages would be listed in their place.
func (c *call) pages() (any, error) {
	if c.query.Has("skipped") && c.text("skipped") == "" {
		return nil, httpError(http.StatusBadRequest, "skipped", "skipped: it is empty; give a reason, or any for all")
	}
	return c.ops.Pages(c.ctx, c.id(), operations.PageQuery{
		Verdict: c.text("verdict"), Host: c.text("host"), Language: c.text("language"), Reason: c.text("reason"), Text: c.text("text"), Model: c.text("model"),
		Skipped: c.text("skipped"), Failed: c.flag("failed"), Since: c.time("since"), Sort: strings.TrimPrefix(c.text("sort"), "-"), Cursor: c.text("cursor"), Limit: c.number("limit"),
	})
}

// markdown writes the own text of a page.
func (c *call) markdown() error {
	_, text, cut, err := c.ops.Markdown(c.ctx, c.id(), c.text("url"), c.number("bytes"))
	if err != nil {
		return err
	}
	if cut {
		c.w.Header().Set("X-Dowse-Cut", "true")
	}
	return c.write(http.StatusOK, typeMarkdown+"; charset=utf-8", []byte(text))
}

// search finds pages.
func (c *call) search(ids []string) (any, error) {
	return c.ops.Search(c.ctx, ids, operations.SearchQuery{
		Query: c.text("q"), Similar: c.text("similar"), All: c.flag("all"), Facets: c.flag("facets"), Limit: c.number("limit"), Offset: c.number("offset"),
	})
}

// exports lists the exports of a collection.
func (c *call) exports() (any, error) {
	if _, err := c.ops.Dir(c.id()); err != nil {
		return nil, err
	}
	return exportList{c.ops.Exports(c.id())}, nil
}

// export begins an export.
func (c *call) export() (any, error) {
	e, err := c.ops.Export(c.ctx, c.id(), *bodyOf[operations.ExportRequest](c))
	if err == nil {
		c.w.Header().Set("Location", c.r.URL.Path+"/"+e.ID)
	}
	return e, err
}

// fileTime is how long a client may take for a file. The server's own bound is for answers that are made immediately, and would cut
// a large file.
const fileTime = time.Hour

// exportFile sends the file of an export. It is always sent as a file to be kept, never as
// something that a browser shows.
func (c *call) exportFile() error {
	f, e, err := c.ops.ExportFile(c.id(), c.r.PathValue("export"))
	if err != nil {
		return err
	}
	defer f.Close()
	c.w.Header().Set("Content-Type", typeBinary)
	c.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.Name}))
	c.w.Header().Set("Content-Security-Policy", "sandbox")
	c.wrote = true
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(fileTime)) // a writer without deadlines, as in tests, has none
	http.ServeContent(c.w, c.r, "", e.Begun, f)
	return nil
}

// decisions streams the decisions of a crawl.
func (c *call) decisions() error {
	out := &firstWrite{c: c}
	err := c.ops.Decisions(c.ctx, c.id(), c.time("since"), out)
	if err == nil && !c.wrote {
		return c.write(http.StatusOK, typeNDJSON, nil)
	}
	return err
}

// A firstWrite sends the header of a stream with its first byte, so that an error before it is still
// answered as one.
type firstWrite struct{ c *call }

func (f *firstWrite) Write(p []byte) (int, error) {
	if !f.c.wrote {
		f.c.wrote = true
		f.c.w.Header().Set("Content-Type", typeNDJSON)
	}
	_ = http.NewResponseController(f.c.w).SetWriteDeadline(time.Now().Add(writeWait)) // for each part: a journal may be long
	return f.c.w.Write(p)
}
