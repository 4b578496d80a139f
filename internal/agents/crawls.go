package agents

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dowse"
	"dowse/internal/operations"
	"dowse/internal/plain"
	"dowse/topic"
)

// A budget bounds a crawl. A number that is not given is the largest that is allowed.
type budget struct {
	Pages    int `json:"pages,omitempty" jsonschema:"stop after this many pages fetched; default 50"`
	Seconds  int `json:"seconds,omitempty" jsonschema:"stop after this many seconds of crawling; default the limit of the server"`
	Megabyte int `json:"megabytes,omitempty" jsonschema:"stop after this many megabytes received; default the limit of the server"`
}

// defaultPages is the budget of a crawl whose caller gives none.
const defaultPages = 50

// settings returns the budget as settings of a crawl, or an error if it is negative or above what the server allows.
func (s *Server) settings(b budget) (map[string][]string, error) {
	if b.Pages == 0 {
		b.Pages = min(defaultPages, s.cfg.Pages)
	}
	seconds, megabytes := int(s.cfg.Time/time.Second), int(s.cfg.Bytes/1e6)
	for _, x := range []struct {
		name      string
		got, most int
	}{{"pages", b.Pages, s.cfg.Pages}, {"seconds", b.Seconds, seconds}, {"megabytes", b.Megabyte, megabytes}} {
		switch {
		case x.got < 0:
			return nil, fmt.Errorf("%s: got %d, want 1 to %d; leave it out for the default", x.name, x.got, x.most)
		case x.got > x.most:
			return nil, fmt.Errorf("%s: got %d, want at most %d, which is the limit of this server", x.name, x.got, x.most)
		}
	}
	if b.Megabyte > 0 {
		megabytes = b.Megabyte
	}
	limit := s.cfg.Time
	if b.Seconds > 0 {
		limit = time.Duration(b.Seconds) * time.Second
	}
	return map[string][]string{
		"pages": {strconv.Itoa(b.Pages)}, "time": {limit.String()}, "bytes": {fmt.Sprintf("%dMB", megabytes)},
	}, nil
}

// larger completes the budget of a crawl that is continued. What the caller does not give is as large as the server allows. A
// budget below the limits of the collection is an error, because these may be those of a person, and limits are kept.
func (s *Server) larger(b budget, of *operations.Settings) (budget, error) {
	has := &of.Limits
	for _, x := range []struct {
		name  string
		given *int
		most  int // of the server
		has   int // 0 for no limit
	}{
		{"pages", &b.Pages, s.cfg.Pages, has.Pages},
		{"seconds", &b.Seconds, int(s.cfg.Time / time.Second), int(has.Time / time.Second)},
		{"megabytes", &b.Megabyte, int(s.cfg.Bytes / 1e6), int(has.Bytes / 1e6)},
	} {
		switch {
		case *x.given < 0 || *x.given > x.most:
			return b, nil // settings refuses it
		case x.has == 0 || x.has > x.most:
			return b, fmt.Errorf("%s: the collection has %s, and this server allows %d: continuing it here would lower that for good; ask a person to continue it in a terminal", x.name, limitText(x.has), x.most)
		case *x.given == 0:
			*x.given = x.most
		case *x.given < x.has:
			return b, fmt.Errorf("%s: got %d, and the collection has a limit of %d: give at least that, or leave it out", x.name, *x.given, x.has)
		}
	}
	return b, nil
}

// limitText returns a limit of a collection in words; 0 is none.
func limitText(n int) string {
	if n == 0 {
		return "no limit"
	}
	return fmt.Sprintf("a limit of %d", n)
}

