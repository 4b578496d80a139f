package demo

import (
	"iter"
	"strings"

	"dowse"
)

// Truth reports whether the page at u is on a topic: a name, a path, or the
// path of a category, which includes all topics below it. It is not ok if there
// is no such topic or u is not a page: a redirect, a dead link, a file. Pages
// that traps generate are on no topic, nor are those of link farms and those in
// another language; a copy is on the topic of what it copies.
func (w *Web) Truth(u dowse.URL, topic string) (relevant, ok bool) {
	wanted, ok := w.wanted(topic)
	if !ok {
		return false, false
	}
	if id, isPage := w.numberOf(u); isPage {
		return wanted[w.page(id).lex], true
	}
	return false, w.isEndless(u)
}

// isEndless reports whether u is in an endless trap.
func (w *Web) isEndless(u dowse.URL) bool {
	at, _ := parse(u)
	i, known := w.hosts[at.host]
	if !known {
		return false
	}
	_, isMonth := monthAt(&w.sites[i], at.path)
	return isMonth || isRepeat(&w.sites[i], at.path)
}

// SiteTruth reports whether the main topic of a host is a topic, or below a
// category; a link farm has none. It is not ok if there is no such topic or
// host.
func (w *Web) SiteTruth(host, topic string) (relevant, ok bool) {
	wanted, ok := w.wanted(topic)
	i, known := w.hosts[host]
	if !ok || !known {
		return false, false
	}
	s := &w.sites[i]
	return s.kind != Farm && wanted[s.topic], true
}

// Relevant iterates over all pages on a topic or below a category, also those
// that robots.txt forbids.
func (w *Web) Relevant(topic string) iter.Seq[dowse.URL] {
	return func(yield func(dowse.URL) bool) {
		wanted, ok := w.wanted(topic)
		for id := 0; ok && id < w.config.Pages; id++ {
			if wanted[w.page(id).lex] && !yield(w.urlOf(id)) {
				return
			}
		}
	}
}

// RelevantCount returns the number of pages of Relevant.
func (w *Web) RelevantCount(topic string) int {
	wanted, ok := w.wanted(topic)
	n := 0
	for id := 0; ok && id < w.config.Pages; id++ {
		if wanted[w.page(id).lex] {
			n++
		}
	}
	return n
}

// wanted reports, for each lexicon, whether it is the topic or below the
// category. Truth is a lookup in it: what a page is about is its lexicon, not
// what its text seems to be about.
func (w *Web) wanted(topic string) ([]bool, bool) {
	wanted := make([]bool, len(w.words.lexicons))
	if i, ok := w.topicNumber(topic); ok {
		wanted[i] = true
		return wanted, true
	}
	found := false
	for i := range w.words.topics() {
		if strings.HasPrefix(w.words.lexicons[i].Path, strings.TrimSuffix(topic, "/")+"/") {
			wanted[i], found = true, true
		}
	}
	return wanted, found
}

// Seeds returns at most n seeds for a crawl for a topic: home pages of
// different sites on it, none of them hidden, forbidden or a copy.
func (w *Web) Seeds(topic string, n int) []dowse.URL { return w.SeedSet(topic, n, 0) }

// SeedSet returns one of many sets of seeds; set 0 is that of Seeds. Other sets
// use articles on the topic too.
func (w *Web) SeedSet(topic string, n int, set uint64) []dowse.URL {
	wanted, _ := w.wanted(topic)
	var seeds []dowse.URL
	for _, i := range w.seedSites(wanted, set) {
		if len(seeds) < n {
			seeds = append(seeds, w.urlOf(w.seedOn(&w.sites[i], wanted, set)))
		}
	}
	return seeds
}

// seedSites returns the ordinary sites on a topic, in the order of the set.
func (w *Web) seedSites(wanted []bool, set uint64) []int32 {
	var sites []int32
	for i := range w.sites {
		if s := &w.sites[i]; s.kind == Ordinary && wanted[s.topic] {
			sites = append(sites, int32(i))
		}
	}
	if set > 0 {
		d := rngFor(w.config.Seed+set, forSeeds, 0)
		shuffle(sites, &d)
	}
	return sites
}

// seedOn returns the seed on a site: its home page in set 0, otherwise an
// article on topic if a few draws find one, else the home page.
func (w *Web) seedOn(s *site, wanted []bool, set uint64) int {
	d := rngFor(w.config.Seed+set, forSeeds, s.index+1)
	for try := 0; try < 8 && set > 0; try++ {
		p := w.page(s.first + d.under(s.open()))
		if wanted[p.lex] && w.mayFetch(p) {
			return p.id
		}
	}
	return s.first
}

// GeneralSeeds returns at most n seeds that are on no topic: the home pages of
// directories, newspapers and general sites.
func (w *Web) GeneralSeeds(n int) []dowse.URL {
	var seeds []dowse.URL
	for i := range w.sites {
		switch s := &w.sites[i]; s.kind {
		case Portal, News, General:
			if len(seeds) < n {
				seeds = append(seeds, w.urlOf(s.first))
			}
		}
	}
	return seeds
}
