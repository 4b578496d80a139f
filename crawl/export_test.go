package crawl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"dowse"
	"dowse/internal/frontier"
)

// Reseal gives the core of a snapshot the right size, magic and checksum, so that a
// fuzz test gets past them.
func Reseal(b []byte) []byte {
	b = bytes.Clone(b)
	n := int(binary.LittleEndian.Uint64(b)) // of the core
	if n < len(snapshotMagic)+4 || n > len(b)-8 {
		n = max(len(snapshotMagic)+4, (len(b)-8)/2)
	}
	if n > len(b)-8 {
		return b
	}
	binary.LittleEndian.PutUint64(b, uint64(n))
	core := b[8 : 8+n]
	copy(core, snapshotMagic)
	binary.LittleEndian.PutUint32(core[n-4:], crc32.Checksum(core[:n-4], castagnoli))
	return b
}

// EntryRoundTrip reads an entry and writes it again.
func EntryRoundTrip(b []byte) ([]byte, error) {
	e, err := readEntry(b, func(frontier.ID) dowse.URL { return "" }, nil)
	if err != nil {
		return nil, err
	}
	return appendEntry(nil, e), nil
}

// DecodeEntry reads an entry.
func DecodeEntry(b []byte) (*Entry, error) {
	return readEntry(b, func(frontier.ID) dowse.URL { return "" }, nil)
}

// DecodeVisit reads an entry without the links of a page.
func DecodeVisit(b []byte) (*Entry, error) { return readVisit(b, nil) }

// EncodeEntry writes an entry.
func EncodeEntry(e *Entry) []byte { return appendEntry(nil, e) }

// LinksIn returns how many pages link to a URL.
func LinksIn(c *Crawl, id frontier.ID) int { return c.inlinks.of(id) }

// CountPages makes a crawl believe that it fetched so many pages.
func CountPages(c *Crawl, n int) { c.stats.Fetched = n }

// WhenUnsound has do called, in place of a pause, when a reader meets a record that is not sound.
func WhenUnsound(j *Journal, do func()) { j.pause = do }

// NeedsWhole reports whether a Fold failed because it must begin at the beginning of
// the journal, with a new crawl: rulings came after the snapshot.
func NeedsWhole(err error) bool { return errors.Is(err, errNewerModel) }

// ReasonOf returns the reason that a collection keeps by a code.
func ReasonOf(code uint8) dowse.Reason { return reasonOf(code) }

// ReasonCode returns the code by which a collection keeps a reason.
func ReasonCode(r dowse.Reason) uint8 { return reasonCode(r) }
