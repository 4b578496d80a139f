package collection

import (
	"container/heap"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/predicate"
	"dowse/weburl"
)

// The values of ExportOptions.Text and Distinct.
const (
	textMain = "main"
	textAll  = "all"
	none     = "none"

	distinctExact = "exact"
	distinctNear  = "near"
)

// Why a page is not in an export, as the data card lists it.
const (
	leftNoArchive = "noarchive"
	leftNoIndex   = "noindex"
	leftTDM       = facts.UseTDM
	leftAI        = facts.UseAI
	leftScore     = "min-score"
	leftWhere     = "where"
	leftExact     = "exact duplicate"
	leftNear      = "near duplicate"
	leftEmpty     = "no text"
	leftSample    = "not in the sample"
)

// leftMeanings returns what each reason means, in the order of the data card.
func leftMeanings() [][2]string {
	return [][2]string{
		{leftNoArchive, "the page asks not to be archived"},
		{leftNoIndex, "the page asks not to be indexed"},
		{leftTDM, "the page or its host reserves text and data mining"},
		{leftAI, "the page or its host reserves the training of models"},
		{leftScore, "the relevance is below the least one asked for"},
		{leftWhere, "the condition does not hold"},
		{leftExact, "another page of the export has the same text"},
		{leftNear, "another page of the export has nearly the same text"},
		{leftEmpty, "the page has no text of its own, or none at all if all text is exported"},
		{leftSample, "the sample has other pages"},
	}
}

// wishes are the requests of owners that an export can keep.
var wishes = []string{leftNoArchive, leftNoIndex, leftTDM, leftAI}

// wrong returns an error in the options of an export, which the user can correct.
func wrong(format string, args ...any) error { return &optionError{fmt.Sprintf(format, args...)} }

// An optionError is a mistake in the options of an export.
type optionError struct{ message string }

func (e *optionError) Error() string { return e.message }

// Unwrap makes errors.Is find ErrSuffix, by which callers know that the user can
// correct the mistake.
func (e *optionError) Unwrap() error { return ErrSuffix }

// A selection decides which pages an export has. It is made once per export.
type selection struct {
	where    *predicate.Predicate
	respect  []string
	distinct string
	document bool // the content of pages is needed

	seen   map[uint64]bool   // texts, and groups of near-duplicates, that the export has
	roots  map[uint64]uint64 // the group of a page that is a near-duplicate
	chosen map[uint64]bool   // the sample; nil for all pages

	// news are what was added to seen and roots since they were last taken; nil for an
	// export that is not continued after an interruption.
	news *seenNews
}

// see notes that the export has a text or a group.
func (s *selection) see(key uint64) {
	s.seen[key] = true
	if s.news != nil {
		s.news.Seen = append(s.news.Seen, key)
	}
}

// join notes the group of a page.
func (s *selection) join(page, group uint64) {
	s.roots[page] = group
	if s.news != nil {
		s.news.Roots = append(s.news.Roots, page, group)
	}
}

// newSelection checks the options that select pages. withText reports whether the
// export has texts of pages, and archived whether it has the pages themselves. A condition
// on categories is an error, because no page would meet it: a collection does not keep
// what a classifier found.
func newSelection(opt *ExportOptions, withText, archived bool) (*selection, error) {
	s := &selection{seen: map[uint64]bool{}, roots: map[uint64]uint64{}}
	var err error
	if s.respect, err = respected(opt.Respect, withText || archived); err != nil {
		return nil, err
	}
	switch opt.Distinct {
	case distinctExact, distinctNear:
		s.distinct = opt.Distinct
	case "":
		if withText {
			s.distinct = distinctNear
		}
	case none:
	default:
		return nil, wrong("distinct: %q is unknown; want exact, near or none", opt.Distinct)
	}
	if archived && (opt.Distinct != "" || opt.Limit != 0 || opt.Sample != 0 || opt.Shard != 0) {
		return nil, wrong("distinct, limit, sample and shard are for lists of pages, not for archives")
	}
	if opt.Limit < 0 || opt.Sample < 0 || opt.Shard < 0 {
		return nil, wrong("limit, sample and shard must not be negative")
	}
	if !(opt.MinScore >= 0 && opt.MinScore <= 1) { // NaN is neither
		return nil, wrong("min-score: got %v, want 0 to 1", opt.MinScore)
	}
	if opt.Where != "" {
		if s.where, err = parseWhere(opt.Where); err != nil {
			return nil, err
		}
		if names := s.where.Needs().Categories; len(names) > 0 {
			return nil, wrong("where: category %q can't be tested: an export has no classifier for categories; select by other facts, such as the score", names[0])
		}
	}
	s.document = withText || slices.Contains(s.respect, leftTDM) || slices.Contains(s.respect, leftAI) || s.where != nil && needsDocument(s.where)
	return s, nil
}

