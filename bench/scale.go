package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/garbage"
	"dowse/internal/ledger"
	"dowse/strategy"
	"dowse/weburl"
)

// scaleLinks is how many links a made page has, scaleNew how many of them no page had before.
const (
	scaleLinks = 40
	scaleNew   = 30
	scaleLast  = 20_000    // pages before each report that are crawled in any case
	sownNow    = 1_000_000 // URLs that are sown before the garbage collection is adjusted
	sownKinds  = 10_000    // waiting URLs whose ratings the sown ones get
)

// scale grows a collection to many known URLs and prints, at every power of ten from 100,000 on and at the end, what
// they cost: memory, the loop's processor time for a page, disk, the pause of a snapshot, and how
// long a new process takes from its start to the first visit. Pages are made in memory; all else is
// as in a crawl: links are looked up, rated and queued, and every page is written to the journal.
// A collection that is in the folder already continues; with -more it is crawled by that many pages only,
// and one line is printed, in which the times are those of these pages.
func scale(o options) {
	defer profiled(o.profile)()
	dir := filepath.Join(o.dir, "scale.dowse")
	_, err := os.Stat(dir)
	col := scaleCollection(dir, o.strategy, err != nil)
	w := &scaleWeb{hosts: max(100, o.urls/1000), near: o.near, known: col.Crawl.Frontier().Len(), rng: rand.New(rand.NewPCG(o.seed, 3))}
	now := col.Settings.Begun
	if w.known == 0 {
		col.Crawl.Start(now, []dowse.URL{w.name(0)})
		w.known = 1
	} else {
		now = now.Add(365 * 24 * time.Hour) // after all before it
		col.Crawl.Resume(crawl.Limits{})
	}
	fmt.Println("     URLs    pages | B/URL resident  heap frontier  disk | µs/page in the loop | snapshot: pause   written in  B/URL | restart")
	pages, mark := 0, 100_000
	end := min(o.urls, cmp.Or(o.until, o.urls))
	mark = min(mark, end)
	for mark <= w.known && mark < end {
		mark = min(10*mark, end)
	}
	var loop loopTime
	var pacer garbage.Pacer
	for {
		if n := mark - scaleNew*scaleLast; o.more == 0 && o.sow > 0 && mark > o.sow && w.known < n {
			sow(col, w, n, now)
			pacer.Pace()
			continue
		}
		batch := w.pages(256)
		loop.begin()
		for _, p := range batch {
			now = now.Add(time.Millisecond)
			v, _, ok := col.Crawl.Next(now)
			if !ok {
				fatal(fmt.Errorf("nothing is left to visit after %d pages", pages))
			}
			p.URL = v.URL
			col.Crawl.Absorb(now, p)
			pages++
		}
		loop.end(len(batch))
		fatalIf(col.Journal.Sync())
		pacer.Pace()
		if o.more > 0 && pages >= o.more || o.more == 0 && col.Crawl.Frontier().Len() >= mark {
			printScale(col, pages, &loop, dir)
			fatalIf(col.Close())
			col.Crawl = nil
			fmt.Print(restarted(o))
			if o.more > 0 || mark == end {
				return
			}
			mark = min(10*mark, end)
			col = scaleCollection(dir, o.strategy, false)
			col.Crawl.Resume(crawl.Limits{})
		}
	}
}

