package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/plain"
	"dowse/internal/requisite"
	"dowse/internal/sink"
	"dowse/internal/site"
)

// StatusSchema names the schema of the JSON object of a status. The number rises when a member
// is removed or changes its meaning; new members keep it.
const StatusSchema = "status/v1"

// A Status is the state of a collection: what the crawl reports, and what is known about
// its runs, labels and judges.
type Status struct {
	Schema string `json:"schema"`
	// Which collection, and whether a crawl is running in it.
	Name    string    `json:"name" doc:"the name of the collection"`
	Dir     string    `json:"dir" doc:"its directory"`
	Process int       `json:"pid,omitempty" doc:"the process that crawls"`
	Running bool      `json:"running" doc:"whether a crawl is running"`
	Copy    int       `json:"copy_pid,omitempty" doc:"the process of the standby that keeps it as a copy of another machine's collection"`
	Begun   time.Time `json:"begun" doc:"when the first run began"`
	Ended   time.Time `json:"ended,omitzero" doc:"when the last run ended"`
	Killed  bool      `json:"killed,omitempty" doc:"whether the last run was killed"`
	Error   string    `json:"error,omitempty" doc:"the error that ended the last run"`
	By      string    `json:"stopped_by,omitempty" doc:"the signal that paused the last run: SIGINT, SIGTERM or SIGHUP; copy for a copy that was made while the crawl ran"`
	// What the archive has in addition to pages.
	Requisites *requisite.Totals `json:"requisites,omitempty" doc:"images, style sheets and the like of pages, which are in no other count"`
	// How far the crawl is. The crawl's own status is embedded; its members are on the
	// same level in JSON.
	crawl.Status
	Elapsed  facts.Seconds            `json:"elapsed" doc:"how long the crawl ran, over all runs (s)"`
	Balanced bool                     `json:"balanced" doc:"whether the books balance"`
	Frontier []Lead                   `json:"frontier" doc:"the best leads that wait"`
	Reasons  []collection.ReasonCount `json:"reasons" doc:"why URLs were skipped or failed, and how many"`
	Notices  []string                 `json:"notices,omitempty" doc:"what a person should know"`

	// What judges, and how far it can be trusted.
	Model     string            `json:"model" doc:"the model that judges"`
	Labels    int               `json:"labels" doc:"labels in force"`
	Untrained int               `json:"untrained" doc:"lines of labels.jsonl that no model was trained on"`
	Contrast  *Contrast         `json:"contrast,omitempty" doc:"the negative examples of the model, if the topic gives none"`
	Refused   *collection.Model `json:"refused,omitempty" doc:"the last model, if it seemed worse and is not used"`
	Audited   *collection.Audit `json:"audited,omitempty" doc:"the harvest rate by labels of a random sample"`

	Outside *crawler.Consulted `json:"outside,omitempty" doc:"the outside judge in the last run that ended"`

	Committed time.Time `json:"committed,omitzero" doc:"when the journal last grew"`
	DiskFree  int64     `json:"disk_free" doc:"bytes that are free on its disk; -1 if unknown"`
	DiskFloor int64     `json:"disk_floor" doc:"the crawl stops when fewer bytes are free"`

	Sinks []sink.Lag `json:"sinks,omitempty" doc:"how far the sinks are behind"`

	Unreached *crawl.Unreached `json:"unreached,omitempty" doc:"what waits for hosts that did not answer"`

	Sites *SiteCounts `json:"sites,omitempty" doc:"the sites of a crawl for sites, and what they cost"`

	damage string // why a part of it can't be read; "" for none

	// IdleAfter is how long a running crawl may commit nothing; at least five minutes.
	IdleAfter time.Duration `json:"-"`
}

// A Contrast describes the pages that serve as negative examples if the topic has none.
type Contrast struct {
	Pages   int `json:"pages" doc:"pages of this crawl, drawn at random"`
	Seen    int `json:"seen" doc:"drawn from this many first pages"`
	Instead int `json:"instead" doc:"everyday texts that they replace"`
	Grown   int `json:"grown,omitempty" doc:"pages taken as on topic, by a judge that grew from words"`
}

