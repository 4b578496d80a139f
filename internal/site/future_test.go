package site

import (
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/strategy/strategytest"
)

// competitorsWeb is a start site with links to a directory and to a shop. The directory, off
// topic, links to sites on topic, which link to no site; the shop, on topic, links to sites
// off topic.
func competitorsWeb() strategytest.Toy {
	web := strategytest.Toy{
		"http://start.test/": {Relevance: 0.9, Links: strategytest.To("http://shop.test/", "http://dir.test/")},
		"http://dir.test/":   {Relevance: 0.3},
		"http://shop.test/":  {Relevance: 0.7},
	}
	dir, shop := web["http://dir.test/"], web["http://shop.test/"]
	for i := range 6 {
		on, off := dowse.URL(fmt.Sprintf("http://on%d.test/", i)), dowse.URL(fmt.Sprintf("http://off%d.test/", i))
		dir.Links = append(dir.Links, strategytest.To(on)...)
		shop.Links = append(shop.Links, strategytest.To(off)...)
		web[on], web[off] = strategytest.Page{Relevance: 0.95}, strategytest.Page{Relevance: 0.05}
	}
	web["http://dir.test/"], web["http://shop.test/"] = dir, shop
	return web
}

// TestHubsFindCompetitors reads sites one at a time by hubs: after a few sites of the shop the
// links of the directory come first, though the directory is off topic. By rank they come
// last.
func TestHubsFindCompetitors(t *testing.T) {
	order := func(by string) string {
		visited := strategytest.Order(&Crawler{Order: by, AtOnce: 1, Sure: 0.6, Links: 0.1}, competitorsWeb(), "http://start.test/")
		var names []string
		for _, u := range visited {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(string(u), "http://"), ".test/"))
		}
		return strings.Join(names, " ")
	}
	byRank, byHubs := order("rank"), order("hubs")
	if !strings.HasSuffix(byRank, "on0 on1 on2 on3 on4 on5") {
		t.Errorf("by rank: %s, want the links of the directory last", byRank)
	}
	last := strings.Fields(byHubs)
	if on := strings.LastIndex(byHubs, "on"); on > strings.LastIndex(byHubs, "off") || len(last) != 15 {
		t.Errorf("by hubs: %s, want the links of the directory before the last of the shop", byHubs)
	}
}

// TestSecondStage checks that a site on topic is read on after it is judged, up to the
// number of pages, after the other sites and those first that promise more; a site off topic
// is not.
func TestSecondStage(t *testing.T) {
	web := strategytest.Toy{
		"http://start.test/": {Relevance: 0.9, Links: strategytest.To("http://on.test/", "http://off.test/", "http://late.test/")},
		"http://on.test/":    {Relevance: 0.95}, "http://off.test/": {Relevance: 0.05}, "http://late.test/": {Relevance: 0.05},
	}
	for _, host := range []string{"on", "off"} {
		home := web[dowse.URL("http://"+host+".test/")]
		for i := range 6 {
			u := dowse.URL(fmt.Sprintf("http://%s.test/%d", host, i))
			home.Links = append(home.Links, strategytest.Link{To: u})
			web[u] = strategytest.Page{Relevance: 0.9, Links: []strategytest.Link{{To: dowse.URL(string(u) + "/low"), Context: 0.1}, {To: dowse.URL(string(u) + "/high"), Context: 0.9}}}
			web[u+"/low"], web[u+"/high"] = strategytest.Page{Relevance: 0.2}, strategytest.Page{Relevance: 0.9}
		}
		web[dowse.URL("http://"+host+".test/")] = home
	}
	visited := strategytest.Order(&Crawler{Scan: 4, AtOnce: 1, Sure: 0.6, Links: 0.1}, web, "http://start.test/")
	inside, late := []string{}, -1
	for i, u := range visited {
		switch {
		case strings.HasPrefix(string(u), "http://on.test/") && u != "http://on.test/":
			inside = append(inside, strings.TrimPrefix(string(u), "http://on.test/"))
			if late < 0 {
				t.Errorf("%s was read before the last site", u)
			}
		case strings.HasPrefix(string(u), "http://off.test/") && u != "http://off.test/":
			t.Errorf("%s of a site off topic was read", u)
		case u == "http://late.test/":
			late = i
		}
	}
	if len(inside) != 4 || !strings.Contains(strings.Join(inside, " "), "high") || strings.Contains(strings.Join(inside, " "), "low") {
		t.Errorf("read %v of the site on topic, want four pages, those that promise more first", inside)
	}
}