// sow adds URLs up to a number, a million at most, without the strategy, which takes most of the time of a crawl. They
// are the links of made pages: written to the journal as such, and entered in the frontier by the same calls. Each
// gets note, priority, band and depth of a URL that the strategy rated before. A priority that does not agree with the note
// would not do: the crawl rates the best URLs again before it visits them, and puts up to ten of them back each time.
func sow(col *collection.Collection, w *scaleWeb, upTo int, now time.Time) {
	f := col.Crawl.Frontier()
	kinds := waitingKinds(f, w.rng)
	for end := min(w.known+sownNow, upTo); w.known < end; {
		page := f.Top(1)[0]
		e := &ledger.Entry{Kind: ledger.EntryPage, At: now, ID: page, Page: w.page(f.URL(page))}
		names := make([]dowse.URL, scaleNew)
		for i := range names {
			names[i] = w.name(w.known)
			w.known++
		}
		prints := f.Prints(nil, len(names), func(i int) dowse.URL { return names[i] })
		for i, u := range names {
			id, _ := f.SeePrint(prints[i], u, weburl.Host(u))
			k := kinds[w.rng.IntN(len(kinds))]
			f.SetDepth(id, k.depth, k.hops)
			f.SetPriority(id, k.priority, dowse.Replace)
			f.SetBand(id, k.band)
			f.SetNote(id, k.note)
			f.Queue(id)
			e.Found = append(e.Found, dowse.Link{URL: u})
			e.Links = append(e.Links, ledger.Decision{ID: id, Target: id, Fresh: true, State: dowse.Waiting, Priority: k.priority, Offered: k.priority})
		}
		f.Settle(page, dowse.Visited)
		f.SetVisit(page, frontier.Visit{Relevance: e.Page.Verdict.Relevance, Place: col.Journal.Record(e)})
	}
	fatalIf(col.Journal.Sync())
}

// A waitingKind is what a strategy made of a URL that waits.
type waitingKind struct {
	note        string
	priority    float64
	band        int8
	depth, hops uint8
}

// waitingKinds returns what is known of some of the URLs that wait, drawn at random.
func waitingKinds(f *frontier.Frontier, rng *rand.Rand) (list []waitingKind) {
	for len(list) < sownKinds {
		id := frontier.ID(rng.IntN(f.Len()))
		if f.State(id) != dowse.Waiting {
			continue
		}
		k := waitingKind{note: f.Note(id), priority: f.Priority(id), band: f.Band(id)}
		k.depth, k.hops = f.Depth(id)
		list = append(list, k)
	}
	return list
}

// loopTime is the processor time of the loop over the pages since the last report.
type loopTime struct {
	begun, sum float64
	pages      int
}

func (l *loopTime) begin() { l.begun = cpu() }

func (l *loopTime) end(pages int) {
	l.sum += cpu() - l.begun
	l.pages += pages
	if l.pages > 2*scaleLast { // so that the figure is that of a crawl of this size
		l.sum, l.pages = l.sum/2, l.pages/2
	}
}

// printScale prints a line of the table.
func printScale(col *collection.Collection, pages int, loop *loopTime, dir string) {
	resident := memory("/proc/self", "VmRSS:") // with the garbage of the moment
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	urls := float64(col.Crawl.Frontier().Len())
	tables, _ := col.Crawl.Frontier().Size()
	begun := time.Now()
	save, err := col.Checkpoint()
	fatalIf(err)
	pause := time.Since(begun)
	fatalIf(save())
	wrote := time.Since(begun)
	fmt.Printf("%9.0f %8d | %14.1f %5.1f %8.1f %5.1f | %19.1f | %12.1f ms %7.1f s %6.1f | ",
		urls, pages, float64(resident)/urls, float64(m.HeapAlloc)/urls, float64(tables)/urls, float64(sizeOf(dir, "state/journal-*"))/urls,
		1e6*loop.sum/float64(loop.pages), float64(pause.Microseconds())/1000, wrote.Seconds(), float64(sizeOf(dir, "state/*.snap"))/urls)
	loop.sum, loop.pages = 0, 0
}

// restarted opens the collection, which must be closed, in a process of its own and returns what
// that prints.
func restarted(o options) string {
	self, err := os.Executable()
	fatalIf(err)
	out, err := exec.Command(self, "restart", "-dir", o.dir, "-strategy", o.strategy).CombinedOutput()
	if err != nil {
		fatal(fmt.Errorf("restart: %w: %s", err, out))
	}
	return string(out)
}

// restart opens a collection and prints how long it takes to the first visit.
func restart(o options) {
	begun := time.Now()
	col := scaleCollection(filepath.Join(o.dir, "scale.dowse"), o.strategy, false)
	col.Crawl.Resume(crawl.Limits{})
	if _, _, ok := col.Crawl.Next(time.Now().Add(24 * time.Hour)); !ok {
		fatal(fmt.Errorf("no visit"))
	}
	fmt.Printf("%.1f s, %.0f s of processor\n", time.Since(begun).Seconds(), cpu())
}

