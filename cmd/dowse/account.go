package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/judge"
	"dowse/weburl"
)

// The widths of screens made of fields.
const (
	columns80    = 80
	fieldColumns = 11 // of a field's name and the spaces around it
)

// A sheet collects the lines of a screen of text: fields with a name at the left. Most
// commands that print for people use it, so that all their screens look alike:
//
//	tide-pools  stopped 13s ago: the page limit is reached (pages)
//	 fetched   120   on topic 53   harvest 0.442 by the judge
//	 queued    1,496 links on 47 hosts
//
// Text is wrapped at the width of the terminal, and what cannot be wrapped is cut there.
// Without a terminal, text is wrapped at 80 columns and nothing is cut, so that pipes and
// files get everything.
type sheet struct {
	lines    []string
	terminal int // its columns; 0 for none
}

// sheetFor returns an empty sheet for an output, with the width of its terminal.
func sheetFor(out io.Writer) *sheet { return &sheet{terminal: columnsOf(out)} }

// wide returns the number of columns at which text is wrapped.
func (s *sheet) wide() int { return cmp.Or(s.terminal, columns80) }

// print prints the lines of the sheet, in colours if the output shows them.
func (s *sheet) print(out io.Writer) {
	for _, l := range s.lines {
		fmt.Fprintln(out, tint(l, colouredOf(out)))
	}
}

// add adds a line as it is, cut to the terminal.
func (s *sheet) add(line string) { s.lines = append(s.lines, clip(line, s.terminal, s.terminal)) }

// field adds one line with a name at the left; the value is made printable, since it may
// come from the web. An empty name continues the field above.
func (s *sheet) field(name, format string, args ...any) {
	s.add(fmt.Sprintf(" %-9s %s", name, oneLine(fmt.Sprintf(format, args...))))
}

// more adds an indented line that belongs to the one above it.
func (s *sheet) more(format string, args ...any) {
	s.add("   " + oneLine(fmt.Sprintf(format, args...)))
}

// flow adds items one after the other, as many per line as fit. The first line begins
// with lead, and the following lines are indented as far as lead is wide, so that the
// items stay in one column. Items are never broken: a URL or a term stays whole.
func (s *sheet) flow(lead string, items []string, between string) {
	line := lead
	for i, item := range items {
		item = oneLine(item)
		if i < len(items)-1 {
			item += between
		}
		if line != lead && len([]rune(line))+len([]rune(strings.TrimRight(item, " "))) > s.wide() {
			s.add(strings.TrimRight(line, " "))
			lead = strings.Repeat(" ", min(fieldColumns, len([]rune(lead))))
			line = lead
		}
		line += item
	}
	s.add(strings.TrimRight(line, " "))
}

// text adds a named text, wrapped over several lines if necessary.
func (s *sheet) text(name, text string) {
	for i, l := range wrap(oneLine(text), s.wide()-fieldColumns) {
		s.field(head(i, name), "%s", l)
	}
}

// command adds a named text that may hold a command. A command is neither wrapped nor cut, since it is to be copied.
func (s *sheet) command(name, text string) {
	if !strings.Contains(text, "dowse ") {
		s.text(name, text)
		return
	}
	s.lines = append(s.lines, fmt.Sprintf(" %-9s %s", name, oneLine(text)))
}

// whole adds a text that must not be cut, such as a URL to copy, over several lines if
// necessary.
func (s *sheet) whole(text string) {
	r := []rune(oneLine(text))
	for n := s.terminal; n > 0 && len(r) > n; r = r[n:] {
		s.lines = append(s.lines, string(r[:n]))
	}
	s.lines = append(s.lines, string(r))
}

