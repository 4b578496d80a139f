package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/estimate"
	"dowse/internal/operations"
)

// statusCmd shows the progress of collections. It reads the journal as it is now, so it
// may run at any time during a crawl, and it never writes.
//
// Two uses are combined. A person reads the screen ([status.lines]), perhaps with
// --watch. A monitor calls --check, for which the exit code counts: 0 if the crawl is
// healthy, 8 if a person should look at it, 7 if the collection cannot be opened.
type statusCmd struct {
	Dir   []string `arg:"" optional:"" help:"Collections (default: all *.dowse here)."`
	JSON  bool     `help:"Print JSON, one line per collection."`
	Check bool     `help:"Exit with 8 if the crawl is unhealthy."`
	Watch bool     `help:"Show it again every two seconds, until Ctrl-C."`
	Top   int      `default:"5" placeholder:"N" help:"Queued links to show."`
	Host  string   `placeholder:"NAME" help:"Show only queued links of this host."`

	Problems bool `help:"List what failed or was left out, with what to do."`

	Targets string `placeholder:"FILE" help:"Show how many of these URLs were fetched (target recall)."`
	Vote    bool   `help:"Show the harvest by a vote of judges (reads all pages)."`
}

func (statusCmd) Help() string {
	return `Examples:
  dowse status                          every collection here
  dowse status reefs.dowse --watch
  dowse status reefs.dowse --json | jq .harvest
  dowse status reefs.dowse --check      exit 8 if unhealthy
  dowse status reefs.dowse --problems   what failed, and what to do
  dowse status reefs.dowse --targets reefs.split.json --watch

Unhealthy means: a part of the collection is damaged, as far as that can be seen
without reading all of it; the books do not balance; less is free on the disk than
--disk-floor; the crawl runs, links wait, and nothing was committed for 5
minutes; its name server does not answer; or it does not run, and the last run
was killed or ended with an error, for lack of disk, memory or network, or with
hosts that did not answer (starved). A collection that can't be opened is
reported, the others are still shown, and the exit code is 7. A sink that fails
is a warning on stderr and no more: the crawl does not depend on it.

--targets takes one URL per line, or the file NAME.split.json that topic select
writes. --vote trains three judges (svm, kde, network) on the examples and labels;
a page counts if two of them call it on topic. The judge of the crawl has a part
in it only if no example is off topic: pages it rates lowest are then trained
against.`
}

// How often --watch repeats, and the sequence that clears a terminal.
const (
	watchEvery  = 2 * time.Second
	clearScreen = "\x1b[H\x1b[2J"
)

// A status is the state of a collection, see [operations.Status], and what the flags of this
// command measure in addition. status --json and crawl --json print it.
type status struct {
	operations.Status

	Targets *targetCounts `json:"targets,omitempty" doc:"how many of the URLs of --targets were fetched"`
	Voted   *voted        `json:"voted,omitempty" doc:"the harvest by a vote of judges, with --vote"`
}

// topLeads is the number of queued links in the status of crawl --json.
const topLeads = 5

// statusOf returns the status of a collection, as crawl --json prints it at its end.
func statusOf(col *collection.Collection, s crawl.Status) *status {
	return &status{Status: *operations.StatusOf(col, s, topLeads)}
}

// audit returns the lines on labels, models and the audited harvest rate, with a warning
// if the judge's rate is outside of the audit's interval. The judge never measures
// itself: the audited rate comes from the labels of a random sample.
func (st *status) audit() []string {
	var lines []string
	if st.Labels+st.Untrained > 0 {
		line := fmt.Sprintf(" labels    %s, model %s", count(st.Labels), st.Model)
		if st.Untrained > 0 {
			line += fmt.Sprintf("; %s not trained on yet (dowse label %s --train)", count(st.Untrained), shellWord(st.Dir))
		}
		lines = append(lines, line)
	}
	if x := st.Contrast; x != nil {
		m := collection.Model{Model: st.Model, Contrast: x.Pages, Seen: x.Seen, Instead: x.Instead, Grown: x.Grown}
		lines = append(lines, fmt.Sprintf(" judge     %s: %s,", st.Model, against(m)), "           "+insteadOf(m))
	}
	if m := st.Refused; m != nil {
		lines = append(lines, fmt.Sprintf(" judge     %s: %s,", m.Model, against(*m)), "           and not put into use:", "           "+oneLine(m.Error))
	}
	a := st.Audited
	if a == nil || a.N == 0 {
		return lines
	}
	lines = append(lines, fmt.Sprintf(" audited   harvest %.3f, 95 %% interval %.3f–%.3f (n=%s of %s pages)", a.Rate, a.Low, a.High, count(a.N), count(a.Of)))
	if a.Outside {
		lines = append(lines, fmt.Sprintf(" WARNING   judged is %.3f, outside of that: do not trust the judge; label more", a.Judged))
	}
	return lines
}

