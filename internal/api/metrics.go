package api

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dowse/crawler"
	"dowse/internal/operations"
)

// scrapeWait bounds how long a scrape reads the collections.
const scrapeWait = 10 * time.Second

// A desc is a metric of collections: its labels after the first, which is the collection.
type desc struct{ *prometheus.Desc }

// describe returns the description of a metric with the label collection and further ones.
func describe(name, help string, labels ...string) desc {
	return desc{prometheus.NewDesc(name, help, append([]string{"collection"}, labels...), nil)}
}

// The metrics. None has a label per host: there may be millions of them.
var (
	crawlState    = describe("dowse_crawl_state", "Whether a collection is in a state.", "state")
	healthy       = describe("dowse_crawl_healthy", "Whether nothing is wrong with a crawl.")
	pagesFetched  = describe("dowse_pages_fetched_total", "Visits to URLs that came to an end, by outcome.", "outcome")
	pagesJudged   = describe("dowse_pages_judged_total", "Pages that were judged, by verdict.", "verdict")
	harvest       = describe("dowse_harvest_ratio", "Share of pages on topic as the judge sees it, over all pages or the last 200.", "window")
	audited       = describe("dowse_audited_harvest_ratio", "Share of pages on topic by the labels of a random sample.")
	requests      = describe("dowse_requests_total", "Requests that were sent.")
	fetchedBytes  = describe("dowse_fetched_bytes_total", "Bytes that were received.")
	fetchDuration = describe("dowse_fetch_duration_seconds", "Time that downloads took, of visits since the server first looked.")
	answers       = describe("dowse_answers_total", "Answers by class of HTTP status, of visits since the server first looked.", "code")
	politeWait    = describe("dowse_politeness_wait_seconds_total", "Time in which only the pauses of hosts kept the run from going on, as the crawl reports it.")
	judgeDuration = describe("dowse_judge_duration_seconds", "Time that it took to judge pages in this run, as the crawl reports it.")
	fsync         = describe("dowse_state_fsync_seconds", "Time that commits of archive and journal to the disk took in this run, as the crawl reports it.")
	links         = describe("dowse_links_total", "URLs that were found, by what was decided: known counts all, dropped are not kept.", "decision")
	frontierLinks = describe("dowse_frontier_links", "URLs that wait or are being visited.", "state")
	frontierTop   = describe("dowse_frontier_top_score", "Priority of the best link that waits.")
	hosts         = describe("dowse_hosts", "Hosts by state.", "state")
	pageRate      = describe("dowse_pages_per_second", "Pages per second over the last 30 s, as the crawl reports it.")
	elapsed       = describe("dowse_crawl_seconds_total", "Time that the crawl ran, over all runs.")
	labels        = describe("dowse_labels_total", "Labels in force.", "label")
	modelVersion  = describe("dowse_model_version", "Number of the model that judges.")
	retrain       = describe("dowse_retrain_duration_seconds", "Time that trainings took.")
	warcBytes     = describe("dowse_warc_bytes_total", "Bytes of the archive.")
	diskFree      = describe("dowse_disk_free_bytes", "Bytes that are free on the disk of a collection.")
	diskFloor     = describe("dowse_disk_floor_bytes", "Bytes below which the crawl stops.")
	lastCommit    = describe("dowse_last_commit_timestamp_seconds", "When the journal last grew.")
)

// descs lists the metrics of collections.
var descs = []desc{
	crawlState, healthy, pagesFetched, pagesJudged, harvest, audited, requests, fetchedBytes, fetchDuration, answers, politeWait, judgeDuration, fsync, links, frontierLinks, frontierTop,
	hosts, pageRate, elapsed, labels, modelVersion, retrain, warcBytes, diskFree, diskFloor, lastCommit,
}

// A collector reads the collections at every scrape.
type collector struct{ ops *operations.Operations }

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descs {
		out <- d.Desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWait)
	defer cancel()
	list, err := c.ops.Measures(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(crawlState.Desc, err)
		return
	}
	for i := range list {
		(&scraped{out, list[i].ID}).all(&list[i])
	}
}

// A scraped sends the metrics of one collection.
type scraped struct {
	out chan<- prometheus.Metric
	id  string
}

func (s *scraped) gauge(d desc, v float64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(d.Desc, prometheus.GaugeValue, v, append([]string{s.id}, labels...)...)
}

