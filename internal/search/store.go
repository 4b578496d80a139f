package search

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"dowse/internal/durable"
)

// The files of an index. Package collection knows their names, too: they are part of its layout,
// and a takedown removes them.
const (
	folder    = "search"
	storeName = folder + "/store" // the files of scorch
	idName    = folder + "/id"    // a random number
	markName  = folder + "/mark"  // the proof that this user made id here
	sealName  = folder + "/seal"  // the checksum of the root, while no round runs
	lockName  = "search.lock"
	rootFile  = "root.bolt"

	segmentSuffix = ".zap"
)

// ErrBusy is returned if another process works on the index for longer than a round takes.
var ErrBusy = errors.New("search: another process is indexing it; try again")

// errDamaged is returned for an index that can't be used, and is made again.
var errDamaged = errors.New("search: the index is damaged")

// A store is the folder of an index: below a collection, or below a temporary folder if the
// collection can't be written.
type store struct {
	files   durable.Dir
	key     []byte          // of the user; nil trusts no index that is there
	checked map[string]bool // segments that need not be checked again, by name and identity; may be nil
}

// trusted reports whether the index was made by this user, in this place. A copy is not: its file
// id has another number in the file system or another time of change than the one that was marked. So
// neither a folder that came with a collection from elsewhere is read, nor one whose proof was copied.
func (s store) trusted() bool {
	want, err := s.proof()
	if err != nil || len(s.key) == 0 {
		return false
	}
	mark, err := s.files.ReadBounded(markName, 1<<10)
	return err == nil && hmac.Equal(bytes.TrimSpace(mark), []byte(want))
}

// proof returns what the file mark must hold. Only someone with the user's key can compute it.
func (s store) proof() (string, error) {
	id, err := s.files.ReadBounded(idName, 1<<10)
	if err != nil {
		return "", err
	}
	info, err := s.files.Stat(idName)
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, s.key)
	fmt.Fprintf(m, "search index of dowse\n%s\n%s\n", id, durable.Identity(info))
	return hex.EncodeToString(m.Sum(nil)), nil
}

// renew removes what is in the folder and begins an empty index.
func (s store) renew() error {
	if err := s.drop(); err != nil {
		return err
	}
	if err := s.files.Mkdir(storeName); err != nil {
		return err
	}
	var id [16]byte
	rand.Read(id[:])
	if err := s.files.WriteFile(idName, []byte(hex.EncodeToString(id[:])+"\n")); err != nil {
		return err
	}
	proof, err := s.proof()
	if err != nil {
		return err
	}
	return s.files.WriteFile(markName, []byte(proof+"\n"))
}

// drop removes the index. Links in its place are removed and not followed.
func (s store) drop() error { return s.files.RemoveAll(folder) }

// How long another process may keep the lock. A round takes a few seconds at most.
const (
	lockWait = 30 * time.Second
	lockPoll = 20 * time.Millisecond
)

// lock takes the lock of the index: exclusively to change it, shared to copy its root. The
// caller closes the file to release it. A shared lock of an index that was never locked is nil.
func (s store) lock(shared bool) (*durable.File, error) {
	open, try := s.files.Ensure, (*durable.File).TryLock
	if shared {
		open, try = s.files.Open, (*durable.File).TryShared
	}
	f, err := open(lockName)
	if !shared && errors.Is(err, durable.ErrNotPlain) { // a link, which came with the collection
		if err := s.files.RemoveAll(lockName); err != nil {
			return nil, err
		}
		f, err = open(lockName)
	}
	if shared && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); try(f) != nil; time.Sleep(lockPoll) {
		if time.Now().After(end) {
			f.Close()
			return nil, ErrBusy
		}
	}
	return f, nil
}

// An indexWriter is an index that is open to be changed.
type indexWriter struct {
	*scorch.Scorch
	queue  *index.AnalysisQueue
	failed chan error // receives the first error of a goroutine of scorch
}

// watchers route the errors of scorch's own goroutines, which scorch reports to a function
// with a global name only, to the writer of the path.
var watchers sync.Map // path → chan error

const callbackName = "dowse"

func init() {
	scorch.RegistryAsyncErrorCallbacks[callbackName] = func(err error, path string) {
		if c, ok := watchers.Load(path); ok {
			select {
			case c.(chan error) <- err:
			default:
			}
		}
	}
}

// openWriter opens the index to change it. The caller holds the lock.
func (s store) openWriter() (w *indexWriter, err error) {
	defer recovered(&err)
	if err := s.plain(); err != nil {
		return nil, err
	}
	path := s.files.Path(storeName)
	w = &indexWriter{queue: index.NewAnalysisQueue(1), failed: make(chan error, 1)}
	watchers.Store(path, w.failed)
	x, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path": path, "asyncErrorCallbackName": callbackName, "bolt_timeout": "5s",
	}, w.queue)
	if err == nil {
		err = x.Open()
	}
	if err != nil {
		w.queue.Close()
		watchers.Delete(path)
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	w.Scorch = x.(*scorch.Scorch)
	return w, nil
}

