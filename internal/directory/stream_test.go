package directory

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// A dump is a stream that writes an RDF content file as it is read: as many pages and
// topics as its fields state, with some dirt in it.
type dump struct {
	pages, topics int
	at            int
	buf, left     []byte
}

func (d *dump) Read(p []byte) (int, error) {
	for len(d.left) == 0 {
		if d.at == d.pages {
			return 0, io.EOF
		}
		d.buf = d.page(d.buf[:0])
		d.left = d.buf
		d.at++
	}
	n := copy(p, d.left)
	d.left = d.left[n:]
	return n, nil
}

func (d *dump) Close() error { return nil }

// page writes the next page. One in a thousand is broken.
func (d *dump) page(b []byte) []byte {
	topic := d.at * d.topics / d.pages
	b = fmt.Appendf(b, "  <ExternalPage about=\"http://www.site%d.example/some/path/index%d.html\">\n    <d:Title>Page %d of the directory</d:Title>\n", d.at, d.at%7, d.at)
	if d.at%1000 == 999 {
		b = append(b, "    <d:Descr\xffiption never ends\n"...)
	}
	b = append(b, "    <d:Description>Provides information on what the page is about, in a sentence or two of usual length, as editors write them.</d:Description>\n"...)
	return fmt.Appendf(b, "    <topic>Top/Branch_%d/Twig_%d/Leaf_%d/Vein_%d</topic>\n  </ExternalPage>\n", topic%16, topic/16%40, topic/640%60, topic/38400)
}

func generated(pages, topics int) *Directory {
	return &Directory{kind: RDF, name: "generated", open: func() (io.ReadCloser, error) { return &dump{pages: pages, topics: topics}, nil }}
}

// peak runs f and returns by how many bytes the heap grew at most, as far as samples
// every few milliseconds show.
func peak(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	done, looked := make(chan bool), make(chan bool)
	go func() {
		defer close(looked)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(done)
	<-looked
	return most - before
}

// Reading a category takes memory for the category, not for the directory.
func TestReadingIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	const pages, topics = 200_000, 40_000 // 60 MB of text
	d := generated(pages, topics)
	var n int
	grown := peak(func() {
		for _, err := range d.Entries(Category{Path: "Branch_3/Twig_2"}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
	})
	if n < 200 || n > 1000 || grown > 16<<20 {
		t.Errorf("%d entries took %d KiB", n, grown>>10)
	}
	equal(t, "dirt", d.Dirt(), Dirt{Entries: pages, Broken: pages / 1000})
}

// The directory at its largest: 3.9 million pages in 772,000 topics (April 2014).
func BenchmarkFourMillion(b *testing.B) {
	const pages, topics = 4_000_000, 772_000
	for name, f := range map[string]func(*Directory) error{
		"category": func(d *Directory) error {
			_, err := d.Sample(Category{Path: "Branch_3/Twig_2"}, 1000, rng())
			return err
		},
		"categories": func(d *Directory) error { _, err := d.Categories(); return err },
		"contrast": func(d *Directory) error {
			_, err := d.Contrast(Category{Path: "Branch_3/Twig_2"}, Random, 1000, rng())
			return err
		},
		"select": func(d *Directory) error {
			_, err := d.Select(Selection{PerGrandparent: 4}, rand.New(rand.NewPCG(1, 1)))
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			var most uint64
			for b.Loop() {
				most = max(most, peak(func() {
					if err := f(generated(pages, topics)); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(float64(most>>20), "peak-MiB")
		})
	}
}
