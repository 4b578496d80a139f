package crawler

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/internal/requisite"
	"dowse/judge"
	"dowse/topic"
)

// A merger makes one collection of several.
type merger struct {
	cfg     SalvageConfig
	sources []*Crawler
	names   []string // of the sources, for people
	visits  []mergedVisit
	lost    *Salvaged
	x       *transcript
	early   earlyRobots
	waiting []mergedVisit // endings before the first page, which creates the collection
}

// A mergedVisit is an answer of one of the sources.
type mergedVisit struct {
	at     int64 // in Unix nanoseconds
	source int32
	id     frontier.ID // of the URL in the source
	place  dowse.Place
	detail string        // of a page that was imported into the source
	robots string        // the host, if the answer is its robots.txt
	was    understanding // without a verdict
	ended  *ending       // of a URL that none of the sources has as a page; nil for pages and redirects
}

// An ending is what became of a URL that was asked for and is no page.
type ending struct {
	outcome dowse.Outcome
	reason  dowse.Reason
	detail  string
	fetch   dowse.Fetch
}

// ErrOwnTopic is returned for collections whose topics can't be made one: a merge needs to be given one.
var ErrOwnTopic = errors.New("topic file of its own")

// errMerge begins the errors for collections that can't be merged.
var errMerge = fmt.Errorf("these can't be merged (%w)", ErrUnfinished)

// Merge makes a collection in out of several: of crawls for several topics, or of one topic on several
// machines. Each page is there once; of versions that differ the newest counts, and the others are its
// history. The verdict of a page is the best of those that the crawls gave it, and its reasons show
// all of them; each page names the collection and the record that it comes from. What was taken down in
// one of them is left out. The newest robots.txt of each host is copied, so that what it reserves holds
// for the new collection, and so do directives for the agent of the crawl that a page comes from. A URL that was asked for and is a page in none of them has the newest of its
// failures, with the answer.
//
// The topic of the new collection, by which a crawl that continues judges, is cfg.Topic, or the
// topic of all of them, or the words of all of them together.
//
// The collection is made next to out, under a name that ends in .part, and renamed at the end. The others
// are not changed.
func Merge(ctx context.Context, dirs []string, out string, cfg SalvageConfig) (*Salvaged, error) {
	if cfg.Progress == nil {
		cfg.Progress = func(string, int64, int64) {}
	}
	m := &merger{cfg: cfg, lost: &Salvaged{Unreadable: []salvageLoss{}}}
	if err := m.check(dirs, out); err != nil {
		return nil, err
	}
	defer m.close()
	if err := m.open(dirs); err != nil {
		return nil, err
	}
	t, same, err := m.topic()
	if err != nil {
		return nil, err
	}
	part := out + partSuffix
	err = m.fill(ctx, part, t)
	if err == nil {
		err = m.end(part, out, same)
	}
	if err != nil {
		discardPart(part)
		return nil, err
	}
	return m.x.out, moveTo(part, out)
}

// check returns an error unless there are several different collections and a place for a new one.
func (m *merger) check(dirs []string, out string) error {
	seen := map[string]bool{}
	for _, dir := range dirs {
		if err := checkPlace(dir, out); err != nil {
			return err
		}
		full, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return fmt.Errorf("crawler: %w", err)
		}
		if full, err = filepath.Abs(full); err != nil {
			return fmt.Errorf("crawler: %w", err)
		}
		if seen[full] {
			return fmt.Errorf("crawler: %w: %s is named twice", errMerge, dir)
		}
		seen[full] = true
	}
	if len(dirs) < 2 {
		return fmt.Errorf("crawler: %w: give at least two collections", errMerge)
	}
	return nil
}

// open opens the sources to read, and lists their answers in the order of time.
func (m *merger) open(dirs []string) error {
	for i, dir := range dirs {
		c, err := View(dir)
		if err != nil {
			return err
		}
		m.sources, m.names = append(m.sources, c), append(m.names, filepath.Base(filepath.Clean(dir)))
		if err := m.list(int32(i), c.Collection); err != nil {
			return err
		}
	}
	slices.SortStableFunc(m.visits, func(a, b mergedVisit) int { return cmp.Compare(a.at, b.at) })
	m.keepEndings()
	if !slices.ContainsFunc(m.visits, func(v mergedVisit) bool { return v.robots == "" && v.ended == nil }) {
		return fmt.Errorf("crawler: %w: they have no pages", errMerge)
	}
	return nil
}

