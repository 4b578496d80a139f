package crawler

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/durable"
	"dowse/internal/plain"
	"dowse/settings"
	"dowse/weburl"
)

// How a setting reaches a running crawl: Set writes a request into the folder state/ of the
// collection, in one file, whole and synced. The loop of the crawl looks for such files ten times
// a second, makes the change, records it in log/settings.jsonl, and removes the file
// last. A kill at any moment leaves the request, and whoever opens the collection next makes
// the change; one that was made already changes nothing the second time. Without a running
// crawl Set makes the change itself, by the same code.
const (
	requestPattern = "set-*.json"
	settingsLog    = "log/settings.jsonl"
	maxRequest     = 1 << 20 // bytes
	setEvery       = 50 * time.Millisecond
)

// A Wanted is a change of the settings of an existing crawl: of its limits, scope, politeness
// or threshold.
type Wanted struct {
	// Settings are merged with those of the collection, see [settings.Merge].
	Settings settings.Settings `json:"settings"`
	// Reset names settings, by their flags, that return to their default.
	Reset []string `json:"reset,omitempty"`
	// Drop are patterns and hosts to remove from include, exclude and block.
	Drop []string `json:"drop,omitempty"`
	// By is who asks, for the log; it may be empty.
	By string `json:"by,omitempty"`
	// Agreed, if set, is called with the acts that the changed settings ask for before Set
	// returns, so that they can be remembered: whoever asks for a change agrees to it.
	Agreed func(dir string, s collection.Settings, acts []Act) error `json:"-"`
}

// A SetRecord is a change of settings as log/settings.jsonl holds it, one per line.
type SetRecord struct {
	Request string    `json:"request"` // the name of the request; "crawl" for what a crawl was resumed with
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"`
	// Changes are lines such as "delay 1s → 2s"; empty if the settings were as wanted already.
	Changes []string `json:"changes"`
	// Notes are what the change did to the queue.
	Notes []string `json:"notes,omitempty"`
	// Error is why nothing was changed, "" if something was.
	Error string `json:"error,omitempty"`
}

// Set changes settings of the crawl in dir, whether it runs in this process, in another one, or
// not at all, and returns once the change is made and durable. It applies to all decisions that
// follow. A narrower scope is checked when a URL is about to be visited, and a threshold applies from now on, see late.go. If the scope becomes wider than
// links were decided under, all pages and links are decided again, and the crawl
// pauses for as long as folding its journal takes.
//
// A change that is refused is an error, and nothing is changed. If ctx ends before, the
// request stays and is carried out later; the error is that of ctx.
func Set(ctx context.Context, dir string, want Wanted) (SetRecord, error) {
	if err := want.check(); err != nil {
		return SetRecord{}, err
	}
	data, err := json.Marshal(want)
	if err != nil {
		return SetRecord{}, fmt.Errorf("crawler: set: %w", err)
	}
	name := fmt.Sprintf("set-%020d-%d.json", time.Now().UnixNano(), os.Getpid())
	if err := durable.In(dir).WriteFile("state/"+name, data); err != nil {
		return SetRecord{}, fmt.Errorf("crawler: set: %w", err)
	}
	tick := time.NewTicker(setEvery)
	defer tick.Stop()
	for {
		r, done, err := awaitSet(dir, name)
		if err != nil {
			return r, err
		}
		if done {
			return r, want.reportAgreed(dir)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return SetRecord{}, ctx.Err()
		}
	}
}

// reportAgreed calls Agreed with the acts of the politeness that was asked for. Settings that the
// change does not name need the consent that they needed before.
func (w *Wanted) reportAgreed(dir string) error {
	asked := w.Settings.Politeness
	if w.Agreed == nil || asked.Delay == 0 && asked.Conns == 0 {
		return nil
	}
	s, err := collection.ReadSettings(dir)
	if err != nil {
		return err
	}
	now := s.Politeness
	if asked.Delay == 0 {
		now.Delay = 0
	}
	if asked.Conns == 0 {
		now.Conns = 0
	}
	if acts := hurryActs(now); len(acts) > 0 {
		return w.Agreed(dir, s, acts)
	}
	return nil
}

