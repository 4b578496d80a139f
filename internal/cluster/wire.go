package cluster

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/repeats"
	"dowse/internal/wire"
)

// wireVersion is the version of everything that the processes of a cluster send each other. A
// message of another version is refused.
const wireVersion = 2

// The first bytes of messages.
const (
	visitsMagic   = "dwv2"
	arrivalsMagic = "dwa2"
	commitMagic   = "dwc1"
	recallMagic   = "dwr1" // followed by the term: asks a worker for the visits that it has not begun
)

// maxArrival bounds what one visit may bring, in bytes: page, records and all.
const maxArrival = 64 << 20

// errWire is returned for a message that this version can't have written.
var errWire = errors.New("not a message of this version of dowse")

// A Job is a visit as a worker gets it.
type Job struct {
	Number uint64 // of the visit, within the term of its coordinator
	Judge  string // the version of the judge that rates the page
	Within time.Duration
	Visit  crawl.Visit
	Known  http.Header // of a check: the header of the earlier answer; nil for none
}

// An Answer is one answer of the web, encoded for the archive.
type Answer struct {
	Exchange archive.Exchange // without its payload
	Encoded  archive.Encoded
}

// A Result is what a worker brings back from a visit.
type Result struct {
	Term    string // of the coordinator that sent the visit
	Number  uint64
	Judge   string // the version of the judge that rated the page
	Kind    crawl.VisitKind
	Page    *dowse.Page
	Answers []Answer
	Size    int // bytes, as it came

	from *message
}

// appendJobs encodes visits for a worker.
func appendJobs(term string, jobs []Job) []byte {
	w := wire.Writer{B: []byte(visitsMagic)}
	w.Text(term)
	w.Uint(uint64(len(jobs)))
	for i := range jobs {
		putJob(&w, &jobs[i])
	}
	return w.B
}

// readJobs decodes what appendJobs encoded.
func readJobs(b []byte) (term string, jobs []Job, err error) {
	r, err := begin(b, visitsMagic)
	if err != nil {
		return "", nil, err
	}
	term = r.Text()
	for range r.Items(16) {
		jobs = append(jobs, getJob(r))
	}
	return term, jobs, ended(r)
}

// begin checks the first bytes of a message and returns a reader of the rest.
func begin(b []byte, magic string) (*wire.Reader[[]byte], error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, errWire
	}
	return &wire.Reader[[]byte]{Rest: b[len(magic):]}, nil
}

// otherVersion reports whether a message is of the same kind as those that begin with magic, but of
// another version.
func otherVersion(b []byte, magic string) bool {
	n := len(magic)
	return len(b) >= n && string(b[:n]) != magic && string(b[:n-1]) == magic[:n-1] && '0' <= b[n-1] && b[n-1] <= '9'
}

// ended returns an error unless a message was read to its end without a fault.
func ended(r *wire.Reader[[]byte]) error {
	if r.Err != nil || len(r.Rest) > 0 {
		return fmt.Errorf("%w: cut short or damaged", errWire)
	}
	return nil
}

func putJob(w *wire.Writer, j *Job) {
	v := &j.Visit
	w.Uint(j.Number)
	w.Text(j.Judge)
	w.Int(int64(j.Within))
	w.Byte(byte(v.Kind))
	w.Text(string(v.URL))
	putLead(w, &v.Lead)
	w.Int(int64(v.Depth))
	w.Int(int64(v.Hops))
	w.Bool(v.Again)
	w.Int(int64(v.Patience))
	w.Int(v.Part)
	putVia(w, v.Via)
	w.Bool(v.LinksIn != nil)
	if v.LinksIn != nil {
		w.Int(int64(*v.LinksIn))
	}
	w.Bool(v.Template != nil)
	if v.Template != nil {
		v.Template.Write(w)
	}
	w.Bool(v.Check)
	w.Bool(v.Whole)
	putHeader(w, j.Known)
}

func getJob(r *wire.Reader[[]byte]) (j Job) {
	v := &j.Visit
	j.Number = r.Uint()
	j.Judge = r.Text()
	j.Within = time.Duration(r.Int())
	v.Kind = crawl.VisitKind(r.Byte())
	v.URL = dowse.URL(r.Text())
	v.Lead = getLead(r)
	v.Depth = int(r.Int())
	v.Hops = int(r.Int())
	v.Again = r.Bool()
	v.Patience = time.Duration(r.Int())
	v.Part = r.Int()
	v.Via = getVia(r)
	if r.Bool() {
		n := int(r.Int())
		v.LinksIn = &n
	}
	if r.Bool() {
		v.Template = repeats.ReadKnown(r)
	}
	v.Check = r.Bool()
	v.Whole = r.Bool()
	j.Known = getHeader(r)
	return j
}

