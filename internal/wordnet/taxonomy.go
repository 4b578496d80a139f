package wordnet

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dowse"
)

// A Taxonomy says what names are names of: a whale is a mammal, which is an animal; Isaac Newton is a
// physicist, who is a scientist and a person. It holds the nouns of a WordNet directory in about 10 MB. It does
// not change, and any number of goroutines may use it.
//
// A kind is a synset. Kinds are numbered in the order of the file.
type Taxonomy struct {
	words []string // by kind: its first word
	ups   lists    // by kind: the kinds that it is a kind, an instance, a part or a term of
	above lists    // by kind: itself and all kinds above it, the nearest first
	names []uint64 // hashes of names, in the order of reading
	means lists    // by name: its senses, the most frequent first
	slots []uint32 // a hash table of names: places in names plus one, 0 for none
	sum   uint64
}

// lists are lists of numbers, one after the other.
type lists struct {
	ends []uint32
	all  []int32
}

func (l *lists) of(i int32) []int32 {
	begin := uint32(0)
	if i > 0 {
		begin = l.ends[i-1]
	}
	return l.all[begin:l.ends[i]]
}

func (l *lists) add(list []int32) {
	l.all = append(l.all, list...)
	l.ends = append(l.ends, uint32(len(l.all)))
}

// The limits of what is read, so that a damaged or hostile file costs little. WordNet 3.0 has 82,115 kinds and 117,798 names.
const (
	mostKinds    = 200_000
	mostNames    = 400_000
	mostSenses   = 4  // of a name; further ones are rare
	mostUps      = 16 // of a kind
	mostAbove    = 64 // kinds above a kind
	longestWord  = 100
	longestPlace = 8 // words of a name
)

// Kinds returns the number of kinds.
func (t *Taxonomy) Kinds() int { return len(t.words) }

// Word returns the first word for a kind.
func (t *Taxonomy) Word(kind int32) string { return t.words[kind] }

// Sum identifies the content.
func (t *Taxonomy) Sum() uint64 { return t.sum }

// OpenTaxonomy reads the nouns of a WNDB directory.
func OpenTaxonomy(dir string) (*Taxonomy, error) {
	t := &Taxonomy{}
	number, err := t.readSynsets(filepath.Join(dir, "data.noun"))
	if err == nil {
		err = t.readIndex(filepath.Join(dir, "index.noun"), number)
	}
	if err == nil {
		err = t.complete(dir)
	}
	if err == nil {
		t.tabulate()
		err = t.readPlurals(filepath.Join(dir, "noun.exc"))
	}
	if err != nil {
		return nil, fmt.Errorf("wordnet: %w", err)
	}
	t.finish()
	return t, nil
}

// complete returns an error if the two files do not belong together, or one of them is cut short: in WordNet every synset is a sense of
// a name.
func (t *Taxonomy) complete(dir string) error {
	named := make([]bool, len(t.words))
	for _, k := range t.means.all {
		named[k] = true
	}
	missing := 0
	for _, ok := range named {
		if !ok {
			missing++
		}
	}
	if len(t.words) == 0 || 4*missing > len(t.words) {
		return fmt.Errorf("%s: index.noun has no name for %d of the %d synsets of data.noun; install WordNet again, or do without", dir, missing, len(t.words))
	}
	return nil
}