// awaitSet reports whether a request was carried out, and carries it out if no process works
// on the collection.
func awaitSet(dir, name string) (r SetRecord, done bool, err error) {
	if _, err := durable.In(dir).Lstat("state/" + name); errors.Is(err, fs.ErrNotExist) {
		return setResult(dir, name)
	}
	if _, crawls := collection.Running(dir); crawls {
		return r, false, nil // its process is asked; to try the lock would take a second each time
	}
	err = setAtRest(dir)
	if errors.Is(err, collection.ErrLocked) && !errors.Is(err, collection.ErrCopy) {
		return r, false, nil // its process is asked
	}
	if err != nil {
		return r, false, errors.Join(err, durable.In(dir).Remove("state/"+name))
	}
	return setResult(dir, name)
}

// setResult returns what became of a request, from the log.
func setResult(dir, name string) (SetRecord, bool, error) {
	list, err := SetRecords(dir)
	if err != nil {
		return SetRecord{}, true, err
	}
	for _, r := range slices.Backward(list) {
		if r.Request != name {
			continue
		}
		if r.Error != "" {
			return r, true, errors.New(r.Error)
		}
		return r, true, nil
	}
	return SetRecord{}, true, fmt.Errorf("crawler: %s: the request vanished without a result", dir)
}

// SetRecords returns the changes of settings that were made or refused while the crawl in dir
// existed, oldest first, by Set and by resuming it with other settings.
func SetRecords(dir string) (list []SetRecord, err error) {
	data, err := durable.In(dir).ReadFile(settingsLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		var r SetRecord
		if json.Unmarshal(line, &r) == nil && r.Request != "" { // a torn last line is left out
			list = append(list, r)
		}
	}
	return list, err
}

// setAtRest carries out the requests of a collection that no process works on.
func setAtRest(dir string) error {
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return err
	}
	c, err := openToRevise(col, Config{NoArchive: true})
	if err != nil {
		return errors.Join(err, col.Close())
	}
	c.carryOut(c.live.Clock(), true)
	return errors.Join(c.err, c.checkpoint(), col.Summarise(), c.Close())
}

// check refuses what can't be changed while a crawl exists, and what a request must not
// contain: identity and network decide what a person agreed to.
func (w *Wanted) check() error {
	for _, f := range settings.Fields() {
		if settable(f) {
			continue
		}
		if f.Given(&w.Settings) || f.Flag != "" && slices.Contains(w.Reset, f.Flag) {
			return fmt.Errorf("crawler: set: %s can't be changed in this way", f.Name())
		}
	}
	for _, h := range w.Settings.Block {
		if err := checkBlock(h); err != nil {
			return err
		}
	}
	return nil
}

// checkBlock returns an error for a text that can't block any host, because no URL has such a
// host. A URL, or a host that URLs write differently, is refused with the host to give. An empty
// text removes all blocks.
func checkBlock(text string) error {
	if text == "" {
		return nil
	}
	raw := text
	switch {
	case strings.Contains(text, "://"):
	case strings.HasSuffix(text, ":443"): // URLs of https leave this port out
		raw = "https://" + text + "/"
	default:
		raw = "http://" + text + "/"
	}
	u, err := weburl.Parse(raw)
	host := weburl.Host(u)
	if err != nil || host == "" {
		return wrongBlock(text, "a name such as ads.example.org, or ads.example.org:8080 for one port")
	}
	if host != strings.ToLower(text) {
		return wrongBlock(text, "a host: "+host)
	}
	return nil
}

// wrongBlock returns the error for a block that is not a host.
func wrongBlock(got, want string) error {
	return &settings.Error{Field: settings.Field{Key: "scope.block", Flag: "block"}, Got: strconv.Quote(got), Want: want}
}

// settable reports whether a setting can be changed while a crawl runs.
func settable(f settings.Field) bool {
	section, _, _ := strings.Cut(f.Key, ".")
	return f.Key == "threshold" || section == "scope" || section == "limits" || section == "politeness"
}

