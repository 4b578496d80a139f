package crawler

import (
	"slices"

	"dowse"
	"dowse/collection"
	"dowse/judge"
)

// Labelled returns the labelled pages of a collection as its archive holds
// them, and one note per page that is missing there. It fetches nothing.
func Labelled(dir string) (examples []judge.Example, notes []string, err error) {
	c, err := View(dir)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	for _, label := range []string{collection.LabelOn, collection.LabelOff} {
		urls, err := labelled(dir, label)
		if err != nil {
			return nil, nil, err
		}
		pages, missing, err := keptPages(c.Collection, urls)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range pages {
			examples = append(examples, judge.Example{Page: p, Relevant: label == collection.LabelOn})
		}
		notes = append(notes, missing...)
	}
	return examples, notes, nil
}

// labelled returns the URLs with a valid label of the given kind, in the
// order in which they were first labelled. It is nil if the collection has
// no labels at all.
func labelled(dir, label string) ([]dowse.URL, error) {
	labels, err := collection.ReadLabels(dir)
	if err != nil || !slices.ContainsFunc(labels.Lines, func(l collection.Label) bool { return l.IsVerdict() }) {
		return nil, err
	}
	urls := []dowse.URL{}
	current := labels.Standing()
	for _, l := range labels.Lines {
		if x, ok := current[l.URL]; ok && x.Label == label {
			urls = append(urls, l.URL)
		}
		delete(current, l.URL)
	}
	return urls, nil
}
