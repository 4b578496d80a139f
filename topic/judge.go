package topic

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/judge"
)

// A Judge rates pages by everything that a topic contains. Evidence (words,
// what was learnt from examples, a model) is pooled on the scale of log-odds,
// signs against the topic subtract, and a gate rejects every page for which it
// does not hold. Reasons add up to the log-odds.
//
// It does not change, and may be used by many goroutines.
type Judge struct {
	name     string
	words    bool // evidence[0] is the judge of words
	evidence []evidence
	signs    *judge.Words // "also" and "not" of a topic without words; nil for none
	gate     *gate        // nil for none
	prefer   *Topic       // whose languages are preferred; nil for no preference
	model    judge.Model  // trained on examples; nil for none
	zero     float64      // log-odds of model that count as neutral
	own      bool         // the model of the topic rates on its own scale
	asks     bool         // an outside judge is asked about unsure pages
}

// evidence is one of several judges that are pooled: it contributes weight ·
// (log-odds − zero).
type evidence struct {
	judge  dowse.WindowJudge
	weight float64 // in the pool
	zero   float64 // log-odds that count as neutral: those at the threshold of a model
}

// otherLanguage is what a page in a language that is not preferred loses, in
// log-odds.
const otherLanguage = -1

// Judge returns the judge of a topic that needs nothing to be gathered.
func (t *Topic) Judge() (dowse.Judge, error) {
	if t.Needs() {
		return nil, fmt.Errorf("topic: %s: examples not gathered", t.Name)
	}
	j, err := t.NewJudge(&Material{})
	if err != nil {
		return nil, err
	}
	return j, nil
}

// NewJudge returns the judge of the topic and its material. It trains on the
// examples, unless the material has a model that was trained on them before. It
// is called again when people have labelled more pages. A topic of words alone
// is judged by [judge.Words] and nothing else.
func (t *Topic) NewJudge(m *Material) (*Judge, error) {
	j, err := t.newJudge(m)
	if err != nil {
		return nil, fmt.Errorf("topic: %s: %w", t.Name, err)
	}
	return j, nil
}

// newJudge is NewJudge without the name of the topic in errors.
func (t *Topic) newJudge(m *Material) (*Judge, error) {
	j := &Judge{asks: t.Outside != nil}
	var err error
	if j.gate, err = t.newGate(); err != nil {
		return nil, err
	}
	if j.gate != nil {
		j.gate.categories = m.Categories
	}
	if err := j.addWords(t); err != nil {
		return nil, err
	}
	if err := j.addModels(t, m); err != nil {
		return nil, err
	}
	if err := j.addKinds(t); err != nil {
		return nil, err
	}
	if len(j.evidence) == 0 && j.gate == nil {
		return nil, errors.New("no evidence: want at least one word, an example, a category, a model or where")
	}
	if len(t.Languages) > 0 && !j.wordsAlone() {
		j.prefer = t
	}
	j.pool()
	j.cool(m.Temperature)
	j.raise(m.Raise)
	return j, nil
}

// addWords adds the judge of the topic's words. Without words, also and not are
// signs.
func (j *Judge) addWords(t *Topic) error {
	if len(t.Words) > 0 {
		w, err := judge.NewWords(t.wanted())
		if err != nil {
			return err
		}
		j.evidence = append(j.evidence, evidence{judge: w})
		j.name, j.words = wordsName, true
		return nil
	}
	if len(t.Also)+len(t.Not) == 0 && t.About == "" {
		return nil
	}
	var err error
	j.signs, err = judge.NewSigns(t.wanted())
	return err
}

// addModels adds the model that is learnt from examples, and the one that the
// topic names. The threshold of a model becomes relevance 0.5, so that models can
// be pooled. With [Topic.OwnScale] the ratings of the topic's model stay as they
// are, and the threshold of a learnt model becomes that of the topic.
func (j *Judge) addModels(t *Topic, m *Material) error {
	learnt := m.Trained
	if learnt == nil && len(m.Examples) > 0 {
		var err error
		if learnt, err = t.train(m); err != nil {
			return err
		}
	}
	for _, model := range []judge.Model{learnt, m.Model} {
		if model == nil {
			continue
		}
		e := evidence{judge: model, zero: logit(model.Threshold())}
		if model == learnt {
			j.zero = t.zeroOf(m)
			e.zero += j.zero
		}
		if t.OwnScale && model == learnt {
			e.zero -= logit(t.OnTopic())
		} else if t.OwnScale {
			e.zero = 0
		}
		j.evidence = append(j.evidence, e)
		j.name = strings.TrimPrefix(j.name+"+"+model.Kind(), "+")
	}
	j.model, j.own = learnt, t.OwnScale
	return nil
}

