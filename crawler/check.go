package crawler

import (
	"bufio"
	"bytes"
	"net/http"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/extract"
)

// A version is what the archive has of a page as it was last fetched.
type version struct {
	of     *archive.Original // nil if the archive does not have it
	header http.Header
}

// versionOf returns what the archive has of the earlier version of a page that is asked again. A record
// that can't be read is like none: the page is then asked for without a condition, and stored as a whole.
func (v *Visitor) versionOf(visit crawl.Visit) (k version) {
	if !visit.Check || visit.Prior == nil || v.archiver == nil {
		return k
	}
	if of, header, err := archive.OriginalAt(v.archiver.dir, visit.Prior.Fetch.Archive); err == nil {
		k.of, k.header = &of, header
	}
	return k
}

// forNow makes a redirect that is not for good a failure: the page is still where it was, and what
// is shown in its place at the moment is not its next version.
func forNow(p *dowse.Page) {
	s := p.Fetch.Status
	if p.Outcome != dowse.Redirected || s == http.StatusMovedPermanently || s == http.StatusPermanentRedirect {
		return
	}
	p.Outcome, p.Reason, p.Detail = dowse.Failed, dowse.FailRedirect, "it redirects for now, to "+string(p.Links[0].URL)
	p.Links = nil
}

// settle reports whether a page that was asked again is to be followed: if it is a new version, its links
// are wanted anyway, or its owner states other wishes. Otherwise it leaves of the page only that it was
// asked. It reads the archive, and must be called by the loop.
//
// A page is unchanged if the server answers 304, if it sends the same bytes, or if it sends the same
// words (see sameWords). An unchanged page with other wishes is recorded like a visit for its links, so
// that the visit that exports and sinks read has the wishes of today.
func (v *Visitor) settle(visit crawl.Visit, known version, p *dowse.Page, encoded []encodedAnswer) bool {
	if p.Outcome != dowse.Fetched {
		return p.Reason == dowse.SkipUnchanged && v.renew(visit.Prior, known, p, encoded)
	}
	same := len(encoded) > 0 && encoded[len(encoded)-1].repeats()
	if !same && !v.sameWords(visit.Prior, p) {
		return true
	}
	if visit.Whole || otherFlags(visit.Prior, p) || otherHeader(known.header, headerOf(encoded), true) {
		p.Reason = dowse.SkipUnchanged
		return true
	}
	*p = dowse.Page{
		URL: p.URL, Lead: p.Lead, Depth: p.Depth, Hops: p.Hops, Again: p.Again, Via: p.Via, LinksIn: p.LinksIn,
		Outcome: dowse.Skipped, Reason: dowse.SkipUnchanged, Fetch: p.Fetch, Host: p.Host,
	}
	return false
}

// renew makes a page that a server answered with 304 a fetched one, if the answer states other wishes than
// the earlier answer. Its content is that of the archive. It reports whether it did.
func (v *Visitor) renew(prior *dowse.Page, known version, p *dowse.Page, encoded []encodedAnswer) bool {
	header := headerOf(encoded)
	if prior == nil || v.document == nil || !otherHeader(known.header, header, false) {
		return false
	}
	doc, err := v.document(prior)
	if err != nil {
		return false
	}
	tags := header.Values(robotsTag)
	if len(tags) == 0 { // the answer leaves it as it was
		tags = known.header.Values(robotsTag)
	}
	doc.Title, doc.Language, doc.Sketch = prior.Title, prior.Language, prior.Sketch
	p.Document = *doc
	addRobotsTag(&p.Document, tags, v.addressed())
	p.Outcome = dowse.Fetched
	f, was := &p.Fetch, &prior.Fetch
	f.Status, f.Type, f.Bytes, f.Charset, f.Truncated = was.Status, was.Type, was.Bytes, was.Charset, was.Truncated
	v.judge(v.Judge, p)
	return true
}

// robotsTag is the header field with directives for robots.
const robotsTag = "X-Robots-Tag"

// addRobotsTag adds the directives of a header to those of a page's HTML.
func addRobotsTag(d *dowse.Document, tags, agents []string) {
	noFollow, noIndex, noArchive := extract.RobotsTag(tags, agents...)
	d.NoFollow, d.NoIndex, d.NoArchive = d.NoFollow || noFollow, d.NoIndex || noIndex, d.NoArchive || noArchive
}

// otherFlags reports whether two versions of a page have different directives for robots.
func otherFlags(prior, p *dowse.Page) bool {
	return prior != nil && (prior.NoFollow != p.NoFollow || prior.NoIndex != p.NoIndex || prior.NoArchive != p.NoArchive)
}

// otherHeader reports whether the headers of two answers state different wishes of the owner. An answer that
// is not whole (304) leaves what it does not name as it was. Without a header nothing is known.
func otherHeader(earlier, now http.Header, whole bool) bool {
	if earlier == nil || now == nil {
		return false
	}
	for _, name := range []string{robotsTag, "Tdm-Reservation", "Content-Usage", "Content-Signal"} {
		if values := now.Values(name); (whole || len(values) > 0) && !slices.Equal(values, earlier.Values(name)) {
			return true
		}
	}
	return false
}

// headerOf returns the header of the last of some answers, nil if there is none.
func headerOf(encoded []encodedAnswer) http.Header {
	if len(encoded) == 0 {
		return nil
	}
	head := encoded[len(encoded)-1].ex.ResponseHead
	r, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), nil)
	if err != nil {
		return nil
	}
	r.Body.Close()
	return r.Header
}

// sameWords reports whether two versions of a page have the same title and text. Bytes that no reader
// sees change with every request on many sites: numbers of sessions, counters, advertisements.
// Without an archive to read the earlier text from, the hash in the journal is compared.
func (v *Visitor) sameWords(prior, p *dowse.Page) bool {
	if prior == nil || prior.Title != p.Title {
		return false
	}
	if v.document != nil {
		if was, err := v.document(prior); err == nil {
			return was.Text == p.Text
		}
	}
	return prior.Sketch.Text != 0 && prior.Sketch.Text == p.Sketch.Text
}
