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

// Options say what a [Writer] puts into names and warcinfo records. The zero
// value works.
type Options struct {
	Prefix    string           // begins file names, as the name of the collection; DOWSE
	Host      string           // ends file names; the machine's name
	MaxBytes  int64            // of a file, but for a single exchange that is longer; 1e9, WARC 1.1 annex C
	Software  string           // name and version of the crawler; dowse
	Operator  string           // whom to write to
	Robots    string           // how robots.txt was treated, as "obey"
	UserAgent string           // as sent
	Info      []Field          // more to be said in warcinfo
	Now       func() time.Time // for names and warcinfo; time.Now
}

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
// Append the files are as they were before it, and Append may be tried again:
// a full disk costs the exchange at hand and nothing else. After an error of Sync
// nothing is certain any more and every later call fails.
//
// Append and Sync may be called from different goroutines.
type Writer struct {
	dir durable.Dir
	opt Options

	syncing sync.Mutex // one Sync at a time, so that none returns before its data is safe

	mu     sync.Mutex
	file   *durable.File // nil before the first Append, and after Close
	name   string
	size   int64
	serial int // of the next file
	dirty  bool
	broken error
	fresh  fresh
}

// OpenWriter opens a folder, which it makes if it is not there, and continues
// the last file in it unless that is full. A torn tail is not its business: see
// [Recover], which is to be called first.
func OpenWriter(dir string, opt Options) (*Writer, error) {
	w := &Writer{dir: durable.Inner(dir), opt: opt.withDefaults()}
	if err := w.dir.Mkdir("."); err != nil {
		return nil, fmt.Errorf("archive: make %s: %w", dir, err)
	}
	size, err := filesSize(dir)
	if err == nil {
		w.fresh.Since, w.fresh.Size = size, size
		err = w.carryOn()
	}
	if err != nil {
		return nil, fmt.Errorf("archive: open %s: %w", dir, err)
	}
	return w, nil
}

// carryOn opens the file with the highest serial number if there is room in it.
func (w *Writer) carryOn() error {
	names, err := ownFiles(w.dir.Path("."))
	if err != nil || len(names) == 0 {
		return err
	}
	last := names[len(names)-1]
	serial, _ := serialOf(last)
	w.serial = serial + 1
	info, err := w.dir.Stat(last)
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

// Append writes the records of an exchange, all or none, and returns where the
// response record is. They are safe after the next Sync.
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

// ready sees to it that there is a file with room for n bytes, or a new one.
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

// write appends bytes to the file, or cuts off what it wrote of them.
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
// the file is found again after the power went.
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

// abandon takes back a file that could not even be begun.
func (w *Writer) abandon(name string) {
	w.file.Close()
	w.fresh.Size -= w.size
	w.dir.Remove(name)
	w.file, w.broken = nil, nil
}

// info is what the warcinfo record of a file says. It repeats what is in the
// name, since files get renamed (IIPC guidelines).
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

// encodeInfo makes a warcinfo record, the first one of a file.
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

// Close syncs and closes the file in use. Append after Close begins a new file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return w.broken
	}
	return w.finish()
}
