package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"dowse/collection"
)

// collectionCmd groups the commands that inspect and repair a collection's directory.
type collectionCmd struct {
	Info   collectionInfoCmd   `cmd:"" help:"Show what a collection is, and its size."`
	Verify collectionVerifyCmd `cmd:"" help:"Read everything in a collection and check it."`

	Copy    collectionCopyCmd    `cmd:"" help:"Copy a collection, also while it is crawled."`
	Import  collectionImportCmd  `cmd:"" help:"Make a collection of WARC and WACZ files of other programs."`
	Merge   collectionMergeCmd   `cmd:"" help:"Make one collection of several crawls."`
	Salvage collectionSalvageCmd `cmd:"" help:"Rebuild a damaged or older collection from what can be read."`
}

func (collectionCmd) Help() string {
	return `Examples:
  dowse collection info reefs.dowse
  dowse collection verify reefs.dowse
  dowse collection copy reefs.dowse /backup/reefs.dowse
  dowse collection import old.warc.gz web.wacz "coral reefs" -o old.dowse
  dowse collection merge reefs.dowse kelp.dowse -o sea.dowse
  dowse collection salvage reefs.dowse -o rescued.dowse`
}

// collectionInfoCmd prints what a collection is, without reading all of it:
//
//	tide-pools  d.dowse
//	 begun     2026-11-16 08:52:08 by dowse 0.1 (collection/v2)
//	 order     link-context, on topic from 0.50
//	 settings  pages 120, agent dowse-demo, delay 20ms, conns 16
//	 pages     120 fetched, 53 on topic, harvest 0.442 by the judge
//	 URLs      1,648 seen on 47 hosts, 1,496 queued; balanced
//	 on disk   2.4 MB: archive 1.2 MB, indexes 46.5 KB, state 746.3 KB
//	 archive   1 WARC file
//	 journal   520.9 KB in 1 segment, snapshot of 08:52:21, 118.0 KB
//
// status shows how a crawl is doing; info shows how it was set up and what it takes.
type collectionInfoCmd struct {
	Dir  string `arg:"" help:"Collection."`
	JSON bool   `help:"Print JSON."`
}

func (collectionInfoCmd) Help() string {
	return `Examples:
  dowse collection info reefs.dowse
  dowse collection info reefs.dowse --json | jq .total_bytes`
}

// Run prints the overview. For a damaged collection it prints what can be read and
// returns the damage as its error.
func (c *collectionInfoCmd) Run(w *world) error {
	cr, err := w.view(c.Dir)
	if errors.Is(err, collection.ErrDamaged) {
		o, problem := collection.InfoOfWreck(c.Dir)
		return errors.Join(err, problem, c.print(w.out, o))
	}
	if err != nil {
		return err
	}
	defer cr.Close()
	o, err := cr.Collection.Info()
	if err != nil {
		return err
	}
	return c.print(w.out, o)
}

// print prints an overview as JSON or as text.
func (c *collectionInfoCmd) print(out io.Writer, o *collection.Overview) error {
	if o == nil {
		return nil
	}
	if c.JSON {
		return jsonLine(out, o)
	}
	for _, l := range overview(o) {
		fmt.Fprintln(out, l)
	}
	return nil
}

// maxSeeds is the number of seeds that are shown.
const maxSeeds = 5

