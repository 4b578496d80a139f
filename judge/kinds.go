package judge

import (
	"fmt"
	"slices"
	"strings"
)

// A registered is one kind of judge that can be saved and loaded. A new kind needs its
// own file and one line in [registry].
type registered struct {
	Name string
	// Trainer returns a trainer with default parameters for a language; nil
	// for a kind that is not trained on examples.
	Trainer func(language string) Trainer

	load func(data []byte) (Model, error)
}

// registry returns every kind of judge, the trainable ones first. The order is that of
// help texts and comparisons.
func registry() []registered {
	return []registered{
		{"logistic", func(l string) Trainer { return Logistic{Language: l} }, loadOnline},
		{"svm", func(l string) Trainer { return SVM{Features: Features{Language: l}} }, linearLoader("svm")},
		{"multinomial", func(l string) Trainer { return multinomialTrainer{Features: Features{Language: l}} }, linearLoader("multinomial")},
		{"centroid", func(l string) Trainer { return Centroid{Features: Features{Language: l}} }, loadCentroid},
		{"kde", func(l string) Trainer { return kdeTrainer{Features: Features{Language: l}} }, loadKDE},
		{"network", func(l string) Trainer { return networkTrainer{Features: Features{Language: l}} }, loadNetwork},
		{"vote", func(l string) Trainer { return voteTrainer{Features: Features{Language: l}} }, loadVote},
		{"table", func(l string) Trainer { return Table{Language: l} }, loadTable},
		{"dewey", nil, loadDewey},
	}
}

// Trainable returns the names of the kinds that are trained on examples.
func Trainable() (names []string) {
	for _, k := range registry() {
		if k.Trainer != nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// NewTrainer returns the trainer of a kind, with default parameters, for a language.
func NewTrainer(kind, language string) (Trainer, error) {
	k, err := kindOf(kind)
	if err == nil && k.Trainer == nil {
		err = fmt.Errorf("a judge of kind %q is not trained on examples; want one of %s", kind, strings.Join(Trainable(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return k.Trainer(language), nil
}

// otherNames maps customary names to kinds. They are accepted wherever a kind is read,
// and never written.
var otherNames = map[string]string{"bayes": "multinomial", "naive-bayes": "multinomial"}

// KindName returns the registered name for a name that a person gave. Unknown names
// are returned unchanged.
func KindName(name string) string {
	if known, ok := otherNames[name]; ok {
		return known
	}
	return name
}

func kindOf(name string) (registered, error) {
	all := registry()
	name = KindName(name)
	i := slices.IndexFunc(all, func(k registered) bool { return k.Name == name })
	if i < 0 {
		return registered{}, fmt.Errorf("unknown kind of judge %q; want one of %s", name, strings.Join(Trainable(), ", "))
	}
	return all[i], nil
}

// Candidates returns all trainable kinds with default parameters for a language, ready
// for [Compare].
func Candidates(language string) (list []Candidate) {
	for _, k := range registry() {
		if k.Trainer != nil {
			list = append(list, Candidate{Name: k.Name, Trainer: k.Trainer(language)})
		}
	}
	return list
}
