package hostile_test

import (
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/hostile/template"
	"dowse/internal/shareddata"
	"dowse/internal/text"
	"dowse/strategy"
	"dowse/weburl"
)

// A sample is a page whose original is known: its own URL, or that of the page which it
// is a near-duplicate of.
type sample struct {
	url      dowse.URL
	original string
	doc      *dowse.Document
}

// samples reads made pages, in an order by chance.
func samples(pages []template.Page) (list []sample) {
	for i := range pages {
		p := &pages[i]
		u := dowse.URL("http://" + p.Key())
		list = append(list, sample{u, p.Original(), extract.HTML([]byte(p.HTML), u, extract.Options{})})
	}
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// A score counts how well near-duplicates were found.
type score struct {
	pages, copies         int // copies: pages of which an earlier one has the text
	found, right, ofACopy int // found: called near-duplicates; ofACopy: such that are copies
}

func (s score) precision() float64 { return ratio(s.right, s.found) }
func (s score) recall() float64    { return ratio(s.ofACopy, s.copies) }

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// rate compares what was found, by URL, with what is true.
func rate(list []sample, near map[dowse.URL]dowse.URL) (s score) {
	original, seen := map[dowse.URL]string{}, map[string]bool{}
	for _, x := range list {
		original[x.url] = x.original
	}
	for _, x := range list {
		s.pages++
		copied := seen[x.original]
		if copied {
			s.copies++
		}
		seen[x.original] = true
		twin, found := near[x.url]
		if !found {
			continue
		}
		s.found++
		if original[twin] == x.original {
			s.right++
		}
		if copied {
			s.ofACopy++
		}
	}
	return s
}

// byCrawl lets a crawl visit all samples in their order and returns which pages it calls
// near-duplicates, and of what.
func byCrawl(t *testing.T, list []sample) map[dowse.URL]dowse.URL {
	t.Helper()
	c, err := crawl.New(crawl.Config{Strategy: strategy.BreadthFirst{}, Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	near := map[dowse.URL]dowse.URL{}
	for _, x := range list {
		c.Start(now, []dowse.URL{x.url})
		v, _, ok := c.Next(now)
		if !ok || v.URL != x.url {
			t.Fatalf("the crawl wants %q, not %s", v.URL, x.url)
		}
		p := v.Page()
		p.Outcome, p.Text, p.Words = dowse.Fetched, x.doc.Text, x.doc.Words
		p.Sketch = text.Sketch(x.doc)
		c.Absorb(now, p)
		if p.Near != "" {
			near[x.url] = p.Near
		}
		now = now.Add(time.Hour)
	}
	return near
}

// bySimhash finds near-duplicates as dowse did before: 64 bits of all pairs of words, each
// as often as it occurs, of which 3 may differ.
func bySimhash(list []sample) map[dowse.URL]dowse.URL {
	near := map[dowse.URL]dowse.URL{}
	var hashes []uint64
	var urls []dowse.URL
	for _, x := range list {
		h := simhash(x.doc)
		if h == 0 {
			continue
		}
		best, at := 4, 0
		for i, other := range hashes {
			if d := bits.OnesCount64(h ^ other); d < best {
				best, at = d, i
			}
		}
		if best < 4 {
			near[x.url] = urls[at]
			continue
		}
		hashes, urls = append(hashes, h), append(urls, x.url)
	}
	return near
}

func simhash(d *dowse.Document) uint64 {
	if len(d.Words) < 30 {
		return 0
	}
	var votes [64]int
	for i := 1; i < len(d.Words); i++ {
		h := text.Hash(strings.ToLower(d.Word(i-1) + " " + d.Word(i)))
		for k := range votes {
			votes[k] += int(h>>k&1)*2 - 1
		}
	}
	h := uint64(0)
	for k, v := range votes {
		if v > 0 {
			h |= 1 << k
		}
	}
	return max(h, 1)
}

type madeSite struct {
	name   string
	pages  []template.Page
	recall float64 // of the near-duplicate test, at least
}

// madeSites are sites like real ones; variant makes others of the same kinds. The hardest
// copies to find are the print versions of a calendar: they have few words of their own.
func madeSites(variant string) []madeSite {
	host := func(name string) string { return name + "." + variant + ".test" }
	return []madeSite{
		{"shop", template.Shop(host("shop"), 30, 24), 0.9},
		{"forum", template.Forum(host("forum"), 30, 25), 0.95},
		{"listings", template.Listings(host("flats"), 300), 0.95},
		{"franchise", template.Franchise(host("bakery"), 20), 1},
		{"calendar", template.Calendar(host("events"), 96), 0.2},
		{"news", template.News(host("news"), 200), 0.85},
	}
}

// add sums up scores.
func (s *score) add(x score) {
	s.pages, s.copies = s.pages+x.pages, s.copies+x.copies
	s.found, s.right, s.ofACopy = s.found+x.found, s.right+x.right, s.ofACopy+x.ofACopy
}

const tableHead = "| | pages | copies | simhash: called the same | wrongly | recall | sketch: called the same | wrongly | recall |"

func row(name string, old, now score) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %s | %d | %d | %s |", name, now.pages, now.copies,
		old.found, old.found-old.right, old.share(), now.found, now.found-now.right, now.share())
}

// share writes the recall, if there was anything to find.
func (s score) share() string {
	if s.copies == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", s.recall())
}

// TestNearDuplicates measures on made sites of templates how many of the pages that are
// called near-duplicates are, and how many of those that are, are found. Each site by
// itself, then all in one crawl; three of each kind.
func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	var names []string
	old, now, want := map[string]*score{}, map[string]*score{}, map[string]float64{}
	measure := func(name string, pages []template.Page, recall float64) {
		if now[name] == nil {
			names = append(names, name)
			old[name], now[name], want[name] = &score{}, &score{}, recall
		}
		list := samples(pages)
		now[name].add(rate(list, byCrawl(t, list)))
		if testing.Verbose() {
			old[name].add(rate(list, bySimhash(list)))
		}
	}
	for _, variant := range []string{"one", "two", "three"} {
		var all []template.Page
		for _, s := range madeSites(variant) {
			measure(s.name, s.pages, s.recall)
			all = append(all, s.pages...)
		}
		measure("all in one crawl", all, 0.92)
	}
	if all := now["all in one crawl"]; all.precision() < 0.99 {
		t.Errorf("all in one crawl: precision %.3f, want at least 0.99", all.precision())
	}
	t.Log(tableHead)
	for _, name := range names {
		s := now[name]
		t.Log(row(name, *old[name], *s))
		if wrong := s.found - s.right; 100*wrong > s.pages || s.recall() < want[name] {
			t.Errorf("%s: %d of %d pages are wrongly called near-duplicates, recall is %.3f; want one in 100 at most, recall %.2f",
				name, wrong, s.pages, s.recall(), want[name])
		}
	}
}

