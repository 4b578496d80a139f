package cluster

import (
	"math"
	"time"

	"dowse"
	"dowse/internal/wire"
)

// putPage writes a page as a visit leaves it: all that the web and the judge said. What the crawl
// itself decides (the lead, whether the page is on topic, what is known of the targets of links)
// is not part of it, because the coordinator knows it better. Rules of a robots.txt are not
// written either: they are made from its body.
func putPage(w *wire.Writer, p *dowse.Page) {
	w.Text(string(p.URL))
	w.Byte(byte(p.Outcome))
	w.Text(string(p.Reason))
	w.Text(p.Detail)
	putFetch(w, &p.Fetch)
	putDocument(w, &p.Document)
	w.Float(p.Verdict.Relevance)
	w.Text(p.Verdict.Scale)
	putBecause(w, p.Verdict.Because)
	w.Text(p.Verdict.Judge)
	putTexts(w, p.Maps)
	putHost(w, p.Host)
	putWords(w, p.Repeated)
	w.Uint(uint64(len(p.Blocks)))
	for _, b := range p.Blocks {
		w.Uint32(b)
	}
}

func getPage(r *wire.Reader[[]byte]) *dowse.Page {
	p := &dowse.Page{}
	p.URL = dowse.URL(r.Text())
	p.Outcome = dowse.Outcome(r.Byte())
	p.Reason = dowse.Reason(r.Text())
	p.Detail = r.Text()
	p.Fetch = getFetch(r)
	p.Document = getDocument(r)
	p.Verdict = dowse.Verdict{Relevance: r.Float(), Scale: r.Text(), Because: getBecause(r), Judge: r.Text()}
	p.Maps = getTexts[dowse.URL](r)
	p.Host = getHost(r)
	p.Repeated = getWords(r, len(p.Text))
	if n := r.Count(4); n > 0 {
		p.Blocks = make([]uint32, n)
		for i := range p.Blocks {
			p.Blocks[i] = r.Uint32()
		}
	}
	return p
}

// putFetch leaves out the place in the archive, which is known when the coordinator has appended
// the answer.
func putFetch(w *wire.Writer, f *dowse.Fetch) {
	putTime(w, f.At)
	w.Int(int64(f.Took))
	w.Int(int64(f.Status))
	w.Text(f.Type)
	w.Int(f.Bytes)
	w.Int(f.Wire)
	w.Bool(f.Truncated)
	putAddr(w, f.Address)
	w.Text(f.Charset)
}

func getFetch(r *wire.Reader[[]byte]) (f dowse.Fetch) {
	f.At = getTime(r)
	f.Took = time.Duration(r.Int())
	f.Status = int(r.Int())
	f.Type = r.Text()
	f.Bytes = r.Int()
	f.Wire = r.Int()
	f.Truncated = r.Bool()
	f.Address = getAddr(r)
	f.Charset = r.Text()
	return f
}

func putDocument(w *wire.Writer, d *dowse.Document) {
	w.Text(d.Title)
	w.Text(d.Description)
	w.Text(d.Keywords)
	w.Text(d.Language)
	w.Text(d.Text)
	putWords(w, d.Words)
	w.Uint(uint64(len(d.Headings)))
	for _, h := range d.Headings {
		w.Byte(byte(h.Level))
		w.Text(h.Text)
		w.Uint(uint64(h.At))
	}
	w.Uint(uint64(len(d.Links)))
	for i := range d.Links {
		putLink(w, &d.Links[i])
	}
	w.Text(string(d.Canonical))
	putTexts(w, d.Types)
	putTime(w, d.Published)
	putTime(w, d.Modified)
	putTexts(w, d.Licences)
	w.Uint(uint64(len(d.Meta)))
	for _, m := range d.Meta {
		w.Text(m.Name)
		w.Text(m.Content)
	}
	putTexts(w, d.Images)
	w.Bool(d.NoFollow)
	w.Bool(d.NoIndex)
	w.Bool(d.NoArchive)
	putSketch(w, &d.Sketch)
	w.Text(d.Cut)
}

func getDocument(r *wire.Reader[[]byte]) (d dowse.Document) {
	d.Title = r.Text()
	d.Description = r.Text()
	d.Keywords = r.Text()
	d.Language = r.Text()
	d.Text = r.Text()
	d.Words = getWords(r, len(d.Text))
	for range r.Items(3) {
		d.Headings = append(d.Headings, dowse.Heading{Level: int(r.Byte()), Text: r.Text(), At: int32(r.Uint())})
	}
	if n := r.Count(41); n > 0 {
		d.Links = make([]dowse.Link, n)
		for i := range d.Links {
			getLink(r, &d.Links[i])
		}
	}
	d.Canonical = dowse.URL(r.Text())
	d.Types = getTexts[string](r)
	d.Published = getTime(r)
	d.Modified = getTime(r)
	d.Licences = getTexts[dowse.URL](r)
	for range r.Items(2) {
		d.Meta = append(d.Meta, dowse.Meta{Name: r.Text(), Content: r.Text()})
	}
	d.Images = getTexts[string](r)
	d.NoFollow = r.Bool()
	d.NoIndex = r.Bool()
	d.NoArchive = r.Bool()
	d.Sketch = getSketch(r)
	d.Cut = r.Text()
	return d
}

