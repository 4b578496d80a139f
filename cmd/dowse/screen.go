package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/internal/requisite"
	"dowse/settings"
	"dowse/topic"
)

// extras are what the demo adds to screen and summary: it knows the relevant pages and
// compares with other strategies. All fields are optional; crawls of the public web have
// none of them, since the truth is not known there.
type extras struct {
	head    []string                                     // lines above the screen
	rival   func(fetched int) (harvest float64, ok bool) // breadth-first after as many pages
	verdict func(cr *crawler.Crawler) []string           // lines of the summary
	next    []string                                     // commands to try next
}

// A screen shows a crawl while it runs. On a terminal it is redrawn in place:
//
//	fetched   412   on topic   301   harvest 0.73 (last 200: 0.81)   9 s   45/s
//	▁▂▃▃▄▅▅▆▆▆▇▇▇█▇▇█▇██   breadth-first: 0.24 by the judge
//
//	0.97 on   shorewalks.demo/anemones        +2.24 "intertidal" ×4, +2.12 "tide…
//	0.22 off  kelp.demo/shop/wetsuits         no word of the topic
//
//	queued 3841 on 48 hosts, best 0.95 · in flight 12 · limited by politeness
//	hosts: 38 waiting for their delay · 1 backing off
//
// The first line has the totals, the second the recent harvest as a curve, the middle the
// last five pages with the reasons for their verdict, and the end what the crawl waits
// for. Elsewhere, in logs and pipes, it prints one line of key=value pairs every ten
// seconds, and a line when the network fails or is back.
//
// All methods are called by the goroutine of the crawl, so there are no locks. The screen
// reads the state of the crawl and never changes it.
type screen struct {
	w        *world
	quiet    bool
	live     bool
	extra    *extras
	cr       *crawler.Crawler
	began    time.Time
	lastLine time.Time
	drawn    int // lines on the terminal
	recent   []*crawler.Page
	speller  *topic.Speller
	history  []float64 // harvest of the last pages, sampled
	paused   bool      // that there is no network was said
	scarce   bool      // that memory is scarce was printed
	before   int       // links that earlier runs left out
	last     crawl.Status
}

// windowPages is the number of pages over which the recent harvest rate is measured. The
// rate of all pages hardly moves after some thousand; the recent one shows that a crawl
// has dried up.
const windowPages = 200

const (
	recentLines = 5
	lineEvery   = 10 * time.Second
)

// newScreen returns a screen on stderr. With quiet or noProgress it shows nothing.
func newScreen(w *world, quiet, noProgress bool, extra *extras) *screen {
	return &screen{w: w, quiet: quiet || noProgress, live: w.isTTY && w.env("TERM") != "dumb", extra: extra}
}

// begin shows the lines above the screen and, for a resumed crawl, how far it is. It is
// called when the collection is open, before the first request.
func (s *screen) begin(cr *crawler.Crawler) {
	s.cr, s.speller, s.began, s.lastLine, s.before = cr, cr.Topic.Speller(), time.Now(), time.Now(), cr.Status().LeftOut
	if s.quiet {
		return
	}
	if s.extra != nil {
		for _, l := range s.extra.head {
			fmt.Fprintln(s.w.err, l)
		}
	}
	if st := cr.Status(); st.Fetched > 0 {
		fmt.Fprintf(s.w.err, "so far %s, %s on topic, %s queued\n", plain.Some(st.Fetched, "page"), count(st.OnTopic), count(st.Books.Queued))
	}
}

// page records a fetched page for the list of recent ones.
func (s *screen) page(p *crawler.Page) {
	if s.quiet || !s.live {
		return
	}
	s.recent = append(s.recent, p)
	if len(s.recent) > recentLines {
		s.recent = s.recent[1:]
	}
}

// decision returns the line of a page: relevance, verdict, URL and strongest reasons.
func (s *screen) decision(p *crawler.Page) string {
	name := "off"
	if p.OnTopic {
		name = "on"
	} else if collection.Unsure(p.Relevance, s.cr.Collection.Threshold()) {
		name = "?"
	}
	url := strings.TrimPrefix(strings.TrimPrefix(string(p.URL), "https://"), "http://")
	room := max(38, width()/2-2)
	return fmt.Sprintf(" %.2f %-4s %-*s %s", p.Relevance, name, room, fitMiddle(oneLine(url), room), oneLine(tellingReasons(s.speller.SpellOf(p.Verdict, p.Page).Names(p.Verdict.Because))))
}