// overview returns the lines of collection info, in this order: what it is, whether a
// process works on it, its settings as far as they are not the defaults, how far it is,
// and what it takes on disk.
func overview(o *collection.Overview) []string {
	s := &sheet{}
	s.add(oneLine(fmt.Sprintf("%s  %s", o.Name, o.Dir)))
	s.field("begun", "%s by dowse %s (%s)", o.Begun.Local().Format(time.DateTime), o.Version, o.Format)
	if o.Running != 0 {
		s.field("running", "process %d works on it", o.Running)
	}
	s.field("order", "%s, on topic from %.2f", o.Strategy, o.Threshold)
	for i, u := range o.Seeds[:min(maxSeeds, len(o.Seeds))] {
		s.field(head(i, "seeds"), "%s", u)
	}
	if more := len(o.Seeds) - maxSeeds; more > 0 {
		s.field("", "and %s more", count(more))
	}
	s.flow(fmt.Sprintf(" %-9s ", "settings"), given(o.Settings), ", ")
	st, b := o.Status, o.Status.Books
	s.field("pages", "%s fetched, %s on topic, harvest %.3f by the judge", count(st.Fetched), count(st.OnTopic), st.Harvest)
	s.field("URLs", "%s seen on %s hosts, %s queued; %s", count(b.Known), count(st.Hosts), count(b.Queued), balance(b.Balanced(), o.Dir))
	s.flow(fmt.Sprintf(" %-9s %s: ", "on disk", bytesText(o.Total)), folders(o.Bytes), ", ")
	s.field("archive", "%s", some(len(o.WARCs), "WARC file"))
	s.field("journal", "%s in %s%s", bytesText(int64(o.Journal)), some(o.Segments, "segment"), snapshotText(o.Snapshot))
	for _, n := range o.Notices {
		s.text("note", n)
	}
	return s.lines
}

// given returns the settings that differ from their defaults, without those that have a
// line of their own. A list of all settings would hide the few that matter; --json has
// all.
func given(list []collection.Setting) (texts []string) {
	for _, x := range list {
		if !x.Default && x.Key != "key" && x.Key != "strategy" && x.Key != "threshold" { // shown elsewhere
			texts = append(texts, x.Key[strings.LastIndexByte(x.Key, '.')+1:]+" "+oneLine(x.Value))
		}
	}
	if len(texts) == 0 {
		texts = []string{"the defaults"}
	}
	return texts
}

// folders returns the sizes of the folders of a collection, and last that of the files
// outside of them. bytes always has an entry "." for these.
func folders(bytes map[string]int64) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(bytes)) {
		title := name
		if name == "." {
			title = "other files"
		}
		list = append(list, title+" "+bytesText(bytes[name]))
	}
	return append(list[1:], list[0]) // files outside of the folders come last
}

// snapshotText returns the time and size of the newest snapshot.
func snapshotText(f *collection.FileSize) string {
	if f == nil {
		return ", no snapshot"
	}
	return fmt.Sprintf(", snapshot of %s, %s", clock(f.At), bytesText(f.Bytes))
}

// collectionVerifyCmd checks a collection completely: it reads every entry of the journal
// and every record of the archive, replays the journal, and compares the result with the
// saved state. It changes nothing and may run during a crawl.
//
// Each problem is printed with its place, what is wrong and what to do; the command that
// repairs it comes from remedy. Exit code 8 means that there are problems, 7 that the
// collection cannot be opened at all.
type collectionVerifyCmd struct {
	Dir  string `arg:"" help:"Collection."`
	JSON bool   `help:"Print JSON."`
}

func (collectionVerifyCmd) Help() string {
	return `Examples:
  dowse collection verify reefs.dowse
  dowse collection verify reefs.dowse --json | jq -r '.problems[].place'

Checks that the books balance, that every entry of the journal and every record
of the archive can be read, that every page that was fetched is in the archive,
that the archive holds no more than the journal knows of, but for what a crash
leaves, and that the lists of pages, the log and the index are as they were
written (not while a crawl runs, and not after one was killed). Changes nothing.
Exits with 8 if something is wrong, and prints what to do about it; with 7 if the
collection can't even be opened, after checking what can be read of it. Hosts
that were not reached are listed, but they are no fault of the collection:
status --check fails for them.`
}

// Run checks a collection and exits with 8 if it finds problems. A collection that cannot
// be opened is checked as far as possible, and the exit code is 7: its files may still be
// whole, and the user wants to know which are.
func (c *collectionVerifyCmd) Run(w *world) error {
	cr, err := view(c.Dir)
	if errors.Is(err, collection.ErrDamaged) {
		v, problem := collection.VerifyWreck(c.Dir, err)
		if problem == nil {
			problem = c.print(w.out, v, nil)
		}
		return errors.Join(err, problem)
	}
	if err != nil {
		return err
	}
	defer cr.Close()
	p := &progress{w: w}
	v, err := cr.Verify(p.show)
	p.clear()
	if err != nil {
		return inCollection(err)
	}
	if err := c.print(w.out, v, cr.Collection.Notices); err != nil {
		return err
	}
	if !v.OK() {
		return &exitError{exitAssertion, fmt.Errorf("%s: %s", c.Dir, some(len(v.Problems)+v.More, "problem"))}
	}
	return nil
}