// putWords writes words, or other parts, of a text as gaps and lengths, which take two bytes per word.
func putWords(w *wire.Writer, words []dowse.Span) {
	w.Uint(uint64(len(words)))
	at := int32(0)
	for _, s := range words {
		w.Uint(uint64(s.Start - at))
		w.Uint(uint64(s.End - s.Start))
		at = s.End
	}
}

// getWords reads what putWords wrote. A part that is not within the text, whose length is given, is a fault.
func getWords(r *wire.Reader[[]byte], text int) []dowse.Span {
	n := r.Count(2)
	if n == 0 {
		return nil
	}
	words := make([]dowse.Span, n)
	at, end, b := int32(0), int32(min(text, math.MaxInt32)), r.Rest // writing to r for each word would take longer than decoding it
	for i := range words {
		var gap, length int32
		if len(b) >= 2 && b[0]|b[1] < 0x80 { // as nearly all are: one byte each
			gap, length, b = int32(b[0]), int32(b[1]), b[2:]
		} else {
			r.Rest = b
			gap, length = int32(r.Uint()), int32(r.Uint())
			b = r.Rest
		}
		start := at + gap
		at = start + length
		if start < 0 || at < start || at > end {
			r.Fail()
			return nil
		}
		words[i] = dowse.Span{Start: start, End: at}
	}
	r.Rest = b
	return words
}

func putLink(w *wire.Writer, l *dowse.Link) {
	w.Text(string(l.URL))
	putMention(w, &l.Mention)
	w.Uint(uint64(len(l.More)))
	for i := range l.More {
		putMention(w, &l.More[i])
	}
	w.Bool(l.NoFollow)
}

func getLink(r *wire.Reader[[]byte], l *dowse.Link) {
	l.URL = dowse.URL(r.Text())
	l.Mention = getMention(r)
	if n := r.Count(27); n > 0 {
		l.More = make([]dowse.Mention, n)
		for i := range l.More {
			l.More[i] = getMention(r)
		}
	}
	l.NoFollow = r.Bool()
}

func putMention(w *wire.Writer, m *dowse.Mention) {
	w.Text(m.Anchor)
	for _, s := range [...]dowse.Span{m.At, m.Block, m.Window} {
		w.Int(int64(s.Start))
		w.Int(int64(s.End - s.Start))
	}
	for _, h := range m.Above {
		w.Int(int64(h))
	}
	w.Float(m.Context)
	w.Float(m.AnchorScore)
	w.Bool(m.Repeated)
}

func getMention(r *wire.Reader[[]byte]) (m dowse.Mention) {
	m.Anchor = r.Text()
	for _, s := range [...]*dowse.Span{&m.At, &m.Block, &m.Window} {
		s.Start = int32(r.Int())
		s.End = s.Start + int32(r.Int())
	}
	for i := range m.Above {
		m.Above[i] = int32(r.Int())
	}
	m.Context = r.Float()
	m.AnchorScore = r.Float()
	m.Repeated = r.Bool()
	return m
}

func putHost(w *wire.Writer, h *dowse.HostReport) {
	w.Bool(h != nil)
	if h == nil {
		return
	}
	w.Int(int64(h.RetryAfter))
	w.Bool(h.BackOff)
	w.Bool(h.Down)
	w.Bool(h.Local)
	w.Bool(h.Robots != nil)
	if r := h.Robots; r != nil {
		putTime(w, r.At)
		w.Int(int64(r.Status))
		w.Bytes(r.Body)
		w.Int(int64(r.Delay))
		putTexts(w, r.Sitemaps)
	}
}

func getHost(r *wire.Reader[[]byte]) *dowse.HostReport {
	if !r.Bool() {
		return nil
	}
	h := &dowse.HostReport{RetryAfter: time.Duration(r.Int()), BackOff: r.Bool(), Down: r.Bool(), Local: r.Bool()}
	if r.Bool() {
		h.Robots = &dowse.Robots{At: getTime(r), Status: int(r.Int()), Body: []byte(r.Text()), Delay: time.Duration(r.Int()), Sitemaps: getTexts[dowse.URL](r)}
	}
	return h
}

func putSketch(w *wire.Writer, s *dowse.Sketch) {
	w.Uint64(s.Text)
	w.Bool(!s.IsZero())
	if !s.IsZero() {
		for _, v := range s.Bins {
			w.Uint16(v)
		}
	}
}

func getSketch(r *wire.Reader[[]byte]) (s dowse.Sketch) {
	s.Text = r.Uint64()
	if r.Bool() {
		for i := range s.Bins {
			s.Bins[i] = r.Uint16()
		}
	}
	return s
}
