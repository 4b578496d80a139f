package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	index "github.com/blevesearch/bleve_index_api"
)

// Parameters of BM25F: how soon further occurrences of a word count less, how much long fields are
// held against a page, and what a word in the title and in the frame is worth, compared with the own text. The first
// two are the usual values.
const (
	saturation  = 1.2  // k1
	lengthShare = 0.75 // b
	titleWeight = 4.0
	frameWeight = 0.2
)

// A matcher finds the pages of one index that match the clauses of a query, and rates them. It is used
// for one query.
type matcher struct {
	ctx   context.Context
	index *snapshot
	stats *stats

	// Of each page by its number in the index: the rating so far, in how many groups of words it
	// occurs, and the weighted frequency within the current group.
	score []float64
	found []int
	freq  []float64

	words []byte // of the page that order returned last
}

// stats are the statistics of all indexes that are searched together.
type stats struct {
	pages              int
	title, text, frame float64 // average number of words
	df                 map[string]int
}

// A wordGroup is a word that is looked for: pages with any of its terms have it.
type wordGroup struct {
	terms  []string
	title  bool // in the title only
	weight float64
}

// fields returns the fields of a group with their weights and average lengths.
func (m *matcher) fields(g wordGroup) []field {
	title := field{fieldTitle, titleWeight, max(m.stats.title, 1)}
	if g.title {
		return []field{title}
	}
	return []field{title, {fieldText, 1, max(m.stats.text, 1)}, {fieldFrame, frameWeight, max(m.stats.frame, 1)}}
}

// A field is a part of a page that words are looked for in.
type field struct {
	name   string
	weight float64
	length float64 // average number of words
}

// key is the key of a group in the frequencies of all indexes.
func (g wordGroup) key() string {
	s := ""
	if g.title {
		s = "title:"
	}
	for _, t := range g.terms {
		s += t + "\x00"
	}
	return s
}

// groupsOf returns the words of clauses that must occur.
func groupsOf(clauses []clause) (list []wordGroup) {
	for _, c := range clauses {
		for _, w := range c.words {
			if !c.not {
				list = append(list, wordGroup{w.terms, c.title, 1})
			}
		}
	}
	return list
}

// count returns in how many pages of the index a group occurs: the number of pages of its most
// frequent term, which is a little too low where a group has several.
func (m *matcher) count(g wordGroup) (most int, err error) {
	for _, f := range m.fields(g) {
		for _, t := range g.terms {
			r, err := m.index.TermFieldReader(m.ctx, []byte(t), f.name, false, false, false)
			if err != nil {
				return 0, err
			}
			most = max(most, int(r.Count()))
			if err := r.Close(); err != nil {
				return 0, err
			}
		}
	}
	return most, nil
}

// rarity is the weight of a group by how few pages it occurs in.
func (s *stats) rarity(g wordGroup) float64 {
	n, df := float64(s.pages), float64(min(s.df[g.key()], s.pages))
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// all returns the pages that have all groups, least number first. It begins with the rarest group, so that
// for the others only few pages are looked at.
func (m *matcher) all(groups []wordGroup) (docs []uint64, err error) {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(x, y wordGroup) int { return m.stats.df[x.key()] - m.stats.df[y.key()] })
	for i, g := range groups {
		if i == 0 {
			docs, err = m.gather(g, nil)
		} else {
			docs, err = m.gather(g, docs)
		}
		if err != nil || len(docs) == 0 {
			return nil, err
		}
		docs = slices.DeleteFunc(docs, func(d uint64) bool { return m.found[d] <= i })
	}
	return docs, nil
}

