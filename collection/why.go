package collection

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/settings"
	"dowse/weburl"
)

// ErrUnknown is returned for a URL that the crawl never saw.
var ErrUnknown = errors.New("this crawl never saw it")

// ReasonSchema names the schema of the JSON object of an explanation.
const ReasonSchema = "reason/v1"

// An Explanation is what happened to a URL, and why. Parts that do not apply
// are nil or zero; for example, a URL that was never fetched was not judged.
// Its JSON is the object of schema [ReasonSchema].
type Explanation struct {
	Schema  string     `json:"schema"`
	Row     *Row       `json:"page" doc:"what is known of the page"`
	Meaning string     `json:"meaning,omitempty" doc:"what the reason of the page means"`
	Sitemap bool       `json:"sitemap,omitempty" doc:"whether it is a list of URLs, a sitemap or a feed, not a page"`
	Tries   int        `json:"tries,omitempty" doc:"requests that were sent for it"`
	Unmade  int        `json:"unmade,omitempty" doc:"visits that this machine could not make"`
	Retried *requeuing `json:"retried,omitempty" doc:"when it was last put back into the queue"`

	Judged  *Ruling     `json:"judged,omitempty" doc:"the verdict, with what would change it"`
	Chosen  *Choice     `json:"chosen,omitempty" doc:"the reasons for its place in the queue"`
	Found   *sighting   `json:"found,omitempty" doc:"where it was first seen"`
	Path    []dowse.URL `json:"path,omitempty" doc:"the URLs from a seed to it, itself included"`
	Polite  *Manners    `json:"polite,omitempty" doc:"how its host was treated"`
	Links   *linkTally  `json:"links,omitempty" doc:"what became of its links"`
	Shared  *sharedText `json:"shared,omitempty" doc:"what other pages of its host had too, if the crawl looks for that"`
	Pattern *shapeWorth `json:"pattern,omitempty" doc:"of a trap: what URLs of the same shape were worth"`

	Versions []Version `json:"versions,omitempty" doc:"of a page that was asked again: its versions, the oldest first"`

	Labels []pageLabel    `json:"labels,omitempty" doc:"the labels that people gave it, in order, with those that are no longer in force"`
	Alone  *Ruling        `json:"judge_alone,omitempty" doc:"of a labelled page: the verdict of the judge alone"`
	Models []modelVerdict `json:"models,omitempty" doc:"the verdicts of one model after the other, if there were several"`

	// Partial reports that the journal is too long to look all of it through: Tries may
	// be too low, and a link that promised more than the one in Chosen may be missing.
	Partial bool `json:"partial,omitempty" doc:"whether the journal was too long to read all of it"`
}

// A requeuing is when and why a URL that had failed or was left out was put back into the queue.
type requeuing struct {
	At   time.Time `json:"at"`
	What string    `json:"what" doc:"what was asked for: failed, a reason, a host or seeds; or second chance"`
}

// A Choice is why a URL has, or had, its place in the queue.
type Choice struct {
	Priority  float64   `json:"priority" doc:"the priority that it was visited at, or waits at"`
	Taken     bool      `json:"taken" doc:"whether it was visited"`
	At        time.Time `json:"at,omitzero" doc:"when the visit was recorded"`
	Queue     int       `json:"queue,omitempty" doc:"leads that waited when it was chosen"`
	Regret    float64   `json:"regret,omitempty" doc:"by how much the best of them was better"`
	Offered   float64   `json:"offered" doc:"the priority that the link below gave it"`
	Because   []Cause   `json:"because,omitempty" doc:"the reasons for that priority"`
	Parent    dowse.URL `json:"parent,omitempty" doc:"the page with that link"`
	Relevance *float64  `json:"parent_relevance,omitempty" doc:"the relevance of that page"`
	Anchor    string    `json:"anchor,omitempty" doc:"the words of that link"`
	Shared    bool      `json:"shared,omitempty" doc:"whether the words of that link did not count, because other pages of the host have the link in the same place"`
}

