package text

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"

	"dowse"
)

// TestNumbersAreOfWords numbers more words than there are numbers, from several goroutines:
// a word has the same number wherever it is, no two words share one, and the rest has none.
func TestNumbersAreOfWords(t *testing.T) {
	n := newWordNumbers()
	const all = mostNumbers + 1000
	got := make([][]uint32, 4)
	var running sync.WaitGroup
	for g := range got {
		got[g] = make([]uint32, all)
		running.Go(func() {
			for i := range all {
				k := (i + g*all/len(got)) % all
				s := "of word" + strconv.Itoa(k) + " and"
				n.numberAll(got[g][k:k+1], s, []dowse.Span{{Start: 3, End: int32(len(s) - 4)}})
			}
		})
	}
	running.Wait()
	seen := map[uint32]int{}
	for k := range all {
		s := "word" + strconv.Itoa(k)
		var one [1]uint32
		n.numberAll(one[:], s, []dowse.Span{{End: int32(len(s))}})
		now := one[0]
		for g := range got {
			if got[g][k] != now {
				t.Fatalf("goroutine %d has %d for word %d, which has %d", g, got[g][k], k, now)
			}
		}
		if other, twice := seen[now]; twice && now != 0 {
			t.Fatalf("words %d and %d share the number %d", other, k, now)
		}
		seen[now] = k
	}
	if len(seen) != mostNumbers+1 {
		t.Errorf("%d different numbers, want %d and 0", len(seen), mostNumbers)
	}
}

// TestWordIsIn compares codes by number with codes by the word itself, for words with and
// without a number.
func TestWordIsIn(t *testing.T) {
	long := make([]byte, 2*maxWord)
	for i := range long {
		long[i] = 'x'
	}
	d := &dowse.Document{Text: "the reef The Reef über reef 1999 " + string(long)}
	d.Words = dowse.Words(d.Text)
	Number(d)
	calls := 0
	c := NewCodes(64, math.MaxUint16, func(w string) uint16 { calls++; return uint16(len(w)) })
	for range 2 {
		for i, n := range NumbersOf(d) {
			start, end := int(d.Words[i].Start), int(d.Words[i].End)
			if got, want := c.Word(n, d.Text, start, end), c.In(d.Text, start, end); got != want {
				t.Errorf("%s: %d by number, %d by word", d.Word(i), got, want)
			}
		}
	}
	if d.Numbers[1] != d.Numbers[5] || d.Numbers[1] == d.Numbers[3] || d.Numbers[7] != 0 {
		t.Errorf("numbers %v of %q", d.Numbers, d.Text)
	}
	if want := 2*6 + 4; calls != want { // six different words either way, and the long one each time
		t.Errorf("codes were computed %d times, want %d", calls, want)
	}
	d.Words = d.Words[1:]
	if NumbersOf(d) != nil {
		t.Error("numbers of other words")
	}
}

// TestAppendIsIn compares the codes of all words of a text with those of its single words, with
// and without numbers, and for an analyzer that reads symbols after words.
func TestAppendIsIn(t *testing.T) {
	d := &dowse.Document{Text: "the reef in c# and C++ is the Reef of c, über 1999 " + string(make([]byte, 9)) + "reef"}
	d.Words = dowse.Words(d.Text)
	Number(d)
	for _, a := range []*Analyzer{NewAnalyzer(Options{Memory: -1}), NewAnalyzer(Options{Memory: -1, SymbolSuffix: true})} {
		c := NewCodes(64, math.MaxUint16, func(w string) uint16 { return uint16(Hash(w) % math.MaxUint16) })
		var want []uint16
		for _, w := range d.Words {
			want = append(want, uint16(Hash(a.Word(d.Text, w))%math.MaxUint16))
		}
		for range 2 { // computed and remembered
			for _, numbers := range [][]uint32{nil, d.Numbers, make([]uint32, len(d.Words))} {
				got := c.Append([]uint16{7}, a, d.Text, d.Words, numbers)
				if got[0] != 7 || !slices.Equal(got[1:], want) {
					t.Errorf("numbers %v: codes %v, want 7 and %v", numbers, got, want)
				}
			}
		}
	}
}