// any returns the pages that have at least one group.
func (m *matcher) any(groups []wordGroup) (docs []uint64, err error) {
	for _, g := range groups {
		more, err := m.gather(g, nil)
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	if len(docs) < len(m.found)/8 {
		slices.Sort(docs)
		return slices.Compact(docs), nil
	}
	docs = docs[:0]
	for d, n := range m.found {
		if n > 0 {
			docs = append(docs, uint64(d))
		}
	}
	return docs, nil
}

// gather rates the pages in which a group occurs, and returns them. With among, only these are
// looked at.
func (m *matcher) gather(g wordGroup, among []uint64) (docs []uint64, err error) {
	for _, f := range m.fields(g) {
		for _, t := range g.terms {
			if docs, err = m.postings(f, t, among, docs); err != nil {
				return nil, err
			}
		}
	}
	docs = m.inOrder(docs)
	rarity := m.stats.rarity(g) * g.weight
	for _, d := range docs {
		m.score[d] += rarity * m.freq[d] * (saturation + 1) / (m.freq[d] + saturation)
		m.freq[d] = 0
		m.found[d]++
	}
	return docs, nil
}

// inOrder sorts the pages of the current group. If they are many, to go through all pages takes less time.
func (m *matcher) inOrder(docs []uint64) []uint64 {
	if len(docs) < len(m.freq)/8 {
		slices.Sort(docs)
		return docs
	}
	docs = docs[:0]
	for d, f := range m.freq {
		if f > 0 {
			docs = append(docs, uint64(d))
		}
	}
	return docs
}

// fewer is how many times fewer pages than postings there must be for jumps to be cheaper than
// reading on.
const fewer = 8

// postings adds the frequencies of a term to the pages that have it, and the pages that have nothing of the
// group yet to docs.
func (m *matcher) postings(f field, term string, among, docs []uint64) ([]uint64, error) {
	r, err := m.index.TermFieldReader(m.ctx, []byte(term), f.name, true, true, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	add := func(p *index.TermFieldDoc) {
		d := p.ID.Value()
		m.grow(d)
		if m.freq[d] == 0 {
			docs = append(docs, d)
		}
		length := 1 / (p.Norm * p.Norm)
		m.freq[d] += f.weight * float64(p.Freq) / (1 - lengthShare + lengthShare*length/f.length)
	}
	var p index.TermFieldDoc
	if among == nil || len(among) > int(r.Count())/fewer {
		wanted := func(d uint64) bool { return among == nil || d < uint64(len(m.found)) && m.found[d] > 0 }
		for {
			got, err := r.Next(p.Reset())
			if err != nil || got == nil {
				return docs, err
			}
			if wanted(got.ID.Value()) {
				add(got)
			}
		}
	}
	err = walk(r, among, func(_ uint64, p *index.TermFieldDoc) { add(p) })
	return docs, err
}

// walk calls each for those of some pages, least number first, that a reader of postings has.
func walk(r index.TermFieldReader, docs []uint64, each func(d uint64, p *index.TermFieldDoc)) error {
	var p index.TermFieldDoc
	var id index.IndexInternalID
	for i := 0; i < len(docs); {
		id = index.NewIndexInternalID(id, docs[i])
		got, err := r.Advance(id, p.Reset())
		if err != nil || got == nil {
			return err
		}
		at := got.ID.Value()
		for i < len(docs) && docs[i] < at {
			i++
		}
		if i < len(docs) && docs[i] == at {
			each(at, got)
			i++
		}
	}
	return nil
}

// grow makes room for a page.
func (m *matcher) grow(d uint64) {
	if n := int(d) + 1; n > len(m.score) {
		n += n / 2
		m.score = append(m.score, make([]float64, n-len(m.score))...)
		m.found = append(m.found, make([]int, n-len(m.found))...)
		m.freq = append(m.freq, make([]float64, n-len(m.freq))...)
	}
}

// everything returns all pages.
func (m *matcher) everything() (docs []uint64, err error) {
	r, err := m.index.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		id, err := r.Next()
		if err != nil || id == nil {
			return docs, err
		}
		d := id.Value()
		m.grow(d)
		docs = append(docs, d)
	}
}

// maxPhrased is how many pages of an index are read for the order of their words.
const maxPhrased = 20_000

// candidates returns the pages that are looked at for phrases, least number first: the best of more than most, and whether these are all. The
// others would come after them in any answer.
func (m *matcher) candidates(clauses []clause, docs []uint64, most int) (list []uint64, all bool) {
	phrase := slices.ContainsFunc(clauses, func(c clause) bool { return len(c.words) > 1 && !c.title })
	if !phrase || len(docs) <= most {
		return docs, true
	}
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b uint64) int { return cmp.Or(cmp.Compare(m.score[b], m.score[a]), cmp.Compare(a, b)) })
	docs = docs[:most]
	slices.Sort(docs)
	return docs, false
}

