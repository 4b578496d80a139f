package book

import "testing"

// TestBook checks that a word is found as it was recorded, and that an unknown one is
// unknown.
func TestBook(t *testing.T) {
	var b Book
	if b.Ready() {
		t.Error("a book is ready before it was opened")
	}
	b.Open(0, 100)
	text := "tide and kelp"
	tide, and, kelp := b.Hash(text, 0, 4), b.Hash(text, 5, 8), b.Hash(text, 9, 13)
	b.Note(tide, 7, IsTerm)
	b.Note(and, 0, IsNothing)
	if term, kind := b.Find(tide); term != 7 || kind != IsTerm {
		t.Errorf("tide is %d, %d; want term 7", term, kind)
	}
	if _, kind := b.Find(and); kind != IsNothing {
		t.Errorf("and is %d, want nothing", kind)
	}
	if _, kind := b.Find(kelp); kind != Unknown {
		t.Errorf("kelp is %d, want unknown", kind)
	}
	b.Note(tide, 8, IsTerm)
	if term, _ := b.Find(tide); term != 8 {
		t.Errorf("tide is term %d after it was recorded anew, want 8", term)
	}
	if same := b.Hash("a tide", 2, 6); same != tide {
		t.Error("the same word in another text has another hash")
	}
}

// TestBookDropsTheOldest fills one bucket: the word that was recorded first is dropped, the
// last four are found.
func TestBookDropsTheOldest(t *testing.T) {
	var b Book
	b.Open(0, 100)
	for i := range uint64(5) {
		b.Note(i<<32|3, uint32(i), IsTerm) // the same low bits
	}
	if _, kind := b.Find(3); kind != Unknown {
		t.Error("the first of five words is still there")
	}
	for i := uint64(1); i < 5; i++ {
		if term, kind := b.Find(i<<32 | 3); kind != IsTerm || term != uint32(i) {
			t.Errorf("word %d is %d, %d", i, term, kind)
		}
	}
}

// TestBookIsEmptiedInTime checks that numbers whose generation may have come round again are
// never returned: the book is emptied when half as many terms were dropped as the table holds.
func TestBookIsEmptiedInTime(t *testing.T) {
	var b Book
	b.Open(0, 100)
	h := b.Hash("tide", 0, 4)
	b.Note(h, 1, IsTerm)
	b.Open(50, 100)
	if _, kind := b.Find(h); kind != IsTerm {
		t.Error("the book was emptied although few terms were dropped")
	}
	b.Open(51, 100)
	if _, kind := b.Find(h); kind != Unknown {
		t.Error("the book was not emptied although half of the terms may be others")
	}
}

// TestSecrets checks that two books have different hashes, so that a page that collides in
// one does not in another.
func TestSecrets(t *testing.T) {
	var a, b Book
	a.Open(0, 1)
	b.Open(0, 1)
	if a.Hash("tide", 0, 4) == b.Hash("tide", 0, 4) {
		t.Error("two books share a secret")
	}
}
