package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// VerifyOptions select how thorough a verification is.
type VerifyOptions struct {
	// Config returns the configuration of the crawl with a strategy that has
	// learnt nothing. With it the journal is replayed from its beginning;
	// nil skips the replay.
	Config  func() (crawl.Config, error)
	Restore crawl.Restorer // for strategies that read the text of pages
	// Recorded reports that the strategy of Config is [crawl.Recorded], because the crawl's own is not
	// here. What that did beyond links is not in the journal, so neither priorities are compared nor which URLs wait.
	Recorded bool
	// Progress, if set, is called with the current step, how much of it is
	// done and the total; 0 if the total is unknown.
	Progress func(step string, done, total int64)
}

// A Verification is the result of Verify: what was checked and what is
// wrong.
type Verification struct {
	Entries    int         `json:"entries"`        // of the journal, read
	Torn       int64       `json:"torn,omitempty"` // bytes at the end of the journal that a crash or a full disk cut short: the next run removes them, and nothing is lost
	Pages      int         `json:"pages"`          // fetched, found in the archive
	Records    int         `json:"records"`        // of the archive, read
	Files      int         `json:"files"`          // of the archive
	URLs       int         `json:"urls"`           // compared with a replay of the journal; 0 if there was none
	Snapshots  int         `json:"snapshots"`
	Forgotten  int         `json:"forgotten"` // URLs that were taken down: nothing but a tombstone is left of them
	Books      crawl.Books `json:"books"`
	Replayed   bool        `json:"replayed"`
	Unranked   bool        `json:"unranked,omitempty"`   // priorities were not compared: the replay lacks texts of the archive that can't be read
	Views      string      `json:"views"`                // "checked", or why lists, log and index were not
	Requisites int         `json:"requisites,omitempty"` // that were looked up
	Captures   int         `json:"captures"`             // lines of the index whose record was found
	Problems   []Problem   `json:"problems"`
	More       int         `json:"more_problems,omitempty"` // that are not listed

	Unreached *crawl.Unreached `json:"unreached,omitempty"` // what waits for hosts that did not answer; no problem of the files
}

// A Problem is something that is not as it should be.
type Problem struct {
	Place string `json:"place"` // a file, with an offset where there is one, or a URL
	What  string `json:"what"`
	Do    string `json:"do"` // what a person can do

	// Repair names the operation that repairs it: "salvage", which builds a new
	// collection of what can be read; "forget", which takes a page down again;
	// or "run", which every run of the crawl does. It is "" if there is none.
	Repair string `json:"-"`
}

// The values of Problem.Repair.
const (
	repairSalvage = "salvage"
	repairForget  = "forget"
	repairRun     = "run"
)

// repairs assigns the operation that repairs a problem to what a person can do
// about it.
var repairs = map[string]string{
	doSalvage: repairSalvage, doExport: repairSalvage,
	doForget: repairForget, doPending: repairRun, doViews: repairRun,
}

func (p Problem) String() string { return p.Place + ": " + p.What + "; " + p.Do }

// OK reports whether nothing is wrong.
func (v *Verification) OK() bool { return len(v.Problems) == 0 }

const maxProblems = 200 // that are listed; the others are counted

func (v *Verification) problem(place, do, format string, args ...any) {
	if len(v.Problems) >= maxProblems {
		v.More++
		return
	}
	v.Problems = append(v.Problems, Problem{place, fmt.Sprintf(format, args...), do, repairs[do]})
}

// What to do about problems.
const (
	doRestore = "restore the file from a copy; dowse can't make it again"
	doExport  = "restore the file from a copy, or salvage the collection to continue with what can be read"
	doPending = "the next run or takedown completes it"
	doDelete  = "delete it: the state is then made again from the journal"
	doReport  = "this is a fault of dowse; please report it"
	doRemove  = "move it elsewhere, or delete it"
	doReplay  = "delete the snapshots in state/ to have the state made again from the journal; " +
		"where limits or scope were changed at a resume the journal can't be replayed under one of them, and this is no fault"
)