// A Lead is one of the best queued links.
type Lead struct {
	URL      dowse.URL `json:"url"`
	Priority float64   `json:"priority"`
}

// SiteCounts are the numbers of sites, and what those on topic have cost. Start sites are
// known, and count nowhere else.
type SiteCounts struct {
	Known   int `json:"known" doc:"sites that are known"`
	Reading int `json:"reading" doc:"sites that are being read"`
	Judged  int `json:"judged" doc:"sites that were judged, without start sites"`
	OnTopic int `json:"on_topic" doc:"judged sites that are on topic"`
	// PPRS is the paper's measure of cost.
	PPRS float64 `json:"pprs,omitzero" doc:"pages read per site on topic, over all judged sites"`
	Last float64 `json:"pprs_last,omitzero" doc:"the same over the last sites, back until they have 5,000 pages"`
}

// PPRSWindow is the window of SiteCounts.Last in pages, as the paper has it.
const PPRSWindow = 5000

// SiteCountsOf returns the counts of a crawl for sites, nil for other crawls.
func SiteCountsOf(c *crawl.Crawl) *SiteCounts {
	s, ok := c.Strategy().(*site.Crawler)
	if !ok {
		return nil
	}
	n := &SiteCounts{}
	n.Known, n.Reading, n.Judged, n.OnTopic = s.Counts()
	n.PPRS, _ = s.PagesPerSite(0)
	if last, full := s.PagesPerSite(PPRSWindow); full {
		n.Last = last
	}
	return n
}

// StatusOf returns the status of a loaded collection with the crawl's own status s and the
// best top queued links. It reads all of what status shows, the audit included.
func StatusOf(col *collection.Collection, s crawl.Status, top int) *Status {
	labels, err := collection.ReadLabels(col.Dir)
	st := statusOf(col, s, top, col.Reasons(), labels, err)
	if err := col.Damage(); err != nil {
		st.damage = plain.Error(err)
	}
	if err == nil {
		if st.Audited, err = col.Audit(labels); err != nil {
			st.Notices = append(st.Notices, plain.Error(err))
		}
	}
	return st
}

// statusOf is StatusOf with what is costly to find out as arguments, and without the audit.
// Labels that can't be read become a notice, since the rest is still useful.
func statusOf(col *collection.Collection, s crawl.Status, top int, reasons []collection.ReasonCount, labels *collection.Labels, unread error) *Status {
	st := &Status{
		Schema: StatusSchema, Elapsed: facts.Seconds(s.Elapsed), Name: col.Settings.Name, Dir: col.Dir, Begun: col.Settings.Begun, Status: s,
		Balanced: s.Books.Balanced(), Reasons: append([]collection.ReasonCount{}, reasons...), Frontier: LeadsOf(col, top, ""), Notices: slices.Clone(col.Notices),
		Unreached: col.Crawl.Unreached(), Sites: SiteCountsOf(col.Crawl), Model: cmp.Or(col.Crawl.Model(), collection.FirstModel),
	}
	if totals, err := requisite.TotalsOf(col.Dir); err != nil {
		st.Notices = append(st.Notices, plain.Error(err))
	} else if totals.Pages+totals.Kept+totals.Left > 0 {
		st.Requisites = &totals
	}
	last, ok := st.run(col.Dir, func() (crawler.RunRecord, bool) { return crawler.LastRun(col) })
	if ok {
		st.take(last)
	}
	if st.Copy = col.Copy; st.Copy != 0 {
		st.Killed = false // the run goes on elsewhere
	}
	st.measure(col)
	st.Sinks = LagsOf(col)
	if unread != nil {
		st.Notices = append(st.Notices, plain.Error(unread))
		return st
	}
	st.judge(col, labels)
	return st
}

