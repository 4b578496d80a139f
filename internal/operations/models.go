package operations

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/admission"
	"dowse/internal/facts"
	"dowse/settings"
)

// Models is the history of the judge of a collection.
type Models struct {
	Current string             `json:"current" doc:"the model that judges"`
	Models  []collection.Model `json:"models" doc:"every use of a model, oldest first"`
	// Undo is the model that Undo would return to; "" if there is none.
	Undo string `json:"undo,omitempty" doc:"the model that an undo returns to"`
}

// Models returns the history of the judge.
func (o *Operations) Models(ctx context.Context, id string) (*Models, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	list, err := collection.Models(s.dir)
	if err != nil {
		return nil, err
	}
	m := &Models{Models: append([]collection.Model{}, list...)}
	if to, _, err := undoTarget(list, ""); err == nil {
		m.Undo = to
	}
	err = s.locked(ctx, func(v *openView) error {
		m.Current = cmp.Or(v.col.Crawl.Model(), collection.FirstModel)
		return nil
	})
	return m, err
}

// Labels is what people said about pages.
type Labels struct {
	Labels    []collection.Label    `json:"labels" doc:"the labels in force, by URL"`
	Total     int                   `json:"total" doc:"how many there are"`
	Conflicts []collection.Conflict `json:"conflicts" doc:"pages that people disagree about"`
	Bad       int                   `json:"bad_lines,omitempty" doc:"lines that can't be read"`
}

// maxLabels is how many labels one answer has.
const maxLabels = 10_000

// Labels returns the labels in force. The error is of kind Damaged if the settings of the collection can't be read.
func (o *Operations) Labels(ctx context.Context, id string) (*Labels, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	if _, err := collection.ReadSettings(s.dir); err != nil { // labels of a collection that can't be read are not all of it
		return nil, err
	}
	read, err := collection.ReadLabels(s.dir)
	if err != nil {
		return nil, err
	}
	valid := read.Standing()
	l := &Labels{Labels: []collection.Label{}, Total: len(valid), Conflicts: append([]collection.Conflict{}, read.Conflicts()...), Bad: read.Bad}
	for _, u := range slices.Sorted(maps.Keys(valid))[:min(len(valid), maxLabels)] {
		l.Labels = append(l.Labels, valid[u])
	}
	return l, ctx.Err()
}

// A Queue is pages that are worth a label.
type Queue struct {
	Queue string       `json:"queue" doc:"unsure, audit or disagreements"`
	Pages []*facts.Row `json:"pages"`
	// Of is, for an audit, the number of fetched pages that the sample is drawn from. Labels of the
	// queue must repeat it.
	Of   int       `json:"of,omitempty" doc:"for an audit: fetched pages that the sample is drawn from"`
	Seen time.Time `json:"seen" doc:"the moment that the queue shows"`
	// Making reports that the pages of a large collection are being looked for, and none are known yet.
	Making bool `json:"making,omitempty" doc:"whether the pages are being looked for; ask again in a moment"`
}

// The queues of pages to label.
const (
	QueueUnsure        = collection.QueueUnsure
	QueueAudit         = collection.QueueAudit
	QueueDisagreements = "disagreements"
)

