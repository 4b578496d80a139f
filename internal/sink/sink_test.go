package sink_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/sink"
	"dowse/settings"
)

// A sinkWeb is a web of pages: HTML by address, without http://.
type sinkWeb struct {
	mu    sync.Mutex
	pages map[string]string
	wait  map[string]chan struct{} // pages that are answered when the channel is closed
	moved map[string]string        // where a page redirects to
}

func (w *sinkWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	body, ok := w.pages[req.URL.Host+req.URL.Path]
	wait := w.wait[req.URL.Host+req.URL.Path]
	moved := w.moved[req.URL.Host+req.URL.Path]
	w.mu.Unlock()
	if wait != nil {
		<-wait
	}
	status, head := 200, http.Header{"Content-Type": {"text/html"}}
	switch {
	case moved != "":
		status = 301
		head.Set("Location", moved)
	case !ok:
		status = 404
	}
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: head,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// mentionsReef is a judge for which pages are as relevant as the number after the word reef.
type mentionsReef struct{}

func (mentionsReef) Judge(p *dowse.Page) dowse.Verdict {
	v := dowse.Verdict{Relevance: 0.1, Judge: "reef"}
	if _, after, ok := strings.Cut(p.Text, "reef 0."); ok {
		v.Relevance = float64(after[0]-'0') / 10
	}
	return v
}

// reefPage returns a page of a relevance in tenths, with words that no other page has.
func reefPage(i, tenths int) string {
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	var b strings.Builder
	fmt.Fprintf(&b, "<title>Page %d</title><p>A reef 0.%d and", i, tenths)
	for range 60 {
		fmt.Fprintf(&b, " word%d", rng.IntN(9000))
	}
	return b.String()
}

// sunkWeb returns a web of n pages, of which every third is off topic.
func sunkWeb(n int) *sinkWeb {
	w := &sinkWeb{pages: map[string]string{}}
	for i := range n {
		tenths := 9
		if i%3 == 2 {
			tenths = 2
		}
		w.pages[fmt.Sprintf("a%d.example/%d", i%7, i)] = reefPage(i, tenths)
	}
	return w
}

func (w *sinkWeb) config(sinks ...string) crawler.Config {
	cfg := crawler.Config{
		Words: []string{"reef"}, Judge: mentionsReef{}, Transport: w, Consent: crawler.Agree,
		Settings: settings.Settings{Sinks: sinks, SinkWait: time.Minute, Politeness: settings.Politeness{Delay: settings.None}, Identity: settings.Identity{Contact: "mailto:me@example.org"}},
	}
	for address := range w.pages {
		cfg.Seeds = append(cfg.Seeds, "http://"+address)
	}
	slices.Sort(cfg.Seeds)
	return cfg
}

// crawlInto crawls, or continues, until there is nothing left.
func crawlInto(t testing.TB, dir string, cfg crawler.Config) {
	t.Helper()
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// crawledWeb returns a collection with all pages of a web.
func crawledWeb(t *testing.T, w *sinkWeb) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	crawlInto(t, dir, w.config())
	return dir
}

// drained sends everything to sinks and returns how far they are then.
func drained(t testing.TB, dir string, o sink.Options, idle time.Duration, names ...string) []sink.Lag {
	t.Helper()
	specs, err := sink.ParseAll(names)
	if err != nil {
		t.Fatal(err)
	}
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o.Agent = "dowse/test"
	feeds, err := sink.Start(dir, specs, c.Collection.Journal.End(), sink.Quick(o))
	if err != nil {
		t.Fatal(err)
	}
	feeds.Finish(t.Context(), c.Collection, 0, idle, nil)
	return sink.Lags(c.Collection, specs, time.Now())
}

// troubled tries to send to a sink until the error is the wanted one.
func troubled(t *testing.T, dir string, o sink.Options, name, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		l := drained(t, dir, o, 500*time.Millisecond, name)[0]
		if got = l.Error; strings.Contains(strings.ToLower(got), want) && l.Since != nil && l.Pages > 0 {
			return
		}
	}
	t.Errorf("%s: error %q, want %q", name, got, want)
}

// A received is what a test reads of a record.
type received struct {
	Event, Key, Op, URL, Text, Reason, Title string
	Relevance                                float64
	Version                                  int64
}

