package web

import (
	"dowse"
)

// A Survey summarises a web: how large it is, how it is linked, and how far its
// topics stick together. It is what a person looks at before comparing
// strategies on the web.
type Survey struct {
	Answers   int // pages, redirects, sitemaps, failures
	Pages     int // that a crawl may fetch
	Hosts     int // with a page
	Links     int
	Resolving int // links that lead to a page of the web
	Orphans   int // pages without a link to them
	// Pages to which links lead from the page with the most links, the first of
	// equals.
	Reachable int
	Bytes     int64 // of all pages

	Labelled  int // pages with a label
	Elsewhere int // labels of URLs that the web does not have
	Unread    int // entries of a directory of labels that cannot be read
	Topics    []TopicSurvey
}

// A TopicSurvey describes how the pages of a topic are linked. Focused crawling
// works as far as Locality exceeds Chance: if both are equal, links reveal
// nothing about their targets, and no strategy can be better than another.
type TopicSurvey struct {
	Topic    string
	Pages    int     // on topic that a crawl may fetch
	Locality float64 // share of their links that lead to pages on topic
	Chance   float64 // the same if links led to random pages: the topic's share of all pages
	Linked   int     // pages on topic to which another one links
}

// Survey summarises the web. labels may be nil; topics are those to describe.
// It reads all pages, for the graph and for their bytes, and is meant for a
// person who waits for it.
func (w *Web) Survey(labels *Labels, topics []string) (*Survey, error) {
	g, err := w.Graph()
	if err != nil {
		return nil, err
	}
	s := &Survey{Answers: w.Len(), Pages: g.Pages(), Hosts: g.Hosts(), Links: g.Links, Resolving: g.Resolving}
	hub := -1
	for i, in := range g.Linking() {
		if !g.IsPage(i) {
			continue
		}
		s.Orphans += asNumber(len(in) == 0)
		if hub < 0 || len(g.Out(i)) > len(g.Out(hub)) {
			hub = i
		}
	}
	if hub >= 0 {
		for _, ok := range g.Reach([]int{hub}) {
			s.Reachable += asNumber(ok)
		}
	}
	if labels == nil {
		return s, w.weigh(s)
	}
	for i := range w.Len() {
		s.Labelled += asNumber(g.IsPage(i) && labels.Labelled(w.URL(i)))
	}
	s.Elsewhere, s.Unread = labels.Elsewhere(w), labels.Unread
	for _, t := range topics {
		s.Topics = append(s.Topics, w.topic(g, labels, t, s.Pages))
	}
	return s, w.weigh(s)
}

// weigh sums the bytes of the pages.
func (w *Web) weigh(s *Survey) error {
	for i := range w.Len() {
		p, err := w.Page(i)
		if err != nil {
			return err
		}
		if p.Outcome == dowse.Fetched {
			s.Bytes += p.Fetch.Bytes
		}
	}
	return nil
}

// topic describes one topic; pages is the number of pages of the web. Locality
// is the share of links, not of pages: a page with many links counts for more.
func (w *Web) topic(g *Graph, labels *Labels, topic string, pages int) TopicSurvey {
	t := TopicSurvey{Topic: topic}
	on := w.On(g, labels, topic)
	linked := make([]bool, len(on))
	stay, all := 0, 0
	for i := range on {
		if !on[i] {
			continue
		}
		t.Pages++
		for _, to := range g.Out(i) {
			all++
			stay += asNumber(on[to])
			linked[to] = linked[to] || on[to]
		}
	}
	for _, ok := range linked {
		t.Linked += asNumber(ok)
	}
	t.Locality = float64(stay) / float64(max(all, 1))
	t.Chance = float64(t.Pages) / float64(max(pages, 1))
	return t
}

// On reports, for every answer, whether it is a page on a topic that a crawl
// may fetch: the targets of an experiment.
func (w *Web) On(g *Graph, labels *Labels, topic string) []bool {
	on := make([]bool, w.Len())
	for _, u := range labels.On(topic) {
		if i, ok := w.Find(u); ok && g.IsPage(i) {
			on[i] = true
		}
	}
	return on
}

// asNumber returns 1 for true and 0 for false, to count with.
func asNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}
