package crawler_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
)

// A memoryWeb is a web from memory: HTML by URL. A program that leaves Transport out crawls
// the real web.
type memoryWeb map[string]string

func (w memoryWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := w[r.URL.String()]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound // also of robots.txt, which allows everything
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// shore is a web of six pages, of which three are about tide pools.
var shore = memoryWeb{
	"http://shore.example/": `<title>The shore</title><p>Tide pools stay behind at low tide. See <a href="/crabs">crabs in tide pools</a>,
		<a href="/anemones">anemones of the tide pools</a>, our <a href="/shop">shop</a> and <a href="/login">log in</a>.</p>`,
	"http://shore.example/crabs":     `<title>Crabs</title><p>Shore crabs hide in tide pools. A tide pool has room for many, and small tide pools for one. <a href="/shop/nets">Nets</a></p>`,
	"http://shore.example/anemones":  `<title>Anemones</title><p>Beadlet anemones live in tide pools. They close when the tide pools fall dry.</p>`,
	"http://shore.example/shop":      `<title>Shop</title><p>Buckets, boots and maps at low prices. <a href="/shop/nets">Nets</a></p>`,
	"http://shore.example/shop/nets": `<title>Nets</title><p>Nets in three sizes, delivered to your door.</p>`,
	"http://shore.example/login":     `<title>Log in</title><p>Please enter your name.</p>`,
}

// polite are settings for the examples. The synthetic host needs no pause, and with one visit
// at a time the order of the pages is always the same.
func polite(pages int) settings.Settings {
	return settings.Settings{
		Identity:   settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"},
		Limits:     settings.Limits{Pages: pages},
		Politeness: settings.Politeness{Delay: settings.None, InFlight: 1},
	}
}

// place returns a directory for a collection, and what removes it.
func place() (dir string, remove func()) {
	above, err := os.MkdirTemp("", "dowse")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(above, "pools.dowse"), func() { os.RemoveAll(above) }
}

// A crawl for words, whose pages are yielded when they are safe on disk.
func Example() {
	dir, remove := place()
	defer remove()
	c, err := crawler.Open(dir, crawler.Config{
		Words:     []string{"tide pools"},
		Seeds:     []string{"http://shore.example/"},
		Settings:  polite(4),
		Transport: shore,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Printf("%.2f %s %s\n", p.Relevance, p.URL, p.Title)
	}
	fmt.Println(c.StopReason(), c.Err())
	// Output:
	// 0.84 http://shore.example/ The shore
	// 0.82 http://shore.example/crabs Crabs
	// 0.67 http://shore.example/anemones Anemones
	// 0.05 http://shore.example/shop Shop
	// pages <nil>
}

// countPools rates pages by how often they name tide pools.
type countPools struct{}

func (countPools) Judge(p *dowse.Page) dowse.Verdict {
	n := strings.Count(strings.ToLower(p.Text), "tide pools")
	relevance := math.Min(1, float64(n)/2)
	return dowse.Verdict{
		Relevance: relevance, Judge: "count-pools/1",
		Because: []dowse.Because{{What: "tide pools", Weight: relevance, Count: n}},
	}
}

// A judge is any type with the method Judge. It takes the place of a topic.
func Example_judge() {
	dir, remove := place()
	defer remove()
	c, err := crawler.Open(dir, crawler.Config{
		Judge: countPools{}, Seeds: []string{"http://shore.example/"}, Settings: polite(4), Transport: shore,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Printf("%.2f %s because %s\n", p.Relevance, p.URL, p.Why)
	}
	// Output:
	// 1.00 http://shore.example/ because +1.00 tide pools ×3
	// 1.00 http://shore.example/anemones because +1.00 tide pools ×2
	// 1.00 http://shore.example/crabs because +1.00 tide pools ×2
	// 0.00 http://shore.example/shop because +0.00 tide pools
}

// deepest is a strategy from outside: it prefers URLs with many slashes, learns nothing, and
// follows no links to pages where one logs in.
type deepest struct{}

func (deepest) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for _, l := range p.Links {
		if strings.HasSuffix(string(l.URL), "/login") {
			continue // a link without a lead is never visited
		}
		slashes := float64(strings.Count(string(l.URL), "/"))
		leads = append(leads, dowse.Lead{
			URL: l.URL, Priority: slashes, Because: []dowse.Because{{What: "slashes", Weight: slashes}},
		})
	}
	return leads
}

// A strategy is any type with the method Follow. It goes into the Config, and needs no
// registration. It filters by leaving links out; Include and Exclude of the settings do so
// for any strategy.
func Example_strategy() {
	dir, remove := place()
	defer remove()
	cfg := crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{"http://shore.example/"},
		Strategy: deepest{}, Settings: polite(0), Transport: shore,
	}
	cfg.Exclude = []string{`/shop/`}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Printf("%.0f %s\n", p.Lead.Priority, p.URL)
	}
	fmt.Println(c.StopReason())
	// Output:
	// 1 http://shore.example/
	// 3 http://shore.example/crabs
	// 3 http://shore.example/anemones
	// 3 http://shore.example/shop
	// exhausted
}