func decode(t *testing.T, lines []byte) (list []received) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		var r received
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		list = append(list, r)
	}
	return list
}

// state returns the URLs of the pages that a sink has after all records.
func state(list []received) (urls []string) {
	pages := map[string]string{}
	version := map[string]int64{}
	for _, r := range list {
		if r.Version < version[r.Key] {
			continue
		}
		version[r.Key] = r.Version
		if delete(pages, r.Key); r.Op == "put" {
			pages[r.Key] = r.URL
		}
	}
	for _, u := range pages {
		urls = append(urls, u)
	}
	slices.Sort(urls)
	return urls
}

// onTopic returns the URLs of the pages that a collection has on topic.
func onTopic(t *testing.T, dir string) (urls []string) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for row, err := range c.Collection.Pages(collection.Filter{On: true}) {
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, string(row.URL))
	}
	slices.Sort(urls)
	return urls
}

func readLines(t *testing.T, file string) []received {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, data)
}

// TestHTTPFailures: a server that fails in every way it can gets everything in the end, and every attempt at a
// batch has the same key.
func TestHTTPFailures(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(40))
	var got []received
	attempts := map[string]int{}
	turn := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		attempts[r.Header.Get("Idempotency-Key")]++
		if kind := r.Header.Get("Content-Type"); kind != "application/x-ndjson" || r.Header.Get("Authorization") != "Bearer s3cret" {
			t.Errorf("content type %q, authorization %q", kind, r.Header.Get("Authorization"))
		}
		turn++
		switch turn {
		case 1:
			panic(http.ErrAbortHandler) // closes the connection
		case 2:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.WriteHeader(http.StatusInternalServerError)
		case 4: // half of the answer
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("half"))
			panic(http.ErrAbortHandler)
		case 5:
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case 6:
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		default:
			if r.URL.Path != "/in" {
				t.Errorf("%s was asked for: a redirect was followed", r.URL.Path)
			}
			got = append(got, decode(t, body)...)
		}
	}))
	defer srv.Close()
	getenv := func(name string) string { return map[string]string{"DOWSE_SINK_AUTH": "s3cret"}[name] }
	lags := drained(t, dir, sink.Options{Getenv: getenv}, time.Minute, srv.URL+"/in")
	want := onTopic(t, dir)
	if !slices.Equal(state(got), want) || len(got) != len(want) || len(want) != 27 {
		t.Errorf("got %d records of %d pages, want %d", len(got), len(state(got)), len(want))
	}
	if l := lags[0]; l.Pages != 0 || l.Sent != len(want) || l.Error != "" || l.Refused != 0 {
		t.Errorf("lag %+v", l)
	}
	if len(attempts) != 3 || turn != 8 {
		t.Errorf("attempts by key: %v in %d requests; want one key for six attempts and one per half", attempts, turn)
	}
	for _, r := range got {
		if r.Op != "put" || !strings.Contains(r.Text, "word") || r.Event == "" || !strings.HasPrefix(r.Event, r.Key) {
			t.Errorf("record %+v", r)
		}
	}
}

// TestDeadSinkStopsNothing: a crawl whose sinks hang, are refused or can't be written ends as one without sinks;
// the lag and the errors are reported, and the pages are sent when the sinks are back.
func TestDeadSinkStopsNothing(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	back := make(chan struct{})
	var mu sync.Mutex
	var got []received
	hang := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case <-back:
			mu.Lock()
			got = append(got, decode(t, body)...)
			mu.Unlock()
		case <-r.Context().Done():
		}
	}))
	defer hang.Close()
	locked := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.Mkdir(locked, 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{hang.URL, "http://" + closed.Addr().String() + "/", "nats://" + closed.Addr().String() + "/pages", "jsonl:" + locked}
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	cfg := sunkWeb(30).config(names...)
	cfg.SinkWait = -1
	crawlInto(t, dir, cfg)
	specs, _ := sink.ParseAll(names)
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Status().Fetched; got != 30 {
		t.Errorf("fetched %d pages, want 30", got)
	}
	lags := sink.Lags(c.Collection, specs, time.Now().Add(time.Hour))
	c.Close()
	for _, l := range lags {
		if l.Pages != 20 || l.Seconds < 3600 || l.Sent != 0 {
			t.Errorf("lag %+v, want 20 pages", l)
		}
	}
	for i, want := range []string{"connection refused", "nats: ", "out.jsonl"} {
		troubled(t, dir, sink.Options{}, names[i+1], want)
	}
	close(back)
	if l := drained(t, dir, sink.Options{}, time.Minute, names[0])[0]; l.Pages != 0 || !slices.Equal(state(got), onTopic(t, dir)) {
		t.Errorf("lag %+v after the sink is back", l)
	}
}