// respected returns the wishes to keep: those asked for, or noarchive for an export of
// content. The word none means no wish, and all every one.
func respected(asked []string, content bool) ([]string, error) {
	if len(asked) == 0 {
		if content {
			return []string{leftNoArchive}, nil
		}
		return nil, nil
	}
	if len(asked) == 1 && asked[0] == none {
		return nil, nil
	}
	if len(asked) == 1 && asked[0] == "all" {
		return wishes, nil
	}
	for _, w := range asked {
		if !slices.Contains(wishes, w) {
			return nil, wrong("respect: %q is unknown; want some of %s, or all, or none", w, strings.Join(wishes, ", "))
		}
	}
	return asked, nil
}

// parseWhere reads a condition: an expression such as keyword(reef) and lang(en), an
// expression in CEL if it contains "page.", or a tree in YAML in braces, as in topic
// files.
func parseWhere(s string) (*predicate.Predicate, error) {
	var tree any = s
	switch trimmed := strings.TrimSpace(s); {
	case strings.HasPrefix(trimmed, "{"):
		if err := yaml.Unmarshal([]byte(trimmed), &tree); err != nil {
			return nil, wrong("where: %v", err)
		}
		tree = plainTree(tree)
	case strings.Contains(trimmed, "page."):
		tree = map[string]any{"expr": trimmed}
	default:
		p, err := predicate.ParseExpr(s)
		if err != nil {
			return nil, wrong("where: %v", err)
		}
		return p, nil
	}
	p, problems := predicate.FromTree(tree, nil)
	if len(problems) > 0 {
		if m, _ := tree.(map[string]any); m["expr"] != nil {
			problems[0].Path = "" // the problem names it already
		}
		return nil, wrong("where: %v", &problems[0])
	}
	return p, nil
}

// plainTree returns a tree of YAML with the types that predicates are made of.
func plainTree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = plainTree(x)
		}
	case []any:
		for i, x := range v {
			v[i] = plainTree(x)
		}
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	case int:
		return float64(v)
	}
	return v
}

// needsDocument reports whether a condition asks for the content of pages, which the
// journal does not hold. Of the language it holds only what pages declare.
func needsDocument(p *predicate.Predicate) bool {
	for _, name := range p.Needs().Facts {
		head, _, _ := strings.Cut(name, ".")
		for _, n := range []string{name, head} {
			if f := facts.Named(n); f != nil && (f.Document || f.Content || f.Name == "lang") {
				return true
			}
		}
	}
	return false
}

// An exportedPage is a page on its way into an export.
type exportedPage struct {
	row      *Row
	template uint32 // the host, whose template its text is without
	left     string // why it is left out; "" if it is not
	err      error  // of reading its content
	markdown string
	prepared any // what a list made of the row, see listSink
}

// batchSize is how many pages are read in parallel between two looks into the
// journal. It bounds the memory of an export.
const batchSize = 32

