//go:build unix

package dashboard

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dowse/internal/demo"
	"dowse/internal/operations"
)

var (
	viewerPairs = flag.Int("pairs", 6, "BenchmarkViewer: pairs of crawls, one without and one with viewers")
	viewerPages = flag.Int("crawlpages", 1200, "BenchmarkViewer: pages of each crawl")
	viewers     = flag.Int("viewers", 1, "BenchmarkViewer: how many watch the overview")
)

// What open dashboards cost a crawl: go test ./internal/dashboard -run '^$' -bench Viewer -timeout 0 -args -pairs 10. Each
// pair is two crawls of the synthetic web in one process with the server, one of them watched, in turn first. The web has
// no pauses and three times as many pages as a crawl visits, so the crawl is limited by the processor: the cost of a viewer can't be hidden in waiting. It reports the
// relative loss of pages per second and the additional processor time, each with half of its 95 % interval. A viewer
// follows the stream and fetches the live parts of the overview at each change, as the browser does, without drawing
// them. Run it on a machine at rest; without one, the processor time is the better figure.
func BenchmarkViewer(b *testing.B) {
	web := demo.New(demo.Config{Pages: max(1000, 3**viewerPages), Latency: -1, SlowLatency: -1}) // before the first clock
	for b.Loop() {
		var slower, dearer []float64
		views := 0
		for i := range *viewerPairs {
			var plain, watched crawlCost
			if i%2 == 0 {
				plain, watched = watchedCrawl(b, web, 0), watchedCrawl(b, web, *viewers)
			} else {
				watched, plain = watchedCrawl(b, web, *viewers), watchedCrawl(b, web, 0)
			}
			views += watched.views
			slower = append(slower, math.Log(watched.wall.Seconds()/plain.wall.Seconds()))
			dearer = append(dearer, math.Log(watched.cpu.Seconds()/plain.cpu.Seconds()))
			fmt.Printf("pair %d: %5.1f pages/s without, %5.1f with a viewer; processor %5.2f s and %5.2f s; %d views\n", i+1,
				float64(*viewerPages)/plain.wall.Seconds(), float64(*viewerPages)/watched.wall.Seconds(), plain.cpu.Seconds(), watched.cpu.Seconds(), watched.views)
		}
		for name, list := range map[string][]float64{"throughput-loss-%": slower, "more-cpu-%": dearer} {
			mean, half := meanOf(list)
			b.ReportMetric(100*(math.Exp(mean)-1), name)
			b.ReportMetric(100*half, name+"-±")
		}
		b.ReportMetric(float64(views)/float64(*viewerPairs), "views/crawl")
	}
}

// A crawlCost is what a crawl took.
type crawlCost struct {
	wall, cpu time.Duration
	views     int
}

// watchedCrawl crawls the synthetic web with a number of viewers, and returns what that took.
func watchedCrawl(b *testing.B, web *demo.Web, n int) crawlCost {
	dir := b.TempDir()
	col := filepath.Join(dir, "pools.dowse")
	crawlDemo(b, web, col, 10, -1) // so that there is something to look at
	s := openWith(b, operations.Config{Dirs: []string{dir}})
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var views atomic.Int64
	for range n {
		all.Go(func() { watch(ctx, s, &views) })
	}
	if n > 0 { // they are there when the crawl goes on
		for end := time.Now().Add(20 * time.Second); views.Load() < int64(n) && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
	}
	before, began := cpu(b), time.Now()
	crawlDemo(b, web, col, *viewerPages, -1)
	cost := crawlCost{wall: time.Since(began), cpu: cpu(b) - before, views: int(views.Load())}
	stop()
	all.Wait()
	return cost
}

// watch looks at the overview as a browser does, until ctx ends: it fetches the page, follows the stream and fetches the
// live parts again at each change.
func watch(ctx context.Context, s *site, views *atomic.Int64) {
	get := func(path string, live bool) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
		if err != nil {
			return nil
		}
		r.Header.Set("Authorization", "Bearer "+s.Token())
		if live {
			r.Header.Set("Dowse-Live", "1")
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil
		}
		return a
	}
	look := func(live bool) {
		if a := get("/c/pools/", live); a != nil {
			_, _ = io.Copy(io.Discard, a.Body)
			a.Body.Close()
			views.Add(1)
		}
	}
	look(false)
	a := get("/c/pools/live", false)
	if a == nil {
		return
	}
	defer a.Body.Close()
	for lines := bufio.NewScanner(a.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			look(true)
		}
	}
}

// meanOf returns the mean of numbers and half of its 95 % interval by Student's t.
func meanOf(list []float64) (mean, half float64) {
	n := float64(len(list))
	for _, x := range list {
		mean += x / n
	}
	if n < 2 {
		return mean, math.Inf(1)
	}
	sum := 0.0
	for _, x := range list {
		sum += (x - mean) * (x - mean)
	}
	t := []float64{12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093}
	q := 1.96
	if len(list)-2 < len(t) {
		q = t[len(list)-2]
	}
	return mean, q * math.Sqrt(sum/(n-1)/n)
}
