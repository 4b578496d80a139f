package state

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct {
	A uint64
	B [2]float32
}

// TestPack packs tables with few, many and no zeros and unpacks them. Bytes that were cut or
// are of a table of another size are refused.
func TestPack(t *testing.T) {
	for _, share := range []float64{0, 0.01, 0.5, 1} {
		table, r := make([]pair, 500), rand.New(rand.NewPCG(1, 2))
		for i := range table {
			if r.Float64() < share {
				table[i] = pair{r.Uint64(), [2]float32{r.Float32(), -r.Float32()}}
			}
		}
		b, err := Pack(table)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Repeat([]pair{{A: 7}}, len(table))
		if err := Unpack(b, got); err != nil || !slices.Equal(got, table) {
			t.Errorf("share %v: another table (%v)", share, err)
		}
		if err := Unpack(b, make([]pair, 499)); err == nil {
			t.Error("a table of another size is accepted")
		}
		for n := range b {
			if err := Unpack(b[:n], got); err == nil {
				t.Fatalf("share %v: %d of %d bytes are accepted", share, n, len(b))
			}
		}
		if err := Unpack(append(b, 0), got); err == nil {
			t.Error("a byte too many is accepted")
		}
	}
}
