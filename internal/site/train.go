package site

import (
	"errors"
	"fmt"

	"dowse/judge"
)

// TrainingPages is the number of pages of a training site from which a judge
// learns, the first in breadth-first order (Ester et al. 2004).
const TrainingPages = 25

// First returns the first n pages of each site, in the order given; 0 means
// [TrainingPages]. An example without a site is a site of its own.
func First(examples []judge.Example, n int) (kept []judge.Example) {
	taken := map[string]int{}
	for _, e := range examples {
		name := e.Site
		if name == "" && e.Page != nil {
			name, _ = Of(e.Page.URL, byHost)
		}
		if taken[name]++; name == "" || taken[name] <= or(n, TrainingPages) {
			kept = append(kept, e)
		}
	}
	return kept
}

// Train trains the page judge of the paper on the pages of whole sites:
// centroids, and their error rate by cross-validation over sites. The first
// pages of each site are used, see [First].
func Train(examples []judge.Example, c judge.Centroid) (*judge.Centroids, error) {
	return train(First(examples, 0), c)
}

// TrainHomepages trains the judge of the homepage classifier, with which the
// paper compares: the same on the first page of each site.
func TrainHomepages(examples []judge.Example, c judge.Centroid) (*judge.Centroids, error) {
	return train(First(examples, 1), c)
}

func train(examples []judge.Example, c judge.Centroid) (*judge.Centroids, error) {
	m, err := c.Train(examples)
	if err != nil {
		return nil, fmt.Errorf("site: train: %w", err)
	}
	j, ok := m.(*judge.Centroids)
	if !ok {
		return nil, errors.New("site: train: no centroids")
	}
	return j, nil
}
