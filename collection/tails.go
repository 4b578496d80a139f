package collection

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse/internal/archive"
	"dowse/internal/durable"
)

// Opening a collection cuts off the records of the archive that the journal
// does not name. After a crash these are the visits in flight. But a journal
// that lost its end also names fewer records than were committed, and the
// two cases can't be distinguished. So complete records are saved in files
// of their own before they are cut off.
const (
	tailPrefix  = "uncommitted-"
	tailPattern = tailPrefix + "*.warc.gz"
	maxTails    = 8 // files that are kept, the newest
)

// savedTails maps the name of an archive file to the file that its tail was
// saved in.
type savedTails map[string]string

// where returns a clause for a notice that names the file with the saved
// tail, "" if there is none.
func (s savedTails) where(file string) string {
	if name := s[file]; name != "" {
		return "; what is whole of it is kept in " + name
	}
	return ""
}

// saveTail saves the parts of a tail that hold a complete record, and
// removes the oldest saved files.
func (c *Collection) saveTail(t archive.Tail) (savedTails, error) {
	saved := savedTails{}
	for _, f := range t.Files {
		if f.Records == 0 {
			continue
		}
		name, err := c.saveTailFile(f)
		if err != nil {
			return nil, fmt.Errorf("save what is to be cut off %s: %w", f.Name, err)
		}
		saved[f.Name] = name
	}
	if len(saved) == 0 {
		return nil, nil
	}
	return saved, c.dropTails(max(maxTails, len(saved)))
}

// saveTailFile copies the end of an archive file into a file of its own,
// synced. The name contains the checksum of the bytes, so that the same tail
// is kept once and different tails never replace each other.
func (c *Collection) saveTailFile(t archive.TailFile) (name string, err error) {
	f, err := durable.Inner(c.ArchiveDir()).Open(t.Name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	bytes := func() io.Reader { return io.NewSectionReader(f, t.From, info.Size()-t.From) }
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, bytes()); err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(t.Name, ".gz"), ".warc")
	name = fmt.Sprintf("state/%s%s-%d-%08x.warc.gz", tailPrefix, stem, t.From, sum.Sum32())
	return name, c.files().Replace(name, func(w io.Writer) error {
		_, err := io.Copy(w, bytes())
		return err
	})
}

// dropTails removes all saved tails but the newest keep.
func (c *Collection) dropTails(keep int) error {
	d := c.files().Sub("state")
	names, err := d.Names(tailPattern)
	if err != nil || len(names) <= keep {
		return err
	}
	at := map[string]time.Time{}
	for _, name := range names {
		if info, err := d.Lstat(name); err == nil {
			at[name] = info.ModTime()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(at[a].Compare(at[b]), strings.Compare(a, b)) })
	for _, name := range names[:len(names)-keep] {
		if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Tails returns the paths of the saved tails.
func (w *Wreck) Tails() (paths []string) {
	names, err := durable.In(w.Dir).Sub("state").Names(tailPattern)
	if err != nil {
		w.note("state", err)
	}
	for _, name := range names {
		paths = append(paths, filepath.Join(w.State(), name))
	}
	return paths
}
