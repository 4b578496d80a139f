package judge

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// A Dewey builds a judge from a decimal classification, following the link classifier
// of Seyfi and Patel 2015 (T-Graph). Every word of a text votes for all classes whose
// label contains it. The class is then decided digit by digit: phase n sums the votes
// by the first n digits, keeps the prefix with the most votes (all of them if tied),
// and drops the other codes. A text is on topic if a remaining class is a desired one.
//
// Deciding by digits and not by the single class with the most votes lets a field win
// that has many moderately supported classes over one stray class with a common word
// in its label.
//
// It needs a table of codes and labels, and no examples. A text costs one step per
// term and class voted for.
type Dewey struct {
	Language string   // for stems and stop words; "" means English
	Codes    []Code   // the classification; nil means [PaperCodes]
	Desired  []string // the codes that are wanted; nil means those of PaperCodes
	Digits   int      // leading digits of a code that are decided; default 3 (the paper)
	Head     float64  // count of a word in title or meta, against 1 in the text; default 1.4, the paper's value for anchors
	Split    bool     // divide the vote of a word among its codes instead of giving each a whole one; not in the paper
}

// A Code is one class of a classification: its number and its label.
type Code struct {
	Code  string `json:"code"`
	Label string `json:"label"`
}

// Limits and the paper's constants.
const (
	deweyDigits = 3
	anchorVote  = 1.4
	tied        = 1e-9 // votes that differ by no more are tied
	maxCodes    = 100_000
	maxLabel    = 4 << 10
)

// PaperCodes returns the 20 classes around the English language that Seyfi and Patel
// 2015 crawl for, with labels of our own, without words that pages on any topic have (general,
// old, words, learning): a word votes each time it occurs. All of them are desired, so a judge made
// from these alone rates every page relevant that contains one of their words; give it
// a whole classification to have classes that can lose.
func PaperCodes() []Code {
	return []Code{
		{"400", "languages"}, {"403", "wordbooks, dictionaries and encyclopedias on languages"},
		{"410", "linguistics"}, {"412", "etymology"}, {"413", "polyglot dictionaries"},
		{"414", "phonology and phonetics"}, {"415", "grammar and syntax"},
		{"417", "dialects, historical linguistics"}, {"418", "usage of languages, translation"},
		{"419", "sign languages"}, {"420", "English language"}, {"421", "English spelling and pronunciation"},
		{"422", "English etymology"}, {"423", "English dictionaries"}, {"425", "English grammar"},
		{"427", "English dialects"}, {"428", "English usage"},
		{"429", "Anglo-Saxon"}, {"490", "other languages"}, {"820", "English literature"},
	}
}

// ParseCodes reads a classification: one class per line, code and label separated by a
// tab. Further columns, such as the code of the class above, are ignored: they are not
// words of the label. It skips empty lines, lines that begin with # and a heading "code<tab>label" in
// line 1. A file may have at most 100,000 classes and lines of at most 4 KiB.
func ParseCodes(r io.Reader) ([]Code, error) {
	var list []Code
	lines := bufio.NewScanner(plain.Unmarked(r))
	lines.Buffer(nil, maxLabel)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		code, label, found := strings.Cut(line, "\t")
		code = strings.TrimSpace(code)
		label, _, _ = strings.Cut(label, "\t")
		if !found || code == "" {
			return nil, fmt.Errorf("judge: codes: line %d: want a code and a label separated by a tab", n)
		}
		if n == 1 && strings.EqualFold(code, "code") {
			continue
		}
		if len(list) == maxCodes {
			return nil, fmt.Errorf("judge: codes: line %d: too many classes (at most %d)", n, maxCodes)
		}
		list = append(list, Code{code, strings.TrimSpace(label)})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("judge: codes: %w", err)
	}
	return list, nil
}

// Digits is the judge that [Dewey] makes.
type Digits struct {
	*trained
	made Dewey
}

