// Package wordnet reads the nouns of a WordNet database: what a word can mean, and which
// kinds, instances and parts of it have names of their own.
//
// The files are those of a WNDB directory (index.noun, data.noun, noun.exc; wndb(5WN)), as
// Debian's wordnet-base installs them. They are searched on disk: opening reads only the
// irregular plurals, and a lookup a few hundred lines, so nothing is kept in memory.
//
// A synset is a set of words with one meaning. Its line in data.noun is found by its offset
// in the file, and names other synsets by theirs. index.noun lists, for each word, the
// offsets of its synsets.
package wordnet

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Default is where Debian installs WordNet.
const Default = "/usr/share/wordnet"

// The limits of what is read, so that a damaged or hostile directory costs little.
const (
	maxLine    = 1 << 16 // bytes of a line; the longest of WordNet 3.0 has 12,972
	maxExc     = 4 << 20 // bytes of noun.exc
	maxSenses  = 8       // of a word
	maxSynsets = 4000    // that are read for one sense
)

// A Sense is one meaning of a word.
type Sense struct {
	Lemma string // the word as WordNet has it
	Gloss string // its definition
	// Names of synonyms, and of kinds, instances, parts and members of it, the nearest
	// first, in lower case and each once.
	Names []string
}

// A Dict is an open WordNet directory. It may not be used concurrently.
type Dict struct {
	dir         string
	index, data *os.File
	size        int64 // of index
	plurals     map[string]string
}

// Open opens a WNDB directory. Files that are missing are an error, except for that of
// the plurals; their contents are checked only when they are read.
func Open(dir string) (*Dict, error) {
	d := &Dict{dir: dir, plurals: map[string]string{}}
	if err := d.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("wordnet: %w", err), d.Close())
	}
	return d, nil
}

// open opens the two files that are searched, and reads the plurals.
func (d *Dict) open() (err error) {
	if d.index, err = os.Open(filepath.Join(d.dir, "index.noun")); err != nil {
		return err
	}
	if d.data, err = os.Open(filepath.Join(d.dir, "data.noun")); err != nil {
		return err
	}
	info, err := d.index.Stat()
	if err != nil {
		return err
	}
	d.size = info.Size()
	return d.readPlurals()
}

