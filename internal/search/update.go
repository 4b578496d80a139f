package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	index "github.com/blevesearch/bleve_index_api"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// version is that of the contents of an index. It changes with the rules by which pages become
// terms; an index of another version is made again.
const version = 3

// Fields of a page in the index.
const (
	fieldTitle = "title"
	fieldText  = "text"  // the page's own text
	fieldFrame = "frame" // the rest of the text
	fieldLang  = "lang"  // as by languageOf for terms, the primary tag for queries
	fieldDate  = "date"  // 2006-01-02: when it was published, or else fetched
	fieldOrder = "order" // the words of text and frame in order, see orderOf
)

// stateKey is where scorch keeps the state, in one commit with the pages that it speaks of.
var stateKey = []byte("dowse")

// A state is how far an index goes.
type state struct {
	Version int    `json:"version"`
	Key     uint64 `json:"key"` // of the collection, which no two share

	// Through is the place in the journal of the last entry that was read, ID and At are
	// what is there. With another entry in that place, the journal is not the one that
	// was indexed.
	Through uint64      `json:"through"`
	ID      frontier.ID `json:"id"`
	At      time.Time   `json:"at"`
	Begun   bool        `json:"begun"` // Through is set

	// Added counts the visits that were indexed; Title, Text and Frame their words, for the average
	// lengths.
	Added int `json:"added"`
	Title int `json:"title"`
	Text  int `json:"text"`
	Frame int `json:"frame"`
	// Unread counts the visits whose answers could not be read, so that they are not in the index.
	Unread int `json:"unread,omitempty"`
	// Damaged counts those of them whose records can't be decoded.
	Damaged int `json:"damaged,omitempty"`
	// Sum is a checksum of the other fields.
	Sum uint32 `json:"sum"`
}

// checksum returns the value of Sum.
func (st state) checksum() uint32 {
	st.Sum = 0
	data, err := json.Marshal(st)
	if err != nil {
		panic(err) // it has numbers and a time only
	}
	return crc32.ChecksumIEEE(data)
}

// Options say where an index is kept, and who uses it.
type Options struct {
	// Key is a secret of the user, by which an index that this user made is recognised. Without
	// it, none is.
	Key []byte
	// ReadOnly leaves the collections as they are: an index that is missing or can't be used is made in a
	// temporary folder.
	ReadOnly bool
	// Workers is how many pages are read concurrently; default one per processor.
	Workers int
	// Progress, if set, is called after each round with the number of pages that were added and
	// the number that were missing at the beginning, 0 if that is not known.
	Progress func(done, all int)

	temporary string          // folder of the index; "" for the collection
	checked   map[string]bool // see store
}

// store returns the folder of the index of a collection.
func (o Options) store(dir string) store {
	if o.temporary != "" {
		dir = o.temporary
	}
	return store{durable.In(dir), o.Key, o.checked}
}

// Sizes of a round: it ends when either is reached. A round of Follow takes about half a second of a processor.
const (
	followPages = 100
	updatePages = 500
	roundBytes  = 16 << 20 // of text
	// roundShare is one part in this many of the memory limit, if there is one: pages of many different words take some
	// 16 times their bytes while they are indexed, so a round takes an eighth of the memory.
	roundShare = 128
)

// roundSize returns how many bytes of pages a round reads at most, but for the last page.
func roundSize() int64 { return min(roundBytes, debug.SetMemoryLimit(-1)/roundShare) }

