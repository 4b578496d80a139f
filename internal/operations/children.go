package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/plain"
	"dowse/internal/sink"
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

// A Job is a crawl, or a run of the lab, that this process has started.
type Job struct {
	Collection string    `json:"collection" doc:"the ID of the collection; empty if it was not created, and for a run of the lab"`
	Dir        string    `json:"dir"`
	Process    int       `json:"pid"`
	Begun      time.Time `json:"begun"`
	Command    string    `json:"command" doc:"the command that was started"`
	State      string    `json:"state" doc:"running, done, paused or failed"`
	Exit       int       `json:"exit" doc:"the exit code, if it has ended"`
	Log        string    `json:"log,omitempty" doc:"the end of what it printed"`
	Lab        bool      `json:"lab,omitempty" doc:"whether it is a run of the lab"`
}

// The states of a job.
const (
	JobRunning = "running"
	JobDone    = "done"   // it fetched pages and came to its end, also if none of them is on topic
	JobPaused  = "paused" // it was asked to stop and can be continued
	JobFailed  = "failed" // it did not begin, an error ended it, or it could fetch no page at all
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
	job   Job
	lab   bool      // it is a run of the lab, which has no collection
	began time.Time // before the process was started
	log   *logTail
	done  chan struct{}
	// err is what Wait returned, state and exit are the outcome. They are set before done is closed.
	err   error
	state string
	exit  int
}

// Start starts a new crawl as a child process with the arguments that a person would type. It
// returns when the crawl runs, or with an error of kind Invalid and the output of the process if
// that has ended before; of kind DiskFull if it printed that the disk is full. A topic that runs a program, asks a service or reads files is refused:
// whoever asks is not known to have written it, and no consent can be given here.
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
	in, shown := o.cfg.Into, args
	if r.Topic != "" {
		if in, err = o.folder(); err != nil { // of the topic file, which is named without its folder
			return nil, err
		}
		shown = shownArguments(args, dir)
	}
	return o.launch(ctx, dir, in, args, shown)
}

// Continue continues the crawl of a collection. Settings may change limits, scope and the like. A
// process that ends before the crawl runs is an error of kind Conflict with its output.
func (o *Operations) Continue(ctx context.Context, id string, changes map[string][]string) (*Job, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	switch pid, crawls := collection.Running(s.dir); {
	case pid != 0 && crawls:
		return nil, failf(Conflict, "", "%s is being crawled already, by process %d", s.id, pid)
	case pid != 0:
		return nil, failf(Busy, "", "the judge of %s is being trained, or its settings changed, by process %d; try again when that is done", s.id, pid)
	}
	more, err := o.settingArguments(changes)
	if err != nil {
		return nil, err
	}
	defer s.renew()
	args := crawlArguments(o.cfg.CrawlFlags, more, []string{s.dir})
	return o.launch(ctx, s.dir, filepath.Dir(s.dir), args, args)
}

// nameOK matches the names of new collections: one part of a path, and no sign that a shell or a
// URL would read differently. Letters are those of any language, as names of topics have them.
var nameOK = regexp.MustCompile(`^[\pL\p{Nd}][\pL\pM\p{Nd}._-]{0,99}$`)

// maxNameBytes is how many bytes such a name may have: file systems bound names of directories to 255.
const maxNameBytes = 240

// checkName returns an error for a name that no new collection can have.
func checkName(name string) error {
	if nameOK.MatchString(name) && len(name) <= maxNameBytes && !strings.Contains(name, "..") {
		return nil
	}
	return failf(Invalid, "name", "name: got %q, want at most 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit, and no two dots in a row", clip(name))
}

