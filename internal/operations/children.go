package operations

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/plain"
	"dowse/settings"
	"dowse/topic"
	"dowse/weburl"
)

// A StartRequest is a new crawl. Words or Topic say what to look for.
type StartRequest struct {
	Name  string   `json:"name,omitempty" doc:"the name of the collection; default made from the topic"`
	Words []string `json:"words,omitempty" doc:"what to look for, in words"`
	Topic string   `json:"topic,omitempty" doc:"what to look for, as the text of a topic file"`
	Seeds []string `json:"seeds,omitempty" doc:"URLs to begin with"`
	// Settings are those of the flags of dowse crawl, without dashes.
	Settings map[string][]string `json:"settings,omitempty" doc:"settings by name"`
	Demo     bool                `json:"demo,omitempty" doc:"crawl the built-in demo web, offline"`
}

// A Job is a crawl that this process has started.
type Job struct {
	Collection string    `json:"collection" doc:"the ID of the collection; empty if it was not created"`
	Dir        string    `json:"dir"`
	Process    int       `json:"pid"`
	Begun      time.Time `json:"begun"`
	Command    string    `json:"command" doc:"the command that was started"`
	State      string    `json:"state" doc:"running, done or failed"`
	Exit       int       `json:"exit" doc:"the exit code, if it has ended"`
	Log        string    `json:"log,omitempty" doc:"the end of what it printed"`
}

// The states of a job.
const (
	JobRunning = "running"
	JobDone    = "done"
	JobFailed  = "failed"
)

// Bounds of jobs.
const (
	keptJobs  = 50
	maxLog    = 8 << 10 // bytes of a log in an answer
	startWait = 10 * time.Second
	maxSeeds  = 10_000
	maxTopic  = 1 << 20 // bytes
	startPoll = 50 * time.Millisecond
)

// children are the crawls that this process has started.
type children struct {
	mu   sync.Mutex
	jobs []*child
}

// A child is one of them.
type child struct {
	job  Job
	log  *logTail
	done chan struct{}
	err  error
}

// Start starts a new crawl as a child process with the arguments that a person would type. It
// returns when the collection exists, or with an error of kind Invalid and the output of the
// process if that has ended before.
func (o *Operations) Start(ctx context.Context, r StartRequest) (*Job, error) {
	if err := o.mayChange(); err != nil {
		return nil, err
	}
	if o.cfg.Into == "" {
		return nil, failf(Refused, "", "no crawl can be started: this program was given no folder for new collections")
	}
	args, dir, err := o.startArguments(&r)
	if err != nil {
		return nil, err
	}
	return o.launch(ctx, dir, args)
}

// Continue continues the crawl of a collection. Settings may change limits, scope and the like.
func (o *Operations) Continue(ctx context.Context, id string, changes map[string][]string) (*Job, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	if pid := collection.Running(s.dir); pid != 0 {
		return nil, failf(Conflict, "", "%s is being crawled already, by process %d", s.id, pid)
	}
	more, err := o.settingArguments(changes)
	if err != nil {
		return nil, err
	}
	defer s.renew()
	return o.launch(ctx, s.dir, crawlArguments(o.cfg.CrawlFlags, more, []string{s.dir}))
}

