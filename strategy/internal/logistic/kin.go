package logistic

import (
	"errors"
	"math"

	"dowse/internal/vectors"
	"dowse/strategy/internal/state"
)

// A kin learns which words are near the topic in a table of word vectors. Most links lead to
// pages whose names no page of the crawl has had yet; their vectors are known nevertheless.
//
// What it learns is a direction: from the usual name of a page towards the names of relevant
// ones, to which the words of the topic belong. The direction is that of the mean titles, corrected by what links were expected to
// be and turned out to be. A word is rated by its vector along it. As a vector has a hundred
// numbers, the ratings of words are computed when the direction is renewed, not when a link is
// rated.
//
// It has a vector for each code, one byte a number: 6.5 MB for vectors of 100. Without a table
// there is none: its methods do nothing if it is nil.
type kin struct {
	table *vectors.Table
	kinState
	rows  [][]int8    // by code: the vector of the word, nil for none
	known []knownWord // of the model, by code, which has the ratings of words
	sum   []float32   // see of
	room  []float32
}

// kinState is what a kin has learnt, in the form in which it is saved, except for the ratings of
// words, which are in the model.
type kinState struct {
	Table uint64 // of whose vectors the sums are
	// Place has the row of a word's vector plus one, by code, packed when saved; 0 for a word that was not
	// looked up, and noRow for one that has no vector.
	Place                 []int32
	Packed                []byte // Place, when saved
	On, Off, Usual        side
	Step, Direction       []float32 // the correction, and the direction in use
	Squares               float64   // of the corrections
	Pages, Renew, Skipped int       // pages read, the number at which the direction is renewed, and leads that were not counted
}

// A side is a sum of vectors of names.
type side struct {
	Sum []float32
	N   float64
}

const (
	noRow      = -1
	kinScale   = 250 // of the numbers of a row
	kinShrink  = 3   // imaginary usual names among those of relevant pages; twice as many among others
	kinRate    = 0.1 // of corrections
	kinSquares = 100 // by which squares of corrections are divided
	usualEvery = 4   // one in this number of new leads is counted as usual
	renewEvery = 16  // the direction is renewed when the pages have grown by one part in this number
	kinWanted  = 5   // names of relevant pages that the words of the topic count as
)

// newKin returns a kin that knows nothing yet and rates the words of a model.
func newKin(t *vectors.Table, known []knownWord) *kin {
	n := t.Dims()
	k := &kin{table: t, known: known, rows: make([][]int8, wordCodes), sum: make([]float32, n), room: make([]float32, n)}
	k.kinState = kinState{Table: t.Sum(), Place: make([]int32, wordCodes), Step: make([]float32, n), Direction: make([]float32, n)}
	for _, s := range []*side{&k.On, &k.Off, &k.Usual} {
		s.Sum = make([]float32, n)
	}
	return k
}

// meet looks a word up that is met for the first time in a name of a page, and rates it.
func (k *kin) meet(code uint16, word string) {
	if k == nil || code == 0 || k.Place[code] != 0 {
		return
	}
	row, ok := k.table.Find(word)
	if !ok {
		k.Place[code] = noRow
		return
	}
	k.Place[code] = int32(row + 1)
	k.load(code)
	k.known[code].kin = k.rate(k.rows[code])
}

// load reads the vector of a word that was looked up.
func (k *kin) load(code uint16) {
	k.table.Vector(k.room, int(k.Place[code]-1))
	row := make([]int8, len(k.room))
	for i, x := range k.room {
		row[i] = int8(math.Round(float64(min(max(x*kinScale, -127), 127))))
	}
	k.rows[code] = row
}

// rate returns how far a vector goes in the direction of the topic.
func (k *kin) rate(row []int8) float32 {
	var x float32
	for i, d := range k.Direction {
		x += d * float32(row[i])
	}
	return x / kinScale
}

// of sets k.sum to the vector of some words together. It is not ok if none of them has one.
func (k *kin) of(codes []uint16) (ok bool) {
	clear(k.sum)
	for _, c := range codes {
		row := k.rows[c]
		for i, x := range row {
			k.sum[i] += float32(x)
		}
		ok = ok || row != nil
	}
	if !ok {
		return false
	}
	var length float32
	for _, x := range k.sum {
		length += x * x
	}
	if length == 0 {
		return false
	}
	by := float32(1 / math.Sqrt(float64(length)))
	for i := range k.sum {
		k.sum[i] *= by
	}
	return true
}

