package madepages

import (
	"math/rand/v2"
	"strings"
)

// words are what sentences are made of. Their meaning does not matter, their
// lengths and the commas and full stops between them do.
var words = strings.Fields(`the of and to in a is that for it as was with on by at from are this be an or which
harbour boats morning tide keeper lantern village council repair bridge winter record letter captain garden wall
storm roof timber market window engine school river island ferry signal coast chart measure rope weather station
museum summer visitor ticket road stone path valley farmer cheese recipe oven flour butter minutes bowl mixture
committee report figure share increase decline survey result method sample theory evidence question answer`)

// A author makes sentences. Its draws depend on its seed alone.
type author struct{ dice *rand.Rand }

func newAuthor(template, page int) *author {
	return &author{rand.New(rand.NewPCG(uint64(template)+1, uint64(page)+1))}
}

// phrase returns n words.
func (w *author) phrase(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[w.dice.IntN(len(words))]
	}
	return strings.Join(list, " ")
}

// title returns n words with a capital each.
func (w *author) title(n int) string {
	list := strings.Fields(w.phrase(n))
	for i, s := range list {
		list[i] = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.Join(list, " ")
}

// sentence returns 8 to 24 words with a comma and a full stop.
func (w *author) sentence() string {
	s := w.title(1) + " " + w.phrase(3+w.dice.IntN(9)) + ", " + w.phrase(4+w.dice.IntN(12)) + "."
	return s
}

// paragraph returns n sentences.
func (w *author) paragraph(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = w.sentence()
	}
	return strings.Join(list, " ")
}

// between returns a number from low to high.
func (w *author) between(low, high int) int { return low + w.dice.IntN(high-low+1) }
