// Package crawler is dowse for Go programs: open a collection, crawl, range over
// its pages. It is where the parts are wired together, once; the command line
// stands on it too.
package crawler

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/outside"
	"dowse/settings"
	"dowse/topic"
)

// Version of dowse, as it stands in User-Agent, archives and collections.
const Version = "0.1"

// Config holds what to look for and where to begin, the settings of the crawl, and what only
// a program can give. What is wanted is given by Words or Topic, or by a Judge of one's own.
type Config struct {
	Words []string     // a few words; or
	Topic *topic.Topic // a topic; or
	Judge dowse.Judge  // a judge of one's own, in place of the topic's
	Seeds []string     // URLs to begin with, beside the topic's

	// Settings are what a person decides. A setting that is not given has its default in a
	// new crawl; at a resume it stays as it was.
	settings.Settings

	// Reset names settings, by their flags, that go back to their default at a resume.
	Reset []string

	// Pinned are the examples of the topic as they were pinned (see topic.ParseLock). The
	// crawler's Notes name those that have changed since.
	Pinned []topic.Origin

	Strategy    dowse.Strategy // in place of the strategy that the settings name
	Unit        string         // what is looked for, UnitPage or UnitSite; default UnitPage
	TGraph      string         // file with the T-Graph, for strategies that need one
	Trace       string         // access log, for strategies that learn from people
	TraceSite   string         // URL of the site whose own log Trace is: such a log has paths without a host
	Links       string         // file of links with known outcomes, for strategies that learn from them
	Classes     string         // file of a decimal classification, for treasure
	LearnFrom   string         // collection whose strategy has learnt what this one starts with
	LearnAnyway bool           // even if it was crawled for another topic
	WordNet     string         // WNDB directory with what words may mean, for judges that grow from them; "" for none

	// Salt is the key of the hashes that stand for the people of Trace. No collection
	// keeps it: with the same salt a later crawl recognises them, and without it their names
	// can't be found by trying. Nil draws one at random and drops it.
	Salt []byte

	// Retry puts URLs of a crawl that is resumed back into the queue: "failed", "unreached",
	// a reason, or a host; see [crawl.Crawl.Requeue].
	Retry []string

	Memory    int64             // bytes of memory for pages in flight; a quarter of the process's memory limit, or 96 MiB
	Transport http.RoundTripper // answers in place of the network
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)

	// Consent is asked when a collection is taken up that would do something which this
	// config does not name itself: run a program, reach an inside network. An error refuses.
	// Nil refuses everything, with a [TrustError].
	Consent func(dir string, acts []Act) error

	// NoOutside leaves the topic's outside judge alone: nobody is asked, and nobody has to
	// consent to it.
	NoOutside bool

	// Getenv returns variables of the environment that a topic names: the keys of outside
	// judges. Nil knows none.
	Getenv func(name string) string

	// Say hears what the program of an outside judge writes to its standard error. Nil
	// hears nothing.
	Say func(line string)

	NoArchive  bool                 // keep decisions, but not what the web said
	NoSitemaps bool                 // do not read the sitemaps that robots.txt names
	Demo       *collection.Demo     // marks a collection of the made web
	Tick       func(s crawl.Status) // hears of the crawl about twice a second, from its loop
	Clock      func() time.Time     // returns the time for the crawl; nil means [crawl.NewClock]

	// Trained hears of every new model that was taken into use, and of those that the
	// crawl made by itself and refused, from the crawl's loop.
	Trained func(m collection.Model)

	budget *fetch.Budget // of Memory; set when a collection is opened to be crawled
}

// A Crawler is an open collection and the crawl in it.
type Crawler struct {
	Collection *collection.Collection
	Topic      *topic.Topic
	Notes      []string // what a person should know of the topic's examples, the access log, and a judge that changed

	cfg      Config
	strategy dowse.Strategy
	client   *fetch.Client
	writer   *archive.Writer
	live     *crawl.Live
	outside  *outside.Judge // that the topic names; nil for none
	asked    *ruler         // the judge that the outside one stands beside; nil for none
	visitor  *Visitor
	restore  crawl.Restorer
	judging  *judging
	labels   labelWatch
	care     *care
	err      error
	stopped  dowse.StopReason
}

// Open opens the collection in dir and takes up the crawl in it, or begins one. It
// returns an error that says what to do when the crawl may not begin; nothing is
// sent before that.
func Open(dir string, cfg Config) (*Crawler, error) {
	return OpenContext(context.Background(), dir, cfg)
}

// OpenContext is Open for those who may want to end the gathering of a topic's examples,
// which can take long. The context is not used after that.
func OpenContext(ctx context.Context, dir string, cfg Config) (*Crawler, error) {
	if collection.IsCollection(dir) {
		return resume(dir, cfg)
	}
	return begin(ctx, dir, cfg)
}