// take adds k.sum to a side.
func (s *side) take(sum []float32, by float64) {
	s.N += by
	for i, x := range sum {
		s.Sum[i] += float32(by) * x
	}
}

// want begins with the words of the topic: they count as the names of some relevant pages, so
// that the direction is known before there are any.
func (k *kin) want(words []wantedWord) {
	wanted := make([]float32, len(k.sum))
	for _, w := range words {
		for i, x := range k.rows[w.code] {
			wanted[i] += float32(float32(w.weight) * float32(x))
		}
	}
	var length float64
	for _, x := range wanted {
		length += float64(x * x)
	}
	if length == 0 {
		return
	}
	k.On.take(wanted, kinWanted/math.Sqrt(length))
	k.On.N = kinWanted
	k.renew()
}

// A wantedWord is a word of the topic.
type wantedWord struct {
	code   uint16
	weight float64
}

// usual counts the name of a page that waits, one of several.
func (k *kin) usual(codes []uint16) {
	if k == nil {
		return
	}
	if k.Skipped = (k.Skipped + 1) % usualEvery; k.Skipped == 0 && k.of(codes) {
		k.Usual.take(k.sum, 1)
	}
}

// title learns from the title of a page of relevance r.
func (k *kin) title(codes []uint16, r float64) {
	if k == nil {
		return
	}
	k.Pages++
	if k.of(codes) {
		k.On.take(k.sum, r)
		k.Off.take(k.sum, 1-r)
	}
}

// correct learns from a link that led to a page: miss is by how much the page was more relevant
// than expected.
func (k *kin) correct(e *link, miss float64) {
	if k == nil {
		return
	}
	for _, place := range [...]int{inAnchor, inURL} {
		if !k.of(e.words(place)) {
			continue
		}
		k.Squares += miss * miss
		by := float32(kinRate * miss / math.Sqrt(1+k.Squares/kinSquares))
		for i, x := range k.sum {
			k.Step[i] += by * x
		}
	}
}

// renew computes the direction from everything that was learnt, and rates all words by it, if
// that is due.
func (k *kin) renew() {
	if k == nil || k.Pages < k.Renew {
		return
	}
	k.Renew = k.Pages + 1 + k.Pages/renewEvery
	on, off, usual := k.On.N+kinShrink, k.Off.N+2*kinShrink, max(k.Usual.N, 1)
	for i := range k.Direction {
		mean := float64(k.Usual.Sum[i]) / usual
		x := (float64(k.On.Sum[i])+float64(kinShrink*mean))/on - (float64(k.Off.Sum[i])+float64(2*kinShrink*mean))/off
		k.Direction[i] = float32(x) + k.Step[i]
	}
	for code, row := range k.rows {
		if row != nil {
			k.known[code].kin = k.rate(row)
		}
	}
}

// saved returns what was learnt, packed; nil without a table.
func (k *kin) saved() (*kinState, error) {
	if k == nil {
		return nil, nil
	}
	s := k.kinState
	var err error
	s.Packed, err = state.Pack(s.Place)
	s.Place = nil
	return &s, err
}

// errKin is returned for a saved state that does not fit its table.
var errKin = errors.New("strategy: load: what was learnt of word vectors is damaged")

// restore goes on with what was saved, if that is of the same table. Otherwise it begins afresh.
func (k *kin) restore(s *kinState) error {
	if k == nil || s == nil || s.Table != k.Table {
		return nil
	}
	s.Place = make([]int32, wordCodes)
	if err := state.Unpack(s.Packed, s.Place); err != nil {
		return err
	}
	for _, list := range [][]float32{s.On.Sum, s.Off.Sum, s.Usual.Sum, s.Step, s.Direction} {
		if len(list) != k.table.Dims() {
			return errKin
		}
	}
	s.Packed = nil
	k.kinState = *s
	for code, place := range s.Place {
		switch {
		case int(place) > k.table.Len():
			return errKin
		case place > 0:
			k.load(uint16(code))
			k.known[code].kin = k.rate(k.rows[code])
		}
	}
	return nil
}