// startArguments returns the arguments of a new crawl and the directory of its collection. What
// it reads from the request is checked here: words that are the name of a file would be read as
// a topic file by the command line.
func (o *Operations) startArguments(r *StartRequest) (args []string, dir string, err error) {
	t, what, err := o.startTopic(r)
	if err != nil {
		return nil, "", err
	}
	name := strings.TrimSuffix(cmp.Or(r.Name, t.Name), suffix)
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	dir = filepath.Join(o.cfg.Into, name+suffix)
	if err := freeFor(dir, name); err != nil {
		return nil, "", err
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
		if !strings.ContainsFunc(weburl.Hostname(u), func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }) {
			return nil, "", failf(Invalid, "seeds", "seeds: %q is not an address; give one such as https://example.org/reefs", clip(seed))
		}
		more = append(more, seedArgument(string(u)))
	}
	if !r.Demo && len(r.Seeds) == 0 && len(t.Seeds) == 0 && t.SeedsFrom == "" {
		return nil, "", failf(Invalid, "seeds", "seeds: there are none; give one or more URLs to begin with")
	}
	more = append(more, newArguments(dir, r.Demo)...)
	return crawlArguments(o.cfg.CrawlFlags, more, what), dir, nil
}

// freeFor returns an error if no new collection can be made in a directory. One that holds only what an
// interrupted start has left, as on a full disk, is free: the next start begins there again.
func freeFor(dir, name string) error {
	if !exists(dir) {
		return nil
	}
	if collection.IsCollection(dir) || collection.Remains(dir) {
		return failf(Conflict, "name", "name: there is a collection %s already; continue it, or choose another name", name)
	}
	info, err := os.Lstat(dir)
	if err == nil && info.IsDir() {
		if begun, err := collection.Unfinished(dir); err == nil && begun {
			return nil
		}
	}
	return failf(Conflict, "name", "name: %s exists and is not a collection; remove it, or choose another name", name+suffix)
}

// startTopic returns the topic of a new crawl and the arguments that name it.
func (o *Operations) startTopic(r *StartRequest) (t *topic.Topic, what []string, err error) {
	if t, err = givenTopic(r.Words, r.Topic); err != nil {
		return nil, nil, err
	}
	if r.Topic != "" {
		file, err := o.topicFile(cmp.Or(r.Name, t.Name, "topic"), r.Topic)
		return t, []string{file}, err
	}
	for _, w := range r.Words {
		if strings.ContainsAny(w, "/\\\x00") || len(w) > maxText || strings.HasSuffix(w, suffix) || strings.HasSuffix(w, ".yaml") || strings.HasSuffix(w, ".yml") || exists(filepath.Join(o.cfg.Into, w)) {
			return nil, nil, failf(Invalid, "words", "words: %q could be the name of a file; write it differently", clip(w))
		}
	}
	return t, r.Words, nil
}

// givenTopic returns the topic of a request, which is in words or the text of a topic file that is harmless.
func givenTopic(words []string, text string) (t *topic.Topic, err error) {
	switch {
	case len(words) == 0 && text == "":
		return nil, failf(Invalid, "topic", "nothing to look for: give words or a topic")
	case len(words) > 0 && text != "":
		return nil, failf(Invalid, "topic", "give words or a topic, not both")
	case len(text) > maxTopic:
		return nil, failf(TooLarge, "topic", "topic: got %d bytes, want at most %d", len(text), maxTopic)
	case text == "":
		return topic.FromWords(words), nil
	}
	if t, err = topic.Parse([]byte(text), "topic"); err != nil {
		return nil, &Error{Invalid, "topic", err}
	}
	return t, harmless(t)
}

// harmless returns an error for a topic that makes this machine do more than fetch pages. It would be
// written to a file of the user's own, to which the command line asks for no consent.
func harmless(t *topic.Topic) error {
	if t.Outside != nil {
		return failf(Refused, "topic", "topic: it names a program or a service that judges pages, which can only be agreed to in a terminal; leave that out")
	}
	if files := t.Files(); len(files) > 0 {
		return failf(Refused, "topic", "topic: it reads the file %q, which can only be agreed to in a terminal; write the words into the topic", clip(files[0]))
	}
	return nil
}

// topicFile writes a topic into the private folder and returns its name there. The process is started in
// that folder, so that its messages name the file alone.
func (o *Operations) topicFile(name, text string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	folder, err := o.folder()
	if err != nil {
		return "", err
	}
	file := name + ".topic.yaml"
	return file, durable.In(folder).WriteFile(file, []byte(text))
}