func begin(ctx context.Context, dir string, cfg Config) (*Crawler, error) {
	t, s, err := plan(&cfg)
	if err != nil {
		return nil, err
	}
	given, notes, err := gather(&s, t, cfg)
	if err != nil {
		return nil, err
	}
	b, err := newBench(ctx, t, s.Strategy, cfg)
	if err != nil {
		return nil, err
	}
	b.notes = append(b.notes, notes...)
	s.Seeds, s.Model = append(s.Seeds, b.seeds...), b.model
	knowError(&s, b.judge, cfg)
	seeds, err := seedURLs(s.Seeds)
	if err != nil {
		return nil, err
	}
	if err := identified(s, cfg, seeds); err != nil {
		return nil, err
	}
	col, err := collection.Create(dir, s, t.YAML(), robotsParser(s), append(b.files, given...)...)
	if err != nil {
		return nil, err
	}
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

// plan returns the topic and the settings of a new crawl, checked as far as they can be
// before the examples of the topic are gathered.
func plan(cfg *Config) (*topic.Topic, collection.Settings, error) {
	t, err := wanted(cfg)
	if err != nil {
		return nil, collection.Settings{}, err
	}
	s, err := newSettings(t, *cfg)
	if err != nil {
		return nil, s, err
	}
	if err := s.Check(); err != nil {
		return nil, s, fmt.Errorf("crawler: %w", err)
	}
	return t, s, ready(s, t, *cfg)
}

// ready checks what can be checked before the examples of a topic are gathered.
func ready(s collection.Settings, t *topic.Topic, cfg Config) error {
	if len(s.Seeds) == 0 && t.SeedsFrom != "" {
		return nil
	}
	seeds, err := seedURLs(s.Seeds)
	if err != nil {
		return err
	}
	return identified(s, cfg, seeds)
}

// resume goes on with the crawl in dir. Changes under which everything has to be decided
// again are made first; after that the collection is as if it had always been so.
func resume(dir string, cfg Config) (*Crawler, error) {
	note, err := decideAnew(dir, cfg)
	if err != nil {
		return nil, err
	}
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return nil, err
	}
	c, err := takeUp(col, cfg)
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	if note != "" {
		c.Notes = append(c.Notes, note)
	}
	return c, nil
}

func takeUp(col *collection.Collection, cfg Config) (*Crawler, error) {
	a, err := agree(col, cfg)
	if err != nil {
		return nil, err
	}
	if a.again() { // another process changed it since decideAnew
		return nil, fmt.Errorf("crawler: %s was changed meanwhile; try again", col.Dir)
	}
	col.Settings = a.settings
	col.Journal.SetParser(robotsParser(col.Settings))
	t := a.topic
	b, err := benchOf(col, t, cfg)
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
	c.Notes = append(c.Notes, c.admit(a.changes)...)
	if err := c.takeSeeds(a.kept, a.given); err != nil {
		return nil, err
	}
	if err := c.requeue(cfg.Retry); err != nil {
		return nil, err
	}
	c.takeFormula()
	col.Crawl.Resume(col.Settings.Limits)
	return c, col.SaveSettings()
}

// assemble puts the parts together around an open collection.
func assemble(col *collection.Collection, t *topic.Topic, b *madeJudge, cfg Config) (*Crawler, error) {
	care := careFor(col, cfg)
	cfg.budget = care.budget
	c := &Crawler{Collection: col, Topic: t, Notes: b.notes, cfg: cfg, care: care}
	if note := care.note(); note != "" {
		c.Notes = append(c.Notes, note)
	}
	judge, err := c.consult(b, filepath.Join(col.Dir, collection.AnswersName))
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(col.Dir, col.Settings, t, judge, cfg)
	if err != nil {
		return nil, err
	}
	c.client, c.strategy, c.visitor = parts.client, parts.crawl.Strategy, parts.visitor
	if t.AsksVia() {
		parts.crawl.Via = col.Via
	}
	parts.crawl.LinksIn = t.AsksLinksIn()
	c.judging = &judging{col: col, topic: t, base: b.judge, own: cfg.Judge != nil, wordnet: cfg.WordNet}
	c.restore = restorer(col, parts.visitor.wish)
	if err := col.Load(parts.crawl, c.restore); err != nil {
		return nil, err
	}
	if err := c.takeSeat(); err != nil {
		return nil, err
	}
	if !cfg.NoArchive {
		if c.writer, err = archive.OpenWriter(col.ArchiveDir(), archiveOptions(col, c.client, cfg.Clock)); err != nil {
			return nil, err
		}
		col.Writer = c.writer
		parts.visitor.keeper = newKeeper(c.writer)
	}
	c.live = &crawl.Live{
		Crawl: col.Crawl, Visitor: parts.visitor, Commit: c.commit,
		Checkpoint: c.checkpoint, CheckpointEvery: 5000, Clock: cfg.Clock,
	}
	if c.live.Clock == nil {
		c.live.Clock = crawl.NewClock()
	}
	return c, nil
}

