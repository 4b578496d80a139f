package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	index "github.com/blevesearch/bleve_index_api"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// A Request is what to look for. Query or Similar is required.
type Request struct {
	// Query holds words, "phrases", words to exclude (-word) and conditions: title:, host:, lang:, date:,
	// score:, verdict:.
	Query string
	// Similar is a page; pages that share its rarest words are looked for.
	Similar dowse.URL
	// All includes pages off topic. A condition on the verdict does, too.
	All bool
	// Limit is the largest number of hits; default 10. Offset is how many are left out before the first.
	Limit, Offset int
	// Facets counts all matching pages by verdict, host, language and year.
	Facets bool
}

// A Result is the answer to a Request.
type Result struct {
	// Total is the number of pages that match, near-duplicates included.
	Total int `json:"total" doc:"pages that match, near-duplicates included"`
	// AtLeast reports that Total is a lower bound: so many pages have the words of a phrase that only the best of them were read for
	// their order.
	AtLeast bool `json:"at_least,omitempty" doc:"whether the total is a lower bound, since only the best pages with all words of a phrase were looked at"`
	// Some reports that no page has all words, so the hits have only some of them.
	Some   bool    `json:"some_words,omitempty" doc:"no page has all words: the hits have some of them"`
	Hits   []Hit   `json:"hits" doc:"best first, near-duplicates folded"`
	Facets []Facet `json:"facets,omitempty" doc:"counts of all pages that match"`
	// Lag is what the indexes lack: pages that could match and are not known.
	Lag Lag `json:"lag" doc:"what the index lacks"`
	// Unread counts pages whose records are damaged: they are not found by their words, or they are hits without an excerpt.
	Unread int `json:"unread,omitempty" doc:"pages whose records are damaged: they are not found by their words, or have no excerpt"`
	// Unclear are notes on parts of the query that look like conditions and are none.
	Unclear []string `json:"-"`
}

// A Hit is a page that matches.
type Hit struct {
	Score      float64     `json:"score" doc:"how well the page matches (BM25); comparable within one answer"`
	Collection string      `json:"collection" doc:"directory of the collection"`
	Title      []Piece     `json:"title,omitempty" doc:"the title in pieces"`
	Snippet    []Piece     `json:"snippet,omitempty" doc:"an excerpt of the text in pieces"`
	Same       []dowse.URL `json:"same,omitempty" doc:"pages with nearly the same text, which are not listed"`
	Page       *facts.Row  `json:"page" doc:"what is known of the page"`
}

// A Piece is a part of a text. Text comes from the web: escape it before it is shown.
type Piece struct {
	Text string `json:"text" doc:"a part of the text, as it is on the page"`
	Mark bool   `json:"mark,omitempty" doc:"whether it is a word of the query"`
}

// A Facet counts pages by one property.
type Facet struct {
	Name   string  `json:"name" doc:"verdict, host, lang or year"`
	Counts []Count `json:"counts" doc:"the most frequent values"`
}

// A Count is the number of pages with a value.
type Count struct {
	Value string `json:"value" doc:"the value"`
	Pages int    `json:"pages" doc:"number of pages"`
}

// A Searcher answers requests over loaded collections. It sees the indexes as they were when it
// was opened. It is not safe for concurrent use, since a Collection is not.
type Searcher struct {
	parts []*part
	stats stats
	lex   *stems
	langs []string // by whose rules queries are understood
	// phrased is how many pages of an index are read for a phrase; maxPhrased but in tests.
	phrased int
	// Temporary names the collections whose index was made for this searcher only, because they can't
	// be written or because there is no key.
	Temporary []string
}

// A part is one of the collections of a Searcher.
type part struct {
	col   *collection.Collection
	index *snapshot
	state state
	lag   Lag
	tmp   *durable.TempFolder // folder of a temporary index; nil for none
	known docTable            // what was read of its pages so far
}