// show writes the screen of dowse why. The outcome comes first, then why the link was
// chosen, how it was found, how politely it was fetched, what it links to, and how to get
// it if it was left out:
//
//	http://kelp.demo/field/zonation
//	 title     Zonation – Kelp
//	 verdict   ON TOPIC 0.91  (judge m0001, threshold 0.50)
//	   +1.41 "intertidal" ×6    +0.99 "zonation" ×7      -5.50 bias
//	   together +2.31 in log-odds, which is 0.91
//	   without "intertidal" it would be 0.71: still on topic
//	 chosen    at 09:12:44 with priority 0.860; 214 waited, none better
//	   0.410 parent page (0.93) + 0.270 anchor "zonation"
//	 seen      first at 09:12:40: link "zonation" on kelp.demo/
//	 path      shorewalks.demo/ → kelp.demo/ → this  (2 steps)
//	 polite    robots.txt allows it (rule: none) · kelp.demo had rested 59 ms
//	 fetched   200 text/html · 14.2 KB in 18 ms · REEFS-...-00000-host.warc.gz @ 182,331
//	 links     37 found: 12 queued, 21 seen, 4 robots.txt
//
// Every part is left out if it does not apply. The same facts are printed by --json, from
// the same struct.
func (a *account) show(s *sheet) {
	s.whole(cmp.Or(string(a.Row.URL), oneLine(a.asked))) // of a URL that was taken down nothing is known but what was asked
	if a.Row.Title != "" {
		s.field("title", "%s", a.Row.Title)
	}
	a.headline(s)
	a.chosen(s)
	if r := a.Retried; r != nil {
		s.field("retried", "put back into the queue at %s (%s)", clock(r.At), r.What)
	}
	a.origin(s)
	a.path(s)
	a.polite(s)
	a.fetched(s)
	a.versions(s)
	a.links(s)
	a.remedy(s)
	if a.Partial {
		s.field("note", "the journal is long: an earlier try or a better link may be missing here")
	}
}

// headline adds what became of the URL. The cases are ordered: a page that was taken down
// shows nothing else, and a verdict comes before any other state. A URL that waits after
// a failed visit shows what happened so far.
func (a *account) headline(s *sheet) {
	switch {
	case a.Row.Reason == dowse.SkipForgotten:
		a.reason(s)
	case a.Judged != nil:
		a.verdict(s)
		if a.Row.Reason == dowse.FailGone {
			s.field("gone", "%s; what follows is its last version", a.Meaning)
		}
		if a.Row.Near != "" {
			s.field("near", "nearly the same text as %s", bare(a.Row.Near))
		}
		a.shared(s)
	case a.Row.Redirect != "":
		s.add(" REDIRECTED")
		s.field("to", "%s", a.Row.Redirect)
	case a.Row.State == dowse.Waiting:
		s.add(fmt.Sprintf(" NOT FETCHED  queued: %s of %s queued links", ordinal(a.Rank), count(a.Wait)))
		a.soFar(s)
	case a.Row.Reason != "":
		a.reason(s)
	case a.Sitemap:
		s.add(" READ  a " + listKind(a.Row.Fetch.Type) + ": a list of URLs, not a page")
	default:
		s.add(" NOT FETCHED  " + stateMeans(a.Row.State))
	}
}

// listKind returns what a list of URLs is.
func listKind(mediaType string) string {
	if facts.IsFeed(mediaType) {
		return "feed"
	}
	return "sitemap"
}

// shared adds what the page has in common with earlier pages of its host, and what was done without it.
func (a *account) shared(s *sheet) {
	x := a.Shared
	if x == nil {
		return
	}
	line := fmt.Sprintf("%s of its text (%s) that earlier pages of the host had, too", some(x.Parts, "part"), bytesText(int64(x.Bytes)))
	if x.Judge {
		line += "; the judge did not read them"
	}
	if x.Links > 0 {
		line += fmt.Sprintf("; the words of %s in them do not count", some(x.Links, "link"))
	}
	s.text("template", line)
}

// soFar adds the results of earlier visits to a URL that waits.
func (a *account) soFar(s *sheet) {
	if a.Tries > 0 {
		s.text("tried", fmt.Sprintf("%s, without success: %s", times(a.Tries), a.Row.Detail))
	}
	if a.Unmade > 0 {
		s.text("network", fmt.Sprintf("this machine could not ask for it, %s: %s", times(a.Unmade), a.Row.Detail))
	}
}

// times returns "once" or "N times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return count(n) + " times"
}

// stateMeans explains the state of a URL that was neither fetched nor skipped.
func stateMeans(state dowse.State) string {
	switch state {
	case dowse.Held:
		return "held: known, and not queued by the strategy"
	case dowse.Flying:
		return "in flight: it is being fetched"
	}
	return state.String()
}

