package archive

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// Other writers spell digests in many ways. All spellings of one digest are the
// same sum; a sum of another length, or of an unknown algorithm, is refused.
func TestParseDigest(t *testing.T) {
	sum := sha1.Sum([]byte("hello"))
	base32 := strings.TrimPrefix(PayloadDigest([]byte("hello")).String(), "sha1:")
	standard := base64.StdEncoding.EncodeToString(sum[:])
	for _, c := range []struct {
		name, digest string
		ok           bool
	}{
		{"as written here", "sha1:" + base32, true},
		{"Base32 in lower case", "sha1:" + strings.ToLower(base32), true},
		{"hex", "sha1:" + hex.EncodeToString(sum[:]), true},
		{"hex in upper case", "SHA-1:" + strings.ToUpper(hex.EncodeToString(sum[:])), true},
		{"Base64", "sha1:" + standard, true},
		{"Base64 without padding", "sha-1:" + strings.TrimRight(standard, "="), true},
		{"Base64 for URLs", "sha1:" + base64.URLEncoding.EncodeToString(sum[:]), true},
		{"spaces around", "  sha1:" + base32 + "\t", true},
		{"no algorithm", base32, false},
		{"unknown algorithm", "sha3:" + base32, false},
		{"length of another algorithm", "sha256:" + base32, false},
		{"cut", "sha1:" + base32[:31], false},
		{"not Base32", "sha1:" + strings.Repeat("1", 32), false},
		{"empty sum", "sha1:", false},
		{"empty", "", false},
	} {
		got, err := parseDigest(c.digest)
		switch {
		case (err == nil) != c.ok:
			t.Errorf("%s: parseDigest(%q): error %v, want ok %v", c.name, c.digest, err, c.ok)
		case c.ok && string(got.sum) != string(sum[:]):
			t.Errorf("%s: parseDigest(%q) = %x, want %x", c.name, c.digest, got.sum, sum)
		}
	}
}
