package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The cheap web: hosts on addresses of their own, pages of about 20 KB with
// some 1,400 words, 500 tags and 40 links, each with its own text, generated on
// the fly.
const (
	webHosts  = 200
	pageLinks = 40
	menuLinks = 13
	webWords  = 8000 // vocabulary
)

// webPort is where the web listens; BENCH_PORT chooses another.
var webPort = cmp.Or(os.Getenv("BENCH_PORT"), "18080")

// A web answers for every host. latency is added to each page, and a share of
// the requests fails in one of several ways.
type web struct {
	pages   int
	latency time.Duration
	faults  float64 // share of requests that fail
	seed    uint64  // of the faults
	asked   atomic.Uint64
	words   []string
	pool    sync.Pool
}

// newWeb returns a web with a vocabulary of made-up words, the same in every
// process. Two of them are the words of the topic, so that the judge finds some
// pages on topic and others not.
func newWeb(pages int, latency time.Duration, faults float64, seed uint64) *web {
	rng := rand.New(rand.NewPCG(1, 2))
	w := &web{pages: pages, latency: latency, faults: faults, seed: seed}
	for range webWords {
		var b strings.Builder
		for range 2 + rng.IntN(3) {
			b.WriteByte("bcdfghklmnprstvw"[rng.IntN(16)])
			b.WriteByte("aeiou"[rng.IntN(5)])
		}
		w.words = append(w.words, b.String())
	}
	w.words[17], w.words[170] = "reef", "coral"
	return w
}

// hostOf returns the address of the host of a page. Each host has an address of
// its own in 127.0.0.0/8, so that crawlers treat them as different servers.
func hostOf(page int) string {
	h := page % webHosts
	return fmt.Sprintf("127.1.%d.%d:%s", h/250, 1+h%250, webPort)
}

// urlOf returns the URL of a page. Consecutive pages are on different hosts.
func urlOf(page int) string { return "http://" + hostOf(page) + "/page/" + strconv.Itoa(page) }

// serve listens on the address of every host until the process ends. It prints
// "ready" when all of them accept connections.
func (w *web) serve() error {
	server := &http.Server{Handler: w}
	errs := make(chan error)
	for h := range webHosts {
		l, err := net.Listen("tcp", hostOf(h))
		if err != nil {
			return err
		}
		go func() { errs <- server.Serve(l) }()
	}
	fmt.Println("ready")
	return <-errs
}

// ServeHTTP answers with a page, or with an error for anything else. Buffers are
// reused, so that the server takes little of the processor that it shares with
// the contender.
func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/"))
	if err != nil || n < 0 || n >= w.pages {
		http.NotFound(rw, r)
		return
	}
	time.Sleep(w.latency)
	if w.failed(rw) {
		return
	}
	b, _ := w.pool.Get().([]byte)
	b = w.page(b[:0], n)
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.Header().Set("Content-Length", strconv.Itoa(len(b)))
	rw.Write(b)
	w.pool.Put(b)
}

// failed fails the share of requests that is to fail, and reports whether it answered: an error, a
// connection that is reset, half a page. A slow answer is only delayed.
func (w *web) failed(rw http.ResponseWriter) bool {
	if w.faults == 0 {
		return false
	}
	rng := rand.New(rand.NewPCG(w.seed, w.asked.Add(1)))
	if rng.Float64() >= w.faults {
		return false
	}
	switch rng.IntN(4) {
	case 0:
		http.Error(rw, "busy", []int{500, 502, 503, 504}[rng.IntN(4)])
	case 1:
		if conn, _, err := http.NewResponseController(rw).Hijack(); err == nil {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
	case 2:
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("Content-Length", "20000")
		rw.Write([]byte("<html><title>half a page</title><p>begins and"))
	default:
		time.Sleep(time.Duration(1+rng.IntN(10)) * time.Second)
		return false
	}
	return true
}

// page appends a page: its text and links follow from its number alone, so that
// the server stores nothing and every contender sees the same web. A third
// of its links are in a menu, the others in the text; about half of its bytes
// are markup, as on real pages.
func (w *web) page(b []byte, n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	b = append(b, `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page `...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, `</title><meta name="description" content="A page of a cheap web"><link rel="stylesheet" href="/style.css"></head>
<body class="page two-columns"><div id="top" class="header"><ul class="menu horizontal">`...)
	for i := range menuLinks {
		b = append(b, `<li class="menu-item">`...)
		b = w.link(b, rng, n, i)
		b = append(b, "</li>\n"...)
	}
	b = append(b, `</ul></div><div id="main" class="content"><h1 class="title">`...)
	b = w.sentence(b, rng, 6)
	b = append(b, "</h1>\n"...)
	for i := menuLinks; i < pageLinks; i++ {
		b = w.section(b, rng, n, i)
	}
	return append(b, `</div><div id="bottom" class="footer"><p class="small">made up</p></div></body></html>`+"\n"...)
}

// section appends a block of text with a link, a list and some emphasis, so that
// the link has a heading and words around it to be rated.
func (w *web) section(b []byte, rng *rand.Rand, n, i int) []byte {
	b = append(b, `<div class="section level-2"><h2 class="heading">`...)
	b = w.sentence(b, rng, 4)
	b = append(b, `</h2><p class="lead">`...)
	b = w.sentence(b, rng, 12)
	b = append(b, `<em>`...)
	b = w.sentence(b, rng, 2)
	b = append(b, `</em>`...)
	b = w.link(b, rng, n, i)
	b = w.sentence(b, rng, 10)
	b = append(b, `</p><ul class="points">`...)
	for range 3 {
		b = append(b, `<li><span class="mark"></span>`...)
		b = w.sentence(b, rng, 5)
		b = append(b, `</li>`...)
	}
	return append(b, "</ul></div>\n"...)
}

// link appends the i-th link of a page, with three words as its anchor.
func (w *web) link(b []byte, rng *rand.Rand, n, i int) []byte {
	b = append(b, `<a class="link" href="`...)
	b = append(b, urlOf(w.target(n, i, rng))...)
	b = append(b, `">`...)
	b = w.sentence(b, rng, 3)
	return append(b, `</a> `...)
}

// target returns where the i-th link of a page leads: to two children in a
// tree, so that every page can be reached, and otherwise to a random page.
func (w *web) target(n, i int, rng *rand.Rand) int {
	if i < 2 {
		return (2*n + 1 + i) % w.pages
	}
	return rng.IntN(w.pages)
}

// sentence appends n words, common ones more often, as in real texts: a crawler
// that caches the stems of words gains by it.
func (w *web) sentence(b []byte, rng *rand.Rand, n int) []byte {
	for range n {
		r := rng.Uint32()
		// The product of two uniform numbers makes some words common and most of them rare.
		i := int(uint64(r>>16) * uint64(r&0xffff) * uint64(len(w.words)) >> 32)
		b = append(b, w.words[i]...)
		b = append(b, ' ')
	}
	return b
}