// tellingReasons returns the strongest reasons in which pages differ, at most three. The
// bias is the same for all pages and reasons of weight 0 changed nothing, so both are
// left out.
func tellingReasons(list []dowse.Because) string {
	telling := slices.DeleteFunc(slices.Clone(list), func(b dowse.Because) bool { return b.What == "bias" || b.Weight == 0 })
	if len(telling) == 0 {
		return "no word of the topic"
	}
	return collection.ReasonLine(telling, 3)
}

// tick updates the screen. The crawl's loop calls it about twice a second, whether pages
// come or not, so that the time and the waiting hosts are current.
func (s *screen) tick(st crawl.Status) {
	s.last = st
	if s.quiet {
		return
	}
	if s.live {
		s.draw(st)
		return
	}
	s.printOutage(st.Outage)
	s.printScarce(st)
	if time.Since(s.lastLine) >= lineEvery {
		s.lastLine = time.Now()
		fmt.Fprintln(s.w.err, s.line(st))
	}
}

// line returns the progress as one line of key=value pairs, for logs. Programs read it:
// keys are added at the end and never change their meaning.
func (s *screen) line(st crawl.Status) string {
	line := fmt.Sprintf("%s crawl %s fetched=%d on=%d harvest=%.3f window=%.3f rate=%.1f/s frontier=%d hosts=%d limited_by=%q",
		time.Now().UTC().Format(time.RFC3339), s.cr.Collection.Settings.Name, st.Fetched, st.OnTopic, st.Harvest, st.Window,
		st.Rate, st.Books.Queued, st.Hosts, st.LimitedBy)
	if r := st.Estimate; r.Found > 0 {
		line += fmt.Sprintf(" recall=%.2f", r.Recall)
	}
	return line
}

// draw replaces the lines on the terminal by the present ones: it moves the cursor up to
// the first line of the last drawing, clears the rest, and writes all lines in one call,
// so that the terminal never shows half a screen.
func (s *screen) draw(st crawl.Status) {
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", s.drawn)
	}
	lines := s.lines(st)
	for _, l := range lines {
		b.WriteString(tint(fit(l, width()), s.w.colour))
		b.WriteByte('\n')
	}
	s.drawn = len(lines)
	fmt.Fprint(s.w.err, b.String())
}

// lines returns the live screen: counts, recent harvest as a curve, recent pages, queue
// and hosts.
func (s *screen) lines(st crawl.Status) []string {
	s.history = append(s.history, st.Window)
	out := []string{
		"",
		fmt.Sprintf(" fetched %5d   on topic %5d   harvest %.2f (last 200: %.2f)   %.0f s   %.0f/s",
			st.Fetched, st.OnTopic, st.Harvest, st.Window, time.Since(s.began).Seconds(), st.Rate),
		" " + sparkline(s.history, 40) + s.rival(st),
	}
	if line := recallLine(st.Estimate, false); line != "" {
		out = append(out, " found "+line)
	}
	out = append(out, "")
	for _, p := range s.recent {
		out = append(out, s.decision(p))
	}
	if line := scarceLine(st.LeftOut); line != "" {
		out = append(out, "", " "+line)
	}
	return append(out, "", fmt.Sprintf(" queued %d on %d hosts, best %.2f · in flight %d · limited by %s",
		st.Books.Queued, st.Hosts, st.Top, st.Books.InFlight, st.LimitedBy), s.waits(time.Now()))
}

// printOutage prints a line when the network fails, and one when it is back.
func (s *screen) printOutage(o *crawl.Outage) {
	switch {
	case o != nil && !s.paused:
		fmt.Fprintf(s.w.err, "%s %s\n", time.Now().UTC().Format(time.RFC3339), outageLine(o, time.Now()))
	case o == nil && s.paused:
		fmt.Fprintf(s.w.err, "%s network is back; the crawl continues\n", time.Now().UTC().Format(time.RFC3339))
	}
	s.paused = o != nil
}

// printScarce prints once in a run that links are left out for want of memory.
func (s *screen) printScarce(st crawl.Status) {
	if line := scarceLine(st.LeftOut); line != "" && !s.scarce && st.LeftOut > s.before {
		s.scarce = true
		fmt.Fprintf(s.w.err, "%s %s\n", time.Now().UTC().Format(time.RFC3339), line)
	}
}

