package search_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"dowse/crawler"
	"dowse/search"
	"dowse/settings"
)

// A memoryWeb is a web from memory: HTML by URL.
type memoryWeb map[string]string

func (w memoryWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := w[r.URL.String()]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// crawled crawls a small web, and returns the directory of the collection.
func crawled(above string) (string, error) {
	dir := filepath.Join(above, "pools.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{"http://shore.example/"},
		Settings: settings.Settings{Politeness: settings.Politeness{Delay: settings.None}},
		Transport: memoryWeb{
			"http://shore.example/":         `<title>The shore</title><p>Tide pools stay behind at low tide. See <a href="/crabs">crabs</a>, <a href="/anemones">anemones</a> and our <a href="/shop">shop</a>.</p>`,
			"http://shore.example/crabs":    `<title>Crabs</title><p>Shore crabs hide in tide pools. A tide pool has room for many, and small tide pools for one.</p>`,
			"http://shore.example/anemones": `<title>Anemones</title><p>Beadlet anemones live in tide pools, next to a crab or two. They close when the tide pools fall dry.</p>`,
			"http://shore.example/shop":     `<title>Shop</title><p>We sell crab nets, buckets and boots.</p>`,
		},
	})
	if err != nil {
		return "", err
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		return "", err
	}
	return dir, c.Close()
}

// Pages on topic with a word, in any of its forms, best first. The words of the query are
// marked.
func Example() {
	above, err := os.MkdirTemp("", "dowse")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(above)
	dir, err := crawled(above)
	if err != nil {
		log.Fatal(err)
	}

	v, err := crawler.View(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer v.Close()
	key, err := search.Key(filepath.Join(above, "search-key")) // mostly next to the settings of the program
	if err != nil {
		log.Fatal(err)
	}
	s, err := search.Open(context.Background(), key, v.Collection)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	found, err := s.Search(context.Background(), search.Request{Query: "crabs", Limit: 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits {
		fmt.Printf("%s %q\n", hit.URL, hit.Title)
		for _, at := range hit.InSnippet {
			fmt.Println("  ", hit.Snippet[at.Start:at.End], "in:", hit.Snippet)
		}
	}
	fmt.Println(found.Total, "pages on topic")
	all, err := s.Search(context.Background(), search.Request{Query: "crabs", All: true})
	fmt.Println(all.Total, "pages", err)
	// Output:
	// http://shore.example/crabs "Crabs"
	//    crabs in: Shore crabs hide in tide pools. A tide pool has room for many, and small tide pools for one.
	// http://shore.example/anemones "Anemones"
	//    crab in: … anemones live in tide pools, next to a crab or two. They close when the tide pools fall dry.
	// 2 pages on topic
	// 4 pages <nil>
}
