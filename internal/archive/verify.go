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

// A Report tells what [Verify] found in a file.
type Report struct {
	File     string
	Records  int
	Types    map[string]int // how many of each type
	Bytes    int64          // as far as the file could be read
	Digests  int            // that were checked
	Problems []Problem
}

// A Problem is what is wrong with one record.
type Problem struct {
	Offset int64
	Err    error
}

func (p Problem) String() string { return fmt.Sprintf("offset %d: %v", p.Offset, p.Err) }

// maxProblems bounds a report; a file with that many is lost anyway.
const maxProblems = 1000

// OK tells whether the file is sound to its last byte.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Verify reads every record of a WARC file and checks what can be checked:
// lengths, the ends of records, checksums of gzip members, digests of blocks and
// payloads. After what can't be read it goes on at the next sound record. The error is
// that of opening the file; what is wrong with it is in the report.
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

func (r *Report) problem(offset int64, err error) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{offset, err})
	}
}

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
		return // the next step of the loop tells
	}
	if rec.ended < 4 {
		r.problem(rec.Offset, errors.New("the record does not end in two line breaks"))
	}
	r.Bytes = max(r.Bytes, rec.Offset+size)
}

// digests compares the digests in a record's header with those of its bytes.
func (r *Report) digests(rec *Record) {
	block := r.expected(rec, "WARC-Block-Digest")
	payload := r.expected(rec, "WARC-Payload-Digest")
	if rec.Type() == "revisit" {
		payload = nil // of the original's payload
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
		return // told with the record
	}
	r.compare(rec, block, "block")
	r.compare(rec, payload, "payload")
}

// digestCheck gathers the bytes of a block or payload. Writers differ on whether
// a payload is meant with its chunks or without, so both count.
type digestCheck struct {
	want  []byte
	hash  hash.Hash
	plain hash.Hash // of the payload without its chunks; nil if it has none
	fresh func() hash.Hash
}

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

// readPayload reads the payload of a record: what follows an HTTP head, or all.
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

func (r *Report) compare(rec *Record, c *digestCheck, what string) {
	if c == nil {
		return
	}
	r.Digests++
	if !bytes.Equal(c.want, c.hash.Sum(nil)) && (c.plain == nil || !bytes.Equal(c.want, c.plain.Sum(nil))) {
		r.problem(rec.Offset, fmt.Errorf("digest of the %s is wrong", what))
	}
}
