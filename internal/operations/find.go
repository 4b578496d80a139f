package operations

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse/collection"
	"dowse/internal/plain"
	"dowse/internal/search"
)

// SearchSchema names the schema of the JSON object of an answer of Search.
const SearchSchema = "search/v1"

// A SearchQuery is what to look for in the texts of collections.
type SearchQuery struct {
	Query   string // words, "phrases", -word and conditions, as dowse search has them
	Similar string // a URL; pages that share its rarest words are looked for
	All     bool   // also pages off topic
	Limit   int    // default 10, at most 100
	Offset  int
	Facets  bool
}

// A Found is the answer to a SearchQuery.
type Found struct {
	Schema string `json:"schema"`
	Query  string `json:"query,omitempty" doc:"as it was given"`
	*search.Result
	Notes   []string `json:"notes,omitempty" doc:"what of the query is unclear, and why pages may be missing"`
	Command string   `json:"command" doc:"the command that finds the same"`
}

// Bounds of searches.
const (
	maxSearched     = 16 // collections
	maxSearchOffset = 10_000
	maxQuery        = 2000 // bytes
	keptSearchers   = 4
	searchTimeout   = time.Minute
)

// searches keeps the indexes that were searched last open. They are valid for the views that
// they were opened with.
type searches struct {
	mu   sync.Mutex
	list []*searching
}

// searching is an open index over collections, and the views that it reads.
type searching struct {
	mu     sync.Mutex
	key    string
	views  []*openView
	shelfs []*shelf
	s      *search.Searcher
}

// Search finds pages by their words in one or several collections, as one. The index is searched
// as it is; Lag in the answer is what it lacks, and the index of a collection that is not being
// crawled is brought up to date in the background.
func (o *Operations) Search(ctx context.Context, ids []string, q SearchQuery) (*Found, error) {
	if err := q.check(ids); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	x, err := o.searcher(ctx, ids)
	if err != nil {
		return nil, o.searchFault(ctx, ids, err)
	}
	defer x.mu.Unlock()
	for _, v := range sortedViews(x.views) {
		v.mu.Lock()
		defer v.mu.Unlock()
	}
	r := search.Request{Query: q.Query, All: q.All, Limit: q.Limit, Offset: q.Offset, Facets: q.Facets}
	if q.Similar != "" {
		var err error
		for _, v := range x.views {
			if r.Similar, err = KnownURL(v.col, q.Similar); err == nil {
				break
			}
		}
		if err != nil {
			return nil, err
		}
	}
	result, err := x.s.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	if result.Hits == nil {
		result.Hits = []search.Hit{}
	}
	if result.Lag.Pages > 0 {
		for _, s := range x.shelfs {
			o.updateIndex(s)
		}
	}
	var dirs []string
	for _, s := range x.shelfs {
		dirs = append(dirs, s.dir)
	}
	return &Found{SearchSchema, q.Query, result, slices.Concat(result.Unclear, x.notes(result.Unread)), searchCommand(dirs, &q)}, nil
}

// searchFault returns the error of an index that can't be opened. If a collection is damaged, that is the cause: an index is made of
// its journal.
func (o *Operations) searchFault(ctx context.Context, ids []string, err error) error {
	for _, id := range ids {
		s, unknown := o.shelf(id)
		if KindOf(err) != "" || unknown != nil {
			break
		}
		_ = s.locked(ctx, func(v *openView) error {
			if damage := v.damage(); damage != "" {
				err = failf(Damaged, "", "%s is damaged, and can't be searched: %s", s.id, plain.OneLine(damage))
			}
			return nil
		})
	}
	return err
}

// notes returns why pages may be missing in an answer, which is damage of collections, and whether an index is temporary.
// unread is how many pages the search could not read. The views are locked.
func (x *searching) notes(unread int) (list []string) {
	if unread > 0 {
		list = append(list, plain.Some(unread, "page")+" can't be read, because records of the archive are damaged")
	}
	for i, v := range x.views {
		damage := v.damage()
		x.shelfs[i].keepDamage(damage)
		if damage != "" {
			list = append(list, x.shelfs[i].id+" is damaged, and pages may be missing: "+plain.OneLine(damage))
		}
	}
	if len(x.s.Temporary) > 0 {
		list = append(list, "no index can be kept, so a temporary one was made")
	}
	return list
}

// check returns an error for a query with a value that can't be used, and sets its defaults.
func (q *SearchQuery) check(ids []string) error {
	if strings.TrimSpace(q.Query) == "" && q.Similar == "" {
		return failf(Invalid, "q", "q: nothing to search for; give words, or the URL of a similar page")
	}
	if len(q.Query) > maxQuery || len(q.Similar) > maxQuery {
		return failf(Invalid, "q", "q: got %d bytes, want at most %d", max(len(q.Query), len(q.Similar)), maxQuery)
	}
	if len(ids) == 0 || len(ids) > maxSearched {
		return failf(Invalid, "id", "collections: got %d, want 1 to %d", len(ids), maxSearched)
	}
	if q.Offset < 0 || q.Offset > maxSearchOffset {
		return failf(Invalid, "offset", "offset: got %d, want 0 to %d", q.Offset, maxSearchOffset)
	}
	return limit(&q.Limit, 10, 100)
}

