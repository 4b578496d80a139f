package collection

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"dowse/internal/archive"
)

// The values of Verification.Views, besides the one for a damaged summary.
const (
	ViewsChecked = "checked"
	viewsRunning = "not checked: a crawl goes on, and writes them when it stops"
	viewsLag     = "not checked: they are older than journal and archive, as after a run that was killed; the next run brings them up to date"
	viewsNone    = "not checked: none were made yet, or state/summary.json was deleted; the next run makes them"
)

// doViews is what to do about views that differ from what was written.
const doViews = "delete state/summary.json; the next run then makes lists, log and index again from journal and archive"

// views checks the files that are made from journal and archive: each is as it was when the
// summary was written, and each line of the index names a record. They may be older than the
// journal, which is no fault.
func (v *verifier) views() error {
	s, err := v.c.savedSummary()
	switch {
	case v.c.changing():
		v.out.Views = viewsRunning
	case errors.Is(err, fs.ErrNotExist):
		v.out.Views = viewsNone
	case errors.Is(err, errOldSummary):
		v.out.Views = viewsLag
	case errors.Is(err, errBrokenSummary):
		v.out.Views = "not checked: state/summary.json is damaged"
		v.out.problem(summaryName, doViews, "%v", err)
	case err != nil:
		return err
	case v.lag(s):
		v.out.Views = viewsLag
	default:
		v.out.Views = ViewsChecked
		return v.checkViews(s)
	}
	return nil
}

// lag reports whether journal or archive went on after the views were written.
func (v *verifier) lag(s *summary) bool {
	size, err := v.c.archiveSize()
	return s.Journal != v.c.opened || s.Rulings != len(v.c.Crawl.Rulings()) || err == nil && s.Indexed >= 0 && s.Indexed < size
}

func (v *verifier) checkViews(s *summary) error {
	v.opt.Progress("lists", 0, 0)
	names := []string{pagesName, extraName, logName}
	if s.Indexed >= 0 {
		names = append(names, indexName)
	}
	for _, name := range names {
		if err := v.asWritten(name, s.Sums[name]); err != nil {
			v.out.problem(name, doViews, "%v", err)
		}
	}
	if _, err := v.c.files().Stat(readmeName); err != nil {
		v.out.problem(readmeName, doViews, "%v", err)
	}
	if s.Indexed < 0 {
		return nil
	}
	return v.index()
}

var errNotAsWritten = errors.New("it is not as it was written: the checksum does not match")

// asWritten checks a file against its checksum.
func (v *verifier) asWritten(name string, want uint32) error {
	f, err := v.c.files().Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if sum.Sum32() != want {
		return errNotAsWritten
	}
	return nil
}

// maxIndexLine bounds a line of the index.
const maxIndexLine = 1 << 20

// index looks up each line of the index in the archive.
func (v *verifier) index() error {
	f, err := v.c.files().Open(indexName)
	if err != nil {
		return nil // reported by an earlier check
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxIndexLine)
	for n := 1; lines.Scan(); n++ {
		if err := v.capture(lines.Text()); err != nil {
			v.out.problem(fmt.Sprintf("%s, line %d", indexName, n), doViews, "%v", err)
			continue
		}
		v.out.Captures++
	}
	if err := lines.Err(); err != nil {
		v.out.problem(indexName, doViews, "%v", err)
	}
	return nil
}

// capture checks that the record that a line of the index names is there and is of its URL.
func (v *verifier) capture(line string) error {
	c, err := archive.ParseCapture(line)
	if err != nil {
		return err
	}
	r, err := v.c.record(c.Place)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Target() != c.URL {
		return fmt.Errorf("%w: %s", errOtherURL, r.Target())
	}
	return nil
}
