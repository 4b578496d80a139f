// Package crawler is dowse for Go programs: open a collection, crawl, and
// range over its pages. The command line is built on it.
//
// The one idea: this package is the only place where the parts are wired
// together. Packages crawl, fetch, judge, strategy, topic and collection do
// not know each other's implementations; assemble connects them around one
// open collection, for a new crawl, a resumed one, a replay and a salvage
// alike. So a crawl that is resumed has the same parts as when it was
// created.
//
// How the parts fit: [Open] makes a [Crawler] from a directory and a
// [Config]. Its loop asks the crawl for the next visit, a [Visitor] fetches,
// extracts and judges the page in a goroutine of its own, and the loop
// archives and records the result in order. [View] opens a collection to
// read it. A retraining runs in the background when people have labelled
// pages, and the loop puts the new model into use. [Salvage] builds a new
// collection from a damaged one, and [Fetcher] fetches single pages with the
// rules of a crawl.
//
// Invariants: the archive is synced before the journal that refers to it,
// and a page is yielded only after both are. Only the loop changes the
// crawl; visits and retrainings work on copies. The settings that a crawl
// was created with, or changed to at a resume, are in its collection, and
// nothing outside is needed to resume it.
//
// What it must never do: send a request to the public web without a contact;
// run a program, reach a private network or send a secret because a
// collection or topic from elsewhere asks for it, without consent (see [Act]);
// or let the order of visits depend on how long a training takes.
package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/cluster"
	"dowse/internal/durable"
	"dowse/internal/garbage"
	"dowse/internal/outside"
	"dowse/internal/sink"
	"dowse/settings"
	"dowse/topic"
)

// Version is the version of dowse, as User-Agent, archives and collections
// contain it.
const Version = "0.1"

