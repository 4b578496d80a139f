package archive

import (
	"fmt"
	"hash/maphash"
	"io"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/internal/durable"
)

// span is a part of a file.
type span struct{ offset, length int64 }

// surveyed is what selecting needs to know of a record; IDs are hashed.
type surveyed struct {
	span
	id, concurrent uint64
}

// exchanges finds the records at the given offsets of a file, and with them the
// requests and metadata of the same exchanges. It is an error if there is no
// record at one of the offsets.
func exchanges(f io.Reader, offsets []int64) ([]span, error) {
	all, err := survey(f)
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
	for o := range wanted {
		return nil, damageAt(o, errNotWARC)
	}
	delete(ids, 0)
	return chosen(all, ids, offsets), nil
}

func chosen(all []surveyed, ids map[uint64]bool, offsets []int64) (spans []span) {
	sorted := slices.Sorted(slices.Values(offsets))
	for _, s := range all {
		_, asked := slices.BinarySearch(sorted, s.offset)
		if asked || ids[s.id] || ids[s.concurrent] {
			spans = append(spans, s.span)
		}
	}
	return spans
}

func survey(f io.Reader) (all []surveyed, err error) {
	seed := maphash.MakeSeed()
	hash := func(s string) uint64 {
		if s == "" {
			return 0
		}
		return max(1, maphash.String(seed, s))
	}
	for rec, err := range Records(f) {
		if err != nil {
			return nil, err
		}
		s := surveyed{id: hash(rec.ID()), concurrent: hash(bare(rec.Header.Value("WARC-Concurrent-To")))}
		size, err := rec.Size()
		if err == nil && size == 0 {
			err = damageAt(rec.Offset, errNoPlace)
		}
		if err != nil {
			return nil, err
		}
		s.span = span{rec.Offset, size}
		all = append(all, s)
	}
	return all, nil
}

// Copy writes a WARC file of its own to w: a warcinfo record as opt says, and the
// records at the given places of the files in dir, each with the request and
// metadata of its exchange, in the order of the files. It returns how many
// records it copied. A revisit is copied as it is; without its original it says
// when the page was seen again, and not what it held.
func Copy(w io.Writer, dir string, places []dowse.Place, opt Options) (int, error) {
	opt = opt.withDefaults()
	name := fileName{prefix: opt.Prefix, at: opt.Now(), host: opt.Host}
	if _, err := w.Write(encodeInfo("", name.at, opt.info(name))); err != nil {
		return 0, fmt.Errorf("archive: copy: %w", err)
	}
	files, offsets := byFile(places)
	total := 0
	for _, file := range files {
		n, err := copyFrom(w, filepath.Join(dir, filepath.Base(file)), offsets[file])
		total += n
		if err != nil {
			return total, fmt.Errorf("archive: copy from %s: %w", printable(file), err)
		}
	}
	return total, nil
}

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

func copyFrom(w io.Writer, path string, offsets []int64) (n int, err error) {
	d, name := durable.Split(path)
	f, err := d.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	spans, err := exchanges(f, offsets)
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

// copySpan copies a record; one that is not compressed becomes so.
func copySpan(w io.Writer, f io.ReaderAt, s span) error {
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

func isZipped(f io.ReaderAt, offset int64) (bool, error) {
	var magic [2]byte
	_, err := f.ReadAt(magic[:], offset)
	return magic == [2]byte{0x1f, 0x8b}, err
}