// nameOK matches the names of new collections: one part of a path, and nothing that a shell or a
// URL would read differently.
var nameOK = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$`)

// startArguments returns the arguments of a new crawl and the directory of its collection. What
// it reads from the request is checked here: words that are the name of a file would be read as
// a topic file by the command line.
func (o *Operations) startArguments(r *StartRequest) (args []string, dir string, err error) {
	t, what, err := o.startTopic(r)
	if err != nil {
		return nil, "", err
	}
	name := strings.TrimSuffix(cmp.Or(r.Name, t.Name), suffix)
	if !nameOK.MatchString(name) || strings.Contains(name, "..") {
		return nil, "", failf(Invalid, "name", "name: got %q, want letters, digits, dots and dashes", clip(name))
	}
	dir = filepath.Join(o.cfg.Into, name+suffix)
	if exists(dir) {
		return nil, "", failf(Conflict, "name", "name: there is a collection %s already; continue it, or choose another name", name)
	}
	more, err := o.settingArguments(r.Settings)
	if err != nil {
		return nil, "", err
	}
	if len(r.Seeds) > maxSeeds {
		return nil, "", failf(TooLarge, "seeds", "seeds: got %d, want at most %d", len(r.Seeds), maxSeeds)
	}
	for _, seed := range r.Seeds {
		u, err := weburl.Parse(Spellings(seed)[0])
		if err != nil {
			return nil, "", failf(Invalid, "seeds", "seeds: %q: %w", clip(seed), err)
		}
		more = append(more, seedArgument(string(u)))
	}
	more = append(more, newArguments(dir, r.Demo)...)
	return crawlArguments(o.cfg.CrawlFlags, more, what), dir, nil
}

// startTopic returns the topic of a new crawl and the arguments that name it.
func (o *Operations) startTopic(r *StartRequest) (t *topic.Topic, what []string, err error) {
	switch {
	case (len(r.Words) > 0) == (r.Topic != ""):
		return nil, nil, failf(Invalid, "topic", "give words or a topic, not both")
	case len(r.Topic) > maxTopic:
		return nil, nil, failf(TooLarge, "topic", "topic: got %d bytes, want at most %d", len(r.Topic), maxTopic)
	case r.Topic != "":
		if t, err = topic.Parse([]byte(r.Topic), "topic"); err != nil {
			return nil, nil, &Error{Invalid, "topic", err}
		}
		file, err := o.topicFile(cmp.Or(r.Name, t.Name, "topic"), r.Topic)
		return t, []string{file}, err
	}
	for _, w := range r.Words {
		if strings.ContainsAny(w, "/\\\x00") || len(w) > maxText || strings.HasSuffix(w, suffix) || strings.HasSuffix(w, ".yaml") || strings.HasSuffix(w, ".yml") || exists(filepath.Join(o.cfg.Into, w)) {
			return nil, nil, failf(Invalid, "words", "words: %q could be the name of a file; write it differently", clip(w))
		}
	}
	return topic.FromWords(r.Words), r.Words, nil
}

// topicFile writes a topic into the private folder.
func (o *Operations) topicFile(name, text string) (string, error) {
	if !nameOK.MatchString(name) {
		return "", failf(Invalid, "name", "name: got %q, want letters, digits, dots and dashes", clip(name))
	}
	folder, err := o.folder()
	if err != nil {
		return "", err
	}
	file := name + ".topic.yaml"
	return filepath.Join(folder, file), durable.In(folder).WriteFile(file, []byte(text))
}

// settingArguments returns the flags of settings. Those that the operator has fixed, and those that
// open networks, are refused.
func (o *Operations) settingArguments(given map[string][]string) (args []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		f, ok := settings.ByFlag(name)
		section, _, _ := strings.Cut(f.Key, ".")
		if !ok || section == "network" || section == "machine" {
			return nil, failf(Invalid, name, "%s: there is no such setting that can be given here", clip(name))
		}
		if slices.ContainsFunc(o.cfg.CrawlFlags, func(a string) bool { return isFlag(a, name) }) {
			return nil, failf(Refused, name, "%s: it was fixed when this program was started", clip(name))
		}
		for _, value := range given[name] {
			if _, err := f.Read(value); err != nil {
				return nil, &Error{Invalid, name, err}
			}
			args = append(args, flagArgument(name, value))
		}
	}
	return args, nil
}

// launch starts a crawl and waits until it runs.
func (o *Operations) launch(ctx context.Context, dir string, args []string) (*Job, error) {
	c, err := o.spawn(dir, args)
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(startWait)
	defer late.Stop()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if collection.IsCollection(dir) && collection.Running(dir) != 0 {
				return o.jobOf(c), nil
			}
		case <-c.done:
			if c.err != nil && !collection.IsCollection(dir) {
				return nil, failf(Invalid, "", "the crawl did not begin: %s", plain.OneLine(c.log.String()))
			}
			return o.jobOf(c), nil
		case <-late.C:
			return o.jobOf(c), nil // it is still gathering its examples
		case <-ctx.Done():
			return o.jobOf(c), nil
		}
	}
}

// spawn starts a process, unless too many run already.
func (o *Operations) spawn(dir string, args []string) (*child, error) {
	exe := o.cfg.Executable
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	o.children.mu.Lock()
	defer o.children.mu.Unlock()
	running := 0
	for _, c := range o.children.jobs {
		running += order(!c.ended())
	}
	if running >= o.cfg.Crawls {
		return nil, failf(Busy, "", "%d crawls that were started here are running, which is the limit; stop one first", running)
	}
	c := &child{log: &logTail{}, done: make(chan struct{})}
	cmd := exec.Command(exe, args...)
	cmd.Dir = filepath.Dir(dir)
	out, err := c.log.pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = out, out
	ownGroup(cmd)
	tie, err := o.tie(cmd)
	if err != nil {
		out.Close()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		out.Close()
		tie()
		return nil, fmt.Errorf("start a crawl: %w", err)
	}
	out.Close()
	c.job = Job{Dir: dir, Process: cmd.Process.Pid, Begun: o.cfg.Now().UTC(), Command: command(args...), State: JobRunning}
	go func() {
		c.err = cmd.Wait()
		tie()
		o.renew(dir)
		close(c.done)
	}()
	o.children.jobs = append(o.children.jobs, c)
	if len(o.children.jobs) > keptJobs {
		o.children.jobs = slices.Delete(o.children.jobs, 0, len(o.children.jobs)-keptJobs)
	}
	return c, nil
}

// renew has the next question about the collection in a directory see all that its crawl has done.
func (o *Operations) renew(dir string) {
	o.mu.Lock()
	s := o.shelves[dir]
	o.mu.Unlock()
	if s != nil {
		s.renew()
	}
}

// tie gives a process a standard input that ends when this process does, if crawls are bound to it. The returned function
// ends it earlier.
func (o *Operations) tie(cmd *exec.Cmd) (end func(), err error) {
	if !o.cfg.Bound {
		return func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin = r
	return func() { r.Close(); w.Close() }, nil
}

// ended reports whether the process has ended.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// jobOf returns a crawl as callers see it.
func (o *Operations) jobOf(c *child) *Job {
	j := c.job
	j.Log = plain.Printable(c.log.String())
	if c.ended() {
		j.State = JobDone
		var exit *exec.ExitError
		switch {
		case errors.As(c.err, &exit):
			j.State, j.Exit = JobFailed, exit.ExitCode()
		case c.err != nil:
			j.State, j.Exit = JobFailed, -1
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scan(true)
	if s := o.shelves[j.Dir]; s != nil {
		j.Collection = s.id
	}
	return &j
}

// Jobs lists the crawls that this process has started, the newest first.
func (o *Operations) Jobs() []Job {
	o.children.mu.Lock()
	jobs := slices.Clone(o.children.jobs)
	o.children.mu.Unlock()
	list := []Job{}
	for _, c := range slices.Backward(jobs) {
		list = append(list, *o.jobOf(c))
	}
	return list
}

// A logTail keeps the end of what a process prints.
type logTail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// pipe returns the file that a process writes to. A goroutine reads it until the process and
// its children have closed it, so that the process is never blocked by its log.
func (l *logTail) pipe() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer r.Close()
		_, _ = io.Copy(l, r)
	}()
	return w, nil
}

// Write keeps the end of what was written.
func (l *logTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Write(p)
	if over := l.b.Len() - maxLog; over > 0 {
		l.b.Next(over)
	}
	return len(p), nil
}

// String returns what is kept.
func (l *logTail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
