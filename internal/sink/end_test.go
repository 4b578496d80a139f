package sink_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/sink"
)

// middle returns an offset of a journal before its last page.
func middle(t *testing.T, col *collection.Collection) (place uint64) {
	t.Helper()
	for e, err := range col.Journal.Visits(0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Page != nil {
			place = e.Place()
		}
	}
	return place
}

// TestLastCommitIsSent: the last commit comes, and the crawl ends, while a sink is receiving what was
// committed before. The page of the last commit is sent all the same.
func TestLastCommitIsSent(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(8)) // of which the last, like the first, is on topic
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sending, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		first.Do(func() {
			close(sending)
			<-goOn
		})
	}))
	defer srv.Close()
	specs, err := sink.ParseAll([]string{srv.URL + "#pages=all"})
	if err != nil {
		t.Fatal(err)
	}
	feeds, err := sink.Start(dir, specs, middle(t, c.Collection), sink.Quick(sink.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for isSending := false; !isSending; {
		select {
		case <-sending:
			isSending = true
		case <-time.After(time.Millisecond):
			feeds.Serve(c.Collection)
		}
	}
	feeds.Commit(c.Collection.Journal.End())
	var show sync.Once // it is called after the feeds were asked to end
	feeds.Finish(t.Context(), c.Collection, 0, time.Minute, func() { show.Do(func() { close(goOn) }) })
	if l := sink.Lags(c.Collection, specs, time.Now())[0]; l.Pages != 0 || l.Sent != 8 {
		t.Errorf("%d records were sent and %d are missing, want 8 and 0", l.Sent, l.Pages)
	}
}

// isUnanswered reports whether the error of a sink is that it did not answer in time.
func isUnanswered(l sink.Lag) bool {
	return strings.HasPrefix(l.Error, "no answer within ") || l.Error == "the process ended before the sink answered"
}

// TestHangingSinkHasAReason: status has a reason for a sink that accepts a connection and never
// answers, while it is waited for and after the wait was given up.
func TestHangingSinkHasAReason(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(3))
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	asked := make(chan struct{}, 9)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer srv.Close()
	specs, err := sink.ParseAll([]string{srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	feeds, err := sink.Start(dir, specs, c.Collection.Journal.End(), sink.Quick(sink.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for isAsked := false; !isAsked; {
		select {
		case <-asked:
			isAsked = true
		case <-time.After(time.Millisecond):
			feeds.Serve(c.Collection)
		}
	}
	if l := sink.Lags(c.Collection, specs, time.Now())[0]; l.Error != "" && l.Since == nil {
		t.Errorf("lag %+v has an error without its time", l)
	}
	if l := sink.Lags(c.Collection, specs, time.Now().Add(time.Minute))[0]; !strings.HasPrefix(l.Error, "no answer to what was sent at 20") || l.Since == nil {
		t.Errorf("a minute later: error %q since %v, want that there is no answer", l.Error, l.Since)
	}
	feeds.Finish(t.Context(), c.Collection, time.Millisecond, 0, nil)
	if l := sink.Lags(c.Collection, specs, time.Now())[0]; !isUnanswered(l) || l.Pages != 2 || l.Since == nil {
		t.Errorf("after the end: error %q, %d pages behind, since %v; want no answer and 2 pages", l.Error, l.Pages, l.Since)
	}
}

// TestOutputThatIsNotRead: a reader of jsonl:- that reads nothing does not keep a process from ending.
func TestOutputThatIsNotRead(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(3))
	r, w := io.Pipe()
	defer r.Close()
	l := drained(t, dir, sink.Options{Stdout: w}, 300*time.Millisecond, "jsonl:-")[0]
	if l.Pages != 2 || !isUnanswered(l) {
		t.Errorf("%d pages behind, error %q; want 2 and no answer", l.Pages, l.Error)
	}
}

// TestSinksThatShare: a sink is given once, and a file belongs to one sink.
func TestSinksThatShare(t *testing.T) {
	file := "jsonl:" + filepath.Join(t.TempDir(), "out.jsonl")
	for want, list := range map[string][]string{
		"is given twice; give it once":           {file, file},
		"another sink writes to the same file":   {file, file + "#text=none"},
		"; choose another file for one of them":  {file + "#pages=all", strings.Replace(file, "out.", "./out.", 1)},
		"sink \"http://127.0.0.1/a\" is given t": {"http://127.0.0.1/a", "jsonl:-", "http://127.0.0.1/a"},
	} {
		if _, err := sink.ParseAll(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", list, err, want)
		}
	}
	if _, err := sink.ParseAll([]string{file, file + "2", "jsonl:-", "http://127.0.0.1/a", "http://127.0.0.1/a#text=none"}); err != nil {
		t.Error(err)
	}
}

// TestKilledWhileWriting: a process was killed while it wrote to a file. A file gives no answers, so the reason is
// not that there was none.
func TestKilledWhileWriting(t *testing.T) {
	dir := crawledWeb(t, sunkWeb(8))
	name := "jsonl:" + filepath.Join(t.TempDir(), "out.jsonl")
	drained(t, dir, sink.Options{}, time.Minute, name)
	files, err := filepath.Glob(filepath.Join(dir, "state", "sink-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(err, files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data = append([]byte(`{"began":"2026-01-01T00:00:00Z",`), data[1:]...)
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	specs, err := sink.ParseAll([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	if l := sink.Lags(c.Collection, specs, time.Now())[0]; !strings.HasPrefix(l.Error, "writing began at 2026-01-01T00:00:00Z and has not ended") {
		t.Errorf("the error is %q", l.Error)
	}
}

// TestSinksShareTheirPace: the feeds of any number of sinks take less than a tenth of one processor together, and at
// least a twentieth.
func TestSinksShareTheirPace(t *testing.T) {
	for _, n := range []int{1, 2, 8} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("http://127.0.0.1:1/%d", i))
		}
		specs, err := sink.ParseAll(names)
		if err != nil {
			t.Fatal(err)
		}
		g, err := sink.Start(t.TempDir(), specs, 0, sink.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, share := range g.Shares() {
			sum += share
		}
		g.Finish(t.Context(), nil, time.Nanosecond, 0, nil)
		if sum > 0.1 || sum < 0.05 {
			t.Errorf("%d sinks take %.3f of a processor", n, sum)
		}
	}
}
