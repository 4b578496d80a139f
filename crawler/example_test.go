package crawler_test

import (
	"context"
	"dowse/settings"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/crawler"
	"dowse/internal/demo"
)

func Example() {
	dir, err := os.MkdirTemp("", "dowse")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	web := demo.New(demo.Config{}) // a synthetic web, in place of the real one
	c, err := crawler.Open(filepath.Join(dir, "pools.dowse"), crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])},
		Settings:  settings.Settings{Limits: settings.Limits{Pages: 5}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Transport: web.RoundTripper(),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Printf("%.2f %s\n", p.Relevance, p.URL)
	}
	fmt.Println(c.StopReason(), c.Err())
	// Output:
	// 0.94 http://shorewalks.demo/
	// 0.77 http://shorewalks.demo/reports/sculpins
	// 0.51 http://shorewalks.demo/reports/nudibranchs
	// 0.96 http://shorewalks.demo/projects/pool-temperature
	// 0.10 http://shorewalks.demo/reports/egg-shapes-2
	// pages <nil>
}

// deepest is a strategy from outside: it prefers URLs with many slashes, and
// learns nothing.
type deepest struct{}

func (deepest) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for _, l := range p.Links {
		slashes := float64(strings.Count(string(l.URL), "/"))
		leads = append(leads, dowse.Lead{
			URL: l.URL, Priority: slashes, Because: []dowse.Because{{What: "slashes", Weight: slashes}},
		})
	}
	return leads
}

// A strategy is any type with the method Follow. It goes into the Config, and
// needs no registration.
func Example_strategy() {
	dir, err := os.MkdirTemp("", "dowse")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	web := demo.New(demo.Config{})
	c, err := crawler.Open(filepath.Join(dir, "deep.dowse"), crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Settings: settings.Settings{Limits: settings.Limits{Pages: 4}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Strategy: deepest{}, Transport: web.RoundTripper(),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Printf("%.0f %s\n", p.Lead.Priority, p.URL)
	}
	fmt.Println(c.StopReason())
	// Output:
	// 1 http://shorewalks.demo/
	// 4 http://shorewalks.demo/reports/
	// 4 http://shorewalks.demo/projects/
	// 4 http://shorewalks.demo/shop/
	// pages
}
