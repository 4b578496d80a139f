package strategy

import (
	"math"
	"testing"
)

// FuzzClues reads any note, and what it writes again is the same.
func FuzzClues(f *testing.F) {
	var k clues
	k.page(7, 3)
	k.page(70_000, 255)
	k.inAnchor(9)
	k.inWindow(10)
	k.add(1, 0.25, 0.5)
	f.Add(k.note())
	f.Add("")
	f.Add(seedNote)
	f.Fuzz(func(t *testing.T, note string) {
		k, ok := cluesOf(note)
		if !ok {
			return
		}
		first := k.note()
		again, ok := cluesOf(first)
		if !ok || again.note() != first {
			t.Errorf("%q is read as %+v and written as %q", note, k, again.note())
		}
	})
}

// TestCluesOfManyLinks adds more links than a note can count: means stay means.
func TestCluesOfManyLinks(t *testing.T) {
	var k clues
	for range 1000 {
		k.add(0.5, 0.25, 0.75)
	}
	var twice clues
	twice.merge(&k)
	twice.merge(&k)
	for name, k := range map[string]*clues{"added": &k, "merged": &twice} {
		if k.links != 255 {
			t.Errorf("%s: %d links", name, k.links)
		}
		for _, c := range []struct{ got, want float64 }{{k.per(k.sum), 0.5}, {k.per(k.contexts), 0.25}, {k.per(k.ratings), 0.75}} {
			if math.Abs(c.got-c.want) > 1e-9 {
				t.Errorf("%s: mean %v, want %v", name, c.got, c.want)
			}
		}
	}
}
