package collection

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"dowse/internal/durable"
)

// A shard is one file of a list that is written as several. It gets its name only
// when it is complete.
type shard struct {
	path string
	file *durable.Pending
	buf  *bufio.Writer
	pack io.WriteCloser // nil without compression
	sink listSink
	size int64 // bytes of data, before compression
}

// shardName returns the name of the n-th file of a list: reefs-00003.jsonl.zst for
// reefs.jsonl.zst.
func shardName(out, suffix string, n int) string {
	dir, name := filepath.Split(out)
	at := strings.LastIndex(strings.ToLower(name), suffix)
	stem := strings.TrimSuffix(name[:at], ".")
	return filepath.Join(dir, fmt.Sprintf("%s-%05d.%s", stem, n, name[at:]))
}

// begin creates a file of the list.
func (x *exporter) beginShard(format exportFormat, pack string, n int) (*shard, error) {
	s := &shard{path: shardName(x.out, format.suffix, n)}
	if err := free(s.path, x.opt.Force); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(s.path), err)
	}
	var err error
	if s.file, err = durable.Begin(s.path); err != nil {
		return nil, err
	}
	s.buf = bufio.NewWriterSize(s.file, 1<<18)
	var w io.Writer = s.buf
	if s.pack, err = packer(s.buf, pack); err == nil && s.pack != nil {
		w = s.pack
	}
	if err == nil {
		s.sink, err = format.list(x, w)
	}
	if err != nil {
		s.file.Abandon()
		return nil, err
	}
	return s, nil
}

// end completes the content of the file.
func (s *shard) end() error {
	if err := s.sink.close(); err != nil {
		return err
	}
	if s.pack != nil {
		if err := s.pack.Close(); err != nil {
			return err
		}
	}
	return s.buf.Flush()
}

// writeShards writes a list as several files of about the same size, and one data card
// for all. A page is never divided, and an empty list is one file. Each file gets its name
// when it is complete, and a file of progress records where it ends, so that an export that
// is interrupted can be continued. The data card comes last and shows that nothing is missing.
func (x *exporter) writeShards(format exportFormat, pack string) (err error) {
	if !strings.Contains(strings.ToLower(filepath.Base(x.out)), format.suffix) {
		return wrong("shard: %s needs the suffix of its format, so that files can be numbered", filepath.Base(x.out))
	}
	if err := x.cardsFree(x.out); err != nil {
		return err
	}
	done, err := x.resumeShards(func(n int) string { return shardName(x.out, format.suffix, n) })
	if err != nil {
		return err
	}
	defer done.close()
	var open *shard // the file that is being written; nil between two files
	defer func() {
		if open != nil {
			open.file.Abandon()
		}
		if err != nil && len(done.files) > 0 {
			err = &unfinishedError{err, len(done.files)}
		}
	}()
	finish := func() error {
		s := open
		if err := s.end(); err != nil {
			return err
		}
		open = nil
		if err := s.file.Commit(); err != nil {
			return err
		}
		return done.add(x, s)
	}
	begin := func() (err error) {
		open, err = x.beginShard(format, pack, len(done.files))
		return err
	}
	// All files prepare a page in the same way, so one that is written nowhere does it.
	first, err := format.list(x, io.Discard)
	if err != nil {
		return err
	}
	err = x.selected(first.prepare, func(c *exportedPage) error {
		if open == nil {
			if err := begin(); err != nil {
				return err
			}
		}
		n, err := open.sink.add(c)
		if open.size += int64(n); err == nil && open.size >= x.opt.Shard {
			err = finish()
		}
		return err
	})
	if err == nil && open == nil && len(done.files) == 0 {
		err = begin()
	}
	if err == nil && open != nil {
		err = finish()
	}
	if err == nil {
		err = x.removeLater(format.suffix, len(done.files))
	}
	if err == nil {
		err = x.writeCards(x.out+cardMarkdown, x.out+cardJSON, done.files)
	}
	if err != nil {
		return err
	}
	return done.remove()
}

// removeLater removes the files with which an earlier export that is replaced went on after n files, so that
// readers of all files do not find its pages.
func (x *exporter) removeLater(suffix string, n int) error {
	for ; x.opt.Force; n++ {
		folder, name := filepath.Split(shardName(x.out, suffix, n))
		err := durable.In(filepath.Clean(folder)).Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}
