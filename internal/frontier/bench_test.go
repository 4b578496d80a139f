package frontier

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"dowse"
)

var benchURLs = flag.Int("urls", 0, "known URLs of one more benchmark size, such as 100000000")

func benchSizes() []int {
	sizes := []int{1_000_000, 10_000_000}
	if *benchURLs > 0 {
		sizes = []int{*benchURLs}
	}
	return sizes
}

// BenchmarkPage adds a page of 40 links, 12 of them new, and takes out the
// next lead. The known ones are drawn evenly from all that was ever seen, which is
// harder on caches than the links of real pages are.
func BenchmarkPage(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprintf("urls=%d", n), func(b *testing.B) {
			if testing.Short() && n > 1_000_000 {
				b.Skip("large")
			}
			w := &madeWeb{hosts: n / 100, now: time.Unix(1e9, 0)}
			before := heapBytes()
			f := w.frontier(n)
			size := float64(heapBytes()-before) / float64(f.Len())
			benchmarkPages(b, f, w)
			b.ReportMetric(size, "B/url")
		})
	}
}

func benchmarkPages(b *testing.B, f *Frontier, w *madeWeb) {
	const batch = 500
	pages := make([][40]madeLink, batch)
	for i := 0; b.Loop(); i++ {
		if i%batch == 0 {
			b.StopTimer()
			w.fill(pages)
			b.StartTimer()
		}
		w.takeIn(f, &pages[i%batch])
		w.takeOut(f)
	}
}

