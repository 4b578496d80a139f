package collection

import (
	"dowse"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// ErrDamaged is returned for a collection of which something is missing or
// broken that no crash can have removed. The collection was not changed.
var ErrDamaged = crawl.ErrDamaged

// A DamageError reports the damage found in the collection in Dir. It matches
// [ErrDamaged] and the error that was found.
type DamageError struct {
	Dir   string
	Found error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("collection: %s is damaged: %v; nothing was changed", e.Dir, e.Found)
}

// Unwrap returns the error that was found and ErrDamaged.
func (e *DamageError) Unwrap() []error { return []error{e.Found, ErrDamaged} }

// A FormatError reports that the collection in Dir, or a file of it, has another
// format version. It matches [ErrFormat]. Version is the version of the program
// that wrote it, which can still read it.
type FormatError struct {
	Dir     string
	Found   error
	Version string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("collection: %s: %v; use the program that wrote it (%s)", e.Dir, e.Found, e.Version)
}

// Unwrap returns the error that was found and ErrFormat.
func (e *FormatError) Unwrap() []error { return []error{e.Found, ErrFormat} }

// Remains reports whether a directory without settings still holds a journal or
// an archive. It distinguishes a damaged collection from a directory that never
// was one.
func Remains(dir string) bool {
	journal, _ := filepath.Glob(filepath.Join(dir, "state", "journal-*.log"))
	files, _ := archive.Files(filepath.Join(dir, "archive"))
	return !IsCollection(dir) && len(journal)+len(files) > 0
}

// opening wraps an error of opening the collection into one that names the
// collection and the kind of the problem. It returns nil for nil.
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

// journalLost returns an error if the collection holds pages, snapshots or lists
// but no journal. The journal is created before anything else is kept, so no
// crash leaves these without it.
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

// journalShort returns an error if the journal is shorter than a snapshot or the
// summary recorded. Both are written after the journal was synced, so a shorter
// journal has lost entries that were committed.
func (c *Collection) journalShort() error {
	end := c.Journal.End()
	for _, name := range c.snapshots() {
		if was := offsetOf(name); was > end && was > c.journalNow() {
			return fmt.Errorf("%w: it ends at %d, and %s was saved at %d", ErrDamaged, end, filepath.Base(name), was)
		}
	}
	if s, ok := c.remembered(); ok && s.Journal > end && s.Journal > c.journalNow() {
		return fmt.Errorf("%w: it ends at %d, and %s recorded %d", ErrDamaged, end, summaryName, s.Journal)
	}
	return nil
}

// journalNow returns where the journal ends on disk now. For a reader that may
// be later than where it ended at the opening, since another process may append
// to it.
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

// changing reports whether another process works on the collection, or has done
// so since it was opened. The files that a reader finds may then belong to
// different moments, so a difference between them is no damage.
func (c *Collection) changing() bool {
	return c.readOnly && (isHeld(c.Dir) || c.journalNow() != c.opened)
}

// remembered returns the summary that was saved last, and whether it can be
// read.
func (c *Collection) remembered() (*summary, bool) {
	s, err := c.savedSummary()
	return s, err == nil
}

// journalSound reads the journal up to from, the part that a snapshot replaces,
// and returns an error if it is damaged. A writer must not append to a damaged
// journal. Readers skip this check; they pass over damage when they come to it,
// see Unread.
func (c *Collection) journalSound(from uint64) error {
	if c.readOnly {
		return nil
	}
	return c.Journal.Check(from)
}

// What one visit can have written to the archive before it was committed: one
// answer, or a robots.txt and the redirects that led to it.
const (
	robotsAnswers = 11
	// answerExtra is how many bytes the records around a body can have.
	answerExtra = 4 << 20
)

// unknownTail checks that the archive holds all that the journal knows of, and is ahead of it
// by no more than a crash can leave. It returns what is ahead, and changes nothing. A crawl
// that keeps no archive has no tail.
func (c *Collection) unknownTail() (archive.Tail, error) {
	last := c.Crawl.LastArchived()
	if c.archivesNothing() {
		return archive.Tail{}, nil
	}
	if n, missing := archive.MissingFile(c.ArchiveDir()); missing {
		return archive.Tail{}, fmt.Errorf("%w: file %05d is not there, and later ones are", archive.ErrMissing, n)
	}
	if err := c.archiveShort(); err != nil {
		return archive.Tail{}, err
	}
	if err := archive.Reaches(c.ArchiveDir(), last); err != nil {
		return archive.Tail{}, err
	}
	return c.uncommitted(last, c.Crawl.Books().Known > 0)
}

// archivesNothing reports whether the crawl was begun without an archive.
func (c *Collection) archivesNothing() bool {
	return c.Crawl.LastArchived().File == "" && c.Crawl.Status().Requests > 0
}

// behind returns why the crawl can't go on from this journal: the archive holds more than it
// knows of, or less, than a crash can leave. Then lists and exports do not have every page.
// It returns nil while another process works on the collection, because its files are then
// of different moments. It is for collections that were opened to be read; others are refused.
func (c *Collection) behind() error {
	_, err := c.unknownTail()
	if err == nil || c.changing() {
		return nil
	}
	return err
}

// smallJournal is how many bytes a journal has that is read as a whole to look for damage: a fraction of a second.
const smallJournal = 64 << 20

// Damage returns why the crawl can't go on from this collection, see behind, or that the last record of the archive or a record in the newest part of the
// journal, between its two snapshots, is broken; of a small journal all is read. It reads no more than that, so that it can be
// asked often; [Collection.Verify] reads everything. It returns nil while another process works on the collection.
func (c *Collection) Damage() error {
	if !c.readOnly || c.changing() {
		return nil // it would have been refused, or is of different moments
	}
	if err := c.behind(); err != nil {
		return err
	}
	err := c.lastRecord()
	if names := c.snapshots(); err == nil && len(names) > 0 {
		from, until := uint64(0), offsetOf(names[0])
		switch {
		case until <= smallJournal:
		case len(names) > 1:
			from = offsetOf(names[1])
		default:
			from = c.visitAfter(until - smallJournal)
		}
		err = c.Journal.CheckFrom(from, until)
	}
	if err == nil {
		err = c.lost()
	}
	if err == nil || c.changing() {
		return nil
	}
	return err
}

// lost returns Lost as a [ledger.ErrInputLost], nil for none.
func (c *Collection) lost() error {
	if c.Lost == nil || errors.Is(c.Lost, ledger.ErrInputLost) {
		return c.Lost
	}
	return fmt.Errorf("%w: %w", ledger.ErrInputLost, c.Lost)
}

// visitAfter returns the first place in the journal, from an offset on, at which a visit is recorded; 0 if there is none.
func (c *Collection) visitAfter(offset uint64) uint64 {
	f, first := c.Crawl.Frontier(), uint64(math.MaxUint64)
	for id := range frontier.ID(f.Len()) {
		if v, ok := f.Visit(id); ok && v.Place >= offset {
			first = min(first, v.Place)
		}
	}
	if first == math.MaxUint64 {
		return 0
	}
	return first
}

// lastRecord returns an error if the last answer that the journal knows can't be read.
func (c *Collection) lastRecord() error {
	r, err := c.record(c.Crawl.LastArchived())
	if err == nil {
		_, err = r.Size()
		r.Close()
	}
	if err = reading(err); errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}

// recoverArchive cuts off what was written to the archive and never committed. Whole records
// are saved first, see saveTail.
func (c *Collection) recoverArchive(tail archive.Tail) error {
	if c.archivesNothing() {
		return nil
	}
	saved, err := c.saveTail(tail)
	if err != nil {
		return err
	}
	last := c.Crawl.LastArchived()
	if last.File == "" {
		return c.clearArchive(saved)
	}
	cuts, err := archive.Recover(c.ArchiveDir(), last)
	for _, cut := range cuts {
		c.notice("%s%s", cut, saved.where(cut.File))
	}
	return err
}

// archiveShort returns an error if the archive has fewer bytes than when its
// index was made.
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

// uncommitted returns what the archive holds after last, the last place that the
// journal knows. It returns an ErrDamaged if that is more than a crash can
// leave: the journal may then be an old copy, or cut short. begun reports
// whether the journal knows any URL; without one no visit can have begun.
func (c *Collection) uncommitted(last dowse.Place, begun bool) (archive.Tail, error) {
	set := c.Settings.Resolved()
	visits := max(c.inFlight, set.InFlight, c.cfg.Polite.InFlight)
	if _, err := durable.In(c.Dir).Lstat(clusterName); err == nil {
		visits = max(visits, clusterVisits)
	}
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

// clearArchive removes all files of an archive of which the journal knows
// nothing, with one notice per file.
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
