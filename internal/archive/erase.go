package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"dowse/internal/durable"
)

// ErrSmall is returned by [Erase] for a record that is too short to be replaced
// by a blank. Records of this package are long enough.
var ErrSmall = errors.New("archive: record is too short to be blanked out")

// Erase rewrites a WARC file without the records at the given offsets and
// without the requests and metadata of the same exchanges: a takedown. It
// returns how many records it erased.
//
// They are replaced by a record of exactly the same length that contains only
// when something was erased. So no other record moves, every known place stays
// valid, and no crash between this and the bookkeeping of the caller can make
// them disagree. The file is replaced atomically: a crash leaves the old or the
// new one. It must not be open for writing. Revisits in this or other files
// that refer to an erased record lose their payload.
func Erase(path string, at time.Time, offsets ...int64) (int, error) {
	d, name := durable.Split(path)
	f, err := d.Open(name)
	if err != nil {
		return 0, fmt.Errorf("archive: erase in %s: %w", path, err)
	}
	defer f.Close()
	spans, err := exchanges(f, offsets, nil)
	if err == nil && len(spans) > 0 {
		err = d.Replace(name, func(w io.Writer) error {
			return errors.Join(blankOut(w, f, at, joined(spans)), f.Close()) // Windows renames only closed files
		})
	}
	if err != nil {
		return 0, fmt.Errorf("archive: erase in %s: %w", path, err)
	}
	return len(spans), nil
}

// blankOut copies a file with blanks in place of the spans, which are in
// ascending order.
func blankOut(w io.Writer, f io.ReaderAt, at time.Time, spans []byteSpan) error {
	end := int64(0)
	for _, s := range spans {
		if _, err := io.Copy(w, io.NewSectionReader(f, end, s.offset-end)); err != nil {
			return err
		}
		if err := writeBlank(w, f, s, at); err != nil {
			return err
		}
		end = s.offset + s.length
	}
	_, err := io.Copy(w, io.NewSectionReader(f, end, 1<<62))
	return err
}

// joined merges spans that touch, so that records too short for a blank are no
// obstacle. A blank is built in memory, so a span of a megabyte is not
// extended.
func joined(spans []byteSpan) (out []byteSpan) {
	const enough = 1 << 20
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].offset+out[n-1].length == s.offset && out[n-1].length < enough {
			out[n-1].length += s.length
			continue
		}
		out = append(out, s)
	}
	return out
}

// writeBlank writes a blank for the span s of f, compressed if the record there
// is.
func writeBlank(w io.Writer, f io.ReaderAt, s byteSpan, at time.Time) error {
	zipped, err := isZipped(f, s.offset)
	if err != nil {
		return err
	}
	blank := plainBlank
	if zipped {
		blank = zippedBlank
	}
	b, err := blank(int(s.length), at, s.offset)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// plainBlank returns a record of exactly length bytes that contains nothing but
// the time. The Content-Length is padded with spaces to a fixed width, so that
// the length of the header does not depend on its value.
func plainBlank(length int, at time.Time, offset int64) ([]byte, error) {
	id, _ := recordID(nil, "erased", fmt.Sprint(offset), at, Digest{})
	head := []byte("WARC/1.1\r\nWARC-Type: metadata")
	head = appendID(head, "WARC-Record-ID", id)
	head = append(head, "\r\nWARC-Date: "...)
	head = appendDate(head, at)
	head = append(head, "\r\nContent-Type: text/plain\r\nContent-Length: "...)
	const text, digits, ends = "erased", 12, len("\r\n\r\n") * 2
	block := length - len(head) - digits - ends
	if block < len(text) {
		return nil, ErrSmall
	}
	out := fmt.Appendf(head, "%*d\r\n\r\n%s", digits, block, text)
	out = append(out, bytes.Repeat([]byte(" "), block-len(text))...)
	return append(out, "\r\n\r\n"...), nil
}

// zippedBlank returns plainBlank as a gzip member of exactly length bytes. The
// record is in it uncompressed, in deflate's stored blocks (RFC 1951 3.2.4),
// because the length of compressed data cannot be chosen. A member has 10 bytes
// of header and 8 of trailer, a stored block 5 bytes of overhead and at most
// 65,535 of data.
func zippedBlank(length int, at time.Time, offset int64) ([]byte, error) {
	const frame, most, overhead = 10 + 8, 1<<16 - 1, 5
	blocks := (length - frame + most + overhead - 1) / (most + overhead)
	text, err := plainBlank(length-frame-blocks*overhead, at, offset)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, length), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
	for i, rest := 0, text; i < blocks; i++ {
		n := min(most, len(rest))
		last := byte(0)
		if i == blocks-1 {
			last = 1
		}
		out = append(out, last)
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(n))
		out = append(out, rest[:n]...)
		rest = rest[n:]
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(text))
	return binary.LittleEndian.AppendUint32(out, uint32(len(text))), nil
}