// run sets the process that crawls, and returns the last run. A process that only trains
// or changes settings is no crawl. A run without an end and without a process was killed. A
// run may begin or end while it looks, so it looks twice before a run counts as killed.
func (st *Status) run(dir string, lastRun func() (crawler.RunRecord, bool)) (last crawler.RunRecord, ok bool) {
	for range 2 {
		st.Process = crawlingIn(dir)
		last, ok = lastRun()
		if st.Process != 0 || !ok || !last.Ended.IsZero() {
			break
		}
	}
	st.Running = st.Process != 0
	return last, ok
}

// crawlingIn returns the process that crawls in a directory, 0 for none.
func crawlingIn(dir string) int {
	if pid, crawls := collection.Running(dir); crawls {
		return pid
	}
	return 0
}

// take adds how the last run ended.
func (st *Status) take(last crawler.RunRecord) {
	if st.Running && last.Ended.IsZero() {
		return
	}
	st.Outside = last.Outside
	st.Ended, st.Error, st.By, st.Killed = last.Ended, last.Error, last.By, last.Ended.IsZero()
	if st.Stopped == "" {
		st.Stopped = last.Why
	}
}

// LagsOf returns how far the sinks of a collection are. Sinks that can't be understood were
// reported when the crawl was begun.
func LagsOf(col *collection.Collection) []sink.Lag {
	specs, err := sink.ParseAll(col.Settings.Sinks)
	if err != nil {
		return nil
	}
	return sink.Lags(col, specs, time.Now())
}

// measure adds what is known of a running crawl's speed, from its own report, and of its disk
// and journal, which are looked at from here: a process that hangs reports nothing.
func (st *Status) measure(col *collection.Collection) {
	st.LimitedBy, st.Rate, st.BytesRate = "", 0, 0
	if p, ok := crawler.PulseOf(col.Dir, st.Process); ok && st.Running {
		st.report(p, time.Now())
	}
	st.Committed = col.LastCommit()
	var err error
	if st.DiskFree, st.DiskFloor, err = crawler.DiskRoom(col.Dir, col.Settings.Settings); err != nil {
		st.DiskFree = -1
	}
	st.IdleAfter = 2 * col.Settings.Resolved().Delay
}

// staleReport is how long ago the latest report of a running crawl may be. One comes every five seconds.
const staleReport = 30 * time.Second

// report adds what a running crawl last reported of itself. An old report is not repeated: a process that is stopped, or
// hangs, goes at no rate.
func (st *Status) report(p crawler.Pulse, now time.Time) {
	if quiet := now.Sub(p.At); quiet > staleReport {
		st.Notices = append(st.Notices, fmt.Sprintf("the crawl has reported nothing for %s: it decides everything again, or it hangs", quiet.Round(time.Second)))
		return
	}
	st.LimitedBy, st.Rate, st.BytesRate, st.Outage = p.LimitedBy, p.Rate, p.BytesRate, p.Outage
}

// idleMinimum is how long a running crawl may commit nothing while links wait, until it counts
// as unhealthy. With a long delay between requests it may be longer.
const idleMinimum = 5 * time.Minute

// judge adds labels and models.
func (st *Status) judge(col *collection.Collection, labels *collection.Labels) {
	st.Labels = len(labels.Standing())
	models, err := collection.Models(col.Dir)
	if err != nil {
		st.Notices = append(st.Notices, plain.Error(err))
	}
	st.Untrained = labels.Untrained(models)
	if m, ok := collection.MadeModel(models, st.Model); ok && m.Contrast > 0 {
		st.Contrast = &Contrast{m.Contrast, m.Seen, m.Instead, m.Grown}
	}
	if n := len(models); n > 0 && models[n-1].Refused {
		st.Refused = &models[n-1]
	}
}

