package crawl_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/frontier"
)

var updateScenarios = flag.Bool("update", false, "write the expected part of testdata/scenarios anew")

// TestScenarios crawls the webs of testdata/scenarios in virtual time. It compares the
// visits, the state of every URL, the hosts and the books with what each file expects, and
// then rebuilds the crawl from its journal: the state must be the same.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := readScenario(t, path)
			r := newScenarioRun(t, s)
			r.run()
			got := r.report()
			if *updateScenarios {
				if err := os.WriteFile(path, []byte(s.given+expectedBelow+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(strings.Split(s.expected, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the crawl differs from what the file expects (-want +got):\n%s", diff)
			}
			balanced(t, r.d.c)
			r.sameFold("from the journal", nil)
			if r.snapshot != nil {
				r.sameFold("from an early snapshot", r.snapshot)
			}
			r.sameFold("from a snapshot at the end", r.snap())
		})
	}
}

// TestScenarioMistakes reads scenarios with a mistake in them: each must be refused, since a
// line that is ignored would leave a scenario that shows less than it seems to.
func TestScenarioMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"page a.test/":                            "want a URL and a relevance",
		"page a.test/ much":                       "invalid syntax",
		"page a.test/ 1 tock 2s":                  `unknown word "tock"`,
		"page a.test/ 1 took 2s -> b@x":           "invalid syntax",
		"page a.test/{1..2}0 1\npage a.test/10 1": "twice",
		"redirect a.test/ b.test/":                "want redirect",
		"fail a.test/ somehow":                    "want how it fails",
		"fail a.test/ reset until 2s":             `unknown word "until"`,
		"fail host a.test":                        "want how it fails",
		"at 2s explode":                           `unknown event "explode"`,
		"at noon kill":                            "invalid duration",
		"strategy rate":                           "unknown strategy",
		"page-limit 3":                            `unknown word "page-limit"`,
		"pages three":                             "invalid syntax",
		"delay":                                   "nothing follows",
	} {
		if _, err := parseScenario("seeds a.test/\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", line, err, want)
		}
	}
	if _, err := parseScenario("pages 3\n"); err == nil {
		t.Error("a scenario without seeds was accepted")
	}
}

// A scenarioRun is a crawl of a scenario under way.
type scenarioRun struct {
	t        *testing.T
	s        *scenario
	dir      string
	j        *crawl.Journal
	d        *driver
	web      *scenarioWeb
	events   []event
	near     map[dowse.URL]dowse.URL // pages with nearly the text of another
	landed   int
	snapshot []byte
	log      strings.Builder
}

func newScenarioRun(t *testing.T, s *scenario) *scenarioRun {
	r := &scenarioRun{t: t, s: s, dir: t.TempDir(), events: s.events, near: map[dowse.URL]dowse.URL{}}
	r.d = &driver{now: epoch}
	r.web = &scenarioWeb{scenario: s, clock: func() time.Time { return r.d.now }, count: map[dowse.URL]int{}, log: r.note}
	r.d.c, r.j = r.open(nil)
	r.d.c.Start(epoch, s.seeds)
	return r
}

// note writes a line about this moment into the list of visits.
func (r *scenarioRun) note(what, came string) {
	line := fmt.Sprintf("%-9s %-24s %s", r.d.now.Sub(epoch), what, came)
	r.log.WriteString(strings.TrimRight(line, " ") + "\n")
}

