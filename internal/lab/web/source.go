package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/demo"
	"dowse/internal/durable"
)

// A Source names where a web comes from: recorded files, or a synthetic web.
// Two sources with equal content share a feature file, whatever they are called
// and wherever they are.
type Source struct {
	Name  string   // name in tables; default the file's name, or demo
	Paths []string // WARC or WACZ files, folders of them, collections, or recorded webs
	Hubs  string   // file of hub pages that belong to the web too; "" for none
	// File with one URL and topic per line; default the one next to the first
	// path.
	Labels string
	Traces []string   // access logs of the web
	Demo   *Synthetic // the synthetic web, if there are no paths
}

// Synthetic selects a synthetic web.
type Synthetic struct {
	Pages int    // default 2,400; of a campus 4,000
	Sites int    // hosts; default by the number of pages, see demo.Config
	Seed  uint64 // random seed
	// Campus selects a web like that of universities, whose topics are classes of pages.
	Campus bool
	// Boilerplate is the share of the words of a page that all pages of its site repeat, see demo.Topology; 0.
	Boilerplate float64
}

// generated is what the lab needs of a synthetic web.
type generated interface {
	RoundTripper() http.RoundTripper
	Pages() iter.Seq[dowse.URL]
	Page(dowse.URL) (demo.Page, bool)
	URL(number int) dowse.URL
	Len() int
	Latency(dowse.URL) time.Duration
}

// A transport answers requests for the pages of a web, and lists what can be
// requested. It is an http.RoundTripper, so that the client of live crawls
// reads recorded webs as it reads the network.
type transport struct {
	http.RoundTripper
	list    []dowse.URL
	beyond  int  // number of links from a listed page within which targets are requested, too
	serial  bool // request one page after the other, so that a recording is reproducible
	latency func(dowse.URL) time.Duration
	close   func() error
}

// ShownName returns the name of the web in tables. It is "" for a source that names nothing.
func (s Source) ShownName() string {
	if s.Name != "" {
		return s.Name
	}
	if s.Demo != nil {
		return s.Demo.name()
	}
	if len(s.Paths) == 0 {
		return ""
	}
	base := filepath.Base(s.Paths[0])
	for _, suffix := range []string{".gz", ".warc", ".wacz", ".web", ".dowse"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base
}

// name returns the name of the synthetic web in tables.
func (m Synthetic) name() string {
	name := "demo"
	if m.Campus {
		name = "campus"
	}
	if m.Boilerplate > 0 {
		name += "-framed"
	}
	if m.Seed == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, m.Seed)
}

// generate generates the synthetic web.
func (m Synthetic) generate() generated {
	if m.Campus {
		return m.campus()
	}
	return m.web()
}

// web generates the web of the demo.
func (m Synthetic) web() *demo.Web {
	return demo.New(demo.Config{Pages: cmp.Or(m.Pages, 2400), Sites: m.Sites, Seed: m.Seed, Topology: demo.Topology{Boilerplate: m.Boilerplate}})
}

// campus generates the web like that of universities.
func (m Synthetic) campus() *demo.Campus {
	return demo.NewCampus(demo.CampusConfig{Pages: m.Pages, Seed: m.Seed})
}

// peoplePerPage is the number of people in the synthetic web's access log per
// page: 500 at 2,400 pages.
const peoplePerPage = 500. / 2400

// WriteAccessLog writes the access log of the synthetic web's people, see
// demo.Web.
func (m Synthetic) WriteAccessLog(out io.Writer) error {
	w := m.web()
	return w.WriteAccessLog(out, int(peoplePerPage*float64(w.Len())))
}