// phrases leaves the pages in which the words of each phrase follow each other, and removes those that have what
// is excluded.
func (m *matcher) phrases(clauses []clause, docs []uint64) ([]uint64, error) {
	for _, c := range clauses {
		if len(c.words) == 1 && !c.not {
			continue
		}
		has := map[uint64]bool{}
		if err := m.inTitle(c.words, docs, has); err != nil {
			return nil, err
		}
		if !c.title {
			if err := m.inText(c.words, docs, has); err != nil {
				return nil, err
			}
		}
		docs = slices.DeleteFunc(docs, func(d uint64) bool { return has[d] == c.not })
	}
	return docs, nil
}

// inText adds the pages among docs in whose text or frame words follow each other to has.
func (m *matcher) inText(words []queryWord, docs []uint64, has map[uint64]bool) error {
	with, err := m.having(words[0], docs)
	if err != nil || len(words) == 1 {
		for _, d := range with {
			has[d] = true
		}
		return err
	}
	hashes := make([][]uint16, len(words))
	for i, w := range words {
		for _, t := range w.terms {
			hashes[i] = append(hashes[i], shortHash(t))
		}
	}
	for _, d := range with {
		order, err := m.order(d)
		if err != nil {
			return err
		}
		has[d] = has[d] || follows(order, words, hashes)
	}
	return nil
}

// having returns those of some pages whose text or frame has a word.
func (m *matcher) having(w queryWord, docs []uint64) (list []uint64, err error) {
	for _, f := range []string{fieldText, fieldFrame} {
		for _, t := range w.terms {
			r, err := m.index.TermFieldReader(m.ctx, []byte(t), f, false, false, false)
			if err != nil {
				return nil, err
			}
			err = walk(r, docs, func(d uint64, _ *index.TermFieldDoc) { list = append(list, d) })
			if err := errors.Join(err, r.Close()); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// order returns the words of a page in order, as orderOf made them. It asks the segment that has the page: the reader of the whole
// index would look the page up by its name first. It stays valid until the next call.
func (m *matcher) order(d uint64) (order []byte, err error) {
	s, local := m.index.segmentOf(d)
	if s == nil {
		return nil, errDamaged
	}
	err = s.VisitDocument(local, func(field string, _ byte, value []byte, _ []uint64) bool {
		if field != fieldOrder {
			return true
		}
		m.words = append(m.words[:0], value...)
		order = m.words
		return false
	})
	return order, err
}

// follows reports whether words follow each other at the distances that they have in the query. It looks for the first word as
// bytes, which is many times as fast as to compare number by number.
func follows(order []byte, words []queryWord, hashes [][]uint16) bool {
	for _, h := range hashes[0] {
		first := [2]byte{byte(h >> 8), byte(h)}
		for from := 0; ; {
			i := bytes.Index(order[from:], first[:])
			if i < 0 {
				break
			}
			if at := from + i; at%2 == 0 && restFollows(order, at/2, words, hashes) {
				return true
			}
			from += i + 1
		}
	}
	return false
}

// restFollows reports whether the other words of a phrase follow the first one, which is at a place.
func restFollows(order []byte, at int, words []queryWord, hashes [][]uint16) bool {
	for k := 1; k < len(words); k++ {
		j := at + words[k].at - words[0].at
		if j >= len(order)/2 || !slices.Contains(hashes[k], binary.BigEndian.Uint16(order[2*j:])) {
			return false
		}
	}
	return true
}

// inTitle adds the pages among docs in whose title words follow each other to has.
func (m *matcher) inTitle(words []queryWord, docs []uint64, has map[uint64]bool) error {
	var starts map[uint64][]int // where the phrase may begin, by page
	for i, w := range words {
		at := map[uint64][]int{}
		for _, t := range w.terms {
			if err := m.positions(fieldTitle, t, docs, w.at-words[0].at, at); err != nil {
				return err
			}
		}
		if i > 0 {
			for d, list := range at {
				at[d] = slices.DeleteFunc(list, func(p int) bool { return !slices.Contains(starts[d], p) })
			}
		}
		starts = at
	}
	for d, list := range starts {
		if len(list) > 0 {
			has[d] = true
		}
	}
	return nil
}

// positions adds the positions of a term in a field, less an offset, to at.
func (m *matcher) positions(field, term string, docs []uint64, offset int, at map[uint64][]int) error {
	r, err := m.index.TermFieldReader(m.ctx, []byte(term), field, true, true, true)
	if err != nil {
		return err
	}
	defer r.Close()
	return walk(r, docs, func(d uint64, p *index.TermFieldDoc) {
		for _, v := range p.Vectors {
			at[d] = append(at[d], int(v.Pos)-offset)
		}
	})
}
