package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dowse"
	"dowse/weburl"
)

// key returns the canonical URL, or raw if it is not a URL.
func key(raw string) dowse.URL {
	u, err := weburl.Parse(raw)
	if err != nil {
		return dowse.URL(raw)
	}
	return u
}

// indexer fills a Web. Digests and record IDs are kept, as hashes, only until
// the revisits are resolved.
type indexer struct {
	*Web
	first     bool
	seed      maphash.Seed
	originals map[uint64]capture // by the hashes that names returns
	revisits  []revisit          // of all files, resolved at the end
}

// revisit is a revisit record whose original is not known yet.
type revisit struct {
	url   dowse.URL
	at    int64
	refer [3]uint64 // hashes that identify the original, to be tried in order; 0 for none
}

// add indexes a file.
func (x *indexer) add(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: open %s: %w", path, err)
	}
	x.opened = append(x.opened, f)
	parts, err := recordings(f)
	for _, part := range parts {
		err = errors.Join(err, x.records(part))
	}
	if err != nil {
		return fmt.Errorf("archive: read %s: %w", path, err)
	}
	return nil
}

// recordings returns the WARC files in a WACZ, or the file itself.
func recordings(f *os.File) (parts []recording, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(f.Name(), ".wacz") {
		whole := io.NewSectionReader(f, 0, info.Size())
		return []recording{{filepath.Base(f.Name()), whole}}, nil
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, err
	}
	for _, entry := range z.File {
		name, ok := strings.CutPrefix(entry.Name, "archive/")
		if !ok || !strings.Contains(name, ".warc") {
			continue
		}
		offset, err := entry.DataOffset()
		if err != nil || entry.Method != zip.Store {
			return nil, fmt.Errorf("%s: compressed in the WACZ, so it cannot be read by range", printable(name))
		}
		parts = append(parts, recording{name, io.NewSectionReader(f, offset, int64(entry.UncompressedSize64))})
	}
	return parts, nil
}

// records indexes a WARC file. Only damage to its first record is an error.
func (x *indexer) records(part recording) error {
	x.files = append(x.files, part)
	n := 0
	for rec, err := range Records(part) {
		if err != nil && n == 0 {
			return err
		}
		if err != nil {
			x.Damage = append(x.Damage, fmt.Errorf("archive: read %s: %w", part.name, err))
			break
		}
		n++
		x.record(rec)
	}
	return nil
}

// record indexes one record, if it can answer a request.
func (x *indexer) record(rec *Record) {
	kind := rec.Type()
	if kind != "response" && kind != "revisit" && kind != "resource" || rec.Target() == "" {
		return
	}
	u := key(rec.Target())
	at := rec.Date().UnixNano()
	if rec.Date().Equal(time.Time{}) {
		at = 0
	}
	if kind == "revisit" {
		x.revisits = append(x.revisits, revisit{u, at, x.references(rec)})
		return
	}
	if kind == "response" && !rec.isHTTP() {
		return
	}
	c := capture{at: at, offset: rec.Offset, inner: rec.inner, file: int32(len(x.files) - 1)}
	for _, h := range x.names(rec, u) {
		x.originals[h] = c
	}
	x.put(u, c)
}

// put stores the capture of a URL unless an earlier one has precedence.
func (x *indexer) put(u dowse.URL, c capture) {
	old, known := x.captures[u]
	if !known {
		x.order = append(x.order, u)
		x.alias(u)
	}
	// With first, a capture replaces an older entry only if it is earlier.
	if later := c.at >= old.at; !known || later != x.first {
		x.captures[u] = c
	}
}

// alias records how net/url spells a URL if it differs, because requests arrive
// in that spelling.
func (x *indexer) alias(u dowse.URL) {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return
	}
	if spelt := key(parsed.String()); spelt != u {
		x.aliases[spelt] = u
	}
}

// names returns the hashes under which a revisit may refer to a response.
func (x *indexer) names(rec *Record, u dowse.URL) []uint64 {
	names := []uint64{x.hash("url", string(u)), x.hash("id", rec.ID())}
	if d := rec.Header.Value("WARC-Payload-Digest"); d != "" {
		return append(names, x.hash("digest", d))
	}
	return append(names, x.hash("undigested", string(u)))
}

// references returns the hashes of the original of a revisit, to be tried in
// order. A revisit that names the digest of its payload must not get a response
// with another digest, so its URL counts only for responses without one.
func (x *indexer) references(rec *Record) [3]uint64 {
	target := rec.Header.Value("WARC-Refers-To-Target-URI")
	if target == "" {
		target = rec.Target()
	}
	digest, way := rec.Header.Value("WARC-Payload-Digest"), "url"
	if digest != "" {
		way = "undigested"
	}
	return [3]uint64{
		x.hash("digest", digest),
		x.hash("id", bare(rec.Header.Value("WARC-Refers-To"))),
		x.hash(way, string(key(bare(target)))),
	}
}

// hash returns the hash of a name of some kind, 0 for the empty name.
func (x *indexer) hash(kind, s string) uint64 {
	if s == "" {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(x.seed)
	h.WriteString(kind)
	h.WriteByte(0)
	h.WriteString(s)
	return max(h.Sum64(), 1)
}

// resolve gives each revisit the capture of its original. If that was not
// recorded in these files there is no body to serve, and the URL stays unknown.
func (x *indexer) resolve() {
	for _, r := range x.revisits {
		for _, h := range r.refer {
			if c, ok := x.originals[h]; ok && h != 0 {
				c.at = r.at
				x.put(r.url, c)
				break
			}
		}
	}
}