// sharedText is what a page has in common with the pages of its host that were fetched before it: menus, footers and the
// like.
type sharedText struct {
	Parts int  `json:"parts" doc:"parts of its text that earlier pages of the host had, too"`
	Bytes int  `json:"bytes" doc:"their size in the text"`
	Links int  `json:"links" doc:"links that are in such parts only, and were followed without their words"`
	Judge bool `json:"judge" doc:"whether the judge did not read these parts"`
}

// A sighting is where a URL was first seen.
type sighting struct {
	How    string    `json:"how" doc:"seed, link, redirect, sitemap, feed or strategy"`
	At     time.Time `json:"at"`
	Parent dowse.URL `json:"parent,omitempty" doc:"the page that it was seen on"`
	Anchor string    `json:"anchor,omitempty" doc:"the words of the link"`
}

// Manners are how the URL's host was treated.
type Manners struct {
	Host    string        `json:"host" doc:"the host, with its port"`
	Robots  string        `json:"robots" doc:"the host's robots.txt: allow, rules, closed, unread or not read"`
	Allowed bool          `json:"allowed" doc:"whether robots.txt allows the URL"`
	Rule    string        `json:"rule,omitempty" doc:"the rule that decided, as robots.txt has it"`
	Delay   facts.Seconds `json:"crawl_delay" doc:"the pause that robots.txt asks for, 0 for none (s)"`
	Rested  facts.Seconds `json:"rested" doc:"how long the host had rested before the visit (s)"`
	State   string        `json:"state" doc:"ok, backing off, down or blocked"`
	Until   time.Time     `json:"until,omitzero" doc:"until when it is not visited"`
	Why     dowse.Reason  `json:"why,omitempty" doc:"why the latest visit to the host failed"`
	Asked   time.Time     `json:"asked,omitzero" doc:"until when the host asked to be left alone, if that is longer than it is"`
}

// A shapeWorth is what URLs of the same shape were worth.
type shapeWorth struct {
	Shape   string `json:"shape"`
	Visited int    `json:"visited"`
	OnTopic int    `json:"on_topic"`
}

// Why explains a URL. It has an answer for every URL that the crawl ever
// saw; for others the error is ErrUnknown. For a URL that was taken down it
// returns only when and why.
func (c *Collection) Why(u dowse.URL) (*Explanation, error) {
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", u, ErrUnknown)
	}
	w := &inquiry{c: c, id: id, x: &Explanation{Schema: ReasonSchema}, r: reader{c: c}}
	if err := w.run(); err != nil {
		return nil, err
	}
	return w.x, nil
}

// An inquiry gathers one explanation.
type inquiry struct {
	c     *Collection
	r     reader
	id    frontier.ID
	x     *Explanation
	visit *crawl.Entry // the last one; nil for a URL that was never taken
	place uint64       // of visit
	from  *origin
	rated *crawl.Entry // the last rating with reasons, when it was about to be visited; nil for none
}

// run fills in the explanation, from the cheap parts to the history of the
// URL in the journal.
func (w *inquiry) run() (err error) {
	w.standing()
	if w.x.Row.Reason == dowse.SkipForgotten {
		return w.tombstone()
	}
	if v, ok := w.c.Crawl.Frontier().Visit(w.id); ok {
		w.place = v.Place
		if w.visit, err = w.c.entry(v.Place); err != nil {
			return err
		}
		w.explainVisit()
		if err := w.models(v.Place); err != nil {
			return err
		}
		if crawl.WasChecked(w.c.Crawl, w.id) {
			if w.x.Versions, err = w.c.versions(w.id); err != nil {
				return err
			}
		}
	}
	if err := w.labels(); err != nil {
		return err
	}
	if w.from, err = w.r.origin(w.id); err != nil {
		return err
	}
	w.x.Found = &sighting{How: w.from.how, At: w.from.entry.At, Parent: w.from.parent, Anchor: w.from.anchor()}
	sawFirst(w.x.Row, w.from)
	w.x.Polite = w.manners()
	if w.x.Path, err = w.path(); err != nil {
		return err
	}
	return w.choice()
}

