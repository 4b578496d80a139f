package collection

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"dowse"
	"dowse/crawl"
	"dowse/internal/durable"
)

// errOther is returned for a copy into a directory that holds another collection.
var errOther = fmt.Errorf("it holds another collection: %w", ErrMake)

// errContinued is returned for a copy over an earlier one in which something happened since: it would be lost.
var errContinued = fmt.Errorf("it is a copy that was used since: it has pages, labels or decisions of its own, which another copy would overwrite: %w", ErrMake)

// A copied counts what CopyTo did.
type copied struct {
	Files, Kept int   // written, and there already
	Bytes       int64 // written
}

// CopyTo copies the collection, as it was when c was opened, into another directory. A crawl may
// run in it meanwhile: journal and archive are copied up to what was committed then, so the
// copy is the collection that a kill at that moment would have left. Lists, index and data card
// are not copied; the next run or change writes them again.
//
// The directory may be absent, empty, or an earlier copy, of which files that have not changed
// are kept, also if that copy was interrupted. The settings come last: without them the directory is not a
// collection.
func (c *Collection) CopyTo(to string) (done copied, err error) {
	if err := c.beginCopy(to); err != nil {
		return done, fmt.Errorf("collection: copy to %s: %w", to, err)
	}
	err = eachFile(c.Dir, func(name string, _ fs.DirEntry) error {
		n, wanted := c.toCopy(name)
		if !wanted {
			return nil
		}
		err := c.copyFile(to, name, n, &done)
		if errors.Is(err, fs.ErrNotExist) && n < 0 {
			return nil // the crawl has replaced it meanwhile
		}
		return err
	})
	if err != nil {
		return done, fmt.Errorf("collection: copy to %s: %w", to, err)
	}
	return done, c.copySettings(to, &done)
}

// copyMark is the file by which a copy that was interrupted is recognised: the settings under the name that they
// have until they are complete. The copy ends by putting them in their place.
const copyMark = settingsName + durable.Temporary

// beginCopy checks that the collection can be copied into a directory, and marks the directory if it holds no copy yet.
func (c *Collection) beginCopy(to string) error {
	if there, err := durable.In(to).Lstat(settingsName); err == nil {
		if here, err := c.files().Lstat(settingsName); err == nil && os.SameFile(here, there) {
			return fmt.Errorf("it is the collection itself: %w", ErrMake)
		}
	}
	switch kept, err := ReadSettings(to); {
	case err == nil && !c.isCopy(&kept):
		return errOther
	case err == nil && isHeld(to):
		return ErrLocked
	case err == nil:
		return c.checkCopy(to, &kept)
	}
	marked := false
	if data, err := durable.In(to).ReadBounded(copyMark, maxSettings); err == nil {
		kept, err := decodeSettings(to, data)
		marked = err == nil && c.isCopy(&kept)
	}
	if free, err := Unfinished(to); !free && !marked {
		return errors.Join(ErrMake, err)
	}
	data, err := yaml.Marshal(c.Settings)
	if err != nil {
		return err
	}
	if err := durable.In(to).Mkdir("."); err != nil {
		return err
	}
	return writeWhole(to, copyMark, data)
}

// checkCopy returns an error for a copy that has more than this collection: journal or labels that go on where those of the collection
// end, or that differ from them.
func (c *Collection) checkCopy(to string, kept *Settings) error {
	target := durable.In(to)
	segments, err := target.Sub("state").Names("journal-*.log")
	if err != nil {
		return err
	}
	for i, segment := range segments {
		n := c.Journal.SegmentBytes(segment, c.opened)
		if err := c.sameEnd(target, "state/"+segment, n, i == len(segments)-1 && len(kept.Forgotten) == len(c.Settings.Forgotten)); err != nil {
			return err
		}
	}
	labels := int64(0)
	if info, err := c.files().Stat(labelsName); err == nil {
		labels = info.Size()
	}
	return c.sameEnd(target, labelsName, labels, false)
}

