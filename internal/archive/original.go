package archive

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dowse"
)

// OriginalAt returns the capture at a place of the files in dir as one that later captures of
// the same payload can refer to, and the header of its answer. For a revisit it is the record that the
// revisit refers to, so that the payload is always one reference away. A record that is not an
// answer, or has no SHA-1 digest, is an error.
func OriginalAt(dir string, place dowse.Place) (Original, http.Header, error) {
	if place.File == "" || filepath.Base(place.File) != place.File {
		return Original{}, nil, errors.New("archive: no such record")
	}
	rec, err := At(filepath.Join(dir, place.File), place.Offset)
	if err != nil {
		return Original{}, nil, err
	}
	defer rec.Close()
	resp, err := rec.Response()
	if err != nil {
		return Original{}, nil, err
	}
	of := Original{URL: dowse.URL(rec.Target()), At: rec.Date(), Place: dowse.Place{File: place.File, Offset: place.Offset}}
	id := rec.ID()
	if rec.Type() == "revisit" {
		id = bare(rec.Header.Value("WARC-Refers-To"))
		of.URL = dowse.URL(bare(rec.Header.Value("WARC-Refers-To-Target-URI")))
		of.At, _ = time.Parse(time.RFC3339, rec.Header.Value("WARC-Refers-To-Date"))
		of.Place = dowse.Place{File: rec.Header.Value(referenceFile)}
		of.Place.Offset, _ = strconv.ParseInt(rec.Header.Value(referenceOffset), 10, 63)
	}
	var ok bool
	if of.ID, ok = parseID(id); !ok {
		return Original{}, nil, fmt.Errorf("archive: %s: record ID is not a UUID", printable(id))
	}
	digest, err := parseDigest(rec.Header.Value("WARC-Payload-Digest"))
	if err != nil || len(digest.sum) != len(of.Digest) {
		return Original{}, nil, fmt.Errorf("archive: %w", errDigestForm)
	}
	copy(of.Digest[:], digest.sum)
	return of, resp.Header, nil
}

// parseID reads what ID.String writes.
func parseID(s string) (id ID, ok bool) {
	digits, ok := strings.CutPrefix(s, "urn:uuid:")
	if b, err := hex.DecodeString(strings.ReplaceAll(digits, "-", "")); ok && err == nil && len(b) == len(id) {
		copy(id[:], b)
		return id, true
	}
	return id, false
}