// reason adds why a URL was skipped or failed, with the details that are known.
func (a *account) reason(s *sheet) {
	title := "NOT FETCHED  skipped: "
	switch {
	case a.Row.State == dowse.Dead:
		title = "FAILED  "
	case a.Row.Requested:
		title = "FETCHED, NOT KEPT  skipped: "
	}
	s.add(" " + title + string(a.Row.Reason))
	s.text("means", withFlags(a.Row.Reason, a.Meaning))
	if a.Row.Detail != "" {
		s.text("detail", a.Row.Detail)
	}
	a.setting(s)
	if p := a.Pattern; p != nil {
		s.field("pattern", "%s: %s visited, %s with a new text on topic", p.Shape, count(p.Visited), count(p.OnTopic))
	}
	if a.Row.Near != "" {
		s.field("near", "%s", bare(a.Row.Near))
	}
	if a.Tries > 1 {
		s.field("tries", "%d", a.Tries)
	}
}

// setting adds when the setting was made that leaves the URL out, if it was made with dowse
// set.
func (a *account) setting(s *sheet) {
	name, value, ok := strings.Cut(a.Row.Detail, " ")
	if !ok || name != "exclude" && name != "block" && name != "include" {
		return
	}
	records, err := crawler.SetRecords(a.dir)
	if err != nil {
		return
	}
	for _, r := range slices.Backward(records) {
		for _, x := range r.Changes {
			if strings.HasPrefix(x, name+" ") && (name == "include" || strings.Contains(x, value)) {
				s.text("set", fmt.Sprintf("%s %s", clock(r.At), x))
				return
			}
		}
	}
}

// byLanguage is the judge of a seed in a language that is not wanted. Its verdict is a rule,
// which no sign on the page would turn.
const byLanguage = "language"

// verdict adds the judge's verdict, its reasons with their weights, and what would change
// it. For a labelled page the label decides, and the judge's own verdict follows.
//
// Reasons of the words and terms are short and are printed in three columns. Clauses of
// where: are long and each has a line of its own, with its result first. All weights are
// shown, the bias too, so that the sum can be checked by hand.
func (a *account) verdict(s *sheet) {
	v := a.Judged
	if a.Alone != nil {
		s.field("verdict", "%s, as labelled", side(v.OnTopic))
		a.labelled(s)
		return
	}
	s.field("verdict", "%s %s%s  (judge %s, threshold %.2f)", side(v.OnTopic), score(v.Relevance), doubt(v), orDefault(v.Judge, "of a program"), v.Threshold)
	var cells []string
	sum := 0.0
	for _, p := range sumsLast(v.Because) {
		sum += p.Weight
		if _, ok := s.clauseOf(p); !ok && v.Judge == mergedJudge {
			s.more("%s", clip(oneLine(p.What), 70, s.terminal))
		} else if !ok {
			cells = append(cells, s.cell(p))
		}
	}
	if len(cells) > 0 {
		s.flow("   ", cells, "")
	}
	for _, p := range v.Because {
		if c, ok := s.clauseOf(p); ok {
			s.more("%s", c)
		}
	}
	if v.Judge != byLanguage && v.Judge != mergedJudge && len(v.Because) > 0 {
		s.more("%s", scaleNote(v, sum))
	}
	if v.Judge != byLanguage {
		for _, l := range turning(v) {
			s.more("%s", l)
		}
	}
	a.labelled(s)
}

// sumsLast returns reasons with what names no sign of the page at the end: the sum of the weak ones,
// which together are often the strongest, and the bias.
func sumsLast(list []collection.Part) []collection.Part {
	rank := func(p collection.Part) int {
		switch {
		case p.What == "bias":
			return 2
		case judge.SummedUp(dowse.Because{What: p.What}):
			return 1
		}
		return 0
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b collection.Part) int { return rank(a) - rank(b) })
	return list
}