// Run prints the status of each collection; with --watch it repeats until interrupted.
func (c *statusCmd) Run(w *world) error {
	dirs, err := c.dirs()
	if err != nil {
		return err
	}
	if c.Problems {
		if c.Check || c.Watch || c.Targets != "" || c.Vote || c.Host != "" {
			return usage("--problems has no other flag but --json")
		}
		return c.problems(w, dirs)
	}
	if !c.Watch {
		return c.show(w, dirs)
	}
	for {
		if w.outTTY && !c.JSON && w.env("TERM") != "dumb" {
			fmt.Fprint(w.out, clearScreen)
		}
		if err := c.show(w, dirs); err != nil {
			return err
		}
		select {
		case <-w.ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}

// dirs returns the collections to show: those named, or all in this directory.
func (c *statusCmd) dirs() ([]string, error) {
	if len(c.Dir) > 0 {
		return c.Dir, nil
	}
	return collectionsHere()
}

// show prints every collection and, with --check, returns the problems. For a collection
// that cannot be opened it prints the error and continues: a monitor must see the state
// of the others. The exit code is then the highest of theirs.
func (c *statusCmd) show(w *world, dirs []string) error {
	var wrong []string
	worst, shown := exitOK, 0
	for _, dir := range dirs {
		st, err := c.look(w.ctx, dir)
		if err != nil && len(dirs) == 1 {
			return err
		}
		if err != nil {
			worst = max(worst, report(w, err))
			continue
		}
		if err := c.print(w.out, st, shown > 0); err != nil {
			return err
		}
		shown++
		if c.Check {
			for _, warning := range sinkWarnings(st.Sinks) {
				fmt.Fprintf(w.err, "warning: %s: %s\n", dir, warning)
			}
		}
		if problem := st.problem(time.Now()); problem != "" {
			wrong = append(wrong, dir+": "+problem)
		}
	}
	var problems error
	if c.Check && len(wrong) > 0 {
		problems = errors.New(strings.Join(wrong, "\n"))
		worst = cmp.Or(worst, exitAssertion)
	}
	if worst == exitOK {
		return nil
	}
	return &exitError{worst, problems}
}

// look opens a collection for reading and returns its status.
func (c *statusCmd) look(ctx context.Context, dir string) (*status, error) {
	cr, err := view(dir)
	if err != nil {
		return nil, err
	}
	defer cr.Close()
	st := &status{Status: *operations.StatusOf(cr.Collection, cr.Status(), c.Top)}
	if c.Host != "" {
		st.Frontier = operations.LeadsOf(cr.Collection, c.Top, c.Host)
	}
	if err := c.measure(ctx, st, cr); err != nil {
		return nil, err
	}
	if note := behind(cr.Collection); note != "" {
		st.Notices = append(st.Notices, note)
	}
	return st, nil
}

// problem returns what is wrong with a crawl at a time and what to do about it, "" for nothing.
func (st *status) problem(now time.Time) string {
	a := st.Ailment(now)
	if a == nil {
		return ""
	}
	switch a.Name {
	case operations.AilDamaged:
		return a.Text + "; see dowse collection verify " + shellWord(st.Dir)
	case operations.AilBooks:
		return a.Text + "; run dowse collection verify " + shellWord(st.Dir)
	case operations.AilDisk:
		return a.Text + " (--disk-floor); make room"
	case operations.AilFull:
		return "the disk was full, or below --disk-floor; make room, then continue: " + resumeCommand(st.Dir)
	case operations.AilMemory:
		return a.Text + "; to continue with more: " + resumeCommand(st.Dir) + " --memory SIZE"
	case operations.AilNothing:
		return a.Text + "; to ask again: " + resumeCommand(st.Dir) + " --retry failed"
	case operations.AilNetwork, operations.AilKilled:
		return a.Text + "; to continue: " + resumeCommand(st.Dir)
	}
	return a.Text
}

// print prints one status as JSON or as text; more separates it from the one before.
func (c *statusCmd) print(out io.Writer, st *status, more bool) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(st)
	}
	if more {
		fmt.Fprintln(out)
	}
	n := columnsOf(out)
	for _, l := range st.lines() {
		fmt.Fprintln(out, tint(clip(oneLine(l), n, n), colouredOf(out)))
	}
	return nil
}