// Verify reads everything that the collection holds and checks that the
// books balance, that every entry of the journal and every record of the
// archive can be read, that every fetched page is in the archive once and
// under its own URL, that the saved state equals a replay of the journal,
// that the lists, the log and the index are as they were written, and that
// there are no foreign files.
//
// Faults are in the result. The error is for what prevented a check. Verify
// changes nothing, and it may run during a crawl: differences that a
// concurrent writer explains are not reported.
func (c *Collection) Verify(opt VerifyOptions) (*Verification, error) {
	if opt.Progress == nil {
		opt.Progress = func(string, int64, int64) {}
	}
	v := &verifier{c: c, opt: opt, out: &Verification{Problems: []Problem{}}, places: map[dowse.Place]frontier.ID{}}
	for _, step := range []func() error{v.books, v.journal, v.archive, v.needs, v.requisites, v.tail, v.snapshots, v.replay, v.forgotten, v.views, v.files} {
		if err := step(); err != nil {
			return v.out, fmt.Errorf("collection: verify %s: %w", c.Dir, err)
		}
	}
	return v.out, nil
}

// A verifier makes one verification.
type verifier struct {
	c      *Collection
	opt    VerifyOptions
	out    *Verification
	places map[dowse.Place]frontier.ID // of pages in the archive, without lengths
	sound  bool                        // the journal can be read to its end
	unread bool                        // a record of the archive can't be read
}

// books checks that the books balance and that the counts by reason add up
// to them.
func (v *verifier) books() error {
	v.out.Books = v.c.Crawl.Books()
	v.out.Unreached = v.c.Crawl.Unreached()
	if b := v.out.Books; !b.Balanced() {
		v.out.problem("state", doReport, "the books do not balance: %+v", b)
	}
	skipped, failed := 0, 0
	for _, r := range v.c.Reasons() {
		if r.Reason == "" {
			v.out.problem("state", doReport, "%d URLs were skipped or failed without a reason", r.Skipped+r.Failed)
		}
		skipped, failed = skipped+r.Skipped, failed+r.Failed
	}
	if skipped != v.out.Books.Skipped || failed != v.out.Books.Failed {
		v.out.problem("state", doReport, "reasons do not add up to the books: %d skipped, %d failed", skipped, failed)
	}
	return nil
}

// journal reads every entry, and the archive's record that it names.
func (v *verifier) journal() error {
	j, err := v.c.Journal.Reader()
	if err != nil {
		return err
	}
	defer j.Close()
	end := j.End()
	v.sound = true
	for e, err := range j.Scan(0, nil) {
		if err != nil {
			v.tornJournal(end, err)
			continue
		}
		v.out.Entries++
		if v.out.Entries%256 == 0 {
			v.opt.Progress("journal", int64(e.Place()), int64(end))
		}
		if e.Page != nil && e.Place() < v.c.Journal.End() {
			v.c.nameEntry(e)
			v.kept(e)
		}
	}
	return nil
}

// tornJournal reports an entry that can't be read, unless a running crawl is
// just writing it. One at the very end is no damage: it was never committed.
func (v *verifier) tornJournal(end uint64, err error) {
	var gap *crawl.Gap
	switch {
	case v.c.readOnly && isHeld(v.c.Dir):
		return
	case errors.As(err, &gap) && gap.Next >= end && gap.At >= v.lastSnapshot():
		v.out.Torn = int64(end - gap.At)
		return
	}
	v.sound = false
	v.out.problem("state/journal", doSalvage,
		"after %d entries, of %d bytes in all: %v", v.out.Entries, end, err)
}

// lastSnapshot returns the place in the journal up to which the newest snapshot goes: what is before it was synced.
func (v *verifier) lastSnapshot() (at uint64) {
	for _, path := range v.c.snapshots() {
		at = max(at, offsetOf(path))
	}
	return at
}

// kept checks that the archive holds the record that an entry names.
func (v *verifier) kept(e *crawl.Entry) {
	p := e.Page
	page := e.Kind == crawl.EntryPage && p.Outcome == dowse.Fetched
	place := dowse.Place{File: p.Fetch.Archive.File, Offset: p.Fetch.Archive.Offset}
	if place.File == "" {
		if page && v.c.Crawl.LastArchived().File != "" {
			v.out.problem(string(p.URL), doReport, "fetched, and not in the archive")
		}
		return
	}
	at := fmt.Sprintf("archive/%s, offset %d", place.File, place.Offset)
	other, twice := v.places[place]
	switch {
	case twice && other == e.ID && p.Again:
		return // a revisit that followed the links as they were kept, without fetching the page
	case twice:
		v.out.problem(at, doReport, "%s and %s are at the same place", p.URL, v.c.URL(other))
	}
	v.places[place] = e.ID
	gone := e.Kind != crawl.EntryRobots && v.c.forgotten(e.ID)
	if err := v.holds(place, e, gone, page); err != nil {
		do := doExport
		if errors.Is(err, errStillThere) {
			do = doForget
		}
		v.unread = v.unread || do == doExport
		v.out.problem(at, do, "%s: %v", p.URL, err)
		return
	}
	if page && !gone {
		v.out.Pages++
	}
}