// New builds the judge. Its reasons add up to the relevance: one half of it is the
// share of the votes that desired classes got, the other half is given if a desired
// class wins. The paper only has the second part, a yes or no; the share makes an
// order of the pages on either side.
func (t Dewey) New() (*Digits, error) {
	if t.Codes == nil {
		t.Codes = PaperCodes()
	}
	if t.Desired == nil {
		for _, c := range PaperCodes() {
			t.Desired = append(t.Desired, c.Code)
		}
	}
	t.Digits = cmp.Or(t.Digits, deweyDigits)
	t.Head = cmp.Or(t.Head, anchorVote)
	if len(t.Codes) == 0 || len(t.Codes) > maxCodes || t.Digits < 1 {
		return nil, fmt.Errorf("judge: dewey: %d classes of %d digits", len(t.Codes), t.Digits)
	}
	f := Features{Language: t.Language, Head: t.Head, Raw: true}
	c, vocabulary := newDigits(t, f.analyzer(-1))
	if vocabulary.Len() == 0 {
		return nil, errors.New("judge: dewey: no label has a word")
	}
	return &Digits{newTrained("dewey", newSpace(f, vocabulary, false), c), t}, nil
}

// A Ballot is the sum of the votes for a class, or for all classes whose codes begin
// alike.
type Ballot struct {
	Code   string
	Weight float64
}

// A codePhase is the vote on one more digit.
type codePhase struct {
	Totals []Ballot // by code
	Kept   []string // the prefixes with the most votes: one, or several that are tied
}

// A Prediction is the predicted class of a text, with the votes that led to it.
type Prediction struct {
	Votes   []Ballot // by code
	Phases  []codePhase
	Codes   []string // the codes that remain, cut to the digits decided; more than one if tied
	OnTopic bool     // one of them is desired
}

// A Token is a term (already stemmed) and how much it counts.
type Token struct {
	Term   string
	Weight float64
}

// Predict returns the class of a bag of terms with all votes, for explanations and
// tests. For a link, Seyfi and Patel 2015 count terms of the anchor 1.4 and those of
// the surrounding text and headings 1. A term may occur several times. Without any
// vote the result is not on topic.
func (j *Digits) Predict(tokens []Token) Prediction {
	sums := map[int32]float64{}
	for _, t := range tokens {
		if id := j.space.words.ID(t.Term); id >= 0 {
			sums[id] += t.Weight
		}
	}
	v := make(text.Vector, 0, len(sums))
	for id, w := range sums {
		v = append(v, text.Entry{Term: id, Weight: w})
	}
	slices.SortFunc(v, func(a, b text.Entry) int { return cmp.Compare(a.Term, b.Term) })
	return j.core.(*digits).predict(v)
}

// Class returns one class of those that [Digits.Predict] leaves, a desired one if
// there is any, and whether it is desired; "" if no term has a vote. It is the form to
// use for every link of every page: it allocates next to nothing, because the votes
// are counted in pooled memory. Each term must occur once.
func (j *Digits) Class(tokens []Token) (code string, wanted bool) {
	d := j.core.(*digits)
	n := d.pool.Get().(*count)
	defer d.release(n)
	v := n.terms[:0]
	for _, t := range tokens {
		if id := j.space.words.ID(t.Term); id >= 0 {
			v = append(v, text.Entry{Term: id, Weight: t.Weight})
		}
	}
	n.terms = v
	d.vote(n, v)
	left := d.winners(n)
	for _, c := range left {
		if d.wanted[c] {
			return d.codes[c], true
		}
	}
	if len(left) == 0 {
		return "", false
	}
	return d.codes[left[0]], false
}

// digits is the core of the judge. codes are sorted, so that codes with a common
// prefix are neighbours and a phase is one pass over the remaining list.
type digits struct {
	codes   []string
	wanted  []bool    // by code: its first depth digits begin a desired code
	desired []string  // sorted
	votes   [][]int32 // by term: the codes whose label has it
	depth   int
	split   bool
	pool    sync.Pool // of *count
}