// Open brings the indexes of loaded collections up to date and opens them. If update is false, they are
// taken as they are, and what they lack is in the Lag of every result; one that is missing or can't be used is
// made in any case. A collection that can't be written gets an index in a temporary folder, unless it has one.
func Open(ctx context.Context, cols []*collection.Collection, o Options, update bool) (*Searcher, error) {
	durable.RemoveLeftFolders()
	s := &Searcher{lex: newStems(), phrased: maxPhrased, stats: stats{df: map[string]int{}}}
	o.checked = map[string]bool{}
	for _, col := range cols {
		p, err := openPart(ctx, col, o, update)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.parts = append(s.parts, p)
		if p.tmp != nil {
			s.Temporary = append(s.Temporary, col.Dir)
		}
	}
	if err := s.survey(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openPart opens the index of one collection.
func openPart(ctx context.Context, col *collection.Collection, o Options, update bool) (*part, error) {
	p := &part{col: col}
	usable := p.open(o) == nil
	if usable && (!update || p.lag.Pages == 0) {
		return p, nil
	}
	var err error
	switch {
	case o.ReadOnly:
		err = errReadOnly
	case len(o.Key) == 0:
		err = errNoKey
	default:
		err = Update(ctx, col.Dir, o)
	}
	switch {
	case err == nil:
	case usable && (errors.Is(err, ErrBusy) || IsUnwritable(err)):
		return p, nil // as it is, and the result reports what it lacks
	case IsUnwritable(err):
		if o, err = p.elsewhere(ctx, o, err); err != nil {
			return nil, errors.Join(err, p.close())
		}
	default:
		return nil, errors.Join(err, p.close())
	}
	if usable {
		p.index.close()
	}
	if err := p.open(o); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// errReadOnly and errNoKey are the causes for a temporary index if no index may be written, or none could be recognised
// later.
var (
	errReadOnly = errors.New("collections may only be read")
	errNoKey    = errors.New("there is no secret by which it would be recognised later")
)

// IsUnwritable reports whether an error means that no index can be kept in a collection: it may not be written, or its
// disk is full.
func IsUnwritable(err error) bool {
	return errors.Is(err, errReadOnly) || errors.Is(err, errNoKey) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// elsewhere makes an index in a temporary folder, because none can be kept in the collection.
func (p *part) elsewhere(ctx context.Context, o Options, because error) (Options, error) {
	tmp, err := durable.NewTempFolder("index")
	if err != nil {
		return o, fmt.Errorf("search: %s: no index can be kept (%v), and none made in a temporary folder: %w", p.col.Dir, because, err)
	}
	p.tmp, o.temporary = tmp, tmp.Path
	if len(o.Key) == 0 {
		o.Key = []byte(tmp.Path) // the folder is private
	}
	return o, Update(ctx, p.col.Dir, o)
}

// open opens the index that is there.
func (p *part) open(o Options) (err error) {
	s := o.store(p.col.Dir)
	if !s.trusted() {
		return errDamaged
	}
	if p.index, err = s.openSnapshot(); err != nil {
		return err
	}
	if p.state, err = readState(p.index); err == nil {
		err = p.state.fits(p.col)
	}
	if errors.Is(err, errAhead) {
		return nil // it was extended after the collection was opened, and lacks nothing of that
	}
	if err == nil && p.state.Version == 0 {
		err = errDamaged // it was never completed
	}
	if err == nil {
		p.lag, err = lagBehind(p.col, p.state)
	}
	if err != nil {
		p.index.close()
		p.index = nil
	}
	return err
}

// close closes the index and removes a temporary one.
func (p *part) close() (err error) {
	if p.index != nil {
		err = p.index.close()
	}
	if p.tmp != nil {
		err = errors.Join(err, p.tmp.Remove())
	}
	return err
}

// Close releases the indexes. The collections stay open.
func (s *Searcher) Close() (err error) {
	for _, p := range s.parts {
		err = errors.Join(err, p.close())
	}
	return err
}

// maxLanguages is by the rules of how many languages a query is understood.
const maxLanguages = 5

// survey reads the statistics of all indexes and the languages of their pages.
func (s *Searcher) survey() (err error) {
	defer recovered(&err)
	var all state
	counts := map[string]int{}
	for _, p := range s.parts {
		n, err := p.index.DocCount()
		if err != nil {
			return err
		}
		s.stats.pages += int(n)
		all.Added, all.Title, all.Text, all.Frame = all.Added+p.state.Added, all.Title+p.state.Title, all.Text+p.state.Text, all.Frame+p.state.Frame
		if err := p.languages(counts); err != nil {
			return err
		}
	}
	if n := float64(all.Added); n > 0 {
		s.stats.title, s.stats.text, s.stats.frame = float64(all.Title)/n, float64(all.Text)/n, float64(all.Frame)/n
	}
	for _, c := range most(counts, maxLanguages) {
		s.langs = append(s.langs, c.Value)
	}
	if len(s.langs) == 0 {
		s.langs = []string{"en"}
	}
	return nil
}

// languages counts the pages of an index by the language of their terms.
func (p *part) languages(counts map[string]int) error {
	d, err := p.index.FieldDict(fieldLang)
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		e, err := d.Next()
		if err != nil || e == nil {
			return err
		}
		counts[languageOf(e.Term)] += int(e.Count)
	}
}

// most returns the values with the highest counts, highest first.
func most(counts map[string]int, n int) []Count {
	list := []Count{}
	for v, pages := range counts {
		list = append(list, Count{v, pages})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), strings.Compare(a.Value, b.Value))
	})
	return list[:min(n, len(list))]
}

