package crawler

import (
	"slices"

	"dowse"
	"dowse/collection"
	"dowse/judge"
)

// Labelled returns the pages of a collection that people labelled, as its archive holds
// them, and tells which it does not hold. Nothing is fetched.
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

// labelled lists the URLs of a collection to which people gave a label, if it still
// stands, in the order in which they were named first. It is nil if nobody labelled
// anything.
func labelled(dir, label string) ([]dowse.URL, error) {
	labels, err := collection.ReadLabels(dir)
	if err != nil || !slices.ContainsFunc(labels.Lines, func(l collection.Label) bool { return l.IsVerdict() }) {
		return nil, err
	}
	urls := []dowse.URL{}
	stands := labels.Standing()
	for _, l := range labels.Lines {
		if x, ok := stands[l.URL]; ok && x.Label == label {
			urls = append(urls, l.URL)
		}
		delete(stands, l.URL)
	}
	return urls, nil
}