// LeadsOf returns the n best queued links of a loaded collection, of all hosts for "" or of one.
func LeadsOf(col *collection.Collection, n int, host string) []Lead {
	f := col.Crawl.Frontier()
	list := []Lead{}
	for _, id := range bestLeads(col, n, host) {
		list = append(list, Lead{f.URL(id), facts.Finite(f.Priority(id))})
	}
	return list
}

// An Ailment is what is wrong with a crawl: a short name, and what a person should know. The
// command line adds what to do about each.
type Ailment struct {
	Name string `json:"name" doc:"damaged, books, disk, names, nats, idle, error, starved, network, disk_full, memory, killed or nothing"`
	Text string `json:"text" doc:"what is wrong"`
}

// The ailments of a crawl.
const (
	AilDamaged = "damaged"   // a part of the collection can't be read
	AilBooks   = "books"     // the books do not balance
	AilDisk    = "disk"      // too little is free on the disk
	AilNames   = "names"     // the name server does not answer
	AilNATS    = "nats"      // the servers of its cluster do not answer
	AilIdle    = "idle"      // it runs and commits nothing
	AilError   = "error"     // stopped by an error
	AilStarved = "starved"   // all that is left waits for hosts that do not answer
	AilNetwork = "network"   // stopped without a network
	AilFull    = "disk_full" // stopped for lack of disk
	AilMemory  = "memory"    // stopped for lack of memory
	AilKilled  = "killed"    // the last run was killed
	AilNothing = "nothing"   // it ended and could fetch no page at all
)

// Ailment returns what is wrong with a crawl at a time, nil for nothing. A crawl that reached
// a limit or was paused is healthy: that is what the user wanted.
func (st *Status) Ailment(now time.Time) *Ailment {
	switch {
	case st.damage != "":
		return &Ailment{AilDamaged, "it is damaged, and this is not all of it: " + st.damage}
	case !st.Balanced:
		return &Ailment{AilBooks, "the books do not balance"}
	case st.DiskFree >= 0 && st.DiskFree < st.DiskFloor:
		return &Ailment{AilDisk, fmt.Sprintf("the disk has %s free, and the crawl stops below %s", plain.Bytes(st.DiskFree), plain.Bytes(st.DiskFloor))}
	case st.Running:
		return st.troubled(now)
	case st.Stopped == dowse.StopError:
		return &Ailment{AilError, "stopped by an error: " + cmp.Or(st.Error, "unknown")}
	case st.Stopped == dowse.StopStarved:
		return &Ailment{AilStarved, "starved: all that is left waits for hosts that do not answer" + unreachedCount(st.Unreached)}
	case st.Stopped == dowse.StopNetwork:
		return st.withoutNetwork()
	case st.Stopped == dowse.StopDisk:
		return &Ailment{AilFull, "the disk was full, or below its floor"}
	case st.Stopped == dowse.StopMemory:
		return &Ailment{AilMemory, "the pages fetched so far fill the memory that it may use"}
	case st.Killed:
		return &Ailment{AilKilled, "the last run was killed, or copied while it ran"}
	case st.Stopped == dowse.StopExhausted && st.Fetched == 0 && st.Books.Failed > 0:
		return &Ailment{AilNothing, "no page could be fetched: " + plain.Some(st.Books.Failed, "URL") + " failed, and no link is left"}
	}
	return nil
}

// withoutNetwork returns why a crawl that had no network, or only no name server, ended.
func (st *Status) withoutNetwork() *Ailment {
	switch o := st.Outage; {
	case o != nil && o.Names:
		return &Ailment{AilNetwork, "no name service: " + plain.OneLine(o.Why)}
	case o != nil && o.Why != "":
		return &Ailment{AilNetwork, "no network: " + plain.OneLine(o.Why)}
	}
	return &Ailment{AilNetwork, "no network: this machine has no network"}
}

