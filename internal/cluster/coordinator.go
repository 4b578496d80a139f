package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"dowse"
	"dowse/crawl"
)

const (
	helloEvery = time.Second
	// workerLapse is after how long without a word a worker counts as gone, and a visit that its
	// worker does not name as lost. Only time in which the servers were connected counts.
	workerLapse = 5 * time.Second
	// lateArrivals is for how long after its beginning a coordinator accepts what visits of
	// earlier ones brought, and how long it keeps them for visits of its own.
	lateArrivals = 5 * time.Minute
)

// A Coordinator sends visits to workers and delivers what they bring back.
//
// A visit belongs to one worker at a time, which has room for it. If the worker is gone, or does
// not name the visit among those that it makes, the visit goes to another one; the first result
// counts and others are refused. So a worker that was killed or frozen costs a few seconds, and no
// try of the URL.
type Coordinator struct {
	c     *Conn
	lease *Lease
	judge string // the version that visits are to be rated with

	mu       sync.Mutex
	workers  map[string]*workerState
	out      map[uint64]*sent // visits without result, by number
	byKey    map[visitKey]*sent
	queue    []*sent // those among them that no worker has
	number   uint64
	early    map[visitKey]*earlier
	inbox    inbox
	absorbed map[string]bool // results that the journal has already, see Known
	began    time.Time
	closed   bool
	counts   Counts
	subs     []*nats.Subscription
	// atStandbys is served until the end of AwaitStandbys, the others until the end of Run.
	atStandbys *nats.Subscription
	status     func() Progress
	shipper    *Shipper
	wake       chan struct{}
	reviews    bool // Review is called
}

// Counts are what a coordinator refused or did again.
type Counts struct {
	Results  int `json:"results"`  // that were delivered
	Repeated int `json:"repeated"` // refused: the visit had a result already
	Late     int `json:"late"`     // refused: of an earlier coordinator, and too old
	Garbage  int `json:"garbage"`  // refused: not a message of this version
	Large    int `json:"large"`    // refused: larger than allowed
	Moved    int `json:"moved"`    // visits that were given to another worker
	Reused   int `json:"reused"`   // visits answered by results for an earlier coordinator
	Versions int `json:"versions"` // workers of another version, refused
}

// A visitKey identifies what is visited. There is one visit to it at a time.
type visitKey struct {
	kind crawl.VisitKind
	url  dowse.URL
}

// sent is a visit without a result.
type sent struct {
	job    Job
	key    visitKey
	until  time.Time // the deadline of the crawl
	arrive func(*Result)
	worker string    // "" while it waits for one
	named  time.Time // when it was given to the worker, or the worker last named it
	before string    // the worker from which it was taken back
	unseen bool      // it was taken back, and Review has not seen it
}

// An earlier is a result for a visit of an earlier coordinator.
type earlier struct {
	result *Result
	from   *message
}

// workerState is what a coordinator knows of a worker.
type workerState struct {
	hello Hello
	heard time.Time
	has   map[uint64]*sent
	done  int
	rate  float64 // results per second, over the last seconds
	since time.Time
	last  int
}

// Hello is what a worker sends once a second.
type Hello struct {
	ID      string   `json:"id"`
	Host    string   `json:"host"`
	Process int      `json:"process"`
	Version string   `json:"version"`
	Wire    int      `json:"wire"`
	Conns   int      `json:"conns"`
	Busy    []uint64 `json:"busy,omitempty"`    // numbers of visits that it makes or will make, or whose results it has not published
	Back    []uint64 `json:"back,omitempty"`    // numbers of visits that it gives back without a result
	Term    string   `json:"term,omitempty"`    // to which the numbers belong
	Leaving bool     `json:"leaving,omitempty"` // it makes no further visits
}

// welcome is the answer to a Hello.
type welcome struct {
	Term    string `json:"term"`
	Judge   string `json:"judge"`
	Refused string `json:"refused,omitempty"`
}

// Coordinate begins to listen to workers. The visits are rated by the judge of the given version.
// known are results that the journal has, although their arrivals were not acknowledged; see [ResultKey].
func (c *Conn) Coordinate(lease *Lease, judge string, from uint64, known map[string]bool) (*Coordinator, error) {
	co := &Coordinator{
		c: c, lease: lease, judge: judge, workers: map[string]*workerState{}, out: map[uint64]*sent{}, byKey: map[visitKey]*sent{},
		early: map[visitKey]*earlier{}, absorbed: known, began: time.Now(), wake: make(chan struct{}, 1),
	}
	co.inbox.mark = from
	for what, f := range map[string]nats.MsgHandler{"hello": co.hello, "status": co.answerStatus} {
		sub, err := c.nc.Subscribe(c.subject(what), f)
		if err != nil {
			co.stopListening()
			return nil, err
		}
		co.subs = append(co.subs, sub)
	}
	return co, c.nc.Flush()
}