// keepEndings leaves out the failures of URLs that one of the sources has as a page or a redirect, and all but
// the newest failure of the others.
func (m *merger) keepEndings() {
	seen := map[dowse.URL]bool{}
	for i, v := range slices.Backward(m.visits) {
		if v.ended == nil {
			continue
		}
		u := m.sources[v.source].Collection.URL(v.id)
		if seen[u] || m.isPage(u) {
			m.visits[i].source = -1
		}
		seen[u] = true
	}
	m.visits = slices.DeleteFunc(m.visits, func(v mergedVisit) bool { return v.source < 0 })
}

// isPage reports whether one of the sources has a URL as a page or a redirect.
func (m *merger) isPage(u dowse.URL) bool {
	return slices.ContainsFunc(m.sources, func(c *Crawler) bool {
		fr := c.Collection.Crawl.Frontier()
		id, ok := fr.Find(u)
		return ok && (fr.State(id) == dowse.Visited || fr.State(id) == dowse.Aliased)
	})
}

// endingOf returns what became of the URL of a visit if it is no page, nil otherwise. A URL that was not asked
// for, because of a limit or a rule of its crawl, has no ending: the new collection decides by its own.
func endingOf(col *collection.Collection, e *crawl.Entry) *ending {
	p := e.Page
	if p.Outcome != dowse.Failed && p.Outcome != dowse.Skipped || p.Again || e.Idle {
		return nil
	}
	if v, ok := col.Crawl.Frontier().Visit(e.ID); !ok || v.Place != e.Place() {
		return nil
	}
	return &ending{p.Outcome, p.Reason, p.Detail, p.Fetch}
}

// list adds the pages, redirects, failures and robots.txt files of a source.
func (m *merger) list(source int32, col *collection.Collection) error {
	for e, err := range col.Journal.Visits(0) {
		if err != nil {
			return err
		}
		if e.Kind == crawl.EntryRobots && e.Page != nil && e.Page.Fetch.Archive.File != "" {
			m.visits = append(m.visits, mergedVisit{at: e.Page.Fetch.At.UnixNano(), source: source, place: e.Page.Fetch.Archive, robots: e.Host})
		}
		if e.Kind != crawl.EntryPage || col.Crawl.ReasonFor(e.ID) == dowse.SkipForgotten {
			continue
		}
		p, ended := e.Page, endingOf(col, e)
		if ended != nil || p.Fetch.Archive.File != "" && (p.Outcome == dowse.Fetched || p.Outcome == dowse.Redirected) {
			v := mergedVisit{at: p.Fetch.At.UnixNano(), source: source, id: e.ID, place: p.Fetch.Archive, ended: ended, was: understanding{noFollow: p.NoFollow, noIndex: p.NoIndex, noArchive: p.NoArchive}}
			if p.Fetch.At.IsZero() { // there was no request
				v.at = e.At.UnixNano()
			}
			if strings.HasPrefix(p.Detail, originPrefix) {
				v.detail = p.Detail
			}
			m.visits = append(m.visits, v)
		}
	}
	return nil
}

func (m *merger) close() {
	for _, c := range m.sources {
		c.Close() // it was opened only to read
	}
}

// topic returns the topic of the new collection, and whether all sources have it.
func (m *merger) topic() (t *topic.Topic, same bool, err error) {
	first := m.sources[0].Topic
	same = true
	for _, c := range m.sources[1:] {
		same = same && bytes.Equal(c.Topic.YAML(), first.YAML())
	}
	switch {
	case m.cfg.Topic != nil:
		return m.cfg.Topic, same && bytes.Equal(m.cfg.Topic.YAML(), first.YAML()), nil
	case same && !first.Needs():
		return first, true, nil
	}
	var words, also []string
	for i, c := range m.sources {
		if len(c.Topic.Words) == 0 || c.Topic.Needs() || c.Topic.Where != nil {
			return nil, false, fmt.Errorf("crawler: %w by themselves: the topic of %s is more than words, so the new collection needs a %w", errMerge, m.names[i], ErrOwnTopic)
		}
		words, also = append(words, c.Topic.Words...), append(also, c.Topic.Also...)
	}
	slices.Sort(words)
	slices.Sort(also)
	words, also = slices.Compact(words), slices.Compact(also)
	t = topic.FromWords(words)
	t.Words, t.Also = words, also
	return t, false, nil
}

