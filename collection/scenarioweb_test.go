package collection_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"dowse/crawler"
	"dowse/settings"
)

// A scenarioWeb is a small web that a file testdata/scenarios/NAME.web describes. It answers
// requests in the place of the network. URLs are without "http://".
type scenarioWeb struct {
	seeds  []string
	pages  map[string]scenarioPage
	titles map[string]string // by URL, for the words of links
	fail   map[string]bool   // URLs whose connections break
	limit  int               // pages that are fetched before a scenario begins; 0 for all
	reach  string            // the scope of the crawl; "" for the web
}

// A scenarioPage is one answer of a scenarioWeb.
type scenarioPage struct {
	on       bool
	title    string
	words    string // a sentence of the page that occurs nowhere else
	head     string // further elements of its head
	links    []string
	sameAs   string // its body is that of another URL
	redirect string
	text     string // the whole body, for a robots.txt
}

// readWeb reads a web. Every mistake is an error, since a line that is ignored would leave a
// web that is not the one in the file.
func readWeb(name string) (*scenarioWeb, error) {
	data, err := os.ReadFile(filepath.Join("testdata", "scenarios", name+".web"))
	if err != nil {
		return nil, err
	}
	w := &scenarioWeb{pages: map[string]scenarioPage{}, titles: map[string]string{}, fail: map[string]bool{}}
	for i, line := range strings.Split(string(data), "\n") {
		if err := w.line(line); err != nil {
			return nil, fmt.Errorf("%s.web, line %d: %w", name, i+1, err)
		}
	}
	if len(w.seeds) == 0 {
		return nil, fmt.Errorf("%s.web: no line \"seeds URL...\"", name)
	}
	return w, nil
}

func (w *scenarioWeb) line(line string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	url, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	switch word {
	case "", "#":
		return nil
	case "seeds":
		w.seeds = strings.Fields(url + " " + rest)
		return nil
	case "fail":
		w.fail[url] = true
		return nil
	case "reach":
		w.reach = url
		return nil
	case "limit":
		w.limit, _ = strconv.Atoi(url)
		return nil
	case "robots.txt":
		w.pages[url+"/robots.txt"] = scenarioPage{text: strings.ReplaceAll(rest, "; ", "\n") + "\n"}
		return nil
	case "text":
		w.pages[url] = scenarioPage{text: rest + "\n"}
		return nil
	case "redirect":
		w.pages[url] = scenarioPage{redirect: strings.TrimPrefix(rest, "-> ")}
		return nil
	case "copy":
		w.pages[url] = scenarioPage{sameAs: strings.TrimPrefix(rest, "of ")}
		return nil
	case "page":
		return w.page(url, rest)
	}
	return fmt.Errorf("unknown word %q", word)
}

// page reads `on|off "TITLE" ["WORDS"] [head "ELEMENTS"] [-> URL...]`.
func (w *scenarioWeb) page(url, rest string) error {
	var p scenarioPage
	verdict, rest, _ := strings.Cut(rest, " ")
	if p.on = verdict == "on"; !p.on && verdict != "off" {
		return fmt.Errorf("%q is neither on nor off", verdict)
	}
	for into := &p.title; rest != ""; into = &p.words {
		rest = strings.TrimSpace(rest)
		if links, ok := strings.CutPrefix(rest, "->"); ok {
			p.links = strings.Fields(links)
			break
		}
		if after, ok := strings.CutPrefix(rest, "head "); ok {
			rest, into = after, &p.head
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return fmt.Errorf("a text in quotes is wanted at %q", rest)
		}
		*into, _ = strconv.Unquote(quoted)
		rest = rest[len(quoted):]
	}
	if _, twice := w.pages[url]; twice {
		return fmt.Errorf("%s is there twice", url)
	}
	w.pages[url], w.titles[url] = p, p.title
	return nil
}