// Update indexes what is not indexed yet, and makes an index that can't be used again. It may run
// next to a crawl, and next to other processes that update; they take turns. When ctx ends, it returns
// after the current round; what was indexed stays.
func Update(ctx context.Context, dir string, o Options) error {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	u := &updater{dir: dir, o: o, s: o.store(dir), lex: newStems(), most: updatePages}
	defer u.close()
	if o.Progress != nil {
		u.all = lagOf(dir, o)
	}
	for more := true; more; {
		var err error
		if more, err = u.sure(); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(u.done, u.all)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Pace of Follow.
const (
	followFirst = 20 * time.Second // before the first round: a short crawl is indexed when it is searched
	followIdle  = 10 * time.Second // before a round if there is little to do
	// followShare is one round in this many parts of the time. It is more than ten, because the engine and the
	// garbage collector work in goroutines of their own during a round: all of it together takes at most a
	// tenth of one processor.
	followShare = 13
)

// Follow keeps the index of a collection up to date until ctx ends. It works in one
// goroutine, and rests twelve times as long as each round took, so that everything it causes takes at most a tenth of one
// processor. Errors end it and are returned; the next search makes up for it.
//
// key returns the secret of [Options].Key. It is called once, before the first round; without a key nothing is done.
func Follow(ctx context.Context, dir string, key func() []byte) error {
	return follow(ctx, dir, key, followFirst, pause)
}

// follow is Follow with a rest before the first round and what rests. rest returns false if ctx has ended.
func follow(ctx context.Context, dir string, key func() []byte, first time.Duration, rest func(context.Context, time.Duration) bool) error {
	u := &updater{dir: dir, lex: newStems(), most: followPages}
	defer u.close()
	for wait := first; rest(ctx, wait); {
		if u.o.Key == nil {
			u.o = Options{Key: key(), Workers: 1}
			u.s = u.o.store(dir)
		}
		if len(u.o.Key) == 0 {
			return nil
		}
		begun := time.Now()
		more, err := u.sure()
		if err != nil && !errors.Is(err, ErrBusy) {
			return err
		}
		wait = restAfter(time.Since(begun), more)
	}
	return nil
}

// pause waits, and returns false if ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// restAfter returns how long Follow rests after a round: twelve times as long as it took, and longer if there
// is nothing more to do.
func restAfter(took time.Duration, more bool) time.Duration {
	rest := (followShare - 1) * took
	if more {
		return rest
	}
	return max(followIdle, rest)
}

// An updater adds pages to an index, round by round.
type updater struct {
	dir  string
	o    Options
	s    store
	lex  *stems
	most int // pages of a round
	done int // pages that were added
	all  int // pages that were missing

	readers []*collection.Collection // one per worker
}

// sure makes a round. If the index turns out to be damaged, it is made again from the beginning, once.
func (u *updater) sure() (more bool, err error) {
	if more, err = u.round(false); errors.Is(err, errDamaged) {
		u.done = 0
		more, err = u.round(true)
	}
	return more, err
}

// round adds the next pages and reports whether there are more. With fresh it begins with an
// empty index.
func (u *updater) round(fresh bool) (more bool, err error) {
	lock, err := u.s.lock(false)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	// The collection is opened after the lock was taken: a takedown writes its tombstones first, and then waits
	// for the lock to remove the index. So this round either sees the takedown, or is removed by it.
	col, err := collection.Open(u.dir, nil, true)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, col.Close()) }()
	if fresh || !u.s.trusted() {
		if err := u.s.renew(); err != nil {
			return false, err
		}
	}
	sealed, err := u.s.unseal()
	if err != nil {
		return false, err
	}
	if more, err = u.write(col, sealed); err != nil {
		return false, err
	}
	return more, u.s.seal()
}

// write opens the index, adds the next pages, and closes it. An index that was not sealed is checked before.
func (u *updater) write(col *collection.Collection, sealed bool) (more bool, err error) {
	before, err := u.s.segments()
	if err != nil {
		return false, err
	}
	defer closeAll(before)
	w, err := u.s.openWriter()
	if err != nil {
		return false, err
	}
	more, err = u.extend(w, col, sealed)
	if err = errors.Join(err, w.close(u.s.files.Path(storeName))); err != nil {
		return false, err
	}
	return more, u.s.checkMerged(before)
}

// extend adds the next pages to an open index.
func (u *updater) extend(w *indexWriter, col *collection.Collection, sealed bool) (more bool, err error) {
	st, err := stateOf(w)
	if err != nil {
		return false, err
	}
	if err := st.fits(col); err != nil {
		return false, err
	}
	if !sealed {
		if err := checkPages(w, col, &st); err != nil {
			return false, err
		}
	}
	entries, more, err := u.next(col, &st)
	if err != nil || len(entries) == 0 && !more && st.Begun && st.Version == version {
		return false, err
	}
	return more, u.add(w, col, entries, st)
}

// stateOf reads the state of an index that is open to be changed.
func stateOf(w *indexWriter) (st state, err error) {
	err = w.guarded(func() error {
		r, err := w.Reader()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		defer r.Close()
		st, err = readState(r)
		return err
	})
	return st, err
}

// readState returns the state in an index, the zero state for an empty one.
func readState(r index.IndexReader) (st state, err error) {
	data, err := r.GetInternal(stateKey)
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &st)
		if err == nil && st.Version == version && st.Sum != st.checksum() {
			err = errors.New("its state has changed")
		}
	}
	if err != nil {
		return st, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return st, nil
}

// errOther is the problem of an index that belongs to another journal or version.
var errOther = fmt.Errorf("%w: it was made from another journal", errDamaged)