func archiveOptions(col *collection.Collection, client *fetch.Client, clock func() time.Time) archive.Options {
	return archive.Options{
		Prefix: col.Prefix(), Software: "dowse/" + Version, Operator: col.Settings.Identity.Contact,
		Robots: "obey", UserAgent: client.UserAgent(), Now: clock,
		Info: []archive.Field{{Name: "isPartOf", Value: col.Settings.Name}, {Name: "dowse-strategy", Value: col.Settings.Strategy}},
	}
}

// commit makes durable what was kept and recorded: first the archive, then the
// journal that refers to it.
func (c *Crawler) commit() error {
	if c.writer != nil {
		if err := c.writer.Sync(); err != nil {
			return err
		}
	}
	return c.Collection.Journal.Sync()
}

func (c *Crawler) checkpoint() error {
	if err := c.commit(); err != nil {
		return err
	}
	return c.Collection.Checkpoint()
}

// A Page is a page of the crawl, as its programs see it.
type Page struct {
	*dowse.Page
	Relevance float64
	threshold float64
	Why       string // the verdict's reasons in a line, terms as the judge knows them: [topic.Topic.Speller] finds the words behind stems
}

// Row returns what is known of the page, as lists and exports show it. Where its URL was first seen is known only
// if the topic asks for it.
func (p *Page) Row() *collection.Row {
	row := &collection.Row{Page: p.Page, State: dowse.Visited, Requested: true, Judged: true, Threshold: p.threshold}
	if v := p.Via; v != nil {
		row.Parent, row.Anchors = v.Parent, v.Anchors
	}
	return row
}

// Crawl crawls, and yields every page that was fetched, after it is safely on
// disk. Breaking off the loop, or the end of ctx, pauses the crawl; Crawl again
// resumes it. After the loop Err and StopReason tell how it ended.
func (c *Crawler) Crawl(ctx context.Context) iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		c.Run(ctx, context.WithoutCancel(ctx), yield)
	}
}

// Run is Crawl for those who tell a pause (ctx ends: visits under way are still
// taken in) from an interruption (abort ends: they are given up). It yields the
// fetched pages until yield returns false.
func (c *Crawler) Run(ctx, abort context.Context, yield func(*Page) bool) {
	ctx, pause := context.WithCancel(ctx)
	defer pause()
	going := true
	c.care.begin(c)
	c.live.Committed = func(p *dowse.Page) {
		c.lookAtSeen(abort, c.live.Clock())
		if p.Outcome != dowse.Fetched || !going {
			return
		}
		if going = yield(&Page{p, p.Verdict.Relevance, c.Collection.Threshold(), collection.ReasonLine(p.Verdict.Because, 4)}); !going {
			pause()
		}
	}
	c.live.Tick = func(now time.Time) {
		c.lookAtLabels(now)
		c.care.look(c)
		if c.cfg.Tick != nil {
			c.cfg.Tick(c.Collection.Crawl.Status())
		}
	}
	if c.stopped != "" {
		c.Collection.Crawl.Resume(c.Collection.Settings.Limits)
	}
	sitting := c.sitDown()
	if c.err = sitting.append(c.Collection); c.err != nil {
		c.stopped = dowse.StopError
		return
	}
	c.lookAtSeen(abort, c.live.Clock()) // the last run may have been killed before it could
	c.err = errors.Join(c.err, c.live.Run(ctx, abort), c.finishRetraining(abort))
	c.stopped = c.Collection.Crawl.Stopped()
	if DiskFull(c.err) {
		c.stopped = dowse.StopDisk
	}
	if c.err == nil {
		c.err = c.Collection.Summarise()
	}
	sitting.getUp(c)
	c.err = errors.Join(c.err, sitting.append(c.Collection))
}

// Err returns what went wrong in the last Crawl: keeping or committing a page. What
// was committed before is safe.
func (c *Crawler) Err() error { return c.err }

// StopReason tells why the last Crawl ended.
func (c *Crawler) StopReason() dowse.StopReason { return c.stopped }

// Status returns how the crawl stands. It must not be called during Crawl.
func (c *Crawler) Status() crawl.Status { return c.Collection.Crawl.Status() }

// Close closes the collection.
func (c *Crawler) Close() error {
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
	return errors.Join(err, c.Collection.Close())
}

func randomKey() uint64 { return rand.Uint64() }