func (s *scraped) counter(d desc, v float64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(d.Desc, prometheus.CounterValue, v, append([]string{s.id}, labels...)...)
}

// states are the values of the label state of dowse_crawl_state.
var states = []string{operations.StateRunning, operations.StateStopped, operations.StateKilled, operations.StateNew, string(operations.Damaged)}

// all sends the metrics of a collection: its state, and the rest if it is open.
func (s *scraped) all(m *operations.Measure) {
	for _, state := range states {
		s.gauge(crawlState, one(m.State == state), state)
	}
	r := m.Report
	if r == nil {
		if m.State == string(operations.Damaged) {
			s.gauge(healthy, 0)
		}
		return
	}
	s.gauge(healthy, one(r.Healthy))
	for outcome, n := range operations.Outcomes(r.Books) {
		s.counter(pagesFetched, float64(n), outcome)
	}
	s.counter(pagesJudged, float64(r.OnTopic), "on")
	s.counter(pagesJudged, float64(r.Fetched-r.OnTopic), "off")
	s.gauge(harvest, r.Harvest, "all")
	s.gauge(harvest, r.Window, "200")
	if a := r.Audited; a != nil && a.N > 0 {
		s.gauge(audited, a.Rate)
	}
	s.counter(requests, float64(r.Requests))
	s.counter(fetchedBytes, float64(r.Bytes))
	s.counter(links, float64(r.Books.Known), "known")
	s.counter(links, float64(r.Books.Skipped), "skipped")
	s.counter(links, float64(r.Dropped), "dropped")
	s.gauge(frontierLinks, float64(r.Books.Queued), "queued")
	s.gauge(frontierLinks, float64(r.Books.Held), "held")
	s.gauge(frontierLinks, float64(r.Books.InFlight), "in_flight")
	s.gauge(frontierTop, r.Top)
	for state, n := range m.Hosts {
		s.gauge(hosts, float64(n), state)
	}
	s.gauge(pageRate, r.Rate)
	s.counter(elapsed, time.Duration(r.Elapsed).Seconds())
	s.judge(m)
	s.machine(m)
}

// judge sends what is known of labels and models.
func (s *scraped) judge(m *operations.Measure) {
	for label, n := range m.Labels {
		s.counter(labels, float64(n), label)
	}
	s.gauge(modelVersion, float64(m.Model))
	s.out <- prometheus.MustNewConstSummary(retrain.Desc, uint64(m.Trainings), m.Training, nil, s.id)
}

// machine sends what is known of downloads, archive and disk.
func (s *scraped) machine(m *operations.Measure) {
	r := m.Report
	t := m.Traffic.Took
	buckets := map[float64]uint64{}
	sum := uint64(0)
	for i, bound := range t.Bounds {
		if i < len(t.Counts) {
			sum += t.Counts[i]
		}
		buckets[bound] = sum
	}
	s.out <- prometheus.MustNewConstHistogram(fetchDuration.Desc, t.N, t.Sum, buckets, s.id)
	for code, n := range m.Traffic.Answers {
		s.counter(answers, float64(n), code)
	}
	if p := m.Pulse; p != nil {
		s.counter(politeWait, p.Polite)
		s.out <- prometheus.MustNewConstSummary(judgeDuration.Desc, uint64(p.Judged), p.JudgeSeconds, nil, s.id)
		s.out <- prometheus.MustNewConstSummary(fsync.Desc, uint64(p.Commits), p.CommitSeconds, nil, s.id)
	}
	s.counter(warcBytes, float64(m.Archive))
	if r.DiskFree >= 0 {
		s.gauge(diskFree, float64(r.DiskFree))
	}
	s.gauge(diskFloor, float64(r.DiskFloor))
	if !r.Committed.IsZero() {
		s.gauge(lastCommit, float64(r.Committed.UnixMilli())/1000)
	}
}

// one returns 1 for true.
func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// registry returns the metrics of the collections and of this process.
func (s *server) registry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "dowse_build_info", Help: "The version of the program; its value is 1.",
		ConstLabels: prometheus.Labels{"version": crawler.Version, "goversion": runtime.Version()},
	})
	build.Set(1)
	reg.MustRegister(build, collector{s.ops}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}

// metrics serves them. Two scrapes at a time are enough.
func (s *server) metrics() http.Handler {
	return promhttp.HandlerFor(s.registry(), promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 2})
}
