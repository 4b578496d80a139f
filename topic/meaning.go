package topic

import (
	"math"
	"strings"

	"dowse"
	"dowse/internal/text"
	"dowse/judge"
)

// A Meaning is what a word of a topic may mean by a dictionary: the names of its kinds,
// instances and parts. A word has several, and most of them are not meant, so a judge does
// not go by names: pages have to confirm them (see [Topic.Grow]).
type Meaning struct {
	Of    string   `json:"of"`    // the word or phrase of the topic
	Gloss string   `json:"gloss"` // the definition
	Names []string `json:"names"`
}

// MaxNames is how many names of a meaning count.
const MaxNames = 900

// When pages confirm a meaning or a name of it. The numbers were chosen on the tuning
// topics of Wikispeedia.
const (
	leastTie     = 0.15 // correlation of its names and the topic's words over pages seen
	fewestNamed  = 3    // pages with a name that are enough to drop it
	mostFromName = 2.5  // log-odds that the names of a page add, as much as good signs do
)

// A confirmed meaning is one that pages seen bear out: where its names are, the words of
// the topic are, too.
type confirmed struct {
	Meaning
	Tie     float64  // correlation of its names and the words
	Dropped []string // names that are as frequent where the words are not
	Found   []string // names that were found and stay

	hints []float64 // what the names add to each page, in log-odds
}

// confirm returns the meanings that pages bear out; words are their log-odds by the words.
func (t *Topic) confirm(list []Meaning, seen []Seen, words []float64) (out []confirmed, err error) {
	for _, m := range list {
		c, err := t.weighNames(m, seen, words)
		if err != nil {
			return nil, err
		}
		if c != nil && c.Tie >= leastTie {
			out = append(out, *c)
		}
	}
	return out, nil
}

// weighNames looks for the names of a meaning on pages; nil where it has none that can be
// looked for.
func (t *Topic) weighNames(m Meaning, seen []Seen, words []float64) (*confirmed, error) {
	names := t.lookable(m.Names)
	if len(names) == 0 {
		return nil, nil
	}
	signs, err := judge.NewSigns(judge.Wanted{Also: names, Language: t.Language()})
	if err != nil {
		return nil, err
	}
	found := make([]map[string]float64, len(seen))
	sums, counts := map[string]float64{}, map[string]int{}
	mean := meanOf(words)
	for i, s := range seen {
		found[i] = namedOn(signs, s.Page)
		for name := range found[i] {
			sums[name] += words[i] - mean
			counts[name]++
		}
	}
	c := &confirmed{Meaning: m, hints: make([]float64, len(seen))}
	for _, name := range names {
		switch {
		case counts[name] == 0:
		case counts[name] >= fewestNamed && sums[name] <= 0:
			c.Dropped = append(c.Dropped, name)
		default:
			c.Found = append(c.Found, name)
		}
	}
	for i := range seen {
		for _, name := range c.Found {
			c.hints[i] += found[i][name]
		}
		c.hints[i] = min(c.hints[i], mostFromName)
	}
	c.Tie = correlation(c.hints, words)
	return c, nil
}

// lookable returns the names that can be looked for and are not the topic's own words,
// each once.
func (t *Topic) lookable(names []string) (list []string) {
	a := text.NewAnalyzer(text.Options{Language: t.Language()})
	had := map[string]bool{}
	for _, w := range t.Words {
		had[strings.Join(a.Terms(w), " ")] = true
	}
	for _, name := range names {
		terms := a.Terms(name)
		key := strings.Join(terms, " ")
		if len(terms) == 0 || len(terms) > judge.MaxPhrase || had[key] || len(list) == MaxNames {
			continue
		}
		had[key] = true
		list = append(list, name)
	}
	return list
}

// namedOn returns the names on a page with what each weighs.
func namedOn(signs *judge.Words, p *dowse.Page) map[string]float64 {
	found := map[string]float64{}
	for _, b := range signs.Judge(p).Because {
		if name, ok := strings.CutPrefix(b.What, `"`); ok && b.Weight > 0 {
			found[strings.TrimSuffix(name, `"`)] += b.Weight
		}
	}
	return found
}

// meanOf returns the mean of a list, 0 for an empty one.
func meanOf(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(len(list), 1))
}

// correlation returns Pearson's coefficient, 0 where one of the two does not vary.
func correlation(a, b []float64) float64 {
	ma, mb := meanOf(a), meanOf(b)
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-ma, b[i]-mb
		ab += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(float64(aa*bb))
}
