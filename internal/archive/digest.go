package archive

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
	"time"
)

// A Digest is the SHA-1 of a payload, by which web archives recognise that two
// captures are equal. It protects against accidents, not against forgery.
type Digest [sha1.Size]byte

// PayloadDigest returns the digest of a payload.
func PayloadDigest(payload []byte) Digest { return sha1.Sum(payload) }

// String returns the digest in the form of WARC headers: sha1:BASE32.
func (d Digest) String() string { return string(d.append(nil)) }

func (d Digest) append(dst []byte) []byte {
	dst = append(dst, "sha1:"...)
	return base32.StdEncoding.AppendEncode(dst, d[:])
}

// An ID identifies a record. It is derived from the content and the time of the
// record, so encoding the same exchange again gives the same bytes.
type ID [16]byte

// String returns the ID as a URN, without the angle brackets of a header.
func (id ID) String() string { return string(id.append(nil)) }

func (id ID) append(dst []byte) []byte {
	dst = append(dst, "urn:uuid:"...)
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, []byte{b})
	}
	return dst
}

// recordID returns a name-based UUID (version 5 of RFC 9562) over kind, URL,
// time and block of a record. scratch is a buffer that is reused; the second
// result replaces it.
func recordID(scratch []byte, kind, url string, at time.Time, block Digest) (ID, []byte) {
	scratch = append(scratch[:0], "dowse "...)
	scratch = append(scratch, kind...)
	scratch = append(scratch, 0)
	scratch = append(scratch, url...)
	scratch = append(scratch, 0)
	scratch = binary.BigEndian.AppendUint64(scratch, uint64(at.UnixNano()))
	scratch = append(scratch, block[:]...)
	sum := sha1.Sum(scratch)
	id := ID(sum[:16])
	// The bits that mark version 5 and the variant of RFC 9562.
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return id, scratch
}

var errDigestForm = errors.New("digest of an unknown form")

// parsedDigest is a digest from a header, in any of the usual algorithms and
// spellings, and a constructor of the hash that made it.
type parsedDigest struct {
	sum  []byte
	hash func() hash.Hash
}

// parseDigest parses "algorithm:text". Algorithms are compared without case and
// hyphens.
func parseDigest(s string) (parsedDigest, error) {
	algorithm, text, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok {
		return parsedDigest{}, errDigestForm
	}
	l := parsedDigest{}
	switch strings.ReplaceAll(strings.ToLower(algorithm), "-", "") {
	case "sha1":
		l.hash = sha1.New
	case "sha256":
		l.hash = sha256.New
	case "sha512":
		l.hash = sha512.New
	case "md5":
		l.hash = md5.New
	default:
		return parsedDigest{}, errDigestForm
	}
	l.sum = decodeSum(text, l.hash().Size())
	if l.sum == nil {
		return parsedDigest{}, errDigestForm
	}
	return l, nil
}

// decodeSum decodes hex, Base32 or Base64 with or without padding; the length
// of the text shows which. It returns nil if the text is not a sum of size
// bytes.
func decodeSum(text string, size int) []byte {
	bare := strings.TrimRight(text, "=")
	var sum []byte
	var err error
	switch len(bare) {
	case hex.EncodedLen(size):
		sum, err = hex.DecodeString(bare)
	case base32.StdEncoding.WithPadding(base32.NoPadding).EncodedLen(size):
		sum, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(bare))
	case base64.RawStdEncoding.EncodedLen(size):
		bare = strings.NewReplacer("-", "+", "_", "/").Replace(bare)
		sum, err = base64.RawStdEncoding.DecodeString(bare)
	}
	if err != nil || len(sum) != size {
		return nil
	}
	return sum
}