// troubled returns what is wrong with a running crawl, nil for nothing.
func (st *Status) troubled(now time.Time) *Ailment {
	idle := now.Sub(st.Committed)
	cause := ""
	if o := st.Outage; o != nil && o.Why != "" {
		cause = ": " + plain.OneLine(o.Why)
	}
	switch {
	case st.LimitedBy == "NATS":
		return &Ailment{AilNATS, "the NATS servers of its cluster do not answer, or do not accept commits; it pauses until they do"}
	case st.LimitedBy == "name service":
		return &Ailment{AilNames, "no name service" + cause}
	case st.Books.Queued > 0 && !st.Committed.IsZero() && idle > max(idleMinimum, st.IdleAfter):
		return &Ailment{AilIdle, fmt.Sprintf("nothing was committed for %s, and %s; limited by %s%s", idle.Round(time.Second), waiting(st.Books.Queued),
			cmp.Or(st.LimitedBy, "an unknown cause: it reports nothing"), cause)}
	}
	return nil
}

// waiting returns that links wait.
func waiting(links int) string {
	if links == 1 {
		return "1 link waits"
	}
	return plain.Some(links, "link") + " wait"
}

// unreachedCount returns how much waits for hosts that did not answer, in parentheses.
func unreachedCount(u *crawl.Unreached) string {
	if u == nil {
		return ""
	}
	return fmt.Sprintf(" (%s on %s)", plain.Some(u.URLs, "URL"), plain.Some(u.Hosts, "host"))
}

// A Report is the status of a collection with its name in this process and its health.
type Report struct {
	ID string `json:"id" doc:"the name of the collection in this process"`
	*Status
	State   string    `json:"state" doc:"running, stopped, killed or new"`
	Healthy bool      `json:"healthy" doc:"whether nothing is wrong"`
	Ailment *Ailment  `json:"ailment,omitempty" doc:"what is wrong"`
	Seen    time.Time `json:"seen" doc:"the moment that the counts show"`
	Event   string    `json:"event" doc:"the event that the counts include last"`
	Command string    `json:"command" doc:"the command that prints the same"`
}

// Steady returns the report without the room on the disk, which other programs change all the time.
func (r *Report) Steady() any {
	steady, st := *r, *r.Status
	st.DiskFree = 0
	steady.Status = &st
	return &steady
}

// The states of a collection.
const (
	StateRunning = "running"
	StateStopped = "stopped"
	StateKilled  = "killed"
	StateNew     = "new" // created, and not yet crawled
)

// stateOf returns the state of a collection in a word.
func (st *Status) stateOf() string {
	switch {
	case st.Running:
		return StateRunning
	case st.Killed:
		return StateKilled
	case st.Ended.IsZero():
		return StateNew
	}
	return StateStopped
}

// topLeads is the number of queued links in a status.
const topLeads = 5

// Status returns the progress and the health of a collection. The counts are those of the
// view, at most a few seconds old; whether it runs, its speed and its disk are as of now.
func (o *Operations) Status(ctx context.Context, id string) (*Report, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var r *Report
	err = s.locked(ctx, func(v *openView) error {
		labels, unread := collection.ReadLabels(s.dir)
		st := statusOf(v.col, v.cr.Status(), topLeads, v.reasonCounts(), labels, unread)
		if unread == nil {
			if st.Audited, err = s.audit(v, labels); err != nil {
				st.Notices = append(st.Notices, plain.Error(err))
			}
		}
		if st.Estimate.Found > 0 && (st.Dropped > 0 || slices.ContainsFunc(st.Reasons, isTrap)) {
			st.Notices = append(st.Notices, "the estimate of what there is leaves out what was skipped as a trap")
		}
		st.damage = v.damage()
		s.keepDamage(st.damage)
		r = &Report{ID: s.id, Status: st, State: st.stateOf(), Ailment: st.Ailment(s.now()), Seen: v.at.UTC(), Event: v.seen().String(), Command: command("status", s.dir)}
		r.Healthy = r.Ailment == nil
		return nil
	})
	return r, err
}