func (co *Coordinator) stopListening() {
	for _, s := range co.subs {
		_ = s.Unsubscribe()
	}
}

// Run delivers results until ctx ends, and then gives back the visits that have none. It does not wait for
// the reader of the stream, which may wait for servers that are away; what that one still reads is dropped.
func (co *Coordinator) Run(ctx context.Context) {
	go co.consume(ctx)
	co.watch(ctx)
	co.stopListening()
	co.GiveUp()
}

// SetJudge changes the version of the judge for the visits from now on.
func (co *Coordinator) SetJudge(version string) {
	co.mu.Lock()
	defer co.mu.Unlock()
	co.judge = version
}

// Lost stands for the result of a visit that did not come back from its worker by its deadline.
var Lost = &Result{}

// Send sends a visit to a worker with room, now or later. arrive is called once, by another
// goroutine, with the result, with Lost, or with nil if the visit was given up and no worker has begun it.
func (co *Coordinator) Send(j Job, until time.Time, arrive func(*Result)) {
	co.mu.Lock()
	defer co.mu.Unlock()
	co.number++
	j.Number, j.Judge = co.number, co.judge
	s := &sent{job: j, key: visitKey{j.Visit.Kind, j.Visit.URL}, until: until, arrive: arrive}
	if co.closed {
		arrive(nil)
		return
	}
	if e := co.early[s.key]; e != nil {
		delete(co.early, s.key)
		co.counts.Reused++
		co.counts.Results++
		arrive(e.result)
		return
	}
	co.out[j.Number], co.byKey[s.key] = s, s
	co.queue = append(co.queue, s)
	co.assign()
}

// Capacity returns how many visits the workers can make concurrently.
func (co *Coordinator) Capacity() int {
	return co.sum(func(w *workerState) int { return w.hello.Conns })
}

// Window returns how many visits may be under way. It is more than the capacity: while results are on their way to the
// stream and into a commit, others can be made.
func (co *Coordinator) Window() int { return co.sum((*workerState).window) }

// sum adds what the workers that make further visits have, and the visits of those that finish theirs.
func (co *Coordinator) sum(of func(w *workerState) int) (n int) {
	co.mu.Lock()
	defer co.mu.Unlock()
	for _, w := range co.workers {
		if w.hello.Leaving {
			n += len(w.has)
		} else {
			n += of(w)
		}
	}
	return n
}

// Woken is sent to when workers came or went.
func (co *Coordinator) Woken() <-chan struct{} { return co.wake }

// GiveUp ends all visits without a result. It is for the end of a run.
func (co *Coordinator) GiveUp() {
	co.mu.Lock()
	defer co.mu.Unlock()
	co.closed = true
	for _, s := range co.out {
		s.arrive(nil)
	}
	clear(co.out)
	clear(co.byKey)
	co.queue = nil
}

// Recall asks all workers to give back the visits that they have not begun. Review then decides about them.
func (co *Coordinator) Recall() {
	co.mu.Lock()
	defer co.mu.Unlock()
	for id := range co.workers {
		_ = co.c.nc.Publish(co.c.subject("work."+id), []byte(recallMagic+co.lease.holder.Term))
	}
}

// Review ends the visits that no worker has and that may not begin any more. Visits that workers give back
// wait for the next call, once it was called.
func (co *Coordinator) Review(mayBegin func(kind crawl.VisitKind, u dowse.URL) bool) {
	co.mu.Lock()
	defer co.mu.Unlock()
	co.reviews = true
	kept := co.queue[:0]
	for _, s := range co.queue {
		switch {
		case co.out[s.job.Number] != s: // it has a result by now
		case mayBegin(s.key.kind, s.key.url):
			s.unseen = false
			kept = append(kept, s)
		default:
			co.forget(s)
			s.arrive(nil)
		}
	}
	clear(co.queue[len(kept):])
	co.queue = kept
	co.assign()
}

// forget removes a visit from the books, except from the queue.
func (co *Coordinator) forget(s *sent) {
	delete(co.out, s.job.Number)
	delete(co.byKey, s.key)
	if w := co.workers[s.worker]; w != nil {
		delete(w.has, s.job.Number)
	}
}

