package operations

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
)

// Config says which collections there are, and what may be done to them.
type Config struct {
	// Dirs are collections, and folders in which collections are looked for by name.
	Dirs []string
	// Into is the folder in which new crawls are made; default the first of Dirs that is no
	// collection. Without one no crawl can be started, only continued.
	Into string
	// ReadOnly refuses every change.
	ReadOnly bool

	// Executable is the program that crawls; default this program.
	Executable string
	// Crawls is how many child processes may crawl at the same time; default 4.
	Crawls int
	// CrawlFlags are arguments of every crawl that is started or continued, such as the contact and
	// the networks that may be reached. A caller can't replace them.
	CrawlFlags []string
	// Bound gives every crawl that is started a standard input that ends with this process, however that
	// ends. With a flag that has a crawl stop then, no crawl outlives this process.
	Bound bool

	// Pause asks the crawl that this process runs to stop gently; nil if it runs none.
	Pause func()
	// Agreed is called with what a change of settings makes this machine do, since whoever asks for the
	// change agrees to it; nil for none. See crawler.Config.
	Agreed func(dir string, s collection.Settings, acts []crawler.Act) error

	// SearchKey returns the secret by which search indexes of this user are recognised; nil for none.
	SearchKey func() []byte
	// WordNet is a WNDB directory for judges that grow from words; "" for none.
	WordNet string
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// maxCollections bounds how many collections of a folder are listed.
const maxCollections = 1000

// scanEvery is how long the list of the folders is good for.
const scanEvery = time.Second

// An Operations answers questions about collections and changes them. It is safe for
// concurrent use. Close ends what it has open.
type Operations struct {
	cfg Config

	mu      sync.Mutex
	shelves map[string]*shelf // by directory; only those that exist
	ids     map[string]string // directories by ID
	scanned time.Time
	closed  bool
	private *durable.TempFolder // a folder of its own, made when it is first needed

	children children
	exports  exports
	searches searches
	compared comparisons
	counters chan struct{} // see shelf
}

// New returns the operations over the directories of a config. Nothing is opened yet; a
// directory that does not exist is an error.
func New(cfg Config) (*Operations, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Crawls = cmp.Or(cfg.Crawls, 4)
	cfg.Dirs = slices.Clone(cfg.Dirs)
	for i, dir := range cfg.Dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		st, err := os.Stat(abs)
		if err != nil {
			return nil, failf(NotFound, "", "%s: %w", dir, err)
		}
		if !st.IsDir() {
			return nil, failf(Invalid, "", "%s: it is no directory; give a collection or a folder of collections", dir)
		}
		cfg.Dirs[i] = abs
		if cfg.Into == "" && !collection.IsCollection(abs) {
			cfg.Into = abs
		}
	}
	return &Operations{cfg: cfg, shelves: map[string]*shelf{}, ids: map[string]string{}, counters: make(chan struct{}, maxCounts)}, nil
}

// Close closes all collections, ends exports and follow-ups, and removes the temporary files.
// Crawls that were started go on: they are processes of their own.
func (o *Operations) Close() error {
	o.exports.end()
	o.mu.Lock()
	o.closed = true
	shelves := o.shelves
	o.shelves, o.ids = map[string]*shelf{}, map[string]string{}
	private := o.private
	o.mu.Unlock()
	o.searches.close()
	var errs []error
	for _, s := range shelves {
		errs = append(errs, s.close())
	}
	if private != nil {
		errs = append(errs, private.Remove())
	}
	return errors.Join(errs...)
}

// folder returns a private folder for logs and exports.
func (o *Operations) folder() (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return "", errClosed
	}
	if o.private == nil {
		dir, err := durable.NewTempFolder("server")
		if err != nil {
			return "", err
		}
		o.private = dir
	}
	return o.private.Path, nil
}

var errClosed = errors.New("the program is ending")

// scan finds the collections of the directories, at most once per scanEvery unless force is
// set. Collections that are gone are closed.
func (o *Operations) scan(force bool) {
	now := o.cfg.Now()
	if !force && !o.scanned.IsZero() && now.Sub(o.scanned) >= 0 && now.Sub(o.scanned) < scanEvery {
		return
	}
	o.scanned = now
	dirs := o.found()
	for dir, s := range o.shelves {
		if !slices.Contains(dirs, dir) {
			delete(o.shelves, dir)
			delete(o.ids, s.id)
			go s.close() // a question may be reading it
		}
	}
	for _, dir := range dirs {
		if o.shelves[dir] == nil {
			s := &shelf{dir: dir, id: o.freeID(dir), now: o.cfg.Now, replaced: o.searches.dropStale, counters: o.counters}
			o.shelves[dir] = s
			o.ids[s.id] = dir
		}
	}
}

// found returns the directories of all collections that exist now.
func (o *Operations) found() (dirs []string) {
	add := func(dir string) {
		if collection.IsCollection(dir) && !slices.Contains(dirs, dir) && len(dirs) < maxCollections {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range append(slices.Clone(o.cfg.Dirs), o.cfg.Into) {
		if dir == "" {
			continue
		}
		if collection.IsCollection(dir) {
			add(dir)
			continue
		}
		names, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			if n.IsDir() && strings.HasSuffix(n.Name(), suffix) {
				add(filepath.Join(dir, n.Name()))
			}
		}
	}
	return dirs
}

// suffix is how the directories of collections are called.
const suffix = ".dowse"

// freeID returns the ID of a directory: its name without suffix, and a number if another
// collection has that one. Characters that would have to be escaped in a URL are replaced.
func (o *Operations) freeID(dir string) string {
	base := strings.Map(func(c rune) rune {
		if c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return '_'
	}, strings.TrimSuffix(filepath.Base(dir), suffix))
	base = cmp.Or(strings.Trim(base, "."), "collection")
	id := base
	for n := 2; o.ids[id] != ""; n++ {
		id = fmt.Sprintf("%s~%d", base, n)
	}
	return id
}

// shelf returns the collection with an ID.
func (o *Operations) shelf(id string) (*shelf, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errClosed
	}
	o.scan(false)
	if o.ids[id] == "" {
		o.scan(true)
	}
	if s := o.shelves[o.ids[id]]; s != nil {
		if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
			return nil, failf(NotFound, "id", "the collection %q is gone: its folder %s was moved or removed", clip(id), clip(s.dir))
		}
		return s, nil
	}
	return nil, failf(NotFound, "id", "there is no collection %q here", clip(id))
}

// Dir returns the directory of a collection.
func (o *Operations) Dir(id string) (string, error) {
	s, err := o.shelf(id)
	if err != nil {
		return "", err
	}
	return s.dir, nil
}

// ID returns the ID of the collection in a directory.
func (o *Operations) ID(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for _, s := range o.all() {
		if s.dir == dir {
			return s.id, nil
		}
	}
	return "", failf(NotFound, "", "%s is not a collection", clip(dir))
}

// all returns all collections, sorted by ID.
func (o *Operations) all() (list []*shelf) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.scan(false)
	for _, s := range o.shelves {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *shelf) int { return strings.Compare(a.id, b.id) })
	return list
}

// changeable returns the collection with an ID if changes are allowed.
func (o *Operations) changeable(id string) (*shelf, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	return s, o.mayChange()
}

// ReadOnly reports whether every change is refused.
func (o *Operations) ReadOnly() bool { return o.cfg.ReadOnly }

// mayChange returns an error if this process only reads.
func (o *Operations) mayChange() error {
	if o.cfg.ReadOnly {
		return failf(Refused, "", "changes are not allowed: this server only reads")
	}
	return nil
}

// exists reports whether a file exists, also if it can't be looked at.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
