package operations

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/internal/site"
)

// A shelf is one collection and what is known of it in this process.
type shelf struct {
	id, dir  string
	now      func() time.Time
	replaced func() // called when a view was replaced, so that what holds the old one lets go of it

	mu       sync.Mutex
	cur      *openView // the newest; nil before the first question
	making   chan struct{}
	took     time.Duration // for making the last view
	cost     viewCost      // what views are taken to cost
	made     time.Time
	renewed  bool // this process has changed something: the view is made again in any case
	failed   error
	closed   bool
	follow   *follower
	counted  counting
	audited  auditCache
	indexing bool   // the search index is being brought up to date
	damaged  string // what the last look for damage found; "" for none
	queues   map[string]*keptQueue
	naming   naming
	counters chan struct{} // holds a place for each count that is made now, of any collection

	judges   judges
	traffic  traffic
	last     keptLast
	training sync.Mutex // held during a training: a second one waits
}

// An openView is a collection at one moment. The columns and maps that are made with it are
// never changed; everything else is used under its lock, because a Collection is not safe for
// concurrent use.
type openView struct {
	token *viewToken // no other view has it

	mu    sync.Mutex
	cr    *crawler.Crawler
	col   *collection.Collection
	at    time.Time // when it was made
	end   uint64    // of the journal then
	logs  position  // what the logs had before that
	gen   string    // of the files that it was made from
	users int       // guarded by the shelf
	stale bool

	pages columns
	spelt *spelling

	once     sync.Mutex // guards what is made when it is first needed
	reasons  []collection.ReasonCount
	hostRows []collection.HostRow
	hostRank []uint32 // place of each host in the order of names
	ranked   bool
	looked   bool // for damage, which is broken
	broken   string
	counted  bool
	graph    *Graph
	graphOf  int // nodes that were asked for
	queued   *Frontier
	samples  map[dowse.Reason][]string
	tgraph   *TGraph
	siteRows map[bool][]site.Site // by whether homepages alone are judged
}

// columns are the fetched pages of a view in the order of their visits. A page is one
// index in all of them.
type columns struct {
	ids       []frontier.ID
	places    []uint64
	relevance []float64
	priority  []float32
	hosts     []frontier.HostID
	verdicts  []verdictBits
	on        []uint32 // how many of the pages up to this one are on topic
}

// verdictBits are what a page counts as.
type verdictBits uint8

const (
	isOn verdictBits = 1 << iota
	isUnsure
)

// maxHistory is how many bytes of the journal are read to explain a URL. The command line reads more, since
// no other reader waits for it.
const maxHistory = 4 << 20

// A viewToken stands for a view in what is kept of it: it does not keep the view in memory.
type viewToken struct{ _ byte }

// viewOf opens a view of a collection.
func viewOf(dir string, now time.Time) (*openView, error) {
	if !collection.IsCollection(dir) && !collection.Remains(dir) {
		return nil, failf(NotFound, "", "%s is not a collection", plain.OneLine(dir))
	}
	gen, logs := generation(dir), logSizes(dir) // before: what changes meanwhile makes another view due
	cr, err := crawler.View(dir)
	if err != nil {
		return nil, err
	}
	cr.Collection.History = maxHistory
	v := &openView{token: &viewToken{}, cr: cr, col: cr.Collection, at: now, end: cr.Collection.Journal.End(), logs: logs, gen: gen}
	v.pages, v.spelt = columnsOf(v.col), newSpelling(cr.Topic)
	return v, nil
}

// columnsOf copies what the frontier knows of the fetched pages.
func columnsOf(col *collection.Collection) (c columns) {
	f := col.Crawl.Frontier()
	n := f.Count(dowse.Visited)
	c.ids = make([]frontier.ID, 0, n)
	visits := make([]placed, 0, n)
	for id := range frontier.ID(f.Len()) {
		if f.State(id) != dowse.Visited || crawl.IsList(col.Crawl, id) {
			continue
		}
		if v, ok := f.Visit(id); ok {
			visits = append(visits, placed{v.Place, id})
		}
	}
	slices.SortFunc(visits, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	n = len(visits)
	c.places, c.relevance, c.priority = make([]uint64, n), make([]float64, n), make([]float32, n)
	c.hosts, c.verdicts, c.on = make([]frontier.HostID, n), make([]verdictBits, n), make([]uint32, n)
	threshold, on := col.Threshold(), uint32(0)
	for i, x := range visits {
		v, _ := f.Visit(x.id)
		relevance := facts.Finite(v.Relevance)
		c.ids = append(c.ids, x.id)
		c.places[i], c.hosts[i] = x.place, f.Host(x.id)
		c.relevance[i] = relevance
		c.priority[i] = float32(math.Max(-math.MaxFloat32, math.Min(math.MaxFloat32, facts.Finite(f.Priority(x.id)))))
		if relevance >= threshold {
			c.verdicts[i] |= isOn
			on++
		}
		if collection.Unsure(relevance, threshold) {
			c.verdicts[i] |= isUnsure
		}
		c.on[i] = on
	}
	return c
}

// seen returns how far a view has the journal and the logs.
func (v *openView) seen() position { return position{v.end, v.logs.runs, v.logs.settings} }

// generation returns a text that changes when the files that a view is made from do, or those that its events are
// made from.
func generation(dir string) string {
	var b strings.Builder
	for _, name := range append(viewFiles(dir), filepath.Join(dir, runsLog), filepath.Join(dir, settingsLog)) {
		if st, err := os.Lstat(name); err == nil {
			fmt.Fprintf(&b, "%x.%x ", st.Size(), st.ModTime().UnixNano())
		}
	}
	return b.String()
}

// placed is a visited URL and where its visit is recorded.
type placed struct {
	place uint64
	id    frontier.ID
}

// use calls do with the present view of the collection. No other question uses its Collection
// meanwhile if do locks the view; columns may be read without.
func (s *shelf) use(ctx context.Context, do func(v *openView) error) error {
	v, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release(v)
	return do(v)
}

// locked is use with the view locked.
func (s *shelf) locked(ctx context.Context, do func(v *openView) error) error {
	return s.use(ctx, func(v *openView) error {
		v.mu.Lock()
		defer v.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return err
		}
		return do(v)
	})
}

