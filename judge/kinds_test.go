package judge_test

import (
	"bytes"
	"testing"

	"dowse/judge"
)

// A kind may be called by the other name that people have for it, in settings and in models
// that were saved; what is saved has the one name.
func TestOtherNameOfAKind(t *testing.T) {
	trainer, err := judge.NewTrainer("bayes", "en")
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(lessons(40, 1))
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind() != "multinomial" {
		t.Errorf("bayes trains a judge of kind %q, want multinomial", m.Kind())
	}
	data, err := judge.Save(m)
	if err != nil {
		t.Fatal(err)
	}
	named := []byte(`"multinomial"`)
	if !bytes.Contains(data, named) {
		t.Fatalf("the saved judge does not have its name: %.80s", data)
	}
	if m, err = judge.Load(bytes.Replace(data, named, []byte(`"bayes"`), 1)); err != nil || m.Kind() != "multinomial" {
		t.Errorf("a saved judge of kind bayes: %v, %v", m, err)
	}
}