func putLead(w *wire.Writer, l *dowse.Lead) {
	w.Byte(byte(l.Kind))
	w.Text(string(l.URL))
	w.Float(l.Priority)
	w.Byte(byte(l.Merge))
	w.Byte(byte(l.Band))
	w.Text(l.Group)
	w.Text(l.Note)
	w.Float(l.Cap)
	w.Bool(l.Visited)
	putBecause(w, l.Because)
}

func getLead(r *wire.Reader[[]byte]) (l dowse.Lead) {
	l.Kind = dowse.Kind(r.Byte())
	l.URL = dowse.URL(r.Text())
	l.Priority = r.Float()
	l.Merge = dowse.Merge(r.Byte())
	l.Band = int8(r.Byte())
	l.Group = r.Text()
	l.Note = r.Text()
	l.Cap = r.Float()
	l.Visited = r.Bool()
	l.Because = getBecause(r)
	return l
}

func putBecause(w *wire.Writer, list []dowse.Because) {
	w.Uint(uint64(len(list)))
	for _, b := range list {
		w.Text(b.What)
		w.Float(b.Weight)
		w.Int(int64(b.Count))
	}
}

func getBecause(r *wire.Reader[[]byte]) []dowse.Because {
	n := r.Count(10)
	if n == 0 {
		return nil
	}
	list := make([]dowse.Because, n)
	for i := range list {
		list[i] = dowse.Because{What: r.Text(), Weight: r.Float(), Count: int(r.Int())}
	}
	return list
}

func putVia(w *wire.Writer, v *dowse.Via) {
	w.Bool(v != nil)
	if v == nil {
		return
	}
	w.Text(string(v.Parent))
	w.Float(v.Relevance)
	putTexts(w, v.Anchors)
}

func getVia(r *wire.Reader[[]byte]) *dowse.Via {
	if !r.Bool() {
		return nil
	}
	return &dowse.Via{Parent: dowse.URL(r.Text()), Relevance: r.Float(), Anchors: getTexts[string](r)}
}

func putTexts[T ~string](w *wire.Writer, list []T) {
	w.Uint(uint64(len(list)))
	for _, s := range list {
		w.Text(string(s))
	}
}

func getTexts[T ~string](r *wire.Reader[[]byte]) []T {
	n := r.Count(1)
	if n == 0 {
		return nil
	}
	list := make([]T, 0, min(n, 1000)) // a text of no bytes takes one here and 16 in memory
	for ; n > 0 && r.Err == nil; n-- {
		list = append(list, T(r.Text()))
	}
	return list
}

// putHeader writes the fields in the order of their names, so that equal headers are equal bytes.
func putHeader(w *wire.Writer, h http.Header) {
	w.Uint(uint64(len(h)))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		w.Text(name)
		putTexts(w, h[name])
	}
}

func getHeader(r *wire.Reader[[]byte]) (h http.Header) {
	for range r.Items(2) {
		if h == nil {
			h = http.Header{}
		}
		name := r.Text()
		h[name] = getTexts[string](r)
	}
	return h
}

// encodeResult encodes one result.
func encodeResult(x *Result) []byte {
	w := wire.Writer{B: make([]byte, 0, sizeOf(x))}
	w.Text(x.Term)
	w.Uint(x.Number)
	w.Text(x.Judge)
	w.Byte(byte(x.Kind))
	putPage(&w, x.Page)
	w.Uint(uint64(len(x.Answers)))
	for i := range x.Answers {
		putAnswer(&w, &x.Answers[i])
	}
	return w.B
}

// sizeOf returns about how many bytes the encoding of a result takes, rather more than fewer for a usual page.
func sizeOf(x *Result) int {
	const perLink, rest = 150, 4096
	size := rest + len(x.Page.Text) + 2*len(x.Page.Words) + perLink*len(x.Page.Links)
	for i := range x.Answers {
		size += len(x.Answers[i].Encoded.Bytes) + rest
	}
	return size
}

// identityOf returns which visit an encoded result belongs to.
func identityOf(b []byte) (term string, number uint64) {
	r := &wire.Reader[[]byte]{Rest: b}
	return r.Text(), r.Uint()
}

// readResult decodes what encodeResult encoded.
func readResult(b []byte) (*Result, error) {
	r := &wire.Reader[[]byte]{Rest: b}
	x := &Result{Term: r.Text(), Number: r.Uint(), Judge: r.Text(), Kind: crawl.VisitKind(r.Byte()), Size: len(b)}
	x.Page = getPage(r)
	for range r.Items(30) {
		x.Answers = append(x.Answers, getAnswer(r))
	}
	if err := ended(r); err != nil {
		return nil, err
	}
	return x, sound(x.Page)
}