// addKinds adds the judges of kinds that have one of their own.
func (j *Judge) addKinds(t *Topic) error {
	for _, k := range kinds() {
		if k.evidence == nil || !k.present(t) {
			continue
		}
		own, err := k.evidence(t)
		if err != nil {
			return err
		}
		j.evidence = append(j.evidence, evidence{judge: own})
		j.name = strings.TrimPrefix(j.name+"+"+k.key, "+")
	}
	return nil
}

// wordsName names the evidence of words in the names of judges.
const wordsName = "words"

// verbatim reports whether the verdicts of a single judge are returned as they are:
// those of words alone, and those of a model on its own scale.
func (j *Judge) verbatim() bool {
	return j.wordsAlone() || j.own && len(j.evidence) == 1 && j.gate == nil && j.signs == nil && j.prefer == nil
}

// wordsAlone reports whether nothing but words decides.
func (j *Judge) wordsAlone() bool {
	return len(j.evidence) == 1 && j.words && j.gate == nil
}

// models returns the evidence other than words.
func (j *Judge) models() []evidence {
	if j.words {
		return j.evidence[1:]
	}
	return j.evidence
}

// pool sets the weights of the evidence. Models are averaged; words next to
// models weigh half, because they are precise but few.
func (j *Judge) pool() {
	models := j.models()
	for i := range models {
		models[i].weight = 1 / float64(len(models))
	}
	if !j.words {
		return
	}
	j.evidence[0].weight = 1
	if len(models) > 0 {
		j.evidence[0].weight, j.evidence[0].zero = wordsWeight, wordsZero
	}
}

// cool divides the log-odds of every page and window by a temperature, if there is a learnt
// model and a temperature. Reasons are divided as well, so that they still add up.
func (j *Judge) cool(temperature float64) {
	if j.model == nil || temperature == 0 {
		return
	}
	for i := range j.evidence {
		j.evidence[i].weight /= temperature
	}
}

// raise lowers the zero of the learnt model so that the log-odds of every page rise by the
// given amount. Without a learnt model it does nothing.
func (j *Judge) raise(by float64) {
	for i := range j.evidence {
		if e := &j.evidence[i]; j.model != nil && e.judge == dowse.WindowJudge(j.model) {
			e.zero -= by / e.weight
			j.zero -= by / e.weight
		}
	}
}

// Model returns what was learnt from examples; nil if there were none.
func (j *Judge) Model() judge.Model { return j.model }

// Zero returns the log-odds that the learnt model gives a page about which it
// knows nothing. It depends on the training data, so a caller that stores the
// model stores it too: see [Material].
func (j *Judge) Zero() float64 { return j.zero }

// title returns the name of the judge in verdicts.
func (j *Judge) title() string {
	if j.name == "" {
		return "where"
	}
	return j.name
}

// Named returns the same judge under another name in verdicts.
func (j *Judge) Named(name string) *Judge {
	c := *j
	c.name = name
	return &c
}

// Judge rates the page.
func (j *Judge) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := j.JudgeWindows(p, nil)
	return v
}

// JudgeWindows rates the page, and each window as a text of its own. Gate and
// languages apply to pages, not to windows.
func (j *Judge) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	if j.verbatim() {
		return j.evidence[0].judge.JudgeWindows(p, windows)
	}
	s := &sum{}
	ratings := make([]float64, len(windows))
	for _, e := range j.evidence {
		s.pool(e, p, windows, ratings)
	}
	if j.signs != nil {
		s.pool(evidence{judge: j.signs, weight: 1}, p, windows, ratings)
	}
	for i, z := range ratings {
		ratings[i] = sigmoid(z)
	}
	if j.gateAlone() {
		return j.gateVerdict(p), windowRatings(ratings)
	}
	j.language(s, p)
	j.pass(s, p)
	return s.verdict(j.title()), windowRatings(ratings)
}

