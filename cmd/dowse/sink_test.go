//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A sentRecord is what the test reads of a record.
type sentRecord struct {
	Event, Key, Op, URL, Text string
	Version                   int64
}

// receivedRecords are the records of one sink, in order. It is safe for concurrent use.
type receivedRecords struct {
	mu   sync.Mutex
	list []sentRecord
}

func (r *receivedRecords) add(t *testing.T, lines []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(lines) {
		var x sentRecord
		if err := json.Unmarshal(line, &x); err != nil {
			t.Errorf("a record is not JSON: %v: %.100s", err, line)
		}
		r.list = append(r.list, x)
	}
}

func (r *receivedRecords) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.list)
}

// check compares the records with the pages that the collection has on topic, and repeats with
// each other. It returns how many were repeats.
func (r *receivedRecords) check(t *testing.T, name string, want []string) (repeats int) {
	t.Helper()
	events, keys, pages := map[string]sentRecord{}, map[string]string{}, map[string]bool{}
	for _, x := range r.list {
		if first, ok := events[x.Event]; ok {
			if repeats++; first.Key != x.Key || first.URL != x.URL || first.Op != x.Op || first.Version != x.Version {
				t.Errorf("%s: event %s was sent as %+v and as %+v", name, x.Event, first, x)
			}
		}
		if u, ok := keys[x.Key]; ok && u != x.URL {
			t.Errorf("%s: key %s is that of %s and of %s", name, x.Key, u, x.URL)
		}
		events[x.Event], keys[x.Key], pages[x.URL] = x, x.URL, x.Op == "put"
		if x.Op == "put" && x.Text == "" {
			t.Errorf("%s: %s has no text", name, x.URL)
		}
	}
	var got []string
	for u, there := range pages {
		if there {
			got = append(got, u)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s has %d pages, want %d", name, len(got), len(want))
	}
	return repeats
}

// linkedPages serves pages on the topic and others, each with links to the next ones, and counts requests.
func linkedPages(t *testing.T, n int, asked *atomic.Int64) *httptest.Server {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &i); err != nil || i >= n {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		fmt.Fprintf(w, "<title>Page %d</title><p>", i)
		for range 80 {
			fmt.Fprintf(w, "word%d ", rng.IntN(5000))
			if i%3 > 0 && rng.IntN(4) == 0 {
				fmt.Fprint(w, "coral bleaching ")
			}
		}
		for k := 1; k <= 5; k++ {
			fmt.Fprintf(w, ` <a href="/p/%d">coral %d</a>`, (i*3+k)%n, k)
		}
	}))
	t.Cleanup(web.Close)
	return web
}

// natsStream runs a NATS server with a stream for a subject, and returns its URL.
func natsStream(t *testing.T, subject string) (*nats.Conn, jetstream.Stream) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the NATS server is not ready")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	// A short window lets repeats come into the stream, where the test can compare them.
	stream, err := js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "PAGES", Subjects: []string{subject}, Duplicates: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return conn, stream
}

// streamed returns the messages of a stream.
func streamed(t *testing.T, stream jetstream.Stream) *receivedRecords {
	t.Helper()
	got := &receivedRecords{}
	info, err := stream.Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := info.State.FirstSeq; i <= info.State.LastSeq; i++ {
		m, err := stream.GetMsg(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		got.add(t, append(m.Data, '\n'))
		if id := m.Header.Get(jetstream.MsgIDHeader); id != got.list[len(got.list)-1].Event {
			t.Errorf("Nats-Msg-Id is %s, the event is %s", id, got.list[len(got.list)-1].Event)
		}
	}
	return got
}

// TestSinksSurviveKills kills a crawl with three sinks ten times, at random moments: in turn after some
// requests, and after the HTTP sink has received some records. Every page on topic
// that the collection has arrives at each sink, and what is sent again has the same ids.
func TestSinksSurviveKills(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the processes under test are not built with the race detector's checks")
	}
	t.Parallel() // it mostly waits
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	var asked atomic.Int64
	web := linkedPages(t, 180, &asked)
	posted := &receivedRecords{}
	keys := map[string]string{} // idempotency keys and the events of their batches
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender was killed
		}
		posted.add(t, body)
		posted.mu.Lock()
		defer posted.mu.Unlock()
		var events []string
		for line := range bytes.Lines(body) {
			events = append(events, string(line[:60]))
		}
		key := r.Header.Get("Idempotency-Key")
		if was, ok := keys[key]; key == "" || ok && was != strings.Join(events, "\n") {
			t.Errorf("the idempotency key %q is that of two batches", key)
		}
		keys[key] = strings.Join(events, "\n")
		if rng.IntN(4) == 0 { // taken, but the sender does not know
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(sink.Close)
	conn, stream := natsStream(t, "crawl.pages")
	dir := filepath.Join(t.TempDir(), "killed.dowse")
	file := filepath.Join(t.TempDir(), "killed.jsonl")
	args := []string{
		"crawl", "coral bleaching", "-o", dir, "--seed", web.URL + "/p/1", "--allow-net", "127.0.0.1", "--delay", "0s", "--host-conns", "4",
		"--contrast", "everyday", "-q", "--max-rate", "40/s", "--sink", "jsonl:" + file, "--sink", sink.URL + "/in", "--sink", conn.ConnectedUrl() + "/crawl.pages", "--sink-wait", "60s",
	}
	for i := range 10 {
		cmd := exec.Command("dowse", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		requests, records := asked.Load()+int64(8+rng.IntN(20)), posted.len()+1
		if i%2 == 1 {
			requests = math.MaxInt64
		}
		running := true
		for limit := time.Now().Add(5 * time.Second); running && time.Now().Before(limit) && asked.Load() < requests && posted.len() < records; {
			select {
			case <-ended:
				running = false
			case <-time.After(time.Duration(rng.IntN(20)) * time.Millisecond):
			}
		}
		if running {
			time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond) // somewhere in what the sinks do
			cmd.Process.Kill()
			<-ended
		}
	}
	if out, err := exec.Command("dowse", args...).CombinedOutput(); err != nil && !strings.Contains(err.Error(), "exit status 4") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("dowse", "sink", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := listedOnTopic(t, dir)
	if len(want) < 50 {
		t.Fatalf("%d pages are on topic, too few for the test", len(want))
	}
	written := &receivedRecords{}
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written.add(t, lines)
	a, b, c := written.check(t, "the file", want), posted.check(t, "the HTTP sink", want), streamed(t, stream).check(t, "NATS", want)
	t.Logf("%d pages on topic; repeats: file %d, HTTP %d, NATS %d", len(want), a, b, c)
}

// listedOnTopic returns the URLs of the pages on topic of a collection.
func listedOnTopic(t *testing.T, dir string) (urls []string) {
	t.Helper()
	out, err := exec.Command("dowse", "pages", dir, "--on", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		var p struct{ URL string }
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		urls = append(urls, p.URL)
	}
	slices.Sort(urls)
	return urls
}
