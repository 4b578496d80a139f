package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"dowse"
	"dowse/fetch"
	"dowse/weburl"
)

// A Web is a recorded or synthetic web that is open for simulated crawls. It
// does not change and may be used by many goroutines. It has no access to
// labels.
type Web struct {
	Name   string
	SHA256 string // of its feature file: webs with equal hashes have equal pages

	source   Source
	features *features
	number   map[dowse.URL]int32
	robots   map[string]*dowse.Robots
	latency  func(dowse.URL) time.Duration

	pages  []atomic.Pointer[dowse.Page] // decoded pages that are kept in memory; nil for others
	budget int64                        // bytes of pages to keep at most
	held   atomic.Int64                 // bytes of pages that are kept
	hand   atomic.Uint32                // the page that was released last

	graphOnce sync.Once
	graph     *Graph
	graphErr  error
}

// Options control how a web is opened. They do not change its pages.
type Options struct {
	Cache    string                // folder for feature files
	Memory   int64                 // bytes of pages to keep in memory; default 320 MiB
	Progress func(done, total int) // if set, called while the feature file is built
}

// Open opens a web. The first time its pages are fetched and parsed, which
// takes about a millisecond per page; afterwards they come from the feature
// file in the cache. The file's name depends on the content of the source and
// on the parser, so a change of either builds another one.
func Open(ctx context.Context, s Source, o Options) (*Web, error) {
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.Cache, key+".features")
	f, err := openFeatures(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
		if err := prepare(ctx, s, path, o.Progress); err != nil {
			return nil, err
		}
		f, err = openFeatures(path)
	}
	if err != nil {
		return nil, err
	}
	w := newWeb(f, o.Memory)
	w.Name, w.source = s.ShownName(), s
	if s.Demo != nil {
		w.latency = s.Demo.generate().Latency
	}
	return w, nil
}

// defaultMemory holds a web of 5,000 long pages completely, and leaves two
// thirds of a gigabyte to crawls and their results.
const defaultMemory = 320 << 20

// newWeb indexes an open feature file: URLs by a map, and the rules of hosts,
// which are parsed once for all crawls.
func newWeb(f *features, memory int64) *Web {
	if memory <= 0 {
		memory = defaultMemory
	}
	w := &Web{SHA256: f.sha256, features: f, budget: memory, number: make(map[dowse.URL]int32, len(f.index)),
		robots: map[string]*dowse.Robots{}, pages: make([]atomic.Pointer[dowse.Page], len(f.index))}
	for i, r := range f.index {
		w.number[f.urls[r.url]] = int32(i)
	}
	for host, r := range f.robots {
		w.robots[host] = fetch.ParseRobots([]byte(r.body), r.status, agent)
	}
	return w
}

// Close closes the feature file. No crawl may be running.
func (w *Web) Close() error {
	if w.features.closer == nil {
		return nil
	}
	return w.features.closer.Close()
}

// Len returns the number of answers of the web: pages, redirects, sitemaps,
// failures.
func (w *Web) Len() int { return len(w.features.index) }

// URL returns the URL of the i-th answer.
func (w *Web) URL(i int) dowse.URL { return w.features.urls[w.features.index[i].url] }

// Find returns the number of the answer for a URL, and false if the web has
// none.
func (w *Web) Find(u dowse.URL) (int, bool) {
	i, ok := w.number[u]
	return int(i), ok
}

// HasRobots reports whether any host of the web has a robots.txt. If none has,
// crawls need not ask for them, which makes a simulation shorter by one visit
// per host.
func (w *Web) HasRobots() bool {
	for _, r := range w.robots {
		if r.Status == 200 {
			return true
		}
	}
	return false
}

// allowed reports whether robots.txt permits fetching a URL.
func (w *Web) allowed(u dowse.URL) bool {
	r := w.robots[weburl.Host(u)]
	if r == nil {
		return true
	}
	ok, _ := r.Rules.Allowed(u)
	return ok
}

// Page returns the i-th answer as it was recorded, without a rating. It is
// shared and must not be modified. It is decoded when it is not in memory; two
// goroutines may then decode it concurrently, and one copy is kept.
func (w *Web) Page(i int) (*dowse.Page, error) {
	if p := w.pages[i].Load(); p != nil {
		return p, nil
	}
	p, err := w.features.page(i)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, w.Name)
	}
	if w.pages[i].CompareAndSwap(nil, p) {
		w.makeRoom(w.weight(i, p))
	}
	return p, nil
}

// weight estimates the memory of the i-th page: its record, of which its texts
// are substrings, and the slices that were decoded from it. It gives the same
// number when the page is kept and when it is released, so that the sum of all
// is exact.
func (w *Web) weight(i int, p *dowse.Page) int64 {
	n := w.features.index[i].length + int(unsafe.Sizeof(*p)) + len(p.Words)*int(unsafe.Sizeof(dowse.Span{})) +
		len(p.Links)*int(unsafe.Sizeof(dowse.Link{})) + len(p.Headings)*int(unsafe.Sizeof(dowse.Heading{}))
	for k := range p.Links {
		n += len(p.Links[k].More) * int(unsafe.Sizeof(dowse.Mention{}))
	}
	return int64(n)
}

// makeRoom accounts for a new page and releases others, round robin, until all
// fit the budget. Crawls of one topic visit mostly the same pages, so a
// cleverer order would gain little, and this one needs no lock. A released page
// stays valid for crawls that hold it.
func (w *Web) makeRoom(size int64) {
	for held := w.held.Add(size); held > w.budget; {
		i := int(w.hand.Add(1)) % len(w.pages)
		old := w.pages[i].Load()
		if old != nil && w.pages[i].CompareAndSwap(old, nil) {
			held = w.held.Add(-w.weight(i, old))
		}
	}
}
