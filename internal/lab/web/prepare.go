package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"runtime"
	"sync"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/text"
	"dowse/weburl"
)

// agent is the user agent of the lab, for robots.txt.
const agent = "dowse-lab"

// Bounds of reading a web.
const (
	maxMaps   = 50   // sitemaps per host
	tries     = 8    // requests for a page that fails temporarily
	chunkSize = 256  // pages in memory while reading
	extra     = 4096 // least bound on targets beyond the listed pages
)

// prepare reads every page of a source and builds the feature file.
func prepare(ctx context.Context, s Source, path string, progress func(done, total int)) error {
	from, err := s.open()
	if err != nil {
		return err
	}
	defer from.close()
	return from.prepare(ctx, s.ShownName(), path, progress)
}

// prepare reads every page of a transport and builds the feature file. After an
// error, or if ctx ends, no file is left.
func (from *transport) prepare(ctx context.Context, name, path string, progress func(done, total int)) error {
	client, err := fetch.New(fetch.Config{Agent: agent, Transport: from, AllowNet: everywhere})
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	defer client.Close()
	w, err := newWriter(path)
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	r := &reading{from: from, out: w, progress: progress, visitor: &crawler.Visitor{Client: client, Judge: unrated{}},
		asked: map[dowse.URL]bool{}, lists: map[dowse.URL]bool{}, robots: map[string]*dowse.Robots{}}
	if err := r.run(ctx); err != nil {
		w.abandon()
		return fmt.Errorf("web: read the pages of %s: %w", name, err)
	}
	if err := w.close(r.robots); err != nil {
		return fmt.Errorf("web: write %s: %w", path, err)
	}
	return nil
}

// everywhere permits all addresses: recorded pages may come from any, and
// nothing is dialled.
var everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// unrated is the judge for pages that are only read.
type unrated struct{}

// Judge returns no rating: ratings depend on the topic, features do not.
func (unrated) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{} }

// A reading visits every page of a web once. Pages are fetched concurrently, in
// chunks of 256, and stored in the order of the list, so that the file is the
// same every time and memory holds one chunk.
type reading struct {
	from     *transport
	out      *featureWriter
	visitor  *crawler.Visitor
	progress func(done, total int)

	asked  map[dowse.URL]bool // URLs that were requested, or will be
	lists  map[dowse.URL]bool // sitemaps that were requested: whether they are lists
	next   []dowse.URL        // targets for the next round
	robots map[string]*dowse.Robots
	done   int
	total  int
}

