package main

import (
	"fmt"
	"strings"

	"dowse/internal/durable"
	"dowse/judge"
)

// saveModel writes a model to a file, as model: in a topic file can name it, and prints the
// line that names it. For a model whose threshold is not 0.5 it also prints how its ratings
// can be used as they are, as strategies with a threshold of pages expect. The file is replaced as a whole, so that a crawl that reads it at the
// same time never sees half a model.
func saveModel(w *world, m judge.Model, file string) error {
	data, err := judge.Save(m)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(file, append(data, '\n')); err != nil {
		return usage("topic: %w", err)
	}
	fmt.Fprintf(w.err, "wrote %s: %s; in a topic file: model: {file: %s}\n", file, m.Kind(), file)
	if th := m.Threshold(); th != judge.Threshold {
		fmt.Fprintf(w.err, "to rate pages on its own scale: model: {file: %s, scale: own} and threshold: %.3g\n", file, th)
	}
	return nil
}

// A saving is one value of --save: a kind of judge that examples train, and the file for
// it. The kinds are those of the registry of judges that examples can train.
type saving struct {
	judge.Candidate
	file string
}

// savingsOf parses the values of --save, which have the form KIND=FILE.
func savingsOf(args []string, language string) (list []saving, err error) {
	for _, a := range args {
		kind, file, _ := strings.Cut(a, "=")
		trainer, err := judge.NewTrainer(kind, language)
		if err != nil || file == "" {
			return nil, usage("--save %q: want KIND=FILE, where KIND is one of %s", a, strings.Join(judge.Trainable(), ", "))
		}
		list = append(list, saving{judge.Candidate{Name: kind, Trainer: trainer}, file})
	}
	return list, nil
}

// saveAll trains each kind on all examples and writes it. Measuring is done before, on
// parts of the examples; the model to keep has the use of all.
func saveAll(w *world, list []saving, examples []judge.Example) error {
	for _, s := range list {
		m, err := s.Trainer.Train(examples)
		if err != nil {
			return usage("--save %s: %w", s.Name, err)
		}
		if err := saveModel(w, m, s.file); err != nil {
			return err
		}
	}
	return nil
}
