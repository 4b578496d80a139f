package strategy_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"dowse"
	"dowse/strategy/strategytest"
)

// AnchorWords learns which words in anchors lead to the topic: a link is worth what
// pages behind its best word have been worth so far.
type AnchorWords struct {
	Most int `param:"most" default:"10000" help:"words that are learnt, at most"`

	words map[string]merit
}

// A merit is what a word has led to.
type merit struct{ Pages, Relevance float64 }

func (m merit) mean() float64 { return (m.Relevance + 0.5) / (m.Pages + 1) }

// Follow learns from the page, whose note is the word that led to it, and rates the
// links to pages that have not been visited.
func (s *AnchorWords) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched {
		return nil
	}
	s.learn(p.Lead.Note, p.Verdict.Relevance)
	leads := make([]dowse.Lead, 0, len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited {
			continue
		}
		word, worth := s.best(l.Anchor)
		leads = append(leads, dowse.Lead{
			URL: l.URL, Priority: worth, Merge: dowse.Max, Note: word,
			Because: []dowse.Because{{What: "anchor word " + word, Weight: worth}},
		})
	}
	return leads
}

func (s *AnchorWords) learn(word string, relevance float64) {
	m, known := s.words[word]
	if !known && len(s.words) >= cmp.Or(s.Most, 10000) {
		return
	}
	if s.words == nil {
		s.words = map[string]merit{}
	}
	s.words[word] = merit{m.Pages + 1, m.Relevance + relevance}
}

// best returns the word of an anchor that has led to the best pages.
func (s *AnchorWords) best(anchor string) (word string, worth float64) {
	for _, at := range dowse.Words(anchor) {
		w := strings.ToLower(anchor[at.Start:at.End])
		if m := s.words[w].mean(); m >= worth {
			word, worth = w, m
		}
	}
	return word, worth
}

// Save writes down what the words have led to.
func (s *AnchorWords) Save() ([]byte, error) { return json.Marshal(s.words) }

// Load takes up what Save wrote.
func (s *AnchorWords) Load(b []byte) error { return json.Unmarshal(b, &s.words) }

func Example() {
	web := strategytest.Toy{
		"home":  {Links: []strategytest.Link{{To: "crabs", Anchor: "More crabs"}, {To: "cart", Anchor: "Your cart"}}},
		"crabs": {Relevance: 0.9, Links: []strategytest.Link{{To: "pay", Anchor: "The cart"}, {To: "kelp", Anchor: "Crabs in kelp"}}},
		"cart":  {Relevance: 0.1},
		"kelp":  {Relevance: 0.8},
		"pay":   {Relevance: 0.1},
	}
	for _, u := range strategytest.Order(&AnchorWords{}, web, "home") {
		fmt.Println(u)
	}
	// Output:
	// home
	// crabs
	// kelp
	// cart
	// pay
}