// Config holds what to look for, where to begin, the settings of the crawl,
// and what only a Go program can give. Words, Topic or Judge is required for
// a new crawl. The zero value of every other field selects its default.
type Config struct {
	// Words or Topic define what to look for; Words are not used if there is a Topic. Judge is a
	// judge of the program's own, which is used in place of that of the topic.
	Words []string
	Topic *topic.Topic
	Judge dowse.Judge
	// Seeds are URLs to begin with, in addition to those of the topic.
	Seeds []string

	// Settings are what a person decides. A setting that is not given has
	// its default in a new crawl; at a resume it keeps its value.
	settings.Settings

	// Reset names settings, by their flags, that return to their default at
	// a resume.
	Reset []string

	// Pinned are the examples of the topic as they were pinned (see topic.ParseLock). The
	// crawler's Notes name those that have changed since.
	Pinned []topic.Origin

	// Strategy is used in place of the strategy that the settings name.
	Strategy dowse.Strategy
	// Unit is what to look for, "page" or UnitSite; default "page".
	Unit string
	// TGraph, Trace, Links and Classes are files for strategies that need
	// one: a T-Graph, an access log, links with known outcomes, a decimal
	// classification.
	TGraph string
	// Trace may end in @FROM..TO, times of which one may be left out: only accesses from
	// FROM on and before TO count. MoreTraces are further logs, read together with it: a
	// person is the same in all of them.
	Trace      string
	MoreTraces []string
	// TraceGap is the pause of a person that ends a session; default 30 minutes.
	TraceGap time.Duration
	// TraceSite is the URL of the site whose own log Trace is, since such a
	// log has paths without a host.
	TraceSite string
	Links     string
	Classes   string
	// Vectors is a file of word vectors, see dowse/internal/vectors; "" for none.
	Vectors string
	// LearnFrom is a collection; what its strategy has learnt is where this
	// one starts. LearnAnyway allows one that was crawled for another topic.
	LearnFrom   string
	LearnAnyway bool
	// WordNet is a WNDB directory with the meanings of words, for judges that
	// grow from them; "" for none. WordNetChosen reports that the user chose it, or chose none, which a collection
	// keeps: without it a collection that was begun with none stays without.
	WordNet       string
	WordNetChosen bool

	// Salt is the key of the hashes that replace the people in Trace. It is
	// not stored in the collection: with the same salt a later crawl
	// recognises them, and without it their names can't be found by trying.
	// Default a random salt that is dropped.
	Salt []byte

	// Retry puts URLs of a crawl that is resumed back into the queue: "failed", "unreached",
	// a reason, or a host; see [crawl.Crawl.Requeue].
	Retry []string

	// Memory is in bytes, for pages in flight; default a quarter of the
	// memory limit of the process, or 96 MiB without a limit.
	Memory int64
	// Transport answers requests in place of the network.
	Transport http.RoundTripper
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)

	// Consent is called when a collection is resumed that would do something
	// that this config does not ask for itself, such as running a program or
	// reaching a private network. An error refuses. Nil refuses everything
	// with a [TrustError].
	Consent func(dir string, acts []Act) error

	// Agreed is called with the settings and the acts of a collection that is
	// created or resumed, before anything is written. This config asks for
	// these acts, or Consent allowed them. A program that remembers consent
	// records it here: a record made later would be missing after a kill in
	// between. An error prevents the crawl.
	Agreed func(dir string, s collection.Settings, acts []Act) error

	// NoOutside disables the outside judge of the topic. It is not asked,
	// and no consent to it is needed.
	NoOutside bool

	// Getenv returns environment variables: those that a topic names, which are
	// the keys of outside judges, and the credentials of sinks. Nil returns none.
	Getenv func(name string) string

	// Stdout receives the pages of the sink jsonl:-; default os.Stdout.
	Stdout io.Writer

	// Say is called with each line that the program of an outside judge
	// writes to its standard error. Nil drops them.
	Say func(line string)

	// NoArchive keeps decisions, but not the answers of the web. Then the
	// judge can't be retrained on pages of the crawl.
	NoArchive bool
	// NoSitemaps ignores the sitemaps that robots.txt names.
	NoSitemaps bool
	// Demo marks a collection of the synthetic web.
	Demo *collection.Demo
	// Tick is called about twice a second from the loop of the crawl.
	Tick func(s crawl.Status)
	// Clock returns the time for the crawl; default [crawl.NewClock].
	Clock func() time.Time

	// Trained is called from the loop of the crawl for every new model that
	// is put into use, and for those that the crawl trained by itself and
	// rejected.
	Trained func(m collection.Model)

	// Changed is called from the loop of the crawl for every change of settings that
	// [Set] asked for, made or refused.
	Changed func(r SetRecord)

	// Cluster, if set, makes this process the coordinator of a cluster: workers on other machines
	// make the visits. The command line sets it.
	Cluster *cluster.Shipper

	// DiskRoom replaces [DiskRoom], for tests.
	DiskRoom func(dir string, s settings.Settings) (free, need int64, err error)

	// readOnly reports that the collection is opened to be read: a strategy of a
	// program's own is not needed then.
	readOnly bool

	// budget has the size of Memory. It is set when a collection is opened
	// to be crawled.
	budget *fetch.Budget
}

// A Crawler is an open collection with its crawl. It is not safe for
// concurrent use; during Crawl or Run only the callbacks of Config may call
// its methods.
type Crawler struct {
	Collection *collection.Collection
	Topic      *topic.Topic
	// Notes are messages for a person about the topic's examples, the access
	// log, changed settings and a changed judge.
	Notes []string

	cfg      Config
	strategy dowse.Strategy
	client   *fetch.Client
	writer   *archive.Writer
	live     *crawl.Live
	// outside is the outside judge of the topic; nil if it names none. asked
	// is the judge that it supplements.
	outside *outside.Judge
	asked   *liveJudge
	visitor *Visitor
	restore crawl.Restorer
	// renew makes the strategies again, as they were at the start; nil for one
	// that a Go program provides.
	renew   func() (dowse.Strategy, []crawl.Shadow, error)
	judging *judging
	labels  labelWatch
	backoff *killBackoff
	meter   *meter
	ration  *rationer
	garbage garbage.Pacer
	views   viewClock
	remote  *remote                    // nil unless workers make the visits
	beaten  time.Time                  // when the pulse was last written
	feeds   atomic.Pointer[sink.Feeds] // of the run; nil without sinks
	// journal is the first file of the journal when Run began; nil before.
	journal fs.FileInfo
	giveUp  context.Context // ends when the run is aborted
	err     error
	stopped dowse.StopReason
	kept    *crawl.Status // what a failed run has left on disk; nil after others
	unread  []*Page       // that were fetched when the loop over them was broken
	closed  bool
}

