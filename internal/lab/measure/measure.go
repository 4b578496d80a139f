package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Measure yields one figure per crawl. Parse reads the notation of experiments
// and claims:
//
//	NAME[/WINDOW][@WHERE]    harvest  recall@500  window_harvest/100@10%  pages_to_recall@0.5
//
// WHERE is a number of pages, a percentage of the budget, or end, the default;
// for pages_to_recall it is the recall. A Measure is a small value that can be
// compared with ==.
type Measure struct {
	name   string // as it was written
	kind   string
	window int
	pages  int     // WHERE in pages; 0 for a share or the end
	share  float64 // WHERE as a share of the budget; or the recall of pages_to_recall
}

// A Kind describes one of the available measures.
type Kind struct {
	Name   string
	Title  string // in plain words
	Unit   string // share, pages, hosts, sites, s, µs, bytes
	Lower  bool   // smaller is better
	Window int    // default window: pages, or the length of a list; 0 if the measure has none
	Doc    string // one line
	Clock  bool   // measured by the machine's clock, so not reproducible

	of      func(r *Runs, t *Trail, window int) Curve
	level   bool // WHERE is a recall
	atLimit bool // end means the budget, not the last page
}

// Kinds returns all measures, in the order of the documentation.
func Kinds() []Kind {
	return slices.Concat(pageKinds(), estimateKinds(), costKinds(), siteKinds())
}

// plain adapts a measure of a trail alone, and windowed one that also has a
// window.
func plain(c func(*Trail) Curve) func(*Runs, *Trail, int) Curve {
	return func(_ *Runs, t *Trail, _ int) Curve { return c(t) }
}

func windowed(c func(*Trail, int) Curve) func(*Runs, *Trail, int) Curve {
	return func(_ *Runs, t *Trail, w int) Curve { return c(t, w) }
}

// pageKinds are the measures of what was found, over pages.
func pageKinds() []Kind {
	return []Kind{
		{Name: "harvest", Title: "harvest rate", Unit: "share", of: plain(harvest),
			Doc: "pages of the topic by pages fetched; @K is by K pages, also where the crawl ended before (trec_eval's P_K)"},
		{Name: "harvest_judged", Title: "harvest rate, as judged", Unit: "share", of: plain(harvestJudged),
			Doc: "pages that the judge takes to be on topic by pages fetched: the harvest that needs no labels, as the papers compute it"},
		{Name: "window_harvest", Title: "harvest rate of the last pages", Unit: "share", Window: 200, of: windowed(windowHarvest),
			Doc: "harvest of the last 200 pages alone (/N: of the last N)"},
		{Name: "recall", Title: "target recall", Unit: "share", of: plain(func(t *Trail) Curve { return share(t, t.Targets, target) }),
			Doc: "target recall: targets fetched by all targets, which are the pages of the topic without seeds and training pages"},
		{Name: "recall_reachable", Title: "recall of reachable targets", Unit: "share", of: plain(func(t *Trail) Curve { return share(t, t.Reachable, target) }),
			Doc: "target recall by those targets to which links lead from the seeds"},
		{Name: "recall_listed", Title: "recall of listed targets", Unit: "share", of: plain(func(t *Trail) Curve { return share(t, t.Listed, listed) }),
			Doc: "target recall of those targets alone that a directory lists; no value where the labels name none"},
		{Name: "recall_popular", Title: "recall of popular targets", Unit: "share", of: plain(func(t *Trail) Curve { return share(t, t.Popular, popular) }),
			Doc: "target recall of those targets alone that most pages link to, a tenth of the topic"},
		{Name: "auc", Title: "area under target recall", Unit: "share", atLimit: true, of: plain(area),
			Doc: "area under target recall: its mean over the pages of the budget; a crawl that ended early stays where it was"},
		{Name: "auc_rel", Title: "area under target recall, relative to the oracle's", Unit: "share", atLimit: true, of: relativeArea,
			Doc: "auc by the oracle's auc on the same topic and seeds"},
		{Name: "pages_to_recall", Title: "pages until target recall is", Unit: "pages", Lower: true, level: true, of: nil,
			Doc: "pages fetched until target recall is 0.5 (@R: until it is R); medians, as it may never be"},
		{Name: "precision", Title: "precision of the judge", Unit: "share", of: plain(precision),
			Doc: "of the pages that the judge takes to be on topic, those that are"},
		{Name: "retrieved", Title: "share of the topic retrieved", Unit: "share", of: plain(func(t *Trail) Curve { return share(t, t.Relevant, truePositive) }),
			Doc: "of all pages of the topic in the web, those fetched and judged on topic: the recall that belongs to precision"},
		{Name: "f", Title: "F of the judge", Unit: "share", of: plain(fMeasure),
			Doc: "harmonic mean of precision and retrieved"},
		{Name: "judge_recall", Title: "recall of the judge", Unit: "share", of: plain(judgeRecall),
			Doc: "of the pages of the topic that were fetched, those that the judge takes to be on topic"},
		{Name: "relevance", Title: "mean relevance, as judged", Unit: "share", of: plain(func(t *Trail) Curve { return relevance(t, 0) }),
			Doc: "mean relevance of the pages, as the judge rates them"},
		{Name: "window_relevance", Title: "mean relevance of the last pages, as judged", Unit: "share", Window: 200, of: windowed(relevance),
			Doc: "mean relevance of the last 200 pages (/N: of the last N)"},
		{Name: "hosts_on", Title: "hosts with a page on topic", Unit: "hosts", of: plain(func(t *Trail) Curve { return hosts(t, relevant) }),
			Doc: "different hosts with a page of the topic"},
		{Name: "hosts", Title: "hosts", Unit: "hosts", of: plain(func(t *Trail) Curve { return hosts(t, func(*step) bool { return true }) }),
			Doc: "different hosts"},
	}
}

