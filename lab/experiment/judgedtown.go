package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/internal/site"
	"dowse/judge"
	"dowse/weburl"
)

// The sites of a town that judges are trained on, on and off topic: as many as
// Ester, Kriegel and Schubert 2004 have per topic. Crawls start from startSites
// of those on topic.
const (
	trainingOn  = 30
	trainingOff = 90
	startSites  = 5
)

// A JudgedTown is a town with trained judges of its sites. The training
// sites are left out of everything that is measured. It may be used by concurrent
// crawls.
type JudgedTown struct {
	Town  *demo.Town       // nil for a recorded web
	Pages *judge.Centroids // trained on the first pages of the training sites
	Homes *judge.Centroids // trained on the homepages of the training sites
	Seeds []dowse.URL      // homepages of the start sites

	sites   siteWeb
	close   func() error // of a recorded web; nil for none
	client  *fetch.Client
	trained map[string]bool // names of the training sites
}

// NewJudgedTown generates a town and trains its judges. The caller closes it.
func NewJudgedTown(c demo.TownConfig, trainer judge.Centroid) (*JudgedTown, error) {
	town := demo.NewTown(c)
	return judgedTown(&JudgedTown{Town: town, sites: town}, trainer)
}

// newRecordedTown opens a recorded web as a town and trains its judges. The caller closes it.
func newRecordedTown(c townConfig, trainer judge.Centroid) (*JudgedTown, error) {
	w, err := openRecordedTown(c)
	if err != nil {
		return nil, err
	}
	return judgedTown(&JudgedTown{sites: w, close: w.close}, trainer)
}

// judgedTown trains the judges of a town. It closes a town that cannot be trained.
func judgedTown(t *JudgedTown, trainer judge.Centroid) (_ *JudgedTown, err error) {
	t.trained = map[string]bool{}
	if t.client, err = fetch.New(fetch.Config{Agent: "dowse-demo", Transport: t.sites.RoundTripper()}); err != nil {
		return nil, fmt.Errorf("experiment: town: %w", err)
	}
	examples := t.examples()
	if t.Pages, err = site.Train(examples, trainer); err == nil {
		t.Homes, err = site.TrainHomepages(examples, trainer)
	}
	if err != nil {
		t.Close()
		return nil, fmt.Errorf("experiment: town: %w", err)
	}
	return t, nil
}

// examples fetches the first pages of the training sites as training data, and
// chooses the start sites among them.
func (t *JudgedTown) examples() (list []judge.Example) {
	for _, s := range t.sites.Training(trainingOn, trainingOff) {
		name := weburl.WithoutWWW(s.Host)
		t.trained[name] = true
		pages := t.sites.FirstPages(s.Host, site.TrainingPages)
		for _, u := range pages {
			if p := t.visit(unread{}, u); p.Outcome == dowse.Fetched {
				list = append(list, judge.Example{Page: p, Site: name, Relevant: s.Relevant})
			}
		}
		if s.Relevant && len(t.Seeds) < startSites && len(pages) > 0 {
			t.Seeds = append(t.Seeds, pages[0])
		}
	}
	return list
}

// unread is the judge for visits whose pages need no rating.
type unread struct{}

// Judge returns no rating.
func (unread) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{} }

// visitor returns a visitor of the town whose pages j rates.
func (t *JudgedTown) visitor(j dowse.Judge) *crawler.Visitor {
	return &crawler.Visitor{Client: t.client, Judge: j}
}

// visit fetches one page outside any crawl.
func (t *JudgedTown) visit(j dowse.Judge, u dowse.URL) *dowse.Page {
	return t.visitor(j).Visit(context.Background(), crawl.Visit{URL: u}).Page
}

// Close releases the connections to the town, and the files of a recorded one.
func (t *JudgedTown) Close() {
	t.client.Close()
	if t.close != nil {
		t.close()
	}
}

// truth reports whether a site is on topic by the town's own labels.
func (t *JudgedTown) truth(name string) bool {
	s, ok := t.sites.Site(name)
	return ok && s.Relevant
}

// Targets returns the number of sites on topic that a crawl can find.
func (t *JudgedTown) Targets() (n int) {
	for s := range t.sites.Sites() {
		if s.Relevant && !t.trained[weburl.WithoutWWW(s.Host)] {
			n++
		}
	}
	return n
}

// Decided returns the sites that a site crawl judged, in the order of its
// decisions, without start sites, training sites and sites that it left
// undecided.
func (t *JudgedTown) Decided(all []site.Site) (steps []measure.SiteStep) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b site.Site) int { return cmp.Compare(a.Order, b.Order) })
	for _, s := range all {
		if s.Start || t.trained[s.Name] || s.Verdict != site.Relevant && s.Verdict != site.Irrelevant {
			continue
		}
		steps = append(steps, measure.SiteStep{
			Site: s.Name, Relevant: t.truth(s.Name), Verdict: s.Verdict == site.Relevant, Pages: s.Pages, Judged: cmp.Or(s.Judged, s.Pages),
		})
	}
	return steps
}

// byHomepages judges the same sites again, each by its homepage alone: a site is
// on topic if the homepage classifier's confidence is above one half. This is the
// baseline against which Ester et al. compare judging by several pages.
func (t *JudgedTown) byHomepages(steps []measure.SiteStep) []measure.SiteStep {
	steps = slices.Clone(steps)
	for i := range steps {
		s := &steps[i]
		p := t.visit(site.Reader{By: t.Homes}, t.sites.Home(s.Site))
		s.Verdict, s.Pages, s.Judged = p.Outcome == dowse.Fetched && p.Verdict.Relevance > 0.5, 1, 1
	}
	return steps
}

// grouped turns the pages of a page crawl into judged sites. Each is judged by
// all its pages, or, if homes is set, by its homepage alone; then sites whose
// homepage was not fetched are left out.
func (t *JudgedTown) grouped(groups []site.Group, homes bool) (steps []measure.SiteStep) {
	for _, g := range groups {
		s := measure.SiteStep{Site: g.Site, Relevant: t.truth(g.Site), Verdict: g.Relevant, Pages: g.Pages, Judged: g.Pages}
		if homes {
			relevant, ok := g.HomepageRelevant()
			if !ok {
				continue
			}
			s.Verdict, s.Pages, s.Judged = relevant, 1, 1
		}
		steps = append(steps, s)
	}
	return steps
}
