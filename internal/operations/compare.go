package operations

import (
	"context"
	"math"
	"slices"
	"sync"

	"dowse"
	"dowse/settings"
)

// A Comparison is two to four collections next to each other.
type Comparison struct {
	Collections []Compared `json:"collections"`
	Pairs       []Overlap  `json:"pairs" doc:"what each two of them have in common"`
	Differ      []Differs  `json:"settings" doc:"settings that differ"`
}

// Compared is one of the collections.
type Compared struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Strategy string  `json:"strategy"`
	Fetched  int     `json:"fetched"`
	OnTopic  int     `json:"on_topic"`
	Harvest  float64 `json:"harvest" doc:"on topic / fetched, as its own judge sees it"`
	Low      float64 `json:"harvest_low" doc:"of its 95 % interval"`
	High     float64 `json:"harvest_high"`
	Hosts    int     `json:"hosts"`
	HostsOn  int     `json:"hosts_on_topic" doc:"hosts with pages on topic"`
	Top      []Node  `json:"top" doc:"the hosts with the most pages"`
	Points   []Point `json:"points" doc:"the harvest curve"`
}

// An Overlap is what two collections have in common, counted in pages on topic.
type Overlap struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Both  int      `json:"both"`
	OnlyA int      `json:"only_a"`
	OnlyB int      `json:"only_b"`
	InA   []string `json:"sample_a" doc:"some pages that only the first has"`
	InB   []string `json:"sample_b" doc:"some pages that only the second has"`
	// Estimated reports that the counts come from an even sample of the pages.
	Estimated bool `json:"estimated,omitempty" doc:"whether the counts are estimates from a sample"`
	// Difference is nil if one of them has no page.
	Difference *Difference `json:"difference,omitempty" doc:"of the harvests"`
}

// A Difference is the harvest of a collection minus that of another one, with its 95 % interval.
type Difference struct {
	Harvest float64 `json:"harvest" doc:"of the first minus that of the second"`
	Low     float64 `json:"low" doc:"of the 95 % interval"`
	High    float64 `json:"high"`
}

// Words returns which of the two is better.
func (d *Difference) Words() string {
	switch {
	case d.Low > 0:
		return "the first is better"
	case d.High < 0:
		return "the second is better"
	}
	return "no clear difference"
}

// Differs is a setting that is not the same in all collections.
type Differs struct {
	Setting string   `json:"setting"`
	Values  []string `json:"values" doc:"one per collection"`
}

// Bounds of comparisons.
const (
	maxCompared     = 4
	maxOverlapPages = 20_000 // on topic of a collection that are all looked up in another one
	overlapSample   = 5_000  // that are looked up if there are more: a share is then within 1.4 % of the true one in 95 of 100 cases
	comparedPoints  = 100
)

// Compare puts two to four collections next to each other.
func (o *Operations) Compare(ctx context.Context, ids []string) (*Comparison, error) {
	if len(ids) < 2 || len(ids) > maxCompared {
		return nil, failf(Invalid, "id", "collections: got %d, want 2 to %d", len(ids), maxCompared)
	}
	var shelfs []*shelf
	var views []*openView
	defer func() {
		for i, v := range views {
			shelfs[i].release(v)
		}
	}()
	for _, id := range ids {
		s, err := o.shelf(id)
		if err != nil {
			return nil, err
		}
		if slices.Contains(shelfs, s) {
			return nil, failf(Invalid, "id", "collections: %s is named twice", clip(id))
		}
		v, err := s.acquire(ctx)
		if err != nil {
			return nil, err
		}
		shelfs, views = append(shelfs, s), append(views, v)
	}
	return o.compared.of(views, func() (*Comparison, error) { return compareViews(ctx, ids, views) })
}

// compareViews compares the views of collections.
func compareViews(ctx context.Context, ids []string, views []*openView) (*Comparison, error) {
	x := &Comparison{Collections: []Compared{}, Pairs: []Overlap{}, Differ: []Differs{}}
	for i, v := range views {
		c, err := comparedOf(ctx, ids[i], v)
		if err != nil {
			return nil, err
		}
		x.Collections = append(x.Collections, *c)
	}
	for i := range views {
		for k := i + 1; k < len(views); k++ {
			p, err := overlap(ctx, views[i], views[k])
			if err != nil {
				return nil, err
			}
			p.A, p.B = ids[i], ids[k]
			p.Difference = harvestDifference(&x.Collections[i], &x.Collections[k])
			x.Pairs = append(x.Pairs, p)
		}
	}
	x.settings(views)
	return x, nil
}

// comparisons keeps the last comparisons. Each is that of certain views, so it is right for as long as these are shown.
type comparisons struct {
	mu   sync.Mutex
	list []keptComparison
}

// A keptComparison is a comparison and its views.
type keptComparison struct {
	views []*viewToken
	x     *Comparison
}

// keptComparisons is how many comparisons are kept.
const keptComparisons = 8