// assign gives waiting visits to workers, first to those with the most room. It must be called with
// the lock held. Without a connection they wait.
func (co *Coordinator) assign() {
	if !co.c.IsConnected() {
		return
	}
	batches := map[*workerState][]Job{}
	now := time.Now()
	var unseen []*sent
	for len(co.queue) > 0 {
		w := co.roomiest()
		if w == nil {
			break
		}
		s := co.queue[0]
		co.queue[0] = nil
		co.queue = co.queue[1:]
		if co.out[s.job.Number] != s {
			continue // it has a result by now
		}
		if s.unseen {
			unseen = append(unseen, s)
			continue
		}
		if s.before != "" && s.before != w.hello.ID {
			co.counts.Moved++
		}
		s.worker, s.named = w.hello.ID, now
		s.job.Within = time.Until(s.until)
		w.has[s.job.Number] = s
		batches[w] = append(batches[w], s.job)
	}
	co.queue = append(unseen, co.queue...)
	for w, jobs := range batches {
		_ = co.c.nc.Publish(co.c.subject("work."+w.hello.ID), appendJobs(co.lease.holder.Term, jobs)) // one that gets lost is sent again
	}
}

// roomiest returns the worker with the largest share of free connections, nil if none has room. One
// without a free connection has room for some visits that it begins when a connection is free.
func (co *Coordinator) roomiest() (best *workerState) {
	most := 0.0
	for _, w := range co.workers {
		if w.hello.Leaving || len(w.has) >= w.window() {
			continue
		}
		room := float64(w.hello.Conns-len(w.has)) / float64(w.hello.Conns)
		if best == nil || room > most || room == most && w.hello.ID < best.hello.ID {
			best, most = w, room
		}
	}
	return best
}

// aheadFor is for how long a worker should have visits ahead. Without them each connection would be idle from the end
// of a visit until its result was on the stream, was delivered, and the next visit had come.
const aheadFor = 25 * time.Millisecond

// window is how many visits a worker is sent: as many as it has connections, a quarter more, and those that
// it ends in aheadFor, but not more than another quarter. What is sent ahead is chosen early, before the crawl has learnt from
// the results that are under way, so a worker with slow hosts has few.
func (w *workerState) window() int {
	n := w.hello.Conns
	return n + n/4 + min(n/4, int(w.rate*aheadFor.Seconds()))
}

// rateOver is the time over which the rate of a worker is measured.
const rateOver = 2 * time.Second

// maxWorkerConns bounds what a worker may claim to be able to do.
const maxWorkerConns = 4096

// hello notes that a worker is there, and answers it.
func (co *Coordinator) hello(m *nats.Msg) {
	var h Hello
	if err := json.Unmarshal(m.Data, &h); err != nil || !wellFormed(&h) {
		co.mu.Lock()
		co.counts.Garbage++
		co.mu.Unlock()
		return
	}
	co.mu.Lock()
	answer := welcome{Term: co.lease.holder.Term, Judge: co.judge}
	if h.Version != co.c.opt.Version || h.Wire != wireVersion {
		co.counts.Versions++
		answer.Refused = versionsDiffer(co.c.opt.Version, h.Version)
	} else {
		co.noteHello(h)
	}
	co.mu.Unlock()
	if data, err := json.Marshal(answer); err == nil && m.Reply != "" {
		_ = m.Respond(data)
	}
}

func wellFormed(h *Hello) bool {
	return nameForm.MatchString(h.ID) && h.Conns > 0 && h.Conns <= maxWorkerConns && max(len(h.Busy), len(h.Back)) <= 4*maxWorkerConns && len(h.Host) <= 256
}

// versionsDiffer says that a worker can't take part.
func versionsDiffer(coordinator, worker string) string {
	return "the coordinator is dowse " + coordinator + " and the worker is dowse " + worker + "; they must be the same version"
}

// noteHello updates the books with what a worker reports.
func (co *Coordinator) noteHello(h Hello) {
	now := time.Now()
	w := co.workers[h.ID]
	if w == nil && h.Leaving {
		return
	}
	if w == nil {
		w = &workerState{has: map[uint64]*sent{}, since: now}
		co.workers[h.ID] = w
		co.c.opt.logf("worker %s (%s) has joined with %d connections", h.ID, h.Host, h.Conns)
		co.notify()
	}
	w.hello, w.heard = h, now
	if seconds := now.Sub(w.since).Seconds(); seconds >= rateOver.Seconds() {
		w.rate = float64(w.done-w.last) / seconds
		w.since, w.last = now, w.done
	}
	if h.Term == co.lease.holder.Term {
		co.noteVisits(w, now)
	}
	co.findLost(w, now)
	if w.hasLeft() {
		co.dismiss(w, "has left")
	}
	co.assign()
}

