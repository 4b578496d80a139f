package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// contenders are the crawls that can be measured, by name. Each fetches a
// number of pages over a number of connections and returns how many it fetched.
var contenders = map[string]func(pages, conns int) int{
	"floor": floor, "colly": collyCrawl,
	"dowse":        func(pages, conns int) int { return dowseCrawl(pages, conns, "") },
	"link-context": func(pages, conns int) int { return dowseCrawl(pages, conns, "link-context") },
}

// options are the flags of the command line. All commands share them; the help of
// a flag names the command if only one uses it.
type options struct {
	pages, conns, repeat int
	latency              time.Duration
	faults, rate         float64
	who, profile, memory string
	dowse                string
	kills                int
	seed                 uint64
	urls, sow, more      int
	until, near          int
	dir, strategy        string
}

// main dispatches to the commands. serve and one are for run and soak, which
// start them as processes of their own.
func main() {
	if len(os.Args) < 2 {
		fatal(fmt.Errorf("want run, parts, soak, scale, serve or one; see the package comment"))
	}
	var o options
	f := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	f.IntVar(&o.pages, "pages", 5000, "pages to crawl")
	f.IntVar(&o.conns, "conns", 32, "concurrent requests")
	f.IntVar(&o.repeat, "repeat", 3, "repetitions")
	f.DurationVar(&o.latency, "latency", 0, "of each page")
	f.Float64Var(&o.faults, "faults", 0, "share of requests that go wrong")
	f.Float64Var(&o.rate, "rate", 20, "of soak: requests per second")
	long := f.Duration("for", 20*time.Minute, "of soak: how long")
	f.StringVar(&o.dowse, "dowse", "../dowse", "of soak: the program")
	f.IntVar(&o.kills, "kills", 20, "of soak: how often the crawl is killed")
	f.Uint64Var(&o.seed, "seed", 1, "of kills and faults")
	f.IntVar(&o.urls, "urls", 1_000_000, "of scale: known URLs to grow to")
	f.IntVar(&o.more, "more", 0, "of scale: crawl only that many pages of the collection in -dir, and print what they cost")
	f.IntVar(&o.sow, "sow", 0, "of scale: from this number of URLs on most are written without the strategy; 0 for none")
	f.IntVar(&o.until, "until", 0, "of scale: end at that many known URLs; the same command with more goes on")
	f.IntVar(&o.near, "near", 0, "of scale: links to known URLs are as near as those of that many real sites that are crawled in turn; 0 for all alike")
	f.StringVar(&o.dir, "dir", "", "of scale and parts: folder for the collection; default a temporary one")
	f.StringVar(&o.strategy, "strategy", "auto", "of scale and parts: the strategy")
	f.StringVar(&o.who, "who", "floor,colly,dowse", "contenders; link-context is dowse with that strategy")
	f.StringVar(&o.profile, "cpuprofile", "", "of run, for dowse, of parts and of scale: write a CPU profile")
	f.StringVar(&o.memory, "memprofile", "", "of run, for dowse, and of parts: write a profile of allocations")
	f.Parse(os.Args[2:])
	switch os.Args[1] {
	case "serve":
		fatal(newWeb(4*o.pages, o.latency, o.faults, o.seed).serve())
	case "one":
		one(o)
	case "run":
		run(o)
	case "soak":
		soak(o, *long)
	case "scale":
		inFolder(o, scale)
	case "parts":
		inFolder(o, parts)
	case "restart":
		restart(o)
	default:
		fatal(fmt.Errorf("no command %q: want run, parts, soak, scale, serve or one", os.Args[1]))
	}
}

// inFolder runs a command in the folder of its flag, or in a temporary one that is removed after it.
func inFolder(o options, run func(options)) {
	if o.dir != "" {
		run(o)
		return
	}
	dir, err := os.MkdirTemp("", "dowse-scale")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(dir)
	o.dir = dir
	run(o)
}

// one runs one contender and prints what it measured of itself as JSON, for run.
// A process per crawl makes processor time and peak memory those of the crawl
// alone.
func one(o options) {
	defer profiled(o.profile)()
	defer allocations(o.memory)()
	start := time.Now()
	n := contenders[o.who](o.pages, o.conns)
	json.NewEncoder(os.Stdout).Encode(result{Who: o.who, Pages: n, Seconds: time.Since(start).Seconds(), CPU: cpu(), Peak: peak()})
}