// files lists the archives of all paths, in order, with those of the hubs last.
// The order is part of the key of the source.
func (s Source) files() (list []string, err error) {
	paths := slices.Clone(s.Paths)
	if s.Hubs != "" {
		paths = append(paths, s.Hubs)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		if !info.IsDir() {
			list = append(list, path)
			continue
		}
		found, err := archivesIn(path)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// archivesIn lists the archives of a folder: those in its subfolder "archive",
// as collections and recorded webs have it, otherwise those in the folder
// itself. A WACZ file that is a symbolic link out of a collection is refused.
func archivesIn(dir string) ([]string, error) {
	inner := filepath.Join(dir, "archive")
	if _, err := os.Lstat(inner); err != nil {
		if inner, err = filepath.EvalSymlinks(dir); err != nil { // the user named it, so links are followed
			return nil, fmt.Errorf("web: %w", err)
		}
		dir = inner
	}
	list, err := archive.Files(inner)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	more, err := filepath.Glob(filepath.Join(inner, "*.wacz"))
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	for _, path := range more {
		if _, err := durable.Inner(inner).Stat(filepath.Base(path)); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
	}
	if list = append(list, more...); len(list) == 0 {
		return nil, fmt.Errorf("web: %s: no WARC or WACZ file", dir)
	}
	for i, path := range list {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, dir) {
			list[i] = filepath.Join(inner, path)
		}
	}
	return list, nil
}

// open opens the pages of the source. A damaged archive is an error: see
// ErrCut.
func (s Source) open() (*transport, error) {
	if s.Demo != nil {
		w := s.Demo.generate()
		return &transport{RoundTripper: w.RoundTripper(), list: slices.Collect(w.Pages()), beyond: 2,
			latency: w.Latency, close: func() error { return nil }}, nil
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	w, err := archive.OpenWeb(files...)
	if err != nil {
		return nil, err
	}
	if len(w.Damage) > 0 {
		return nil, errors.Join(fmt.Errorf("web: %w", cutError(w.Damage[0])), w.Close())
	}
	return &transport{RoundTripper: w, list: slices.Collect(w.URLs()), close: w.Close}, nil
}

// Replay opens the pages of the source as they were recorded: what answers requests, the URLs
// that it has an answer for, and how to close it.
func (s Source) Replay() (answers http.RoundTripper, urls []dowse.URL, closeAll func() error, err error) {
	t, err := s.open()
	if err != nil {
		return nil, nil, nil, err
	}
	return t.RoundTripper, t.list, t.close, nil
}

// ErrCut is returned for a file that cannot be read to its end: crawls of half
// a web would look like those of the whole one.
var ErrCut = errors.New("the file can't be read to its end")

// cutError adds what to do to the place at which reading failed.
func cutError(where error) error {
	return fmt.Errorf("%w: %w; copy the file again, or truncate it at that place", ErrCut, where)
}

// HubURLs lists the pages of the file of hubs.
func (s Source) HubURLs() ([]dowse.URL, error) {
	if s.Hubs == "" {
		return nil, nil
	}
	t, err := Source{Paths: []string{s.Hubs}}.open()
	if err != nil {
		return nil, err
	}
	return t.list, t.close()
}

// key returns the name of the source's feature file: a hash of its content, of
// the format and of the parser.
func (s Source) key() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s%s", magic, fingerprint())
	if s.Demo != nil {
		s.Demo.digest(h)
	} else if err := s.digest(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// digest hashes a sample of 64 pages, so that a change of the generator changes
// the key. The generator is deterministic: a sample shows a change that affects
// more than a few pages.
func (m Synthetic) digest(w io.Writer) {
	d := m.generate()
	fmt.Fprintf(w, "%s %d %d\n", strings.TrimRight(m.name(), "-0123456789"), d.Len(), m.Seed)
	if m.Sites != 0 {
		fmt.Fprintf(w, "sites %d\n", m.Sites)
	}
	for i := 0; i < d.Len(); i += max(1, d.Len()/64) {
		p, _ := d.Page(d.URL(i))
		fmt.Fprintf(w, "%d %s %d %s\n", p.Status, p.URL, len(p.Body), p.Body)
	}
}

// digest hashes the archives. It reads them completely: a file's time and size
// do not show that its content changed.
func (s Source) digest(w io.Writer) error {
	files, err := s.files()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("web: no source: want files or the synthetic web")
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("web: %w", err)
		}
		fmt.Fprintf(w, "file %s\n", filepath.Ext(path))
		_, err = io.Copy(w, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("web: read %s: %w", path, err)
		}
	}
	return nil
}
