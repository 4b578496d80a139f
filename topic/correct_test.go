package topic_test

import (
	"fmt"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

func textOf(s string, relevant bool) judge.Example {
	return judge.Example{Page: &dowse.Page{Document: dowse.Document{Text: s, Words: dowse.Words(s)}}, Relevant: relevant}
}

// Labels correct a topic of words. Pages that have no word in common with a labelled one
// stay on the side of the threshold on which the words put them.
func TestCorrectWords(t *testing.T) {
	want := &topic.Topic{Name: "lights", Words: []string{"lighthouse", "beacon"}}
	alone, err := want.Judge()
	if err != nil {
		t.Fatal(err)
	}
	labels := []judge.Example{
		textOf("lighthouse lighthouse lighthouse hotel rooms breakfast booking", false),
		textOf("lantern keeper fog signal reef", true),
	}
	m := &topic.Material{}
	trial, err := want.Correct(m, labels, nil)
	if err != nil || trial == nil || len(trial.Unseen) != 2 || len(trial.Before) != 2 || m.Trained == nil || m.Zero == nil {
		t.Fatalf("%v, %v, %+v", trial, err, m)
	}
	j, err := want.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		before, after := alone.Judge(l.Page).Relevance, j.Judge(l.Page).Relevance
		if l.Relevant != (after > before) {
			t.Errorf("%q, labelled %v: %.3f, and %.3f before", l.Page.Text, l.Relevant, after, before)
		}
	}
	for _, s := range []string{"beacon beacon beacon beacon beacon on a rock", "a town with a road"} {
		p := textOf(s, false).Page
		if before, after := alone.Judge(p).Relevance >= 0.5, j.Judge(p).Relevance >= 0.5; before != after {
			t.Errorf("%q changed sides, to on topic: %v", s, after)
		}
	}
}

// Labels correct what a judge has learnt from examples, and that stays learnt.
func TestCorrectExamples(t *testing.T) {
	want := &topic.Topic{Name: "x"}
	m := &topic.Material{}
	for i := range 6 {
		m.Examples = append(m.Examples, textOf(fmt.Sprintf("harbour quay ships cargo number%d", i), true), textOf(fmt.Sprintf("bread oven dough flour number%d", i+9), false),
			textOf(fmt.Sprintf("football goal referee match number%d", i+19), false))
	}
	first, err := want.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	museum := textOf("harbour museum tickets cargo", false)
	if _, err := want.Correct(m, []judge.Example{museum}, nil); err != nil {
		t.Fatal(err)
	}
	j, err := want.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	if before, after := first.Judge(museum.Page).Relevance, j.Judge(museum.Page).Relevance; after >= before {
		t.Errorf("labelled off topic: %.3f, and %.3f before", after, before)
	}
	quay := textOf("quay ships", true)
	if before, after := first.Judge(quay.Page).Relevance, j.Judge(quay.Page).Relevance; after < before-0.2 {
		t.Errorf("a page like the examples: %.3f, and %.3f before", after, before)
	}
}

// A where that decides by itself, and a model of another kind, are not corrected: labels
// are then examples.
func TestCorrectNotEverything(t *testing.T) {
	labels := []judge.Example{textOf("lighthouse", true), textOf("bread", false)}
	centre, err := judge.Centroid{}.Train(append(labels, textOf("lighthouse keeper", true), textOf("oven bread", false)))
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		topic    *topic.Topic
		material *topic.Material
	}{
		"where":    {parse(t, preface+"where: {text: lighthouse}"), &topic.Material{}},
		"centroid": {&topic.Topic{Name: "x"}, &topic.Material{Trained: centre}},
	} {
		trial, err := x.topic.Correct(x.material, labels, nil)
		if err != nil || trial != nil || x.material.Zero != nil {
			t.Errorf("%s: %v, %v, %+v", name, trial, err, x.material)
		}
	}
}