// clusterLines returns the workers and standbys of a running crawl that coordinates a cluster.
func (st *status) clusterLines() []string {
	p, ok := crawler.PulseOf(st.Dir, st.Process)
	if !ok || !st.Running || p.Cluster == nil {
		return nil
	}
	return clusterText(p.Cluster)
}

// lines returns the status as text:
//
//	tide-pools  stopped 13s ago: the page limit is reached (pages)
//	 fetched   120   on topic 53   harvest 0.442 by the judge (last 200: 0.442)
//	 judge     m0001: grown from the words: 18 pages rated high, 46 rated low,
//	           of the first 100
//	 queued    1,496 links on 47 hosts
//	 received  2.6 MB in 174 requests, ran 11.4s
//	 books     1,648 seen = 120 fetched + 6 failed + 3 redirected
//	           + 1,496 queued + 23 skipped
//	           balanced
//	 next      0.952 http://anemonia.demo/notes/quadrat-counts-2
//	 skipped       23 robots.txt: the host's robots.txt forbids it
//	 failed         6 http.status: the server answered with an error
//
// Below the totals come labels, judge and audit, then the books, what was not reached,
// the best waiting links, the shadows, and why URLs were skipped or failed.
func (st *status) lines() []string {
	b := st.Books
	lines := []string{
		fmt.Sprintf("%s  %s", st.Name, st.state(time.Now())),
		fmt.Sprintf(" fetched   %s   on topic %s   harvest %.3f by the judge (last 200: %.3f)", count(st.Fetched), count(st.OnTopic), st.Harvest, st.Window),
		fmt.Sprintf(" queued    %s on %s", some(b.Queued, "link"), some(st.Hosts, "host")),
		fmt.Sprintf(" received  %s in %s requests, ran %s", bytesText(st.Bytes), count(st.Requests), st.Status.Status.Elapsed.Round(time.Second/10)),
		fmt.Sprintf(" books     %s seen = %s fetched + %s failed + %s redirected", count(b.Known), count(b.Fetched), count(b.Failed), count(b.Redirected)),
		fmt.Sprintf("           + %s queued + %s skipped%s", count(b.Queued), count(b.Skipped), rarely(b)),
		"           " + balance(st.Balanced, st.Dir),
	}
	if t := st.Requisites; t != nil {
		lines = append(lines, fmt.Sprintf(" with      %s of %s, %s; %s not had", some(t.Kept, "requisite"), some(t.Pages, "page"), bytesText(t.Bytes), count(t.Left)))
	}
	if line := recallLine(st.Estimate, len(trapLines(st.Reasons, st.Dropped)) > 0); line != "" {
		lines = slices.Insert(lines, 2, " found     "+line)
	}
	if line := refreshLine(&st.Status.Status); line != "" {
		lines = slices.Insert(lines, 2, " again     "+line)
	}
	if st.Running && st.LimitedBy != "" {
		lines = slices.Insert(lines, 2, fmt.Sprintf(" speed     %.1f pages/s, %s/s over the last 30 s; limited by %s", st.Rate, bytesText(int64(st.BytesRate)), st.LimitedBy))
	}
	if o := st.Outage; o != nil && st.Running {
		lines = append(lines, " "+outageLine(o, time.Now()))
	}
	lines = append(lines, unreachedLines(st.Unreached)...)
	lines = slices.Insert(lines, 2, slices.Concat(st.Voted.lines(), st.Targets.lines())...)
	if st.Sites != nil {
		lines = slices.Insert(lines, 2, (*siteCounts)(st.Sites).lines()...)
	}
	// What is known about the judge belongs below the harvest that it reports.
	lines = slices.Insert(lines, 2, st.audit()...)
	lines = append(lines, consultedLines(st.Outside)...)
	lines = append(lines, sinkLines(st.Sinks)...)
	lines = append(lines, st.clusterLines()...)
	for i, l := range st.Frontier {
		lines = append(lines, fmt.Sprintf(" %-9s %.3f %s", head(i, "next"), l.Priority, l.URL))
	}
	for i, s := range st.Shadows {
		lines = append(lines, fmt.Sprintf(" %-9s %s: outcome known of %.0f %% of %s picks; harvest %.3f of these", head(i, "shadows"), s.Name, 100*s.Share, count(s.Picks), s.Harvest))
	}
	last := ""
	for _, r := range st.Reasons {
		fate := "skipped"
		if r.Skipped == 0 {
			fate = "failed"
		}
		name := fate
		if fate == last {
			name = ""
		}
		last = fate
		lines = append(lines, fmt.Sprintf(" %-9s %6s %s: %s", name, count(r.Skipped+r.Failed), orDefault(string(r.Reason), "(no reason)"), withFlags(r.Reason, r.Meaning)))
	}
	if st.LeftOut > 0 {
		lines = append(lines, fmt.Sprintf(" left out  %6s %s: %s; to ask for their pages again: --retry %s", count(st.LeftOut), dowse.SkipMemory, "links for which there was no memory", dowse.SkipMemory))
	}
	if st.Dropped > 0 {
		lines = append(lines, fmt.Sprintf(" not kept  %6s links to further hosts of domains that have too many; --seed URL adds a host that you want", count(st.Dropped)))
	}
	for _, n := range st.Notices {
		lines = append(lines, " note      "+n)
	}
	return lines
}

