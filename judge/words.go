package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"dowse"
	"dowse/internal/text"
)

// Constants of the formula, see [Words]. They were chosen by hand, for the
// reasons that docs/judge-words.md gives, and are not fitted to any collection.
const (
	bias       = -3.0 // a page without any sign: relevance 0.047
	oneWord    = 6.0  // weight of the word of a one-word topic
	manyWords  = 4.0  // what the weight of a word tends to in a topic of many
	phrase     = 0.7  // of a word's weight: a phrase with its words together
	part       = 0.3  // of a word's weight: a single word of a phrase
	parts      = 0.9  // of a word's weight: at most, the single words of one phrase
	alsoWeight = 1.2  // a supporting word
	aboutWord  = 0.25 // a word of the description
	notWeight  = -5.0 // a sign against
	partsCap   = 3.3  // all single words of phrases together
	alsoCap    = 2.5  // all supporting words together: not enough without a word of the topic

	halfway   = 2.2 // mentions that give half the weight in a text of wholePage words
	wholePage = 200 // words; a shorter page is treated as having so many, a window is not

	maxTitle   = 4 << 10 // bytes of the title that are read
	maxMeta    = 8 << 10 // bytes of description and keywords each
	maxReasons = 24      // reasons listed by name; the others are summed up in one
	keepFinds  = 1 << 14 // finds up to which a scratch returns to the pool
)

// WordsName identifies the judge [Words] in verdicts; the number changes with the
// formula.
const WordsName = "words/3"

// Words judges by the words of a topic, without training. It reads a page once, at 15
// to 20 ns per word, and is safe for concurrent use.
//
// The scale is log-odds: the relevance is 1/(1+exp(-z)), where z is the sum of
//
//	bias             -3
//	each sign        weight · tf / (tf + half(L))
//
// tf counts a sign in the text, double in title and meta; L is the length of the text
// in words. half(L) is the count that gives half the weight: 2.2·(L/200)^(1/3), where
// a page has at least 200 words, and 2.2·L/200 for windows below 200 words. Counts
// saturate, as in BM25: a second word of the topic is worth more than the tenth
// mention of the first. One mention in a page is worth little, in a window of 20 words
// nearly everything.
//
// In a topic of n words and phrases a word weighs W = 4 + 2/n. A phrase weighs 0.7 W
// if its words occur together in order (stop words may be between them), and its
// single words 0.3 W each, at most 0.9 W for one phrase and 3.3 for all phrases.
// Supporting words weigh 1.2 and words of the description 0.25, together at most 2.5.
// Words against the topic weigh -5.
//
// What title and meta add is a reason of its own, because it is what the author
// declares the page to be about.
//
// A page that contains hardly anything but the topic's words was written for search
// engines. If the six topic words that it repeats most fill more than one fifth of 200
// words or more, the sum of the signs shrinks, to nothing at two fifths.
type Words struct {
	lexicon *topicLexicon
	bias    float64
	none    float64   // relevance of a window without any sign
	pool    sync.Pool // of *scratch
}

// NewWords returns the judge of a topic in words. It returns an error if there are no
// words, too many, or words that could never be found.
func NewWords(w Wanted) (*Words, error) {
	if len(w.Words) == 0 {
		return nil, errors.New("judge: words: a topic needs at least one word")
	}
	return newWords(w, bias)
}

// NewSigns returns a judge whose signs are to be added to other evidence. It needs no
// words and has no bias: a page without any sign has log-odds 0.
func NewSigns(w Wanted) (*Words, error) { return newWords(w, 0) }

func newWords(w Wanted, bias float64) (*Words, error) {
	l, err := newLexicon(w)
	if err != nil {
		return nil, fmt.Errorf("judge: words: %w", err)
	}
	j := &Words{lexicon: l, bias: bias, none: sigmoid(bias)}
	j.pool.New = func() any { return newScratch(len(l.signs)) }
	return j, nil
}

// Judge returns the verdict on the page.
func (j *Words) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := j.JudgeWindows(p, nil)
	return v
}

// JudgeWindows returns the verdict on the page, and the relevance of each window as a
// text of its own. Windows are cut to the page's words.
func (j *Words) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	s := j.pool.Get().(*scratch)
	defer j.release(s)
	j.lexicon.find(s, p.Text, p.Words, text.NumbersOf(&p.Document))
	ratings := j.rate(s, windows, len(p.Words))
	return j.verdict(s, p, j.lexicon.repeated(s)), ratings
}

// release returns a scratch to the pool, unless a huge page has made it too large to
// keep.
func (j *Words) release(s *scratch) {
	if cap(s.codes) > keepFinds {
		s.codes = nil
	}
	if cap(s.finds) <= keepFinds && cap(s.hits) <= keepFinds {
		j.pool.Put(s)
	}
}

// rate rates the windows from the finds of the page, without reading the text again.
func (j *Words) rate(s *scratch, windows []dowse.Span, total int) []float64 {
	if len(windows) == 0 {
		return nil
	}
	ratings := make([]float64, len(windows))
	for i, w := range windows {
		w.Start = max(w.Start, 0)
		w.End = min(w.End, int32(total))
		ratings[i] = j.rateWindow(s, w)
	}
	return ratings
}

