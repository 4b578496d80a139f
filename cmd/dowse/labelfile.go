package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dowse/collection"
	"dowse/internal/plain"
)

// A givenLabel is a line of a file with labels. Only url and label are required; by and
// note are kept with the label.
type givenLabel struct {
	URL   string `json:"url"`
	Label string `json:"label"`
	By    string `json:"by"`
	Note  string `json:"note"`

	line int
}

// The limits of a file with labels: the number of labels, and the bytes of a line. A file
// that was given by mistake, such as an archive, fails here instead of filling memory.
const (
	maxGiven     = 1_000_000
	maxGivenLine = 64 << 10
)

// readLabelFile reads labels, one per line, as JSON or as URL, tab and label; a file may
// mix both. The first wrong line is an error with its number, and then no label of the
// file is used: half a file would be hard to correct.
func readLabelFile(in io.Reader) (list []givenLabel, err error) {
	sc := bufio.NewScanner(plain.Unmarked(in))
	sc.Buffer(make([]byte, 0, 4096), maxGivenLine)
	n := 0
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		g, err := parseGiven(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if g.line = n; len(list) == maxGiven {
			return nil, fmt.Errorf("more than %d labels", maxGiven)
		}
		list = append(list, g)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", n, err)
	}
	return list, nil
}

// parseGiven parses one line and checks its label. A line that begins with a brace is
// JSON; no URL begins so.
func parseGiven(line string) (g givenLabel, err error) {
	if strings.HasPrefix(line, "{") {
		err = json.Unmarshal([]byte(line), &g)
	} else {
		fields := strings.SplitN(line, "\t", 3)
		for i, to := range []*string{&g.URL, &g.Label, &g.Note} {
			if i < len(fields) {
				*to = strings.TrimSpace(fields[i])
			}
		}
	}
	switch g.Label = strings.ToLower(g.Label); {
	case err != nil:
		return g, fmt.Errorf("not a label in JSON: %w", err)
	case g.URL == "":
		return g, fmt.Errorf("no URL; want URL<tab>label or {\"url\":…,\"label\":…}")
	case g.Label != collection.LabelOn && g.Label != collection.LabelOff && g.Label != collection.LabelSkip:
		return g, fmt.Errorf("label: got %q, want on, off or skip", fit(g.Label, 40))
	}
	return g, nil
}
