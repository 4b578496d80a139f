package crawler

import (
	"dowse"
	"dowse/collection"
)

// labelled lists the URLs of a collection to which people gave a label, if it still
// stands, in the order in which they were named first. It is nil if nobody labelled
// anything.
func labelled(dir, label string) ([]dowse.URL, error) {
	labels, err := collection.ReadLabels(dir)
	if err != nil || len(labels.Lines) == 0 {
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
