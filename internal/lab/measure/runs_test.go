package measure

import "testing"

// TestOracleOfSites: the oracle of sites is a bound, like that of pages, whatever its label. It is no
// rival, and auc_rel, which is about pages, has no value by it.
func TestOracleOfSites(t *testing.T) {
	r := Runs{Trails: []Trail{
		{Strategy: "site", Label: "rank", Topic: "t", Sites: make([]SiteStep, 1)},
		{Strategy: "site-oracle", Label: "sites on topic first", Topic: "t", Sites: make([]SiteStep, 1)},
	}}
	if got := r.Rivals(); len(got) != 1 || got[0] != "rank" {
		t.Errorf("rivals %q, want rank alone", got)
	}
	if !r.IsOracle("sites on topic first") || r.Scope().Oracle {
		t.Errorf("bound: %v, auc_rel allowed: %v", r.IsOracle("sites on topic first"), r.Scope().Oracle)
	}
}