// isTrap reports whether URLs were skipped because they look like a trap.
func isTrap(r collection.ReasonCount) bool {
	return r.Skipped > 0 && (r.Reason == dowse.SkipTrapPattern || r.Reason == dowse.SkipTrapFarm)
}

// damage returns why a part of the collection can't be read, "" if all can. It is found out once
// for a view.
func (v *openView) damage() string {
	if !v.looked {
		v.looked = true
		if err := v.col.Damage(); err != nil && !errors.Is(err, context.Canceled) {
			v.broken = plain.Error(err)
		}
	}
	if n := v.col.Unread.Count(); v.broken == "" && n > 0 {
		return plain.Some(n, "part") + " could not be read"
	}
	return v.broken
}

// reasonCounts returns the counts of reasons, which are made once for a view.
func (v *openView) reasonCounts() []collection.ReasonCount {
	if !v.counted {
		v.reasons, v.counted = v.col.Reasons(), true
	}
	return v.reasons
}

// maxAuditPages is the largest collection whose audit is made while a question waits. Above
// it, it is made in the background, and a status has the last one.
const maxAuditPages = 20_000

// An auditCache is the audit of a collection and what it was made from.
type auditCache struct {
	key    string
	audit  *collection.Audit
	making bool
}

// audit returns the audited harvest rate. It depends on the labels and the verdicts, not on the
// pages that were fetched since.
func (s *shelf) audit(v *openView, labels *collection.Labels) (*collection.Audit, error) {
	key := fmt.Sprintf("%d %s %v", labels.Size, v.col.Crawl.Model(), v.col.Threshold())
	s.mu.Lock()
	cached := s.audited
	s.mu.Unlock()
	if cached.key == key || !slices.ContainsFunc(labels.Lines, func(l collection.Label) bool { return l.Queue == collection.QueueAudit }) {
		return cached.audit, nil
	}
	if len(v.pages.ids) <= maxAuditPages {
		a, err := v.col.Audit(labels)
		if err == nil {
			s.keepAudit(key, a)
		}
		return a, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.audited.making {
		s.audited.making = true
		go s.auditLater(key, labels)
	}
	return cached.audit, nil
}

// keepAudit stores an audit.
func (s *shelf) keepAudit(key string, a *collection.Audit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.audited = auditCache{key: key, audit: a}
}

// auditLater makes the audit of a large collection with a view of its own, so that no question
// waits for it.
func (s *shelf) auditLater(key string, labels *collection.Labels) {
	cr, err := crawler.View(s.dir)
	if err != nil {
		s.keepAudit("", nil)
		return
	}
	defer cr.Close()
	a, err := cr.Collection.Audit(labels)
	if err != nil {
		key = ""
	}
	s.keepAudit(key, a)
}

// A Collection is one line of the list of collections.
type Collection struct {
	ID      string    `json:"id" doc:"the name of the collection in this process"`
	Name    string    `json:"name" doc:"the name of the collection"`
	Dir     string    `json:"dir" doc:"its directory"`
	State   string    `json:"state" doc:"running, stopped, killed or new; damaged if it, or a part of it, can't be read"`
	Running bool      `json:"running" doc:"whether a crawl is running"`
	Begun   time.Time `json:"begun,omitzero" doc:"when the first run began"`
	Fetched int       `json:"fetched" doc:"pages"`
	OnTopic int       `json:"on_topic" doc:"pages on topic"`
	// Counting is set while the pages are counted for the first time since the last run began or ended.
	Counting bool   `json:"counting,omitempty" doc:"its pages are being counted: pages and pages on topic are of an earlier moment, or 0"`
	Error    string `json:"error,omitempty" doc:"why it can't be read"`
}

// CountWait is how long a program waits for counts that have to be made: long enough for nearly all collections. A person sees
// a list without them first.
const CountWait = time.Second

// Collections lists all collections by their IDs. The pages of a collection at rest are counted as its
// last run recorded them. If it runs, was killed, failed, or was changed since (a training, a takedown),
// they are counted from its journal. That is waited for at most as long as wait, for all of them together; it goes on in the
// background, and Counting reports it.
func (o *Operations) Collections(ctx context.Context, wait time.Duration) ([]Collection, error) {
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	list := []Collection{}
	for _, s := range o.all() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, s.line(soon))
	}
	return list, nil
}