// scarceLine returns that links were left out for want of memory, "" if none were.
func scarceLine(links int) string {
	if links == 0 {
		return ""
	}
	return fmt.Sprintf("memory is scarce (--memory): %s left out so far, the least promising ones", some(links, "link"))
}

// maxHostsShown bounds how many hosts are examined for the screen, which happens twice a
// second.
const maxHostsShown = 5000

// waits returns what hosts with queued links are waiting for, or the outage of the
// network. Three causes are distinguished because three different things help: nothing
// (the delay is politeness), time (a host that failed is asked less often), or the site's
// owner (without a robots.txt that can be read, nothing is fetched).
func (s *screen) waits(now time.Time) string {
	c := s.cr.Collection.Crawl
	if o := c.Status().Outage; o != nil {
		return " " + outageLine(o, now)
	}
	resting, backing, closed := 0, 0, 0
	for i := range min(c.Frontier().Hosts(), maxHostsShown) {
		h := c.Host(i)
		switch {
		case h.Robots != nil && h.Robots.Status >= 500:
			closed++
		case !h.Ready.After(now):
		case h.BackOffs > 0:
			backing++
		case h.Waiting > 0:
			resting++
		}
	}
	line := fmt.Sprintf(" hosts: %d waiting for their delay", resting)
	if backing > 0 {
		line += fmt.Sprintf(" · %d backing off", backing)
	}
	if closed > 0 {
		line += fmt.Sprintf(" · %d without a robots.txt that can be read", closed)
	}
	return line
}

// rival returns the harvest rate of breadth-first after as many pages, if the demo knows
// it.
func (s *screen) rival(st crawl.Status) string {
	if s.extra == nil || s.extra.rival == nil {
		return ""
	}
	h, ok := s.extra.rival(st.Fetched)
	if !ok {
		return ""
	}
	return fmt.Sprintf("   breadth-first: %.2f by the judge", h)
}

// sparkline draws the last n values, each between 0 and 1, as one character each.
func sparkline(values []float64, n int) string {
	const bars = "▁▂▃▄▅▆▇█"
	runes := []rune(bars)
	if len(values) > n {
		values = values[len(values)-n:]
	}
	var b strings.Builder
	for _, v := range values {
		i := int(v * float64(len(runes)))
		b.WriteRune(runes[min(max(i, 0), len(runes)-1)])
	}
	return b.String()
}

// end draws the final state and leaves it on the terminal.
func (s *screen) end() {
	if s.quiet || s.cr == nil {
		return
	}
	if !s.live {
		s.printOutage(s.cr.Status().Outage)
		return
	}
	s.draw(s.cr.Status())
	fmt.Fprintln(s.w.err)
}

// stopMeans explains each stop reason, for the summary, the status and dowse help
// reasons.
var stopMeans = map[dowse.StopReason]string{
	dowse.StopPages: "the page limit is reached", dowse.StopOnTopic: "the limit of pages on topic is reached",
	dowse.StopBytes: "the byte limit is reached", dowse.StopTime: "the time limit is reached",
	dowse.StopExhausted: "nothing is left to visit", dowse.StopDriedUp: "too little is found (--until)",
	dowse.StopRecall:  "enough of the topic is found, by the estimate (--until)",
	dowse.StopStarved: "all that is left waits for hosts that do not answer",
	dowse.StopNetwork: "this machine has no network",
	dowse.StopSignal:  "paused by Ctrl-C, dowse stop or a closed terminal", dowse.StopDisk: "the disk is full, or less than --disk-floor is free", dowse.StopError: "an error",
	dowse.StopMemory: "the pages fetched so far fill the memory that it may use (--memory)",
}

// stopMeaning explains why a crawl ended.
func stopMeaning(s *crawl.Status) string {
	if s.Stopped == dowse.StopNetwork && s.Outage != nil && s.Outage.Names {
		return "no name server answers"
	}
	return stopMeans[s.Stopped]
}

// heldLine returns that a crawl was limited by waiting for better links, "" if it hardly
// was.
func heldLine(share float64) string {
	if share < 0.25 {
		return ""
	}
	return fmt.Sprintf("waited for better links %.0f %% of the time; --prefer time does not wait", 100*share)
}

