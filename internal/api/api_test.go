package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/api"
	"dowse/internal/demo"
	"dowse/internal/durable"
	"dowse/internal/operations"
	"dowse/settings"
	"dowse/topic"
)

const (
	madePages = 120
	token     = "a-token-for-tests"
)

var madeWeb = sync.OnceValue(func() *demo.Web { return demo.New(demo.Config{Latency: -1, SlowLatency: -1}) })

// openMade opens a crawl of the synthetic web in dir, which ends after the given number of pages.
func openMade(t testing.TB, dir string, pages int) *crawler.Crawler {
	t.Helper()
	web := madeWeb()
	tp, _ := web.Topic("tide pools")
	var seeds []string
	for _, u := range web.Seeds("tide pools", 3) {
		seeds = append(seeds, string(u))
	}
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "pools", Words: tp.Words, Also: tp.Also, Not: tp.Not}, Seeds: seeds,
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "link-context"}, Contrast: "everyday", Scope: settings.Scope{Exclude: []string{`/shop/`}},
			Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: -1, InFlight: 1},
		}, Transport: web.RoundTripper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	made     = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "dowse-api-test-*") })
	madeOnce sync.Once
)

// TestMain also serves as the program: a crawl that the API starts is this executable.
func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	if os.Getenv("API_TEST_CRAWL") != "" {
		os.Exit(fakeCrawl(os.Args[1:]))
	}
	code := m.Run()
	if dir, err := made(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// fakeCrawl crawls the synthetic web as dowse crawl would, and prints its arguments.
func fakeCrawl(args []string) int {
	fmt.Println(strings.Join(args, " "))
	var dir string
	for i, a := range args {
		if out, ok := strings.CutPrefix(a, "--out="); ok {
			dir = out
		}
		if a == "--" && dir == "" {
			dir = args[i+1]
		}
	}
	if strings.Contains(strings.Join(args, " "), "refused") {
		fmt.Fprintln(os.Stderr, "dowse: refused")
		return 2
	}
	if args[0] == "lab" {
		if os.MkdirAll(dir, 0o755) != nil || os.WriteFile(filepath.Join(dir, "manifest.yaml"), nil, 0o644) != nil {
			return 1
		}
		return 0
	}
	c := openMade(&testing.B{}, dir, 30)
	defer c.Close()
	for range c.Crawl(context.Background()) {
	}
	return 0
}

// copied returns a folder with two copies of a collection of the synthetic web: pools.dowse and
// other.dowse.
func copied(t testing.TB) string {
	t.Helper()
	root, err := made()
	if err != nil {
		t.Fatal(err)
	}
	madeOnce.Do(func() {
		c := openMade(t, filepath.Join(root, "pools.dowse"), madePages)
		for range c.Crawl(context.Background()) {
		}
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	})
	dir := t.TempDir()
	for _, name := range []string{"pools.dowse", "other.dowse"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, "pools.dowse"))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A client calls the API of a server over a folder.
type client struct {
	t   testing.TB
	srv *httptest.Server
	ops *operations.Operations
}

// serve starts the API over a folder of collections.
func serve(t testing.TB, dir string) *client {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("API_TEST_CRAWL", "1")
	ops, err := operations.New(operations.Config{Dirs: []string{dir}, Executable: exe, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(api.New(ops, api.Options{Authorised: api.Bearer(token), Profiles: true}))
	t.Cleanup(func() {
		srv.Close()
		if err := ops.Close(); err != nil {
			t.Error(err)
		}
	})
	return &client{t, srv, ops}
}

// An answer is what the server sent.
type answer struct {
	*http.Response
	body []byte
}

// do sends a request with the token and reads the answer.
func (c *client) do(method, path, body string, header ...string) answer {
	c.t.Helper()
	req, err := http.NewRequest(method, c.srv.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.srv.Client().Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer{resp, data}
}

// get gets a JSON answer.
func get[T any](c *client, path string) (v T) {
	c.t.Helper()
	a := c.do("GET", path, "")
	if a.StatusCode != http.StatusOK {
		c.t.Fatalf("GET %s: %d %s", path, a.StatusCode, a.body)
	}
	if err := json.Unmarshal(a.body, &v); err != nil {
		c.t.Fatalf("GET %s: %v: %s", path, err, a.body)
	}
	return v
}

// isProblem checks that an answer is a problem with a status.
func (a answer) isProblem(t testing.TB, status int) {
	t.Helper()
	var p struct {
		Status        int
		Title, Detail string
	}
	if err := json.Unmarshal(a.body, &p); err != nil || a.StatusCode != status || p.Status != status || p.Title == "" || p.Detail == "" ||
		a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s %s: got %d %s %s, want problem+json with status %d", a.Request.Method, a.Request.URL, a.StatusCode, a.Header.Get("Content-Type"), a.body, status)
	}
}

// A pageList is what the tests read of a list of pages.
type pageList struct {
	Pages []struct{ URL string }
}

const base = api.Prefix + "/crawls/pools"

// TestEveryOperation calls every operation of the OpenAPI document, checks its answer against the
// schema of the document, and calls it with bad input.
func TestEveryOperation(t *testing.T) {
	c := serve(t, copied(t))
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name, In string
				Required bool
				Schema   map[string]any
			}
			RequestBody *struct{}
			Responses   map[string]struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
		Components struct{ Schemas map[string]map[string]any }
	}
	raw := c.do("GET", api.Prefix+"/openapi.json", "")
	if err := json.Unmarshal(raw.body, &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%v: %.200s", err, raw.body)
	}
	for name, schema := range doc.Components.Schemas {
		properties, _ := schema["properties"].(map[string]any)
		if member, ok := properties["schema"].(map[string]any); ok && member["const"] == name {
			t.Errorf("%s: its member schema is to be %q, which no answer has", name, name)
		}
	}
	page := get[pageList](c, base+"/pages?verdict=on&limit=1").Pages[0]
	pageURL := url.QueryEscape(string(page.URL))
	export := c.do("POST", base+"/exports", `{"format":"jsonl"}`)
	if export.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", export.StatusCode, export.body)
	}
	exportPath := export.Header.Get("Location")
	awaitExport(c, exportPath)
	label := fmt.Sprintf(`{"labels":[{"url":%q,"label":"on"}]}`, page.URL)
	// What each operation is called with: a good request, and bad ones with their statuses.
	type bad struct {
		path, body string
		status     int
	}
	calls := map[string]struct {
		path, body string
		status     int
		bad        []bad
	}{
		"getDescription": {path: api.Prefix + "/openapi.json", bad: []bad{{api.Prefix + "/openapi.json?x=1", "", 400}}},
		"listCrawls":     {path: api.Prefix + "/crawls", bad: []bad{{api.Prefix + "/crawls?x=1", "", 400}}},
		"listJobs":       {path: api.Prefix + "/jobs", bad: []bad{{api.Prefix + "/jobs?x=1", "", 400}}},
		"startCrawl": {path: api.Prefix + "/crawls", body: `{"words":["tide pools"],"name":"new","settings":{"pages":["30"]},"demo":true}`, status: 201, bad: []bad{
			{api.Prefix + "/crawls", `{`, 400}, {api.Prefix + "/crawls", `{"words":["x"],"nonsense":1}`, 422}, {api.Prefix + "/crawls", `{}`, 422},
			{api.Prefix + "/crawls", `{"words":["x"],"name":"../x"}`, 422}, {api.Prefix + "/crawls", `{"words":["x"],"name":"pools"}`, 409},
			{api.Prefix + "/crawls", `{"words":["x"],"settings":{"allow-net":["10.0.0.0/8"]}}`, 422}, {api.Prefix + "/crawls", `{"words":["x"],"settings":{"pages":["many"]}}`, 422},
			{api.Prefix + "/crawls", `{"words":["../secret.yaml"]}`, 422}, {api.Prefix + "/crawls", `{"words":["x"],"seeds":["http://"]}`, 422}, {api.Prefix + "/crawls", `{"topic":"nonsense: ["}`, 422},
			{api.Prefix + "/crawls", `{"words":["x"],"name":"unseeded"}`, 422}, {api.Prefix + "/crawls", `{"words":["refused"],"name":"refused","seeds":["http://a.example/"]}`, 422}, {api.Prefix + "/crawls", `{"words":["` + strings.Repeat("x", 5<<20) + `"]}`, 413},
		}},
		"startLabRun": {path: api.Prefix + "/lab/runs", body: `{"experiment":"demo","demo":true,"pages":50}`, status: 201, bad: []bad{
			{api.Prefix + "/lab/runs", `{}`, 422}, {api.Prefix + "/lab/runs", `{"experiment":"../x"}`, 422}, {api.Prefix + "/lab/runs", `{"experiment":"x.yaml"}`, 422}, {api.Prefix + "/lab/runs", `{"experiment":"all"}`, 422},
			{api.Prefix + "/lab/runs", `{"experiment":"refused"}`, 422}, {api.Prefix + "/lab/runs", `{"experiment":"demo","pages":-1}`, 422}, {api.Prefix + "/lab/runs", `{"experiment":"--help"}`, 422},
		}},
		"getCrawl": {path: base, bad: []bad{{api.Prefix + "/crawls/none", "", 404}, {api.Prefix + "/crawls/..%2f..", "", 404}, {base + "?x=1", "", 400}}},
		"changeCrawl": {path: base, body: `{"set":{"pages":["500"],"exclude":["/cart/"]},"by":"test"}`, bad: []bad{
			{base, `{"set":{"strategy":["shark"]}}`, 422}, {base, `{"state":"flying"}`, 422}, {base, `{}`, 422}, {base, `[]`, 422}, {base, `{"set":{"exclude":["("]}}`, 422}, {base, `{"exclude":["("]}`, 422}, {base, `{"threshold":7}`, 422}, {base, `{"threshold":0.5,"set":{"threshold":["0.5"]}}`, 422}, {api.Prefix + "/crawls/none", `{"reset":["pages"]}`, 404},
		}},
		"listPages": {path: base + "/pages?verdict=on&sort=score&limit=5", bad: []bad{
			{base + "/pages?sort=fame", "", 400}, {base + "/pages?verdict=maybe", "", 400}, {base + "/pages?limit=0&limit=1", "", 400}, {base + "/pages?limit=-1", "", 400}, {base + "/pages?limit=100000", "", 400},
			{base + "/pages?cursor=zzz", "", 400}, {base + "/pages?since=yesterday", "", 400}, {base + "/pages?skipped=nonsense", "", 400}, {base + "/pages?skipped", "", 400}, {base + "/pages?skipped=", "", 400}, {base + "/pages?verdict=on&failed=true", "", 400}, {base + "/pages?text=" + strings.Repeat("x", 2000), "", 400},
			{api.Prefix + "/crawls/none/pages", "", 404}, {base + "/pages?verdict=%zz", "", 400},
		}},
		"getPage":       {path: base + "/page?url=" + pageURL, bad: []bad{{base + "/page", "", 400}, {base + "/page?url=http://nowhere.example/", "", 404}, {base + "/page?url=%20", "", 400}}},
		"getMarkdown":   {path: base + "/markdown?url=" + pageURL, bad: []bad{{base + "/markdown", "", 400}, {base + "/markdown?url=http://nowhere.example/", "", 404}, {base + "/markdown?bytes=x&url=" + pageURL, "", 400}}},
		"getWhy":        {path: base + "/why?links=true&url=" + pageURL, bad: []bad{{base + "/why", "", 400}, {base + "/why?url=http://nowhere.example/", "", 404}, {base + "/why?links=perhaps&url=" + pageURL, "", 400}}},
		"getFrontier":   {path: base + "/frontier?limit=5", bad: []bad{{base + "/frontier?limit=x", "", 400}, {base + "/frontier?limit=5000", "", 400}}},
		"listHosts":     {path: base + "/hosts?show=on&sort=share&limit=3", bad: []bad{{base + "/hosts?sort=fame", "", 400}, {base + "/hosts?show=some", "", 400}, {base + "/hosts?cursor=zz", "", 400}}},
		"listProblems":  {path: base + "/problems", bad: []bad{{api.Prefix + "/crawls/none/problems", "", 404}}},
		"getSeries":     {path: base + "/series?points=20", bad: []bad{{base + "/series?points=1", "", 400}, {base + "/series?window=-5", "", 400}, {base + "/series?step=0", "", 400}}},
		"listEvents":    {path: base + "/events?after=0&limit=10", bad: []bad{{base + "/events?after=x", "", 400}, {base + "/events?after=7", "", 400}, {base + "/events?after=99999999999", "", 400}, {base + "/events?after=-1", "", 400}}},
		"listDecisions": {path: base + "/decisions?since=2020-01-01", bad: []bad{{base + "/decisions?since=x", "", 400}, {api.Prefix + "/crawls/none/decisions", "", 404}}},
		"listSites":     {path: base + "/sites?sort=pages", bad: []bad{{base + "/sites?sort=x", "", 400}, {base + "/sites?offset=-1", "", 400}}},
		"getSite":       {path: base + "/site?name=kelp.demo", status: 409, bad: []bad{{base + "/site", "", 400}}},
		"getGraph":      {path: base + "/graph?nodes=10", bad: []bad{{base + "/graph?nodes=100000", "", 400}}},
		"searchCrawl":   {path: base + "/search?q=anemone&facets=true", bad: []bad{{base + "/search", "", 400}, {base + "/search?q=score:x", "", 400}, {base + "/search?q=a&offset=-1", "", 400}, {base + "/search?q=a&limit=1000", "", 400}, {base + "/search?similar=http://nowhere.example/", "", 404}}},
		"search":        {path: api.Prefix + "/search?q=anemone&id=pools&id=other", bad: []bad{{api.Prefix + "/search?q=x", "", 400}, {api.Prefix + "/search?q=x&id=none", "", 404}}},
		"compare":       {path: api.Prefix + "/compare?id=pools&id=other", bad: []bad{{api.Prefix + "/compare?id=pools", "", 400}, {api.Prefix + "/compare?id=pools&id=pools", "", 400}, {api.Prefix + "/compare?id=pools&id=none", "", 404}}},
		"listModels":    {path: base + "/models", bad: []bad{{api.Prefix + "/crawls/none/models", "", 404}}},
		"addLabels": {path: base + "/labels", body: label, bad: []bad{
			{base + "/labels", `{"labels":[]}`, 422}, {base + "/labels", `{"labels":[{"url":"http://x.demo/","label":"perhaps"}]}`, 422}, {base + "/labels", `{"labels":[{"url":"http://","label":"on"}]}`, 422}, {base + "/labels", `{"labels":5}`, 422},
			{base + "/labels", `{"labels":[{"url":"http://x.demo/","label":"on","queue":"audit","of":999999999}]}`, 422}, {base + "/labels", `{"labels":[{"url":"http://x.demo/","label":"on","queue":"audit","of":-3}]}`, 422}, {base + "/labels", `{"labels":[{"url":"http://x.demo/","label":"on","queue":"bogus"}]}`, 422},
			{base + "/labels", `{"labels":[` + strings.Repeat(`{"url":"http://a.demo/","label":"on"},`, 10_000) + `{"url":"http://a.demo/","label":"on"}]}`, 413},
		}},
		"trainModel":  {path: base + "/models/train", body: `{"accept":true}`, bad: []bad{{base + "/models/train", `{"accept":"yes"}`, 422}, {api.Prefix + "/crawls/none/models/train", `{}`, 404}}},
		"undoModel":   {path: base + "/models/undo", body: `{}`, bad: []bad{{base + "/models/undo", `{"model":"m9999"}`, 404}, {api.Prefix + "/crawls/other/models/undo", `{}`, 409}}},
		"listLabels":  {path: base + "/labels", bad: []bad{{base + "/labels?x=1", "", 400}}},
		"getQueue":    {path: base + "/queue?queue=audit&limit=3", bad: []bad{{base + "/queue?queue=x", "", 400}, {base + "/queue?limit=x", "", 400}}},
		"getSettings": {path: base + "/settings", bad: []bad{{api.Prefix + "/crawls/none/settings", "", 404}}},
		"judge":       {path: base + "/judge", body: `{"title":"Tide pools","text":"Anemones and limpets live in tide pools of the rocky shore."}`, bad: []bad{{base + "/judge", `{}`, 422}, {base + "/judge", `{"text":"x","html":"y"}`, 422}, {base + "/judge", `{"text":"x","model":"m9"}`, 404}, {base + "/judge", `{"text":"` + strings.Repeat("x ", 3<<19) + `"}`, 413}}},
		"judgeByTopic": {path: api.Prefix + "/judge", body: `{"words":["tide pools"],"text":"Anemones and limpets live in tide pools of the rocky shore."}`, bad: []bad{
			{api.Prefix + "/judge", `{"text":"x"}`, 422}, {api.Prefix + "/judge", `{"words":["x"]}`, 422}, {api.Prefix + "/judge", `{"words":["x"],"topic":"y","text":"z"}`, 422}, {api.Prefix + "/judge", `{"topic":"words: [","text":"z"}`, 422},
			{api.Prefix + "/judge", `{"topic":"dowse: topic/v1\nname: x\nwords: [x]\njudge: {exec: [sh]}\n","text":"z"}`, 403}, {api.Prefix + "/judge", `{"topic":"dowse: topic/v1\nname: x\nlike: [https://example.org/]\n","text":"z"}`, 422},
		}},
		"forget":        {path: api.Prefix + "/crawls/other/forget", body: fmt.Sprintf(`{"urls":[%q],"because":"the owner asked"}`, page.URL), bad: []bad{{base + "/forget", `{"urls":["http://nowhere.example/"],"because":"x"}`, 404}, {base + "/forget", `{"urls":["x"]}`, 422}, {base + "/forget", `{"because":"x"}`, 422}}},
		"listExports":   {path: base + "/exports", bad: []bad{{api.Prefix + "/crawls/none/exports", "", 404}}},
		"startExport":   {path: base + "/exports", body: `{"format":"csv","fields":["url","title"]}`, status: 201, bad: []bad{{base + "/exports", `{"format":"exe"}`, 422}, {base + "/exports", `{"format":"md"}`, 422}, {base + "/exports", `{"format":"csv","fields":["x"]}`, 422}, {base + "/exports", `{"format":"jsonl","on":true,"all":true}`, 422}}},
		"getExport":     {path: exportPath, bad: []bad{{base + "/exports/e999", "", 404}, {api.Prefix + "/crawls/other/exports/e1", "", 404}}},
		"getExportFile": {path: exportPath + "/file", bad: []bad{{base + "/exports/e999/file", "", 404}}},
		"deleteExport":  {path: exportPath, status: 204, bad: []bad{{base + "/exports/e999", "", 404}}},
	}
	order := []string{"addLabels", "trainModel", "undoModel"} // the others follow
	ids := map[string][3]string{}
	for path, item := range doc.Paths {
		for method, op := range item {
			ids[op.OperationID] = [3]string{path, strings.ToUpper(method)}
			if !slices.Contains(order, op.OperationID) && op.OperationID != "deleteExport" && op.OperationID != "forget" {
				order = append(order, op.OperationID)
			}
		}
	}
	for _, id := range append(order, "forget", "deleteExport") {
		op, ok := ids[id]
		x, called := calls[id]
		if !ok || !called {
			t.Errorf("%s: in the document %v, in the test %v", id, ok, called)
			continue
		}
		method := op[1]
		item := doc.Paths[op[0]][strings.ToLower(method)]
		a := c.do(method, x.path, x.body)
		want := x.status
		if want == 0 {
			want = http.StatusOK
		}
		if a.StatusCode != want {
			t.Errorf("%s: %s %s: %d %s, want %d", id, method, x.path, a.StatusCode, a.body, want)
			continue
		}
		described, ok := item.Responses[fmt.Sprint(want)]
		if !ok {
			t.Errorf("%s: the document does not have the answer %d", id, want)
		}
		if s := described.Content["application/json"].Schema; len(s) > 0 && want < 300 {
			var v any
			if err := json.Unmarshal(a.body, &v); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			for _, problem := range (&checker{schemas: doc.Components.Schemas}).check("", s, v) {
				t.Errorf("%s: %s", id, problem)
			}
		}
		if method != "GET" && item.RequestBody != nil {
			c.do(method, x.path, x.body, "Content-Type", "text/plain").isProblem(t, http.StatusUnsupportedMediaType)
		}
		for _, b := range x.bad {
			c.do(method, b.path, b.body).isProblem(t, b.status)
		}
		if len(x.bad) == 0 {
			t.Errorf("%s: no bad input", id)
		}
		c.do(method, x.path, x.body, "Authorization", "Bearer wrong").isProblem(t, http.StatusUnauthorized)
	}
}