// errAhead is the problem of an index that has more than the journal. That is an errDamaged if the journal was opened
// after the index was locked; before that, another process may have added entries and indexed them.
var errAhead = fmt.Errorf("%w: it is ahead of the journal", errDamaged)

// fits returns an errDamaged if the index was not made of the journal of the collection, or by other
// rules.
func (st *state) fits(col *collection.Collection) error {
	if st.Version == 0 && !st.Begun {
		return nil // it is empty
	}
	if st.Version != version || st.Key != col.Settings.Key {
		return errOther
	}
	if !st.Begun {
		return nil
	}
	if st.Through >= col.Journal.End() {
		return errAhead
	}
	e, err := col.Journal.Entry(st.Through, func(frontier.ID) dowse.URL { return "" })
	if err != nil || e.ID != st.ID || !e.At.Equal(st.At) {
		return errOther
	}
	return nil
}

// pages yields the visits after the ones that are in the index. Every entry moves the state
// forward; keep is called for those that fetched a page, and returns false to end.
func (st *state) pages(col *collection.Collection, keep func(e *crawl.Entry) bool) error {
	for e, err := range col.Journal.AsWritten(st.Through) {
		var gap *crawl.Gap
		if errors.As(err, &gap) {
			continue // damage of the journal loses the pages in it and no others
		}
		if err != nil {
			return err
		}
		if st.Begun && e.Place() <= st.Through {
			continue
		}
		if e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched && !keep(e) {
			return nil
		}
		st.Through, st.ID, st.At, st.Begun = e.Place(), e.ID, e.At, true
	}
	return nil
}

// next returns the pages of a round, and moves the state behind them. more reports whether there are others.
func (u *updater) next(col *collection.Collection, st *state) (list []*crawl.Entry, more bool, err error) {
	size, most := int64(0), roundSize()
	err = st.pages(col, func(e *crawl.Entry) bool {
		if len(list) >= u.most || size >= most {
			more = true
			return false
		}
		list, size = append(list, e), size+min(e.Page.Fetch.Bytes, maxText)
		return true
	})
	return list, more, err
}

// add indexes pages in one commit with the new state.
func (u *updater) add(w *indexWriter, col *collection.Collection, entries []*crawl.Entry, st state) error {
	pages, damaged, err := u.prepare(entries)
	if err != nil {
		return err
	}
	st.Damaged += damaged
	batch := index.NewBatch()
	for _, d := range pages {
		if d == nil {
			st.Unread++
			continue
		}
		batch.Update(d.doc)
		st.Added, st.Title, st.Text, st.Frame = st.Added+1, st.Title+d.title, st.Text+d.text, st.Frame+d.frame
	}
	st.Version, st.Key = version, col.Settings.Key
	st.Sum = st.checksum()
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	batch.SetInternal(stateKey, data)
	err = w.guarded(func() error {
		if err := w.Batch(batch); err != nil {
			return err
		}
		return w.ForceMerge(context.Background(), &mergeplan.DefaultMergePlanOptions)
	})
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	u.done += len(entries)
	return nil
}

// An indexed is a page as the index takes it, with the number of its words.
type indexed struct {
	doc                *document.Document
	title, text, frame int
}