// of returns the comparison of views, which is made if it is not kept. It must not be changed.
func (c *comparisons) of(views []*openView, compare func() (*Comparison, error)) (*Comparison, error) {
	var tokens []*viewToken
	for _, v := range views {
		tokens = append(tokens, v.token)
	}
	c.mu.Lock()
	i := slices.IndexFunc(c.list, func(k keptComparison) bool { return slices.Equal(k.views, tokens) })
	if i >= 0 {
		x := c.list[i].x
		c.mu.Unlock()
		return x, nil
	}
	c.mu.Unlock()
	x, err := compare()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, keptComparison{tokens, x})
	c.list = c.list[max(0, len(c.list)-keptComparisons):]
	return x, nil
}

// comparedOf returns the summary of one collection.
func comparedOf(ctx context.Context, id string, v *openView) (*Compared, error) {
	c := &Compared{ID: id, Name: v.col.Settings.Name, Strategy: v.col.Settings.Strategy, Top: []Node{}}
	for i, r := range v.allHosts() {
		c.HostsOn += order(r.OnTopic > 0)
		if i < topHosts && r.Pages > 0 {
			c.Top = append(c.Top, Node{r.Host, r.Pages, r.OnTopic, r.Share})
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	st := v.cr.Status()
	c.Fetched, c.OnTopic, c.Harvest, c.Hosts = st.Fetched, st.OnTopic, st.Harvest, st.Hosts
	if c.Fetched > 0 {
		c.Low, c.High = wilson(c.OnTopic, c.Fetched)
	}
	curve := &Series{Points: []Point{}}
	err := curve.fill(ctx, v, SeriesQuery{Points: comparedPoints, Window: defaultWindow})
	c.Points = curve.Points
	return c, err
}

// overlap looks the pages on topic of each view up in the other one.
func overlap(ctx context.Context, a, b *openView) (x Overlap, err error) {
	both, onlyA, some, cutA, err := shared(ctx, a, b)
	if err != nil {
		return x, err
	}
	_, onlyB, more, cutB, err := shared(ctx, b, a)
	return Overlap{Both: both, OnlyA: onlyA, OnlyB: onlyB, InA: some, InB: more, Estimated: cutA || cutB}, err
}

// shared counts the pages on topic of a that b has on topic, too, and those that it has not. For
// a large collection it looks at an even sample, and scales the counts.
func shared(ctx context.Context, a, b *openView) (both, only int, samples []string, cut bool, err error) {
	samples = []string{}
	on := 0
	if n := len(a.pages.on); n > 0 {
		on = int(a.pages.on[n-1])
	}
	step := 1
	if on > maxOverlapPages {
		step = (on + overlapSample - 1) / overlapSample
	}
	seen, looked := 0, 0
	for i := range a.pages.ids {
		if a.pages.verdicts[i]&isOn == 0 {
			continue
		}
		if seen++; seen%step != 0 && step > 1 {
			continue
		}
		if looked++; looked%256 == 0 && ctx.Err() != nil {
			return 0, 0, nil, false, ctx.Err()
		}
		a.mu.Lock()
		u := a.col.URL(a.pages.ids[i])
		a.mu.Unlock()
		if b.hasOnTopic(u) {
			both++
			continue
		}
		if only++; len(samples) < maxSamples && u != "" {
			samples = append(samples, string(u))
		}
	}
	if step > 1 && looked > 0 {
		both, only = both*on/looked, only*on/looked
	}
	return both, only, samples, step > 1, nil
}

// hasOnTopic reports whether a page is on topic in a view.
func (v *openView) hasOnTopic(u dowse.URL) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.col.Crawl.Frontier()
	id, ok := f.Find(u)
	if !ok || f.State(id) != dowse.Visited {
		return false
	}
	visit, ok := f.Visit(id)
	return ok && visit.Relevance >= v.col.Threshold()
}

// settings adds the settings that differ.
func (x *Comparison) settings(views []*openView) {
	for _, f := range settings.Fields() {
		if f.Key == "" || f.Flag == "rng" {
			continue
		}
		var values []string
		for _, v := range views {
			values = append(values, f.Text(&v.col.Settings.Settings))
		}
		if slices.ContainsFunc(values, func(s string) bool { return s != values[0] }) {
			x.Differ = append(x.Differ, Differs{f.Name(), values})
		}
	}
}

// wilson returns the 95 % interval of a share by Wilson's method.
func wilson(on, of int) (low, high float64) {
	const z = 1.959963984540054
	n := float64(of)
	p := float64(on) / n
	centre, half := (p+z*z/(2*n))/(1+z*z/n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))/(1+z*z/n)
	return max(0, centre-half), min(1, centre+half)
}

// harvestDifference returns the difference of two harvests with its 95 % interval, which is Newcombe's: that of the two
// intervals by Wilson. Pages of one crawl are no independent draws, so the interval is a lower bound of the doubt.
func harvestDifference(a, b *Compared) *Difference {
	if a.Fetched == 0 || b.Fetched == 0 {
		return nil
	}
	pa, pb := float64(a.OnTopic)/float64(a.Fetched), float64(b.OnTopic)/float64(b.Fetched)
	d := pa - pb
	return &Difference{d, d - math.Hypot(pa-a.Low, b.High-pb), d + math.Hypot(a.High-pa, pb-b.Low)}
}
