package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What a soak takes at most, and when it looks.
const (
	soakEvery = 10 * time.Second // between two looks at the process
	soakPause = 3 * time.Second  // longest pause between a kill and the next run
	soakDisk  = 5 << 29          // bytes of the collection at which it ends: 2.5 GiB
	settle    = time.Minute      // of a run that the slopes leave out: folding, caches that fill up
)

// A soaker crawls a web with faults for a long time by the command of users, kills it at random
// moments and starts it again, and records what grows: memory, open files, goroutines, disk.
type soaker struct {
	dowse   string // the program
	dir     string // folder of the collection, the log and the home of the crawl
	rate    float64
	rng     *rand.Rand
	samples []sample
	run     int // of the crawl, from 0
}

// A sample is the state of the process at one moment. Its numbers are those of the JSON log,
// and of /proc.
type sample struct {
	run               int
	hours             float64 // since the soak began
	age               time.Duration
	pages, known      float64
	goroutines, files float64
	memory, disk      float64 // bytes
}

// soak crawls for a time, with a number of kills, and prints how fast each measure grows. It
// ends with an error if a run ends by itself or the collection does not verify; then the collection
// and the log are kept.
func soak(o options, d time.Duration) {
	dir, err := os.MkdirTemp("", "dowse-soak")
	fatalIf(err)
	if err := soakIn(dir, o, d); err != nil {
		fatal(fmt.Errorf("%w; the collection is kept in %s", err, dir))
	}
	fatalIf(os.RemoveAll(dir))
}

// soakIn is soak in a folder.
func soakIn(dir string, o options, d time.Duration) error {
	server := start(o)
	defer func() { server.Process.Kill(); server.Wait() }()
	s := &soaker{dowse: o.dowse, dir: dir, rate: o.rate, rng: rand.New(rand.NewPCG(o.seed, 5))}
	fmt.Printf("%v, %.0f %% faults, %d kills, seed %d, in %s\n", d, 100*o.faults, o.kills, o.seed, dir)
	begin := time.Now()
	for _, at := range append(s.moments(o.kills, d), d) {
		room, err := s.crawl(begin, begin.Add(at), at == d)
		if err != nil {
			return err
		}
		if !room {
			break
		}
		s.run++
	}
	s.report()
	return s.check()
}

// moments draws when the crawl is killed, in order.
func (s *soaker) moments(n int, d time.Duration) (list []time.Duration) {
	for range n {
		list = append(list, time.Duration(s.rng.Int64N(int64(d))))
	}
	slices.Sort(list)
	return list
}

// crawl runs the crawl until a moment and ends it: with SIGTERM if it is the last run, with SIGKILL
// otherwise. There is no room if the disk is used up.
func (s *soaker) crawl(begin, until time.Time, last bool) (room bool, err error) {
	p := s.begin()
	started, ended := time.Now(), make(chan error, 1)
	go func() { ended <- p.Wait() }()
	room = true
	for time.Now().Before(until) && room {
		select {
		case err := <-ended:
			return false, fmt.Errorf("run %d ended by itself: %v", s.run, err)
		case <-time.After(min(soakEvery, time.Until(until))):
		}
		room = s.look(p.Process.Pid, begin, time.Since(started))
	}
	if last || !room {
		p.Process.Signal(syscall.SIGTERM)
	} else {
		p.Process.Kill()
	}
	<-ended
	time.Sleep(time.Duration(s.rng.Int64N(int64(soakPause))))
	return room, nil
}

func (s *soaker) path(name string) string { return filepath.Join(s.dir, name) }

// begin starts or resumes the crawl.
func (s *soaker) begin() *exec.Cmd {
	args := []string{"crawl", s.path("soak.dowse")}
	if _, err := os.Stat(s.path("soak.dowse/crawl.yaml")); err != nil {
		args = []string{"crawl", "coral reef", "--seed", urlOf(0), "-o", s.path("soak.dowse"), "--allow-net", "127.0.0.0/8", "--max-rate", fmt.Sprintf("%v/s", s.rate)}
	}
	p := s.command(append(args, "--no-progress", "--log", s.path("soak.log"), "--log-format", "json")...)
	if err := p.Start(); err != nil {
		fatal(err)
	}
	return p
}

// command returns a run of the program, with a home of its own, whose errors are printed.
func (s *soaker) command(args ...string) *exec.Cmd {
	p := exec.Command(s.dowse, args...)
	p.Env = append(os.Environ(), "HOME="+s.dir, "XDG_CONFIG_HOME=")
	p.Stderr = os.Stderr
	return p
}

