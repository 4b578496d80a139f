package collection

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"dowse"
	"dowse/archive"
)

var errRunning = errors.New("a crawl is writing to the archive; stop it first (dowse stop), or export .jsonl")

// settled checks that nobody else writes to the archive.
func (x *exporter) settled() error {
	if x.c.readOnly && Running(x.c.Dir) != 0 {
		return errRunning
	}
	return nil
}

func (x *exporter) warc(w io.Writer) error {
	if err := x.settled(); err != nil {
		return err
	}
	return x.copyPages(w, x.filter())
}

// copyPages writes the records of pages, and those that they refer to.
func (x *exporter) copyPages(w io.Writer, f Filter) error {
	var places []dowse.Place
	taken := map[dowse.Place]bool{}
	add := func(p dowse.Place) {
		key := dowse.Place{File: p.File, Offset: p.Offset}
		if !taken[key] {
			taken[key] = true
			places = append(places, key)
		}
	}
	err := x.pages(f, func(row *Row) error {
		x.n++
		p := row.page.Fetch.Archive
		first, err := x.c.refersTo(p)
		if err != nil {
			return fmt.Errorf("%s: %w", row.URL, err)
		}
		add(p)
		if first.File != "" {
			add(first)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = archive.Copy(w, x.c.ArchiveDir(), places, x.archiveOptions())
	return err
}

// refersTo returns the place of the record that a revisit refers to; nowhere for
// other records.
func (c *Collection) refersTo(p dowse.Place) (dowse.Place, error) {
	r, err := c.record(p)
	if err != nil {
		return dowse.Place{}, err
	}
	defer r.Close()
	if r.Type() != "revisit" {
		return dowse.Place{}, nil
	}
	return c.original(r)
}

func (x *exporter) archiveOptions() archive.Options {
	s := &x.c.Settings
	return archive.Options{
		Prefix: x.c.Prefix(), Host: "export", Software: cmp.Or(x.opt.Software, "dowse"), Operator: s.Identity.Contact,
		Robots: "obey", Now: x.now,
		Info: []archive.Field{{Name: "isPartOf", Value: s.Name}, {Name: "dowse-strategy", Value: s.Strategy}},
	}
}

func (x *exporter) wacz(w io.Writer) error {
	if err := x.settled(); err != nil {
		return err
	}
	archives, clean, err := x.archives()
	if err != nil {
		return err
	}
	defer clean()
	s := &x.c.Settings
	p := archive.WACZ{
		Archives: archives, Pages: x.pageLines(Filter{On: true, Since: x.opt.Since}),
		Title: s.Name, Description: "Pages on the topic " + s.Name + ", gathered by a focused crawl",
		Software: cmp.Or(x.opt.Software, "dowse"), Created: x.now().UTC(),
	}
	if !x.opt.On {
		p.ExtraPages = x.pageLines(Filter{Off: true, Since: x.opt.Since})
	}
	for _, name := range []string{"topic.yaml", LockName, settingsName, readmeName} {
		switch _, err := x.c.files().Stat(name); {
		case err == nil:
			p.Files = append(p.Files, archive.PackedFile{Name: name, Path: x.c.path(name)})
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return archive.WriteWACZ(w, p)
}

// archives returns the WARC files of a WACZ: the collection's own, or a file made
// for it with the pages that are wanted.
func (x *exporter) archives() (files []string, clean func(), err error) {
	clean = func() {}
	if !x.opt.On && x.opt.Since.IsZero() {
		files, err = archive.Files(x.c.ArchiveDir())
		return files, clean, err
	}
	dir, err := os.MkdirTemp(x.workDir(), "dowse-export-*")
	if err != nil {
		return nil, clean, err
	}
	clean = func() { os.RemoveAll(dir) }
	path := filepath.Join(dir, x.c.Prefix()+"-export.warc.gz")
	err = toFile(path, false, func(w io.Writer) error {
		return x.copyPages(w, Filter{On: x.opt.On, Since: x.opt.Since})
	})
	x.n = 0 // pages are counted as they are listed
	if err != nil {
		clean()
		return nil, func() {}, err
	}
	return []string{path}, clean, nil
}

func (x *exporter) workDir() string {
	if x.out == "-" {
		return ""
	}
	return filepath.Dir(x.out)
}

func (x *exporter) pageLines(f Filter) iter.Seq2[archive.PageLine, error] {
	return func(yield func(archive.PageLine, error) bool) {
		err := x.pages(f, func(row *Row) error {
			x.n++
			if !yield(pageLine(row), nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(archive.PageLine{}, err)
		}
	}
}

var errEnough = errors.New("no more is wanted")

func pageLine(row *Row) archive.PageLine {
	return archive.PageLine{
		URL: row.URL, At: row.Fetched, Title: row.Title, Relevance: row.Relevance, Parent: row.Parent,
		Why: ReasonLine(row.page.Verdict.Because, 4),
	}
}
