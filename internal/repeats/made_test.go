package repeats_test

import (
	"testing"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/extract"
	"dowse/internal/repeats"
	"dowse/weburl"
)

// The made web with boilerplate has about the share of repeated words that was asked for, and what a crawl learns from
// some pages of each host finds it without touching the text of articles.
func TestMadeWebs(t *testing.T) {
	for _, x := range []struct{ asked, least, most float64 }{{0, 0.01, 0.10}, {0.4, 0.33, 0.50}} {
		web := demo.New(demo.Config{Pages: 1000, Topology: demo.Topology{Boilerplate: x.asked}})
		var hosts repeats.Hosts
		ids := map[string]uint32{}
		repeated, words, own, lost := 0, 0, 0, 0
		for u := range web.Pages() {
			answer, ok := web.Page(u)
			article, has := web.Article(u)
			if !ok || !has || answer.Status != 200 {
				continue
			}
			host := weburl.Host(u)
			if _, known := ids[host]; !known {
				ids[host] = uint32(len(ids))
			}
			known := hosts.Known(ids[host])
			p := &dowse.Page{URL: u, Document: *extract.HTML(answer.Body, u, extract.Options{})}
			known.Apply(p)
			hosts.Note(ids[host], p.Blocks)
			if known.Blocks == nil {
				continue
			}
			left := len(repeats.Without(p).Words)
			mine := len(extract.HTML(article, u, extract.Options{}).Words)
			repeated, words = repeated+len(p.Words)-left, words+len(p.Words)
			own, lost = own+mine, lost+max(0, mine-left)
		}
		if share := float64(repeated) / float64(words); share < x.least || share > x.most || lost*1000 > own {
			t.Errorf("boilerplate %g: %.3f of %d words repeat, want %g to %g; %d of %d words of articles are gone", x.asked, share, words, x.least, x.most, lost, own)
		}
		t.Logf("boilerplate %g: %d of %d words repeat", x.asked, repeated, words)
	}
}