// plain returns an error if something in the folder is not a plain file: scorch follows links.
func (s store) plain() error {
	list, err := s.files.ReadDir(storeName)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	for _, e := range list {
		if !e.Type().IsRegular() {
			return fmt.Errorf("%w: %s is not a plain file", errDamaged, e.Name())
		}
	}
	return nil
}

// closing is how long the end of a failed index is waited for. Its goroutines report errors under the
// path until then, and an index that is made again has the same path.
const closing = 2 * time.Second

// guarded calls do, and returns early with an error if a goroutine of scorch fails, after
// which do might wait forever.
func (w *indexWriter) guarded(do func() error) error { return w.guardedFor(0, do) }

// guardedFor is guarded that waits for do for some time after a failure.
func (w *indexWriter) guardedFor(patience time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer recovered(&err)
		err = do()
	}()
	select {
	case err := <-done:
		return err
	case err := <-w.failed:
		if patience > 0 {
			select {
			case <-done:
			case <-time.After(patience):
			}
		}
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
}

// close closes the index; everything that was added is on the disk before.
func (w *indexWriter) close(path string) error {
	err := w.guardedFor(closing, w.Scorch.Close)
	w.queue.Close()
	watchers.Delete(path)
	return err
}

// A snapshot is an index that is open to be read, as it was at one moment.
type snapshot struct {
	index.IndexReader
	index    index.Index
	tmp      *durable.TempFolder
	segments []*scorch.SegmentSnapshot // of the reader
}

// openSnapshot opens the index as it is now. Scorch would lock out writers for as long as a reader is open, so a
// copy of the small file that lists the segments is opened instead, in a private folder with links
// to the segments. Segments never change, and one that is deleted stays readable while it is
// mapped. The copy has no words of pages in it. Every byte of the index is compared with its checksum first.
func (s store) openSnapshot() (*snapshot, error) {
	lock, err := s.lock(true)
	if err != nil {
		return nil, err
	}
	if lock != nil {
		defer lock.Close()
	}
	root, err := s.sealed()
	if err != nil {
		return nil, err
	}
	segments, err := s.segments()
	if err != nil {
		return nil, err
	}
	defer closeAll(segments)
	for name, f := range segments {
		if err := s.check(name, f); err != nil {
			return nil, err
		}
	}
	tmp, err := durable.NewTempFolder("search")
	if err != nil {
		return nil, err
	}
	r := &snapshot{tmp: tmp}
	if err = fill(tmp, root, segments); err == nil {
		err = r.open()
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// fill writes the root of an index into the folder, and links to its segments.
func fill(s *durable.TempFolder, root []byte, segments map[string]*durable.File) error {
	if err := s.Files.WriteFile(rootFile, root); err != nil {
		return err
	}
	for name, f := range segments {
		path, err := filepath.Abs(f.Name())
		if err != nil {
			return err
		}
		if err := s.Files.LinkTo(name, path); err != nil {
			return err
		}
	}
	return nil
}

// check is checkSegment, once for each segment.
func (s store) check(name string, f *durable.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	key := name + " " + durable.Identity(info)
	if s.checked[key] {
		return nil
	}
	if err := checkSegment(f); err != nil {
		return err
	}
	if s.checked != nil {
		s.checked[key] = true
	}
	return nil
}

// open opens the copied root.
func (r *snapshot) open() (err error) {
	defer recovered(&err)
	x, err := scorch.NewScorch(scorch.Name, map[string]any{"path": r.tmp.Path, "read_only": true, "bolt_timeout": "5s"}, nil)
	if err != nil {
		return err
	}
	if err := x.Open(); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	r.index = x
	r.IndexReader, err = x.Reader()
	return err
}

// parts returns the segments of the index.
func (r *snapshot) parts() []*scorch.SegmentSnapshot {
	if r.segments == nil {
		if s, ok := r.IndexReader.(*scorch.IndexSnapshot); ok {
			r.segments = s.Segments()
		}
	}
	return r.segments
}

// segmentOf returns the segment that has a page, and the number of the page in it; nil for none.
func (r *snapshot) segmentOf(d uint64) (*scorch.SegmentSnapshot, uint64) {
	for _, s := range r.parts() {
		n := s.Segment().Count()
		if d < n {
			return s, d
		}
		d -= n
	}
	return nil, 0
}

// size returns how many numbers of pages the index has, those of removed pages included.
func (r *snapshot) size() (n int) {
	for _, s := range r.parts() {
		n += int(s.Segment().Count())
	}
	return n
}

// close closes the index and removes the private folder.
func (r *snapshot) close() (err error) {
	defer func() { err = errors.Join(err, r.tmp.Remove()) }()
	defer recovered(&err)
	if r.IndexReader != nil {
		err = r.IndexReader.Close()
	}
	if r.index != nil {
		err = errors.Join(err, r.index.Close())
	}
	return err
}

// recovered turns a panic into an errDamaged: scorch trusts its files, and so does the memory that
// they are mapped into. Use it with defer.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", errDamaged, p)
	}
}
