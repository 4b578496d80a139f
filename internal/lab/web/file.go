package web

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/facts"
)

// A feature file is
//
//	magic
//	one record per page, in the order of the web
//	the footer: the place of every record, all URLs, the robots.txt of hosts
//	u64 where the footer begins, u32 its CRC-32C, 32 bytes SHA-256 of all before, magic
//
// Numbers are little-endian. Each record has a CRC-32C in the footer and is
// checked whenever it is read. A file of another version is built again, since
// it is only a cache.
const maxFooter = 1 << 31

// The version counts the facts that a record holds, so a new one makes another
// version.
var (
	magic       = fmt.Sprintf("dowse-web/%d\n", facts.FeaturesVersion())
	trailerSize = 8 + 4 + sha256.Size + len(magic)
)

// ErrDamaged is returned for a feature file that can't be read. Open builds
// such a file again.
var ErrDamaged = errors.New("damaged feature file")

// castagnoli is the polynomial of CRC-32C, which processors compute in
// hardware: checking a record at every reading costs little.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A featureWriter builds a feature file under a temporary name, and renames it
// when it is complete, so that a file that exists is a whole one. URLs are
// numbered in the order in which they are first used. Memory holds the URLs and
// the index, not the records.
type featureWriter struct {
	file  *durable.Pending
	out   *bufio.Writer
	sum   hash.Hash
	at    int64 // bytes written so far
	enc   encoder
	index []recordPlace
	ids   map[dowse.URL]int
	urls  []dowse.URL
}

// A recordPlace is the entry of a record in the footer. Offsets are not stored:
// records follow each other without gaps.
type recordPlace struct {
	offset int64
	length int
	check  uint32 // CRC-32C of the record
	url    int    // number of its URL
}

// newWriter begins a feature file that will be at path. The folder is created
// if need be.
func newWriter(path string) (*featureWriter, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := durable.Begin(path)
	if err != nil {
		return nil, err
	}
	w := &featureWriter{file: f, sum: sha256.New(), ids: map[dowse.URL]int{}}
	w.out = bufio.NewWriterSize(io.MultiWriter(f, w.sum), 1<<20)
	w.enc.url = w.id
	w.write([]byte(magic))
	return w, nil
}

// id returns the number of a URL.
func (w *featureWriter) id(u dowse.URL) int {
	id, ok := w.ids[u]
	if !ok {
		id = len(w.urls)
		w.ids[u] = id
		w.urls = append(w.urls, u)
	}
	return id
}

// write appends bytes. bufio keeps the first error, and close returns it.
func (w *featureWriter) write(b []byte) {
	n, _ := w.out.Write(b)
	w.at += int64(n)
}

// add appends the record of a page.
func (w *featureWriter) add(p *dowse.Page) {
	w.enc.B = w.enc.B[:0]
	w.enc.page(p)
	w.index = append(w.index, recordPlace{w.at, len(w.enc.B), crc32.Checksum(w.enc.B, castagnoli), w.id(p.URL)})
	w.write(w.enc.B)
}

// close writes the footer and moves the file to its place; after an error
// nothing is there.
func (w *featureWriter) close(robots map[string]*dowse.Robots) error {
	w.enc.B = w.enc.B[:0]
	w.footer(robots)
	begin, check := w.at, crc32.Checksum(w.enc.B, castagnoli)
	w.write(w.enc.B)
	err := w.out.Flush()
	tail := binary.LittleEndian.AppendUint64(nil, uint64(begin))
	tail = binary.LittleEndian.AppendUint32(tail, check)
	tail = w.sum.Sum(tail)
	_, err2 := w.file.Write(append(tail, magic...))
	if err := errors.Join(err, err2); err != nil {
		w.file.Abandon()
		return err
	}
	return w.file.Commit()
}

// abandon removes the temporary file.
func (w *featureWriter) abandon() { w.file.Abandon() }

