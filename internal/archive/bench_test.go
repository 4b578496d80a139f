package archive

import (
	"bytes"
	"io"
	"os"
	"testing"
)

func BenchmarkEncode(b *testing.B) {
	ex := page(1, 20<<10)
	var buf []byte
	b.SetBytes(int64(len(ex.Payload)))
	b.ReportAllocs()
	for b.Loop() {
		buf = Encode(buf[:0], ex).Bytes
	}
	b.ReportMetric(float64(len(buf)), "bytes/page")
}

func BenchmarkEncodeRevisit(b *testing.B) {
	ex := page(1, 20<<10)
	of := Encode(nil, ex).Original
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = EncodeRevisit(buf[:0], ex, of).Bytes
	}
}

func BenchmarkAppend(b *testing.B) {
	opt := options()
	opt.MaxBytes = 1e12
	w, err := OpenWriter(b.TempDir(), opt)
	check(b, err)
	e := Encode(nil, page(1, 20<<10))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, err := w.Append(e)
		check(b, err)
		if i%2000 == 1999 {
			check(b, w.file.Truncate(w.size-2000*int64(len(e.Bytes))))
			w.size -= 2000 * int64(len(e.Bytes))
		}
	}
	check(b, w.Close())
}

func BenchmarkRecords(b *testing.B) {
	var file []byte
	for i := range 100 {
		file = Encode(file, page(i, 20<<10)).Bytes
	}
	b.SetBytes(100 * 20 << 10)
	b.ReportAllocs()
	for b.Loop() {
		for rec, err := range Records(bytes.NewReader(file)) {
			check(b, err)
			_, err = io.Copy(io.Discard, rec)
			check(b, err)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	path, _ := written(b, 100)
	web, err := OpenWeb(path)
	check(b, err)
	defer web.Close()
	b.ReportAllocs()
	for b.Loop() {
		fetched(b, web, "http://example.org/page/50")
	}
}

func BenchmarkVerify(b *testing.B) {
	path, _ := written(b, 200)
	info, err := os.Stat(path)
	check(b, err)
	b.SetBytes(info.Size())
	for b.Loop() {
		_, err := Verify(path)
		check(b, err)
	}
}