// cutPages counts the pages of a run that are kept without their end, because they are
// larger than --max-body or because the connection broke off. The summary names the first
// one, so that a user can look at the cause.
type cutPages struct {
	n     int
	first dowse.URL
}

// add counts a page.
func (c *cutPages) add(p *crawler.Page) {
	if p.Outcome != dowse.Fetched || !p.Fetch.Truncated {
		return
	}
	if c.n++; c.n == 1 {
		c.first = p.URL
	}
}

// line is the line of a summary, "" if no page is cut off.
func (c *cutPages) line(dir string) string {
	switch c.n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("1 page is cut off; dowse why %s %s", shellWord(dir), shellWord(string(c.first)))
	}
	return fmt.Sprintf("%s are cut off, such as this one; dowse why %s %s", some(c.n, "page"), shellWord(dir), shellWord(string(c.first)))
}

// summary prints how a crawl ended, which of its pages are cut off, and what to do next:
//
//	Reached 800 pages (stop_reason=pages). Ran 8.5 s.
//	 fetched 800   on topic 401   harvest 0.501 (by the judge)
//	 books: 2,310 seen = 800 fetched + 21 failed + 9 redirected + 1,402 queued
//	        + 78 skipped (balanced)
//
//	More: dowse crawl reefs.dowse --pages 1600
//	Next: dowse pages reefs.dowse --on
//
// The books are the proof that no URL was lost: what was seen is the sum of what became
// of it. Each of the last lines ends with a command that can be copied and works as it is
// printed.
func summary(w *world, dir string, cr *crawler.Crawler, before, s crawl.Status, extra *extras, cut cutPages) {
	traps := trapLines(cr.Collection.Reasons(), s.Dropped)
	fmt.Fprintln(w.err, headline(cr.StopReason(), s, cr.Collection.Settings.Limits.Pages, len(traps) > 0))
	fmt.Fprintf(w.err, " fetched %s   on topic %s   harvest %.3f (by the judge)\n", count(s.Fetched), count(s.OnTopic), s.Harvest)
	if line := againLine(before, s); line != "" {
		fmt.Fprintf(w.err, " asked again: %s\n", line)
	}
	if line := recallLine(s.Estimate, len(traps) > 0); line != "" {
		fmt.Fprintln(w.err, " found "+line)
	}
	if line := heldLine(s.Held); line != "" {
		fmt.Fprintln(w.err, " "+line)
	}
	if line := dryLine(cr, s); line != "" {
		fmt.Fprintln(w.err, " "+line)
	}
	if line, ok := siteSummary(cr.Collection.Crawl); ok {
		fmt.Fprintln(w.err, line)
	}
	for _, l := range consultedLines(cr.Consulted()) {
		fmt.Fprintln(w.err, oneLine(l))
	}
	if extra != nil && extra.verdict != nil {
		for _, l := range extra.verdict(cr) {
			fmt.Fprintln(w.err, l)
		}
	}
	b := s.Books
	mark := "balanced"
	if !b.Balanced() {
		mark = "NOT BALANCED: run dowse collection verify"
	}
	fmt.Fprintf(w.err, " books: %s seen = %s fetched + %s failed + %s redirected + %s queued\n        + %s skipped%s (%s)\n",
		count(b.Known), count(b.Fetched), count(b.Failed), count(b.Redirected), count(b.Queued), count(b.Skipped), rarely(b), mark)
	if t, err := requisite.TotalsOf(dir); err == nil && t.Kept+t.Left > 0 {
		fmt.Fprintf(w.err, " with %s of %s, %s; %s not had\n", some(t.Kept, "requisite"), some(t.Pages, "page"), bytesText(t.Bytes), count(t.Left))
	}
	for _, l := range unreachedLines(cr.Collection.Crawl.Unreached()) {
		fmt.Fprintln(w.err, l)
	}
	if n := failedByNetwork(cr.Collection.Reasons()); n > 0 {
		fmt.Fprintf(w.err, " %s failed for network reasons; --retry failed asks for them again\n", some(n, "page"))
	}
	if cr.StopReason() == dowse.StopExhausted {
		for _, l := range traps {
			fmt.Fprintln(w.err, " "+l)
		}
	}
	if line := unkeptLine(s.LeftOut); line != "" {
		fmt.Fprintln(w.err, " "+line)
	}
	if line := cut.line(dir); line != "" {
		fmt.Fprintln(w.err, " "+oneLine(line))
	}
	fmt.Fprintln(w.err)
	if what, command := onward(dir, cr); command != "" {
		fmt.Fprintf(w.err, "%s: %s\n", what, command)
	}
	for i, l := range nextSteps(dir, cr, extra) {
		fmt.Fprintf(w.err, "%-6s%s\n", head(i, "Next:"), l)
	}
}