// Open opens the collection in dir and resumes its crawl, or creates a
// collection if there is none. If the crawl may not begin, the error contains
// what to do, and no request was sent. The caller must call Close.
func Open(dir string, cfg Config) (*Crawler, error) {
	return OpenContext(context.Background(), dir, cfg)
}

// OpenContext is Open with a context that can end the gathering of the
// topic's examples, which can take long. The context is not used afterwards.
func OpenContext(ctx context.Context, dir string, cfg Config) (*Crawler, error) {
	if dir == "" {
		return nil, errors.New("crawler: no directory given")
	}
	open := begin
	if collection.IsCollection(dir) {
		open = resume
	}
	c, err := open(ctx, dir, cfg)
	if err != nil || cfg.Cluster == nil {
		return c, err
	}
	if err := c.joinCluster(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// begin creates a collection and its crawl. Everything that can fail is
// checked or made before the directory is created, and the seeds are
// committed before the first visit.
//
// The order matters: what is cheap to check comes before the examples are
// fetched, which may take minutes; consent is reported before the first byte
// is written; and a crash after the directory exists leaves a collection that
// the next Open resumes, since its settings contain the seeds.
func begin(ctx context.Context, dir string, cfg Config) (*Crawler, error) {
	t, s, err := planNew(&cfg)
	if err != nil {
		return nil, err
	}
	newRationer(s.MemoryLimit).apply() // before anything large is read
	given, notes, err := gatherInputs(&s, t, cfg)
	if err != nil {
		return nil, err
	}
	b, err := buildJudge(ctx, t, s.Strategy, cfg)
	if err != nil {
		return nil, err
	}
	b.notes = append(b.notes, notes...)
	s.Seeds, s.Model, s.WordNet = append(s.Seeds, b.seeds...), b.model, cfg.keptWordNet(s)
	addOrder(&s, cfg)
	addErrorRate(&s, b.judge, cfg)
	seeds, err := seedURLs(s.Seeds)
	if err != nil {
		return nil, err
	}
	b.notes = append(b.notes, includeSeeds(&s.Scope, seeds)...)
	if err := checkIdentity(s, cfg, seeds); err != nil {
		return nil, err
	}
	if err := cfg.reportAgreed(dir, s, t); err != nil {
		return nil, err
	}
	col, err := collection.Create(dir, s, t.YAML(), robotsParser(s), append(b.files, given...)...)
	if err != nil {
		return nil, err
	}
	col.MarkCrawl()
	c, err := assemble(col, t, b, cfg)
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	col.Crawl.Start(c.live.Clock(), seeds)
	if err := c.commit(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// planNew returns the topic and the settings of a new crawl, checked as far as
// possible before the examples of the topic are gathered.
func planNew(cfg *Config) (*topic.Topic, collection.Settings, error) {
	t, err := topicFor(cfg)
	if err != nil {
		return nil, collection.Settings{}, err
	}
	if cfg.Unit != "" && cfg.Unit != unitPage && cfg.Unit != UnitSite {
		return nil, collection.Settings{}, fmt.Errorf("crawler: unknown unit %q; want %s or %s", cfg.Unit, unitPage, UnitSite)
	}
	if _, err := topic.Parse(t.YAML(), "Topic"); err != nil { // as the next Open reads it
		return nil, collection.Settings{}, fmt.Errorf("crawler: %w", err)
	}
	s, err := newSettings(t, *cfg)
	if err != nil {
		return nil, s, err
	}
	if err := s.Check(); err != nil {
		return nil, s, fmt.Errorf("crawler: %w", err)
	}
	if _, err := sink.ParseAll(s.Sinks); err != nil {
		return nil, s, fmt.Errorf("crawler: %w", err)
	}
	if err := checkCost(s.Strategy, s.Settings); err != nil {
		return nil, s, err
	}
	return t, s, checkStart(s, t, *cfg)
}

// checkStart checks seeds and identity before the examples are gathered, unless
// the seeds come from these. begin checks both again afterwards.
func checkStart(s collection.Settings, t *topic.Topic, cfg Config) error {
	if len(s.Seeds) == 0 && t.SeedsFrom != "" {
		return nil
	}
	seeds, err := seedURLs(s.Seeds)
	if err != nil {
		return err
	}
	return checkIdentity(s, cfg, seeds)
}

// resume continues the crawl in dir. Changes that require earlier decisions
// to be made again are made first; afterwards the collection is as if it had
// been created with them.
func resume(ctx context.Context, dir string, cfg Config) (*Crawler, error) {
	note, cfg, err := reviseDecisions(ctx, dir, cfg)
	if err != nil {
		return nil, err
	}
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return nil, err
	}
	col.MarkCrawl()
	c, err := resumeOpen(col, cfg)
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	if note != "" {
		c.Notes = append(c.Notes, note)
	}
	return c, nil
}

// resumeOpen resumes the crawl of an open collection: it merges the settings,
// restores the state, adds seeds and requeues URLs. The merged settings are
// saved last, so that a crash leaves the old settings with at most some more
// URLs in the queue, and the same command can be repeated.
func resumeOpen(col *collection.Collection, cfg Config) (*Crawler, error) {
	a, err := planResume(col, cfg)
	if err != nil {
		return nil, err
	}
	if a.revises() { // another process changed it since reviseDecisions
		return nil, fmt.Errorf("crawler: %s was changed meanwhile; try again", col.Dir)
	}
	col.Settings = a.settings
	col.Journal.SetParser(robotsParser(col.Settings))
	t := a.topic
	b, err := rebuildJudge(col, t, cfg)
	if err != nil {
		return nil, err
	}
	c, err := assemble(col, t, b, cfg)
	if err != nil {
		return nil, err
	}
	if changed, _ := a.changeNotes(); changed != "" {
		c.Notes = append(c.Notes, "changed: "+changed)
	}
	relaxed := c.requeueRelaxed(a.changes)
	c.Notes = append(c.Notes, relaxed...)
	if err := c.addSeeds(a.kept, a.given); err != nil {
		return nil, err
	}
	if err := c.requeue(cfg.Retry); err != nil {
		return nil, err
	}
	c.switchFormula()
	col.Crawl.Resume(col.Settings.Limits)
	if err := col.SaveSettings(); err != nil {
		return nil, err
	}
	return c, a.logChanges(col.Dir, c.live.Clock(), true, relaxed...)
}

// assemble builds a Crawler around an open collection. It is the only place
// where judge, strategy, client, archive and loop are connected.
//
// The state is loaded before the archive is opened to write: if loading fails,
// the archive was not touched. The judge of the last model replaces that of the
// topic only after loading, because the journal names the model in use.
func assemble(col *collection.Collection, t *topic.Topic, b *builtJudge, cfg Config) (*Crawler, error) {
	ration := newRationer(col.Settings.MemoryLimit)
	ration.apply()
	backoff := backoffFor(col, cfg)
	cfg.budget = backoff.budget
	c := &Crawler{Collection: col, Topic: t, Notes: b.notes, cfg: cfg, backoff: backoff, meter: newMeter(), ration: ration}
	if note := backoff.note(); note != "" {
		c.Notes = append(c.Notes, note)
	}
	judge, err := c.consult(b, filepath.Join(col.Dir, collection.AnswersName))
	if err != nil {
		return nil, err
	}
	before := uint64(0)
	if ration.limit > 0 {
		before = collected(ration.used)
	}
	parts, err := partsOf(col.Dir, col.Settings, t, judge, cfg)
	if err != nil {
		return nil, err
	}
	ration.noteFixed(before)
	ration.waits = func() int { return col.Crawl.Frontier().Count(dowse.Waiting) }
	c.client, c.strategy, c.visitor, c.renew = parts.client, parts.crawl.Strategy, parts.visitor, parts.crawl.Renew
	c.visitor.judged = c.meter.judged
	if t.AsksVia() {
		parts.crawl.Via = col.Via
	}
	parts.crawl.LinksIn = t.AsksLinksIn()
	parts.crawl.Ration, parts.crawl.NotesMemory = ration.admits, ration.notes()
	c.judging = &judging{col: col, topic: t, base: b.judge, own: cfg.Judge != nil, wordnet: cfg.dictionary(col.Settings)}
	c.restore = restorer(col, parts.visitor.wish)
	if err := col.Load(parts.crawl, c.restore); err != nil {
		return nil, err
	}
	if err := c.useLastModel(); err != nil {
		return nil, err
	}
	if !cfg.NoArchive {
		if c.writer, err = archive.OpenWriter(col.ArchiveDir(), archiveOptions(col, c.client, cfg.Clock)); err != nil {
			return nil, err
		}
		col.Writer = c.writer
		parts.visitor.archiver = newArchiver(c.writer, col.ArchiveDir())
		parts.visitor.document = col.Document
	}
	c.live = &crawl.Live{
		Crawl: col.Crawl, Visitor: parts.visitor, Commit: c.commit,
		Checkpoint: c.freeze, CheckpointEvery: 5000, Clock: cfg.Clock,
	}
	if c.live.Clock == nil {
		c.live.Clock = crawl.NewClock()
	}
	return c, nil
}

// archiveOptions returns what the warcinfo records of the archive contain about
// the crawl.
func archiveOptions(col *collection.Collection, client *fetch.Client, clock func() time.Time) archive.Options {
	return archive.Options{
		Prefix: col.Prefix(), Software: "dowse/" + Version, Operator: col.Settings.Identity.Contact,
		Robots: "obey", UserAgent: client.UserAgent(), Now: clock,
		Info: []archive.Field{{Name: "isPartOf", Value: col.Settings.Name}, {Name: "dowse-strategy", Value: col.Settings.Strategy}},
	}
}

// commit makes everything durable that was archived and recorded. The
// archive is synced before the journal that refers to it, so that no
// committed entry names a missing record. In a cluster the same bytes are
// published, and only then does the commit count.
func (c *Crawler) commit() error { return c.commitWithin(c.giveUp) }

// commitWithin is commit, which waits for the servers of a cluster until ctx ends.
func (c *Crawler) commitWithin(ctx context.Context) error {
	defer func(began time.Time) { c.meter.committed(c.live.Clock().Sub(began)) }(c.live.Clock())
	if c.writer != nil {
		if err := c.writer.Sync(); err != nil {
			return err
		}
	}
	end := c.Collection.Journal.End()
	if err := c.Collection.Journal.Sync(); err != nil {
		return err
	}
	if c.remote != nil {
		if err := c.present(); err != nil {
			return err // standbys must not follow the removal of files
		}
		end = c.remote.sealed.Load().Journal
		if err := c.remote.commit(ctx, c.Collection.Journal); err != nil {
			return err
		}
	}
	if f := c.feeds.Load(); f != nil {
		f.Commit(end)
	}
	return c.present()
}

// present returns an [durable.ErrGone] if the journal that this crawl writes is no longer
// in the collection, because someone deleted or moved it or the whole directory. The
// operating system lets a process write to a deleted file, so no write fails. An error
// other than absence is no evidence and is left to the next write.
func (c *Crawler) present() error {
	if c.journal == nil {
		return nil
	}
	now, err := durable.In(c.Collection.Dir).Lstat("state/" + c.journal.Name())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, c.journal) {
		return fmt.Errorf("crawler: %s: %w", c.Collection.Dir, durable.ErrGone)
	}
	return nil
}

// watchJournal notes the first file of the journal, for present.
func (c *Crawler) watchJournal() {
	state := durable.In(c.Collection.Dir).Sub("state")
	names, err := state.Names("journal-*.log")
	if err != nil || len(names) == 0 {
		return
	}
	if info, err := state.Lstat(names[0]); err == nil {
		c.journal = info
	}
}

// checkpoint commits and saves a snapshot of the state. The loop calls it.
func (c *Crawler) checkpoint() error {
	return saved(c.freeze())
}

// freeze is checkpoint in two steps. The function that it returns saves the state of now, and may
// run concurrently with the loop.
func (c *Crawler) freeze() (save func() error, err error) {
	c.seal()
	if err := c.commit(); err != nil {
		return nil, err
	}
	return c.Collection.Checkpoint()
}

// A Page is a fetched page as a Go program receives it.
type Page struct {
	*dowse.Page
	Relevance float64
	threshold float64
	// Why is the reasons of the verdict on one line. Its terms are those of
	// the judge; [topic.Topic.Speller] finds the words behind stems.
	Why string
}

// Row returns the page as lists and exports show it. Where its URL was first
// seen is included only if the topic asks for it.
func (p *Page) Row() *collection.Row {
	row := &collection.Row{Page: p.Page, State: dowse.Visited, Requested: true, Judged: true, Threshold: p.threshold}
	if v := p.Via; v != nil {
		row.Parent, row.Anchors = v.Parent, v.Anchors
	}
	return row
}

// Crawl crawls and yields every fetched page after it is durable on disk.
// Breaking the loop, or the end of ctx, pauses the crawl; calling Crawl
// again resumes it. Visits that are in flight when the loop is broken are completed,
// and the next Crawl yields their pages first; after Close they are in the
// collection only, and Err is an [fs.ErrClosed]. After the loop Err and StopReason
// return how it ended.
//
// A judge or transport of the program's own that panics in a visit ends the
// crawl: Err has the page, the panic and its stack, and the page is visited
// again when the crawl is resumed. A panic of a strategy is one of Crawl.
func (c *Crawler) Crawl(ctx context.Context) iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		c.Run(ctx, context.WithoutCancel(ctx), yield)
	}
}