// costKinds are the measures of what the crawl cost: visits, bytes, time.
func costKinds() []Kind {
	return []Kind{
		{Name: "pages", Title: "pages fetched", Unit: "pages", of: plain(func(t *Trail) Curve { return func(k int) float64 { return float64(min(k, t.Steps.Len())) } }),
			Doc: "pages fetched"},
		{Name: "failed", Title: "failed visits", Unit: "pages", Lower: true, of: plain(func(t *Trail) Curve { return func(int) float64 { return float64(t.Failed) } }),
			Doc: "visits of the whole crawl that ended without a page"},
		{Name: "bytes", Title: "bytes fetched", Unit: "bytes", Lower: true, of: plain(volume),
			Doc: "bytes of the pages fetched"},
		{Name: "time", Title: "virtual time", Unit: "s", Lower: true, of: plain(func(t *Trail) Curve { return func(k int) float64 { return after(t, k).Seconds() } }),
			Doc: "virtual time of the simulation: latencies, politeness, workers"},
		{Name: "list_time", Title: "virtual time by the papers' model", Unit: "s", Lower: true, Window: 50, of: windowed(listTime),
			Doc: "virtual time by the papers' model: lists of 50 pages (/N: of N), 30 workers, one to a host, 1 s a page, 5 s between pages of a host"},
		{Name: "hosts_per_list", Title: "hosts to a list", Unit: "hosts", Window: 50, of: windowed(hostsPerList),
			Doc: "different hosts in a list of 50 pages (/N: of N), on average: why list_time is what it is"},
		{Name: "cpu_page", Title: "processor time for a page", Unit: "µs", Lower: true, Clock: true, of: plain(cpuPerPage),
			Doc: "time of the machine that strategy and frontier took for a page; not reproducible"},
	}
}

