package text_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dowse"
	"dowse/internal/text"
)

func TestCodesComputeOnce(t *testing.T) {
	calls := 0
	c := text.NewCodes(1024, math.MaxUint16, func(w string) uint16 { calls++; return uint16(len(w)) })
	words := []string{"", "a", "A", "ab", "reef", "coral", "zooxanthellae", "zooxanthellaf", strings.Repeat("long", 20)}
	for range 3 {
		for _, w := range words {
			if got := codeOf(c, w); int(got) != len(w) {
				t.Errorf("Of(%q) = %d", w, got)
			}
		}
	}
	if calls != len(words) && calls != len(words)+2 { // the empty word may be free space
		t.Errorf("%d calls for %d words", calls, len(words))
	}
}

// TestCodesTellWordsApart asks for words that differ in one byte or in length only.
func TestCodesTellWordsApart(t *testing.T) {
	code := func(w string) uint16 {
		n := uint16(17)
		for _, b := range []byte(w) {
			n = n*31 + uint16(b)
		}
		return n
	}
	c := text.NewCodes(1<<16, math.MaxUint16, code)
	for round := range 2 {
		for n := range 40 {
			for i := range n {
				for _, b := range "aZ09#é" {
					w := strings.Repeat("x", i) + string(b) + strings.Repeat("x", n-i-1)
					if got := codeOf(c, w); got != code(w) {
						t.Fatalf("round %d: %q has %d, want %d", round, w, got, code(w))
					}
				}
			}
		}
	}
}

// TestCodesOfAnyWidth asks for codes from 0 up to the largest that was announced, each twice
// in a row, so that the second comes from memory, and once more with the bit that a look-up sets.
func TestCodesOfAnyWidth(t *testing.T) {
	for _, most := range []uint32{1, 2, 2001, 1<<16 + 2, 1<<20 + 2, math.MaxInt32} {
		calls := 0
		code := func(w string) uint32 {
			calls++
			n, _ := strconv.Atoi(w)
			return most - uint32(n)
		}
		c := text.NewCodes(1024, most, code)
		for n := range min(most+1, 300) {
			w := strconv.Itoa(int(n))
			for range 3 {
				if got := c.In(w, 0, len(w)); got != most-n {
					t.Fatalf("largest %d: %s has code %d, want %d", most, w, got, most-n)
				}
			}
		}
		if calls > 350 {
			t.Errorf("largest %d: codes were computed %d times", most, calls)
		}
	}
}

func TestCodesKeepCommonWordsInAFlood(t *testing.T) {
	var again atomic.Int64
	c := text.NewCodes(1024, math.MaxUint16, func(w string) uint16 {
		if strings.HasPrefix(w, "common") {
			again.Add(1)
		}
		return 3
	})
	for i := range 20000 {
		codeOf(c, fmt.Sprint("common", i%200))
		codeOf(c, fmt.Sprint("hostile", i))
	}
	if n := again.Load(); n > 20000/4 {
		t.Errorf("common words were computed %d times of 20,000", n)
	}
}

func TestCodesFromManyGoroutines(t *testing.T) {
	c := text.NewCodes(64, math.MaxUint16, func(w string) uint16 { return uint16(len(w)) }) // small: constant replacement
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 5000 {
				w := strings.Repeat("w", (i*7+g)%100)
				if got := codeOf(c, w); int(got) != len(w) {
					t.Errorf("Of(%q) = %d", w, got)
					return
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkCodes(b *testing.B) {
	words := strings.Fields(prose(1, 2000))
	c := text.NewCodes(0, math.MaxUint16, func(w string) uint16 { return 1 })
	b.ReportAllocs()
	for b.Loop() {
		for _, w := range words {
			codeOf(c, w)
		}
	}
}

// BenchmarkNumber is what it costs to number the words of a page, and BenchmarkWord what a code
// costs after that, in place of BenchmarkCodes.
func BenchmarkNumber(b *testing.B) {
	d := numberedProse()
	for b.Loop() {
		text.Number(d)
	}
}

func BenchmarkWord(b *testing.B) {
	d := numberedProse()
	text.Number(d)
	c := text.NewCodes(0, math.MaxUint16, func(w string) uint16 { return 1 })
	for b.Loop() {
		for i, w := range d.Words {
			c.Word(d.Numbers[i], d.Text, int(w.Start), int(w.End))
		}
	}
}

func numberedProse() *dowse.Document {
	t := prose(1, 2000)
	return &dowse.Document{Text: t, Words: dowse.Words(t)}
}

// codeOf returns the code of a word that is a text of its own.
func codeOf(c *text.Codes[uint16], word string) uint16 { return c.In(word, 0, len(word)) }
