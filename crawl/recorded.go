package crawl

import "dowse"

// Recorded returns a strategy for reading a crawl whose own strategy is not there, because
// a Go program provided it. It repeats what the journal records: each link gets the priority
// that its target had after the page. What such a strategy did beyond links, such as raising
// all leads of a host, is missing until the next snapshot. It must not be used to go on.
func Recorded() dowse.Strategy { return &recorded{} }

// recorded is the strategy that Recorded returns.
type recorded struct{ now *Entry }

// Follow returns the leads that the entry under replay records. The decisions are copied
// first: following the page writes them again.
func (r *recorded) Follow(p *dowse.Page) (leads []dowse.Lead) {
	if r.now == nil || r.now.Page != p && r.now.Page.URL != p.URL {
		return nil
	}
	for _, d := range r.now.Links {
		if d.Reason != "" {
			continue
		}
		l := dowse.Lead{Priority: d.Priority, Merge: dowse.Replace, Because: d.Because}
		if d.State == dowse.Held {
			l.Kind = dowse.Hold
		}
		leads = append(leads, l)
	}
	at := 0
	for i, d := range r.now.Links {
		if d.Reason == "" && i < len(r.now.Found) {
			leads[at].URL = r.now.Found[i].URL
			at++
		}
	}
	return leads[:at]
}

// isRecorded reports whether the strategy repeats what the journal records.
func (cfg *Config) isRecorded() bool {
	_, ok := cfg.Strategy.(*recorded)
	return ok
}

// replays gives a recorded strategy the entry that is replayed next.
func (cfg *Config) replays(e *Entry) {
	if r, ok := cfg.Strategy.(*recorded); ok && e.Kind == EntryPage {
		copied := *e
		copied.Links = append([]Decision(nil), e.Links...)
		r.now = &copied
	}
}
