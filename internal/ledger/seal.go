package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"dowse/internal/wire"
)

// SnapshotMagic begins every part of a snapshot. Its digit is the version.
const SnapshotMagic = "dowses2\n"

// NewPart returns a writer for a part of a snapshot. Pass it to Seal.
func NewPart() *wire.Writer { return &wire.Writer{B: []byte(SnapshotMagic)} }

// Seal writes a part of a snapshot with its length before it and a checksum
// after it, so that ReadPart notices a part that is cut short or changed. A
// damaged snapshot is no loss: the journal contains the same and more.
func Seal(out io.Writer, part *wire.Writer) error {
	part.Uint32(crc32.Checksum(part.B, castagnoli))
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(part.B)))
	for _, b := range [][]byte{head, part.B} {
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// ReadPart reads a part that [Seal] wrote, and checks it. The error is
// [ErrVersion] if another version wrote it. Memory grows with the bytes that are
// there, not with the length that a damaged header claims.
func ReadPart(in io.Reader) (*wire.Reader[[]byte], error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n < uint64(len(SnapshotMagic))+4 || n > 1<<40 {
		return nil, wire.ErrDamaged
	}
	var buf bytes.Buffer
	if m, err := io.CopyN(&buf, in, int64(n)); err != nil || uint64(m) != n {
		return nil, wire.ErrDamaged
	}
	b := buf.Bytes()
	if string(b[:len(SnapshotMagic)]) != SnapshotMagic {
		return nil, ErrVersion
	}
	if crc32.Checksum(b[:n-4], castagnoli) != binary.LittleEndian.Uint32(b[n-4:]) {
		return nil, errors.New("the checksum does not match")
	}
	return &wire.Reader[[]byte]{Rest: b[len(SnapshotMagic) : n-4]}, nil
}