// sortedViews returns views in the order of their directories, in which they are locked.
func sortedViews(list []*openView) []*openView {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *openView) int { return strings.Compare(a.col.Dir, b.col.Dir) })
	return slices.Compact(list)
}

// searcher returns an open index over the present views of collections, locked. One that was closed
// between being found and being locked is opened again.
func (o *Operations) searcher(ctx context.Context, ids []string) (*searching, error) {
	for {
		x, err := o.findSearcher(ctx, ids)
		if err != nil {
			return nil, err
		}
		x.mu.Lock()
		if x.s != nil {
			return x, nil
		}
		x.mu.Unlock()
	}
}

// findSearcher returns an open index over the present views of collections.
func (o *Operations) findSearcher(ctx context.Context, ids []string) (*searching, error) {
	var shelfs []*shelf
	var views []*openView
	release := func() {
		for i, v := range views {
			shelfs[i].release(v)
		}
	}
	for _, id := range ids {
		s, err := o.shelf(id)
		if err == nil && slices.Contains(shelfs, s) {
			continue
		}
		var v *openView
		if err == nil {
			err = o.ensureIndex(ctx, s)
		}
		if err == nil {
			v, err = s.acquire(ctx)
		}
		if err != nil {
			release()
			return nil, err
		}
		shelfs, views = append(shelfs, s), append(views, v)
	}
	o.searches.mu.Lock()
	defer o.searches.mu.Unlock()
	key := strings.Join(ids, " ")
	for i, x := range o.searches.list {
		if x.key == key && slices.Equal(x.views, views) {
			release()
			o.searches.list = append(slices.Delete(o.searches.list, i, i+1), x) // the last one used last
			return x, nil
		}
	}
	x := &searching{key: key, views: views, shelfs: shelfs}
	if err := x.open(ctx, o.cfg.SearchKey, o.cfg.ReadOnly); err != nil {
		release()
		return nil, err
	}
	o.searches.keep(x)
	return x, nil
}

// open opens the indexes. An index that is missing is made first; if this process only reads, in a
// temporary folder.
func (x *searching) open(ctx context.Context, key func() []byte, readOnly bool) (err error) {
	var cols []*collection.Collection
	for _, v := range sortedViews(x.views) {
		v.mu.Lock()
		defer v.mu.Unlock()
	}
	for _, v := range x.views {
		cols = append(cols, v.col)
	}
	opt := search.Options{ReadOnly: readOnly}
	if key != nil {
		opt.Key = key()
	}
	x.s, err = search.Open(ctx, cols, opt, false)
	return err
}

// keep stores an open index, and closes those of the same collections and the one that was not
// used for the longest time.
func (l *searches) keep(x *searching) {
	var rest []*searching
	for _, y := range l.list {
		if y.key == x.key {
			y.close()
			continue
		}
		rest = append(rest, y)
	}
	if len(rest) >= keptSearchers {
		rest[0].close()
		rest = rest[1:]
	}
	l.list = append(rest, x)
}

// drop closes the indexes of a collection, for a change that removes them.
func (l *searches) drop(s *shelf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(x *searching) bool {
		if !slices.Contains(x.shelfs, s) {
			return false
		}
		x.close()
		return true
	})
}

// dropStale closes the indexes over views that were replaced: they would keep these in memory.
func (l *searches) dropStale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(x *searching) bool {
		for i, v := range x.views {
			if !x.shelfs[i].shows(v) {
				x.close()
				return true
			}
		}
		return false
	})
}

// close closes all indexes.
func (l *searches) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.list {
		x.close()
	}
	l.list = nil
}

// close closes an index when no search uses it any more.
func (x *searching) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.s != nil {
		x.s.Close()
		x.s = nil
	}
	for i, v := range x.views {
		x.shelfs[i].release(v)
	}
	x.views, x.shelfs = nil, nil
}

// firstIndex is how long a search waits for an index that has to be made.
const firstIndex = 20 * time.Second

// ensureIndex makes the index of a collection that has none, before a view is locked for it. If that takes
// long, it goes on in the background, and the error is of kind Busy. Where no index can be kept, the
// search makes a temporary one.
func (o *Operations) ensureIndex(ctx context.Context, s *shelf) error {
	if o.cfg.ReadOnly || o.cfg.SearchKey == nil || exists(filepath.Join(s.dir, "search")) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, firstIndex)
	defer cancel()
	err := search.Update(ctx, s.dir, search.Options{Key: o.cfg.SearchKey()})
	if ctx.Err() == nil && search.IsUnwritable(err) {
		return nil
	}
	if ctx.Err() == nil {
		return err
	}
	o.updateIndex(s)
	return failf(Busy, "", "the search index of %s is being made; try again in a minute", s.id)
}

// updateIndex brings the index of a collection up to date in the background, one at a time, unless
// a crawl runs in it: that follows its own pages.
func (o *Operations) updateIndex(s *shelf) {
	if pid, _ := collection.Running(s.dir); o.cfg.ReadOnly || o.cfg.SearchKey == nil || pid != 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexing || s.closed {
		return
	}
	s.indexing = true
	go func() {
		_ = search.Update(context.Background(), s.dir, search.Options{Key: o.cfg.SearchKey(), Workers: 1}) // the next search shows what it lacks
		s.mu.Lock()
		s.indexing = false
		s.mu.Unlock()
		o.searches.drop(s)
	}()
}
