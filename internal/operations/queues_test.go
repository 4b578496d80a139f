package operations_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/internal/operations"
)

// The audit and the disagreements of a large collection are looked for in the background: the first answer reports that, and the
// later ones have the pages that the command line asks about, without those that were labelled since.
func TestQueuesOfManyPages(t *testing.T) {
	dir := t.TempDir()
	makeLarge(t, filepath.Join(dir, "large.dowse"), 5_100)
	o := over(t, operations.Config{Dirs: []string{dir}})
	queue := func(name string) *operations.Queue {
		for {
			q, err := o.Queue(bg, "large", name, 20)
			if err != nil {
				t.Fatal(err)
			}
			if !q.Making {
				return q
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if q, err := o.Queue(bg, "large", operations.QueueAudit, 20); err != nil || !q.Making || len(q.Pages) > 0 {
		t.Errorf("the first answer: %+v, %v", q, err)
	}
	wanted := func() (urls []dowse.URL) {
		cr, err := crawler.View(filepath.Join(dir, "large.dowse"))
		if err != nil {
			t.Fatal(err)
		}
		defer cr.Close()
		labels, err := collection.ReadLabels(cr.Collection.Dir)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := cr.Collection.Queue(operations.QueueAudit, labels, 20)
		if err != nil {
			t.Fatal(err)
		}
		return urlsOf(rows)
	}
	first := queue(operations.QueueAudit)
	if got := urlsOf(first.Pages); first.Of != 5_100 || len(got) != 20 || !slices.Equal(got, wanted()) {
		t.Fatalf("of %d pages: %v, want %v", first.Of, got, wanted())
	}
	var labels []operations.GivenLabel
	for i, label := range []string{collection.LabelOn, collection.LabelSkip, collection.LabelOff} {
		labels = append(labels, operations.GivenLabel{URL: string(first.Pages[i].URL), Label: label, Queue: operations.QueueAudit, Of: first.Of})
	}
	if _, err := o.Label(bg, "large", operations.LabelRequest{Labels: labels}); err != nil {
		t.Fatal(err)
	}
	if got := urlsOf(queue(operations.QueueAudit).Pages); len(got) != 18 || !slices.Equal(got, wanted()) {
		t.Errorf("after three labels, one of them a skip: %d pages %v, want %v", len(got), got, wanted())
	}
	if q := queue(operations.QueueDisagreements); len(q.Pages) > 2 {
		t.Errorf("two labels have %d disagreements", len(q.Pages))
	}
}

// urlsOf returns the URLs of pages.
func urlsOf(rows []*facts.Row) (list []dowse.URL) {
	for _, r := range rows {
		list = append(list, r.URL)
	}
	return list
}
