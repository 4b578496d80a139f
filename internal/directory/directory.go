// Package directory reads web directories: pages that people have sorted into a
// tree of categories.
//
// Three kinds of files are read, plain, in gzip or in zstd, and recognised by
// their content: the RDF dumps of the Open Directory Project (a content file,
// and next to it the structure file), JSON Lines with path, url, title and
// description, and label files with one URL and topic per line, separated by a
// tab.
//
// A directory can have millions of pages, so a file is never in memory: every
// query reads it from the beginning as a stream. A reader (rdf.go, jsonl.go,
// labels.go) passes raw entries to a sieve, which checks the path first and
// parses URL and texts only for entries that are wanted; so a query for a small
// category of a large directory is cheap. Only the tree of categories ([Tree])
// is kept once it was read.
//
// Such files are old and dirty. What cannot be read is skipped, counted and
// reported ([Dirt]), and is never an error. Everything has a limit: the length
// of a line, a tag, a path and a text, the depth and the number of categories.
//
// All paths begin with Top and are clean, see [Clean]. Random choices depend
// only on the random source that the caller passes and not on the order of
// entries in the file where the comment states it.
//
// The three formats, by example. RDF, of which only these elements are read:
//
//	<ExternalPage about="http://www.awn.com/">
//	  <d:Title>Animation World Network</d:Title>
//	  <d:Description>Provides information resources …</d:Description>
//	  <topic>Top/Arts/Animation</topic>
//	</ExternalPage>
//
// JSON Lines:
//
//	{"path": "Top/Arts/Animation", "url": "http://www.awn.com/", "title": "…"}
//
// Labels, with an optional first line that names the columns:
//
//	url	topic
//	http://www.awn.com/	Top/Arts/Animation
package directory

import (
	"fmt"
	"io"
	"iter"
	"sync"

	"dowse"
)

// A Directory is an open web directory. It is safe for concurrent use; each
// query is a reading of its own.
type Directory struct {
	kind      Kind
	name      string // of the file, for errors
	open      func() (io.ReadCloser, error)
	structure func() (io.ReadCloser, error) // nil for none

	mu   sync.Mutex
	tree *Tree // of all categories; nil until Categories was called
	dirt Dirt  // see Dirt
}

// Kind is the format of a directory.
type Kind string

// The kinds of directories.
const (
	RDF    Kind = "rdf"    // the content file of the Open Directory Project
	JSONL  Kind = "jsonl"  // one object per line: {"path","url","title","description"}
	Labels Kind = "labels" // one URL and topic per line, separated by a tab
)

// An Entry is a page in a category. Entries of label files have neither title
// nor description.
type Entry struct {
	Path        string // of the category, beginning with Top: Top/Arts/Animation
	URL         dowse.URL
	Title       string
	Description string
}

// A Category is a part of a directory. The path is cleaned by [Clean], so Top
// may be omitted.
type Category struct {
	Path    string
	Include Include
}

// Include selects whether the categories below a category belong to it.
type Include string

// What belongs to a category. The zero value means Subtree.
const (
	Subtree Include = "subtree" // with everything below it, as in Wang et al. 2009
	Node    Include = "node"    // only its own pages
)

// Kind returns the format of the directory.
func (d *Directory) Kind() Kind { return d.kind }

// All yields all entries in the order of the file, a page once for each of its categories.
func (d *Directory) All() iter.Seq2[Entry, error] { return d.where(nil) }

// Dirt returns what was skipped: for each kind the largest number of all
// complete readings so far, since some read more closely than others.
func (d *Directory) Dirt() Dirt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dirt
}

// Entries yields the entries of a category in the order of the file, each page
// once. If there is no such category, it yields only a [*NotFoundError].
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

// holds returns a function that reports whether a path belongs to the category.
func (c Category) holds() func(path string) bool {
	root := Clean(c.Path)
	if c.Include == Node {
		return func(path string) bool { return path == root }
	}
	return func(path string) bool { return within(root, path) }
}

// where yields the entries whose path is wanted; nil wants all. Only these are
// parsed completely, which makes a query for a small part of a large directory
// cheap.
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

// note merges the dirt of a complete reading.
func (d *Directory) note(dirt Dirt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirt = d.dirt.most(dirt)
}

// scan reads a file of some kind to its end, or until the sieve stops it.
func scan(k Kind, r io.Reader, s *sieve) error {
	switch k {
	case RDF:
		return scanContent(r, s)
	case JSONL:
		return scanJSONL(r, s)
	case Labels:
		return scanLabels(r, s)
	}
	return fmt.Errorf("unknown kind of directory %q", k)
}