// fill visits the answers of the sources.
func (m *merger) fill(ctx context.Context, dir string, t *topic.Topic) error {
	for i, v := range m.visits {
		m.cfg.Progress("answers", int64(i+1), int64(len(m.visits)))
		if err := m.add(ctx, dir, t, v); err != nil {
			return err
		}
	}
	if m.x == nil {
		return fmt.Errorf("crawler: %w: none of their pages can be read", errMerge)
	}
	if err := m.copyRequisites(); err != nil {
		return m.x.abandon(err)
	}
	return nil
}

// add visits an answer of a source. The first page creates the new collection. Answers that were
// taken down or can't be read are counted and passed over.
func (m *merger) add(ctx context.Context, dir string, t *topic.Topic, v mergedVisit) error {
	col := m.sources[v.source].Collection
	u := dowse.URL("https://" + v.robots + "/robots.txt") // only the host of it counts
	if v.robots == "" {
		u = col.URL(v.id)
	}
	if m.gone(u) {
		m.lost.Erased++
		return nil
	}
	if m.x == nil && v.ended != nil {
		m.waiting = append(m.waiting, v)
		return nil
	}
	ex, err := m.read(v)
	if err != nil {
		m.lost.lose(archive.Loss{Path: m.names[v.source] + "/archive/" + v.place.File, Offset: v.place.Offset, Length: v.place.Length, Err: err})
		if v.ended == nil {
			return nil
		}
	}
	from := m.names[v.source]
	if v.place.File != "" {
		from += fmt.Sprintf(", %s, offset %d", v.place.File, v.place.Offset)
	}
	if v.detail != "" {
		from += ", " + v.detail
	}
	robots := recordedRobots{u, ex, from}
	if m.x == nil && v.robots != "" {
		m.early.add(robots)
		return nil
	}
	if m.x == nil {
		if err := m.create(ctx, dir, t, ex); err != nil {
			return err
		}
	}
	switch {
	case v.robots != "":
		err = m.x.addRobots(robots)
	case v.ended != nil:
		err = m.x.addEnding(u, ex, from, time.Unix(0, v.at), v.ended)
	default:
		v.was.verdict = m.verdict(u)
		err = m.x.add(ctx, u, ex, from, &v.was)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return m.x.abandon(err)
	}
	return nil
}

// read returns the answer of a visit, nil for a visit without one.
func (m *merger) read(v mergedVisit) (*archive.Exchange, error) {
	if v.place.File == "" {
		return nil, nil
	}
	return archive.ReadExchange(m.sources[v.source].Collection.ArchiveDir(), v.place, maxImported)
}

// create creates the new collection, and adds the failures that came before its first page.
func (m *merger) create(ctx context.Context, dir string, t *topic.Topic, first *archive.Exchange) (err error) {
	if m.x, err = newTranscript(ctx, dir, t, m.cfg, first, m.agents()); err != nil {
		return err
	}
	m.x.early = &m.early
	for _, v := range m.waiting {
		if err := m.add(ctx, dir, t, v); err != nil {
			return err
		}
	}
	m.waiting = nil
	return nil
}

// agents returns the crawlers that got the answers of the sources. What a page asks of one of them holds in the new
// collection, whichever of them got its newest answer.
func (m *merger) agents() (list []string) {
	for _, c := range m.sources {
		set := &c.Collection.Settings
		list = append(append(list, set.Resolved().Agent), set.Agents...)
	}
	return list
}

// gone reports whether a URL was taken down in one of the sources.
func (m *merger) gone(u dowse.URL) bool {
	return slices.ContainsFunc(m.sources, func(c *Crawler) bool {
		cr := c.Collection.Crawl
		return cr.HasForgotten() && cr.Reason(u) == dowse.SkipForgotten
	})
}

// verdict returns the verdict on a page: the best of those that the sources gave it. Thresholds differ
// between sources, so the ratings are moved to a scale on which every threshold is 0.5. The weight of
// a reason is what the page would lose without that source, if another one has it.
func (m *merger) verdict(u dowse.URL) *dowse.Verdict {
	v := &dowse.Verdict{Scale: judge.Change, Judge: mergedJudge}
	var ratings []float64
	for i, c := range m.sources {
		fr := c.Collection.Crawl.Frontier()
		id, ok := fr.Find(u)
		if !ok || fr.State(id) != dowse.Visited {
			continue
		}
		visit, _ := fr.Visit(id)
		on := "off"
		if visit.OnTopic {
			on = "on"
		}
		v.Because = append(v.Because, dowse.Because{What: fmt.Sprintf("%s: %s topic %s, %.2f", m.names[i], on, c.Topic.Name, visit.Relevance)})
		ratings = append(ratings, rescaled(visit.Relevance, c.Collection.Threshold()))
	}
	best, second := 0, 0.0
	for i, r := range ratings {
		if r > ratings[best] {
			best = i
		}
	}
	for i, r := range ratings {
		if i != best {
			second = max(second, r)
		}
	}
	if len(ratings) > 0 {
		v.Relevance = ratings[best]
	}
	if len(ratings) > 1 {
		v.Because[best].Weight = v.Relevance - second
	}
	return v
}