// defaultLimit is the Limit of a request that has none, maxLimit the largest.
const (
	defaultLimit = 10
	maxLimit     = 1000
)

// Search answers a request. The error is an ErrQuery for a query that can't be understood.
func (s *Searcher) Search(ctx context.Context, r Request) (result *Result, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a segment that was cut off while it is mapped
	defer recovered(&err)
	if r.Limit <= 0 {
		r.Limit = defaultLimit
	}
	r.Limit, r.Offset = min(r.Limit, maxLimit), max(r.Offset, 0)
	q, err := parse(r.Query, s.lex, s.langs)
	if err != nil {
		return nil, err
	}
	x := &answer{s: s, ctx: ctx, r: r, q: q, groups: groupsOf(q.clauses), out: &Result{Hits: []Hit{}, Unclear: q.unclear}, facets: newFacets(r.Facets)}
	for _, p := range s.parts {
		x.out.Lag.add(p.lag)
		x.out.Unread += p.state.Damaged
	}
	if err := x.find(); err != nil {
		return nil, err
	}
	return x.out, x.list()
}

// add adds the lag of another index.
func (l *Lag) add(m Lag) {
	if l.Since.IsZero() || !m.Since.IsZero() && m.Since.Before(l.Since) {
		l.Since = m.Since
	}
	l.Pages += m.Pages
}

// An answer is a request that is being answered.
type answer struct {
	s      *Searcher
	ctx    context.Context
	r      Request
	q      *query
	groups []wordGroup
	like   likeness // for similar pages; nil for others
	out    *Result
	facets *facetCounts
	best   []match
	last   match // no match that comes after it is one of the best, if cut is set
	cut    bool
}

// A match is a page that matches, before it becomes a hit.
type match struct {
	part  int
	id    frontier.ID
	score float64
}

// find finds the pages that match in all parts. If none has all words, those with some are taken.
func (x *answer) find() error {
	if len(x.groups) == 0 && x.r.Similar == "" && !x.q.isCondition() {
		what := "it has no word to look for; a word has at least two letters or digits"
		if slices.ContainsFunc(x.q.clauses, func(c clause) bool { return c.not }) || len(x.q.notHosts) > 0 {
			what = "it only excludes; give a word or a condition to look for, too"
		}
		return fmt.Errorf("search: %w: %s", ErrQuery, what)
	}
	if x.r.Similar != "" && len(x.q.words) > 0 {
		return fmt.Errorf("search: %w: similar pages are found by the words of a page, so %q has no effect; leave it out, or give a condition such as host:example.org or -word", ErrQuery, x.q.words[0])
	}
	if x.r.Similar != "" {
		if err := x.liken(); err != nil {
			return err
		}
	}
	if err := x.frequencies(); err != nil {
		return err
	}
	if err := x.run(false); err != nil {
		return err
	}
	loose := len(x.groups) > 1 && !slices.ContainsFunc(x.q.clauses, func(c clause) bool { return len(c.words) > 1 && !c.not })
	if x.out.Total > 0 || !loose || x.like != nil {
		return nil
	}
	if err := x.run(true); err != nil {
		return err
	}
	x.out.Some = x.out.Total > 0
	return nil
}

// isCondition reports whether a query without words has something to go by.
func (q *query) isCondition() bool {
	return len(q.hosts)+len(q.langs)+len(q.verdicts) > 0 || q.high > 0 || q.from+q.to != ""
}

