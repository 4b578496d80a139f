package operations

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/plain"
)

// A Measure is what a monitor records of a collection. Counts are those of the collection over all of its
// runs; Traffic is what this process has seen since it first looked.
type Measure struct {
	Collection
	// Report is nil for a collection that does not run and was not asked about in this
	// process: a scrape must not open everything that there is.
	Report *Report

	Hosts     map[string]int // by state
	Labels    map[string]int // on and off
	Model     int            // the number of the model
	Trainings int
	Training  float64 // seconds, of all trainings
	Archive   int64   // bytes of WARC files
	Traffic   Traffic
	// Pulse is what a running crawl last reported of itself; nil if there is none.
	Pulse *crawler.Pulse
}

// Traffic counts visits that were recorded while this process followed the journal.
type Traffic struct {
	Took    Histogram      // seconds of downloads
	Answers map[string]int // by HTTP status: 2xx, 3xx, 4xx without 429, 429, 5xx, none
}

// A Histogram counts values up to each of its bounds.
type Histogram struct {
	Bounds []float64
	Counts []uint64 // of values up to the bound with the same index, and above the bound before
	Sum    float64
	N      uint64
}

// tookBounds are the bounds of the histogram of downloads, in seconds.
var tookBounds = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// traffic counts visits; it is safe for concurrent use.
type traffic struct {
	mu sync.Mutex
	t  Traffic
}

// add counts the visit of an entry.
func (x *traffic) add(e *crawl.Entry) {
	if e.Kind != crawl.EntryPage && e.Kind != crawl.EntryRetry || e.Idle || e.Page == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.t.Answers == nil {
		x.t.Answers = map[string]int{}
		x.t.Took = Histogram{Bounds: tookBounds, Counts: make([]uint64, len(tookBounds))}
	}
	x.t.Answers[answerClass(e.Page.Fetch.Status)]++
	took := e.Page.Fetch.Took.Seconds()
	x.t.Took.N++
	x.t.Took.Sum += took
	if i, _ := slices.BinarySearch(tookBounds, took); i < len(tookBounds) {
		x.t.Took.Counts[i]++
	}
}

// answerClass returns the class of an HTTP status.
func answerClass(status int) string {
	switch {
	case status == 429:
		return "429"
	case status < 200 || status > 599:
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

// snapshot returns a copy.
func (x *traffic) snapshot() Traffic {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := Traffic{Answers: map[string]int{}, Took: x.t.Took}
	t.Took.Bounds = tookBounds
	t.Took.Counts = append(make([]uint64, 0, len(tookBounds)), x.t.Took.Counts...)
	for k, n := range x.t.Answers {
		t.Answers[k] = n
	}
	return t
}

// maxMeasured is how many collections are measured beyond their state.
const maxMeasured = 100

// Measures returns what a monitor records of all collections. It opens those that run, and follows
// their journals from then on.
func (o *Operations) Measures(ctx context.Context) (list []Measure, err error) {
	measured := 0
	soon, cancel := context.WithTimeout(ctx, CountWait)
	defer cancel()
	for _, s := range o.all() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := Measure{Collection: s.line(soon)}
		s.mu.Lock()
		open := s.cur != nil
		s.mu.Unlock()
		if (m.Running || open) && measured < maxMeasured {
			measured++
			if r, err := o.Status(ctx, s.id); err == nil {
				m.Report = r
				if r.Ailment != nil && r.Ailment.Name == AilDamaged && !m.Running {
					m.State = string(Damaged)
				}
				s.fillMeasure(ctx, &m)
			} else {
				m.Error = plain.Error(err)
				if KindOf(err) == Damaged {
					m.State = string(Damaged)
				}
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// fillMeasure adds hosts, labels, models, the archive and the traffic.
func (s *shelf) fillMeasure(ctx context.Context, m *Measure) {
	m.Hosts, m.Labels = map[string]int{}, map[string]int{collection.LabelOn: 0, collection.LabelOff: 0}
	_ = s.use(ctx, func(v *openView) error {
		for _, r := range v.allHosts() {
			m.Hosts[r.State]++
		}
		return nil
	})
	if labels, err := collection.ReadLabels(s.dir); err == nil {
		for _, l := range labels.Standing() {
			m.Labels[l.Label]++
		}
	}
	if models, err := collection.Models(s.dir); err == nil {
		for _, x := range models {
			m.Trainings += order(x.Done)
			m.Training += x.Seconds
		}
	}
	m.Model, _ = strconv.Atoi(strings.TrimPrefix(m.Report.Model, "m"))
	files, _ := filepath.Glob(filepath.Join(s.dir, "archive", "*"))
	for _, f := range files {
		if st, err := os.Lstat(f); err == nil && st.Mode().IsRegular() {
			m.Archive += st.Size()
		}
	}
	if m.Running {
		if f, err := s.follower(ctx); err == nil {
			f.leave() // it goes on until no scrape has come for a while
		}
	}
	m.Traffic = s.traffic.snapshot()
	if p, ok := crawler.PulseOf(s.dir, m.Report.Process); ok && m.Report.Running {
		m.Pulse = &p
	}
}

// Outcomes returns how the visits of a crawl ended, by outcome.
func Outcomes(b crawl.Books) map[string]int {
	return map[string]int{
		dowse.Fetched.String(): b.Fetched, dowse.Failed.String(): b.Failed, dowse.Redirected.String(): b.Redirected, dowse.Listed.String(): b.Sitemaps,
	}
}
