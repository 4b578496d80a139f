// Package requisite keeps what pages need to be shown: images, style sheets, scripts, fonts and
// icons.
//
// The one idea: requisites are no part of a crawl. They are not ranked, not judged and not in its
// journal; they have a folder of their own in the collection, with WARC files and a ledger of
// JSON lines. A line is one requisite that was asked for, with the place of its answer or why
// there is none, or one page that was served, with the requisites that it uses. A line is written
// after its record is on the disk, so a crash loses only what was not committed, and Open removes
// the rest of it. The package finds requisites in HTML and CSS and keeps the ledger; package crawler
// asks for them.
package requisite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/durable"
)

// Folder is where a collection keeps its requisites, and ledgerName the file of the ledger in it.
const (
	Folder     = "requisites"
	ledgerName = "ledger.jsonl"
)

// A Line is a line of the ledger: a requisite that was asked for, or a page.
type Line struct {
	URL    dowse.URL `json:"url,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Status int       `json:"status,omitempty"`
	Type   string    `json:"type,omitempty"` // media type
	Bytes  int64     `json:"bytes,omitempty"`
	File   string    `json:"file,omitempty"` // of the answer; "" if there is none
	Offset int64     `json:"offset,omitempty"`
	Length int64     `json:"length,omitempty"`
	Left   string    `json:"left,omitempty"` // why there is no answer

	Page dowse.URL   `json:"page,omitempty"` // a page, all of whose requisites were asked for
	Uses []dowse.URL `json:"uses,omitempty"` // what a page, a style sheet or a redirect names

	Partial bool `json:"partial,omitempty"` // some requisites of the page were not asked for: it was imported
}

// Totals count what a ledger has.
type Totals struct {
	Pages int   `json:"pages"` // whose requisites were asked for
	Kept  int   `json:"kept"`
	Left  int   `json:"left"` // that could not be had, or were too much
	Bytes int64 `json:"bytes"`
}

func (t *Totals) add(l *Line) {
	switch {
	case l.Page != "":
		if !l.Partial {
			t.Pages++
		}
	case l.File != "":
		t.Kept++
		t.Bytes += l.Bytes
	default:
		t.Left++
	}
}

// maxLine bounds a line of the ledger in bytes.
const maxLine = 16 << 20

// Lines yields the lines of the ledger of the collection in dir; none if there is no ledger. A torn
// last line is not yielded, any other that can't be read is an error, which comes last.
func Lines(dir string) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		_, err := read(dir, func(l *Line) bool { return yield(l, nil) })
		if err != nil {
			yield(nil, fmt.Errorf("requisites: %w", err))
		}
	}
}

// read calls do for the lines until it returns false, and returns the length of the whole ones.
func read(dir string, do func(*Line) bool) (size int64, err error) {
	f, err := durable.In(dir).Open(Folder + "/" + ledgerName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		text, err := readLine(in)
		if err == io.EOF {
			return size, nil // a torn line was never committed
		}
		l := &Line{}
		if err == nil {
			err = json.Unmarshal(text, l)
		}
		if err == nil && l.File != "" && filepath.Base(l.File) != l.File {
			err = errors.New("the name of a file has a folder in it")
		}
		if err != nil {
			return size, fmt.Errorf("%s: line %d: %w", ledgerName, n, err)
		}
		size += int64(len(text))
		if !do(l) {
			return size, nil
		}
	}
}

// readLine reads a line with its end. A line without one is io.EOF.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > maxLine:
			return nil, errors.New("too long")
		case err != bufio.ErrBufferFull:
			return line, err
		}
	}
}

// TotalsOf counts what the ledger of a collection has.
func TotalsOf(dir string) (t Totals, err error) {
	for l, err := range Lines(dir) {
		if err != nil {
			return t, err
		}
		t.add(l)
	}
	return t, nil
}

// A Ledger is the ledger of a collection, open for writing. It must not be used concurrently.
type Ledger struct {
	Totals Totals

	dir     string
	writer  *archive.Writer
	file    *durable.File
	known   map[uint64]int64 // requisites by the hash of their URL: bytes kept
	pages   map[uint64]bool
	pending bytes.Buffer // lines that are not committed
}

// Open opens the ledger of the collection in dir, and removes what was not committed.
func Open(dir string, opt archive.Options) (*Ledger, error) {
	l, err := open(dir, opt)
	if err != nil {
		return nil, fmt.Errorf("requisites: %w", err)
	}
	return l, nil
}

// open is Open without the name of the package in errors.
func open(dir string, opt archive.Options) (*Ledger, error) {
	l := &Ledger{dir: dir, known: map[uint64]int64{}, pages: map[uint64]bool{}}
	var last dowse.Place
	size, err := read(dir, func(x *Line) bool {
		l.note(x)
		if x.File != "" {
			last = dowse.Place{File: x.File, Offset: x.Offset, Length: x.Length}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if err := l.recover(last); err != nil {
		return nil, err
	}
	if l.writer, err = archive.OpenWriter(l.Archive(), opt); err != nil {
		return nil, err
	}
	l.file, err = durable.In(dir).Append(Folder + "/" + ledgerName)
	if err == nil {
		err = l.file.Truncate(size)
	}
	if err != nil {
		return nil, errors.Join(err, l.writer.Close())
	}
	return l, nil
}

// Archive returns the folder of the WARC files.
func (l *Ledger) Archive() string { return filepath.Join(l.dir, Folder) }

// recover removes what follows the last committed record.
func (l *Ledger) recover(last dowse.Place) error {
	if last.File != "" {
		_, err := archive.Recover(l.Archive(), last)
		return err
	}
	files, err := Files(l.dir)
	for _, path := range files {
		err = errors.Join(err, durable.In(l.Archive()).Remove(filepath.Base(path)))
	}
	return err
}

// Files returns the WARC files of the requisites of a collection.
func Files(dir string) ([]string, error) {
	files, err := archive.Files(filepath.Join(dir, Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

func hashOf(u dowse.URL) uint64 { return xxh3.HashString(string(u)) }

func (l *Ledger) note(x *Line) {
	l.Totals.add(x)
	if x.Page != "" {
		l.pages[hashOf(x.Page)] = !x.Partial || l.pages[hashOf(x.Page)]
	} else {
		l.known[hashOf(x.URL)] = x.Bytes
	}
}

// Has reports whether a requisite was asked for.
func (l *Ledger) Has(u dowse.URL) bool {
	_, ok := l.known[hashOf(u)]
	return ok
}

// Served reports whether all requisites of a page were asked for.
func (l *Ledger) Served(page dowse.URL) bool { return l.pages[hashOf(page)] }

// Keep stores an answer with its line.
func (l *Ledger) Keep(x Line, ex *archive.Exchange) error {
	p, err := l.writer.Append(archive.Encode(nil, ex))
	if err != nil {
		return err
	}
	x.File, x.Offset, x.Length = p.File, p.Offset, p.Length
	return l.Write(x)
}

// Write adds a line. It is durable after the next Commit.
func (l *Ledger) Write(x Line) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	l.pending.Write(append(text, '\n'))
	l.note(&x)
	return nil
}

// Commit makes records and lines durable, the records first.
func (l *Ledger) Commit() error {
	if l.pending.Len() == 0 {
		return nil
	}
	if err := l.writer.Sync(); err != nil {
		return err
	}
	if _, err := l.file.Write(l.pending.Bytes()); err != nil {
		return err
	}
	l.pending.Reset()
	return l.file.Sync()
}

// Close closes the files without a commit.
func (l *Ledger) Close() error { return errors.Join(l.file.Close(), l.writer.Close()) }

// usedBy returns the hashes of the requisites that some pages use, and what these name in turn.
func usedBy(dir string, page func(dowse.URL) bool) (map[uint64]bool, error) {
	used, names := map[uint64]bool{}, map[uint64][]uint64{}
	var open []uint64
	for l, err := range Lines(dir) {
		if err != nil {
			return nil, err
		}
		if l.Page != "" && !page(l.Page) {
			continue
		}
		list := make([]uint64, len(l.Uses))
		for i, u := range l.Uses {
			list[i] = hashOf(u)
		}
		if l.Page != "" {
			open = append(open, list...)
		} else if len(list) > 0 {
			names[hashOf(l.URL)] = list
		}
	}
	for len(open) > 0 {
		h := open[len(open)-1]
		if open = open[:len(open)-1]; !used[h] {
			used[h] = true
			open = append(open, names[h]...)
		}
	}
	return used, nil
}

// Places returns the places of the requisites that some pages use, in the order of the ledger.
func Places(dir string, page func(dowse.URL) bool) (places []dowse.Place, err error) {
	used, err := usedBy(dir, page)
	if err != nil {
		return nil, err
	}
	for l, err := range Lines(dir) {
		if err != nil {
			return nil, err
		}
		if l.File != "" && used[hashOf(l.URL)] {
			places = append(places, dowse.Place{File: l.File, Offset: l.Offset})
		}
	}
	return places, nil
}

// Forget removes, for pages that are taken down, their lines, the requisites that only they use, and
// the requisites with such a URL. It returns the number of requisites removed. Records are erased
// before the ledger is replaced, so a takedown that was interrupted can be repeated.
func Forget(dir string, gone func(dowse.URL) bool, at time.Time) (removed int, err error) {
	used, err := usedBy(dir, func(page dowse.URL) bool { return !gone(page) })
	if err != nil {
		return 0, err
	}
	unused, err := usedBy(dir, gone)
	if err != nil {
		return 0, err
	}
	var kept bytes.Buffer
	offsets := map[string][]int64{}
	for l, err := range Lines(dir) {
		if err != nil {
			return 0, err
		}
		h := hashOf(l.URL)
		if l.Page != "" && gone(l.Page) || l.Page == "" && (gone(l.URL) || unused[h] && !used[h]) {
			if l.File != "" {
				offsets[l.File] = append(offsets[l.File], l.Offset)
				removed++
			}
			continue
		}
		l.Uses = slices.DeleteFunc(l.Uses, gone)
		text, err := json.Marshal(l)
		if err != nil {
			return 0, err
		}
		kept.Write(append(text, '\n'))
	}
	for name, list := range offsets {
		if _, err := archive.Erase(filepath.Join(dir, Folder, name), at, list...); err != nil {
			return 0, err
		}
	}
	if len(used)+len(unused) == 0 && removed == 0 {
		return 0, nil
	}
	return removed, durable.In(dir).WriteFile(Folder+"/"+ledgerName, kept.Bytes())
}
