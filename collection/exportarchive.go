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
	"strings"

	"github.com/goccy/go-yaml"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/extract"
	"dowse/internal/facts"
)

// warc writes the selected pages as one WARC file.
func (x *exporter) warc(w io.Writer) error {
	if err := x.findWithheld(); err != nil {
		return err
	}
	return x.copyPages(w, x.filter())
}

// copyPages writes the records of the selected pages, and once each the records
// that they refer to, since a revisit without its original can't be replayed.
// Pages whose record can't be read are left out and not counted.
func (x *exporter) copyPages(w io.Writer, f Filter) error {
	x.exported = map[dowse.URL]bool{}
	var places []dowse.Place
	taken := map[dowse.Place]bool{}
	pagesAt := map[dowse.Place][]dowse.URL{} // the pages that need the record at a place
	var whole [][2]dowse.Place               // revisits whose originals the archive must not have, with these
	add := func(p dowse.Place, u dowse.URL) {
		key := dowse.Place{File: p.File, Offset: p.Offset}
		if !taken[key] {
			taken[key] = true
			places = append(places, key)
		}
		pagesAt[key] = append(pagesAt[key], u)
	}
	err := x.pages(f, func(row *Row) error {
		if x.isWithheld(row.URL) {
			return nil
		}
		p := row.Fetch.Archive
		first, err := x.c.refersTo(p)
		if err != nil {
			x.leaveOut(row.URL, err)
			return nil
		}
		x.n++
		x.exported[row.URL] = true
		if first.File != "" && x.isWithheldAt(first) {
			whole = append(whole, [2]dowse.Place{p, first})
			return nil
		}
		add(p, row.URL)
		if first.File != "" {
			add(first, row.URL)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = archive.Copy(w, x.c.ArchiveDir(), places, x.archiveOptions(), func(p dowse.Place, err error) {
		for _, u := range pagesAt[p] {
			if !x.gone[u] {
				x.n--
				x.leaveOut(u, err)
			}
		}
	})
	for _, w2 := range whole {
		if err == nil {
			dir := x.c.ArchiveDir()
			err = archive.CopyWhole(w, filepath.Join(dir, w2[0].File), w2[0].Offset, filepath.Join(dir, w2[1].File), w2[1].Offset)
		}
	}
	return err
}

// refersTo returns the place of the record that a revisit refers to, the zero
// Place for other records.
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

// archiveOptions returns the content of the warcinfo record of an export.
func (x *exporter) archiveOptions() archive.Options {
	s := &x.c.Settings
	return archive.Options{
		Prefix: x.c.Prefix(), Host: "export", Software: cmp.Or(x.opt.Software, "dowse"), Operator: s.Identity.Contact,
		Robots: "obey", Now: x.now,
		Info: []archive.Field{{Name: "isPartOf", Value: s.Name}, {Name: "dowse-strategy", Value: s.Strategy}},
	}
}

// wacz writes the collection as a WACZ with its topic, settings and data card. The
// settings are without what concerns this machine or pages that were taken down. A
// file with several hard links is left out with a note: it could be a private
// file of this machine that was linked into the collection.
func (x *exporter) wacz(w io.Writer) error {
	if err := x.findWithheld(); err != nil {
		return err
	}
	archives, index, clean, err := x.archives()
	if err != nil {
		return err
	}
	defer clean()
	s := &x.c.Settings
	p := archive.WACZ{
		Archives: archives, Index: index, Pages: x.pageLines(Filter{On: true, Since: x.opt.Since, Changed: x.opt.Changed}),
		Title: s.Name, Description: "Pages on the topic " + s.Name + ", gathered by a focused crawl",
		Software: cmp.Or(x.opt.Software, "dowse"), Created: x.now().UTC(), HasText: x.opt.Text != none,
	}
	if !x.opt.On {
		p.ExtraPages = x.pageLines(Filter{Off: true, Since: x.opt.Since, Changed: x.opt.Changed})
	}
	shared := filepath.Join(filepath.Dir(index), settingsName)
	if err := writeShared(shared, *s); err != nil {
		return err
	}
	p.Files = append(p.Files, archive.PackedFile{Name: settingsName, Path: shared})
	for _, name := range []string{"topic.yaml", LockName, readmeName} {
		switch info, err := x.c.files().Stat(name); {
		case err == nil && hardLinks(info) > 1:
			x.notes = append(x.notes, name+" has several names (hard links), so it may be another file of this machine: it was left out; put a copy in its place to have it packed")
		case err == nil:
			p.Files = append(p.Files, archive.PackedFile{Name: name, Path: x.c.path(name)})
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return archive.WriteWACZ(w, p)
}

// writeShared writes the settings that others may have. The key and the
// fingerprints would show whether a given URL was taken down, and the folder of the
// topic and the sinks are places of this machine and its network.
func writeShared(name string, s Settings) error {
	s.Key, s.Forgotten, s.TopicDir, s.Sinks = 0, nil, "", nil
	data, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Errorf("collection: settings: %w", err)
	}
	return toFile(name, false, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// archives returns the WARC files for a WACZ and their index. These are the
// files of the collection itself if all of them are wanted and sound, otherwise
// copies in a temporary folder. clean removes the folder; it is never nil.
func (x *exporter) archives() (files []string, index string, clean func(), err error) {
	scratch, err := durable.NewScratch(x.workDir(), "export")
	if err != nil {
		return nil, "", func() {}, err
	}
	dir, clean := scratch.Path, scratch.Remove
	index = filepath.Join(dir, "index.cdxj")
	if x.opt.On || !x.opt.Since.IsZero() || !x.opt.Changed.IsZero() || x.sel.isChosen(&x.opt) {
		files, err = x.chosen(dir, index)
	} else {
		files, err = x.whole(dir, index)
	}
	if err != nil {
		clean()
		return nil, "", func() {}, err
	}
	return files, index, clean, nil
}

// chosen writes one file with the selected pages and its index.
func (x *exporter) chosen(dir, index string) ([]string, error) {
	path := filepath.Join(dir, x.c.Prefix()+"-export.warc.gz")
	err := toFile(path, false, func(w io.Writer) error {
		return x.copyPages(w, Filter{On: x.opt.On, Since: x.opt.Since, Changed: x.opt.Changed})
	})
	x.n = 0 // pages are counted as they are listed
	files := []string{path}
	if err == nil {
		more, err2 := x.requisiteFiles(dir, true)
		files, err = append(files, more...), err2
	}
	if err == nil {
		err = writeIndexOf(index, nil, files...)
	}
	return files, err
}

// writeIndexOf writes the CDXJ index of some WARC files. lost is called for each
// part that can't be read; nil makes such a part an error.
func writeIndexOf(index string, lost func(archive.Loss), files ...string) error {
	return toFile(index, true, func(w io.Writer) error { return archive.IndexReadable(w, lost, files...) })
}

// committedFiles returns the WARC files of the collection as far as the journal knows them.
// Another process may append to the last one, so it is copied into dir up to the end of the
// last record that was committed when the collection was opened. Without such a process the
// files end there.
func (x *exporter) committedFiles(dir string) ([]string, error) {
	files, err := archive.Files(x.c.ArchiveDir())
	last := x.c.Crawl.LastArchived()
	if err != nil || !x.c.readOnly || !isHeld(x.c.Dir) {
		return files, err
	}
	var earlier []string
	for _, path := range files {
		if name := filepath.Base(path); name != last.File && crawl.LaterPlace(last, dowse.Place{File: name}) == last {
			earlier = append(earlier, path)
		}
	}
	if last.File == "" {
		return nil, nil // nothing was committed yet
	}
	path := filepath.Join(dir, last.File)
	return append(earlier, path), toFile(path, false, func(w io.Writer) error {
		return x.c.copyHead(w, "archive/"+last.File, last.Offset+last.Length)
	})
}

// copyHead writes the first n bytes of a file of the collection. It is an error if the file
// is shorter.
func (c *Collection) copyHead(w io.Writer, name string, n int64) error {
	f, err := c.files().Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyN(w, f, n)
	return err
}

// whole returns the WARC files of the collection and writes their index. A
// damaged file is replaced by a copy of its readable records, since viewers stop
// at the first damaged one, and the files from the first page on that the archive must not have
// by copies without such pages.
func (x *exporter) whole(dir, index string) ([]string, error) {
	files, err := x.committedFiles(dir)
	if err != nil {
		return nil, err
	}
	more, err := x.requisiteFiles(dir, false)
	if err != nil {
		return nil, err
	}
	files = append(files, more...)
	x.there = map[string]bool{}
	for _, path := range files {
		x.there[filepath.Base(path)] = true
	}
	damaged := map[string]bool{}
	if err := writeIndexOf(index, func(l archive.Loss) {
		damaged[l.Path] = true
		x.lost = append(x.lost, l)
		x.c.unreadRecord(l)
	}, files...); err != nil {
		return nil, err
	}
	edited := x.firstWithheld(files)
	if len(damaged) == 0 && edited == len(files) {
		return files, nil
	}
	clean := filepath.Join(dir, "clean")
	if err := durable.In(dir).Mkdir("clean"); err != nil {
		return nil, err
	}
	for i, path := range files {
		if !damaged[path] && i < edited {
			continue
		}
		files[i] = filepath.Join(clean, filepath.Base(path))
		if err := toFile(files[i], false, func(w io.Writer) error {
			return archive.CopySound(w, path, x.c.ArchiveDir(), func(archive.Loss) {}, x.withhold(filepath.Base(path)))
		}); err != nil {
			return nil, err
		}
	}
	return files, writeIndexOf(index, nil, files...)
}

// isLost reports whether the record of a page, or the one that it refers to,
// lies in a part of the archive that can't be read, or in a file that is
// missing.
func (x *exporter) isLost(row *Row) bool {
	if x.gone[row.URL] || x.isLostAt(row.Fetch.Archive) {
		return true
	}
	if len(x.lost) == 0 {
		return false // no need to look at each record
	}
	first, err := x.c.refersTo(row.Fetch.Archive)
	return err != nil || x.isLostAt(first)
}

// isLostAt is isLost for a place in the archive; the zero Place is not lost.
func (x *exporter) isLostAt(at dowse.Place) bool {
	if x.there != nil && at.File != "" && !x.there[at.File] {
		return true
	}
	for _, l := range x.lost {
		if filepath.Base(l.Path) == at.File && at.Offset >= l.Offset && at.Offset < l.Offset+l.Length {
			return true
		}
	}
	return false
}

// errNotThere is the problem recorded for a page that isLost.
var errNotThere = errors.New("its record in the archive can't be read")

// leaveOut records a page that can't be exported, for this export and in
// Collection.Unread.
func (x *exporter) leaveOut(u dowse.URL, err error) {
	if x.gone == nil {
		x.gone = map[dowse.URL]bool{}
	}
	x.gone[u] = true
	x.c.unreadPage(u, err)
}

// workDir returns the folder for temporary files: that of the export, which has
// room for it, or the default one of the system for standard output.
func (x *exporter) workDir() string {
	if x.out == "-" {
		return os.TempDir()
	}
	return filepath.Dir(x.out)
}

// pageLines returns the page list of a WACZ. It counts the pages, and leaves out
// those whose record is lost. Their texts are read in batches, on all processors.
func (x *exporter) pageLines(f Filter) iter.Seq2[archive.PageLine, error] {
	return func(yield func(archive.PageLine, error) bool) {
		var batch []*exportedPage
		flush := func() error {
			if err := x.readTexts(batch); err != nil {
				return err
			}
			for _, c := range batch {
				x.n++
				if !yield(pageLine(c.row), nil) {
					return errEnough
				}
			}
			batch = batch[:0]
			return nil
		}
		err := x.pages(f, func(row *Row) error {
			if x.isWithheld(row.URL) {
				return nil
			}
			if x.isLost(row) {
				x.leaveOut(row.URL, errNotThere)
				return nil
			}
			if batch = append(batch, &exportedPage{row: row}); len(batch) == batchSize {
				return flush()
			}
			return nil
		})
		if err == nil {
			err = flush()
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(archive.PageLine{}, err)
		}
	}
}

// readTexts sets the texts of the pages of a WACZ. A page that can't be read has none.
func (x *exporter) readTexts(batch []*exportedPage) error {
	if x.opt.Text == none {
		return nil
	}
	if err := x.learnTemplates(batch); err != nil {
		return err
	}
	inParallel(len(batch), func(i int) {
		c := batch[i]
		layout := x.readDocument(c)
		if layout != nil && x.opt.Text == textMain {
			c.row.Text = layout.Main(x.templates[c.template]).Plain()
		}
	})
	return nil
}

// errEnough ends the iteration when the consumer of pageLines stops; it is never
// returned to a caller.
var errEnough = errors.New("no more is wanted")

// pageLine returns the line of a page list with the four strongest reasons for
// its verdict.
func pageLine(row *Row) archive.PageLine {
	return archive.PageLine{
		URL: row.URL, At: row.Fetch.At, Title: row.Title, Relevance: facts.Finite(row.Page.Verdict.Relevance), Parent: row.Parent,
		Why: ReasonLine(row.Page.Verdict.Because, 4), Text: shownText(row.Text),
	}
}

// shownText returns the characters of a text that a reader can see, for the search of replay
// software: invisible ones would hide words from it.
func shownText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = extract.Shown(line)
	}
	return strings.Join(lines, "\n")
}
