package measure

import (
	"cmp"
	"slices"
	"time"
)

// A Clock is the model of fetching with which the papers compute running times: a
// list of pages is fetched by workers of which each serves one host at a time,
// then the frontier is ordered again. The zero value has the defaults below.
type Clock struct {
	Workers int // default 30, Wang et al. 2009
	// Pages between two orderings of the frontier; default 50, Wang et al. 2009.
	List  int
	Fetch time.Duration // per page; default 1 s
	Delay time.Duration // between two pages of one host; default 5 s
	// To order the frontier before each list; default 0, since cpu_page measures
	// it.
	Reorder time.Duration
}

func (c Clock) orDefault() Clock {
	return Clock{cmp.Or(c.Workers, 30), cmp.Or(c.List, 50), cmp.Or(c.Fetch, time.Second), cmp.Or(c.Delay, 5*time.Second), c.Reorder}
}

// Makespan returns how long a list takes, given the host of each page. A host
// with n pages occupies a worker for n·Fetch + (n−1)·Delay. Hosts are assigned
// longest first to the worker that is free first (Graham's LPT rule).
func (c Clock) Makespan(hosts []string) time.Duration {
	c = c.orDefault()
	free := make([]time.Duration, c.Workers)
	for _, n := range queueLengths(hosts) {
		i := slices.Index(free, slices.Min(free))
		free[i] += time.Duration(n)*c.Fetch + time.Duration(n-1)*c.Delay
	}
	return slices.Max(free)
}

// queueLengths returns the number of pages per host, largest first.
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

// lists divides the hosts of the first k steps into lists.
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

// HostsPerList returns the mean number of different hosts in a list: the fewer,
// the longer the workers wait.
func (c Clock) HostsPerList(t *Trail, k int) float64 {
	lists := c.lists(t, k)
	n := 0
	for _, l := range lists {
		n += len(queueLengths(l))
	}
	return ratio(n, len(lists))
}

// after returns the virtual time at which the first k pages had been fetched.
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
