package ledger

import (
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/internal/wire"
	"dowse/settings"
)

// appendEntry appends the bytes of an entry. Links are written as numbers; the
// strings of new URLs are in the same record, before the entry (see Journal).
func appendEntry(b []byte, e *Entry) []byte {
	return appendEntryWith(&enc{Writer: wire.Writer{B: b}}, e)
}

// appendEntryWith is appendEntry with an encoder that the caller has prepared.
// The order of fields is the format of the journal: it must not change, and
// dec.entry reads the fields in the same order.
func appendEntryWith(w *enc, e *Entry) []byte {
	w.head(e)
	switch e.Kind {
	case EntryStart:
		w.urls(e.Seeds)
		w.urls(e.Homes)
	case EntryPage:
		w.page(e)
	case EntryRetry:
		w.u(uint64(e.ID))
		w.f(e.Regret)
		w.visit(e.Page)
	case EntryRobots:
		w.s(e.Host)
		w.s(string(e.Page.URL))
		w.visit(e.Page)
		w.robots(e.Robots)
	case EntryRound:
		w.ids(e.Round)
	case EntryRequeue:
		w.s(e.Text)
		w.ids(e.Round)
	case EntryForgive:
		w.t(e.Since)
	case EntryCheck:
		w.u(uint64(e.ID))
		w.t(e.Since)
		w.f(e.Score)
	case EntryLeft:
		w.u(uint64(e.ID))
		w.u(uint64(e.Queue))
	case EntryThreshold:
		w.f(e.Score)
	case EntryForget:
		w.u(uint64(e.ID))
		w.s(e.Text)
		w.s(e.Host)
		w.bytes(e.Print[:])
	case EntryRescore:
		w.u(uint64(e.ID))
		w.f(e.Score)
	case EntryReasons:
		w.u(uint64(e.ID))
		w.f(e.Score)
		w.because(e.Because)
	case EntryModel:
		w.model(e)
	case EntryClock:
		w.i(int64(e.Back))
	}
	return w.B
}

// beginsRun is the bit of the kind that is set in the first entry of a run.
const beginsRun = 0x80

// head writes what all entries have: kind, time, time at work, moves, and the
// run if the entry begins one. Nearly all entries have no moves and no run, and
// take one byte for both.
func (w *enc) head(e *Entry) {
	kind := byte(e.Kind)
	if e.Run != nil {
		kind |= beginsRun
	}
	w.byte(kind)
	w.t(e.At)
	w.i(int64(e.Elapsed))
	w.u(uint64(len(e.Moves)))
	for _, m := range e.Moves {
		w.u(uint64(m))
	}
	if e.Run != nil {
		w.bool(e.Run.Requeued)
		w.t(e.Run.Began)
		w.limits(&e.Run.Limits)
	}
}

// head reads what enc.head wrote.
func (r *dec) head(e *Entry) {
	kind := r.byte()
	e.Kind = EntryKind(kind &^ beginsRun)
	e.At = r.t()
	e.Elapsed = time.Duration(r.i())
	for range r.items(1) {
		e.Moves = append(e.Moves, Move(r.u()))
	}
	if kind&beginsRun != 0 {
		e.Run = &Run{Requeued: r.bool(), Began: r.t()}
		r.limits(&e.Run.Limits)
	}
}

// limits writes the limits of a run, in the order that is the format. A replay applies
// the limits that it reads: one that bounds what is queued and is not written here would
// hold while the crawl runs, and not when it is rebuilt (TestEveryLimitIsRecorded). Such a
// limit changes the format of the journal, so its version must be raised, and journals
// without it must still be read. A limit that only ends a crawl need not be written: a
// replay ends where the journal does.
func (w *enc) limits(l *settings.Limits) {
	for _, v := range []int64{
		int64(l.Pages), int64(l.OnTopic), l.Bytes, int64(l.Time), int64(l.PerHost),
		int64(l.Depth), int64(l.Tunnel), int64(l.Dry.Over),
	} {
		w.i(v)
	}
	w.f(l.Dry.Harvest)
}

// limits reads what enc.limits wrote.
func (r *dec) limits(l *settings.Limits) {
	l.Pages, l.OnTopic, l.Bytes, l.Time = int(r.i()), int(r.i()), r.i(), time.Duration(r.i())
	l.PerHost, l.Depth, l.Tunnel, l.Dry.Over = int(r.i()), int(r.i()), int(r.i()), int(r.i())
	l.Dry.Harvest = r.f()
}

