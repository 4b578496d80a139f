package crawler

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/cluster"
	"dowse/internal/durable"
	"dowse/settings"
)

// What a meter looks back on, and what it compares with.
const (
	meterSpan  = 30 * time.Second
	meterEvery = time.Second
	meterShort = 5 * time.Second // over less than this, neither CPU nor disk are found to limit
	busyShare  = 0.9             // of the processors, used or waited for, from which they limit a crawl
	diskShare  = 0.5             // of the time, from which commits limit a crawl
	byCPU      = "CPU"
	byDisk     = "disk"

	byPoliteness = "politeness" // as package crawl names it
)

// A meter measures how fast a crawl goes over the last 30 seconds, and whether processors or
// disk limit it. The loop uses it; committed and judged may be called concurrently.
type meter struct {
	cpu        func() time.Duration // that the process used so far
	queued     func() time.Duration // for which its threads could run and waited for a processor so far; 0 where that is not known
	processors int
	commits    spent
	judgements spent
	polite     time.Duration // in which the crawl waited for hosts to rest
	last       time.Time     // of the last measurement
	samples    []sample      // oldest first, at most one per second
}

// spent is how often something was done, and how long that took in all.
type spent struct{ n, nanoseconds atomic.Int64 }

// add counts one time.
func (s *spent) add(took time.Duration) {
	s.n.Add(1)
	s.nanoseconds.Add(int64(took))
}

// seconds returns how long it took in all.
func (s *spent) seconds() float64 { return time.Duration(s.nanoseconds.Load()).Seconds() }

// A sample is the state of a crawl at one moment.
type sample struct {
	at      time.Time
	fetched int
	bytes   int64
	cpu     time.Duration // used, and waited for
	commits time.Duration
}

func newMeter() *meter {
	return &meter{cpu: processTime, queued: queueTime, processors: runtime.GOMAXPROCS(0)}
}

// committed adds the time that a commit took.
func (m *meter) committed(took time.Duration) { m.commits.add(took) }

// judged adds the time that it took to judge a page.
func (m *meter) judged(took time.Duration) { m.judgements.add(took) }

// longestTick is the longest time between two measurements that counts as waiting: a machine may have slept.
const longestTick = 5 * time.Second

// measure records a status and sets its rates. If the processors or the disk limit the crawl,
// the status names them: then it does not matter what else would. Processors come first, since commits
// take long, too, if they have to wait for one. A processor that other programs have counts like one
// that is used, as long as a thread of this process waits for it: on an overloaded machine a crawl gets a
// part of the processors only, however much it could do.
func (m *meter) measure(now time.Time, st *crawl.Status) {
	if took := now.Sub(m.last); st.LimitedBy == byPoliteness && took > 0 && took <= longestTick {
		m.polite += took
	}
	m.last = now
	x := sample{now, st.Fetched, st.Bytes, m.cpu() + m.queued(), time.Duration(m.commits.nanoseconds.Load())}
	for len(m.samples) > 1 && now.Sub(m.samples[1].at) >= meterSpan {
		m.samples = m.samples[1:]
	}
	if n := len(m.samples); n == 0 || now.Sub(m.samples[n-1].at) >= meterEvery {
		m.samples = append(m.samples, x)
	}
	first := m.samples[0]
	span := now.Sub(first.at)
	if span <= 0 {
		return
	}
	st.Rate = float64(x.fetched-first.fetched) / span.Seconds()
	st.BytesRate = float64(x.bytes-first.bytes) / span.Seconds()
	switch {
	case span < meterShort:
	case (x.cpu - first.cpu).Seconds() >= busyShare*span.Seconds()*float64(m.processors):
		st.LimitedBy = byCPU
	case (x.commits - first.commits).Seconds() >= diskShare*span.Seconds():
		st.LimitedBy = byDisk
	}
}

// pulseName is the file in which a running crawl reports its speed. Other processes can't
// measure it: the journal has no times of the clock on the wall for what did not happen.
const pulseName = "state/now.json"

// How often the file is written: more often at first, since whoever starts a crawl looks at its speed then.
const (
	pulseEvery = 5 * time.Second
	pulseFirst = time.Second // in the first pulseSoon of a run
	pulseSoon  = 10 * time.Second
)

