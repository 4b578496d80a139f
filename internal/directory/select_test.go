package directory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/shareddata"
)

// made returns the label file of a tree with 3 × 4 × 5 categories of 8 pages each.
func made() []string {
	var lines []string
	for a := range 3 {
		for b := range 4 {
			for c := range 5 {
				for p := range 8 {
					lines = append(lines, fmt.Sprintf("http://p%d.example/%d/%d/%d\tTop/A%d/B%d/C%d/D%d", p, a, b, c, a, b, c, p%2))
				}
			}
		}
	}
	return lines
}

func TestSelect(t *testing.T) {
	s := Selection{Seeds: 2, Train: 3, Targets: 3, Count: 7}
	got, err := of(Labels, strings.Join(made(), "\n")).Select(s, rng())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "topics", len(got.Topics), 7)
	equal(t, "candidates", got.Candidates, 60)
	below := map[string]int{}
	for i := range got.Topics {
		topic := &got.Topics[i]
		below[parent(topic.Path)]++
		below[parent(parent(topic.Path))]++
		checkTopic(t, topic)
	}
	for path, n := range below {
		if most := map[int]int{1: 3, 2: 1}[Level(path)]; n > most {
			t.Errorf("%d topics below %s", n, path)
		}
	}
	for _, r := range got.Rejected {
		if r.Reason != SameParent && r.Reason != SameGrandparent {
			t.Errorf("%v", r)
		}
	}
}

// checkTopic checks that the parts of a topic are apart, and complete.
func checkTopic(t *testing.T, topic *Topic) {
	t.Helper()
	equal(t, topic.Path, []int{len(topic.Seeds), len(topic.Train), len(topic.Eval), len(topic.Others)}, []int{2, 3, 3, 6})
	equal(t, "targets", topic.Targets, slices.Concat(topic.Train, topic.Eval))
	seen := map[dowse.URL]bool{}
	for _, u := range slices.Concat(topic.Seeds, topic.Train, topic.Eval) {
		e, ok := topic.Entry(u)
		if seen[u] || !ok || !within(topic.Path, e.Path) {
			t.Errorf("%s: %s is there twice, or not of it", topic.Path, u)
		}
		seen[u] = true
	}
	for _, e := range topic.Others {
		if seen[e.URL] || within(topic.Path, e.Path) {
			t.Errorf("%s: %s is no other", topic.Path, e.URL)
		}
	}
}

// The same numbers draw the same, whatever the order of the file; other chance draws
// otherwise.
func TestSelectIsDeterministic(t *testing.T) {
	s := Selection{Seeds: 2, Train: 3, Targets: 3, Count: 7}
	draw := func(lines []string, seed uint64) string {
		got, err := of(Labels, strings.Join(lines, "\n")).Select(s, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, topic := range got.Topics {
			fmt.Fprintln(&b, topic.Candidate, topic.Split, topic.Others)
		}
		return b.String()
	}
	lines := made()
	first := draw(lines, 1)
	shuffled := slices.Clone(lines)
	rng().Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
	equal(t, "another order", draw(shuffled, 1), first)
	if draw(lines, 2) == first {
		t.Error("chance does not matter")
	}
}

// A page that is in a topic twice counts once, and is no other of a second topic.
func TestSelectCountsPages(t *testing.T) {
	lines := slices.Concat(made(), made(), []string{"http://p0.example/0/0/0\tTop/A1/B1/C1"})
	got, err := of(Labels, strings.Join(lines, "\n")).Select(Selection{Seeds: 2, Train: 3, Targets: 4, Min: 9}, rng())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "topics", got.Topics[0].Candidate, Candidate{"Top/A1/B1/C1", 9})
	equal(t, "topics", len(got.Topics), 1)
}

func TestSelectRefuses(t *testing.T) {
	d := of(Labels, strings.Join(made(), "\n"))
	for want, s := range map[string]Selection{
		"95 pages are needed":                {},
		"none at level 7: choose another":    {Level: 7},
		"leaves no target":                   {Seeds: 5, Train: 5, Min: 10},
		"seeds: -1 is less than 0":           {Seeds: -1},
		", has 8: ask for fewer":             {Seeds: 1, Train: 1, Targets: 7},
		"topics per parent: -2 is less than": {PerParent: -2},
	} {
		_, err := d.Select(s, rng())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if strings.Contains(want, "level") && !errors.Is(err, ErrNoTopic) {
			t.Errorf("%v is not ErrNoTopic", err)
		}
	}
}

// The editors' subjects of Wikispeedia go through the same door as a real directory.
func TestSelectWikispeedia(t *testing.T) {
	d, err := Open(shareddata.Path(t, "webs/wikispeedia.labels.tsv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Select(Selection{Level: 2, Seeds: 5, Train: 10, Targets: 10, PerParent: 3, PerGrandparent: 30}, rng())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "dirt", d.Dirt().Any(), false)
	if len(got.Topics) < 15 || len(got.Topics) > 30 {
		t.Errorf("%d topics", len(got.Topics))
	}
	for i := range got.Topics {
		topic := &got.Topics[i]
		if len(topic.Seeds) != 5 || len(topic.Train) != 10 || len(topic.Eval) < 10 || len(topic.Others) != 20 {
			t.Errorf("%s: %d seeds, %d to train, %d unseen, %d others", topic.Path, len(topic.Seeds), len(topic.Train), len(topic.Eval), len(topic.Others))
		}
		for _, e := range topic.Others {
			if _, mine := topic.Entry(e.URL); mine {
				t.Errorf("%s: %s is its own", topic.Path, e.URL)
			}
		}
	}
}