// settingArguments returns the flags of settings. Those that the operator has fixed, and those that
// open networks, are refused, and a sink may only be a file in the folders that are served.
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
				return nil, &Error{Invalid, name, named(err, f.Key, name)}
			}
			if name == sinkSetting {
				if err := o.checkSink(value); err != nil {
					return nil, err
				}
			}
			args = append(args, flagArgument(name, value))
		}
	}
	return args, nil
}

// named returns an error about a setting with the name that the caller gave, in the place of its key in files.
func named(err error, key, name string) error {
	if rest, ok := strings.CutPrefix(err.Error(), key+":"); ok {
		return fmt.Errorf("%s:%s", name, rest)
	}
	return err
}

// sinkSetting is the setting that sends pages elsewhere.
const sinkSetting = "sink"

// checkSink returns an error for a sink other than a file of JSON lines, by its name, in a folder that
// this process was started for. A service would be sent pages, and credentials from the environment of
// this process; a file elsewhere, in a collection, or of another name could be anything.
func (o *Operations) checkSink(value string) error {
	spec, err := sink.Parse(value)
	if err != nil {
		return &Error{Invalid, sinkSetting, err}
	}
	file, ok := spec.IsFile()
	if !ok {
		return failf(Refused, sinkSetting, "sink: only a file can be given here; give other sinks in a terminal")
	}
	if base := filepath.Base(file); filepath.Ext(base) != ".jsonl" || strings.HasPrefix(base, ".") {
		return failf(Refused, sinkSetting, "sink: want a file whose name ends in .jsonl and does not begin with a dot")
	}
	real, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil || !filepath.IsAbs(file) {
		return failf(Refused, sinkSetting, "sink: want a file with its full path, in a folder that exists")
	}
	if st, err := os.Lstat(file); err == nil && !st.Mode().IsRegular() {
		return failf(Refused, sinkSetting, "sink: it is no plain file")
	}
	for _, dir := range append(slices.Clone(o.cfg.Dirs), o.cfg.Into) {
		if dir == "" || collection.IsCollection(dir) {
			continue
		}
		root, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) && !insideCollection(root, rel) {
			return nil
		}
	}
	return failf(Refused, sinkSetting, "sink: want a file in a folder that this program was started for, outside of its collections")
}

// insideCollection reports whether a path below root is in a collection.
func insideCollection(root, rel string) bool {
	for path := filepath.Join(root, rel); path != root && len(path) > len(root); path = filepath.Dir(path) {
		if collection.IsCollection(path) || collection.Remains(path) || strings.HasSuffix(path, suffix) {
			return true
		}
	}
	return false
}

// launch starts a crawl, in a folder, and waits until it runs. shown are the arguments as the command of the job
// shows them.
func (o *Operations) launch(ctx context.Context, dir, in string, args, shown []string) (*Job, error) {
	existed := collection.IsCollection(dir)
	c, err := o.spawn(dir, in, args, shown, false)
	if err != nil {
		return nil, err
	}
	if !c.starts(ctx, func() bool { _, ok := c.run(); return ok }) {
		kind, why := Invalid, c.complaint()
		switch {
		case strings.Contains(why, syscall.ENOSPC.Error()):
			kind = DiskFull
		case existed:
			kind = Conflict
		}
		return nil, failf(kind, "", "the crawl did not begin: %s", why)
	}
	return o.jobOf(c), nil
}

// starts waits until the work of a child has begun, and reports false if the child failed before that. A child
// that still reads its examples or its web after some time counts as begun.
func (c *child) starts(ctx context.Context, begun func() bool) bool {
	late := time.NewTimer(startWait)
	defer late.Stop()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if begun() {
				return true
			}
		case <-c.done:
			return begun() || c.err == nil
		case <-late.C:
			return true
		case <-ctx.Done():
			return true
		}
	}
}