// awaitExport waits until an export is ready.
func awaitExport(c *client, path string) {
	c.t.Helper()
	for {
		e := get[operations.Export](c, path)
		if e.State == operations.JobDone {
			return
		}
		if e.State == operations.JobFailed {
			c.t.Fatal(e.Error)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A checker checks values against the schemas of the document.
type checker struct{ schemas map[string]map[string]any }

// check returns what is wrong with a value: a type, a member that is missing, or one that the schema does
// not have.
func (k *checker) check(place string, schema map[string]any, v any) (problems []string) {
	if r, ok := schema["$ref"].(string); ok {
		s, ok := k.schemas[strings.TrimPrefix(r, "#/components/schemas/")]
		if !ok {
			return []string{place + ": there is no schema " + r}
		}
		schema = s
	}
	wrong := func(want string) []string { return []string{fmt.Sprintf("%s: got %T, want %s", place, v, want)} }
	switch schema["type"] {
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		properties, _ := schema["properties"].(map[string]any)
		if properties == nil {
			return nil
		}
		if required, ok := schema["required"].([]any); ok {
			for _, name := range required {
				if _, ok := m[name.(string)]; !ok {
					problems = append(problems, fmt.Sprintf("%s: %s is missing", place, name))
				}
			}
		}
		for name, x := range m {
			s, ok := properties[name].(map[string]any)
			if !ok {
				problems = append(problems, fmt.Sprintf("%s: the schema does not have %s", place, name))
				continue
			}
			problems = append(problems, k.check(place+"."+name, s, x)...)
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			return wrong("a list")
		}
		items, _ := schema["items"].(map[string]any)
		for i, x := range list {
			problems = append(problems, k.check(fmt.Sprintf("%s[%d]", place, i), items, x)...)
		}
	case "string":
		if _, ok := v.(string); !ok {
			return wrong("a string")
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return wrong("a boolean")
		}
	case "integer", "number":
		if _, ok := v.(float64); !ok {
			return wrong("a number")
		}
	}
	return problems
}

// TestETags checks that an answer that has not changed is not sent again.
func TestETags(t *testing.T) {
	c := serve(t, copied(t))
	first := c.do("GET", base+"/hosts", "")
	tag := first.Header.Get("ETag")
	if tag == "" {
		t.Fatal("no ETag")
	}
	again := c.do("GET", base+"/hosts", "", "If-None-Match", `"x", `+tag)
	if again.StatusCode != http.StatusNotModified || len(again.body) > 0 {
		t.Errorf("%d, %d bytes", again.StatusCode, len(again.body))
	}
	if a := c.do("GET", base+"/hosts?limit=2", "", "If-None-Match", tag); a.StatusCode != http.StatusOK {
		t.Errorf("another answer with the tag of the first: %d", a.StatusCode)
	}
	if a := c.do("HEAD", base+"/hosts", ""); a.StatusCode != http.StatusOK || a.Header.Get("ETag") != tag || len(a.body) > 0 {
		t.Errorf("HEAD: %d %s", a.StatusCode, a.Header.Get("ETag"))
	}
}

// TestETagOfStatus checks that a status is not sent again because other programs use the disk: its ETag is weak, and has no part in that.
func TestETagOfStatus(t *testing.T) {
	dir := copied(t)
	c := serve(t, dir)
	tag := c.do("GET", base, "").Header.Get("ETag")
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	again := c.do("GET", base, "", "If-None-Match", tag)
	if !strings.HasPrefix(tag, `W/"`) || again.StatusCode != http.StatusNotModified || again.Header.Get("ETag") != tag {
		t.Errorf("got %s, then %d %s; want a weak tag that stays", tag, again.StatusCode, again.Header.Get("ETag"))
	}
}

// TestLinesAndLinks checks lists as lines, whose next parts are in the header Link, and that all parts
// together are the list.
func TestLinesAndLinks(t *testing.T) {
	c := serve(t, copied(t))
	all := map[string]bool{}
	path := base + "/pages?limit=50&sort=score"
	for parts := 0; path != ""; parts++ {
		a := c.do("GET", path, "", "Accept", "application/x-ndjson")
		if a.Header.Get("Content-Type") != "application/x-ndjson" || parts > 10 {
			t.Fatalf("%s, %d parts", a.Header.Get("Content-Type"), parts)
		}
		for line := range bytes.Lines(a.body) {
			var row struct{ Schema, URL string }
			if err := json.Unmarshal(line, &row); err != nil || row.Schema != "page/v1" || all[row.URL] {
				t.Fatalf("%v, %v: %s", err, all[row.URL], line)
			}
			all[row.URL] = true
		}
		next := a.Header.Get("Link")
		path = strings.TrimSuffix(strings.TrimPrefix(next, "<"), `>; rel="next"`)
	}
	if len(all) != madePages {
		t.Errorf("got %d pages, want %d", len(all), madePages)
	}
}

// TestGetChangesNothing calls every GET of the API and compares the files of the collection before and
// after.
func TestGetChangesNothing(t *testing.T) {
	dir := copied(t)
	c := serve(t, dir)
	before := listing(t, filepath.Join(dir, "pools.dowse"))
	doc := get[struct {
		Paths map[string]map[string]any
	}](c, api.Prefix+"/openapi.json")
	n := 0
	for path := range doc.Paths {
		if strings.HasSuffix(path, "/search") { // makes the index, which is a cache
			continue
		}
		c.do("GET", strings.NewReplacer("{id}", "pools", "{export}", "e1").Replace(path), "")
		n++
	}
	if after := listing(t, filepath.Join(dir, "pools.dowse")); after != before || n < 20 {
		t.Errorf("%d paths; before:\n%s\nafter:\n%s", n, before, after)
	}
}

// listing returns the names, sizes and times of all files of a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			fmt.Fprintf(&b, "%s %d %s\n", path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEventStream follows a crawl as it runs, breaks off, and continues behind the last event: no event
// comes twice or is missing.
func TestEventStream(t *testing.T) {
	dir := t.TempDir()
	cr := openMade(t, filepath.Join(dir, "pools.dowse"), 80)
	defer cr.Close()
	c := serve(t, dir)
	if c.do("GET", base, "").StatusCode != http.StatusOK {
		t.Fatal("a collection that was just created can't be read")
	}
	done := make(chan error, 1)
	go func() {
		for range cr.Crawl(context.Background()) {
		}
		done <- cr.Err()
	}()
	first := c.stream("0", 30)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	rest := c.stream(first[len(first)-1].ID, 50)
	pages, seen := map[string]bool{}, map[string]bool{}
	var states []string
	for _, e := range append(first, rest...) {
		if seen[e.ID] {
			t.Fatalf("event %s comes twice", e.ID)
		}
		seen[e.ID] = true
		if e.Event == operations.EventState {
			states = append(states, e.State)
		}
		if e.Event == operations.EventPage {
			if e.URL == "" || e.Relevance == nil || pages[string(e.URL)] {
				t.Errorf("%+v", e)
			}
			pages[string(e.URL)] = true
		}
	}
	if len(pages) != 80 || len(states) == 0 || states[0] != operations.StateRunning {
		t.Errorf("got %d pages of 80, states %v", len(pages), states)
	}
}

// stream reads events after one until it has seen a number of pages.
func (c *client) stream(after string, pages int) (list []operations.Event) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", c.srv.URL+base+"/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", after)
	resp, err := c.srv.Client().Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		c.t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	in := bufio.NewScanner(resp.Body)
	in.Buffer(nil, 1<<20)
	id, kind := "", ""
	for pages > 0 && in.Scan() {
		line := in.Text()
		switch {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "event: "):
			kind = line[7:]
		case strings.HasPrefix(line, "data: ") && kind != "status":
			var e operations.Event
			if err := json.Unmarshal([]byte(line[6:]), &e); err != nil || e.ID != id || e.Event != kind {
				c.t.Fatalf("%v: id %s, event %s: %s", err, id, kind, line)
			}
			list = append(list, e)
			if kind == operations.EventPage {
				pages--
			}
		}
	}
	if err := in.Err(); err != nil {
		c.t.Fatal(err)
	}
	return list
}

// TestReadingWhileCrawling asks for everything while a crawl runs.
func TestReadingWhileCrawling(t *testing.T) {
	dir := t.TempDir()
	cr := openMade(t, filepath.Join(dir, "pools.dowse"), 150)
	defer cr.Close()
	c := serve(t, dir)
	done := make(chan error, 1)
	go func() {
		for range cr.Crawl(context.Background()) {
		}
		done <- cr.Err()
	}()
	paths := []string{"", "/pages", "/pages?sort=score&verdict=on", "/hosts", "/frontier", "/series", "/problems", "/events?after=0", "/models", "/queue", "/graph", "/settings"}
	for n := 0; ; n++ {
		for _, p := range paths {
			if a := c.do("GET", base+p, ""); a.StatusCode != http.StatusOK {
				t.Errorf("GET %s: %d %s", p, a.StatusCode, a.body)
			}
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				t.Log("the crawl ended before the second round")
			}
			return
		default:
		}
	}
}