// tombstone sets why the URL was taken down, which is all that is known of
// it.
func (w *inquiry) tombstone() error {
	stones, err := w.c.Journal.Tombstones()
	if e := stones[w.id]; e != nil {
		w.x.Row.Detail = e.Text
	}
	return err
}

// standing fills in what the frontier knows.
func (w *inquiry) standing() {
	row := w.c.standing(w.id)
	w.x.Row = row
	w.x.Meaning = meaning(row.Reason)
	if row.Reason == dowse.SkipTrapPattern || row.Reason == dowse.SkipTrapFarm {
		visited, on := w.c.Crawl.Pattern(row.URL)
		w.x.Pattern = &shapeWorth{weburl.Shape(row.URL), visited, on}
		row.Detail = weburl.Trap(row.URL)
	}
	if row.Reason == dowse.SkipScopeExclude || row.Reason == dowse.SkipHostBlocked {
		row.Detail = scopeDetail(w.c.Settings.Scope, row.URL)
	}
}

// scopeDetail names the setting that leaves a URL out, "" if the scope of now does not.
func scopeDetail(s settings.Scope, u dowse.URL) string {
	if b := blockOf(s, weburl.Host(u)); b != "" {
		return "block " + b
	}
	matches := func(text string) bool {
		re, err := regexp.Compile(text)
		return err == nil && re.MatchString(string(u))
	}
	if i := slices.IndexFunc(s.Exclude, matches); i >= 0 {
		return "exclude " + s.Exclude[i]
	}
	if len(s.Include) > 0 && !slices.ContainsFunc(s.Include, matches) {
		return "include has no pattern that matches"
	}
	return ""
}

// explainVisit fills in what the last visit brought.
func (w *inquiry) explainVisit() {
	row, detail := w.x.Row, w.x.Row.Detail
	w.c.fillVisit(row, w.visit)
	if row.Detail == "" {
		row.Detail = detail
	}
	w.x.Sitemap = row.Outcome == dowse.Listed
	if row.Requested {
		w.x.Tries = 1
	}
	if row.Outcome == dowse.Fetched {
		w.x.Judged = w.c.ruling(row.Page.Verdict)
	}
	if len(w.visit.Links) > 0 {
		w.x.Links = tally(w.visit)
	}
	w.x.Shared = w.c.sharedText(w.visit)
}

// sharedText returns what a page has in common with earlier ones of its host, nil if nothing is known of it.
func (c *Collection) sharedText(e *crawl.Entry) *sharedText {
	if len(e.Page.Repeated) == 0 {
		return nil
	}
	x := &sharedText{Parts: len(e.Page.Repeated), Judge: slices.Contains(c.Settings.Templates, "judge")}
	for _, r := range e.Page.Repeated {
		x.Bytes += r.Len()
	}
	for i := range e.Found {
		if isShared(&e.Found[i]) {
			x.Links++
		}
	}
	return x
}

// isShared reports whether all mentions of a link are in parts of the page that earlier pages of the host had, too.
func isShared(l *dowse.Link) bool {
	return l.Repeated && !slices.ContainsFunc(l.More, func(m dowse.Mention) bool { return !m.Repeated })
}

// labels sets the labels that people gave the URL.
func (w *inquiry) labels() error {
	l, err := ReadLabels(w.c.Dir)
	if err == nil {
		w.x.Labels = l.history(w.x.Row.URL)
	}
	return err
}

// models sets the verdicts of the models on the page, one after the other.
func (w *inquiry) models(place uint64) error {
	if w.x.Judged == nil || len(w.c.Crawl.Rulings()) == 0 {
		return nil
	}
	ruling, err := w.c.Journal.RulingOn(place)
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	if ruling != nil && ruling.Label != crawl.Unlabelled {
		w.x.Alone = w.c.ruling(ruling.Verdict)
	}
	for e, err := range w.c.Journal.AsWritten(place) {
		if err != nil {
			return fmt.Errorf("collection: %w", err)
		}
		verdicts, err := w.c.verdictsOn(e)
		if len(verdicts) > 1 {
			w.x.Models = verdicts
			err = errors.Join(err, w.taught())
		}
		return err
	}
	return nil
}

