package collection_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/settings"
	"dowse/strategy"
)

// A collection is a directory; its content can be read without a crawl.
func Example() {
	root, err := os.MkdirTemp("", "dowse")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	c, err := collection.Create(filepath.Join(root, "reefs.dowse"), collection.Settings{
		Name: "reefs", Settings: settings.Settings{Order: settings.Order{Strategy: "link-context"}, Scope: settings.Scope{Reach: "host"}},
	}, []byte("dowse: topic/v1\nname: reefs\nwords: [coral bleaching]\n"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := c.Load(crawl.Config{Strategy: &strategy.LinkContext{}}, nil); err != nil {
		log.Fatal(err)
	}
	c.Crawl.Start(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), []dowse.URL{"https://example.org/reefs"})

	x, err := c.Why("https://example.org/reefs")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Row.State, x.Chosen.Priority, x.Chosen.Because[0].What)
	_, err = c.Why("https://example.org/unheard-of")
	fmt.Println(err)
	// Output:
	// queued 1 seed
	// collection: https://example.org/unheard-of: this crawl never saw it
}
