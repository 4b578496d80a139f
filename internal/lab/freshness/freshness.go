// Package freshness measures policies of revisits in virtual time, on the demo web that
// changes (demo.Changing): how many pages are up to date, and how many changes a request finds.
//
// A crawl has fetched all pages of a topic. From then on a fixed number of requests a day is made,
// evenly spaced, and a policy decides for which page. The policy called auto is the planner
// of live crawls, and changes the same planner with changes as its only aim. Known is the same with the true rate of change of every page, which no crawler
// knows, in place of its estimates; those called best know all rates of the web, and aim at one of the measures
// alone. When pages change is hidden from all of them.
//
// No policy is the best by both measures. What is possible by both is a [Frontier], with which every policy is compared.
package freshness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/refresh"
)

// A Setup is what is measured.
type Setup struct {
	Seed   uint64  // of the web
	Pages  int     // of the web; 0 for its default
	Days   int     // how long; 60 if 0
	PerDay float64 // requests per page on topic and day; 0.1 if 0
}

// A Result is how a policy did.
type Result struct {
	Fresh float64 // share of the pages that were up to date, averaged over the time
	Found float64 // changes found per request

	requests int
}

// The policies, in the order of printing.
const (
	Auto       = "auto"
	Changes    = "changes"
	Uniform    = "uniform"     // every page with the same probability
	RoundRobin = "round robin" // the page that was asked longest ago
	Known      = "auto, rates known"
	BestFresh  = "best, up to date"
	BestFound  = "best, changes found"
)

// Policies returns the names of all policies.
func Policies() []string {
	return []string{Auto, Changes, Uniform, RoundRobin, Known, BestFresh, BestFound}
}

// epoch is when the web begins to change.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// misses is how often in a row a page may be missing before it is not asked for any more, as in
// live crawls.
const misses = 3

// A subject is a page that is watched.
type subject struct {
	url     dowse.URL
	host    uint32
	rate    float64     // the true one
	events  []time.Time // changes; the last one is its end if it vanishes
	gone    time.Time
	asked   time.Time
	next    int // of events: the first that was not found
	missing int
	dates   bool          // whether the site sends dates of pages
	quiet   time.Duration // how long the page had stayed the same in the beginning, by its date; 0 if it has none
}

// A policy chooses pages by their numbers.
type policy interface {
	// choose returns the page to ask for; fits reports whether it may be asked.
	choose(now time.Time, fits func(i uint32) bool) (uint32, bool)
	// note informs the policy of the answer; missing reports whether there is no such page any more.
	// dated is the date of a version, if there is one and the site sends dates.
	note(i uint32, now time.Time, changed, missing bool, dated time.Time)
}

// A Web is the pages on topic of a synthetic web, with all that happens to them. Every policy meets it as it is on the first day.
type Web struct {
	setup Setup
	until time.Time
	pages []subject
}

// New makes the web of a setup.
func New(s Setup) *Web {
	if s.Days == 0 {
		s.Days = 60
	}
	if s.PerDay == 0 {
		s.PerDay = 0.1
	}
	until := epoch.AddDate(0, 0, s.Days)
	return &Web{s, until, subjects(s, until)}
}

// Run measures a policy.
func (w *Web) Run(name string) (Result, error) {
	p, err := policyOf(name, w)
	if err != nil {
		return Result{}, err
	}
	return w.run(p), nil
}

// run measures a policy.
func (w *Web) run(make func(pages []subject) policy) Result {
	pages := slices.Clone(w.pages)
	p := make(pages)
	gap := time.Duration(24 * float64(time.Hour) / (w.setup.PerDay * float64(len(pages))))
	requests, found := 0, 0
	stale := time.Duration(0)
	fits := func(i uint32) bool { return pages[i].missing < misses }
	for now := epoch.Add(gap); now.Before(w.until); now = now.Add(gap) {
		i, ok := p.choose(now, fits)
		if !ok {
			continue
		}
		requests++
		changed, late := pages[i].ask(now)
		if stale += late; changed {
			found++
		}
		p.note(i, now, changed, pages[i].missing > 0, pages[i].dated())
	}
	for i := range pages {
		_, late := pages[i].ask(w.until)
		stale += late
	}
	total := time.Duration(len(pages)) * w.until.Sub(epoch)
	return Result{1 - float64(stale)/float64(total), float64(found) / float64(max(requests, 1)), requests}
}

// subjects returns the pages on the topic of a web that can be fetched on the first day.
func subjects(s Setup, until time.Time) (list []subject) {
	web := demo.New(demo.Config{Seed: s.Seed, Pages: s.Pages})
	topic := web.Topics()[0].Name
	changing := web.Changing(epoch)
	hosts := map[string]uint32{}
	for u := range web.Relevant(topic) {
		p, header, ok := changing.Answer(u, epoch)
		if !ok || p.Status != 200 {
			continue
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(string(u), "http://"), "/")
		if _, ok := hosts[host]; !ok {
			hosts[host] = uint32(len(hosts))
		}
		x := subject{url: u, host: hosts[host], rate: changing.Rate(u), asked: epoch, gone: changing.Vanishes(u)}
		if modified, err := http.ParseTime(header.Get("Last-Modified")); err == nil {
			x.dates, x.quiet = true, epoch.Sub(modified)
		}
		for _, at := range changing.Changes(u, until) {
			if at.Before(x.gone) {
				x.events = append(x.events, at)
			}
		}
		if x.gone.Before(until) {
			x.events = append(x.events, x.gone)
		}
		list = append(list, x)
	}
	return list
}