func (w *enc) ids(list []frontier.ID) {
	w.u(uint64(len(list)))
	for _, id := range list {
		w.u(uint64(id))
	}
}

func (r *dec) ids() (list []frontier.ID) {
	for range r.items(1) {
		list = append(list, frontier.ID(r.u()))
	}
	return list
}

func (w *enc) urls(list []dowse.URL) {
	w.u(uint64(len(list)))
	for _, u := range list {
		w.s(string(u))
	}
}

// visit writes the facts that every visit has, also one that failed: how it
// ended, what it cost, and what it showed of the host.
func (w *enc) visit(p *dowse.Page) { w.facts(facts.JournalVisit(), p) }

// robots writes a robots.txt as it was received. Its rules are not written: a
// reader parses the body again, so that a better parser applies to old answers.
func (w *enc) robots(r *dowse.Robots) {
	w.t(r.At)
	w.i(int64(r.Status))
	w.bytes(r.Body)
	w.i(int64(r.Delay))
	w.urls(r.Sitemaps)
}

// page writes the entry of a page: the fields of the entry, those facts of the
// page that have a fixed place, the links, and then the facts with codes.
func (w *enc) page(e *Entry) {
	p := e.Page
	w.u(uint64(e.ID))
	w.visit(p)
	w.bool(e.Idle)
	w.u(uint64(e.Queue))
	w.f(e.Regret)
	w.i(int64(e.Rested))
	w.u(uint64(e.Dropped))
	w.facts(facts.JournalPage(), p)
	w.u(uint64(len(e.Found)))
	for i := range e.Found {
		w.link(&e.Found[i], &e.Links[i])
	}
	w.tagged(p)
}

// flagBits packs flags into a byte, the first one into the lowest bit.
func flagBits(flags ...bool) (b byte) {
	for i, f := range flags {
		if f {
			b |= 1 << i
		}
	}
	return b
}

// verdict writes the verdict of a ruling. That of a page is written as facts.
func (w *enc) verdict(v *dowse.Verdict) {
	w.f(v.Relevance)
	w.s(v.Scale)
	w.s(v.Judge)
	w.because(v.Because)
}

// because writes reasons. Their texts recur between the links of a page.
func (w *enc) because(list []dowse.Because) {
	w.u(uint64(len(list)))
	for _, b := range list {
		w.name(b.What)
		w.f(b.Weight)
		w.u(uint64(b.Count))
	}
}

// link writes a link with the decision on it. Most bytes of a journal are links,
// so a byte of flags shows which parts follow, and what is usually equal is
// written once. The URL is a number; the anchor is written, so that a replay and
// an explanation need not read the archive.
func (w *enc) link(l *dowse.Link, d *Decision) {
	same := d.Offered == d.Priority
	how := mentionFlags{anchors: anchorsRated(l), marks: anyRepeated(l)}
	w.byte(flagBits(l.NoFollow, d.Fresh, d.Target != d.ID, same, len(l.More) > 0, len(d.Because) > 0, how.anchors, how.marks))
	w.u(uint64(d.ID))
	if d.Target != d.ID {
		w.u(uint64(d.Target))
	}
	w.byte(byte(d.State))
	w.byte(ReasonCode(d.Reason))
	w.f(d.Priority)
	if !same {
		w.f(d.Offered)
	}
	if len(d.Because) > 0 {
		w.because(d.Because)
	}
	w.mention(&l.Mention, how)
	if len(l.More) > 0 {
		w.u(uint64(len(l.More)))
		for i := range l.More {
			w.mention(&l.More[i], how)
		}
	}
}

// mentionFlags are what the mentions of a link have in addition to words and rating.
type mentionFlags struct {
	anchors bool // ratings of their anchors
	marks   bool // whether they are in parts that pages repeat
}

// mention writes one mention of a link.
func (w *enc) mention(m *dowse.Mention, how mentionFlags) {
	w.s(m.Anchor)
	w.f(m.Context)
	if how.anchors {
		w.f(m.AnchorScore)
	}
	if how.marks {
		w.bool(m.Repeated)
	}
}

// anyRepeated reports whether a mention of the link is in a part that pages repeat.
func anyRepeated(l *dowse.Link) bool {
	return l.Repeated || slices.ContainsFunc(l.More, func(m dowse.Mention) bool { return m.Repeated })
}