// siteKinds are the measures of site crawls (Ester, Kriegel and Schubert 2004).
func siteKinds() []Kind {
	site := func(figure func([]SiteStep, int) float64) func(*Runs, *Trail, int) Curve {
		return func(_ *Runs, t *Trail, w int) Curve {
			return func(k int) float64 { return figure(decided(t, k), w) }
		}
	}
	return []Kind{
		{Name: "sites", Title: "sites examined", Unit: "sites", of: site(func(s []SiteStep, _ int) float64 { return float64(len(s)) }),
			Doc: "sites examined"},
		{Name: "sites_on", Title: "sites found", Unit: "sites", of: site(func(s []SiteStep, _ int) float64 { return float64(siteWindow(s, 0).Relevant) }),
			Doc: "sites of the topic found: examined, and taken for what they are"},
		{Name: "pages_per_site", Title: "pages for a site", Unit: "pages", Lower: true, of: site(func(s []SiteStep, _ int) float64 { w := siteWindow(s, 0); return ratio(w.Pages, w.Sites) }),
			Doc: "pages fetched by sites examined"},
		{Name: "sites_called", Title: "share of sites called relevant", Unit: "share", of: site(func(s []SiteStep, _ int) float64 { return ratio(countSites(s, judgedRelevant), len(s)) }),
			Doc: "of the sites examined, those taken to be on topic"},
		{Name: "pages_to_judge", Title: "pages until a site is judged", Unit: "pages", Lower: true, of: site(func(s []SiteStep, _ int) float64 { return ratio(pagesToJudge(s), len(s)) }),
			Doc: "pages fetched of a site until it was judged, on average"},
		{Name: "pages_for_links", Title: "pages of judged sites read for links", Unit: "pages", Lower: true, of: site(func(s []SiteStep, _ int) float64 {
			return ratio(siteWindow(s, 0).Pages-pagesToJudge(s), len(s))
		}),
			Doc: "pages fetched of a site after it was judged, on average"},
		{Name: "pages_per_called", Title: "pages for each site called relevant", Unit: "pages", Lower: true, of: plain(pagesPer(judgedRelevant)),
			Doc: "all pages fetched, by the sites taken to be on topic"},
		{Name: "pages_per_found", Title: "pages for each site found", Unit: "pages", Lower: true, of: plain(pagesPer(SiteStep.found)),
			Doc: "all pages fetched, by the sites of the topic found"},
		{Name: "sites_by_one", Title: "sites judged from one page", Unit: "share", Lower: true, of: site(func(s []SiteStep, _ int) float64 { return byOnePage(s) }),
			Doc: "of the sites taken to be on topic, those of which a single page was fetched"},
		{Name: "pprs", Title: "pages per relevant site", Unit: "pages", Lower: true, Window: pprsWindow, of: site(func(s []SiteStep, w int) float64 { return siteWindow(s, w).PPRS }),
			Doc: "pages per relevant site found, over whole sites back until they have 5000 pages (/N: N pages)"},
		{Name: "website_harvest", Title: "website harvest rate", Unit: "share", Window: siteHarvestWindow, of: site(func(s []SiteStep, w int) float64 { return siteWindow(s, w).Harvest }),
			Doc: "relevant sites found by sites examined, over whole sites back until they have 1000 pages (/N: N pages)"},
		{Name: "site_precision", Title: "precision on sites", Unit: "share", of: site(func(s []SiteStep, _ int) float64 { p, _, _ := siteChoice(s); return p }),
			Doc: "of the sites taken to be on topic, those that are"},
		{Name: "site_recall", Title: "recall on sites", Unit: "share", of: site(func(s []SiteStep, _ int) float64 { _, r, _ := siteChoice(s); return r }),
			Doc: "of the examined sites of the topic, those taken to be on topic"},
		{Name: "site_f", Title: "F on sites", Unit: "share", of: site(func(s []SiteStep, _ int) float64 { _, _, f := siteChoice(s); return f }),
			Doc: "harmonic mean of site_precision and site_recall"},
	}
}

// relativeArea is area divided by the oracle's area on the same topic and seeds;
// NaN if the oracle was not run.
func relativeArea(r *Runs, t *Trail, _ int) Curve {
	best := r.oracle(t)
	if best == nil {
		return func(int) float64 { return undefined }
	}
	ours, bound := area(t), area(best)
	return func(k int) float64 {
		if b := bound(k); b > 0 {
			return ours(k) / b
		}
		return undefined
	}
}

