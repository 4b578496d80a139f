package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"dowse/internal/wire"
)

// The bytes are those of files that exist: they must not change.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*wire.Writer)
		want  string
	}{
		{"small", func(w *wire.Writer) { w.Uint(127) }, "7f"},
		{"varint", func(w *wire.Writer) { w.Uint(300) }, "ac02"},
		{"largest", func(w *wire.Writer) { w.Uint(math.MaxUint64) }, "ffffffffffffffffff01"},
		{"negative", func(w *wire.Writer) { w.Int(-1) }, "01"},
		{"lowest", func(w *wire.Writer) { w.Int(math.MinInt64) }, "ffffffffffffffffff01"},
		{"two bytes", func(w *wire.Writer) { w.Uint16(0x0102) }, "0201"},
		{"four bytes", func(w *wire.Writer) { w.Uint32(0x01020304) }, "04030201"},
		{"eight bytes", func(w *wire.Writer) { w.Uint64(1) }, "0100000000000000"},
		{"float", func(w *wire.Writer) { w.Float(1) }, "000000000000f03f"},
		{"bools", func(w *wire.Writer) { w.Bool(true); w.Bool(false) }, "0100"},
		{"text", func(w *wire.Writer) { w.Text("é") }, "02c3a9"},
		{"bytes", func(w *wire.Writer) { w.Bytes([]byte{9, 8}) }, "020908"},
		{"no time", func(w *wire.Writer) { w.Time(time.Time{}) }, "00"},
		{"time", func(w *wire.Writer) { w.Time(time.Unix(0, 64)) }, "8001"},
	} {
		var w wire.Writer
		c.write(&w)
		if got := hex.EncodeToString(w.B); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestReaderReadsWhatWasWritten(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)
	var w wire.Writer
	w.Uint(math.MaxUint64)
	w.Int(math.MinInt64)
	w.Uint16(65535)
	w.Uint32(1 << 31)
	w.Uint64(1 << 63)
	w.Float(math.Inf(-1))
	w.Byte(7)
	w.Bool(true)
	w.Text("words")
	w.Bytes([]byte{1, 2})
	w.Time(at)
	w.Time(time.Time{})
	w.Uint(2) // a list of two items
	w.Byte(1)
	w.Byte(2)

	r := wire.Reader[string]{Rest: string(w.B)}
	got := fmt.Sprint(r.Uint(), r.Int(), r.Uint16(), r.Uint32(), r.Uint64(), r.Float(), r.Byte(), r.Bool(), r.Text(), []byte(r.Raw()), r.Time(), r.Time().IsZero())
	want := fmt.Sprint(uint64(math.MaxUint64), int64(math.MinInt64), 65535, 1<<31, uint64(1<<63), math.Inf(-1), 7, true, "words", []byte{1, 2}, at, true)
	if got != want {
		t.Errorf("read %s\nwant %s", got, want)
	}
	for i := range r.Items(1) {
		if b := r.Byte(); int(b) != i+1 {
			t.Errorf("item %d is %d", i, b)
		}
	}
	if r.Err != nil || r.Rest != "" {
		t.Errorf("error %v, %d bytes left", r.Err, len(r.Rest))
	}
}

