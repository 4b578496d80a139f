package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/internal/durable"
)

// byteSpan is a section of a file.
type byteSpan struct{ offset, length int64 }

// surveyed is a record with its ID and that of the record it belongs to, as
// hashes, to save memory; 0 for none.
type surveyed struct {
	byteSpan
	id, concurrent uint64
}

// exchanges finds the records at the given offsets of a file, together with the
// requests and metadata of the same exchanges. An offset without a record is
// passed to lost, or is an error if lost is nil.
func exchanges(f *durable.File, offsets []int64, lost func(int64, error)) ([]byteSpan, error) {
	all, err := survey(f, lost != nil)
	if err != nil {
		return nil, err
	}
	wanted := make(map[int64]bool, len(offsets))
	for _, o := range offsets {
		wanted[o] = true
	}
	ids := make(map[uint64]bool)
	for _, s := range all {
		if wanted[s.offset] {
			ids[s.id], ids[s.concurrent] = true, true
			delete(wanted, s.offset)
		}
	}
	for _, o := range slices.Sorted(maps.Keys(wanted)) {
		if lost == nil {
			return nil, damageAt(o, errNotWARC)
		}
		lost(o, errNoRecord)
	}
	delete(ids, 0) // records without an ID belong to no exchange
	return chosen(all, ids, offsets), nil
}

var errNoRecord = errors.New("no record can be read there")

// chosen returns the spans at the offsets and of the records with one of the
// IDs, in file order.
func chosen(all []surveyed, ids map[uint64]bool, offsets []int64) (spans []byteSpan) {
	sorted := slices.Sorted(slices.Values(offsets))
	for _, s := range all {
		_, asked := slices.BinarySearch(sorted, s.offset)
		if asked || ids[s.id] || ids[s.concurrent] {
			spans = append(spans, s.byteSpan)
		}
	}
	return spans
}