// BenchmarkLoad makes a frontier from a snapshot of a million URLs.
func BenchmarkLoad(b *testing.B) {
	w := &madeWeb{hosts: 10_000, now: time.Unix(1e9, 0)}
	f := w.frontier(1_000_000)
	var snapshot bytes.Buffer
	if err := f.Snapshot(&snapshot); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(snapshot.Len()))
	for b.Loop() {
		if _, err := Load(bytes.NewReader(snapshot.Bytes()), Config{Names: noNames{}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSnapshot writes a frontier to nowhere, without and with notes as long as those of
// the default strategy. A crawl makes no visit during the pause; the longest is reported.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range benchSizes() {
		for _, noted := range []bool{false, true} {
			b.Run(fmt.Sprintf("urls=%d/notes=%t", n, noted), func(b *testing.B) {
				if testing.Short() && n > 1_000_000 {
					b.Skip("large")
				}
				w := &madeWeb{hosts: n / 100, now: time.Unix(1e9, 0)}
				f := w.frontier(n)
				for id := range ID(n) {
					if noted {
						f.SetNote(id, madeNote(uint64(id), 23))
					}
				}
				pause := time.Duration(0)
				for b.Loop() {
					begun := time.Now()
					z := f.Freeze()
					pause = max(pause, time.Since(begun))
					if err := z.Write(io.Discard); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(pause.Microseconds())/1000, "pause-ms")
			})
		}
	}
}

// BenchmarkRaise lifts a million waiting URLs under a cap and takes one in and
// one out between.
func BenchmarkRaise(b *testing.B) {
	w := &madeWeb{hosts: 10_000, now: time.Unix(1e9, 0)}
	f := w.frontier(1_000_000)
	f.Raise(1e-6, 2, false)
	for b.Loop() {
		f.Raise(1e-6, 2, false)
		id, _, ok := f.Next(w.now)
		if ok {
			f.Release(f.Host(id), w.now, w.now)
			f.SetPriority(id, 0, dowse.Replace)
			f.Queue(id)
		}
	}
}

func BenchmarkTop(b *testing.B) {
	w := &madeWeb{hosts: 10_000, now: time.Unix(1e9, 0)}
	f := w.frontier(1_000_000)
	for b.Loop() {
		f.Top(50)
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// noNames keeps nothing, so that only the frontier's own memory is measured.
type noNames struct{}

func (noNames) Add(dowse.URL) uint64 { return 0 }
func (noNames) At(uint64) dowse.URL  { return "" }

// A madeWeb numbers its URLs; sizes of hosts follow Zipf's law.
type madeWeb struct {
	hosts int
	urls  int
	dice  uint64
	now   time.Time
}

type madeLink struct {
	url      dowse.URL
	host     string
	priority float64
	merge    dowse.Merge
}

// mix is SplitMix64: numbers in, chance out.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func chance(x uint64) float64 { return float64(mix(x)>>11) / (1 << 53) }

func (w *madeWeb) roll() float64 {
	w.dice++
	return chance(w.dice + 1<<40)
}

func (w *madeWeb) link(i int) madeLink {
	rank := int(math.Pow(float64(w.hosts), chance(uint64(i))))
	host := "www.host" + strconv.Itoa(rank) + ".example"
	l := madeLink{url: dowse.URL("https://" + host + "/path/" + strconv.Itoa(i) + ".html"), host: host, priority: w.roll()}
	if l.merge = dowse.Max; w.roll() < 0.5 {
		l.merge, l.priority = dowse.Add, l.priority/16
	}
	return l
}

func (w *madeWeb) frontier(n int) *Frontier { return w.fillUp(New(Config{Names: noNames{}}), n) }

// fillUp adds URLs to a frontier until n were added.
func (w *madeWeb) fillUp(f *Frontier, n int) *Frontier {
	for w.urls < n {
		l := w.link(w.urls)
		w.urls++
		w.upsert(f, &l)
	}
	return f
}

func (w *madeWeb) fill(pages [][40]madeLink) {
	for p := range pages {
		for i := range pages[p] {
			if i%10 < 3 {
				pages[p][i] = w.link(w.urls)
				w.urls++
				continue
			}
			pages[p][i] = w.link(int(w.roll() * float64(w.urls)))
		}
	}
}

func (w *madeWeb) upsert(f *Frontier, l *madeLink) {
	id, fresh := f.See(l.url, l.host)
	f.SetPriority(id, l.priority, l.merge)
	if fresh {
		f.Queue(id)
	}
}

func (w *madeWeb) takeIn(f *Frontier, links *[40]madeLink) {
	for i := range links {
		w.upsert(f, &links[i])
	}
}

func (w *madeWeb) takeOut(f *Frontier) {
	w.now = w.now.Add(10 * time.Millisecond)
	id, _, ok := f.Next(w.now)
	if !ok {
		return
	}
	f.Settle(id, dowse.Visited)
	f.SetVisit(id, Visit{Relevance: 1})
	f.Release(f.Host(id), w.now.Add(time.Second), w.now)
}

// BenchmarkHost measures what a host costs that is known by one URL alone, as those
// of a trap by host names are.
func BenchmarkHost(b *testing.B) {
	const n = 500_000
	for b.Loop() {
		before := heapBytes()
		f := New(Config{Names: noNames{}})
		for i := range n {
			name := fmt.Sprintf("w%x.wildcard.example", mix(uint64(i)))
			id, _ := f.See(dowse.URL("http://"+name+"/"), name)
			f.SetPriority(id, 0.5, dowse.Max)
			f.Queue(id)
		}
		b.ReportMetric(float64(heapBytes()-before)/n, "B/host")
		runtime.KeepAlive(f)
	}
}

// BenchmarkNotes measures what a URL costs whose note is as long as those of the default
// strategy: one link with 20 words around it, or a link of a page with a thousand links, whose
// words are few. A tenth of the URLs is linked to again, and gets a longer note. Notes are all in
// memory, or in a file beyond the first 64 MB; the file is in the system's temporary folder.
func BenchmarkNotes(b *testing.B) {
	for _, shape := range []struct {
		name  string
		words int
		file  bool
	}{{"usual/memory", 23, false}, {"usual/file", 23, true}, {"link-heavy/memory", 10, false}, {"link-heavy/file", 10, true}} {
		b.Run(shape.name, func(b *testing.B) {
			cfg := Config{Names: noNames{}}
			var file *os.File
			if shape.file {
				cfg.Scratch = func() (_ Scratch, err error) {
					file, err = os.Create(filepath.Join(b.TempDir(), "notes"))
					return scratchFile{file}, err
				}
			}
			n := benchSizes()[0]
			for b.Loop() {
				w := &madeWeb{hosts: n / 100, now: time.Unix(1e9, 0)}
				before := heapBytes()
				f := w.fillUp(New(cfg), n)
				bare := heapBytes()
				began := time.Now()
				for id := range ID(n) {
					f.SetNote(id, madeNote(uint64(id), shape.words))
					if id%10 == 9 {
						f.SetNote(id/2, madeNote(uint64(id)+uint64(n), shape.words+15))
					}
				}
				b.ReportMetric(float64(time.Since(began).Nanoseconds())/(1.1*float64(n)), "ns/note")
				size := heapBytes()
				b.ReportMetric(float64(size-before)/float64(n), "B/url")
				b.ReportMetric(float64(size-bare)/float64(n), "B/note")
				if file != nil {
					info, err := file.Stat()
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(info.Size())/float64(n), "disk-B/url")
				}
				runtime.KeepAlive(f)
			}
		})
	}
}

// madeNote returns a note of 24 bytes and two for each word.
func madeNote(seed uint64, words int) string {
	note := make([]byte, 24+2*words)
	for i := range note {
		note[i] = byte(mix(seed<<8 + uint64(i)))
	}
	return string(note)
}

// A scratchFile is a file of the benchmark.
type scratchFile struct{ *os.File }

func (scratchFile) Ahead(int64, int64) {}
