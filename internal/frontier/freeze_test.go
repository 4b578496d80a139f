package frontier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dowse"
)

// TestFrozenIsWrittenMeanwhile changes a frontier in every way while it is written. What is
// written must be the frontier as it was before, and the changes must all be there after it.
func TestFrozenIsWrittenMeanwhile(t *testing.T) {
	f := New(Config{Key: 7, Revisits: true, NotesMemory: 3 * pageSize, Scratch: func() (Scratch, error) { return &memoryScratch{}, nil }})
	twin := New(Config{Key: 7, Revisits: true})
	rng, same := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for i := range 4 * chunkSize {
		changeAny(f, rng, i)
		changeAny(twin, same, i)
	}
	for round := range 5 {
		var want, got bytes.Buffer
		if err := f.Snapshot(&want); err != nil {
			t.Fatal(err)
		}
		z := f.Freeze()
		wrote := make(chan error)
		go func() { wrote <- z.Write(slowly{&got}) }()
		changes := 0
		for done := false; !done; changes++ {
			select {
			case err := <-wrote:
				if err != nil {
					t.Fatal(err)
				}
				done = true
			default:
			}
			changeAny(f, rng, changes)
			changeAny(twin, same, changes)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("round %d: after %d changes it is not what it was", round, changes)
		}
	}
	var left, right bytes.Buffer
	f.Snapshot(&left)
	twin.Snapshot(&right)
	if !bytes.Equal(left.Bytes(), right.Bytes()) {
		t.Error("a frontier that was written meanwhile differs from one that was not")
	}
}

// TestFrozenAgain checks that a frozen frontier can't be written after another one was made,
// since changes are stored in the newer one only.
func TestFrozenAgain(t *testing.T) {
	f := New(Config{})
	for i := range 10 {
		changeAny(f, rand.New(rand.NewPCG(1, 2)), i)
	}
	old := f.Freeze()
	f.Freeze()
	if err := old.Write(new(bytes.Buffer)); err == nil {
		t.Error("a snapshot that lacks changes was written")
	}
}

// A slowly is a writer that lets others run meanwhile.
type slowly struct{ *bytes.Buffer }

func (s slowly) Write(b []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.Buffer.Write(b)
}

// changeAny makes a change of any kind.
func changeAny(f *Frontier, rng *rand.Rand, i int) {
	id, _ := f.See(dowse.URL(fmt.Sprintf("http://h%d/%d", rng.IntN(50), rng.IntN(500))), fmt.Sprint("h", rng.IntN(50)))
	other := ID(rng.IntN(f.Len()))
	switch rng.IntN(12) {
	case 0, 1:
		f.SetPriority(id, rng.Float64(), dowse.Replace)
		f.Queue(id)
	case 2:
		f.SetPriority(other, rng.Float64(), dowse.Replace)
	case 3:
		f.SetVisit(other, Visit{Relevance: rng.Float64(), Place: rng.Uint64()})
	case 4:
		f.Settle(other, dowse.Visited)
	case 5, 6, 7:
		f.SetNote(other, fmt.Sprint("a note ", rng.Uint64())[:rng.IntN(20)])
	case 8:
		f.SetBand(other, int8(rng.IntN(4)))
		f.SetDepth(other, uint8(rng.IntN(9)), 1)
	case 9:
		f.SetReason(other, uint8(rng.IntN(9)))
		f.SetAlias(id, other)
	case 10:
		f.Raise(0.001, 1+float64(i%100/99), true)
	case 11:
		f.SetGroup(other, fmt.Sprint("g", rng.IntN(9)))
	}
}