// complaint returns what a child that has ended printed, in one line.
func (c *child) complaint() string {
	return netAdvice.ReplaceAllString(strings.Join(strings.Fields(plain.OneLine(c.log.String())), " "), netAdviceHere)
}

// run returns the run of the crawl that a process has begun; false if it has begun none.
func (c *child) run() (crawler.RunRecord, bool) {
	last, ok := crawler.LastRun(&collection.Collection{Dir: c.job.Dir})
	return last, ok && last.Process == c.job.Process && !last.Begun.Before(c.began)
}

// spawn starts a process in a folder, unless too many run already. lab reports whether it is a run of the lab
// and not a crawl, and shown are the arguments for its command.
func (o *Operations) spawn(dir, in string, args, shown []string, lab bool) (*child, error) {
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
	log, err := newLog()
	if err != nil {
		return nil, err
	}
	c := &child{lab: lab, began: time.Now(), log: log, done: make(chan struct{})}
	cmd := exec.Command(exe, args...)
	cmd.Dir = in
	cmd.Stdout, cmd.Stderr = log.file.Handle(), log.file.Handle()
	ownGroup(cmd)
	tie, err := o.tie(cmd)
	if err != nil {
		log.close()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		log.close()
		tie()
		return nil, fmt.Errorf("start a crawl: %w", err)
	}
	c.job = Job{Dir: dir, Process: cmd.Process.Pid, Begun: o.cfg.Now().UTC(), Command: command(shown...), State: JobRunning, Lab: lab}
	go func() {
		c.err = cmd.Wait()
		log.close()
		tie()
		c.state, c.exit = c.outcome() // now: a later run of the same collection hides the record of this one
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

// exitStopped is the exit code of a command that was asked to stop and can be continued.
const exitStopped = 3

// outcome returns the state and the exit code of a process that has ended. A crawl that was stopped, or found
// nothing on topic, has an exit code other than 0 and did not fail: its run was recorded with the
// reason of its end. A crawl without a recorded run, or without any page, did.
func (c *child) outcome() (state string, exit int) {
	if c.err == nil {
		return JobDone, 0
	}
	exit = -1
	var code *exec.ExitError
	if errors.As(c.err, &code) {
		exit = code.ExitCode()
	}
	run, ok := c.run()
	switch {
	case c.lab && exit == exitStopped:
		return JobPaused, exit
	case !ok || run.Ended.IsZero() || run.Error != "":
		return JobFailed, exit
	case run.Why == dowse.StopSignal:
		return JobPaused, exit
	case run.Why == dowse.StopError || run.Why == dowse.StopDisk || run.Why == dowse.StopMemory || run.Why == dowse.StopNetwork || run.Fetched == 0:
		return JobFailed, exit
	}
	return JobDone, exit
}

// jobOf returns a crawl as callers see it.
func (o *Operations) jobOf(c *child) *Job {
	j := c.job
	j.Log = plain.Printable(c.log.String())
	if c.ended() {
		j.State, j.Exit = c.state, c.exit
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

// A logTail is what a process prints. The process writes it to a file, which no longer has a name, and
// which is gone when both have ended: a process whose output is a pipe is killed when it prints after the
// reader of the pipe has ended.
type logTail struct {
	mu   sync.Mutex
	file *durable.File // nil after the end of the process
	end  string        // what it printed last, after its end
}

func newLog() (*logTail, error) {
	f, err := durable.In(os.TempDir()).Scratch()
	if err != nil {
		return nil, err
	}
	return &logTail{file: f}, nil
}

// close keeps the end of what was printed and closes the file.
func (l *logTail) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = l.tail()
	l.file.Close()
	l.file = nil
}

// String returns the end of what was printed.
func (l *logTail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return l.end
	}
	return l.tail()
}

// tail reads the end of the file.
func (l *logTail) tail() string {
	info, err := l.file.Handle().Stat()
	if err != nil {
		return ""
	}
	b := make([]byte, min(info.Size(), maxLog))
	n, _ := l.file.ReadAt(b, info.Size()-int64(len(b)))
	return string(b[:n])
}
