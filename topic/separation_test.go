package topic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse/judge"
	"dowse/topic"
)

// sayings are texts of so many words, most from a list, the others from all.
func sayings(rng *rand.Rand, n, words int, list, all []string) (texts []judge.Example) {
	for i := range n {
		var b strings.Builder
		for k := range words {
			from := all
			if k%3 > 0 {
				from = list
			}
			fmt.Fprint(&b, from[rng.IntN(len(from))], " ")
		}
		texts = append(texts, judge.Example{Page: page(fmt.Sprintf("https://%d.example/", i), "", b.String())})
	}
	return texts
}

// vocabularies returns lists of made-up words.
func vocabularies(lists, words int) (all [][]string) {
	for i := range lists {
		var l []string
		for k := range words {
			l = append(l, fmt.Sprintf("w%c%c%cx%d", 'a'+k%26, 'a'+k/26%26, 'a'+k/676, i))
		}
		all = append(all, l)
	}
	return all
}

func relevant(list []judge.Example) []judge.Example {
	for i := range list {
		list[i].Relevant = true
	}
	return list
}

// Examples are told from pages of another kind, and not from pages of their own.
func TestTold(t *testing.T) {
	rng, words := rand.New(rand.NewPCG(1, 2)), vocabularies(3, 40)
	wanted := &topic.Topic{Name: "x"}
	of := func(on, others int, kind []string) *topic.Material {
		m := &topic.Material{Examples: relevant(sayings(rng, on, 60, words[0], words[2]))}
		m.SetContrast(sayings(rng, others, 60, kind, words[2]), topic.OfCrawl)
		return m
	}
	for _, test := range []struct {
		name       string
		m          *topic.Material
		low, high  float64
		tellsThere bool
	}{
		{"another kind", of(10, 40, words[1]), 1, 1, true},
		{"their own kind", of(10, 40, words[0]), 0.2, 0.7, true},
		{"two examples", of(2, 20, words[1]), 0.9, 1, true},
		{"one example", of(1, 40, words[1]), 0, 0, false},
		{"no page", &topic.Material{}, 0, 0, false},
	} {
		got, ok, err := wanted.Separation(test.m)
		if err != nil || ok != test.tellsThere || got < test.low || got > test.high {
			t.Errorf("%s: %.3f, %v, %v; want %g to %g", test.name, got, ok, err, test.low, test.high)
		}
		again, _, _ := wanted.Separation(test.m)
		if again != got {
			t.Errorf("%s: %v, and %v the second time", test.name, got, again)
		}
	}
}

// BenchmarkTold takes as many examples, and pages of 600 words, as a crawl has.
func BenchmarkTold(b *testing.B) {
	rng, words := rand.New(rand.NewPCG(1, 2)), vocabularies(3, 3000)
	for _, size := range []struct{ on, others int }{{10, 34}, {10, 60}, {200, 134}} {
		m := &topic.Material{Examples: relevant(sayings(rng, size.on, 600, words[0], words[2]))}
		m.SetContrast(sayings(rng, size.others, 600, words[1], words[2]), topic.OfCrawl)
		b.Run(fmt.Sprintf("%dExamples%dPages", size.on, size.others), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := (&topic.Topic{Name: "x"}).Separation(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
