package experiment

import "testing"

// TestSetting distinguishes runs of one experiment by web, hubs and seeds.
func TestSetting(t *testing.T) {
	for _, test := range []struct {
		name       string
		web        *Web
		seeds      string
		place, how string
	}{
		{"first-truth", nil, "", "the synthetic web", ""},
		{"003-f6", nil, "", "synthetic towns", ""},
		{"first-truth", &Web{Paths: []string{"wiki.warc.gz"}}, "", "wiki", ""},
		{"first-truth", &Web{Paths: []string{"wiki.warc.gz"}, Hubs: "hubs.warc.gz"}, "generic", "wiki", "with hubs, generic seeds"},
	} {
		x, _, err := ByName(test.name)
		if err != nil {
			t.Fatal(err)
		}
		if test.web != nil {
			x.On(*test.web)
		}
		if test.seeds != "" {
			x.Seeds.From = test.seeds
		}
		if place, how := x.Setting([]WebFacts{{Name: "wiki"}}); place != test.place || how != test.how {
			t.Errorf("%s: %q, %q; want %q, %q", test.name, place, how, test.place, test.how)
		}
	}
}
