package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dowse"
)

// soundParts returns where the sound records of a file are, and what of it can't be read.
func soundParts(t *testing.T, path string) (sound, broken []byteSpan) {
	t.Helper()
	end := int64(0)
	for p, err := range Parts(path) {
		if check(t, err); p.Offset != end || p.Length <= 0 {
			t.Fatalf("a part of %d bytes at %d; the one before ended at %d", p.Length, p.Offset, end)
		}
		end += p.Length
		if s := (byteSpan{p.Offset, p.Length}); p.Err == nil {
			sound = append(sound, s)
		} else {
			broken = append(broken, s)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() != end {
		t.Fatalf("%v: the parts have %d bytes", err, end)
	}
	return sound, broken
}

// TestPartsAfterAFlippedBit flips a bit in each record in turn, at several places: it costs
// that record and no other.
func TestPartsAfterAFlippedBit(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	path, _ := written(t, 4)
	whole, err := os.ReadFile(path)
	check(t, err)
	all, broken := soundParts(t, path)
	if len(broken) > 0 || len(all) < 9 {
		t.Fatalf("%d records, %d can't be read", len(all), len(broken))
	}
	for i, s := range all {
		for _, at := range []int64{0, 1, 9, s.length / 3, s.length / 2, s.length - 9, s.length - 1} {
			b := bytes.Clone(whole)
			b[s.offset+at] ^= 0x10
			bad := filepath.Join(t.TempDir(), filepath.Base(path))
			check(t, os.WriteFile(bad, b, 0o644))
			got, lost := soundParts(t, bad)
			want := slices.Delete(slices.Clone(all), i, i+1)
			if idle := at == 9 || at == s.length-9; idle && len(lost) == 0 {
				want = all // the operating system in a gzip header and the last bits of a member mean nothing
			}
			if !slices.Equal(got, want) {
				t.Errorf("record %d, bit at %d: %d records, want %d", i, at, len(got), len(want))
			}
			report, err := Verify(bad)
			if check(t, err); len(lost) > 0 && (report.OK() || report.Records < len(want)) {
				t.Errorf("record %d, bit at %d: %d records, %v", i, at, report.Records, report.Problems)
			}
			if err := CopySound(io.Discard, bad, "", func(Loss) {}, nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPartsOfAPageThatHoldsARecord keeps a page whose payload is a WARC record: as long as
// its own record is sound it is a payload and nothing else.
func TestPartsOfAPageThatHoldsARecord(t *testing.T) {
	inner := Encode(nil, &Exchange{
		URL: "https://bank.example/", At: time.Unix(1, 0), ResponseHead: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: []byte("forged"),
	})
	dir := t.TempDir()
	w, err := OpenWriter(dir, Options{})
	check(t, err)
	for i := range 3 {
		_, err := w.Append(Encode(nil, &Exchange{
			URL: dowse.URL(fmt.Sprintf("https://example.org/%d", i)), At: time.Unix(int64(i), 0),
			ResponseHead: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: slices.Concat([]byte("<p>"), inner.Bytes),
		}))
		check(t, err)
	}
	check(t, w.Close())
	files, err := Files(dir)
	check(t, err)
	n := 0
	for k, err := range Exchanges(files[0], func(l Loss) { t.Error(l) }) {
		if check(t, err); k.Target() == "https://bank.example/" {
			t.Error("the payload of a page was taken for a record")
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d exchanges", n)
	}
}
