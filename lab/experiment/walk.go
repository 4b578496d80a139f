package experiment

import (
	"fmt"
	"math/rand/v2"
	"time"

	"dowse/internal/trace"
)

// The people who walk a web that has no access logs: how many for each hundred pages,
// how often each comes, how long they stay, and how faithful they are to what they
// like. The figures are ours.
const (
	peoplePer100 = 25
	comings      = 4
	longest      = 12
	faithful     = 0.7 // of steps go to a page on one of the person's topics, where a link leads there
	returning    = 0.15
)

// walk lets made people go through the web: each likes one to three topics, begins
// at pages on them as after a search, and goes on along links, mostly to what they like.
// Aggarwal's traces come from proxies; this stands in where nobody recorded any.
func (b *bench) walk(build *trace.Builder) {
	topics := b.labels.Topics()
	if len(topics) == 0 {
		return
	}
	on := make([][]int32, len(topics))
	about := make([][]int32, b.web.Len())
	for t, topic := range topics {
		for i, ok := range b.web.On(b.graph, b.labels, topic.Topic) {
			if ok {
				on[t] = append(on[t], int32(i))
				about[i] = append(about[i], int32(t))
			}
		}
	}
	draw := drawing(0, "people", b.web.Name)
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	people := max(50, b.graph.Pages()*peoplePer100/100)
	for person := range people {
		likes := map[int32]bool{}
		for range 1 + draw.IntN(3) {
			likes[int32(draw.IntN(len(topics)))] = true
		}
		for coming := range comings { // everybody has come before anybody comes again
			at := begin.Add(time.Duration(coming*people+person) * time.Minute)
			b.session(build, draw, fmt.Sprint("person ", person), at, likes, on, about)
		}
	}
}

// session is one coming of a person.
func (b *bench) session(build *trace.Builder, draw *rand.Rand, who string, at time.Time, likes map[int32]bool, on, about [][]int32) {
	var starts []int32
	for t := range on {
		if likes[int32(t)] {
			starts = append(starts, on[t]...)
		}
	}
	if len(starts) == 0 {
		return
	}
	page := starts[draw.IntN(len(starts))]
	for step := range 1 + draw.IntN(longest) {
		build.Add(trace.Access{User: who, Time: at.Add(time.Duration(step) * time.Second), URL: b.web.URL(int(page)), New: step == 0})
		out := b.graph.Out(int(page))
		if len(out) == 0 || draw.Float64() < returning {
			page = starts[draw.IntN(len(starts))]
			continue
		}
		page = choose(draw, out, likes, about)
	}
}

// choose picks the next page.
func choose(draw *rand.Rand, out []int32, likes map[int32]bool, about [][]int32) int32 {
	var liked []int32
	for _, to := range out {
		for _, t := range about[to] {
			if likes[t] {
				liked = append(liked, to)
				break
			}
		}
	}
	if len(liked) > 0 && draw.Float64() < faithful {
		return liked[draw.IntN(len(liked))]
	}
	return out[draw.IntN(len(out))]
}
