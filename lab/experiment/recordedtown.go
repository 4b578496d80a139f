package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/lab/web"
	"dowse/internal/mistake"
	"dowse/weburl"
)

// A siteWeb is a web of many sites of which it is known whether they are on topic: a synthetic
// town, or a recorded web with labels.
type siteWeb interface {
	Sites() iter.Seq[demo.TownSite]
	// Site returns the truth about a host, with or without www.
	Site(host string) (demo.TownSite, bool)
	// Training draws training sites, relevant ones first.
	Training(on, off int) []demo.TownSite
	// FirstPages returns the first n pages of a site, its homepage first.
	FirstPages(host string, n int) []dowse.URL
	// Home returns the homepage of a site.
	Home(host string) dowse.URL
	RoundTripper() http.RoundTripper
}

// A recordedTown is a recorded web as a town. A site is a host, and on topic if one of its pages
// is labelled with the topic, or with one below it.
type recordedTown struct {
	web   http.RoundTripper
	close func() error
	sites []demo.TownSite // by host
	index map[string]int  // by host without www.
	pages [][]dowse.URL   // by site: the homepage, then short URLs first
	seed  uint64
}

// errFewSites is returned for a web with too few sites on topic to train on some and find others.
var errFewSites = errors.New("too few sites on topic (want at least 4): label more hosts, or choose another topic")

// openRecordedTown opens a recorded web with the labels of its hosts.
func openRecordedTown(c townConfig) (*recordedTown, error) {
	for _, path := range c.Recorded {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("experiment: town: %w; name a WARC or WACZ file, a folder of them or a collection", err)
		}
	}
	source := web.Source{Paths: c.Recorded, Labels: c.Labels}
	labels, err := source.LoadLabels()
	if err != nil {
		return nil, err
	}
	if labels == nil {
		return nil, fmt.Errorf("experiment: town: %s: %w; put a file of url and topic next to it, as NAME.labels.tsv, or name it in the experiment", strings.Join(c.Recorded, ", "), ErrLabels)
	}
	t := &recordedTown{index: map[string]int{}, seed: c.Seed}
	var urls []dowse.URL
	if t.web, urls, t.close, err = source.Replay(); err != nil {
		return nil, err
	}
	for _, u := range slices.Sorted(slices.Values(urls)) {
		t.add(u)
	}
	on := 0
	for _, u := range labels.On(c.Topic) {
		if i, ok := t.index[siteNameOf(u)]; ok && !t.sites[i].Relevant {
			t.sites[i].Relevant, t.sites[i].Topic = true, c.Topic
			on++
		}
	}
	for i := range t.pages {
		slices.SortStableFunc(t.pages[i], func(a, b dowse.URL) int {
			return cmp.Or(-cmp.Compare(isHome(a), isHome(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
	}
	if len(labels.On(c.Topic)) == 0 {
		return nil, errors.Join(fmt.Errorf("experiment: town: no page is labelled with the topic %s; %s", c.Topic, mistake.Suggestion(c.Topic, labels.Largest(10))), t.close())
	}
	if on < 4 {
		return nil, errors.Join(fmt.Errorf("experiment: town: %s: %d of %d sites: %w", c.Topic, on, len(t.sites), errFewSites), t.close())
	}
	return t, nil
}

// siteNameOf returns the name of the site of a URL.
func siteNameOf(u dowse.URL) string { return weburl.WithoutWWW(weburl.Host(u)) }

// isHome returns 1 for a homepage.
func isHome(u dowse.URL) int {
	if weburl.Homepage(u) == u {
		return 1
	}
	return 0
}

// add adds a page of the web to its site.
func (t *recordedTown) add(u dowse.URL) {
	name := siteNameOf(u)
	if name == "" || strings.HasSuffix(string(u), "/robots.txt") {
		return
	}
	i, ok := t.index[name]
	if !ok {
		i = len(t.sites)
		t.index[name] = i
		t.sites, t.pages = append(t.sites, demo.TownSite{Host: weburl.Host(u)}), append(t.pages, nil)
	}
	t.sites[i].Pages++
	t.pages[i] = append(t.pages[i], u)
}

// Sites iterates over all sites.
func (t *recordedTown) Sites() iter.Seq[demo.TownSite] { return slices.Values(t.sites) }

// Site returns the truth about a host.
func (t *recordedTown) Site(host string) (demo.TownSite, bool) {
	i, ok := t.index[weburl.WithoutWWW(host)]
	if !ok {
		return demo.TownSite{}, false
	}
	return t.sites[i], true
}

// Training draws training sites. At most half of the sites of either kind are drawn, since the
// others are to be found.
func (t *recordedTown) Training(on, off int) (list []demo.TownSite) {
	var kinds [2][]demo.TownSite // relevant, others
	for _, s := range t.sites {
		if s.Relevant {
			kinds[0] = append(kinds[0], s)
		} else {
			kinds[1] = append(kinds[1], s)
		}
	}
	draw := newRand(t.seed, "training sites")
	for k, most := range []int{on, off} {
		of := kinds[k]
		draw.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		list = append(list, of[:min(most, len(of)/2)]...)
	}
	return list
}

// FirstPages returns the first n pages of a site.
func (t *recordedTown) FirstPages(host string, n int) []dowse.URL {
	i, ok := t.index[weburl.WithoutWWW(host)]
	if !ok {
		return nil
	}
	return t.pages[i][:min(n, len(t.pages[i]))]
}

// Home returns the homepage of a site, or its first page if the homepage was not recorded.
func (t *recordedTown) Home(host string) dowse.URL {
	if pages := t.FirstPages(host, 1); len(pages) > 0 {
		return pages[0]
	}
	return ""
}

// RoundTripper answers requests from the recording.
func (t *recordedTown) RoundTripper() http.RoundTripper { return t.web }
