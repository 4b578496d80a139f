// Package garbage bounds how much memory of a large process is garbage that was not collected yet.
//
// The Go runtime lets a heap grow to twice its data before it collects garbage. In a crawl with
// millions of known URLs nearly all data are tables without pointers, which a collection does not
// read, so collecting more often costs little and saves nearly half of the memory.
package garbage

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

const (
	least = 128 << 20 // bytes of garbage that are always allowed
	share = 25        // and one part in 25 of the data, if that is more
)

// A Pacer sets how often the Go runtime collects garbage. The zero value is ready.
type Pacer struct {
	// Least is how many bytes of garbage are allowed, however little data there is. By default that is 128 MB, but
	// no more than there is data.
	Least   uint64
	percent int // that was set last; 0 for none
}

// Pace adjusts the runtime to the data that survived the last collection. It is cheap and meant to be
// called about once a second. A process whose user has set GOGC is left as it is.
func (p *Pacer) Pace() {
	if _, set := os.LookupEnv("GOGC"); set {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := percentFor(live[0].Value.Uint64(), p.Least)
	if p.percent == 0 {
		p.percent = usual
	}
	if far := p.percent / 8; percent >= p.percent-far && percent <= p.percent+far {
		return // a change stops the process for a moment
	}
	p.percent = percent
	debug.SetGCPercent(percent)
}

// usual is the percentage of the Go runtime.
const usual = 100

// percentFor returns how much garbage is allowed with an amount of data, in percent of it. atLeast is
// [Pacer.Least].
func percentFor(live, atLeast uint64) int {
	allowed, most := max(least, live/share), uint64(usual)
	if atLeast > 0 {
		allowed, most = max(atLeast, live/share), 100*usual
	}
	return int(max(1, min(most, 100*allowed/max(live, 1))))
}

// ForMany returns [Pacer.Least] for a process that discards much and keeps little, such as a coordinator of many
// workers: 512 MB, so that it collects a quarter as often, if the machine and its own limit have at least 8 GB.
func ForMany() uint64 {
	if min(machineMemory(), uint64(debug.SetMemoryLimit(-1))) < 16*many {
		return 0
	}
	return many
}

const many = 512 << 20