// ask returns whether the page has changed since it was asked last, and for how long what was
// known of it has been out of date.
func (x *subject) ask(now time.Time) (changed bool, late time.Duration) {
	if x.next < len(x.events) && !x.events[x.next].After(now) {
		changed, late = true, now.Sub(x.events[x.next])
	}
	for x.next < len(x.events) && !x.events[x.next].After(now) {
		x.next++
	}
	if x.asked = now; !x.gone.After(now) {
		x.missing++
	}
	return changed, late
}

// dated returns the date of the version that was found last, the zero time if there is none.
func (x *subject) dated() time.Time {
	if !x.dates || x.next == 0 {
		return time.Time{}
	}
	return x.events[x.next-1]
}

// policyOf returns how a policy is made for pages that it may see but not ask.
func policyOf(name string, w *Web) (func(pages []subject) policy, error) {
	switch name {
	case Auto, Changes:
		return planner(refresh.Plan{Auto: name == Auto, Changes: name == Changes}), nil
	case Uniform:
		return func(pages []subject) policy { return byChance{rand.New(rand.NewPCG(w.setup.Seed, 1)), len(pages)} }, nil
	case RoundRobin:
		return byWorthOf(func(x *subject, now time.Time) float64 { return now.Sub(x.asked).Hours() }), nil
	case Known:
		return byWorthOf(func(x *subject, now time.Time) float64 {
			if x.missing > 0 {
				return neverBack
			}
			return refresh.Worth(x.rate, now.Sub(x.asked), 1/w.setup.PerDay, refresh.BothWeight)
		}), nil
	case BestFresh:
		return planAhead(w, math.Inf(1)).policy, nil
	case BestFound:
		return w.steady(0), nil
	}
	return nil, fmt.Errorf("freshness: unknown policy %q", name)
}

// planner makes the planner of live crawls.
func planner(plan refresh.Plan) func(pages []subject) policy {
	return func(pages []subject) policy {
		p := refresh.New(plan, 0)
		for i := range pages {
			p.Add(uint32(i), pages[i].host, refresh.KindOf(pages[i].url), epoch, refresh.History{})
			p.Date(uint32(i), pages[i].quiet)
		}
		return planned{p, map[uint32]int{}}
	}
}

// steady makes the policy that knows all rates, those at which pages vanish and come back included, and chooses by the weighted sum of the
// indices of both measures, which is the best order if requests are made for ever.
func (w *Web) steady(weight float64) func(pages []subject) policy {
	return byWorthOf(func(x *subject, now time.Time) float64 {
		if x.missing > 0 {
			return neverBack
		}
		return refresh.Worth(x.rate+demo.VanishRate, now.Sub(x.asked), 1/w.setup.PerDay, weight)
	})
}

// neverBack is the worth of a page that has vanished to those who know that no page comes back: less than that of any other.
const neverBack = -1

// planned is the planner of live crawls. As there, a page that is missing too often is dropped.
type planned struct {
	*refresh.Planner
	missed map[uint32]int // how often a page was missing
}

func (p planned) choose(now time.Time, fits func(uint32) bool) (uint32, bool) {
	i, _, ok := p.Next(now, fits)
	return i, ok
}

func (p planned) note(i uint32, now time.Time, changed, missing bool, dated time.Time) {
	if !missing {
		p.Note(i, now, changed, dated)
		return
	}
	p.NoteMissing(i, now)
	if p.missed[i]++; p.missed[i] == misses {
		p.Drop(i)
	}
}

// byChance gives all pages the same probability.
type byChance struct {
	dice *rand.Rand
	n    int
}

func (p byChance) choose(_ time.Time, fits func(uint32) bool) (uint32, bool) {
	for range 1000 {
		if i := uint32(p.dice.IntN(p.n)); fits(i) {
			return i, true
		}
	}
	return 0, false
}

func (byChance) note(uint32, time.Time, bool, bool, time.Time) {}

// byWorth chooses the page that is worth most by what is true of it.
type byWorth struct {
	pages []subject
	// worth returns what a request for a page is worth.
	worth func(x *subject, now time.Time) float64
}

func (p byWorth) choose(now time.Time, fits func(uint32) bool) (uint32, bool) {
	best, at := math.Inf(-1), -1
	for i := range p.pages {
		if !fits(uint32(i)) {
			continue
		}
		if w := p.worth(&p.pages[i], now); w > best {
			best, at = w, i
		}
	}
	return uint32(max(at, 0)), at >= 0
}

// byWorthOf makes the policy that chooses by a worth.
func byWorthOf(worth func(x *subject, now time.Time) float64) func(pages []subject) policy {
	return func(pages []subject) policy { return byWorth{pages, worth} }
}

func (byWorth) note(uint32, time.Time, bool, bool, time.Time) {}
