package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
	"dowse/internal/outside"
	"dowse/judge"
	"dowse/topic"
)

// everyJudge is one judge of each kind that a verdict of why can come from.
func everyJudge(t *testing.T) map[string]dowse.Judge {
	t.Helper()
	list := map[string]dowse.Judge{}
	words, err := judge.NewWords(judge.Wanted{Words: []string{"tide pools", "barnacles"}, Not: []string{"wave pool"}})
	list["words"] = must(t, words, err)
	examples := shoreExamples()
	for _, c := range judge.Candidates("en") {
		m, err := c.Trainer.Train(examples)
		list[c.Name] = must(t, m, err)
	}
	dewey, err := judge.Dewey{}.New()
	list["dewey"] = must(t, dewey, err)
	for name, text := range map[string]string{
		"topic: words and examples": "words: [tide pools]",
		"topic: not":                "not: [wave pool]",
		"topic: gate":               "words: [tide pools]\nwhere: {all: [{title: /shore/i}, {text: barnacles}]}",
		"topic: gate in words":      "where: keyword(barnacle) and not host_suffix(.shop)",
		"topic: gate and evidence":  "words: [tide pools]\nwhere: {words: \"5..\"}",
	} {
		to, err := topic.Parse([]byte("dowse: topic/v1\nname: x\nlike: [{text: x}]\n"+text+"\n"), name)
		to = must(t, to, err)
		m := &topic.Material{Examples: examples}
		if strings.Contains(name, "gate in words") {
			m = &topic.Material{}
		}
		j, err := to.NewJudge(m)
		list[name] = must(t, j, err)
	}
	for _, inner := range []string{"words", "network", "table"} {
		j, err := outside.New(list[inner].(dowse.WindowJudge), sayer{}, outside.Options{From: 0, To: 1})
		list["outside "+inner] = must(t, j, err)
	}
	return list
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A sayer is asked and always says the same.
type sayer struct{}

func (sayer) Ask(context.Context, outside.Question) (outside.Answer, error) {
	return outside.Answer{Score: 0.9, Because: []string{"it is about the shore"}}, nil
}
func (sayer) Name() string { return "sayer" }
func (sayer) Close() error { return nil }

func shoreExamples() (list []judge.Example) {
	for n := range 40 {
		list = append(list, judge.Example{Page: shoreText(n), Relevant: n%2 == 0})
	}
	return list
}

func shoreText(n int) *dowse.Page {
	s := fmt.Sprintf("Tide pools with barnacles, limpets and weed lie dry on shore number %d at low tide.", n)
	title := "A rocky shore"
	if n%2 == 1 {
		s = fmt.Sprintf("The wave pool has lanes, towels, lockers and tickets in town number %d at noon.", n)
		title = "A bath in town"
	}
	return &dowse.Page{URL: dowse.URL(fmt.Sprintf("http://h%d.example/p", n)), Document: dowse.Document{Title: title, Language: "en", Text: s, Words: dowse.Words(s)}}
}

// Whatever judges a page, why can print the reasons, what they come to, and what would
// change the verdict.
func TestWhyOfEveryJudge(t *testing.T) {
	for name, j := range everyJudge(t) {
		t.Run(name, func(t *testing.T) {
			for n := range 2 {
				v := j.Judge(shoreText(100 + n))
				tellsWhy(t, v)
				a := &account{Account: &operations.Account{Explanation: &collection.Explanation{Judged: collection.RulingOf(v, 0.5)}}}
				s := &sheet{terminal: columns80}
				a.verdict(s)
				screen := strings.Join(s.lines, "\n")
				narrow(t, screen)
				if lines := turning(a.Judged); len(lines) == 0 || !strings.Contains(screen, lines[0][:10]) {
					t.Errorf("nothing would change it:\n%s", screen)
				}
			}
		})
	}
}

// tellsWhy checks that a verdict has reasons, and that they add up where they should.
func tellsWhy(t *testing.T, v dowse.Verdict) {
	t.Helper()
	if len(v.Because) == 0 || v.Scale == "" || v.Judge == "" {
		t.Fatalf("says too little: %+v", v)
	}
	sum := 0.0
	for i, b := range v.Because {
		if b.What == "" || math.IsNaN(b.Weight) {
			t.Errorf("reason %+v", b)
		}
		if left := judge.Without(v, i); !(left >= 0 && left <= 1) {
			t.Errorf("without %s it would be %g", b.What, left)
		}
		sum += b.Weight
	}
	if v.Scale == judge.Change {
		return
	}
	if v.Scale == judge.LogOdds {
		sum = 1 / (1 + math.Exp(-sum))
	}
	if math.Abs(sum-v.Relevance) > 1e-6 {
		t.Errorf("%s: the reasons give %g, the relevance is %g: %+v", v.Scale, sum, v.Relevance, v.Because)
	}
}