// sameEnd returns an error if a file of a copy is longer than n bytes or, if its content is compared, ends otherwise than
// the same part of this collection's file.
func (c *Collection) sameEnd(target durable.Dir, name string, n int64, compare bool) error {
	info, err := target.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Size() > n {
		return errContinued
	}
	if !compare {
		return nil
	}
	ours, err := endOf(c.files(), name, info.Size())
	if err != nil {
		return err
	}
	theirs, err := endOf(target, name, info.Size())
	if err == nil && !bytes.Equal(ours, theirs) {
		return errContinued
	}
	return err
}

// endOf returns the last bytes before a place of a file.
func endOf(d durable.Dir, name string, at int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, min(at, comparedEnd))
	_, err = f.ReadAt(b, at-int64(len(b)))
	return b, err
}

// comparedEnd is how many bytes of a journal are compared: entries differ in their times, so that few are enough.
const comparedEnd = 64 << 10

// isCopy reports whether settings are those of a copy of this collection.
func (c *Collection) isCopy(kept *Settings) bool {
	return kept.Key == c.Settings.Key && kept.Begun.Equal(c.Settings.Begun)
}

// toCopy reports whether a file is copied, and how many bytes of it; -1 for all.
func (c *Collection) toCopy(name string) (n int64, wanted bool) {
	last := c.Crawl.LastArchived()
	base := path.Base(name)
	switch {
	case !belongs(name):
		return 0, false
	case folderOf(name) == "archive" && base == last.File:
		return last.Offset + last.Length, true
	case folderOf(name) == "archive":
		return -1, last.File != "" && crawl.LaterPlace(last, dowse.Place{File: base}) == last
	case strings.HasPrefix(name, "state/journal-"):
		n = c.Journal.SegmentBytes(base, c.opened)
		return n, n > 0
	case strings.HasPrefix(name, "state/snapshot-"):
		var at uint64
		_, err := fmt.Sscanf(base, "snapshot-%016x.snap", &at)
		return -1, err == nil && at <= c.opened
	case folderOf(name) == "state", folderOf(name) == "pages", folderOf(name) == "indexes", name == logName, name == readmeName, name == lockName, name == settingsName, name == "topic.yaml":
		return 0, false
	}
	return -1, true
}

// copyFile copies n bytes of a file, or all of it, unless the copy has the same length and time.
func (c *Collection) copyFile(to, name string, n int64, done *copied) error {
	info, err := c.files().Stat(name)
	if err != nil {
		return err
	}
	if n < 0 || n > info.Size() {
		n = info.Size()
	}
	target := durable.In(to)
	if there, err := target.Stat(name); err == nil && there.Size() == n && n == info.Size() && there.ModTime().Equal(info.ModTime()) {
		done.Kept++
		return nil
	}
	if err := target.Mkdir(path.Dir(name)); err != nil {
		return err
	}
	if err := target.Replace(name, func(w io.Writer) error { return c.copyHead(w, name, n) }); err != nil {
		return err
	}
	done.Files++
	done.Bytes += n
	if n < info.Size() { // a part, which the next copy replaces
		return nil
	}
	return os.Chtimes(filepath.Join(to, filepath.FromSlash(name)), time.Time{}, info.ModTime())
}

// copySettings writes topic and settings as they were when c was opened.
func (c *Collection) copySettings(to string, done *copied) error {
	topic, err := c.Topic()
	if err != nil {
		return err
	}
	data, err := yaml.Marshal(c.Settings)
	if err != nil {
		return fmt.Errorf("collection: settings: %w", err)
	}
	for _, folder := range folders {
		if err := durable.In(to).Mkdir(folder); err != nil {
			return fmt.Errorf("collection: %w", err)
		}
	}
	done.Files += 2
	done.Bytes += int64(len(topic) + len(data))
	if err := writeWhole(to, "topic.yaml", topic); err != nil {
		return err
	}
	if marked, err := durable.In(to).ReadBounded(copyMark, maxSettings); err == nil && bytes.Equal(marked, data) {
		return durable.In(to).Rename(copyMark, settingsName) // the mark is never half written
	}
	return writeWhole(to, settingsName, data)
}