// dryLine reports that the latest pages had none on topic, "" if some were. A crawl that
// has dried up ends by itself only if a rule of --until says so.
func dryLine(cr *crawler.Crawler, s crawl.Status) string {
	switch {
	case s.Fetched < windowPages || s.Window > 0:
		return ""
	case cr.StopReason() == dowse.StopDriedUp:
		return fmt.Sprintf("dried up: none of the last %d pages were on topic", windowPages)
	}
	return fmt.Sprintf("dried up, probably: none of the last %d pages were on topic", windowPages)
}

// headline returns the first line of a summary: how the crawl ended, and how long it ran.
// A pause and a limit are named with the number of pages, since both are normal; other
// ends are named by their meaning. limit is the limit of pages, which may be lower than their number
// if it was set later; traps reports whether URLs were left out as those of a trap.
func headline(why dowse.StopReason, s crawl.Status, limit int, traps bool) string {
	s.Stopped = why
	how := "Done: " + stopMeaning(&s)
	switch why {
	case dowse.StopExhausted:
		if traps {
			how += " except for what looks like a trap"
		}
	case dowse.StopSignal:
		how = "Paused after " + some(s.Fetched, "page")
	case dowse.StopPages:
		how = "Reached " + some(s.Fetched, "page")
		if s.Fetched > limit {
			how = fmt.Sprintf("Stopped with %s: the limit is %s", some(s.Fetched, "page"), count(limit))
		}
	case dowse.StopDisk, dowse.StopMemory, dowse.StopError, dowse.StopStarved, dowse.StopNetwork:
		how = fmt.Sprintf("Stopped after %s: %s", some(s.Fetched, "page"), stopMeaning(&s))
	}
	return fmt.Sprintf("%s (stop_reason=%s). Ran %.1f s.", how, why, s.Elapsed.Seconds())
}

// onward returns the command that continues a crawl which ended before everything was
// visited, and what it is for. A limit of the crawl is doubled, until it is more than what the crawl
// has by now: the same command would end immediately.
func onward(dir string, cr *crawler.Crawler) (what, command string) {
	again, l, s := resumeCommand(dir), cr.Collection.Settings.Limits, cr.Status()
	switch cr.StopReason() {
	case dowse.StopStarved, dowse.StopNetwork:
		return "Try again", again
	case dowse.StopMemory:
		if cr.Collection.Settings.MemoryLimit == 0 { // the limit is that of the control group, or GOMEMLIMIT
			return "Continue where it may use more memory", again
		}
		f, _ := settings.ByFlag("memory")
		twice := settings.Settings{Machine: settings.Machine{MemoryLimit: 2 * cr.Collection.Settings.MemoryLimit}}
		return "Continue", again + " --memory " + f.Text(&twice)
	case dowse.StopSignal, dowse.StopDisk:
		return "Continue", again
	case dowse.StopPages:
		return "More", fmt.Sprintf("%s --pages %d", again, 2*max(l.Pages, s.Fetched))
	case dowse.StopOnTopic:
		return "More", fmt.Sprintf("%s --on-topic %d", again, 2*max(l.OnTopic, s.OnTopic))
	case dowse.StopBytes:
		l.Bytes = doubled(l.Bytes, s.Bytes)
		return "More", again + " --bytes " + limitText("bytes", l)
	case dowse.StopTime:
		l.Time = doubled(l.Time, s.Elapsed)
		return "More", again + " --time " + limitText("time", l)
	case dowse.StopDriedUp, dowse.StopRecall:
		return "Continue", again + " --until none" // the rule that ended it would end it again
	}
	return "", ""
}

// doubled doubles a limit until it is more than what was reached. A crawl may exceed its limits of
// bytes and time: requests under way are finished.
func doubled[T int64 | time.Duration](limit, reached T) T {
	for limit *= 2; limit > 0 && limit <= reached; limit *= 2 {
	}
	return limit
}

// limitText returns the value of a limit as a user types it.
func limitText(flag string, l settings.Limits) string {
	f, _ := settings.ByFlag(flag)
	return f.Text(&settings.Settings{Limits: l})
}