// labelled adds the labels of the page, the verdict of the judge without them, and the
// relevance that each model assigned. The last shows what retraining changed for this
// page: m0000 0.42 → m0001 0.88.
func (a *account) labelled(s *sheet) {
	for i := range a.Labels {
		l := &a.Labels[i]
		ending := l.Ending()
		if ending != "" {
			ending = " (" + ending + ")"
		}
		s.field(head(i, "label"), "%s, by %s at %s%s%s", l.Label.Label, orDefault(l.By, "unknown"), clock(l.At), ending, noted(l.Note))
	}
	if v := a.Alone; v != nil {
		s.field("judge", "alone it would say %s %s", sideWord(v.OnTopic), score(v.Relevance))
		var cells []string
		for _, p := range v.Because[:min(len(v.Because), 6)] {
			cells = append(cells, s.cell(p))
		}
		s.flow("   ", cells, "")
	}
	if len(a.Models) > 1 {
		var steps []string
		for _, m := range a.Models {
			steps = append(steps, m.Model+" "+score(m.Relevance))
		}
		s.flow(" models    ", steps, " → ")
		for _, m := range a.Models {
			if m.Contrast > 0 {
				s.more("%s was trained against %s seen in this crawl", m.Model, some(m.Contrast, "page"))
			}
		}
	}
}

// clausePattern matches the reason that a clause of where: gives: the clause, its
// result, and a detail.
var clausePattern = regexp.MustCompile(`^where (.*): (yes|no|unknown)(?:, (.*))?$`)

// clauseOf returns the reason of a clause as a line of its own, with its result first;
// ok is false for other reasons.
func (s *sheet) clauseOf(p collection.Part) (line string, ok bool) {
	m := clausePattern.FindStringSubmatch(oneLine(p.What))
	if m == nil {
		return "", false
	}
	line = fmt.Sprintf("%+.2f where %-7s %s", p.Weight, m[2], clip(m[1], 36, s.terminal))
	if m[3] != "" {
		line += "  (" + m[3] + ")"
	}
	return line, true
}

// scaleNote states what the weights of the reasons add up to, on the judge's scale. Most
// judges add log-odds. For some judges the weights do not add up, since each is the loss
// without one sign; then the note says so instead of giving a wrong sum.
func scaleNote(v *collection.Ruling, sum float64) string {
	switch v.Scale {
	case judge.LogOdds:
		return fmt.Sprintf("together %+.2f in log-odds, which is %s", sum, score(v.Relevance))
	case judge.Change:
		return "each is what the score would lose without it"
	case "": // a judge of a Go program need not name one
		return fmt.Sprintf("together %+.2f", sum)
	}
	return fmt.Sprintf("together %+.2f, as %s", sum, v.Scale)
}

// doubt returns ", unsure" for a verdict near the threshold.
func doubt(v *collection.Ruling) string {
	if v.Verdict == collection.VerdictUnsure {
		return ", unsure"
	}
	return ""
}

// cellColumns is the width of one reason, so that a line of 80 columns has three.
const cellColumns = 25

// cell returns a reason with its weight, padded to a multiple of cellColumns, so that
// cells of one or two widths line up below each other.
func (s *sheet) cell(p collection.Part) string {
	text := fmt.Sprintf("%+.2f %s", p.Weight, clip(oneLine(p.What), 50, s.terminal))
	if p.Count > 0 {
		text += fmt.Sprintf(" ×%d", p.Count)
	}
	n := len([]rune(text))
	return text + strings.Repeat(" ", cellColumns-n%cellColumns)
}

// chosen adds the priority of the URL, the reasons for it, and how it compared with the
// rest of the queue when it was taken. A URL that still waits has a worth and no time.
// Politeness makes a crawl take a worse link than the best one at times; the line says by
// how much.
func (a *account) chosen(s *sheet) {
	c := a.Chosen
	switch {
	case c == nil:
		return
	case c.Taken && c.Queue > 0:
		s.field("chosen", "at %s with priority %.3f; %s waited, %s", clock(c.At), c.Priority, count(c.Queue), regret(c))
	case c.Taken:
		s.field("chosen", "at %s with priority %.3f", clock(c.At), c.Priority)
	default:
		s.field("worth", "priority %.3f", c.Priority)
	}
	var parts []string
	for i, b := range c.Because {
		weight := fmt.Sprintf("%.3f", b.Weight)
		if i > 0 && !strings.HasPrefix(weight, "-") {
			weight = "+ " + weight
		} else if i > 0 {
			weight = "- " + weight[1:]
		}
		parts = append(parts, weight+" "+a.signed(b))
	}
	if len(parts) > 0 {
		s.flow("   ", parts, " ")
	}
	if c.Parent != "" && a.ranker() {
		s.more("link %son %s", s.quoted(c.Anchor), bare(c.Parent))
	}
	if c.Shared {
		s.more("the words of the link do not count: other pages of the host have it there, too")
	}
}