// count is the working memory of one vote. Between uses all votes are zero, which
// release restores in time proportional to the codes that got one.
type count struct {
	votes []float64
	voted []int32 // codes with a vote; sorted after vote
	terms text.Vector
}

// newDigits indexes the labels: by term, the codes whose label contains it.
func newDigits(t Dewey, a *text.Analyzer) (*digits, *text.Vocabulary) {
	codes := slices.Clone(t.Codes)
	slices.SortStableFunc(codes, func(a, b Code) int { return cmp.Compare(a.Code, b.Code) })
	d := &digits{depth: t.Digits, split: t.Split, desired: slices.Sorted(slices.Values(t.Desired))}
	var census text.Census
	labels := make([][]string, len(codes))
	for i, c := range codes {
		labels[i] = a.Terms(c.Label)
		census.Add(labels[i], false)
		d.codes = append(d.codes, c.Code)
		d.wanted = append(d.wanted, d.isWanted(c.Code))
	}
	vocabulary := census.Vocabulary()
	d.votes = make([][]int32, vocabulary.Len())
	for i, label := range labels {
		for _, e := range vocabulary.Count(label) {
			d.votes[e.Term] = append(d.votes[e.Term], int32(i))
		}
	}
	d.pool.New = func() any { return &count{votes: make([]float64, len(d.codes))} }
	return d, vocabulary
}

// isWanted reports whether the code, cut to the decided digits, is a prefix of a
// desired code. Digits beyond those cannot be decided and therefore cannot exclude.
func (d *digits) isWanted(code string) bool {
	prefix := cut(code, d.depth)
	i, _ := slices.BinarySearch(d.desired, prefix)
	return i < len(d.desired) && strings.HasPrefix(d.desired[i], prefix)
}

func cut(code string, digits int) string { return code[:min(len(code), digits)] }

// vote adds up the votes of the terms in n.
func (d *digits) vote(n *count, v text.Vector) {
	n.voted = n.voted[:0]
	for _, e := range v {
		weight := d.each(e)
		for _, c := range d.votes[e.Term] {
			if n.votes[c] == 0 {
				n.voted = append(n.voted, c)
			}
			n.votes[c] += weight
		}
	}
	slices.Sort(n.voted)
}

// each returns the vote that a term gives to each of its codes.
func (d *digits) each(e text.Entry) float64 {
	if d.split {
		return e.Weight / float64(len(d.votes[e.Term]))
	}
	return e.Weight
}

// release zeroes the votes and returns n to the pool. Slices that point into n are
// invalid afterwards.
func (d *digits) release(n *count) {
	for _, c := range n.voted {
		n.votes[c] = 0
	}
	d.pool.Put(n)
}

// A bracket is a run of remaining codes with the same prefix, and the sum of their
// votes.
type bracket struct {
	from, to int // a range of the remaining codes
	total    float64
}

// phase decides one more digit and returns the codes that remain. It calls each,
// unless it is nil, with every bracket and whether it was kept.
func (d *digits) phase(n *count, left []int32, digit int, each func(b bracket, kept bool)) []int32 {
	var space [64]bracket
	brackets, most := space[:0], 0.0
	for i := 0; i < len(left); {
		b := bracket{from: i}
		prefix := cut(d.codes[left[i]], digit)
		for ; i < len(left) && cut(d.codes[left[i]], digit) == prefix; i++ {
			b.total += n.votes[left[i]]
		}
		b.to = i
		most = max(most, b.total)
		brackets = append(brackets, b)
	}
	kept := left[:0:0]
	for _, b := range brackets {
		stays := most-b.total <= tied
		if each != nil {
			each(b, stays)
		}
		if stays {
			kept = append(kept, left[b.from:b.to]...)
		}
	}
	return kept
}

// winners returns the codes that remain after the last digit.
func (d *digits) winners(n *count) []int32 {
	left := n.voted
	for digit := 1; digit <= d.depth; digit++ {
		left = d.phase(n, left, digit, nil)
	}
	return left
}