func volume(t *Trail) Curve {
	return func(k int) float64 {
		sum := int64(0)
		for i := range t.Steps.list[:min(k, t.Steps.Len())] {
			sum += t.Steps.list[i].bytes()
		}
		return float64(sum)
	}
}

// listTime is the running time in the model of Wang et al. 2009, see [Clock].
func listTime(t *Trail, n int) Curve {
	return func(k int) float64 { return Clock{List: n}.Time(t, k).Seconds() }
}

func hostsPerList(t *Trail, n int) Curve {
	return func(k int) float64 { return Clock{List: n}.HostsPerList(t, k) }
}

// cpuPerPage is the processor time of strategy and frontier per page, in µs; NaN
// if it was not measured.
func cpuPerPage(t *Trail) Curve {
	return func(int) float64 {
		if t.Steps.Len() == 0 || t.CPU == 0 {
			return undefined
		}
		return float64(t.CPU) / float64(time.Microsecond) / float64(t.Steps.Len())
	}
}

// Parse reads a measure. The error is a [*Mistake].
func Parse(text string) (Measure, error) {
	m, wrong := parse(text)
	if wrong != nil {
		return m, wrong.placed(text)
	}
	return m, nil
}

// parse is Parse with the problem relative to the text.
func parse(text string) (Measure, *flaw) {
	head, where, placed := strings.Cut(text, "@")
	kind, window, hasWindow := strings.Cut(head, "/")
	m := Measure{name: text, kind: kind}
	k, ok := kindsByName()[kind]
	if !ok {
		return Measure{}, noKind(kind)
	}
	m.window = k.Window
	if hasWindow {
		n, err := strconv.Atoi(window)
		if k.Window == 0 {
			return Measure{}, &flaw{len(kind), kind + " has no window", "leave out the part after the /"}
		}
		if err != nil || n < 1 || n > maxSteps {
			return Measure{}, &flaw{len(kind) + 1, fmt.Sprintf("%.40q is not a window", window), "write a number of pages after the /"}
		}
		m.window = n
	}
	if k.level {
		m.share = 0.5
	}
	if placed {
		if wrong := m.place(where, k.level); wrong != nil {
			return Measure{}, wrong.from(len(head) + 1)
		}
	}
	return m, nil
}

// kindsByName is computed once: reports look up a measure's kind thousands of
// times.
var kindsByName = sync.OnceValue(func() map[string]Kind {
	kinds := map[string]Kind{}
	for _, k := range Kinds() {
		kinds[k.Name] = k
	}
	return kinds
})

// place reads the part after the @.
func (m *Measure) place(where string, level bool) *flaw {
	if level {
		v, err := strconv.ParseFloat(where, 64)
		if err != nil || !(v > 0 && v <= 1) {
			return &flaw{problem: fmt.Sprintf("%.40q is not a recall", where), fix: "write a number above 0, at most 1"}
		}
		m.share = v
		return nil
	}
	if where == "end" {
		return nil
	}
	if p, ok := strings.CutSuffix(where, "%"); ok {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || !(v > 0 && v <= 100) {
			return &flaw{problem: fmt.Sprintf("%.40q is not a percentage of the budget", where), fix: "write one above 0%, at most 100%"}
		}
		m.share = v / 100
		return nil
	}
	n, err := strconv.Atoi(where)
	if err != nil || n < 1 || n > maxSteps {
		return &flaw{problem: fmt.Sprintf("%.40q is not a place in a crawl", where), fix: "write a number of pages, a percentage of the budget, or end"}
	}
	m.pages = n
	return nil
}

// MustParse is Parse for measures that are constants of a program; it panics on
// an error.
func MustParse(text string) Measure {
	m, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return m
}

// String returns the measure as it was written.
func (m Measure) String() string { return m.name }