// anchorsRated reports whether an anchor of the link has a rating of its own.
// Most strategies do not ask for them, and then they take no space.
func anchorsRated(l *dowse.Link) bool {
	return l.AnchorScore != 0 || slices.ContainsFunc(l.More, func(m dowse.Mention) bool { return m.AnchorScore != 0 })
}

// readEntry is the inverse of appendEntry. urlOf returns the strings of numbered
// URLs, parse the rules of a robots.txt; a nil parse leaves them out. Bytes that
// follow the entry are ignored, because a redacted entry is followed by zeros.
func readEntry(b []byte, urlOf func(frontier.ID) dowse.URL, parse RobotsParser) (*Entry, error) {
	return newDec(b).entry(urlOf, parse)
}

// readVisit is readEntry without the links of pages and without URLs.
func readVisit(b []byte, parse RobotsParser) (*Entry, error) {
	d := newDec(b)
	d.links = noLinks
	return d.entry(noURL, parse)
}

// readLinkIDs is readEntry without URLs and reasons and, of the links of pages, with the numbers of their URLs
// alone.
func readLinkIDs(b []byte, parse RobotsParser) (*Entry, error) {
	d := newDec(b)
	d.links = linkIDs
	return d.entry(noURL, parse)
}

// entry reads what appendEntryWith wrote. An unknown kind is an error: either a
// newer program wrote it, whose entries this one can't replay, or it is damage.
func (r *dec) entry(urlOf func(frontier.ID) dowse.URL, parse RobotsParser) (*Entry, error) {
	e := &Entry{}
	r.head(e)
	switch e.Kind {
	case EntryStart:
		e.Seeds = r.urls()
		e.Homes = r.urls()
	case EntryPage:
		r.page(e, urlOf)
	case EntryRetry:
		e.ID = frontier.ID(r.u())
		e.Regret = r.f()
		e.Page = &dowse.Page{URL: urlOf(e.ID)}
		r.visit(e.Page)
	case EntryRobots:
		e.Host = r.s()
		e.Page = &dowse.Page{URL: dowse.URL(r.s())}
		r.visit(e.Page)
		e.Robots = r.robots(parse)
	case EntryRound:
		e.Round = r.ids()
	case EntryRequeue:
		e.Text = r.s()
		e.Round = r.ids()
	case EntryForgive:
		e.Since = r.t()
	case EntryCheck:
		e.ID = frontier.ID(r.u())
		e.Since = r.t()
		e.Score = r.f()
	case EntryLeft:
		e.ID = frontier.ID(r.u())
		e.Queue = int(r.u())
	case EntryThreshold:
		e.Score = r.f()
	case EntryIdle, EntryBefore, EntryAgain:
	case EntryForget:
		e.ID = frontier.ID(r.u())
		e.Text = r.s()
		e.Host = r.s()
		copy(e.Print[:], r.raw())
	case EntryRescore:
		e.ID = frontier.ID(r.u())
		e.Score = r.f()
	case EntryReasons:
		e.ID = frontier.ID(r.u())
		e.Score = r.f()
		e.Because = r.because()
	case EntryModel:
		r.model(e)
	case EntryClock:
		e.Back = time.Duration(r.i())
	default:
		return nil, fmt.Errorf("entry of unknown kind %d", e.Kind)
	}
	return e, r.Err
}

func (r *dec) urls() (list []dowse.URL) {
	for range r.items(1) {
		list = append(list, dowse.URL(r.s()))
	}
	return list
}

func (r *dec) visit(p *dowse.Page) { r.facts(facts.JournalVisit(), p) }

// A RobotsParser returns the rules of a robots.txt for its body and HTTP status.
type RobotsParser func(body []byte, status int) dowse.Rules

func (r *dec) robots(parse RobotsParser) *dowse.Robots {
	x := &dowse.Robots{At: r.t(), Status: int(r.i()), Body: r.bytes(), Delay: time.Duration(r.i()), Sitemaps: r.urls()}
	if parse != nil && r.Err == nil {
		x.Rules = parse(x.Body, x.Status)
	}
	return x
}

