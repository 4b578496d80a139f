package frontier

// A Visit is what a crawl remembers of a visited page.
type Visit struct {
	Relevance float64
	OnTopic   bool
	Place     uint64 // the caller's: where the visit is recorded
}

// visit also has the position of its URL in a heap, so that the entry needs one
// field for both.
type visit struct {
	relevance float64
	place     uint64
	at        uint32
	onTopic   bool
}

// SetVisit stores what is known of a visit, and replaces what was. URLs without
// a visit take no memory for it.
func (f *Frontier) SetVisit(id ID, v Visit) {
	e := f.edit(id)
	if !e.is(hasVisit) {
		f.visits.add().at = e.at
		e.at = uint32(f.visits.n - 1)
		e.set(hasVisit)
	}
	f.keepVisit(e.at)
	kept := f.visits.at(e.at)
	kept.relevance, kept.onTopic, kept.place = v.Relevance, v.OnTopic, v.Place
}

// Visit returns what SetVisit stored last; ok is false if it was never called.
func (f *Frontier) Visit(id ID) (Visit, bool) {
	e := f.entry(id)
	if !e.is(hasVisit) {
		return Visit{}, false
	}
	v := f.visits.at(e.at)
	return Visit{Relevance: v.relevance, OnTopic: v.onTopic, Place: v.place}, true
}
