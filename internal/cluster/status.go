package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Progress is the part of a status that only the crawl knows.
type Progress struct {
	Known   int `json:"known"`
	Queued  int `json:"queued"`
	Fetched int `json:"fetched"`
	OnTopic int `json:"on_topic"`
}

// A Status is the state of a cluster.
type Status struct {
	Cluster     string          `json:"cluster"`
	Crawl       string          `json:"crawl"`
	Version     string          `json:"version"`
	Coordinator Holder          `json:"coordinator"`
	Answers     bool            `json:"answers"` // the coordinator answered; without it workers and standbys are unknown
	Progress    Progress        `json:"progress"`
	Workers     []WorkerLine    `json:"workers"`
	Standbys    []StandbyLine   `json:"standbys"`
	InFlight    int             `json:"in_flight"`
	Waiting     int             `json:"waiting"` // visits that no worker makes yet
	Refused     Counts          `json:"counts"`
	Foreign     int             `json:"foreign"`  // messages of other programs on the stream of commits
	Stuck       time.Duration   `json:"stuck_ns"` // for how long the servers have not accepted commits
	Streams     map[string]Load `json:"streams"`
}

// A WorkerLine describes a worker.
type WorkerLine struct {
	ID       string        `json:"id"`
	Host     string        `json:"host"`
	Process  int           `json:"process"`
	Version  string        `json:"version"`
	Conns    int           `json:"conns"`
	InFlight int           `json:"in_flight"`
	Done     int           `json:"done"`
	Rate     float64       `json:"rate"` // visits per second
	Silent   time.Duration `json:"silent_ns"`
}

// A StandbyLine describes a standby.
type StandbyLine struct {
	ID      string        `json:"id"`
	Host    string        `json:"host"`
	Process int           `json:"process"`
	Dir     string        `json:"dir"`
	Behind  uint64        `json:"behind"` // messages
	Ready   bool          `json:"ready"`
	Silent  time.Duration `json:"silent_ns"`
}

// A Load is what a stream holds.
type Load struct {
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
	Replicas int    `json:"replicas"`
}

// Serve connects a coordinator with its shipper: standbys are brought up to date, and questions for
// the status answered. progress is called by other goroutines.
func (co *Coordinator) Serve(ctx context.Context, s *Shipper, progress func() Progress) error {
	co.mu.Lock()
	co.status, co.shipper = progress, s
	co.mu.Unlock()
	sub, err := co.c.nc.Subscribe(co.c.subject("standby"), func(m *nats.Msg) { co.standby(ctx, s, m) })
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	co.mu.Lock()
	co.atStandbys = sub
	co.mu.Unlock()
	return co.c.nc.Flush()
}

// AwaitStandbys waits until the copies of all standbys are complete, at most until ctx ends or nothing
// has moved for a while. It is for the end of a run, after the last commit: a standby that began a moment
// ago, or whose copy is compared, is still served. Without a standby it returns immediately.
func (co *Coordinator) AwaitStandbys(ctx context.Context) {
	defer func() {
		co.mu.Lock()
		defer co.mu.Unlock()
		if co.atStandbys != nil {
			_ = co.atStandbys.Unsubscribe()
		}
	}()
	co.mu.Lock()
	s := co.shipper
	co.mu.Unlock()
	called := time.Now()
	if s == nil {
		return
	}
	ask, cancel := context.WithTimeout(ctx, helloEvery)
	_, err := co.c.nc.RequestWithContext(ask, co.c.subject("roll"), nil)
	cancel()
	if errors.Is(err, nats.ErrNoResponders) {
		return
	}
	last, since := "", time.Now()
	for {
		state, complete := s.standbyState(called)
		if state != last {
			last, since = state, time.Now()
		}
		if complete || time.Since(since) > standbyPatience || !pause(ctx, 50*time.Millisecond) {
			return
		}
	}
}

// standbyPatience is for how long the coordinator waits at its end for copies that do not come closer to
// being complete.
const standbyPatience = 10 * time.Second

// standbyState describes how far the standbys are, and reports whether at least one has reported since
// a time and all that live are complete.
func (s *Shipper) standbyState(called time.Time) (state string, complete bool) {
	s.standbysMu.Lock()
	defer s.standbysMu.Unlock()
	reported := 0
	complete = true
	last := s.at.Load()
	for _, id := range slices.Sorted(maps.Keys(s.standbys)) {
		b := s.standbys[id]
		if time.Since(b.at) > workerLapse {
			continue
		}
		state += fmt.Sprint(id, b.Applied, b.Ready, last, " ")
		if b.at.After(called) {
			reported++
		}
		complete = complete && b.Ready && b.Applied >= last
	}
	return state, complete && reported > 0
}

// standbyHello is what a standby sends once a second.
type standbyHello struct {
	ID      string   `json:"id"`
	Host    string   `json:"host"`
	Process int      `json:"process"`
	Dir     string   `json:"dir"`
	Version string   `json:"version"`
	Applied uint64   `json:"applied"`
	Ready   bool     `json:"ready"`
	Has     Manifest `json:"has,omitempty"` // asks for what this copy lacks
	Asks    bool     `json:"asks,omitempty"`
	Leaving bool     `json:"leaving,omitempty"` // it ends
}

