package experiment

import (
	"fmt"
	"math/rand/v2"
	"time"

	"dowse/internal/lab/web"
	"dowse/internal/trace"
)

// The synthetic people who read a web that has no access logs. The figures are
// our own choice; no paper gives any.
const (
	peoplePer100 = 25   // people per 100 pages
	sessionsEach = 4    // sessions per person
	maxSteps     = 12   // pages per session at most
	faithful     = 0.7  // share of steps to a page on one of the person's topics, if a link leads there
	returning    = 0.15 // chance per step to begin again at a page on the person's topics
)

// walkPeople adds the accesses of synthetic people. Each person is interested in
// one to three topics, begins at pages on them as after a search, and follows
// links, mostly to pages on these topics. Aggarwal's access logs come from
// proxies; this replaces them on synthetic webs, whose people are part of what is
// made up.
//
// On a recorded web the labels are the truth that crawls are measured by, and people who
// walk by them would give it away. There people begin anywhere and follow any link.
func (b *labelledWeb) walkPeople(build *trace.Builder, recorded bool) {
	topics := b.labels.Topics()
	if recorded {
		topics = []web.TopicCount{{}} // one interest, which every page is of
	}
	if len(topics) == 0 {
		return
	}
	on := make([][]int32, len(topics))
	about := make([][]int32, b.web.Len())
	for t, topic := range topics {
		for i, ok := range b.web.On(b.graph, b.labels, topic.Topic) {
			if ok || recorded && b.graph.IsPage(i) {
				on[t] = append(on[t], int32(i))
				about[i] = append(about[i], int32(t))
			}
		}
	}
	draw := newRand(0, "people", b.web.Name)
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	people := max(50, b.graph.Pages()*peoplePer100/100)
	for person := range people {
		likes := map[int32]bool{}
		for range 1 + draw.IntN(3) {
			likes[int32(draw.IntN(len(topics)))] = true
		}
		for session := range sessionsEach { // all first sessions come before any second one
			at := begin.Add(time.Duration(session*people+person) * time.Minute)
			b.session(build, draw, fmt.Sprint("person ", person), at, likes, on, about)
		}
	}
}

// session adds one session of a person: up to twelve pages, a second apart,
// beginning at a page on one of the person's topics.
func (b *labelledWeb) session(build *trace.Builder, draw *rand.Rand, who string, at time.Time, likes map[int32]bool, on, about [][]int32) {
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
	for step := range 1 + draw.IntN(maxSteps) {
		build.Add(trace.Access{User: who, Time: at.Add(time.Duration(step) * time.Second), URL: b.web.URL(int(page)), New: step == 0})
		out := b.graph.Out(int(page))
		if len(out) == 0 || draw.Float64() < returning {
			page = starts[draw.IntN(len(starts))]
			continue
		}
		page = choose(draw, out, likes, about)
	}
}

// choose picks the next page among the links of a page: mostly one on the
// person's topics, if there is any.
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