// TestMovedPage checks that a sink deletes a page that redirects by now, and has what it redirects to.
func TestMovedPage(t *testing.T) {
	w := sunkWeb(6)
	file := filepath.Join(t.TempDir(), "out.jsonl")
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	cfg := w.config("jsonl:" + file)
	crawlInto(t, dir, cfg)
	w.mu.Lock()
	w.moved = map[string]string{"a3.example/3": "http://new.example/3"}
	w.pages["new.example/3"] = w.pages["a3.example/3"]
	w.mu.Unlock()
	cfg.Refresh, cfg.Seeds = "1h", nil
	cfg.Clock = func() time.Time { return time.Now().Add(2 * time.Hour) }
	cfg.Settings.Limits.Time = 3 * time.Second
	crawlInto(t, dir, cfg)
	drained(t, dir, sink.Options{}, time.Minute, "jsonl:"+file)
	list := readLines(t, file)
	if got, want := state(list), onTopic(t, dir); !slices.Equal(got, want) || !slices.Contains(got, "http://new.example/3") {
		t.Errorf("the sink has %v, want %v", got, want)
	}
	if !slices.ContainsFunc(list, func(r received) bool {
		return r.Op == "delete" && r.Reason == "moved" && r.URL == "http://a3.example/3"
	}) {
		t.Errorf("no record that deletes the page: %+v", list)
	}
}