// taught sets which of the models were trained against pages of the crawl.
func (w *inquiry) taught() error {
	models, err := Models(w.c.Dir)
	for i := range w.x.Models {
		if m, ok := MadeModel(models, w.x.Models[i].Model); ok {
			w.x.Models[i].Contrast = m.Contrast
		}
	}
	return err
}

// manners returns how the host of the URL was treated.
func (w *inquiry) manners() *Manners {
	f := w.c.Crawl.Frontier()
	s := w.c.Crawl.Host(int(f.Host(w.id)))
	row := w.c.hostRow(s)
	m := &Manners{Host: row.Host, Robots: row.Robots, Allowed: true, State: row.State, Until: row.Until, Why: row.Why, Asked: row.Asked}
	if s.Robots != nil {
		m.Delay = facts.Seconds(s.Robots.Delay)
		if s.Robots.Rules != nil {
			m.Allowed, m.Rule = s.Robots.Rules.Allowed(w.x.Row.URL)
		}
	}
	if w.visit != nil {
		m.Rested = facts.Seconds(w.visit.Rested)
	}
	return m
}

// maxPath bounds the length of the path from a seed.
const maxPath = 100

// path follows the first sightings back to a seed. A page is known before
// the URLs it links to, so numbers fall along the way; if they do not, the
// path ends there, which also rules out cycles.
func (w *inquiry) path() ([]dowse.URL, error) {
	list := []dowse.URL{w.x.Row.URL}
	f := w.c.Crawl.Frontier()
	for id, o := w.id, w.from; o.parent != "" && len(list) < maxPath; {
		list = append(list, o.parent)
		parent, ok := f.Find(o.parent)
		if !ok || parent >= id {
			break
		}
		var err error
		if o, err = w.r.origin(parent); err != nil {
			return nil, err
		}
		id = parent
	}
	for i, k := 0, len(list)-1; i < k; i, k = i+1, k-1 {
		list[i], list[k] = list[k], list[i]
	}
	return list, nil
}

// maxHistory is how many bytes of the journal are read for one URL, unless the collection has
// another bound.
const maxHistory = 128 << 20

// choice sets why the URL has its position in the queue. The link with the
// highest offered priority ranked it; usually that is the first one.
func (w *inquiry) choice() error {
	f := w.c.Crawl.Frontier()
	best, err := w.history()
	if err != nil {
		return err
	}
	if w.visit == nil && !f.Known(w.id) {
		return nil
	}
	ch := &Choice{Priority: facts.Finite(f.Priority(w.id))}
	if w.visit != nil {
		ch.Taken, ch.At = true, w.visit.At
		ch.Priority, ch.Queue, ch.Regret = facts.Finite(w.visit.Page.Lead.Priority), w.visit.Queue, facts.Finite(w.visit.Regret)
	}
	w.ranked(ch, best)
	if r := w.rated; r != nil && facts.Finite(r.Score) == ch.Priority {
		ch.Offered, ch.Because = ch.Priority, facts.Causes(r.Because)
	}
	w.x.Chosen = ch
	return nil
}

// A promise is a link to the URL and how the strategy rated it.
type promise struct {
	parent frontier.ID
	link   dowse.Link
	crawl.Decision
	relevance float64 // of the page with the link, when it was followed
}

// ranked sets the link or other origin that gave the URL its priority.
func (w *inquiry) ranked(ch *Choice, best *promise) {
	switch {
	case best != nil && (len(best.Because) > 0 || w.from.how != FromSeed): // a link that was not rated ranks no seed
		ch.Offered, ch.Because = facts.Finite(best.Offered), facts.Causes(best.Because)
		ch.Parent, ch.Anchor, ch.Shared = w.c.URL(best.parent), anchorOf(&best.link), isShared(&best.link)
		if _, ok := w.c.Crawl.Frontier().Visit(best.parent); ok && w.c.Crawl.Frontier().State(best.parent) == dowse.Visited {
			ch.Relevance = &best.relevance
		}
	case w.from.how == FromSeed:
		ch.Offered = ch.Priority
		ch.Because = []Cause{{What: "seed", Weight: ch.Priority}}
	default:
		ch.Offered = ch.Priority
		ch.Because = []Cause{{What: w.from.how, Weight: ch.Priority}}
		ch.Parent = w.from.parent
	}
}