var (
	errStillThere = errors.New("it was taken down, and is still in the archive")
	errOtherURL   = errors.New("the record there is of another URL")
)

// holds checks the record at the place that an entry names.
func (v *verifier) holds(place dowse.Place, e *crawl.Entry, gone, page bool) error {
	r, err := v.c.record(place)
	if errors.Is(err, ErrErased) && (gone || !page) {
		return nil // what is not a page can have gone with one that had the same answer
	}
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case gone:
		return errStillThere
	case e.Kind != crawl.EntryRobots && !sameURL(r.Target(), e.Page.URL):
		return fmt.Errorf("%w: %s", errOtherURL, r.Target())
	}
	return nil
}

func sameURL(written string, u dowse.URL) bool {
	if written == string(u) {
		return true
	}
	parsed, err := weburl.Parse(written)
	return err == nil && parsed == u
}

// archive reads every record.
func (v *verifier) archive() error {
	files, err := archive.Files(v.c.ArchiveDir())
	if err != nil {
		return err
	}
	v.out.Files = len(files)
	for i, path := range files {
		v.opt.Progress("archive", int64(i), int64(len(files)))
		report, err := archive.Verify(path)
		if err != nil {
			return err
		}
		v.out.Records += report.Records
		for _, p := range report.Problems {
			if !v.growing(files, i, p.Offset) {
				v.unread = true
				v.out.problem(fmt.Sprintf("archive/%s, offset %d", report.File, p.Offset), doExport, "%v", p.Err)
			}
		}
	}
	return nil
}

// needs checks that the strategy of the crawl can be made of the files that it needs.
func (v *verifier) needs() error {
	if err := v.c.lost(); err != nil {
		v.out.problem(needsFolder, doRestore, "%v", err)
	}
	return nil
}

// tail checks journal and archive against each other, as it is done before a crawl goes on.
// An archive that is too short was reported for each page that it lacks.
func (v *verifier) tail() error {
	if err := v.c.behind(); errors.Is(err, ErrDamaged) {
		v.out.problem("state/journal", doSalvage, "%v", err)
	} else if err != nil && v.out.OK() {
		v.out.problem("archive", doSalvage, "%v", err)
	}
	return nil
}

// growing reports whether another process is writing, or has just written, what is at an
// offset of file i: it is behind the last record that the journal names.
func (v *verifier) growing(files []string, i int, offset int64) bool {
	last := v.c.Crawl.LastArchived()
	at := slices.IndexFunc(files, func(path string) bool { return filepath.Base(path) == last.File })
	return (i > at || i == at && offset > last.Offset) && v.c.changing()
}

// snapshots checks that each snapshot can be read.
func (v *verifier) snapshots() error {
	if v.opt.Config == nil {
		return nil
	}
	for _, path := range v.c.snapshots() {
		cfg, err := v.config(v.c.Journal)
		if err != nil {
			return err
		}
		_, _, err = v.c.readSnapshot(path, cfg)
		if (errors.Is(err, fs.ErrNotExist) || offsetOf(path) > v.c.opened) && v.c.changing() {
			continue // the crawl that goes on has removed it, or made it
		}
		v.out.Snapshots++
		if err != nil {
			v.out.problem("state/"+filepath.Base(path), doDelete, "%v", err)
		}
	}
	return nil
}

// config returns the configuration for a replay.
func (v *verifier) config(log crawl.Log) (crawl.Config, error) {
	cfg, err := v.opt.Config()
	cfg.Key, cfg.Log = v.c.Settings.Key, log
	return cfg, err
}