// scaleCollection makes or opens the collection.
func scaleCollection(dir, name string, made bool) *collection.Collection {
	s := collection.Settings{Name: "scale", Begun: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	s.Strategy, s.Threshold, s.Key = name, 0.5, 7
	s.Politeness.Delay = -1
	var col *collection.Collection
	var err error
	if made {
		col, err = collection.Create(dir, s, []byte("dowse: topic/v1\nname: scale\nwords: [made]\n"), nil)
	} else {
		col, err = collection.Open(dir, nil, false)
	}
	fatalIf(err)
	st, err := strategy.New(name)
	fatalIf(err)
	cfg := crawl.Config{Strategy: st, Threshold: s.Threshold, Traps: crawl.Traps{Budget: -1}, Polite: crawl.Politeness{Delay: crawl.None, InFlight: 1}}
	fatalIf(col.Load(cfg, nil))
	return col
}

// A scaleWeb makes pages whose links are mostly new.
type scaleWeb struct {
	hosts, known int
	near         int // sites of a crawl with links as near as those of a real site; 0 for links to all known URLs alike
	rng          *rand.Rand
}

// reuse has, for shares of the links of a site to pages of it that are known, how many pages of the site came since one
// linked there: 4,061 articles of Wikispeedia in breadth-first order from three of them, on average. The rest, 3 %, are
// drawn from all known URLs.
var reuse = []struct {
	share float64
	pages int
}{{0.10, 1}, {0.25, 3}, {0.50, 16}, {0.75, 77}, {0.90, 247}, {0.97, 639}}

// linked returns a known URL for a link. With near, each of that many sites has one of as many pages in turn.
func (w *scaleWeb) linked() int {
	x, from := w.rng.Float64(), 0
	for _, q := range reuse {
		if w.near == 0 {
			break
		}
		if x < q.share {
			back := scaleNew * w.near * from
			back += w.rng.IntN(scaleNew * w.near * (q.pages - from))
			return max(0, w.known-1-back)
		}
		from = q.pages
	}
	return w.rng.IntN(w.known)
}

func (w *scaleWeb) name(i int) dowse.URL {
	b := strconv.AppendInt(append(make([]byte, 0, 64), "http://host-"...), int64(i%w.hosts), 10)
	b = strconv.AppendInt(append(b, ".example/section-"...), int64(i%17), 10)
	return dowse.URL(strconv.AppendInt(append(b, "/page-"...), int64(i), 10))
}

// page returns a page without links.
func (w *scaleWeb) page(u dowse.URL) *dowse.Page {
	p := &dowse.Page{URL: u, Outcome: dowse.Fetched}
	p.Fetch = dowse.Fetch{Status: 200, Type: "text/html", Bytes: 9000, Wire: 3000}
	p.Title = "A made page"
	p.Verdict = dowse.Verdict{Relevance: w.rng.Float64(), Judge: "made", Scale: "share", Because: []dowse.Because{{What: "made", Weight: 0.4, Count: 3}}}
	return p
}

func (w *scaleWeb) pages(n int) []*dowse.Page {
	list := make([]*dowse.Page, n)
	for i := range list {
		p := w.page("")
		p.Links = make([]dowse.Link, scaleLinks)
		for k := range p.Links {
			var u int
			if k < scaleNew {
				u = w.known
				w.known++
			} else {
				u = w.linked()
			}
			p.Links[k] = dowse.Link{URL: w.name(u), Mention: dowse.Mention{Anchor: "a made link", Context: w.rng.Float64()}}
		}
		list[i] = p
	}
	return list
}

// sizeOf returns the size of the files of a collection with names of a pattern, in bytes.
func sizeOf(dir, pattern string) (sum int64) {
	names, _ := filepath.Glob(filepath.Join(dir, pattern))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

func fatalIf(err error) {
	if err != nil {
		fatal(err)
	}
}