// run reads the listed pages and then, round by round, the targets of links up
// to beyond links away. Recorded webs are read as they are listed; synthetic
// ones have pages that their list leaves out, such as traps and redirects, of
// which a bounded number is read.
func (r *reading) run(ctx context.Context) error {
	for _, u := range r.from.list { // so that a listed page is not added to next by a page that links to it
		r.asked[u] = true
	}
	if err := r.visitAll(ctx, r.from.list); err != nil {
		return err
	}
	most := max(extra, len(r.from.list))
	for range r.from.beyond {
		list := r.next[:min(len(r.next), most)]
		r.next, most = nil, most-len(list)
		if err := r.visitAll(ctx, list); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// visitAll visits pages concurrently, in chunks, and stores them in order.
func (r *reading) visitAll(ctx context.Context, list []dowse.URL) error {
	r.total += len(list)
	for len(list) > 0 {
		n := min(chunkSize, len(list))
		pages := make([]*dowse.Page, n)
		each(n, r.from.serial, func(i int) { pages[i] = r.visit(ctx, list[i]) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, p := range pages {
			r.keep(ctx, p)
		}
		list = list[n:]
		if r.done += n; r.progress != nil {
			r.progress(r.done, r.total)
		}
	}
	return nil
}

// each calls f for 0 to n-1, on one goroutine per processor, or on one if
// serial, and waits.
func each(n int, serial bool, f func(i int)) {
	var group sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	if serial {
		workers = 1
	}
	for k := range workers {
		group.Go(func() {
			for i := k; i < n; i += workers {
				f(i)
			}
		})
	}
	group.Wait()
}

// visit requests a page as a live crawl does, and again if it fails
// temporarily: the answers of a recorded web must not depend on when they were
// requested.
func (r *reading) visit(ctx context.Context, u dowse.URL) *dowse.Page {
	var p *dowse.Page
	for range tries {
		p = r.visitor.Visit(ctx, crawl.Visit{URL: u}).Page
		if p.Outcome != dowse.Temporary || ctx.Err() != nil {
			break
		}
	}
	if p.Outcome == dowse.Temporary {
		p.Outcome = dowse.Failed
	}
	return p
}

// keep stores an answer, and collects the targets of its links for the next
// round. A 404 is not stored, because a web answers so for every URL that it
// does not have.
func (r *reading) keep(ctx context.Context, p *dowse.Page) {
	if p.Fetch.Status == 404 {
		return
	}
	r.askHost(ctx, p.URL)
	if r.lists[p.URL] { // it was stored as a sitemap or feed
		return
	}
	if p.Outcome == dowse.Skipped && facts.IsFeed(p.Fetch.Type) {
		r.readLists(ctx, []dowse.URL{p.URL})
		return
	}
	r.out.add(p)
	r.readLists(ctx, p.Maps)
	if r.from.beyond == 0 {
		return
	}
	for i := range p.Links {
		if u := p.Links[i].URL; !r.asked[u] {
			r.asked[u] = true
			r.next = append(r.next, u)
		}
	}
}

// askHost requests robots.txt and the sitemaps of a host that is new, including
// the sitemaps that those list. A robots.txt that fails temporarily
// counts as missing, because a simulated crawl has no second chance to read it.
func (r *reading) askHost(ctx context.Context, u dowse.URL) {
	host := weburl.Host(u)
	if _, known := r.robots[host]; known {
		return
	}
	p := r.visitor.Visit(ctx, crawl.Visit{Kind: crawl.VisitRobots, URL: weburl.Robots(u)}).Page
	rules := p.Host.Robots
	if rules.Status == 0 { // a temporary failure
		rules = &dowse.Robots{Status: 404}
	}
	r.robots[host] = rules
	r.readLists(ctx, rules.Sitemaps)
}

// readLists requests sitemaps and feeds, and the sitemaps that those list, at most 50, and stores them.
func (r *reading) readLists(ctx context.Context, maps []dowse.URL) {
	for i := 0; i < len(maps) && i < maxMaps; i++ {
		if _, known := r.lists[maps[i]]; known {
			continue
		}
		list := r.visitor.Visit(ctx, crawl.Visit{Kind: crawl.VisitSitemap, URL: maps[i]}).Page
		r.lists[maps[i]] = list.Outcome == dowse.Listed
		if r.lists[maps[i]] {
			r.asked[maps[i]] = true
			r.out.add(list)
			maps = append(maps, list.Maps...)
		}
	}
}

// fingerprint identifies the way in which pages are parsed, by hashing the
// record of a sample page. It changes when the parser does, and with it the
// names of feature files: no version has to be raised by hand, and an old cache
// is never mistaken for a new one. A change that the sample does not show is
// missed, which is why it has one of most things.
func fingerprint() string {
	e := &encoder{url: func(u dowse.URL) int { return len(u) }}
	e.page(samplePage())
	return fmt.Sprintf("%x", sha256.Sum256(e.B))
}

// samplePage returns the sample as a visit would parse it.
func samplePage() *dowse.Page {
	p := &dowse.Page{URL: sampleURL}
	body, charset := extract.Decode([]byte(sample), "text/html")
	p.Fetch.Charset = charset
	p.Document = *extract.HTML(body, p.URL, extract.Options{Agents: extract.Agents(agent), OnFeed: func(u dowse.URL) { p.Maps = append(p.Maps, u) }})
	p.Sketch = text.Sketch(&p.Document)
	return p
}

// sampleURL is the URL of the sample, against which its links are resolved.
const sampleURL = "http://sample.test/a/b.html"

// sample has one of most things that a page can have.
const sample = `<!doctype html><html lang=en><head><title>A sample &amp; more</title>
<meta name=description content="what it is"><meta name=keywords content="one, two"><meta name=robots content=noindex>
<link rel=canonical href="/a/c.html"><link rel=alternate type=application/atom+xml href=feed><script type="application/ld+json">{"@type":"Article","datePublished":"2020-01-02"}</script>
<style>p{}</style></head><body><nav><ul><li><a href="/">Home</a><li><a href="../x?b=2&a=1#f">X &eacute;</a></ul></nav>
<h1>Heading one</h1><p>Words before <b>bold</b> <a href="t1">the first target</a> and words after, it's 3.14 caf&eacute;.</p>
<h2>Heading two</h2><div>A block<br>with <a rel=nofollow href="//other.test/q">another <i>anchor</i></a> text
<img src=i.png alt="an image"><a href="t1"><img alt="picture of it" src=p.png></a></div><h3>Third</h3>
<table><tr><td>cell</td><td><a href="t2" title=tip></a></td></tr></table><pre>  kept   space </pre>
<noscript>none</noscript><p hidden>hidden</p><form><select><option>o</select></form><a href="javascript:void(0)">js</a>
<a href="mailto:a@b.test">mail</a><iframe src="/frame"></iframe><footer>End of it. <a href="?page=2">next</a></footer></body></html>`
