package judge

import (
	"encoding/json"
	"fmt"

	"dowse"
	"dowse/text"
)

// A voteTrainer trains a support vector machine, naive Bayes with kernel densities and
// a network on the same examples, and lets two of three decide: the evaluation of Wang
// et al. 2009, who count a page as relevant if two of their three classifiers do. The
// relevance is the median of the three, which is at least one half exactly if two of
// them are.
type voteTrainer struct {
	Features
	SVM     SVM            // its own Features are not used
	KDE     kdeTrainer     // nor are those
	Network networkTrainer // nor are those
}

// Train returns the judge. Its reasons are on the scale [Change].
func (t voteTrainer) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: vote: %w", err)
	}
	if err := t.Network.possible(); err != nil {
		return nil, err
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	t.SVM.Prior, t.KDE.Prior = t.Prior, t.Prior
	b := &threeJudges{SVM: t.SVM.train(s, in), KDE: t.KDE.train(s, in), Network: t.Network.train(s, in)}
	return voteJudge{newTrained("vote", in, b)}, nil
}

// threeJudges are three cores over one space.
type threeJudges struct {
	SVM     *linear    `json:"svm"`
	KDE     *densities `json:"kde"`
	Network *network   `json:"network"`
}

// middle returns the median of three numbers.
func middle(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

func (b *threeJudges) rate(v text.Vector) float64 {
	return middle(b.SVM.rate(v), b.KDE.rate(v), b.Network.rate(v))
}

func (b *threeJudges) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	relevance := b.rate(v)
	svm, kde, net := r.numbers(0, len(v)), r.numbers(1, len(v)), r.numbers(2, len(v))
	b.SVM.leaveOut(v, svm)
	b.KDE.leaveOut(v, kde)
	b.Network.leaveOut(v, net)
	for i, e := range v {
		r.reasons.add(e.Term, relevance-middle(svm[i], kde[i], net[i]))
	}
	r.reasons.forget()
	return relevance, Change, b.voices(v)
}

// voices returns one reason per judge: the difference that it makes against the mean
// of the other two.
func (b *threeJudges) voices(v text.Vector) []dowse.Because {
	p := [3]float64{b.SVM.rate(v), b.KDE.rate(v), b.Network.rate(v)}
	relevance := middle(p[0], p[1], p[2])
	list := make([]dowse.Because, len(p))
	for i, name := range [...]string{"svm", "kde", "network"} {
		others := (p[(i+1)%3] + p[(i+2)%3]) / 2
		list[i] = dowse.Because{What: fmt.Sprintf("%s says %.2f", name, p[i]), Weight: relevance - others}
	}
	return list
}

type voteJudge struct{ *trained }

// MarshalJSON returns the three judges as JSON.
func (j voteJudge) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedVote{save(j.space), j.core.(*threeJudges)})
}

type savedVote struct {
	savedSpace
	*threeJudges
}

func loadVote(data []byte) (Model, error) {
	saved := savedVote{threeJudges: &threeJudges{&linear{}, &densities{}, &network{}}}
	s, err := saved.load(data, &saved)
	if err != nil {
		return nil, err
	}
	b := saved.threeJudges
	if b.SVM == nil || b.KDE == nil || b.Network == nil {
		return nil, fmt.Errorf("one of the three judges is missing (want svm, kde and network)")
	}
	if err := b.check(s.size); err != nil {
		return nil, err
	}
	b.KDE.prepare()
	b.KDE.tabulate()
	b.Network.prepare()
	return voteJudge{newTrained("vote", s, b)}, nil
}

func (b *threeJudges) check(size int) error {
	if err := b.SVM.check(size); err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	if err := b.KDE.check(size); err != nil {
		return fmt.Errorf("kde: %w", err)
	}
	if err := b.Network.check(size); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	return nil
}
