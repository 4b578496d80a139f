package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"dowse"
	"dowse/internal/durable"
)

// A Cut describes what [Recover] removed from the end of a file.
type Cut struct {
	File  string
	Size  int64 // bytes that are left; 0 if the file was removed
	Bytes int64 // bytes that were removed
}

func (c Cut) String() string {
	if c.Size == 0 {
		return fmt.Sprintf("removed %s: its %d bytes were not committed", c.File, c.Bytes)
	}
	return fmt.Sprintf("cut %d bytes off %s: they were not committed", c.Bytes, c.File)
}

// ErrMissing is returned by [Recover] if a file is missing or shorter than what
// was committed of it.
var ErrMissing = errors.New("archive: committed records are missing")

// Recover returns the files of a folder to the state of the last commit, and
// reports what it removed. It must be called before [OpenWriter].
//
// last is the place of the last response that was committed. Everything behind
// it was written after the commit, complete or torn, and is removed; [Encode]
// writes the response as the last record of an exchange, so nothing before its
// end is younger. If last is the zero Place, the last file is read instead and
// cut after its last complete record; earlier files were synced before a later
// one was begun, so they cannot be torn.
func Recover(dir string, last dowse.Place) ([]Cut, error) {
	names, err := ownFiles(dir)
	if errors.Is(err, fs.ErrNotExist) && last.File == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("archive: recover %s: %w", dir, err)
	}
	if err := removeTemporary(dir); err != nil {
		return nil, fmt.Errorf("archive: recover %s: %w", dir, err)
	}
	if last.File != "" {
		return cutAfter(dir, names, last)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return cutTorn(dir, names[len(names)-1])
}

// Reaches returns an [ErrMissing] if the record at a place is not in the files of dir, or is
// cut off at their end. The zero Place is always reached. It reads sizes only.
func Reaches(dir string, last dowse.Place) error {
	if last.File == "" {
		return nil
	}
	switch info, err := durable.Inner(dir).Stat(last.File); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: no file %s in %s", ErrMissing, printable(last.File), dir)
	case err != nil:
		return fmt.Errorf("archive: %s: %w", printable(last.File), err)
	case info.Size() < last.Offset+last.Length:
		return fmt.Errorf("%w: %s has %d bytes of %d", ErrMissing, printable(last.File), info.Size(), last.Offset+last.Length)
	}
	return nil
}

// removeTemporary removes the temporary files of replacements that never took
// effect.
func removeTemporary(dir string) error {
	d := durable.Inner(dir)
	names, err := d.Names("*" + durable.Temporary)
	for _, name := range names {
		if _, ours := serialOf(strings.TrimSuffix(name, durable.Temporary)); ours {
			err = errors.Join(err, d.Remove(name))
		}
	}
	return err
}

// cutAfter cuts the file of last after it, and removes all later files.
func cutAfter(dir string, names []string, last dowse.Place) (cuts []Cut, err error) {
	found := false
	for _, name := range names {
		keep := int64(-1)
		switch {
		case name == last.File:
			found, keep = true, last.Offset+last.Length
		case found:
			keep = 0
		}
		if keep < 0 {
			continue
		}
		if cuts, err = shorten(dir, name, keep, cuts); err != nil {
			return cuts, err
		}
	}
	if !found {
		return cuts, fmt.Errorf("%w: no file %s in %s", ErrMissing, printable(last.File), dir)
	}
	return cuts, nil
}

// cutTorn cuts a file after its last complete record.
func cutTorn(dir, name string) ([]Cut, error) {
	f, err := durable.Inner(dir).Open(name)
	if err != nil {
		return nil, fmt.Errorf("archive: recover %s: %w", name, err)
	}
	defer f.Close()
	end, err := soundEnd(f)
	if err != nil {
		return nil, fmt.Errorf("archive: recover %s: %w", name, err)
	}
	return shorten(dir, name, end, nil)
}

// soundEnd returns where the last complete record of a file ends. An error of
// the disk is an error; bytes that are not a record are a torn tail.
func soundEnd(f io.Reader) (end int64, err error) {
	watch := &diskErrors{r: f}
	for rec, err := range Records(watch) {
		if err != nil {
			return end, watch.err
		}
		size, err := rec.Size()
		if err != nil || rec.ended < 4 || size == 0 {
			return end, watch.err
		}
		end = rec.Offset + size
	}
	return end, watch.err
}

// diskErrors remembers an error of reading other than io.EOF, so that it is not
// mistaken for damage.
type diskErrors struct {
	r   io.Reader
	err error
}

func (d *diskErrors) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		d.err = err
	}
	return n, err
}

// shorten cuts a file to size bytes, or removes it if size is 0, and adds what
// it did to cuts. A file that is too short is ErrMissing.
func shorten(dir, name string, size int64, cuts []Cut) ([]Cut, error) {
	d := durable.Inner(dir)
	info, err := d.Stat(name)
	switch {
	case err != nil:
		return cuts, fmt.Errorf("archive: recover %s: %w", name, err)
	case info.Size() < size:
		return cuts, fmt.Errorf("%w: %s has %d bytes of %d", ErrMissing, name, info.Size(), size)
	case info.Size() == size && size > 0:
		return cuts, nil
	case size == 0:
		err = d.Remove(name)
	default:
		err = truncate(d, name, size)
	}
	if err != nil {
		return cuts, fmt.Errorf("archive: recover %s: %w", name, err)
	}
	return append(cuts, Cut{File: name, Size: size, Bytes: info.Size() - size}), nil
}

// truncate cuts a file and syncs it.
func truncate(d durable.Dir, name string, size int64) error {
	f, err := d.Edit(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}
