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

	Partial bool    `json:"partial,omitempty"` // some requisites of the page were not asked for: it was imported
	Cut     *Limits `json:"cut,omitempty"`     // limits that some requisites of the page were left out for
}

// Limits bound the requisites that are fetched. In a line of the ledger those are 0 that nothing was
// left out for.
type Limits struct {
	PerPage   int   `json:"per_page,omitempty"`   // requisites of a page
	PageBytes int64 `json:"page_bytes,omitempty"` // bytes of them
	AllBytes  int64 `json:"all_bytes,omitempty"`  // bytes of all requisites of the collection
}

// raisedTo reports whether one of the limits that something was left out for is larger in now.
func (l Limits) raisedTo(now Limits) bool {
	return l.PerPage > 0 && l.PerPage < now.PerPage || l.PageBytes > 0 && l.PageBytes < now.PageBytes || l.AllBytes > 0 && l.AllBytes < now.AllBytes
}

// Why a requisite was left out for a limit. It is asked for when a page that may have more needs it.
const (
	LeftForPage = "budget of the page"
	LeftForAll  = "budget of the collection"
)

// isWanted reports whether the line is of a requisite that was left out only for a limit.
func (l *Line) isWanted() bool { return l.Left == LeftForPage || l.Left == LeftForAll }

// Totals count what a ledger has.
type Totals struct {
	Pages int   `json:"pages"` // whose requisites were asked for
	Kept  int   `json:"kept"`
	Left  int   `json:"left"` // that could not be had, or were too much
	Bytes int64 `json:"bytes"`
}

// A lineCount counts the lines of a ledger. A requisite that was left out for a limit and fetched later has
// two lines, and so has a page that was served again with a larger limit; both count once.
type lineCount struct {
	Totals Totals
	wanted map[uint64]bool // requisites that were left out for a limit
	cut    map[uint64]Limits
}

func newLineCount() lineCount { return lineCount{wanted: map[uint64]bool{}, cut: map[uint64]Limits{}} }

// count counts a line.
func (t *lineCount) count(l *Line) {
	if l.Page != "" {
		t.countPage(l)
		return
	}
	h := hashOf(l.URL)
	if t.wanted[h] {
		delete(t.wanted, h)
		t.Totals.Left--
	}
	if l.isWanted() {
		t.wanted[h] = true
	}
	if l.File != "" {
		t.Totals.Kept++
		t.Totals.Bytes += l.Bytes
	} else {
		t.Totals.Left++
	}
}

// countPage counts the line of a page.
func (t *lineCount) countPage(l *Line) {
	h := hashOf(l.Page)
	_, again := t.cut[h]
	if !again && !l.Partial {
		t.Totals.Pages++
	}
	if l.Cut != nil {
		t.cut[h] = *l.Cut
	} else if again {
		t.cut[h] = Limits{} // nothing is left out any more
	}
}

// maxLine bounds a line of the ledger in bytes.
const maxLine = 16 << 20

// Lines yields the lines of the ledger of the collection in dir; none if there is no ledger. A torn
// last line is not yielded, any other that can't be read is an error, which comes last.
func Lines(dir string) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		_, err := read(dir, func(l *Line, _ int64) bool { return yield(l, nil) })
		if err != nil {
			yield(nil, fmt.Errorf("requisites: %w", err))
		}
	}
}

// read calls do for the lines, with the offset of each, until it returns false, and returns the length
// of the whole ones.
func read(dir string, do func(l *Line, at int64) bool) (size int64, err error) {
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
		at := size
		size += int64(len(text))
		if !do(l, at) {
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
	all := newLineCount()
	for l, err := range Lines(dir) {
		if err != nil {
			return all.Totals, err
		}
		all.count(l)
	}
	return all.Totals, nil
}

// A Ledger is the ledger of a collection, open for writing. It must not be used concurrently.
type Ledger struct {
	lineCount

	dir     string
	writer  *archive.Writer
	file    *durable.File
	size    int64            // bytes of the lines that are committed
	known   map[uint64]int64 // requisites by the hash of their URL: where the line begins if it names others, or -1
	pages   map[uint64]bool  // that have a line: whether all of their requisites were asked for
	pending bytes.Buffer     // lines that are not committed
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
	l := &Ledger{lineCount: newLineCount(), dir: dir, known: map[uint64]int64{}, pages: map[uint64]bool{}}
	var last dowse.Place
	var err error
	l.size, err = read(dir, func(x *Line, at int64) bool {
		l.note(x, at)
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
		err = l.file.Truncate(l.size)
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

// note notes a line that begins at an offset of the ledger.
func (l *Ledger) note(x *Line, at int64) {
	l.count(x)
	switch {
	case x.Page != "":
		l.pages[hashOf(x.Page)] = !x.Partial || l.pages[hashOf(x.Page)]
	case len(x.Uses) > 0:
		l.known[hashOf(x.URL)] = at
	default:
		l.known[hashOf(x.URL)] = -1
	}
}

// Has reports whether a requisite was asked for, or is not to be asked for.
func (l *Ledger) Has(u dowse.URL) bool {
	_, ok := l.known[hashOf(u)]
	return ok && !l.Wants(u)
}

// Wants reports whether a requisite was left out for a limit.
func (l *Ledger) Wants(u dowse.URL) bool { return l.wanted[hashOf(u)] }

// Uses returns what a requisite that the ledger has names in turn: what is in a style sheet, or where a
// redirect leads to.
func (l *Ledger) Uses(u dowse.URL) ([]dowse.URL, error) {
	at, ok := l.known[hashOf(u)]
	if !ok || at < 0 {
		return nil, nil
	}
	text, err := l.lineAt(at)
	if err != nil {
		return nil, fmt.Errorf("requisites: %w", err)
	}
	var x Line
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, fmt.Errorf("requisites: %s: offset %d: %w", ledgerName, at, err)
	}
	return x.Uses, nil
}

// lineAt returns the line at an offset of the ledger, whether it is committed or not.
func (l *Ledger) lineAt(at int64) ([]byte, error) {
	if at >= l.size {
		line, _, _ := bytes.Cut(l.pending.Bytes()[at-l.size:], []byte{'\n'})
		return line, nil
	}
	f, err := durable.In(l.dir).Open(Folder + "/" + ledgerName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLine(bufio.NewReader(io.NewSectionReader(f, at, l.size-at)))
}

// Served reports whether all requisites of a page were asked for that these limits allow.
func (l *Ledger) Served(page dowse.URL, now Limits) bool {
	h := hashOf(page)
	return l.pages[h] && !l.cut[h].raisedTo(now)
}

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
	l.note(&x, l.size+int64(l.pending.Len()))
	l.pending.Write(append(text, '\n'))
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
	l.size += int64(l.pending.Len())
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