// TestSmallAnswers checks health, readiness, version, metrics, profiles, and what is not there.
func TestSmallAnswers(t *testing.T) {
	c := serve(t, copied(t))
	c.do("GET", base, "")
	for path, want := range map[string]string{
		"/healthz": `"ok"`, "/readyz": `"ready"`, "/version": `"version":"` + crawler.Version + `"`,
		"/metrics":            `dowse_pages_fetched_total{collection="pools",outcome="fetched"} 120`,
		"/debug/pprof/symbol": "num_symbols",
	} {
		if a := c.do("GET", path, ""); a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), want) {
			t.Errorf("GET %s: %d %.300s, want %s", path, a.StatusCode, a.body, want)
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", api.Prefix + "/crawls", api.Prefix + "/nonsense"} {
		c.do("GET", path, "", "Authorization", "").isProblem(t, http.StatusUnauthorized)
	}
	c.do("GET", api.Prefix+"/nonsense", "").isProblem(t, http.StatusNotFound)
	c.do("DELETE", base, "").isProblem(t, http.StatusMethodNotAllowed)
	if a := c.do("POST", base+"/why", "{}"); a.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow: %q", a.Header.Get("Allow"))
	}
}

// TestProfilesAreLocal checks that profiles are served to this machine only, and only if they are wanted.
func TestProfilesAreLocal(t *testing.T) {
	ops, err := operations.New(operations.Config{Dirs: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	for _, x := range []struct {
		wanted bool
		from   string
		want   int
	}{{true, "127.0.0.1:5", 200}, {true, "[::1]:5", 200}, {true, "192.0.2.7:5", 403}, {false, "127.0.0.1:5", 404}} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/debug/pprof/", nil)
		r.RemoteAddr = x.from
		api.New(ops, api.Options{Profiles: x.wanted}).ServeHTTP(w, r)
		if w.Code != x.want {
			t.Errorf("wanted %v, from %s: %d, want %d", x.wanted, x.from, w.Code, x.want)
		}
	}
}

// TestMetricsLint applies the rules of promtool to the metrics.
func TestMetricsLint(t *testing.T) {
	c := serve(t, copied(t))
	c.do("GET", base, "")
	a := c.do("GET", "/metrics", "")
	problems, err := promlint.New(bytes.NewReader(a.body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if strings.Contains(string(a.body), "kelp.demo") {
		t.Error("a label names a host")
	}
}

// TestLabelAndUndo labels pages, trains, and goes back.
func TestLabelAndUndo(t *testing.T) {
	dir := copied(t)
	c := serve(t, dir)
	list := get[pageList](c, base+"/pages?sort=uncertainty&limit=6")
	var r operations.LabelRequest
	for i, p := range list.Pages {
		r.Labels = append(r.Labels, operations.GivenLabel{URL: string(p.URL), Label: []string{"on", "off"}[i%2], By: "ann"})
	}
	r.Train, r.Accept = true, true
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	a := c.do("POST", base+"/labels", string(body))
	var done operations.Labelled
	if err := json.Unmarshal(a.body, &done); err != nil || a.StatusCode != http.StatusOK || done.Kept != 6 || done.Trained == nil || done.Trained.Model != "m0001" || done.Untrained != 0 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if st := get[operations.Report](c, base); st.Model != "m0001" || st.Labels != 6 {
		t.Errorf("model %s, %d labels", st.Model, st.Labels)
	}
	if labels, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse")); err != nil || len(labels.Standing()) != 6 {
		t.Errorf("%v", err)
	}
	if a := c.do("POST", base+"/models/undo", `{"by":"ann"}`); a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if m := get[operations.Models](c, base+"/models"); m.Current != collection.FirstModel {
		t.Errorf("%+v", m)
	}
	why := c.do("GET", base+"/why?url="+url.QueryEscape(r.Labels[0].URL), "")
	if !strings.Contains(string(why.body), `"ended":"undone"`) {
		t.Errorf("the account of a page has its label in force: %s", why.body)
	}
	body, err = json.Marshal(operations.LabelRequest{Labels: r.Labels[:1], Train: true, Accept: true})
	if err != nil {
		t.Fatal(err)
	}
	if a := c.do("POST", base+"/labels", string(body)); a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), `"before":"m0000"`) {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	var back collection.Model
	if a := c.do("POST", base+"/models/undo", "{}"); json.Unmarshal(a.body, &back) != nil || back.Model != collection.FirstModel {
		t.Errorf("%d %s; want a return to the model before the one in use, which had not been undone", a.StatusCode, a.body)
	}
}

// A file and a journal are sent for as long as a client takes them, and not only as long as the server waits for other answers.
func TestLargeAnswersHaveTime(t *testing.T) {
	c := serve(t, copied(t))
	at := c.do("POST", base+"/exports", `{"format":"jsonl"}`).Header.Get("Location")
	awaitExport(c, at)
	for path, want := range map[string]time.Duration{at + "/file": 30 * time.Minute, base + "/decisions": 10 * time.Second} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := &withDeadline{ResponseRecorder: httptest.NewRecorder()}
		c.srv.Config.Handler.ServeHTTP(w, r)
		if left := time.Until(w.deadline); w.Code != http.StatusOK || left < want {
			t.Errorf("%s: %d, the client has %v, want %v", path, w.Code, left, want)
		}
	}
}

// withDeadline keeps the deadline of an answer.
type withDeadline struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (w *withDeadline) SetWriteDeadline(t time.Time) error {
	w.deadline = t
	return nil
}
