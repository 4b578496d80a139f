package experiment

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/internal/site"
	"dowse/judge"
)

// smallSites is the shipped experiment on sites, on two small towns.
func smallSites(t *testing.T) *Experiment {
	t.Helper()
	x, _, err := ByName("sites")
	if err != nil {
		t.Fatal(err)
	}
	x.Web = Webs{{Town: &Town{Sites: 400, Seeds: []uint64{2001, 2002}, Find: 20}}}
	return x
}

// TestSites runs the experiment on sites: every crawler examines sites, the crawler for
// sites judges them better than homepages do, and the figures are those that they were
// when the test was written.
func TestSites(t *testing.T) {
	sequential(t)
	x := smallSites(t)
	r, err := Run(t.Context(), x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs := &measure.Runs{Trails: r.Trails}
	for i := range r.Trails {
		if trail := &r.Trails[i]; len(trail.Sites) < 20 || trail.Steps.Len() == 0 {
			t.Errorf("%s examined %d sites by %d pages", trail.Label, len(trail.Sites), trail.Steps.Len())
		}
	}
	for _, k := range []int{0, 3} { // F against homepages, and pages until a site is judged
		claim, err := measure.ParseClaim(x.Checks[k].Expect)
		if err != nil {
			t.Fatal(err)
		}
		if mean, _ := measure.TInterval(claim.Margins(runs, measure.Tests{})); mean < 0.1 {
			t.Errorf("%s: the margin is %.3f", claim, mean)
		}
	}
	for _, want := range []struct {
		strategy, measure, value string
	}{
		{"sites, p_threshold 0.7", "pages_per_called", "6.12"},
		{"sites, p_threshold 0.9", "site_f", "0.92"},
		{"sites, p_threshold 0.9", "pages_to_judge", "2.67"},
		{"sites, p_threshold 0.9", "pages_for_links", "0.33"},
		{"homepage classifier", "site_f", "0.52"},
		{"page crawler, all its pages", "pages_per_found", "6.77"},
		{"page crawler, homepages", "site_recall", "0.62"},
	} {
		got := fmt.Sprintf("%.2f", measure.Mean(runs.ByTopic(measure.MustParse(want.measure), want.strategy)))
		if got != want.value {
			t.Errorf("%s of %s is %s, want %s", want.measure, want.strategy, got, want.value)
		}
	}
}

// TestSitesInterrupted ends the experiment before its first crawl.
func TestSitesInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, smallSites(t), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was interrupted returns %v", err)
	}
}

// TestNoSites crawls a town for sites: hosts that are none are named for what they are.
func TestNoSites(t *testing.T) {
	sequential(t)
	j, err := NewJudgedTown(demo.TownConfig{Sites: 400, Seed: 2001}, judge.Centroid{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	s := &site.Crawler{Error: j.Pages.ErrorRate(), Sites: 20}
	w := &townCrawl{JudgedTown: j, trail: &measure.Trail{}, town: &town{x: &Experiment{}, cfg: townConfig{Workers: townWorkers}}}
	if err := w.sites(t.Context(), s, false); err != nil {
		t.Fatal(err)
	}
	none, named := 0, 0
	for _, s := range s.All() {
		if s.Start || s.Verdict != site.None {
			continue
		}
		none++
		if s.Stop == stopOf(j.Town, s.Name) {
			named++
		}
	}
	if none == 0 || named < none*8/10 {
		t.Errorf("of %d hosts that are no sites %d were named for what they are", none, named)
	}
}

// stopOf returns how a host of a town that is no site is to be named.
func stopOf(t *demo.Town, name string) site.Stop {
	truth, _ := t.Site(name)
	switch truth.Home {
	case demo.RedirectHome, demo.RefreshHome:
		return site.Moved
	case demo.ParkedHome:
		return site.SiteParked
	case demo.DeadHome, demo.GoneHome:
		return site.SiteDead
	}
	return ""
}
