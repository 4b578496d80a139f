package archive

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"dowse"
	"dowse/internal/durable"
)

// Options are what a [Writer] puts into file names and warcinfo records, and
// the size of its files. The zero value works.
type Options struct {
	Prefix    string           // first part of file names, usually the name of the collection; default DOWSE
	Host      string           // last part of file names; default the machine's name
	MaxBytes  int64            // of a file, unless a single exchange is longer; default 1e9 (WARC 1.1 annex C)
	Software  string           // name and version of the crawler; default dowse
	Operator  string           // contact of the operator; default none
	Robots    string           // how robots.txt was treated, such as "obey"; default none
	UserAgent string           // as sent; default none
	Info      []Field          // further fields of warcinfo
	Now       func() time.Time // for names and warcinfo; default time.Now
}

// withDefaults returns o with names that are safe in file names and with every
// zero field replaced by its default.
func (o Options) withDefaults() Options {
	o.Prefix, o.Host = prefixName(o.Prefix), hostName(o.Host)
	o.MaxBytes = cmp.Or(o.MaxBytes, 1e9)
	o.Software = cmp.Or(o.Software, "dowse")
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// A Writer appends records to the WARC files of one folder. After an error of
// Append the files are as they were before it, and Append may be tried again: a
// full disk costs the exchange at hand and nothing else. After an error of Sync
// nothing is certain any more, and every later call fails.
//
// Append and Sync may be called concurrently: Sync does not hold the lock while
// the disk works, so appending continues.
type Writer struct {
	dir durable.Dir
	opt Options

	syncing sync.Mutex // one Sync at a time, so that none returns before its data is safe

	mu     sync.Mutex    // guards everything below
	file   *durable.File // nil before the first Append, and after Close
	name   string        // of file
	size   int64         // of file: where the next record is written
	serial int           // number of the next file
	dirty  bool          // something was appended since the last Sync
	broken error         // what every later call returns; nil while all is well
	fresh  unindexed
}

// OpenWriter opens a folder, which it creates if needed, and continues the last
// file in it unless that is full. It does not repair a torn tail: [Recover]
// must be called first.
func OpenWriter(dir string, opt Options) (*Writer, error) {
	w := &Writer{dir: durable.Inner(dir), opt: opt.withDefaults()}
	if err := w.dir.Mkdir("."); err != nil {
		return nil, fmt.Errorf("archive: make %s: %w", dir, err)
	}
	size, err := filesSize(dir)
	if err == nil {
		w.fresh.Since, w.fresh.Size = size, size
		err = w.continueLast()
	}
	if err != nil {
		return nil, fmt.Errorf("archive: open %s: %w", dir, err)
	}
	return w, nil
}

// continueLast opens the file with the highest serial number if it has room.
func (w *Writer) continueLast() error {
	names, err := ownFiles(w.dir.Path("."))
	if err != nil || len(names) == 0 {
		return err
	}
	last := names[len(names)-1]
	serial, _ := serialOf(last)
	w.serial = serial + 1
	info, err := w.dir.Stat(last)
	// An empty file was left by a crash before its warcinfo record. It keeps its
	// serial number and is never continued.
	if err != nil || info.Size() >= w.opt.MaxBytes || info.Size() == 0 {
		return err
	}
	f, err := w.dir.Edit(last)
	if err != nil {
		return err
	}
	w.file, w.name, w.size = f, last, info.Size()
	return nil
}

// Append writes the records of an exchange, all or none, and returns the place
// of the response record. They are durable after the next Sync.
func (w *Writer) Append(e Encoded) (dowse.Place, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ready(int64(len(e.Bytes))); err != nil {
		return dowse.Place{}, err
	}
	start := w.size
	if err := w.write(e.Bytes); err != nil {
		return dowse.Place{}, err
	}
	place := dowse.Place{File: w.name, Offset: start + int64(e.Offset), Length: int64(e.Length)}
	w.fresh.add(&e, place)
	return place, nil
}

// ready ensures that a file is open that has room for n bytes or is new.
func (w *Writer) ready(n int64) error {
	switch {
	case w.broken != nil:
		return w.broken
	case w.file == nil:
		return w.create()
	case w.size+n <= w.opt.MaxBytes:
		return nil
	}
	if err := w.finish(); err != nil {
		return err
	}
	return w.create()
}

// write appends bytes to the file. On an error it removes what it wrote of
// them; if that fails too, the writer is broken.
func (w *Writer) write(b []byte) error {
	n, err := w.file.WriteAt(b, w.size)
	if err == nil {
		w.size += int64(n)
		w.fresh.Size += int64(n)
		w.dirty = true
		return nil
	}
	err = fmt.Errorf("archive: write %s: %w", w.name, err)
	if undo := w.file.Truncate(w.size); undo != nil {
		w.broken = errors.Join(err, undo)
	}
	return err
}

// create begins a file with its warcinfo record. The folder is synced, so that
// the file is found again after a loss of power.
func (w *Writer) create() error {
	name := fileName{prefix: w.opt.Prefix, at: w.opt.Now(), serial: w.serial, host: w.opt.Host}
	f, err := w.dir.Create(name.String())
	if err != nil {
		return fmt.Errorf("archive: create %s: %w", name, err)
	}
	w.file, w.name, w.size = f, name.String(), 0
	if err := w.write(encodeInfo(name.String(), name.at, w.opt.info(name))); err != nil {
		w.abandon(name.String())
		return err
	}
	w.serial++
	return nil
}

// abandon removes a file whose first record could not be written.
func (w *Writer) abandon(name string) {
	w.file.Close()
	w.fresh.Size -= w.size
	w.dir.Remove(name)
	w.file, w.broken = nil, nil
}

// info returns the fields of the warcinfo record of a file. They repeat what is
// in the name, because files get renamed (IIPC guidelines).
func (o Options) info(name fileName) []Field {
	fields := []Field{
		{"software", o.Software},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"isPartOf", name.prefix},
		{"created", string(appendDate(nil, name.at))},
		{"serial", strconv.Itoa(name.serial)},
		{"hostname", name.host},
	}
	for _, f := range []Field{{"operator", o.Operator}, {"robots", o.Robots}, {"http-header-user-agent", o.UserAgent}} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return append(fields, o.Info...)
}

