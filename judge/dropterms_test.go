package judge_test

import (
	"testing"

	"dowse"
	"dowse/judge"
)

// TestDropTerms takes a word out of a saved logistic judge: it can be loaded, and only
// pages with that word are rated otherwise.
func TestDropTerms(t *testing.T) {
	var examples []judge.Example
	for range 8 {
		examples = append(examples,
			judge.Example{Text: "coral reef bleaching secretword heat", Relevant: true},
			judge.Example{Text: "train station timetable platform ticket"})
	}
	m, err := judge.Logistic{}.Train(examples)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := judge.Save(m)
	if err != nil {
		t.Fatal(err)
	}
	rest, ok, err := judge.DropTerms(saved, func(term string) bool { return term == "secretword" })
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	without, err := judge.Load(rest)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(j dowse.Judge, text string) float64 {
		return j.Judge(&dowse.Page{Document: dowse.Document{Text: text, Words: dowse.Words(text)}}).Relevance
	}
	if a, b := rate(m, "coral reef platform"), rate(without, "coral reef platform"); a != b {
		t.Errorf("a page without the word was rated %v, and is rated %v", a, b)
	}
	if a, b := rate(m, "secretword platform"), rate(without, "secretword platform"); a <= b {
		t.Errorf("a page with the word was rated %v, and is rated %v", a, b)
	}
	svm, err := judge.SVM{}.Train(examples)
	if err != nil {
		t.Fatal(err)
	}
	if saved, err = judge.Save(svm); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := judge.DropTerms(saved, func(string) bool { return true }); ok || err != nil {
		t.Errorf("terms of an svm were dropped: %t, %v", ok, err)
	}
}
