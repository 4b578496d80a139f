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
)

// The numbers of the formula, see [Words]. They were chosen by hand, for the
// reasons that docs/judge-words.md gives, and are not fitted to any collection.
const (
	bias       = -3.0 // a page without any sign: relevance 0.047
	oneWord    = 6.0  // weight of the word of a one-word topic
	manyWords  = 4.0  // what the weight of a word tends to in a topic of many
	phrase     = 0.7  // of a word's weight: a phrase that stands together
	part       = 0.3  // of a word's weight: a single word of a phrase
	parts      = 0.9  // of a word's weight: at most, the single words of one phrase
	alsoWeight = 1.2  // a good sign
	aboutWord  = 0.25 // a word of the description
	notWeight  = -5.0 // a sign against
	partsCap   = 3.3  // all single words of phrases together
	alsoCap    = 2.5  // all good signs together: not enough without a word of the topic

	halfway   = 2.2 // mentions that give half the weight in a text of wholePage words
	wholePage = 200 // words; a shorter page counts as one of so many, a window does not

	maxTitle   = 4 << 10 // bytes of the title that are read
	maxMeta    = 8 << 10 // bytes of description and keywords each
	maxReasons = 24      // reasons by name; the others are summed up in one
	keepFinds  = 1 << 14 // finds for which a scratch is used again
)

// WordsName is how verdicts name the judge [Words]; the number changes with the formula.
const WordsName = "words/2"

// Words judges by the words of a topic. It reads a page once, in 15 to 20 ns a
// word, and may be used from many goroutines.
//
// The scale is log-odds: relevance is 1/(1+exp(-z)), and z is the sum of
//
//	bias             -3
//	each sign        weight · tf / (tf + half(L))
//
// where tf counts the sign in the text, double in title and meta, and L is the
// length of the text in words. half, the count that gives half the weight, is
// 2.2·(L/200)^(1/3), and for windows below 200 words 2.2·L/200; a page has at
// least 200. So counts saturate: a second word of the topic is worth more than the
// tenth mention of the first, and one mention in a page is worth little, in a
// window of 20 words nearly all.
//
// With n words and phrases in the topic a word weighs W = 4 + 2/n. A phrase weighs
// 0.7 W where its words stand together in order, stop words between them allowed,
// and its single words 0.3 W each, for one phrase at most 0.9 W and for all
// phrases at most 3.3. Good signs weigh 1.2, words of the description 0.25,
// together at most 2.5. Signs against weigh -5.
//
// What title and meta add is a reason of its own, since it is what the author says
// the page is about.
//
// A page that hardly says anything but the topic's words is made to be found. Where the
// six of them that it repeats most fill more than a fifth of 200 words or more, the sum
// of the signs shrinks, to nothing at two fifths.
type Words struct {
	lexicon *topicLexicon
	bias    float64
	pool    sync.Pool // of *scratch
}

// NewWords returns the judge of what is wanted. It refuses a topic without words,
// and words that it could never find.
func NewWords(w Wanted) (*Words, error) {
	if len(w.Words) == 0 {
		return nil, errors.New("judge: words: a topic needs at least one word")
	}
	return newWords(w, bias)
}

// NewSigns returns a judge of signs that stand beside other evidence. It needs no
// words, and has no bias: a page without any sign has log-odds of 0.
func NewSigns(w Wanted) (*Words, error) { return newWords(w, 0) }

func newWords(w Wanted, bias float64) (*Words, error) {
	l, err := newLexicon(w)
	if err != nil {
		return nil, fmt.Errorf("judge: words: %w", err)
	}
	j := &Words{lexicon: l, bias: bias}
	j.pool.New = func() any { return newScratch(len(l.signs)) }
	return j, nil
}

// Judge rates the page.
func (j *Words) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := j.JudgeWindows(p, nil)
	return v
}

// JudgeWindows rates the page, and each window as a text of its own. Windows are
// cut to the page's words.
func (j *Words) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	s := j.pool.Get().(*scratch)
	defer j.release(s)
	j.lexicon.find(s, p.Text, p.Words)
	ratings := j.rate(s, windows, len(p.Words))
	return j.verdict(s, p, j.lexicon.repeated(s)), ratings
}

// release gives a scratch back, unless a giant page has blown it up.
func (j *Words) release(s *scratch) {
	if cap(s.finds) <= keepFinds && cap(s.hits) <= keepFinds {
		j.pool.Put(s)
	}
}

// rate rates the windows by the finds of the page.
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
	z := j.bias + j.weigh(s, inBody, windowHalf(w.Len()))
	s.clear()
	return sigmoid(z)
}

// verdict makes reasons of the finds in the body and of those in title and meta.
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

// countIn counts the signs of a short text and returns how many it found.
func (j *Words) countIn(s *scratch, where wordPlace, t string) int {
	if t == "" {
		return 0
	}
	s.spans = dowse.AppendWords(s.spans[:0], t, 0)
	j.lexicon.find(s, t, s.spans)
	for _, f := range s.finds {
		s.count(f.sign, where)
	}
	return len(s.finds)
}

// weigh sums up the weights of the signs counted so far, up to a place: the body,
// the body with meta, or all three. Each sign's own weight is left in the scratch.
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

// reasons lists the signs found in the body, the words of the description as one.
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

// concluded orders the reasons, the weightiest first, adds the bias and draws the
// relevance from their sum.
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

// shortened sums up the weakest reasons where there are too many to keep.
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

// capped returns the factor that keeps a sum within a limit.
func capped(sum, limit float64) float64 {
	if sum > limit {
		return limit / sum
	}
	return 1
}

func pageHalf(words int) float64 {
	return halfway * math.Cbrt(float64(max(words, wholePage))/wholePage)
}

func windowHalf(words int) float64 {
	if words >= wholePage {
		return pageHalf(words)
	}
	return halfway * float64(max(words, 1)) / wholePage
}

func head(s string, n int) string { return s[:min(len(s), n)] }