// frequencies counts in how many pages of all parts each group occurs.
func (x *answer) frequencies() error {
	x.s.stats.df = map[string]int{}
	for _, p := range x.s.parts {
		m := &matcher{ctx: x.ctx, index: p.index, stats: &x.s.stats}
		for _, g := range x.groups {
			n, err := m.count(g)
			if err != nil {
				return err
			}
			x.s.stats.df[g.key()] += n
		}
	}
	return nil
}

func (x *answer) matcher(p *part) *matcher {
	m := &matcher{ctx: x.ctx, index: p.index, stats: &x.s.stats}
	if n := p.index.size(); n > 0 {
		m.grow(uint64(n - 1))
	}
	return m
}

// run finds the pages with all groups, or with some, and keeps the best.
func (x *answer) run(some bool) error {
	for i, p := range x.s.parts {
		m := x.matcher(p)
		docs, err := x.docs(m, some)
		if err != nil {
			return err
		}
		docs, all := m.candidates(x.q.clauses, docs, x.s.phrased)
		x.out.AtLeast = x.out.AtLeast || !all
		if docs, err = m.phrases(x.q.clauses, docs); err != nil {
			return err
		}
		if err := x.keep(i, m, docs); err != nil {
			return err
		}
	}
	slices.SortFunc(x.best, better)
	return nil
}

// docs returns the pages of one index that the words select.
func (x *answer) docs(m *matcher, some bool) ([]uint64, error) {
	switch {
	case len(x.groups) == 0:
		return m.everything()
	case x.like != nil || some:
		return m.any(x.groups)
	}
	return m.all(x.groups)
}

// better orders matches: highest score first, then as collections were given, then as URLs were first seen.
func better(a, b match) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.part, b.part), cmp.Compare(a.id, b.id))
}

// reserve is how many more matches than wanted are kept, since near-duplicates are folded later.
func (x *answer) reserve() int { return 4*(x.r.Offset+x.r.Limit) + 100 }

// keep applies the conditions of the query to pages, counts those that are left, and keeps the best.
func (x *answer) keep(at int, m *matcher, docs []uint64) error {
	p := x.s.parts[at]
	values, err := m.index.DocValueReader([]string{fieldLang, fieldDate})
	if err != nil {
		return err
	}
	dated := x.facets != nil || x.q.from+x.q.to != "" || len(x.q.langs) > 0
	counts := x.facets.of(p)
	for n, d := range docs {
		if n%4096 == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		doc, err := p.doc(d, dated, values)
		if err != nil {
			return err
		}
		visit, ok := p.visitOf(doc.page)
		if !ok || !x.wants(p, doc.page, visit) || dated && !x.q.wantsVisit(p.known.texts[doc.lang], p.known.texts[doc.date]) {
			continue
		}
		x.out.Total++
		counts.add(p, doc, visit)
		score := m.score[d]
		if len(x.groups) == 0 {
			score = facts.Finite(visit.Relevance)
		}
		x.offer(match{at, doc.page, score})
	}
	return nil
}

// offer keeps a match if it may be one of the best.
func (x *answer) offer(m match) {
	if x.cut && better(x.last, m) < 0 {
		return
	}
	x.best = append(x.best, m)
	if keep := x.reserve(); len(x.best) >= 2*keep {
		slices.SortFunc(x.best, better)
		x.best = x.best[:keep]
		x.last, x.cut = x.best[keep-1], true
	}
}

// pageID returns the number in the crawl of a page in an index, frontier.None for a name that is none.
func pageID(r index.IndexReader, internal index.IndexInternalID) (frontier.ID, error) {
	name, err := r.ExternalID(internal)
	if err != nil {
		return frontier.None, err
	}
	n, err := strconv.ParseUint(name, 16, 32)
	if err != nil {
		return frontier.None, nil
	}
	return frontier.ID(n), nil
}

// visitOf returns the last visit to a page. A page that the crawl does not know, or that was taken down, is not
// ok.
func (p *part) visitOf(id frontier.ID) (v frontier.Visit, ok bool) {
	f := p.col.Crawl.Frontier()
	if int(id) >= f.Len() {
		return v, false
	}
	v, ok = f.Visit(id)
	return v, ok && p.col.Crawl.ReasonFor(id) != dowse.SkipForgotten
}

