package frontier_test

import (
	"fmt"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

func Example() {
	f := frontier.New(frontier.Config{})
	for _, lead := range []struct {
		url      dowse.URL
		host     string
		priority float64
	}{
		{"https://tea.example/", "tea.example", 0.9},
		{"https://tea.example/green", "tea.example", 0.8},
		{"https://cups.example/", "cups.example", 0.3},
	} {
		id, _ := f.See(lead.url, lead.host)
		f.SetPriority(id, lead.priority, dowse.Max)
		f.Queue(id)
	}

	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	for f.Count(dowse.Waiting) > 0 {
		id, when, ok := f.Next(now)
		if !ok {
			fmt.Println("rest until", when.Format(time.TimeOnly))
			now = when
			continue
		}
		fmt.Println(f.URL(id), f.Priority(id))
		f.Settle(id, dowse.Visited)
		f.Release(f.Host(id), now.Add(time.Second), now)
	}
	// Output:
	// https://tea.example/ 0.9
	// https://cups.example/ 0.3
	// rest until 12:00:01
	// https://tea.example/green 0.8
}