// TestSinkFollowsTheCollection: what a sink has after each step equals what the collection has on topic: after
// labels, another threshold, a takedown and a page that changed.
func TestSinkFollowsTheCollection(t *testing.T) {
	w := sunkWeb(30)
	w.pages["b.example/unsure"] = reefPage(100, 6)
	file := filepath.Join(t.TempDir(), "out.jsonl")
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	cfg := w.config("jsonl:" + file)
	crawlInto(t, dir, cfg)
	same := func(step string, records int) {
		t.Helper()
		drained(t, dir, sink.Options{}, time.Minute, "jsonl:"+file)
		list := readLines(t, file)
		if got, want := state(list), onTopic(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: the sink has %d pages, want %d\n%v\n%v", step, len(got), len(want), got, want)
		}
		if len(list) != records {
			t.Errorf("%s: %d records, want %d", step, len(list), records)
		}
	}
	same("crawled", 21)

	for u, label := range map[dowse.URL]string{"http://a0.example/0": collection.LabelOff, "http://a2.example/2": collection.LabelOn} {
		if err := collection.AppendLabels(dir, collection.Label{URL: u, Label: label, By: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := collection.AppendLabels(dir, collection.Label{Do: collection.DoTrain}); err != nil {
		t.Fatal(err)
	}
	// A page that is answered when the labels count keeps the crawl going until then.
	trained := make(chan struct{})
	w.mu.Lock()
	w.wait = map[string]chan struct{}{"slow.example/": trained}
	w.mu.Unlock()
	cfg.Seeds = append(cfg.Seeds, "http://slow.example/")
	cfg.Trained = func(collection.Model) { close(trained) }
	crawlInto(t, dir, cfg)
	same("labelled", 23)
	if last := readLines(t, file)[21:]; last[0].Op+last[1].Op != "deleteput" && last[0].Op+last[1].Op != "putdelete" {
		t.Errorf("after labels: %+v", last)
	}

	if _, err := crawler.Set(t.Context(), dir, crawler.Wanted{Settings: settings.Settings{Order: settings.Order{Threshold: 0.7}}}); err != nil {
		t.Fatal(err)
	}
	same("with a threshold of 0.7", 24)
	if last := readLines(t, file)[23]; last.Op != "delete" || last.URL != "http://b.example/unsure" || last.Reason != "off_topic" {
		t.Errorf("after the threshold: %+v", last)
	}

	if _, err := crawler.Forget(dir, collection.Takedown{URLs: []dowse.URL{"http://a1.example/1"}, Why: "asked", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	same("after a takedown", 25)
	list := readLines(t, file)
	last := list[24]
	if last.Op != "delete" || last.Reason != "forgotten" || last.URL != "" || !slices.ContainsFunc(list, func(r received) bool { return r.Key == last.Key && r.URL == "http://a1.example/1" }) {
		t.Errorf("after the takedown: %+v", last)
	}

	w.mu.Lock()
	w.pages["a3.example/3"] = strings.ReplaceAll(reefPage(3, 9), "Page 3", "Page three")
	w.mu.Unlock()
	cfg.Refresh, cfg.Seeds, cfg.Trained = "1h", nil, nil
	cfg.Clock = func() time.Time { return time.Now().Add(2 * time.Hour) }
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for p := range c.Crawl(t.Context()) {
		if p.Again {
			break
		}
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	drained(t, dir, sink.Options{}, time.Minute, "jsonl:"+file)
	if last := readLines(t, file); last[len(last)-1].Title != "Page three" || last[len(last)-1].Op != "put" {
		t.Errorf("after the page changed: %+v", last[len(last)-1])
	}
}

// A littleSearch is what the tests have of OpenSearch: templates, and bulk requests as its documentation defines
// them, with versions.
type littleSearch struct {
	t        *testing.T
	mu       sync.Mutex
	template map[string]any
	docs     map[string]map[string]any
	versions map[string]int64
	requests [][]string                       // ids of each bulk request
	fail     func(request int, id string) int // status of an item; 0 for success
}

func (s *littleSearch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.Method == http.MethodPut && r.URL.Path == "/_index_template/dowse-reefs":
		if err := json.Unmarshal(body, &s.template); err != nil {
			s.t.Errorf("template: %v", err)
		}
		io.WriteString(w, `{"acknowledged":true}`)
	case r.Method == http.MethodPost && r.URL.Path == "/_bulk":
		if s.template == nil {
			s.t.Error("a bulk request came before the template")
		}
		json.NewEncoder(w).Encode(map[string]any{"took": 1, "errors": true, "items": s.bulk(body)})
	default:
		s.t.Errorf("%s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
	}
}

func (s *littleSearch) bulk(body []byte) (items []any) {
	if len(body) == 0 || body[len(body)-1] != '\n' {
		s.t.Error("a bulk request must end with a line break")
	}
	lines := bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	s.requests = append(s.requests, nil)
	n := len(s.requests) - 1
	for len(lines) > 0 {
		var action map[string]struct {
			Index   string `json:"_index"`
			ID      string `json:"_id"`
			Version int64  `json:"version"`
			Type    string `json:"version_type"`
		}
		dec := json.NewDecoder(bytes.NewReader(lines[0]))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&action); err != nil || len(action) != 1 {
			s.t.Fatalf("action %q: %v", lines[0], err)
		}
		lines = lines[1:]
		for verb, a := range action {
			if a.Index != "reefs" || a.Type != "external_gte" || a.Version <= 0 {
				s.t.Errorf("action %s %+v", verb, a)
			}
			s.requests[n] = append(s.requests[n], a.ID)
			status := s.fail(n, a.ID)
			var doc map[string]any
			if verb == "index" {
				if err := json.Unmarshal(lines[0], &doc); err != nil {
					s.t.Fatalf("document %q: %v", lines[0], err)
				}
				lines = lines[1:]
			} else if verb != "delete" {
				s.t.Fatalf("verb %q", verb)
			}
			item := map[string]any{"_index": a.Index, "_id": a.ID}
			switch {
			case status != 0:
				item["error"] = map[string]any{"type": "some_exception", "reason": "because"}
			case a.Version < s.versions[a.ID]:
				status = 409
				item["error"] = map[string]any{"type": "version_conflict_engine_exception", "reason": "newer"}
			case verb == "delete":
				if status = 200; s.docs[a.ID] == nil {
					status = 404
				}
				delete(s.docs, a.ID)
				s.versions[a.ID] = a.Version
			default:
				status = 201
				s.docs[a.ID], s.versions[a.ID] = doc, a.Version
			}
			item["status"] = status
			items = append(items, map[string]any{verb: item})
		}
	}
	return items
}

// TestOpenSearch: the template comes first and has the names of ACHE; of a bulk request of which a half fails, that
// half alone is sent again; a document that is refused for good is counted; deletions delete.
func TestOpenSearch(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(30))
	var bad string
	s := &littleSearch{t: t, docs: map[string]map[string]any{}, versions: map[string]int64{}}
	s.fail = func(request int, id string) int {
		if bad == "" {
			bad = id
		}
		switch {
		case id == bad:
			return 400
		case request == 0 && id[0]%2 == 0:
			return 429
		}
		return 0
	}
	srv := httptest.NewServer(s)
	defer srv.Close()
	name := "opensearch+" + srv.URL + "/reefs"
	l := drained(t, dir, sink.Options{}, time.Minute, name)[0]
	if l.Pages != 0 || l.Sent != 19 || l.Refused != 1 || !strings.Contains(l.Refusal, "some_exception: because") || len(s.docs) != 19 {
		t.Errorf("lag %+v, %d documents", l, len(s.docs))
	}
	if len(s.requests) != 2 || len(s.requests[0]) != 20 || slices.ContainsFunc(s.requests[1], func(id string) bool { return id[0]%2 != 0 || id == bad }) {
		t.Errorf("requests %v; want the failed half alone in the second", s.requests)
	}
	properties := s.template["template"].(map[string]any)["mappings"].(map[string]any)["properties"].(map[string]any)
	for ache, ours := range map[string]string{"domain": "host", "retrieved": "fetched", "isRelevant": "on_topic", "topPrivateDomain": "site"} {
		alias, _ := properties[ache].(map[string]any)
		if alias["type"] != "alias" || alias["path"] != ours || properties[ours] == nil {
			t.Errorf("%s is %v, want an alias of %s", ache, alias, ours)
		}
	}
	for key, doc := range s.docs {
		if doc["key"] != key || doc["url"] == nil || doc["text"] == nil || doc["site"] == nil || doc["relevance"] != 0.9 {
			t.Errorf("document %v", doc)
		}
	}
	before := len(s.docs)
	gone := ""
	for _, doc := range s.docs {
		gone = doc["url"].(string)
	}
	if _, err := crawler.Forget(dir, collection.Takedown{URLs: []dowse.URL{dowse.URL(gone)}, Why: "asked", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if drained(t, dir, sink.Options{}, time.Minute, name); len(s.docs) != before-1 {
		t.Errorf("%d documents after the takedown, want %d", len(s.docs), before-1)
	}
}

// TestNATS: without a stream the error names what to do; with one, every page arrives once, and sending all of it
// again adds nothing within the window of the stream.
func TestNATS(t *testing.T) {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, MaxPayload: 300 << 10, Username: "me", Password: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	go srv.Start()
	defer func() { srv.Shutdown(); srv.WaitForShutdown() }()
	if !srv.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	w := sunkWeb(20)
	w.pages["big.example/"] = reefPage(200, 9) + strings.Repeat(" large and larger", 25_000)
	dir := crawledWeb(t, w)
	name := strings.Replace(srv.ClientURL(), "0.0.0.0", "127.0.0.1", 1) + "/crawl.pages"
	getenv := func(name string) string { return map[string]string{"DOWSE_SINK_AUTH": "me:s3cret"}[name] }
	troubled(t, dir, sink.Options{}, name, "authorization")
	troubled(t, dir, sink.Options{Getenv: getenv}, name, "no stream has the subject crawl.pages")
	conn, err := nats.Connect(srv.ClientURL(), nats.UserInfo("me", "s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, _ := jetstream.New(conn)
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "PAGES", Subjects: []string{"crawl.*"}, Duplicates: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"first", "again"} {
		if l := drained(t, dir, sink.Options{Getenv: getenv}, time.Minute, name)[0]; l.Pages != 0 || l.Error != "" || l.Refused != 0 {
			t.Errorf("%s: lag %+v", step, l)
		}
		info, err := stream.Info(t.Context())
		if err != nil || info.State.Msgs != 15 {
			t.Errorf("%s: %d messages, want 15 (%v)", step, info.State.Msgs, err)
		}
		cursors, _ := filepath.Glob(filepath.Join(dir, "state", "sink-*.json"))
		for _, c := range cursors { // everything is sent again
			os.Remove(c)
		}
	}
	big := false
	for i := uint64(1); i <= 15; i++ {
		m, err := stream.GetMsg(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		r := decode(t, append(m.Data, '\n'))[0]
		if m.Header.Get("Nats-Msg-Id") != r.Event || m.Header.Get("Dowse-Key") != r.Key {
			t.Errorf("header %v of %s", m.Header, r.Event)
		}
		if r.URL == "http://big.example/" {
			big = r.Text == ""
		}
	}
	if !big {
		t.Error("the page that is too large did not come without its text")
	}
}

// TestJSONLFile: half a record at the end of the file, as a kill leaves it, is cut off; another half line stays.
func TestJSONLFile(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(3))
	for _, c := range []struct{ before, keeps string }{
		{"", ""}, {"a line\n", "a line\n"}, {"a line", "a line\n"}, {`{"event":"0123-4","key`, ""}, {"{\"a\":1}\n{\"eve", "{\"a\":1}\n"},
	} {
		file := filepath.Join(t.TempDir(), "out.jsonl")
		if err := os.WriteFile(file, []byte(c.before), 0o644); err != nil {
			t.Fatal(err)
		}
		drained(t, dir, sink.Options{}, time.Minute, "jsonl:"+file)
		data, err := os.ReadFile(file)
		if rest, ok := strings.CutPrefix(string(data), c.keeps); err != nil || !ok || len(decode(t, []byte(rest))) != 2 {
			t.Errorf("%q: got %q", c.before, data)
		}
	}
	troubled(t, dir, sink.Options{}, "jsonl:"+filepath.Join(dir, "pages", "mine.jsonl"), "inside the collection")
	var out bytes.Buffer
	if drained(t, dir, sink.Options{Stdout: &out}, time.Minute, "jsonl:-#pages=all&text=none"); len(decode(t, out.Bytes())) != 3 || strings.Contains(out.String(), `"text"`) {
		t.Errorf("standard output: %s", out.Bytes())
	}
}

// TestWishes: pages whose owners do not want copies are not sent with their texts, unless the sink says so.
func TestWishes(t *testing.T) {
	w := sunkWeb(3)
	w.pages["no.example/archive"] = `<meta name=robots content=noarchive>` + reefPage(50, 9)
	w.pages["no.example/ai"] = `<meta name=robots content=noai>` + reefPage(51, 9)
	dir := crawledWeb(t, w)
	for options, want := range map[string]int{"": 3, "#respect=none": 4, "#respect=all": 2, "#text=none": 4, "#text=none&respect=ai": 3} {
		var out bytes.Buffer
		if drained(t, dir, sink.Options{Stdout: &out}, time.Minute, "jsonl:-"+options); len(decode(t, out.Bytes())) != want {
			t.Errorf("%q: %d pages, want %d", options, len(decode(t, out.Bytes())), want)
		}
	}
}

// TestCredentialFile: the longest beginning counts and ends at a part of a URL; a file that others can read is refused.
func TestCredentialFile(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(2))
	seen := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r.Header.Get("Authorization") }))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "auth")
	getenv := func(name string) string {
		return map[string]string{"DOWSE_SINK_AUTH_FILE": file, "DOWSE_SINK_AUTH": "Bearer other"}[name]
	}
	for text, want := range map[string]string{
		srv.URL + " Bearer one\n" + srv.URL + "/in Bearer two\n":           "Bearer two",
		"# a comment\n" + srv.URL + " me:pw\n" + srv.URL + "/i Bearer two": "Basic bWU6cHc=",
		"https://example.org Bearer one\n":                                 "Bearer other",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s/in?n=%d", srv.URL, len(text))
		if drained(t, dir, sink.Options{Getenv: getenv}, time.Minute, name); seen != want {
			t.Errorf("%q: sent %q, want %q", text, seen, want)
		}
	}
	os.Chmod(file, 0o644)
	seen = ""
	if troubled(t, dir, sink.Options{Getenv: getenv}, srv.URL+"/last", "chmod 600"); seen != "" {
		t.Errorf("with a file that others can read, %q was sent", seen)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range []string{"Bearer", "me:pw", "bWU6cHc"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds the credential %s", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
