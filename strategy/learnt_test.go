package strategy_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/strategytest"
)

// words is a web in which anchors with one word lead to the topic, and with another one do not; the ratings of the
// judge show nothing of it.
func words(hosts string, n int) (strategytest.Toy, dowse.URL) {
	toy := strategytest.Toy{}
	home := strategytest.Page{}
	for i := range n {
		for _, word := range []string{"invoice", "anemone"} {
			u := dowse.URL(fmt.Sprintf("http://%s.test/%s/%d", hosts, string(word[0]), i))
			toy[u] = strategytest.Page{Relevance: map[string]float64{"anemone": 1, "invoice": 0}[word], Text: word + " text of the page"}
			home.Links = append(home.Links, strategytest.Link{To: u, Anchor: word + " page"})
		}
	}
	seed := dowse.URL("http://" + hosts + ".test/")
	toy[seed] = home
	return toy, seed
}

// hits returns how many of the first pages after the seed are on topic.
func hits(toy strategytest.Toy, order []dowse.URL, first int) (n int) {
	for _, u := range order[1:min(len(order), first+1)] {
		if toy[u].Relevance == 1 {
			n++
		}
	}
	return n
}

// online and auto begin a crawl with what they learnt in another: they know the words from the first
// link on, keep no URL of the crawl that they learnt in, and refuse what is about something else.
func TestLearnFromEarlierCrawls(t *testing.T) {
	for _, name := range []string{"online", "auto"} {
		t.Run(name, func(t *testing.T) {
			first, seed := words("before", 60)
			teacher, err := strategy.New(name)
			if err != nil {
				t.Fatal(err)
			}
			strategytest.Order(teacher, first, seed)
			var file bytes.Buffer
			if err := teacher.(input.Learner).Learnt("p").Write(&file); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(file.String(), "before.test") {
				t.Error("a URL is in what was learnt")
			}
			learnt, err := input.ReadLearnt(&file)
			if err != nil {
				t.Fatal(err)
			}
			second, seed := words("after", 20)
			fresh, _ := strategy.New(name)
			pupil, _ := strategy.New(name)
			if err := pupil.(input.Learner).LearnFrom(learnt, "p"); err != nil {
				t.Fatal(err)
			}
			alone, taught := hits(second, strategytest.Order(fresh, second, seed), 10), hits(second, strategytest.Order(pupil, second, seed), 10)
			if taught < 9 || taught <= alone {
				t.Errorf("%d of the first 10 pages are on topic, and %d without what was learnt", taught, alone)
			}
			other, _ := strategy.New(name)
			if err := other.(input.Learner).LearnFrom(learnt, "q"); !errors.Is(err, input.ErrPredicate) {
				t.Errorf("another predicate: %v", err)
			}
			if err := other.(input.Learner).LearnFrom(&input.Learnt{Predicate: "p"}, "p"); err == nil {
				t.Error("nothing that it could learn from, and no error")
			}
		})
	}
}