// After the first fault every value is zero, and no length is believed.
func TestReaderOfDamagedBytes(t *testing.T) {
	for name, b := range map[string]string{
		"empty":                "",
		"varint without end":   "\x80",
		"varint of 65 bits":    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"varint of 11 bytes":   "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
		"text longer than all": "\x7fabc",
	} {
		r := wire.Reader[string]{Rest: b}
		if s := r.Text(); s != "" || !errors.Is(r.Err, wire.ErrDamaged) {
			t.Errorf("%s: read %q, error %v", name, s, r.Err)
		}
		if r.Uint() != 0 || r.Uint64() != 0 || r.Byte() != 0 || r.Raw() != "" || !r.Time().IsZero() {
			t.Errorf("%s: a value after a fault", name)
		}
		for range r.Items(1) {
			t.Errorf("%s: an item after a fault", name)
		}
	}
	r := wire.Reader[[]byte]{Rest: []byte{3, 1, 2, 3, 4, 5}}
	if n := r.Count(2); n != 0 || r.Err == nil {
		t.Errorf("a list of %d items of two bytes in five bytes, error %v", n, r.Err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\x02\x80\x01abc"), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), []byte{0})
	f.Fuzz(func(t *testing.T, b, calls []byte) {
		fromBytes, fromString := wire.Reader[[]byte]{Rest: b}, wire.Reader[string]{Rest: string(b)}
		for _, c := range calls {
			left := fromBytes.Rest
			x, y := call(&fromBytes, c), call(&fromString, c)
			if x != y || (fromBytes.Err == nil) != (fromString.Err == nil) || string(fromBytes.Rest) != fromString.Rest {
				t.Fatalf("call %d: %s of bytes, %s of a string", c%11, x, y)
			}
			if v, n := binary.Uvarint(left); c%11 == 0 && n > 0 && x != fmt.Sprint(v) {
				t.Fatalf("%x is read as %s, want %d", left, x, v)
			}
			if fromBytes.Err != nil && len(fromBytes.Rest) > 0 {
				t.Fatal("bytes are left after a fault")
			}
		}
	})
}

func call[T ~string | ~[]byte](r *wire.Reader[T], c byte) string {
	switch c % 11 {
	case 0:
		return fmt.Sprint(r.Uint())
	case 1:
		return fmt.Sprint(r.Int())
	case 2:
		return fmt.Sprint(r.Uint16())
	case 3:
		return fmt.Sprint(r.Uint32())
	case 4:
		return fmt.Sprint(r.Uint64())
	case 5:
		return fmt.Sprint(r.Float())
	case 6:
		return fmt.Sprint(r.Bool())
	case 7:
		return r.Text()
	case 8:
		return r.Time().String()
	case 9:
		return string(r.Take(int(int8(c))))
	default:
		n := 0
		for range r.Items(1) {
			n++
			r.Byte()
		}
		return fmt.Sprint(n)
	}
}

func TestStream(t *testing.T) {
	const texts = 40_000 // more than is kept in memory
	var file bytes.Buffer
	sum := crc32.NewIEEE()
	out := wire.NewOutput(&file, sum)
	out.Uint(texts)
	for i := range texts {
		out.Text(strings.Repeat("x", i%200))
		out.Uint32(uint32(i))
		out.Spill()
	}
	if file.Len() == 0 {
		t.Error("nothing was written before the end")
	}
	out.Flush()
	out.Uint32(sum.Sum32())
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	sum.Reset()
	in := wire.NewInput(bytes.NewReader(file.Bytes()), sum)
	for i := range int(in.Uint(texts)) {
		if s, n := in.Text(int(in.Uint(200))), in.Uint32(); len(s) != i%200 || int(n) != i {
			t.Fatalf("text %d: %d bytes, number %d", i, len(s), n)
		}
	}
	want := sum.Sum32()
	if got := in.Uint32(); got != want || !in.AtEnd() {
		t.Errorf("checksum %x, want %x; at the end: %v", got, want, in.AtEnd())
	}
}

func TestInputKeepsItsFirstFault(t *testing.T) {
	broken := errors.New("a broken disk")
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"ends early":     {strings.NewReader("\x01\x02"), wire.ErrDamaged},
		"a broken disk":  {io.MultiReader(strings.NewReader("\x01\x02"), iotest.ErrReader(broken)), broken},
		"above the most": {strings.NewReader("\xff\x01\x00\x00\x00"), wire.ErrDamaged},
	} {
		in := wire.NewInput(c.r, crc32.NewIEEE())
		if name == "above the most" {
			if n := in.Uint(254); n != 0 {
				t.Errorf("%s: read %d", name, n)
			}
		} else if n := in.Uint32(); n != 0 {
			t.Errorf("%s: read %d", name, n)
		}
		in.Fail(errors.New("a later fault"))
		if !errors.Is(in.Err, c.want) || in.Text(1) != "" || in.Uint64() != 0 || in.AtEnd() {
			t.Errorf("%s: %v, want %v", name, in.Err, c.want)
		}
	}
}