// open returns a crawl as a snapshot and the journal have it; without a snapshot, as the
// journal alone has it. An empty journal gives a new crawl.
func (r *scenarioRun) open(snapshot []byte) (*crawl.Crawl, *crawl.Journal) {
	r.t.Helper()
	j, err := crawl.OpenJournal(r.dir, func(body []byte, status int) dowse.Rules { return fetch.ParseRobots(body, status, "dowse").Rules }, false)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { j.Close() })
	cfg, from := r.s.cfg, uint64(0)
	cfg.Log = j
	cfg.Strategy, _ = scenarioStrategy(r.s.strategy)
	cfg.Renew = func() (dowse.Strategy, []crawl.Shadow, error) {
		s, err := scenarioStrategy(r.s.strategy)
		return s, nil, err
	}
	var c *crawl.Crawl
	if snapshot == nil {
		c = fresh(r.t, cfg)
	} else if c, from, err = crawl.Restore(cfg, bytes.NewReader(snapshot)); err != nil {
		r.t.Fatal(err)
	}
	if _, cut, err := c.Fold(j, from, nil); err != nil || cut != 0 {
		r.t.Fatalf("fold: %v, %d bytes cut", err, cut)
	}
	return c, j
}

// run crawls until the crawl is over and nothing more happens to it.
func (r *scenarioRun) run() {
	for range 10_000 {
		when := r.d.launch(r.web, r.s.cfg.Polite.InFlight)
		slices.SortStableFunc(r.d.out, func(a, b landing) int { return a.at.Compare(b.at) })
		lands := len(r.d.out) > 0 && (when.IsZero() || !r.d.out[0].at.After(when))
		if lands {
			when = r.d.out[0].at
		}
		switch {
		case r.eventDue(when):
			r.event()
		case lands:
			r.land()
		case when.IsZero():
			return
		default:
			r.d.now = when
		}
	}
	r.t.Fatal("the crawl has not ended after 10,000 steps")
}

// eventDue reports whether the next event comes before anything else does. when is the time
// of that, zero if the crawl is over.
func (r *scenarioRun) eventDue(when time.Time) bool {
	if len(r.events) == 0 {
		return false
	}
	e := r.events[0]
	return when.IsZero() || !e.end && !epoch.Add(e.at).After(when)
}

func (r *scenarioRun) event() {
	e := r.events[0]
	r.events = r.events[1:]
	if at := epoch.Add(e.at); at.After(r.d.now) {
		r.d.now = at
	}
	verbs[e.verb](r, e.args)
}

// land absorbs the page that comes back next.
func (r *scenarioRun) land() {
	p := r.d.out[0].p
	r.d.now, r.d.out = r.d.out[0].at, r.d.out[1:]
	r.d.c.Absorb(r.d.now, p)
	if p.Near != "" {
		r.near[p.URL] = p.Near
	}
	if r.landed++; r.landed >= 3 && r.snapshot == nil && !r.d.c.MidRound() {
		r.snapshot = r.snap()
	}
}

// snap returns a snapshot of this moment; nil in the middle of a round.
func (r *scenarioRun) snap() []byte {
	if r.d.c.MidRound() {
		return nil
	}
	return snap(r.t, r.d.c, r.j)
}

// sameFold rebuilds the crawl from a snapshot, nil for none, and its journal, and compares
// the state with that of the crawl.
func (r *scenarioRun) sameFold(how string, snapshot []byte) {
	r.t.Helper()
	r.sync()
	twin, j := r.open(snapshot)
	defer j.Close()
	twin.Stop(r.d.c.Stopped())
	if diff := gocmp.Diff(wholeState(r.d.c), wholeState(twin)); diff != "" {
		r.t.Errorf("%s the rebuilt state differs (-live +rebuilt):\n%s", how, diff)
	}
}

var address = regexp.MustCompile(`0x[0-9a-f]+`)

// wholeState returns the lines of state, with the outage in place of its address. When the
// network is tried next is left out: a run that begins does not know it.
func wholeState(c *crawl.Crawl) []string {
	lines := strings.Split(address.ReplaceAllString(state(c), "an outage"), "\n")
	if o := c.Status().Outage; o != nil {
		lines = append(lines, fmt.Sprint(o.Since, o.Why))
	}
	return lines
}

func (r *scenarioRun) sync() {
	r.t.Helper()
	if err := r.j.Sync(); err != nil {
		r.t.Fatal(err)
	}
}