func (d *digits) predict(v text.Vector) Prediction {
	n := d.pool.Get().(*count)
	defer d.release(n)
	d.vote(n, v)
	var p Prediction
	for _, c := range n.voted {
		p.Votes = appendBallot(p.Votes, d.codes[c], n.votes[c])
	}
	left := n.voted
	for digit := 1; digit <= d.depth && len(left) > 0; digit++ {
		var phase codePhase
		before := left
		left = d.phase(n, left, digit, func(b bracket, kept bool) {
			prefix := cut(d.codes[before[b.from]], digit)
			phase.Totals = append(phase.Totals, Ballot{prefix, b.total})
			if kept {
				phase.Kept = append(phase.Kept, prefix)
			}
		})
		p.Phases = append(p.Phases, phase)
		p.Codes = phase.Kept
	}
	p.OnTopic = slices.ContainsFunc(left, func(c int32) bool { return d.wanted[c] })
	return p
}

// appendBallot appends a vote, or adds it to the last one if that is for the same
// code: a table may list a code twice, with two labels.
func appendBallot(list []Ballot, code string, weight float64) []Ballot {
	if n := len(list); n > 0 && list[n-1].Code == code {
		list[n-1].Weight += weight
		return list
	}
	return append(list, Ballot{code, weight})
}

// outcome returns the sum of all votes, and a desired code among the winners, or -1.
// The votes stay in n until release.
func (d *digits) outcome(n *count, v text.Vector) (total float64, winner int32) {
	d.vote(n, v)
	for _, c := range n.voted {
		total += n.votes[c]
	}
	for _, c := range d.winners(n) {
		if d.wanted[c] {
			return total, c
		}
	}
	return total, -1
}

func (d *digits) rate(v text.Vector) float64 {
	n := d.pool.Get().(*count)
	defer d.release(n)
	total, winner := d.outcome(n, v)
	wanted := 0.0
	for _, c := range n.voted {
		if d.wanted[c] {
			wanted += n.votes[c]
		}
	}
	return decided(wanted, total, winner)
}

// decided returns the relevance: half the share of votes for desired codes, plus one
// half if one of them won. Without votes it is 0.
func decided(wanted, total float64, winner int32) float64 {
	if total == 0 {
		return 0
	}
	relevance := wanted / total / 2
	if winner >= 0 {
		relevance += 0.5
	}
	return min(relevance, 1)
}

func (d *digits) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	n := d.pool.Get().(*count)
	total, winner := d.outcome(n, v)
	d.release(n)
	for _, e := range v {
		wanted := 0.0
		for _, c := range d.votes[e.Term] {
			if d.wanted[c] {
				wanted += d.each(e)
			}
		}
		if total > 0 {
			r.reasons.add(e.Term, wanted/total/2)
		}
	}
	relevance := d.rate(v)
	if winner < 0 {
		return relevance, Share, nil
	}
	return relevance, Share, []dowse.Because{{What: "class " + quoted(d.codes[winner]) + " is wanted", Weight: 0.5}}
}

type savedDewey struct {
	Language string   `json:"language,omitempty"`
	Digits   int      `json:"digits"`
	Head     float64  `json:"head"`
	Split    bool     `json:"split,omitempty"`
	Desired  []string `json:"desired"`
	Codes    []Code   `json:"codes"`
}

// MarshalJSON returns the classification and the desired codes as JSON; everything
// else is computed from them again.
func (j *Digits) MarshalJSON() ([]byte, error) {
	t := j.made
	return json.Marshal(savedDewey{t.Language, t.Digits, t.Head, t.Split, t.Desired, t.Codes})
}

func loadDewey(data []byte) (Model, error) {
	var s savedDewey
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if s.Codes == nil || s.Desired == nil {
		return nil, errors.New("no codes")
	}
	j, err := Dewey{s.Language, s.Codes, s.Desired, s.Digits, s.Head, s.Split}.New()
	if err != nil {
		return nil, err
	}
	return j, sane([]float64{s.Head})
}
