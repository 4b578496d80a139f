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

// A Web is a web that holds still. It may be used from many goroutines. It knows
// nothing of labels.
type Web struct {
	Name   string
	SHA256 string // of its features: two webs with the same are the same

	source   Source
	features *features
	number   map[dowse.URL]int32
	robots   map[string]*dowse.Robots
	latency  func(dowse.URL) time.Duration

	pages  []atomic.Pointer[dowse.Page] // what was read of the file and is kept
	budget int64                        // bytes of pages kept at most
	held   atomic.Int64
	hand   atomic.Uint32 // next page to let go of

	graphOnce sync.Once
	graph     *Graph
	graphErr  error
}

// Options say how a web is opened.
type Options struct {
	Cache    string                // folder for feature files
	Memory   int64                 // bytes of pages to keep in memory; 320 MiB
	Progress func(done, total int) // hears how the first reading goes on; nil for nobody
}

// Open opens a web. The first time its pages are fetched and extracted, which takes
// about a millisecond for each; afterwards they come from the feature file in the
// cache, which goes by the content of the source and by how pages are read.
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
	w.Name, w.source = s.name(), s
	if s.Demo != nil {
		w.latency = s.Demo.web().Latency
	}
	return w, nil
}

// defaultMemory holds a web of 5,000 long pages as a whole, and leaves two thirds of a
// gigabyte to crawls and to what they leave behind.
const defaultMemory = 320 << 20

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

// Close closes the feature file. No crawl may be under way.
func (w *Web) Close() error {
	if w.features.closer == nil {
		return nil
	}
	return w.features.closer.Close()
}

// Len returns the number of answers that the web has: pages, redirects, lists.
func (w *Web) Len() int { return len(w.features.index) }

// URL returns the address of an answer, by its number.
func (w *Web) URL(i int) dowse.URL { return w.features.urls[w.features.index[i].url] }

// Find returns the number of an address.
func (w *Web) Find(u dowse.URL) (int, bool) {
	i, ok := w.number[u]
	return int(i), ok
}

// HasRobots tells whether any host of the web has a robots.txt. Where none has, crawls
// need not ask.
func (w *Web) HasRobots() bool {
	for _, r := range w.robots {
		if r.Status == 200 {
			return true
		}
	}
	return false
}

// allowed tells whether robots.txt lets a crawler fetch a URL.
func (w *Web) allowed(u dowse.URL) bool {
	r := w.robots[weburl.Host(u)]
	if r == nil {
		return true
	}
	ok, _ := r.Rules.Allowed(u)
	return ok
}

// Page returns an answer as it was recorded, without a rating. It is shared and must
// not be changed.
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

// weight is how much memory the i-th page takes: its record, of which its texts are parts,
// and what was made of it.
func (w *Web) weight(i int, p *dowse.Page) int64 {
	n := w.features.index[i].length + int(unsafe.Sizeof(*p)) + len(p.Words)*int(unsafe.Sizeof(dowse.Span{})) +
		len(p.Links)*int(unsafe.Sizeof(dowse.Link{})) + len(p.Headings)*int(unsafe.Sizeof(dowse.Heading{}))
	for k := range p.Links {
		n += len(p.Links[k].More) * int(unsafe.Sizeof(dowse.Mention{}))
	}
	return int64(n)
}

// makeRoom lets go of pages, one after the other in a circle, until a new one fits.
func (w *Web) makeRoom(size int64) {
	for held := w.held.Add(size); held > w.budget; {
		i := int(w.hand.Add(1)) % len(w.pages)
		old := w.pages[i].Load()
		if old != nil && w.pages[i].CompareAndSwap(old, nil) {
			held = w.held.Add(-w.weight(i, old))
		}
	}
}
