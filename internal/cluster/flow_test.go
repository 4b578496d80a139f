package cluster

import (
	"context"
	"fmt"
	"maps"
	"os"
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

	"dowse"
	"dowse/crawl"
	"dowse/internal/durable"
)

// newConn starts a server with file storage and connects to it.
func newConn(t testing.TB) *Conn {
	t.Helper()
	url, end, err := Embed(t.TempDir(), "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return connectTo(t, url)
}

func connectTo(t testing.TB, url string) *Conn {
	t.Helper()
	c, err := Connect(t.Context(), Options{URLs: url, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A crawl that begins while the servers have no leader waits for one, also with its first question: to which crawl
// their streams belong. It ended with an error before.
func TestOwnedWaitsForLeader(t *testing.T) {
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go ns.Start()
	defer ns.Shutdown()
	if !ns.ReadyForConnections(20 * time.Second) {
		t.Fatal("a NATS server does not start")
	}
	nc, err := nats.Connect(ns.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	var asked atomic.Int32
	answer := func(subject string, answers ...string) { // as JetStream would
		if _, err := nc.Subscribe(subject, func(m *nats.Msg) {
			_ = m.Respond([]byte(answers[min(int(asked.Add(1)), len(answers))-1]))
		}); err != nil {
			t.Fatal(err)
		}
	}
	answer("$JS.API.INFO", `{}`)
	answer("$JS.API.STREAM.INFO.KV_dowse-crawl", `{}`, `{"error":{"code":503,"err_code":10008,"description":"temporarily unavailable"}}`, `{"error":{"code":404,"err_code":10059,"description":"stream not found"}}`)
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, ns.ClientURL())
	if err := c.Owned(t.Context(), ""); err != nil || asked.Load() != 3 {
		t.Errorf("%v after %d questions, want none after 3", err, asked.Load())
	}
}

// newDir makes a directory that looks like a collection.
func newDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.dowse")
	for name, text := range map[string]string{"crawl.yaml": "a", "state/journal-0000000000000000.log": "dowsej2\n", "archive/a-00000.warc.gz": "", "models/m0001.json": "{}"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// answering returns a maker of visits that are answered from memory with the given page.
func answering(p *dowse.Page) Maker {
	return func(map[string][]byte) (func(context.Context, Job) *Result, error) {
		return func(_ context.Context, j Job) *Result {
			q := *p
			q.URL = j.Visit.URL
			return &Result{Page: &q}
		}, nil
	}
}

// lead takes the lead of a new crawl and begins to coordinate.
func lead(t testing.TB, c *Conn, dir string) (*Shipper, *Coordinator) {
	t.Helper()
	ctx := t.Context()
	s, err := c.TakeLead(ctx, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(false) })
	if err := s.Claim(ctx, "id", "name"); err != nil {
		t.Fatal(err)
	}
	version, err := c.PutJudge(ctx, map[string][]byte{"topic.yaml": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	co, err := c.Coordinate(s.Lease(), version, s.Covered().Arrivals, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, co
}

// work starts a worker that ends with the test.
func work(t testing.TB, c *Conn, conns int, make Maker) {
	ctx, end := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := c.Work(ctx, ctx, &Worker{Conns: conns, Make: make}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { end(); done.Wait() })
}

// Every visit comes back once, whatever the number of workers, and the mark follows when all earlier
// results were absorbed.
func TestVisitsComeBackOnce(t *testing.T) {
	c := newConn(t)
	s, co := lead(t, c, newDir(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go co.Run(ctx)
	for range 3 {
		work(t, connectTo(t, c.opt.URLs), 5, answering(fullPage()))
	}
	const n = 200
	results := make(chan *Result, n)
	for i := range n {
		u := dowse.URL(fmt.Sprintf("https://a/%d", i))
		co.Send(Job{Visit: crawl.Visit{URL: u}}, time.Now().Add(time.Hour), func(x *Result) {
			if x == nil || x.Page.URL != u {
				t.Errorf("%s: got %+v", u, x)
			}
			results <- x
		})
	}
	var list []*Result
	for range n {
		list = append(list, <-results)
	}
	if got := co.Mark(); got != s.Covered().Arrivals {
		t.Errorf("the mark is %d before anything was absorbed", got)
	}
	for _, x := range list {
		co.Absorbed(x)
		co.Freed(x)
	}
	if co.Mark() == s.Covered().Arrivals || len(co.inbox.open) > 0 || co.inbox.pending != 0 {
		t.Errorf("mark %d, %d messages open, %d bytes pending", co.Mark(), len(co.inbox.open), co.inbox.pending)
	}
	if st := co.Status(); len(st.Workers) != 3 || st.Refused.Results != n || st.InFlight != 0 {
		t.Errorf("status %+v", st)
	}
}

// A worker is sent a quarter more visits than it has connections, and makes no more of them concurrently than
// it has.
func TestVisitsSentAhead(t *testing.T) {
	c := newConn(t)
	_, co := lead(t, c, newDir(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go co.Run(ctx)
	var making, most atomic.Int32
	begun, gate := make(chan struct{}, 100), make(chan struct{})
	work(t, connectTo(t, c.opt.URLs), 8, func(map[string][]byte) (func(context.Context, Job) *Result, error) {
		return func(_ context.Context, j Job) *Result {
			most.Store(max(most.Load(), making.Add(1)))
			begun <- struct{}{}
			<-gate
			making.Add(-1)
			q := *fullPage()
			q.URL = j.Visit.URL
			return &Result{Page: &q}
		}, nil
	})
	const n = 40
	results := make(chan *Result, n)
	for i := range n {
		co.Send(Job{Visit: crawl.Visit{URL: dowse.URL(fmt.Sprintf("https://a/%d", i))}}, time.Now().Add(time.Hour), func(x *Result) { results <- x })
	}
	for range 8 {
		<-begun
	}
	co.mu.Lock()
	for _, w := range co.workers {
		if len(w.has) != 10 {
			t.Errorf("the worker with 8 connections was sent %d visits, want 10", len(w.has))
		}
	}
	co.mu.Unlock()
	if st := co.Status(); st.InFlight != n || st.Waiting != n-8 || st.Workers[0].InFlight != 8 {
		t.Errorf("status %+v, want 8 visits made and %d waiting", st, n-8)
	}
	close(gate)
	for range n {
		<-results
	}
	if most.Load() != 8 {
		t.Errorf("%d visits were made concurrently, want 8", most.Load())
	}
}

// A worker whose visits are short has more of them ahead than one with slow hosts.
func TestWindowFollowsRate(t *testing.T) {
	for _, x := range []struct {
		conns int
		rate  float64
		want  int
	}{{32, 0, 40}, {32, 39, 40}, {32, 200, 45}, {32, 320, 48}, {32, 1e6, 48}, {1, 1e6, 1}, {4, 30, 5}} {
		w := &workerState{hello: Hello{Conns: x.conns}, rate: x.rate}
		if got := w.window(); got != x.want {
			t.Errorf("%d connections, %.0f results a second: got %d, want %d", x.conns, x.rate, got, x.want)
		}
	}
}

// Results that are on the stream without the worker knowing it do not count for the coordinator. A visit that comes meanwhile
// is made, or goes back if there are too many: one that was dropped would only be missed after five seconds.
func TestNoVisitIsDropped(t *testing.T) {
	c := newConn(t)
	g := newGated()
	w := &Worker{
		c: c, Conns: 2, Make: g.make, term: "a", busy: map[uint64]bool{}, conns: make(chan struct{}, 2), recall: make(chan struct{}), hurry: make(chan struct{}, 1),
		results: make(chan []byte, 100),
	}
	ctx, end := context.WithCancel(t.Context())
	defer w.visits.Wait()
	defer end()
	for n := range uint64(2 * 2) {
		w.busy[n] = true // published
	}
	for n := range uint64(6) {
		w.begin(ctx, appendJobs("a", []Job{{Number: 4 + n}}))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := range uint64(6) {
		if has, back := w.busy[4+n], slices.Contains(w.back, 4+n); has == back || has != (n < 4) {
			t.Errorf("visit %d of 6: has %v, gives back %v", n, has, back)
		}
	}
}

// A gated worker makes visits that begin and then wait for the gate.
type gated struct {
	begun chan dowse.URL
	gate  chan struct{}
}

func newGated() *gated { return &gated{make(chan dowse.URL, 1000), make(chan struct{})} }

func (g *gated) make(map[string][]byte) (func(context.Context, Job) *Result, error) {
	return func(ctx context.Context, j Job) *Result {
		g.begun <- j.Visit.URL
		select {
		case <-g.gate:
		case <-ctx.Done():
		}
		q := *fullPage()
		q.URL = j.Visit.URL
		return &Result{Page: &q}
	}, nil
}

// sendVisits sends n visits and returns a channel with their results, nil for one that was given up.
func sendVisits(co *Coordinator, n int) chan *Result {
	results := make(chan *Result, n)
	for i := range n {
		co.Send(Job{Visit: crawl.Visit{URL: dowse.URL(fmt.Sprintf("https://a/%d", i))}}, time.Now().Add(time.Hour), func(x *Result) { results <- x })
	}
	return results
}

// Visits that a worker has not begun come back when they are recalled, and are not made if they may not begin
// any more. Those that it has begun are finished.
func TestRecall(t *testing.T) {
	t.Parallel()
	c := newConn(t)
	_, co := lead(t, c, newDir(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go co.Run(ctx)
	g := newGated()
	work(t, connectTo(t, c.opt.URLs), 8, g.make)
	results := sendVisits(co, 20)
	for range 8 {
		<-g.begun
	}
	co.Recall()
	keep := dowse.URL("https://a/19")
	reviewed := make(chan struct{})
	go func() {
		defer close(reviewed)
		for co.Status().InFlight > 9 {
			co.Review(func(_ crawl.VisitKind, u dowse.URL) bool { return u == keep })
			time.Sleep(10 * time.Millisecond)
		}
	}()
	for range 11 {
		if x := <-results; x != nil {
			t.Errorf("a result for %s, want a visit that was given up", x.Page.URL)
		}
	}
	<-reviewed
	close(g.gate)
	for range 9 {
		if x := <-results; x == nil {
			t.Error("a visit that had begun, or may begin, was given up")
		}
	}
	if len(g.begun) != 1 || <-g.begun != keep {
		t.Errorf("%d further visits were begun, want that to %s", len(g.begun), keep)
	}
}

// A worker that is told to end finishes what it has begun, however long that takes, and gives back what it has
// not. No visit is made twice.
func TestLeavingWorker(t *testing.T) {
	t.Parallel()
	c := newConn(t)
	_, co := lead(t, c, newDir(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go co.Run(ctx)
	leaves, leave := context.WithCancel(t.Context())
	first, second := newGated(), newGated()
	ended := make(chan error, 1)
	go func() {
		ended <- connectTo(t, c.opt.URLs).Work(leaves, t.Context(), &Worker{Conns: 4, Make: first.make})
	}()
	results := sendVisits(co, 5)
	for range 4 {
		<-first.begun
	}
	leave()
	work(t, connectTo(t, c.opt.URLs), 8, second.make)
	<-second.begun
	time.Sleep(workerLapse + 2*time.Second)
	if n := len(second.begun); n > 0 {
		t.Errorf("%d visits of a worker that finishes them were given to another one", n)
	}
	close(first.gate)
	close(second.gate)
	for range 5 {
		<-results
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if st := co.Status(); len(first.begun)+len(second.begun) > 0 || st.Refused.Repeated > 0 || st.Refused.Moved != 1 {
		t.Errorf("%d visits were made again; %+v", len(first.begun)+len(second.begun), st.Refused)
	}
	for co.Capacity() != 8 || len(co.Status().Workers) != 1 {
		time.Sleep(10 * time.Millisecond)
	}
}

// A visit that does not come back by its deadline is lost if a worker had it, and was not begun if none had.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	c := newConn(t)
	_, co := lead(t, c, newDir(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go co.Run(ctx)
	results := make(chan *Result, 1)
	send := func() *Result {
		co.Send(Job{Visit: crawl.Visit{URL: "https://a/"}}, time.Now().Add(2*time.Second), func(x *Result) { results <- x })
		return <-results
	}
	if x := send(); x != nil {
		t.Errorf("without a worker: got %+v, want nil", x)
	}
	gate, begun := make(chan struct{}), make(chan struct{}, 1)
	work(t, connectTo(t, c.opt.URLs), 1, func(map[string][]byte) (func(context.Context, Job) *Result, error) {
		return func(_ context.Context, j Job) *Result { // one that does not end in time
			begun <- struct{}{}
			<-gate
			return &Result{Page: &dowse.Page{URL: j.Visit.URL}}
		}, nil
	})
	t.Cleanup(func() { close(gate) })
	for co.Capacity() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	if x := send(); x != Lost || len(begun) != 1 {
		t.Errorf("got %+v, want a visit that is lost", x)
	}
}

// A visit that waits for a connection of a busy worker goes to one that has come since, and is made once.
func TestWaitingVisitMoves(t *testing.T) {
	t.Parallel()
	c := newConn(t)
	_, co := lead(t, c, newDir(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go co.Run(ctx)
	busy, idle := newGated(), newGated()
	work(t, connectTo(t, c.opt.URLs), 4, busy.make)
	results := sendVisits(co, 5)
	for range 4 {
		<-busy.begun
	}
	came := time.Now()
	work(t, connectTo(t, c.opt.URLs), 4, idle.make)
	<-idle.begun
	if d := time.Since(came); d > workerLapse+3*time.Second {
		t.Errorf("it moved after %v", d)
	}
	close(busy.gate)
	close(idle.gate)
	for range 5 {
		<-results
	}
	if len(busy.begun)+len(idle.begun) > 0 {
		t.Error("a visit was made twice")
	}
}

// A slowStream takes its time for each message, as servers do that sync.
type slowStream struct {
	jetstream.JetStream
	under, most, messages, bytes atomic.Int32
}

func (s *slowStream) Publish(_ context.Context, _ string, data []byte, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	s.most.Store(max(s.most.Load(), s.under.Add(1)))
	defer s.under.Add(-1)
	s.messages.Add(1)
	s.bytes.Add(int32(len(data)))
	time.Sleep(20 * time.Millisecond)
	return &jetstream.PubAck{}, nil
}

// Small results share a message while another one is on its way; only those that fill messages have several on
// their way. All of them are published.
func TestResultsShareMessages(t *testing.T) {
	c := newConn(t)
	for _, x := range []struct {
		n, size int
		most    int32 // messages on their way, at most
	}{
		{500, 1000, 1},
		{12, 600 << 10, senders},
		{1, 10, 1},
		{0, 0, 0},
	} {
		begun := time.Now()
		slow := &slowStream{}
		w := &Worker{c: &Conn{js: slow, nc: c.nc}, busy: map[uint64]bool{}, results: make(chan []byte, 1000)}
		var done sync.WaitGroup
		done.Go(func() { w.publish(t.Context()) })
		for range x.n {
			w.results <- encodeResult(&Result{Term: strings.Repeat("x", x.size), Page: &dowse.Page{}})
			if x.size < 10_000 {
				time.Sleep(time.Millisecond / 4)
			}
		}
		close(w.results)
		done.Wait()
		m, most, bytes := slow.messages.Load(), slow.most.Load(), slow.bytes.Load()
		if one := int32(time.Since(begun)/(20*time.Millisecond)) + 1; x.most == 1 && m > one || most > x.most || x.most > 1 && most < 2 || bytes < int32(x.n*x.size) {
			t.Errorf("%d results of %d bytes: %d messages with %d bytes, %d concurrently; want at most %d", x.n, x.size, m, bytes, most, x.most)
		}
	}
}

// A worker does not begin a visit that another one may have by now: the coordinator has not heard of it for as long
// as it takes to be given up, or another coordinator has the lead.
func TestVisitsThatAreNotOurs(t *testing.T) {
	for _, x := range []struct {
		name  string
		term  string
		heard time.Duration // since the last Hello that was answered was sent; 0 for none
		got   time.Duration // since the visit came
		want  bool
	}{
		{"usual", "a", time.Second, 500 * time.Millisecond, true},
		{"first", "a", 0, time.Millisecond, true},
		{"waited, and named all the time", "a", time.Second, 2 * workerLapse, true},
		{"came during the silence", "a", workerLapse + 100*time.Millisecond, workerLapse - 500*time.Millisecond, false},
		{"frozen before the first answer", "a", 0, workerLapse + time.Second, false},
		{"another coordinator", "b", time.Second, time.Millisecond, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			made := false
			now := time.Now()
			w := &Worker{term: x.term, version: "v", visit: func(_ context.Context, j Job) *Result {
				made = true
				return &Result{Page: fullPage()}
			}}
			if x.heard > 0 {
				w.sure = now.Add(-x.heard)
			}
			b := w.result(t.Context(), "a", Job{Judge: "v", Within: time.Hour}, now.Add(-x.got))
			if made != x.want || (b != nil) != x.want {
				t.Errorf("made %v, %d bytes; want %v", made, len(b), x.want)
			}
		})
	}
}

// Time without a connection is no evidence against a worker and its visits: their results may be on the stream.
func TestOutageIsNoEvidence(t *testing.T) {
	c := newConn(t)
	_, co := lead(t, c, newDir(t))
	long := time.Now().Add(-time.Hour)
	s := &sent{job: Job{Number: 1}, worker: "w", named: long}
	co.mu.Lock()
	co.workers["w"] = &workerState{hello: Hello{ID: "w", Conns: 1}, heard: long, has: map[uint64]*sent{1: s}}
	co.mu.Unlock()
	c.nc.Close()
	ctx, end := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { co.watch(ctx) })
	time.Sleep(2 * helloEvery)
	end()
	watch.Wait()
	if co.findLost(co.workers["w"], time.Now()); s.worker != "w" {
		t.Error("a visit was taken back as soon as the servers were back")
	}
}

// A coordinator that lost the lead can't publish, and the one that has it is not disturbed.
func TestFence(t *testing.T) {
	c := newConn(t)
	dir := newDir(t)
	old, _ := lead(t, c, dir)
	ctx := t.Context()
	all := func(string) int64 { return 1 << 40 }
	if err := old.Commit(ctx, Covered{1, 0}, all); err != nil {
		t.Fatal(err)
	}
	old.lease.cancel() // as if it were frozen
	<-old.lease.ended
	second := connectTo(t, c.opt.URLs)
	if err := os.WriteFile(filepath.Join(dir, "state/journal-0000000000000000.log"), []byte("dowsej2\nx"), 0o644); err != nil {
		t.Fatal(err)
	}
	now, err := second.TakeLead(ctx, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close(false)
	if err := old.Commit(ctx, Covered{2, 0}, all); err != ErrFenced {
		t.Errorf("the old coordinator: %v, want %v", err, ErrFenced)
	}
	if err := now.Commit(ctx, Covered{2, 0}, all); err != nil {
		t.Errorf("the new coordinator: %v", err)
	}
	// A copy of the time before is refused.
	stale := newDir(t)
	if _, err := second.lead(ctx, now.lease, stale, true, nil); err == nil {
		t.Error("a stale copy was accepted")
	}
}

// BenchmarkCoordinator measures what a page costs the coordinator without the crawl's own loop: sending
// the visit, receiving and decoding the arrival, and the mark. Workers answer from memory, in the same
// process, so that their part is in the figure too.
func BenchmarkCoordinator(b *testing.B) {
	c := newConn(b)
	_, co := lead(b, c, newDir(b))
	ctx, end := context.WithCancel(context.Background())
	defer end()
	go co.Run(ctx)
	p := fullPage()
	p.Text = string(make([]byte, 6000))
	const conns = 512
	work(b, connectTo(b, c.opt.URLs), conns, answering(p))
	for co.Capacity() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	slots := make(chan struct{}, conns)
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan struct{})
	b.ResetTimer()
	for i := range b.N {
		slots <- struct{}{}
		co.Send(Job{Visit: crawl.Visit{URL: dowse.URL(fmt.Sprintf("https://a/%d", i))}}, time.Now().Add(time.Hour), func(x *Result) {
			go func() {
				co.Absorbed(x)
				co.Freed(x)
				<-slots
				if left.Add(-1) == 0 {
					close(done)
				}
			}()
		})
	}
	<-done
}

// BenchmarkDecode measures decoding the result of a page.
func BenchmarkDecode(b *testing.B) {
	data := encodeResult(fullResult())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := readResult(data); err != nil {
			b.Fatal(err)
		}
	}
}

// A copy that is old, longer, different in the middle or empty becomes equal; so takedowns, which blank
// records in place, reach every copy.
func TestCopiesBecomeEqual(t *testing.T) {
	c := newConn(t)
	dir := newDir(t)
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, "archive/a-00000.warc.gz", "one two three four")
	s, co := lead(t, c, dir)
	all := func(string) int64 { return 1 << 40 }
	if err := s.Commit(t.Context(), Covered{}, all); err != nil {
		t.Fatal(err)
	}
	if err := co.Serve(t.Context(), s, func() Progress { return Progress{} }); err != nil {
		t.Fatal(err)
	}
	for name, copied := range map[string]string{"empty": "", "old": "one two", "longer": "one two three four five", "blanked": "one xxx three four"} {
		t.Run(name, func(t *testing.T) {
			copyDir := newDir(t)
			write(copyDir, "archive/a-00000.warc.gz", copied)
			write(copyDir, "models/m0009.json", "not there any more")
			ready := make(chan struct{})
			var once sync.Once
			ctx, end := context.WithCancel(t.Context())
			var done sync.WaitGroup
			done.Go(func() {
				second := connectTo(t, c.opt.URLs)
				second.Follow(ctx, copyDir, &Mirror{Tick: func(st MirrorStatus) {
					if st.Ready {
						once.Do(func() { close(ready) })
					}
				}})
			})
			<-ready
			end()
			done.Wait()
			want, err := manifestOf(s.dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := manifestOf(durable.In(copyDir))
			if err != nil || !maps.Equal(got, want) {
				t.Errorf("got %v\nwant %v, %v", got, want, err)
			}
		})
	}
}

// A standby that has asked twice is answered twice that its copy is complete: that it was asked again while the servers
// had no room is no error.
func TestCompleteTwice(t *testing.T) {
	dir := durable.In(newDir(t))
	m := &Mirror{dir: dir, id: "me"}
	if err := dir.WriteFile(resyncMark, []byte("id")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.do(&op{kind: opSynced, id: "me"}); err != nil || !m.ready {
			t.Errorf("%v, ready %v", err, m.ready)
		}
	}
}

// What a person has mistyped is named before anything is connected, without the passwords.
func TestOptionsAreChecked(t *testing.T) {
	secret := "nats://u:secret@127.0.0.1:1"
	for _, x := range []struct {
		urls, name string // name is of a variable that names a file
		want       string
	}{
		{"nats://127.0.0.1:99999", "", "want nats://host:port"},
		{"nats://127.0.0.1:0", "", "want nats://host:port"},
		{secret + "," + secret + "/x", "", "u:xxxxx@127.0.0.1:1/x"},
		{"http://u:secret@a", "", "u:xxxxx@a"},
		{secret, "NATS_CA", "NATS_CA: stat none"},
		{secret, "NATS_CREDS", "NATS_CREDS: stat none"},
		{secret, "NATS_CERT", "NATS_CERT: stat none"},
	} {
		o := Options{URLs: x.urls, Getenv: func(name string) string {
			if name == x.name {
				return "none"
			}
			return ""
		}}
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s %s: %v, want %q", x.urls, x.name, err, x.want)
		}
	}
	_, err := Connect(t.Context(), Options{URLs: secret + "," + secret})
	if err == nil || strings.Contains(err.Error(), "secret") || strings.Count(err.Error(), "xxxxx") != 2 {
		t.Errorf("error %v, want one without passwords", err)
	}
	c := newConn(t)
	_, err = Connect(t.Context(), Options{URLs: strings.Replace(c.opt.URLs, "nats:", "tls:", 1), Version: "test"})
	if err == nil || !strings.Contains(err.Error(), "has no TLS") {
		t.Errorf("TLS at a server that has none: %v", err)
	}
}

// A standby whose directory is removed ends with an error that names it, and writes nothing there any more.
func TestRemovedCopyIsNamed(t *testing.T) {
	c := newConn(t)
	dir := newDir(t)
	s, co := lead(t, c, dir)
	all := func(string) int64 { return 1 << 40 }
	if err := s.Commit(t.Context(), Covered{}, all); err != nil {
		t.Fatal(err)
	}
	if err := co.Serve(t.Context(), s, func() Progress { return Progress{} }); err != nil {
		t.Fatal(err)
	}
	copyDir := newDir(t)
	ready := make(chan struct{})
	var once sync.Once
	ended := make(chan error, 1)
	go func() {
		_, err := connectTo(t, c.opt.URLs).Follow(t.Context(), copyDir, &Mirror{Tick: func(st MirrorStatus) {
			if st.Ready {
				once.Do(func() { close(ready) })
			}
		}})
		ended <- err
	}()
	<-ready
	if err := os.RemoveAll(copyDir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "models/m0002.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), Covered{}, all); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), copyDir+" was removed") {
		t.Errorf("the standby: %v", err)
	}
	if _, err := os.Stat(copyDir); err == nil {
		t.Error("the directory is there again")
	}
}

// The files of a judge are named by their hash: the same files are stored once, and files that do not
// have the hash by which they are named are refused.
func TestJudgesAreChecked(t *testing.T) {
	c := newConn(t)
	lead(t, c, newDir(t))
	ctx := t.Context()
	files := map[string][]byte{"topic.yaml": []byte("a"), "models/m0001.json": []byte("b")}
	first, err := c.PutJudge(ctx, files)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.PutJudge(ctx, maps.Clone(files)); err != nil || again != first {
		t.Errorf("the same files: %s, %v; want %s", again, err, first)
	}
	if other, err := c.PutJudge(ctx, map[string][]byte{"topic.yaml": []byte("c")}); err != nil || other == first {
		t.Errorf("other files: %s, %v", other, err)
	}
	got, err := c.judgeFiles(ctx, first)
	if err != nil || len(got) != 2 || string(got["models/m0001.json"]) != "b" {
		t.Errorf("got %v, %v", got, err)
	}
	store, err := c.js.ObjectStore(ctx, c.judgeBucket())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutBytes(ctx, first, []byte("dwj1\x00")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.judgeFiles(ctx, first); err != errJudge {
		t.Errorf("changed files: %v, want %v", err, errJudge)
	}
}

// A process that takes the lease and is refused leaves the crawl as it was: one that has come to its end
// has done so still, and a lease that had lapsed lapses for the next process.
func TestRefusedLeadChangesNothing(t *testing.T) {
	c := newConn(t)
	s, _ := lead(t, c, newDir(t))
	s.Close(true)
	if _, err := c.TakeLead(t.Context(), newDir(t), true); err == nil {
		t.Fatal("a directory that does not belong to the cluster was accepted")
	}
	w := &leaseWatch{c: c}
	if free, err := w.look(t.Context()); err != nil || !free || !w.holder.Done {
		t.Errorf("free %v, error %v, holder %+v; want one that is done", free, err, w.holder)
	}
	w.holder.Ended, w.holder.Done = false, false // as if it had failed
	l, err := w.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.abandon()
	again := &leaseWatch{c: c}
	if _, err := again.look(t.Context()); err != nil || again.holder.Ended {
		t.Errorf("error %v, holder %+v; want one that has not stopped the crawl", err, again.holder)
	}
}