// A Pulse is what a running crawl last reported of itself.
type Pulse struct {
	Process   int           `json:"process"`
	At        time.Time     `json:"at"` // by the clock of the machine, as who reads it has it
	Rate      float64       `json:"rate"`
	BytesRate float64       `json:"bytes_rate"`
	LimitedBy string        `json:"limited_by"`
	Outage    *crawl.Outage `json:"outage,omitempty"`

	// What the run has spent time on so far. Polite is the seconds in which nothing but the pauses of
	// hosts kept it from going on. Commits sync the archive and the journal.
	Polite        float64 `json:"polite_seconds"`
	Commits       int64   `json:"commits"`
	CommitSeconds float64 `json:"commit_seconds"`
	Judged        int64   `json:"judged"`
	JudgeSeconds  float64 `json:"judge_seconds"`
	// Cluster is the state of the cluster that the process coordinates, nil without one.
	Cluster *cluster.Status `json:"cluster,omitempty"`
}

// PulseOf returns what the process that crawls in dir last reported; false if it is another
// process, or has reported nothing yet.
func PulseOf(dir string, process int) (p Pulse, ok bool) {
	data, err := durable.In(dir).ReadBounded(pulseName, 1<<16)
	if err != nil || json.Unmarshal(data, &p) != nil || p.Process != process {
		return Pulse{}, false
	}
	return p, true
}

// pause returns how long after a pulse the next one is due.
func (m *meter) pause(now time.Time) time.Duration {
	if len(m.samples) > 0 && now.Sub(m.samples[0].at) < pulseSoon {
		return pulseFirst
	}
	return pulseEvery
}

// beat writes the pulse if that is due. It is a report and no part of the state, so an error
// does not end the crawl.
func (c *Crawler) beat(now time.Time, st crawl.Status) {
	m := c.meter
	if now.Sub(c.beaten) < m.pause(now) {
		return
	}
	c.beaten = now
	data, err := json.Marshal(Pulse{
		Process: os.Getpid(), At: time.Now().UTC(), Rate: st.Rate, BytesRate: st.BytesRate, LimitedBy: st.LimitedBy, Outage: st.Outage, Polite: m.polite.Seconds(),
		Commits: m.commits.n.Load(), CommitSeconds: m.commits.seconds(), Judged: m.judgements.n.Load(), JudgeSeconds: m.judgements.seconds(),
		Cluster: c.remote.status(),
	})
	if err == nil {
		_ = durable.In(c.Collection.Dir).WriteFile(pulseName, append(data, '\n'))
	}
}

// lastBeat removes the pulse at the end of a run. One that stays is of a process that is gone,
// and is read by nothing.
func (c *Crawler) lastBeat() { _ = durable.In(c.Collection.Dir).Remove(pulseName) }

// The default floor is at most 2 GB and a tenth of the disk. A crawl with a limit of pages
// needs no more than leastFloor and pageRoom for each page, which is many times what pages
// take on average: a crawl of a hundred pages is possible on a disk that is nearly full.
const (
	smallDisk  = 10
	leastFloor = 50_000_000
	pageRoom   = 500_000
)

// DiskRoom returns how many bytes are free on the disk of the collection in dir, and how many
// must be for a crawl with these settings to go on. A floor that was not given is less on a
// small disk and for a crawl of few pages.
func DiskRoom(dir string, s settings.Settings) (free, need int64, err error) {
	free, size, err := durable.Free(dir)
	if err != nil {
		return 0, 0, fmt.Errorf("crawler: free space of %s: %w", dir, err)
	}
	return free, floorOf(s, size), nil
}

// floorOf returns the floor that holds on a disk of a size.
func floorOf(s settings.Settings, size int64) int64 {
	switch {
	case s.DiskFloor < 0:
		return 0
	case s.DiskFloor > 0:
		return s.DiskFloor
	}
	floor := min(durable.UsualFloor, size/smallDisk)
	if s.Pages > 0 && int64(s.Pages) < floor/pageRoom {
		floor = min(floor, leastFloor+int64(s.Pages)*pageRoom)
	}
	return floor
}

// checkDisk ends the crawl if too little of the disk is free. What is under way still fits:
// that is what the floor is for.
func (c *Crawler) checkDisk() {
	room := c.cfg.DiskRoom
	if room == nil {
		room = DiskRoom
	}
	if free, need, err := room(c.Collection.Dir, c.Collection.Settings.Settings); err == nil && free < need {
		c.Collection.Crawl.Stop(dowse.StopDisk)
	}
}