// eachLine calls do for each line of a file that does not begin with a space, as those of the licence do.
func eachLine(path string, do func(line string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if line := lines.Text(); line != "" && line[0] != ' ' {
			if err := do(line); err != nil {
				return fmt.Errorf("%s: line %d: %w", path, number, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// upward are the relations that lead from a kind to a more general one: kind, instance, part and member of, and
// term of a field or of a region.
var upward = map[string]bool{"@": true, "@i": true, "#p": true, "#m": true, ";c": true, ";r": true}

// readSynsets reads the kinds, and returns their numbers by their offset in the file.
func (t *Taxonomy) readSynsets(path string) (map[int64]int32, error) {
	number := map[int64]int32{}
	var pointers [][]pointer
	err := eachLine(path, func(line string) error {
		at, err := strconv.ParseInt(line[:max(0, strings.IndexByte(line, ' '))], 10, 64)
		if err != nil || len(t.words) == mostKinds {
			return errSynset
		}
		x, err := parseSynset(line, at)
		if err != nil {
			return err
		}
		number[at] = int32(len(t.words))
		t.words = append(t.words, x.words[0][:min(len(x.words[0]), longestWord)])
		pointers = append(pointers, slices.DeleteFunc(x.pointers, func(p pointer) bool { return !upward[p.symbol] }))
		return nil
	})
	var list []int32
	for _, found := range pointers {
		list = list[:0]
		for _, p := range found[:min(len(found), mostUps)] {
			if to, ok := number[p.at]; ok {
				list = append(list, to)
			}
		}
		t.ups.add(list)
	}
	return number, err
}

// readIndex reads the names and their senses.
func (t *Taxonomy) readIndex(path string, number map[int64]int32) error {
	var senses []int32
	return eachLine(path, func(line string) error {
		if len(t.names) == mostNames {
			return errors.New("too many names")
		}
		senses = senses[:0]
		for _, at := range offsets(line) {
			if k, ok := number[at]; ok && len(senses) < mostSenses {
				senses = append(senses, k)
			}
		}
		if lemma, _, _ := strings.Cut(line, " "); len(senses) > 0 {
			t.names = append(t.names, hashName(lemma))
			t.means.add(senses)
		}
		return nil
	})
}

// readPlurals adds the irregular plurals as names. A directory without the file has none, which is no error.
func (t *Taxonomy) readPlurals(path string) error {
	var names []uint64
	var means [][]int32
	err := eachLine(path, func(line string) error {
		f := strings.Fields(line)
		if len(f) < 2 || len(t.names)+len(names) >= mostNames {
			return nil
		}
		plural := hashName(f[0])
		if at, ok := t.find(hashName(f[1])); ok {
			if _, ok := t.find(plural); !ok {
				names, means = append(names, plural), append(means, slices.Clone(t.means.of(at)))
			}
		}
		return nil
	})
	for i, name := range names {
		t.names = append(t.names, name)
		t.means.add(means[i])
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// finish computes what follows from what was read.
func (t *Taxonomy) finish() {
	t.tabulate()
	var list []int32
	for k := range int32(len(t.words)) {
		list = append(list[:0], k)
		for i := 0; i < len(list); i++ {
			for _, up := range t.ups.of(list[i]) {
				if len(list) < mostAbove && !slices.Contains(list, up) {
					list = append(list, up)
				}
			}
		}
		t.above.add(list)
	}
	sum := fnv.New64a()
	t.write(sum) // never fails
	t.sum = sum.Sum64()
}

// tabulate makes the hash table of names. Of two names with the same hash the first one counts.
func (t *Taxonomy) tabulate() {
	size := 16
	for size < 2*len(t.names) {
		size *= 2
	}
	t.slots = make([]uint32, size)
	for i, h := range t.names {
		at := h & uint64(size-1)
		for t.slots[at] != 0 && t.names[t.slots[at]-1] != h {
			at = (at + 1) & uint64(size-1)
		}
		if t.slots[at] == 0 {
			t.slots[at] = uint32(i + 1)
		}
	}
}

// find returns the place of a name by its hash.
func (t *Taxonomy) find(hash uint64) (int32, bool) {
	last := uint64(len(t.slots) - 1)
	for at := hash & last; t.slots[at] != 0; at = (at + 1) & last {
		if i := t.slots[at] - 1; t.names[i] == hash {
			return int32(i), true
		}
	}
	return 0, false
}

// A nameHash is the hash of the words of a name in lower case (FNV-1a).
type nameHash uint64

const noWords nameHash = 14695981039346656037

func (h nameHash) text(s string) nameHash {
	for i := range len(s) {
		h = (h ^ nameHash(s[i])) * 1099511628211
	}
	return h
}

// word adds a word to the name.
func (h nameHash) word(w string) nameHash { return h.text(w).text(" ") }

// hashName returns the hash of a name of WordNet: of its words, as pages are cut into words.
func hashName(name string) uint64 {
	name = strings.ToLower(strings.ReplaceAll(name, "_", " "))
	h := noWords
	for _, w := range dowse.Words(name) {
		h = h.word(name[w.Start:w.End])
	}
	return uint64(h)
}

// A Name is a name that a taxonomy knows; 0 is none.
type Name uint32

// whole marks a name that all words were found as.
const whole Name = 1 << 31

// Better returns the one of two names that says more of a page: the first one, unless only the second was found
// with all its words.
func (n Name) Better(m Name) Name {
	if n == 0 || m&whole > n&whole {
		return m
	}
	return n
}

// Whole reports whether the name was found with all its words.
func (n Name) Whole() bool { return n&whole != 0 }

// Find returns the name that some words in lower case are: all of them together, or as many of the last ones as are a name, or of
// the first ones; 0 if there is no such name. The last word of a name may be a plural.
func (t *Taxonomy) Find(words []string) Name {
	words = words[:min(len(words), longestPlace)]
	for i := range words {
		if at, ok := t.lookUp(words[i:]); ok {
			n := Name(at + 1)
			if i == 0 {
				n |= whole
			}
			return n
		}
	}
	for end := len(words) - 1; end > 0; end-- {
		if at, ok := t.lookUp(words[:end]); ok {
			return Name(at + 1)
		}
	}
	return 0
}

// lookUp returns the place of a name, with its last word as it is or in the singular.
func (t *Taxonomy) lookUp(words []string) (int32, bool) {
	h := noWords
	for _, w := range words[:len(words)-1] {
		h = h.word(w)
	}
	last := words[len(words)-1]
	if at, ok := t.find(uint64(h.word(last))); ok {
		return at, true
	}
	for _, rule := range plurals {
		if stem, ok := strings.CutSuffix(last, rule[0]); ok && stem != "" {
			if at, ok := t.find(uint64(h.text(stem).word(rule[1]))); ok {
				return at, true
			}
		}
	}
	return 0, false
}

// A Kind is something that a name may be a name of. Its share is how likely that is: the most frequent sense has the largest one, and a
// kind above several senses the sum of theirs.
type Kind struct {
	Number int32
	Share  float32
}

// Of returns all kinds of a name: those of its senses, and the kinds above them. A name that is not of this taxonomy has none.
func (t *Taxonomy) Of(n Name) (list []Kind) {
	place := int(n &^ whole)
	if place == 0 || place > len(t.names) {
		return nil
	}
	senses := t.means.of(int32(place - 1))
	total := float32(0)
	for i := range senses {
		total += 1 / float32(i+1)
	}
	for i, sense := range senses {
		share := 1 / (float32(i+1) * total)
		for _, k := range t.above.of(sense) {
			if at := slices.IndexFunc(list, func(x Kind) bool { return x.Number == k }); at >= 0 {
				list[at].Share += share
			} else {
				list = append(list, Kind{k, share})
			}
		}
	}
	return list
}

// magic begins a taxonomy that [Taxonomy.Write] wrote.
const magic = "dowsek1\n"

// Write writes the taxonomy in a form that [ReadTaxonomy] reads, compressed: about 2 MB.
func (t *Taxonomy) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	return errors.Join(t.write(z), z.Close())
}

// write writes the number of kinds, of each its first word and the kinds that it belongs to, then the number of names, of each
// its hash and its senses.
func (t *Taxonomy) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString(magic)
	b := binary.AppendUvarint(nil, uint64(len(t.words)))
	for k, word := range t.words {
		b = binary.AppendUvarint(b, uint64(len(word)))
		b = append(b, word...)
		b = appendList(b, t.ups.of(int32(k)))
		out.Write(b)
		b = b[:0]
	}
	b = binary.AppendUvarint(b, uint64(len(t.names)))
	for i, h := range t.names {
		b = binary.LittleEndian.AppendUint64(b, h)
		b = appendList(b, t.means.of(int32(i)))
		out.Write(b)
		b = b[:0]
	}
	return out.Flush() // returns the first error of all
}

func appendList(b []byte, list []int32) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, x := range list {
		b = binary.AppendUvarint(b, uint64(x))
	}
	return b
}

var errTaxonomy = errors.New("is damaged; restore the file from a copy, or salvage the collection")

// ReadTaxonomy reads what [Taxonomy.Write] wrote.
func ReadTaxonomy(r io.Reader) (*Taxonomy, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, errTaxonomy
	}
	in := taxonomyReader{r: bufio.NewReader(z)}
	if string(in.bytes(len(magic))) != magic {
		return nil, errTaxonomy
	}
	t := &Taxonomy{}
	n := in.number(mostKinds)
	if n == 0 {
		return nil, errTaxonomy
	}
	for range n {
		t.words = append(t.words, string(in.bytes(int(in.number(longestWord)))))
		t.ups.add(in.list(mostUps, n))
		if in.failed {
			return nil, errTaxonomy
		}
	}
	for range in.number(mostNames) {
		b := in.bytes(8)
		if in.failed {
			return nil, errTaxonomy
		}
		t.names = append(t.names, binary.LittleEndian.Uint64(b))
		t.means.add(in.list(mostSenses, n))
	}
	if _, err := in.r.ReadByte(); in.failed || err != io.EOF { // the end has a checksum
		return nil, errTaxonomy
	}
	t.finish()
	return t, nil
}

// A taxonomyReader reads numbers of a taxonomy. After a failure it returns zeros.
type taxonomyReader struct {
	r      *bufio.Reader
	room   [longestWord]byte
	failed bool
}

// number reads a number of at most most.
func (r *taxonomyReader) number(most uint64) uint64 {
	x, err := binary.ReadUvarint(r.r)
	if err != nil || x > most {
		r.failed = true
		return 0
	}
	return x
}

// bytes reads n bytes, which are valid until the next call.
func (r *taxonomyReader) bytes(n int) []byte {
	b := r.room[:n]
	if _, err := io.ReadFull(r.r, b); err != nil {
		r.failed = true
	}
	return b
}

// list reads a list of at most most numbers below n.
func (r *taxonomyReader) list(most, n uint64) (list []int32) {
	for range r.number(most) {
		list = append(list, int32(r.number(n-1)))
	}
	return list
}