// signed names a reason for a priority. The parent page is shown with its relevance.
func (a *account) signed(b collection.Cause) string {
	if r := a.Chosen.Relevance; r != nil && b.What == "parent page" {
		return fmt.Sprintf("parent page (%s)", score(*r))
	}
	return b.What
}

// ranker reports whether the link that ranked the URL is another than the one that it was
// found by. Several pages may link to it, and the best of their links counts.
func (a *account) ranker() bool {
	return a.Found == nil || a.Chosen.Parent != a.Found.Parent || a.Chosen.Anchor != a.Found.Anchor
}

// regret states how much better the best waiting link was than the one taken.
func regret(c *collection.Choice) string {
	if c.Regret < 0.0005 {
		return "none better"
	}
	return fmt.Sprintf("the best %.3f better", c.Regret)
}

// origin adds where the URL was first seen: a link, a seed, a redirect or a sitemap, with
// page, anchor and time. Later links to it may have raised its priority; see chosen.
func (a *account) origin(s *sheet) {
	f := a.Found
	if f == nil {
		return
	}
	parts := []string{fmt.Sprintf("first at %s: link", clock(f.At)), s.quoted(f.Anchor) + "on " + bare(f.Parent)}
	switch f.How {
	case collection.FromSeed:
		parts = []string{fmt.Sprintf("first at %s: a seed", clock(f.At))}
	case collection.FromRedirect:
		parts = []string{fmt.Sprintf("first at %s: redirected from", clock(f.At)), bare(f.Parent)}
	case collection.FromSitemap:
		parts = []string{fmt.Sprintf("first at %s: listed in", clock(f.At)), bare(f.Parent)}
	case collection.FromFeed:
		parts = []string{fmt.Sprintf("first at %s: item", clock(f.At)), s.quoted(f.Anchor) + "of the feed " + bare(f.Parent)}
	case collection.FromStrategy:
		parts = []string{fmt.Sprintf("first at %s: named by the strategy", clock(f.At))}
	}
	s.flow(" seen      ", parts, " ")
}

// path adds the pages from a seed to the URL. Steps on the same host are shown without
// it.
func (a *account) path(s *sheet) {
	if len(a.Path) < 2 {
		return
	}
	var steps []string
	host := ""
	for i, u := range a.Path {
		step := bare(u)
		switch {
		case i == len(a.Path)-1:
			step = "this"
		case weburl.Host(u) == host:
			step = weburl.Path(u)
		}
		host = weburl.Host(u)
		steps = append(steps, clipMiddle(step, 60, s.terminal))
	}
	steps[len(steps)-1] += fmt.Sprintf("  (%s)", some(len(a.Path)-1, "step"))
	s.flow(" path      ", steps, " → ")
}

// polite adds what robots.txt permits, the pauses, and the state of the host. It is the
// answer to a site's owner who asks whether the page was requested with care.
func (a *account) polite(s *sheet) {
	m := a.Polite
	if m == nil {
		return
	}
	parts := []string{robotsPermission(m)}
	if m.Delay > 0 {
		parts = append(parts, fmt.Sprintf("it asks for %s between requests", time.Duration(m.Delay)))
	}
	if time.Duration(m.Rested) >= time.Millisecond {
		parts = append(parts, fmt.Sprintf("%s had rested %s", m.Host, seconds(time.Duration(m.Rested))))
	}
	if m.State != collection.HostOK {
		parts = append(parts, "the host is "+m.State+causeOf(m.Why)+until(m.Until)+askedFor(m.Asked))
	}
	s.flow(" polite    ", parts, " · ")
}

// causeOf returns a reason in parentheses, "" for none.
func causeOf(why dowse.Reason) string {
	if why == "" {
		return ""
	}
	return " (" + string(why) + ")"
}