// replay folds the whole journal and compares the result with the loaded
// state.
func (v *verifier) replay() error {
	if v.opt.Config == nil || !v.sound {
		return nil
	}
	j, err := v.c.Journal.Reader()
	if err != nil {
		return err
	}
	defer j.Close()
	cfg, err := v.config(j)
	if err != nil {
		return err
	}
	again, err := crawl.New(cfg)
	if err != nil {
		return err
	}
	v.opt.Progress("replay", 0, 0)
	if _, _, err := again.Fold(j, 0, v.opt.Restore); err != nil {
		do := doReplay
		if errors.Is(err, ErrDamaged) {
			do = doExport // snapshots are all that is left of what the strategy learnt
		}
		v.out.problem("state/journal", do, "it can't be replayed: %v", err)
		return nil
	}
	if j.End() != v.c.Journal.End() {
		return nil // a crawl goes on: the two are not of the same moment
	}
	v.out.Replayed = true
	v.out.Unranked = v.unread && v.opt.Restore != nil
	v.compare(again)
	return nil
}

// compare reports every URL whose state differs after a replay.
func (v *verifier) compare(again *crawl.Crawl) {
	if a, b := v.c.Crawl.Books(), again.Books(); a != b && !v.opt.Recorded {
		v.out.problem("state", doReplay, "the books are %+v, and %+v after a replay of the journal", a, b)
		return
	}
	if a, b := v.c.Crawl.Status(), again.Status(); a.Fetched != b.Fetched || a.OnTopic != b.OnTopic || a.Requests != b.Requests {
		v.out.problem("state", doReplay, "%d pages, %d on topic, %d requests; after a replay %d, %d, %d", a.Fetched, a.OnTopic, a.Requests, b.Fetched, b.OnTopic, b.Requests)
	}
	x, y := v.c.Crawl.Frontier(), again.Frontier()
	for id := range frontier.ID(min(x.Len(), y.Len())) {
		v.out.URLs++
		if what := v.differs(x, y, id); what != "" {
			v.out.problem(string(v.c.URL(id)), doReplay, "%s", what)
		}
		if id%65536 == 0 {
			v.opt.Progress("replay", int64(id), int64(x.Len()))
		}
	}
}

// differs returns how two states of a URL differ, "" if they do not. A strategy that learnt from a
// text ranks otherwise without it: where texts can't be read, other priorities are no fault of their own.
func (v *verifier) differs(x, y *frontier.Frontier, id frontier.ID) string {
	a, okA := x.Visit(id)
	b, okB := y.Visit(id)
	switch {
	case x.Place(id) != y.Place(id):
		return "it is another URL after a replay of the journal"
	case v.opt.Recorded && !okA && !okB:
	case x.State(id) != y.State(id) || x.Reason(id) != y.Reason(id):
		return fmt.Sprintf("it is %s, and %s after a replay of the journal", x.State(id), y.State(id))
	case !v.opt.Recorded && !v.out.Unranked && !same(x.Priority(id), y.Priority(id)):
		return fmt.Sprintf("its priority is %g, and %g after a replay of the journal", x.Priority(id), y.Priority(id))
	case okA != okB || a != b:
		return "its visit is another one after a replay of the journal"
	}
	return ""
}

// same compares priorities. A relative difference of 1e-9 is allowed, since
// priorities that were raised together may differ by rounding. An infinite one
// equals only itself, and NaN equals NaN.
func same(a, b float64) bool {
	if math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsNaN(a) || math.IsNaN(b) {
		return a == b || math.IsNaN(a) && math.IsNaN(b)
	}
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// files reports foreign files, leftovers of interrupted writes and files
// that can't be opened.
func (v *verifier) files() error {
	return eachFile(v.c.Dir, func(name string, d fs.DirEntry) error {
		switch {
		case d.Type().IsRegular() && isLeftover(name):
		case !d.Type().IsRegular():
			v.out.problem(name, doRemove, "not a plain file")
		case !belongs(name):
			v.out.problem(name, doRemove, "not part of a collection")
		case name == lockName:
		default:
			if f, err := v.c.files().Open(name); errors.Is(err, fs.ErrNotExist) && (v.c.changing() || folderOf(name) == searchFolder) {
				return nil // another process replaces files of the index at any time
			} else if err != nil {
				v.out.problem(name, "check its permissions", "%v", err)
			} else {
				f.Close()
			}
		}
		return nil
	})
}
