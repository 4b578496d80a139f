package archive

import (
	"fmt"
	"path/filepath"
	"strconv"

	"dowse"
)

// Open opens the record at a place of the files in dir, as a collection stores
// it. For a revisit that names the place of its original it opens the original,
// which has the payload; a revisit that does not, or whose original was erased,
// is returned itself, without payload. The caller closes the record.
func Open(dir string, p dowse.Place) (*Record, error) {
	if !filepath.IsLocal(p.File) || filepath.Base(p.File) != p.File {
		return nil, fmt.Errorf("archive: open %q: not the name of a file", p.File)
	}
	rec, err := At(filepath.Join(dir, p.File), p.Offset)
	if err != nil || rec.Type() != "revisit" {
		return rec, err
	}
	original, ok := rec.original(dir)
	if !ok {
		return rec, nil
	}
	return original, rec.Close()
}

// original opens the record that a revisit refers to; ok is false if there is
// none. The digests must agree, since the place may have been erased or refer
// to another file by now.
func (r *Record) original(dir string) (rec *Record, ok bool) {
	file := r.Header.Value(referenceFile)
	offset, err := strconv.ParseInt(r.Header.Value(referenceOffset), 10, 64)
	if err != nil || offset < 0 || !filepath.IsLocal(file) || filepath.Base(file) != file {
		return nil, false
	}
	rec, err = At(filepath.Join(dir, file), offset)
	if err != nil {
		return nil, false
	}
	const digest = "WARC-Payload-Digest"
	if rec.Type() != "response" || rec.Header.Value(digest) != r.Header.Value(digest) {
		rec.Close()
		return nil, false
	}
	return rec, true
}