// encodeInfo returns a warcinfo record, the first one of a file.
func encodeInfo(file string, at time.Time, fields []Field) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.side = appendFields(e.side[:0], fields)
	r := record{kind: "warcinfo", content: fieldsType, filename: file, at: at}
	sum := e.digest(e.side, nil)
	r.id, e.scratch = recordID(e.scratch, r.kind, file, at, sum)
	e.out.b = nil
	e.write(&r, sum, e.side, nil)
	out := e.out.b
	e.out.b = nil
	return out
}

// Sync returns when everything that was appended before the call is safe from a
// loss of power.
func (w *Writer) Sync() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	f, dirty, broken := w.file, w.dirty, w.broken
	w.dirty = false
	w.mu.Unlock()
	if broken != nil || f == nil || !dirty {
		return broken
	}
	err := f.Sync()
	if err == nil || errors.Is(err, fs.ErrClosed) { // closed files were synced
		return nil
	}
	return w.fail(err)
}

// fail marks the writer as broken, because a failed sync leaves unknown what is
// on the disk.
func (w *Writer) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = fmt.Errorf("archive: sync %s: %w", w.name, err)
	return w.broken
}

// finish syncs and closes the file.
func (w *Writer) finish() error {
	if err := w.file.Sync(); err != nil {
		w.broken = fmt.Errorf("archive: sync %s: %w", w.name, err)
		return w.broken
	}
	err := w.file.Close()
	w.file, w.dirty = nil, false
	return err
}

// Close syncs and closes the current file. Append after Close begins a new
// file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return w.broken
	}
	return w.finish()
}
