package measure

import (
	"cmp"
	"slices"
	"time"
)

// A Clock is the model of fetching that the papers' running times are computed
// with: one worker owns a host at a time. The zero value is that of SPEC E.1.
type Clock struct {
	Workers int           // 30, Wang et al. 2009
	List    int           // pages fetched between two orderings of the frontier; 50, Wang et al. 2009
	Fetch   time.Duration // of one page; 1 s
	Delay   time.Duration // between two pages of one host; 5 s
	Reorder time.Duration // of ordering the frontier before each list; 0: the machine's own work is cpu_page
}

func (c Clock) orDefault() Clock {
	return Clock{cmp.Or(c.Workers, 30), cmp.Or(c.List, 50), cmp.Or(c.Fetch, time.Second), cmp.Or(c.Delay, 5*time.Second), c.Reorder}
}

// Makespan returns how long the fetch of a list takes, given the host of each page:
// hosts go to the worker that is free first, those with most pages first.
func (c Clock) Makespan(hosts []string) time.Duration {
	c = c.orDefault()
	free := make([]time.Duration, c.Workers)
	for _, n := range queueLengths(hosts) {
		i := slices.Index(free, slices.Min(free))
		free[i] += time.Duration(n)*c.Fetch + time.Duration(n-1)*c.Delay
	}
	return slices.Max(free)
}

// queueLengths returns how many pages each host has, most first.
func queueLengths(hosts []string) (lengths []int) {
	place := map[string]int{}
	for _, h := range hosts {
		i, ok := place[h]
		if !ok {
			i = len(lengths)
			place[h] = i
			lengths = append(lengths, 0)
		}
		lengths[i]++
	}
	slices.SortStableFunc(lengths, func(a, b int) int { return cmp.Compare(b, a) })
	return lengths
}

// lists cuts the hosts of the first k steps into the lists of the clock.
func (c Clock) lists(t *Trail, k int) (lists [][]string) {
	c = c.orDefault()
	var all []string
	for i := range min(k, t.Steps.Len()) {
		all = append(all, t.Steps.At(i).Host)
	}
	return slices.Collect(slices.Chunk(all, c.List))
}

// Time returns how long the first k pages of a trail take, fetched list by list.
func (c Clock) Time(t *Trail, k int) (total time.Duration) {
	for _, l := range c.lists(t, k) {
		total += c.Reorder + c.Makespan(l)
	}
	return total
}

// HostsPerList returns how many different hosts a list has on average: the fewer,
// the longer the workers wait.
func (c Clock) HostsPerList(t *Trail, k int) float64 {
	lists := c.lists(t, k)
	n := 0
	for _, l := range lists {
		n += len(queueLengths(l))
	}
	return ratio(n, len(lists))
}

// after returns the virtual time at which the first k pages were there.
func after(t *Trail, k int) time.Duration {
	if k < t.Steps.Len() {
		return t.Steps.list[k-1].at
	}
	return max(t.Elapsed, lastAt(t))
}

func lastAt(t *Trail) time.Duration {
	n := t.Steps.Len()
	if n == 0 {
		return 0
	}
	return t.Steps.list[n-1].at
}