// look takes a sample of a run and prints it. It returns false if the collection is too large.
func (s *soaker) look(pid int, begin time.Time, age time.Duration) bool {
	proc := fmt.Sprintf("/proc/%d", pid)
	files, err := os.ReadDir(proc + "/fd")
	x := sample{run: s.run, hours: time.Since(begin).Hours(), age: age, files: float64(len(files)), memory: float64(memory(proc, "VmRSS:"))}
	x.disk = float64(size(s.path("soak.dowse")))
	if err != nil || !s.progress(pid, &x) {
		return true
	}
	s.samples = append(s.samples, x)
	fmt.Printf("%6.3f h run %2d %8.0f pages %9.0f known %5.0f goroutines %5.0f files %7.1f MiB %7.1f MiB on disk\n",
		x.hours, x.run, x.pages, x.known, x.goroutines, x.files, x.memory/(1<<20), x.disk/(1<<20))
	return x.disk < soakDisk
}

// progress reads the last line about the progress of a process from the log, and reports whether
// there is one.
func (s *soaker) progress(pid int, x *sample) (found bool) {
	f, err := os.Open(s.path("soak.log"))
	if err != nil {
		return false
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		var line struct {
			Msg                        string
			Pid                        int
			Fetched, Known, Goroutines float64
		}
		if json.Unmarshal(in.Bytes(), &line) != nil {
			continue // cut by a kill
		}
		switch line.Msg {
		case "began":
			found = false
		case "progress":
			x.pages, x.known, x.goroutines, found = line.Fetched, line.Known, line.Goroutines, true
		}
	}
	return found
}

// size returns the bytes of all files below a folder.
func size(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// report prints the slope of each measure, over all runs and within runs.
func (s *soaker) report() {
	list := slices.DeleteFunc(slices.Clone(s.samples), func(x sample) bool { return x.age < settle })
	if len(list) < 10 {
		fmt.Println("too few samples for slopes")
		return
	}
	fmt.Printf("\n%d samples of %d runs, the first minute of each left out; 95 %% intervals by resampling whole runs\n\n", len(list), s.run+1)
	fmt.Printf("| measure | median | per hour | per 10,000 pages | per hour, within runs |\n|---|---|---|---|---|\n")
	hours := func(x sample) float64 { return x.hours }
	pages := func(x sample) float64 { return x.pages / 10_000 }
	for _, m := range []struct {
		name string
		of   func(sample) float64
	}{
		{"resident memory, MiB", func(x sample) float64 { return x.memory / (1 << 20) }},
		{"resident memory, bytes per known URL", func(x sample) float64 { return x.memory / x.known }},
		{"open files", func(x sample) float64 { return x.files }},
		{"goroutines", func(x sample) float64 { return x.goroutines }},
		{"disk, KiB per page", func(x sample) float64 { return x.disk / x.pages / 1024 }},
		{"known URLs, thousands", func(x sample) float64 { return x.known / 1000 }},
	} {
		fmt.Printf("| %s | %.1f | %v | %v | %v |\n", m.name, median(list, m.of), slopeOf(list, hours, m.of, false, s.rng), slopeOf(list, pages, m.of, false, s.rng), slopeOf(list, hours, m.of, true, s.rng))
	}
	fmt.Println()
}

// check verifies the collection and its books by the command, and prints how long that takes: everything is
// read, and the journal is replayed.
func (s *soaker) check() error {
	begin := time.Now()
	fmt.Printf("verifying, from %s on\n", begin.Format(time.TimeOnly))
	p := s.command("collection", "verify", s.path("soak.dowse"))
	out, err := p.Output()
	fmt.Printf("%sverified in %v, %v of processor time\n", out, time.Since(begin).Round(time.Second), (p.ProcessState.UserTime() + p.ProcessState.SystemTime()).Round(time.Second))
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	out, err = s.command("status", s.path("soak.dowse"), "--json").Output()
	var st struct {
		Fetched  int
		Balanced bool
		Books    json.RawMessage
	}
	if err == nil {
		err = json.Unmarshal(out, &st)
	}
	if err == nil && !st.Balanced {
		err = fmt.Errorf("the books do not balance: %s", st.Books)
	}
	fmt.Printf("%d pages; books %s\n", st.Fetched, st.Books)
	return err
}

// memory reads a field of the status of a process in bytes; 0 on systems without /proc.
func memory(proc, field string) int64 {
	data, _ := os.ReadFile(proc + "/status")
	for line := range strings.SplitSeq(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kb << 10
		}
	}
	return 0
}