// survey lists the records of a file. Damage is an error, unless pass is set,
// which skips it.
func survey(f *durable.File, pass bool) (all []surveyed, err error) {
	seed := maphash.MakeSeed()
	hash := func(s string) uint64 {
		if s == "" {
			return 0
		}
		return max(1, maphash.String(seed, s))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var damage error
	for rec := range past(f, info.Size(), func(p *Part) { damage = cmp.Or(damage, damageAt(p.Offset, p.Err)) }) {
		if damage != nil && !pass {
			return nil, damage
		}
		s := surveyed{id: hash(rec.ID()), concurrent: hash(bare(rec.Header.Value("WARC-Concurrent-To")))}
		size, err := rec.Size()
		if err == nil && size == 0 {
			return nil, damageAt(rec.Offset, errNoPlace)
		}
		if err != nil {
			continue // past reports it as damage
		}
		s.byteSpan = byteSpan{rec.Offset, size}
		all = append(all, s)
	}
	if damage != nil && !pass {
		return nil, damage
	}
	return all, nil
}

// CopySound writes the sound records of a WARC file, and passes the others to lost. edit, if it is
// not nil, is called for each record. A record that it drops is not written. A revisit record for which
// it returns an original is written as a response with the payload of the record at that place of the
// files in dir. All other records are written unchanged.
func CopySound(w io.Writer, path, dir string, lost func(Loss), edit func(p *Part) (drop bool, original dowse.Place)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer f.Close()
	for p, err := range Parts(path) {
		if err != nil {
			return err
		}
		if p.Err != nil {
			lost(Loss{path, p.Offset, p.Length, p.Err})
			continue
		}
		var drop bool
		var original dowse.Place
		if edit != nil {
			drop, original = edit(p)
		}
		switch {
		case drop:
		case original.File != "":
			err = CopyWhole(w, path, p.Offset, filepath.Join(dir, original.File), original.Offset)
		default:
			err = copySpan(w, f, byteSpan{p.Offset, p.Length})
		}
		if err != nil {
			return fmt.Errorf("archive: copy from %s: %w", path, err)
		}
	}
	return nil
}

// CopyWhole writes the revisit record at an offset of a file as a response: with its own header, date and ID,
// and with the payload of the record at an offset of another file. The answer 304 (not modified) has
// no header of its own that would fit a payload, so it is written with the one of the other record.
func CopyWhole(w io.Writer, path string, offset int64, original string, at int64) error {
	rec, err := At(path, offset)
	if err != nil {
		return err
	}
	defer rec.Close()
	var head bytes.Buffer
	resp, err := rec.responseWith(&head)
	if err != nil {
		return err
	}
	first, err := At(original, at)
	if err != nil {
		return err
	}
	defer first.Close()
	var firstHead bytes.Buffer
	from, err := first.responseWith(&firstHead)
	if err != nil {
		return err
	}
	payload, err := io.ReadAll(from.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusNotModified {
		head = firstHead
	}
	address, _ := netip.ParseAddr(rec.Header.Value("WARC-IP-Address"))
	id, _ := parseID(rec.ID())
	ex := &Exchange{id: id, URL: dowse.URL(rec.Target()), At: rec.Date(), Address: address, ResponseHead: head.Bytes(), Payload: payload, Truncated: first.Header.Value("WARC-Truncated")}
	_, err = w.Write(Encode(nil, ex).Bytes)
	return err
}

// Copy writes a WARC file to w: a warcinfo record as opt describes it, and the records at
// the given places of the files in dir, each with the request and metadata of its exchange,
// in the order of the files. It returns how many records it copied. A revisit record is
// copied as it is: without its original it holds when the page was seen again, but not the
// payload. Places that cannot be read are passed to lost, and the others are copied; if lost
// is nil, the first such place is an error.
func Copy(w io.Writer, dir string, places []dowse.Place, opt Options, lost func(dowse.Place, error)) (int, error) {
	opt = opt.withDefaults()
	name := fileName{prefix: opt.Prefix, at: opt.Now(), host: opt.Host}
	if _, err := w.Write(encodeInfo("", name.at, opt.info(name))); err != nil {
		return 0, fmt.Errorf("archive: copy: %w", err)
	}
	files, offsets := byFile(places)
	total := 0
	for _, file := range files {
		var report func(int64, error)
		if lost != nil {
			report = func(offset int64, err error) { lost(dowse.Place{File: file, Offset: offset}, err) }
		}
		n, err := copyFrom(w, filepath.Join(dir, filepath.Base(file)), offsets[file], report)
		total += n
		if err != nil {
			return total, fmt.Errorf("archive: copy from %s: %w", printable(file), err)
		}
	}
	return total, nil
}

// byFile groups places by file. The files are sorted, so that the result does
// not depend on the order of places.
func byFile(places []dowse.Place) (files []string, offsets map[string][]int64) {
	offsets = make(map[string][]int64)
	for _, p := range places {
		offsets[p.File] = append(offsets[p.File], p.Offset)
	}
	for file := range offsets {
		files = append(files, file)
	}
	slices.Sort(files)
	return files, offsets
}

// copyFrom copies the exchanges at the given offsets of a file. A file that
// cannot be opened loses all of them.
func copyFrom(w io.Writer, path string, offsets []int64, lost func(int64, error)) (n int, err error) {
	d, name := durable.Split(path)
	f, err := d.Open(name)
	if err != nil && lost != nil {
		for _, o := range offsets {
			lost(o, err)
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	spans, err := exchanges(f, offsets, lost)
	if err != nil {
		return 0, err
	}
	for _, s := range spans {
		if err := copySpan(w, f, s); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// copySpan copies a record. One that is not compressed is compressed.
func copySpan(w io.Writer, f io.ReaderAt, s byteSpan) error {
	from := io.NewSectionReader(f, s.offset, s.length)
	zipped, err := isZipped(f, s.offset)
	if err != nil {
		return err
	}
	if zipped {
		_, err := io.Copy(w, from)
		return err
	}
	gz := gzip.NewWriter(w)
	if _, err := io.Copy(gz, from); err != nil {
		return err
	}
	return gz.Close()
}

// isZipped reports whether a gzip member begins at an offset.
func isZipped(f io.ReaderAt, offset int64) (bool, error) {
	var magic [2]byte
	_, err := f.ReadAt(magic[:], offset)
	return magic == [2]byte{0x1f, 0x8b}, err
}