// Run is Crawl with separate contexts for a pause and an interruption. When
// ctx ends, visits in flight are still completed and recorded; when abort
// ends, they are given up. Run calls yield for every fetched page until it
// returns false; pages that come after that are yielded by the next Run.
//
// yield, Config.Tick and Config.Trained are called by the goroutine that called
// Run, which is the only one that changes the crawl. The record of the run is
// written before the first visit and after the last: a record without its end
// shows the next run that this one was killed (see killBackoff).
func (c *Crawler) Run(ctx, abort context.Context, yield func(*Page) bool) {
	if c.closed {
		c.err, c.stopped = fmt.Errorf("crawler: %s: %w", c.Collection.Dir, fs.ErrClosed), dowse.StopError
		return
	}
	if c.live == nil {
		c.err = fmt.Errorf("crawler: %s was opened to be read and can't be crawled", c.Collection.Dir)
		return
	}
	if !c.yieldUnread(yield) {
		c.err, c.stopped = nil, dowse.StopSignal
		return
	}
	ctx, pause := context.WithCancel(ctx)
	defer pause()
	byHand := abort
	abort, giveUp := context.WithCancel(abort)
	defer giveUp()
	c.giveUp, c.kept = abort, nil
	going := true
	c.backoff.apply(c)
	c.live.Committed = func(p *dowse.Page) {
		c.checkSeen(abort, c.live.Clock())
		if p.Outcome != dowse.Fetched {
			return
		}
		page := &Page{p, p.Verdict.Relevance, c.Collection.Threshold(), collection.ReasonLine(p.Verdict.Because, 4)}
		if !going {
			c.unread = append(c.unread, page)
		} else if going = yield(page); !going {
			pause()
		}
	}
	c.live.Tick = func(now time.Time) {
		c.checkLabels(now)
		c.backoff.liftIfDue(c)
		if c.present() != nil {
			pause() // the last commit returns the error
		}
		c.checkDisk()
		c.watchMemory()
		c.growViews(now)
		c.serveSinks()
		st := c.Status()
		c.tickCluster(st)
		st.LimitedBy = cmp.Or(c.remote.limitedBy(), st.LimitedBy)
		c.meter.measure(now, &st)
		c.beat(now, st)
		if c.cfg.Tick != nil {
			c.cfg.Tick(st)
		}
	}
	if c.stopped != "" {
		c.Collection.Crawl.Resume(c.Collection.Settings.Limits)
	}
	c.watchJournal()
	c.ration.begin(c.Collection.Settings.Resolved().InFlight, c.live.Clock())
	c.boundVisits()
	record := c.beginRun()
	if c.err = record.append(c.Collection); c.err != nil {
		c.stopped = dowse.StopError
		return
	}
	c.views.last, c.views.pages = c.live.Clock(), c.Collection.Crawl.Books().Fetched
	c.checkDisk()
	c.carryOut(c.live.Clock(), false)  // requests that no run has seen
	c.checkSeen(abort, c.live.Clock()) // the last run may have been killed before it could
	c.checkLabels(c.live.Clock())      // a run may be shorter than a tick
	defer c.watchRequests()()
	c.startSinks()
	c.tickCluster(c.Status())
	leave := c.runCluster(ctx, abort, giveUp)
	c.err = errors.Join(c.err, c.live.Run(ctx, abort), c.finishRetraining(abort))
	leave()
	if c.remote != nil && byHand.Err() != nil {
		c.remote.byHand.Store(true)
	}
	if c.remote != nil && c.remote.fenced.Load() && !errors.Is(c.err, cluster.ErrFenced) {
		c.err = errors.Join(c.err, cluster.ErrFenced)
	}
	c.stopped = c.Collection.Crawl.Stopped()
	if errors.Is(c.err, cluster.ErrFenced) {
		c.stopped = dowse.StopError // the signal that it got was of this program itself
	}
	if c.needsRequisites() {
		both, end := context.WithCancel(ctx)
		context.AfterFunc(abort, end)
		var paused bool
		if paused, c.err = c.fetchRequisites(both); paused {
			c.stopped = dowse.StopSignal
		}
		end()
	}
	if DiskFull(c.err) {
		c.stopped = dowse.StopDisk
	}
	if c.err == nil {
		c.err = c.Collection.Summarise()
	}
	c.finishSinks(abort)
	if errors.Is(c.err, fs.ErrNotExist) { // a file could not be made: perhaps because its directory is gone
		c.err = cmp.Or(c.present(), c.err)
	}
	if errors.Is(c.err, durable.ErrGone) {
		c.stopped = dowse.StopError
		return // there is no log to write to
	}
	c.lastBeat()
	if c.err != nil {
		c.countKept()
	}
	record.end(c, context.Cause(ctx))
	c.err = errors.Join(c.err, record.append(c.Collection))
}