// everyday are the words that fill the pages.
var everyday = strings.Fields(`a able about above after along also another around away back because before behind between both bring
came carry change city cold come cover cross day deep down early east every face far few field fine first follow form found fresh
gather give glass good great green ground grow half hand hard head heavy high hold hope house keep kind large last late leave left
level light line long low main mark mean mile mind morning move near never night north often open order other outside over part pass
path place plain point pull quick quiet reach rest right river road round run sand sea season second seem set shape short show side
small soft sound south space stand start still stone story strong summer sun table take tall thin thing think three time today town
tree turn under until upon walk wall warm water way week west white wide wind winter wood work year young`)

// body returns the HTML of a page. Its words are drawn from the URL, so that no two pages are
// near-duplicates; every fifth one of a page on topic is the word of the topic.
func (w *scenarioWeb) body(url string, p scenarioPage) string {
	if p.text != "" {
		return p.text
	}
	h := fnv.New64a()
	h.Write([]byte(url))
	x := h.Sum64()
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>%s</title>%s</head><body><h1>%s</h1><p>%s</p><ul>", p.title, p.head, p.title, p.words)
	for _, to := range p.links {
		fmt.Fprintf(&b, "<li><a href=\"http://%s\">%s</a></li>", to, w.titles[to])
	}
	b.WriteString("</ul><p>")
	for i := range 150 {
		x = x*6364136223846793005 + 1442695040888963407
		word := everyday[x>>33%uint64(len(everyday))]
		if p.on && i%5 == 0 {
			word = "barnacle"
		}
		b.WriteString(word + " ")
	}
	b.WriteString("</p></body></html>\n")
	return b.String()
}

var errBroken = errors.New("the connection broke")

// RoundTrip answers a request.
func (w *scenarioWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	url := r.URL.Host + r.URL.RequestURI()
	if w.fail[url] {
		return nil, errBroken
	}
	p, ok := w.pages[url]
	if p.sameAs != "" {
		url = p.sameAs
		p = w.pages[url]
	}
	resp := &http.Response{
		StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	}
	body := ""
	switch {
	case !ok:
		resp.StatusCode = 404
	case p.redirect != "":
		resp.StatusCode = 301
		resp.Header.Set("Location", "http://"+p.redirect)
	default:
		body = w.body(url, p)
	}
	switch path.Ext(url) {
	case ".txt":
		resp.Header.Set("Content-Type", "text/plain")
	case ".xml":
		resp.Header.Set("Content-Type", "application/xml")
	}
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return resp, nil
}

// crawl crawls the web into a directory, under settings that change those of a scenario.
func (w *scenarioWeb) crawl(dir string, change func(*crawler.Config)) (*crawler.Crawler, error) {
	cfg := crawler.Config{
		Transport: w,
		Settings: settings.Settings{
			Identity:   settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: settings.None, InFlight: 1},
		},
	}
	if _, err := os.Stat(dir); err != nil {
		cfg.Words, cfg.Settings.Key, cfg.Scope.Reach = []string{"barnacle"}, 7, w.reach
		cfg.Settings.Strategy = "link-context" // reads no text, so that scenarios need not restore any
		for _, s := range w.seeds {
			cfg.Seeds = append(cfg.Seeds, "http://"+s)
		}
	}
	change(&cfg)
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		return nil, err
	}
	for range c.Crawl(context.Background()) {
	}
	return c, errors.Join(c.Err(), c.Close())
}

// crawled are the collections of the webs, each crawled once; scenarios work on copies.
var crawled struct {
	sync.Mutex
	root string
	webs map[string]*scenarioWeb
}

// crawledWeb returns a web and the collection of a crawl of all of it.
func crawledWeb(name string) (*scenarioWeb, string, error) {
	crawled.Lock()
	defer crawled.Unlock()
	root, err := made()
	if err != nil {
		return nil, "", err
	}
	dir := filepath.Join(root, name+".dowse")
	if w := crawled.webs[name]; w != nil {
		return w, dir, nil
	}
	w, err := readWeb(name)
	if err != nil {
		return nil, "", err
	}
	if _, err := w.crawl(dir, func(cfg *crawler.Config) { cfg.Limits.Pages = w.limit }); err != nil {
		return nil, "", err
	}
	if crawled.webs == nil {
		crawled.webs = map[string]*scenarioWeb{}
	}
	crawled.webs[name] = w
	return w, dir, nil
}
