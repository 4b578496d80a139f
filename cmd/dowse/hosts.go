package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"dowse/collection"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

// hostsCmd lists the hosts of a collection: how much each contributed and how it answers.
//
//	host               pages on topic  last 20, new first    delay err robots state
//	shorewalks.demo       13 ██▊   69% ●●▲▲●●●●▲●●▲●        527 ms   0 rules  ok
//	kelp.demo              9 ████ 100% ●●●●●●●●●            955 ms   0 rules  ok
//
// The strip of the last pages shows whether a host is still worth its requests, the delay
// and the errors whether it is asked too often. --json is also the receipt for a site's
// owner who asks what was requested: requests, bytes and the pauses between them.
type hostsCmd struct {
	Dir   string `arg:"" help:"Collection."`
	Sort  string `enum:"pages,on,share,waiting,errors,delay,name" default:"pages" placeholder:"BY" help:"Sort by pages, on, share, waiting, errors, delay or name."`
	Show  string `enum:"all,on,off,problems" default:"all" placeholder:"WHICH" help:"List all, those on or off topic, or problems."`
	Text  string `placeholder:"PART" help:"List only hosts with PART in their name."`
	Limit int    `short:"n" placeholder:"N" help:"Print at most N."`
	Skip  int    `placeholder:"N" help:"Leave out the first N."`
	JSON  bool   `help:"Print JSON, one line per host."`
}

func (hostsCmd) Help() string {
	return `Examples:
  dowse hosts reefs.dowse
  dowse hosts reefs.dowse --sort errors -n 10
  dowse hosts reefs.dowse --json | jq -r 'select(.share > 0.5).host'

One line per host: pages fetched, the share of them on topic, its last 20 pages,
the newest first (● on topic, ▲ off), the longest pause it was given, pages that
failed, what robots.txt says (rules: some of it is closed; closed: all of it),
and the state of the host. --json has more: requests, bytes, how many URLs wait.`
}

// Run prints one line per host, or one JSON object per host.
func (c *hostsCmd) Run(w *world) error {
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	rows := c.order(cr.Collection.Hosts())
	out := bufio.NewWriter(w.out)
	if err := c.print(out, w, rows); err != nil {
		return err
	}
	return out.Flush()
}

// order selects and sorts the hosts.
func (c *hostsCmd) order(rows []collection.HostRow) []collection.HostRow {
	rows = operations.PickHosts(rows, operations.HostQuery{Show: c.Show, Text: c.Text, Sort: c.Sort})
	rows = rows[min(max(c.Skip, 0), len(rows)):]
	if c.Limit > 0 {
		rows = rows[:min(c.Limit, len(rows))]
	}
	return rows
}

// print prints the hosts as a table or as JSONL.
func (c *hostsCmd) print(out io.Writer, w *world, rows []collection.HostRow) error {
	if c.JSON {
		for _, r := range rows {
			r.Last = append([]bool{}, r.Last...) // [] where there is none
			if err := jsonLine(out, r); err != nil {
				return err
			}
		}
		return nil
	}
	room := nameRoom(columnsOf(w.out), hostColumns, func(yield func(string) bool) {
		for _, r := range rows {
			if !yield(r.Host) {
				return
			}
		}
	})
	fmt.Fprintf(out, "%-*s pages on topic  %-20s  delay err robots state\n", room, "host", "last 20, new first")
	for _, r := range rows {
		fmt.Fprintln(out, hostLine(r, room))
	}
	return nil
}

// nameRoom returns the width of the column of names in a table whose other columns take
// others columns. A terminal gives what is left of its width, and longer names lose their
// beginning, which says less than the domain at their end. Elsewhere the column is as
// wide as the longest name, so that nothing is cut.
func nameRoom(terminal, others int, names iter.Seq[string]) int {
	if terminal > 0 {
		return max(terminal, columns80) - others
	}
	room := columns80 - others
	for name := range names {
		room = max(room, len([]rune(oneLine(name))))
	}
	return room
}

// hostColumns is the width of a line without the host's name.
const hostColumns = 62

// hostLine returns the line of a host, with room columns for its name.
func hostLine(r collection.HostRow, room int) string {
	share := "        -"
	if r.Pages > 0 {
		share = fmt.Sprintf("%-4s %3.0f%%", bar(r.Share, 4), math.Round(100*r.Share))
	}
	return strings.TrimRight(fmt.Sprintf("%-*s %5d %-9s %-20s %6s %3d %-6s %s", room, plain.FitEnd(oneLine(r.Host), room), r.Pages, share,
		strip(r.Last), pauseText(r), r.Failed, robotsWord(r.Robots), stateWord(r)), " ")
}

// bar draws a share from 0 to 1 as a bar of at most n columns, in steps of an eighth of a
// column: four columns distinguish 32 values.
func bar(share float64, n int) string {
	const eighths = "▏▎▍▌▋▊▉█"
	k := int(math.Round(share * float64(n) * 8))
	s := strings.Repeat("█", k/8)
	if k%8 > 0 {
		s += string([]rune(eighths)[k%8-1])
	}
	return s
}

// strip draws pages as ● on topic and ▲ off topic.
func strip(pages []bool) string {
	var b strings.Builder
	for _, on := range pages {
		if on {
			b.WriteString("●")
		} else {
			b.WriteString("▲")
		}
	}
	return b.String()
}

// pauseText returns the longest pause between requests to a host, "-" for none.
func pauseText(r collection.HostRow) string {
	if r.Delay <= 0 {
		return "-"
	}
	return seconds(time.Duration(r.Delay))
}

// robotsWord returns the state of a host's robots.txt, "-" if it was not read.
func robotsWord(robots string) string {
	if robots == collection.RobotsNotRead {
		return "-"
	}
	return robots
}

// stateWord returns the state of a host, shortened for the table.
func stateWord(r collection.HostRow) string {
	switch r.State {
	case collection.HostBackingOff:
		return "rests"
	case collection.HostBlocked:
		return "block"
	}
	return r.State
}