// A startInput is what to crawl.
type startInput struct {
	Topic     string   `json:"topic,omitempty" jsonschema:"what to look for, in a few words; for example: coral bleaching"`
	TopicFile string   `json:"topic_file,omitempty" jsonschema:"instead of topic: the text of a topic file (YAML) with words, also, not, about, languages; no programs, services or files"`
	Seeds     []string `json:"seeds,omitempty" jsonschema:"URLs to start from; pages that link to pages on the topic are best"`
	Name      string   `json:"name,omitempty" jsonschema:"name of the new collection: at most 100 letters, digits, dots and dashes, beginning with a letter or a digit; default made from the topic"`
	Scope     string   `json:"scope,omitempty" jsonschema:"how far from the seeds to go: web, domain, host or prefix; default web"`
	budget
}

// maxTopic is the length of a topic in words, in bytes.
const maxTopic = 500

// request returns the crawl that is asked for, checked.
func (s *Server) request(in *startInput) (r operations.StartRequest, err error) {
	if in.Topic == "" && in.TopicFile == "" {
		return r, fmt.Errorf("topic: nothing to look for; give topic or topic_file")
	}
	if in.Topic != "" && in.TopicFile != "" {
		return r, fmt.Errorf("topic: give topic or topic_file, and not both")
	}
	if len(in.Topic) > maxTopic {
		return r, fmt.Errorf("topic: got %d bytes, want a few words, at most %d bytes", len(in.Topic), maxTopic)
	}
	if r.Settings, err = s.settings(in.budget); err != nil {
		return r, err
	}
	switch in.Scope {
	case "":
	case "web", "domain", "host", "prefix":
		r.Settings["scope"] = []string{in.Scope}
	default:
		return r, fmt.Errorf("scope: got %q, want web, domain, host or prefix", plain.Cut(in.Scope, 40))
	}
	r.Name, r.Seeds, r.Demo = in.Name, in.Seeds, s.cfg.Demo
	if in.Topic != "" {
		r.Words = []string{in.Topic}
		return r, nil
	}
	r.Topic = in.TopicFile
	_, err = topic.Parse([]byte(r.Topic), "topic_file") // the operations would name it differently
	return r, err
}

// A crawlAnswer is the progress of a crawl.
type crawlAnswer struct {
	Collection string  `json:"collection"`
	State      string  `json:"state"` // running, stopped, killed or new
	Fetched    int     `json:"pages_fetched"`
	OnTopic    int     `json:"pages_on_topic"`
	Harvest    float64 `json:"harvest"`
	Queued     int     `json:"links_waiting"`
	Stopped    string  `json:"stopped_because,omitempty"`
	Ailment    string  `json:"problem,omitempty"`
	Output     string  `json:"output,omitempty"` // of a crawl that failed: the end of what it printed
	Note       string  `json:"note,omitempty"`
}

// progress returns the progress of a crawl.
func (s *Server) progress(ctx context.Context, id string) (*crawlAnswer, error) {
	r, err := s.ops.Status(ctx, id)
	if err != nil {
		return nil, err
	}
	a := &crawlAnswer{Collection: id, State: r.State, Fetched: r.Fetched, OnTopic: r.OnTopic, Harvest: r.Harvest, Queued: r.Books.Queued}
	if !r.Running {
		a.Stopped = stopText(r.Status.Stopped)
	}
	if r.Ailment != nil {
		a.Ailment = r.Ailment.Text
	}
	for _, j := range s.ops.Jobs() {
		if j.Collection == id && j.State == operations.JobFailed && a.Fetched == 0 {
			a.Output = oneLine(j.Log)
			break
		}
	}
	return a, nil
}

// stopText returns why a crawl has stopped.
func stopText(r dowse.StopReason) string { return string(r) }

// start starts a crawl.
func (s *Server) start(ctx context.Context, in *startInput) (*operations.Job, error) {
	r, err := s.request(in)
	if err != nil {
		return nil, err
	}
	// A call that is cancelled while the crawl begins would leave a crawl that the caller does not know.
	job, err := s.ops.Start(context.WithoutCancel(ctx), r)
	if err != nil {
		return nil, err
	}
	if job.Collection == "" {
		return nil, fmt.Errorf("the crawl did not begin: %s", oneLine(job.Log))
	}
	return job, nil
}