// robotsPermission states whether robots.txt allows the URL, and by which rule.
func robotsPermission(m *collection.Manners) string {
	switch {
	case m.Robots == collection.RobotsUnread:
		return "robots.txt could not be read"
	case m.Robots == collection.RobotsNotRead:
		return "robots.txt was not read yet"
	case m.Allowed:
		return fmt.Sprintf("robots.txt allows it (rule: %s)", orDefault(m.Rule, "none"))
	}
	return fmt.Sprintf("robots.txt forbids it (rule: %s)", orDefault(m.Rule, "none"))
}

// fetched shows the facts of the download.
func (a *account) fetched(s *sheet) {
	if !a.Row.Requested {
		return
	}
	d := &a.Row.Fetch
	parts := []string{"no answer at " + clock(d.At)}
	if d.Status != 0 {
		parts = []string{strings.TrimSpace(fmt.Sprintf("%d %s", d.Status, d.Type)), fmt.Sprintf("%s in %s", bytesText(d.Bytes), seconds(d.Took))}
	}
	switch {
	case d.Truncated && d.Bytes == 0 && d.Status != 0:
		parts[1] = "its content was not kept"
	case d.Truncated:
		parts = append(parts, "cut")
	}
	if a.Row.Again {
		parts = append(parts, "not for the first time")
	}
	if d.Archive.File != "" {
		parts = append(parts, fmt.Sprintf("%s @ %s", d.Archive.File, count(int(d.Archive.Offset))))
	}
	s.flow(" fetched   ", parts, " · ")
	if from, ok := strings.CutPrefix(a.Row.Detail, "from "); ok {
		s.text("from", oneLine(from)) // it was imported, or merged
	}
}

// shownVersions is how many versions of a page are listed, the newest of them.
const shownVersions = 12

// versions lists the versions of a page that was asked again, each with how often it was found the same.
func (a *account) versions(s *sheet) {
	first := max(0, len(a.Versions)-shownVersions)
	for i, v := range a.Versions[first:] {
		text := fmt.Sprintf("%d: %s, %.2f, %s", first+i+1, v.At.Local().Format("2006-01-02 15:04"), v.Relevance, bytesText(v.Size))
		if v.Checks > 0 {
			text += fmt.Sprintf("; unchanged %s, last %s", times(v.Checks), v.Until.Local().Format("2006-01-02 15:04"))
		}
		if v.Missing > 0 {
			text += "; missing " + times(v.Missing)
		}
		if v.Failed > 0 {
			text += "; no answer " + times(v.Failed)
		}
		if !v.Moved.IsZero() {
			text += "; moved " + v.Moved.Local().Format("2006-01-02 15:04")
		}
		s.text(head(i, "versions"), text)
	}
}

// links adds how many links the page has and what became of them: queued, seen before,
// held back, or skipped, by reason, the most frequent reason first.
func (a *account) links(s *sheet) {
	t := a.Links
	if t == nil || a.Row.Redirect != "" {
		return
	}
	var parts []string
	for _, p := range []struct {
		n    int
		name string
	}{{t.Queued, "queued"}, {t.Seen, "seen"}, {t.Held, "held"}} {
		if p.n > 0 {
			parts = append(parts, count(p.n)+" "+p.name)
		}
	}
	reasons := slices.SortedFunc(maps.Keys(t.Skipped), func(x, y dowse.Reason) int {
		return cmp.Or(cmp.Compare(t.Skipped[y], t.Skipped[x]), cmp.Compare(x, y))
	})
	for _, r := range reasons {
		parts = append(parts, count(t.Skipped[r])+" "+string(r))
	}
	s.flow(" links     "+a.linksFound()+": ", parts, ", ")
}

// linksFound returns how many links were found, or how many of them were read if the extraction
// of the page ended early.
func (a *account) linksFound() string {
	if a.Row.Cut != "" {
		return "the first " + count(a.Links.Found)
	}
	return count(a.Links.Found) + " found"
}