// mergedJudge names the verdicts that come from other collections. Commands know it, too.
const mergedJudge = "merged"

// rescaled moves a relevance to the scale on which the threshold is 0.5.
func rescaled(r, threshold float64) float64 {
	switch {
	case threshold <= 0 || threshold >= 1:
		return r
	case r < threshold:
		return r / threshold / 2
	}
	return 1 - (1-r)/(1-threshold)/2
}

// noLimits are limits for which nothing is left out.
var noLimits = requisite.Limits{PerPage: math.MaxInt, PageBytes: math.MaxInt64, AllBytes: math.MaxInt64}

// copyRequisites copies the requisites of the sources. Of several for one URL the first is kept.
func (m *merger) copyRequisites() error {
	for i, c := range m.sources {
		dir := c.Collection.Dir
		for l, err := range requisite.Lines(dir) {
			if err != nil {
				m.x.note("%s: %v", m.names[i], err)
				break
			}
			switch {
			case l.Page != "" && !m.x.ledger.Served(l.Page, noLimits) && !m.gone(l.Page):
				err = m.x.ledger.Write(requisite.Line{Page: l.Page, Uses: l.Uses, Partial: l.Partial, Cut: l.Cut})
			case l.Page == "" && l.File != "" && !m.x.ledger.Has(l.URL) && !m.gone(l.URL):
				err = m.copyRequisite(i, l)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// copyRequisite copies a requisite of a source.
func (m *merger) copyRequisite(source int, l *requisite.Line) error {
	dir := filepath.Join(m.sources[source].Collection.Dir, requisite.Folder)
	ex, err := archive.ReadExchange(dir, dowse.Place{File: l.File, Offset: l.Offset}, maxImported)
	if err != nil {
		m.lost.lose(archive.Loss{Path: m.names[source] + "/" + requisite.Folder + "/" + l.File, Offset: l.Offset, Length: l.Length, Err: err})
		return nil
	}
	ex.Metadata = []archive.Field{{Name: "hopsFromSeed", Value: embeddedHops}, {Name: "dowse-origin", Value: fmt.Sprintf("%s, %s, offset %d", m.names[source], l.File, l.Offset)}}
	m.x.out.Requisites++
	return m.x.ledger.Keep(*l, ex)
}

// end completes the collection, with the labels and the takedowns of the sources.
func (m *merger) end(part, out string, same bool) error {
	var down []dowse.URL
	fr := m.x.c.Collection.Crawl.Frontier()
	for id := range frontier.ID(fr.Len()) {
		if u := fr.URL(id); m.gone(u) {
			down = append(down, u)
		}
	}
	if err := m.x.finish(part, out); err != nil {
		return err
	}
	m.x.out.Unreadable, m.x.out.More, m.x.out.Erased = m.lost.Unreadable, m.lost.More, m.lost.Erased
	if err := m.copyLabels(part, same); err != nil {
		return err
	}
	if len(down) == 0 {
		return nil
	}
	m.x.out.Forgotten = len(down)
	_, err := Forget(part, collection.Takedown{URLs: down, Why: "taken down before the collections were merged", At: time.Now().UTC().Truncate(time.Second)})
	return err
}

// copyLabels copies the labels if all sources have the topic of the new collection: on or off topic
// means something else for another topic. Of several for one page the newest counts.
func (m *merger) copyLabels(part string, same bool) error {
	var lines []collection.Label
	for _, c := range m.sources {
		labels, err := collection.ReadLabels(c.Collection.Dir)
		if err != nil {
			return err
		}
		for _, l := range labels.Standing() {
			l.Model = ""
			lines = append(lines, l)
		}
	}
	if len(lines) > 0 && !same {
		m.x.note("%s stay in their collections: they concern other topics than that of the new one", plain.Some(len(lines), "label"))
		return nil
	}
	slices.SortFunc(lines, func(a, b collection.Label) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.URL, b.URL))
	})
	m.x.out.Labels = len(lines)
	return collection.AppendLabels(part, lines...)
}
