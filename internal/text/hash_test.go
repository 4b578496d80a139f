package text

import (
	"math"
	"testing"
)

// colliding returns a word of 16 letters with the hash of a short one, as everybody can
// find it who knows where the hash begins: its last eight bytes undo what its first do.
func colliding(t *testing.T, short string) string {
	t.Helper()
	var begin uint64 = hashBegin
	want := uint64(len(short))*begin ^ loadShort(short, 0, len(short))
	word := []byte("aaaaaaaaaaaaaaaa")
	for n := range uint64(1 << 28) {
		for i := range 8 {
			word[i] = 'a' + byte(n>>(4*i)&15)
		}
		last := want ^ fold(16*begin^load64(string(word[:8])))
		for i := range 8 {
			word[8+i] = byte(last >> (8 * i))
		}
		if isLetters(word[8:]) {
			return string(word)
		}
	}
	t.Fatal("no word collides")
	return ""
}

func isLetters(word []byte) bool {
	for _, b := range word {
		if b |= 0x20; b < 'a' || b > 'z' {
			return false
		}
	}
	return true
}

// TestHashOfHostileWords lets a page have a word that is made to collide with one of the
// topic: where words are known by their hash alone, the seed is secret.
func TestHashOfHostileWords(t *testing.T) {
	made := colliding(t, "crabs")
	a, _ := hash("crabs", 0, 5, asWritten)
	if b, _ := hash(made, 0, len(made), asWritten); a != b {
		t.Fatalf("%s does not collide", made)
	}
	s := NewSeed()
	if s.Hash("crabs", 0, 5) == s.Hash(made, 0, len(made)) {
		t.Errorf("%s collides under a seed", made)
	}
	c := NewCodes(0, math.MaxUint16, func(word string) uint16 { return uint16(len(word)) })
	if n, m := c.In(made, 0, len(made)), c.In("crabs", 0, 5); n != 16 || m != 5 {
		t.Errorf("%s has code %d, crabs %d", made, n, m)
	}
}

// TestSeedTellsWordsApart asks for words that differ in one byte or in length only.
func TestSeedTellsWordsApart(t *testing.T) {
	s := NewSeed()
	words := map[uint64]string{}
	for n := 1; n < 40; n++ {
		for i := range n {
			for _, b := range []byte("aZ09#") {
				w := make([]byte, n)
				for k := range w {
					w[k] = 'x'
				}
				w[i] = b
				h := s.Hash(string(w), 0, n)
				if other, ok := words[h]; ok {
					t.Fatalf("%s and %s collide", other, w)
				}
				words[h] = string(w)
			}
		}
	}
	if another := NewSeed(); another == s {
		t.Error("two seeds are the same")
	}
}
