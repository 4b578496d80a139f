package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

// A Source says where a web comes from: recorded files, or a made web.
type Source struct {
	Name   string   // as tables show it; "" means the file's name, or demo
	Paths  []string // WARC or WACZ files, folders of them, collections, or a folder that Record made
	Hubs   string   // a file of hub pages that belong to the web, too; "" for none
	Labels string   // file of labels, url and topic to a line; "" looks beside the first path
	Traces []string // access logs of the web
	Demo   *Made    // the made web, if there are no paths
}

// Made says which made web.
type Made struct {
	Pages int // 2,400
	Seed  uint64
}

// A transport answers requests of a web, and knows what there is to ask for.
type transport struct {
	http.RoundTripper
	list    []dowse.URL
	beyond  int  // links from a listed page up to which targets are asked for too
	serial  bool // one page after the other
	latency func(dowse.URL) time.Duration
	close   func() error
}

// name of the source for people.
func (s Source) name() string {
	if s.Name != "" {
		return s.Name
	}
	if s.Demo != nil {
		if s.Demo.Seed == 0 {
			return "demo"
		}
		return fmt.Sprintf("demo-%d", s.Demo.Seed)
	}
	base := filepath.Base(s.Paths[0])
	for _, suffix := range []string{".gz", ".warc", ".wacz", ".web", ".dowse"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base
}

// made is the made web of the source.
func (m Made) web() *demo.Web {
	return demo.New(demo.Config{Pages: cmp.Or(m.Pages, 2400), Seed: m.Seed})
}

// peoplePerPage is how many people there are in the made web's log: 500 at 2,400 pages.
const peoplePerPage = 500. / 2400

// WriteAccessLog writes where the people of the made web went, as demo.Web does.
func (m Made) WriteAccessLog(out io.Writer) error {
	w := m.web()
	return w.WriteAccessLog(out, int(peoplePerPage*float64(w.Len())))
}

// files lists the archives of the paths.
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

// archivesIn lists the archives of a folder: a collection's, or those in it.
func archivesIn(dir string) ([]string, error) {
	inner := filepath.Join(dir, "archive")
	if _, err := os.Lstat(inner); err != nil {
		if inner, err = filepath.EvalSymlinks(dir); err != nil { // a person named it
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
		return nil, fmt.Errorf("web: no WARC or WACZ file in %s", dir)
	}
	for i, path := range list {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, dir) {
			list[i] = filepath.Join(inner, path)
		}
	}
	return list, nil
}

// open opens what the pages come from.
func (s Source) open() (*transport, error) {
	if s.Demo != nil {
		w := s.Demo.web()
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
		return nil, errors.Join(fmt.Errorf("web: %w", cut(w.Damage[0])), w.Close())
	}
	return &transport{RoundTripper: w, list: slices.Collect(w.URLs()), close: w.Close}, nil
}

// ErrCut is returned for a file that can't be read to its end: crawls of half a web would
// look like those of the whole.
var ErrCut = errors.New("a file can't be read to its end")

// cut tells where a file can't be read, and what to do.
func cut(where error) error {
	return fmt.Errorf("%w: %w; copy the file again, or keep what stands before that place", ErrCut, where)
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

// key names the features of a source: by what it says, and by how pages are read.
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

// digest takes in a sample of the pages, so that another way to make them counts.
func (m Made) digest(w io.Writer) {
	d := m.web()
	fmt.Fprintf(w, "demo %d %d\n", d.Len(), m.Seed)
	for i := 0; i < d.Len(); i += max(1, d.Len()/64) {
		p, _ := d.Page(d.URL(i))
		fmt.Fprintf(w, "%d %s %d %s\n", p.Status, p.URL, len(p.Body), p.Body)
	}
}

func (s Source) digest(w io.Writer) error {
	files, err := s.files()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("web: no source: neither files nor the made web")
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