// Collection returns one line of the list of collections, without its counts: nothing is opened for it.
func (o *Operations) Collection(id string) (Collection, error) {
	s, err := o.shelf(id)
	if err != nil {
		return Collection{}, err
	}
	c, _, _ := s.state()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.counted.last; n != nil && KindOf(n.err) == Damaged && !c.Running {
		c.State, c.Error = string(Damaged), plain.OneLine(plain.Error(n.err))
	}
	s.addDamage(&c)
	return c, nil
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// line returns the collection as the list shows it. Counts that have to be made are waited for until
// soon ends. A collection at rest in which damage was found is damaged, although its counts can be read.
func (s *shelf) line(soon context.Context) Collection {
	c := s.counts(soon)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addDamage(&c)
	return c
}

// addDamage adds the damage that the last look found. The shelf is locked.
func (s *shelf) addDamage(c *Collection) {
	if s.damaged != "" && !c.Running && c.State != string(Damaged) {
		c.State, c.Error = string(Damaged), plain.OneLine(s.damaged)
	}
}

// A naming is what the list of collections shows of settings, and the file that it was read from.
type naming struct {
	file  string
	name  string
	begun time.Time
}

// named reads the name of the collection. The settings are read again when their file has changed: a folder may have hundreds of
// collections, which every look at the list goes through.
func (s *shelf) named() (naming, error) {
	file := ""
	if st, err := os.Lstat(filepath.Join(s.dir, "crawl.yaml")); err == nil {
		file = durable.Identity(st)
	}
	s.mu.Lock()
	known := s.naming
	s.mu.Unlock()
	if file != "" && known.file == file {
		return known, nil
	}
	settings, err := collection.ReadSettings(s.dir)
	if err != nil {
		return naming{}, err
	}
	known = naming{file, settings.Name, settings.Begun}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.naming = known
	return known, nil
}

// state returns the collection with the counts that its last run recorded, and that run; ok is false if there was none, or if the collection can't
// be read.
func (s *shelf) state() (c Collection, last crawler.RunRecord, ok bool) {
	c = Collection{ID: s.id, Dir: s.dir, Name: s.id}
	named, err := s.named()
	if err != nil {
		c.State, c.Error = string(Damaged), plain.OneLine(plain.Error(err))
		return c, last, false
	}
	c.Name, c.Begun = named.name, named.begun
	st := &Status{}
	last, ok = st.run(s.dir, func() (crawler.RunRecord, bool) {
		return crawler.LastRun(&collection.Collection{Dir: s.dir})
	})
	if ok {
		st.take(last)
		c.Fetched, c.OnTopic = last.Fetched, last.OnTopic
	}
	c.State, c.Running = st.stateOf(), st.Running
	return c, last, ok
}

// counts returns the state and the counts of the collection, without damage that a look at its archive would find.
func (s *shelf) counts(soon context.Context) Collection {
	c, last, ok := s.state()
	if c.State == string(Damaged) {
		return c
	}
	if !c.Running && ok && last.Error == "" && !last.Ended.IsZero() && !modified(s.dir).After(last.Ended) {
		return c // the run recorded what there is
	}
	switch n := s.count(soon, c.Running, latest(last.Begun, last.Ended)); {
	case n == nil:
		c.Counting = true
	case n.err == nil:
		c.Fetched, c.OnTopic = n.fetched, n.onTopic
	case KindOf(n.err) == Damaged:
		c.State, c.Error = string(Damaged), plain.OneLine(plain.Error(n.err))
	default:
		c.Error = plain.OneLine(plain.Error(n.err))
	}
	return c
}
