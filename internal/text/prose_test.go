package text_test

import (
	"math/rand/v2"
	"strings"
)

// prose makes n words of running text from a seed: a vocabulary with Zipf's
// frequencies, capitals and sentence marks.
func prose(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	zipf := rand.NewZipf(rng, 1.07, 4, 20000)
	var b strings.Builder
	for i := range n {
		w := vocabularyWord(zipf.Uint64())
		if i%11 == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
		if i%11 == 10 {
			b.WriteString(".\n")
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// vocabularyWord returns the word of a rank; common words are short.
func vocabularyWord(rank uint64) string {
	syllables := [...]string{"ra", "the", "lo", "min", "tor", "sha", "ing", "ber", "cu", "nal", "es", "ti", "vor", "dle", "ma", "pen"}
	var b strings.Builder
	for v := rank + 1; v > 0; v /= uint64(len(syllables)) {
		b.WriteString(syllables[v%uint64(len(syllables))])
	}
	return b.String()
}
