package judge_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"dowse"
	"dowse/judge"
)

// manyTexts makes examples of which every third is on topic.
func manyTexts(n int) (list []judge.Example) {
	for i := range n {
		s := fmt.Sprintf("the page %d has words and more words of number %d", i, i%7)
		if i%3 == 0 {
			s += " about coral reefs and reefs of coral"
		}
		list = append(list, judge.Example{
			Page:     &dowse.Page{Document: dowse.Document{Title: fmt.Sprint("Page ", i), Text: s, Words: dowse.Words(s)}},
			Relevant: i%3 == 0,
		})
	}
	return list
}

// Pages that were read once give the same model as the examples themselves, and a model
// rates them as it rates the pages.
func TestPagesTrainAsExamplesDo(t *testing.T) {
	list := manyTexts(40)
	pages, err := judge.Logistic{}.Read(list)
	if err != nil {
		t.Fatal(err)
	}
	var on, off []int
	var part []judge.Example
	for i := 0; i < len(list); i += 2 { // half of them
		if list[i].Relevant {
			on, part = append(on, i), append(part, list[i])
		}
	}
	for i := 0; i < len(list); i += 2 {
		if !list[i].Relevant {
			off, part = append(off, i), append(part, list[i])
		}
	}
	want, err := judge.Logistic{}.Train(part)
	if err != nil {
		t.Fatal(err)
	}
	got := pages.Train(on, off)
	a, err1 := judge.Save(want)
	b, err2 := judge.Save(got)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Fatalf("another model: %v %v\n%.300s\n%.300s", err1, err2, a, b)
	}
	odds := pages.LogOdds(got)
	if len(odds) != len(list) {
		t.Fatalf("%d ratings of %d pages", len(odds), len(list))
	}
	for i, z := range odds {
		if r := want.Judge(list[i].Page).Relevance; math.Abs(1/(1+math.Exp(-z))-r) > 1e-9 {
			t.Errorf("page %d: log-odds %v, relevance %v", i, z, r)
		}
	}
	if _, err := (judge.Logistic{Slots: 3}).Read(nil); err == nil {
		t.Error("a table of 3 slots is no error")
	}
}
