package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func inflated(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func FuzzTerse(f *testing.F) {
	f.Add(terseSample, "")
	f.Add("", "")
	f.Add("a", "\x00")
	f.Add("GET / HTTP/1.1\r\n", "Host: b\xc3\xa9")
	f.Fuzz(func(t *testing.T, a, b string) {
		out, ok := appendTerse([]byte("before"), []byte(a), []byte(b))
		if !bytes.HasPrefix(out, []byte("before")) {
			t.Fatalf("what was before it is gone: %q", out)
		}
		plain := strings.IndexFunc(a+b, func(r rune) bool { return (r < ' ' || r > '~') && r != '\r' && r != '\n' }) < 0
		if ok != plain {
			t.Fatalf("%q, %q: %v", a, b, ok)
		}
		if !ok {
			return
		}
		if got := inflated(t, out[len("before"):]); string(got) != a+b {
			t.Errorf("%q, want %q", got, a+b)
		}
	})
}

func TestTerseIsTerse(t *testing.T) {
	out, ok := appendTerse(nil, []byte(terseSample))
	if !ok || len(out) > len(terseSample)*5/6 {
		t.Errorf("%d bytes of %d", len(out), len(terseSample))
	}
}

func BenchmarkTerse(b *testing.B) {
	record := []byte(terseSample)[:600]
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out, _ = appendTerse(out[:0], record)
	}
	b.ReportMetric(float64(len(out)), "bytes")
}
