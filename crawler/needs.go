package crawler

import (
	"encoding/binary"
	"fmt"
	"os"

	"dowse/strategy"
	"dowse/trace"
)

// NeedsOf reads what a strategy may need beside parameters: a T-Graph, and a trace
// of who went where. Either file may be "". key is the salt under which people's
// names are hashed, random for each collection.
func NeedsOf(tgraph, accesses string, key uint64) (n strategy.Needs, err error) {
	if tgraph != "" {
		if n.TGraph, err = readTGraph(tgraph); err != nil {
			return n, err
		}
	}
	if accesses != "" {
		log, err := readTrace(accesses, key)
		if err != nil {
			return n, err
		}
		n.Trace = log
	}
	return n, nil
}

func readTGraph(path string) (*strategy.TGraph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("crawler: the T-Graph of the crawl: %w; give it again with --tgraph", err)
	}
	defer f.Close()
	g, err := strategy.ReadTGraph(f)
	if err != nil {
		return nil, fmt.Errorf("crawler: %s: %w", path, err)
	}
	return g, nil
}

// readTrace reads an access log. Lines that can't be read are passed over; a log
// of which none can is an error.
func readTrace(path string, key uint64) (*trace.Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("crawler: the trace of the crawl: %w; give it again with --trace", err)
	}
	defer f.Close()
	log, report, err := trace.Read(f, trace.Options{Salt: binary.BigEndian.AppendUint64([]byte("dowse trace "), key)})
	if err != nil {
		return nil, fmt.Errorf("crawler: %s: %w", path, err)
	}
	if report.Kept == 0 {
		return nil, fmt.Errorf("crawler: %s tells of no page that anybody got: %s", path, report)
	}
	return log, nil
}