// verbs are what can happen to a crawl from outside.
var verbs = map[string]func(r *scenarioRun, args []string){
	"kill":     (*scenarioRun).kill,
	"resume":   (*scenarioRun).resume,
	"takedown": (*scenarioRun).takedown,
	"label":    (*scenarioRun).label,
	"model":    (*scenarioRun).model,
	"requeue":  (*scenarioRun).requeue,
}

// kill ends the process with visits out, and begins another after a time.
func (r *scenarioRun) kill(args []string) {
	var lost []string
	for _, l := range r.d.out {
		lost = append(lost, shortURL(l.p.URL))
	}
	r.note("* killed", "in flight: "+cmp.Or(strings.Join(lost, " "), "nothing"))
	r.sync()
	r.reopen()
	if len(args) > 0 {
		pause, err := time.ParseDuration(args[0])
		if err != nil {
			r.t.Fatal(err)
		}
		r.d.now = r.d.now.Add(pause)
	}
	r.goOn()
}

// reopen gives the crawl up and rebuilds it from its journal.
func (r *scenarioRun) reopen() {
	r.j.Close()
	r.d.c, r.j = r.open(nil)
	r.d.out = nil
}

// goOn resumes the crawl as a new run of the program does.
func (r *scenarioRun) goOn() {
	b := r.d.c.Books()
	if b.InFlight != 0 {
		r.t.Errorf("%d visits are in flight in a crawl that was rebuilt, want none", b.InFlight)
	}
	r.note("* resumed", booksOf(b))
	r.d.c.Resume(r.s.cfg.Limits)
	r.d.c.Restarted(r.d.now)
}

// resume lets a crawl go on that has stopped, under changed limits.
func (r *scenarioRun) resume(args []string) {
	for _, a := range args {
		word, value, _ := strings.Cut(a, "=")
		if ok, err := setLimit(&r.s.cfg.Limits, word, value); !ok || err != nil {
			r.t.Fatalf("resume %s: %v, want a limit", a, err)
		}
	}
	r.note("* stopped", string(r.d.c.Stopped()))
	r.note("* resumed", strings.Join(args, " "))
	r.d.c.Resume(r.s.cfg.Limits)
}

// takedown takes URLs down while the crawl is at rest, and goes on with it.
func (r *scenarioRun) takedown(args []string) {
	ids := map[frontier.ID]bool{}
	for _, short := range args {
		ids[r.id(short)] = true
	}
	r.note("* takedown", strings.Join(args, " "))
	r.sync()
	takeDown(r.t, r.dir, r.d.c, ids, true) // before the journal, which knows the names of URLs, is closed
	r.reopen()
	r.snapshot = nil // it knows the URLs
	r.goOn()
}

// label reads "URL on|off", a label that a person gives to a visited page.
func (r *scenarioRun) label(args []string) {
	ruling := r.rulingOn(args[0])
	ruling.Label = map[string]crawl.Label{"on": crawl.LabelledOn, "off": crawl.LabelledOff}[args[1]]
	r.rule("labels", args, []crawl.Ruling{ruling})
}

// model reads "NAME URL=RELEVANCE...", the verdicts of a new model on visited pages.
func (r *scenarioRun) model(args []string) {
	var list []crawl.Ruling
	for _, a := range args[1:] {
		short, value, _ := strings.Cut(a, "=")
		relevance, err := strconv.ParseFloat(value, 64)
		if err != nil {
			r.t.Fatal(err)
		}
		ruling := r.rulingOn(short)
		ruling.Verdict.Relevance = relevance
		list = append(list, ruling)
	}
	r.rule(args[0], args[1:], list)
}

func (r *scenarioRun) rule(model string, args []string, list []crawl.Ruling) {
	change := rerank(r.t, r.d.c, r.d.now, model, list)
	r.note("* "+model, fmt.Sprintf("%s: %d verdicts changed, %d links ranked anew", strings.Join(args, " "), change.Verdicts, change.Links))
	r.snapshot = nil // it can't be gone on from: the rulings are newer
}