// yieldUnread yields the pages of visits that were in flight when the last loop was broken. It
// returns false when yield does.
func (c *Crawler) yieldUnread(yield func(*Page) bool) bool {
	for len(c.unread) > 0 {
		p := c.unread[0]
		if c.unread = c.unread[1:]; !yield(p) {
			return false
		}
	}
	c.unread = nil
	return true
}

// Err returns the error of the last Crawl, for example that a page could not
// be archived or committed. Everything committed before is safe.
func (c *Crawler) Err() error { return c.err }

// StopReason returns why the last Crawl ended.
func (c *Crawler) StopReason() dowse.StopReason { return c.stopped }

// Status returns the progress of the crawl. It must not be called
// concurrently with Crawl. After a run that failed it is that of what is on
// disk: pages that could not be committed are fetched again by the next run.
func (c *Crawler) Status() crawl.Status {
	if c.kept != nil {
		return *c.kept
	}
	return c.Collection.Crawl.Status()
}

// maxKept is the most known URLs of a crawl that is read again after a failed
// run, to bound the memory that this needs.
const maxKept = 1 << 20

// countKept reads what a failed run has left on disk, as the next command will.
// Which pages of the last commits that is can't be known otherwise: a commit
// that fails may have written a part of them.
func (c *Crawler) countKept() {
	st := c.Collection.Crawl.Status()
	if st.Books.Known > maxKept {
		return
	}
	again, err := View(c.Collection.Dir)
	if err != nil {
		return
	}
	defer again.Close()
	kept := again.Status()
	kept.Elapsed, kept.Stopped = st.Elapsed, c.stopped
	c.kept = &kept
}

// Close ends the outside judge and closes connections, archive and
// collection. Calls after the first do nothing.
func (c *Crawler) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	var err error
	if c.outside != nil {
		err = c.outside.Close()
	}
	if c.writer != nil {
		err = errors.Join(err, c.writer.Close())
	}
	if c.client != nil {
		c.client.Close()
	}
	return errors.Join(err, c.Collection.Close(), c.leaveCluster())
}

// randomKey returns the key of a crawl for which no random seed was given.
func randomKey() uint64 { return rand.Uint64() }
