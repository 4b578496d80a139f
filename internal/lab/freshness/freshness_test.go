package freshness_test

import (
	"testing"

	"dowse/internal/lab/freshness"
)

// The planner of live crawls is better than asking all pages alike by both measures, and finds at least
// 0.8 of the changes that it would find if it knew how often each page changes. The web is smaller than that of the table in
// docs/refresh.md, and has another random seed.
func TestAutoAgainstOthers(t *testing.T) {
	got := map[string]freshness.Result{}
	web := freshness.New(freshness.Setup{Seed: 2001, Pages: 1000})
	for _, name := range freshness.Policies() {
		r, err := web.Run(name)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = r
	}
	auto, uniform, known := got[freshness.Auto], got[freshness.Uniform], got[freshness.Known]
	if auto.Fresh < uniform.Fresh || auto.Found < uniform.Found {
		t.Errorf("auto %+v is worse than uniform %+v", auto, uniform)
	}
	if auto.Fresh < 0.9*known.Fresh || auto.Found < 0.8*known.Found {
		t.Errorf("auto %+v has less than 0.9 and 0.8 of what it has with known rates, %+v", auto, known)
	}
	if best := got[freshness.BestFresh]; auto.Fresh < 0.9*best.Fresh || best.Fresh < known.Fresh {
		t.Errorf("auto %+v, and the best possible for pages up to date %+v", auto, best)
	}
	if changes, best := got[freshness.Changes], got[freshness.BestFound]; changes.Found < 0.85*best.Found || changes.Found < auto.Found {
		t.Errorf("changes %+v finds less than auto %+v, or than 0.85 of the best possible %+v", changes, auto, best)
	}
	if best := got[freshness.BestFound]; best.Found < known.Found || best.Fresh > uniform.Fresh {
		t.Errorf("the best possible for changes found, %+v, finds less than %+v or keeps more up to date than %+v", best, known, uniform)
	}
}

func TestUnknownPolicy(t *testing.T) {
	if _, err := freshness.New(freshness.Setup{Pages: 1000}).Run("x"); err == nil {
		t.Error("no error for an unknown policy")
	}
}
