package collection

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dowse/internal/durable"
)

// A shard is one file of a list that is written as several. It gets its name only
// when all of them are complete.
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
// for all. A page is never divided, and an empty list is one file.
func (x *exporter) writeShards(format exportFormat, pack string) (err error) {
	if !strings.Contains(strings.ToLower(filepath.Base(x.out)), format.suffix) {
		return wrong("shard: %s needs the suffix of its format, so that files can be numbered", filepath.Base(x.out))
	}
	if err := x.cardsFree(x.out); err != nil {
		return err
	}
	var shards []*shard
	defer func() {
		if err != nil {
			for _, s := range shards {
				s.file.Abandon()
			}
		}
	}()
	begin := func() error {
		s, err := x.beginShard(format, pack, len(shards))
		if err == nil {
			shards = append(shards, s)
		}
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	last := func() *shard { return shards[len(shards)-1] }
	// All files prepare a page in the same way, so the first one does it.
	err = x.selected(shards[0].sink.prepare, func(c *exportedPage) error {
		if last().size >= x.opt.Shard {
			if err := last().end(); err != nil {
				return err
			}
			if err := begin(); err != nil {
				return err
			}
		}
		n, err := last().sink.add(c)
		last().size += int64(n)
		return err
	})
	if err == nil {
		err = last().end()
	}
	if err != nil {
		return err
	}
	return x.commitShards(shards)
}

// commitShards gives all files their names and writes the data card.
func (x *exporter) commitShards(shards []*shard) error {
	var names []string
	for _, s := range shards {
		if err := s.file.Commit(); err != nil {
			return err
		}
		names = append(names, filepath.Base(s.path))
	}
	return x.writeCards(x.out+cardMarkdown, x.out+cardJSON, names)
}
