package main

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/linkrating"
	"dowse/internal/text"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/strategytest"
	"dowse/topic"
)

// A part is a part of a visit and how long it took for each page.
type part struct {
	name  string
	times []time.Duration
}

// partExamples is the number of pages that the judge of parts is trained on, as many as a judge
// that grows during a crawl has at the end.
const partExamples = 400

// parts does the work of visits in one goroutine, without network and sync, and prints what each
// part of a visit costs: the median of all pages after the first tenth. The parts of a page follow
// each other as in a crawl, so that each finds the processor's caches full of what the others left.
// A median is hardly disturbed by other programs on the machine.
func parts(o options) {
	web := newWeb(4*o.pages, 0, 0, o.seed)
	j := partsJudge(web)
	var strategyTook time.Duration
	s, err := strategy.New(o.strategy)
	fatalIf(err)
	wish := linkrating.WishOf(s)
	timed := strategytest.Around(s, func(invoke func() []dowse.Lead) []dowse.Lead {
		began := time.Now()
		defer func() { strategyTook += time.Since(began) }()
		return invoke()
	})
	col := partsCollection(filepath.Join(o.dir, "parts.dowse"), timed)
	now := col.Settings.Begun
	col.Crawl.Start(now, []dowse.URL{dowse.URL(urlOf(0))})

	list := []part{{name: "choosing a lead"}, {name: "extraction"}, {name: "fingerprint, numbers of words"}, {name: "judge, with windows"}, {name: "WARC records"}, {name: "strategy"}, {name: "frontier and journal, without strategy"}}
	var body, record []byte
	defer profiled(o.profile)()
	defer allocations(o.memory)()
	for i := range o.pages {
		now = now.Add(time.Millisecond)
		began := time.Now()
		lap := func() (took time.Duration) {
			took, began = time.Since(began), time.Now()
			return took
		}
		v, _, ok := col.Crawl.Next(now)
		if !ok {
			fatal(fmt.Errorf("nothing is left to visit after %d pages", i))
		}
		next := lap()
		n, _ := strconv.Atoi(string(v.URL[strings.LastIndexByte(string(v.URL), '/')+1:]))
		body = web.page(body[:0], n)
		p := &dowse.Page{URL: v.URL, Outcome: dowse.Fetched, Fetch: dowse.Fetch{At: now, Status: 200, Type: "text/html", Bytes: int64(len(body))}}
		lap()
		p.Document = *extract.HTML(body, v.URL, extract.Options{})
		read := lap()
		p.Sketch = text.Sketch(&p.Document)
		text.Number(&p.Document)
		sketch := lap()
		wish.Rate(j, p)
		judged := lap()
		record = archive.Encode(record[:0], exchangeOf(p, body)).Bytes
		packed := lap()
		strategyTook = 0
		col.Crawl.Absorb(now, p)
		absorbed := lap() - strategyTook
		if i%256 == 255 {
			fatalIf(col.Journal.Sync())
		}
		for k, took := range []time.Duration{next, read, sketch, judged, packed, strategyTook, absorbed} {
			if i >= o.pages/10 {
				list[k].times = append(list[k].times, took)
			}
		}
	}
	printParts(list)
	fatalIf(col.Close())
}

// printParts prints the table of parts.
func printParts(list []part) {
	sum := 0.0
	fmt.Println("| part of a visit | µs, median | a quarter below | a quarter above |\n|---|---|---|---|")
	for _, p := range list {
		slices.Sort(p.times)
		at := func(share int) float64 { return float64(p.times[len(p.times)*share/4].Nanoseconds()) / 1000 }
		sum += at(2)
		fmt.Printf("| %s | %.1f | %.1f | %.1f |\n", p.name, at(2), at(1), at(3))
	}
	fmt.Printf("| sum | %.1f | | |\n", sum)
}

// partsJudge returns a judge of words and of a model that is trained on pages of the web: those
// with a certain word are on topic.
func partsJudge(web *web) *topic.Judge {
	m := &topic.Material{}
	for n := range partExamples {
		p := &dowse.Page{Document: *extract.HTML(web.page(nil, n), dowse.URL(urlOf(n)), extract.Options{})}
		m.Examples = append(m.Examples, judge.Example{Page: p, Relevant: strings.Contains(p.Text, "coral")})
	}
	j, err := (&topic.Topic{Name: "parts", Words: []string{"coral reef"}}).NewJudge(m)
	fatalIf(err)
	return j
}

// exchangeOf returns an exchange as a fetcher records it.
func exchangeOf(p *dowse.Page, body []byte) *archive.Exchange {
	return &archive.Exchange{
		URL: p.URL, At: p.Fetch.At, Address: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Payload: body,
		RequestHead:  []byte("GET /page HTTP/1.1\r\nHost: a.test\r\nUser-Agent: bench\r\nAccept: text/html\r\n\r\n"),
		ResponseHead: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"),
		Metadata:     []archive.Field{{Name: "relevance", Value: fmt.Sprint(p.Verdict.Relevance)}},
	}
}

// partsCollection makes a collection whose crawl has the strategy.
func partsCollection(dir string, s dowse.Strategy) *collection.Collection {
	set := collection.Settings{Name: "parts", Begun: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	set.Threshold, set.Key, set.Politeness.Delay = 0.5, 7, -1
	col, err := collection.Create(dir, set, []byte("dowse: topic/v1\nname: parts\nwords: [made]\n"), nil)
	fatalIf(err)
	cfg := crawl.Config{Strategy: s, Threshold: set.Threshold, Traps: crawl.Traps{Budget: -1}, Polite: crawl.Politeness{Delay: crawl.None, InFlight: 1}}
	fatalIf(col.Load(cfg, nil))
	return col
}
