package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/durable"
)

// logEvery is how often the log of a crawl has a line about its progress.
const logEvery = 30 * time.Second

// A crawlLog is the log of a crawl for programs that watch it: when it began and ended, its
// progress, and what happened to it in between. It is written line by line to a file that
// other programs may rotate; after a SIGHUP it is opened again. A nil crawlLog logs nothing.
type crawlLog struct {
	*slog.Logger
	file *logFile
	last time.Time // of the last line about the progress
	down bool      // the last line about the network reported that there is none
	left int       // links that were left out before this run; -1 after a line about memory
}

// A logFile is a file that can be opened again under its name.
type logFile struct {
	mu   sync.Mutex
	name string
	f    *durable.File
}

// openLog opens the log that the flags ask for, nil for none.
func openLog(name, format string) (*crawlLog, error) {
	if name == "" {
		return nil, nil
	}
	file := &logFile{name: name}
	if err := file.reopen(); err != nil {
		return nil, usage("--log: %w", err)
	}
	var h slog.Handler = slog.NewTextHandler(file, nil)
	if format == "json" {
		h = slog.NewJSONHandler(file, nil)
	}
	return &crawlLog{Logger: slog.New(h), file: file}, nil
}

// reopen closes the file and opens the one that now has its name, which is created if there
// is none.
func (l *logFile) reopen() error {
	f, err := durable.In(filepath.Dir(l.name)).Append(filepath.Base(l.name))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		l.f.Close()
	}
	l.f = f
	return nil
}

func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Write(p)
}

// close closes the file.
func (l *crawlLog) close() {
	if l != nil {
		l.file.mu.Lock()
		defer l.file.mu.Unlock()
		l.file.f.Close()
	}
}

// began logs the beginning of a run and what is printed about it.
func (l *crawlLog) began(dir string, st crawl.Status, notes []string) {
	if l == nil {
		return
	}
	l.Info("began", "collection", dir, "version", crawler.Version, "pid", os.Getpid(), "fetched", st.Fetched, "queued", st.Books.Queued)
	l.left = st.LeftOut
	for _, n := range notes {
		l.Info("note", "text", oneLine(n))
	}
}

// tick logs the progress from time to time, the network when it fails or is back, and once that memory
// is scarce. The number of goroutines shows a leak to whoever watches a crawl for weeks.
func (l *crawlLog) tick(st crawl.Status) {
	if l == nil {
		return
	}
	if down := st.Outage != nil; down != l.down {
		l.down = down
		what := "no network"
		if down && st.Outage.Names {
			what = "no name service"
		}
		if down {
			l.Warn(what, "why", oneLine(st.Outage.Why), "limited_by", st.LimitedBy)
		} else {
			l.Info("network is back")
		}
	}
	if l.left >= 0 && st.LeftOut > l.left {
		l.left = -1
		l.Warn("memory is scarce", "links_left_out", st.LeftOut)
	}
	if now := time.Now(); now.Sub(l.last) >= logEvery {
		l.last = now
		l.Info("progress", "fetched", st.Fetched, "on_topic", st.OnTopic, "rate", st.Rate, "bytes_rate", int64(st.BytesRate),
			"known", st.Books.Known, "queued", st.Books.Queued, "in_flight", st.Books.InFlight, "hosts", st.Hosts, "limited_by", st.LimitedBy,
			"goroutines", runtime.NumGoroutine(), "links_left_out", st.LeftOut)
	}
}

// changed logs a change of settings.
func (l *crawlLog) changed(r crawler.SetRecord) {
	switch {
	case l == nil:
	case r.Error != "":
		l.Warn("set refused", "why", oneLine(r.Error), "by", r.By)
	default:
		l.Info("set", "changes", r.Changes, "by", r.By)
	}
}

// ended logs how a run ended.
func (l *crawlLog) ended(why dowse.StopReason, st crawl.Status, err error) {
	switch {
	case l == nil:
	case err != nil:
		l.Error("ended", "stop_reason", why, "fetched", st.Fetched, "on_topic", st.OnTopic, "error", oneLine(fmt.Sprint(err)))
	default:
		l.Info("ended", "stop_reason", why, "fetched", st.Fetched, "on_topic", st.OnTopic)
	}
}
