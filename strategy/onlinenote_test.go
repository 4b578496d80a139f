package strategy

import "testing"

// FuzzKnown reads any note, and what it writes again is the same.
func FuzzKnown(f *testing.F) {
	k := known{links: 2, context: 0.25, anchor: 0.5, best: 1, sum: 1.5}
	k.page(7)
	k.page(70_000)
	k.inAnchor(9)
	k.inWindow(10)
	f.Add(k.note())
	f.Add("")
	f.Add(seedNote)
	f.Fuzz(func(t *testing.T, note string) {
		k, ok := knownOf(note)
		if !ok {
			return
		}
		first := k.note()
		again, ok := knownOf(first)
		if !ok || again.note() != first {
			t.Errorf("%q is read as %+v and written as %q", note, k, again.note())
		}
	})
}