// rulingOn returns a ruling that repeats the verdict on a page that was visited.
func (r *scenarioRun) rulingOn(short string) crawl.Ruling {
	id := r.id(short)
	for e, err := range r.j.Scan(0, nil) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Kind == crawl.EntryPage && e.ID == id && e.Page.Outcome == dowse.Fetched {
			return crawl.Ruling{Place: e.Place(), ID: id, Verdict: e.Page.Verdict}
		}
	}
	r.t.Fatalf("%s was not visited", short)
	return crawl.Ruling{}
}

// requeue lets URLs wait again that failed or were left out, in a new run.
func (r *scenarioRun) requeue(args []string) {
	r.sync()
	r.reopen()
	n, err := r.d.c.Requeue(r.d.now, args[0])
	if err != nil {
		r.t.Fatal(err)
	}
	r.note("* requeued", fmt.Sprintf("%s: %d URLs", args[0], n))
	r.goOn()
}

func (r *scenarioRun) id(short string) frontier.ID {
	id, ok := r.d.c.Frontier().Find(longURL(short))
	if !ok {
		r.t.Fatalf("%s is not known", short)
	}
	return id
}

// report returns what is expected of the crawl, as the files have it.
func (r *scenarioRun) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nvisits\n%s\nurls\n", r.log.String())
	c := r.d.c
	for id := range frontier.ID(c.Frontier().Len()) {
		fmt.Fprintf(&b, "%-24s %s\n", shortURL(c.Frontier().URL(id)), r.decision(id))
	}
	b.WriteString("\nhosts\n")
	for i := range c.Frontier().Hosts() {
		fmt.Fprintln(&b, hostLine(c.Host(i)))
	}
	st := c.Status()
	fmt.Fprintf(&b, "\nbooks\n%s\n%d requests, %d pages on topic\nstopped: %s, after %s at work\n",
		booksOf(st.Books), st.Requests, st.OnTopic, st.Stopped, st.Elapsed)
	return b.String()
}

// decision describes where a URL is in the crawl, and why.
func (r *scenarioRun) decision(id frontier.ID) string {
	c := r.d.c
	f := c.Frontier()
	words := []string{f.State(id).String()}
	if why := c.ReasonFor(id); why != "" {
		words = append(words, string(why))
	}
	switch v, _ := f.Visit(id); {
	case f.State(id) == dowse.Waiting:
		words = append(words, fmt.Sprintf("at %.4g", f.Priority(id)))
	case f.State(id) == dowse.Visited && v.OnTopic:
		words = append(words, "on topic")
	}
	if to, ok := f.Alias(id); ok {
		words = append(words, "to "+shortURL(f.URL(to)))
	}
	if near := r.near[f.URL(id)]; near != "" {
		words = append(words, "near "+shortURL(near))
	}
	return strings.Join(words, " ")
}

func hostLine(h crawl.HostStatus) string {
	line := fmt.Sprintf("%-24s %d requests, %d fetched, %d queued", h.Name, h.Requests, h.Fetched, h.Waiting)
	if h.BackOffs > 0 {
		line += fmt.Sprintf("; failures in a row: %d, %s", h.BackOffs, h.Why)
	}
	if h.Down {
		line += "; down"
	}
	return line
}

// booksOf writes books as a sum, without what is zero.
func booksOf(b crawl.Books) string {
	var parts []string
	for _, x := range []struct {
		n    int
		name string
	}{
		{b.Fetched, "fetched"}, {b.Failed, "failed"}, {b.Redirected, "redirected"}, {b.Queued, "queued"},
		{b.Held, "held"}, {b.InFlight, "in flight"}, {b.Skipped, "skipped"}, {b.Sitemaps, "sitemaps"},
	} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprint(x.n, " ", x.name))
		}
	}
	return fmt.Sprint(b.Known, " known = ", strings.Join(parts, " + "))
}