// wants reports whether a page meets the conditions on what the crawl knows of it.
func (x *answer) wants(p *part, id frontier.ID, v frontier.Visit) bool {
	switch {
	case x.like.is(p, id):
		return false
	case len(x.q.verdicts) > 0:
		if !slices.ContainsFunc(verdictsAt(v.Relevance, p.col.Threshold()), func(is string) bool { return slices.Contains(x.q.verdicts, is) }) {
			return false
		}
	case !x.r.All && v.Relevance < p.col.Threshold():
		return false
	}
	if x.q.high > 0 && (v.Relevance < x.q.low || v.Relevance > x.q.high) {
		return false
	}
	if len(x.q.hosts)+len(x.q.notHosts) == 0 {
		return true
	}
	host := p.host(id)
	below := func(domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }
	return (len(x.q.hosts) == 0 || slices.ContainsFunc(x.q.hosts, below)) && !slices.ContainsFunc(x.q.notHosts, below)
}

// verdictsAt returns the verdicts that select a page: on or off of the threshold, and unsure near it. They are those of all lists
// of pages.
func verdictsAt(relevance, threshold float64) []string {
	is := []string{facts.Off, facts.Unsure}
	if relevance >= threshold {
		is[0] = facts.On
	}
	if facts.VerdictOf(relevance, threshold) != facts.Unsure {
		return is[:1]
	}
	return is
}

// wantsVisit reports whether a page meets the conditions on what the index knows of it.
func (q *query) wantsVisit(lang, date string) bool {
	return (len(q.langs) == 0 || slices.Contains(q.langs, lang)) && (q.from == "" || date >= q.from) && (q.to == "" || date <= q.to)
}

// list makes hits of the best matches, and folds near-duplicates into the best of them.
func (x *answer) list() error {
	x.out.Facets = x.facets.list()
	first, seen := map[string]int{}, 0 // places of listed hits by what they are the same as
	for _, m := range x.best {
		if x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		p := x.s.parts[m.part]
		url := p.col.URL(m.id)
		if url == "" {
			continue
		}
		row, err := p.col.Row(url)
		if errors.Is(err, collection.ErrDamaged) {
			continue // the others are found all the same
		}
		if err != nil {
			return err
		}
		keys := p.sameAs(row)
		if at, ok := firstOf(first, keys); ok {
			if at >= 0 {
				x.out.Hits[at].Same = append(x.out.Hits[at].Same, url)
			}
			continue
		}
		at := -1
		if seen >= x.r.Offset && len(x.out.Hits) < x.r.Limit {
			at = len(x.out.Hits)
			x.out.Hits = append(x.out.Hits, x.hit(p, row, m.score))
		}
		if seen++; seen > x.r.Offset+x.r.Limit {
			break
		}
		for _, k := range keys {
			first[k] = at
		}
	}
	return nil
}

// firstOf returns the place of the first hit with one of the keys.
func firstOf(first map[string]int, keys []string) (at int, ok bool) {
	for _, k := range keys {
		if at, ok = first[k]; ok {
			return at, true
		}
	}
	return 0, false
}

// maxChain bounds how many near-duplicates of near-duplicates are followed.
const maxChain = 8

// sameAs returns what a page is the same as: itself, the page that it repeats according to the crawl, and
// all pages with exactly its words, in any collection.
func (p *part) sameAs(row *facts.Row) []string {
	keys := []string{string(row.URL)}
	if row.Sketch.Text != 0 {
		keys = append(keys, fmt.Sprintf("text %x", row.Sketch.Text))
	}
	for near := row.Near; near != "" && len(keys) < maxChain; {
		keys = append(keys, string(near))
		first, err := p.col.Row(near)
		if err != nil {
			break
		}
		near = first.Near
	}
	return keys
}

// hit returns a page as a result shows it. A page whose text can't be read has no snippet.
func (x *answer) hit(p *part, row *facts.Row, score float64) Hit {
	h := Hit{Score: score, Collection: p.col.Dir, Page: row}
	marks := x.marker(row.Language)
	h.Title = marks.pieces(cutTitle(row.Title))
	doc, err := readPage(p.col, row.Page)
	if err == nil {
		h.Snippet = marks.snippet(doc)
	} else if errors.Is(err, collection.ErrDamaged) {
		x.out.Unread++
	}
	return h
}