// hasLeft reports whether a worker makes no further visits, and the results of all that it made are there.
func (w *workerState) hasLeft() bool { return w.hello.Leaving && len(w.has) == 0 }

// noteVisits notes which visits a worker makes, and takes back those that it gives back.
func (co *Coordinator) noteVisits(w *workerState, now time.Time) {
	for _, n := range w.hello.Busy {
		if s := w.has[n]; s != nil {
			s.named = now
		}
	}
	back := slices.Compact(slices.Sorted(slices.Values(w.hello.Back)))
	for _, n := range slices.Backward(back) {
		if s := w.has[n]; s != nil {
			co.takeBack(w, s)
		}
	}
}

// findLost puts visits back into the queue that a worker was sent and does not name: they never
// reached it, or their result did not reach the stream.
func (co *Coordinator) findLost(w *workerState, now time.Time) {
	if co.inbox.pending > maxPending/2 {
		return // results are on the stream and not read yet
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(w.has))) {
		if s := w.has[n]; now.Sub(s.named) > workerLapse {
			co.takeBack(w, s)
		}
	}
}

// takeBack puts a visit of a worker at the head of the queue.
func (co *Coordinator) takeBack(w *workerState, s *sent) {
	delete(w.has, s.job.Number)
	s.worker, s.before, s.unseen = "", w.hello.ID, co.reviews
	co.queue = slices.Insert(co.queue, 0, s)
}

// dismiss removes a worker. Its visits go to others.
func (co *Coordinator) dismiss(w *workerState, why string) {
	delete(co.workers, w.hello.ID)
	visits := len(w.has)
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(w.has))) {
		co.takeBack(w, w.has[n])
	}
	co.c.opt.logf("worker %s (%s) %s%s", w.hello.ID, w.hello.Host, why, moved(visits))
	co.notify()
}

// moved describes for people what becomes of the visits of a worker that is gone.
func moved(visits int) string {
	switch visits {
	case 0:
		return ""
	case 1:
		return "; 1 visit goes to others"
	}
	return fmt.Sprintf("; %d visits go to others", visits)
}

func (co *Coordinator) notify() {
	select {
	case co.wake <- struct{}{}:
	default:
	}
}

// watch finds workers that are gone, and visits past their deadline. Time in which this process
// did not run, or had no connection, is no evidence against workers.
func (co *Coordinator) watch(ctx context.Context) {
	last := time.Now()
	for pause(ctx, helloEvery/2) {
		now := time.Now()
		stopped := now.Sub(last) > helloEvery || !co.c.IsConnected()
		last = now
		co.mu.Lock()
		for _, w := range co.workers {
			silent := now.Sub(w.heard) > workerLapse
			switch {
			case stopped:
				w.excuse(now)
			case w.hasLeft() || w.hello.Leaving && silent:
				co.dismiss(w, "has left")
			case silent:
				co.dismiss(w, "does not answer any more")
			}
		}
		co.expire(now)
		co.assign()
		co.mu.Unlock()
	}
}

// excuse lets the silence of a worker, and of its visits, begin now.
func (w *workerState) excuse(now time.Time) {
	w.heard = now
	for _, s := range w.has {
		s.named = now
	}
}

// expire gives up visits past their deadline, at which the crawl gives them up, and results for
// earlier coordinators that no visit asks for.
func (co *Coordinator) expire(now time.Time) {
	for _, s := range co.out {
		switch {
		case !now.After(s.until):
		case s.worker != "":
			co.forget(s)
			s.arrive(Lost)
		default:
			co.forget(s)
			s.arrive(nil)
		}
	}
	if now.Sub(co.began) > lateArrivals {
		for key, e := range co.early {
			co.dropEarly(key, e)
		}
	}
}

// dropEarly drops a result for an earlier coordinator.
func (co *Coordinator) dropEarly(key visitKey, e *earlier) {
	delete(co.early, key)
	co.counts.Late++
	co.inbox.settle(e.from)
	co.inbox.pending -= e.result.Size
}

// DropUnwanted drops the results for an earlier coordinator that no visit will ask for, so that their
// messages need not stay on the stream. wanted reports whether a visit may still be made.
func (co *Coordinator) DropUnwanted(wanted func(kind crawl.VisitKind, u dowse.URL) bool) {
	co.mu.Lock()
	defer co.mu.Unlock()
	for key, e := range co.early {
		if !wanted(key.kind, key.url) {
			co.dropEarly(key, e)
		}
	}
}

// ResultKey identifies a result by what a journal also has of it.
func ResultKey(u dowse.URL, at time.Time) string {
	return string(u) + " " + at.UTC().Format(time.RFC3339Nano)
}