// page reads what enc.page wrote. Facts with codes come after the links, so if
// there are such facts, a reader that does not want the links passes over them.
func (r *dec) page(e *Entry, urlOf func(frontier.ID) dowse.URL) {
	e.ID = frontier.ID(r.u())
	p := &dowse.Page{URL: urlOf(e.ID)}
	e.Page = p
	r.visit(p)
	e.Idle = r.bool()
	e.Queue = int(r.u())
	e.Regret = r.f()
	e.Rested = time.Duration(r.i())
	e.Dropped = int(r.u())
	r.facts(facts.JournalPage(), p)
	p.Lead.URL = p.URL
	if r.links == noLinks && len(facts.JournalTaggedFacts()) == 0 {
		return
	}
	n := r.count(linkSize)
	switch r.links {
	case wholeLinks:
		e.Found = make([]dowse.Link, n)
		e.Links = make([]Decision, n)
		for i := range n {
			r.link(&e.Found[i], &e.Links[i])
			e.Found[i].URL = urlOf(e.Links[i].ID)
		}
	case linkIDs:
		e.Links = make([]Decision, n)
		for i := range n {
			e.Links[i].ID = r.skipLink()
		}
	case noLinks:
		for range n {
			r.skipLink()
		}
	}
	r.tagged(p)
}

// The least number of bytes that an item of a list takes. A list that claims more
// items than can fit into what is left is damage, and is not allocated.
const (
	becauseSize = 10
	mentionSize = 9
	linkSize    = 12 + mentionSize
)

func (r *dec) verdict(v *dowse.Verdict) {
	v.Relevance = r.f()
	v.Scale = r.s()
	v.Judge = r.s()
	v.Because = r.because()
}

// because reads what enc.because wrote. A reader that wants the numbers of links alone passes over it.
func (r *dec) because() []dowse.Because {
	if r.links == linkIDs {
		r.skipBecause()
		return nil
	}
	n := r.count(becauseSize)
	if n == 0 {
		return nil
	}
	list := make([]dowse.Because, n)
	for i := range list {
		list[i] = dowse.Because{What: r.name(), Weight: r.f(), Count: int(r.u())}
	}
	return list
}

// skipBecause passes over reasons.
func (r *dec) skipBecause() {
	for range r.count(becauseSize) {
		r.skipName()
		r.Take(8)
		r.u()
	}
}

func (r *dec) link(l *dowse.Link, d *Decision) {
	flags := r.byte()
	l.NoFollow, d.Fresh = flags&1 != 0, flags&2 != 0
	d.ID = frontier.ID(r.u())
	d.Target = d.ID
	if flags&4 != 0 {
		d.Target = frontier.ID(r.u())
	}
	d.State = dowse.State(r.byte())
	d.Reason = ReasonOf(r.byte())
	d.Priority = r.f()
	d.Offered = d.Priority
	if flags&8 == 0 {
		d.Offered = r.f()
	}
	if flags&32 != 0 {
		d.Because = r.because()
	}
	how := mentionFlags{anchors: flags&64 != 0, marks: flags&128 != 0}
	r.mention(&l.Mention, how)
	if flags&16 != 0 {
		for range r.items(mentionSize) {
			var m dowse.Mention
			r.mention(&m, how)
			l.More = append(l.More, m)
		}
	}
}

// skipLink passes over what enc.link wrote, and returns the number of the link's URL.
func (r *dec) skipLink() frontier.ID {
	flags := r.byte()
	id := frontier.ID(r.u())
	if flags&4 != 0 {
		r.u()
	}
	size := 1 + 1 + 8 // state, reason, priority
	if flags&8 == 0 {
		size += 8
	}
	r.Take(size)
	if flags&32 != 0 {
		r.skipBecause()
	}
	size = 8
	if flags&64 != 0 {
		size += 8
	}
	if flags&128 != 0 {
		size++
	}
	more := 0
	for i := 0; i <= more && r.Err == nil; i++ {
		r.raw()
		r.Take(size)
		if i == 0 && flags&16 != 0 {
			more = r.count(mentionSize)
		}
	}
	return id
}

// mention reads what enc.mention wrote. Positions in the text are not in the
// journal.
func (r *dec) mention(m *dowse.Mention, how mentionFlags) {
	m.Anchor = r.s()
	m.Context = r.f()
	if how.anchors {
		m.AnchorScore = r.f()
	}
	if how.marks {
		m.Repeated = r.bool()
	}
	m.Above = [3]int32{-1, -1, -1}
}
