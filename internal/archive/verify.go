package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http/httputil"
	"path/filepath"
	"strings"

	"dowse/internal/durable"
)

// A Report is the result of [Verify] for one file.
type Report struct {
	File     string
	Records  int
	Types    map[string]int // number of records by type
	Bytes    int64          // offset behind the last record that could be read
	Digests  int            // number of digests that were checked
	Problems []Problem      // at most maxProblems, in file order
}

// A Problem is what is wrong with one record.
type Problem struct {
	Offset int64
	Err    error
}

func (p Problem) String() string { return fmt.Sprintf("offset %d: %v", p.Offset, p.Err) }

// maxProblems bounds a report.
const maxProblems = 1000

// OK reports whether the file is sound to its last byte.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Verify reads every record of a WARC file and checks everything that can be
// checked: lengths, the ends of records, checksums of gzip members, digests of
// blocks and payloads. After what cannot be read it continues at the next sound
// record. An error means that the file could not be opened; what is wrong with
// its content is in the report.
func Verify(path string) (*Report, error) {
	d, name := durable.Split(path)
	f, err := d.Open(name)
	if err != nil {
		return nil, fmt.Errorf("archive: verify %s: %w", path, err)
	}
	defer f.Close()
	r := &Report{File: filepath.Base(path), Types: make(map[string]int)}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("archive: verify %s: %w", path, err)
	}
	for rec := range past(f, info.Size(), func(p *Part) { r.problem(p.Offset, p.Err) }) {
		r.check(rec)
	}
	return r, nil
}

// problem records what is wrong with the record at an offset.
func (r *Report) problem(offset int64, err error) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{offset, err})
	}
}

// check adds one record to the report.
func (r *Report) check(rec *Record) {
	r.Records++
	if kind := printable(rec.Type()); len(r.Types) < 64 || r.Types[kind] > 0 {
		r.Types[kind]++
	}
	for _, name := range []string{"WARC-Type", "WARC-Record-ID", "WARC-Date"} {
		if rec.Header.Value(name) == "" {
			r.problem(rec.Offset, fmt.Errorf("no %s", name))
		}
	}
	r.digests(rec)
	size, err := rec.Size()
	if err != nil {
		return // past reports the damage
	}
	if rec.ended < 4 {
		r.problem(rec.Offset, errors.New("the record does not end in two line breaks"))
	}
	r.Bytes = max(r.Bytes, rec.Offset+size)
}

// digests compares the digests in a record's header with those of its bytes. It
// reads the whole block.
func (r *Report) digests(rec *Record) {
	block := r.expected(rec, "WARC-Block-Digest")
	payload := r.expected(rec, "WARC-Payload-Digest")
	if rec.Type() == "revisit" {
		payload = nil // the digest is that of the original's payload, which is not here
	}
	var sources []io.Writer
	if block != nil {
		sources = append(sources, block.hash)
	}
	br := bufio.NewReader(io.TeeReader(rec, io.MultiWriter(sources...)))
	if payload != nil {
		payload.readPayload(rec, br)
	}
	if _, err := io.Copy(io.Discard, br); err != nil {
		return // the damage is reported with the record
	}
	r.compare(rec, block, "block")
	r.compare(rec, payload, "payload")
}

// digestCheck computes the digest of a block or payload. Writers differ on
// whether the digest of a payload includes its chunks, so both are accepted.
type digestCheck struct {
	want  []byte
	hash  hash.Hash
	plain hash.Hash        // of the payload without its chunks; nil if it has none
	fresh func() hash.Hash // returns a new hash of the same algorithm
}

// expected returns a check for the digest in a header field, nil if the record
// has none or it cannot be parsed.
func (r *Report) expected(rec *Record, name string) *digestCheck {
	value := rec.Header.Value(name)
	if value == "" {
		return nil
	}
	d, err := parseDigest(value)
	if err != nil {
		r.problem(rec.Offset, fmt.Errorf("%s: %w", name, err))
		return nil
	}
	return &digestCheck{want: d.sum, hash: d.hash(), fresh: d.hash}
}

// readPayload reads the payload of a record: what follows an HTTP head, or the
// whole block.
func (c *digestCheck) readPayload(rec *Record, br *bufio.Reader) {
	chunked := false
	if strings.HasPrefix(strings.ToLower(rec.Header.Value("Content-Type")), "application/http") {
		head, err := readHead(br, maxHead, func([]byte) error { return nil })
		if err != nil {
			return
		}
		chunked = isChunked(parseHead(head).Header) && looksChunked(br)
	}
	raw := io.TeeReader(br, c.hash)
	if chunked {
		c.plain = c.fresh()
		io.Copy(c.plain, httputil.NewChunkedReader(bufio.NewReader(raw))) // an error shows as a wrong digest
	}
	io.Copy(io.Discard, raw)
}

// compare records a problem if a digest differs. what names the digest.
func (r *Report) compare(rec *Record, c *digestCheck, what string) {
	if c == nil {
		return
	}
	r.Digests++
	if !bytes.Equal(c.want, c.hash.Sum(nil)) && (c.plain == nil || !bytes.Equal(c.want, c.plain.Sum(nil))) {
		r.problem(rec.Offset, fmt.Errorf("digest of the %s is wrong", what))
	}
}