// recallLine returns how much of the topic is found by the estimate, "" if there is none. traps reports whether URLs
// were left out as those of a trap, which the estimate does not count.
func recallLine(r estimate.Recall, traps bool) string {
	if r.Found == 0 {
		return ""
	}
	line := fmt.Sprintf("about %.0f %% of the topic (90 %%: %.0f–%.0f %%), of %s–%s pages", 100*r.Recall, 100*r.Low, 100*r.High, count(r.Least), count(r.Most))
	if traps {
		line += ", without what was left out as a trap"
	}
	return line
}

// consultedLines returns how often an outside judge was asked and answered. It is asked
// only about unsure pages, within its budget; answers that are known already cost
// nothing.
func consultedLines(c *crawler.Consulted) (lines []string) {
	if c == nil {
		return nil
	}
	line := fmt.Sprintf(" outside   %s unsure: %s asked, %s answered, %s known, %s failed", some(c.Wanted, "page"), count(c.Asked), count(c.Answered), count(c.Known), count(c.Failed))
	if c.Left >= 0 {
		line += fmt.Sprintf("; %s left", count(c.Left))
	}
	lines = append(lines, line)
	if c.Error != "" {
		for _, l := range wrap("last failure: "+oneLine(c.Error), columns80-11) {
			lines = append(lines, "           "+l)
		}
	}
	return lines
}

// head returns the name of a list on its first line, "" on the others.
func head(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// balance returns whether the books of the collection in dir balance, and the command that examines it if they do not.
func balance(ok bool, dir string) string {
	if ok {
		return "balanced"
	}
	return "NOT BALANCED: run dowse collection verify " + shellWord(dir)
}

// state returns in words whether a crawl runs and, if not, why it ended.
func (st *status) state(now time.Time) string {
	switch {
	case st.Running:
		return fmt.Sprintf("running (process %d)", st.Process)
	case st.Copy != 0:
		return fmt.Sprintf("a copy that a standby keeps up to date (process %d); it goes on if the coordinator fails", st.Copy)
	case st.Killed:
		return "not running: the last run was killed, or copied while it ran; to continue: " + resumeCommand(st.Dir)
	case st.Ended.IsZero():
		return "not running"
	}
	ago := now.Sub(st.Ended).Round(time.Second)
	if st.By == operations.ByCopy {
		return fmt.Sprintf("a copy, made %s ago while the crawl ran; to continue here: %s", ago, resumeCommand(st.Dir))
	}
	means := stopMeaning(&st.Status.Status)
	if by, ok := signalMeans[st.By]; ok && st.Stopped == dowse.StopSignal {
		return fmt.Sprintf("stopped %s ago: %s", ago, by) // it names the signal
	}
	return fmt.Sprintf("stopped %s ago: %s (%s)", ago, means, orDefault(string(st.Stopped), "no reason given"))
}
