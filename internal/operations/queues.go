package operations

import (
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/facts"
)

// maxQueuePages is the largest collection whose audit and disagreements are looked for while the
// caller waits: both read the whole journal.
const maxQueuePages = 5_000

// keptRows is how many rows of a queue are kept. It is more than a caller may ask for, since pages that get a label are left out.
const keptRows = 2 * maxRows

// A keptQueue is the audit or the disagreements of a large collection as a look through its whole journal found them. It is looked for
// in the background, and again when the journal has changed, for at most a part of the time, as views are made. Labels that are given meanwhile
// are considered when it is asked for.
type keptQueue struct {
	gen    string // of the files that it was made from; "" if it was never made
	rows   []*facts.Row
	of     int
	lines  int // of the labels when it was made
	seen   time.Time
	err    error
	making bool
	cost   cost
	at     time.Time // when it was made
}

// longQueue fills the queue of a large collection as it is known, and has it looked for if it is not known or old.
func (s *shelf) longQueue(v *openView, q *Queue, labels *collection.Labels, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queues == nil {
		s.queues = map[string]*keptQueue{}
	}
	k := s.queues[q.Queue]
	if k == nil {
		k = &keptQueue{}
		s.queues[q.Queue] = k
	}
	age := s.now().Sub(k.at)
	if k.gen != v.gen && !k.making && !s.closed && (k.gen == "" || age < 0 || age >= k.cost.pause()) {
		k.making = true
		go s.findQueue(q.Queue, v.gen, labels)
	}
	if k.gen == "" {
		q.Making = k.err == nil
		return k.err
	}
	q.Of, q.Seen = k.of, k.seen
	q.fill(k, labels, n)
	return nil
}

// fill takes n pages of a kept queue. Those with a label are part of the sample of an audit, and not asked for again; one that was
// skipped is replaced. Of disagreements, those that were labelled since are left out.
func (q *Queue) fill(k *keptQueue, labels *collection.Labels, n int) {
	asked, since := map[dowse.URL]string{}, map[dowse.URL]bool{}
	for i := range labels.Lines {
		if l := &labels.Lines[i]; l.IsVerdict() {
			asked[l.URL] = l.Label
			since[l.URL] = since[l.URL] || i >= k.lines
		}
	}
	drawn := 0
	for _, row := range k.rows {
		label, ok := asked[row.URL]
		switch {
		case q.Queue == QueueAudit && ok:
			if label != collection.LabelSkip {
				drawn++
			}
		case q.Queue != QueueAudit && since[row.URL]:
		default:
			drawn++
			q.Pages = append(q.Pages, row)
		}
		if drawn == n {
			return
		}
	}
}

// findQueue looks for the pages of a queue with a view of its own, so that no question waits for it.
func (s *shelf) findQueue(queue, gen string, labels *collection.Labels) {
	began := time.Now()
	found := &keptQueue{gen: gen, lines: len(labels.Lines), seen: s.now().UTC()}
	cr, err := crawler.View(s.dir)
	if err == nil {
		defer cr.Close()
		if queue == QueueAudit {
			found.of, labels = cr.Status().Fetched, &collection.Labels{} // the order does not depend on labels
		}
		found.rows, err = cr.Collection.Queue(queue, labels, keptRows)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.queues[queue]
	k.cost.add(time.Since(began))
	if found.cost, found.at = k.cost, s.now(); err != nil {
		found.gen, found.rows, found.err = "", nil, err
	}
	s.queues[queue] = found
}