// standby notes what a standby has, and brings it up to date if it asks for it.
func (co *Coordinator) standby(ctx context.Context, s *Shipper, m *nats.Msg) {
	var h standbyHello
	if json.Unmarshal(m.Data, &h) != nil || !nameForm.MatchString(h.ID) {
		co.mu.Lock()
		co.counts.Garbage++
		co.mu.Unlock()
		return
	}
	answer := welcome{Term: co.lease.holder.Term}
	if h.Version != co.c.opt.Version {
		answer.Refused = "the coordinator is dowse " + co.c.opt.Version + " and the standby is dowse " + h.Version + "; they must be the same version"
	} else {
		s.reported(h)
		if h.Asks {
			go func() { _ = s.Resync(ctx, h.ID, h.Has) }() // it asks again if it does not come
		}
	}
	if data, err := json.Marshal(answer); err == nil && m.Reply != "" {
		_ = m.Respond(data)
	}
}

// answerStatus answers a question for the status.
func (co *Coordinator) answerStatus(m *nats.Msg) {
	if data, err := json.Marshal(co.Status()); err == nil && m.Reply != "" {
		_ = m.Respond(data)
	}
}

// Status returns the state of the cluster as the coordinator sees it, without the streams.
func (co *Coordinator) Status() *Status {
	co.mu.Lock()
	st := &Status{Cluster: co.c.opt.Name, Version: co.c.opt.Version, Coordinator: co.lease.holder, Answers: true, InFlight: len(co.out), Refused: co.counts}
	for _, s := range co.queue {
		if co.out[s.job.Number] == s {
			st.Waiting++
		}
	}
	for _, w := range co.workers {
		st.Waiting += max(0, len(w.has)-w.hello.Conns) // sent ahead
		st.Workers = append(st.Workers, WorkerLine{
			ID: w.hello.ID, Host: w.hello.Host, Process: w.hello.Process, Version: w.hello.Version, Conns: w.hello.Conns,
			InFlight: min(len(w.has), w.hello.Conns), Done: w.done, Rate: w.rate, Silent: time.Since(w.heard),
		})
	}
	progress, shipper := co.status, co.shipper
	co.mu.Unlock()
	slices.SortFunc(st.Workers, func(a, b WorkerLine) int { return strings.Compare(a.Host+a.ID, b.Host+b.ID) })
	if progress != nil {
		st.Progress = progress()
	}
	if shipper != nil {
		st.Standbys = shipper.standbyLines()
		st.Foreign, st.Stuck = int(shipper.foreign.Load()), shipper.Stuck()
	}
	return st
}

// standbyLines returns the standbys that were heard of in the last minutes. One that is silent for longer
// than a worker may be is not ready to take over.
func (s *Shipper) standbyLines() (list []StandbyLine) {
	s.standbysMu.Lock()
	defer s.standbysMu.Unlock()
	last := s.at.Load()
	for id, b := range s.standbys {
		if silent := time.Since(b.at); silent < standbyLapse {
			list = append(list, StandbyLine{
				ID: id, Host: b.Host, Process: b.Process, Dir: b.Dir, Behind: last - min(last, b.Applied),
				Ready: b.Ready && silent < workerLapse, Silent: silent,
			})
		}
	}
	slices.SortFunc(list, func(a, b StandbyLine) int { return strings.Compare(a.Host+a.ID, b.Host+b.ID) })
	return list
}

// ErrNoCluster is returned when there is no crawl of that name on the servers.
var ErrNoCluster = errors.New("there is no crawl of that name on these servers")

// Status asks for the state of a cluster. If no coordinator answers, the status has what the
// servers know.
func (c *Conn) Status(ctx context.Context) (*Status, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	if err := c.openState(ctx, false); err != nil {
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			err = fmt.Errorf("cluster: %q: %w", c.opt.Name, ErrNoCluster)
		}
		return nil, err
	}
	owner, err := c.owner(ctx)
	if err != nil {
		return nil, err
	}
	st := &Status{Cluster: c.opt.Name}
	ask, done := context.WithTimeout(ctx, 2*time.Second)
	m, err := c.nc.RequestWithContext(ask, c.subject("status"), nil)
	done()
	if err == nil && json.Unmarshal(m.Data, st) != nil {
		return nil, fmt.Errorf("cluster: the coordinator's answer can't be read")
	}
	st.Crawl = owner.Name
	if !st.Answers {
		st.Version = owner.Version
		if e, err := c.state.Get(ctx, leaseKey); err == nil {
			_ = json.Unmarshal(e.Value(), &st.Coordinator)
		}
	}
	st.Streams = map[string]Load{}
	for what, name := range map[string]string{"arrivals": c.arrivalStream(), "commits": c.commitStream()} {
		if s, err := c.js.Stream(ctx, name); err == nil {
			info := s.CachedInfo()
			st.Streams[what] = Load{info.State.Msgs, info.State.Bytes, info.Config.Replicas}
		}
	}
	return st, nil
}

// Drop removes everything of a cluster from the servers. It is refused while a coordinator answers.
func (c *Conn) Drop(ctx context.Context) error {
	st, err := c.Status(ctx)
	if err != nil {
		return err
	}
	if st.Answers {
		return &HeldError{st.Coordinator}
	}
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	return errors.Join(
		c.js.DeleteStream(ctx, c.arrivalStream()), c.js.DeleteStream(ctx, c.commitStream()),
		c.js.DeleteObjectStore(ctx, c.judgeBucket()), c.js.DeleteKeyValue(ctx, c.stateBucket()))
}