// Queue returns at most n pages to label. For an audit n is the size of the whole sample. An audit and the disagreements of a large
// collection are looked for in the background, see keptQueue.
func (o *Operations) Queue(ctx context.Context, id, queue string, n int) (*Queue, error) {
	queue = cmp.Or(queue, QueueUnsure)
	if !slices.Contains([]string{QueueUnsure, QueueAudit, QueueDisagreements}, queue) {
		return nil, failf(Invalid, "queue", "queue: got %q, want unsure, audit or disagreements", clip(queue))
	}
	if err := limit(&n, 20, maxRows); err != nil {
		return nil, err
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	labels, err := collection.ReadLabels(s.dir)
	if err != nil {
		return nil, err
	}
	q := &Queue{Queue: queue, Pages: []*facts.Row{}}
	err = s.use(ctx, func(v *openView) error {
		q.Seen = v.at.UTC()
		if err := s.fillQueue(ctx, v, q, labels, n); err != nil {
			return err
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		q.Pages = v.spell(q.Pages)
		return nil
	})
	return q, err
}

// fillQueue adds the pages of a queue.
func (s *shelf) fillQueue(ctx context.Context, v *openView, q *Queue, labels *collection.Labels, n int) (err error) {
	if q.Queue == QueueUnsure {
		q.Pages, err = v.unsure(ctx, labels, n)
		return err
	}
	if len(v.pages.ids) > maxQueuePages {
		return s.longQueue(v, q, labels, n)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	rows, err := v.col.Queue(q.Queue, labels, n)
	q.Pages = append(q.Pages, rows...)
	if q.Queue == QueueAudit {
		q.Of = v.cr.Status().Fetched
	}
	return err
}

// unsure returns the pages nearest to the threshold that no person was asked about, from the
// columns.
func (v *openView) unsure(ctx context.Context, labels *collection.Labels, n int) ([]*facts.Row, error) {
	asked := map[dowse.URL]bool{}
	for i := range labels.Lines {
		if l := &labels.Lines[i]; l.IsVerdict() {
			asked[l.URL] = true
		}
	}
	p := &picks{n: n + len(asked)}
	if err := v.passPages(ctx, &PageQuery{Sort: SortUncertainty}, p); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	list := []*facts.Row{}
	for _, x := range p.sorted() {
		if asked[v.col.URL(x.id)] {
			continue
		}
		row, err := v.row(x.id)
		if err != nil {
			return nil, err
		}
		if row != nil {
			list = append(list, row)
		}
		if len(list) == n {
			break
		}
	}
	return list, nil
}

// Settings are the settings of a collection and how they were changed.
type Settings struct {
	Name     string              `json:"name"`
	Dir      string              `json:"dir"`
	Version  string              `json:"version" doc:"of the program that created it"`
	Begun    time.Time           `json:"begun"`
	Seeds    []string            `json:"seeds"`
	Settings []SettingValue      `json:"settings" doc:"every setting"`
	Entries  []SettingEntry      `json:"entries" doc:"what include, exclude and block have, one by one; each can be dropped"`
	Topic    string              `json:"topic" doc:"the text of the topic file"`
	Changes  []crawler.SetRecord `json:"changes" doc:"changes that were made, oldest first"`

	Limits settings.Limits `json:"-"` // as numbers
}

// A SettingValue is one setting of a crawl.
type SettingValue struct {
	Name    string `json:"name" doc:"as a change names it"`
	Value   string `json:"value,omitempty" doc:"empty if it has its default"`
	Default string `json:"default,omitempty"`
	Help    string `json:"help" doc:"what it does"`
	Change  bool   `json:"change" doc:"whether it can be changed"`
}

// A SettingEntry is one entry of a setting that is a list.
type SettingEntry struct {
	Name string `json:"name" doc:"include, exclude or block"`
	Text string `json:"text" doc:"the pattern or the host"`
}

// BlockOf returns the entry that blocks a host, at its port or at every port, "" for none.
func (s *Settings) BlockOf(host string) string {
	for _, e := range s.Entries {
		if e.Name == "block" && (e.Text == host || e.Text == admission.WithoutPort(host)) {
			return e.Text
		}
	}
	return ""
}

// entriesOf returns the entries of include, exclude and block.
func entriesOf(s *settings.Settings) []SettingEntry {
	list := []SettingEntry{}
	for _, x := range []struct {
		name    string
		entries []string
	}{{"include", s.Include}, {"exclude", s.Exclude}, {"block", s.Block}} {
		for _, text := range x.entries {
			list = append(list, SettingEntry{x.name, text})
		}
	}
	return list
}

// SettingsOf returns every setting that has a flag, with its value.
func SettingsOf(s *settings.Settings) (list []SettingValue) {
	for _, f := range settings.Fields() {
		if f.Flag != "" {
			list = append(list, SettingValue{f.Flag, f.Text(s), f.Default, f.Help, changeable(f.Flag)})
		}
	}
	return list
}

// maxChanges is how many changes of settings an answer has.
const maxChanges = 500

// Settings returns the settings and the topic of a collection. It does not open the crawl.
func (o *Operations) Settings(ctx context.Context, id string) (*Settings, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	kept, err := collection.ReadSettings(s.dir)
	if err != nil {
		return nil, err
	}
	x := &Settings{Name: kept.Name, Dir: s.dir, Version: kept.Version, Begun: kept.Begun, Seeds: append([]string{}, kept.Seeds...), Settings: []SettingValue{}, Entries: entriesOf(&kept.Settings), Limits: kept.Limits}
	x.Settings = append(x.Settings, SettingsOf(&kept.Settings)...)
	topic, err := (&collection.Collection{Dir: s.dir}).Topic()
	if err != nil {
		return nil, err
	}
	x.Topic = string(topic)
	changes, err := crawler.SetRecords(s.dir)
	if err != nil {
		return nil, err
	}
	x.Changes = append([]crawler.SetRecord{}, changes[max(0, len(changes)-maxChanges):]...)
	return x, ctx.Err()
}