// The end of the context pauses a crawl, and so does a break; the visit that is in flight
// then is completed. Crawl goes on in the same process. In another one Open does, which
// needs the directory, and what is no setting.
func Example_pause() {
	dir, remove := place()
	defer remove()
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{"http://shore.example/"}, Settings: polite(4), Transport: shore,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for p := range c.Crawl(ctx) {
		fmt.Println(p.URL)
		cancel()
	}
	fmt.Println(c.StopReason(), c.Err(), c.Close())

	c, err = crawler.Open(dir, crawler.Config{Transport: shore})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		fmt.Println(p.URL)
	}
	fmt.Println(c.StopReason(), c.Err())
	// Output:
	// http://shore.example/
	// http://shore.example/crabs
	// signal <nil> <nil>
	// http://shore.example/anemones
	// http://shore.example/shop
	// pages <nil>
}

// crawled returns the directory of a finished crawl of the whole web, and what removes it.
func crawled() (dir string, remove func()) {
	dir, remove = place()
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{"http://shore.example/"}, Settings: polite(0), Transport: shore,
	})
	if err != nil {
		log.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		log.Fatal(err)
	}
	if err := c.Close(); err != nil {
		log.Fatal(err)
	}
	return dir, remove
}

// View reads a collection: its pages with text and links, why each was visited and how it
// was judged, and its versions.
func ExampleView() {
	dir, remove := crawled()
	defer remove()
	v, err := crawler.View(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer v.Close()
	for row, err := range v.Collection.Pages(collection.Filter{On: true, Sort: collection.ByScore, Limit: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f %s %q\n", row.Relevance(), row.URL, row.Title)
		doc, err := v.Collection.DocumentOf(row) // again from the archive
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("  text:", strings.Fields(doc.Text)[:4])
		for _, l := range doc.Links {
			fmt.Println("  link:", l.URL, l.Anchor)
		}
	}

	why, err := v.Collection.Why("http://shore.example/crabs")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("path:", why.Path)
	for _, b := range why.Judged.Because {
		fmt.Printf("%+.2f %s\n", b.Weight, b.What)
	}
	versions, err := v.Collection.Versions("http://shore.example/crabs")
	fmt.Println("versions:", len(versions), err)
	_, err = v.Collection.Why("http://shore.example/unheard-of")
	fmt.Println(err)
	// Output:
	// 0.84 http://shore.example/ "The shore"
	//   text: [Tide pools stay behind]
	//   link: http://shore.example/crabs crabs in tide pools
	//   link: http://shore.example/anemones anemones of the tide pools
	//   link: http://shore.example/shop shop
	//   link: http://shore.example/login log in
	// 0.82 http://shore.example/crabs "Crabs"
	//   text: [Shore crabs hide in]
	//   link: http://shore.example/shop/nets Nets
	// path: [http://shore.example/ http://shore.example/crabs]
	// -3.00 bias
	// +2.42 "tide pools"
	// +1.04 "pools"
	// +1.04 "tide"
	// versions: 1 <nil>
	// collection: http://shore.example/unheard-of: this crawl never saw it
}

// An export goes into a file, whose suffix is the format, or to a writer.
func ExampleView_export() {
	dir, remove := crawled()
	defer remove()
	v, err := crawler.View(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer v.Close()
	n, err := v.Collection.Export(context.Background(), "-", collection.ExportOptions{
		Format: "csv", Fields: []string{"url", "title"}, On: true, Stdout: os.Stdout,
	})
	fmt.Println(n, err)
	// Output:
	// url,title
	// http://shore.example/,The shore
	// http://shore.example/crabs,Crabs
	// http://shore.example/anemones,Anemones
	// 3 <nil>
}

// Labels override verdicts, and a retraining generalises from them. While a crawl runs in
// this process or another one, it takes new labels into account by itself.
func ExampleRetrain() {
	dir, remove := crawled()
	defer remove()
	now := time.Now()
	err := collection.AppendLabels(dir,
		collection.Label{URL: "http://shore.example/shop", Label: collection.LabelOn, By: "me", At: now},
		collection.Label{URL: "http://shore.example/crabs", Label: collection.LabelOff, By: "me", At: now},
	)
	if err != nil {
		log.Fatal(err)
	}
	m, err := crawler.Retrain(dir, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Model, m.Labels, m.Refused)

	v, err := crawler.View(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer v.Close()
	for row, err := range v.Collection.Pages(collection.Filter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Verdict(), row.URL)
	}
	// Output:
	// m0001 2 false
	// unsure http://shore.example/
	// off http://shore.example/crabs
	// unsure http://shore.example/anemones
	// on http://shore.example/shop
	// off http://shore.example/login
	// off http://shore.example/shop/nets
}
