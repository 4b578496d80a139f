package collection

import (
	"dowse"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dowse/crawl"
	"dowse/internal/archive"
)

// ErrDamaged is returned for a collection of which something is missing or broken that no
// crash takes away. Nothing of it was changed.
var ErrDamaged = crawl.ErrDamaged

// A DamageError reports what is wrong with the collection in Dir.
type DamageError struct {
	Dir   string
	Found error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("collection: %s is damaged: %v; nothing was changed", e.Dir, e.Found)
}

// Unwrap returns what was found.
func (e *DamageError) Unwrap() []error { return []error{e.Found, ErrDamaged} }

// A FormatError reports that the collection in Dir, or a file of it, has another format
// version. Version is that of the program that wrote it.
type FormatError struct {
	Dir     string
	Found   error
	Version string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("collection: %s: %v; use the program that wrote it (%s)", e.Dir, e.Found, e.Version)
}

// Unwrap returns what was found.
func (e *FormatError) Unwrap() []error { return []error{e.Found, ErrFormat} }

// Remains reports whether a directory without settings holds what is left of a collection:
// a journal, or an archive.
func Remains(dir string) bool {
	journal, _ := filepath.Glob(filepath.Join(dir, "state", "journal-*.log"))
	files, _ := archive.Files(filepath.Join(dir, "archive"))
	return !IsCollection(dir) && len(journal)+len(files) > 0
}

// opening returns an error of opening the collection as one that names the collection and
// the kind of problem.
func (c *Collection) opening(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDamaged), errors.Is(err, archive.ErrMissing):
		return &DamageError{c.Dir, err}
	case errors.Is(err, crawl.ErrVersion):
		return &FormatError{c.Dir, err, c.Settings.Version}
	}
	return fmt.Errorf("collection: %s: %w", c.Dir, err)
}

// journalLost checks that a collection that holds something has a journal. It is begun
// before anything is kept, so no crash leaves the one without the other.
func (c *Collection) journalLost() error {
	held, _ := archive.Files(c.ArchiveDir())
	held = append(held, c.snapshots()...)
	if _, err := c.files().Stat(summaryName); err == nil {
		held = append(held, c.path(summaryName))
	}
	if len(held) == 0 {
		return nil
	}
	// The journal is looked for last: a crawl may just begin.
	if segments, _ := filepath.Glob(filepath.Join(c.state(), "journal-*.log")); len(segments) > 0 {
		return nil
	}
	return fmt.Errorf("%w: it is missing, and there is %s", ErrDamaged, filepath.Base(held[0]))
}

// journalShort checks that the journal is as long as snapshots and lists say that it was.
// They are written after it was synced.
func (c *Collection) journalShort() error {
	end := c.Journal.End()
	for _, name := range c.snapshots() {
		if was := offsetOf(name); was > end && was > c.journalNow() {
			return fmt.Errorf("%w: it ends at %d, and %s was saved at %d", ErrDamaged, end, filepath.Base(name), was)
		}
	}
	if s, ok := c.remembered(); ok && s.Journal > end && s.Journal > c.journalNow() {
		return fmt.Errorf("%w: it ends at %d, and %s says %d", ErrDamaged, end, summaryName, s.Journal)
	}
	return nil
}

// journalNow returns where the journal ends on the disk by now: another process may be
// writing to it.
func (c *Collection) journalNow() uint64 {
	if !c.readOnly {
		return c.Journal.End()
	}
	j, err := c.Journal.Reader()
	if err != nil {
		return c.Journal.End()
	}
	defer j.Close()
	return j.End()
}

// changing reports whether another process works on the collection, or has done so since it
// was opened. What a reader finds in its files may then be of different moments.
func (c *Collection) changing() bool {
	return c.readOnly && (isHeld(c.Dir) || c.journalNow() != c.opened)
}

// remembered returns what the summary says of journal and archive, if it can be read.
func (c *Collection) remembered() (*summary, bool) {
	s, err := c.savedSummary()
	return s, err == nil
}

// journalSound reads the part of the journal that a snapshot stands for, before the crawl
// goes on. Readers skip this check: they pass over what is damaged, see Unread.
func (c *Collection) journalSound(from uint64) error {
	if c.readOnly {
		return nil
	}
	return c.Journal.Check(from)
}

// What one visit can have in the archive that was not committed: an answer, or a
// robots.txt and the redirects that led to it.
const (
	robotsAnswers = 11
	answerExtra   = 4 << 20 // bytes of records around a body
)

// recoverArchive cuts off what was written to the archive and never committed: not more
// than the visits that can have been under way. Whole records are saved first, see saveTail.
func (c *Collection) recoverArchive() error {
	last := c.Crawl.LastArchived()
	if last.File == "" && c.Crawl.Status().Requests > 0 {
		return nil // a crawl that keeps no archive
	}
	if n, missing := archive.MissingFile(c.ArchiveDir()); missing {
		return fmt.Errorf("%w: file %05d is not there, and later ones are", archive.ErrMissing, n)
	}
	if err := c.archiveShort(); err != nil {
		return err
	}
	tail, err := c.uncommitted(last, c.Crawl.Books().Known > 0)
	if err != nil {
		return err
	}
	saved, err := c.saveTail(tail)
	if err != nil {
		return err
	}
	if last.File == "" {
		return c.clearArchive(saved)
	}
	cuts, err := archive.Recover(c.ArchiveDir(), last)
	for _, cut := range cuts {
		c.notice("%s%s", cut, saved.where(cut.File))
	}
	return err
}

// archiveShort checks that the archive is not shorter than when its index was made.
func (c *Collection) archiveShort() error {
	s, ok := c.remembered()
	size, err := c.archiveSize()
	if errors.Is(err, os.ErrNotExist) {
		size, err = 0, nil
	}
	if err == nil && ok && size < s.Indexed {
		return fmt.Errorf("%w: the files have %d bytes, and had %d", archive.ErrMissing, size, s.Indexed)
	}
	return err
}

// uncommitted checks that the archive is ahead of the journal by no more than a crash can
// leave: the journal may be an older one, or cut short. last is the last place that the
// journal knows; begun reports whether it knows any URL. It returns what follows that place.
func (c *Collection) uncommitted(last dowse.Place, begun bool) (archive.Tail, error) {
	set := c.Settings.Resolved()
	visits := max(c.inFlight, set.InFlight, c.cfg.Polite.InFlight)
	if !begun {
		visits = 0 // the seeds are committed before the first visit
	}
	t, err := archive.TailAfter(c.ArchiveDir(), last, robotsAnswers*visits)
	if err != nil {
		return t, err
	}
	most := int64(visits+1) * (set.MaxBody + answerExtra)
	if t.Pages > visits || t.Exchanges > robotsAnswers*visits || t.Bytes > most {
		return t, fmt.Errorf("%w: the archive holds at least %d pages, %d answers, %d bytes, that it does not know of; a crash leaves %d pages at most",
			ErrDamaged, t.Pages, t.Exchanges, t.Bytes, visits)
	}
	return t, nil
}

// clearArchive removes archive files of which nothing was committed.
func (c *Collection) clearArchive(saved savedTails) error {
	files, err := archive.Files(c.ArchiveDir())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		c.notice("%s: nothing of it was committed: removed%s", filepath.Base(f), saved.where(filepath.Base(f)))
		err = errors.Join(err, c.files().Remove("archive/"+filepath.Base(f)))
	}
	return err
}
