// Package directory reads directories of the web: pages that people have sorted
// into a tree of categories.
//
// Three kinds of files are read, plain, gzipped or in zstd, and told apart by what
// is in them: the RDF dumps of the Open Directory Project (a content file, and
// beside it the structure file), JSON Lines with path, url, title and description,
// and label files, a URL and a topic to a line with a tab between.
//
// A file is read from its beginning each time it is asked something, and never held
// in memory, since a directory can have millions of pages. Such files are old and
// dirty: what can't be read is passed over, counted and shown ([Dirt]).
package directory

import (
	"fmt"
	"io"
	"iter"
	"sync"

	"dowse"
)

// A Directory is an open directory of the web. It may be used from many goroutines;
// each question is a reading of its own.
type Directory struct {
	kind      Kind
	name      string // of the file, for errors
	open      func() (io.ReadCloser, error)
	structure func() (io.ReadCloser, error) // nil for none

	mu   sync.Mutex
	tree *Tree // once it was made
	dirt Dirt
}

// Kind is what a directory is written in.
type Kind string

// The kinds of directories.
const (
	RDF    Kind = "rdf"    // the content file of the Open Directory Project
	JSONL  Kind = "jsonl"  // {"path","url","title","description"} to a line
	Labels Kind = "labels" // url and topic to a line, with a tab between
)

// An Entry is a page in a category. Label files give neither title nor description.
type Entry struct {
	Path        string // of the category, from Top on: Top/Arts/Animation
	URL         dowse.URL
	Title       string
	Description string
}

// A Category is a part of a directory. The path is meant as [Clean] makes it, so the
// Top at its beginning may be left out.
type Category struct {
	Path    string
	Include Include
}

// Include tells whether what is below a category belongs to it.
type Include string

// What belongs to a category. The zero value means Subtree.
const (
	Subtree Include = "subtree" // all that is below it too, as in Wang et al. 2009
	Node    Include = "node"    // its own pages alone
)

// Dirt returns what was passed over: of all readings so far that came to the end, the
// most of each kind, since some read more closely than others.
func (d *Directory) Dirt() Dirt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dirt
}

// Entries yields the entries of a category in the order of the file, each page once.
// If there is no such category the only thing it yields is a [*NotFoundError].
func (d *Directory) Entries(c Category) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		seen := urlSet{}
		found := false
		for e, err := range d.where(c.holds()) {
			found = true
			if err == nil && !seen.add(e.URL) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		if found {
			return
		}
		if err := d.missing(c); err != nil {
			yield(Entry{}, err)
		}
	}
}

// holds returns what tells the paths that belong to the category.
func (c Category) holds() func(path string) bool {
	root := Clean(c.Path)
	if c.Include == Node {
		return func(path string) bool { return path == root }
	}
	return func(path string) bool { return within(root, path) }
}

// where yields the entries whose path is wanted; nil wants all. Only these are read
// to the last, which makes a small part of a large directory cheap.
func (d *Directory) where(want func(path string) bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		r, err := d.open()
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer r.Close()
		s := &sieve{want: want, yield: yield}
		err = scan(d.kind, r, s)
		switch {
		case s.stopped:
		case err != nil:
			yield(Entry{}, fmt.Errorf("directory: read %s: %w", d.name, err))
		default:
			d.note(s.dirt)
		}
	}
}

func (d *Directory) note(dirt Dirt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirt = d.dirt.most(dirt)
}

// scan reads a file of some kind to its end, or until the sieve wants no more.
func scan(k Kind, r io.Reader, s *sieve) error {
	switch k {
	case RDF:
		return scanContent(r, s)
	case JSONL:
		return scanJSONL(r, s)
	case Labels:
		return scanLabels(r, s)
	}
	return fmt.Errorf("%q is no kind of directory", k)
}