// carryOut carries out the requests that wait, in the order in which they were made. The loop
// calls it. A change that decides everything again is not made in the middle of a round; it
// waits for the end of the round, or is refused if the crawl does not run.
func (c *Crawler) carryOut(now time.Time, rest bool) {
	state := durable.In(c.Collection.Dir).Sub("state")
	names, err := state.Names(requestPattern)
	if err != nil || len(names) == 0 {
		return
	}
	slices.Sort(names)
	for _, name := range names {
		r := SetRecord{Request: name, At: now.UTC()}
		want, err := readRequest(state, name)
		r.By = want.By
		if err == nil {
			err = c.change(now, want, rest, &r)
		}
		if errors.Is(err, ErrMidRound) && !rest {
			return
		}
		if err != nil {
			r.Error = err.Error()
		}
		if err := errors.Join(appendLine(c.Collection.Dir, settingsLog, r), state.Remove(name)); err != nil {
			c.err = errors.Join(c.err, err)
			return
		}
		if c.cfg.Changed != nil {
			c.cfg.Changed(r)
		}
	}
}

// requestEvery is how often a run looks for requests. It is short, because a person waits for the answer, and because a crawl
// that fetches what was just excluded annoys; and not shorter, because each look reads a folder.
const requestEvery = 100 * time.Millisecond

// watchRequests has the loop carry out requests when there are any, until the returned function is called. It looks
// for them in a goroutine of its own: the loop may be busy with a page, but does not look in vain.
func (c *Crawler) watchRequests() (end func()) {
	state := filepath.Join(c.Collection.Dir, "state")
	calls, done := make(chan func(time.Time), 1), make(chan struct{})
	c.live.Calls = calls
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(requestEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if list, _ := os.ReadDir(state); !slices.ContainsFunc(list, isRequest) {
				continue
			}
			select {
			case calls <- func(now time.Time) { c.carryOut(now, false) }:
			default: // the loop has not seen the last one yet
			}
		}
	})
	return func() {
		close(done)
		watch.Wait()
	}
}

// isRequest reports whether a file is named like a request. The loop, which reads it, looks closer.
func isRequest(e fs.DirEntry) bool {
	ok, _ := path.Match(requestPattern, e.Name())
	return ok
}