// selected calls prepare, from several goroutines, and then do, in order, for the pages
// of the export. It counts pages, those that were left out, and what the data card
// needs.
func (x *exporter) selected(prepare, do func(*exportedPage) error) error {
	if x.opt.Sample > 0 {
		if err := x.drawSample(); err != nil {
			return err
		}
	}
	err := x.candidates(prepare, func(c *exportedPage) error {
		x.looked++
		if c.err != nil && !errors.Is(c.err, ErrErased) {
			x.c.unreadPage(c.row.URL, c.err)
		}
		if c.left == "" && x.lacksText(c.row) {
			c.left = leftEmpty
		}
		if c.left == "" {
			c.left = x.sel.repeats(c.row, x.opt.Text)
		}
		if c.left != "" {
			x.left[c.left]++
			return nil
		}
		x.n++
		x.card.count(c.row)
		if err := do(c); err != nil {
			return err
		}
		if x.n == x.opt.Limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// lacksText reports whether a page has no text in an export of texts. A page that can't be read is not such a page: it
// is listed with its problem.
func (x *exporter) lacksText(row *Row) bool {
	return (x.opt.Text == textMain || x.opt.Text == textAll) && row.Text == "" && !row.Unread
}

// candidates calls do for all pages of the filter in order, after work was done for
// each in parallel. The journal is read by this goroutine alone, between batches.
func (x *exporter) candidates(prepare, do func(*exportedPage) error) error {
	batch := make([]*exportedPage, 0, batchSize)
	done, total, skip := 0, x.c.Crawl.Status().Fetched, x.skip
	flush := func() error {
		if err := x.work(batch, prepare); err != nil {
			return err
		}
		for _, c := range batch {
			if err := do(c); err != nil {
				return err
			}
		}
		done += len(batch)
		x.progress(done, max(done, total))
		clear(batch)
		batch = batch[:0]
		return nil
	}
	err := x.pages(x.filter(), func(row *Row) error {
		if skip > 0 { // an export that is continued has it
			skip--
			done++
			return nil
		}
		x.reserve(row)
		c := &exportedPage{row: row, left: x.sel.refuses(row, x.opt.MinScore)}
		if batch = append(batch, c); len(batch) < batchSize {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// progress reports how far the export is: by the pages that were looked at, or by those that it
// has of its limit if that is further.
func (x *exporter) progress(done, total int) {
	switch {
	case x.opt.Progress == nil:
	case x.opt.Limit > 0 && x.n*total > done*x.opt.Limit:
		x.opt.Progress(x.n, x.opt.Limit)
	default:
		x.opt.Progress(done, total)
	}
}

// reserve adds to a row what its host reserves, if the export needs it, and counts the hosts that were not
// asked for a tdmrep.json if the export is to respect it.
func (x *exporter) reserve(row *Row) {
	if !x.sel.document && !x.needsFields {
		return
	}
	row.Reserved = x.c.reservedByHost(row.URL)
	if slices.Contains(x.sel.respect, leftTDM) && !x.c.usesOf(row.URL).asked {
		if x.unasked == nil {
			x.unasked = map[dowse.URL]bool{}
		}
		x.unasked[weburl.Homepage(row.URL)] = true
	}
}

// work reads and prepares a batch of pages on all processors.
func (x *exporter) work(batch []*exportedPage, prepare func(*exportedPage) error) error {
	if err := x.learnTemplates(batch); err != nil {
		return err
	}
	errs := make([]error, len(batch))
	inParallel(len(batch), func(i int) {
		if c := batch[i]; c.left == "" {
			x.readContent(c)
			if c.left == "" && prepare != nil {
				errs[i] = prepare(c)
			}
		}
	})
	return errors.Join(errs...)
}

// inParallel calls do with the numbers below n, from as many goroutines as there are
// processors, and returns when all calls have.
func inParallel(n int, do func(i int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// refuses returns why a page is left out by what the journal holds of it, "" if it is
// not.
func (s *selection) refuses(row *Row, least float64) string {
	switch {
	case least > 0 && row.Relevance() < least:
		return leftScore
	case row.NoArchive && slices.Contains(s.respect, leftNoArchive):
		return leftNoArchive
	case row.NoIndex && slices.Contains(s.respect, leftNoIndex):
		return leftNoIndex
	case s.chosen != nil && !s.chosen[fingerprint(string(row.URL))]:
		return leftSample
	}
	return ""
}

// refusesContent is refuses for what the content of a page shows, and the condition.
func (s *selection) refusesContent(row *Row) string {
	if use := s.reserves(row); use != "" {
		return use
	}
	if s.where != nil && !s.holds(row) {
		return leftWhere
	}
	return ""
}

// reserves returns the use that a page reserves and the export respects, "" if there is none.
func (s *selection) reserves(row *Row) string {
	for _, use := range []string{leftTDM, leftAI} {
		if slices.Contains(s.respect, use) {
			if flags, _ := facts.Named("use_flags").Value(row).([]string); slices.Contains(flags, use) {
				return use
			}
		}
	}
	return ""
}

// holds reports whether the condition holds for a page.
func (s *selection) holds(row *Row) bool {
	f := predicate.Facts{Anchors: row.Anchors, Modified: row.ServerModified}
	if row.ParentScore != nil {
		f.Parent = &predicate.Parent{Score: *row.ParentScore, Host: row.ParentHost}
	}
	relevance := row.Relevance()
	f.Score = &relevance
	return s.where.Test(row.Page, f).Holds
}

// repeats returns why a page is left out because of one that the export already has,
// "" if it is not. Near-duplicates are those that the crawl found; of a group of them
// the export has the first that was not left out for another reason.
func (s *selection) repeats(row *Row, text string) string {
	if s.distinct == "" {
		return ""
	}
	exact := row.Sketch.Text
	if (text == textMain || text == textAll) && row.Text != "" {
		exact = fingerprint(row.Text)
	}
	if exact != 0 {
		exact |= 1 // texts have odd keys, groups even ones
		if s.seen[exact] {
			return leftExact
		}
	}
	if s.distinct == distinctNear {
		own := fingerprint(string(row.URL))
		group := own
		if row.Near != "" {
			if group = fingerprint(string(row.Near)); s.roots[group] != 0 {
				group = s.roots[group]
			}
			s.join(own, group)
		}
		if s.seen[group&^1] {
			return leftNear
		}
		s.see(group &^ 1)
	}
	if exact != 0 {
		s.see(exact)
	}
	return ""
}

// fingerprint returns a hash of a text with 64 well mixed bits. It is never 0.
func fingerprint(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return max(1, h^h>>31)
}

// drawSample chooses the pages of the sample: those with the least fingerprints of their
// URLs among the pages of the export. It does not depend on the order of the crawl, and a
// larger sample contains the smaller ones.
func (x *exporter) drawSample() error {
	var least largest
	skip := x.skip
	x.skip = 0 // the sample is that of all pages
	defer func() { x.skip = skip }()
	err := x.candidates(nil, func(c *exportedPage) error {
		if c.left != "" || x.sel.repeats(c.row, none) != "" {
			return nil
		}
		heap.Push(&least, fingerprint(string(c.row.URL)))
		if len(least) > x.opt.Sample {
			heap.Pop(&least)
		}
		return nil
	})
	x.sel.chosen = make(map[uint64]bool, len(least))
	for _, h := range least {
		x.sel.chosen[h] = true
	}
	clear(x.sel.seen)
	clear(x.sel.roots)
	if x.sel.news != nil {
		*x.sel.news = seenNews{}
	}
	return err
}

// largest is a heap with the largest number on top.
type largest []uint64

func (l largest) Len() int           { return len(l) }
func (l largest) Less(i, k int) bool { return l[i] > l[k] }
func (l largest) Swap(i, k int)      { l[i], l[k] = l[k], l[i] }

// Push adds a number; it is for container/heap.
func (l *largest) Push(v any) { *l = append(*l, v.(uint64)) }

// Pop removes the last number; it is for container/heap.
func (l *largest) Pop() any {
	old := *l
	v := old[len(old)-1]
	*l = old[:len(old)-1]
	return v
}

// admits reports whether an archive has a page. It reads the page if the selection
// needs its content.
func (x *exporter) admits(row *Row) bool {
	x.reserve(row)
	c := &exportedPage{row: row, left: x.sel.refuses(row, x.opt.MinScore)}
	if c.left == "" && (x.sel.document || x.sel.where != nil) {
		page := row.Page
		x.readContent(c)
		row.Page = page
	}
	if c.left != "" {
		x.left[c.left]++
	}
	return c.left == ""
}

// isChosen reports whether the selection leaves out pages for other reasons than a
// wish of their owners.
func (s *selection) isChosen(opt *ExportOptions) bool { return s.where != nil || opt.MinScore > 0 }