// print prints what was checked and each problem with its remedy. What was checked is
// printed also if nothing is wrong: "all is well" alone would not say of what.
func (c *collectionVerifyCmd) print(out io.Writer, v *collection.Verification, notices []string) error {
	for i, p := range v.Problems {
		v.Problems[i].Do = remedy(c.Dir, p)
	}
	if c.JSON {
		return jsonLine(out, v)
	}
	s := &sheet{}
	verdict := "all is well"
	if v.Unreached != nil {
		verdict = "nothing is damaged, and not everything was reached"
	}
	if !v.OK() {
		verdict = some(len(v.Problems)+v.More, "problem")
	}
	s.add(oneLine(c.Dir + ": " + verdict))
	b := v.Books
	s.field("books", "%s: %s seen", balance(b.Balanced(), c.Dir), count(b.Known))
	for _, l := range unreachedLines(v.Unreached) {
		s.add(l)
	}
	s.field("journal", "%s entries read", count(v.Entries))
	if v.Torn > 0 {
		s.text("", fmt.Sprintf("its last %s were cut short by a crash or a full disk before they were committed: nothing is lost, and the next run removes them", bytesText(v.Torn)))
	}
	s.field("archive", "%s records in %s read, %s found", count(v.Records), some(v.Files, "file"), some(v.Pages, "page"))
	if v.Replayed {
		s.field("state", "%s URLs as a replay of the journal gives them, %s read", count(v.URLs), some(v.Snapshots, "snapshot"))
		if v.Unranked {
			s.text("", "priorities were not compared: without the texts that can't be read a replay ranks links otherwise")
		}
	}
	if v.Views != "" {
		s.text("lists", viewsText(v))
	}
	if v.Forgotten > 0 {
		s.field("forgotten", "%s taken down, each checked", some(v.Forgotten, "URL"))
	}
	for _, n := range notices {
		s.text("note", n)
	}
	for _, p := range v.Problems {
		problem(s, p)
	}
	if v.More > 0 {
		s.add(fmt.Sprintf(" and %s more", count(v.More)))
	}
	for _, l := range s.lines {
		fmt.Fprintln(out, l)
	}
	return nil
}

// viewsText states what was checked of the lists, the log and the index.
func viewsText(v *collection.Verification) string {
	if v.Views != collection.ViewsChecked {
		return v.Views
	}
	return fmt.Sprintf("as they were written, with log and index; %s looked up", some(v.Captures, "index line"))
}

// problem adds one problem: where it is, what is wrong, and what to do.
func problem(s *sheet, p collection.Problem) {
	s.add("")
	s.add(" " + oneLine(p.Place))
	s.text("wrong", p.What)
	s.text("do", p.Do)
}

// A progress shows on a terminal how far a long operation is, in one line that is
// replaced. Elsewhere it prints nothing: a log of percentages helps no one.
type progress struct {
	w    *world
	last time.Time
	on   bool
}

// progressEvery is the least time between two updates of the terminal.
const progressEvery = 100 * time.Millisecond

// show replaces the line on the terminal by the step and its percentage; total is 0 if
// it is not known.
func (p *progress) show(step string, done, total int64) {
	if !p.w.isTTY || p.w.env("TERM") == "dumb" || time.Since(p.last) < progressEvery {
		return
	}
	p.last, p.on = time.Now(), true
	far := ""
	if total > 0 {
		far = fmt.Sprintf(" %d %%", 100*done/total)
	}
	fmt.Fprintf(p.w.err, "\r\x1b[K%s%s", step, far)
}

// clear removes the progress from the terminal.
func (p *progress) clear() {
	if p.on {
		fmt.Fprint(p.w.err, "\r\x1b[K")
	}
}
