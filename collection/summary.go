package collection

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// The views: files that are made from journal and archive.
const (
	readmeName  = "README.md"
	indexName   = "indexes/index.cdxj"
	pagesName   = "pages/pages.jsonl"
	extraName   = "pages/extraPages.jsonl"
	logName     = "log/crawl.log"
	summaryName = "state/summary.json"
)

const (
	maxIndexed  = 1 << 30 // bytes of archive up to which an index is made at every stop; 1 GiB takes some 10 s
	maxLicences = 1000    // different licences that are counted
)

// A summary records how far the views are written: up to which offset of the
// journal, and how long each file was then.
type summary struct {
	Version int               `json:"version"`
	Journal uint64            `json:"journal"`
	Files   map[string]int64  `json:"files"`
	Indexed int64             `json:"indexed"` // bytes of archive that the index is of; -1 for no index
	Facts   cardFacts         `json:"facts"`
	Rulings int               `json:"rulings,omitempty"` // entries of rulings that the lists know of
	Sums    map[string]uint32 `json:"sums"`              // CRC-32C of the files
	Sum     uint32            `json:"sum"`               // CRC-32C of all other fields, see seal
}

const summaryVersion = 2

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns the checksum of a summary: that of its JSON with a Sum of 0.
func (s summary) seal() (uint32, error) {
	s.Sum = 0
	data, err := json.Marshal(s)
	return crc32.Checksum(data, castagnoli), err
}

var (
	errOldSummary    = errors.New("it was written by another version of dowse")
	errBrokenSummary = errors.New("it is damaged")
)

// savedSummary reads the summary and verifies its checksum.
func (c *Collection) savedSummary() (*summary, error) {
	data, err := c.files().ReadFile(summaryName)
	if err != nil {
		return nil, err
	}
	s := &summary{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%w: %w", errBrokenSummary, err)
	}
	if s.Version == 1 {
		return nil, errOldSummary
	}
	if sum, err := s.seal(); err != nil || sum != s.Sum || s.Version != summaryVersion {
		return nil, fmt.Errorf("%w: the checksum does not match", errBrokenSummary)
	}
	return s, nil
}

// cardFacts are the figures of the data card that the books do not have.
type cardFacts struct {
	First    string         `json:"first,omitempty"` // when the first page was fetched, RFC 3339
	Last     string         `json:"last,omitempty"`
	Licences map[string]int `json:"licences,omitempty"` // pages that link to a licence
	NoIndex  int            `json:"noindex,omitempty"`  // pages that ask not to be shown in searches
	NoArch   int            `json:"noarchive,omitempty"`
}

// Summarise brings the views up to date: the lists of pages, the index, the
// log and the data card. It is called at every stop. It appends what is new
// since the last time; anything after the recorded length of a file may be
// torn and is overwritten. If the recorded state does not match the files,
// all views are written again.
//
// The summary is written last, so a crash in between only causes work to be
// repeated.
func (c *Collection) Summarise() error {
	if c.readOnly {
		return errors.New("collection: summarise: opened only to read")
	}
	if err := c.writeRequisiteIndex(); err != nil {
		return fmt.Errorf("collection: summarise %s: %w", c.Dir, err)
	}
	s := c.readSummary()
	if err := c.summarise(s); err == nil {
		return nil
	}
	// What was remembered does not match the files or the journal: write everything again.
	if err := c.summarise(c.newSummary()); err != nil {
		return fmt.Errorf("collection: summarise %s: %w", c.Dir, err)
	}
	return nil
}

// newSummary returns a summary with which all views are written again.
func (c *Collection) newSummary() *summary {
	return &summary{Version: summaryVersion, Files: map[string]int64{}, Sums: map[string]uint32{}, Indexed: -1, Rulings: len(c.Crawl.Rulings())}
}

// path returns the full path of a file of the collection.
func (c *Collection) path(name string) string { return filepath.Join(c.Dir, filepath.FromSlash(name)) }

// readSummary returns the saved summary, or a new one if it can't be used.
// After new rulings pages may belong to the other list, so only the index is
// kept.
func (c *Collection) readSummary() *summary {
	s, ok := c.remembered()
	if !ok || s.Journal > c.Journal.End() {
		return c.newSummary()
	}
	if s.Rulings != len(c.Crawl.Rulings()) { // pages may belong to the other list now
		lists := c.newSummary()
		lists.Indexed, lists.Sums[indexName] = s.Indexed, s.Sums[indexName]
		return lists
	}
	return s
}