// windowRatings returns ratings, nil if there are none.
func windowRatings(ratings []float64) []float64 {
	if len(ratings) == 0 {
		return nil
	}
	return ratings
}

// language subtracts a little from a page that is in none of the preferred
// languages.
func (j *Judge) language(s *sum, p *dowse.Page) {
	if j.prefer == nil || p.Language == "" || j.prefer.hasLanguage(p.Language) {
		return
	}
	s.tail = append(s.tail, dowse.Because{What: "language " + cut(p.Language), Weight: otherLanguage})
}

// A sum collects reasons on the scale of log-odds.
type sum struct {
	terms []dowse.Because
	bias  float64
	tail  []dowse.Because // language and gate, which come last
}

// pool adds the verdict of one judge on the page, and its ratings of the
// windows.
func (s *sum) pool(e evidence, p *dowse.Page, windows []dowse.Span, ratings []float64) {
	v, rated := e.judge.JudgeWindows(p, windows)
	last, odds := math.NaN(), 0.0
	for i, r := range rated {
		if r != last { // most windows have nothing of the topic, and so the same rating
			last, odds = r, logit(r)
		}
		ratings[i] += e.weight * (odds - e.zero)
	}
	if v.Scale != judge.LogOdds {
		s.lump(e, v)
		return
	}
	for _, b := range v.Because {
		b.Weight *= e.weight
		if b.What == "bias" {
			s.bias += b.Weight
		} else if b.Weight != 0 {
			s.add(b)
		}
	}
	s.bias -= e.weight * e.zero
}

// lump adds a verdict whose reasons are on another scale as one reason; its own
// reasons follow without weight.
func (s *sum) lump(e evidence, v dowse.Verdict) {
	s.add(dowse.Because{What: "model " + v.Judge, Weight: e.weight * (logit(v.Relevance) - e.zero)})
	for _, b := range v.Because[:min(len(v.Because), 5)] {
		s.add(dowse.Because{What: fmt.Sprintf("%s (%s %+.3f)", b.What, v.Scale, b.Weight), Count: b.Count})
	}
}

// add adds a reason; weights of equal reasons add up.
func (s *sum) add(b dowse.Because) {
	for i := range s.terms {
		if s.terms[i].What == b.What {
			s.terms[i].Weight += b.Weight
			s.terms[i].Count = max(s.terms[i].Count, b.Count)
			return
		}
	}
	s.terms = append(s.terms, b)
}

// total returns the log-odds so far.
func (s *sum) total() float64 {
	z := s.bias
	for _, list := range [][]dowse.Because{s.terms, s.tail} {
		for _, b := range list {
			z += b.Weight
		}
	}
	return z
}

// maxReasons is the number of terms that are listed by name; the others are
// summed up.
const maxReasons = 32

// verdict returns the verdict with its reasons, largest weight first.
func (s *sum) verdict(name string) dowse.Verdict {
	v := dowse.Verdict{Relevance: sigmoid(s.total()), Scale: judge.LogOdds, Judge: name}
	slices.SortStableFunc(s.terms, func(a, b dowse.Because) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(a.What, b.What))
	})
	if rest := s.terms[min(len(s.terms), maxReasons):]; len(rest) > 0 {
		others := dowse.Because{What: fmt.Sprintf("%d other signs", len(rest))}
		for _, b := range rest {
			others.Weight += b.Weight
		}
		s.terms = append(s.terms[:maxReasons:maxReasons], others)
	}
	v.Because = append(s.terms, s.tail...)
	if s.bias != 0 || len(v.Because) == 0 {
		v.Because = append(v.Because, dowse.Because{What: "bias", Weight: s.bias})
	}
	return v
}

// surest bounds log-odds, so that a model that returns 0 or 1 does not override
// all other evidence.
const surest = 12

// logit returns the log-odds of a probability, bounded by surest. NaN counts as 0.
func logit(p float64) float64 {
	if !(p > 0) {
		return -surest
	}
	return min(max(math.Log(p)-math.Log1p(-p), -surest), surest)
}

// sigmoid returns the probability of log-odds.
func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