// sound returns an error for a page that no visit can bring: numbers that point outside of its
// words or headings, or words outside of its text, which getWords finds, would make a strategy or judge read past the end of a list.
func sound(p *dowse.Page) error {
	words, headings := int32(len(p.Words)), int32(len(p.Headings))
	within := func(s dowse.Span, end int32) bool { return 0 <= s.Start && s.Start <= s.End && s.End <= end }
	at := int32(0)
	for _, s := range p.Repeated { // that they are within the text, getWords has checked
		if s.Start < at {
			return fmt.Errorf("%w: repeated parts are out of order", errWire)
		}
		at = s.End
	}
	if !slices.IsSorted(p.Blocks) {
		return fmt.Errorf("%w: blocks are out of order", errWire)
	}
	mention := func(m *dowse.Mention) bool {
		for _, h := range m.Above {
			if h < -1 || h >= headings {
				return false
			}
		}
		return within(m.At, words) && within(m.Block, words) && within(m.Window, words)
	}
	for i := range p.Links {
		l := &p.Links[i]
		ok := mention(&l.Mention) && l.URL != ""
		for k := range l.More {
			ok = ok && mention(&l.More[k])
		}
		if !ok {
			return fmt.Errorf("%w: a link is outside of the text", errWire)
		}
	}
	rel := p.Verdict.Relevance
	if p.Outcome > dowse.Listed || !(rel >= 0 && rel <= 1) || p.Outcome == dowse.Redirected && len(p.Links) != 1 {
		return fmt.Errorf("%w: outcome or relevance out of range", errWire)
	}
	return nil
}

func putAnswer(w *wire.Writer, a *Answer) {
	x, e := &a.Exchange, &a.Encoded
	w.Text(string(x.URL))
	putTime(w, x.At)
	putAddr(w, x.Address)
	w.Bytes(x.RequestHead)
	w.Bytes(x.ResponseHead)
	w.Uint(uint64(x.Size))
	w.Bool(x.Decoded)
	w.Text(x.Truncated)
	w.Uint(uint64(len(x.Metadata)))
	for _, f := range x.Metadata {
		w.Text(f.Name)
		w.Text(f.Value)
	}
	w.Bytes(e.Bytes)
	w.Uint(uint64(e.Offset))
	w.Uint(uint64(e.Length))
	w.Uint(uint64(e.Status))
	w.Text(e.MIME)
	w.B = append(w.B, e.ID[:]...)
	w.B = append(w.B, e.Digest[:]...)
}

func getAnswer(r *wire.Reader[[]byte]) (a Answer) {
	x, e := &a.Exchange, &a.Encoded
	x.URL = dowse.URL(r.Text())
	x.At = getTime(r)
	x.Address = getAddr(r)
	x.RequestHead = own(r.Raw())
	x.ResponseHead = own(r.Raw())
	x.Size = int(r.Uint())
	x.Decoded = r.Bool()
	x.Truncated = r.Text()
	for range r.Items(2) {
		x.Metadata = append(x.Metadata, archive.Field{Name: r.Text(), Value: r.Text()})
	}
	e.Bytes = own(r.Raw())
	e.Offset = int(r.Uint())
	e.Length = int(r.Uint())
	e.Status = int(r.Uint())
	e.MIME = r.Text()
	copy(e.ID[:], r.Take(len(e.ID)))
	copy(e.Digest[:], r.Take(len(e.Digest)))
	e.URL, e.At = x.URL, x.At
	if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length != len(e.Bytes) {
		r.Fail()
	}
	return a
}

func putAddr(w *wire.Writer, a netip.Addr) {
	if !a.IsValid() {
		w.Text("")
		return
	}
	w.Text(a.String())
}

func getAddr(r *wire.Reader[[]byte]) netip.Addr {
	s := r.Raw()
	if len(s) == 0 {
		return netip.Addr{}
	}
	a, err := netip.ParseAddr(string(s))
	if err != nil {
		r.Fail()
	}
	return a
}

// own returns a part of a message in such a way that appending to it does not write into the rest.
func own(b []byte) []byte { return b[:len(b):len(b)] }

// putTime writes a time of any year, which pages may claim to be of.
func putTime(w *wire.Writer, t time.Time) {
	w.Bool(!t.IsZero())
	if !t.IsZero() {
		w.Int(t.Unix())
		w.Uint(uint64(t.Nanosecond()))
	}
}

func getTime(r *wire.Reader[[]byte]) time.Time {
	if !r.Bool() {
		return time.Time{}
	}
	return time.Unix(r.Int(), int64(r.Uint())).UTC()
}