// remedy adds how the URL can be fetched after all, or that it cannot.
func (a *account) remedy(s *sheet) {
	switch {
	case a.Row.Redirect != "":
		s.command("next", fmt.Sprintf("dowse why %s %s", shellWord(a.dir), shellWord(bare(a.Row.Redirect))))
	case a.Row.Reason != "":
		for i, l := range a.override() {
			s.command(head(i, "override"), l)
		}
	}
}

// override returns how the URL can be fetched all the same. What an exclusion or a block
// leaves out needs no other crawl: the setting can be taken back.
func (a *account) override() []string {
	name, value, ok := strings.Cut(a.Row.Detail, " ")
	if ok && (a.Row.Reason == dowse.SkipScopeExclude && name == "exclude" || a.Row.Reason == dowse.SkipHostBlocked && name == "block") {
		return []string{fmt.Sprintf("dowse set %s --drop %s", shellWord(a.dir), shellWord(value))}
	}
	return anyway(a.Row.Reason, a.dir, string(a.Row.URL), a.demo)
}

// anyway returns how a URL can be crawled that was left out for a reason: by another
// limit when this crawl is resumed, as the seed of another crawl, or not at all. It
// returns nil where there is nothing to suggest.
//
// What a site's owner decided (robots.txt, a login, a payment) has no override, and the
// lines say who can change it. What the user decided names the flag.
func anyway(r dowse.Reason, dir, url string, demo bool) []string {
	resume := "dowse crawl " + shellWord(dir)
	const later = "and the next link to it queues it"
	switch r {
	case dowse.SkipScopeDepth:
		return []string{resume + " --max-depth N", later}
	case dowse.SkipScopeTunnel:
		return []string{resume + " --tunnel N", later}
	case dowse.SkipBudgetHost:
		return []string{resume + " --per-host N", later}
	case dowse.FailGone:
		return []string{resume + " --retry gone"}
	case dowse.SkipBudgetCrawl:
		return []string{resume + " --pages N"}
	case dowse.SkipRobotsTxt:
		return []string{"not possible: robots.txt is obeyed; the site's owner can change it"}
	case dowse.SkipChallenge, dowse.SkipLogin, dowse.SkipPayment:
		return []string{"not possible: dowse does not get past this; the site's owner may help"}
	case dowse.SkipForgotten:
		return []string{"not possible: it was taken down"}
	}
	if demo {
		return nil // a made site is there in its own collection only
	}
	flags := ""
	switch r {
	case dowse.SkipPrivateIP:
		flags = " --allow-net ADDRESS"
	case dowse.SkipTypeSize:
		flags = " --max-body SIZE"
	case dowse.SkipTypeMIME, dowse.SkipLang:
		return nil
	case dowse.FailHTTP, dowse.FailProtocol, dowse.FailTimeout, dowse.FailConnect, dowse.FailDNS, dowse.FailTLS,
		dowse.FailEncoding, dowse.FailRedirect:
		return []string{"try it now: dowse fetch " + shellWord(url), fmt.Sprintf("try all of these again: %s --retry %s", resume, r)}
	}
	return []string{"as the seed of another crawl:", fmt.Sprintf("dowse crawl %s --seed %s -o OTHER.dowse%s", shellWord(dir+"/topic.yaml"), shellWord(url), flags)}
}

// bare returns a URL without http:// in front.
func bare(u dowse.URL) string { return strings.TrimPrefix(string(u), "http://") }

// quoted returns the text of a link in quotes, followed by a space; "" for no text.
func (s *sheet) quoted(anchor string) string {
	if anchor == "" {
		return ""
	}
	return `"` + clip(oneLine(anchor), 30, s.terminal) + `" `
}

// clock formats a time in the local zone, without the date if it is today.
func clock(t time.Time) string {
	t = t.Local()
	if y, m, d := time.Now().Date(); t.Year() == y && t.Month() == m && t.Day() == d {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}

// until returns " until" and a time, "" for the zero time.
func until(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " until " + clock(t)
}

// askedFor returns until when a host asked to be left alone, if that is longer than it is.
func askedFor(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return fmt.Sprintf(", at most a day at a time: it asked for a pause until %s", t.Local().Format("2006-01-02"))
}

// seconds formats a short duration: milliseconds below one second.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// ordinal formats a rank: 1st, 2nd, 3rd, 4th, 11th.
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return count(n) + suffix
}
