package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/garbage"
	"dowse/strategy"
)

// scaleLinks is how many links a made page has, scaleNew how many of them no page had before.
const (
	scaleLinks = 40
	scaleNew   = 30
)

// scale grows a collection to many known URLs and prints, at every power of ten from 100,000 on, what
// they cost: memory, the loop's processor time for a page, disk, the pause of a snapshot, and how
// long a new process takes from its start to the first visit. Pages are made in memory; all else is
// as in a crawl: links are looked up, rated and queued, and every page is written to the journal.
func scale(o options) {
	dir := filepath.Join(o.dir, "scale.dowse")
	col := scaleCollection(dir, o.strategy, true)
	w := &scaleWeb{hosts: max(100, o.urls/1000), rng: rand.New(rand.NewPCG(o.seed, 3))}
	now := col.Settings.Begun
	col.Crawl.Start(now, []dowse.URL{w.name(0)})
	w.known = 1
	fmt.Println("     URLs    pages | B/URL resident  heap frontier  disk | µs/page in the loop | snapshot: pause   written in  B/URL | restart")
	pages, mark := 0, 100_000
	var loop loopTime
	var pacer garbage.Pacer
	for mark <= o.urls {
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
		if col.Crawl.Frontier().Len() >= mark {
			printScale(col, pages, &loop, dir)
			fatalIf(col.Close())
			col.Crawl = nil
			fmt.Print(restarted(o))
			if mark *= 10; mark > o.urls {
				return
			}
			col = scaleCollection(dir, o.strategy, false)
			col.Crawl.Resume(crawl.Limits{})
		}
	}
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
	const recent = 20_000 // so that the figure is that of a crawl of this size
	if l.pages > 2*recent {
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
	rng          *rand.Rand
}

func (w *scaleWeb) name(i int) dowse.URL {
	return dowse.URL(fmt.Sprintf("http://host-%d.example/section-%d/page-%d", i%w.hosts, i%17, i))
}

func (w *scaleWeb) pages(n int) []*dowse.Page {
	list := make([]*dowse.Page, n)
	for i := range list {
		p := &dowse.Page{Outcome: dowse.Fetched}
		p.Fetch = dowse.Fetch{Status: 200, Type: "text/html", Bytes: 9000, Wire: 3000}
		p.Title = "A made page"
		p.Verdict = dowse.Verdict{Relevance: w.rng.Float64(), Judge: "made", Scale: "share", Because: []dowse.Because{{What: "made", Weight: 0.4, Count: 3}}}
		p.Links = make([]dowse.Link, scaleLinks)
		for k := range p.Links {
			u := w.rng.IntN(w.known)
			if k < scaleNew {
				u = w.known
				w.known++
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