// readRequest reads and checks a request. It may come from elsewhere, so it is bounded, and
// what it may change is checked again.
func readRequest(state durable.Dir, name string) (w Wanted, err error) {
	data, err := state.ReadBounded(name, maxRequest)
	if err != nil {
		return w, fmt.Errorf("crawler: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return Wanted{}, fmt.Errorf("crawler: %s is not a request: %w", name, err)
	}
	return w, w.check()
}

// change makes a change, and notes what it changed in r. What requires all decisions to be made
// again comes first, since it may fail; limits and politeness follow. rest is true for a crawl that
// does not run.
func (c *Crawler) change(now time.Time, w Wanted, rest bool, r *SetRecord) error {
	col := c.Collection
	next := col.Settings
	given, _ := settings.Merge(next.Settings, w.Settings, w.Reset)
	next.Settings = drop(given, w.Drop)
	if err := next.Check(); err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	if err := checkCost(next.Strategy, w.Settings); err != nil {
		return err
	}
	changes := settings.Changes(col.Settings.Settings, next.Settings)
	a := &resumePlan{topic: c.Topic, before: c.Topic, settings: next, changes: changes}
	late, lately := lateChange(col.Settings, next, changes, col.Journal.End())
	switch {
	case lately && a.changesIn("threshold") && col.Crawl.MidRound():
		return fmt.Errorf("crawler: %s: %w", col.Dir, ErrMidRound)
	case lately:
		next.Late = late
	case a.revises():
		next.Late = nil
		note, err := c.reviseRunning(now, a)
		if err != nil {
			return err
		}
		r.Notes = append(r.Notes, note)
	}
	for _, x := range changes {
		r.Changes = append(r.Changes, changeLine(x))
	}
	for _, x := range w.Drop {
		if !slices.Contains(slices.Concat(given.Include, given.Exclude, given.Block), x) {
			r.Notes = append(r.Notes, fmt.Sprintf("nothing to drop: %s has no include, exclude or block %q", col.Settings.Name, x))
		}
	}
	if len(changes) == 0 {
		return nil
	}
	col.Settings = next
	col.Settings.Predicate = predicateOf(c.Topic, next.Threshold, c.cfg.Judge)
	scope, err := lateScope(next)
	if err != nil {
		return err
	}
	waited := col.Crawl.Frontier().Count(dowse.Waiting)
	with := crawl.Config{Limits: next.Limits, Polite: politeIn(next, c.remote != nil), Late: scope, Threshold: col.Threshold()}
	sides, err := col.Crawl.Set(now, with, rest, "set "+strings.Join(r.Changes, ", "))
	if err != nil {
		return err
	}
	if lately && a.changesIn("threshold") {
		r.Notes = append(r.Notes, plain.Some(sides, "page")+" changed sides")
	}
	if lately && a.changesIn("scope") {
		narrows := slices.ContainsFunc(next.Late, func(x string) bool { return !strings.HasPrefix(x, lateThreshold) })
		r.Notes = append(r.Notes, lateNote(waited-col.Crawl.Frontier().Count(dowse.Waiting), narrows))
	}
	r.Notes = append(r.Notes, c.requeueRelaxed(changes)...)
	c.recallExcluded(scope)
	return errors.Join(c.commit(), col.SaveSettings())
}

// reviseRunning makes all decisions again under the threshold and scope of a plan, and
// returns what that changed.
func (c *Crawler) reviseRunning(now time.Time, a *resumePlan) (note string, err error) {
	col := c.Collection
	switch {
	case c.renew == nil:
		return "", &FrozenError{col.Dir, a.revisedSetting()} // a strategy of the program's own can't be made again
	case col.Crawl.MidRound():
		return "", fmt.Errorf("crawler: %s: %w", col.Dir, ErrMidRound)
	}
	next := a.againOnly(col.Settings)
	next.Predicate = predicateOf(c.Topic, next.Threshold, c.cfg.Judge)
	scope, err := scopeOf(next.Scope)
	if err != nil {
		return "", err
	}
	topic, err := col.Topic()
	if err != nil {
		return "", err
	}
	if err := errors.Join(c.commit(), col.BeginChange(next, topic, nil)); err != nil {
		return "", err
	}
	terms := crawl.Terms{Threshold: next.Threshold, Scope: scope, LinksIn: c.Topic.AsksLinksIn(), Renew: c.renew}
	change, err := col.Crawl.Rerank(now, &terms, col.Crawl.Model(), nil, c.restore)
	if err != nil {
		return "", errors.Join(err, col.DropChange())
	}
	return changeNote(change), errors.Join(c.commit(), col.EndChange(), c.checkpoint())
}

// drop returns settings without some entries of include, exclude and block.
func drop(s settings.Settings, list []string) settings.Settings {
	gone := func(x string) bool { return slices.Contains(list, x) }
	for _, entries := range []*[]string{&s.Include, &s.Exclude, &s.Block} {
		*entries = slices.DeleteFunc(slices.Clone(*entries), gone)
	}
	return s
}

// resumed is the request of a SetRecord whose changes were given when the crawl was resumed.
const resumed = "crawl"

// logChanges records the settings that a resumed crawl was given, if any of them changed. fromNow
// selects those that apply from now on; the others are those under which all decisions were made again.
func (a *resumePlan) logChanges(dir string, now time.Time, fromNow bool, notes ...string) error {
	r := SetRecord{Request: resumed, At: now.UTC(), Notes: notes}
	if a.edited && !fromNow {
		r.Changes = append(r.Changes, "topic edited")
	}
	for _, x := range a.changes {
		if (x.When != settings.Again) == fromNow {
			r.Changes = append(r.Changes, changeLine(x))
		}
	}
	if len(r.Changes) == 0 {
		return nil
	}
	return appendLine(dir, settingsLog, r)
}

// changeLine returns a change of a setting as a line for people.
func changeLine(x settings.Change) string {
	return fmt.Sprintf("%s %s → %s", x.Name(), x.Before, x.After)
}

// appendLine appends a value as a line of JSON to a file of a collection, and syncs it.
func appendLine(dir, name string, x any) error {
	line, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	f, err := durable.In(dir).Append(name)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("crawler: %s: %w", name, err)
	}
	return nil
}
