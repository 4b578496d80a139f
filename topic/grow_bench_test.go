package topic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse"
	"dowse/topic"
)

// BenchmarkGrow grows a judge from 400 pages of 1,000 words each, the most that a crawl
// lets it grow from.
func BenchmarkGrow(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	var seen []topic.Seen
	for i := range 400 {
		var words []string
		for range 1000 {
			words = append(words, fmt.Sprintf("word%d", int(rng.ExpFloat64()*800)))
		}
		for k := range i % 5 {
			words[k*7] = "lighthouse"
		}
		s := strings.Join(words, " ")
		seen = append(seen, topic.Seen{Page: &dowse.Page{URL: dowse.URL(fmt.Sprint("https://example.org/", i)), Document: dowse.Document{Text: s, Words: dowse.Words(s)}}})
	}
	for b.Loop() {
		if _, ok, err := lighthouses().Grow(&topic.Material{}, seen); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
}