// footer encodes the URLs, the places of records and the robots.txt of hosts,
// sorted, so that equal webs give equal bytes.
func (w *featureWriter) footer(robots map[string]*dowse.Robots) {
	e := &w.enc
	e.num(len(w.urls))
	for _, u := range w.urls {
		e.text(string(u))
	}
	e.num(len(w.index))
	for _, r := range w.index {
		e.num(r.length)
		e.num(int(r.check))
		e.num(r.url)
	}
	hosts := make([]string, 0, len(robots))
	for h := range robots {
		hosts = append(hosts, h)
	}
	slices.Sort(hosts)
	e.num(len(hosts))
	for _, h := range hosts {
		e.text(h)
		e.num(robots[h].Status)
		e.text(string(robots[h].Body))
	}
}

// features is an open feature file. Reading is safe for concurrent use.
type features struct {
	file   io.ReaderAt
	closer io.Closer
	size   int64
	sha256 string
	urls   []dowse.URL
	index  []recordPlace
	robots map[string]robotsText
}

// robotsText is the answer of a host to the request for robots.txt.
type robotsText struct {
	status int
	body   string
}

// openFeatures opens a feature file and reads its footer. A file that is
// damaged gives ErrDamaged.
func openFeatures(path string) (*features, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var fs *features
		if fs, err = readFeatures(f, info.Size()); err == nil {
			fs.closer = f
			return fs, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("web: open %s: %w", path, err)
}

// readFeatures reads and checks the trailer and the footer of a feature file.
// The records are checked later, one by one.
func readFeatures(r io.ReaderAt, size int64) (*features, error) {
	tail := make([]byte, trailerSize)
	if size < int64(len(magic)+trailerSize) {
		return nil, ErrDamaged
	}
	if _, err := r.ReadAt(tail, size-int64(trailerSize)); err != nil {
		return nil, err
	}
	begin, end := int64(binary.LittleEndian.Uint64(tail)), size-int64(trailerSize)
	if string(tail[trailerSize-len(magic):]) != magic || begin < int64(len(magic)) || begin > end || end-begin > maxFooter {
		return nil, ErrDamaged
	}
	footer := make([]byte, end-begin)
	if _, err := r.ReadAt(footer, begin); err != nil {
		return nil, err
	}
	if crc32.Checksum(footer, castagnoli) != binary.LittleEndian.Uint32(tail[8:]) {
		return nil, ErrDamaged
	}
	f := &features{file: r, size: size, sha256: hex.EncodeToString(tail[12 : 12+sha256.Size])}
	return f, f.readFooter(newDecoder(footer, nil), begin)
}

// readFooter decodes the footer. Records follow each other from the magic on
// and must end exactly where the footer begins, so that every byte of the file
// is accounted for.
func (f *features) readFooter(d *decoder, end int64) error {
	f.urls = make([]dowse.URL, d.count(1))
	for i := range f.urls {
		f.urls[i] = dowse.URL(d.text())
	}
	f.index = make([]recordPlace, d.count(3))
	at := int64(len(magic))
	for i := range f.index {
		r := recordPlace{offset: at, length: int(d.small()), check: uint32(d.num()), url: d.num()}
		at += int64(r.length)
		if r.url >= len(f.urls) {
			d.Fail()
		}
		f.index[i] = r
	}
	f.robots = map[string]robotsText{}
	for range d.count(3) {
		host := d.text()
		f.robots[host] = robotsText{int(d.small()), d.text()}
	}
	if d.Err != nil || at != end || d.Rest != "" {
		return ErrDamaged
	}
	return nil
}

// urlAt returns the URL with a number, and false for a number that does not
// exist.
func (f *features) urlAt(i int) (dowse.URL, bool) {
	if i >= len(f.urls) {
		return "", false
	}
	return f.urls[i], true
}

// page reads, checks and decodes the i-th record.
func (f *features) page(i int) (*dowse.Page, error) {
	r := f.index[i]
	buf := make([]byte, r.length)
	if _, err := f.file.ReadAt(buf, r.offset); err != nil {
		return nil, fmt.Errorf("web: read page %d: %w", i, err)
	}
	if crc32.Checksum(buf, castagnoli) != r.check {
		return nil, fmt.Errorf("web: read page %d: %w", i, ErrDamaged)
	}
	p, err := newDecoder(buf, f.urlAt).page()
	if err != nil {
		return nil, fmt.Errorf("web: read page %d: %w", i, err)
	}
	return p, nil
}
