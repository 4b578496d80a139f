package crawler_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"dowse/collection"
	"dowse/crawler"
	"dowse/demo"
)

func Example() {
	dir, err := os.MkdirTemp("", "dowse")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	web := demo.New(demo.Config{}) // a made web, in place of the real one
	c, err := crawler.Open(filepath.Join(dir, "pools.dowse"), crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])},
		Agent: "poolbot", Contact: "https://example.org/bot", Pages: 5,
		Transport: web.RoundTripper(), Polite: collection.Politeness{Delay: -1, InFlight: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Printf("%.2f %s %s\n", p.Relevance, p.URL, p.Why)
	}
	fmt.Println(c.StopReason(), c.Err())
	// Output:
}