// profiled begins a CPU profile, unless the name of its file is empty, and returns how it ends.
func profiled(name string) (end func()) {
	if name == "" {
		return func() {}
	}
	f, err := os.Create(name)
	fatalIf(err)
	fatalIf(pprof.StartCPUProfile(f))
	return pprof.StopCPUProfile
}

// allocations records every allocation of at least a few KB in a profile, unless the name of its file is empty, and
// returns how it ends.
func allocations(name string) (end func()) {
	if name == "" {
		return func() {}
	}
	runtime.MemProfileRate = 4096
	return func() {
		f, err := os.Create(name)
		fatalIf(err)
		runtime.GC()
		fatalIf(pprof.Lookup("allocs").WriteTo(f, 0))
		fatalIf(f.Close())
	}
}

// A result is what one run of a contender measured of itself; it is passed to
// the parent process as JSON.
type result struct {
	Who     string
	Pages   int
	Seconds float64
	CPU     float64 // seconds, of this process
	Peak    int64   // bytes of memory
}

// cpu returns the processor time that this process has used, in seconds, in user
// mode and in the kernel.
func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peak returns the largest resident memory that this process had.
func peak() int64 { return memory("/proc/self", "VmHWM:") }

// run serves the web in a process of its own, runs the contenders on it,
// interleaved, and prints the table. The first contender is what the others are
// compared with, which is the floor unless the flag who says otherwise.
func run(o options) {
	server := start(o)
	defer func() { server.Process.Kill(); server.Wait() }()
	all := map[string][]result{}
	names := strings.Split(o.who, ",")
	for i := range o.repeat {
		for _, who := range names {
			r := crawlOnce(o, who)
			all[who] = append(all[who], r)
			fmt.Fprintf(os.Stderr, "%d/%d %-6s %d pages, %.2f s, %.2f CPU s\n", i+1, o.repeat, who, r.Pages, r.Seconds, r.CPU)
		}
	}
	fmt.Printf("| contender | CPU s per 1,000 pages | pages/s | peak memory | times the floor |\n|---|---|---|---|---|\n")
	base := 0.0
	for _, who := range names {
		cpu := spread(all[who], func(r result) float64 { return 1000 * r.CPU / float64(r.Pages) })
		if base == 0 {
			base = cpu[1]
		}
		rate := spread(all[who], func(r result) float64 { return float64(r.Pages) / r.Seconds })
		mem := spread(all[who], func(r result) float64 { return float64(r.Peak) / (1 << 20) })
		fmt.Printf("| %s | %.3f (%.3f–%.3f) | %.0f (%.0f–%.0f) | %.0f MiB | %.2f |\n", who, cpu[1], cpu[0], cpu[2], rate[1], rate[0], rate[2], mem[2], cpu[1]/base)
	}
}

// spread returns the least value, the median and the largest value over the
// repetitions. The median is not disturbed by one slow run.
func spread(list []result, of func(result) float64) [3]float64 {
	var v []float64
	for _, r := range list {
		v = append(v, of(r))
	}
	slices.Sort(v)
	return [3]float64{v[0], v[len(v)/2], v[len(v)-1]}
}

// start starts the server process and waits until it prints that it is ready, so
// that no contender meets a closed port.
func start(o options) *exec.Cmd {
	c := exec.Command(os.Args[0], "serve", "-pages", strconv.Itoa(o.pages), "-latency", o.latency.String(), "-faults", fmt.Sprint(o.faults), "-seed", fmt.Sprint(o.seed))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		fatal(err)
	}
	if err := c.Start(); err != nil {
		fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
		fatal(fmt.Errorf("server not ready: %q %v", line, err))
	}
	return c
}

// crawlOnce runs one contender in a process of its own and returns what it
// measured. A profile is written for dowse only, and each repetition replaces it.
func crawlOnce(o options, who string) (r result) {
	c := exec.Command(os.Args[0], "one", "-who", who, "-pages", strconv.Itoa(o.pages), "-conns", strconv.Itoa(o.conns))
	if o.profile != "" && who == "dowse" {
		c.Args = append(c.Args, "-cpuprofile", o.profile)
	}
	if o.memory != "" && who == "dowse" {
		c.Args = append(c.Args, "-memprofile", o.memory)
	}
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		fatal(fmt.Errorf("%s: %w", who, err))
	}
	return r
}