// summarise writes the views from the state s on, and then the summary. It
// does nothing if they are up to date.
func (c *Collection) summarise(s *summary) error {
	size, err := c.archiveSize()
	if err != nil {
		return err
	}
	if s.Journal == c.Journal.End() && s.Journal > 0 && c.intact(s) && (s.Indexed == size || s.Indexed < 0 && size > maxIndexed) {
		return nil
	}
	if err := c.writeViews(s); err != nil {
		return err
	}
	if err := c.writeIndex(s, size); err != nil {
		return err
	}
	if err := writeWhole(c.Dir, readmeName, c.dataCard(s)); err != nil {
		return err
	}
	if s.Sum, err = s.seal(); err != nil {
		return err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(c.Dir, summaryName, append(data, '\n'))
}

// intact reports whether the views have the recorded lengths.
func (c *Collection) intact(s *summary) bool {
	for _, name := range []string{pagesName, extraName, logName} {
		info, err := c.files().Stat(name)
		if err != nil || info.Size() != s.Files[name] {
			return false
		}
	}
	for _, name := range []string{readmeName, indexName} {
		if _, err := c.files().Stat(name); err != nil && (name != indexName || s.Indexed >= 0) {
			return false
		}
	}
	return true
}

// A view is a file that grows with the journal; n and sum are its length and
// checksum.
type view struct {
	name string
	f    *durable.File
	w    *bufio.Writer
	n    int64
	sum  uint32
}

func (v *view) Write(p []byte) (int, error) {
	n, err := v.w.Write(p)
	v.n += int64(n)
	v.sum = crc32.Update(v.sum, castagnoli, p[:n])
	return n, err
}

// openView opens a file at its recorded length and cuts off what follows. A
// shorter file is an error, and all views are then written again.
func (c *Collection) openView(s *summary, name string) (*view, error) {
	f, err := c.files().Ensure(name)
	if err != nil {
		return nil, err
	}
	at := s.Files[name]
	info, err := f.Stat()
	if err == nil && info.Size() < at {
		err = fmt.Errorf("%s is shorter than it was", name)
	}
	if err == nil {
		err = f.Truncate(at)
	}
	if err == nil {
		_, err = f.Seek(at, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &view{name: name, f: f, w: bufio.NewWriterSize(f, 1<<16), n: at, sum: s.Sums[name]}, nil
}

// close flushes, syncs and closes the file.
func (v *view) close() error {
	return errors.Join(v.w.Flush(), v.f.Sync(), v.f.Close())
}

// writeViews appends what the journal recorded since the last time.
func (c *Collection) writeViews(s *summary) (err error) {
	views := map[string]*view{}
	defer func() {
		for name, v := range views {
			err = errors.Join(err, v.close())
			s.Files[name], s.Sums[name] = v.n, v.sum
		}
	}()
	for _, name := range []string{pagesName, extraName, logName} {
		if views[name], err = c.openView(s, name); err != nil {
			delete(views, name)
			return err
		}
	}
	if err := beginLists(views); err != nil {
		return err
	}
	return c.appendViews(s, views)
}

// beginLists writes the headers of empty lists.
func beginLists(views map[string]*view) error {
	for name, id := range map[string][2]string{pagesName: {"pages", "Pages"}, extraName: {"extraPages", "Extra pages"}} {
		if v := views[name]; v.n == 0 {
			if err := archive.WritePages(v, id[0], id[1], noPages); err != nil {
				return err
			}
		}
	}
	return nil
}

func noPages(func(archive.PageLine, error) bool) {}

// appendViews writes the lines of all visits since s.Journal. URLs that were
// taken down have none. It works in parts of maxParents visits, because the
// parents of all pages of a part are looked up together.
func (c *Collection) appendViews(s *summary, views map[string]*view) error {
	for from, more := s.Journal, true; more; {
		p, err := c.readPart(from)
		if err != nil {
			return err
		}
		parents, err := c.parents(p.ids)
		if err != nil {
			return err
		}
		if from, more, err = c.appendPart(s, views, p.visits(c, from), parents); err != nil {
			return err
		}
	}
	s.Journal = c.Journal.End()
	return nil
}

// maxHeld is how many entries of a part are kept in memory. A part with more of them is read
// twice. It is less than maxParents, so a part that is kept is the rest of the journal.
const maxHeld = 8192

// A viewPart is what the views need to know of a part of the journal before its lines are written.
type viewPart struct {
	ids  []frontier.ID  // of the pages, in order
	held []*crawl.Entry // all entries; nil if there are too many
}

// readPart reads the part that begins at an offset.
func (c *Collection) readPart(from uint64) (p viewPart, err error) {
	n := 0
	for e, err := range c.Journal.Visits(from) {
		if err != nil {
			return p, err
		}
		if n++; n <= maxHeld {
			p.held = append(p.held, e)
		} else {
			p.held = nil
		}
		if e.Kind == crawl.EntryPage && c.hasLine(e) {
			p.ids = append(p.ids, e.ID)
		}
		if len(p.ids) == maxParents {
			break
		}
	}
	return p, nil
}

// visits returns the entries of a part that begins at an offset, and what follows it if the part is
// not held.
func (p viewPart) visits(c *Collection, from uint64) iter.Seq2[*crawl.Entry, error] {
	if p.held == nil {
		return c.Journal.Visits(from)
	}
	return func(yield func(*crawl.Entry, error) bool) {
		for _, e := range p.held {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// hasLine reports whether an entry is listed in the views if its kind is.
func (c *Collection) hasLine(e *crawl.Entry) bool {
	switch e.Kind {
	case crawl.EntryPage, crawl.EntryRetry:
		return !c.forgotten(e.ID)
	case crawl.EntryRobots:
		return e.Host != ""
	}
	return true
}

// appendPart writes the lines of visits, of as many pages as there are parents. next is where the
// rest begins, and more reports whether there is one.
func (c *Collection) appendPart(s *summary, views map[string]*view, visits iter.Seq2[*crawl.Entry, error], parents []dowse.URL) (next uint64, more bool, err error) {
	for e, err := range visits {
		if err != nil {
			return 0, false, err
		}
		if !c.hasLine(e) {
			continue
		}
		if e.Kind == crawl.EntryPage && len(parents) == 0 {
			return e.Place(), true, nil
		}
		var parent dowse.URL
		if e.Kind == crawl.EntryPage {
			parent, parents = parents[0], parents[1:]
		}
		if err := c.appendVisit(s, views, e, parent); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// appendVisit writes the lines of one entry.
func (c *Collection) appendVisit(s *summary, views map[string]*view, e *crawl.Entry, parent dowse.URL) error {
	c.nameEntry(e)
	if err := logEntry(views[logName], e, parent); err != nil {
		return err
	}
	if e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched {
		return nil
	}
	s.Facts.count(e.Page)
	return c.listPage(views, e, parent)
}

// listPage appends a fetched page to the list it belongs to, with one line
// per fetch.
func (c *Collection) listPage(views map[string]*view, e *crawl.Entry, parent dowse.URL) error {
	v := views[extraName]
	if e.Page.Verdict.Relevance >= c.Threshold() {
		v = views[pagesName]
	}
	line, err := archive.PageLine{
		URL: e.Page.URL, At: e.Page.Fetch.At, Title: e.Page.Title, Relevance: facts.Finite(e.Page.Verdict.Relevance),
		Parent: parent, Why: ReasonLine(e.Page.Verdict.Because, 4),
	}.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = v.Write(append(line, '\n'))
	return err
}

// count adds a page to the figures of the data card.
func (f *cardFacts) count(p *dowse.Page) {
	const layout = "2006-01-02T15:04:05Z"
	at := p.Fetch.At.UTC().Format(layout)
	if f.First == "" || at < f.First {
		f.First = at
	}
	f.Last = max(f.Last, at)
	if p.NoIndex {
		f.NoIndex++
	}
	if p.NoArchive {
		f.NoArch++
	}
	for _, u := range p.Licences {
		if f.Licences == nil {
			f.Licences = map[string]int{}
		}
		u := strings.ToValidUTF8(string(u), "\ufffd") // as JSON keeps it
		if _, known := f.Licences[u]; known || len(f.Licences) < maxLicences {
			f.Licences[u]++
		}
	}
}

// archiveSize returns the total length of the archive in bytes.
func (c *Collection) archiveSize() (size int64, err error) {
	files, err := archive.Files(c.ArchiveDir())
	if err != nil {
		return 0, err
	}
	for _, path := range files {
		info, err := c.files().Stat("archive/" + filepath.Base(path))
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}

// writeIndex makes the index again if the archive has grown. For an archive
// of more than maxIndexed bytes there is no index; an export makes one.
func (c *Collection) writeIndex(s *summary, size int64) error {
	if size > maxIndexed {
		s.Indexed = -1
		if err := c.files().Remove(indexName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if _, err := c.files().Stat(indexName); err == nil && s.Indexed == size {
		return nil
	}
	if err := c.files().Mkdir(path.Dir(indexName)); err != nil {
		return err
	}
	known := s.Indexed
	s.Indexed = size
	if old, lines, ok := c.freshIndex(known, size, s.Sums[indexName]); ok {
		err := c.replaceIndex(s, func(w io.Writer) error { return archive.MergeIndex(w, old, lines) })
		if err == nil {
			c.Writer.Indexed()
		}
		return err
	}
	files, err := archive.Files(c.ArchiveDir())
	if err != nil {
		return err
	}
	return c.replaceIndex(s, func(w io.Writer) error { return archive.IndexReadable(w, c.unreadRecord, files...) })
}

// replaceIndex replaces the index and records its checksum.
func (c *Collection) replaceIndex(s *summary, write func(io.Writer) error) error {
	sum := crc32.New(castagnoli)
	err := c.files().Replace(indexName, func(w io.Writer) error { return write(io.MultiWriter(w, sum)) })
	s.Sums[indexName] = sum.Sum32()
	return err
}

// freshIndex returns the current index, which covers known bytes of the
// archive, and the lines that are missing in it. It reports false if these
// are not known, or the index does not have the given checksum; then the
// archive is read.
func (c *Collection) freshIndex(known, size int64, sum uint32) (index string, lines []string, ok bool) {
	if c.Writer == nil {
		return "", nil, false
	}
	fresh, ok := c.Writer.Unindexed()
	if !ok || fresh.Size != size || fresh.Since != known && fresh.Since > 0 {
		return "", nil, false
	}
	if fresh.Since == 0 {
		return "", fresh.Lines, true
	}
	old, err := c.files().ReadFile(indexName)
	return string(old), fresh.Lines, err == nil && crc32.Checksum(old, castagnoli) == sum
}