// prepare reads the texts of pages and analyses them, concurrently. A page whose record can't be read,
// or was erased by a takedown, is nil; damaged counts the records that can't be decoded.
func (u *updater) prepare(entries []*crawl.Entry) (list []*indexed, damaged int, err error) {
	if err := u.openReaders(); err != nil {
		return nil, 0, err
	}
	list = make([]*indexed, len(entries))
	var next, broken atomic.Int64
	var wg sync.WaitGroup
	for _, col := range u.readers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries); i = int(next.Add(1)) - 1 {
				if doc, err := readPage(col, entries[i].Page); err == nil {
					list[i] = u.indexed(entries[i], doc)
				} else if errors.Is(err, collection.ErrDamaged) {
					broken.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return list, int(broken.Load()), nil
}

// openReaders opens the collection once per worker, since a Collection is not safe for concurrent use. They
// stay open over all rounds: they remember where the bodies of repeated answers are. What they read of
// the archive is what is there at that moment.
func (u *updater) openReaders() error {
	for len(u.readers) < u.o.Workers {
		col, err := collection.Open(u.dir, nil, true)
		if err != nil {
			return err
		}
		u.readers = append(u.readers, col)
	}
	return nil
}

// close closes what openReaders opened.
func (u *updater) close() {
	for _, col := range u.readers {
		col.Close()
	}
}

// indexed returns a page as the index takes it.
func (u *updater) indexed(e *crawl.Entry, t *pageText) *indexed {
	p := *e.Page
	p.Text, p.Title = t.own, t.title
	if p.Language == "" {
		p.Language = t.language
	}
	tag, _ := facts.Named("lang").Value(&facts.Row{Page: &p}).(string)
	language := languageOf(tag)
	title, own, frame := u.lex.tokens(language, t.title), u.lex.tokens(language, t.own), u.lex.tokens(language, t.frame)
	d := document.NewDocument(docID(e.ID))
	d.AddField(document.NewTextFieldCustom(fieldTitle, nil, nil, index.IndexField|index.IncludeTermVectors, prepared(title)))
	d.AddField(document.NewTextFieldCustom(fieldText, nil, nil, index.IndexField, prepared(own)))
	d.AddField(document.NewTextFieldCustom(fieldFrame, nil, nil, index.IndexField, prepared(frame)))
	d.AddField(document.NewTextFieldCustom(fieldOrder, nil, orderOf(own, frame), index.StoreField, nil))
	value := index.IndexField | index.DocValues
	d.AddField(document.NewTextFieldCustom(fieldLang, nil, []byte(primary(tag)), value, nil))
	d.AddField(document.NewTextFieldCustom(fieldDate, nil, []byte(dateOf(&p).Format(time.DateOnly)), value, nil))
	return &indexed{d, len(title), len(own), len(frame)}
}

// dateOf returns the date of a page: when it was published, or else when it was fetched.
func dateOf(p *dowse.Page) time.Time {
	if p.Published.IsZero() || p.Published.Year() > 9999 || p.Published.Year() < 0 {
		return p.Fetch.At.UTC()
	}
	return p.Published.UTC()
}

// docID returns the name of a page in the index. A later visit to the same URL replaces the page.
func docID(id frontier.ID) string { return fmt.Sprintf("%08x", uint32(id)) }

// orderOf returns two bytes per word of texts: a hash of its term, 0 for a word without one and between two texts. Phrases are
// found by it. Scorch has positions of its own, which take more than twice the room; they are used for titles.
func orderOf(texts ...[]token) (order []byte) {
	for _, list := range texts {
		if len(list) == 0 {
			continue
		}
		if len(order) > 0 {
			order = append(order, 0, 0)
		}
		before := len(order)
		order = append(order, make([]byte, 2*list[len(list)-1].at)...)
		for _, t := range list {
			binary.BigEndian.PutUint16(order[before+2*(t.at-1):], shortHash(t.term))
		}
	}
	return order
}

// shortHash returns a hash of a term that is not 0. Of two words of a phrase that are both on a page, one in
// 65,535 other words passes for the second.
func shortHash(term string) uint16 {
	h := fnv.New32a()
	h.Write([]byte(term))
	return uint16(h.Sum32()%65_535) + 1
}

// prepared is an analyzer for a text whose tokens are known already. Scorch runs analyzers in goroutines of
// its own, where a panic would end the process. Where a token is in the text is left out: nothing asks
// for it, and it would take a third of the index.
type prepared []token

// Analyze implements analysis.Analyzer.
func (list prepared) Analyze([]byte) analysis.TokenStream {
	out, tokens := make(analysis.TokenStream, len(list)), make([]analysis.Token, len(list))
	for i, t := range list {
		tokens[i] = analysis.Token{Term: []byte(t.term), Position: t.at}
		out[i] = &tokens[i]
	}
	return out
}

// lagOf returns how many pages of a collection are not in its index, 0 if that can't be found out.
func lagOf(dir string, o Options) int {
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return 0
	}
	defer col.Close()
	var st state
	if s := o.store(dir); s.trusted() {
		if r, err := s.openSnapshot(); err == nil {
			st, _ = readState(r)
			r.close()
		}
	}
	if st.fits(col) != nil {
		st = state{}
	}
	l, err := lagBehind(col, st)
	if err != nil {
		return 0
	}
	return l.Pages
}

// A Lag is what an index lacks.
type Lag struct {
	// Pages counts the visits that fetched a page and are not indexed.
	Pages int `json:"pages" doc:"pages that were fetched and are not in the index"`
	// Since is when the first of them was made; zero if there is none.
	Since time.Time `json:"since,omitzero" doc:"when the first of them was fetched"`
}

// lagBehind returns what of the journal is not in an index with a state.
func lagBehind(col *collection.Collection, st state) (l Lag, err error) {
	err = st.pages(col, func(e *crawl.Entry) bool {
		if l.Pages++; l.Pages == 1 {
			l.Since = e.At
		}
		return true
	})
	return l, err
}