// Times of waiting for a crawl.
const (
	defaultWait = 5 * time.Minute
	maxWait     = 30 * time.Minute
	waitPoll    = 500 * time.Millisecond
)

// waitTime returns how long to wait for a number of seconds that a caller gives.
func waitTime(seconds int) (time.Duration, error) {
	d := time.Duration(seconds) * time.Second
	switch {
	case seconds < 0 || d > maxWait:
		return 0, fmt.Errorf("wait_seconds: got %d, want 0 to %d", seconds, int(maxWait/time.Second))
	case seconds == 0:
		return defaultWait, nil
	}
	return d, nil
}

// await waits until no process crawls in a collection, at most for a time, and reports the progress to the client. It
// returns the last progress, also if the time is over; then the state is running.
func (s *Server) await(ctx context.Context, req *mcp.CallToolRequest, id string, most time.Duration, pages int) (*crawlAnswer, error) {
	late := time.NewTimer(most)
	defer late.Stop()
	tick := time.NewTicker(waitPoll)
	defer tick.Stop()
	sent := -1
	for {
		ended := !s.starting(id) // before the progress, which then is the last
		a, err := s.progress(ctx, id)
		if err != nil {
			return nil, err
		}
		if a.Fetched > sent {
			sent = a.Fetched
			notify(ctx, req, a, pages)
		}
		if a.State != operations.StateRunning && ended {
			return a, nil
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-late.C:
			a.Note = "it is still running: call wait again, or read what it has so far"
			return a, nil
		case <-tick.C:
		}
	}
}

// starting reports whether the process of a crawl runs, although it may not hold the collection yet, or no longer.
func (s *Server) starting(id string) bool {
	for _, j := range s.ops.Jobs() {
		if j.Collection == id {
			return j.State == operations.JobRunning
		}
	}
	return false
}

// notify sends the progress to a client that has asked for it.
func notify(ctx context.Context, req *mcp.CallToolRequest, a *crawlAnswer, pages int) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that is gone ends the call by its context
		ProgressToken: token, Progress: float64(a.Fetched), Total: float64(pages),
		Message: fmt.Sprintf("%s: %s fetched, %s on topic", a.Collection, plain.Some(a.Fetched, "page"), plain.Count(a.OnTopic)),
	})
}

// A collectInput is a whole task: what to crawl, and how long to wait for it.
type collectInput struct {
	startInput
	Wait  int  `json:"wait_seconds,omitempty" jsonschema:"wait at most this long for the crawl; default 300"`
	Whole bool `json:"whole,omitempty" jsonschema:"return whole pages, as many as fit, instead of all pages with as much of each as fits"`
}

// collect crawls a topic and returns the pages on topic as Markdown, with as much of each as fits into the answer. If the call is cancelled, the crawl is stopped: its caller
// is the only one who knows of it.
func (s *Server) collect(ctx context.Context, req *mcp.CallToolRequest, in collectInput) (*mcp.CallToolResult, any, error) {
	wait, err := waitTime(in.Wait)
	if err != nil {
		return nil, nil, err
	}
	job, err := s.start(ctx, &in.startInput)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	s.calls.Add(1)
	s.mu.Unlock()
	defer s.calls.Done()
	pages := in.Pages
	if pages == 0 {
		pages = min(defaultPages, s.cfg.Pages)
	}
	a, err := s.await(ctx, req, job.Collection, wait, pages)
	if ctx.Err() != nil {
		_, err := s.ops.Stop(context.WithoutCancel(ctx), job.Collection, endWait)
		return nil, nil, fmt.Errorf("the call was cancelled, and the crawl stopped; its pages are in collection %s: %w", job.Collection, firstError(err, ctx.Err()))
	}
	if err != nil {
		return nil, nil, err
	}
	return s.readAll(ctx, a, readAllInput{Collection: job.Collection, Beginnings: !in.Whole})
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