// TestNearDuplicatesOfWikispeedia compares 4,598 articles. No two that are different may be
// called the same; a few have two titles, which the texts themselves show.
func TestNearDuplicatesOfWikispeedia(t *testing.T) {
	t.Parallel()
	list := wikispeedia(t)
	docs := map[dowse.URL]*dowse.Document{}
	for _, x := range list {
		docs[x.url] = x.doc
	}
	near, least := byCrawl(t, list), 1.0
	for u, twin := range near {
		same := jaccard(docs[u], docs[twin])
		least = min(least, same)
		if same < 0.8 {
			t.Errorf("%s is called the same as %s, with which it shares %.0f %% of the shingles", u, twin, 100*same)
		}
	}
	t.Logf("%d articles, %d called the same as another, with which each shares at least %.0f %% of the shingles", len(list), len(near), 100*least)
	if testing.Verbose() {
		t.Logf("%d by simhash", len(bySimhash(list)))
	}
}

// jaccard returns which share of their distinct runs of five words two pages have in
// common.
func jaccard(a, b *dowse.Document) float64 {
	x, y := shingles(a), shingles(b)
	both := 0
	for s := range x {
		if y[s] {
			both++
		}
	}
	return ratio(both, len(x)+len(y)-both)
}

func shingles(d *dowse.Document) map[string]bool {
	set := map[string]bool{}
	for i := 4; i < len(d.Words); i++ {
		set[strings.ToLower(strings.Join([]string{d.Word(i - 4), d.Word(i - 3), d.Word(i - 2), d.Word(i - 1), d.Word(i)}, " "))] = true
	}
	return set
}

func wikispeedia(t *testing.T) (list []sample) {
	t.Helper()
	dir := shareddata.Path(t, "webs")
	labels := shareddata.Read(t, "webs", "wikispeedia.labels.tsv")
	web, err := archive.OpenWeb(filepath.Join(dir, "wikispeedia.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	seen := map[dowse.URL]bool{}
	for line := range strings.Lines(string(labels)) {
		raw, _, _ := strings.Cut(line, "\t")
		u, err := weburl.Parse(raw)
		if err != nil || seen[u] {
			continue // the heading, or a page with several topics
		}
		seen[u] = true
		list = append(list, sample{u, string(u), recorded(t, web, u)})
	}
	slices.SortFunc(list, func(a, b sample) int { return strings.Compare(a.original, b.original) })
	if len(list) < 4000 {
		t.Fatalf("only %d articles", len(list))
	}
	return list
}

func recorded(t *testing.T, web *archive.Web, u dowse.URL) *dowse.Document {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, string(u), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := web.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, _ = extract.Decode(body, answer.Header.Get("Content-Type"))
	return extract.HTML(body, u, extract.Options{})
}
