package collection

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"dowse/internal/durable"
)

// progressSuffix ends the name of the file that records how far an export of several files
// is. It follows the name of the export, and is removed when the export is complete.
const progressSuffix = ".progress"

// progressSchema names the format of that file: lines of JSON, first a progressHead, then one
// progressShard per complete file.
const progressSchema = "export-progress/v1"

// A progressHead identifies an export: only the same one can be continued.
type progressHead struct {
	Schema  string `json:"schema"`
	Key     uint64 `json:"key"`     // of the collection
	End     uint64 `json:"end"`     // of its journal
	Options string `json:"options"` // a hash of what the export is asked for
}

// A progressShard is a complete file, and what an export needs to know to continue after it.
type progressShard struct {
	File   string         `json:"file"`
	Size   int64          `json:"size"`
	Looked int            `json:"looked"` // pages that were looked at
	Pages  int            `json:"pages"`  // pages that the export has
	Left   map[string]int `json:"left,omitempty"`
	Unread int            `json:"unread,omitempty"`
	Card   cardCounts     `json:"card"`
	News   seenNews       `json:"news"`
}

// seenNews are texts and groups of near-duplicates that the export has since the file before.
type seenNews struct {
	Seen  []uint64 `json:"seen,omitempty"`
	Roots []uint64 `json:"roots,omitempty"` // pairs: a page, and its group
}

// A shardProgress records how far an export of several files is.
type shardProgress struct {
	path  string
	files []string // names of the complete ones
	log   *durable.File
}

// An unfinishedError is the error of an export of several files, some of which are complete.
type unfinishedError struct {
	error
	files int
}

func (e *unfinishedError) Error() string {
	return fmt.Sprintf("%v; %d files are complete, and the same export continues after them", e.error, e.files)
}

// Unwrap returns the cause.
func (e *unfinishedError) Unwrap() error { return e.error }

// progressHead returns what identifies this export. What is only shown, or where it is
// recorded, does not count.
func (x *exporter) progressHead() progressHead {
	opt := x.opt
	opt.Progress, opt.Stdout, opt.Force, opt.Software = nil, nil, false, ""
	opt.Since, opt.Changed = opt.Since.UTC().Round(0), opt.Changed.UTC().Round(0)
	text := fmt.Sprintf("%+v %v %s %q %s", opt, x.c.Threshold(), x.format, x.fields, filepath.Base(x.out))
	sum := sha256.Sum256([]byte(text))
	return progressHead{progressSchema, x.c.Settings.Key, x.c.Journal.End(), hex.EncodeToString(sum[:])}
}

// resumeShards continues an export of several files, or begins it.
func (x *exporter) resumeShards(name func(n int) string) (*shardProgress, error) {
	p := &shardProgress{path: x.out + progressSuffix}
	head := x.progressHead()
	x.sel.news = &seenNews{}
	dir, base := durable.Split(p.path)
	data, err := dir.ReadFile(base)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && x.opt.Force:
		return p, p.begin(head)
	case err != nil:
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	var was progressHead
	if json.Unmarshal(lines[0], &was) != nil || was != head {
		return nil, fmt.Errorf("%w: an unfinished export of other pages, or with other options, is there (%s)", ErrExists, filepath.Base(p.path))
	}
	whole := int64(len(lines[0]))
	for _, line := range lines[1:] {
		var s progressShard
		if json.Unmarshal(line, &s) != nil || s.File != filepath.Base(name(len(p.files))) {
			break // it was being written
		}
		if info, err := os.Lstat(name(len(p.files))); err != nil || info.Size() != s.Size {
			break
		}
		whole += int64(len(line))
		p.files = append(p.files, s.File)
		x.restore(&s)
	}
	// A file after the last one that is recorded is complete, too, but what follows it is not
	// known: it is written again, with the same bytes.
	if err := dir.Remove(filepath.Base(name(len(p.files)))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return p, p.reopen(whole)
}

// restore sets the state of the exporter to that after a file.
func (x *exporter) restore(s *progressShard) {
	x.skip, x.looked, x.n, x.unread, x.card = s.Looked, s.Looked, s.Pages, s.Unread, s.Card
	clear(x.left)
	maps.Copy(x.left, s.Left)
	for _, key := range s.News.Seen {
		x.sel.seen[key] = true
	}
	for i := 0; i+1 < len(s.News.Roots); i += 2 {
		x.sel.roots[s.News.Roots[i]] = s.News.Roots[i+1]
	}
}

// begin creates the file of progress, or empties it.
func (p *shardProgress) begin(head progressHead) error {
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(p.path, append(line, '\n')); err != nil {
		return err
	}
	return p.reopen(int64(len(line)) + 1)
}

// reopen opens the file of progress to append to it after its whole lines.
func (p *shardProgress) reopen(whole int64) (err error) {
	dir, name := durable.Split(p.path)
	if p.log, err = dir.Edit(name); err != nil {
		return err
	}
	if err = p.log.Truncate(whole); err == nil {
		_, err = p.log.Seek(whole, 0)
	}
	return err
}

// add records that a file is complete.
func (p *shardProgress) add(x *exporter, s *shard) error {
	info, err := os.Lstat(s.path)
	if err != nil {
		return err
	}
	line, err := json.Marshal(&progressShard{
		File: filepath.Base(s.path), Size: info.Size(), Looked: x.looked, Pages: x.n, Left: x.left, Unread: x.unread + x.c.Unread.Count(), Card: x.card, News: *x.sel.news,
	})
	if err != nil {
		return err
	}
	*x.sel.news = seenNews{}
	if _, err := p.log.Write(append(line, '\n')); err != nil {
		return err
	}
	p.files = append(p.files, filepath.Base(s.path))
	return p.log.Sync()
}

// close closes the file of progress.
func (p *shardProgress) close() {
	if p.log != nil {
		p.log.Close()
	}
}

// remove removes the file of progress, since the export is complete.
func (p *shardProgress) remove() error {
	p.close()
	p.log = nil
	dir, name := durable.Split(p.path)
	return dir.Remove(name)
}