// readPlurals reads the irregular plurals, one plural and its singular per line. A
// directory without the file has none, which is no error.
func (d *Dict) readPlurals() error {
	f, err := os.Open(filepath.Join(d.dir, "noun.exc"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewScanner(io.LimitReader(f, maxExc)); lines.Scan(); {
		if parts := strings.Fields(lines.Text()); len(parts) > 1 {
			d.plurals[parts[0]] = parts[1]
		}
	}
	return nil
}

// Close closes the files. It may be called after Open has failed halfway.
func (d *Dict) Close() error {
	var errs []error
	for _, f := range []*os.File{d.index, d.data} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Senses returns what a word or phrase means, the most frequent sense first; none if
// WordNet does not have it. Plurals are looked up as their singulars. At most names names
// are collected for each sense.
func (d *Dict) Senses(phrase string, names int) ([]Sense, error) {
	for _, lemma := range d.lemmas(phrase) {
		line, err := d.find(lemma)
		if err != nil {
			return nil, fmt.Errorf("wordnet: %s: %w", d.index.Name(), err)
		}
		if line == "" {
			continue
		}
		return d.senses(lemma, line, names)
	}
	return nil, nil
}

// lemmas returns the forms under which a phrase may be listed: as it is, and with its last
// word in the singular, by the list of irregular plurals and by the rules of WordNet's own
// lookup. A form that is no word is not listed, so trying too many does no harm.
func (d *Dict) lemmas(phrase string) []string {
	words := strings.Fields(strings.ToLower(phrase))
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	forms := []string{last}
	if singular, ok := d.plurals[last]; ok {
		forms = append(forms, singular)
	}
	for _, rule := range plurals {
		if stem, ok := strings.CutSuffix(last, rule[0]); ok && stem != "" {
			forms = append(forms, stem+rule[1])
		}
	}
	list := make([]string, len(forms))
	for i, f := range forms {
		list[i] = strings.Join(append(slices.Clone(words[:len(words)-1]), f), "_")
	}
	return list
}

// plurals are the regular endings of plurals, and those of their singulars.
var plurals = [...][2]string{{"ies", "y"}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"s", ""}}

// find returns the line of the index for a lemma, "" if it has none, by binary search.
// Lines are sorted by their bytes; those of the licence at the beginning start with
// spaces and so come first. Since lines have different lengths, the search halves a range
// of offsets, and looks at the first line that begins after the middle.
func (d *Dict) find(lemma string) (string, error) {
	low, high := int64(0), d.size // the line begins in [low, high)
	for low < high {
		mid := low + (high-low)/2
		start, line, err := d.lineAfter(mid)
		if err != nil {
			return "", err
		}
		word, _, _ := strings.Cut(line, " ")
		switch {
		case line == "" || start >= high || cmp.Compare(lemma, word) < 0:
			high = mid
		case lemma == word:
			return line, nil
		default:
			low = start + int64(len(line)) + 1
			if start+int64(len(line)) < mid {
				low = mid + 1
			}
		}
	}
	return "", nil
}

// lineAfter returns the first line that begins at an offset or after it, and its offset;
// "" at the end of the file. It reads twice the longest line, so that a whole one is in it.
func (d *Dict) lineAfter(at int64) (int64, string, error) {
	if at > 0 {
		at-- // a line that begins there follows a line feed
	}
	buf := make([]byte, 2*maxLine)
	n, err := d.index.ReadAt(buf, at)
	if err != nil && err != io.EOF {
		return 0, "", err
	}
	buf = buf[:n]
	start := 0
	if at > 0 || bytes.HasPrefix(buf, []byte("\n")) {
		i := bytes.IndexByte(buf, '\n')
		if i < 0 {
			return at, "", nil
		}
		start = i + 1
	}
	line, _, _ := bytes.Cut(buf[start:], []byte("\n"))
	return at + int64(start), string(line), nil
}

// senses reads the senses that a line of the index names, at most maxSenses. The index
// lists them by frequency, so rare ones are left out.
func (d *Dict) senses(lemma, line string, names int) (list []Sense, err error) {
	for _, at := range offsets(line) {
		if len(list) == maxSenses {
			break
		}
		s, err := d.sense(lemma, at, names)
		if err != nil {
			return nil, fmt.Errorf("wordnet: %s: %q: %w", d.data.Name(), lemma, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// offsets returns the offsets at the end of a line of the index: lemma, part of speech,
// number of senses, number of pointers, these, two numbers, and one offset per sense.
func offsets(line string) (list []int64) {
	f := strings.Fields(line)
	if len(f) < 4 {
		return nil
	}
	n, err := strconv.Atoi(f[2])
	if err != nil || n < 0 || n > len(f)-4 {
		return nil
	}
	for _, s := range f[len(f)-n:] {
		if at, err := strconv.ParseInt(s, 10, 64); err == nil {
			list = append(list, at)
		}
	}
	return list
}

// sense collects the names of a sense from synset to synset, breadth first, so that the
// nearest come first. Each synset is read once, since the graph may contain cycles, and
// the numbers of names and of synsets are bounded.
func (d *Dict) sense(lemma string, at int64, names int) (Sense, error) {
	s := Sense{Lemma: strings.ReplaceAll(lemma, "_", " ")}
	known, had := map[int64]bool{at: true}, map[string]bool{s.Lemma: true}
	for queue, read := []int64{at}, 0; len(queue) > 0 && len(s.Names) < names && read < maxSynsets; read++ {
		x, err := d.synset(queue[0])
		if err != nil {
			return s, err
		}
		queue = queue[1:]
		if read == 0 {
			s.Gloss = x.gloss
		}
		for _, w := range x.words {
			if !had[w] && len(s.Names) < names {
				had[w] = true
				s.Names = append(s.Names, w)
			}
		}
		for _, p := range x.below(read == 0) {
			if !known[p] {
				known[p] = true
				queue = append(queue, p)
			}
		}
	}
	return s, nil
}

// A synset is a line of the data file: the words with one meaning, the relations to
// other synsets, and the definition.
type synset struct {
	words    []string
	pointers []pointer
	gloss    string
}

// A pointer is a relation to another synset: its symbol in WordNet, such as ~ for a kind,
// and the offset of that synset.
type pointer struct {
	symbol string
	at     int64
}

// below returns the synsets that are kinds or instances of this one and, if the search
// begins with it, its parts, members and the terms of its field. Parts of kinds are left
// out: they lead away from the topic.
func (x *synset) below(first bool) (list []int64) {
	for _, p := range x.pointers {
		switch p.symbol {
		case "~", "~i":
			list = append(list, p.at)
		case "%p", "%m", "-c":
			if first {
				list = append(list, p.at)
			}
		}
	}
	return list
}

var errSynset = errors.New("the entry is damaged")

// synset reads the synset at an offset. A line that does not begin with its own offset is
// damage: then the two files do not belong together.
func (d *Dict) synset(at int64) (*synset, error) {
	buf := make([]byte, maxLine)
	n, err := d.data.ReadAt(buf, at)
	if err != nil && err != io.EOF {
		return nil, err
	}
	line, _, _ := bytes.Cut(buf[:n], []byte("\n"))
	return parseSynset(string(line), at)
}

// parseSynset reads a line of the data file: offset, number of the lexicographer's file,
// type, number of words in hexadecimal, the words with a number each, number of pointers,
// these, and the gloss after a bar. Pointers to words that are not nouns are left out,
// since their offsets are in other files.
func parseSynset(line string, at int64) (*synset, error) {
	fields, gloss, _ := strings.Cut(line, "|")
	f := strings.Fields(fields)
	if len(f) < 5 || f[0] != fmt.Sprintf("%08d", at) {
		return nil, errSynset
	}
	n, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil || n < 1 || 4+2*int(n) >= len(f) {
		return nil, errSynset
	}
	x := &synset{gloss: strings.TrimSpace(gloss)}
	for _, w := range everyNth(f[4:4+2*n], 2) {
		x.words = append(x.words, strings.ToLower(strings.ReplaceAll(w, "_", " ")))
	}
	f = f[4+2*n:]
	count, err := strconv.Atoi(f[0])
	if err != nil || count < 0 || 1+4*count > len(f) {
		return nil, errSynset
	}
	for i := range count {
		p := f[1+4*i:]
		to, err := strconv.ParseInt(p[1], 10, 64)
		if err != nil {
			return nil, errSynset
		}
		if p[2] == "n" {
			x.pointers = append(x.pointers, pointer{p[0], to})
		}
	}
	return x, nil
}

// everyNth returns the first of every n fields.
func everyNth(list []string, n int) (out []string) {
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}