// Title returns what is measured and where, in words: target recall after 500
// pages.
func (m Measure) Title() string {
	k := m.Kind()
	switch {
	case k.level:
		return fmt.Sprintf("%s %g", k.Title, m.share)
	case m.pages > 0:
		return fmt.Sprintf("%s after %d pages", k.Title, m.pages)
	case m.share > 0:
		return fmt.Sprintf("%s after %g %% of the budget", k.Title, 100*m.share)
	}
	return k.Title
}

// Kind describes what is measured.
func (m Measure) Kind() Kind {
	return kindsByName()[m.kind] // Parse has looked
}

// At returns the measure after so many pages; pages_to_recall is returned
// unchanged.
func (m Measure) At(pages int) Measure {
	if m.Kind().level {
		return m
	}
	head, _, _ := strings.Cut(m.name, "@")
	m.name, m.pages, m.share = fmt.Sprintf("%s@%d", head, pages), pages, 0
	return m
}

// AtShare returns the measure after a share of the budget, above 0 and at most 1.
func (m Measure) AtShare(share float64) Measure {
	if m.Kind().level {
		return m
	}
	head, _, _ := strings.Cut(m.name, "@")
	m.name, m.pages, m.share = fmt.Sprintf("%s@%g%%", head, share*100), 0, share
	return m
}

// Of measures a crawl. r are the runs that the crawl belongs to, which supply the
// budget and the oracle. The result is NaN if the measure has no value, and
// infinite if a recall was never reached.
func (m Measure) Of(r *Runs, t *Trail) float64 {
	k := m.Kind()
	if k.level {
		return pagesTo(t, m.share)
	}
	n := m.after(r, t, k.atLimit)
	if n == 0 {
		return undefined
	}
	return k.of(r, t, m.window)(n)
}

// Curve returns the measure over the course of the crawl, whatever the WHERE of
// m; nil for a measure without a course, as pages_to_recall.
func (m Measure) Curve(r *Runs, t *Trail) Curve {
	k := m.Kind()
	if k.level {
		return nil
	}
	return k.of(r, t, m.window)
}

// after returns the number of pages at which the measure is evaluated.
func (m Measure) after(r *Runs, t *Trail, atLimit bool) int {
	switch {
	case m.pages > 0:
		return m.pages
	case m.share > 0:
		return max(1, int(math.Round(m.share*float64(r.budget()))))
	case atLimit:
		return r.budget()
	}
	return max(t.Steps.Len(), sitePages(t))
}

// Place returns the number of pages that a crawl must have for the measure to be
// about what it says: WHERE, or the whole budget for end; 0 for measures without a
// place.
func (m Measure) Place(budget int) int {
	switch {
	case m.Kind().level || m.Kind().Clock:
		return 0
	case m.pages > 0:
		return m.pages
	case m.share > 0:
		return max(1, int(math.Round(m.share*float64(budget))))
	}
	return budget
}

// sitePages returns the number of pages of all sites, for trails that list sites
// only.
func sitePages(t *Trail) (n int) {
	for _, s := range t.Sites {
		n += s.Pages
	}
	return n
}

// Median reports whether the centre of many crawls is the median. It is for a
// measure that may be infinite.
func (m Measure) Median() bool { return m.Kind().level }

// Centre returns the figure for many crawls: the mean, or the median for
// pages_to_recall. Values that are NaN are left out.
func (m Measure) Centre(values []float64) float64 {
	v := defined(values)
	if m.Median() {
		return Median(v)
	}
	return Mean(v)
}

// Interval returns the 95 % confidence interval of Centre: by Student's t for a
// mean, by order statistics for a median. It is cut at the values that the measure
// can have. It is NaN if there are too few values for one.
func (m Measure) Interval(values []float64) (lo, hi float64) {
	lo, hi = m.differenceInterval(values)
	if lo, hi = max(lo, 0), max(hi, 0); m.Kind().Unit == "share" && m.Centre(values) <= 1 {
		hi = min(hi, 1)
	}
	return lo, hi
}

// differenceInterval is Interval for differences, which may be negative.
func (m Measure) differenceInterval(d []float64) (lo, hi float64) {
	if m.Median() {
		return medianInterval(d)
	}
	return meanInterval(d)
}

func defined(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}
