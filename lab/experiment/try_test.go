package experiment

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"dowse/lab/measure"
)

func area(t measure.Trail, budget int) float64 {
	found, sum := 0, 0.0
	for k := range budget {
		if k < len(t.Steps) && t.Steps[k].Relevant && !t.Steps[k].Seed {
			found++
		}
		sum += float64(found) / float64(max(t.Targets, 1))
	}
	return sum / float64(budget)
}

func TestTry(t *testing.T) {
	text := os.Getenv("EXP")
	if text == "" {
		t.Skip()
	}
	x, err := Parse([]byte(text), "exp")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	var first time.Time
	r, err := Run(t.Context(), x, Options{Base: "../../../shared/webs", Cache: os.Getenv("LABCACHE"), Dir: os.Getenv("LABDIR"), Progress: func(p Progress) {
		if p.Stage == "crawling" && first.IsZero() {
			first = time.Now()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("took", time.Since(begin), "after first", time.Since(first))
	oracle := map[string]float64{}
	for _, tr := range r.Trails {
		if tr.Strategy == Oracle {
			oracle[fmt.Sprint(tr.Topic, tr.SeedSet)] = area(tr, x.Budget.Pages)
		}
	}
	for _, b := range []int{100, 200, 300, 500, 1000, 2000} {
		fmt.Printf("budget %d:", b)
		for _, v := range x.Variants() {
			var rel, n float64
			for _, tr := range r.ByLabel(v.Label) {
				for _, o := range r.ByLabel("oracle") {
					if o.Topic == tr.Topic && o.SeedSet == tr.SeedSet {
						rel += area(tr, b) / max(area(o, b), 1e-9)
						n++
					}
				}
			}
			fmt.Printf(" %s %.3f", v.Label, rel/n)
		}
		fmt.Println()
	}
	for _, v := range x.Variants() {
		var rel, rec, har, n, pages, failed float64
		var cpu time.Duration
		stops := map[string]int{}
		for _, tr := range r.ByLabel(v.Label) {
			n++
			a := area(tr, x.Budget.Pages)
			rel += a / max(oracle[fmt.Sprint(tr.Topic, tr.SeedSet)], 1e-9)
			hits := 0
			for _, s := range tr.Steps {
				if s.Relevant && !s.Seed {
					hits++
				}
			}
			rec += float64(hits) / float64(tr.Targets)
			har += float64(hits) / float64(len(tr.Steps))
			pages += float64(len(tr.Steps))
			failed += float64(tr.Failed)
			cpu += tr.CPU
			stops[tr.Stopped]++
		}
		fmt.Printf("%-30s area/oracle %.3f recall %.3f harvest %.3f pages %.0f failed %.0f cpu/page %v %v\n", v.Label, rel/n, rec/n, har/n, pages/n, failed/n, (cpu / time.Duration(pages)).Round(time.Microsecond), stops)
	}
	_ = strings.TrimSpace
}