// rateWindow rates one window. A phrase counts only if all of it lies in the window.
func (j *Words) rateWindow(s *scratch, w dowse.Span) float64 {
	first := sort.Search(len(s.finds), func(i int) bool { return s.finds[i].start >= w.Start })
	for _, f := range s.finds[first:] {
		if f.start >= w.End {
			break
		}
		if f.end <= w.End {
			s.count(f.sign, inBody)
		}
	}
	if len(s.touched) == 0 {
		return j.none
	}
	z := j.bias + j.weigh(s, inBody, windowHalf(w.Len()))
	s.clear()
	return sigmoid(z)
}

// verdict makes reasons of the finds in the body, in meta and in the title. The weight
// of the title is the difference that it makes after body and meta, so that all
// weights add up.
func (j *Words) verdict(s *scratch, p *dowse.Page, r stuffing) dowse.Verdict {
	for _, f := range s.finds {
		s.count(f.sign, inBody)
	}
	meta := j.countIn(s, inMeta, head(p.Description, maxMeta)) + j.countIn(s, inMeta, head(p.Keywords, maxMeta))
	title := j.countIn(s, inTitle, head(p.Title, maxTitle))
	half := pageHalf(len(p.Words))

	body := j.weigh(s, inBody, half)
	because := j.reasons(s)
	withMeta := j.weigh(s, inMeta, half)
	withTitle := j.weigh(s, inTitle, half)
	s.clear()
	if title > 0 {
		because = append(because, dowse.Because{What: "title", Weight: withTitle - withMeta, Count: title})
	}
	if meta > 0 {
		because = append(because, dowse.Because{What: "meta", Weight: withMeta - body, Count: meta})
	}
	if b, ok := r.against(withTitle); ok {
		because = append(because, b)
	}
	return j.concluded(because)
}

// countIn counts the signs of a short text at a place and returns how many it found.
func (j *Words) countIn(s *scratch, where wordPlace, t string) int {
	if t == "" {
		return 0
	}
	s.spans = dowse.AppendWords(s.spans[:0], t, 0)
	j.lexicon.find(s, t, s.spans, nil)
	for _, f := range s.finds {
		s.count(f.sign, where)
	}
	return len(s.finds)
}

// weigh returns the sum of the weights of all signs counted at the places up to upTo:
// the body, body and meta, or all three. Groups above their cap are scaled down to it.
// The weight of each sign is left in s.weights.
func (j *Words) weigh(s *scratch, upTo wordPlace, half float64) float64 {
	var group [groups]float64
	for _, i := range s.touched {
		sign := &j.lexicon.signs[i]
		s.weights[i] = sign.weight * saturated(s.counts[i].upTo(upTo), half)
		group[sign.group] += s.weights[i]
	}
	scale := [groups]float64{
		wordGroup: 1,
		partGroup: capped(group[partGroup], partsCap),
		alsoGroup: capped(group[alsoGroup], alsoCap),
		notGroup:  1,
	}
	sum := 0.0
	for _, i := range s.touched {
		s.weights[i] *= scale[j.lexicon.signs[i].group]
		sum += s.weights[i]
	}
	return sum
}

// reasons lists the signs found in the body; words of the description are one reason.
func (j *Words) reasons(s *scratch) []dowse.Because {
	because := make([]dowse.Because, 0, len(s.touched)+4)
	about := dowse.Because{What: "about"}
	for _, i := range s.touched {
		sign, n := &j.lexicon.signs[i], int(s.counts[i][inBody])
		switch {
		case n == 0:
		case sign.what == "":
			about.Weight += s.weights[i]
			about.Count += n
		default:
			because = append(because, dowse.Because{What: sign.what, Weight: s.weights[i], Count: n})
		}
	}
	if about.Count > 0 {
		because = append(because, about)
	}
	return because
}

// concluded sorts the reasons by magnitude, adds the bias, and computes the relevance
// from their sum.
func (j *Words) concluded(because []dowse.Because) dowse.Verdict {
	slices.SortStableFunc(because, func(a, b dowse.Because) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(a.What, b.What))
	})
	if len(because) == 0 {
		because = append(because, dowse.Because{What: "none of the topic's words"})
	}
	because = shortened(because)
	if j.bias != 0 {
		because = append(because, dowse.Because{What: "bias", Weight: j.bias})
	}
	v := dowse.Verdict{Scale: LogOdds, Because: because, Judge: WordsName}
	v.Relevance = Without(v, -1)
	return v
}

// shortened sums up the weakest reasons beyond maxReasons in one.
func shortened(because []dowse.Because) []dowse.Because {
	if len(because) <= maxReasons {
		return because
	}
	rest := because[maxReasons:]
	others := dowse.Because{What: fmt.Sprintf("%d other signs", len(rest))}
	for _, b := range rest {
		others.Weight += b.Weight
		others.Count += b.Count
	}
	return append(because[:maxReasons:maxReasons], others)
}

// saturated returns the share of its weight that a sign gets for tf mentions.
func saturated(tf, half float64) float64 { return tf / (tf + half) }

// capped returns the factor that reduces a sum to a limit, 1 if it is within.
func capped(sum, limit float64) float64 {
	if sum > limit {
		return limit / sum
	}
	return 1
}

// pageHalf is half(L) for a page, see [Words].
func pageHalf(words int) float64 {
	return halfway * math.Cbrt(float64(max(words, wholePage))/wholePage)
}

// windowHalf is half(L) for a window, see [Words].
func windowHalf(words int) float64 {
	if words >= wholePage {
		return pageHalf(words)
	}
	return halfway * float64(max(words, 1)) / wholePage
}

func head(s string, n int) string { return s[:min(len(s), n)] }