// rarely returns the parts of the books that are mostly zero, without zeros.
func rarely(b crawl.Books) (line string) {
	for _, part := range []struct {
		n    int
		name string
	}{{b.Held, "held"}, {b.InFlight, "in flight"}} {
		if part.n > 0 {
			line += fmt.Sprintf(" + %s %s", count(part.n), part.name)
		}
	}
	if b.Sitemaps > 0 {
		line += " + " + some(b.Sitemaps, "list") + " of URLs"
	}
	return line
}

// nextSteps returns commands to try after a crawl, in addition to the one that continues it.
// After an interruption or a failure of the network they show its state; otherwise they lead
// to what was found: the best pages, the explanation of one, an export. If nothing is on
// topic, they lead to the pages that came nearest, and if nothing was fetched, to the hosts.
func nextSteps(dir string, cr *crawler.Crawler, extra *extras) (steps []string) {
	name := shellWord(dir)
	switch cr.StopReason() {
	case dowse.StopStarved, dowse.StopNetwork:
		return []string{"dowse hosts " + name}
	case dowse.StopSignal:
		return []string{"dowse status " + name}
	}
	if extra != nil && len(extra.next) > 0 {
		return extra.next
	}
	if _, ok := siteSummary(cr.Collection.Crawl); ok {
		return []string{"dowse sites " + name + " --on", "dowse export " + name + " " + freeName("sites", ".svg")}
	}
	if st := cr.Status(); st.Fetched == 0 {
		return []string{"dowse hosts " + name, "dowse status " + name}
	} else if st.OnTopic == 0 {
		return []string{"dowse pages " + name + " --sort score", "dowse status " + name}
	}
	if t := cr.Status().Refresh; t.Changed+t.Gone > 0 {
		steps = append(steps, "dowse changes "+name+" --since 7d")
	}
	if u := firstFetched(cr.Collection.Crawl.Frontier()); u != "" {
		steps = append(steps, "dowse why "+name+" "+shellWord(oneLine(string(u))))
	}
	return append(steps, "dowse pages "+name+" --on", "dowse export "+name+" "+freeName(cr.Collection.Settings.Name, ".wacz"))
}

// firstFetched returns the URL that was seen first of those that were fetched, "" if none of the first
// thousand was: a seed may be dead, and one that was taken down has no URL.
func firstFetched(f *frontier.Frontier) dowse.URL {
	for i := range min(f.Len(), 1000) {
		if u := f.URL(idOf(i)); u != "" && f.State(idOf(i)) == dowse.Visited {
			return u
		}
	}
	return ""
}

// freeName returns the name of a file that does not exist in this directory: an export to
// one that exists would be refused.
func freeName(stem, suffix string) string {
	name := stem + suffix
	for i := 2; i < 100; i++ {
		if _, err := os.Lstat(name); err != nil {
			break
		}
		name = fmt.Sprintf("%s-%d%s", stem, i, suffix)
	}
	return shellWord(name)
}

// againLine returns what came of asking for pages again, in this run and over all runs, "" if none was asked in any.
// before is the state in which the run began.
func againLine(before, s crawl.Status) string {
	all := refreshLine(&s)
	run, was := s, before.Refresh
	run.Refresh.Changed -= was.Changed
	run.Refresh.Unchanged -= was.Unchanged
	run.Refresh.Missing -= was.Missing
	run.Refresh.Other -= was.Other
	run.Refresh.Gone -= was.Gone
	switch line := refreshLine(&run); {
	case all == "" || line == all:
		return all
	case line == "":
		return "no page in this run; over all runs " + all
	default:
		return line + "; over all runs " + all
	}
}

// refreshLine returns what came of asking for pages again, "" if none was.
func refreshLine(s *crawl.Status) string {
	t := s.Refresh
	parts := []string{count(t.Changed) + " changed", count(t.Unchanged) + " unchanged", count(t.Missing) + " missing"}
	switch {
	case t.Changed+t.Unchanged+t.Missing+t.Other == 0:
		return ""
	case t.Other > 0:
		parts = append(parts, count(t.Other)+" moved or without an answer")
	}
	if t.Gone > 0 {
		parts = append(parts, count(t.Gone)+" of them gone")
	}
	return strings.Join(parts, ", ")
}