// history reads the journal from the first sighting to the visit, counts the
// tries and returns the link with the highest offered priority.
func (w *inquiry) history() (best *promise, err error) {
	end := w.c.Journal.End()
	if w.visit != nil {
		end = w.place + 1
	}
	most := cmp.Or(w.c.History, maxHistory)
	if w.c.ruledBefore(end) || w.c.Crawl.HasForgotten() && w.c.cfg.Renew != nil {
		if w.c.History == 0 || end <= most {
			return w.decided(end)
		}
		w.x.Partial = true // the priorities are those that were recorded
	}
	for e, err := range w.c.Journal.Scan(w.from.record, nil) {
		if err != nil {
			return nil, fmt.Errorf("collection: %s: %w", w.x.Row.URL, err)
		}
		if e.Place() >= end {
			break
		}
		if e.Place()-w.from.record > most {
			w.x.Partial = true
			break
		}
		best = w.addEntry(e, best)
	}
	return best, nil
}

// decided is history for a crawl in which a model ruled on pages before the
// URL was visited. The priorities of links are then computed again as they
// were at that time.
func (w *inquiry) decided(end uint64) (best *promise, err error) {
	cfg := w.c.cfg
	if cfg.Strategy, cfg.Shadows, err = cfg.Renew(); err != nil {
		return nil, err
	}
	j, err := w.c.Journal.Reader()
	if err != nil {
		return nil, err
	}
	defer j.Close()
	cfg.Log = j
	cfg.OnEntry = func(e *crawl.Entry) { best = w.addEntry(e, best) }
	again, err := crawl.New(cfg)
	if err == nil {
		err = again.FoldTo(j, end, w.c.restore)
	}
	if err != nil {
		return nil, fmt.Errorf("collection: %s: %w", w.x.Row.URL, err)
	}
	return best, nil
}

// ruledBefore reports whether a model ruled on visited pages before a place.
func (c *Collection) ruledBefore(place uint64) bool {
	parts := c.Crawl.Rulings()
	return len(parts) > 0 && parts[0] < place && c.cfg.Renew != nil
}

// inTime reports whether a link can have ranked the URL: one that promised more than
// it was taken at was found while it was being fetched.
func (w *inquiry) inTime(d *crawl.Decision) bool {
	return w.visit == nil || d.Offered <= w.visit.Page.Lead.Priority
}

// tried counts a visit that failed for the moment. For a URL that still waits it
// also sets why it was not fetched so far.
func (w *inquiry) tried(p *dowse.Page) {
	if p.Host != nil && p.Host.Local && p.Detail != ledger.CutOff {
		w.x.Unmade++
	} else {
		w.x.Tries++
	}
	if w.visit == nil {
		w.x.Row.Detail = strings.TrimSpace(string(p.Reason) + " " + p.Detail)
	}
}

// addEntry adds what an entry contributes to the explanation, and returns the
// better of best and the links of the entry.
func (w *inquiry) addEntry(e *crawl.Entry, best *promise) *promise {
	switch {
	case e.Kind == crawl.EntryRetry && e.ID == w.id:
		w.tried(e.Page)
	case e.Kind == crawl.EntryRequeue && slices.Contains(e.Round, w.id):
		w.x.Retried = &requeuing{e.At, e.Text}
	case e.Kind == crawl.EntryReasons && e.ID == w.id && len(e.Because) > 0:
		w.rated = e
	case e.Kind == crawl.EntryPage && (w.visit == nil || e.Place() < w.place):
		for i := range e.Links {
			d := &e.Links[i]
			if d.Target == w.id && d.Reason == "" && w.inTime(d) && (best == nil || d.Offered > best.Offered) {
				best = &promise{e.ID, e.Found[i], *d, e.Page.Verdict.Relevance}
			}
		}
	}
	return best
}