// acquire returns the present view and keeps it open until it is released. If the collection
// has changed since, the view is made again: in the background if making it is slow and the old one was asked for lately,
// else before the answer.
func (s *shelf) acquire(ctx context.Context) (*openView, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, errClosed
		}
		due := s.due()
		if due && s.making == nil {
			s.making = make(chan struct{})
			go s.remake()
		}
		if s.cur != nil && s.failed == nil && (!due || s.took > viewCheap && !s.renewed && !s.old()) {
			v := s.cur
			v.users++
			s.mu.Unlock()
			return v, nil
		}
		wait := s.making
		s.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
		if s.renewed && !s.closed { // what was changed came after that view was begun
			s.mu.Unlock()
			continue
		}
		v, err := s.cur, s.failed
		if v != nil && err == nil {
			v.users++
		}
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
		if v != nil {
			return v, nil
		}
	}
}

// due reports whether the view should be made again. A view that failed is tried again at
// every question.
func (s *shelf) due() bool {
	if s.cur == nil || s.failed != nil || s.renewed {
		return true
	}
	age := s.now().Sub(s.made)
	if age >= 0 && age < viewLeast || s.cur.gen == generation(s.dir) {
		return false
	}
	// A crawl that has ended grows no more: its last view is worth waiting for.
	pid, _ := collection.Running(s.dir)
	s.renewed = pid == 0
	return s.renewed || s.old() || age >= s.cost.pause(behind(s.dir))
}

// old reports whether the present view is too old to answer a question, whatever another one costs: no question has come since that
// was due.
func (s *shelf) old() bool {
	age := s.now().Sub(s.made)
	return age < 0 || age >= s.cost.last.pause()+viewOld
}

// remake makes a new view and puts it into use. The old one is closed when its last question
// is answered.
func (s *shelf) remake() {
	s.mu.Lock()
	s.renewed = false
	s.mu.Unlock()
	began, tail := time.Now(), behind(s.dir)
	v, err := viewOf(s.dir, s.now())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took, s.made = time.Since(began), s.now()
	s.cost.add(s.took, tail)
	s.failed = err
	if s.closed && v != nil {
		v.cr.Close()
		v = nil
	}
	if v != nil {
		if old := s.cur; old != nil {
			v.spelt = v.spelt.after(old, v)
			old.stale = true
			if old.users == 0 {
				old.cr.Close()
			}
			v.users++
			go s.prepare(v)
		}
		if s.cur != nil {
			go s.replaced()
		}
		s.cur = v
	}
	close(s.making)
	s.making = nil
}

// prepare makes what the overview needs of a view that has replaced another one, before someone who watches the collection
// asks for it: of a million pages that takes longer than a page may.
func (s *shelf) prepare(v *openView) {
	defer s.release(v)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reasonCounts()
	v.damage()
	v.queue()
}

// renew has the next question see what was changed by this process: the view is made again
// however recent it is.
func (s *shelf) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = true
	s.last.clear()
}

// keepDamage stores what a look for damage found, for the list of collections, which opens none.
func (s *shelf) keepDamage(damage string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = damage
}

// shows reports whether a view is the present one.
func (s *shelf) shows(v *openView) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur == v
}

// release ends the use of a view.
func (s *shelf) release(v *openView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.users--; v.users == 0 && v.stale {
		v.cr.Close()
	}
}

// close closes the view and ends the follower.
func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.follow != nil {
		s.follow.stop()
	}
	if v := s.cur; v != nil {
		s.cur = nil
		v.stale = true
		if v.users == 0 {
			return v.cr.Close()
		}
	}
	return nil
}

// clip returns a text of a caller as an error may repeat it.
func clip(text string) string { return plain.Fit(plain.OneLine(text), 80) }
